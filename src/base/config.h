// Compiler vocabulary shared by every room: inlining, branch hints, the code-unit concept.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstring>

#define OCIOR_INLINE inline __attribute__((always_inline))
#define OCIOR_INLINE_LAMBDA __attribute__((always_inline))  // behind a lambda's parameters
#define OCIOR_NOINLINE __attribute__((noinline))
#define OCIOR_COLD __attribute__((noinline, cold))
#define OCIOR_LIKELY(x) __builtin_expect(!!(x), 1)
#define OCIOR_UNLIKELY(x) __builtin_expect(!!(x), 0)

// Whether AddressSanitizer looks at every access: 1 or 0.
#if defined(__SANITIZE_ADDRESS__)
#define OCIOR_HAS_ASAN 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define OCIOR_HAS_ASAN 1
#endif
#endif
#ifndef OCIOR_HAS_ASAN
#define OCIOR_HAS_ASAN 0
#endif

static_assert(sizeof(void*) == 8, "ocior supports 64-bit machines only");
static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "ocior supports little-endian machines only");

namespace ocior {

// A code unit of text: Latin-1/ASCII/UTF-8 (1 byte), UCS-2 (2 bytes) or UCS-4 (4 bytes).
template <typename T>
concept CodeUnit = std::same_as<T, std::uint8_t> || std::same_as<T, std::uint16_t> || std::same_as<T, std::uint32_t>;

// Readable bytes that every text handed to a decoding kernel has behind its last unit. The unit at `last` is a NUL, the
// sentinel; the others may hold anything, and are there so that a whole vector can be loaded.
inline constexpr std::size_t kReadSlack = 64;

// The system protects memory in pages of this size, or of a multiple of it.
inline constexpr std::uintptr_t kPageBytes = 4096;

// Writable bytes that every output buffer has behind the space its caller computed, so that a kernel may
// store a whole vector and advance by less.
inline constexpr std::size_t kWriteSlack = 64;

}  // namespace ocior
