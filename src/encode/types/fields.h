// The attributes of an object, a dataclass's say, as the entries of a JSON object.
#pragma once

#include "py/tricks.h"

namespace ocior::encode {

struct Call;
enum class Opened : std::uint8_t;

// Which attributes the instances of a class are written by, in which order. Empty for a class that is written by other means.
class FieldsPlan {
public:
    FieldsPlan() noexcept = default;
    ~FieldsPlan() { clear(); }
    FieldsPlan(const FieldsPlan&) = delete;
    FieldsPlan& operator=(const FieldsPlan&) = delete;
    FieldsPlan& operator=(FieldsPlan&& other) noexcept {
        clear();
        names_ = std::exchange(other.names_, nullptr);
        slots_ = std::exchange(other.slots_, nullptr);
        return *this;
    }

    // By the names in this tuple of str. False when out of memory (no error set).
    [[nodiscard]] bool set(const Tricks& tricks, PyTypeObject* type, PyObject* names) noexcept;
    void clear() noexcept;

    explicit operator bool() const noexcept { return names_ != nullptr; }
    std::size_t count() const noexcept { return static_cast<std::size_t>(PyTuple_GET_SIZE(names_)); }
    PyObject* name(std::size_t i) const noexcept { return PyTuple_GET_ITEM(names_, static_cast<Py_ssize_t>(i)); }
    // Where the instances' values lie by layout, one for each name; null where they have to be asked for.
    const std::uint8_t* slots() const noexcept { return slots_; }

private:
    PyObject* names_ = nullptr;  // owned, a tuple
    std::uint8_t* slots_ = nullptr;
};

// The names of the fields that the class is written by, as a tuple: of a dataclass, an attrs class, a msgspec.Struct. Empty, maybe with
// an error set, for any other class.
Owned field_names_of(PyTypeObject* type, std::uint32_t flags) noexcept;

Opened open_fields(Call& call, PyObject* value, std::size_t offset) noexcept;

// The names and values of a named tuple.
Opened open_named_tuple(Call& call, PyObject* value, std::size_t offset) noexcept;

// Opens a frame over the items of a dict whose keys are looked at first, ordered by the keys' text where they are sorted. False: they
// cannot be read or ordered so.
bool open_sorted(Call& call, PyObject* dict, std::size_t offset, Opened& opened) noexcept;

// The same of any mapping, by the texts that its keys become, no two of which are the same.
Opened open_by_texts(Call& call, PyObject* dict, std::size_t offset) noexcept;

}  // namespace ocior::encode
