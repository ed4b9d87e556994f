// The json module's own encoder, as it was at import: what stands in for ours where a call is left to json, and what tells an
// encoder class that overrides nothing. Looked up once, because a program may put ocior in json's place.
#pragma once

#include "module/arguments.h"

namespace ocior::module {

// The keywords, in the order of the slots that the functions sort them into; most are attributes of an encoder, too.
inline constexpr const char* kDumpsNames[] = {"obj",    "skipkeys",   "ensure_ascii", "check_circular", "allow_nan",     "cls",
                                              "indent", "separators", "default",      "sort_keys",      "is_write_cache"};
inline constexpr const char* kDumpNames[] = {"obj", "fp",     "skipkeys",   "ensure_ascii", "check_circular", "allow_nan",
                                             "cls", "indent", "separators", "default",      "sort_keys"};

struct JsonEncoding {
    Names<std::size(kDumpsNames)> attribute_names;
    Names<std::size(kDumpNames)> dump_names;
    // Owned, all of them.
    PyObject *encode_name = nullptr, *iterencode_name = nullptr, *item_separator_name = nullptr, *key_separator_name = nullptr;
    PyObject* write_name = nullptr;
    PyObject *dumps = nullptr, *dump = nullptr;
    PyObject *encoder_type = nullptr, *init = nullptr, *encode = nullptr, *iterencode = nullptr, *unpatched_default = nullptr;
    bool lines_in_empty_dicts = false;  // whether it puts them into a dict none of whose keys is written
    PyObject *text_file = nullptr, *buffered_file = nullptr, *raw_file = nullptr;  // the bases of files, from _io

    [[nodiscard]] bool create() noexcept;
    void clear() noexcept;
};

}  // namespace ocior::module
