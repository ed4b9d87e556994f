#include "py/decimal.h"

#include <cstring>

namespace ocior {

PyObject* Decimals::new_of_type(PyTypeObject* type, ObjectAllocator& allocator, bool negative, const std::uint64_t* words,
                                unsigned word_count, unsigned digit_count, std::int64_t exponent) noexcept {
    const bool is_collected = PyType_IS_GC(type);
    Object* object;
    if (is_collected) {
        object = PyObject_GC_New(Object, type);
    } else {
        object = static_cast<Object*>(allocator.allocate(sizeof(Object)));
        if (object) {
            layout::init_header(&object->header, type);
            if (PyType_HasFeature(type, Py_TPFLAGS_HEAPTYPE)) Py_INCREF(type);
        }
    }
    if (OCIOR_UNLIKELY(!object)) return nullptr;
    object->hash = -1;
    object->flags = kIsInside | (negative ? kNegative : 0);
    object->exponent = exponent;
    object->digit_count = digit_count;
    object->word_count = word_count;
    object->word_room = kMostWords;
    object->words = object->room;
    for (unsigned i = 0; i < kMostWords; ++i) object->room[i] = i < word_count ? words[i] : 0;
    if (is_collected) PyObject_GC_Track(object);
    return &object->header;
}

PyObject* Decimals::new_decimal(ObjectAllocator& allocator, bool negative, const std::uint64_t* words, unsigned word_count,
                                unsigned digit_count, std::int64_t exponent) const noexcept {
    return new_of_type(type_.get(), allocator, negative, words, word_count, digit_count, exponent);
}

// What the class makes of some texts is compared with what they should have become, field by field, and then with what is made here.
bool Decimals::prove(PyTypeObject* type) noexcept {
    struct Sample {
        const char* text;
        bool negative;
        std::uint64_t words[kMostWords];
        unsigned word_count, digit_count;
        std::int64_t exponent;
    };
    constexpr Sample kSamples[] = {
        {"0.0", false, {0}, 1, 1, -1},
        {"-0E+7", true, {0}, 1, 1, 7},
        {"-1.50", true, {150}, 1, 3, -2},
        {"0.9999999999999999999", false, {9999999999999999999u}, 1, 19, -19},
        {"1.0000000000000000000", false, {0, 1}, 2, 20, -19},
        {"12345678901234567890123456789012345678901234567890123456789012345678901.23456e-999999",
         false,
         {8901234567890123456u, 9012345678901234567u, 123456789012345678u, 1234567890123456789u},
         4,
         76,
         -1000004},
    };
    ObjectAllocator allocator;
    for (const Sample& sample : kSamples) {
        const Owned made = Owned::steal(PyObject_CallFunction(reinterpret_cast<PyObject*>(type), "s", sample.text));
        if (!made || !Py_IS_TYPE(made.get(), type)) return false;
        const auto* const object = reinterpret_cast<Object*>(made.get());
        if (object->hash != -1 || object->flags != (kIsInside | (sample.negative ? kNegative : 0)) || object->exponent != sample.exponent ||
            object->digit_count != static_cast<Py_ssize_t>(sample.digit_count) ||
            object->word_count != static_cast<Py_ssize_t>(sample.word_count) || object->word_room != kMostWords ||
            object->words != object->room || std::memcmp(object->room, sample.words, sample.word_count * sizeof *sample.words) != 0)
            return false;
        const Owned built = Owned::steal(
            new_of_type(type, allocator, sample.negative, sample.words, sample.word_count, sample.digit_count, sample.exponent));
        const Owned texts[] = {Owned::steal(built ? PyObject_Repr(built.get()) : nullptr), Owned::steal(PyObject_Repr(made.get()))};
        if (!texts[0] || !texts[1] || PyUnicode_Compare(texts[0].get(), texts[1].get()) != 0) return false;
        if (PyObject_RichCompareBool(built.get(), made.get(), Py_EQ) != 1) return false;
        const Py_hash_t hash = PyObject_Hash(made.get());
        if (hash == -1 || PyObject_Hash(built.get()) != hash) return false;
    }
    return true;
}

bool Decimals::knows(const Tricks& tricks, PyObject* given) noexcept {
    const auto has_form = [](PyTypeObject* type) {
        return type->tp_basicsize == static_cast<Py_ssize_t>(sizeof(Object)) && type->tp_itemsize == 0 &&
               type->tp_base == &PyBaseObject_Type;
    };
    return type_.knows(tricks, given, "decimal.Decimal", has_form, prove);
}

}  // namespace ocior
