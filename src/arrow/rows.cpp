// Values of Arrow arrays as JSON text. A value is written where room for it is known to be; texts and containers ask for more.
#include "arrow/rows.h"

#include <new>

#include "arrow/row_plan.h"
#include "arrow/scalars.h"
#include "base/calendar.h"
#include "grammar/skipper.h"
#include "num/duration.h"
#include "num/float_text.h"
#include "text/escape.h"
#include "text/utf8.h"

namespace ocior::arrow {
namespace {

constexpr std::size_t kRoom = 256;   // there is so much where a value begins: what one without a length of its own takes, and kRest
constexpr std::size_t kRest = 64;    // and so much where it ends

OCIOR_INLINE std::uint8_t* put(std::uint8_t* to, char character) noexcept {
    *to = static_cast<std::uint8_t>(character);
    return to + 1;
}
OCIOR_INLINE std::uint8_t* put_null(std::uint8_t* to) noexcept {
    store(to, load<std::uint32_t>("null"));
    return to + 4;
}
OCIOR_INLINE std::uint8_t* put_bool(std::uint8_t* to, bool is_true) noexcept {
    store(to, is_true ? load<std::uint64_t>("true\0\0\0") : load<std::uint64_t>("false\0\0"));
    return to + 5 - is_true;
}

}  // namespace

// Writes one array. `at` is where the text ends, null where something has failed.
class Writing {
public:
    Writing(RowWriter& writer, RowText& text) noexcept : writer_(writer), options_(writer.options_), text_(text) { set_limit(); }

    std::uint8_t* begin() noexcept { return room(text_.data() + text_.used, kRoom); }
    std::uint8_t* row(std::int64_t row, std::uint8_t* at) noexcept { return value(*writer_.root_, row, at); }
    // What stands behind a row is written; the next one has room.
    std::uint8_t* end_row(std::uint8_t* at, std::uint64_t end, std::size_t end_length) noexcept {
        store(at, end);
        at += end_length;
        text_.used = static_cast<std::size_t>(at - text_.data());
        return room(at, kRoom);
    }

private:
    void set_limit() noexcept { limit_ = text_.data() + text_.capacity(); }
    std::uint8_t* grow(std::uint8_t* at, std::size_t wanted) noexcept {
        const auto used = static_cast<std::size_t>(at - text_.data());
        if (wanted > SIZE_MAX / 4 || !text_.reserve(used + wanted)) {
            (void)writer_.refuse(RowWriter::Error::kMemory, "out of memory");
            return nullptr;
        }
        set_limit();
        return text_.data() + used;
    }
    OCIOR_INLINE std::uint8_t* room(std::uint8_t* at, std::size_t wanted) noexcept {
        return OCIOR_LIKELY(static_cast<std::size_t>(limit_ - at) >= wanted) ? at : grow(at, wanted);
    }
    OCIOR_COLD std::uint8_t* fail(const Column& column, std::int64_t index, const char* what) noexcept {
        (void)writer_.refuse(RowWriter::Error::kValue, "column '%s', value %lld: %s", column.name, static_cast<long long>(index), what);
        return nullptr;
    }
    OCIOR_INLINE std::uint8_t* put_item(std::uint8_t* at) const noexcept {
        store(at, options_.item);
        return at + options_.item_length;
    }

    OCIOR_INLINE std::uint8_t* real(const Column& column, std::int64_t i, std::uint8_t* at, double number) noexcept {
        if (std::uint8_t* const end = num::write_regular_f64(at, number); OCIOR_LIKELY(end != nullptr)) return end;
        return __builtin_isfinite(number) ? num::write_f64(at, number) : non_finite(column, i, at, number);
    }
    // The float at that place, of a column that has a batch, by the batch; null where it is another way's.
    template <num::FloatFormat format>
    OCIOR_INLINE std::uint8_t* batched(const Column& column, std::int64_t place, std::uint8_t* at) noexcept {
        std::int64_t i = place - column.floats_from;
        if (OCIOR_UNLIKELY(static_cast<std::uint64_t>(i) >= static_cast<std::uint64_t>(column.floats_count))) {
            if (!fill_batch<format>(column, place)) return nullptr;
            i = 0;
        }
        return column.floats->put(at, static_cast<int>(i));
    }
    // Takes the floats that come. False where there are too few.
    template <num::FloatFormat format>
    static OCIOR_NOINLINE bool fill_batch(const Column& column, std::int64_t place) noexcept {
        using Bits = std::conditional_t<format == num::FloatFormat::k64, std::uint64_t, std::uint32_t>;
        constexpr std::int64_t kSize = num::FloatBatch::kSize, kLanes = num::FloatBatch::kLanes;
        const std::int64_t left = column.offset + column.length - place, count = (left < kSize ? left : kSize) / kLanes * kLanes;
        if (count == 0) return false;
        column.floats->format_bits<format>(static_cast<int>(count), [&](int k) OCIOR_INLINE_LAMBDA { return column.at<Bits>(place + k); });
        column.floats_from = place;
        column.floats_count = count;
        return true;
    }
    OCIOR_NOINLINE std::uint8_t* non_finite(const Column& column, std::int64_t i, std::uint8_t* at, double number) noexcept {
        if (options_.non_finite == NonFiniteNumbers::kNull) return put_null(at);
        const char* const word = number > 0 ? "Infinity" : number < 0 ? "-Infinity" : "NaN";
        if (options_.non_finite == NonFiniteNumbers::kError) {
            (void)writer_.refuse(RowWriter::Error::kValue,
                                 "Out of range float values are not JSON compliant: %s in column '%s', value %lld",
                                 number > 0   ? "inf"
                                 : number < 0 ? "-inf"
                                              : "nan",
                                 column.name, static_cast<long long>(i));
            return nullptr;
        }
        const std::size_t n = std::strlen(word);
        std::memcpy(at, word, n);
        return at + n;
    }

    // A string in quotes. Most are printable ASCII, which is found out while it is copied.
    OCIOR_INLINE std::uint8_t* text(const Column& column, std::int64_t i, const std::uint8_t* p, std::size_t n, std::uint8_t* at) noexcept {
        constexpr std::size_t kHead = text::kPlainHead < simd::kVecBytes ? simd::kVecBytes : text::kPlainHead;
        if (OCIOR_UNLIKELY(column.is_json)) return json(column, i, p, n, at);
        if (OCIOR_UNLIKELY(n > kRoom - kRest - kWriteSlack) && OCIOR_UNLIKELY(!(at = room(at, n + kRoom)))) return nullptr;
        *at++ = '"';
        std::size_t done = 0;
        if (OCIOR_LIKELY(n - 1 < kHead)) {
            if (text::detail::copy_unmarked<true>(at, p, n)) done = n;
        } else {
            done = n - 1 < text::kMostPlain ? text::copy_some_plain<true>(at, p, n) : n ? text::copy_plain_run<true>(at, p, n) : 0;
        }
        at += done;
        if (OCIOR_UNLIKELY(done != n)) return rest_of_text(column, i, p + done, n - done, at);
        return put(at, '"');
    }
    OCIOR_NOINLINE std::uint8_t* rest_of_text(const Column& column, std::int64_t i, const std::uint8_t* p, std::size_t n,
                                              std::uint8_t* at) noexcept {
        constexpr std::size_t kLong = 16 * 1024;  // longer ones are written part by part
        if (!is_valid_utf8(p, n)) return fail(column, i, "a string that is not UTF-8");
        while (n > 0) {
            std::size_t count = n < kLong ? n : kLong;
            while (count < n && (p[count] & 0xC0) == 0x80) --count;  // whole characters
            if (!(at = room(at, 6 * count + kRoom))) return nullptr;
            at = options_.ensure_ascii ? copy_as_ascii(at, p, count, false) : text::copy_escaped(at, p, count);
            p += count;
            n -= count;
        }
        return put(at, '"');
    }
    // JSON that is ready, on one line.
    OCIOR_NOINLINE std::uint8_t* json(const Column& column, std::int64_t i, const std::uint8_t* p, std::size_t n,
                                      std::uint8_t* at) noexcept {
        using Source = grammar::Utf8Source;
        if (!is_valid_utf8(p, n)) return fail(column, i, "a text that is not UTF-8");
        if (!writer_.workspace_ && !(writer_.workspace_ = new (std::nothrow) grammar::Workspace)) {
            (void)writer_.refuse(RowWriter::Error::kMemory, "out of memory");
            return nullptr;
        }
        if (!(at = room(at, (options_.ensure_ascii ? 7 : 1) * n + kRoom + 2 * kReadSlack))) return nullptr;
        // It is checked where it is written to; escaped it is written behind that.
        std::memcpy(at, p, n);
        std::memset(at + n, 0, 1 + kReadSlack);
        grammar::Call<Source> call{{at, at + n}, true, *writer_.workspace_};
        const std::uint8_t* first = text::skip_whitespace(at);
        const std::uint8_t* const end = grammar::skip_value(call, first, 0);
        if (call.error == grammar::Error::kNoMemory) {
            (void)writer_.refuse(RowWriter::Error::kMemory, "out of memory");
            return nullptr;
        }
        if (call.error != grammar::Error::kNone || text::skip_whitespace(end) != at + n) return fail(column, i, "a text that is not JSON");
        const auto length = static_cast<std::size_t>(end - first);
        for (std::uint8_t* unit = at; unit != at + n; ++unit)
            if (*unit < ' ') *unit = ' ';  // between its values
        if (options_.ensure_ascii) {
            std::uint8_t* const copy = at + n + kReadSlack;
            const auto written = static_cast<std::size_t>(copy_as_ascii(copy, first, length, true) - copy);
            std::memmove(at, copy, written);
            return at + written;
        }
        std::memmove(at, first, length);
        return at + length;
    }
    std::uint8_t* binary(const std::uint8_t* p, std::size_t n, std::uint8_t* at) noexcept {
        if (!(at = room(at, n / 3 * 4 + kRoom))) return nullptr;
        return put(put_base64(put(at, '"'), p, n), '"');
    }

    // The bytes of a string or binary value.
    template <typename Offset>
    static OCIOR_INLINE const std::uint8_t* bytes(const Column& column, std::int64_t place, std::size_t& n) noexcept {
        const auto begin = column.at<Offset>(place);
        n = static_cast<std::size_t>(column.at<Offset>(place + 1) - begin);
        return column.data + begin;
    }
    // Null with an error where the view leads nowhere.
    OCIOR_INLINE const std::uint8_t* viewed(const Column& column, std::int64_t i, std::int64_t place, std::size_t& n) noexcept {
        constexpr std::int32_t kInline = 12;
        const std::uint8_t* const view = column.values + 16 * place;
        // The bytes of later values may lie anywhere: they are asked for early.
        constexpr std::int64_t kAhead = 6;
        if (OCIOR_LIKELY(i + kAhead < column.length)) {
            const std::uint8_t* const later = view + 16 * kAhead;
            const auto buffer = load<std::uint32_t>(later + 8);
            if (load<std::int32_t>(later) > kInline && buffer < column.buffer_count) {
                const auto* const bytes = static_cast<const std::uint8_t*>(column.buffers[buffer]) + load<std::int32_t>(later + 12);
                __builtin_prefetch(bytes);
                __builtin_prefetch(bytes + 63);
            }
        }
        const auto length = load<std::int32_t>(view);
        n = static_cast<std::size_t>(length);
        if (length >= 0 && length <= kInline) return view + 4;
        const auto buffer = load<std::int32_t>(view + 8), offset = load<std::int32_t>(view + 12);
        if (length >= 0 && buffer >= 0 && buffer < column.buffer_count && offset >= 0 && column.buffers[buffer]) {
            const auto size = load<std::int64_t>(column.data + 8 * static_cast<std::int64_t>(buffer));
            if (std::int64_t{offset} + length <= size) return static_cast<const std::uint8_t*>(column.buffers[buffer]) + offset;
        }
        (void)fail(column, i, "a view of no bytes");
        return nullptr;
    }

    // ---- times ----

    std::uint8_t* date(const Column& column, std::int64_t i, std::int64_t day, std::uint8_t* at) noexcept {
        constexpr std::int64_t kFirst = -719528, kLast = 2932896;  // of the years 0 to 9999
        if (day < kFirst || day > kLast) return fail(column, i, "a date beyond the years 0 to 9999");
        return put_date(at, date_of_day(day));
    }
    std::uint8_t* time(const Column& column, std::int64_t i, std::int64_t of_day, std::uint8_t* at) noexcept {
        if (of_day < 0 || of_day >= kSecondsOfDay * column.ticks) return fail(column, i, "a time that is no time of day");
        return put(put_clock(put(at, '"'), column.ticks, of_day, options_.microseconds), '"');
    }
    std::uint8_t* timestamp(const Column& column, std::int64_t i, std::int64_t ticks, std::uint8_t* at) noexcept {
        const std::int64_t of_day = kSecondsOfDay * column.ticks;
        if (!(at = date(column, i, floor_divide(ticks, of_day), put(at, '"')))) return nullptr;
        at = put_clock(put(at, 'T'), column.ticks, floor_modulo(ticks, of_day), options_.microseconds);
        if (column.is_zoned || options_.naive_utc) {
            store(at, options_.utc_z ? std::uint64_t{'Z'} : load<std::uint64_t>("+00:00\0"));
            at += options_.utc_z ? 1 : 6;
        }
        return put(at, '"');
    }
    std::uint8_t* duration(const Column& column, std::int64_t ticks, std::uint8_t* at) noexcept {
        const std::uint64_t all = magnitude(ticks);
        auto part = static_cast<std::uint32_t>(all % column.ticks) * (1000000000 / column.ticks);
        if (!options_.microseconds) part = 0;
        return put(num::write_duration(put(at, '"'), ticks < 0, all / column.ticks, part), '"');
    }

    // ---- containers ----

    // The members of a struct, which is one of the places of the array.
    std::uint8_t* members(const Column& column, std::int64_t place, std::uint8_t* at) noexcept {
        at = put(at, '{');
        std::size_t skipped = options_.item_length;
        for (const Column *child = column.children, *const last = child + column.child_count; child != last; ++child) {
            if (OCIOR_UNLIKELY(options_.leaves_out_nulls) && is_null(*child, place)) continue;
            if (OCIOR_UNLIKELY(!(at = room(at, child->key_length + kRoom)))) return nullptr;
            at = put_key(*child, skipped, at);
            skipped = 0;
            if (OCIOR_UNLIKELY(!(at = value(*child, place, at)))) return nullptr;
        }
        return put(at, '}');
    }
    // (Nearly all keys are short, and then one copy of a known length is enough.)
    static OCIOR_INLINE std::uint8_t* put_key(const Column& child, std::size_t skipped, std::uint8_t* at) noexcept {
        constexpr std::size_t kShort = 32;
        static_assert(kShort + sizeof(RowOptions::item) <= Column::kShortKey);
        std::memcpy(at, child.short_key + skipped, kShort);
        const std::size_t n = child.key_length - skipped;
        if (OCIOR_UNLIKELY(n > kShort)) std::memcpy(at + kShort, child.key + skipped + kShort, n - kShort);
        return at + n;
    }
    // So many values of the only child.
    std::uint8_t* list(const Column& column, std::int64_t first, std::int64_t last, std::uint8_t* at) noexcept {
        const Column& items = column.children[0];
        const bool are_floats = items.kind == Kind::kFloat32 && items.floats && !items.validity;  // the numbers of an embedding
        at = put(at, '[');
        for (std::int64_t i = first; i < last; ++i) {
            if (OCIOR_UNLIKELY(!(at = room(at, kRoom)))) return nullptr;
            if (i != first) at = put_item(at);
            if (are_floats) {
                std::uint8_t* const end = batched<num::FloatFormat::k32>(items, items.offset + i, at);
                if (OCIOR_LIKELY(end != nullptr) && (at = end)) continue;
            }
            if (OCIOR_UNLIKELY(!(at = value(items, i, at)))) return nullptr;
        }
        if (OCIOR_UNLIKELY(!(at = room(at, kRoom)))) return nullptr;
        return put(at, ']');
    }
    template <typename Offset>
    std::uint8_t* viewed_list(const Column& column, std::int64_t i, std::int64_t place, std::uint8_t* at) noexcept {
        const std::int64_t begin = column.at<Offset>(place), length = column.children[0].length;
        const auto count = static_cast<std::int64_t>(load<Offset>(column.data + place * static_cast<std::int64_t>(sizeof(Offset))));
        if (begin < 0 || begin > length || count < 0 || count > length - begin) return fail(column, i, "a list beyond its values");
        return list(column, begin, begin + count, at);
    }
    // The pairs of a map whose keys are strings.
    std::uint8_t* pairs(const Column& column, std::int64_t first, std::int64_t last, std::uint8_t* at) noexcept {
        const Column& entries = column.children[0];
        at = put(at, '{');
        for (std::int64_t i = first; i < last; ++i) {
            const std::int64_t place = entries.offset + i;
            if (is_null(entries.children[0], place)) return fail(column, i, "a key that is null");
            if (!(at = room(at, kRoom))) return nullptr;
            if (i != first) at = put_item(at);
            if (!(at = value(entries.children[0], place, at)) || !(at = room(at, kRoom))) return nullptr;
            store(at, options_.key);
            if (!(at = value(entries.children[1], place, at + options_.key_length))) return nullptr;
        }
        if (!(at = room(at, kRoom))) return nullptr;
        return put(at, '}');
    }
    // Lists of two in the place of such pairs.
    std::uint8_t* entries(const Column& column, std::int64_t first, std::int64_t last, std::uint8_t* at) noexcept {
        const Column& entries = column.children[0];
        at = put(at, '[');
        for (std::int64_t i = first; i < last; ++i) {
            const std::int64_t place = entries.offset + i;
            if (!(at = room(at, kRoom))) return nullptr;
            if (i != first) at = put_item(at);
            if (!(at = value(entries.children[0], place, put(at, '['))) || !(at = room(at, kRoom))) return nullptr;
            if (!(at = value(entries.children[1], place, put_item(at))) || !(at = room(at, kRoom))) return nullptr;
            at = put(at, ']');
        }
        if (!(at = room(at, kRoom))) return nullptr;
        return put(at, ']');
    }

    // Where the value lies that another column holds in the place of this one.
    struct Other {
        const Column* column;
        std::int64_t index;
    };
    static std::int64_t integer(const Column& column, std::int64_t place) noexcept {
        switch (column.kind) {
            case Kind::kInt8: return column.at<std::int8_t>(place);
            case Kind::kUint8: return column.at<std::uint8_t>(place);
            case Kind::kInt16: return column.at<std::int16_t>(place);
            case Kind::kUint16: return column.at<std::uint16_t>(place);
            case Kind::kInt32: return column.at<std::int32_t>(place);
            case Kind::kUint32: return column.at<std::uint32_t>(place);
            default: return column.at<std::int64_t>(place);
        }
    }
    // False where it is nowhere.
    static bool find_other(const Column& column, std::int64_t place, Other& other) noexcept {
        if (column.kind == Kind::kDictionary) {
            const Column& indices = column.children[0];
            other = {&column.children[1], integer(indices, place)};
        } else if (column.kind == Kind::kRunEnds) {
            const Column& ends = column.children[0];
            const auto end_of = [&](std::int64_t run) { return integer(ends, ends.offset + run); };
            std::int64_t run = column.run;  // most often it is this one or the next one
            if (run >= ends.length || end_of(run) <= place || (run > 0 && end_of(run - 1) > place)) {
                std::int64_t least = 0, most = ends.length;
                while (least < most) {
                    const std::int64_t middle = least + (most - least) / 2;
                    if (end_of(middle) <= place) least = middle + 1;
                    else most = middle;
                }
                run = least;
                if (run >= ends.length) return false;
                column.run = run;
            }
            other = {&column.children[1], run};
        } else {
            const auto code = column.at<std::int8_t>(place);
            const int child = code >= 0 ? column.codes[code] : -1;
            if (child < 0) return false;
            const bool is_dense = column.kind == Kind::kDenseUnion;
            other = {&column.children[child], is_dense ? load<std::int32_t>(column.data + 4 * place) : place};
        }
        return other.index >= 0 && other.index < other.column->length;
    }
    // Whether the value is null, whichever column says so.
    static bool is_null(const Column& column, std::int64_t i) noexcept {
        const std::int64_t place = column.offset + i;
        if (column.kind == Kind::kNull || !column.is_valid(place)) return true;
        if (column.kind < Kind::kDictionary) return false;
        if (column.kind == Kind::kDictionary && !column.children[0].is_valid(place)) return true;
        Other other;
        return find_other(column, place, other) && is_null(*other.column, other.index);
    }

    // ---- any value ----

    // The value of this index, which is one of the array. There is kRoom where it begins, and kRest where it ends.
    OCIOR_INLINE std::uint8_t* value(const Column& column, std::int64_t i, std::uint8_t* at) noexcept {
        const std::int64_t place = column.offset + i;
        if (!column.is_valid(place)) return put_null(at);
        std::size_t n;
        switch (column.kind) {
            case Kind::kInt64: return num::write_i64(at, column.at<std::int64_t>(place));
            case Kind::kFloat64: {
                std::uint8_t* const end = column.floats ? batched<num::FloatFormat::k64>(column, place, at) : nullptr;
                return OCIOR_LIKELY(end != nullptr) ? end : real(column, i, at, column.at<double>(place));
            }
            case Kind::kBool: return put_bool(at, column.values[place >> 3] >> (place & 7) & 1);
            case Kind::kString: {
                const std::uint8_t* const p = bytes<std::int32_t>(column, place, n);
                return text(column, i, p, n, at);
            }
            case Kind::kLargeString: {
                const std::uint8_t* const p = bytes<std::int64_t>(column, place, n);
                return text(column, i, p, n, at);
            }
            case Kind::kStringView: {
                const std::uint8_t* const p = viewed(column, i, place, n);
                return p ? text(column, i, p, n, at) : nullptr;
            }
            default: return other_value(column, i, place, at);
        }
    }
    OCIOR_NOINLINE std::uint8_t* other_value(const Column& column, std::int64_t i, std::int64_t place, std::uint8_t* at) noexcept {
        std::size_t n = 0;
        switch (column.kind) {
            case Kind::kNull: return put_null(at);
            case Kind::kBool8: return put_bool(at, column.values[place] != 0);
            case Kind::kInt8: return num::write_i64(at, column.at<std::int8_t>(place));
            case Kind::kUint8: return num::write_u64(at, std::uint64_t{column.at<std::uint8_t>(place)});
            case Kind::kInt16: return num::write_i64(at, column.at<std::int16_t>(place));
            case Kind::kUint16: return num::write_u64(at, std::uint64_t{column.at<std::uint16_t>(place)});
            case Kind::kInt32: return num::write_i64(at, column.at<std::int32_t>(place));
            case Kind::kUint32: return num::write_u64(at, std::uint64_t{column.at<std::uint32_t>(place)});
            case Kind::kUint64: return num::write_u64(at, column.at<std::uint64_t>(place));
            case Kind::kFloat16: {
                const auto bits = column.at<std::uint16_t>(place);
                const float number = num::float_of_f16(bits);
                return __builtin_isfinite(number) ? num::write_f16(at, bits) : non_finite(column, i, at, static_cast<double>(number));
            }
            case Kind::kFloat32: {
                const auto number = column.at<float>(place);
                if (std::uint8_t* const end = column.floats ? batched<num::FloatFormat::k32>(column, place, at) : nullptr) return end;
                return __builtin_isfinite(number) ? num::write_f32(at, number) : non_finite(column, i, at, static_cast<double>(number));
            }
            case Kind::kBinary: {
                const std::uint8_t* const p = bytes<std::int32_t>(column, place, n);
                return binary(p, n, at);
            }
            case Kind::kLargeBinary: {
                const std::uint8_t* const p = bytes<std::int64_t>(column, place, n);
                return binary(p, n, at);
            }
            case Kind::kBinaryView: {
                const std::uint8_t* const p = viewed(column, i, place, n);
                return p ? binary(p, n, at) : nullptr;
            }
            case Kind::kFixedBinary: return binary(column.values + column.width * place, static_cast<std::size_t>(column.width), at);
            case Kind::kUuid: return put(put_uuid(put(at, '"'), column.values + 16 * place), '"');
            case Kind::kDecimal:
                if (options_.decimal_text) at = put(at, '"');
                at = put_decimal(at, column.values + column.width * place, column.width, column.scale);
                return options_.decimal_text ? put(at, '"') : at;
            case Kind::kDate32:
            case Kind::kDate64: {
                const bool has_days = column.kind == Kind::kDate32;
                const std::int64_t day =
                    has_days ? column.at<std::int32_t>(place) : floor_divide(column.at<std::int64_t>(place), 1000 * kSecondsOfDay);
                return (at = date(column, i, day, put(at, '"'))) ? put(at, '"') : nullptr;
            }
            case Kind::kTime:
                return time(column, i, column.ticks <= 1000 ? column.at<std::int32_t>(place) : column.at<std::int64_t>(place), at);
            case Kind::kTimestamp: return timestamp(column, i, column.at<std::int64_t>(place), at);
            case Kind::kDuration: return duration(column, column.at<std::int64_t>(place), at);
            case Kind::kStruct: return (at = members(column, place, at)) ? room(at, kRest) : nullptr;
            case Kind::kList: return list(column, column.at<std::int32_t>(place), column.at<std::int32_t>(place + 1), at);
            case Kind::kLargeList: return list(column, column.at<std::int64_t>(place), column.at<std::int64_t>(place + 1), at);
            case Kind::kListView: return viewed_list<std::int32_t>(column, i, place, at);
            case Kind::kLargeListView: return viewed_list<std::int64_t>(column, i, place, at);
            case Kind::kFixedList: return list(column, column.width * place, column.width * (place + 1), at);
            case Kind::kMap: return entries(column, column.at<std::int32_t>(place), column.at<std::int32_t>(place + 1), at);
            case Kind::kObjectMap: return pairs(column, column.at<std::int32_t>(place), column.at<std::int32_t>(place + 1), at);
            case Kind::kDictionary:
                if (!column.children[0].is_valid(place)) return put_null(at);
                [[fallthrough]];
            default: {
                Other other;
                if (!find_other(column, place, other)) return fail(column, i, "a value that is nowhere");
                return value(*other.column, other.index, at);
            }
        }
    }

    RowWriter& writer_;
    const RowOptions& options_;
    RowText& text_;
    const std::uint8_t* limit_ = nullptr;
};

bool RowWriter::write(std::int64_t& row, std::int64_t last, std::size_t enough, RowText& text, std::uint64_t end,
                      std::size_t end_length) noexcept {
    Writing writing(*this, text);
    std::uint8_t* at = writing.begin();
    for (; at && row < last && text.used < enough; ++row) {
        at = writing.row(row, at);
        if (!at) return false;
        at = writing.end_row(at, end, end_length);
    }
    return at != nullptr;
}

}  // namespace ocior::arrow
