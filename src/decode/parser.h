// The grammar, once, over any source: one loop over an explicit stack of frames. Values are pushed on one value stack; a
// closing bracket builds its container at the exact size. What a value becomes is the Builder's business.
#pragma once

#include "decode/builder.h"
#include "decode/call.h"
#include "decode/integer_run.h"
#include "decode/keys.h"
#include "decode/strings.h"
#include "decode/words.h"
#include "simd/lanes.h"
#include "text/scan.h"

namespace ocior::decode {

template <typename Source, typename Builder>
class Parser {
    using Unit = typename Source::Unit;

public:
    // The value that starts at `p`, owned, and the unit behind it; or null with call.error set and the unit to blame.
    static Read<Unit> run(Call<Source>& call, const Unit* p) noexcept;

private:
    // Drops what is on the value stack; slots already handed over are null.
    static OCIOR_COLD void drop(PyObject** first, PyObject** last) noexcept {
        while (last != first) Py_XDECREF(*--last);
    }

    // Past a comma at `p` and the white space behind it. Indented documents repeat it: predicted per depth, one compare.
    static OCIOR_INLINE const Unit* after_comma(Context& context, std::size_t depth, const Unit* p) noexcept {
        if (OCIOR_LIKELY(p[1] > ' ')) return p + 1;
        if (OCIOR_LIKELY(p[1] == ' ' && p[2] > ' ')) return p + 2;
        const Separator& separator = context.separators[Source::kIndex][depth % Context::kSeparatorDepths];
        const Unit* next = p + separator.byte_len / sizeof(Unit);
        if (OCIOR_LIKELY(separator.byte_len != 0 && simd::equal(p, separator.bytes, separator.byte_len) && *next > ' ')) return next;
        return learn_separator(context, depth, p);
    }

    static OCIOR_NOINLINE const Unit* learn_separator(Context& context, std::size_t depth, const Unit* p) noexcept {
        const Unit* next = text::skip_whitespace(p + 1);
        const std::size_t byte_len = static_cast<std::size_t>(next - p) * sizeof(Unit);
        if (byte_len <= Separator::kMaxBytes) {
            Separator& separator = context.separators[Source::kIndex][depth % Context::kSeparatorDepths];
            std::memcpy(separator.bytes, p, byte_len);
            separator.byte_len = static_cast<std::uint32_t>(byte_len);
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

    // A frame for the list or dict that begins. False when out of memory.
    [[nodiscard]] static OCIOR_INLINE bool enter(Context& context, Frame*& frame, std::size_t& depth) noexcept {
        frame->has_container = true;
        ++depth;
        if (OCIOR_UNLIKELY(depth == context.frames.capacity())) {
            if (!context.frames.reserve(depth + 1)) return false;
            frame = context.frames.data() + depth - 1;
        }
        ++frame;
        return true;
    }

    // Where what is pushed on the value stack stops for a moment: before its end, so that a key has room beside a value, and now and then
    // before that, to say how far the text has been read. (Inlined it costs lists of integers a tenth.)
    static OCIOR_NOINLINE PyObject** next_stop(Context& context, PyObject** top) noexcept {
        constexpr std::ptrdiff_t kStep = 1024;
        PyObject** const last = context.values.data() + context.values.capacity() - 1;
        return last - top > kStep ? top + kStep : last;
    }

    // The shape node under which a container found in `frame` lies.
    static OCIOR_INLINE ShapeNode* inside(const Frame& frame) noexcept { return frame.node ? frame.node : frame.context; }

    // The comma before the white space that ends at `p`.
    static const Unit* comma_before(const Unit* p) noexcept {
        while (*--p != ',') {}
        return p;
    }
};

template <typename Source, typename Builder>
Read<typename Source::Unit> Parser<Source, Builder>::run(Call<Source>& call, const Unit* p) noexcept {
    Context& context = call.context;
    const Constants& constants = call.constants;
    if (!context.values.reserve(64) || !context.frames.reserve(64)) return call.fail_python(p);

    PyObject** values = context.values.data();
    PyObject** top = values;
    PyObject** limit = next_stop(context, top);
    Frame* frame = context.frames.data();
    ShapeNode* const root = context.shapes[Source::kIndex].root();
    *frame = {0, nullptr, root, Inside::kNothing, false};
    std::size_t depth = 0;
    bool expects_real = false;  // numbers come in runs of a kind
    bool words_differ = false;  // words of four and of five letters have come
    const bool keep_pairs = call.options.object_pairs_hook != nullptr;

    const Unit* blame = p;
    PyObject* object;

value:
    switch (start_of(*p)) {
        case Start::kString: {
            const Read<Unit> read = read_string(call, p + 1);
            if (OCIOR_UNLIKELY(!read.object)) {
                blame = read.next;
                goto failed;
            }
            object = read.object;
            p = read.next;
            goto push;
        }
        case Start::kNumber: {
            if (!expects_real) {
                if (const auto integer = num::read_integer(p); OCIOR_LIKELY(integer.end != nullptr)) {
                    object = Builder::integer(call, integer.magnitude, integer.negative, p, integer.end);
                    if (OCIOR_UNLIKELY(!object)) goto failed_python;
                    p = integer.end;
                    goto push;
                }
            }
            if (const auto real = num::read_real(p); OCIOR_LIKELY(real.end != nullptr)) {
                expects_real = true;
                object = Builder::real(call, real.value, p, real.end);
                if (OCIOR_UNLIKELY(!object)) goto failed_python;
                p = real.end;
                goto push;
            }
            num::Number number;
            const Unit* const next = num::read_number(p, number);
            expects_real = number.kind == num::NumberKind::kFloat64;
            if (OCIOR_UNLIKELY(number.kind == num::NumberKind::kNone)) goto minus_infinity;
            object = Builder::number(call, number, p, next);
            if (OCIOR_UNLIKELY(!object)) goto failed_python;
            p = next;
            goto push;
        }
        case Start::kWord: {
            // Where words of four and of five letters are mixed, a wrong guess which one comes costs more than the wait for its letter.
            const std::uint64_t text = simd::load_narrow8(p);
            const unsigned word = word_led_by(*p);
            if (OCIOR_LIKELY(!words_differ)) {
                if (OCIOR_LIKELY(static_cast<std::uint32_t>(text) == kWordTexts[word])) {
                    object = new_constant(constants.words[word]);
                    p += 4;
                    if (frame->inside == Inside::kArray) p = read_short_words(p, constants.words, object, top, limit);
                    goto push;
                }
                words_differ = true;
            }
            if (OCIOR_UNLIKELY((text & kWordMasks[word]) != kWordTexts[word])) goto no_value;
            object = new_constant(constants.words[word]);
            p += 4 + (word == kFalse);
            goto push;
        }
        minus_infinity:
            if (!starts_with(p, "-Infinity")) goto no_value;
            object = Builder::non_finite(call, constants.minus_infinity, "-Infinity");
            if (!object) goto failed_python;
            p += 9;
            goto push;
        case Start::kNaN:
            if (!starts_with(p, "NaN")) goto no_value;
            object = Builder::non_finite(call, constants.nan, "NaN");
            if (!object) goto failed_python;
            p += 3;
            goto push;
        case Start::kInfinity:
            if (!starts_with(p, "Infinity")) goto no_value;
            object = Builder::non_finite(call, constants.infinity, "Infinity");
            if (!object) goto failed_python;
            p += 8;
            goto push;
        case Start::kArray:
            if (OCIOR_UNLIKELY(depth == kMaxDepth)) {
                call.error = Error::kTooDeepArray;
                goto too_deep;
            }
            if (OCIOR_UNLIKELY(!enter(context, frame, depth))) goto failed_python;
            p = skip(p + 1);
            *frame = {static_cast<std::size_t>(top - values), nullptr, inside(frame[-1]), Inside::kArray, false};
            if (OCIOR_UNLIKELY(*p == ']')) goto close_array;
            if (OCIOR_UNLIKELY(begins_integer_run(p))) {
                const auto run = read_integer_run<Builder>(call, p, top, limit);
                top = run.top;
                if (OCIOR_UNLIKELY(!run.p)) goto failed_python;
                if (OCIOR_LIKELY(run.last != nullptr)) {
                    object = run.last;
                    p = run.p;
                    goto push;
                }
            }
            goto value;
        case Start::kObject:
            if (OCIOR_UNLIKELY(depth == kMaxDepth)) {
                call.error = Error::kTooDeepObject;
                goto too_deep;
            }
            if (OCIOR_UNLIKELY(!enter(context, frame, depth))) goto failed_python;
            p = skip(p + 1);
            *frame = {static_cast<std::size_t>(top - values), keep_pairs ? nullptr : root, inside(frame[-1]), Inside::kObject, false};
            if (OCIOR_UNLIKELY(*p == '}')) goto close_object;
            goto key;
        case Start::kNone: goto no_value;
    }
    __builtin_unreachable();

push:
    *top++ = object;
    if (OCIOR_UNLIKELY(top >= limit)) {
        const auto used = static_cast<std::size_t>(top - values);
        context.progress.reached = p;
        if (!call.make_room(used, p)) goto failed_python;
        context.values.populate_ahead(used);
        values = context.values.data();
        top = values + used;
        limit = next_stop(context, top);
    }
    if (OCIOR_UNLIKELY(*p != ',')) {
        if (OCIOR_UNLIKELY(depth == 0)) return {*values, p};
        p = skip(p);
        if (*p != ',') {
            if (frame->inside == Inside::kObject) {
                if (OCIOR_LIKELY(*p == '}')) goto close_object;
            } else {
                if (OCIOR_LIKELY(*p == ']')) goto close_array;
            }
            call.error = Error::kExpectingComma;
            blame = p;
            goto failed;
        }
    }
    {
        const Unit* const comma = p;
        p = after_comma(context, depth, p);
        if (OCIOR_LIKELY(frame->inside == Inside::kArray)) goto value;
        if (OCIOR_UNLIKELY(frame->inside == Inside::kNothing)) return {*values, comma};
    }

key:
    if (OCIOR_UNLIKELY(*p != '"')) goto no_key;
    ++p;
    {
        ShapeNode* predicted = nullptr;
        if (OCIOR_LIKELY(frame->node != nullptr))
            predicted = frame->node == root ? frame->context->first_key_inside : frame->node->predicted;
        if (OCIOR_LIKELY(predicted && matches(*predicted, p, call.text.last))) {
            frame->node = predicted;
            p += predicted->raw_len / sizeof(Unit);
        } else {
            const NextKey<Unit> next = next_key(call, *frame, root, top, p);
            if (OCIOR_UNLIKELY(!next.top)) {
                blame = next.next;
                goto failed;
            }
            p = next.next;
            if (OCIOR_UNLIKELY(next.top != top)) {  // keys lie on the value stack from now on
                context.progress.reached = p;
                values = context.values.data();
                top = next.top;
                limit = next_stop(context, top);
            }
        }
    }
    if (OCIOR_UNLIKELY(*p != ':')) {
        p = skip(p);
        if (*p != ':') {
            call.error = Error::kExpectingColon;
            blame = p;
            goto failed;
        }
    }
    ++p;
    if (*p <= ' ') {
        ++p;
        if (OCIOR_UNLIKELY(*p <= ' ' || p[-1] != ' ')) p = text::skip_whitespace(p - 1);
    }
    goto value;

close_array:
    {
        const auto n = static_cast<std::size_t>(top - (values + frame->base));
        if (OCIOR_UNLIKELY(n >= Context::kLargeArray) && frame->base == 0) {
            object = Builder::array_of_stack(call, n);
            if (OCIOR_LIKELY(object != nullptr)) {
                top = values = context.values.data();
                limit = next_stop(context, top);
                goto closed;
            }
        }
        object = Builder::array(call, top - n, n);
        if (OCIOR_UNLIKELY(!object)) goto failed_python;
        top -= n;
        goto closed;
    }

close_object:
    {
        const auto n = static_cast<std::size_t>(top - (values + frame->base));
        if (OCIOR_LIKELY(frame->node != nullptr)) {
            if (OCIOR_UNLIKELY(n == 0)) object = Builder::object_of_pairs(call, top, 0, false);
            else object = Builder::object_of_shape(call, frame, top - n, n);
        } else {
            object = Builder::object_of_pairs(call, top - n, n / 2, frame->has_container);
        }
        if (OCIOR_UNLIKELY(!object)) goto failed_python;
        top -= n;
        goto closed;
    }

closed:
    ++p;
    --frame;
    --depth;
    goto push;

too_deep:
    blame = p;
    goto failed;

no_value:
    call.error = Error::kExpectingValue;
    blame = p;
    if (PY_VERSION_HEX >= 0x030D0000 && *p == ']' && depth > 0 && frame->inside == Inside::kArray && top != values + frame->base) {
        call.error = Error::kTrailingCommaInArray;
        blame = comma_before(p);
    }
    goto failed;

no_key:
    call.error = Error::kExpectingPropertyName;
    blame = p;
    if (PY_VERSION_HEX >= 0x030D0000 && *p == '}' && top != values + frame->base) {
        call.error = Error::kTrailingCommaInObject;
        blame = comma_before(p);
    }
    goto failed;

failed_python:
    blame = call.fail_python(p).next;
failed:
    drop(values, top);
    return {nullptr, blame};
}

}  // namespace ocior::decode
