// Feeds: records out of chunks of text that somebody pushes.
#include <new>

#include "module/functions.h"
#include "module/level.h"
#include "module/record_stream.h"
#include "py/heap_type.h"
#include "py/taken_error.h"

namespace ocior::module {
namespace {

struct FeedObject {
    struct Body {
        Body(State& state, stream::Framing framing) noexcept : stream(state, framing) {}

        // An empty list. With a GIL one that was given out before, where nobody has it any more: of two, for the caller mostly has the
        // last.
        OCIOR_INLINE PyObject* no_values() noexcept {
#ifdef Py_GIL_DISABLED
            return PyList_New(0);
#else
            std::swap(empty, last_empty);
            if (OCIOR_UNLIKELY(!empty || Py_REFCNT(empty.get()) != 1 || PyList_GET_SIZE(empty.get()) != 0))
                empty = Owned::steal(PyList_New(0));
            return empty ? new_ref(empty.get()) : nullptr;
#endif
        }

        RecordStream stream;
        Owned empty, last_empty;
        Owned late_type, late_value, late_traceback;  // an exception that the next call raises, for values came before it
    };

    PyObject_HEAD Body* body;
    PyObject* module;  // owned
};

FeedObject* as_feed(PyObject* object) noexcept { return reinterpret_cast<FeedObject*>(object); }

template <stream::Framing framing>
PyObject* new_feed(PyTypeObject* cls, PyObject* arguments, PyObject* keywords) noexcept {
    PyObject* const module = module_of_type(cls);
    if (!module) return nullptr;
    State& state = state_of(module);
    if (PyTuple_GET_SIZE(arguments) != 0) return PyErr_SetString(PyExc_TypeError, "Feed() takes keyword arguments only"), nullptr;
    const Owned self = Owned::steal(cls->tp_alloc(cls, 0));
    if (!self) return nullptr;
    FeedObject& feed = *as_feed(self.get());
    feed.module = new_ref(module);
    auto* const body = feed.body = new (std::nothrow) FeedObject::Body(state, framing);
    if (!body) return PyErr_NoMemory();
    if (!body->stream.settings.read(state, module, keywords, framing) || !body->stream.open()) return nullptr;
    return Owned::borrow(self.get()).release();
}

// The values that are complete. Where an exception follows some of them, it is kept for the next call. Null with an exception set.
PyObject* take_values(FeedObject::Body& body) noexcept {
    Owned list;
    const std::uint64_t offset = body.stream.offset();
    for (PyObject* value = nullptr;;) {
        const RecordStream::Step step = body.stream.next(value);
        if (step == RecordStream::Step::kValue) {
            const Owned owned = Owned::steal(value);
            if (!list) list = Owned::steal(PyList_New(0));
            if (OCIOR_LIKELY(list && PyList_Append(list.get(), value) == 0)) continue;
        } else if (step != RecordStream::Step::kFailed) {
            break;
        }
        if (!list || PyList_GET_SIZE(list.get()) == 0) return nullptr;
        PyObject *type, *error, *traceback;
        PyErr_Fetch(&type, &error, &traceback);
        body.late_type = Owned::steal(type);
        body.late_value = Owned::steal(error);
        body.late_traceback = Owned::steal(traceback);
        break;
    }
    if (body.stream.offset() != offset) body.stream.forget_snapshots();
    return list ? list.release() : body.no_values();
}

// Raises the exception that was kept. False where there is none.
bool raise_late(FeedObject::Body& body) noexcept {
    if (OCIOR_LIKELY(!body.late_type)) return false;
    PyErr_Restore(body.late_type.release(), body.late_value.release(), body.late_traceback.release());
    return true;
}

// Calls act(body), where the feed may be used.
template <typename Act>
OCIOR_INLINE PyObject* use(PyObject* self, Act&& act) noexcept {
    const Owned hold = Owned::borrow(self);
    FeedObject& feed = *as_feed(self);
    if (OCIOR_UNLIKELY(!feed.body || !feed.module)) return refuse_late_call();
    const Turn turn(feed.body->stream.lock);
    return turn ? act(*feed.body) : nullptr;
}

PyObject* refuse_closed() noexcept { return PyErr_SetString(PyExc_ValueError, "the feed is closed, or has ended with an error"), nullptr; }

PyObject* push(PyObject* self, PyObject* chunk) noexcept {
    const Owned hold = Owned::borrow(chunk);
    return use(self, [chunk](FeedObject::Body& body) -> PyObject* {
        if (OCIOR_UNLIKELY(body.stream.has_ended())) return raise_late(body) ? nullptr : refuse_closed();
        const bool is_within_line = body.stream.append_within_line(chunk);
        if (OCIOR_UNLIKELY(!is_within_line && !body.stream.append(chunk))) return nullptr;
        // Behind an exception of the user's the reading goes on: the chunk is read by the next call.
        if (OCIOR_UNLIKELY(raise_late(body))) return nullptr;
        return is_within_line ? body.no_values() : take_values(body);
    });
}

PyObject* close_feed(PyObject* self, PyObject*) noexcept {
    return use(self, [](FeedObject::Body& body) -> PyObject* {
        if (raise_late(body)) return nullptr;
        if (!body.stream.is_open()) return PyList_New(0);
        body.stream.finish();
        PyObject* const values = take_values(body);
        body.stream.close();
        return values;
    });
}

PyObject* snapshot(PyObject* self, PyObject* const* values, Py_ssize_t positional, PyObject* kwnames) noexcept {
    const Py_ssize_t keyword_count = kwnames ? PyTuple_GET_SIZE(kwnames) : 0;
    if (positional + keyword_count > 1)
        return PyErr_Format(PyExc_TypeError, "snapshot() takes at most 1 argument (%zd given)", positional + keyword_count), nullptr;
    if (keyword_count != 0 && PyUnicode_CompareWithASCIIString(PyTuple_GET_ITEM(kwnames, 0), "strings") != 0)
        return PyErr_Format(PyExc_TypeError, "snapshot() got an unexpected keyword argument %R", PyTuple_GET_ITEM(kwnames, 0)), nullptr;
    const int with_strings = positional + keyword_count == 0 ? 1 : PyObject_IsTrue(values[0]);
    if (with_strings < 0) return nullptr;
    return use(self, [with_strings](FeedObject::Body& body) -> PyObject* {
        if (raise_late(body)) return nullptr;
        if (!body.stream.is_open()) return new_ref(Py_None);
        return body.stream.snapshot(with_strings != 0);
    });
}

template <std::uint64_t (*get)(RecordStream&) noexcept>
PyObject* number_of(PyObject* self, void*) noexcept {
    const Owned hold = Owned::borrow(self);
    FeedObject& feed = *as_feed(self);
    if (!feed.body) return refuse_late_call();
    const Turn turn(feed.body->stream.lock);
    return turn ? PyLong_FromUnsignedLongLong(get(feed.body->stream)) : nullptr;
}

int visit_feed(PyObject* self, visitproc visit, void* arg) noexcept {
    Py_VISIT(Py_TYPE(self));
    const FeedObject& feed = *as_feed(self);
    Py_VISIT(feed.module);
    if (!feed.body) return 0;
    Py_VISIT(feed.body->empty.get());
    Py_VISIT(feed.body->last_empty.get());
    Py_VISIT(feed.body->late_type.get());
    Py_VISIT(feed.body->late_value.get());
    Py_VISIT(feed.body->late_traceback.get());
    return feed.body->stream.visit(visit, arg);
}

int clear_feed(PyObject* self) noexcept {
    FeedObject& feed = *as_feed(self);
    delete std::exchange(feed.body, nullptr);
    Py_CLEAR(feed.module);
    return 0;
}

PyDoc_STRVAR(push_doc,
             "push($self, chunk, /)\n"
             "--\n\n"
             "The list of the values that have become complete by a chunk of text: bytes-like,\n"
             "cut anywhere, or str.\n\n"
             "Raises RecordError for a value that is wrong; where others are complete before\n"
             "it in the chunk, these are returned, and the next call raises. Raises ValueError\n"
             "after close(), and after an error.\n\n"
             "    >>> feed = Feed()\n"
             "    >>> feed.push(b'{\"a\": [1, 2'), feed.push(b']} {')\n"
             "    ([], [{'a': [1, 2]}])");
PyDoc_STRVAR(close_doc,
             "close($self, /)\n"
             "--\n\n"
             "The list of the values that the end of the text completes, such as a number.\n\n"
             "Raises RecordError where the text ends inside of a value.");
PyDoc_STRVAR(snapshot_doc,
             "snapshot($self, /, strings=True)\n"
             "--\n\n"
             "What has come so far of the value that is not complete: open lists and dicts\n"
             "with what is complete in them, and, unless strings is false, the beginning of an\n"
             "open string. No half number, word, key or surrogate pair; None where nothing can\n"
             "be told. Policies count, but neither hooks, fields nor the type. Lists and dicts\n"
             "that are complete are the same objects in each snapshot. Takes time in proportion\n"
             "to what is open.\n\n"
             "Raises RecordError where the text is wrong already. Does not change what push()\n"
             "returns or raises.\n\n"
             "    >>> feed = Feed()\n"
             "    >>> feed.push('{\"a\": [1, 2, \"thr')\n"
             "    []\n"
             "    >>> feed.snapshot()\n"
             "    {'a': [1, 2, 'thr']}");
PyDoc_STRVAR(value_feed_doc,
             "Feed(**options)\n"
             "--\n\n"
             "Reads JSON values out of a text that comes in chunks: one behind the other, with\n"
             "white space, nothing, or record separators (RFC 7464) between them.\n\n"
             "Options are those of values(). Takes time in proportion to the text, however\n"
             "small the chunks are.");
PyDoc_STRVAR(line_feed_doc,
             "Feed(**options)\n"
             "--\n\n"
             "Reads JSON Lines out of a text that comes in chunks. Options are those of\n"
             "lines.read(). Takes time in proportion to the text, however small the chunks are.");

PyMethodDef feed_methods[] = {{"push", push, METH_O, push_doc},
                              {"close", close_feed, METH_NOARGS, close_doc},
                              {"snapshot", as_method(snapshot), METH_FASTCALL | METH_KEYWORDS, snapshot_doc},
                              {"__class_getitem__", Py_GenericAlias, METH_O | METH_CLASS, nullptr},
                              {nullptr, nullptr, 0, nullptr}};
PyGetSetDef feed_attributes[] = {{"skipped", number_of<[](RecordStream& stream) noexcept { return stream.skipped(); }>, nullptr,
                                  "How many bad records were passed over.", nullptr},
                                 {"dropped", number_of<[](RecordStream& stream) noexcept { return stream.dropped(); }>, nullptr,
                                  "How many bytes of a torn end were dropped.", nullptr},
                                 {nullptr, nullptr, nullptr, nullptr, nullptr}};

template <stream::Framing framing>
[[nodiscard]] bool add_feed(PyObject* module, const char* type_name, const char* name, const char* doc) noexcept {
    PyType_Slot slots[] = {
        {Py_tp_doc, const_cast<char*>(doc)},
        {Py_tp_new, reinterpret_cast<void*>(new_feed<framing>)},
        {Py_tp_dealloc, reinterpret_cast<void*>(dealloc_heap_object<clear_feed>)},
        {Py_tp_traverse, reinterpret_cast<void*>(visit_feed)},
        {Py_tp_clear, reinterpret_cast<void*>(clear_feed)},
        {Py_tp_methods, feed_methods},
        {Py_tp_getset, feed_attributes},
        {0, nullptr},
    };
    const Owned type = Owned::steal(make_type(module, type_name, sizeof(FeedObject), Py_TPFLAGS_HAVE_GC, slots));
    return type && PyModule_AddObjectRef(module, name, type.get()) == 0;
}

}  // namespace

bool add_record_feeds(PyObject* module) noexcept {
    return add_feed<stream::Framing::kLines>(module, "ocior.lines.Feed", "LineFeed", line_feed_doc) &&
           add_feed<stream::Framing::kValues>(module, "ocior.Feed", "ValueFeed", value_feed_doc);
}

}  // namespace ocior::module
