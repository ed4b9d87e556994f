#include "module/policies.h"

#include "module/state.h"

namespace ocior::module {
namespace {

// Sets `choice` to the member of its enumeration that has the place of the given word among `words`. `all`: these, for the message.
template <typename Choice, std::size_t n>
[[nodiscard]] bool read_word(PyObject* given, const char* name, const char* const (&words)[n], const char* all, Choice& choice) noexcept {
    if (!given) return true;
    for (std::size_t i = 0; i < n && PyUnicode_Check(given); ++i)
        if (PyUnicode_CompareWithASCIIString(given, words[i]) == 0) return choice = static_cast<Choice>(i), true;
    return PyErr_Format(PyExc_ValueError, "%s must be %s, not %R", name, all, given), false;
}

// An int that is no bool; -1, without an error, for anything else and for what is negative or does not fit.
long read_int(PyObject* given) noexcept {
    if (!PyLong_Check(given) || PyBool_Check(given)) return -1;
    int overflow;
    const long value = PyLong_AsLongAndOverflow(given, &overflow);
    return value < 0 ? -1 : value;
}

[[nodiscard]] bool read_integer_bits(PyObject* given, decode::Options& options) noexcept {
    if (!given) return true;
    const long bits = read_int(given);
    if (bits == 53 || bits == 64) {
        // JavaScript's safe integers end before 2**53, which 2**53 + 1 is read as, too.
        options.first_big_integer = bits == 53 ? std::uint64_t{1} << 53 : decode::Options::kNoLimit;
        return true;
    }
    return PyErr_Format(PyExc_ValueError, "integer_bits must be 64 or 53, not %R", given), false;
}

[[nodiscard]] bool read_max_depth(PyObject* given, decode::Options& options) noexcept {
    if (!given || given == Py_None) return true;
    const long depth = read_int(given);
    if (depth >= 0 && depth <= static_cast<long>(decode::kMaxDepth)) return options.max_depth = static_cast<std::size_t>(depth), true;
    return PyErr_Format(PyExc_ValueError, "max_depth must be None or an int from 0 to %zu, not %R", decode::kMaxDepth, given), false;
}

// The attribute, which may be missing: empty, without an error where it is.
Owned policies_of(const State& state, PyObject* context) noexcept {
    Owned policies = Owned::steal(PyObject_GetAttr(context, state.json_decoding.names.interned[kDecoderPoliciesKept]));
    if (!policies && PyErr_ExceptionMatches(PyExc_AttributeError)) PyErr_Clear();
    return policies;
}

}  // namespace

bool read_given_policies(PyObject* const* given, decode::Options& options) noexcept {
    return read_word(given[kDuplicateKeys], "duplicate_keys", {"last", "first", "error"}, "'last', 'first' or 'error'",
                     options.duplicate_keys) &&
           read_word(given[kNonFinite], "non_finite", {"constant", "error", "null"}, "'constant', 'error' or 'null'", options.non_finite) &&
           read_word(given[kBigIntegers], "big_integers", {"exact", "float", "str", "error"}, "'exact', 'float', 'str' or 'error'",
                     options.big_integers) &&
           read_integer_bits(given[kIntegerBits], options) &&
           read_word(given[kSurrogates], "surrogates", {"keep", "error", "replace"}, "'keep', 'error' or 'replace'", options.surrogates) &&
           read_max_depth(given[kMaxDepth], options);
}

bool read_policies_of(const State& state, PyObject* context, decode::Options& options) noexcept {
    const Owned policies = policies_of(state, context);
    if (!policies) return !PyErr_Occurred();
    if (policies.get() == Py_None) return true;
    if (!PyDict_Check(policies.get()))
        return PyErr_Format(PyExc_TypeError, "decode_policies must be a dict or None, not %.100s", Py_TYPE(policies.get())->tp_name), false;
    const Owned copy = Owned::steal(PyDict_Copy(policies.get()));  // which nobody else empties
    if (!copy) return false;
    PyObject* given[kPolicyCount];
    for (std::size_t i = 0; i < kPolicyCount; ++i) {
        given[i] = PyDict_GetItemWithError(copy.get(), state.json_decoding.names.interned[kDecoderPolicies + i]);
        if (!given[i] && PyErr_Occurred()) return false;
    }
    return read_policies(given, options);
}

Known has_policies(const State& state, PyObject* decoder) noexcept {
    const Owned policies = policies_of(state, decoder);
    if (!policies) return PyErr_Occurred() ? Known::kFailed : Known::kNo;
    return policies.get() == Py_None ? Known::kNo : Known::kYes;
}

}  // namespace ocior::module
