// dump: writes the JSON text of a value to a file, in pieces of bounded size, as str or as bytes, whichever the file takes.
#include "module/functions.h"

#include "module/encode_settings.h"
#include "module/typed_encoder.h"
#include "py/callback.h"
#include "py/taken_error.h"

namespace ocior::module {
namespace {

// Writes pieces to a file. Whether it takes str or bytes is known from its type, or learnt when the first piece is written.
class Sink {
public:
    Sink(const JsonEncoding& json, PyObject* file) noexcept : json_(json), file_(file) {
        const auto is_a = [file](PyObject* base) { return PyObject_TypeCheck(file, reinterpret_cast<PyTypeObject*>(base)); };
        is_raw_ = is_a(json.raw_file);
        is_binary_ = is_raw_ || is_a(json.buffered_file);
        takes_ = is_a(json.text_file) ? Takes::kText : is_binary_ && writes_natively() ? Takes::kBytes : Takes::kUnknown;
    }

    bool takes_bytes() const noexcept { return takes_ == Takes::kBytes; }

    // Takes over `piece`, str or bytes. False with an error set.
    [[nodiscard]] bool put(PyObject* piece) noexcept {
        const Owned owned = Owned::steal(piece);
        if (!write_ && !(write_ = Owned::steal(PyObject_GetAttr(file_, json_.write_name)))) return false;
        if (!PyUnicode_Check(piece)) return write(piece);
        if (takes_ == Takes::kBytes) return write_utf8(piece);
        if (write(piece)) return true;
        if (takes_ == Takes::kText) return false;
        return (PyErr_ExceptionMatches(PyExc_TypeError) || (is_binary_ && PyErr_ExceptionMatches(PyExc_AttributeError))) && learn(piece);
    }

private:
    enum class Takes : std::uint8_t { kText, kBytes, kUnknown };

    // Whether write() is native code. One in Python may want str, whatever class the file's is derived from.
    bool writes_natively() noexcept {
        write_ = Owned::steal(PyObject_GetAttr(file_, json_.write_name));
        if (!write_) PyErr_Clear();  // the error comes again when there is something to write
        return write_ && PyCFunction_Check(write_.get());
    }

    Owned call_write(PyObject* piece) noexcept {
        return Owned::steal(call_back(true, " while encoding a JSON object", [&] { return PyObject_CallOneArg(write_.get(), piece); }));
    }

    [[nodiscard]] bool write(PyObject* piece) noexcept {
        Owned count = call_write(piece);
        return count && finish(piece, std::move(count));
    }

    // After a call of write() that raised nothing and returned `count`.
    [[nodiscard]] bool finish(PyObject* piece, Owned count) noexcept {
        if (is_raw_ && PyBytes_Check(piece)) return write_rest(piece, std::move(count));
        if (takes_ == Takes::kUnknown && PyUnicode_Check(piece)) takes_ = Takes::kText;
        return true;
    }

    [[nodiscard]] bool write_utf8(PyObject* text) noexcept {
        const Owned utf8 = Owned::steal(PyUnicode_AsUTF8String(text));
        return utf8 && write(utf8.get());
    }

    // The file has refused the first piece as a str. Tries bytes. Where it refuses these, too, the first error is raised, as json would,
    // but not in the place of an OSError, or of an error that is no Exception.
    [[nodiscard]] bool learn(PyObject* piece) noexcept {
        TakenError refusal;
        const Owned utf8 = Owned::steal(PyUnicode_AsUTF8String(piece));
        if (!utf8) return false;
        takes_ = Takes::kBytes;
        if (Owned count = call_write(utf8.get())) return finish(utf8.get(), std::move(count));
        if (PyErr_ExceptionMatches(PyExc_Exception) && !PyErr_ExceptionMatches(PyExc_OSError)) refusal.restore();
        return false;
    }

    // Writes what is left of `piece`: an unbuffered file may write less than it is given, and `count` is how much that was.
    [[nodiscard]] bool write_rest(PyObject* piece, Owned count) noexcept {
        const Py_ssize_t size = PyBytes_GET_SIZE(piece);
        for (Py_ssize_t written = 0;;) {
            if (count.get() == Py_None) {
                PyErr_SetString(PyExc_BlockingIOError, "write could not complete without blocking");
                return false;
            }
            const Py_ssize_t n = PyNumber_AsSsize_t(count.get(), PyExc_OverflowError);
            if (n == -1 && PyErr_Occurred()) return false;
            if (n < 0 || n > size - written) {
                PyErr_SetString(PyExc_ValueError, "write() returned an impossible count");
                return false;
            }
            written += n;
            if (written == size) return true;
            if (PyErr_CheckSignals() < 0) return false;
            const Owned rest = Owned::steal(PyBytes_FromStringAndSize(PyBytes_AS_STRING(piece) + written, size - written));
            if (!rest || !(count = call_write(rest.get()))) return false;
        }
    }

    const JsonEncoding& json_;
    PyObject* file_;
    Owned write_;
    Takes takes_;
    bool is_raw_;
    bool is_binary_;
};

// Writes what an iterencode() returned that is not ours.
bool put_chunks(Sink& sink, PyObject* chunks) noexcept {
    const Owned iterator = Owned::steal(PyObject_GetIter(chunks));
    while (iterator) {
        PyObject* chunk = PyIter_Next(iterator.get());
        if (!chunk) return !PyErr_Occurred();
        if (!sink.put(chunk)) return false;
    }
    return false;
}

bool put_all(State& state, Sink& sink, EncodeSettings& settings, PyObject* value) noexcept {
    encode::Stream stream(state.encoder, state.constants, settings.options, value);
    while (PyObject* piece = stream.next())
        if (!sink.put(piece) || PyErr_CheckSignals() < 0) return false;
    return !PyErr_Occurred();
}

bool dump_by_object(State& state, Sink& sink, const Arguments& arguments, PyObject* value) noexcept {
    const JsonEncoding& json = state.json_encoding;
    Owned encoder = make_encoder(json, arguments, kDump);
    if (!encoder) return false;
    EncodeSettings settings{.options = kDump.defaults};
    settings.options.to_bytes = sink.takes_bytes();
    if (settings.compile(json, {encoder.get()}, MayOverride::kEncode)) return put_all(state, sink, settings, value);
    if (PyErr_Occurred()) return false;
    const Owned chunks = Owned::steal(PyObject_CallMethodOneArg(encoder.get(), json.iterencode_name, value));
    return chunks && put_chunks(sink, chunks.get());
}

}  // namespace

PyObject* dump(PyObject* module, PyObject* const* values, Py_ssize_t positional, PyObject* kwnames) noexcept {
    State& state = state_of(module);
    const HeldArguments arguments(module, {values, positional, kwnames});
    if (!arguments) return nullptr;
    PyObject* slots[kEncodeSlots] = {};
    const Sorting sorting = sort_arguments(arguments, state.json_encoding.names, slots, 2);
    if (sorting == Sorting::kRefused) return call(state.json_encoding.dump, arguments);
    Sink sink(state.json_encoding, slots[kFile]);
    EncodeSettings settings{.options = kDump.defaults};
    settings.options.to_bytes = sink.takes_bytes();
    const bool knows_all = kDump.knows_all(sorting, slots);
    bool done = false;
    if (knows_all && is_typed(slots)) {
        const Owned value = compile_typed(state, slots, settings) ? prepared(settings.options, slots[kObject]) : Owned();
        done = value && put_all(state, sink, settings, value.get());
    } else {
        done = knows_all && settings.compile(slots) ? put_all(state, sink, settings, slots[kObject])
                                                    : dump_by_object(state, sink, arguments, slots[kObject]);
    }
    if (!done) return nullptr;
    Py_RETURN_NONE;
}

}  // namespace ocior::module
