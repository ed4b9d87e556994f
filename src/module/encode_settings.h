// What a call of the encoder is told by the function that is called, by keywords, or by the attributes of an encoder object, compiled to
// encode::Options.
#pragma once

#include "encode/options.h"
#include "module/state.h"

namespace ocior::module {

// What distinguishes one function that encodes from another. To add one, add a constant like those below, and an entry in functions.h.
struct EncodeFunction {
    encode::Options defaults;    // what a call without keywords does, and by which dialect
    EncodeSlot own;              // the argument that json.dumps does not have; kObject if there is none
    const char* name;            // for its own words about wrong arguments; null where json's function refuses them
    KeptKeywords State::* kept;  // null where no keywords are kept

    // The value that a keyword of json's encoder class has where it is not given; null for other arguments.
    OCIOR_INLINE PyObject* default_of(EncodeSlot slot) const noexcept {
        switch (slot) {
            case kSkipkeys:
            case kSortKeys: return Py_False;
            case kEnsureAscii: return defaults.ensure_ascii ? Py_True : Py_False;
            case kAllowNan:
            case kCheckCircular: return Py_True;
            case kIndent:
            case kSeparators:
            case kDefault: return Py_None;
            default: return nullptr;
        }
    }

    // Whether all arguments are known to this function, and no class of the user's is among them.
    bool is_usual(Sorting sorting, PyObject* const* slots) const noexcept {
        return sorting == Sorting::kGood && (!slots[kCls] || slots[kCls] == Py_None) && (own == kFile || !slots[kFile]) &&
               (own == kWriteCache || !slots[kWriteCache]);
    }
};
inline constexpr EncodeFunction kDumps = {.defaults = {}, .own = kObject, .name = nullptr, .kept = &State::dumps_keywords};
inline constexpr EncodeFunction kDump = {.defaults = {.in_pieces = true}, .own = kFile, .name = nullptr, .kept = nullptr};
inline constexpr EncodeFunction kDumpsToBytes = {.defaults = {.ensure_ascii = false,
                                                              .to_bytes = true,
                                                              .spacing = encode::Spacing::kCompact,
                                                              .item = encode::kComma,
                                                              .key = encode::kColon},
                                                 .own = kWriteCache,
                                                 .name = "dumps_to_bytes",
                                                 .kept = &State::dumps_to_bytes_keywords};

// The keywords of json's encoder class, in its order.
inline constexpr EncodeSlot kEncoderSlots[] = {kSkipkeys, kEnsureAscii, kCheckCircular, kAllowNan,
                                               kIndent,   kSeparators,  kDefault,       kSortKeys};

// Where the attributes of an encoder object are read.
struct EncoderAttributes {
    PyObject* encoder;
    Owned copy = {};  // of its dict, to be read in the dict's place. Only for classes whose objects are looked up in the usual way.

    // Empty with an error set.
    Owned get(PyObject* name) const noexcept {
        return Owned::steal(copy ? _PyObject_GenericGetAttrWithDict(encoder, name, copy.get(), 0) : PyObject_GetAttr(encoder, name));
    }
};

// Options, and the objects that they refer to.
struct EncodeSettings {
    encode::Options options;
    Owned item_text = {}, key_text = {}, indent_text = {}, hook = {};

    // The same options; everything referred to is held again.
    EncodeSettings copy() const noexcept;

    // Both return false for what is better left to json itself: it refuses it in its own words, or finds that this object never needs
    // it. The second may have an error set then that is no ordinary exception. Options that no argument sets, such as `to_bytes`, are to be
    // as they shall be before.

    // From keywords; what is not given stays as it is. `cls` is not looked at.
    [[nodiscard]] bool compile(PyObject* const* slots) noexcept;

    // From the attributes of an encoder object whose class overrides no more of json.JSONEncoder than default(); whether encode() is
    // overridden does not matter to every caller.
    [[nodiscard]] bool compile(const JsonEncoding& json, const EncoderAttributes& attributes, bool encode_matters) noexcept;

private:
    template <typename ReadFlag>
    [[nodiscard]] bool read_flags(ReadFlag read_flag) noexcept;
    [[nodiscard]] bool finish(PyObject* indent) noexcept;
    [[nodiscard]] bool read_separator(PyObject* str, Owned& owner, encode::Separator& separator) noexcept;
    [[nodiscard]] bool read_separators(PyObject* given) noexcept;
    [[nodiscard]] bool read_indent(PyObject* given) noexcept;
};

// The encoder object that json would make for these arguments of `function`: cls(...), or json's own for None. Empty with an error set.
Owned make_encoder(const JsonEncoding& json, const Arguments& arguments, const EncodeFunction& function) noexcept;

}  // namespace ocior::module
