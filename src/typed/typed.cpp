#include "typed/typed.h"

#include <algorithm>

#include "grammar/document.h"
#include "py/taken_error.h"
#include "typed/typed_builder.h"

namespace ocior::typed {
namespace {

template <typename Source>
decode::Scanned read_value(void* reading, decode::Context& context, void* text, std::size_t index) noexcept {
    Session& session = *static_cast<Session*>(reading);
    auto& document = *static_cast<Document<Source>*>(text);
    session.is_utf8 = Source::kUtf8 && session.is_bytes;
    context.allocator.refresh(session.decoder.constants.tricks, session.plan.runs_python);
    TypedBuilder<Source> builder(document.text(), *session.options, session.decoder.constants, context, session);
    const auto found = document.read(builder, index);
    if (OCIOR_UNLIKELY(found.error == Error::kPython) && PyErr_ExceptionMatches(PyExc_StopIteration)) {
        TakenError taken;
        session.stop = Owned::borrow(taken.value());
        PyErr_SetString(PyExc_RuntimeError, "StopIteration");
    }
    return {found.value, static_cast<Py_ssize_t>(found.next), found.error};
}

constexpr decode::ReadValueOf kReadValues[] = {read_value<Utf8Source>, read_value<Latin1Source>, read_value<Ucs2Source>,
                                               read_value<Ucs4Source>};
static_assert(Utf8Source::kIndex == 0 && Latin1Source::kIndex == 1 && Ucs2Source::kIndex == 2 && Ucs4Source::kIndex == 3);

// Positions in bytes of UTF-8 become such in code points: those of every problem, in one walk through the text.
[[nodiscard]] bool to_code_points(PyObject* document, PyObject* problems) noexcept {
    if (PyUnicode_IS_ASCII(document)) return true;
    struct Place {
        Py_ssize_t offset;
        Py_ssize_t problem;
        Py_ssize_t item;
    };
    const Py_ssize_t count = PyList_GET_SIZE(problems);
    Stack<Place> places;
    if (!places.reserve(static_cast<std::size_t>(2 * count) + 1)) return PyErr_NoMemory(), false;
    Place* const first = places.data();
    Place* const last = first + 2 * count;
    for (Py_ssize_t i = 0; i < count; ++i)
        for (const Py_ssize_t item : {2, 3})
            first[2 * i + item - 2] = {PyLong_AsSsize_t(PyTuple_GET_ITEM(PyList_GET_ITEM(problems, i), item)), i, item};
    std::sort(first, last, [](const Place& a, const Place& b) { return a.offset < b.offset; });
    const Py_ssize_t length = PyUnicode_GET_LENGTH(document);
    Py_ssize_t byte = 0, code_point = 0;
    for (Place* place = first; place != last; ++place) {
        for (; byte < place->offset && code_point < length; ++code_point) {
            const Py_UCS4 unit = PyUnicode_READ_CHAR(document, code_point);
            byte += unit < 0x80 ? 1 : unit < 0x800 ? 2 : unit < 0x10000 ? 3 : 4;
        }
        PyObject* const number = PyLong_FromSsize_t(code_point);
        if (!number) return false;
        PyObject* const problem = PyList_GET_ITEM(problems, place->problem);  // which nobody else has seen
        PyObject* const old = PyTuple_GET_ITEM(problem, place->item);
        PyTuple_SET_ITEM(problem, place->item, number);
        Py_DECREF(old);
    }
    return true;
}

// Raises ValidationError.
PyObject* raise_problems(Session& session, PyObject* type, PyObject* input) noexcept {
    const Owned document = decode::text_of(session.decoder, input);
    if (!document || (session.is_utf8 && !to_code_points(document.get(), session.problems.get()))) return nullptr;
    const Owned count = Owned::steal(PyLong_FromSize_t(session.problem_count));
    const Owned none = count ? Owned::steal(PyObject_CallFunctionObjArgs(session.state.raise_errors, document.get(), session.problems.get(),
                                                                         type ? type : Py_None, count.get(), nullptr))
                             : Owned();
    if (none) PyErr_SetString(PyExc_SystemError, "raise_errors() has raised nothing");
    return nullptr;
}

[[nodiscard]] bool get(PyObject* owner, const char* name, PyObject*& to) noexcept {
    return (to = get_attribute(owner, name).release()) != nullptr;
}

}  // namespace

bool open(State& state, decode::State& decoder, PyObject* raw_type) noexcept {
    if (state.is_ready) return true;
    const auto import = [](const char* name) { return Owned::steal(PyImport_ImportModule(name)); };
    const Owned uuid = import("uuid"), decimal = import("decimal"), collections = import("collections"),
                problems = import("ocior._typed.problems"), cache = import("ocior._typed.cache"), describe = import("ocior._typed.hints");
    if (!uuid || !decimal || !collections || !problems || !cache || !describe || !state.moments.open()) return false;
    state.raw_type = raw_type;
    Owned uuid_type = get_attribute(uuid.get(), "UUID"), safety = get_attribute(uuid.get(), "SafeUUID");
    if (!uuid_type || !safety || !get(safety.get(), "unknown", state.unknown_safety) ||
        !get(decimal.get(), "Decimal", state.decimal_type) || !get(collections.get(), "deque", state.deque_type) ||
        !get(problems.get(), "note_path", state.path_note) || !get(problems.get(), "raise_errors", state.raise_errors) ||
        !get(problems.get(), "multiple_of", state.multiple_of) || !get(problems.get(), "ValidationError", state.validation_error) ||
        !get(describe.get(), "compile", state.describe) || !get(cache.get(), "decoder_for", state.decoder_for))
        return false;
    state.uuid_names[0] = PyUnicode_InternFromString("int");
    state.uuid_names[1] = PyUnicode_InternFromString("is_safe");
    state.kept = PyList_New(0);
    if (!state.uuid_names[0] || !state.uuid_names[1] || !state.kept || PyList_Append(state.kept, uuid_type.get()) < 0) return false;
    if (!state.uuid.learn(decoder.constants.tricks, reinterpret_cast<PyTypeObject*>(uuid_type.get()), state.uuid_names, 2,
                          state.uuid_places, state.kept))
        return false;
    (void)decoder.decimals.knows(decoder.constants.tricks, state.decimal_type);
    return state.is_ready = true;
}

namespace {

// Where nobody wants to know more.
OCIOR_COLD void refuse_document() noexcept { PyErr_SetString(PyExc_ValueError, "the document is not of the type"); }

// Longer documents gain nothing from read_short().
constexpr std::size_t kShortDocument = 1024;

// What is read once, with no other memory than the context's and the decoder's: the value, or null, and whether it is not of the type.
struct ReadOnce {
    PyObject* value;
    const std::uint8_t* next;
    bool has_problems;
};
OCIOR_INLINE ReadOnce read_once(State& state, decode::State& decoder, const Decoder& by, Memory& memory, decode::Context& context,
                                const Text<Utf8Source>& text, const std::uint8_t* p, bool is_bytes) noexcept {
    Session session{state, decoder, by.plan, memory, by.any_options, 1, is_bytes};
    session.options = &by.options;
    session.is_exacting = by.is_exacting;
    context.allocator.refresh(decoder.constants.tricks, false);
    TypedBuilder<Utf8Source> builder(text, by.options, decoder.constants, context, session);
    const auto parsed = Parser<Utf8Source, TypedBuilder<Utf8Source>>::run(builder, p);
    return {parsed.value, parsed.next, session.problem_count != 0};
}

// What a short document of ASCII in a str, or of bytes, is, if it is of the type: what decode::loads() does before and after it reads takes
// most of the time then. Null, without an error and without any effect, where the document has to be read in full; with an error where it
// is refused, and nothing has to be told of it. No code of the user runs.
PyObject* read_short(State& state, decode::State& decoder, const Decoder& by, Memory& memory, PyObject* input) noexcept {
    const void* text;
    std::size_t length;
    if (PyBytes_CheckExact(input)) {
        text = PyBytes_AS_STRING(input), length = static_cast<std::size_t>(PyBytes_GET_SIZE(input));
    } else if (PyUnicode_CheckExact(input) && is_compact_ascii(input)) {
        text = ascii_data(input), length = static_cast<std::size_t>(PyUnicode_GET_LENGTH(input));
    } else {
        return nullptr;
    }
    if (length > kShortDocument) return nullptr;
    Document<Utf8Source> document(text, length);
    if (OCIOR_UNLIKELY(!document.is_padded_already())) return nullptr;
    const Lease context(decoder.contexts);
    if (!context) return nullptr;
    const std::uint8_t* const p = document.at(document.skip_whitespace(0));
    const ReadOnce read = read_once(state, decoder, by, memory, *context, document.text(), p, !PyUnicode_Check(input));
    const std::size_t next = document.index_of(read.next);
    const bool is_whole = read.value && (OCIOR_LIKELY(next == length) || document.skip_whitespace(next) == length);
    if (OCIOR_LIKELY(is_whole && !read.has_problems)) return read.value;
    Py_XDECREF(read.value);
    PyErr_Clear();
    if (is_whole && !by.tells_problems) refuse_document();
    return nullptr;
}

}  // namespace

PyObject* loads(State& state, decode::State& decoder, const Decoder& by, PyObject* input) noexcept {
    const Lease memory(by.memories);
    if (!memory) return PyErr_NoMemory();
    memory->ends.clear();
    if (OCIOR_LIKELY(!by.plan.runs_python))
        if (PyObject* const value = read_short(state, decoder, by, *memory, input); OCIOR_LIKELY(value) || PyErr_Occurred()) return value;
    memory->ends.clear();
    decode::Options options = by.options;
    Session session{state, decoder, by.plan, *memory, by.any_options, by.max_errors, !PyUnicode_Check(input)};
    const decode::OtherReader reader{&session, kReadValues};
    options.other_reader = &reader;
    options.has_checks = true;
    session.options = &options;
    session.is_exacting = by.is_exacting;
    const Owned hold = Owned::borrow(input);
    Owned value = Owned::steal(decode::loads(decoder, options, input));
    if (OCIOR_UNLIKELY(session.stop && PyErr_Occurred() && PyErr_ExceptionMatches(PyExc_RuntimeError)))
        PyErr_SetObject(PyExc_StopIteration, session.stop.get());
    if (OCIOR_LIKELY(session.problem_count == 0) || !value) return value.release();
    if (!by.tells_problems) return refuse_document(), nullptr;
    return raise_problems(session, by.type, input);
}

InPlace read_in_place(State& state, decode::State& decoder, const Decoder& by, decode::Context& context, const Text<Utf8Source>& text,
                      const std::uint8_t* p) noexcept {
    const Lease memory(by.memories);
    if (!memory) return {nullptr, p};
    memory->ends.clear();
    const ReadOnce read = read_once(state, decoder, by, *memory, context, text, p, true);
    if (OCIOR_LIKELY(read.value && !read.has_problems)) return {read.value, read.next};
    Py_XDECREF(read.value);
    PyErr_Clear();
    return {nullptr, p};
}

}  // namespace ocior::typed
