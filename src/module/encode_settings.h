// What a call of the encoder is told by the function that is called, by keywords, or by the attributes of an encoder object, compiled to
// encode::Options.
#pragma once

#include "encode/options.h"
#include "module/state.h"

namespace ocior::module {

// What distinguishes one function that encodes from another. To add one, add a constant like those below, and an entry in functions.h.
struct EncodeFunction {
    encode::Options defaults;    // what a call without keywords does, and by which dialect
    EncodeSlot extra;            // the argument that json.dumps does not have; kObject where there is none
    const char* name;            // for its own words about wrong arguments; null where json's function refuses them in its words
    KeptKeywordsPool State::* kept;  // null where no keywords are kept

    // The value of a keyword of json's encoder class where that keyword is not given.
    OCIOR_INLINE PyObject* default_of(EncodeSlot slot) const noexcept {
        if (slot == kIndent || slot == kSeparators || slot == kDefault) return Py_None;
        const bool is_true = slot == kEnsureAscii ? defaults.ensure_ascii : slot == kAllowNan || slot == kCheckCircular;
        return is_true ? Py_True : Py_False;
    }

    // Whether the function knows all arguments that are given, and no encoder class is among them.
    bool knows_all(Sorting sorting, PyObject* const* slots) const noexcept {
        return sorting == Sorting::kGood && (!slots[kCls] || slots[kCls] == Py_None) && (extra == kFile || !slots[kFile]) &&
               (extra == kWriteCache || !slots[kWriteCache]);
    }
};
inline constexpr EncodeFunction kDumps = {.defaults = {}, .extra = kObject, .name = nullptr, .kept = &State::dumps_keywords};
inline constexpr EncodeFunction kDump = {.defaults = {.in_pieces = true}, .extra = kFile, .name = nullptr, .kept = nullptr};
inline constexpr EncodeFunction kDumpsToBytes = {.defaults = {.ensure_ascii = false,
                                                              .to_bytes = true,
                                                              .spacing = encode::Spacing::kCompact,
                                                              .item = encode::kComma,
                                                              .key = encode::kColon},
                                                 .extra = kWriteCache,
                                                 .name = "dumps_to_bytes",
                                                 .kept = &State::dumps_to_bytes_keywords};

// The keywords of json's encoder class, in the order in which json.dumps hands them to it.
inline constexpr EncodeSlot kEncoderSlots[] = {kSkipkeys, kEnsureAscii, kCheckCircular, kAllowNan,
                                               kIndent,   kSeparators,  kDefault,       kSortKeys};

// The attributes of an encoder object. They are read from a copy of its dict, where there is one: its class must look attributes up as
// `object` does.
struct EncoderAttributes {
    PyObject* encoder;
    Owned copy = {};

    // Empty with an error set.
    Owned get(PyObject* name) const noexcept {
        return Owned::steal(copy ? _PyObject_GenericGetAttrWithDict(encoder, name, copy.get(), 0) : PyObject_GetAttr(encoder, name));
    }
};

// The methods of an encoder that its class may override without an effect on the settings.
enum class MayOverride : std::uint8_t { kNothing, kEncode, kIterencodeToo };

// Options, and references to the objects that they point into.
struct EncodeSettings {
    encode::Options options;
    Owned item_text = {}, key_text = {}, indent_text = {}, hook = {}, plans = {};

    // Objects are written as these plans say, a PlansObject. To be called before compile().
    void use_plans(PyObject* object) noexcept {
        plans = Owned::borrow(object);
        options.plans = reinterpret_cast<const encode::PlansObject*>(object);
        options.rich = encode::kUsualDefault | options.plans->key;
    }

    // A copy of these options with another hook, and with references of its own.
    EncodeSettings copy(PyObject* default_hook) const noexcept;

    // Two ways of setting those options that a user can choose. The others, such as `to_bytes`, have to be set before. False where only
    // json itself can do what the user asks for, or refuse it in the right words.

    // From keywords. An option whose keyword is not given stays as it is. No error is set.
    [[nodiscard]] bool compile(PyObject* const* slots) noexcept;

    // From the attributes of an encoder object. False, too, where its class overrides what it may not. An error may be set then that json
    // would not meet again: MemoryError, or one that is no Exception.
    [[nodiscard]] bool compile(const JsonEncoding& json, const EncoderAttributes& attributes, MayOverride may_override) noexcept;

private:
    template <typename ReadFlag>
    [[nodiscard]] bool read_flags(ReadFlag read_flag) noexcept;
    [[nodiscard]] bool finish(PyObject* indent) noexcept;
    [[nodiscard]] bool read_separator(PyObject* str, Owned& owner, encode::Separator& separator) noexcept;
    [[nodiscard]] bool read_separators(PyObject* given) noexcept;
    [[nodiscard]] bool read_indent(PyObject* given) noexcept;
};

// Clears an error that json will meet again when it does the same: any but MemoryError and those that are no Exception. Returns false.
bool leave_to_json() noexcept;

// What dumps_to_bytes puts between values where nothing is said of them, as json's class is told. Empty with an error set.
inline Owned compact_separators() noexcept { return Owned::steal(Py_BuildValue("(ss)", ",", ":")); }

// The encoder object that json would make for these arguments of `function`, of the class `cls` or else of json's own. Empty with an error
// set.
Owned make_encoder(const JsonEncoding& json, const Arguments& arguments, const EncodeFunction& function) noexcept;

}  // namespace ocior::module
