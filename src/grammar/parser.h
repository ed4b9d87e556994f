// The grammar, once, over any source: one loop over an explicit stack of frames. What becomes of a document is its Builder's business.
#pragma once

#include "grammar/builder.h"
#include "simd/lanes.h"
#include "text/scan.h"

namespace ocior::grammar {

template <typename Source, BuilderOf<Source> Builder>
class Parser {
    using Unit = typename Source::Unit;
    using Value = typename Builder::Value;
    using Frame = typename Builder::Frame;

public:
    // The value that starts at `p` and the unit behind it; or none, with the builder's `error` set, and the unit to blame.
    struct Parsed {
        Value value;
        const Unit* next;
    };
    // `outside`: how many containers are open around the value already, so that runs inside runs keep to max_depth.
    static Parsed run(Builder& builder, const Unit* p, std::size_t outside = 0) noexcept;

private:
    // Past a comma at `p` and the white space behind it. Indented documents repeat it: predicted per depth, one compare.
    static OCIOR_INLINE const Unit* after_comma(Workspace::Gaps& gaps, std::size_t depth, const Unit* p) noexcept {
        if (OCIOR_LIKELY(p[1] > ' ')) return p + 1;
        if (OCIOR_LIKELY(p[1] == ' ' && p[2] > ' ')) return p + 2;
        const Gap& gap = gaps[depth % Workspace::kGapDepths];
        const Unit* next = p + gap.byte_len / sizeof(Unit);
        if (OCIOR_LIKELY(gap.byte_len != 0 && is_gap_at(p, gap) && *next > ' ')) return next;
        return learn_gap(gaps, depth, p);
    }
    static OCIOR_INLINE bool is_gap_at(const Unit* p, const Gap& gap) noexcept {
        if (sizeof(Unit) == 1 || OCIOR_LIKELY(gap.byte_len <= kReadSlack)) return simd::equal(p, gap.bytes, gap.byte_len);
        // First as much is compared as may be read at the end of the text. Where that equals the gap, the text does not end here.
        const Unit* const rest = p + kReadSlack / sizeof(Unit);
        return simd::equal(p, gap.bytes, kReadSlack) && simd::equal(rest, gap.bytes + kReadSlack, gap.byte_len - kReadSlack);
    }

    static OCIOR_NOINLINE const Unit* learn_gap(Workspace::Gaps& gaps, std::size_t depth, const Unit* p) noexcept {
        const Unit* next = text::skip_whitespace(p + 1);
        const std::size_t byte_len = static_cast<std::size_t>(next - p) * sizeof(Unit);
        // A gap of wider units may have more bytes, so that it holds some thirty spaces, as one of bytes does.
        if (byte_len <= (sizeof(Unit) == 1 ? kReadSlack : Gap::kMaxBytes)) {
            Gap& gap = gaps[depth % Workspace::kGapDepths];
            std::memcpy(gap.bytes, p, byte_len);
            gap.byte_len = static_cast<std::uint32_t>(byte_len);
        }
        return next;
    }

    static OCIOR_INLINE const Unit* skip(const Unit* p) noexcept { return OCIOR_LIKELY(*p > ' ') ? p : text::skip_whitespace(p); }

    // True when the units at `p` are those of `word`, of up to 9 letters: one or two compares of whole words, within the slack.
    template <std::size_t n>
    static OCIOR_INLINE bool starts_with(const Unit* p, const char (&word)[n]) noexcept {
        Unit units[n - 1];
        for (std::size_t i = 0; i + 1 < n; ++i) units[i] = static_cast<Unit>(word[i]);
        return std::memcmp(p, units, sizeof units) == 0;
    }
};

template <typename Source, BuilderOf<Source> Builder>
auto Parser<Source, Builder>::run(Builder& builder, const Unit* p, const std::size_t outside) noexcept -> Parsed {
    Workspace::Gaps& gaps = builder.workspace.gaps[Source::kIndex];
    typename Builder::Cursor cursor;
    Frame* frame = builder.begin(cursor);
    std::size_t depth = outside;
    bool expects_real = false;  // numbers come in runs of a kind
    bool words_differ = false;  // words of four and of five letters have come
    Key which;
    Value value{};
    if (OCIOR_UNLIKELY(!frame)) goto failed;

value:
    switch (start_of(*p)) {
        case Start::kString:
            ++p;
            value = builder.string(cursor, p);
            if (OCIOR_UNLIKELY(!value)) goto failed;
            goto push;
        case Start::kNumber:
            if constexpr (TakesNumberText<Builder>) {
                const Unit* const end = num::skip_number(p);
                if (OCIOR_UNLIKELY(end == p)) goto minus_infinity;
                value = builder.number_text(cursor, p, end);
                if (OCIOR_UNLIKELY(!value)) goto failed;
                p = end;
                goto push;
            } else {
                if (!expects_real) {
                    if (const auto integer = num::read_integer(p); OCIOR_LIKELY(integer.end != nullptr)) {
                        value = builder.integer(cursor, integer.magnitude, integer.negative, p, integer.end);
                        if (OCIOR_UNLIKELY(!value)) goto failed;
                        p = integer.end;
                        goto push;
                    }
                }
                if (const auto real = num::read_real(p); OCIOR_LIKELY(real.end != nullptr)) {
                    expects_real = true;
                    value = builder.real(cursor, real.value, p, real.end);
                    if (OCIOR_UNLIKELY(!value)) goto failed;
                    p = real.end;
                    goto push;
                }
                num::Number number;
                const Unit* const next = num::read_number(p, number);
                expects_real = number.kind == num::NumberKind::kFloat64;
                if (OCIOR_UNLIKELY(number.kind == num::NumberKind::kNone)) goto minus_infinity;
                value = builder.number(cursor, number, p, next);
                if (OCIOR_UNLIKELY(!value)) goto failed;
                p = next;
                goto push;
            }
        case Start::kWord: {
            // Where words of four and of five letters are mixed, a wrong guess which one comes costs more than the wait for its letter.
            const std::uint64_t text = simd::load_narrow8(p);
            const unsigned word = word_led_by(*p);
            if (OCIOR_LIKELY(!words_differ)) {
                if (OCIOR_LIKELY(static_cast<std::uint32_t>(text) == kWordTexts[word])) {
                    value = builder.word(cursor, static_cast<Word>(word), p);
                    if (OCIOR_UNLIKELY(!value)) goto failed;
                    p += 4;
                    goto word;
                }
                words_differ = true;
            }
            if (OCIOR_UNLIKELY((text & kWordMasks[word]) != kWordTexts[word])) goto no_value;
            value = builder.word(cursor, static_cast<Word>(word), p);
            if (OCIOR_UNLIKELY(!value)) goto failed;
            p += word_length(word);
        word:
            if constexpr (TakesWordRuns<Builder>)
                if (frame->inside == Inside::kArray) builder.word_run(cursor, p, value);
            goto push;
        }
        minus_infinity:
            if (!starts_with(p, "-Infinity")) goto no_value;
            value = builder.non_finite(cursor, NonFinite::kMinusInfinity, p);
            if (!value) goto failed;
            p += 9;
            goto push;
        case Start::kNaN:
            if (!starts_with(p, "NaN")) goto no_value;
            value = builder.non_finite(cursor, NonFinite::kNaN, p);
            if (!value) goto failed;
            p += 3;
            goto push;
        case Start::kInfinity:
            if (!starts_with(p, "Infinity")) goto no_value;
            value = builder.non_finite(cursor, NonFinite::kInfinity, p);
            if (!value) goto failed;
            p += 8;
            goto push;
        case Start::kArray:
            if constexpr (TakesWholeContainers<Builder>) {
                if (OCIOR_UNLIKELY(builder.takes_whole(cursor, p, depth))) {
                    value = builder.whole(cursor, p, depth);
                    if (OCIOR_UNLIKELY(!value)) goto failed;
                    goto push;
                }
            }
            if constexpr (NotesPlaces<Builder>)
                if (!builder.opens(cursor, p)) goto failed;
            if (OCIOR_UNLIKELY(depth == builder.max_depth)) {
                builder.error = Error::kTooDeepArray;
                goto failed;
            }
            frame = builder.enter_array(cursor, frame, ++depth - outside);
            if (OCIOR_UNLIKELY(!frame)) goto failed;
            p = skip(p + 1);
            if (OCIOR_UNLIKELY(*p == ']')) goto close_array;
            if constexpr (TakesIntegerRuns<Builder>) {
                value = {};
                if (OCIOR_UNLIKELY(!builder.integer_run(cursor, p, value))) goto failed;
                if (value) goto push;
            }
            goto value;
        case Start::kObject:
            if constexpr (TakesWholeContainers<Builder>) {
                if (OCIOR_UNLIKELY(builder.takes_whole(cursor, p, depth))) {
                    value = builder.whole(cursor, p, depth);
                    if (OCIOR_UNLIKELY(!value)) goto failed;
                    goto push;
                }
            }
            if constexpr (NotesPlaces<Builder>)
                if (!builder.opens(cursor, p)) goto failed;
            if (OCIOR_UNLIKELY(depth == builder.max_depth)) {
                builder.error = Error::kTooDeepObject;
                goto failed;
            }
            frame = builder.enter_object(cursor, frame, ++depth - outside);
            if (OCIOR_UNLIKELY(!frame)) goto failed;
            p = skip(p + 1);
            if (OCIOR_UNLIKELY(*p == '}')) goto close_object;
            goto key;
        case Start::kNone: goto no_value;
    }
    __builtin_unreachable();

push:
    if (OCIOR_UNLIKELY(!builder.push(cursor, value, p))) goto failed;
behind_value:
    if (OCIOR_UNLIKELY(*p != ',')) {
        if (OCIOR_UNLIKELY(depth == outside)) return {builder.finish(cursor), p};
        p = skip(p);
        if (*p != ',') {
            if (frame->inside == Inside::kObject) {
                if (OCIOR_LIKELY(*p == '}')) goto close_object;
            } else {
                if (OCIOR_LIKELY(*p == ']')) goto close_array;
            }
            builder.error = Error::kExpectingComma;
            goto failed;
        }
    }
    {
        const Unit* const comma = p;
        p = after_comma(gaps, depth, p);
        if (OCIOR_LIKELY(frame->inside == Inside::kArray)) goto value;
        if (OCIOR_UNLIKELY(frame->inside == Inside::kNothing)) return {builder.finish(cursor), comma};
    }

key:
    if (OCIOR_UNLIKELY(*p != '"')) {
        // A bracket right behind the opening one has closed the object: this one follows a comma.
        builder.error = *p == '}' ? Error::kTrailingCommaInObject : Error::kExpectingPropertyName;
        goto failed;
    }
    ++p;
    which = builder.key(cursor, *frame, p);
    if (OCIOR_UNLIKELY(which == Key::kFailed)) goto failed;
    if (OCIOR_UNLIKELY(*p != ':')) {
        p = skip(p);
        if (*p != ':') {
            builder.error = Error::kExpectingColon;
            goto failed;
        }
    }
    ++p;
    if (*p <= ' ') {
        ++p;
        if (OCIOR_UNLIKELY(*p <= ' ' || p[-1] != ' ')) p = text::skip_whitespace(p - 1);
    }
    if (which != Key::kUnwanted) goto value;
    p = skip_value<Source>(builder, p, depth);
    if (OCIOR_UNLIKELY(builder.error != Error::kNone)) goto failed;
    goto behind_value;

close_array:
    value = builder.close_array(cursor, *frame);
    goto closed;

close_object:
    value = builder.close_object(cursor, *frame);

closed:
    if (OCIOR_UNLIKELY(!value)) goto failed;
    if constexpr (NotesPlaces<Builder>)
        if (!builder.closes(cursor, p)) goto failed;
    ++p;
    --frame;
    --depth;
    goto push;

no_value:
    if constexpr (TakesLooseWords<Builder>) {
        value = builder.loose_word(cursor, p);
        if (OCIOR_UNLIKELY(static_cast<bool>(value))) goto push;
    }
    builder.error = *p == ']' && frame->inside == Inside::kArray ? Error::kTrailingCommaInArray : Error::kExpectingValue;

failed:
    builder.drop(cursor);
    return {{}, p};
}

}  // namespace ocior::grammar
