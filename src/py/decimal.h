// decimal.Decimal, CPython's own in C: made from its digits, by the layout of its objects, several times as fast as the class makes one of
// text.
#pragma once

#include "py/proved_type.h"
#include "py/str.h"
#include "py/tricks.h"

namespace ocior {

class Decimals {
public:
    // Whether `given` is the class itself, no other of its name and none derived from it, and its objects can be made here. Sets no error.
    bool knows(const Tricks& tricks, PyObject* given) noexcept;

    PyObject* type() const noexcept { return reinterpret_cast<PyObject*>(type_.get()); }

    // The Decimal of `digit_count` digits, the first of which is zero only where it is the only one: words of 19 each, the lowest first, at
    // most kMostWords. Null when out of memory, with an error set or without.
    static constexpr unsigned kMostWords = 4;
    PyObject* new_decimal(ObjectAllocator& allocator, bool negative, const std::uint64_t* words, unsigned word_count, unsigned digit_count,
                          std::int64_t exponent) const noexcept;

    // What an object of the class holds: words of 19 digits each, the lowest first, and more digits than one word has in the others alone.
    struct Number {
        const std::uint64_t* words;
        std::int64_t word_count;
        std::int64_t digit_count;  // 1 of zero
        std::int64_t exponent;     // of the last digit
        bool is_negative;
    };
    // False where it holds none, or is none of the class.
    OCIOR_INLINE bool read(PyObject* value, Number& number) const noexcept {
        const auto* const object = reinterpret_cast<const Object*>(value);
        if (OCIOR_UNLIKELY(!Py_IS_TYPE(value, type_.get()) || (object->flags & kIsSpecial))) return false;
        number = {object->words, object->word_count, object->digit_count, object->exponent, (object->flags & kNegative) != 0};
        return true;
    }

    void clear() noexcept { type_.clear(); }

private:
    // What an object holds: libmpdec's mpd_t, of a decimal whose words lie right behind it.
    struct Object {
        PyObject header;
        Py_hash_t hash;  // -1: not yet asked for
        std::uint8_t flags;
        Py_ssize_t exponent, digit_count, word_count, word_room;
        std::uint64_t* words;
        std::uint64_t room[kMostWords];
    };
    static constexpr std::uint8_t kNegative = 1, kIsSpecial = 2 | 4 | 8,
                                  kIsInside = 16 | 32;  // no number; neither mpd_t nor words are blocks of their own

    static bool prove(PyTypeObject* type) noexcept;
    static PyObject* new_of_type(PyTypeObject* type, ObjectAllocator& allocator, bool negative, const std::uint64_t* words,
                                 unsigned word_count, unsigned digit_count, std::int64_t exponent) noexcept;

    ProvedType type_;
};

}  // namespace ocior
