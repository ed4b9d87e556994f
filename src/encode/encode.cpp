#include "encode/encode.h"

#include "encode/notes.h"
#include "encode/walk.h"
#include "text/convert.h"

namespace ocior::encode {
namespace {

Step walk_at_width(Call& call) noexcept {
    const Options& options = call.options;
    const unsigned width = call.output.width();
    const bool plain = options.is_plain();
    if (options.ensure_ascii) {
        if (width > 1) return walk<Mode::kAscii, std::uint32_t, false>(call);
        return plain ? walk<Mode::kAscii, std::uint8_t, true>(call) : walk<Mode::kAscii, std::uint8_t, false>(call);
    }
    if (options.to_bytes) return plain ? walk<Mode::kUtf8, std::uint8_t, true>(call) : walk<Mode::kUtf8, std::uint8_t, false>(call);
    if (width == 1) return plain ? walk<Mode::kText, std::uint8_t, true>(call) : walk<Mode::kText, std::uint8_t, false>(call);
    if (width == 2) return plain ? walk<Mode::kText, std::uint16_t, true>(call) : walk<Mode::kText, std::uint16_t, false>(call);
    return plain ? walk<Mode::kText, std::uint32_t, true>(call) : walk<Mode::kText, std::uint32_t, false>(call);
}

bool is_latin1(const Separator& separator) noexcept {
    return separator.data && separator.width == 1 && text::or_of(static_cast<const std::uint8_t*>(separator.data), separator.length) >= 0x80;
}

}  // namespace

PyObject* dumps(State& state, const Constants& constants, const Options& options, PyObject* value) noexcept {
    Context* context = state.contexts.take();
    if (!context) return PyErr_NoMemory();
    PyObject* result = nullptr;
    if (!context->prepare()) {
        PyErr_NoMemory();
    } else {
        const bool is_wide = options.width() > 1;
        const bool is_unproven = !options.to_bytes && !options.is_plain() &&
                                 (is_wide || is_latin1(options.item) || is_latin1(options.key) || is_latin1(options.indent.text));
        Output output(context->scratch, options.to_bytes, is_wide && options.ensure_ascii ? 4 : options.width(), is_unproven);
        output.expect(context->last_large);
        Call call{options, constants, *context, output};
        context->frames[0] = {nullptr, value, 0, FrameKind::kSingle, true, false, false};
        call.depth = 1;
        Step step;
        while ((step = walk_at_width(call)) == Step::kWiden)
            if (!output.widen(call.used, call.wanted_width)) {
                step = Step::kFailed;
                break;
            }
        if (step == Step::kDone) {
            const std::size_t byte_len = call.used * output.width();
            if (byte_len > Output::kScratchBytes) context->last_large = byte_len;
            result = output.finish(call.used);
        }
        else if (kJsonAddsNotes) add_notes(call);
        call.close_all();
    }
    state.contexts.give_back(context);
    return result;
}

}  // namespace ocior::encode
