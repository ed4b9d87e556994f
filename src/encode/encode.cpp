#include "encode/encode.h"

#include <algorithm>

#include "encode/strings.h"
#include "encode/walk/notes.h"
#include "encode/walk/walk.h"
#include "num/float_text.h"
#include "num/write.h"
#include "py/number.h"
#include "text/convert.h"

namespace ocior::encode {
namespace {

template <Mode mode, CodeUnit Unit>
Stop walk_spaced(Call& call, Spacing spacing) noexcept {
    switch (spacing) {
        case Spacing::kCompact: return walk<mode, Unit, Spacing::kCompact>(call);
        case Spacing::kJson: return walk<mode, Unit, Spacing::kJson>(call);
        case Spacing::kLines: return walk<mode, Unit, Spacing::kLines>(call);
        case Spacing::kAny: break;
    }
    return walk<mode, Unit, Spacing::kAny>(call);
}

Stop walk_at_width(Call& call) noexcept {
    const Options& options = call.options;
    const unsigned width = call.output.width();
    const Spacing spacing = options.spacing;
    if (options.ensure_ascii && width > 1) return walk<Mode::kAscii, std::uint32_t, Spacing::kAny>(call);
    if (options.ensure_ascii) return walk_spaced<Mode::kAscii, std::uint8_t>(call, spacing);
    if (options.to_bytes) return walk_spaced<Mode::kUtf8, std::uint8_t>(call, spacing);
    if (width == 1) return walk_spaced<Mode::kText, std::uint8_t>(call, spacing);
    if (width == 2) return walk_spaced<Mode::kText, std::uint16_t>(call, spacing);
    return walk_spaced<Mode::kText, std::uint32_t>(call, spacing);
}

bool is_latin1(const Separator& separator) noexcept {
    return separator.data && separator.width == 1 &&
           text::or_of(static_cast<const std::uint8_t*>(separator.data), separator.length) >= 0x80;
}

// Whether the text may turn out narrower than the units that its separators ask for.
bool has_wide_separators(const Options& options) noexcept {
    return options.spacing == Spacing::kAny &&
           (options.width() > 1 || is_latin1(options.item) || is_latin1(options.key) || is_latin1(options.indent.text));
}

unsigned first_width(const Options& options) noexcept {
    if (OCIOR_LIKELY(options.spacing != Spacing::kAny)) return 1;
    return options.width() > 1 && options.ensure_ascii ? 4 : options.width();
}

// What a call's default hook means: an ocior.Default is known by heart.
struct Hook {
    PlanKey rich;
    PyObject* fallback;
    const Policies* policies = nullptr;  // that are to go into the options

    Hook(const State& state, const Options& options) noexcept : rich(options.rich), fallback(options.default_hook) {
        if (OCIOR_LIKELY(!fallback || !Py_IS_TYPE(fallback, state.own.default_type)) || (rich & kByDialect)) return;
        auto* const known = reinterpret_cast<DefaultObject*>(fallback);
        rich = known->flags | (rich & kPlansMask);
        fallback = known->fallback;
        if (OCIOR_UNLIKELY(known->has_policies) && !options.has_policies) policies = &known->policies;
    }
};

// Walks on until something other than a wider unit is asked for.
OCIOR_INLINE Stop walk_on(Call& call) noexcept {
    Stop stop;
    while ((stop = walk_at_width(call)) == Stop::kWiden)
        if (!call.output.widen(call.used, call.wanted_width)) return Stop::kFailed;
    if (OCIOR_UNLIKELY(stop == Stop::kFailed)) finish_error(call);
    return stop;
}

// Puts extra escapes into all that has been written, where separators can hold nothing to escape: else strings got them one by one. False
// with MemoryError set.
OCIOR_NOINLINE bool put_extra_escapes(Call& call) noexcept {
    // (The separator that a piece begins with may be gone.)
    if (call.options.spacing == Spacing::kAny || call.escaped >= call.used) return true;
    return call.output.put_extra_escapes(call.escaped, call.used, extra_escapes_of(call.rich));
}
OCIOR_INLINE bool escape_rest(Call& call) noexcept { return OCIOR_LIKELY((call.rich & kExtraEscapes) == 0) || put_extra_escapes(call); }

// Whether the layout is one of the usual two, which adds nothing to a document without items.
OCIOR_INLINE bool has_plain_layout(const Options& options) noexcept {
    static_assert(Spacing::kCompact < Spacing::kLines && Spacing::kJson < Spacing::kLines && Spacing::kLines < Spacing::kAny);
    return options.spacing < Spacing::kLines && !options.ends_with_newline;
}

// The text of an empty container or string, or a word, which is there, in a plain layout: such calls take half the time. Null for all
// others.
OCIOR_INLINE PyObject* ready_text(const Constants& constants, const Options& options, PyObject* value) noexcept {
    const auto ready = [&](ReadyText text) { return new_ref(constants.ready[options.to_bytes][static_cast<std::size_t>(text)]); };
    PyTypeObject* const type = Py_TYPE(value);
    if (type == &PyDict_Type) return OCIOR_LIKELY(PyDict_GET_SIZE(value) != 0) ? nullptr : ready(ReadyText::kEmptyDict);
    if (type == &PyList_Type) return OCIOR_LIKELY(PyList_GET_SIZE(value) != 0) ? nullptr : ready(ReadyText::kEmptyList);
    if (type == &PyTuple_Type) return OCIOR_LIKELY(PyTuple_GET_SIZE(value) != 0) ? nullptr : ready(ReadyText::kEmptyList);
    if (type == &PyUnicode_Type) return PyUnicode_GET_LENGTH(value) != 0 ? nullptr : ready(ReadyText::kEmptyString);
    if (value == Py_None) return ready(ReadyText::kNull);
    return type == &PyBool_Type ? ready(value == Py_True ? ReadyText::kTrue : ReadyText::kFalse) : nullptr;
}

// Writes an int, a float or an ASCII string of exactly these types that is no longer than kMostLone. Null for all others.
constexpr std::size_t kMostLone = simd::ShortText::kLanes + 2 < num::kMaxFloat64Len ? num::kMaxFloat64Len : simd::ShortText::kLanes + 2;
OCIOR_INLINE std::uint8_t* write_lone_scalar(const Options& options, PyObject* value, std::uint8_t* to) noexcept {
    if (PyUnicode_CheckExact(value)) {
        if (!is_compact_ascii(value)) return nullptr;
        const auto n = static_cast<std::size_t>(PyUnicode_GET_LENGTH(value));
        const std::uint8_t* const units = ascii_data(value);
        std::uint8_t* const end =
            options.ensure_ascii ? copy_short<Mode::kAscii>(to + 1, units, n) : copy_short<Mode::kText>(to + 1, units, n);
        if (!end) return nullptr;
        *to = *end = '"';
        return end + 1;
    }
    if (PyLong_CheckExact(value)) {
        SmallInt number;
        if (!read_small_int(value, number) || !is_within_53_bits(number.magnitude)) return nullptr;
        *to = '-';
        return num::write_u64(to + number.is_negative, number.magnitude);
    }
    if (!PyFloat_CheckExact(value) || options.exponents != Exponents::kPadded) return nullptr;
    return num::write_regular_f64(to, PyFloat_AS_DOUBLE(value));
}

// The text of such a value that is a whole document, in a plain layout: without a context and frames such calls take 0.8 to 0.9 of the
// time. False for all others; else `text` is null where MemoryError is set. (Not in line: the calls with other values would pay for its
// buffer.)
OCIOR_NOINLINE bool lone_text(const Options& options, PlanKey rich, PyObject* value, PyObject*& text) noexcept {
    if (rich & (kByDialect | kExtraEscapes)) return false;
    std::uint8_t buffer[kMostLone + kWriteSlack];
    const std::uint8_t* const end = write_lone_scalar(options, value, buffer);
    if (!end) return false;
    const auto n = end - buffer;
    if (options.to_bytes) {
        text = PyBytes_FromStringAndSize(reinterpret_cast<const char*>(buffer), n);
    } else {
        text = PyUnicode_New(n, 0x7F);
        if (text) std::memcpy(PyUnicode_1BYTE_DATA(text), buffer, static_cast<std::size_t>(n));
    }
    return true;
}

}  // namespace

// Does what dumps() does where an ocior.Default has policies: they are put into a copy of the options, for this call alone.
static OCIOR_NOINLINE PyObject* dumps_by(const Policies& policies, State& state, const Constants& constants, const Options& options,
                                         PyObject* value) noexcept {
    Options told = options;
    return policies.apply(told) ? dumps(state, constants, told, value) : nullptr;
}

PyObject* dumps(State& state, const Constants& constants, const Options& options, PyObject* value) noexcept {
    const Hook hook(state, options);
    if (OCIOR_UNLIKELY(hook.policies != nullptr)) return dumps_by(*hook.policies, state, constants, options, value);
    if (has_plain_layout(options)) {
        if (PyObject* const ready = ready_text(constants, options, value)) return ready;
        PyObject* text;
        const bool may_be_lone = !PyDict_CheckExact(value) && !PyList_CheckExact(value) && is_unchangeable(Py_TYPE(value));
        if (may_be_lone && lone_text(options, hook.rich, value, text)) return text;
    }
    const Lease context(state.contexts);
    if (!context || !context->prepare()) return PyErr_NoMemory();
    const bool is_unproven = !options.to_bytes && has_wide_separators(options);
    Output output(context->scratch, Output::kScratchBytes, constants, context->allocator, options.to_bytes, first_width(options),
                  is_unproven);
    output.expect(context->last_large);
    Call call(options, constants, *context, output, state.json, state.own, hook.rich, hook.fallback);
    call.open_root(value);
    PyObject* result = nullptr;
    if (walk_on(call) == Stop::kDone && escape_rest(call)) {
        // In the place of the separator that was written behind the value.
        if (options.ends_with_newline) static_cast<std::uint8_t*>(output.data())[call.used++] = '\n';
        output.tell_size(call.used, context->last_large);
        result = output.finish(call.used);
    }
    call.close_all();
    return result;
}

bool Stream::start() noexcept {
    const Hook hook(state_, *options_);
    if (hook.policies) {
        told_ = *options_;
        if (!hook.policies->apply(told_)) return false;
        options_ = &told_;
    }
    context_ = Lease(state_.contexts);
    // The separator that a piece keeps fits in any unit.
    const std::size_t block_bytes = kPieceBytes + 4 * options_->item.length;
    block_ = static_cast<std::uint8_t*>(std::malloc(block_bytes));
    if (!context_ || !block_ || !context_->prepare()) return PyErr_NoMemory(), false;
    // A later piece may be narrower than the text before it.
    const bool is_unproven = !options_->to_bytes && (!options_->ensure_ascii || has_wide_separators(*options_));
    output_.emplace(block_, block_bytes, constants_, context_->allocator, options_->to_bytes, first_width(*options_), is_unproven);
    call_.emplace(*options_, constants_, *context_, *output_, state_.json, state_.own, hook.rich, hook.fallback);
    call_->open_root(value_);
    return true;
}

PyObject* Stream::next() noexcept {
    if (ended_) {
        if (error_) error_->restore();
        error_.reset();
        return nullptr;
    }
    if (!context_ && !start()) return stop(), nullptr;
    const Stop why = walk_on(*call_);
    if (why == Stop::kFlush) {
        if (!escape_rest(*call_)) return stop(), nullptr;
        const std::size_t kept = call_->kept;
        PyObject* piece = output_->hand_over(call_->used, kept);
        if (!piece) return stop(), nullptr;
        call_->used = kept;
        call_->escaped = kept;  // within a long string these units may be what an escape ends with
        if (call_->flat_list != Call::kNoList) call_->flat_list = 0;
        call_->next_check = 0;
        call_->pin();
        return piece;
    }
    PyObject* piece = nullptr;
    if (why == Stop::kDone) {
        if (escape_rest(*call_)) piece = output_->finish(call_->used);
    } else if (call_->used > 0 && !PyErr_ExceptionMatches(PyExc_MemoryError)) {
        error_.emplace();
        if (escape_rest(*call_)) piece = output_->finish(call_->used);
        if (!piece) PyErr_Clear();
    }
    stop();
    // An error without a piece before it comes at once.
    return piece || PyErr_Occurred() ? piece : next();
}

void Stream::stop() noexcept {
    ended_ = true;
    if (call_) call_->close_all();
    call_.reset();
    output_.reset();
    std::free(std::exchange(block_, nullptr));
    context_.give_back();
}

int Stream::traverse(visitproc visit, void* arg) const noexcept {
    if (const int result = error_ ? error_->traverse(visit, arg) : 0) return result;
    if (context_) Py_VISIT(context_->module.get());
    for (std::size_t i = 0; call_ && i < call_->depth(); ++i) {
        const Frame& frame = context_->frames[i];
        if (frame.is_pinned()) Py_VISIT(frame.identity);
        if (frame.owns_iterated() && frame.kind != FrameKind::kEntries) Py_VISIT(frame.iterated);
        if (frame.holds_item()) Py_VISIT(frame.item());
        for (std::uint32_t k = 0; frame.kind == FrameKind::kEntries && frame.is_pinned() && k < frame.dict_size; ++k) {
            Py_VISIT(frame.entries()[k].key);
            Py_VISIT(frame.entries()[k].value);
        }
    }
    return 0;
}

bool Lines::start(std::size_t expected) noexcept {
    const Hook hook(state_, *options_);
    if (hook.policies) {
        told_ = *options_;
        if (!hook.policies->apply(told_)) return false;
        options_ = &told_;
    }
    rich_ = hook.rich;
    fallback_ = hook.fallback;
    context_ = Lease(state_.contexts);
    if (!context_ || !context_->prepare()) return PyErr_NoMemory(), false;
    const bool is_unproven = !options_->to_bytes && has_wide_separators(*options_);
    output_.emplace(context_->scratch, Output::kScratchBytes, constants_, context_->allocator, options_->to_bytes, first_width(*options_),
                    is_unproven);
    constexpr std::size_t kMostExpected = 1024 * 1024;  // there may be less: a caller's block may never become full
    is_size_known_ = expected != 0;
    if (is_size_known_) output_->expect({.byte_len = std::min(expected, kMostExpected), .width = output_->width()});
    else output_->expect(context_->last_large);
    return true;
}

bool Lines::add(PyObject* value) noexcept {
    constexpr std::size_t kRootRoom = 512;  // a walk takes it for granted before it has written anything
    if (OCIOR_UNLIKELY(output_->capacity() < used_ + kRootRoom) && !output_->grow(used_, kRootRoom)) return false;
    Call call(*options_, constants_, *context_, *output_, state_.json, state_.own, rich_, fallback_);
    call.used = call.escaped = used_;
    call.next_check += used_;
    call.open_root(value);
    const bool is_written = walk_on(call) == Stop::kDone && escape_rest(call) && end_line(call);
    call.close_all();
    if (OCIOR_LIKELY(is_written)) used_ = call.used;
    else output_->doubt();  // the units may have become wider for what is taken away
    return is_written;
}

// Puts spaces in the place of the line ends in units [first, end), which stand between the values of ready JSON.
template <CodeUnit Unit>
static void join_lines(Unit* first, const Unit* end) noexcept {
    for (; first != end; ++first)
        if (*first == '\n' || *first == '\r') *first = ' ';
}

bool Lines::end_line(Call& call) noexcept {
    if (OCIOR_UNLIKELY(output_->capacity() == call.used) && !output_->grow(call.used, 1)) return false;
    const auto end = [&]<typename Unit>(Unit) {
        Unit* const text = static_cast<Unit*>(output_->data());
        if (OCIOR_UNLIKELY(call.has_ready_json)) join_lines(text + used_, text + call.used);
        text[call.used++] = '\n';
    };
    switch (output_->width()) {
        case 1: end(std::uint8_t{}); break;
        case 2: end(std::uint16_t{}); break;
        default: end(std::uint32_t{});
    }
    return true;
}

PyObject* Lines::finish() noexcept {
    if (!is_size_known_) output_->tell_size(used_, context_->last_large);
    PyObject* const text = output_->finish(used_);
    output_.reset();
    context_.give_back();
    return text;
}

}  // namespace ocior::encode
