#include "encode/walk/hints.h"

#include "encode/walk/notes.h"

namespace ocior::encode {
namespace {

bool gives_hints(const Call& call) noexcept { return kAddsNotes && call.options.dialect->notes != NoteStyle::kNone; }

// Does look() as if a Default with these flags had been given. False where it sets an error, which is cleared if it is an Exception.
template <typename Look>
bool would(Call& call, PlanKey key, Look look) noexcept {
    call.pin();
    const PlanKey present = std::exchange(call.rich, key);
    const bool is_true = look();
    call.rich = present;
    if (!PyErr_Occurred()) return is_true;
    if (PyErr_ExceptionMatches(PyExc_Exception)) PyErr_Clear();
    return false;
}

}  // namespace

void hint_at_default(Call& call, PyObject* value) noexcept {
    if (!gives_hints(call) || call.options.default_hook || call.rich != kPlain) return;
    const auto is_written = [&] { return call.context.types.find(call, Py_TYPE(value), call.rich).role != Role::kUnknown; };
    if (would(call, kUsualDefault, is_written)) call.extras().hint = "dumps(..., default=ocior.default) writes it";
}

void hint_at_keys(Call& call, PyObject* key) noexcept {
    PyObject* const hook = call.options.default_hook;
    const bool is_known = !hook || Py_IS_TYPE(hook, call.own.default_type);
    if (!gives_hints(call) || !is_known || (call.rich & kRichKeys)) return;
    std::uint8_t text[kShortScalar];
    const auto is_written = [&] { return read_key(call, key, text).kind != KeyText::Kind::kSkipped; };
    if (would(call, call.rich | kUsualDefault | kRichKeys, is_written))
        call.extras().hint = "dumps(..., default=ocior.Default(keys=True)) writes it";
}

}  // namespace ocior::encode
