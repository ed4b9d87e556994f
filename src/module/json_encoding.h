// What the encoding side takes from the json package: its class and functions, which do what is left to them, and by which a class is known
// that overrides nothing. They are looked up once, at import, because a program may put ocior in json's place.
#pragma once

#include "encode/dialect.h"
#include "module/arguments.h"

namespace ocior::module {

// The arguments of dumps, dumps_to_bytes and dump: first those that may be given by position, then the keywords, in the order of how often
// they are given. Most are attributes of an encoder object, too.
enum EncodeSlot : std::size_t {
    kObject,
    kFile,  // of dump alone
    kEnsureAscii,
    kSeparators,
    kIndent,
    kDefault,
    kSortKeys,
    kCls,
    kAllowNan,
    kSkipkeys,
    kCheckCircular,
    kType,  // not json's: it is no attribute of an encoder object
    kWriteCache,  // of dumps_to_bytes alone
    kEncodeSlots
};
inline constexpr const char* kEncodeNames[] = {"obj", "fp",        "ensure_ascii", "separators",     "indent", "default",       "sort_keys",
                                               "cls", "allow_nan", "skipkeys",     "check_circular", "type",   "is_write_cache"};
static_assert(std::size(kEncodeNames) == kEncodeSlots);

struct JsonEncoding : encode::InstalledJson {
    Names<kEncodeSlots> names;
    // All these references are owned.
    PyObject *encode_name = nullptr, *iterencode_name = nullptr, *item_separator_name = nullptr, *key_separator_name = nullptr;
    PyObject *write_name = nullptr, *init_name = nullptr;
    PyObject *dumps = nullptr, *dump = nullptr;
    PyObject *encoder_type = nullptr, *init = nullptr, *encode = nullptr, *iterencode = nullptr;
    PyObject *text_file = nullptr, *buffered_file = nullptr, *raw_file = nullptr;  // the base classes of files, from _io

    [[nodiscard]] bool create() noexcept;
    void clear() noexcept;
};

}  // namespace ocior::module
