#include "columns/block.h"

#include <algorithm>
#include <utility>

namespace ocior::columns {
namespace {

// Values that a batch has at most, with those that are null: sparse records would make them many.
constexpr std::size_t kMostValues = std::size_t{8} << 20;
// Bytes of text that become a batch at most, but for a single record: a block may be as long as what a source gives at a time.
constexpr std::size_t kMostText = std::size_t{64} << 20;

}  // namespace

bool RowReader::follow(const RowReader& other) noexcept {
    rules = other.rules;
    max_record = other.max_record;
    root.forget_type();
    memory.budget = {};
    memory.column_count = other.memory.column_count;
    return copy_type(root, other.root);
}

void TextBlock::restart() noexcept {
    for (; next_batch < batch_count; ++next_batch) batches.data()[next_batch]->release();
    forget_bad();
    batch_count = next_batch = byte_len_ = begin_ = 0;
    line_count = record_count = 0;
    is_out_of_memory = false;
}

void TextBlock::forget_bad() noexcept {
    for (std::size_t i = 0; i < bad_count; ++i) std::free(bad.data()[i].message);
    bad_count = 0;
}

bool TextBlock::take_batch(RowReader& reader) noexcept {
    if (reader.root.length == 0) return true;
    Batch* const batch = batches.reserve(batch_count + 1) ? Batch::take(reader.root, reader.root.length, reader.arena) : nullptr;
    if (!batch) return false;
    batches.data()[batch_count++] = batch;
    return true;
}

bool TextBlock::read_record(RowReader& reader, grammar::Text<Utf8Source> text, const std::uint8_t* first, const std::uint8_t* last,
                            bool is_torn) noexcept {
    const auto byte_len = static_cast<std::size_t>(last - first);
    ReadRecord read{first, Error::kNone, Problem::kTooLong};
    const bool is_short = byte_len <= std::min<std::size_t>(reader.max_record, INT32_MAX / 8);
    if (OCIOR_LIKELY(is_short)) read = read_row(reader.memory, reader.root, reader.rules, text, first, last);
    ++record_count;
    if (OCIOR_LIKELY(read.error == Error::kNone && read.problem == Problem::kNone)) {
        if (static_cast<std::size_t>(reader.root.length) * (reader.memory.column_count + 1) < kMostValues) return true;
        is_out_of_memory = !take_batch(reader);
        return !is_out_of_memory;
    }
    if (read.error == Error::kNoMemory || !bad.reserve(bad_count + 1)) return is_out_of_memory = true, false;
    char* message = nullptr;
    if (read.error == Error::kNone && is_short) {
        const auto* const words = reinterpret_cast<const char*>(reader.memory.message.data());
        const std::size_t n = std::strlen(words) + 1;
        message = static_cast<char*>(std::malloc(n));
        if (!message) return is_out_of_memory = true, false;
        std::memcpy(message, words, n);
    }
    const std::size_t mistake = read.next > first ? static_cast<std::size_t>(read.next - first) : 0;
    bad.data()[bad_count++] = {first, byte_len, line_count, record_count - 1, std::min(mistake, byte_len), read.error, is_torn, message};
    return reader.rules.is_tolerant;
}

void TextBlock::read_lines(RowReader& reader) noexcept {
    if (byte_len_ == 0) return;
    std::uint8_t* p = bytes_.data() + begin_;
    const std::uint8_t* begin = p;  // of the batch
    std::uint8_t* const end = bytes_.data() + byte_len_;
    std::memset(end, 0, 1 + kReadSlack);
    while (p != end) {
        auto* const newline = static_cast<std::uint8_t*>(std::memchr(p, '\n', static_cast<std::size_t>(end - p)));
        std::uint8_t* const last = newline ? newline : end;
        *last = 0;
        while (p != last && (*p == ' ' || *p == '\t' || *p == '\r')) ++p;
        if (OCIOR_LIKELY(p != last) && !read_record(reader, {p, last}, p, last, !newline)) break;
        line_count += newline != nullptr;
        p = newline ? newline + 1 : end;
        if (OCIOR_UNLIKELY(static_cast<std::size_t>(p - begin) >= kMostText)) {
            begin = p;
            is_out_of_memory = !take_batch(reader);
            if (is_out_of_memory) break;
        }
    }
    if (!is_out_of_memory) is_out_of_memory = !take_batch(reader);
}

}  // namespace ocior::columns
