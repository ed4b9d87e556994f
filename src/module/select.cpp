// at: what JSON pointers lead to in a document.
#include "select/extract.h"

#include "module/functions.h"
#include "module/loads_options.h"
#include "module/state.h"

namespace ocior::module {
namespace {

// The slots of the arguments; those of LoadsOption begin at kOptions.
constexpr std::size_t kData = 0, kPointers = 1, kOptions = 2, kDefaultValue = kOptions + kLoadsOptionCount, kCheck = kDefaultValue + 1,
                      kCount = kCheck + 1;
static_assert(std::size(kAtNames) == kCount);

}  // namespace

PyObject* at(PyObject* module, PyObject* const* values, Py_ssize_t positional, PyObject* kwnames) noexcept {
    State& state = state_of(module);
    const HeldArguments arguments(module, {values, positional, kwnames});
    if (!arguments) return nullptr;
    PyObject* slots[kCount] = {};
    if (sort_arguments(arguments, state.at_names, slots, 2) != Sorting::kGood) return refuse_arguments("at", arguments, kAtNames, 2);
    decode::Options options;
    bool check;
    if ((kwnames && !read_loads_options(state, slots + kOptions, options)) || !read_flag(slots[kCheck], true, check)) return nullptr;
    const Lease kept(state.kept_selections);
    if (!kept) return PyErr_NoMemory();
    const select::Selection* const selection = kept->find(slots[kPointers]);
    return selection ? select::extract_from(state.decoder, options, *selection, slots[kDefaultValue], check, slots[kData]) : nullptr;
}

PyObject* pointer_tokens(PyObject*, PyObject* pointer) noexcept { return select::tokens_of(pointer).release(); }

}  // namespace ocior::module
