#include "module/pieces.h"

#include <atomic>
#include <new>

#include "module/level.h"
#include "py/heap_type.h"

namespace ocior::module {
namespace {

// The text that is handed over in pieces.
struct Text {
    Text(State& state, EncodeSettings&& given, PyObject* value) noexcept
        : settings(std::move(given)), stream(state.encoder, state.constants, settings.options, value) {}

    EncodeSettings settings;
    encode::Stream stream;
};

struct PiecesObject {
    PyObject_HEAD PyObject* module;
    PyObject* value;
    Text* text;
    std::atomic<bool> is_running;
};

PiecesObject* as_pieces(PyObject* object) noexcept { return reinterpret_cast<PiecesObject*>(object); }

PyObject* pieces_next(PyObject* self) noexcept {
    PiecesObject* pieces = as_pieces(self);
    if (!pieces->text) return nullptr;
    if (pieces->is_running.exchange(true)) return PyErr_SetString(PyExc_ValueError, "generator already executing"), nullptr;
    PyObject* piece = pieces->text->stream.next();
    pieces->is_running = false;
    return piece;
}

int pieces_traverse(PyObject* self, visitproc visit, void* arg) noexcept {
    const PiecesObject* pieces = as_pieces(self);
    Py_VISIT(Py_TYPE(self));
    Py_VISIT(pieces->module);
    Py_VISIT(pieces->value);
    if (!pieces->text) return 0;
    Py_VISIT(pieces->text->settings.hook.get());
    return pieces->text->stream.traverse(visit, arg);
}

int pieces_clear(PyObject* self) noexcept {
    PiecesObject* pieces = as_pieces(self);
    delete std::exchange(pieces->text, nullptr);
    Py_CLEAR(pieces->value);
    Py_CLEAR(pieces->module);
    return 0;
}

PyObject* pieces_close(PyObject* self, PyObject*) noexcept {
    PiecesObject* pieces = as_pieces(self);
    if (pieces->is_running.exchange(true)) return PyErr_SetString(PyExc_ValueError, "generator already executing"), nullptr;
    if (pieces->text) pieces->text->stream.stop();
    pieces->is_running = false;
    Py_RETURN_NONE;
}

PyMethodDef pieces_methods[] = {
    {"close", pieces_close, METH_NOARGS, "close($self, /)\n--\n\nLets go of the value; no more pieces come."},
    {nullptr, nullptr, 0, nullptr},
};

PyType_Slot pieces_slots[] = {
    {Py_tp_doc, const_cast<char*>("The pieces of a JSON text, one after the other: what iterencode() returns.")},
    {Py_tp_dealloc, reinterpret_cast<void*>(dealloc_heap_object<pieces_clear>)},
    {Py_tp_traverse, reinterpret_cast<void*>(pieces_traverse)},
    {Py_tp_clear, reinterpret_cast<void*>(pieces_clear)},
    {Py_tp_iter, reinterpret_cast<void*>(PyObject_SelfIter)},
    {Py_tp_iternext, reinterpret_cast<void*>(pieces_next)},
    {Py_tp_methods, pieces_methods},
    {0, nullptr},
};

}  // namespace

PyObject* new_pieces(PyObject* module, EncodeSettings&& settings, PyObject* value) noexcept {
    State& state = state_of(module);
    auto* type = reinterpret_cast<PyTypeObject*>(state.pieces_type);
    if (!type) return PyErr_SetString(PyExc_RuntimeError, "the interpreter is shutting down"), nullptr;
    Owned self = Owned::steal(type->tp_alloc(type, 0));
    if (!self) return nullptr;
    PiecesObject* pieces = as_pieces(self.get());
    pieces->module = new_ref(module);
    pieces->value = new_ref(value);
    settings.options.in_pieces = true;
    settings.options.settle();
    pieces->text = new (std::nothrow) Text(state, std::move(settings), value);
    return pieces->text ? self.release() : PyErr_NoMemory();
}

PyObject* make_pieces_type(PyObject* module) noexcept {
    return make_type(module, OCIOR_MODULE_NAME ".Pieces", sizeof(PiecesObject), Py_TPFLAGS_HAVE_GC | Py_TPFLAGS_DISALLOW_INSTANTIATION,
                     pieces_slots);
}

}  // namespace ocior::module
