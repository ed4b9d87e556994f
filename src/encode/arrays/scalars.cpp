// The scalars of numpy, and the types that elements of its arrays have, too.
#include "encode/arrays/element_types.h"
#include "encode/types/rich.h"

#include <bit>

namespace ocior::encode {

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

char kind_of(PyObject* value) noexcept {
    const Owned dtype = get_attribute(value, "dtype"), kind = dtype ? get_attribute(dtype.get(), "kind") : Owned();
    if (has_serious_error()) return '\0';
    return kind && PyUnicode_Check(kind.get()) && PyUnicode_GET_LENGTH(kind.get()) == 1
               ? static_cast<char>(PyUnicode_READ_CHAR(kind.get(), 0))
               : '\0';
}

namespace {

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

// Writes a scalar of a type whose instances have their value right behind their header.
template <Element element>
std::uint8_t* write_stored_scalar(Call& call, PyObject* value, std::uint8_t* to) noexcept {
    std::uint8_t* const end = write_stored<element>(call, reinterpret_cast<const char*>(value) + sizeof(PyObject), to);
    return OCIOR_LIKELY(end != nullptr) ? end : write_numpy_scalar(call, value, to);
}

template <Element element>
std::uint8_t* write_stored_at_once(const Call& call, const Plan&, PyObject* value, std::uint8_t* to) noexcept {
    return write_stored<element>(call, reinterpret_cast<const char*>(value) + sizeof(PyObject), to);
}

template <Element element>
constexpr Plan kStoredScalar{.role = Role::kScalar, .write = write_stored_scalar<element>, .write_at_once = write_stored_at_once<element>};

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

}  // namespace

const ElementType* find_element_type(char kind, int byte_len) noexcept {
    for (const ElementType& type : kElementTypes)
        if (type.kind == kind && type.byte_len == byte_len) return &type;
    return nullptr;
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

const Plan kNumpyScalar{.role = Role::kScalar, .write = write_numpy_scalar};

}  // namespace ocior::encode
