#include "encode/arrays/view.h"

#include "encode/arrays/element_types.h"
#include "encode/types/rich.h"
#include "py/heap_type.h"

#include <bit>
#include <optional>

namespace ocior::encode {
namespace {

int clear_view(PyObject* self) noexcept {
    PyBuffer_Release(&view_of_array(self)->buffer);
    return 0;
}

PyType_Slot view_slots[] = {
    {Py_tp_dealloc, reinterpret_cast<void*>(dealloc_uncollected_object<clear_view>)},
    {0, nullptr},
};

PyObject* refuse_array(const char* why) noexcept { return PyErr_SetString(PyExc_TypeError, why), nullptr; }

// Another object is written in the place of the array: what `make` gives, a new reference; or what a method of the array gives.
template <typename Make>
Opened open_in_place(Call& call, PyObject* value, std::size_t offset, Make make) noexcept {
    return call.open_made(value, FrameKind::kSingle, offset, make) ? Opened::kInPlace : Opened::kFailed;
}
Opened open_by_method(Call& call, PyObject* value, std::size_t offset, const char* method) noexcept {
    return open_in_place(call, value, offset, [&] { return PyObject_CallMethod(value, method, nullptr); });
}

// What numpy says of whether an array is in this machine's order of bytes. Empty with an error set.
Owned is_native_of(PyObject* value) noexcept {
    const Owned dtype = get_attribute(value, "dtype");
    return dtype ? get_attribute(dtype.get(), "isnative") : Owned();
}

// The ticks of an array of datetime64 or timedelta64, in its own order of bytes.
Owned view_of_ticks(PyObject* value) noexcept {
    const Owned is_native = is_native_of(value);
    constexpr const char* kSwapped = std::endian::native == std::endian::little ? ">i8" : "<i8";
    return is_native ? Owned::steal(PyObject_CallMethod(value, "view", "s", is_native.get() == Py_True ? "i8" : kSwapped)) : Owned();
}

// Whether the array behind `view` may be written, which then knows its lengths. False with an error set.
bool check_view(Call& call, PyObject* value, ArrayView& view) noexcept {
    if (view.buffer.shape != view.lengths) std::copy_n(view.buffer.shape, view.dimensions, view.lengths);
    // Another thread may have changed that since the export: an array.array of CPython 3.14 takes no lock.
    if (view.dimensions == 1) view.lengths[0] = view.buffer.len / view.buffer.itemsize;
    // Nothing is nested in a dimension without items.
    const Py_ssize_t *const end = view.lengths + view.dimensions, *const empty = std::find<const Py_ssize_t*>(view.lengths, end, 0);
    const auto levels = empty == end ? view.dimensions : empty - view.lengths + 1;
    if (!call.may_nest(value, static_cast<std::size_t>(levels))) return false;
    return !(call.rich & kStored) || !view.is_swapped || refuse_array("numpy array is not native-endianness");
}

// A view of the memory of `source`, an array of numbers; of ticks with Element::kDatetime or kTimedelta. Empty with an error set.
Owned view_of_buffer(Call& call, PyObject* value, PyObject* source, std::optional<Element> ticks) noexcept {
    Owned owned = allocate_view(call, ArrayView::kMaxDimensions);
    if (!owned) return {};
    ArrayView& view = *view_of_array(owned.get());
    // (Not copied from elsewhere: some exports have pointers into it.)
    if (PyObject_GetBuffer(source, &view.buffer, PyBUF_STRIDES | PyBUF_FORMAT) < 0) return view.buffer.obj = nullptr, Owned();
    view.dimensions = view.buffer.ndim;
    view.is_in_order = PyBuffer_IsContiguous(&view.buffer, 'C');
    bool is_good = read_format(view.buffer.format, view.buffer.itemsize, view.element, view.is_swapped) && view.dimensions > 0 &&
                   view.dimensions <= ArrayView::kMaxDimensions;
    if (is_good && ticks) {
        // (With kStored it is found out at the first item that there is no text for a unit.)
        const bool needs_unit = view.buffer.len != 0 || !(call.rich & kStored);
        is_good = view.buffer.itemsize == 8;  // view() may be a method of a class derived from ndarray
        is_good = is_good && (!needs_unit || read_unit(call, value, view.ticks));
        view.element = *ticks;
    }
    if (is_good) return check_view(call, value, view) ? std::move(owned) : Owned();
    if (!PyErr_Occurred()) refuse_array("unsupported datatype in numpy array");
    return {};
}

// A frame over it.
Opened open_view(Call& call, PyObject* value, PyObject* source, std::size_t offset, std::optional<Element> ticks = {}) noexcept {
    const auto make = [&] { return view_of_buffer(call, value, source, ticks).release(); };
    return call.open_made(value, FrameKind::kArray, offset, make) ? Opened::kInPlace : Opened::kFailed;
}

bool is_c_contiguous(PyObject* value) noexcept {
    const Owned flags = get_attribute(value, "flags"), contiguous = flags ? get_attribute(flags.get(), "c_contiguous") : Owned();
    forget_error();
    return contiguous.get() == Py_True;
}

Opened open_any_array(Call& call, PyObject* value, std::size_t offset) noexcept {
    const char kind = kind_of(value);
    if (PyErr_Occurred()) return Opened::kFailed;
    const bool is_strict = call.rich & kStored;
    if (kind == '\0') {  // array.array, memoryview
        Py_buffer buffer;
        Element element;
        bool is_swapped;
        const bool is_exported = PyObject_GetBuffer(value, &buffer, PyBUF_STRIDES | PyBUF_FORMAT) == 0;
        if (!is_exported && !PyErr_ExceptionMatches(PyExc_BufferError)) return Opened::kFailed;
        PyErr_Clear();
        const bool is_plain = is_exported && read_format(buffer.format, buffer.itemsize, element, is_swapped) && buffer.ndim > 0;
        if (is_exported) PyBuffer_Release(&buffer);
        if (is_plain) return open_view(call, value, value, offset);
        const Owned list = Owned::steal(PyObject_CallMethod(value, "tolist", nullptr));
        if (!list && !PyErr_ExceptionMatches(PyExc_NotImplementedError)) return Opened::kFailed;
        // (A memoryview knows the formats of single letters alone, and not all of them.)
        if (!list) return PyErr_Clear(), open_default(call, value, offset);
        return open_in_place(call, value, offset, [&] { return new_ref(list.get()); });
    }
    if (const Owned masked = loaded("numpy.ma", "MaskedArray");
        masked && PyObject_TypeCheck(value, reinterpret_cast<PyTypeObject*>(masked.get()))) {
        if (is_strict || call.default_hook) return open_default(call, value, offset);
        return refuse_array("a masked array has no form in JSON: write its filled() or tolist()"), Opened::kFailed;
    }
    const Owned dimensions = get_attribute(value, "ndim");
    if (!dimensions) return Opened::kFailed;
    const long count = PyLong_AsLong(dimensions.get());
    if (count == -1 && PyErr_Occurred()) return Opened::kFailed;
    // What is not written with kStored is for the default hook, if there is one.
    const auto leave_to_hook = [&](const char* why) {
        if (call.default_hook) return PyErr_Clear(), open_default(call, value, offset);
        if (!PyErr_Occurred()) PyErr_SetString(PyExc_TypeError, why);
        return Opened::kFailed;
    };
    if (is_strict && count == 0) {
        if (is_native_of(value).get() == Py_False) return refuse_array("numpy array is not native-endianness"), Opened::kFailed;
        return leave_to_hook("unsupported datatype in numpy array");
    }
    if (is_strict && !is_c_contiguous(value)) return leave_to_hook("numpy array is not C contiguous; use ndarray.tolist() in default");
    if (count == 0 && !(kind && std::strchr("cV", kind))) {
        // item() would make an int of a datetime64 in nanoseconds, and a double of every float. (The scalar of a class derived from ndarray
        // may be an array again.)
        const Owned nowhere = Owned::steal(PyTuple_New(0)), generic = loaded_or_error("numpy", "generic"),
                    scalar = nowhere && generic ? Owned::steal(PyObject_GetItem(value, nowhere.get())) : Owned();
        if (!scalar && !PyErr_Occurred()) PyErr_SetString(PyExc_TypeError, "an array of numpy without numpy");
        if (!scalar) return Opened::kFailed;
        if (!PyObject_TypeCheck(scalar.get(), reinterpret_cast<PyTypeObject*>(generic.get())))
            return open_by_method(call, value, offset, "item");
        return open_in_place(call, value, offset, [&] { return new_ref(scalar.get()); });
    }
    switch (kind) {
        case 'b':
        case 'i':
        case 'u': return open_view(call, value, value, offset);
        case 'f': {
            const Owned dtype = get_attribute(value, "dtype"), size = dtype ? get_attribute(dtype.get(), "itemsize") : Owned();
            if (!size) return Opened::kFailed;
            if (PyLong_AsLong(size.get()) <= 8) return open_view(call, value, value, offset);
            if (is_strict) return leave_to_hook("unsupported datatype in numpy array");
            const Owned doubles = Owned::steal(PyObject_CallMethod(value, "astype", "s", "f8"));  // of longdouble
            return doubles ? open_view(call, value, doubles.get(), offset) : Opened::kFailed;
        }
        case 'M': {
            const Owned ticks = view_of_ticks(value);
            return ticks ? open_view(call, value, ticks.get(), offset, Element::kDatetime) : Opened::kFailed;
        }
        default: break;
    }
    if (is_strict) return leave_to_hook("unsupported datatype in numpy array");
    if (kind == 'O' || kind == 'U' || kind == 'T') return open_by_method(call, value, offset, "tolist");
    if (kind == 'm') {
        const Owned ticks = view_of_ticks(value);
        return ticks ? open_view(call, value, ticks.get(), offset, Element::kTimedelta) : Opened::kFailed;
    }
    if ((kind == 'c' || kind == 'V') && call.default_hook) return open_default(call, value, offset);
    if (kind == 'c') return refuse_array("complex numbers have no form in JSON: write their real and imag"), Opened::kFailed;
    if (kind == 'V') return refuse_array("a structured array has no form in JSON: write its fields one by one"), Opened::kFailed;
    if (kind == 'S') return open_by_method(call, value, offset, "tolist");
    return open_default(call, value, offset);
}

// (A class derived from an array's may have Python code, or functions of ours, in the place of any attribute.)
Opened open_array(Call& call, PyObject* value, std::size_t offset) noexcept {
    const Owned hold = Owned::borrow(value);
    call.pin();
    return call_back_or(Opened::kFailed, call.context.may_be_nested, " while encoding a JSON object",
                        [&] { return open_any_array(call, value, offset); });
}

// An array of numpy's own class.
Opened open_numpy_array(Call& call, PyObject* value, std::size_t offset) noexcept {
    const Owned hold = Owned::borrow(value);
    call.pin();
    if (Owned view = view_of_numpy(call, value)) {
        const auto make = [&] { return check_view(call, value, *view_of_array(view.get())) ? view.release() : nullptr; };
        return call.open_made(value, FrameKind::kArray, offset, make) ? Opened::kInPlace : Opened::kFailed;
    }
    const bool has_changed = !layout::kHasGil && PyErr_Occurred() && PyErr_ExceptionMatches(PyExc_RuntimeError);
    if (has_changed || has_serious_error()) return Opened::kFailed;
    return open_array(call, value, offset);
}

// An array where kPlainArrays is set: of numbers of the usual types, in C order.
Opened open_plain_array(Call& call, PyObject* value, std::size_t offset) noexcept {
    const Owned hold = Owned::borrow(value);
    call.pin();
    const Owned dimensions = get_attribute(value, "ndim"), dtype = get_attribute(value, "dtype");
    const Owned is_native = dtype ? get_attribute(dtype.get(), "isnative") : Owned(),
                size = dtype ? get_attribute(dtype.get(), "itemsize") : Owned();
    const long count = dimensions ? PyLong_AsLong(dimensions.get()) : -1, byte_len = size ? PyLong_AsLong(size.get()) : -1;
    if (PyErr_Occurred()) return Opened::kFailed;
    constexpr long kMostDimensions = 32;
    const char kind = kind_of(value);
    const bool is_known = std::strchr("biuf", kind) && kind && byte_len <= 8;
    const char* const why = count == 0                   ? "numpy 0-d array should not reach ndarray encoder"
                            : count > kMostDimensions    ? "numpy array has too many dimensions"
                            : !is_c_contiguous(value)    ? "numpy array must be C-contiguous"
                            : is_native.get() != Py_True ? "numpy array must have native byte order"
                            : !is_known                  ? "unsupported numpy dtype"
                                                         : nullptr;
    if (why) return PyErr_SetString(PyExc_ValueError, why), Opened::kFailed;
    return open_view(call, value, value, offset);
}

}  // namespace

Owned allocate_view(const Call& call, int dimensions) noexcept {
    const auto n = static_cast<std::size_t>(dimensions);
    auto* const type = reinterpret_cast<PyTypeObject*>(call.own.array_view_type);
    if (!type) return PyErr_SetString(PyExc_RuntimeError, "the interpreter is shutting down"), Owned();
    auto* const view = static_cast<ArrayView*>(PyObject_Malloc(sizeof(ArrayView) + 4 * sizeof(void*) * n));
    if (!view) return PyErr_NoMemory(), Owned();
    view->buffer = {};
    view->is_done = false;
    view->dimensions = dimensions;
    view->open = 0;
    view->ticks = {};
    view->lengths = reinterpret_cast<Py_ssize_t*>(view + 1);
    view->index = view->lengths + n;
    view->next = reinterpret_cast<const char**>(view->index + n);
    view->strides = reinterpret_cast<Py_ssize_t*>(view->next + n);
    return Owned::steal(PyObject_Init(reinterpret_cast<PyObject*>(view), type));
}

PyObject* make_array_view_type(PyObject* module) noexcept {
    return make_type(module, "ocior.ArrayView", sizeof(ArrayView), Py_TPFLAGS_DISALLOW_INSTANTIATION, view_slots);
}

const Plan kArray{.role = Role::kContainer, .open = open_array},
    kNumpyArray{.role = Role::kSmallContainer, .write_small = write_small_array, .open = open_numpy_array},
    kPlainArray{.role = Role::kContainer, .open = open_plain_array};

}  // namespace ocior::encode
