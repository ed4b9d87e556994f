#include "decode/key_table.h"

#include <cstdlib>

#include "py/str.h"

namespace ocior::decode {
namespace {

bool are_equal(PyObject* one, PyObject* other) noexcept {
    const Py_ssize_t length = PyUnicode_GET_LENGTH(one);
    const unsigned width = unit_width(one);
    return length == PyUnicode_GET_LENGTH(other) && width == unit_width(other) &&
           std::memcmp(PyUnicode_DATA(one), PyUnicode_DATA(other), static_cast<std::size_t>(length) * width) == 0;
}

}  // namespace

std::size_t KeyTable::number_of(PyObject* key) noexcept {
    const Py_hash_t hash = PyObject_Hash(key);
    if (OCIOR_UNLIKELY(hash == -1)) return 0;
    if (OCIOR_UNLIKELY(is_full_with(count_ + 1)) && !grow()) return PyErr_NoMemory(), 0;
    const std::uint32_t half = half_of(hash);
    std::size_t i = home_of(half);
    for (; slots_[i] != 0; i = (i + 1) & mask()) {
        if (OCIOR_LIKELY(slots_[i] >> 32 != half)) continue;
        const auto number = static_cast<std::uint32_t>(slots_[i]);
        if (OCIOR_LIKELY(are_equal(key_at(number - 1), key))) return found_ = number;
    }
    found_ = 0;
    if (OCIOR_UNLIKELY(!keys_.reserve(count_ + 1))) return PyErr_NoMemory(), 0;
    keys_.data()[count_++] = reinterpret_cast<std::uintptr_t>(new_ref(key));
    unit_count_ += static_cast<std::size_t>(PyUnicode_GET_LENGTH(key));
    slots_[i] = static_cast<Slot>(half) << 32 | count_;
    return count_;
}

PyObject* KeyTable::share(PyObject* key) noexcept {
    const std::size_t number = number_of(key);
    PyObject* const shared = OCIOR_LIKELY(number != 0) ? key_at(number - 1) : nullptr;
    if (OCIOR_LIKELY(shared == key)) return key;
    Py_XINCREF(shared);
    Py_DECREF(key);
    return shared;
}

PyObject* KeyTable::share_and_keep(PyObject* key) noexcept {
    const std::size_t number = number_of(key);
    if (OCIOR_UNLIKELY(number == 0)) return PyErr_Clear(), key;
    keys_.data()[number - 1] |= kIsKept;
    PyObject* const shared = new_ref(key_at(number - 1));
    Py_DECREF(key);
    return shared;
}

void KeyTable::put(Slot* slots, std::uint32_t half, Slot slot) noexcept {
    std::size_t i = home_of(half);
    while (slots[i] != 0) i = (i + 1) & mask();
    slots[i] = slot;
}

void KeyTable::expect_more(std::size_t n) noexcept {
    if (!slots_ && !begin()) return;
    unsigned log_slots = log_slots_;
    while (log_slots < 31 && 4 * (count_ + n) > std::size_t{3} << log_slots) ++log_slots;
    if (log_slots > log_slots_) (void)grow(log_slots);
    (void)keys_.reserve(count_ + n);
}

bool KeyTable::begin() noexcept {
    static_assert(4 * kFirstKeys == std::size_t{3} << kFirstLogSlots);
    if (!keys_.reserve(kFirstKeys)) return false;
    slots_ = first_slots_ = static_cast<Slot*>(std::calloc(std::size_t{1} << kFirstLogSlots, sizeof(Slot)));
    log_slots_ = kFirstLogSlots;
    return slots_ != nullptr;
}

bool KeyTable::grow(unsigned log_slots) noexcept {
    if (log_slots > 31) return false;
    auto* const slots = static_cast<Slot*>(std::calloc(std::size_t{1} << log_slots, sizeof(Slot)));
    if (!slots) return false;
    const std::size_t before = mask() + 1;
    log_slots_ = log_slots;
    for (std::size_t i = 0; i < before; ++i)
        if (slots_[i] != 0) put(slots, static_cast<std::uint32_t>(slots_[i] >> 32), slots_[i]);
    if (slots_ != first_slots_) std::free(slots_);
    slots_ = slots;
    return true;
}

// Leaves nothing but the first block of places, all of them free.
void KeyTable::forget_slots() noexcept {
    if (slots_ != first_slots_) std::free(slots_);
    slots_ = first_slots_;
    log_slots_ = kFirstLogSlots;
    if (slots_) std::memset(slots_, 0, (mask() + 1) * sizeof(Slot));
}

void KeyTable::forget_others() noexcept {
    const std::size_t before = count_;
    count_ = unit_count_ = found_ = 0;
    for (std::size_t i = 0; i < before; ++i) {
        PyObject* const key = key_at(i);
        if (keys_.data()[i] & kIsKept) keys_.data()[count_++] = keys_.data()[i];
        else Py_DECREF(key);
    }
    forget_slots();
    const std::size_t kept = count_;
    for (count_ = 0; count_ < kept; ++count_) {
        PyObject* const key = key_at(count_);
        if (is_full_with(count_ + 1) && !grow()) break;  // the rest is dropped below
        put(slots_, half_of(PyObject_Hash(key)), static_cast<Slot>(half_of(PyObject_Hash(key))) << 32 | (count_ + 1));
        unit_count_ += static_cast<std::size_t>(PyUnicode_GET_LENGTH(key));
    }
    for (std::size_t i = count_; i < kept; ++i) Py_DECREF(key_at(i));
    keys_.cut(kFirstKeys);
}

void KeyTable::clear() noexcept {
    for (std::size_t i = 0; i < count_; ++i) Py_DECREF(key_at(i));
    count_ = unit_count_ = found_ = 0;
    forget_slots();
    std::free(std::exchange(first_slots_, nullptr));
    slots_ = nullptr;
    keys_.trim(0);
}

}  // namespace ocior::decode
