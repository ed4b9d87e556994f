#include "encode/arrow_rows.h"

#include <algorithm>
#include <cerrno>

#include "py/attribute.h"

namespace ocior::encode {
namespace {

constexpr const char *kStreamMethod = "__arrow_c_stream__", *kArrayMethod = "__arrow_c_array__";

// What the capsule of that name holds, which is not released yet. Null with an error set.
template <typename Structure>
Structure* held_by(PyObject* capsule, const char* name) noexcept {
    if (!PyCapsule_IsValid(capsule, name))
        return PyErr_Format(PyExc_TypeError, "Arrow's interface must give a capsule '%s', not %.100s", name, Py_TYPE(capsule)->tp_name),
               nullptr;
    auto* const structure = static_cast<Structure*>(PyCapsule_GetPointer(capsule, name));
    if (structure && !structure->release) return PyErr_Format(PyExc_ValueError, "the capsule '%s' has been used already", name), nullptr;
    return structure;
}

// Sets the error that a stream tells of. Returns false.
bool raise_stream_error(ArrowArrayStream* stream, int code) noexcept {
    const char* const told = stream->get_last_error ? stream->get_last_error(stream) : nullptr;
    if (PyErr_Occurred()) return false;
    if (code == ENOMEM) return PyErr_NoMemory(), false;
    const Owned text =
        Owned::steal(PyUnicode_DecodeUTF8(told ? told : "", told ? static_cast<Py_ssize_t>(std::strlen(told)) : 0, "replace"));
    if (!text) return false;
    PyObject* const error = code == EINVAL ? PyExc_ValueError : code == ENOSYS ? PyExc_NotImplementedError : PyExc_OSError;
    return PyErr_Format(error, "the Arrow stream has failed with code %d: %U", code, text.get()), false;
}

}  // namespace

ArrowRows::~ArrowRows() {
    std::optional<TakenError> error;  // whoever is told to release something may run Python code
    if (PyErr_Occurred()) error.emplace();
    array_.reset();
    schema_.reset();
    stream_.reset();
    if (error) error->restore();
}

bool ArrowRows::are_in(const OwnTypes& own, PyTypeObject* type) noexcept {
    return find_in_class(type, own.arrow_stream_name) || find_in_class(type, own.arrow_array_name);
}

bool ArrowRows::raise() const noexcept {
    using Error = arrow::RowWriter::Error;
    if (writer_.error() == Error::kMemory) return PyErr_NoMemory(), false;
    // (A long name is cut, maybe within a character.)
    const char* const words = writer_.message();
    const Owned message = Owned::steal(PyUnicode_DecodeUTF8(words, static_cast<Py_ssize_t>(std::strlen(words)), "replace"));
    if (message) PyErr_SetObject(writer_.error() == Error::kType ? PyExc_TypeError : PyExc_ValueError, message.get());
    return false;
}

bool ArrowRows::take_stream(PyObject* object) noexcept {
    const Owned capsule = call_method_of_class(object, kStreamMethod);
    auto* const given = capsule ? held_by<ArrowArrayStream>(capsule.get(), "arrow_array_stream") : nullptr;
    if (!given) return false;
    stream_.take(*given);
    if (!stream_->get_schema || !stream_->get_next)
        return PyErr_SetString(PyExc_ValueError, "an Arrow stream without its functions"), false;
    int code;
    Py_BEGIN_ALLOW_THREADS;  // the producer may wait for a thread that wants the GIL
    code = stream_->get_schema(stream_.get(), schema_.get());
    Py_END_ALLOW_THREADS;
    if (code != 0) return raise_stream_error(stream_.get(), code);
    return !PyErr_Occurred();
}

bool ArrowRows::take_array(PyObject* object) noexcept {
    const Owned pair = call_method_of_class(object, kArrayMethod);
    if (!pair) return false;
    if (!PyTuple_Check(pair.get()) || PyTuple_GET_SIZE(pair.get()) != 2)
        return PyErr_Format(PyExc_TypeError, "%s() must return two capsules", kArrayMethod), false;
    auto* const schema = held_by<ArrowSchema>(PyTuple_GET_ITEM(pair.get(), 0), "arrow_schema");
    auto* const array = schema ? held_by<ArrowArray>(PyTuple_GET_ITEM(pair.get(), 1), "arrow_array") : nullptr;
    if (!array) return false;
    schema_.take(*schema);
    array_.take(*array);
    return true;
}

// What the options mean for text of rows. are_text_ says whether that is all. False with an error set.
bool ArrowRows::choose_options(const Options& given, PlanKey flags, arrow::RowOptions& chosen) noexcept {
    Options told;
    const Options* options = &given;
    PyObject* const hook = given.default_hook;
    if (hook && Py_IS_TYPE(hook, own_->default_type) && !(given.rich & kByDialect)) {
        const auto* const known = reinterpret_cast<const DefaultObject*>(hook);
        flags = known->flags;
        if (known->has_policies && !given.has_policies) {
            told = given;
            if (!known->policies.apply(told)) return false;
            options = &told;
        }
    }
    is_canonical_ = options->is_canonical;
    has_unique_keys_ = options->unique_keys;
    are_text_ = !options->asks_about_values() && !options->unique_keys && options->big_integers == BigIntegers::kExact &&
                options->exponents == Exponents::kPadded && !options->pretty && !options->plans && !(flags & kExtraEscapes) &&
                !options->item.data && !options->key.data;
    chosen.naive_utc = flags & kNaiveUtc;
    chosen.utc_z = flags & kUtcZ;
    chosen.microseconds = !(flags & kNoMicroseconds);
    chosen.decimal_text = flags & kDecimalText;
    if (!are_text_) return true;
    chosen.non_finite = options->non_finite;
    chosen.ensure_ascii = options->ensure_ascii;
    chosen.sort_keys = options->sort_keys;
    chosen.item = options->item.word;
    chosen.key = options->key.word;
    chosen.item_length = static_cast<std::uint8_t>(options->item.length);
    chosen.key_length = static_cast<std::uint8_t>(options->key.length);
    return true;
}

bool ArrowRows::open(PyObject* object, const OwnTypes& own, const Options& options, PlanKey flags) noexcept {
    own_ = &own;
    arrow::RowOptions chosen;
    if (!choose_options(options, flags, chosen)) return false;
    const Owned hold = Owned::borrow(object);
    if (!(find_in_class(Py_TYPE(object), own.arrow_stream_name) ? take_stream(object) : take_array(object))) return false;
    if (!writer_.open(*schema_.get(), chosen)) return raise();
    if (are_text_ && options.sort_keys && (writer_.has_json() || writer_.has_map_objects())) {
        // These are written in their own order.
        are_text_ = false;
        chosen.non_finite = NonFiniteNumbers::kConstant;
        chosen.ensure_ascii = chosen.sort_keys = false;
        if (!writer_.open(*schema_.get(), chosen)) return raise();
    }
    has_decimals_ = writer_.has_decimals() && !chosen.decimal_text;
    return !array_ || bind();
}

// Looks at the array that has come. False with an error set.
bool ArrowRows::bind() noexcept {
    bool is_bound;
    Py_BEGIN_ALLOW_THREADS;
    is_bound = writer_.bind(*array_.get());
    Py_END_ALLOW_THREADS;
    row_ = 0;
    is_bound_ = is_bound;
    return is_bound || raise();
}

// Sees to it that there is a row, unless all is over. False with an error set.
bool ArrowRows::fetch() noexcept {
    while (!is_over_ && !(is_bound_ && row_ < writer_.row_count())) {
        is_bound_ = false;
        array_.reset();
        is_over_ = true;
        if (!stream_) break;
        int code;
        Py_BEGIN_ALLOW_THREADS;
        code = stream_->get_next(stream_.get(), array_.get());
        Py_END_ALLOW_THREADS;
        if (code != 0) return raise_stream_error(stream_.get(), code);
        if (PyErr_Occurred()) return false;
        if (!array_) break;
        if (!bind()) return false;
        is_over_ = false;
    }
    return true;
}

bool ArrowRows::write(arrow::RowText& text, std::size_t enough, std::uint64_t end, std::size_t end_length) noexcept {
    constexpr std::size_t kBetweenSignals = 1024 * 1024;
    while (text.used < enough) {
        if (!fetch()) return false;
        if (is_over_) break;
        const std::int64_t first = row_;
        const std::size_t until = std::min(enough - text.used, kBetweenSignals) + text.used;
        bool is_written;
        Py_BEGIN_ALLOW_THREADS;
        is_written = writer_.write(row_, writer_.row_count(), until, text, end, end_length);
        Py_END_ALLOW_THREADS;
        count_ += static_cast<std::size_t>(row_ - first);
        is_over_ = !is_written;
        if (!is_written) return raise();
        if (PyErr_CheckSignals() < 0) return is_over_ = true, false;
    }
    return true;
}

Owned ArrowRows::next() noexcept {
    line_.used = 0;
    if (!fetch() || is_over_) return {};
    if (!writer_.write(row_, row_ + 1, 1, line_, 0, 0)) return is_over_ = true, raise(), Owned();
    ++count_;
    const Owned text =
        Owned::steal(PyBytes_FromStringAndSize(reinterpret_cast<const char*>(line_.data()), static_cast<Py_ssize_t>(line_.used)));
    if (!text) return {};
    // Of the digits of decimals none gets lost: numbers stay text, but where all numbers are to be those of doubles.
    Owned decimal;
    if (has_decimals_ && is_canonical_) {
        const Owned module = Owned::steal(PyImport_ImportModule("decimal"));
        if (!module || !(decimal = get_attribute(module.get(), "Decimal"))) return {};
    }
    PyObject* const parse_float = has_decimals_ ? (decimal ? decimal.get() : reinterpret_cast<PyObject*>(own_->raw_type)) : nullptr;
    return Owned::steal(own_->read_json(own_->module_state, text.get(), has_unique_keys_, parse_float));
}

Owned ArrowRows::all() noexcept {
    Owned list = Owned::steal(PyList_New(0));
    while (list) {
        const Owned row = next();
        if (!row) return PyErr_Occurred() ? Owned() : std::move(list);
        if (PyList_Append(list.get(), row.get()) < 0) break;
    }
    return {};
}

}  // namespace ocior::encode
