// What becomes of a key that is no str.
#include "encode/types/rich.h"
#include "encode/walk/call.h"
#include "encode/walk/hints.h"

namespace ocior::encode {
namespace {

// How a key of that type is written: what is passed to the default hook as a value is a key all the same. Null with an error set.
const Plan* plan_of_key(Call& call, PyTypeObject* type) noexcept {
    constexpr std::uint32_t kPassed = kPassSubclasses | kPassDatetimes | kPassDataclasses;
    if (OCIOR_LIKELY(!(call.rich & kRichKeys) || !(call.rich & kPassed))) {
        const Plan& plan = call.context.types.find(call, type, call.rich);
        return plan.role != Role::kNotFound ? &plan : nullptr;
    }
    Fields fields;
    const Owned hold = Owned::borrow(reinterpret_cast<PyObject*>(type));  // as in TypeTable::learn()
    const PlanKey present = std::exchange(call.rich, call.rich & ~kPassed);
    PyObject* const outer = begin_look();
    const Plan& plan = rich_plan_of(call, type, fields);
    call.rich = present;
    return restore_error(outer) ? &plan : nullptr;
}

KeyText read_any_key(Call& call, PyObject* key, std::uint8_t* to) noexcept {
    using Kind = KeyText::Kind;
    if (call.rich & kByDialect) return call.options.dialect->read_key(call, key, to);
    const auto replaced_by = [&](Owned str) -> KeyText {
        if (!str) return {Kind::kFailed};
        call.extras().replacement = std::move(str);
        return {Kind::kString};
    };
    const bool may_be_key = call.may_be_key(Py_TYPE(key)) || (PyUnicode_Check(key) && !(call.rich & kExactKeys));
    constexpr int kMostReplaced = 100;  // an enum's member may have another one as its value, and a class may say that it is its own
    Owned made;
    PyObject* value = key;
    for (int i = 0; may_be_key && i < kMostReplaced; ++i) {
        const Plan* const plan = plan_of_key(call, Py_TYPE(value));
        if (OCIOR_UNLIKELY(!plan)) return {Kind::kFailed};
        if (plan->role == Role::kScalar || plan->role == Role::kText) {
            std::uint8_t* const end = write_as_key(call, *plan, value, to);
            return {end || call.context.extras.long_scalar ? Kind::kWritten : Kind::kFailed, end};
        }
        if (plan->role == Role::kString) return replaced_by(Owned::steal(PyUnicode_FromObject(value)));
        if (plan->role != Role::kReplaced) break;
        made = Owned::steal(
            call_back(call.context.may_be_nested, " while encoding a JSON object", [&] { return plan->replace(call, value).release(); }));
        if (!made) return {Kind::kFailed};
        if (PyUnicode_CheckExact(made.get())) return replaced_by(std::move(made));
        value = made.get();
    }
    if (call.options.skipkeys) return {Kind::kSkipped};
    hint_at_keys(call, key);
    if (!PyErr_Occurred()) refuse(call, call.options.dialect->unknown_key, key);
    return {Kind::kFailed};
}

}  // namespace

KeyText read_key(Call& call, PyObject* key, std::uint8_t* to) noexcept {
    call.writes_key = true;
    const KeyText read = read_any_key(call, key, to);
    call.writes_key = false;
    call.context.types.doubt();
    return read;
}

}  // namespace ocior::encode
