// The elements of arrays: which types of numbers they are, and the text of each.
#pragma once

#include "encode/arrays/number_run.h"
#include "encode/arrays/view.h"
#include "encode/walk/call.h"
#include "num/write.h"

namespace ocior::encode {

// The types that elements of numpy's arrays have, and its scalars.
struct ElementType {
    char kind;
    int byte_len;
    Element element;
    const Plan* stored;  // of scalars that are read behind their header; null where there are none
};
const ElementType* find_element_type(char kind, int byte_len) noexcept;

// What a format of the struct module says of an element. False where it is no number.
bool read_format(const char* format, Py_ssize_t byte_len, Element& element, bool& is_swapped) noexcept;

// The kind of a numpy array's or scalar's dtype, a letter; 0 where there is none, or with a serious error set.
char kind_of(PyObject* value) noexcept;

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

}  // namespace ocior::encode
