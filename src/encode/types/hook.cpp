// What is written in the place of another value: by the default hook, or as the value's plan says.
#include "encode/types/rich.h"
#include "encode/walk/call.h"
#include "encode/walk/hints.h"
#include "py/taken_error.h"

namespace ocior::encode {
namespace {

// The default() of the encoder class, where a user has put another in its place; else empty, maybe with an error set.
Owned patched_default(const InstalledJson& json) noexcept {
    const Owned encoder = Owned::borrow(json.default_encoder);
    Owned method = encoder ? get_attribute(encoder.get(), "default") : Owned();
    if (method && PyMethod_Check(method.get()) && PyMethod_GET_FUNCTION(method.get()) == json.unpatched_default) return {};
    return method;
}

// Refuses a value of a type that is not known, because of the error that is set.
void refuse_because(Call& call, PyObject* value) noexcept {
    TakenError cause;
    PyObject* const reason = cause.value();
    refuse(call, call.options.dialect->unknown_type, value);
    TakenError error;
    if (PyObject* const refusal = error.value(); refusal && reason && refusal != reason) PyException_SetCause(refusal, new_ref(reason));
    error.restore();
}

}  // namespace

Owned ask_hook(Call& call, PyObject* hook, PyObject* value, std::size_t offset) noexcept {
    if (!call.may_open(value, FrameKind::kSingle, offset)) return {};
    call.pin();
    Owned made = Owned::steal(
        call_back(call.context.may_be_nested, " while encoding a JSON object", [&] { return PyObject_CallOneArg(hook, value); }));
    if (OCIOR_UNLIKELY(!made && call.options.dialect->chains_hook_errors)) refuse_because(call, value);
    return made;
}

// What the default hook makes of a value of any other type.
Opened open_default(Call& call, PyObject* value, std::size_t offset) noexcept {
    call.decouple(value);
    call.hold(value, nullptr);
    Owned patched;
    PyObject* hook = call.default_hook;
    if (!hook && !call.options.default_hook && call.options.dialect->asks_encoder_class) {
        call.pin();  // `default` may be a property
        patched = patched_default(call.json);
        hook = patched.get();
    }
    if (hook) {
        call.extras().replacement = ask_hook(call, hook, value, offset);
        return call.context.extras.replacement ? Opened::kMade : Opened::kFailed;
    }
    if (!PyErr_Occurred()) hint_at_default(call, value);
    if (!PyErr_Occurred()) refuse(call, call.options.dialect->unknown_type, value);
    return Opened::kFailed;
}

Opened open_replaced(Call& call, const Plan& plan, PyObject* value, std::size_t offset) noexcept {
    if (const Fields* const fields = call.context.types.fields_of(Py_TYPE(value)); fields && *fields) {
        if (PyObject* const known = call.value_of_instance(*fields, value); known && is_plain_scalar(known))
            return call.extras().replacement = Owned::borrow(known), Opened::kScalar;
    }
    const Owned hold = Owned::borrow(value);
    call.pin();
    Owned made = Owned::steal(
        call_back(call.context.may_be_nested, " while encoding a JSON object", [&] { return plan.replace(call, value).release(); }));
    if (!made) return Opened::kFailed;
    if (is_plain_scalar(made.get())) {
        call.extras().replacement = std::move(made);
        return Opened::kScalar;
    }
    return call.open_made(value, FrameKind::kSingle, offset, [&] { return made.release(); }) ? Opened::kInPlace : Opened::kFailed;
}

const Plan kDefaultHook{.role = Role::kUnknown, .open = open_default};

}  // namespace ocior::encode
