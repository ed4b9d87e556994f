#include "encode/arrays/view.h"

#include "encode/arrays/number_run.h"
#include "encode/types/rich.h"
#include "encode/walk/walk.h"
#include "num/write.h"
#include "py/heap_type.h"
#include "py/numpy_array.h"
#include "py/taken_error.h"

#include <bit>
#include <climits>
#include <optional>
#include <thread>

namespace ocior::encode {
namespace {

int clear_view(PyObject* self) noexcept {
    PyBuffer_Release(&view_of_array(self)->buffer);
    return 0;
}

PyType_Slot view_slots[] = {
    {Py_tp_dealloc, reinterpret_cast<void*>(dealloc_uncollected_object<clear_view>)},
    {0, nullptr},
};

// A view of nothing yet, of an array of so many dimensions. Empty with an error set.
Owned allocate_view(const Call& call, int dimensions) noexcept {
    const auto n = static_cast<std::size_t>(dimensions);
    auto* const type = reinterpret_cast<PyTypeObject*>(call.own.array_view_type);
    if (!type) return PyErr_SetString(PyExc_RuntimeError, "the interpreter is shutting down"), Owned();
    auto* const view = static_cast<ArrayView*>(PyObject_Malloc(sizeof(ArrayView) + 4 * sizeof(void*) * n));
    if (!view) return PyErr_NoMemory(), Owned();
    view->buffer = {};
    view->is_done = false;
    view->dimensions = dimensions;
    view->open = 0;
    view->ticks = {};
    view->lengths = reinterpret_cast<Py_ssize_t*>(view + 1);
    view->index = view->lengths + n;
    view->next = reinterpret_cast<const char**>(view->index + n);
    view->strides = reinterpret_cast<Py_ssize_t*>(view->next + n);
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
        return json_plan_of(&PyLong_Type).write(call, number.get(), to);
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
            return json_plan_of(&PyFloat_Type).write(call, number.get(), to);
        std::uint8_t* const end = element == Element::kFloat32 ? num::write_f32(to, std::bit_cast<float>(static_cast<std::uint32_t>(bits)))
                                  : call.rich & kStored        ? num::write_f32(to, static_cast<float>(PyFloat_AS_DOUBLE(number.get())))
                                                               : num::write_f16(to, static_cast<std::uint16_t>(bits));
        return style_float32(call.options, to, end);
    }
    refuse(call, call.options.dialect->unknown_type, value);
    return nullptr;
}

// An element that lies at `stored`, in the processor's order of bytes. Null where it may be refused: it is not finite, or there is a limit
// to integers.
template <Element element>
OCIOR_INLINE std::uint8_t* write_stored(const Call& call, const char* stored, std::uint8_t* to) noexcept {
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
    return nullptr;
}

// Writes a scalar of a type whose instances have their value right behind their header.
template <Element element>
std::uint8_t* write_stored_scalar(Call& call, PyObject* value, std::uint8_t* to) noexcept {
    std::uint8_t* const end = write_stored<element>(call, reinterpret_cast<const char*>(value) + sizeof(PyObject), to);
    return OCIOR_LIKELY(end != nullptr) ? end : write_numpy_scalar(call, value, to);
}

// A list of the `count` elements from `from` on, which goes behind them. Null where one may be refused.
template <Element element, typename Stored>
std::uint8_t* write_small_row(const Call& call, const char*& from, Py_ssize_t count, std::string_view separator,
                              std::uint8_t* to) noexcept {
    *to++ = '[';
    for (Py_ssize_t i = 0; i < count; ++i, from += sizeof(Stored)) {
        to = write_stored<element>(call, from, to);
        if (OCIOR_UNLIKELY(!to)) return nullptr;
        std::memcpy(to, separator.data(), 2);
        to += separator.size();
    }
    to[-static_cast<std::ptrdiff_t>(separator.size())] = ']';
    return to + 1 - separator.size();
}

using WriteSmallRow = decltype(&write_small_row<Element::kInt8, std::int8_t>);
constexpr WriteSmallRow kSmallInts = sizeof(long) == 8 ? &write_small_row<Element::kInt64, std::int64_t>
                                                       : &write_small_row<Element::kInt32, std::int32_t>,
                        kSmallUnsigned = sizeof(long) == 8 ? &write_small_row<Element::kUint64, std::uint64_t>
                                                           : &write_small_row<Element::kUint32, std::uint32_t>;
// Each function stands at the number of its type in NPY_TYPES, up to float64. The number of float16 is 23.
constexpr WriteSmallRow kSmallRows[] = {
    &write_small_row<Element::kBool, bool>,
    &write_small_row<Element::kInt8, std::int8_t>,
    &write_small_row<Element::kUint8, std::uint8_t>,
    &write_small_row<Element::kInt16, std::int16_t>,
    &write_small_row<Element::kUint16, std::uint16_t>,
    &write_small_row<Element::kInt32, std::int32_t>,
    &write_small_row<Element::kUint32, std::uint32_t>,
    kSmallInts,
    kSmallUnsigned,
    &write_small_row<Element::kInt64, std::int64_t>,
    &write_small_row<Element::kUint64, std::uint64_t>,
    &write_small_row<Element::kFloat32, float>,
    &write_small_row<Element::kFloat64, double>,
};
constexpr unsigned kFloat16Type = 23;

// An array of numpy's own class with one or two dimensions and few elements in C's order.
std::uint8_t* write_small_array(const Call& call, PyObject* value, std::string_view separator, std::uint8_t* to) noexcept {
    constexpr std::size_t kMostElements = 16, kMostRows = 16;
    static_assert(kMostElements * (num::kMaxFloat64Len + 2) + kMostRows * 4 <= kSmallArray - num::kFormatRoom);
    NumpyArrays::Memory memory;
    if (!call.own.numpy_arrays->read(value, memory) || memory.dimensions < 1 || memory.dimensions > 2) return nullptr;
    const Py_ssize_t rows = memory.dimensions == 2 ? memory.lengths[0] : 1, columns = memory.lengths[memory.dimensions - 1];
    const auto is_some = [](Py_ssize_t count) { return count > 0 && count <= static_cast<Py_ssize_t>(kMostElements); };
    if (!is_some(rows) || !is_some(columns) || !is_some(rows * columns)) return nullptr;
    const auto type = static_cast<unsigned>(memory.type);
    if (type >= std::size(kSmallRows) && type != kFloat16Type) return nullptr;
    const WriteSmallRow write_row = type == kFloat16Type ? &write_small_row<Element::kFloat16, std::uint16_t> : kSmallRows[type];
    if (memory.dimensions == 1) return write_row(call, memory.from, columns, separator, to);
    *to++ = '[';
    for (Py_ssize_t i = 0; i < rows; ++i) {
        to = write_row(call, memory.from, columns, separator, to);
        if (OCIOR_UNLIKELY(!to)) return nullptr;
        std::memcpy(to, separator.data(), 2);
        to += separator.size();
    }
    to[-static_cast<std::ptrdiff_t>(separator.size())] = ']';
    return to + 1 - separator.size();
}

template <Element element>
std::uint8_t* write_stored_at_once(const Call& call, const Plan&, PyObject* value, std::uint8_t* to) noexcept {
    return write_stored<element>(call, reinterpret_cast<const char*>(value) + sizeof(PyObject), to);
}

template <Element element>
constexpr Plan kStoredScalar{.role = Role::kScalar, .write = write_stored_scalar<element>, .write_at_once = write_stored_at_once<element>};

// The types that elements of numpy's arrays have, and its scalars.
struct ElementType {
    char kind;
    int byte_len;
    Element element;
    const Plan* stored;  // of scalars that are read behind their header; null where there are none
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

// What numpy says of whether an array is in this machine's order of bytes. Empty with an error set.
Owned is_native_of(PyObject* value) noexcept {
    const Owned dtype = get_attribute(value, "dtype");
    return dtype ? get_attribute(dtype.get(), "isnative") : Owned();
}

// The ticks of an array of datetime64 or timedelta64, in its own order of bytes.
Owned view_of_ticks(PyObject* value) noexcept {
    const Owned is_native = is_native_of(value);
    constexpr const char* kSwapped = std::endian::native == std::endian::little ? ">i8" : "<i8";
    return is_native ? Owned::steal(PyObject_CallMethod(value, "view", "s", is_native.get() == Py_True ? "i8" : kSwapped)) : Owned();
}

// Whether the array behind `view` may be written, which then knows its lengths. False with an error set.
bool check_view(Call& call, PyObject* value, ArrayView& view) noexcept {
    if (view.buffer.shape != view.lengths) std::copy_n(view.buffer.shape, view.dimensions, view.lengths);
    // Another thread may have changed that since the export: an array.array of CPython 3.14 takes no lock.
    if (view.dimensions == 1) view.lengths[0] = view.buffer.len / view.buffer.itemsize;
    // Nothing is nested in a dimension without items.
    const Py_ssize_t *const end = view.lengths + view.dimensions, *const empty = std::find<const Py_ssize_t*>(view.lengths, end, 0);
    const auto levels = empty == end ? view.dimensions : empty - view.lengths + 1;
    if (!call.may_nest(value, static_cast<std::size_t>(levels))) return false;
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
        // (With kStored it is found out at the first item that there is no text for a unit.)
        const bool needs_unit = view.buffer.len != 0 || !(call.rich & kStored);
        is_good = view.buffer.itemsize == 8;  // view() may be a method of a class derived from ndarray
        is_good = is_good && (!needs_unit || read_unit(call, value, view.ticks));
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
    // What is not written with kStored is for the default hook, if there is one.
    const auto leave_to_hook = [&](const char* why) {
        if (call.default_hook) return PyErr_Clear(), open_default(call, value, offset);
        if (!PyErr_Occurred()) PyErr_SetString(PyExc_TypeError, why);
        return Opened::kFailed;
    };
    if (is_strict && count == 0) {
        if (is_native_of(value).get() == Py_False) return refuse_array("numpy array is not native-endianness"), Opened::kFailed;
        return leave_to_hook("unsupported datatype in numpy array");
    }
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

// Whether lengths and strides are those of one array in C's order. Of one without elements the strides may be any: such a one is not
// believed to hold more lists than anybody has.
bool go_together(const Py_ssize_t* lengths, const Py_ssize_t* strides, int dimensions, Py_ssize_t byte_len) noexcept {
    const bool is_empty = std::find(lengths, lengths + dimensions, 0) != lengths + dimensions;
    const Py_ssize_t most = Py_ssize_t{1} << (is_empty ? 28 : 47);  // bytes
    for (int i = dimensions; i-- > 0;) {
        if (lengths[i] < 0 || lengths[i] > most / byte_len) return false;
        if (!is_empty && lengths[i] > 1 && strides[i] != byte_len) return false;
        byte_len *= std::max(lengths[i], Py_ssize_t{1});
    }
    return true;
}

// The integers in a tuple of so many. False, maybe with an error set, where it is none.
bool read_integers(PyObject* tuple, Py_ssize_t count, Py_ssize_t* to) noexcept {
    if (!tuple || !PyTuple_CheckExact(tuple) || PyTuple_GET_SIZE(tuple) != count) return false;
    for (Py_ssize_t i = 0; i < count; ++i) to[i] = PyLong_AsSsize_t(PyTuple_GET_ITEM(tuple, i));
    return !PyErr_Occurred();
}

// Without a GIL: what the array says of its memory, one attribute after the other. Others may give it another shape meanwhile, for which
// numpy takes no lock: it makes tuples safely then, but not its interface in C. False, maybe with an error set, where that is not to be
// had; or where it does not go together, which `may_try_again` says.
bool ask_for_memory(const Call& call, PyObject* value, ArrayInterface& memory, bool& may_try_again) noexcept {
    may_try_again = false;
    NumpyArrays::Fixed fixed, later;
    if (!call.own.numpy_arrays->read(value, fixed)) return false;
    const auto get = [](PyObject* object, PyObject* name) { return Owned::steal(PyObject_GetAttr(object, name)); };
    const Owned dtype = get(value, call.own.dtype_name), size = dtype ? get(dtype.get(), call.own.itemsize_name) : Owned();
    const long byte_len = size ? PyLong_AsLong(size.get()) : -1;
    if (byte_len < 0 || byte_len > INT_MAX) return false;
    const NumpyArrays::Element element = NumpyArrays::element_of(dtype.get());
    if (!find_element_type(element.kind, static_cast<int>(byte_len))) return false;
    const Owned shape = get(value, call.own.shape_name), strides = shape ? get(value, call.own.strides_name) : Owned();
    if (!strides || !PyTuple_CheckExact(shape.get())) return false;
    const Py_ssize_t count = PyTuple_GET_SIZE(shape.get());
    if (count == 0 || count > ArrayView::kMaxDimensions || !read_integers(shape.get(), count, memory.lengths)) return false;
    const bool is_read = read_integers(strides.get(), count, memory.strides);
    const Owned again = PyErr_Occurred() ? Owned() : get(value, call.own.shape_name);
    const int is_same = again ? PyObject_RichCompareBool(again.get(), shape.get(), Py_EQ) : -1;
    if (is_same < 0 || !call.own.numpy_arrays->read(value, later)) return false;
    memory.version = 2;
    memory.dimensions = static_cast<int>(count);
    memory.kind = element.kind;
    memory.byte_len = static_cast<int>(byte_len);
    memory.flags = (fixed.is_in_order ? ArrayInterface::kInOrder : 0) | (element.is_native ? ArrayInterface::kNative : 0);
    memory.from = const_cast<char*>(fixed.from);
    const bool is_one = is_read && is_same && later.is_in_order == fixed.is_in_order && later.from == fixed.from;
    may_try_again = !is_one || (fixed.is_in_order && !go_together(memory.lengths, memory.strides, memory.dimensions, byte_len));
    return !may_try_again;
}

// What numpy says of an array's memory, and what holds that and the array. Empty where it cannot be had; an error may be set.
Owned memory_of(Call& call, PyObject* value, ArrayInterface& memory) noexcept {
    if constexpr (layout::kHasGil) {
        Owned capsule = Owned::steal(PyObject_GetAttr(value, call.own.array_struct_name));
        const void* const interface = capsule ? PyCapsule_GetPointer(capsule.get(), nullptr) : nullptr;
        if (!interface) return {};
        memory = *static_cast<const ArrayInterface*>(interface);
        return capsule;
    }
    constexpr int kTries = 1000;
    bool may_try_again = true;
    for (int i = 0; i < kTries && may_try_again; ++i) {
        if (ask_for_memory(call, value, memory, may_try_again)) return Owned::steal(PyTuple_Pack(1, value));
        if (!may_try_again) return {};
        Py_BEGIN_ALLOW_THREADS;
        std::this_thread::yield();
        Py_END_ALLOW_THREADS;
    }
    PyErr_SetString(PyExc_RuntimeError, "array changed while it was being written");
    return {};
}

// A view of an array of numpy's own class, by one look: each of its attributes takes as long as a small array, and an export of its memory
// leaves a format that numpy writes for it in the array. Empty where that cannot be had, or says that such arrays are not written from
// their memory; an error may be set.
Owned view_of_numpy(Call& call, PyObject* value) noexcept {
    Py_ssize_t lengths[ArrayView::kMaxDimensions], strides[ArrayView::kMaxDimensions];
    ArrayInterface memory{};
    memory.lengths = lengths;
    memory.strides = strides;
    Owned holder = memory_of(call, value, memory);
    if (!holder) return {};
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
    view.buffer.obj = holder.release();
    view.buffer.len = count * memory.byte_len;
    view.buffer.itemsize = memory.byte_len;
    std::copy_n(memory.strides, memory.dimensions, view.strides);
    view.buffer.shape = view.lengths;
    view.buffer.strides = view.strides;
    std::copy_n(memory.lengths, memory.dimensions, view.lengths);
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
    const bool has_changed = !layout::kHasGil && PyErr_Occurred() && PyErr_ExceptionMatches(PyExc_RuntimeError);
    if (has_changed || has_serious_error()) return Opened::kFailed;
    return open_array(call, value, offset);
}

// An array where kPlainArrays is set: of numbers of the usual types, in C order.
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

PyObject* make_array_view_type(PyObject* module) noexcept {
    return make_type(module, "ocior.ArrayView", sizeof(ArrayView), Py_TPFLAGS_DISALLOW_INSTANTIATION, view_slots);
}

const Plan& numpy_scalar_plan_of(PyTypeObject* type) noexcept {
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

const Plan kArray{.role = Role::kContainer, .open = open_array},
    kNumpyArray{.role = Role::kSmallContainer, .write_small = write_small_array, .open = open_numpy_array},
    kPlainArray{.role = Role::kContainer, .open = open_plain_array}, kNumpyScalar{.role = Role::kScalar, .write = write_numpy_scalar};

}  // namespace ocior::encode
