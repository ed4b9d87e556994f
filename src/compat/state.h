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

// What the package gives the core when it imports msgspec; owned.
struct Msgspec {
    PyObject* decoders = nullptr;   // dict: a type, and the Decoder of it
    PyObject* untyped = nullptr;    // the Decoder of any type
    PyObject* decode = nullptr;     // is called where the core has no decoder for what decode() is given
    PyObject* encode = nullptr;     // msgspec's own
    PyObject* type_name = nullptr;  // "type", interned

    template <typename Act>
    void for_each(Act&& act) noexcept {
        for (PyObject** const one : {&decoders, &untyped, &decode, &encode}) act(*one);
    }
};

struct State : module::State {
    Orjson orjson{.decoder{constants}};
    Ssrjson ssrjson{.decoder{constants}};
    Ujson ujson{.decoder{constants}};
    Msgspec msgspec{};
};

// Every state is one of these: core.cpp makes it.
OCIOR_INLINE State& state_of(module::State& state) noexcept { return static_cast<State&>(state); }
OCIOR_INLINE State& state_of(PyObject* module) noexcept { return state_of(module::state_of(module)); }

// CPython aligns the memory of a module by 16 bytes at most, and the state lies at the first place in it where it may.
inline constexpr std::size_t kStateRoom = sizeof(State) + alignof(State);
static_assert(alignof(State) == alignof(module::State));

}  // namespace ocior::compat
