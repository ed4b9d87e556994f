#include "module/policies.h"

#include "module/state.h"

namespace ocior::module {

bool read_word(PyObject* given, const char* name, const char* const (&words)[4], unsigned& place) noexcept {
    std::size_t count = 0;
    for (; count < std::size(words) && words[count]; ++count)
        if (PyUnicode_Check(given) && PyUnicode_CompareWithASCIIString(given, words[count]) == 0)
            return place = static_cast<unsigned>(count), true;
    Owned all = Owned::steal(PyUnicode_FromFormat("'%s'", words[0]));
    for (std::size_t i = 1; all && i < count; ++i)
        all = Owned::steal(PyUnicode_FromFormat(i + 1 < count ? "%U, '%s'" : "%U or '%s'", all.get(), words[i]));
    if (all) PyErr_Format(PyExc_ValueError, "%s must be %U, not %R", name, all.get(), given);
    return false;
}

bool read_number(PyObject* given, const char* name, std::size_t most, bool may_be_none, std::size_t& number) noexcept {
    if (may_be_none && given == Py_None) return true;
    if (PyLong_Check(given) && !PyBool_Check(given)) {
        int overflow;
        const long long value = PyLong_AsLongLongAndOverflow(given, &overflow);
        if (overflow == 0 && value >= 0 && static_cast<unsigned long long>(value) <= most)
            return number = static_cast<std::size_t>(value), true;
    }
    return PyErr_Format(PyExc_ValueError, "%s must be %san int from 0 to %zu, not %R", name, may_be_none ? "None or " : "", most, given),
           false;
}

bool read_integer_bits(PyObject* given, bool& are_53) noexcept {
    const long bits = PyLong_Check(given) ? PyLong_AsLong(given) : 0;
    PyErr_Clear();
    if (bits == 53 || bits == 64) return are_53 = bits == 53, true;
    return PyErr_Format(PyExc_ValueError, "integer_bits must be 64 or 53, not %R", given), false;
}

namespace {

// Reads a word as read_word() does, where one is given, and sets `choice` to the enumerator that has its place.
template <typename Choice>
[[nodiscard]] bool read_choice(PyObject* given, const char* name, const char* const (&words)[4], Choice& choice) noexcept {
    unsigned place = static_cast<unsigned>(choice);
    if (given && !read_word(given, name, words, place)) return false;
    choice = static_cast<Choice>(place);
    return true;
}

// The attribute, which may be missing: empty, without an error where it is.
Owned policies_of(const State& state, PyObject* context) noexcept {
    Owned policies = Owned::steal(PyObject_GetAttr(context, state.json_decoding.names.interned[kDecoderPoliciesKept]));
    if (!policies && PyErr_ExceptionMatches(PyExc_AttributeError)) PyErr_Clear();
    return policies;
}

}  // namespace

bool read_given_policies(PyObject* const* given, decode::Options& options) noexcept {
    bool are_53 = false;
    if (given[kIntegerBits]) {
        if (!read_integer_bits(given[kIntegerBits], are_53)) return false;
        // JavaScript's safe integers end before 2**53, which 2**53 + 1 is read as, too.
        options.first_big_integer = are_53 ? std::uint64_t{1} << 53 : decode::Options::kNoLimit;
    }
    return read_choice(given[kDuplicateKeys], "duplicate_keys", {"last", "first", "error"}, options.duplicate_keys) &&
           read_choice(given[kNonFinite], "non_finite", {"constant", "error", "null"}, options.non_finite) &&
           read_choice(given[kBigIntegers], "big_integers", {"exact", "float", "str", "error"}, options.big_integers) &&
           read_choice(given[kSurrogates], "surrogates", {"keep", "error", "replace"}, options.surrogates) &&
           (!given[kMaxDepth] || read_number(given[kMaxDepth], "max_depth", ocior::kMaxDepth, true, options.max_depth));
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
