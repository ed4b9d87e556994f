// Scans: the rows of a source as Tables, one after the other.
#include <cerrno>
#include <new>

#include "module/column_forms.h"
#include "module/functions.h"
#include "module/table.h"
#include "module/turn.h"
#include "py/heap_type.h"

namespace ocior::module {
namespace {

struct ScanObject {
    struct Body {
        explicit Body(State& state) noexcept : reader(state) {}

        TableReader reader;
        TurnLock lock;
        columns::Batch* first = nullptr;  // that was read for the types, and has not been given
        bool is_begun = false, has_ended = false;

        ~Body() {
            if (first) first->release();
        }
    };

    PyObject_HEAD Body* body;
    PyObject* module;  // owned
};
ScanObject* as_scan(PyObject* object) noexcept { return reinterpret_cast<ScanObject*>(object); }

// Reads what the types are frozen by. False with an exception set.
[[nodiscard]] bool begin_scan(ScanObject::Body& body) noexcept {
    if (std::exchange(body.is_begun, true)) return true;
    switch (body.reader.next(body.first)) {
        case TableReader::Step::kBatch: return true;
        case TableReader::Step::kEnd: return body.has_ended = true;
        case TableReader::Step::kFailed: break;
    }
    body.has_ended = true;
    return false;
}

// The next batch, which is the caller's, with the types of all; null at the end, or with an exception set.
columns::Batch* next_batch(ScanObject::Body& body) noexcept {
    if (!begin_scan(body)) return nullptr;
    columns::Batch* batch = std::exchange(body.first, nullptr);
    if (!batch && !body.has_ended) {
        const TableReader::Step step = body.reader.next(batch);
        if (step != TableReader::Step::kBatch) return body.has_ended = true, nullptr;
    }
    if (!batch) return nullptr;
    if (finish(*batch, body.reader)) return batch;
    body.has_ended = true;
    batch->release();
    return nullptr;
}

PyObject* next_of_scan(PyObject* self) noexcept {
    const Owned hold = Owned::borrow(self);
    if (!as_scan(self)->body) return refuse_late_call();
    ScanObject::Body& body = *as_scan(self)->body;
    const Turn turn(body.lock);
    if (!turn) return nullptr;
    columns::Batch* const batch = next_batch(body);
    if (!batch) return nullptr;
    auto* const table = new (std::nothrow) columns::Table;
    if (!table) return batch->release(), PyErr_NoMemory();
    if (!copy_type(table->type, body.reader.type()) || !table->add(batch)) return table->release(), PyErr_NoMemory();
    return new_table(as_scan(self)->module, table, body.reader);
}

PyObject* close_scan(PyObject* self, PyObject*) noexcept {
    const Owned hold = Owned::borrow(self);
    if (!as_scan(self)->body) Py_RETURN_NONE;
    ScanObject::Body& body = *as_scan(self)->body;
    const Turn turn(body.lock);
    if (!turn) return nullptr;
    body.has_ended = true;
    body.reader.close();
    if (body.first) std::exchange(body.first, nullptr)->release();
    Py_RETURN_NONE;
}

PyObject* enter_scan(PyObject* self, PyObject*) noexcept { return new_ref(self); }
PyObject* exit_scan(PyObject* self, PyObject* const*, Py_ssize_t) noexcept { return close_scan(self, nullptr); }

// Calls use(body) in turn. Null with an exception set.
template <typename Use>
PyObject* with_types(PyObject* self, Use use) noexcept {
    const Owned hold = Owned::borrow(self);
    if (!as_scan(self)->body) return refuse_late_call();
    ScanObject::Body& body = *as_scan(self)->body;
    const Turn turn(body.lock);
    return turn && (body.reader.has_types() || begin_scan(body)) ? use(body) : nullptr;
}

PyObject* scan_schema(PyObject* self, void*) noexcept {
    return with_types(self, [](ScanObject::Body& body) { return schema_of(body.reader.type(), body.reader.mixed()); });
}
PyObject* schema_capsule_of_scan(PyObject* self, PyObject*) noexcept {
    return with_types(self, [](ScanObject::Body& body) -> PyObject* {
        const Owned form = form_of(body.reader.type());
        return form ? export_schema(nullptr, form.get()) : nullptr;
    });
}
template <std::uint64_t (BadRecords::*get)() const noexcept>
PyObject* scan_number(PyObject* self, void*) noexcept {
    if (!as_scan(self)->body) return refuse_late_call();
    return PyLong_FromUnsignedLongLong((as_scan(self)->body->reader.bad().*get)());
}

// A scan as a stream of Arrow: whoever asks it may do so in any thread, with the interpreter's lock or without it.
struct ScanStream {
    PyObject* scan;  // owned
    PyInterpreterState* interpreter;
    char* error = nullptr;  // owned
};

bool is_interpreter_gone() noexcept {
#if PY_VERSION_HEX >= 0x030D0000
    return !Py_IsInitialized() || Py_IsFinalizing();
#else
    return !Py_IsInitialized() || _Py_IsFinalizing();
#endif
}

PyThreadState* attached_state() noexcept {
#if PY_VERSION_HEX >= 0x030D0000
    return PyThreadState_GetUnchecked();
#else
    return _PyThreadState_UncheckedGet();
#endif
}

// Holds the interpreter's lock, in whatever thread. False where the interpreter has ended, or the thread holds another one's.
class Attached {
public:
    explicit Attached(PyInterpreterState* interpreter) noexcept {
        if (is_interpreter_gone()) return;
        if (PyThreadState* const current = attached_state()) {
            is_held_ = PyThreadState_GetInterpreter(current) == interpreter;
        } else if (interpreter == PyInterpreterState_Main()) {
            state_ = PyGILState_Ensure();
            is_held_ = has_state_ = true;
        } else if ((thread_ = PyThreadState_New(interpreter)) != nullptr) {
            PyEval_RestoreThread(thread_);
            is_held_ = true;
        }
    }
    ~Attached() {
        if (has_state_) PyGILState_Release(state_);
        if (!thread_) return;
        PyThreadState_Clear(thread_);
        PyThreadState_DeleteCurrent();
    }
    Attached(const Attached&) = delete;
    Attached& operator=(const Attached&) = delete;
    explicit operator bool() const noexcept { return is_held_; }

private:
    PyGILState_STATE state_{};
    PyThreadState* thread_ = nullptr;
    bool has_state_ = false, is_held_ = false;
};

// Keeps the words of the exception that is set. The number that says that a stream has failed.
int keep_error(ScanStream& stream) noexcept {
    bool is_interrupt;
    {
        TakenError error;
        PyObject* const value = error.value();
        const Owned text = value ? Owned::steal(PyUnicode_FromFormat("%.100s: %S", Py_TYPE(value)->tp_name, value)) : Owned();
        const char* const words = text ? PyUnicode_AsUTF8(text.get()) : nullptr;
        std::free(stream.error);
        stream.error = words ? static_cast<char*>(std::malloc(std::strlen(words) + 1)) : nullptr;
        if (stream.error) std::strcpy(stream.error, words);
        PyErr_Clear();
        is_interrupt = error.matches(PyExc_KeyboardInterrupt);
    }
    // Others make an error of theirs of it. Ctrl-C stays what it is: the main thread raises it when it looks at signals next, which is
    // behind the finalizers of what the exception has kept.
    if (is_interrupt) PyErr_SetInterrupt();
    return EIO;
}

int scan_get_schema(ArrowArrayStream* self, ArrowSchema* out) noexcept {
    auto& stream = *static_cast<ScanStream*>(self->private_data);
    const Attached attached(stream.interpreter);
    if (!attached || !as_scan(stream.scan)->body) return EINVAL;
    ScanObject::Body& body = *as_scan(stream.scan)->body;
    const Turn turn(body.lock);
    if (!turn || !begin_scan(body)) return keep_error(stream);
    return export_type(body.reader.type(), out) ? 0 : ENOMEM;
}
int scan_get_next(ArrowArrayStream* self, ArrowArray* out) noexcept {
    auto& stream = *static_cast<ScanStream*>(self->private_data);
    *out = {};
    const Attached attached(stream.interpreter);
    if (!attached || !as_scan(stream.scan)->body) return EINVAL;
    ScanObject::Body& body = *as_scan(stream.scan)->body;
    const Turn turn(body.lock);
    if (!turn) return keep_error(stream);
    columns::Batch* const batch = next_batch(body);
    if (!batch) return PyErr_Occurred() ? keep_error(stream) : 0;
    const bool is_given = batch->export_to(out);
    batch->release();
    return is_given ? 0 : ENOMEM;
}
const char* scan_last_error(ArrowArrayStream* self) noexcept { return static_cast<ScanStream*>(self->private_data)->error; }
void scan_release(ArrowArrayStream* self) noexcept {
    auto* const stream = static_cast<ScanStream*>(self->private_data);
    self->release = nullptr;
    {
        const Attached attached(stream->interpreter);
        if (attached) Py_DECREF(stream->scan);
    }
    std::free(stream->error);
    delete stream;
}

PyObject* stream_of_scan(PyObject* self, PyObject* const*, Py_ssize_t positional, PyObject* kwnames) noexcept {
    if (!check_stream_arguments(positional, kwnames)) return nullptr;
    auto* const stream = new (std::nothrow) ArrowArrayStream{};
    auto* const owner = new (std::nothrow) ScanStream{self, PyInterpreterState_Get()};
    if (!stream || !owner) return delete stream, delete owner, PyErr_NoMemory();
    Py_INCREF(self);
    *stream = {scan_get_schema, scan_get_next, scan_last_error, scan_release, owner};
    return new_capsule(stream);
}

int visit_scan(PyObject* self, visitproc visit, void* arg) noexcept {
    Py_VISIT(Py_TYPE(self));
    Py_VISIT(as_scan(self)->module);
    return as_scan(self)->body ? as_scan(self)->body->reader.visit(visit, arg) : 0;
}
int clear_scan(PyObject* self) noexcept {
    delete std::exchange(as_scan(self)->body, nullptr);
    Py_CLEAR(as_scan(self)->module);
    return 0;
}
// A scan that is dropped closes what it has opened.
void finalize_scan(PyObject* self) noexcept {
    if (!as_scan(self)->body) return;
    TakenError error;
    as_scan(self)->body->reader.close();
    error.restore();
}
void dealloc_scan(PyObject* self) noexcept {
    if (PyObject_CallFinalizerFromDealloc(self) < 0) return;
    PyObject_GC_UnTrack(self);
    free_heap_object<clear_scan>(self);
}

PyDoc_STRVAR(scan_doc,
             "The rows of JSON records as Tables, one after the other, in bounded memory: what\n"
             "ocior.scan() returns. An iterator, a stream of Arrow, which is used up by it, and a\n"
             "context manager that closes what was opened for it.");
PyDoc_STRVAR(close_scan_doc,
             "close($self, /)\n"
             "--\n\n"
             "Closes the source, if it was opened for this scan; no more rows come.");
PyMethodDef scan_methods[] = {
    {"__arrow_c_stream__", as_method(stream_of_scan), METH_FASTCALL | METH_KEYWORDS, nullptr},
    {"__arrow_c_schema__", schema_capsule_of_scan, METH_NOARGS, nullptr},
    {"close", close_scan, METH_NOARGS, close_scan_doc},
    {"__enter__", enter_scan, METH_NOARGS, nullptr},
    {"__exit__", as_method(exit_scan), METH_FASTCALL, nullptr},
    {nullptr, nullptr, 0, nullptr},
};
PyGetSetDef scan_attributes[] = {
    {"schema", scan_schema, nullptr, "The names and types of the columns, a Schema; the first block is read for them.", nullptr},
    {"skipped", scan_number<&BadRecords::skipped>, nullptr, "How many bad records were passed over.", nullptr},
    {"dropped", scan_number<&BadRecords::dropped>, nullptr, "How many bytes of a torn end were dropped.", nullptr},
    {nullptr, nullptr, nullptr, nullptr, nullptr},
};
PyType_Slot scan_slots[] = {
    {Py_tp_doc, const_cast<char*>(scan_doc)},
    {Py_tp_dealloc, reinterpret_cast<void*>(dealloc_scan)},
    {Py_tp_finalize, reinterpret_cast<void*>(finalize_scan)},
    {Py_tp_traverse, reinterpret_cast<void*>(visit_scan)},
    {Py_tp_clear, reinterpret_cast<void*>(clear_scan)},
    {Py_tp_iter, reinterpret_cast<void*>(PyObject_SelfIter)},
    {Py_tp_iternext, reinterpret_cast<void*>(next_of_scan)},
    {Py_tp_methods, scan_methods},
    {Py_tp_getset, scan_attributes},
    {0, nullptr},
};

}  // namespace

PyObject* open_scan(PyObject* module, PyObject* const* values, Py_ssize_t positional, PyObject* kwnames) noexcept {
    const HeldArguments arguments(module, {values, positional, kwnames});
    if (!arguments) return nullptr;
    if (positional != 1) return refuse_arguments("open_scan", arguments, "source");
    const Owned type = Owned::steal(reinterpret_cast<PyObject*>(type_named(module, "Scan")));
    auto* const cls = reinterpret_cast<PyTypeObject*>(type.get());
    const Owned self = Owned::steal(cls ? cls->tp_alloc(cls, 0) : nullptr);
    if (!self) return nullptr;
    ScanObject& scan = *as_scan(self.get());
    scan.module = new_ref(module);
    scan.body = new (std::nothrow) ScanObject::Body(state_of(module));
    if (!scan.body || !scan.body->lock) return PyErr_NoMemory();
    if (!scan.body->reader.open(arguments.values[0], arguments.values + 1, kwnames, true)) return nullptr;
    scan.body->reader.freeze_early();
    return Owned::borrow(self.get()).release();
}

bool add_scan_type(PyObject* module) noexcept {
    const Owned type = Owned::steal(
        make_type(module, "ocior.Scan", sizeof(ScanObject), Py_TPFLAGS_HAVE_GC | Py_TPFLAGS_DISALLOW_INSTANTIATION, scan_slots));
    return type && PyModule_AddObjectRef(module, "Scan", type.get()) == 0;
}

}  // namespace ocior::module
