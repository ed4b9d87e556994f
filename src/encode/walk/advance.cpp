// What a frame has next that is not read in place.
#include "encode/walk/call.h"

namespace ocior::encode {
namespace {

// What `key, value = item` in Python takes `item` for: an exact tuple of two. Takes over `item`. Null with an error set.
PyObject* unpack_pair(PyObject* item) noexcept {
    if (PyTuple_CheckExact(item) && PyTuple_GET_SIZE(item) == 2) return item;
    const Owned owned = Owned::steal(item);
    PyTypeObject* const type = Py_TYPE(item);
    if (!type->tp_iter && !PySequence_Check(item))
        return PyErr_Format(PyExc_TypeError, "cannot unpack non-iterable %.200s object", type->tp_name);
    const Owned iterator = Owned::steal(PyObject_GetIter(item));
    if (!iterator) return nullptr;
    Owned found[3];
    for (int n = 0; n < 3; ++n) {
        found[n] = Owned::steal(PyIter_Next(iterator.get()));
        if (found[n]) continue;
        if (PyErr_Occurred()) return nullptr;
        if (n == 2) return PyTuple_Pack(2, found[0].get(), found[1].get());
        return PyErr_Format(PyExc_ValueError, "not enough values to unpack (expected 2, got %d)", n);
    }
    const bool tells_size =
        PY_VERSION_HEX >= 0x030E0000 && (PyTuple_CheckExact(item) || PyList_CheckExact(item) || PyDict_CheckExact(item));
    if (!tells_size) return PyErr_SetString(PyExc_ValueError, "too many values to unpack (expected 2)"), nullptr;
    return PyErr_Format(PyExc_ValueError, "too many values to unpack (expected 2, got %zd)", PyObject_Size(item));
}

// What json's encoder in C takes an item for: a tuple of two, also of a class derived from tuple. Takes over `item`. Null with
// ValueError set.
PyObject* check_pair(PyObject* item) noexcept {
    if (OCIOR_LIKELY(PyTuple_Check(item) && PyTuple_GET_SIZE(item) == 2)) return item;
    const Owned owned = Owned::steal(item);
    PyErr_SetString(PyExc_ValueError, "items must return 2-tuples");
    return nullptr;
}

}  // namespace

Advance Call::advance_container() noexcept {
    using Kind = Advance::Kind;
    Frame& frame = top();
    const bool is_dict = frame.kind != FrameKind::kIterator;
    if (!std::exchange(gives_again, false)) {
        pin();  // Python code comes: the iterator's, or that of a value which goes with the last item
        const bool has_list = frame.kind == FrameKind::kItems;
        PyObject* item = has_list ? new_item_ref(frame.iterated, frame.position) : PyIter_Next(frame.iterated);
        if (item && is_dict) item = has_list ? check_pair(item) : unpack_pair(item);
        if (!item && !PyErr_Occurred()) return {is_dict ? Kind::kEndOfDict : Kind::kEndOfList};
        failed_in_key = !item;
        if (!item) return {Kind::kFailed};
        const Owned last = Owned::steal(frame.item());
        frame.set_item(item);
    }
    ++frame.position;
    if (!is_dict) return {Kind::kItem, nullptr, frame.item()};
    return {Kind::kEntry, PyTuple_GET_ITEM(frame.item(), 0), PyTuple_GET_ITEM(frame.item(), 1)};
}

bool Call::has_changed_size() noexcept {
    const Frame& frame = top();
    if (OCIOR_LIKELY(options.dialect->reading != Reading::kOneByOne) || !frame.is_pinned() ||
        frame.dict_size == static_cast<std::uint32_t>(PyDict_GET_SIZE(frame.iterated)))
        return false;
    PyErr_SetString(PyExc_RuntimeError, "dictionary changed size during iteration");
    return failed_in_key = true;
}

}  // namespace ocior::encode
