// What the module itself owns; every interpreter has a module of its own. What other libraries' interfaces own is in compat/state.h.
#pragma once

#include <atomic>
#include <iterator>

#include "decode/decode.h"
#include "encode/encode.h"
#include "module/arguments.h"
#include "module/json_decoding.h"
#include "module/json_encoding.h"
#include "module/kept_keywords.h"
#include "module/kept_selections.h"
#include "py/constants.h"
#include "py/numpy_array.h"
#include "typed/session.h"

namespace ocior::module {

// The arguments of loads and load, in the order of the slots that they are sorted into.
inline constexpr const char* kLoadsNames[] = {
    "s",          "cls",    "object_hook",    "parse_float", "parse_int",    "parse_constant", "object_pairs_hook",
    "array_hook", "strict", "duplicate_keys", "non_finite",  "big_integers", "integer_bits",   "surrogates",
    "max_depth",  "type"};
inline constexpr const char* kLoadNames[] = {
    "fp",         "cls",    "object_hook",    "parse_float", "parse_int",    "parse_constant", "object_pairs_hook",
    "array_hook", "strict", "duplicate_keys", "non_finite",  "big_integers", "integer_bits",   "surrogates",
    "max_depth",  "type"};

// Those of at.
inline constexpr const char* kAtNames[] = {
    "data",       "pointers", "object_hook",    "parse_float", "parse_int",    "parse_constant", "object_pairs_hook",
    "array_hook", "strict",   "duplicate_keys", "non_finite",  "big_integers", "integer_bits",   "surrogates",
    "max_depth",  "default",  "check"};

// Those of the view that the package's own is made of.
inline constexpr const char* kViewNames[] = {
    "data",       "view_of_object", "view_of_array",  "object_hook", "parse_float",  "parse_int",    "parse_constant", "object_pairs_hook",
    "array_hook", "strict",         "duplicate_keys", "non_finite",  "big_integers", "integer_bits", "surrogates",     "max_depth"};

struct KeptSettings;

struct State {
    Names<std::size(kLoadsNames)> loads_names;
    Names<std::size(kLoadNames)> load_names;
    Names<std::size(kAtNames)> at_names;
    Names<std::size(kViewNames)> view_names;
    JsonEncoding json_encoding;
    JsonDecoding json_decoding;
    Constants constants;
    decode::State decoder{constants};
    encode::State encoder{{}, json_encoding};
    KeptKeywordsPool dumps_keywords, dumps_to_bytes_keywords;
    KeptSelectionsPool kept_selections;
    PyObject* pieces_type = nullptr;        // of the iterator that iterencode() returns, owned
    KeptSettings* recent_settings = nullptr;  // that an encoder object has offered last; changed with the module's lock held
    PyObject* viewed_type = nullptr;        // of the documents that views read from, owned
    PyObject* late_default_type = nullptr;  // of LateEncoder::hook(), owned
    PyObject* default_encoders =
        nullptr;  // a list of every InstalledJson::default_encoder that there was, owned: a thread may still use it
    // The version that the class JSONEncoder had when the package had defined it; 0 where it has none.
    std::atomic<unsigned> encoder_class_version = 0;
    NumpyArrays numpy_arrays;
    typed::State typed{};
    std::atomic<std::uint32_t> plans_count = 0;  // how many objects of encode::PlansObject there have been
    std::atomic<bool> write_cache = false;  // what dumps_to_bytes does whose is_write_cache is not given

    [[nodiscard]] bool create() noexcept;
    void clear() noexcept;
    // Clears only what may be part of a cycle: at shutdown a finalizer may still call functions of the module.
    void clear_cycles() noexcept;
};

// CPython aligns the memory of a module by 16 bytes at most, and the state, whose pools keep threads from each other's cache lines, needs
// more: it lies at the first place in that memory where it may. core.cpp makes it, as a compat::State.
// Null where the module has no memory yet.
OCIOR_INLINE State* place_of_state(PyObject* module) noexcept {
    const auto address = reinterpret_cast<std::uintptr_t>(PyModule_GetState(module));
    return reinterpret_cast<State*>((address + alignof(State) - 1) & ~(alignof(State) - 1));
}
OCIOR_INLINE State& state_of(PyObject* module) noexcept { return *place_of_state(module); }

// The module that a type of ours, or a class derived from one, belongs to, borrowed. Null with TypeError set.
PyObject* module_of_type(PyTypeObject* type) noexcept;

}  // namespace ocior::module
