// loads: keywords to decode::Options.
#include "module/functions.h"

#include "module/arguments.h"
#include "module/state.h"

namespace ocior::module {
namespace {

enum : std::size_t { kInput, kCls, kObjectHook, kParseFloat, kParseInt, kParseConstant, kObjectPairsHook, kArrayHook, kStrict, kCount };
static_assert(std::size(kLoadsNames) == kCount);

// json replaces a hook that is false by the built-in constructor; the constructor itself needs no call either.
[[nodiscard]] bool read_parse_hook(PyObject* given, PyTypeObject* built_in, PyObject*& hook) noexcept {
    if (!given || given == Py_None || given == reinterpret_cast<PyObject*>(built_in)) return true;
    const int truth = PyObject_IsTrue(given);
    if (truth > 0) hook = given;
    return truth >= 0;
}

PyObject* not_none(PyObject* given) noexcept { return given == Py_None ? nullptr : given; }

// json.loads with these arguments: a user's decoder class, or arguments that json refuses in its own words. A buffer that json does
// not know becomes bytes.
PyObject* loads_by_json(const Arguments& arguments, PyObject* input) noexcept {
    if (!input || PyUnicode_Check(input) || PyBytes_Check(input) || PyByteArray_Check(input) || !PyObject_CheckBuffer(input))
        return call_json("loads", arguments);
    Owned bytes = Owned::steal(PyBytes_FromObject(input));
    Owned keywords = keywords_of(arguments);
    if (!bytes || !keywords) return nullptr;
    if (!arguments.positional && PyDict_DelItemString(keywords.get(), kLoadsNames[kInput]) < 0) return nullptr;
    PyObject* values[] = {bytes.get()};
    return call_json("loads", {values, 1, nullptr}, keywords.get());
}

}  // namespace

PyObject* loads(PyObject* module, PyObject* const* values, Py_ssize_t positional, PyObject* kwnames) noexcept {
    State& state = state_of(module);
    decode::Options options;
    if (OCIOR_LIKELY(positional == 1 && !kwnames)) return decode::loads(state.decoder, state.constants, options, values[0]);

    const Arguments arguments{values, positional, kwnames};
    PyObject* slots[kCount] = {};
    if (sort_arguments(arguments, state.loads_names, slots) != Sorting::kGood || not_none(slots[kCls])) return loads_by_json(arguments, slots[kInput]);
    options.object_hook = not_none(slots[kObjectHook]);
    options.object_pairs_hook = not_none(slots[kObjectPairsHook]);
    options.array_hook = not_none(slots[kArrayHook]);
    if (!read_parse_hook(slots[kParseFloat], &PyFloat_Type, options.parse_float) ||
        !read_parse_hook(slots[kParseInt], &PyLong_Type, options.parse_int) ||
        !read_parse_hook(slots[kParseConstant], nullptr, options.parse_constant) ||
        !read_flag(slots[kStrict], true, options.strict))
        return nullptr;
    return decode::loads(state.decoder, state.constants, options, slots[kInput]);
}

}  // namespace ocior::module
