#include "decode/shapes.h"

#include "py/container.h"

namespace ocior::decode {
namespace {

// A dict with the node's keys and None for every value, or empty: out of memory, or not clonable (then no error is set).
Owned make_template(ShapeNode* node) noexcept {
    Owned dict = Owned::steal(PyDict_New());
    if (!dict) return dict;
    for (std::uint16_t i = 0; i < node->key_count; ++i)
        if (PyDict_SetItem(dict.get(), node->leaf.keys[i], Py_None) < 0) return {};
    if (!is_template(dict.get(), node->key_count)) return {};  // a key occurs twice
    if (PyObject_GC_IsTracked(dict.get())) PyObject_GC_UnTrack(dict.get());
    return dict;
}

}  // namespace

void DictLeaf::release() noexcept {
    Py_XDECREF(dict_template);
    Py_XDECREF(key);
    std::free(keys);
}

bool settle(ShapeBudget& budget, ShapeNode* node, bool want_template) noexcept {
    if (budget.settled_keys + node->key_count > ShapeBudget::kMaxSettledKeys) {
        ++budget.refused;
        return true;
    }
    budget.settled_keys += node->key_count;
    PyObject** const keys = node->leaf.keys = static_cast<PyObject**>(std::malloc(node->key_count * sizeof(PyObject*)));
    if (!keys) return PyErr_NoMemory(), false;
    ShapeNode* step = node;
    for (std::uint16_t i = node->key_count; i-- > 0; step = step->parent) keys[i] = step->leaf.key;
    if (want_template) {
        Owned dict = make_template(node);
        if (!dict && PyErr_Occurred()) return false;
        node->leaf.dict_template = dict.release();
    }
    return true;
}

}  // namespace ocior::decode
