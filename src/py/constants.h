// Objects that every call needs and nobody makes twice: one-character strings, small ints, non-finite floats, the texts of empty values.
#pragma once

#include <iterator>

#include "base/words.h"
#include "py/str.h"
#include "py/tricks.h"

namespace ocior {

// True, False or None, owned.
OCIOR_INLINE PyObject* new_constant(PyObject* constant) noexcept {
    if constexpr (!layout::kImmortalConstants) Py_INCREF(constant);
    return constant;
}

struct ConstantText {
    std::uint64_t text;
    std::size_t length;
};

// The JSON text of True, False or None.
OCIOR_INLINE ConstantText constant_text(PyObject* constant) noexcept {
    const std::uint64_t text = constant == Py_True ? kTrueText : kNullText;
    return {constant == Py_False ? kFalseText : text, std::size_t{4} + (constant == Py_False)};
}

// true, false and null by their objects, found without a branch: the slot of each are bits in which the three addresses differ.
class Literals {
public:
    struct Literal {
        const void* object;
        std::uint64_t text[2];  // with the separators "," and ", " behind it
        std::uint64_t length;   // without one
    };

    void learn() noexcept {
        for (Literal& literal : at_) literal = {this, {}, 0};  // nobody's
        for (shift_ = 4; shift_ < 16; ++shift_)
            if (slot_of(Py_True) != slot_of(Py_False) && slot_of(Py_True) != slot_of(Py_None) && slot_of(Py_False) != slot_of(Py_None))
                break;
        if (shift_ == 16) return;  // then none is ever found
        put(Py_True, kTrueText, 4);
        put(Py_False, kFalseText, 5);
        put(Py_None, kNullText, 4);
    }

    // Finds them. A loop that writes text keeps a copy: as a member, `shift` would be read again behind every store.
    struct Finder {
        const Literal* at;
        unsigned shift;

        OCIOR_INLINE std::size_t slot_of(const void* object) const noexcept {
            return reinterpret_cast<std::uintptr_t>(object) >> shift & (kSlots - 1);
        }
        // Is its `object`, or something else.
        OCIOR_INLINE const Literal& candidate(const void* object) const noexcept { return at[slot_of(object)]; }
    };
    OCIOR_INLINE Finder finder() const noexcept { return {at_, shift_}; }

private:
    std::size_t slot_of(const void* object) const noexcept { return finder().slot_of(object); }
    void put(const void* object, std::uint64_t text, unsigned length) noexcept {
        at_[slot_of(object)] = {
            object, {text | std::uint64_t{','} << 8 * length, text | std::uint64_t{',' | ' ' << 8} << 8 * length}, length};
    }

    static constexpr std::size_t kSlots = 32;
    Literal at_[kSlots];
    unsigned shift_;
};

// The texts of values that are written without a look into them.
enum class ReadyText : std::uint8_t { kNull, kTrue, kFalse, kEmptyString, kEmptyList, kEmptyDict, kCount };
inline constexpr const char* kReadyTexts[] = {"null", "true", "false", "\"\"", "[]", "{}"};
static_assert(std::size(kReadyTexts) == static_cast<std::size_t>(ReadyText::kCount));

// The ready texts as bytes objects. new_ready_bytes() returns one, owned; null means that an error is set. Without a GIL these objects are
// immortal, as interned strings are there: threads on many cores would wait for each other to count references to so few objects.
#ifdef Py_GIL_DISABLED
inline constexpr Py_hash_t kNotHashed = -1;
struct ReadyBytes {  // a bytes object
    PyObject_VAR_HEAD Py_hash_t hash;
    char text[8];
};
static_assert(offsetof(ReadyBytes, text) == offsetof(PyBytesObject, ob_sval));
inline ReadyBytes ready_bytes[] = {
    {PyVarObject_HEAD_INIT(&PyBytes_Type, 4) kNotHashed, "null"},  {PyVarObject_HEAD_INIT(&PyBytes_Type, 4) kNotHashed, "true"},
    {PyVarObject_HEAD_INIT(&PyBytes_Type, 5) kNotHashed, "false"}, {PyVarObject_HEAD_INIT(&PyBytes_Type, 2) kNotHashed, "\"\""},
    {PyVarObject_HEAD_INIT(&PyBytes_Type, 2) kNotHashed, "[]"},    {PyVarObject_HEAD_INIT(&PyBytes_Type, 2) kNotHashed, "{}"}};
static_assert(std::size(ready_bytes) == std::size(kReadyTexts));
inline PyObject* new_ready_bytes(std::size_t text) noexcept { return reinterpret_cast<PyObject*>(&ready_bytes[text]); }
#else
inline PyObject* new_ready_bytes(std::size_t text) noexcept { return PyBytes_FromString(kReadyTexts[text]); }
#endif

struct Constants {
    PyObject* empty_str = nullptr;
    PyObject* latin1[256] = {};  // str of one character
    PyObject* ints[layout::kLastSmallInt - layout::kFirstSmallInt + 1] = {};
    PyObject* const words[4] = {Py_False, Py_None, Py_True, nullptr};  // borrowed; in the order of decode/words.h
    PyObject* non_finite[3] = {};  // float: NaN, infinity, minus infinity
    PyObject* ready[2][static_cast<std::size_t>(ReadyText::kCount)] = {};  // as str, and as bytes
    Literals literals;
    AsciiHeader ascii_header;
    WideHeaders wide_headers;
    Tricks tricks;

    [[nodiscard]] bool create() noexcept {
        tricks.probe();
        literals.learn();
        empty_str = PyUnicode_New(0, 0);
        if (!empty_str) return false;
        for (int i = 0; i < 256; ++i)
            if (!(latin1[i] = PyUnicode_FromOrdinal(i))) return false;
        for (int i = layout::kFirstSmallInt; i <= layout::kLastSmallInt; ++i)
            if (!(ints[i - layout::kFirstSmallInt] = PyLong_FromLong(i))) return false;
        constexpr double kNonFinite[] = {__builtin_nan(""), __builtin_inf(), -__builtin_inf()};
        for (int i = 0; i < 3; ++i)
            if (!(non_finite[i] = PyFloat_FromDouble(kNonFinite[i]))) return false;
        for (std::size_t i = 0; i < std::size(kReadyTexts); ++i)
            if (!(ready[0][i] = PyUnicode_InternFromString(kReadyTexts[i])) || !(ready[1][i] = new_ready_bytes(i))) return false;
        Owned model = Owned::steal(PyUnicode_FromString("ab cd"));
        if (!model) return false;
        ascii_header.learn(model.get());
        return wide_headers.learn();
    }

    // Takes NaN and the infinities that json gives, by the names in its decoder's module, if they are such: programs may compare by `is`.
    void take_non_finite(PyObject* json_decoder) noexcept {
        constexpr const char* kNames[] = {"NaN", "PosInf", "NegInf"};
        for (std::size_t i = 0; i < std::size(kNames); ++i) {
            const Owned theirs = Owned::steal(PyObject_GetAttrString(json_decoder, kNames[i]));
            PyErr_Clear();
            if (!theirs || !PyFloat_CheckExact(theirs.get())) continue;
            const double one = PyFloat_AS_DOUBLE(theirs.get()), own = PyFloat_AS_DOUBLE(non_finite[i]);
            if (one == own || (one != one && own != own)) Py_SETREF(non_finite[i], new_ref(theirs.get()));
        }
    }

    void clear() noexcept {
        Py_CLEAR(empty_str);
        for (PyObject*& text : latin1) Py_CLEAR(text);
        for (PyObject*& integer : ints) Py_CLEAR(integer);
        for (PyObject*& number : non_finite) Py_CLEAR(number);
        for (auto& texts : ready)
            for (PyObject*& text : texts) Py_CLEAR(text);
    }
};

}  // namespace ocior
