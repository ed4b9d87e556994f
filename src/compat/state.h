// The module's state with what the other libraries' interfaces keep in it.
#pragma once

#include <atomic>

#include "module/state.h"

namespace ocior::compat {

struct Orjson {
    decode::State decoder;  // with the error class of orjson's name
    PyObject* option_name = nullptr;  // owned, interned
};

// What ssrjson's own functions set, for all its calls.
struct SsrjsonSettings {
    std::atomic<bool> is_strict = false;  // keywords that are not supported are errors
    std::atomic<bool> is_silent = false;  // nothing is said of them, or it has been said
    std::atomic<bool> writes_cache = true;
    std::atomic<bool> has_numpy = false;
};

struct Ssrjson {
    decode::State decoder;
    PyObject* encode_error = nullptr;  // owned
    SsrjsonSettings settings{};
};

// The arguments of ujson's dumps, in its order.
inline constexpr const char* kUjsonNames[] = {"obj",       "ensure_ascii", "encode_html_chars", "escape_forward_slashes",
                                              "sort_keys", "indent",       "allow_nan",         "reject_bytes",
                                              "default",   "separators"};

struct Ujson {
    decode::State decoder;
    module::Names<std::size(kUjsonNames)> names{};
};

struct State : module::State {
    Orjson orjson{.decoder{constants}};
    Ssrjson ssrjson{.decoder{constants}};
    Ujson ujson{.decoder{constants}};
};

// Every state is one of these: core.cpp makes it.
OCIOR_INLINE State& state_of(module::State& state) noexcept { return static_cast<State&>(state); }
OCIOR_INLINE State& state_of(PyObject* module) noexcept { return state_of(module::state_of(module)); }

// CPython aligns the memory of a module by 16 bytes at most, and the state lies at the first place in it where it may.
inline constexpr std::size_t kStateRoom = sizeof(State) + alignof(State);
static_assert(alignof(State) == alignof(module::State));

}  // namespace ocior::compat
