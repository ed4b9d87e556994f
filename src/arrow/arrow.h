// The three structures of the Arrow C data and stream interfaces, as its specification lays them out
// (https://arrow.apache.org/docs/format/CDataInterface.html), and what is needed to hold one.
#pragma once

#include <cstdint>
#include <utility>

extern "C" {

struct ArrowSchema {
    const char* format;
    const char* name;
    const char* metadata;
    std::int64_t flags;
    std::int64_t n_children;
    ArrowSchema** children;
    ArrowSchema* dictionary;
    void (*release)(ArrowSchema*);
    void* private_data;
};

struct ArrowArray {
    std::int64_t length;
    std::int64_t null_count;
    std::int64_t offset;
    std::int64_t n_buffers;
    std::int64_t n_children;
    const void** buffers;
    ArrowArray** children;
    ArrowArray* dictionary;
    void (*release)(ArrowArray*);
    void* private_data;
};

struct ArrowArrayStream {
    int (*get_schema)(ArrowArrayStream*, ArrowSchema* out);
    int (*get_next)(ArrowArrayStream*, ArrowArray* out);
    const char* (*get_last_error)(ArrowArrayStream*);
    void (*release)(ArrowArrayStream*);
    void* private_data;
};

}  // extern "C"

namespace ocior::arrow {

inline constexpr std::int64_t kNullable = 2;  // of ArrowSchema::flags

// Owns one of the structures, which is released at the end, if it is not released already.
template <typename Structure>
class Held {
public:
    Held() noexcept : structure_{} {}
    ~Held() { reset(); }
    Held(const Held&) = delete;
    Held& operator=(const Held&) = delete;

    Structure* get() noexcept { return &structure_; }
    const Structure* get() const noexcept { return &structure_; }
    Structure* operator->() noexcept { return &structure_; }
    explicit operator bool() const noexcept { return structure_.release != nullptr; }

    void reset() noexcept {
        if (structure_.release) structure_.release(&structure_);
        structure_ = {};
    }
    // Takes over what another place holds, which is released there from now on.
    void take(Structure& from) noexcept {
        reset();
        structure_ = from;
        from.release = nullptr;
    }

private:
    Structure structure_;
};

}  // namespace ocior::arrow
