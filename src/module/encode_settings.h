// What a call of the encoder is told, compiled to encode::Options: by keywords, or by the attributes of an encoder object.
#pragma once

#include "encode/options.h"
#include "module/state.h"

namespace ocior::module {

// The slots that the keywords of dumps, dumps_to_bytes and dump are sorted into.
enum DumpsSlot : std::size_t {
    kObject,
    kSkipkeys,
    kEnsureAscii,
    kCheckCircular,
    kAllowNan,
    kCls,
    kIndent,
    kSeparators,
    kDefault,
    kSortKeys,
    kWriteCache,
    kDumpsSlots
};
static_assert(std::size(kDumpsNames) == kDumpsSlots);

// Where the attributes of an encoder object are read.
struct EncoderAttributes {
    PyObject* encoder;
    Owned copy = {};  // of its dict, to be read in the dict's place. Only for classes whose objects are looked up in the usual way.

    // Empty with an error set.
    Owned get(PyObject* name) const noexcept {
        return Owned::steal(copy ? _PyObject_GenericGetAttrWithDict(encoder, name, copy.get(), 0) : PyObject_GetAttr(encoder, name));
    }
};

// What is not said: json's defaults, or those of dumps_to_bytes.
enum class Layout : std::uint8_t { kJson, kCompact };

// Options, and the objects that they refer to.
struct EncodeSettings {
    encode::Options options;
    Owned item_text, key_text, indent_text, hook;

    // What dumps_to_bytes does unless told otherwise.
    static encode::Options compact_utf8(bool write_cache) noexcept;

    // The same options; everything referred to is held again.
    EncodeSettings copy() const noexcept;

    // Both return false for what is better left to json itself: it refuses it in its own words, or finds that this object never needs
    // it. The second may have an error set then that is no ordinary exception.

    // From keywords. `cls` is not looked at.
    [[nodiscard]] bool compile(PyObject* const* slots, Layout layout, bool to_bytes) noexcept;

    // From the attributes of an encoder object whose class overrides no more of json.JSONEncoder than default(); whether encode() is
    // overridden does not matter to every caller.
    [[nodiscard]] bool compile(const JsonEncoding& json, const EncoderAttributes& attributes, bool to_bytes, bool encode_matters) noexcept;

private:
    [[nodiscard]] bool read_separator(PyObject* str, Owned& owner, encode::Separator& separator) noexcept;
    [[nodiscard]] bool read_separators(PyObject* given) noexcept;
    [[nodiscard]] bool read_indent(PyObject* given) noexcept;
};

// The encoder object that json.dumps, or json.dump, would make for these arguments: cls(...), or json's own for None. Empty with an
// error set.
Owned make_encoder(const JsonEncoding& json, const Arguments& arguments, Layout layout, bool is_dump = false) noexcept;

}  // namespace ocior::module
