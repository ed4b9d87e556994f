// The iterator over the records of a source, and lines.loads(), which reads all of a text at once.
#include <new>

#include "module/functions.h"
#include "module/level.h"
#include "module/record_stream.h"
#include "module/utf8_text.h"
#include "py/attribute.h"
#include "py/heap_type.h"
#include "py/memory/pages.h"
#include "py/taken_error.h"

namespace ocior::module {
namespace {

constexpr std::size_t kSlice = 256 * 1024;  // bytes of a text in memory that go through the block at a time

// A text that is in memory already, which is read where it lies if what stands behind it may be read, else by slices.
class TextInMemory {
public:
    // False with an exception set.
    [[nodiscard]] bool open(PyObject* text, stream::Block& block, bool& is_whole) noexcept {
        if (!text_.open(text, "data must be str or bytes-like, not %.100s")) return false;
        is_whole = text_.is_ours() && grammar::may_read_in_place(text_.data() + text_.byte_len());
        if (is_whole) block.lend(text_.data(), text_.byte_len());
        return true;
    }
    // Appends the next slice; `is_last` where nothing follows. False when out of memory.
    [[nodiscard]] bool append(stream::Block& block, bool& is_last) noexcept {
        const std::size_t n = std::min(text_.byte_len() - appended_, kSlice);
        if (!block.append(text_.data() + appended_, n)) return false;
        appended_ += n;
        is_last = appended_ == text_.byte_len();
        return true;
    }
    void close() noexcept { text_.close(); }
    std::size_t byte_len() const noexcept { return text_.byte_len(); }

private:
    Utf8Text text_;
    std::size_t appended_ = 0;  // bytes
};

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

        TextInMemory text;
        RecordStream stream;
        Owned source, read;  // an object with read() and close(), and its method; or none
        Owned read_into;     // its method that writes to memory that it is given, if it has one
        bool is_begun = false;
        std::size_t asked = 0;  // how often for a record
    };

    PyObject_HEAD Body* body;
    PyObject* module;  // owned
};

ReaderObject* as_reader(PyObject* object) noexcept { return reinterpret_cast<ReaderObject*>(object); }

// Lets go of the source, and has it close what it has opened. False with an exception set.
[[nodiscard]] bool close_source(ReaderObject::Body& body) noexcept {
    body.text.close();
    body.read = Owned();
    body.read_into = Owned();
    const Owned source = std::move(body.source);
    return !source || Owned::steal(PyObject_CallMethod(source.get(), "close", nullptr));
}

// Closes the source where an exception is set already, which is what counts.
void close_in_error(ReaderObject::Body& body) noexcept {
    TakenError error;
    if (!close_source(body)) PyErr_Clear();
    error.restore();
}

// Has a file of our own write its next bytes where they are read.
[[nodiscard]] bool read_into(ReaderObject::Body& body) noexcept {
    stream::Block& block = body.stream.block();
    auto* const room = reinterpret_cast<char*>(block.room_for(kSlice));
    if (!room) return PyErr_NoMemory(), false;
    const Owned view = Owned::steal(PyMemoryView_FromMemory(room, kSlice, PyBUF_WRITE)), read = Owned::borrow(body.read_into.get());
    if (!view) return false;
    const Owned count = Owned::steal(PyObject_CallOneArg(read.get(), view.get()));
    if (!count) {  // its traceback has the view, which may outlive the block
        TakenError error;
        if (!Owned::steal(PyObject_CallMethod(view.get(), "release", nullptr))) PyErr_Clear();
        error.restore();
        return false;
    }
    if (!Owned::steal(PyObject_CallMethod(view.get(), "release", nullptr))) return false;
    if (count.get() == Py_None) return body.stream.finish(), true;
    const Py_ssize_t n = PyLong_AsSsize_t(count.get());
    if (n < 0 || n > static_cast<Py_ssize_t>(kSlice)) {
        if (!PyErr_Occurred()) PyErr_SetString(PyExc_ValueError, "read_into() has returned a wrong number");
        return false;
    }
    block.add(static_cast<std::size_t>(n));
    return true;
}

// Has the next bytes appended, or the stream finished. False with an exception set.
[[nodiscard]] bool fill(ReaderObject::Body& body) noexcept {
    if (!body.source) {
        bool is_last = true;
        if (!body.text.append(body.stream.block(), is_last)) return PyErr_NoMemory(), false;
        if (is_last) body.stream.finish();
        return PyErr_CheckSignals() == 0;
    }
    if (body.read_into) return read_into(body);
    const Owned read = Owned::borrow(body.read.get());
    const Owned chunk = Owned::steal(PyObject_CallNoArgs(read.get()));
    if (!chunk) return false;
    if (chunk.get() == Py_None) return body.stream.finish(), true;
    if (!body.is_begun) {
        body.is_begun = true;
        const Owned offset = get_attribute(body.source.get(), "offset");
        const unsigned long long number = offset ? PyLong_AsUnsignedLongLong(offset.get()) : 0;
        if (PyErr_Occurred()) return false;
        body.stream.block().begin_at(number);
        const Owned name = Owned::steal(PyUnicode_InternFromString("read_into"));
        if (name) body.read_into = find_attribute(body.source.get(), name.get());
        if (PyErr_Occurred()) return false;
        if (body.read_into.get() == Py_None) body.read_into = Owned();
    }
    return body.stream.append(chunk.get());
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
                (void)close_source(body);
                return nullptr;
            case RecordStream::Step::kFailed:
                if (body.stream.has_ended()) {
                    close_in_error(body);
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
    if (PyBytes_CheckExact(source)) {
        bool is_whole;
        if (!body->text.open(source, body->stream.block(), is_whole)) return nullptr;
        if (is_whole) body->stream.finish();
        return Owned::borrow(self.get()).release();
    }
    body->read = get_attribute(source, "read");
    body->stream.name = body->read ? get_attribute(source, "name") : Owned();
    if (!body->stream.name) return nullptr;
    body->source = Owned::borrow(source);
    return Owned::borrow(self.get()).release();
}

PyObject* close_reader(PyObject* self, PyObject*) noexcept {
    const Owned hold = Owned::borrow(self);
    ReaderObject& reader = *as_reader(self);
    if (!reader.body) Py_RETURN_NONE;
    const Turn turn(reader.body->stream.lock);
    if (!turn) return nullptr;
    reader.body->stream.close();
    if (!close_source(*reader.body)) return nullptr;
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
    Py_VISIT(reader.body->source.get());
    Py_VISIT(reader.body->read.get());
    Py_VISIT(reader.body->read_into.get());
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
    if (!reader.body || !reader.body->source) return;
    TakenError error;
    if (!close_source(*reader.body)) PyErr_WriteUnraisable(self);
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
    bool is_whole;
    if (!stream.settings.read(state, module, arguments.values + 1, kwnames, stream::Framing::kLines) || !stream.open() ||
        !text.open(arguments.values[0], stream.block(), is_whole))
        return nullptr;
    if (is_whole) stream.finish();
    Owned list = Owned::steal(PyList_New(0));
    if (!list) return nullptr;
    const Lease context(state.decoder.contexts);
    if (!context) return PyErr_NoMemory();
    const OneCall one_call(state.constants.tricks, *context);
    const std::uint8_t* const first = stream.block().first();
    context->progress = {first, first, stream.block().last(), 1, 0};
    const DocumentMemory memory(state.constants.tricks, text.byte_len(), is_whole ? &context->progress : nullptr);
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
                if (!text.append(stream.block(), is_last)) return PyErr_NoMemory();
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
