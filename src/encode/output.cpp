#include "encode/output.h"

#include <algorithm>

#include "base/copy.h"
#include "py/memory/pages.h"
#include "py/str.h"
#include "text/convert.h"
#include "text/extra_escapes.h"

namespace ocior::encode {
namespace {

Py_UCS4 max_of_width(unsigned width, bool latin1) noexcept { return width == 1 ? (latin1 ? 0xff : 0x7f) : width == 2 ? 0xffff : 0x10ffff; }

std::uint32_t bits_of(const void* data, std::size_t used, unsigned width) noexcept {
    if (width == 1) return text::or_of(static_cast<const std::uint8_t*>(data), used);
    if (width == 2) return text::or_of(static_cast<const std::uint16_t*>(data), used);
    return text::or_of(static_cast<const std::uint32_t*>(data), used);
}

// Widens the first `used` units at `from`, of which `to` is a part or the whole of the same block, and not before them.
void widen_units(void* to, unsigned width, const void* from, unsigned from_width, std::size_t used) noexcept {
    if (from_width == 1 && width == 2) text::widen_within(static_cast<std::uint16_t*>(to), static_cast<const std::uint8_t*>(from), used);
    else if (from_width == 1) text::widen_within(static_cast<std::uint32_t*>(to), static_cast<const std::uint8_t*>(from), used);
    else text::widen_within(static_cast<std::uint32_t*>(to), static_cast<const std::uint16_t*>(from), used);
}

// Copies units into a str wide enough for them.
template <typename Unit>
void fill_str(PyObject* str, const Unit* units, std::size_t n) noexcept {
    switch (PyUnicode_KIND(str)) {
        case 1: return text::convert(PyUnicode_1BYTE_DATA(str), units, n);
        case 2:
            if constexpr (sizeof(Unit) >= 2) text::convert(PyUnicode_2BYTE_DATA(str), units, n);
            return;
        default:
            if constexpr (sizeof(Unit) == 4) text::convert(PyUnicode_4BYTE_DATA(str), units, n);
            return;
    }
}

}  // namespace

PyObject* Output::allocate(std::size_t capacity, unsigned width) noexcept {
    // What may be stored past the capacity is rounded up to whole units.
    const std::size_t units = capacity + kWriteSlack / width;
    if (units > static_cast<std::size_t>(PY_SSIZE_T_MAX) / width - 256) return PyErr_NoMemory();
    const auto size = static_cast<Py_ssize_t>(units);
    if (to_bytes_) return PyBytes_FromStringAndSize(nullptr, size);
    object_is_latin1_ = is_latin1_ || expects_latin1_;  // the header of Latin-1 is a longer one: a text in the wrong object is copied
    return PyUnicode_New(size, max_of_width(width, object_is_latin1_));
}

void Output::adopt(PyObject* object, std::size_t used, std::size_t capacity, unsigned width) noexcept {
    object_ = object;
    data_ = to_bytes_ ? reinterpret_cast<std::uint8_t*>(PyBytes_AS_STRING(object)) : static_cast<std::uint8_t*>(PyUnicode_DATA(object));
    capacity_ = capacity;
    width_ = width;
    keep_when_freed(capacity * width);
    prefer_huge_pages(data_, capacity * width + kWriteSlack, used * width);
}

void Output::expect_large(const Size& last) noexcept {
    expected_ = (last.byte_len < kMaxExpected ? last.byte_len : kMaxExpected) + last.byte_len / 32 + kMargin;
    expected_width_ = last.width;
    expects_latin1_ = last.is_latin1;
    if (last.width == width_) skip_scratch();
}

void Output::skip_scratch() noexcept {
    if (expected_ > kSkipUpTo) return;
    const std::size_t capacity = expected_ / width_;
    PyObject* object = allocate(capacity, width_);
    if (!object) return PyErr_Clear();  // the text may turn out to be small
    adopt(object, 0, capacity, width_);
}

bool Output::grow(std::size_t used, std::size_t extra) noexcept {
    if (extra > static_cast<std::size_t>(PY_SSIZE_T_MAX) / 8 || used > static_cast<std::size_t>(PY_SSIZE_T_MAX) / 8)
        return PyErr_NoMemory(), false;
    std::size_t capacity = used + extra;
    const std::size_t byte_len = capacity_ * width_;
    const std::size_t factor = expected_ == 0 && byte_len > kLeapFrom && byte_len < kLeapUpTo ? kLeap : 2;
    if (capacity < factor * capacity_) capacity = factor * capacity_;
    if (!object_) {
        if (capacity < expected_ / width_ + kWriteSlack) capacity = expected_ / width_ + kWriteSlack;
        PyObject* object = allocate(capacity, width_);
        if (!object) return false;
        const std::uint8_t* scratch = data_;
        adopt(object, used, capacity, width_);
        copy_block(data_, scratch, used * width_);
        return true;
    }
    const auto size = static_cast<Py_ssize_t>(capacity + kWriteSlack / width_);
    const int failed = to_bytes_ ? _PyBytes_Resize(&object_, size) : PyUnicode_Resize(&object_, size);
    if (failed) return false;
    adopt(object_, used, capacity, width_);
    return true;
}

bool Output::widen(std::size_t used, unsigned width) noexcept {
    if (!object_ && width != expected_width_ && used * width <= scratch_bytes_ / 2) {  // a rest that is worth having
        widen_units(data_, width, data_, width_, used);
        use_scratch(width);
        return true;
    }
    // As many units as there were; but where the size is known by experience, not twice or four times as many bytes.
    constexpr std::size_t kWiderHeader = 32;  // and terminator; without them a block that was expected to suffice would not
    std::size_t capacity = expected_ ? (expected_ - kWiderHeader) / width : capacity_;
    if (capacity < used + 256) capacity = used + 256;
    const bool has_room = object_ && byte_len_wide(width, capacity + kWriteSlack / width) <= block_bytes();
    if (may_write_wide_headers() && object_ && (has_room || block_bytes() >= kWidenedBytes)) return widen_object(used, capacity, width);
    PyObject* object = allocate(capacity, width);
    if (!object) return false;
    Owned old = Owned::steal(object_);
    const std::uint8_t* from = data_;
    const unsigned from_width = width_;
    adopt(object, used, capacity, width);
    if (from_width == 1 && width == 2) text::convert(reinterpret_cast<std::uint16_t*>(data_), from, used);
    else if (from_width == 1) text::convert(reinterpret_cast<std::uint32_t*>(data_), from, used);
    else text::convert(reinterpret_cast<std::uint32_t*>(data_), reinterpret_cast<const std::uint16_t*>(from), used);
    return true;
}

// How much memory the str surely has, its header included.
std::size_t Output::block_bytes() const noexcept {
    const std::size_t before = static_cast<std::size_t>(data_ - reinterpret_cast<const std::uint8_t*>(object_));
    return before + (capacity_ + kWriteSlack / width_ + 1) * width_;
}

// Turns the str into one of `width` where it is: pages that it has touched need not be found again, and realloc moves pages, not bytes. The
// text goes first: the wider header is longer.
bool Output::widen_object(std::size_t used, std::size_t capacity, unsigned width) noexcept {
    const std::size_t wanted = byte_len_wide(width, capacity + kWriteSlack / width);
    if (wanted > block_bytes() && PyUnicode_Resize(&object_, static_cast<Py_ssize_t>(wanted / width_)) != 0) return false;
    widen_units(wide_data(object_), width, PyUnicode_DATA(object_), width_, used);
    write_wide_header(object_, constants_.wide_headers, width, capacity);
    adopt(object_, used, capacity, width);
    return true;
}

bool Output::put_extra_escapes(std::size_t first, std::size_t& used, unsigned which) noexcept {
    const auto bytes = to_bytes_ ? text::ByteText::kUtf8 : text::ByteText::kLatin1;
    const auto put = [&]<typename Unit>(Unit) {
        if (which & text::kPlainDelete) used = first + text::restore_deletes(reinterpret_cast<Unit*>(data_) + first, used - first);
        if ((which & ~text::kPlainDelete) == 0) return true;
        const std::size_t n = used - first;
        const auto found = text::find_extra_escapes(reinterpret_cast<const Unit*>(data_) + first, n, which, bytes);
        if (OCIOR_LIKELY(found.growth == 0)) return true;
        const std::size_t extra = found.growth + text::kExtraEscapesGap<Unit>;
        if (capacity_ - used < extra && !grow(used, extra)) return false;
        text::put_extra_escapes(reinterpret_cast<Unit*>(data_) + first, n, which, bytes, found);
        used += found.growth;
        if (sizeof(Unit) > 1 && (which & text::kLineEnds) != 0) doubt();  // what is escaped now may have been the only wide unit
        return true;
    };
    return width_ == 1 ? put(std::uint8_t{}) : width_ == 2 ? put(std::uint16_t{}) : put(std::uint32_t{});
}

PyObject* Output::new_exact(std::size_t used) noexcept {
    const auto size = static_cast<Py_ssize_t>(used);
    if (OCIOR_LIKELY(may_write_headers())) {
        allocator_.refresh(constants_.tricks, false);
        if (to_bytes_ && used > 1) return copy_bytes(allocator_, data_, used);
        if (!to_bytes_ && !is_unproven_ && width_ == 1 && !is_latin1_) return copy_ascii(allocator_, constants_.ascii_header, data_, used);
    }
    if (to_bytes_) {
        // The interpreter has bytes objects of at most one byte ready.
        if (used <= 1) return PyBytes_FromStringAndSize(reinterpret_cast<const char*>(data_), size);
        PyObject* bytes = PyBytes_FromStringAndSize(nullptr, size);
        if (bytes) copy_block(PyBytes_AS_STRING(bytes), data_, used);
        return bytes;
    }
    if (is_unproven_) {
        PyObject* str = new_str(used, bits_of(data_, used, width_));
        if (!str) return nullptr;
        if (width_ == 1) fill_str(str, data_, used);
        else if (width_ == 2) fill_str(str, reinterpret_cast<const std::uint16_t*>(data_), used);
        else fill_str(str, reinterpret_cast<const std::uint32_t*>(data_), used);
        return str;
    }
    PyObject* str = PyUnicode_New(size, max_of_width(width_, is_latin1_));
    if (str) copy_block(PyUnicode_DATA(str), data_, used * width_);
    return str;
}

// Whether the object is what a str of that text has to be.
bool Output::has_right_header(std::size_t used) const noexcept {
    if (to_bytes_) return true;
    if (!is_unproven_) return width_ > 1 || is_latin1_ == object_is_latin1_;
    if (width_ == 1) return (bits_of(data_, used, 1) >= 0x80) == object_is_latin1_;
    // The first wide unit decides, and most texts have one soon.
    constexpr std::size_t kBlock = 4096;
    for (std::size_t i = 0; i < used; i += kBlock)
        if (width_of(bits_of(data_ + i * width_, std::min(kBlock, used - i), width_)) == width_) return true;
    return false;
}

PyObject* Output::finish_object(std::size_t used) noexcept {
    if (used * width_ <= kSmallBytes || !has_right_header(used)) return new_exact(used);
    return cut(used) ? std::exchange(object_, nullptr) : nullptr;
}

PyObject* Output::hand_over(std::size_t used, std::size_t kept) noexcept {
    PyObject* piece = new_exact(used - kept);
    if (!piece) return nullptr;
    const std::uint8_t* rest = data_ + (used - kept) * width_;
    const Owned old = Owned::steal(std::exchange(object_, nullptr));
    use_scratch(width_);
    if (kept < capacity_) std::memmove(data_, rest, kept * width_);
    return piece;
}

// Ends the object behind `used` units. A large block that is hardly too large is left as it is: its rest was never touched, so it costs
// no memory, and the allocator gets back, and keeps warm for the next call, a block of the size that the next call will ask for. With
// a cut to the last byte, glibc takes every large output from fresh pages: 2 times slower at 800 KB.
bool Output::cut(std::size_t used) noexcept {
    const auto size = static_cast<Py_ssize_t>(used);
    const bool has_second_length = PY_VERSION_HEX < 0x030C0000 && width_ == 4;  // its wchar_t form
    const std::size_t byte_len = used * width_;
    if (has_second_length || byte_len < kUncutBytes || (capacity_ - used) * width_ > byte_len / 16 + kMargin + kMargin / 4)
        return (to_bytes_ ? _PyBytes_Resize(&object_, size) : PyUnicode_Resize(&object_, size)) == 0;
    std::memset(data_ + used * width_, 0, width_);
    if (to_bytes_) Py_SET_SIZE(reinterpret_cast<PyVarObject*>(object_), size);
    else shorten(object_, used);
    return true;
}

}  // namespace ocior::encode
