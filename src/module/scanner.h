// scanner objects: one value at a time out of a str, as json's scan_once. What json.scanner calls c_make_scanner is their type.
#pragma once

#include "module/state.h"

namespace ocior::module {

// The options that a scanner stands for, and what keeps their hooks alive.
struct ScannerOptions {
    static constexpr std::size_t kHooks = 6;
    decode::Options options;
    Owned scanner, hooks[kHooks];
};

enum class Known : std::uint8_t { kYes, kNo, kFailed };

// Whether `scanner` is of a type whose answers we know how to give: ours or json's, no subclass. kFailed with an error set.
Known options_of(const State& state, PyObject* scanner, ScannerOptions& held) noexcept;

// The type, for the module `module`. Null with an error set.
PyTypeObject* make_scanner_type(PyObject* module) noexcept;

// A scanner with the attributes that `context` has now. Null with an error set.
PyObject* new_scanner(PyObject* module, PyTypeObject* type, PyObject* context) noexcept;

// (value, end), or null with JSONDecodeError set. The str is held by the caller.
PyObject* raw_decode_with(State& state, const decode::Options& options, PyObject* str, std::size_t index) noexcept;

PyObject* scanstring(PyObject* module, PyObject* arguments) noexcept;
extern const char scanstring_doc[];

}  // namespace ocior::module
