// Small arrays of numpy, which are written at once.
#include "encode/arrays/element_types.h"
#include "py/numpy_array.h"

namespace ocior::encode {
namespace {

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

}  // namespace

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

}  // namespace ocior::encode
