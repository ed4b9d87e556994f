#include "module/view.h"

#include <new>

#include "decode/check.h"
#include "module/functions.h"
#include "module/level.h"
#include "module/loads_options.h"
#include "module/state.h"
#include "py/heap_type.h"
#include "select/children.h"

namespace ocior::module {
namespace {

// The slots of the arguments of view(); those of LoadsOption begin at kOptions.
constexpr std::size_t kData = 0, kViewOfObject = 1, kViewOfArray = 2, kOptions = 3, kCount = kOptions + kLoadsOptionCount;
static_assert(std::size(kViewNames) == kCount);

// Whether options refuse what the grammar allows.
bool may_refuse(const decode::Options& options) noexcept {
    return options.duplicate_keys == decode::DuplicateKeys::kError || options.surrogates == Surrogates::kError ||
           options.big_integers == BigIntegers::kError || options.non_finite == NonFiniteNumbers::kError || options.max_depth < kMaxDepth;
}

// The text of a document that loads() takes. Empty with the error of loads() set.
Owned check(decode::State& state, const decode::Options& options, PyObject* input) noexcept {
    Owned text = decode::unchanging_text_of(state, input);
    if (!text || (!may_refuse(options) && decode::is_surely_json(state, text.get()))) return text;
    const bool was_decoded = PyUnicode_Check(text.get()) && !PyUnicode_Check(input);
    const auto load = was_decoded ? decode::loads_text : decode::loads;
    return Owned::steal(load(state, options, text.get())) ? std::move(text) : Owned();
}

// Once made, none of it changes.
struct ViewedObject {
    static constexpr std::size_t kHookCount = kStrict;

    PyObject_HEAD PyObject* module;  // owned, as are those that follow
    PyObject* text;                  // of the document, as nobody can change it
    PyObject* view_of_object;        // called with this and the offset of an object or array
    PyObject* view_of_array;
    PyObject* hooks[kHookCount];
    decode::Options options;
};

ViewedObject* as_viewed(PyObject* object) noexcept { return reinterpret_cast<ViewedObject*>(object); }

int visit_viewed(PyObject* self, visitproc visit, void* arg) noexcept {
    Py_VISIT(Py_TYPE(self));
    const ViewedObject& viewed = *as_viewed(self);
    Py_VISIT(viewed.module);
    Py_VISIT(viewed.text);
    Py_VISIT(viewed.view_of_object);
    Py_VISIT(viewed.view_of_array);
    for (PyObject* const hook : viewed.hooks) Py_VISIT(hook);
    return 0;
}

// Of a document that the garbage collector has cleared nothing can be read: hooks that are gone must not be called.
int clear_viewed(PyObject* self) noexcept {
    ViewedObject& viewed = *as_viewed(self);
    Py_CLEAR(viewed.text);
    Py_CLEAR(viewed.view_of_object);
    Py_CLEAR(viewed.view_of_array);
    for (PyObject*& hook : viewed.hooks) Py_CLEAR(hook);
    return 0;
}

int free_viewed_parts(PyObject* self) noexcept {
    clear_viewed(self);
    Py_CLEAR(as_viewed(self)->module);
    return 0;
}

PyObject* read(State& state, const ViewedObject& viewed, std::size_t offset) noexcept {
    const auto found = decode::scan_value(state.decoder, viewed.options, viewed.text, offset);
    if (found.value || found.error == decode::Error::kPython) return found.value;
    if (found.error == decode::Error::kNoMemory) return PyErr_NoMemory();
    return PyErr_SetString(PyExc_ValueError, "no value begins there"), nullptr;
}

// Calls act(state, viewed, offset) for the argument of a method, while what it uses is held.
template <typename Act>
PyObject* at_offset(PyObject* self, PyObject* argument, Act&& act) noexcept {
    const ViewedObject& viewed = *as_viewed(self);
    const Py_ssize_t offset = PyNumber_AsSsize_t(argument, PyExc_IndexError);
    if (offset == -1 && PyErr_Occurred()) return nullptr;
    if (!viewed.text) return refuse_late_call();
    const Owned hold[] = {Owned::borrow(self), Owned::borrow(viewed.module)};
    return act(state_of(viewed.module), viewed, static_cast<std::size_t>(offset));
}

PyObject* load_viewed(PyObject* self, PyObject* argument) noexcept { return at_offset(self, argument, read); }

PyObject* children_of_viewed(PyObject* self, PyObject* argument) noexcept {
    return at_offset(self, argument, [](State& state, const ViewedObject& viewed, std::size_t offset) {
        return select::children_at(state.decoder, viewed.options, viewed.text, offset);
    });
}

// The unit of a text; 0 behind its last one.
Py_UCS4 unit_at(PyObject* text, std::size_t index) noexcept {
    StrView view;
    if (!decode::view_of_text(text, view) || index >= view.length) return PyErr_Clear(), 0;
    if (view.width == 1) return static_cast<const std::uint8_t*>(view.data)[index];
    return view.width == 2 ? static_cast<const std::uint16_t*>(view.data)[index] : static_cast<const std::uint32_t*>(view.data)[index];
}

PyObject* value_of_viewed(PyObject* self, PyObject* argument) noexcept {
    return at_offset(self, argument, [self](State& state, const ViewedObject& viewed, std::size_t offset) {
        const Py_UCS4 bracket = unit_at(viewed.text, offset);
        if (bracket != '{' && bracket != '[') return read(state, viewed, offset);
        const Owned index = Owned::steal(PyLong_FromSize_t(offset)),
                    view = Owned::borrow(bracket == '{' ? viewed.view_of_object : viewed.view_of_array);
        return index ? PyObject_CallFunctionObjArgs(view.get(), self, index.get(), nullptr) : nullptr;
    });
}

PyMethodDef methods[] = {{"value", as_method(value_of_viewed), METH_O, "The value at an offset, or the view of an object or array."},
                         {"load", as_method(load_viewed), METH_O, "The value at an offset, as loads gives it."},
                         {"children", as_method(children_of_viewed), METH_O,
                          "The offsets of what an object or array holds: a dict by keys, or bytes that hold numbers of 64 bits."},
                         {nullptr, nullptr, 0, nullptr}};
PyType_Slot slots[] = {
    {Py_tp_doc, const_cast<char*>("A document that views read from.")},
    {Py_tp_dealloc, reinterpret_cast<void*>(dealloc_heap_object<free_viewed_parts>)},
    {Py_tp_traverse, reinterpret_cast<void*>(visit_viewed)},
    {Py_tp_clear, reinterpret_cast<void*>(clear_viewed)},
    {Py_tp_methods, methods},
    {0, nullptr},
};

}  // namespace

bool add_viewed_type(PyObject* module, State& state) noexcept {
    state.viewed_type =
        make_type(module, OCIOR_MODULE_NAME ".Viewed", sizeof(ViewedObject), Py_TPFLAGS_HAVE_GC | Py_TPFLAGS_DISALLOW_INSTANTIATION, slots);
    return state.viewed_type != nullptr;
}

PyObject* view(PyObject* module, PyObject* const* values, Py_ssize_t positional, PyObject* kwnames) noexcept {
    State& state = state_of(module);
    const HeldArguments arguments(module, {values, positional, kwnames});
    if (!arguments) return nullptr;
    PyObject* given[kCount] = {};
    if (sort_arguments(arguments, state.view_names, given, kOptions) != Sorting::kGood)
        return refuse_arguments("view", arguments, kViewNames, kOptions);
    decode::Options options;
    if (!read_loads_options(state, given + kOptions, options)) return nullptr;
    Owned text = check(state.decoder, options, given[kData]);
    if (!text) return nullptr;
    const Owned type = Owned::borrow(state.viewed_type);
    if (!type) return refuse_late_call();
    auto* const cls = reinterpret_cast<PyTypeObject*>(type.get());
    const Owned self = Owned::steal(cls->tp_alloc(cls, 0));
    if (!self) return nullptr;
    ViewedObject& viewed = *as_viewed(self.get());
    viewed.module = new_ref(module);
    viewed.text = text.release();
    viewed.view_of_object = new_ref(given[kViewOfObject]);
    viewed.view_of_array = new_ref(given[kViewOfArray]);
    for (std::size_t i = 0; i < ViewedObject::kHookCount; ++i) {
        viewed.hooks[i] = given[kOptions + i];
        Py_XINCREF(viewed.hooks[i]);
    }
    new (&viewed.options) decode::Options(options);
    std::size_t first = 0;
    for (Py_UCS4 unit; (unit = unit_at(viewed.text, first)) == ' ' || unit == '\n' || unit == '\r' || unit == '\t';) ++first;
    const Owned start = Owned::steal(PyLong_FromSize_t(first));
    return start ? value_of_viewed(self.get(), start.get()) : nullptr;
}

}  // namespace ocior::module
