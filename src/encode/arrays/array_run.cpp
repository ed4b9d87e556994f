#include "encode/arrays/array_run.h"

namespace ocior::encode {

template <num::FloatFormat format, typename Bits>
void NumberWindow::fill_floats(const char* from, Py_ssize_t stride, Py_ssize_t count, bool is_swapped) noexcept {
    using num::FloatFormat;
    begin(from, stride, count);
    const int last = count_ - 1;  // stands in for those that a batch asks for beyond the count
    floats_.format_bits<format>(count_, [&](int i) OCIOR_INLINE_LAMBDA {
        const auto bits = load_element<Bits>(from + (i < last ? i : last) * stride, is_swapped);
        if constexpr (format == FloatFormat::k32 && sizeof bits == 2) return std::bit_cast<std::uint32_t>(num::float_of_f16(bits));
        else return bits;
    });
}

template <typename Type>
void NumberWindow::fill_integers(const char* from, Py_ssize_t stride, Py_ssize_t count, bool is_swapped) noexcept {
    begin(from, stride, count);
    if (OCIOR_LIKELY(stride == sizeof(Type) && !is_swapped))
        integers_.format(count_, [&](int i) OCIOR_INLINE_LAMBDA { return load<Type>(from + i * sizeof(Type)); });
    else integers_.format(count_, [&](int i) OCIOR_INLINE_LAMBDA { return load_element<Type>(from + i * stride, is_swapped); });
}

template void NumberWindow::fill_floats<num::FloatFormat::k16, std::uint16_t>(const char*, Py_ssize_t, Py_ssize_t, bool) noexcept;
template void NumberWindow::fill_floats<num::FloatFormat::k32, std::uint32_t>(const char*, Py_ssize_t, Py_ssize_t, bool) noexcept;
template void NumberWindow::fill_floats<num::FloatFormat::k64, std::uint64_t>(const char*, Py_ssize_t, Py_ssize_t, bool) noexcept;
template void NumberWindow::fill_floats<num::FloatFormat::k32, std::uint16_t>(const char*, Py_ssize_t, Py_ssize_t, bool) noexcept;
template void NumberWindow::fill_integers<std::int16_t>(const char*, Py_ssize_t, Py_ssize_t, bool) noexcept;
template void NumberWindow::fill_integers<std::int32_t>(const char*, Py_ssize_t, Py_ssize_t, bool) noexcept;
template void NumberWindow::fill_integers<std::int64_t>(const char*, Py_ssize_t, Py_ssize_t, bool) noexcept;
template void NumberWindow::fill_integers<std::uint16_t>(const char*, Py_ssize_t, Py_ssize_t, bool) noexcept;
template void NumberWindow::fill_integers<std::uint32_t>(const char*, Py_ssize_t, Py_ssize_t, bool) noexcept;
template void NumberWindow::fill_integers<std::uint64_t>(const char*, Py_ssize_t, Py_ssize_t, bool) noexcept;

}  // namespace ocior::encode
