// Memory whose ends nobody can step over unseen: pages that may be read and written, between two that fault.
#pragma once

#ifdef _WIN32
#define NOMINMAX
#define WIN32_LEAN_AND_MEAN
#include <windows.h>
#else
#include <sys/mman.h>
#include <unistd.h>
#endif

#include <cstddef>
#include <cstdint>
#include <cstdlib>

namespace samples {

class Guarded {
public:
    explicit Guarded(std::size_t pages) : page_(page_bytes()), bytes_(pages * page_) {
#ifdef _WIN32
        void* p = VirtualAlloc(nullptr, bytes_ + 2 * page_, MEM_RESERVE, PAGE_NOACCESS);
        if (!p || !VirtualAlloc(static_cast<char*>(p) + page_, bytes_, MEM_COMMIT, PAGE_READWRITE)) std::abort();
#else
        void* p = mmap(nullptr, bytes_ + 2 * page_, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        if (p == MAP_FAILED || mprotect(static_cast<char*>(p) + page_, bytes_, PROT_READ | PROT_WRITE) != 0) std::abort();
#endif
        first_ = static_cast<std::uint8_t*>(p) + page_;
    }
    ~Guarded() {
#ifdef _WIN32
        VirtualFree(first_ - page_, 0, MEM_RELEASE);
#else
        munmap(first_ - page_, bytes_ + 2 * page_);
#endif
    }
    Guarded(const Guarded&) = delete;
    Guarded& operator=(const Guarded&) = delete;

    // Room for n units that ends `units_before_guard` units before the fault.
    template <typename U>
    U* room(std::size_t n, std::size_t units_before_guard = 0) const {
        return reinterpret_cast<U*>(last()) - units_before_guard - n;
    }
    std::uint8_t* first() const { return first_; }
    std::uint8_t* last() const { return first_ + bytes_; }

private:
    static std::size_t page_bytes() {
#ifdef _WIN32
        SYSTEM_INFO info;
        GetSystemInfo(&info);
        return info.dwPageSize;
#else
        return static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
#endif
    }

    std::size_t page_, bytes_;
    std::uint8_t* first_;
};

}  // namespace samples
