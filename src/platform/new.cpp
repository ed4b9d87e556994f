// The operators new and delete of a module that brings its own run time of C++ (ELF), by malloc, for memory that may be missing.
//
// Those of libstdc++ can throw, though nobody here catches anything, and bring along what throws, unwinds and demangles: 90 KB in each
// core. Only what the core uses is here. Another form would be taken from libstdc++, with all of that, and could be added.
#if defined(__ELF__)

#include "base/config.h"

#if !OCIOR_HAS_ASAN  // which has operators of its own, and wants each block freed by the one that belongs to it

#include <cstdlib>
#include <new>

namespace {

void* aligned(std::size_t byte_len, std::align_val_t alignment) noexcept {
    const auto unit = static_cast<std::size_t>(alignment);
    return std::aligned_alloc(unit, (byte_len + unit - 1) / unit * unit);  // it takes whole units
}

}  // namespace

void* operator new(std::size_t byte_len, const std::nothrow_t&) noexcept { return std::malloc(byte_len); }
void* operator new(std::size_t byte_len, std::align_val_t alignment, const std::nothrow_t&) noexcept {
    return aligned(byte_len, alignment);
}
void* operator new[](std::size_t byte_len, std::align_val_t alignment, const std::nothrow_t&) noexcept {
    return aligned(byte_len, alignment);
}

void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }
void operator delete(void* memory, std::align_val_t) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t, std::align_val_t) noexcept { std::free(memory); }
void operator delete[](void* memory, std::size_t, std::align_val_t) noexcept { std::free(memory); }

#endif
#endif
