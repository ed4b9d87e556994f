// Scanner objects, which read one value at a time from a str. Their type takes the place of what json.scanner calls c_make_scanner.
#pragma once

#include <optional>

#include "module/state.h"

namespace ocior::module {

// The options by which a scanner object reads, and what keeps their hooks alive.
struct ScannerOptions {
    static constexpr std::size_t kHooks = 6;
    const decode::Options* options = nullptr;  // of our scanner, or those compiled
    std::optional<decode::Options> compiled;
    Owned scanner, hooks[kHooks];
};

// Finds the options of `scanner` if its type is ours or json's: we can do what those do. kNo for other types, those derived from them
// included. kFailed with an error set.
Known options_of(State& state, PyObject* scanner, ScannerOptions& found) noexcept;

// Null with an error set.
PyObject* make_scanner_type(PyObject* module) noexcept;

// A scanner that captures the present attributes of `context`, and reads by the policies of `policies`. Null with an error set.
PyObject* new_scanner(PyObject* module, PyTypeObject* type, PyObject* context, const decode::Options& policies) noexcept;

// The tuple (value, end), or null with an error set. The caller keeps the str alive.
PyObject* raw_decode_with(State& state, const decode::Options& options, PyObject* str, std::size_t index) noexcept;

PyObject* scanstring(PyObject* module, PyObject* arguments) noexcept;
extern const char scanstring_doc[];

}  // namespace ocior::module
