// The iterator over the records of a source, and lines.loads(), which reads all of a text at once.
#include <new>

#include "module/chunk_source.h"
#include "module/functions.h"
#include "module/level.h"
#include "module/record_stream.h"
#include "py/heap_type.h"
#include "py/memory/pages.h"

namespace ocior::module {
namespace {

// While it lives, the readings with a context are one call's, which keeps what they make.
class OneCall {
public:
    OneCall(const Tricks& tricks, decode::Context& context) noexcept : context_(context) {
        context.allocator.collector.begin(tricks);
        context.allocator.collector.set_going_on(true);
    }
    ~OneCall() { context_.allocator.collector.set_going_on(false); }
    OneCall(const OneCall&) = delete;
    OneCall& operator=(const OneCall&) = delete;

private:
    decode::Context& context_;
};

struct ReaderObject {
    struct Body {
        Body(State& state, stream::Framing framing) noexcept : stream(state, framing) {}

        ChunkSource source;
        RecordStream stream;
        std::size_t asked = 0;  // how often for a record
    };

    PyObject_HEAD Body* body;
    PyObject* module;  // owned
};

ReaderObject* as_reader(PyObject* object) noexcept { return reinterpret_cast<ReaderObject*>(object); }

// Gives a stream a text in memory: where it lies, if what stands behind it may be read, else by slices, for which this is false.
bool lend(const Utf8Text& text, RecordStream& stream) noexcept {
    if (!text.is_ours() || !grammar::may_read_in_place(text.data() + text.byte_len())) return false;
    stream.block().lend(text.data(), text.byte_len());
    stream.finish();
    return true;
}

// Has the next bytes appended, or the stream finished. False with an exception set.
[[nodiscard]] bool fill(ReaderObject::Body& body) noexcept {
    bool is_last = false;
    if (!body.source.append_to(body.stream.block(), is_last)) return false;
    if (is_last) body.stream.finish();
    return true;
}

PyObject* next_record(PyObject* self) noexcept {
    const Owned hold = Owned::borrow(self);
    ReaderObject& reader = *as_reader(self);
    if (OCIOR_UNLIKELY(!reader.body || !reader.module)) return refuse_late_call();
    ReaderObject::Body& body = *reader.body;
    const Turn turn(body.stream.lock);
    if (!turn) return nullptr;
    // list() and its like look at no signals, and neither would anything else while a text in memory is read.
    if (OCIOR_UNLIKELY(++body.asked % 4096 == 0) && PyErr_CheckSignals() < 0) return nullptr;
    PyObject* value = nullptr;
    for (;;) {
        if (OCIOR_UNLIKELY(!body.stream.is_open())) return nullptr;
        switch (body.stream.next(value)) {
            case RecordStream::Step::kValue: return value;
            case RecordStream::Step::kMore:
                if (!fill(body)) return nullptr;
                break;
            case RecordStream::Step::kEnd:
                body.stream.close();
                (void)body.source.close();
                return nullptr;
            case RecordStream::Step::kFailed:
                if (body.stream.has_ended()) {
                    body.source.close_in_error();
                    body.stream.close();
                }
                return nullptr;
        }
    }
}

PyObject* new_reader(PyTypeObject* cls, PyObject* arguments, PyObject* keywords) noexcept {
    PyObject* const module = module_of_type(cls);
    if (!module) return nullptr;
    State& state = state_of(module);
    PyObject *framing_name, *source;
    if (!PyArg_ParseTuple(arguments, "OO:RecordReader", &framing_name, &source)) return nullptr;
    static constexpr const char* kFramings[4] = {"lines", "values", "items"};
    unsigned place = 0;
    if (!read_word(framing_name, "framing", kFramings, place)) return nullptr;
    const auto framing = static_cast<stream::Framing>(place);
    const Owned self = Owned::steal(cls->tp_alloc(cls, 0));
    if (!self) return nullptr;
    ReaderObject& reader = *as_reader(self.get());
    reader.module = new_ref(module);
    auto* const body = reader.body = new (std::nothrow) ReaderObject::Body(state, framing);
    if (!body) return PyErr_NoMemory();
    if (!body->stream.settings.read(state, module, keywords, framing) || !body->stream.open()) return nullptr;
    if (!body->source.open(source)) return nullptr;
    body->stream.settings.bad.name = Owned::borrow(body->source.name.get());
    if (!body->source.is_object()) (void)lend(body->source.memory.text(), body->stream);
    return Owned::borrow(self.get()).release();
}

PyObject* close_reader(PyObject* self, PyObject*) noexcept {
    const Owned hold = Owned::borrow(self);
    ReaderObject& reader = *as_reader(self);
    if (!reader.body) Py_RETURN_NONE;
    const Turn turn(reader.body->stream.lock);
    if (!turn) return nullptr;
    reader.body->stream.close();
    if (!reader.body->source.close()) return nullptr;
    Py_RETURN_NONE;
}

PyObject* enter_reader(PyObject* self, PyObject*) noexcept { return new_ref(self); }
PyObject* exit_reader(PyObject* self, PyObject* const*, Py_ssize_t) noexcept { return close_reader(self, nullptr); }

template <std::uint64_t (*get)(RecordStream&) noexcept>
PyObject* number_of(PyObject* self, void*) noexcept {
    const Owned hold = Owned::borrow(self);
    ReaderObject& reader = *as_reader(self);
    if (!reader.body) return refuse_late_call();
    const Turn turn(reader.body->stream.lock);
    return turn ? PyLong_FromUnsignedLongLong(get(reader.body->stream)) : nullptr;
}

int visit_reader(PyObject* self, visitproc visit, void* arg) noexcept {
    Py_VISIT(Py_TYPE(self));
    const ReaderObject& reader = *as_reader(self);
    Py_VISIT(reader.module);
    if (!reader.body) return 0;
    if (const int stopped = reader.body->source.visit(visit, arg)) return stopped;
    return reader.body->stream.visit(visit, arg);
}

int clear_reader(PyObject* self) noexcept {
    ReaderObject& reader = *as_reader(self);
    delete std::exchange(reader.body, nullptr);
    Py_CLEAR(reader.module);
    return 0;
}

// A reader that is dropped closes what it has opened.
void finalize_reader(PyObject* self) noexcept {
    ReaderObject& reader = *as_reader(self);
    if (!reader.body || !reader.body->source.is_object()) return;
    TakenError error;
    if (!reader.body->source.close()) PyErr_WriteUnraisable(self);
    error.restore();
}

void dealloc_reader(PyObject* self) noexcept {
    if (PyObject_CallFinalizerFromDealloc(self) < 0) return;
    PyObject_GC_UnTrack(self);
    free_heap_object<clear_reader>(self);
}

PyDoc_STRVAR(reader_doc,
             "The records of a source, read as they are asked for: what lines.read(), values()\n"
             "and items() return. An iterator, and a context manager that closes what was\n"
             "opened for it. Threads that share one get each record once.");
PyDoc_STRVAR(close_doc,
             "close($self, /)\n"
             "--\n\n"
             "Closes the source, if it was opened for this reader; no more records come.");

PyMethodDef reader_methods[] = {{"close", close_reader, METH_NOARGS, close_doc},
                                {"__enter__", enter_reader, METH_NOARGS, nullptr},
                                {"__exit__", as_method(exit_reader), METH_FASTCALL, nullptr},
                                {"__class_getitem__", Py_GenericAlias, METH_O | METH_CLASS, nullptr},
                                {nullptr, nullptr, 0, nullptr}};
PyGetSetDef reader_attributes[] = {{"skipped", number_of<[](RecordStream& stream) noexcept { return stream.skipped(); }>, nullptr,
                                    "How many bad records were passed over.", nullptr},
                                   {"dropped", number_of<[](RecordStream& stream) noexcept { return stream.dropped(); }>, nullptr,
                                    "How many bytes of a torn end were dropped.", nullptr},
                                   {"offset", number_of<[](RecordStream& stream) noexcept { return stream.offset(); }>, nullptr,
                                    "How many uncompressed bytes of the source have been read.", nullptr},
                                   {"lineno", number_of<[](RecordStream& stream) noexcept { return stream.line(); }>, nullptr,
                                    "How many lines of the source have been read.", nullptr},
                                   {nullptr, nullptr, nullptr, nullptr, nullptr}};
PyType_Slot reader_slots[] = {
    {Py_tp_doc, const_cast<char*>(reader_doc)},
    {Py_tp_new, reinterpret_cast<void*>(new_reader)},
    {Py_tp_dealloc, reinterpret_cast<void*>(dealloc_reader)},
    {Py_tp_finalize, reinterpret_cast<void*>(finalize_reader)},
    {Py_tp_traverse, reinterpret_cast<void*>(visit_reader)},
    {Py_tp_clear, reinterpret_cast<void*>(clear_reader)},
    {Py_tp_iter, reinterpret_cast<void*>(PyObject_SelfIter)},
    {Py_tp_iternext, reinterpret_cast<void*>(next_record)},
    {Py_tp_methods, reader_methods},
    {Py_tp_getset, reader_attributes},
    {0, nullptr},
};

}  // namespace

PyObject* load_lines(PyObject* module, PyObject* const* values, Py_ssize_t positional, PyObject* kwnames) noexcept {
    State& state = state_of(module);
    const HeldArguments arguments(module, {values, positional, kwnames});
    if (!arguments) return nullptr;
    if (positional != 1) return refuse_arguments("loads", arguments, "data");
    TextInMemory text;
    RecordStream stream(state, stream::Framing::kLines);
    if (!stream.settings.read(state, module, arguments.values + 1, kwnames, stream::Framing::kLines) || !stream.open() ||
        !text.open(arguments.values[0]))
        return nullptr;
    const bool is_whole = lend(text.text(), stream);
    Owned list = Owned::steal(PyList_New(0));
    if (!list) return nullptr;
    const Lease context(state.decoder.contexts);
    if (!context) return PyErr_NoMemory();
    const OneCall one_call(state.constants.tricks, *context);
    const std::uint8_t* const first = stream.block().first();
    context->progress = {first, first, stream.block().last(), 1, 0};
    const DocumentMemory memory(state.constants.tricks, text.text().byte_len(), is_whole ? &context->progress : nullptr);
    std::size_t count = 0;
    for (PyObject* value = nullptr;;) {
        context->progress.reached = stream.block().first();
        switch (stream.next(*context, value)) {
            case RecordStream::Step::kValue: {
                const Owned owned = Owned::steal(value);
                if (PyList_Append(list.get(), value) < 0) return nullptr;
                if (OCIOR_UNLIKELY(++count % 4096 == 0) && PyErr_CheckSignals() < 0) return nullptr;
                break;
            }
            case RecordStream::Step::kMore: {
                bool is_last = true;
                if (!text.append_to(stream.block(), is_last)) return PyErr_NoMemory();
                if (is_last) stream.finish();
                break;
            }
            case RecordStream::Step::kEnd: stream.close(); return list.release();
            case RecordStream::Step::kFailed: stream.close(); return nullptr;
        }
    }
}

bool add_record_reader(PyObject* module) noexcept {
    const Owned type = Owned::steal(make_type(module, "ocior.lines.Reader", sizeof(ReaderObject), Py_TPFLAGS_HAVE_GC, reader_slots));
    return type && PyModule_AddObjectRef(module, "RecordReader", type.get()) == 0;
}

}  // namespace ocior::module
