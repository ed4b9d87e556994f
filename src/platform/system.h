// What belongs to an operating system: mappings of memory, huge pages, libraries of the process and the names that they export. No other
// room asks which system it is compiled for. Where a system lacks something, these functions say so, and their callers do without.
#pragma once

#include <cstddef>
#include <cstdint>

namespace ocior::platform {

// Whether the system has huge pages that a program can ask for, and tells which pages it has mapped.
#ifdef __linux__
inline constexpr bool kHasHugePages = true;
#else
inline constexpr bool kHasHugePages = false;
#endif

// Whether malloc gives freed blocks back to the system until it has seen larger ones freed, as glibc's does.
inline constexpr bool kMallocLearns = kHasHugePages;

// Whether the allocators of CPython have been studied on this system: the pools of pymalloc, the pages of mimalloc.
#ifdef _WIN32
inline constexpr bool kHasKnownPools = false;
#else
inline constexpr bool kHasKnownPools = true;
#endif
#ifdef __linux__
inline constexpr bool kHasKnownMimalloc = true;
#else
inline constexpr bool kHasKnownMimalloc = false;
#endif

// The number of this process, which a forked one does not have.
std::uint64_t process_id() noexcept;

// A private mapping of so many bytes, all zero. Null where there is none to be had.
void* map_pages(std::size_t byte_len) noexcept;
void unmap_pages(void* first, std::size_t byte_len) noexcept;

// Asks for huge pages in whole pages of memory, or, not `wanted`, for small ones. False where the system refuses.
bool advise_huge_pages(void* first, std::size_t byte_len, bool wanted) noexcept;

// Has the system find and clear at once the pages from `first`, where one begins, to the last of these bytes. Where it cannot, they come as
// they are used.
void populate_pages(void* first, std::size_t byte_len) noexcept;

// Whether the page that begins at `first` is mapped at all. True also where the system does not tell.
bool is_mapped(const void* first) noexcept;

// Whether two addresses lie in one library, or both in the program itself. False where the system does not tell.
bool are_in_one_library(const void* one, const void* other) noexcept;

// The address that the interpreter exports a name at, or null: the library that holds `in_interpreter` is asked where names belong to
// libraries, else the whole process.
void* find_exported(const void* in_interpreter, const char* name) noexcept;

}  // namespace ocior::platform
