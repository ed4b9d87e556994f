#include "platform/system.h"

#include "base/config.h"

#ifdef _WIN32
#define WIN32_LEAN_AND_MEAN
#include <windows.h>
#else
#include <dlfcn.h>
#include <unistd.h>
#endif
#ifdef __linux__
#include <sys/mman.h>
#endif

namespace ocior::platform {

#ifdef __linux__

void* map_pages(std::size_t byte_len) noexcept {
    void* const room = mmap(nullptr, byte_len, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    return room == MAP_FAILED ? nullptr : room;
}

void unmap_pages(void* first, std::size_t byte_len) noexcept { munmap(first, byte_len); }

bool advise_huge_pages(void* first, std::size_t byte_len, bool wanted) noexcept {
    return madvise(first, byte_len, wanted ? MADV_HUGEPAGE : MADV_NOHUGEPAGE) == 0;
}

void populate_pages(void* first, std::size_t byte_len) noexcept {
    constexpr int kPopulateWrite = 23;  // MADV_POPULATE_WRITE, which older headers lack
    madvise(first, byte_len, kPopulateWrite);
}

bool is_mapped(const void* first) noexcept {
    unsigned char is_resident;
    return mincore(const_cast<void*>(first), kPageBytes, &is_resident) == 0;
}

#else

void* map_pages(std::size_t) noexcept { return nullptr; }
void unmap_pages(void*, std::size_t) noexcept {}
bool advise_huge_pages(void*, std::size_t, bool) noexcept { return false; }
void populate_pages(void*, std::size_t) noexcept {}
bool is_mapped(const void*) noexcept { return true; }

#endif

#ifdef _WIN32

std::uint64_t process_id() noexcept { return GetCurrentProcessId(); }

namespace {

HMODULE library_of(const void* address) noexcept {
    HMODULE library = nullptr;
    constexpr DWORD kByAddress = GET_MODULE_HANDLE_EX_FLAG_FROM_ADDRESS | GET_MODULE_HANDLE_EX_FLAG_UNCHANGED_REFCOUNT;
    return GetModuleHandleExW(kByAddress, static_cast<LPCWSTR>(address), &library) ? library : nullptr;
}

}  // namespace

bool are_in_one_library(const void* one, const void* other) noexcept {
    const HMODULE library = library_of(one);
    return library && library == library_of(other);
}

void* find_exported(const void* in_interpreter, const char* name) noexcept {
    const HMODULE library = library_of(in_interpreter);
    return library ? reinterpret_cast<void*>(GetProcAddress(library, name)) : nullptr;
}

#else

std::uint64_t process_id() noexcept { return static_cast<std::uint64_t>(getpid()); }

bool are_in_one_library(const void* one, const void* other) noexcept {
    Dl_info infos[2];
    return dladdr(one, &infos[0]) && dladdr(other, &infos[1]) && infos[0].dli_fbase == infos[1].dli_fbase;
}

void* find_exported(const void*, const char* name) noexcept { return dlsym(RTLD_DEFAULT, name); }

#endif

}  // namespace ocior::platform
