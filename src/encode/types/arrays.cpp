#include "encode/types/arrays.h"

#include "encode/number_run.h"
#include "encode/types/rich.h"
#include "encode/walk.h"
#include "num/write.h"
#include "py/heap_type.h"
#include "py/taken_error.h"

#include <bit>
#include <optional>

namespace ocior::encode {
namespace {

void dealloc_view(PyObject* self) noexcept {
    PyTypeObject* const type = Py_TYPE(self);
    PyBuffer_Release(&view_of_array(self)->buffer);
    PyObject_Free(self);
    Py_DECREF(type);
}

PyType_Slot view_slots[] = {
    {Py_tp_dealloc, reinterpret_cast<void*>(dealloc_view)},
    {0, nullptr},
};

// A view of nothing yet, of an array of so many dimensions. Empty with an error set.
Owned allocate_view(const Call& call, int dimensions) noexcept {
    const auto n = static_cast<std::size_t>(dimensions);
    auto* const type = reinterpret_cast<PyTypeObject*>(call.own.array_view_type);
    if (!type) return PyErr_SetString(PyExc_RuntimeError, "the interpreter is shutting down"), Owned();
    auto* const view = static_cast<ArrayView*>(PyObject_Malloc(sizeof(ArrayView) + 3 * sizeof(void*) * n));
    if (!view) return PyErr_NoMemory(), Owned();
    view->buffer = {};
    view->is_done = false;
    view->dimensions = dimensions;
    view->open = 0;
    view->ticks = {};
    view->lengths = reinterpret_cast<Py_ssize_t*>(view + 1);
    view->index = view->lengths + n;
    view->next = reinterpret_cast<const char**>(view->index + n);
    return Owned::steal(PyObject_Init(reinterpret_cast<PyObject*>(view), type));
}

// What a format of the struct module says of an element. False where it is no number.
bool read_format(const char* format, Py_ssize_t byte_len, Element& element, bool& is_swapped) noexcept {
    is_swapped = false;
    if (!format) format = "B";
    if (std::strchr("@=<>!", *format) && *format) is_swapped = *format == '>' || *format == '!', ++format;
    if (!*format || format[1]) return false;
    const auto integer = [&](bool is_signed) {
        switch (byte_len) {
            case 1: element = is_signed ? Element::kInt8 : Element::kUint8; return true;
            case 2: element = is_signed ? Element::kInt16 : Element::kUint16; return true;
            case 4: element = is_signed ? Element::kInt32 : Element::kUint32; return true;
            case 8: element = is_signed ? Element::kInt64 : Element::kUint64; return true;
            default: return false;
        }
    };
    switch (*format) {
        case '?': return element = Element::kBool, byte_len == 1;
        case 'e': return element = Element::kFloat16, byte_len == 2;
        case 'f': return element = Element::kFloat32, byte_len == 4;
        case 'd': return element = Element::kFloat64, byte_len == 8;
        default: break;
    }
    if (std::strchr("bhilqn", *format)) return integer(true);
    return std::strchr("BHILQN", *format) && integer(false);
}

// The kind of a numpy array's or scalar's dtype, a letter; 0 where there is none, or with a serious error set.
char kind_of(PyObject* value) noexcept {
    const Owned dtype = get_attribute(value, "dtype"), kind = dtype ? get_attribute(dtype.get(), "kind") : Owned();
    if (has_serious_error()) return '\0';
    return kind && PyUnicode_Check(kind.get()) && PyUnicode_GET_LENGTH(kind.get()) == 1
               ? static_cast<char>(PyUnicode_READ_CHAR(kind.get(), 0))
               : '\0';
}

struct NamedUnit {
    const char* name;
    TickUnit unit;
    std::int32_t number;  // by which numpy calls it
};
constexpr NamedUnit kUnits[] = {{"Y", {1, 'Y'}, 0},    {"M", {1, 'M'}, 1},  {"W", {604800, 's'}, 2}, {"D", {86400, 's'}, 4},
                                {"h", {3600, 's'}, 5}, {"m", {60, 's'}, 6}, {"s", {1, 's'}, 7},      {"ms", {1, 'm'}, 8},
                                {"us", {1, 'u'}, 9},   {"ns", {1, 'n'}, 10}};

// The unit of a datetime64's or timedelta64's dtype. False with TypeError set.
bool read_unit(Call& call, PyObject* value, TickUnit& unit) noexcept {
    Owned& ask = call.context.datetime_data;
    const Owned dtype = get_attribute(value, "dtype");
    if (dtype && !ask) ask = loaded_or_error("numpy", "datetime_data");
    const Owned data = dtype && ask ? Owned::steal(PyObject_CallOneArg(ask.get(), dtype.get())) : Owned();
    const char* name;
    long factor;
    if (!data && !PyErr_Occurred()) PyErr_SetString(PyExc_TypeError, "an array of numpy without numpy");
    if (data && !PyTuple_Check(data.get())) PyErr_SetString(PyExc_TypeError, "numpy.datetime_data() must return a tuple");
    if (PyErr_Occurred() || !PyArg_ParseTuple(data.get(), "sl", &name, &factor)) return false;
    for (const NamedUnit& one : kUnits)
        if (std::strcmp(one.name, name) == 0) {
            if (__builtin_mul_overflow(one.unit.factor, factor, &unit.factor)) break;
            unit.unit = one.unit.unit;
            return true;
        }
    static constexpr NamedUnit kTooFine[] = {{"ps", {}, 11}, {"fs", {}, 12}, {"as", {}, 13}};
    const char* const words[] = {"picoseconds", "femtoseconds", "attoseconds"};
    for (std::size_t i = 0; i < std::size(kTooFine); ++i)
        if (std::strcmp(kTooFine[i].name, name) == 0) name = words[i];
    return PyErr_Format(PyExc_TypeError, "unsupported numpy.datetime64 unit: %s", std::strcmp(name, "generic") == 0 ? "generic" : name),
           false;
}

// A datetime64 or timedelta64 scalar as numpy stores it behind the header.
struct StoredTicks {
    std::int64_t ticks;
    std::int32_t unit;
    std::int32_t factor;
};

// The ticks of a datetime64 or timedelta64 scalar. False with an error set.
template <bool is_stored>
bool read_ticks(PyObject* value, std::int64_t& ticks) noexcept {
    if constexpr (is_stored) return ticks = load<std::int64_t>(reinterpret_cast<const char*>(value) + sizeof(PyObject)), true;
    Py_buffer buffer;
    if (PyObject_GetBuffer(value, &buffer, PyBUF_SIMPLE) < 0) return false;
    const bool is_known = buffer.len == sizeof ticks;
    if (is_known) std::memcpy(&ticks, buffer.buf, sizeof ticks);
    else PyErr_SetString(PyExc_TypeError, "a numpy.datetime64 must have 8 bytes");
    PyBuffer_Release(&buffer);
    return is_known;
}

// And their unit. False with an error set.
template <bool is_stored>
bool read_unit_of_scalar(Call& call, PyObject* value, TickUnit& unit) noexcept {
    if constexpr (is_stored) {
        const auto stored = load<StoredTicks>(reinterpret_cast<const char*>(value) + sizeof(PyObject));
        for (const NamedUnit& one : kUnits) {
            if (one.number != stored.unit) continue;
            unit = {one.unit.factor * stored.factor, one.unit.unit};
            return true;
        }
    }
    return read_unit(call, value, unit);
}

// Whether numpy stores them so: it is asked to make one of each unit.
bool stores_ticks_behind_header(PyTypeObject* type) noexcept {
    if (type->tp_basicsize < static_cast<Py_ssize_t>(sizeof(PyObject) + sizeof(StoredTicks))) return false;
    for (const NamedUnit& one : kUnits) {
        const StoredTicks expected{12345, one.number, 7};
        const Owned scalar = Owned::steal(PyObject_CallFunction(reinterpret_cast<PyObject*>(type), "L(si)",
                                                                static_cast<long long>(expected.ticks), one.name, expected.factor));
        if (!scalar || !Py_IS_TYPE(scalar.get(), type)) return false;
        if (std::memcmp(reinterpret_cast<const char*>(scalar.get()) + sizeof(PyObject), &expected, sizeof expected) != 0) return false;
    }
    return true;
}

constexpr std::uint32_t parts_of_second(TickUnit unit) noexcept {
    return unit.unit == 's' ? 1 : unit.unit == 'm' ? 1000 : unit.unit == 'u' ? 1000000 : 1000000000;
}

using num::detail::put_2;

constexpr std::int64_t floor_divide(std::int64_t a, std::int64_t b) noexcept { return a / b - (a % b < 0); }
constexpr std::int64_t floor_modulo(std::int64_t a, std::int64_t b) noexcept { return a % b + (a % b < 0 ? b : 0); }

// The Gregorian date of a day since 1970-01-01. The arithmetic is Howard Hinnant's (chrono-compatible low-level date algorithms, 2013):
// years begin in March, eras have 400 of them.
void date_of_day(std::int64_t day, std::int64_t& year, unsigned& month, unsigned& day_of_month) noexcept {
    day += 719468;
    const std::int64_t era = floor_divide(day, 146097);
    const auto day_of_era = static_cast<unsigned>(day - era * 146097);
    const unsigned year_of_era = (day_of_era - day_of_era / 1460 + day_of_era / 36524 - day_of_era / 146096) / 365;
    const unsigned day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    const unsigned shifted_month = (5 * day_of_year + 2) / 153;
    day_of_month = day_of_year - (153 * shifted_month + 2) / 5 + 1;
    month = shifted_month < 10 ? shifted_month + 3 : shifted_month - 9;
    year = static_cast<std::int64_t>(year_of_era) + era * 400 + (month <= 2);
}

// The text of a datetime64 scalar; None for NaT.
template <bool is_stored>
Owned replace_datetime64(Call& call, PyObject* value) noexcept {
    TickUnit unit;
    std::int64_t ticks;
    std::uint8_t text[kShortScalar];
    if (!read_ticks<is_stored>(value, ticks)) return {};
    if (ticks == kNotATime && (call.rich & kStored)) return refuse(call, call.options.dialect->unknown_type, value), Owned();
    if (ticks == kNotATime) return Owned::borrow(Py_None);
    const std::uint8_t* const end = read_unit_of_scalar<is_stored>(call, value, unit) ? write_ticks(call, unit, ticks, text) : nullptr;
    return end ? Owned::steal(PyUnicode_FromStringAndSize(reinterpret_cast<char*>(text), end - text)) : Owned();
}

// A duration of ISO 8601 of a timedelta64 scalar; None for NaT.
template <bool is_stored>
Owned replace_timedelta64(Call& call, PyObject* value) noexcept {
    TickUnit unit;
    std::int64_t ticks;
    std::uint8_t text[kShortScalar];
    if (!read_ticks<is_stored>(value, ticks)) return {};
    if (ticks == kNotATime) return Owned::borrow(Py_None);
    if (!read_unit_of_scalar<is_stored>(call, value, unit)) return {};
    const std::uint8_t* const end = write_tick_count(call, unit, ticks, text);
    return Owned::steal(PyUnicode_FromStringAndSize(reinterpret_cast<char*>(text), end - text));
}

// A scalar of numpy: a number, true or false.
std::uint8_t* write_numpy_scalar(Call& call, PyObject* value, std::uint8_t* to) noexcept {
    const Owned hold = Owned::borrow(value);
    call.pin();
    const char kind = kind_of(value);
    if (PyErr_Occurred()) return nullptr;
    if (kind == 'b') {
        const int truth = PyObject_IsTrue(value);
        if (truth < 0) return nullptr;
        const ConstantText constant = constant_text(truth ? Py_True : Py_False);
        store(to, constant.text);
        return to + constant.length;
    }
    if (kind == 'i' || kind == 'u') {
        const Owned number = Owned::steal(PyNumber_Index(value));
        if (!number) return nullptr;
        return json_handler_of(&PyLong_Type).write(call, number.get(), to);
    }
    if (kind == 'f') {
        Py_buffer buffer;
        Element element = Element::kFloat64;
        bool is_swapped;
        if (PyObject_GetBuffer(value, &buffer, PyBUF_FORMAT) < 0) return nullptr;
        const bool is_known = read_format(buffer.format, buffer.itemsize, element, is_swapped);
        std::uint64_t bits = 0;
        if (is_known) std::memcpy(&bits, buffer.buf, static_cast<std::size_t>(buffer.itemsize));
        PyBuffer_Release(&buffer);
        const Owned number = Owned::steal(PyNumber_Float(value));
        if (!number) return nullptr;
        if (!is_known || element == Element::kFloat64 || !__builtin_isfinite(PyFloat_AS_DOUBLE(number.get())))
            return json_handler_of(&PyFloat_Type).write(call, number.get(), to);
        std::uint8_t* const end = element == Element::kFloat32 ? num::write_f32(to, std::bit_cast<float>(static_cast<std::uint32_t>(bits)))
                                  : call.rich & kStored        ? num::write_f32(to, static_cast<float>(PyFloat_AS_DOUBLE(number.get())))
                                                               : num::write_f16(to, static_cast<std::uint16_t>(bits));
        return style_float32(call.options, to, end);
    }
    refuse(call, call.options.dialect->unknown_type, value);
    return nullptr;
}

// The same of a type whose instances have their value right behind their header.
template <Element element>
std::uint8_t* write_stored_scalar(Call& call, PyObject* value, std::uint8_t* to) noexcept {
    const auto* const stored = reinterpret_cast<const char*>(value) + sizeof(PyObject);
    if constexpr (element == Element::kBool) {
        const ConstantText constant = constant_text(*stored ? Py_True : Py_False);
        store(to, constant.text);
        return to + constant.length;
    }
    if constexpr (element == Element::kInt8) return num::write_i64(to, load<std::int8_t>(stored));
    if constexpr (element == Element::kInt16) return num::write_i64(to, load<std::int16_t>(stored));
    if constexpr (element == Element::kInt32) return num::write_i64(to, load<std::int32_t>(stored));
    if constexpr (element == Element::kUint8) return num::write_u64(to, load<std::uint8_t>(stored));
    if constexpr (element == Element::kUint16) return num::write_u64(to, load<std::uint16_t>(stored));
    if constexpr (element == Element::kUint32) return num::write_u64(to, load<std::uint32_t>(stored));
    const bool is_any_integer = call.options.integers != IntegerRange::k53Bits;
    if constexpr (element == Element::kInt64)
        if (is_any_integer) return num::write_i64(to, load<std::int64_t>(stored));
    if constexpr (element == Element::kUint64)
        if (is_any_integer) return num::write_u64(to, load<std::uint64_t>(stored));
    if constexpr (element == Element::kFloat16) {
        const auto bits = load<std::uint16_t>(stored);
        const float number = num::float_of_f16(bits);
        if (__builtin_isfinite(number))
            return style_float32(call.options, to, call.rich & kStored ? num::write_f32(to, number) : num::write_f16(to, bits));
    }
    if constexpr (element == Element::kFloat32)
        if (const auto number = load<float>(stored); __builtin_isfinite(number))
            return style_float32(call.options, to, num::write_f32(to, number));
    if constexpr (element == Element::kFloat64)
        if (const auto number = load<double>(stored); __builtin_isfinite(number))
            return style_float(call.options, to, num::write_f64(to, number));
    return write_numpy_scalar(call, value, to);
}

template <Element element>
constexpr Handler kStoredScalar{.role = Handler::Role::kScalar, .write = write_stored_scalar<element>};

// The types that elements of numpy's arrays have, and its scalars.
struct ElementType {
    char kind;
    int byte_len;
    Element element;
    const Handler* stored;  // of scalars that are read behind their header; null where there are none
};
constexpr ElementType kElementTypes[] = {
    {'b', 1, Element::kBool, &kStoredScalar<Element::kBool>},
    {'i', 1, Element::kInt8, &kStoredScalar<Element::kInt8>},
    {'i', 2, Element::kInt16, &kStoredScalar<Element::kInt16>},
    {'i', 4, Element::kInt32, &kStoredScalar<Element::kInt32>},
    {'i', 8, Element::kInt64, &kStoredScalar<Element::kInt64>},
    {'u', 1, Element::kUint8, &kStoredScalar<Element::kUint8>},
    {'u', 2, Element::kUint16, &kStoredScalar<Element::kUint16>},
    {'u', 4, Element::kUint32, &kStoredScalar<Element::kUint32>},
    {'u', 8, Element::kUint64, &kStoredScalar<Element::kUint64>},
    {'f', 2, Element::kFloat16, &kStoredScalar<Element::kFloat16>},
    {'f', 4, Element::kFloat32, &kStoredScalar<Element::kFloat32>},
    {'f', 8, Element::kFloat64, &kStoredScalar<Element::kFloat64>},
    {'M', 8, Element::kDatetime, nullptr},
    {'m', 8, Element::kTimedelta, nullptr},
};

const ElementType* find_element_type(char kind, int byte_len) noexcept {
    for (const ElementType& type : kElementTypes)
        if (type.kind == kind && type.byte_len == byte_len) return &type;
    return nullptr;
}

// Whether an instance made of 1 has the bytes of that right behind its header.
bool is_stored_behind_header(PyTypeObject* type, PyObject* one, const ElementType& stored) noexcept {
    if (!Py_IS_TYPE(one, type) || type->tp_basicsize < static_cast<Py_ssize_t>(sizeof(PyObject)) + stored.byte_len) return false;
    const std::uint16_t half = 0x3c00;
    const float narrow = 1;
    const double wide = 1;
    const std::uint64_t integer = 1;
    const void* const expected = stored.kind != 'f'     ? static_cast<const void*>(&integer)
                                 : stored.byte_len == 2 ? static_cast<const void*>(&half)
                                 : stored.byte_len == 4 ? static_cast<const void*>(&narrow)
                                                        : &wide;
    return std::memcmp(reinterpret_cast<const char*>(one) + sizeof(PyObject), expected, static_cast<std::size_t>(stored.byte_len)) == 0;
}

PyObject* refuse_array(const char* why) noexcept { return PyErr_SetString(PyExc_TypeError, why), nullptr; }

// Another object is written in the place of the array: what `make` gives, a new reference; or what a method of the array gives.
template <typename Make>
Opened open_in_place(Call& call, PyObject* value, std::size_t offset, Make make) noexcept {
    return call.open_made(value, FrameKind::kSingle, offset, make) ? Opened::kInPlace : Opened::kFailed;
}
Opened open_by_method(Call& call, PyObject* value, std::size_t offset, const char* method) noexcept {
    return open_in_place(call, value, offset, [&] { return PyObject_CallMethod(value, method, nullptr); });
}

// The ticks of an array of datetime64 or timedelta64, in its own order of bytes.
Owned view_of_ticks(PyObject* value) noexcept {
    const Owned dtype = get_attribute(value, "dtype"), is_native = dtype ? get_attribute(dtype.get(), "isnative") : Owned();
    constexpr const char* kSwapped = std::endian::native == std::endian::little ? ">i8" : "<i8";
    return is_native ? Owned::steal(PyObject_CallMethod(value, "view", "s", is_native.get() == Py_True ? "i8" : kSwapped)) : Owned();
}

// Whether the array behind `view` may be written, which then knows its lengths. False with an error set.
bool check_view(Call& call, PyObject* value, ArrayView& view) noexcept {
    if (!call.may_nest(value, static_cast<std::size_t>(view.dimensions))) return false;
    std::copy_n(view.buffer.shape, view.dimensions, view.lengths);
    return !(call.rich & kStored) || !view.is_swapped || refuse_array("numpy array is not native-endianness");
}

// A view of the memory of `source`, an array of numbers; of ticks with Element::kDatetime or kTimedelta. Empty with an error set.
Owned view_of_buffer(Call& call, PyObject* value, PyObject* source, std::optional<Element> ticks) noexcept {
    Owned owned = allocate_view(call, ArrayView::kMaxDimensions);
    if (!owned) return {};
    ArrayView& view = *view_of_array(owned.get());
    // (Not copied from elsewhere: some exports have pointers into it.)
    if (PyObject_GetBuffer(source, &view.buffer, PyBUF_STRIDES | PyBUF_FORMAT) < 0) return view.buffer.obj = nullptr, Owned();
    view.dimensions = view.buffer.ndim;
    view.is_in_order = PyBuffer_IsContiguous(&view.buffer, 'C');
    bool is_good = read_format(view.buffer.format, view.buffer.itemsize, view.element, view.is_swapped) && view.dimensions > 0 &&
                   view.dimensions <= ArrayView::kMaxDimensions;
    if (is_good && ticks) {
        is_good =
            view.buffer.itemsize == 8 && read_unit(call, value, view.ticks);  // view() may be a method of a class derived from ndarray
        view.element = *ticks;
    }
    if (is_good) return check_view(call, value, view) ? std::move(owned) : Owned();
    if (!PyErr_Occurred()) refuse_array("unsupported datatype in numpy array");
    return {};
}

// A frame over it.
Opened open_view(Call& call, PyObject* value, PyObject* source, std::size_t offset, std::optional<Element> ticks = {}) noexcept {
    const auto make = [&] { return view_of_buffer(call, value, source, ticks).release(); };
    return call.open_made(value, FrameKind::kArray, offset, make) ? Opened::kInPlace : Opened::kFailed;
}

bool is_c_contiguous(PyObject* value) noexcept {
    const Owned flags = get_attribute(value, "flags"), contiguous = flags ? get_attribute(flags.get(), "c_contiguous") : Owned();
    forget_error();
    return contiguous.get() == Py_True;
}

Opened open_any_array(Call& call, PyObject* value, std::size_t offset) noexcept {
    const char kind = kind_of(value);
    if (PyErr_Occurred()) return Opened::kFailed;
    const bool is_strict = call.rich & kStored;
    if (kind == '\0') {  // array.array, memoryview
        Py_buffer buffer;
        Element element;
        bool is_swapped;
        const bool is_exported = PyObject_GetBuffer(value, &buffer, PyBUF_STRIDES | PyBUF_FORMAT) == 0;
        if (!is_exported && !PyErr_ExceptionMatches(PyExc_BufferError)) return Opened::kFailed;
        PyErr_Clear();
        const bool is_plain = is_exported && read_format(buffer.format, buffer.itemsize, element, is_swapped) && buffer.ndim > 0;
        if (is_exported) PyBuffer_Release(&buffer);
        if (is_plain) return open_view(call, value, value, offset);
        const Owned list = Owned::steal(PyObject_CallMethod(value, "tolist", nullptr));
        if (!list && !PyErr_ExceptionMatches(PyExc_NotImplementedError)) return Opened::kFailed;
        // (A memoryview knows the formats of single letters alone, and not all of them.)
        if (!list) return PyErr_Clear(), open_default(call, value, offset);
        return open_in_place(call, value, offset, [&] { return new_ref(list.get()); });
    }
    if (const Owned masked = loaded("numpy.ma", "MaskedArray");
        masked && PyObject_TypeCheck(value, reinterpret_cast<PyTypeObject*>(masked.get()))) {
        if (is_strict || call.default_hook) return open_default(call, value, offset);
        return refuse_array("a masked array has no form in JSON: write its filled() or tolist()"), Opened::kFailed;
    }
    const Owned dimensions = get_attribute(value, "ndim");
    if (!dimensions) return Opened::kFailed;
    const long count = PyLong_AsLong(dimensions.get());
    if (count == -1 && PyErr_Occurred()) return Opened::kFailed;
    // What orjson does not write is for the default hook, if there is one.
    const auto leave_to_hook = [&](const char* why) {
        if (call.default_hook) return PyErr_Clear(), open_default(call, value, offset);
        if (!PyErr_Occurred()) PyErr_SetString(PyExc_TypeError, why);
        return Opened::kFailed;
    };
    if (is_strict && count == 0) return leave_to_hook("unsupported datatype in numpy array");
    if (is_strict && !is_c_contiguous(value)) return leave_to_hook("numpy array is not C contiguous; use ndarray.tolist() in default");
    if (count == 0 && !(kind && std::strchr("cV", kind))) {
        // item() would make an int of a datetime64 in nanoseconds, and a double of every float. (The scalar of a class derived from ndarray
        // may be an array again.)
        const Owned nowhere = Owned::steal(PyTuple_New(0)), generic = loaded_or_error("numpy", "generic"),
                    scalar = nowhere && generic ? Owned::steal(PyObject_GetItem(value, nowhere.get())) : Owned();
        if (!scalar && !PyErr_Occurred()) PyErr_SetString(PyExc_TypeError, "an array of numpy without numpy");
        if (!scalar) return Opened::kFailed;
        if (!PyObject_TypeCheck(scalar.get(), reinterpret_cast<PyTypeObject*>(generic.get())))
            return open_by_method(call, value, offset, "item");
        return open_in_place(call, value, offset, [&] { return new_ref(scalar.get()); });
    }
    switch (kind) {
        case 'b':
        case 'i':
        case 'u': return open_view(call, value, value, offset);
        case 'f': {
            const Owned dtype = get_attribute(value, "dtype"), size = dtype ? get_attribute(dtype.get(), "itemsize") : Owned();
            if (!size) return Opened::kFailed;
            if (PyLong_AsLong(size.get()) <= 8) return open_view(call, value, value, offset);
            if (is_strict) return leave_to_hook("unsupported datatype in numpy array");
            const Owned doubles = Owned::steal(PyObject_CallMethod(value, "astype", "s", "f8"));  // of longdouble
            return doubles ? open_view(call, value, doubles.get(), offset) : Opened::kFailed;
        }
        case 'M': {
            if (is_strict) {
                TickUnit unit;
                if (!read_unit(call, value, unit)) return leave_to_hook("unsupported datatype in numpy array");
            }
            const Owned ticks = view_of_ticks(value);
            return ticks ? open_view(call, value, ticks.get(), offset, Element::kDatetime) : Opened::kFailed;
        }
        default: break;
    }
    if (is_strict) return leave_to_hook("unsupported datatype in numpy array");
    if (kind == 'O' || kind == 'U' || kind == 'T') return open_by_method(call, value, offset, "tolist");
    if (kind == 'm') {
        const Owned ticks = view_of_ticks(value);
        return ticks ? open_view(call, value, ticks.get(), offset, Element::kTimedelta) : Opened::kFailed;
    }
    if ((kind == 'c' || kind == 'V') && call.default_hook) return open_default(call, value, offset);
    if (kind == 'c') return refuse_array("complex numbers have no form in JSON: write their real and imag"), Opened::kFailed;
    if (kind == 'V') return refuse_array("a structured array has no form in JSON: write its fields one by one"), Opened::kFailed;
    if (kind == 'S') return open_by_method(call, value, offset, "tolist");
    return open_default(call, value, offset);
}

// (A class derived from an array's may have Python code, or functions of ours, in the place of any attribute.)
Opened open_array(Call& call, PyObject* value, std::size_t offset) noexcept {
    const Owned hold = Owned::borrow(value);
    call.pin();
    return call_back_or(Opened::kFailed, call.context.may_be_nested, " while encoding a JSON object",
                        [&] { return open_any_array(call, value, offset); });
}

// What numpy says of an array's memory by its array interface, version 3, in C: its own layout.
struct ArrayInterface {
    static constexpr int kInOrder = 1, kNative = 0x200;  // flags

    int version;
    int dimensions;
    char kind;
    int byte_len;
    int flags;
    Py_ssize_t* lengths;
    Py_ssize_t* strides;
    void* from;
    PyObject* description;
};

// A view of an array of numpy's own class, by one look: each of its attributes takes as long as a small array, and an export of its memory
// leaves a format that numpy writes for it in the array. Empty where that cannot be had, or says that such arrays are not written from
// their memory; an error may be set.
Owned view_of_numpy(Call& call, PyObject* value) noexcept {
    Owned capsule = Owned::steal(PyObject_GetAttr(value, call.own.array_struct_name));
    const void* const interface = capsule ? PyCapsule_GetPointer(capsule.get(), nullptr) : nullptr;
    if (!interface) return {};
    const auto& memory = *static_cast<const ArrayInterface*>(interface);
    if (memory.version != 2 || memory.dimensions <= 0 || memory.dimensions > ArrayView::kMaxDimensions) return {};
    const ElementType* const type = find_element_type(memory.kind, memory.byte_len);
    if (!type) return {};
    const bool is_datetime = type->element == Element::kDatetime, is_timedelta = type->element == Element::kTimedelta;
    if ((call.rich & kStored) && (is_timedelta || !(memory.flags & ArrayInterface::kInOrder))) return {};
    TickUnit unit;
    if ((is_datetime || is_timedelta) && !read_unit(call, value, unit)) return {};
    Owned owned = allocate_view(call, memory.dimensions);
    if (!owned) return {};
    ArrayView& view = *view_of_array(owned.get());
    Py_ssize_t count = 1;
    for (int i = 0; i < memory.dimensions; ++i) count *= memory.lengths[i];
    view.buffer.buf = memory.from;
    view.buffer.obj = capsule.release();  // it holds the array, and what `memory` points to
    view.buffer.len = count * memory.byte_len;
    view.buffer.itemsize = memory.byte_len;
    view.buffer.shape = memory.lengths;
    view.buffer.strides = memory.strides;
    view.element = type->element;
    view.is_swapped = !(memory.flags & ArrayInterface::kNative);
    view.is_in_order = memory.flags & ArrayInterface::kInOrder;
    view.ticks = unit;
    return owned;
}

// An array of numpy's own class.
Opened open_numpy_array(Call& call, PyObject* value, std::size_t offset) noexcept {
    const Owned hold = Owned::borrow(value);
    call.pin();
    if (Owned view = view_of_numpy(call, value)) {
        const auto make = [&] { return check_view(call, value, *view_of_array(view.get())) ? view.release() : nullptr; };
        return call.open_made(value, FrameKind::kArray, offset, make) ? Opened::kInPlace : Opened::kFailed;
    }
    if (has_serious_error()) return Opened::kFailed;
    return open_array(call, value, offset);
}

// An array as ssrjson has it: of numbers that it knows, in C order.
Opened open_plain_array(Call& call, PyObject* value, std::size_t offset) noexcept {
    const Owned hold = Owned::borrow(value);
    call.pin();
    const Owned dimensions = get_attribute(value, "ndim"), dtype = get_attribute(value, "dtype");
    const Owned is_native = dtype ? get_attribute(dtype.get(), "isnative") : Owned(),
                size = dtype ? get_attribute(dtype.get(), "itemsize") : Owned();
    const long count = dimensions ? PyLong_AsLong(dimensions.get()) : -1, byte_len = size ? PyLong_AsLong(size.get()) : -1;
    if (PyErr_Occurred()) return Opened::kFailed;
    constexpr long kMostDimensions = 32;
    const char kind = kind_of(value);
    const bool is_known = std::strchr("biuf", kind) && kind && byte_len <= 8;
    const char* const why = count == 0                   ? "numpy 0-d array should not reach ndarray encoder"
                            : count > kMostDimensions    ? "numpy array has too many dimensions"
                            : !is_c_contiguous(value)    ? "numpy array must be C-contiguous"
                            : is_native.get() != Py_True ? "numpy array must have native byte order"
                            : !is_known                  ? "unsupported numpy dtype"
                                                         : nullptr;
    if (why) return PyErr_SetString(PyExc_ValueError, why), Opened::kFailed;
    return open_view(call, value, value, offset);
}

}  // namespace

std::uint8_t* write_tick_count(const Call& call, TickUnit unit, std::int64_t ticks, std::uint8_t* to) noexcept {
    const auto count = static_cast<uint128>(magnitude(ticks)) * static_cast<std::uint64_t>(unit.factor);
    if (unit.unit == 'Y' || unit.unit == 'M') {
        if (ticks < 0) *to++ = '-';
        *to++ = 'P';
        to = num::write_u128(to, count);
        *to++ = static_cast<std::uint8_t>(unit.unit);
        return to;
    }
    const std::uint64_t parts = parts_of_second(unit);
    const auto nanoseconds = static_cast<std::uint32_t>(count % parts * (1000000000 / parts));
    return write_duration(call, ticks < 0, count / parts, nanoseconds, to);
}

PyObject* make_array_view_type(PyObject* module) noexcept {
    return make_type(module, "ocior.ArrayView", sizeof(ArrayView), Py_TPFLAGS_DISALLOW_INSTANTIATION, view_slots);
}

std::uint8_t* write_ticks(Call& call, TickUnit unit, std::int64_t ticks, std::uint8_t* to) noexcept {
    std::int64_t year, seconds = 0, part = 0;  // of a second: nanoseconds
    unsigned month = 1, day = 1;
    bool is_good = !__builtin_mul_overflow(ticks, unit.factor, &ticks);
    if (unit.unit == 'Y') {
        is_good = is_good && ticks > -100000 && ticks < 100000;
        year = is_good ? 1970 + ticks : 0;
    } else if (unit.unit == 'M') {
        year = 1970 + floor_divide(ticks, 12);
        month = static_cast<unsigned>(floor_modulo(ticks, 12)) + 1;
    } else {
        const std::int64_t parts = parts_of_second(unit);
        const std::int64_t total = floor_divide(ticks, parts), days = floor_divide(total, 86400);
        part = floor_modulo(ticks, parts) * (1000000000 / parts);
        seconds = floor_modulo(total, 86400);
        is_good = is_good && days > -800000 && days < 2932897;  // below the year 10000
        date_of_day(is_good ? days : 0, year, month, day);
    }
    if (!is_good || year < 0 || year > 9999) {
        call.pin();
        return PyErr_SetString(PyExc_TypeError, "a numpy.datetime64 beyond the years 0 to 9999 has no form in JSON"), nullptr;
    }
    to = put_2(put_2(to, static_cast<unsigned>(year / 100)), static_cast<unsigned>(year % 100));
    *to++ = '-';
    to = put_2(to, month);
    *to++ = '-';
    to = put_2(to, day);
    *to++ = 'T';
    const auto second_of_day = static_cast<unsigned>(seconds), minute_of_day = second_of_day / 60;
    to = put_2(to, minute_of_day / 60);
    *to++ = ':';
    to = put_2(to, minute_of_day % 60);
    *to++ = ':';
    to = put_2(to, second_of_day % 60);
    if (call.rich & kStored) part -= part % 1000;  // orjson stops at microseconds
    if (part && !(call.rich & kNoMicroseconds)) {
        *to++ = '.';
        to = num::detail::put_6(to, static_cast<std::uint32_t>(part / 1000));
        if (part % 1000) to = num::detail::put_3(to, static_cast<std::uint32_t>(part % 1000));
    }
    if (call.rich & kNaiveUtc) {
        if (call.rich & kUtcZ) *to++ = 'Z';
        else std::memcpy(to, "+00:00", 6), to += 6;
    }
    return to;
}

const Handler& numpy_scalar_handler_of(PyTypeObject* type) noexcept {
    PyObject* const cls = reinterpret_cast<PyObject*>(type);
    const Owned number = Owned::steal(PyLong_FromLong(1)), module = get_attribute(cls, "__module__");
    const bool is_numpy = module && PyUnicode_Check(module.get()) && PyUnicode_CompareWithASCIIString(module.get(), "numpy") == 0;
    const Owned one = is_numpy && number ? Owned::steal(PyObject_CallOneArg(cls, number.get())) : Owned();
    const char kind = one ? kind_of(one.get()) : '\0';
    const Owned size = one ? get_attribute(one.get(), "itemsize") : Owned();
    const long byte_len = size ? PyLong_AsLong(size.get()) : 0;
    forget_error();
    if (kind && !std::strchr("biuf", kind)) return kDefaultHook;  // complex numbers, bytes, records
    const ElementType* const element = find_element_type(kind, static_cast<int>(byte_len));
    return element && element->stored && is_stored_behind_header(type, one.get(), *element) ? *element->stored : kNumpyScalar;
}

static constexpr Handler kStoredDatetime{.role = Handler::Role::kReplaced, .replace = replace_datetime64<true>},
    kStoredTimedelta{.role = Handler::Role::kReplaced, .replace = replace_timedelta64<true>};

const Handler& numpy_ticks_handler_of(PyTypeObject* type, const Handler& usual) noexcept {
    const bool is_stored = stores_ticks_behind_header(type);
    forget_error();
    return !is_stored ? usual : &usual == &kNumpyDatetime ? kStoredDatetime : kStoredTimedelta;
}

const Handler kArray{.role = Handler::Role::kContainer, .open = open_array},
    kNumpyArray{.role = Handler::Role::kContainer, .open = open_numpy_array},
    kPlainArray{.role = Handler::Role::kContainer, .open = open_plain_array},
    kNumpyScalar{.role = Handler::Role::kScalar, .write = write_numpy_scalar},
    kNumpyDatetime{.role = Handler::Role::kReplaced, .replace = replace_datetime64<false>},
    kNumpyTimedelta{.role = Handler::Role::kReplaced, .replace = replace_timedelta64<false>};

}  // namespace ocior::encode
