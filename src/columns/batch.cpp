#include "columns/batch.h"

#include <algorithm>
#include <new>
#include <utility>

#include "columns/declared.h"
#include "platform/system.h"

namespace ocior::columns {
namespace {

constexpr std::size_t kAlignment = 64;
constexpr std::size_t kArena = 8 * 1024 * 1024, kSmall = 256 * 1024;  // bytes of an arena, and of a batch that has one for itself

std::size_t aligned(std::size_t byte_len) noexcept { return (byte_len + kAlignment - 1) & ~(kAlignment - 1); }

bool has_values(const Column& column) noexcept { return column.length > column.null_count; }

std::size_t validity_byte_len(const Column& column) noexcept {
    return column.null_count ? static_cast<std::size_t>((column.length + 7) / 8) : 0;
}

// Bytes that the values of a column and of all below it take in a block.
std::size_t packed_byte_len(const Column& column) noexcept {
    if (!has_values(column)) return 0;
    std::size_t sum = aligned(validity_byte_len(column)) + aligned(column.values_byte_len(column.length)) +
                      aligned(static_cast<std::size_t>(column.data_len));
    for (std::uint32_t i = 0; i < column.child_count; ++i) sum += packed_byte_len(*column.children[i]);
    return sum;
}

// Copies values, and types, of a column and all below it to `to`, which moves on. False when out of memory.
[[nodiscard]] bool pack(Column& packed, const Column& column, std::uint8_t*& to) noexcept {
    if (!packed.take_own_type_of(column)) return false;
    packed.length = column.length;
    packed.null_count = column.null_count;
    packed.data_len = column.data_len;
    const auto put = [&](Buffer& block, const Buffer& from, std::size_t byte_len) {
        if (!byte_len) return;
        std::memcpy(to, from.data(), byte_len);
        std::memset(to + byte_len, 0, aligned(byte_len) - byte_len);
        block.lend(to);
        to += aligned(byte_len);
    };
    if (has_values(column)) {
        put(packed.validity, column.validity, validity_byte_len(column));
        put(packed.values, column.values, column.values_byte_len(column.length));
        put(packed.data, column.data, static_cast<std::size_t>(column.data_len));
    }
    for (std::uint32_t i = 0; i < column.child_count; ++i) {
        const Column& child = *column.children[i];
        Column* const copy = packed.add_child(child.name, child.name_len);
        if (!copy || !pack(*copy, child, to)) return false;
    }
    return true;
}

// Bytes that the blocks of columns without values would have at most.
std::size_t zeros_byte_len(const Column& column) noexcept {
    std::size_t most = has_values(column) ? 0 : (static_cast<std::size_t>(column.length) + 1) * laid_out_bytes(column);
    for (std::uint32_t i = 0; i < column.child_count; ++i) most = std::max(most, zeros_byte_len(*column.children[i]));
    return most;
}

Put lay_out_all(Column& column) noexcept {
    Put done = column.declared ? lay_out(column) : Put::kDone;
    for (std::uint32_t i = 0; done == Put::kDone && i < column.child_count; ++i) done = lay_out_all(*column.children[i]);
    return done;
}

}  // namespace

Arena::~Arena() {
    if (is_mapped_) platform::unmap_pages(block_, byte_len_);
    else std::free(block_);
}

std::uint8_t* Arena::take(Arena*& arena, std::size_t byte_len) noexcept {
    if (!arena || arena->used_ + byte_len > arena->byte_len_) {
        auto* const made = new (std::nothrow) Arena;
        if (!made) return nullptr;
        made->is_mapped_ = arena || byte_len > kSmall;
        made->byte_len_ = made->is_mapped_ ? std::max(kArena, byte_len) : byte_len + kAlignment;
        if (made->is_mapped_) made->block_ = static_cast<std::uint8_t*>(platform::map_pages(made->byte_len_));
        if (made->block_) {
            (void)platform::advise_huge_pages(made->block_, made->byte_len_, true);
        } else {  // too small for pages of its own, or there are none to be had
            made->is_mapped_ = false;
            made->byte_len_ = byte_len + kAlignment;
            made->block_ = static_cast<std::uint8_t*>(std::malloc(made->byte_len_));
        }
        if (!made->block_) return delete made, nullptr;
        if (!made->is_mapped_) made->used_ = (kAlignment - reinterpret_cast<std::uintptr_t>(made->block_) % kAlignment) % kAlignment;
        if (arena) arena->release();
        arena = made;
    }
    return arena->block_ + std::exchange(arena->used_, arena->used_ + aligned(byte_len));
}

Batch::~Batch() {
    if (arena_) arena_->release();
    std::free(zeros_);
}

Batch* Batch::take(Column& built, std::int64_t rows, Arena*& arena) noexcept {
    auto* const batch = new (std::nothrow) Batch;
    if (!batch || !built.complete(rows)) return delete batch, nullptr;
    batch->byte_len_ = packed_byte_len(built);
    std::uint8_t* to = Arena::take(arena, batch->byte_len_);
    if (!to) return delete batch, nullptr;
    batch->arena_ = arena->share();
    const bool is_packed = pack(batch->root_, built, to);
    built.restart();
    if (!is_packed) return delete batch, nullptr;
    return batch;
}

Put Batch::finish(const Column& type, Mixed mixed) noexcept {
    if (!cast(root_, type, mixed)) return Put::kNoMemory;
    const Put done = lay_out_all(root_);
    if (done != Put::kDone) return done;
    zeros_ = std::calloc(1, zeros_byte_len(root_) + kAlignment);
    return zeros_ ? Put::kDone : Put::kNoMemory;
}

bool Table::add(Batch* batch) noexcept {
    if (!batches.reserve(batch_count + 1)) return batch->release(), false;
    batches.data()[batch_count++] = batch;
    row_count += batch->row_count();
    byte_len += batch->byte_len();
    return true;
}

}  // namespace ocior::columns
