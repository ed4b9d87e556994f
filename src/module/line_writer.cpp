#include "module/line_writer.h"

#include <new>

#include "module/encode_settings.h"
#include "module/functions.h"
#include "module/level.h"
#include "module/line_objects.h"
#include "module/typed_encoder.h"
#include "module/waiting_lines.h"
#include "py/heap_type.h"

namespace ocior::module {
namespace {

constexpr EncodeFunction kDumpLines = {.defaults = {}, .extra = kObject, .name = "dumps", .kept = nullptr};
constexpr EncodeFunction kDumpLinesToBytes = {
    .defaults = kDumpsToBytes.defaults, .extra = kWriteCache, .name = "dumps_to_bytes", .kept = nullptr};
constexpr EncodeFunction kLineEncoder = {.defaults = kDumpsToBytes.defaults, .extra = kWriteCache, .name = "LineEncoder", .kept = nullptr};

// ---- what the lines are told ----

template <CodeUnit Unit>
bool has_line_end(const Unit* units, std::size_t length) noexcept {
    for (std::size_t i = 0; i < length; ++i)
        if (units[i] == '\n') return true;
    return false;
}

bool has_line_end(const encode::Separator& separator) noexcept {
    if (!separator.data) return has_line_end(reinterpret_cast<const std::uint8_t*>(&separator.word), separator.length);
    if (separator.width == 1) return has_line_end(static_cast<const std::uint8_t*>(separator.data), separator.length);
    if (separator.width == 2) return has_line_end(static_cast<const std::uint16_t*>(separator.data), separator.length);
    return has_line_end(static_cast<const std::uint32_t*>(separator.data), separator.length);
}

// The options of a call, compiled once for all values.
class LineSettings {
public:
    LineSettings() noexcept = default;
    LineSettings(const LineSettings& other) noexcept
        : settings_(other.settings_.copy(other.settings_.options.default_hook)), encoder_(Owned::borrow(other.encoder_.get())) {}
    LineSettings& operator=(const LineSettings&) = delete;

    // The values of `arguments` begin with the objects that are to be written. False with an error set.
    [[nodiscard]] bool compile(State& state, const EncodeFunction& function, const Arguments& arguments) noexcept;

    const encode::Options& options() const noexcept { return settings_.options; }

    // Writes a line, for a value that the caller keeps alive. False with an error set.
    [[nodiscard]] OCIOR_INLINE bool add(const State& state, encode::Lines& lines, PyObject* value) const noexcept {
        if (OCIOR_UNLIKELY(static_cast<bool>(encoder_))) return add_by_encoder(state, lines, value);
        if (OCIOR_LIKELY(!settings_.options.plans)) return lines.add(value);
        const Owned other = prepared(settings_.options, value);
        return other && lines.add(other.get());
    }

    int traverse(visitproc visit, void* arg) const noexcept {
        Py_VISIT(settings_.hook.get());
        Py_VISIT(settings_.plans.get());
        Py_VISIT(encoder_.get());
        return 0;
    }

private:
    [[nodiscard]] bool compile_by_object(const JsonEncoding& json, const EncodeFunction& function, const Arguments& arguments) noexcept;
    [[nodiscard]] bool add_by_encoder(const State& state, encode::Lines& lines, PyObject* value) const noexcept;

    EncodeSettings settings_{.options = {}};
    Owned encoder_;  // of the user's class: its encode() gives the text of each line. Empty where the settings say all
};

// Makes an encoder object: of the user's class `cls`, or of json's own where arguments are to be refused in json's words.
bool LineSettings::compile_by_object(const JsonEncoding& json, const EncodeFunction& function, const Arguments& arguments) noexcept {
    Owned encoder = make_encoder(json, arguments, function);
    if (!encoder) return false;
    EncodeSettings settings{.options = function.defaults};
    settings.options.write_cache = settings_.options.write_cache;
    if (settings.compile(json, {encoder.get()}, MayOverride::kNothing)) {
        settings_ = std::move(settings);
        return true;
    }
    if (PyErr_Occurred()) return false;
    // What encode() returns is written as ready JSON, of which nothing is escaped.
    settings_ = EncodeSettings{.options = function.defaults};
    settings_.options.ensure_ascii = false;
    encoder_ = std::move(encoder);
    return true;
}

bool LineSettings::compile(State& state, const EncodeFunction& function, const Arguments& arguments) noexcept {
    PyObject* slots[kEncodeSlots] = {};
    const Sorting sorting = arguments.positional == 1 ? sort_arguments(arguments, state.json_encoding.names, slots) : Sorting::kRefused;
    if (sorting == Sorting::kRefused) {
        if (arguments.positional != 1) return refuse_arguments(function.name, arguments, "objects"), false;
        return PyErr_Format(PyExc_TypeError, "%s() got an unexpected keyword argument '%s'", function.name, kEncodeNames[kObject]), false;
    }
    if (slots[kIndent] && slots[kIndent] != Py_None)
        return PyErr_Format(PyExc_TypeError, "%s() takes no indent: a record takes one line", function.name), false;
    settings_.options = function.defaults;
    if (function.extra == kWriteCache) {
        bool& write_cache = settings_.options.write_cache;
        write_cache = state.write_cache;
        PyObject* const given = slots[kWriteCache];
        if (given && given != Py_None && !read_flag(given, false, write_cache)) return false;
    }
    const bool knows_all = function.knows_all(sorting, slots);
    if (knows_all && is_typed(slots)) {
        if (!compile_typed(state, slots, settings_)) return false;
    } else if (knows_all && settings_.compile(slots)) {
        settings_.hook = Owned::borrow(settings_.options.default_hook);
    } else if (!compile_by_object(state.json_encoding, function, arguments)) {
        return false;
    }
    const encode::Options& options = settings_.options;
    if (options.pretty) return PyErr_Format(PyExc_TypeError, "the encoder has an indent, and a record takes one line"), false;
    if (!has_line_end(options.item) && !has_line_end(options.key)) return true;
    return PyErr_Format(PyExc_ValueError, "separators with a line end: a record takes one line"), false;
}

bool LineSettings::add_by_encoder(const State& state, encode::Lines& lines, PyObject* value) const noexcept {
    PyTypeObject* const raw_type = state.encoder.own.raw_type;
    if (!raw_type) return refuse_late_call(), false;
    Owned text = Owned::steal(PyObject_CallMethodOneArg(encoder_.get(), state.json_encoding.encode_name, value));
    if (!text) return false;
    if (PyUnicode_Check(text.get())) {
        text = Owned::steal(PyUnicode_FromObject(text.get()));
    } else if (!options().to_bytes || !PyBytes_CheckExact(text.get())) {
        return PyErr_Format(PyExc_TypeError, "%.200s.encode() returned %.200s, not str", Py_TYPE(encoder_.get())->tp_name,
                            Py_TYPE(text.get())->tp_name),
               false;
    }
    const Owned raw = text ? Owned::steal(raw_type->tp_alloc(raw_type, 0)) : Owned();
    if (!raw) return false;
    reinterpret_cast<encode::RawObject*>(raw.get())->text = text.release();
    return lines.add(raw.get());
}

// ---- what is written ----

template <const EncodeFunction& function>
PyObject* dump_all(PyObject* module, const Arguments& lent) noexcept {
    State& state = state_of(module);
    const HeldArguments arguments(module, lent);
    LineSettings settings;
    Objects objects;
    if (!arguments || !settings.compile(state, function, arguments) || !objects.open(state, settings.options(), arguments.values[0]))
        return nullptr;
    if (encode::ArrowRows* const rows = objects.text_of_rows()) return dump_rows(*rows, settings.options().to_bytes);
    encode::Lines lines(state.encoder, state.constants, settings.options());
    if (!lines.start(0)) return nullptr;
    while (const Owned object = objects.next())
        if (!settings.add(state, lines, object.get())) return nullptr;
    return PyErr_Occurred() ? nullptr : lines.finish();
}

// ---- LineEncoder ----

constexpr Py_ssize_t kBlockBytes = 256 * 1024;

struct Body {
    LineSettings settings;
    Objects objects;
    std::size_t block_bytes = kBlockBytes;
    std::atomic<std::size_t> count = 0;  // of the lines in all blocks so far, and of those that were gathered
    WaitingLines waiting = {};
    arrow::RowText text = {};  // of rows
    std::optional<TakenError> error = {};  // to be raised once the lines before it are out
};

struct LineEncoderObject {
    PyObject_HEAD PyObject* module;  // owned: keeps the module's state alive
    Body* body;
    std::atomic<bool> is_running;
};
LineEncoderObject* as_line_encoder(PyObject* object) noexcept { return reinterpret_cast<LineEncoderObject*>(object); }

// An object that takes the Body over. Empty with an error set, then it does not.
Owned new_line_encoder(PyTypeObject* type, PyObject* module, Body* body) noexcept {
    Owned self = Owned::steal(type->tp_alloc(type, 0));
    if (!self) return {};
    as_line_encoder(self.get())->module = new_ref(module);
    as_line_encoder(self.get())->body = body;
    return self;
}

// False with an error set.
bool read_block_bytes(PyObject* given, std::size_t& block_bytes) noexcept {
    const Py_ssize_t size = PyNumber_AsSsize_t(given, PyExc_OverflowError);
    if (size == -1 && PyErr_Occurred()) return false;
    if (size < 1) return PyErr_Format(PyExc_ValueError, "block_bytes must be positive, not %zd", size), false;
    block_bytes = static_cast<std::size_t>(size);
    return true;
}

PyObject* line_encoder_new(PyTypeObject* type, PyObject* positional, PyObject* keywords) noexcept {
    PyObject* const module = module_of_type(type);
    if (!module) return nullptr;
    const Owned hold_positional = Owned::borrow(positional), hold_keywords = Owned::borrow(keywords);  // see HeldArguments
    const Py_ssize_t count = PyTuple_GET_SIZE(positional);
    if (count < 1 || count > 2)
        return PyErr_Format(PyExc_TypeError, "LineEncoder() takes 1 or 2 positional arguments, objects and block_bytes (%zd given)", count);
    PyObject* const objects = PyTuple_GET_ITEM(positional, 0);
    ConstructorArguments given;
    if (!given.take(objects, keywords)) return nullptr;
    // The object comes last: until it has all, Python code that runs meanwhile does not find it.
    Body* const body = new (std::nothrow) Body;
    if (!body) return PyErr_NoMemory();
    Owned self;
    if ((count == 1 || read_block_bytes(PyTuple_GET_ITEM(positional, 1), body->block_bytes)) &&
        body->settings.compile(state_of(module), kLineEncoder, given.get()) &&
        body->objects.open(state_of(module), body->settings.options(), objects))
        self = new_line_encoder(type, module, body);
    if (!self) delete body;
    return self.release();
}

int line_encoder_traverse(PyObject* self, visitproc visit, void* arg) noexcept {
    const LineEncoderObject* const encoder = as_line_encoder(self);
    Py_VISIT(Py_TYPE(self));
    Py_VISIT(encoder->module);
    const Body* const body = encoder->body;
    if (!body) return 0;
    if (const int stop = body->settings.traverse(visit, arg)) return stop;
    if (const int stop = body->objects.traverse(visit, arg)) return stop;
    return body->error ? body->error->traverse(visit, arg) : 0;
}
int line_encoder_clear(PyObject* self) noexcept {
    delete std::exchange(as_line_encoder(self)->body, nullptr);
    Py_CLEAR(as_line_encoder(self)->module);
    return 0;
}

// What next_block() does where rows are text.
PyObject* next_block_of_rows(Body& body, encode::ArrowRows& rows) noexcept {
    const std::size_t before = rows.count();
    body.text.used = 0;
    const bool is_written = rows.write(body.text, body.block_bytes);
    const std::size_t count = rows.count() - before;
    if (body.text.used < body.block_bytes) body.objects.end();
    if (body.text.used == 0) return nullptr;
    if (!is_written) body.error.emplace();
    PyObject* const block =
        PyBytes_FromStringAndSize(reinterpret_cast<const char*>(body.text.data()), static_cast<Py_ssize_t>(body.text.used));
    if (block) body.count += count;
    else body.error.reset();
    return block;
}

// The next block, or null: at the end, or with an error set.
PyObject* next_block(State& state, Body& body) noexcept {
    if (body.error) {
        body.error->restore();
        body.error.reset();
        return nullptr;
    }
    if (encode::ArrowRows* const rows = body.objects.text_of_rows()) return next_block_of_rows(body, *rows);
    encode::Lines lines(state.encoder, state.constants, body.settings.options());
    std::size_t count = 0;
    bool is_written = lines.start(body.block_bytes);
    while (is_written && lines.length() < body.block_bytes) {
        const Owned object = body.objects.next();
        is_written = object && body.settings.add(state, lines, object.get());
        count += is_written;
    }
    if (!is_written) {
        body.objects.end();
        if (lines.length() == 0) return nullptr;
        if (PyErr_Occurred()) body.error.emplace();
    }
    PyObject* const block = lines.finish();
    if (block) body.count += count;
    else body.error.reset();
    return block;
}

PyObject* line_encoder_next(PyObject* self) noexcept {
    LineEncoderObject* const encoder = as_line_encoder(self);
    if (!encoder->body) return refuse_late_call();
    if (encoder->is_running.exchange(true)) return PyErr_SetString(PyExc_ValueError, "the LineEncoder is in use already"), nullptr;
    const Owned hold = Owned::borrow(self);
    PyObject* const block = next_block(state_of(encoder->module), *encoder->body);
    encoder->is_running = false;
    return block;
}

PyObject* line_encoder_encode(PyObject* self, PyObject* value) noexcept {
    const LineEncoderObject* const encoder = as_line_encoder(self);
    if (!encoder->body) return refuse_late_call();
    const Owned hold = Owned::borrow(self);
    State& state = state_of(encoder->module);
    if (has_rows(state, value)) Py_RETURN_NONE;
    const LineSettings& settings = encoder->body->settings;
    encode::Lines lines(state.encoder, state.constants, settings.options());
    return lines.start(0) && settings.add(state, lines, value) ? lines.finish() : nullptr;
}

PyObject* line_encoder_gather(PyObject* self, PyObject* value) noexcept {
    Owned line = Owned::steal(line_encoder_encode(self, value));
    if (!line || line.get() == Py_None) return line.release();
    Body& body = *as_line_encoder(self)->body;
    std::size_t byte_len;
    {
        const Locked lock(self);
        if (!body.waiting.add(line.get())) return nullptr;
        byte_len = body.waiting.byte_len();
    }
    ++body.count;
    return PyLong_FromSize_t(byte_len);
}

PyObject* line_encoder_take(PyObject* self, PyObject* is_last) noexcept {
    Body* const body = as_line_encoder(self)->body;
    if (!body) return refuse_late_call();
    const Locked lock(self);
    return body->waiting.take(is_last == Py_True);
}

PyObject* line_encoder_blocks(PyObject* self, PyObject* objects) noexcept {
    const LineEncoderObject* const encoder = as_line_encoder(self);
    if (!encoder->body) return refuse_late_call();
    const Owned hold = Owned::borrow(self);
    Body* const body =
        new (std::nothrow) Body{.settings = encoder->body->settings, .objects = {}, .block_bytes = encoder->body->block_bytes};
    if (!body) return PyErr_NoMemory();
    Owned other = body->objects.open(state_of(encoder->module), body->settings.options(), objects)
                      ? new_line_encoder(Py_TYPE(self), encoder->module, body)
                      : Owned();
    if (!other) delete body;
    return other.release();
}

PyObject* line_encoder_count(PyObject* self, void*) noexcept {
    const Body* const body = as_line_encoder(self)->body;
    return body ? PyLong_FromSize_t(body->count) : refuse_late_call();
}

PyDoc_STRVAR(encode_doc,
             "encode($self, obj, /)\n"
             "--\n\n"
             "The line of obj: its JSON text in UTF-8 bytes, and a line feed. None where obj\n"
             "has rows, each of which has a line: see blocks.\n\n"
             "Threads may share an encoder for that. Raises what dumps_to_bytes raises.\n\n"
             "    >>> LineEncoder(()).encode({'a': 1})\n"
             "    b'{\"a\":1}\\n'");
PyDoc_STRVAR(gather_doc,
             "gather($self, obj, /)\n"
             "--\n\n"
             "Puts the line of obj behind those that wait, and returns how many bytes wait\n"
             "now. None where encode returns that. Raises what encode raises, and ValueError\n"
             "after take(True).");
PyDoc_STRVAR(take_doc,
             "take($self, is_last, /)\n"
             "--\n\n"
             "The bytes of the lines that wait, which wait no longer. With True none is\n"
             "gathered any more.");
PyDoc_STRVAR(blocks_doc,
             "blocks($self, objects, /)\n"
             "--\n\n"
             "A new LineEncoder of these objects, with the same options, which are not read\n"
             "again.");
PyDoc_STRVAR(line_encoder_doc,
             "LineEncoder(objects, block_bytes=262144, /, **options)\n"
             "--\n\n"
             "An iterator over the lines of the objects in blocks, bytes of whole lines, each\n"
             "ended by a line feed. A block ends with the line that makes it as long as\n"
             "block_bytes, so that memory stays bounded.\n\n"
             "objects is any iterable but a dict, a str or bytes, or a table: an object with\n"
             "__arrow_c_stream__ or __arrow_c_array__, of which each row has a line. The\n"
             "options are those of dump_lines_to_bytes, which the lines are equal to; they\n"
             "are read once.\n\n"
             "Where an object cannot be written, or the iterable raises, the lines before it\n"
             "come first, then the exception; with it the iterator has ended. Raises\n"
             "TypeError and ValueError as dump_lines_to_bytes does, and ValueError for\n"
             "block_bytes below 1 and where two threads ask for a block at the same time.\n\n"
             "    >>> list(LineEncoder([{'a': 1}, [2.5]]))\n"
             "    [b'{\"a\":1}\\n[2.5]\\n']");

PyMethodDef line_encoder_methods[] = {
    {"encode", line_encoder_encode, METH_O, encode_doc},
    {"gather", line_encoder_gather, METH_O, gather_doc},
    {"take", line_encoder_take, METH_O, take_doc},
    {"blocks", line_encoder_blocks, METH_O, blocks_doc},
    {nullptr, nullptr, 0, nullptr},
};
PyGetSetDef line_encoder_attributes[] = {
    {"count", line_encoder_count, nullptr, "How many lines there were in all blocks so far, and were gathered.", nullptr},
    {nullptr, nullptr, nullptr, nullptr, nullptr},
};
PyType_Slot line_encoder_slots[] = {
    {Py_tp_doc, const_cast<char*>(line_encoder_doc)},
    {Py_tp_new, reinterpret_cast<void*>(line_encoder_new)},
    {Py_tp_dealloc, reinterpret_cast<void*>(dealloc_heap_object<line_encoder_clear>)},
    {Py_tp_traverse, reinterpret_cast<void*>(line_encoder_traverse)},
    {Py_tp_clear, reinterpret_cast<void*>(line_encoder_clear)},
    {Py_tp_iter, reinterpret_cast<void*>(PyObject_SelfIter)},
    {Py_tp_iternext, reinterpret_cast<void*>(line_encoder_next)},
    {Py_tp_methods, line_encoder_methods},
    {Py_tp_getset, line_encoder_attributes},
    {0, nullptr},
};

}  // namespace

PyObject* dump_lines(PyObject* module, PyObject* const* values, Py_ssize_t positional, PyObject* kwnames) noexcept {
    return dump_all<kDumpLines>(module, {values, positional, kwnames});
}
PyObject* dump_lines_to_bytes(PyObject* module, PyObject* const* values, Py_ssize_t positional, PyObject* kwnames) noexcept {
    return dump_all<kDumpLinesToBytes>(module, {values, positional, kwnames});
}

const char dump_lines_doc[] =
    "dumps($module, objects, /, **options)\n"
    "--\n\n"
    "The objects as lines of JSON in a str: the text that ocior.dumps gives for each,\n"
    "and a line feed.\n\n"
    "objects is any iterable but a dict, a str or bytes, which are refused as the\n"
    "single objects that they surely are. Of a table, an object with\n"
    "__arrow_c_stream__ or __arrow_c_array__, each row is an object, whatever its\n"
    "types. The options are those of ocior.dumps, and\n"
    "are read once: of a class given as cls one object is made. There is no indent.\n"
    "Line ends in ready JSON, an ocior.Raw or what encode() of cls returns, become spaces.\n\n"
    "Raises what ocior.dumps raises, TypeError for an indent, ValueError for separators\n"
    "with a line end, and whatever the iterable raises.\n\n"
    "    >>> dumps([{'a': 1}, [2.5, None]])\n"
    "    '{\"a\": 1}\\n[2.5, null]\\n'";

const char dump_lines_to_bytes_doc[] =
    "dumps_to_bytes($module, objects, /, **options)\n"
    "--\n\n"
    "The objects as lines of JSON in UTF-8 bytes: for each the text that\n"
    "ocior.dumps_to_bytes gives, and a line feed.\n\n"
    "The options are those of ocior.dumps_to_bytes; all else is as for dumps. Raises\n"
    "what dumps raises, and UnicodeEncodeError for a lone surrogate.\n\n"
    "    >>> dumps_to_bytes([{'a': 1}, [2.5, None]])\n"
    "    b'{\"a\":1}\\n[2.5,null]\\n'";

bool add_line_encoder_type(PyObject* module) noexcept {
    const Owned type = Owned::steal(make_type(module, OCIOR_MODULE_NAME ".LineEncoder", sizeof(LineEncoderObject),
                                              Py_TPFLAGS_HAVE_GC | Py_TPFLAGS_IMMUTABLETYPE, line_encoder_slots));
    return type && PyModule_AddObjectRef(module, "LineEncoder", type.get()) == 0;
}

}  // namespace ocior::module
