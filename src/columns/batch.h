// The values of some rows, complete, in one block of memory, and tables of them; both are shared by whoever has been given a view of them,
// in any thread, with the interpreter or without it.
#pragma once

#include <atomic>

#include "arrow/arrow.h"
#include "columns/declared.h"

namespace ocior::columns {

// Memory for batches that are made one after the other: pages of their own, huge ones where the system has them, which cost less than
// those of malloc. Shared by its batches and by whoever makes them.
class Arena {
public:
    // Room for so many bytes in an arena, which becomes another one when it is full; the first bytes of it lie at a multiple of 64. Null
    // when out of memory.
    static std::uint8_t* take(Arena*& arena, std::size_t byte_len) noexcept;
    Arena* share() noexcept { return references_.fetch_add(1, std::memory_order_relaxed), this; }
    void release() noexcept {
        if (references_.fetch_sub(1, std::memory_order_acq_rel) == 1) delete this;
    }

private:
    Arena() noexcept = default;
    ~Arena();

    std::atomic<long> references_ = 1;
    std::uint8_t* block_ = nullptr;
    std::size_t byte_len_ = 0, used_ = 0;
    bool is_mapped_ = false;
};

class Batch {
public:
    // The values that `built` has, which are `rows` rows, and then has no more. They lie in the arena. Null when out of memory.
    static Batch* take(Column& built, std::int64_t rows, Arena*& arena) noexcept;
    Batch* share() noexcept { return references_.fetch_add(1, std::memory_order_relaxed), this; }
    void release() noexcept {
        if (references_.fetch_sub(1, std::memory_order_acq_rel) == 1) delete this;
    }

    std::int64_t row_count() const noexcept { return root_.length; }
    std::size_t byte_len() const noexcept { return byte_len_; }
    const Column& root() const noexcept { return root_; }
    // Makes its columns those of the type, which is as wide, and lays them out as Arrow has them. Has to be called once, before it
    // is shared. kRefused: a dictionary has more texts than its indices can tell apart.
    Put finish(const Column& type, Mixed mixed) noexcept;
    // What stands for the blocks of columns that have none, all zero.
    const void* zeros() const noexcept { return zeros_; }
    // Gives it, as an array of structs. False when out of memory.
    [[nodiscard]] bool export_to(ArrowArray* out) noexcept;

private:
    Batch() noexcept = default;
    ~Batch();
    Batch(const Batch&) = delete;

    std::atomic<long> references_ = 1;
    Column root_;
    Arena* arena_ = nullptr;
    std::size_t byte_len_ = 0;
    void* zeros_ = nullptr;
};

// Describes the type of a struct, or of any column. False when out of memory.
[[nodiscard]] bool export_type(const Column& type, ArrowSchema* out) noexcept;
enum class Imported : std::uint8_t { kDone, kRefused, kNoMemory };
// Takes the type over from others, into a column without one; all of it is fixed. kRefused: `refused` names the format that JSON cannot
// fill, or is null where two columns have one name.
Imported import_type(const ArrowSchema& schema, Column& type, const char*& refused, std::size_t depth = 0) noexcept;

// Batches of one type.
struct Table {
    std::atomic<long> references = 1;
    Column type;  // a struct
    grammar::Stack<Batch*> batches;
    std::size_t batch_count = 0;
    std::int64_t row_count = 0;
    std::size_t byte_len = 0;

    [[nodiscard]] bool add(Batch* batch) noexcept;  // takes it over
    Table* share() noexcept { return references.fetch_add(1, std::memory_order_relaxed), this; }
    void release() noexcept {
        if (references.fetch_sub(1, std::memory_order_acq_rel) == 1) delete this;
    }
    // A stream of its batches. False when out of memory.
    [[nodiscard]] bool export_to(ArrowArrayStream* out) noexcept;

private:
    ~Table() {
        for (std::size_t i = 0; i < batch_count; ++i) batches.data()[i]->release();
    }
};

}  // namespace ocior::columns
