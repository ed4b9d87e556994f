#include "encode/type_table.h"

#include "encode/look.h"
#include "encode/types.h"
#include "encode/walk/call.h"

namespace ocior::encode {
namespace {

constexpr Plan kNotFound{.role = Role::kNotFound, .open = [](Call&, PyObject*, std::size_t) noexcept { return Opened::kFailed; }};

}  // namespace

// With a GIL. Without one the classes' dicts would have to be locked: learn() does that, which is called when nothing is guarded.
bool TypeTable::is_unchanged(const Entry& entry) const noexcept {
    const unsigned version = type_version(entry.type);
    if (!layout::kHasGil || !entry.state.is_current(*tricks_, entry.type)) return false;
    entry.version = version;
    entry.compared_at = doubts_;
    return true;
}

// Without a GIL: keeps a type alive up to the end of the call, where `entry` does not say that it is kept. Else another thread might let it
// die, and another type take its place in memory. False where there is no memory; no error is set.
bool TypeTable::hold(Call& call, const Entry& entry, PyTypeObject* type) const noexcept {
    if (layout::kHasGil || (entry.version == 0 && entry.type == type && entry.compared_at >= first_of_call_)) return true;
    Owned& types = call.extras().types;
    if (!types && (types = Owned::steal(PyList_New(0)))) PyObject_GC_UnTrack(types.get());  // nobody else is to find it
    if (types && PyList_Append(types.get(), reinterpret_cast<PyObject*>(type)) == 0) return true;
    return PyErr_Clear(), false;
}

// Without a GIL: the entry of a type of another version, or without one, that has not changed in what counts.
const TypeTable::Entry* TypeTable::find_unchanged(Call& call, PyTypeObject* type, PlanKey key) noexcept {
    for (const Entry& entry : set_of(type, key)) {
        if (entry.type != type || entry.key != key) continue;
        const unsigned version = type_version(type);
        if (!entry.state.is_current(*tricks_, type) || (version == 0 && !hold(call, entry, type))) return nullptr;
        entry.version = version;
        entry.compared_at = ++doubts_;
        return &entry;
    }
    return nullptr;
}

namespace {

// How much of a class's attributes counts for the choice of a plan and a fields: of names that are looked for. (Programs count and collect
// instances in attributes of the class.)
ClassState::Weight weigh(PyObject* name, const Fields& fields) noexcept {
    using Weight = ClassState::Weight;
    const auto is = [name](const char* text) { return PyUnicode_CompareWithASCIIString(name, text) == 0; };
    const Py_ssize_t n = PyUnicode_GET_LENGTH(name);
    const auto is_underscore = [name](Py_ssize_t i) { return PyUnicode_READ_CHAR(name, i) == '_'; };
    if (n > 4 && is_underscore(0) && is_underscore(1) && is_underscore(n - 1) && is_underscore(n - 2))
        return is("__dataclass_fields__") || is("__attrs_attrs__") || is("__struct_fields__") ? Weight::kContent : Weight::kValue;
    if (is("_fields") || is("value") || is("items") || is("isoformat") || is("model_dump_json") || is("json")) return Weight::kValue;
    // (A class may have names in its dict that are not interned: those that make_dataclass() was given.)
    for (std::size_t i = 0; fields && i < fields.count(); ++i)
        if (fields.name(i) == name || PyUnicode_Compare(fields.name(i), name) == 0) return Weight::kValue;
    return Weight::kName;
}

}  // namespace

const Plan& TypeTable::learn(Call& call, PyTypeObject* type, PlanKey key) noexcept {
    const Tricks& tricks = call.constants.tricks;
    if constexpr (!layout::kHasGil)
        if (const Entry* const entry = find_unchanged(call, type, key)) return last_ = entry, entry->plan;
    // A version from before the look, so that a change meanwhile leaves an entry that is never found.
    const unsigned version = make_type_version(type, call.own.value_name);
    const Owned hold_type = Owned::borrow(reinterpret_cast<PyObject*>(type));  // its value may get another class meanwhile
    ClassState state;
    const bool is_noted = state.note(tricks, type);
    Fields fields;
    PyObject* const outer = begin_look();
    const Plan& plan = rich_plan_of(call, type, fields);
    last_ = nullptr;
    if (!restore_error(outer)) return kNotFound;
    if (!is_noted || (version == 0 && !(state.is_current(tricks, type) && hold(call, Entry{}, type)))) return plan;
    state.weigh([&](PyObject* name) { return weigh(name, fields); });
    tricks_ = &tricks;
    Set& set = set_of(type, key);
    Entry* entry = nullptr;
    for (Entry& known : set)
        if (known.type == type && known.key == key) entry = &known;
    if (!entry) entry = &set[next_way_++ % kWays];
    entry->type = type;
    entry->version = version;
    entry->key = key;
    entry->fields = std::move(fields);
    entry->plan = plan;
    entry->plan.fields = &entry->fields;
    entry->frameless_balance = 0;
    entry->state = std::move(state);
    entry->compared_at = ++doubts_;  // Python code may have run
    last_ = entry;
    return entry->plan;
}

}  // namespace ocior::encode
