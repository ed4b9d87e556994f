#include "encode/arrays/elements.h"

#include <algorithm>

#include "encode/arrays/number_run.h"
#include "encode/walk/call.h"
#include "py/number.h"

namespace ocior::encode {
namespace {

template <typename Separator>
inline constexpr bool kIsKnown = !std::is_same_v<Separator, ElementSeparator>;

// The elements of the innermost list that is open, and of those that follow it in the same list, where all lie in order and the separator
// is known: one run, between some of whose elements one list ends and the next one begins.
template <typename Separator>
class Rows {
public:
    explicit OCIOR_INLINE Rows(const ArrayView& view) noexcept : inner_(view.open - 1), width_(view.length(inner_)) {
        left_ = width_ - view.index[inner_];
        if (kIsKnown<Separator> && inner_ > 0 && view.is_in_order) rows_ = view.length(inner_ - 1) - view.index[inner_ - 1];
        first_rows_ = rows_;
    }
    OCIOR_INLINE Py_ssize_t count() const noexcept { return left_ + rows_ * width_; }
    OCIOR_INLINE Py_ssize_t left() const noexcept { return left_; }  // in the present list; 0 if all are written
    OCIOR_INLINE Py_ssize_t width() const noexcept { return width_; }  // of each list
    // Behind so many elements of it, each with its separator.
    OCIOR_INLINE std::uint8_t* next(std::uint8_t* at, Py_ssize_t elements = 1) noexcept {
        if ((left_ -= elements) != 0 || rows_ == 0) return at;
        if constexpr (kIsKnown<Separator>) {
            left_ = width_;
            --rows_;
            at -= Separator::length;
            *at = ']';
            at = Separator::put(at + 1);
            *at++ = '[';
        }
        return at;
    }
    // Notes in the view how far the run got; `from` is the next element.
    OCIOR_INLINE void leave(ArrayView& view, const char* from) const noexcept {
        view.index[inner_] = width_ - left_;
        view.next[inner_] = from;
        if (first_rows_ == rows_) return;
        view.index[inner_ - 1] += first_rows_ - rows_;
        view.next[inner_ - 1] += (first_rows_ - rows_) * view.stride(inner_ - 1);
    }

private:
    int inner_;
    Py_ssize_t width_, left_, rows_ = 0, first_rows_;  // in elements, and in lists behind this one
};

// A float that is written in this format, as nearly all are; null for others.
template <num::FloatFormat format, typename Type>
OCIOR_INLINE std::uint8_t* write_regular(std::uint8_t* text, Type value) noexcept {
    if constexpr (format == num::FloatFormat::k64) return num::write_regular_f64(text, value);
    else if constexpr (format == num::FloatFormat::k16) return num::write_regular_narrow<format>(text, value);
    else if constexpr (sizeof value == 2)
        return num::write_regular_narrow<format>(text, std::bit_cast<std::uint32_t>(num::float_of_f16(value)));
    else return num::write_regular_narrow<format>(text, std::bit_cast<std::uint32_t>(value));
}

// Whether an integer is beyond the range that is allowed. (Of arrays, interfaces that read values as they are stored ask no range.)
template <typename Type>
OCIOR_INLINE bool is_refused(const Call& call, Type value) noexcept {
    return call.options.integers == IntegerRange::k53Bits && !(call.rich & kStored) && !is_within_53_bits(value);
}

// One run of elements.
template <typename Separator>
class ElementRun {
public:
    OCIOR_INLINE ElementRun(Call& call, ArrayView& view, NumberWindow& window, const Separator& separator, std::uint8_t* at,
                            const std::uint8_t* limit) noexcept
        : call_(call), view_(view), window_(window), separator_(separator), at_(at), limit_(limit) {}

    OCIOR_INLINE std::uint8_t* write() noexcept;

private:
    // Calls put(to, value), which returns where the text ends or null, for one element after the other.
    template <typename Type, typename Put>
    OCIOR_INLINE std::uint8_t* row(Put put_value) noexcept {
        Rows<Separator> rows(view_);
        const Py_ssize_t stride = view_.run_stride();
        const char* from = view_.next[view_.open - 1];
        const bool is_swapped = view_.is_swapped;
        std::uint8_t* at = at_;
        do {
            std::uint8_t* const end = put_value(at, load_element<Type>(from, is_swapped));
            if (OCIOR_UNLIKELY(!end)) break;
            at = rows.next(separator_.put(end));
            from += stride;
        } while (rows.left() && at <= limit_);
        rows.leave(view_, from);
        return at;
    }
    template <typename Type>
    OCIOR_INLINE std::uint8_t* integers() noexcept;
    OCIOR_INLINE std::uint8_t* truths() noexcept;
    OCIOR_INLINE std::uint8_t* ticks() noexcept;
    template <typename Type, num::FloatFormat format, typename Write>
    OCIOR_INLINE std::uint8_t* reals(Write write) noexcept;

    Call& call_;
    ArrayView& view_;
    NumberWindow& window_;
    const Separator& separator_;
    std::uint8_t* const at_;
    const std::uint8_t* const limit_;
};

template <typename Separator>
template <typename Type, num::FloatFormat format, typename Write>
OCIOR_INLINE std::uint8_t* ElementRun<Separator>::reals(Write write) noexcept {
    const Options& options = call_.options;
    const bool has_style = options.is_canonical || options.exponents != Exponents::kPadded;
    const auto styled = [&](std::uint8_t* text, std::uint8_t* end) OCIOR_INLINE_LAMBDA {
        if (OCIOR_LIKELY(!has_style || !end)) return end;
        return sizeof(Type) == 8 ? style_float(options, text, end) : style_float32(options, text, end);
    };
    // One that is not regular.
    const auto put_other = [&](std::uint8_t* to, Type value) OCIOR_INLINE_LAMBDA -> std::uint8_t* {
        double number;
        if constexpr (sizeof(Type) == 2) number = num::float_of_f16(value);
        else number = static_cast<double>(value);
        return OCIOR_LIKELY(__builtin_isfinite(number)) ? styled(to, write(to, value)) : nullptr;
    };
    if constexpr (!simd::kHasU64x8)
        return row<Type>([&](std::uint8_t* to, Type value) OCIOR_INLINE_LAMBDA {
            std::uint8_t* const end = styled(to, write_regular<format>(to, value));
            return OCIOR_LIKELY(end != nullptr) ? end : put_other(to, value);
        });
    using Bits = std::conditional_t<sizeof(Type) == 2, std::uint16_t, std::conditional_t<sizeof(Type) == 4, std::uint32_t, std::uint64_t>>;
    Rows<Separator> rows(view_);
    const Py_ssize_t stride = view_.run_stride();
    const char* from = view_.next[view_.open - 1];
    std::uint8_t* at = at_;
    bool is_good = true;
    do {
        if (!window_.is_at(from)) window_.fill_floats<format, Bits>(from, stride, view_.run_from(from), view_.is_swapped);
        window_.take_floats(rows.count(), [&](const num::FloatBatch& batch, int i) OCIOR_INLINE_LAMBDA {
            std::uint8_t* end = styled(at, batch.put(at, i));
            if (OCIOR_UNLIKELY(!end)) {
                end = put_other(at, load_element<Type>(from, view_.is_swapped));
                if (OCIOR_UNLIKELY(!end)) return is_good = false;
            }
            at = rows.next(separator_.put(end));
            from += stride;
            return at <= limit_;
        });
    } while (is_good && rows.left() && at <= limit_);
    rows.leave(view_, from);
    return at;
}

// Where numbers of many sizes are mixed, each wrong guess at the next one's costs 2 ns: those of more than three digits go in batches, and
// all of lists that are long enough for eight of them to be written at once.
template <typename Separator>
template <typename Type>
OCIOR_INLINE std::uint8_t* ElementRun<Separator>::integers() noexcept {
    if constexpr (simd::kHasU64x8 && sizeof(Type) > 1 && kIsKnown<Separator>) {
        constexpr Py_ssize_t kFew = 8;
        Rows<Separator> rows(view_);
        const Py_ssize_t stride = view_.run_stride();
        const bool is_wide = rows.width() >= kFew;
        const char* from = view_.next[view_.open - 1];
        const bool is_swapped = view_.is_swapped;
        const auto magnitude_of = [](Type value) OCIOR_INLINE_LAMBDA {
            return std::is_signed_v<Type> ? magnitude(static_cast<std::int64_t>(value)) : static_cast<std::uint64_t>(value);
        };
        std::uint8_t* at = at_;
        do {
            const Py_ssize_t few = std::min(rows.count(), kFew);
            std::uint64_t most = 0;
            if (!window_.is_at(from)) {
                for (Py_ssize_t i = 0; i < few; ++i) most = std::max(most, magnitude_of(load_element<Type>(from + i * stride, is_swapped)));
                if ((most >= 1000 || (is_wide && rows.left() >= kFew)) && most >> 53 == 0)
                    window_.fill_integers<Type>(from, stride, view_.run_from(from), is_swapped);
            }
            const auto put_few = [&](auto write) OCIOR_INLINE_LAMBDA {
                for (Py_ssize_t i = 0; i < few; ++i, from += stride) {
                    const auto value = load_element<Type>(from, is_swapped);
                    *at = '-';
                    at = rows.next(Separator::put(write(at + (std::is_signed_v<Type> && value < 0), magnitude_of(value))));
                }
            };
            if (window_.is_at(from)) {
                if (is_wide) {
                    const auto put_eight = [&](const num::IntegerBatch& batch, int i) OCIOR_INLINE_LAMBDA {
                        at = batch.put_eight(at, i, Separator::kWord, Separator::length);
                        return at <= limit_;
                    };
                    if (const Py_ssize_t taken = window_.take_eights(rows.left() / kFew, put_eight); taken != 0) {
                        from += stride * taken;
                        at = rows.next(at, taken);
                        continue;
                    }
                }
                const Py_ssize_t single = is_wide ? rows.left() : rows.count();
                from += stride * window_.take_integers(single, [&](const num::IntegerBatch& batch, int i) OCIOR_INLINE_LAMBDA {
                    at = rows.next(Separator::put(batch.put(at, i)));
                    return at <= limit_;
                });
            } else if (most < 1000) {
                put_few([](std::uint8_t* to, std::uint64_t value) OCIOR_INLINE_LAMBDA {
                    // Others may have changed it meanwhile.
                    return num::detail::put_lead(to, static_cast<std::uint32_t>(value < 1000 ? value : 0));
                });
            } else {
                put_few([](std::uint8_t* to, std::uint64_t value) OCIOR_INLINE_LAMBDA { return num::write_u64(to, value); });
            }
        } while (rows.left() && at <= limit_);
        rows.leave(view_, from);
        return at;
    } else {
        return row<Type>([&](std::uint8_t* to, Type value) OCIOR_INLINE_LAMBDA -> std::uint8_t* {
            // By a known separator the range of integers is any (Options::settle).
            if constexpr (!kIsKnown<Separator> && sizeof(Type) == 8)
                if (OCIOR_UNLIKELY(is_refused(call_, value))) return nullptr;
            if constexpr (std::is_signed_v<Type>) return num::write_i64(to, value);
            else return num::write_u64(to, value);
        });
    }
}

template <typename Separator>
OCIOR_INLINE std::uint8_t* ElementRun<Separator>::truths() noexcept {
    if constexpr (kIsKnown<Separator>) {
        constexpr auto& kTable = kTruthTable<Separator::length, Separator::kWord>;
        Rows<Separator> rows(view_);
        if (view_.run_stride() == 1) {
            const char* from = view_.next[view_.open - 1];
            std::uint8_t* at = at_;
            do {
                const char *const first = from, *const last = from + (rows.left() & ~Py_ssize_t{3});
                for (; from != last && at <= limit_; from += 4) {
                    const FourTruths& four = kTable.row[truths_of(load<std::uint32_t>(from))];
                    std::memcpy(at, &four, sizeof four);
                    at += four[31];
                }
                at = rows.next(at, from - first);
                if (const Py_ssize_t rest = rows.left(); rest < 4 && at <= limit_) {
                    unsigned truths = 0;
                    for (Py_ssize_t i = 0; i < rest; ++i) truths |= static_cast<unsigned>(from[i] != 0) << i;
                    std::memcpy(at, &kTable.row[truths], sizeof(FourTruths));
                    const std::size_t length =
                        static_cast<std::size_t>(rest) * (5 + Separator::length) - static_cast<std::size_t>(__builtin_popcount(truths));
                    at = rows.next(at + length, rest);
                    from += rest;
                }
            } while (rows.left() && at <= limit_);
            rows.leave(view_, from);
            return at;
        }
    }
    return row<std::uint8_t>([](std::uint8_t* to, std::uint8_t value) OCIOR_INLINE_LAMBDA {
        store(to, value ? kTrueText : kFalseText);
        return to + (value ? 4 : 5);
    });
}

template <typename Separator>
OCIOR_INLINE std::uint8_t* ElementRun<Separator>::ticks() noexcept {
    bool has_failed = false;
    std::uint8_t* const at = row<std::int64_t>([&](std::uint8_t* to, std::int64_t ticks) -> std::uint8_t* {
        if (ticks == kNotATime) return store(to, kNullText), to + 4;
        *to++ = '"';
        if (view_.element == Element::kTimedelta) to = write_tick_count(call_, view_.ticks, ticks, to);
        else to = write_ticks(call_, view_.ticks, ticks, to);
        if (OCIOR_UNLIKELY(!to)) return has_failed = true, nullptr;
        return *to = '"', to + 1;
    });
    return OCIOR_LIKELY(!has_failed) ? at : nullptr;
}

template <typename Separator>
OCIOR_INLINE std::uint8_t* ElementRun<Separator>::write() noexcept {
    using num::FloatFormat;
    switch (view_.element) {
        case Element::kBool: return truths();
        case Element::kInt8: return integers<std::int8_t>();
        case Element::kInt16: return integers<std::int16_t>();
        case Element::kInt32: return integers<std::int32_t>();
        case Element::kInt64: return integers<std::int64_t>();
        case Element::kUint8: return integers<std::uint8_t>();
        case Element::kUint16: return integers<std::uint16_t>();
        case Element::kUint32: return integers<std::uint32_t>();
        case Element::kUint64: return integers<std::uint64_t>();
        case Element::kFloat16:
            if (call_.rich & kStored)
                return reals<std::uint16_t, FloatFormat::k32>(
                    [](std::uint8_t* text, std::uint16_t bits) { return num::write_f32(text, num::float_of_f16(bits)); });
            return reals<std::uint16_t, FloatFormat::k16>(num::write_f16);
        case Element::kFloat32: return reals<float, FloatFormat::k32>(num::write_f32);
        case Element::kFloat64: return reals<double, FloatFormat::k64>(num::write_f64);
        case Element::kDatetime:
        case Element::kTimedelta: return ticks();
    }
    __builtin_unreachable();
}

}  // namespace

template <typename Separator>
std::uint8_t* write_elements(Call& call, ArrayView& view, NumberWindow& window, const Separator& separator, std::uint8_t* at,
                             const std::uint8_t* limit) noexcept {
    return ElementRun<Separator>(call, view, window, separator, at, limit).write();
}

template std::uint8_t* write_elements(Call&, ArrayView&, NumberWindow&, const ElementSeparator&, std::uint8_t*,
                                      const std::uint8_t*) noexcept;
template std::uint8_t* write_elements(Call&, ArrayView&, NumberWindow&, const KnownSeparator<1>&, std::uint8_t*,
                                      const std::uint8_t*) noexcept;
template std::uint8_t* write_elements(Call&, ArrayView&, NumberWindow&, const KnownSeparator<2>&, std::uint8_t*,
                                      const std::uint8_t*) noexcept;

}  // namespace ocior::encode
