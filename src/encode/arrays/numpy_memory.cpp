// Where the memory of an array of numpy lies, and in which order its elements: by numpy's array interface, or one attribute after another.
#include "encode/arrays/element_types.h"
#include "py/numpy_array.h"

#include <climits>
#include <thread>

namespace ocior::encode {
namespace {

// What numpy says of an array's memory by its array interface, version 3, in C: its own layout.
struct ArrayInterface {
    static constexpr int kInOrder = 1, kNative = 0x200;  // flags

    int version;
    int dimensions;
    char kind;
    int byte_len;
    int flags;
    Py_ssize_t* lengths;
    Py_ssize_t* strides;
    void* from;
    PyObject* description;
};

// Whether lengths and strides are those of one array in C's order. Of one without elements the strides may be any: such a one is not
// believed to hold more lists than anybody has.
bool go_together(const Py_ssize_t* lengths, const Py_ssize_t* strides, int dimensions, Py_ssize_t byte_len) noexcept {
    const bool is_empty = std::find(lengths, lengths + dimensions, 0) != lengths + dimensions;
    const Py_ssize_t most = Py_ssize_t{1} << (is_empty ? 28 : 47);  // bytes
    for (int i = dimensions; i-- > 0;) {
        if (lengths[i] < 0 || lengths[i] > most / byte_len) return false;
        if (!is_empty && lengths[i] > 1 && strides[i] != byte_len) return false;
        byte_len *= std::max(lengths[i], Py_ssize_t{1});
    }
    return true;
}

// The integers in a tuple of so many. False, maybe with an error set, where it is none.
bool read_integers(PyObject* tuple, Py_ssize_t count, Py_ssize_t* to) noexcept {
    if (!tuple || !PyTuple_CheckExact(tuple) || PyTuple_GET_SIZE(tuple) != count) return false;
    for (Py_ssize_t i = 0; i < count; ++i) to[i] = PyLong_AsSsize_t(PyTuple_GET_ITEM(tuple, i));
    return !PyErr_Occurred();
}

// Without a GIL: what the array says of its memory, one attribute after the other. Others may give it another shape meanwhile, for which
// numpy takes no lock: it makes tuples safely then, but not its interface in C. False, maybe with an error set, where that is not to be
// had; or where it does not go together, which `may_try_again` says.
bool ask_for_memory(const Call& call, PyObject* value, ArrayInterface& memory, bool& may_try_again) noexcept {
    may_try_again = false;
    NumpyArrays::Fixed fixed, later;
    if (!call.own.numpy_arrays->read(value, fixed)) return false;
    const auto get = [](PyObject* object, PyObject* name) { return Owned::steal(PyObject_GetAttr(object, name)); };
    const Owned dtype = get(value, call.own.dtype_name), size = dtype ? get(dtype.get(), call.own.itemsize_name) : Owned();
    const long byte_len = size ? PyLong_AsLong(size.get()) : -1;
    if (byte_len < 0 || byte_len > INT_MAX) return false;
    const NumpyArrays::Element element = NumpyArrays::element_of(dtype.get());
    if (!find_element_type(element.kind, static_cast<int>(byte_len))) return false;
    const Owned shape = get(value, call.own.shape_name), strides = shape ? get(value, call.own.strides_name) : Owned();
    if (!strides || !PyTuple_CheckExact(shape.get())) return false;
    const Py_ssize_t count = PyTuple_GET_SIZE(shape.get());
    if (count == 0 || count > ArrayView::kMaxDimensions || !read_integers(shape.get(), count, memory.lengths)) return false;
    const bool is_read = read_integers(strides.get(), count, memory.strides);
    const Owned again = PyErr_Occurred() ? Owned() : get(value, call.own.shape_name);
    const int is_same = again ? PyObject_RichCompareBool(again.get(), shape.get(), Py_EQ) : -1;
    if (is_same < 0 || !call.own.numpy_arrays->read(value, later)) return false;
    memory.version = 2;
    memory.dimensions = static_cast<int>(count);
    memory.kind = element.kind;
    memory.byte_len = static_cast<int>(byte_len);
    memory.flags = (fixed.is_in_order ? ArrayInterface::kInOrder : 0) | (element.is_native ? ArrayInterface::kNative : 0);
    memory.from = const_cast<char*>(fixed.from);
    const bool is_one = is_read && is_same && later.is_in_order == fixed.is_in_order && later.from == fixed.from;
    may_try_again = !is_one || (fixed.is_in_order && !go_together(memory.lengths, memory.strides, memory.dimensions, byte_len));
    return !may_try_again;
}

// What numpy says of an array's memory, and what holds that and the array. Empty where it cannot be had; an error may be set.
Owned memory_of(Call& call, PyObject* value, ArrayInterface& memory) noexcept {
    if constexpr (layout::kHasGil) {
        Owned capsule = Owned::steal(PyObject_GetAttr(value, call.own.array_struct_name));
        const void* const interface = capsule ? PyCapsule_GetPointer(capsule.get(), nullptr) : nullptr;
        if (!interface) return {};
        memory = *static_cast<const ArrayInterface*>(interface);
        return capsule;
    }
    constexpr int kTries = 1000;
    bool may_try_again = true;
    for (int i = 0; i < kTries && may_try_again; ++i) {
        if (ask_for_memory(call, value, memory, may_try_again)) return Owned::steal(PyTuple_Pack(1, value));
        if (!may_try_again) return {};
        Py_BEGIN_ALLOW_THREADS;
        std::this_thread::yield();
        Py_END_ALLOW_THREADS;
    }
    PyErr_SetString(PyExc_RuntimeError, "array changed while it was being written");
    return {};
}

}  // namespace

Owned view_of_numpy(Call& call, PyObject* value) noexcept {
    Py_ssize_t lengths[ArrayView::kMaxDimensions], strides[ArrayView::kMaxDimensions];
    ArrayInterface memory{};
    memory.lengths = lengths;
    memory.strides = strides;
    Owned holder = memory_of(call, value, memory);
    if (!holder) return {};
    if (memory.version != 2 || memory.dimensions <= 0 || memory.dimensions > ArrayView::kMaxDimensions) return {};
    const ElementType* const type = find_element_type(memory.kind, memory.byte_len);
    if (!type) return {};
    const bool is_datetime = type->element == Element::kDatetime, is_timedelta = type->element == Element::kTimedelta;
    if ((call.rich & kStored) && (is_timedelta || !(memory.flags & ArrayInterface::kInOrder))) return {};
    TickUnit unit;
    if ((is_datetime || is_timedelta) && !read_unit(call, value, unit)) return {};
    Owned owned = allocate_view(call, memory.dimensions);
    if (!owned) return {};
    ArrayView& view = *view_of_array(owned.get());
    Py_ssize_t count = 1;
    for (int i = 0; i < memory.dimensions; ++i) count *= memory.lengths[i];
    view.buffer.buf = memory.from;
    view.buffer.obj = holder.release();
    view.buffer.len = count * memory.byte_len;
    view.buffer.itemsize = memory.byte_len;
    std::copy_n(memory.strides, memory.dimensions, view.strides);
    view.buffer.shape = view.lengths;
    view.buffer.strides = view.strides;
    std::copy_n(memory.lengths, memory.dimensions, view.lengths);
    view.element = type->element;
    view.is_swapped = !(memory.flags & ArrayInterface::kNative);
    view.is_in_order = memory.flags & ArrayInterface::kInOrder;
    view.ticks = unit;
    return owned;
}

}  // namespace ocior::encode
