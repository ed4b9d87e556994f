// Arrays of numbers: numpy's, array.array, memoryviews. They are written from their memory, whatever its layout.
#pragma once

#include <string_view>

#include "py/ref.h"

namespace ocior::encode {

struct Call;

// What the elements are.
enum class Element : std::uint8_t {
    kBool,
    kInt8,
    kInt16,
    kInt32,
    kInt64,
    kUint8,
    kUint16,
    kUint32,
    kUint64,
    kFloat16,
    kFloat32,
    kFloat64,
    kDatetime,  // of numpy: 64 bits, as are
    kTimedelta,
};

// The unit of a datetime or timedelta of numpy is `factor` of these.
struct TickUnit {
    std::int64_t factor = 1;
    char unit = 's';  // Y: years, M: months, s: seconds; or parts of a second, 10^3 (m), 10^6 (u), 10^9 (n) to one
};

inline constexpr std::int64_t kNotATime = INT64_MIN;

// An array that is being written, and where each of its dimensions stands: an object, so that a frame can own it, which nobody else sees.
// It holds the export of the memory, so that nobody frees or resizes it. (Who tells numpy not to look, by resize(refcheck=False), does.)
struct ArrayView {
    static constexpr int kMaxDimensions = 64;

    PyObject_HEAD Py_buffer buffer;
    Element element;
    bool is_swapped;  // the bytes of each element are in the other order than the processor's
    bool is_in_order;  // the elements lie one behind the other, in the order in which they are written
    bool is_done;
    int dimensions;
    int open;  // lists that are open
    TickUnit ticks;  // of kDatetime and kTimedelta
    // These arrays lie behind this struct and have an item for each dimension.
    Py_ssize_t* lengths;  // of array.array the exported ones change with the array, where another thread edits it
    Py_ssize_t* index;    // of the next item
    const char** next;    // and its address
    Py_ssize_t* strides;  // of numpy's: without a GIL those that the array had when it was looked at

    Py_ssize_t length(int dimension) const noexcept { return lengths[dimension]; }
    Py_ssize_t stride(int dimension) const noexcept { return buffer.strides[dimension]; }
    // How many elements are written one after the other from `from` on, and how many bytes behind the one before it each lies. (Of a
    // dimension of one element the stride means nothing.)
    Py_ssize_t run_stride() const noexcept { return is_in_order ? buffer.itemsize : stride(open - 1); }
    Py_ssize_t run_from(const char* from) const noexcept {
        const int inner = open - 1;
        if (is_in_order) return (static_cast<const char*>(buffer.buf) + buffer.len - from) / buffer.itemsize;
        return length(inner) - index[inner] - (from - next[inner]) / (stride(inner) ? stride(inner) : 1);
    }
};

// The type of ArrayViews. Null with an error set.
PyObject* make_array_view_type(PyObject* module) noexcept;

// A view of nothing yet, of an array of so many dimensions. Empty with an error set.
Owned allocate_view(const Call& call, int dimensions) noexcept;

// A view of an array of numpy's own class, by one look: each of its attributes takes as long as a small array, and an export of its memory
// leaves a format that numpy writes for it in the array. Empty where that cannot be had, or says that such arrays are not written from
// their memory; an error may be set.
Owned view_of_numpy(Call& call, PyObject* value) noexcept;

// An array of numpy's own class with one or two dimensions and few elements in C's order: writes it as Plan::write_small does.
std::uint8_t* write_small_array(const Call& call, PyObject* value, std::string_view separator, std::uint8_t* to) noexcept;

// The view that is the `iterated` of a frame of kind kArray.
inline ArrayView* view_of_array(PyObject* object) noexcept { return reinterpret_cast<ArrayView*>(object); }

// The unit of the dtype of a datetime64 or timedelta64, or of an array of these. False with TypeError set.
bool read_unit(Call& call, PyObject* value, TickUnit& unit) noexcept;

// The text of so many units since 1970, as a datetime of RFC 3339. Null with an error set: the year has not four digits.
std::uint8_t* write_ticks(Call& call, TickUnit unit, std::int64_t ticks, std::uint8_t* to) noexcept;

// So many units as a duration of ISO 8601, up to kShortScalar bytes.
std::uint8_t* write_tick_count(const Call& call, TickUnit unit, std::int64_t ticks, std::uint8_t* to) noexcept;

}  // namespace ocior::encode
