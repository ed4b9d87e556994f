// A growable array of trivial values that keeps its block between calls.
#pragma once

#include <cstdlib>

#include "base/config.h"

namespace ocior::grammar {

struct CHeap {
    static void* reallocate(void* block, std::size_t byte_len, std::size_t) noexcept { return std::realloc(block, byte_len); }
    static void release(void* block) noexcept { std::free(block); }
};

// Heap: where the block comes from. reallocate() is told how many bytes of the old one count, and is null when out of memory.
template <typename T, typename Heap = CHeap>
class Stack {
public:
    Stack() noexcept = default;
    ~Stack() { Heap::release(data_); }
    Stack(const Stack&) = delete;
    Stack& operator=(const Stack&) = delete;

    T* data() noexcept { return data_; }
    const T* data() const noexcept { return data_; }
    std::size_t capacity() const noexcept { return capacity_; }

    // At least `wanted` elements; the content is kept. False when out of memory.
    [[nodiscard]] bool reserve(std::size_t wanted) noexcept {
        if (wanted <= capacity_) return true;
        std::size_t capacity = capacity_ ? capacity_ * 2 : kInitial;
        if (capacity < wanted) capacity = wanted;
        auto* data = static_cast<T*>(Heap::reallocate(data_, capacity * sizeof(T), capacity_ * sizeof(T)));
        if (!data) return false;
        data_ = data;
        capacity_ = capacity;
        return true;
    }

    // Gives back what one large document has needed, but for the first `n` elements.
    void cut(std::size_t n) noexcept {
        if (capacity_ <= kInitial || capacity_ / 2 < n) return;
        const std::size_t capacity = n > kInitial ? n : kInitial;
        auto* const data = static_cast<T*>(Heap::reallocate(data_, capacity * sizeof(T), n * sizeof(T)));
        if (!data) return;
        data_ = data;
        capacity_ = capacity;
    }

    // Gives back a block that one large document has blown up.
    void trim(std::size_t kept_bytes) noexcept {
        if (capacity_ * sizeof(T) <= kept_bytes) return;
        Heap::release(data_);
        data_ = nullptr;
        capacity_ = 0;
    }

protected:
    static constexpr std::size_t kInitial = sizeof(T) >= 64 ? 64 : 4096 / sizeof(T);
    T* data_ = nullptr;
    std::size_t capacity_ = 0;
};

}  // namespace ocior::grammar
