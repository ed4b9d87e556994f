// Which attributes the instances of a class are written by, under which names, and where they lie in memory.
#pragma once

#include "base/bits.h"
#include "encode/form.h"
#include "encode/rich_flags.h"
#include "py/layout.h"
#include "py/lock.h"
#include "py/tricks.h"

namespace ocior::encode {

// Which attributes the instances of a class are written by, in which order. Empty for a class that is written by other means.
class Fields {
public:
    Fields() noexcept = default;
    ~Fields() { clear(); }
    Fields(const Fields&) = delete;
    Fields& operator=(const Fields&) = delete;
    Fields& operator=(Fields&& other) noexcept {
        clear();
        names_ = std::exchange(other.names_, nullptr);
        offsets_ = std::exchange(other.offsets_, nullptr);
        key_texts_ = std::exchange(other.key_texts_, nullptr);
        order_ = std::exchange(other.order_, nullptr);
        form_ = std::exchange(other.form_, nullptr);
        order_length_ = other.order_length_;
        least_values_ = other.least_values_;
        are_in_dict_ = other.are_in_dict_;
        return *this;
    }

    // The instances are written by the attributes of the names in this tuple of str, which are interned; where there is a form, which is
    // taken over, as that says. False when out of memory (no error set).
    [[nodiscard]] bool set(const Tricks& tricks, PyTypeObject* type, PyObject* names, Form* form = nullptr) noexcept;
    // The instances are written by what their dicts hold. Values are found by layout in dicts that hold these names in this order. Names
    // that the flags leave out are not written.
    [[nodiscard]] bool set_whole(const Tricks& tricks, PyTypeObject* type, PyObject* names, std::uint32_t flags) noexcept;
    // The instances are written by this name alone, also where that is no field of the text.
    [[nodiscard]] bool set_one(const Tricks& tricks, PyTypeObject* type, PyObject* name) noexcept;
    void clear() noexcept;

    explicit operator bool() const noexcept { return names_ != nullptr; }
    std::size_t count() const noexcept { return static_cast<std::size_t>(PyTuple_GET_SIZE(names_)); }
    PyObject* name(std::size_t i) const noexcept { return PyTuple_GET_ITEM(names_, static_cast<Py_ssize_t>(i)); }
    PyObject* names() const noexcept { return names_; }
    // Null where each attribute is written under its own name, and nothing else is.
    OCIOR_INLINE Form* form() const noexcept { return form_; }
    // The name that attribute `i` is written under.
    PyObject* key(std::size_t i) const noexcept {
        return form_ ? PyTuple_GET_ITEM(form_->names.get(), static_cast<Py_ssize_t>(i)) : name(i);
    }
    // Whether the instances' values are found by layout; else they have to be asked for. Without a GIL that is while these are locked.
    OCIOR_INLINE bool has_places() const noexcept { return offsets_ != nullptr; }
    // Whether they are values that the instance keeps in an array, or in its dict.
    bool has_inline_values() const noexcept { return least_values_ != 0; }
    // Where value(i) finds those of this instance; null where it has none there. Those of set_one() are never in a dict.
    template <bool kIsOne = false>
    OCIOR_INLINE const char* place_of(PyObject* instance) const noexcept {
        if (!least_values_) return reinterpret_cast<const char*>(instance);
        // (Before 3.13 an instance may have the first of its values in an array, however many there are to come.)
        if (PY_VERSION_HEX < 0x030D0000 && !kIsOne && OCIOR_UNLIKELY(are_in_dict_)) return place_in_dict(instance);
        PyObject* const* values = layout::inline_values(instance, least_values_);
        if (OCIOR_UNLIKELY(!values)) {
            if (!kIsOne && are_in_dict_) return place_in_dict(instance);
            values = layout::dict_values(instance, least_values_);
        }
        if (order_ && OCIOR_LIKELY(values != nullptr) && !layout::are_in_order(values, order_, order_length_)) return nullptr;
        return reinterpret_cast<const char*>(values);
    }
    // Borrowed; null where the instance has none of that name.
    OCIOR_INLINE PyObject* value(const char* place, std::size_t i) const noexcept { return load<PyObject*>(place + offsets_[i]); }
    // The names as they are written, each with its quotes, and behind them that of the form's tag; null where the text of one has more than
    // kMost bytes, or anything to escape.
    struct KeyText {
        static constexpr std::size_t kMost = 31;
        std::uint8_t text[kMost];
        std::uint8_t length;
    };
    OCIOR_INLINE const KeyText* key_texts() const noexcept { return key_texts_; }
    // What `use` makes of the only one, or of null where that has to be asked for. Without a GIL, nobody changes the instance meanwhile:
    // `use` waits for nothing and runs no Python code.
    template <typename Use>
    OCIOR_INLINE auto with_first_value(PyObject* instance, Use use) const noexcept {
        if (OCIOR_UNLIKELY(!has_places())) return use(nullptr);
        if constexpr (layout::kHasGil) return use(value_at(place_of<true>(instance)));
        const TriedLock lock(instance);
        if (OCIOR_UNLIKELY(!lock)) return use(nullptr);
        const TriedLock dict_lock(has_inline_values() ? layout::dict_of_instance(instance) : nullptr);
        return use(dict_lock ? value_at(place_of<true>(instance)) : nullptr);
    }
    // The only one; null where it has to be asked for. Borrowed; without a GIL it may be another one meanwhile.
    OCIOR_INLINE PyObject* first_value(PyObject* instance) const noexcept {
        return OCIOR_LIKELY(has_places()) ? value_at(place_of<true>(instance)) : nullptr;
    }

private:
    OCIOR_INLINE PyObject* value_at(const char* place) const noexcept {
        return OCIOR_LIKELY(place != nullptr) ? __atomic_load_n(reinterpret_cast<PyObject* const*>(place + offsets_[0]), __ATOMIC_RELAXED)
                                              : nullptr;
    }
    [[nodiscard]] bool set_names(const Tricks& tricks, PyTypeObject* type, PyObject* names) noexcept;
    OCIOR_NOINLINE const char* place_in_dict(PyObject* instance) const noexcept;
    bool find_in_dict(const Tricks& tricks, PyTypeObject* type) noexcept;
    bool find_inline(PyTypeObject* type) noexcept;
    bool find_members(PyTypeObject* type) noexcept;
    void make_key_texts() noexcept;

    PyObject* names_ = nullptr;         // owned, a tuple
    std::uint16_t* offsets_ = nullptr;  // in bytes, one for each name: from the instance's array of values on, or from its beginning
    KeyText* key_texts_ = nullptr;      // owned, one for each name, and one for the tag
    Form* form_ = nullptr;              // owned
    std::uint8_t* order_ = nullptr;  // owned: the places of all that the instance's dict has to hold; null where it may hold anything else
    std::uint8_t order_length_ = 0;
    std::uint16_t least_values_ = 0;  // so many the array has to hold; 0: they are members
    bool are_in_dict_ = false;  // the names are the first keys of the instance's dict, in this order
};

// Whether a field of this name, a str, is left out for the underscore that it begins with.
inline bool is_left_out_as_private(PyObject* name, std::uint32_t flags) noexcept {
    return (flags & kNoPrivateFields) && PyUnicode_GET_LENGTH(name) > 0 && PyUnicode_READ_CHAR(name, 0) == '_';
}

}  // namespace ocior::encode
