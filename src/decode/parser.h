// The grammar, once, over any source: one loop over an explicit stack of frames. Values are pushed on one value stack; a
// closing bracket builds its container at the exact size. What a value becomes is the Builder's business.
#pragma once

#include "decode/builder.h"
#include "decode/call.h"
#include "decode/keys.h"
#include "decode/strings.h"
#include "simd/lanes.h"
#include "text/scan.h"

namespace ocior::decode {

template <typename Source, typename Builder>
class Parser {
    using Unit = typename Source::Unit;

public:
    explicit Parser(Call<Source>& call) noexcept : call_(call) {}

    // The value that starts at `p`, owned, and the unit behind it; or null with call.error set and the unit to blame.
    Read<Unit> run(const Unit* p) noexcept;

private:
    // Drops what is on the value stack; slots already handed over are null.
    static OCIOR_COLD void drop(PyObject** first, PyObject** last) noexcept {
        while (last != first) Py_XDECREF(*--last);
    }

    // Past a comma at `p` and the white space behind it. Indented documents repeat it: predicted per depth, one compare.
    static OCIOR_INLINE const Unit* after_comma(Context& context, std::size_t depth, const Unit* p) noexcept {
        if (OCIOR_LIKELY(p[1] > ' ')) return p + 1;
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

    static OCIOR_INLINE const Unit* skip(const Unit* p) noexcept {
        return OCIOR_LIKELY(*p > ' ') ? p : text::skip_whitespace(p);
    }

    // True when the units at `p` are those of `word`, of up to 9 letters: one or two compares of whole words, within the slack.
    template <std::size_t n>
    static OCIOR_INLINE bool starts_with(const Unit* p, const char (&word)[n]) noexcept {
        Unit units[n - 1];
        for (std::size_t i = 0; i + 1 < n; ++i) units[i] = static_cast<Unit>(word[i]);
        return std::memcmp(p, units, sizeof units) == 0;
    }

    // The comma before the white space that ends at `p`.
    static const Unit* comma_before(const Unit* p) noexcept {
        while (*--p != ',') {
        }
        return p;
    }

    Call<Source>& call_;
};

template <typename Source, typename Builder>
Read<typename Source::Unit> Parser<Source, Builder>::run(const Unit* p) noexcept {
    Context& context = call_.context;
    const Constants& constants = call_.constants;
    if (!context.values.reserve(64) || !context.frames.reserve(64)) return call_.fail_python(p);

    PyObject** values = context.values.data();
    PyObject** top = values;
    PyObject** limit = values + context.values.capacity() - 1;  // room for a key beside a value
    Frame* frame = context.frames.data();
    ShapeNode* const root = context.shapes[Source::kIndex].root();
    *frame = {0, nullptr, root, false, false};
    std::size_t depth = 0;
    num::NumberKind last_kind = num::NumberKind::kInt64;  // numbers come in runs of a kind
    const bool keep_pairs = call_.options.object_pairs_hook != nullptr;

    const Unit* blame = p;
    PyObject* object;

value:
    switch (*p) {
        case '"': {
            const Read<Unit> read = read_string(call_, p + 1);
            if (OCIOR_UNLIKELY(!read.object)) {
                blame = read.next;
                goto failed;
            }
            object = read.object;
            p = read.next;
            goto push;
        }
        case '-':
            if (OCIOR_UNLIKELY(p[1] == 'I')) {
                if (!starts_with(p, "-Infinity")) goto no_value;
                object = Builder::non_finite(call_, constants.minus_infinity, "-Infinity");
                if (!object) goto failed_python;
                frame->has_container = true;  // a hook may have made it
                p += 9;
                goto push;
            }
            [[fallthrough]];
        case '0': case '1': case '2': case '3': case '4': case '5': case '6': case '7': case '8': case '9': {
            num::Number number;
            const Unit* next = num::read_number(p, number, last_kind);
            last_kind = number.kind;
            if (OCIOR_UNLIKELY(number.kind == num::NumberKind::kNone)) goto no_value;
            object = Builder::number(call_, number, p, next);
            if (OCIOR_UNLIKELY(!object)) goto failed_python;
            p = next;
            goto push;
        }
        case 't':
            if (OCIOR_UNLIKELY(!starts_with(p, "true"))) goto no_value;
            object = new_constant(Py_True);
            p += 4;
            goto push;
        case 'f':
            if (OCIOR_UNLIKELY(!starts_with(p, "false"))) goto no_value;
            object = new_constant(Py_False);
            p += 5;
            goto push;
        case 'n':
            if (OCIOR_UNLIKELY(!starts_with(p, "null"))) goto no_value;
            object = new_constant(Py_None);
            p += 4;
            goto push;
        case 'N':
            if (!starts_with(p, "NaN")) goto no_value;
            object = Builder::non_finite(call_, constants.nan, "NaN");
            if (!object) goto failed_python;
            frame->has_container = true;
            p += 3;
            goto push;
        case 'I':
            if (!starts_with(p, "Infinity")) goto no_value;
            object = Builder::non_finite(call_, constants.infinity, "Infinity");
            if (!object) goto failed_python;
            frame->has_container = true;
            p += 8;
            goto push;
        case '[':
        case '{': {
            const bool is_object = *p == '{';
            if (OCIOR_UNLIKELY(depth == kMaxDepth)) {
                call_.error = is_object ? Error::kTooDeepObject : Error::kTooDeepArray;
                blame = p;
                goto failed;
            }
            p = skip(p + 1);
            frame->has_container = true;
            ShapeNode* inside = frame->is_object && frame->node ? frame->node : frame->context;
            ++depth;
            if (OCIOR_UNLIKELY(depth == context.frames.capacity())) {
                if (!context.frames.reserve(depth + 1)) goto failed_python;
                frame = context.frames.data() + depth - 1;
            }
            ++frame;
            *frame = {static_cast<std::size_t>(top - values), is_object && !keep_pairs ? root : nullptr, inside, is_object, false};
            if (!is_object) {
                if (OCIOR_UNLIKELY(*p == ']')) goto close_array;
                goto value;
            }
            if (OCIOR_UNLIKELY(*p == '}')) goto close_object;
            goto key;
        }
        default:
            goto no_value;
    }

push:
    *top++ = object;
    if (OCIOR_UNLIKELY(top >= limit)) {
        const auto used = static_cast<std::size_t>(top - values);
        if (!context.values.reserve(used + 2)) goto failed_python;
        values = context.values.data();
        top = values + used;
        limit = values + context.values.capacity() - 1;
    }
    if (OCIOR_UNLIKELY(depth == 0)) return {*values, p};

    if (OCIOR_UNLIKELY(*p != ',')) {
        p = skip(p);
        if (*p != ',') {
            if (frame->is_object) {
                if (OCIOR_LIKELY(*p == '}')) goto close_object;
            } else {
                if (OCIOR_LIKELY(*p == ']')) goto close_array;
            }
            call_.error = Error::kExpectingComma;
            blame = p;
            goto failed;
        }
    }
    p = after_comma(context, depth, p);
    if (!frame->is_object) goto value;

key:
    if (OCIOR_UNLIKELY(*p != '"')) goto no_key;
    ++p;
    {
        ShapeNode* predicted = nullptr;
        if (OCIOR_LIKELY(frame->node != nullptr)) predicted = frame->node == root ? frame->context->first_key_inside : frame->node->predicted;
        if (OCIOR_LIKELY(predicted && matches(*predicted, p, call_.text.last))) {
            frame->node = predicted;
            p += predicted->raw_len / sizeof(Unit);
        } else {
            const NextKey<Unit> next = next_key(call_, *frame, root, top, p);
            if (OCIOR_UNLIKELY(!next.top)) {
                blame = next.next;
                goto failed;
            }
            p = next.next;
            if (OCIOR_UNLIKELY(next.top != top)) {  // keys lie on the value stack from now on
                values = context.values.data();
                top = next.top;
                limit = values + context.values.capacity() - 1;
            }
        }
    }
    if (OCIOR_UNLIKELY(*p != ':')) {
        p = skip(p);
        if (*p != ':') {
            call_.error = Error::kExpectingColon;
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

close_array: {
    const auto n = static_cast<std::size_t>(top - (values + frame->base));
    object = Builder::array(call_, top - n, n);
    if (OCIOR_UNLIKELY(!object)) goto failed_python;
    top -= n;
    goto closed;
}

close_object: {
    const auto n = static_cast<std::size_t>(top - (values + frame->base));
    if (OCIOR_LIKELY(frame->node != nullptr)) {
        if (OCIOR_UNLIKELY(n == 0)) object = Builder::object_of_pairs(call_, top, 0);
        else object = Builder::object_of_shape(call_, frame, top - n, n);
    } else {
        object = Builder::object_of_pairs(call_, top - n, n / 2);
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

no_value:
    call_.error = Error::kExpectingValue;
    blame = p;
    if (PY_VERSION_HEX >= 0x030D0000 && *p == ']' && depth > 0 && !frame->is_object && top != values + frame->base) {
        call_.error = Error::kTrailingCommaInArray;
        blame = comma_before(p);
    }
    goto failed;

no_key:
    call_.error = Error::kExpectingPropertyName;
    blame = p;
    if (PY_VERSION_HEX >= 0x030D0000 && *p == '}' && top != values + frame->base) {
        call_.error = Error::kTrailingCommaInObject;
        blame = comma_before(p);
    }
    goto failed;

failed_python:
    blame = call_.fail_python(p).next;
failed:
    drop(values, top);
    return {nullptr, blame};
}

}  // namespace ocior::decode
