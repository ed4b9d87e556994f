// Writes the pieces of JSON text, value by value, into the output block: strings, numbers, constants, separators, lines.
// Everything is inline in the walk but what is rare or long. The class is here, its longer functions in the other headers of this folder.
#pragma once

#include <algorithm>

#include "encode/arrays/array_run.h"
#include "encode/arrays/number_run.h"
#include "encode/arrays/view.h"
#include "encode/line.h"
#include "encode/walk/call.h"
#include "encode/writer/scalars.h"
#include "num/write.h"
#include "py/number.h"
#include "simd/decimal_write.h"

namespace ocior::encode {

// The write position travels by value and comes back from every function; null means that the walk stops: an error is set, or
// Call::stop says why.
template <Mode mode, CodeUnit Unit, Spacing spacing>
class Writer : public TextWriter<mode, Unit> {
    using Base = TextWriter<mode, Unit>;

protected:
    using Base::base_;
    using Base::call_;
    using Base::item_;
    using Base::item_limit_;
    using Base::limit_;
    using Base::options_;

public:
    using Base::checks_strings;
    using Base::ensure;
    using Base::escapes_strings;
    using Base::grow;
    using Base::has_item_room;
    using Base::has_room;
    using Base::item;
    using Base::item_offset;
    using Base::kItemRoom;
    using Base::kMayWiden;
    using Base::kOneChunk;
    using Base::kTextPieceRoom;
    using Base::note_item;
    using Base::offset;
    using Base::put;
    using Base::put_any_string;
    using Base::put_ascii;
    using Base::put_element_alone;
    using Base::put_long_int;
    using Base::put_scalar_text;
    using Base::put_short_units;
    using Base::put_word;

    explicit Writer(Call& call) noexcept : Base(call, !kFixed) {}

    // Whether the text between values is known here.
    static constexpr bool kFixed = spacing != Spacing::kAny;
    static constexpr bool kHasNumberRuns = kFixed && sizeof(Unit) == 1;
    static constexpr bool kHasLines = spacing == Spacing::kLines || spacing == Spacing::kAny;
    static constexpr std::size_t kNumberRoom = num::kFormatRoom + simd::kVecBytes;  // a whole vector may be read from it
    static_assert(num::kMaxFloat64Len <= 32);
    static constexpr std::size_t kMostKept = 16 * 1024;  // units of a list that a flush keeps: an eighth of the piece, or half of it
    // These ask for room between two items, where a full piece may be handed over instead of growing the block.
    OCIOR_INLINE Unit* ensure_between(Unit* at) noexcept { return has_item_room(at) ? at : grow_or_flush(at, kItemRoom); }
    OCIOR_INLINE Unit* ensure_text_piece(Unit* at) noexcept {
        constexpr auto kMore = static_cast<std::ptrdiff_t>(kTextPieceRoom - kItemRoom);
        return OCIOR_LIKELY(item_limit_ - at >= kMore) ? at : grow_or_flush(at, kTextPieceRoom);
    }

    OCIOR_NOINLINE Unit* grow_or_flush(Unit* at, std::size_t units) noexcept {
        if (!options_.in_pieces) return grow(at, units);
        // A flush keeps the last separator, which a bracket may take back, or the list that may be joined when it ends: the piece should be
        // worth that copy, and the next one has to hold it.
        std::size_t kept = options_.item.length;
        if constexpr (!kFixed)
            if (may_be_joined(at)) kept = offset(at) - call_.flat_list;
        if (offset(at) < kTextPiece + 2 * kept || kept > kMostKept + options_.item.length) return grow(at, units + kTextPieceRoom);
        call_.kept = kept;
        note_item(at);
        call_.stop = Stop::kFlush;
        return nullptr;
    }

    // The bracket that opens a list or dict. The former may be a short one as long as none of either has begun in it.
    OCIOR_INLINE Unit* put_opening(Unit* at, char bracket) noexcept {
        if constexpr (!kFixed)
            if (OCIOR_UNLIKELY(options_.short_arrays != 0)) call_.flat_list = bracket == '[' ? offset(at) : Call::kNoList;
        return put(at, bracket);
    }
    // Where what ends here ends on one line, up to the bracket, if it is a short list; else null.
    OCIOR_INLINE Unit* joined(Unit* at, bool has_items) noexcept {
        if constexpr (kFixed) return nullptr;
        return OCIOR_LIKELY(call_.flat_list == Call::kNoList) ? nullptr : join_list(at, has_items);
    }
    template <typename Act>
    OCIOR_INLINE void for_each_item(Unit* first, Unit* end, Act act) const noexcept;
    static std::size_t line_end_in(const Separator& separator) noexcept;
    std::size_t length_on_one_line(Unit* first, Unit* end, std::size_t most) const noexcept;
    OCIOR_NOINLINE Unit* join_list(Unit* at, bool has_items) noexcept;
    bool may_be_joined(Unit* at) noexcept;

    // The text between values where it is known here, and with a quote before it.
    static constexpr std::size_t kItemLength = spacing == Spacing::kJson ? 2 : 1, kKeyLength = spacing == Spacing::kCompact ? 1 : 2;
    static constexpr std::uint64_t kItemWord = kItemLength == 2 ? 0x202c : 0x2c, kKeyWord = kKeyLength == 2 ? 0x203a : 0x3a;

    // Up to 4 ASCII units known here, behind each of which there is room for 4.
    template <std::size_t length, std::uint64_t word>
    static OCIOR_INLINE Unit* put_fixed(Unit* at) noexcept {
        if constexpr (sizeof(Unit) == 4 || length == 1) {
            for (std::size_t i = 0; i < length; ++i) at[i] = static_cast<std::uint8_t>(word >> (8 * i));
        } else if constexpr (sizeof(Unit) == 2) {
            store(at, (word & 0xff) | (word & 0xff00) << 8 | (word & 0xff0000) << 16);
        } else if constexpr (length == 2) {
            store(at, static_cast<std::uint16_t>(word));
        } else {
            store(at, static_cast<std::uint32_t>(word));
        }
        return at + length;
    }
    OCIOR_INLINE Unit* put_item_separator(Unit* at) noexcept {
        if constexpr (kFixed) return put_fixed<kItemLength, kItemWord>(at);
        else return put_separator(at, options_.item);
    }
    OCIOR_INLINE Unit* put_key_separator(Unit* at) noexcept {
        if constexpr (kFixed) return put_fixed<kKeyLength, kKeyWord>(at);
        else return put_separator(at, options_.key);
    }
    // The quote that ends a string, and what follows.
    template <bool kIsKey>
    OCIOR_INLINE Unit* put_string_end(Unit* at) noexcept {
        if constexpr (kFixed) return put_fixed<1 + (kIsKey ? kKeyLength : kItemLength), (kIsKey ? kKeyWord : kItemWord) << 8 | '"'>(at);
        at = put(at, '"');
        return kIsKey ? put_key_separator(at) : put_item_separator(at);
    }
    OCIOR_INLINE std::size_t item_separator_length() const noexcept { return kFixed ? kItemLength : options_.item.length; }

    OCIOR_INLINE Unit* put_separator(Unit* at, const Separator& separator) noexcept {
        return OCIOR_LIKELY(!separator.data) ? put_word(at, separator.word, separator.length) : put_long_separator(at, separator);
    }

    // Text of any length, no wider than the unit; for bytes it is UTF-8 already.
    OCIOR_NOINLINE Unit* put_long_separator(Unit* at, const Separator& separator) noexcept {
        at = ensure(at, separator.length + kItemRoom);
        if (!at) return nullptr;
        if (separator.width == 1) text::convert(at, static_cast<const std::uint8_t*>(separator.data), separator.length);
        if constexpr (sizeof(Unit) >= 2)
            if (separator.width == 2) text::convert(at, static_cast<const std::uint16_t*>(separator.data), separator.length);
        if constexpr (sizeof(Unit) == 4)
            if (separator.width == 4) text::convert(at, static_cast<const std::uint32_t*>(separator.data), separator.length);
        return at + separator.length;
    }

    // A new line, indented for the open containers; nothing unless the layout is pretty.
    OCIOR_INLINE Unit* put_line(Unit* at) noexcept {
        if constexpr (!kHasLines) return at;
        if (spacing == Spacing::kAny && !options_.pretty) return at;
        if (spacing == Spacing::kAny && OCIOR_UNLIKELY(options_.indent.text.data != nullptr))
            return put_text_line(at, options_.indent.text);
        const std::size_t n = call_.level * options_.indent.count;
        if (OCIOR_UNLIKELY(n > kShortLine || spacing == Spacing::kAny)) return put_long_line(at);
        return put_short_line(at, simd::Vec<Unit>::splat(options_.indent.fill), n);
    }

    OCIOR_NOINLINE Unit* put_long_line(Unit* at) noexcept {
        const Indent& indent = options_.indent;
        if (OCIOR_UNLIKELY(indent.count > (std::size_t{1} << 40))) {
            call_.pin_for_memory_error();
            return PyErr_NoMemory(), nullptr;
        }
        const std::size_t n = call_.level * indent.count;
        at = ensure(at, n + 1 + kItemRoom);
        if (OCIOR_UNLIKELY(!at)) return nullptr;
        at = put(at, '\n');
        const auto spaces = simd::Vec<Unit>::splat(indent.fill);
        for (std::size_t i = 0; i < n; i += simd::Vec<Unit>::kLanes) spaces.store(at + i);
        return at + n;
    }

    OCIOR_NOINLINE Unit* put_text_line(Unit* at, const Separator& indent) noexcept {
        at = ensure(at, 1 + kItemRoom);
        if (at) at = put(at, '\n');
        for (std::size_t i = 0; at && i < call_.level; ++i) at = put_long_separator(at, indent);
        return at ? ensure(at, kItemRoom) : nullptr;
    }

    // (Tried and lost: the texts of keys that come again, ready to be copied, found by the key's address. Looking them up costs what
    // one test and one store of a short string do.)
    template <bool kIsKey>
    OCIOR_INLINE Unit* put_string(Unit* at, PyObject* str) noexcept;
    OCIOR_INLINE Unit* put_key(Unit* at, PyObject* str) noexcept { return put_string<true>(at, str); }
    Unit* put_any_key(Unit* at, PyObject* str) noexcept {
        at = put_any_string(at, str, false);
        return at ? put_key_separator(at) : nullptr;
    }
    OCIOR_INLINE Unit* put_scalar_key(Unit* at, const std::uint8_t* text, const std::uint8_t* end) noexcept {
        at = put_scalar_text(put(at, '"'), text, end);
        return OCIOR_LIKELY(at != nullptr) ? put_string_end<true>(at) : nullptr;
    }
    OCIOR_INLINE Unit* put_float(Unit* at, PyObject* value) noexcept;

    OCIOR_INLINE Unit* put_float_item(Unit* at, PyObject* value) noexcept {
        at = put_float(at, value);
        return OCIOR_LIKELY(at != nullptr) ? put_item_separator(at) : nullptr;
    }
    template <typename Run>
    OCIOR_INLINE Unit* put_float_items(Unit* at, PyObject* value, Run& run) noexcept;
    template <typename Run>
    OCIOR_INLINE Unit* put_points(Unit* at, Run& run) noexcept;
    template <bool kArePoints>
    OCIOR_NOINLINE NumberRun write_number_run(std::uint8_t* at, PyObject* const* first, PyObject* const* end) noexcept;
    Between between_items() const noexcept {
        if constexpr (!kHasLines) return {kItemWord, kItemLength, 0, 0, 0, options_.non_finite, options_.exponents};
        return {kItemWord,           kItemLength,       options_.indent.fill, call_.level * options_.indent.count, options_.indent.count,
                options_.non_finite, options_.exponents};
    }

    template <typename BeforeString, typename PutFloats, typename AfterConstant>
    OCIOR_INLINE Unit* put_item(Unit* at, PyObject* value, bool& scalar, BeforeString before_string, PutFloats put_floats,
                                AfterConstant after_constant) noexcept;
    OCIOR_INLINE Unit* put_item(Unit* at, PyObject* value, bool& scalar) noexcept {
        return put_item(
            at, value, scalar, [] {}, [this](Unit* to, PyObject* number) OCIOR_INLINE_LAMBDA { return put_float_item(to, number); },
            [](Unit* end) { return end; });
    }
    // The functions below stand apart from those that call them, which are not worth another copy of this code.
    OCIOR_NOINLINE Unit* put_item_apart(Unit* at, PyObject* value, bool& is_scalar) noexcept { return put_item(at, value, is_scalar); }
    OCIOR_NOINLINE Unit* put_easy_scalar_apart(Unit* at, PyObject* value, bool& is_scalar) noexcept {
        return put_easy_scalar(at, value, is_scalar);
    }
    OCIOR_NOINLINE Unit* put_lone_scalar_apart(Unit* at, PyObject* value) noexcept { return put_lone_scalar(at, value); }
    template <typename Run>
    OCIOR_INLINE Unit* put_constants(Unit* at, Run& run) noexcept;
    struct ConstantRun {
        Unit* at;
        PyObject* const* next;
    };
    // How far rows were written: up to `next`, and where `position` is not kNotBegun, of that one up to this item.
    static constexpr Py_ssize_t kNotBegun = -1;
    struct RowRun {
        Unit* at;
        PyObject* const* next;
        Py_ssize_t position;
    };
    OCIOR_INLINE bool may_be_row(PyObject* value) noexcept;
    OCIOR_NOINLINE RowRun write_rows(Unit* at, PyObject* const* next, PyObject* const* end) noexcept;
    OCIOR_NOINLINE Unit* put_stored_row(Unit* at, const TypeTable::Entry& entry, PyObject* value) noexcept;
    OCIOR_NOINLINE ConstantRun write_constants(Unit* at, PyObject* const* next, PyObject* const* end) noexcept;

    // What a function that may or may not have written returns.
    struct Written {
        Unit* at;
        bool is_any;
    };
    OCIOR_INLINE bool may_write_int_keys() const noexcept;
    OCIOR_NOINLINE Written put_key_at_once(Unit* at, PyObject* key) noexcept;
    OCIOR_NOINLINE Written put_rich_key(Unit* at, PyObject* key) noexcept;
    OCIOR_NOINLINE Written put_scalar_at_once(Unit* at, PyObject* value) noexcept;
    OCIOR_NOINLINE Unit* put_made(Unit* at, PyObject* value) noexcept;
    OCIOR_INLINE bool may_be_rich(PyObject* value) const noexcept;
    template <typename Run>
    OCIOR_INLINE Written put_rich_scalars(Unit* at, Run& run) noexcept;
    OCIOR_INLINE Written put_rich_scalar(Unit* at, PyObject* value) noexcept;
    struct ScalarRun {
        Unit* at;
        PyObject* const* next;
    };
    OCIOR_NOINLINE ScalarRun write_rich_scalars(Unit* at, PyObject* const* next, PyObject* const* end) noexcept;
    OCIOR_INLINE Unit* put_planned(Unit* at, const TypeTable::Entry& entry, PyObject* value, std::size_t outer) noexcept;
    OCIOR_INLINE Unit* put_at_once(Unit* at, const TypeTable::Entry& entry, PyObject* value) noexcept;
    OCIOR_INLINE Unit* put_replacement(Unit* at, const TypeTable::Entry& entry, PyObject* value) noexcept;
    OCIOR_INLINE Unit* put_derived_string(Unit* at, PyObject* str) noexcept;
    OCIOR_INLINE Unit* put_json_at_once(Unit* at, PyObject* raw) noexcept;
    OCIOR_NOINLINE Unit* put_small(Unit* at, const Plan& plan, PyObject* value, std::size_t outer) noexcept;
    OCIOR_NOINLINE Unit* put_frameless_fields(Unit* at, const TypeTable::Entry& entry, PyObject* value, std::size_t outer) noexcept;
    OCIOR_INLINE Unit* put_member(Unit* at, const Fields::KeyText& key, PyObject* item, std::size_t outer) noexcept;
    OCIOR_NOINLINE Unit* put_formed(Unit* at, const Fields& fields, const char* place, std::size_t outer) noexcept;
    OCIOR_NOINLINE Unit* put_rest(Unit* at, const Form& form, PyObject* rest, std::size_t outer) noexcept;
    OCIOR_INLINE void note_frameless_end(Unit* at) noexcept {
        if (!frameless_end_) frameless_end_ = at;
    }
    OCIOR_INLINE Unit* put_frameless_item(Unit* at, PyObject* item, std::size_t outer) noexcept;
    OCIOR_NOINLINE Unit* put_frameless_value(Unit* at, PyObject* value, std::size_t outer) noexcept;
    // How far a list was written: whole, with what follows it, or so many items.
    struct ShortList {
        Unit* at;
        Py_ssize_t count;
    };
    template <typename PutOne>
    OCIOR_INLINE ShortList put_short_list(Unit* at, PyObject* const* items, Py_ssize_t count, PutOne put_one) noexcept;
    OCIOR_INLINE Unit* put_frameless_list(Unit* at, PyObject* list, std::size_t outer) noexcept;
    OCIOR_INLINE Unit* put_frameless_dict(Unit* at, PyObject* dict, std::size_t outer) noexcept;
    OCIOR_INLINE Unit* put_frameless_entries(Unit* at, PyObject* dict, std::size_t outer) noexcept;
    OCIOR_INLINE Unit* put_easy_scalar(Unit* at, PyObject* value, bool& is_scalar) noexcept;
    OCIOR_INLINE Unit* put_lone_scalar(Unit* at, PyObject* value) noexcept;
    OCIOR_INLINE bool may_hold_string(const Unit* at, PyObject* str) const noexcept;
    OCIOR_INLINE bool is_easy_string(const Unit* at, PyObject* str) const noexcept;

    OCIOR_NOINLINE Unit* put_array(Unit* at, ArrayView& view) noexcept;
    OCIOR_INLINE Unit* put_elements(Unit* at, ArrayView& view, NumberWindow& window) noexcept;
    template <typename Separator>
    OCIOR_INLINE Unit* put_element_run(Unit* at, ArrayView& view, NumberWindow& window, const Separator& separator) noexcept;
    OCIOR_INLINE Unit* put_lone_element(Unit* at, ArrayView& view, NumberWindow& window) noexcept {
        at = put_element_alone(at, view, window);
        return OCIOR_LIKELY(at != nullptr) ? put_item_separator(at) : nullptr;
    }

    // An empty list, tuple or dict of exactly that type; null for anything else.
    OCIOR_INLINE Unit* put_if_empty(Unit* at, PyObject* value) noexcept {
        PyTypeObject* const type = Py_TYPE(value);
        if (!kFixed && OCIOR_UNLIKELY(options_.max_depth < kMaxDepth)) return nullptr;  // the walk asks whether it may stand here
        if (type == &PyDict_Type) return PyDict_GET_SIZE(value) == 0 ? put_empty_dict(at) : nullptr;
        const bool is_list = type == &PyList_Type || type == &PyTuple_Type;
        return is_list && size_of_items(value) == 0 ? put_empty_list(at) : nullptr;
    }
    static OCIOR_INLINE Unit* put_empty_dict(Unit* at) noexcept { return put_word(at, '{' | '}' << 8, 2); }
    static OCIOR_INLINE Unit* put_empty_list(Unit* at) noexcept { return put_word(at, '[' | ']' << 8, 2); }

private:
    Unit* frameless_end_ = nullptr;  // how far an object was written that needs a frame; null where none is known not to be
};

}  // namespace ocior::encode
