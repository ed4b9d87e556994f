// The plans of arrays, objects and unions.
#include "typed/compiler.h"

namespace ocior::typed {

const ArrayPlan* Compiler::array_plan(PyObject* source) noexcept {
    ArrayPlan* const made = arena_.make<ArrayPlan>();
    PyObject* const kind = made ? get(source, "kind") : nullptr;
    if (!kind || !(made->expected = get(source, "expected")) || !lengths(source, made->lengths)) return nullptr;
    constexpr struct {
        const char* name;
        ArrayKind kind;
    } kNames[] = {{"list", ArrayKind::kList},
                  {"tuple", ArrayKind::kTuple},
                  {"set", ArrayKind::kSet},
                  {"frozenset", ArrayKind::kFrozenSet},
                  {"deque", ArrayKind::kDeque},
                  {"fixed", ArrayKind::kFixed},
                  {"namedtuple", ArrayKind::kNamedTuple},
                  {"class", ArrayKind::kClass}};
    bool is_known = false;
    for (const auto& one : kNames)
        if (is_text(kind, one.name)) made->kind = one.kind, is_known = true;
    if (!is_known) return PyErr_Format(PyExc_ValueError, "no kind of array: %R", kind), nullptr;
    if (made->kind < ArrayKind::kFixed) {
        PyObject* const item = get(source, "item");
        return item && (made->first = node(item)) ? made : nullptr;
    }
    if (made->kind == ArrayKind::kClass) {
        PyObject* const object = get(source, "object");
        LateArray* const late = arena_.make<LateArray>();
        if (!object || !late || !(made->object = object_plan(object))) return nullptr;
        *late = {made, late_arrays_};
        late_arrays_ = late;
        return made;
    }
    PyObject* const items = get(source, "items");
    const Owned all = items ? Owned::steal(PySequence_Tuple(items)) : Owned();
    if (!all) return nullptr;
    made->count = made->required = made->room = static_cast<std::size_t>(PyTuple_GET_SIZE(all.get()));
    if (made->kind == ArrayKind::kNamedTuple) {
        if (!(made->type = get(source, "type")) || !(made->defaults = get(source, "defaults"))) return nullptr;
        made->required -= static_cast<std::size_t>(PyTuple_GET_SIZE(made->defaults));
        plan_.runs_python = true;
    }
    made->first = chain(made->count, [&](std::size_t i) { return node(PyTuple_GET_ITEM(all.get(), static_cast<Py_ssize_t>(i))); });
    return made->first ? made : nullptr;
}

bool Compiler::fill_class_array(ArrayPlan& plan) noexcept {
    const ObjectPlan& object = *plan.object;
    const Node** const nodes = arena_.make<const Node*>(object.field_count);
    if (!nodes) return false;
    for (std::size_t i = 0; i < object.field_count; ++i) {
        if (!object.fields[i].is_read) continue;
        nodes[plan.count++] = object.fields[i].node;
        if (object.fields[i].is_required) plan.required = plan.count;
    }
    plan.room = object.field_count;
    return (plan.first = chain(plan.count, [&](std::size_t i) { return nodes[i]; })) != nullptr;
}

template <typename NodeAt>
const Node* Compiler::chain(std::size_t count, NodeAt node_at) noexcept {
    Node* const nodes = arena_.make<Node>(count + 1);
    if (!nodes) return nullptr;
    for (std::size_t i = 0; i < count; ++i) {
        const Node* const one = node_at(i);
        if (!one) return nullptr;
        nodes[i].next = nodes + i + 1;
        Link* const link = arena_.make<Link>();
        if (!link) return nullptr;
        *link = {nodes + i, one, links_};
        links_ = link;
    }
    Node& last = nodes[count];
    last.plain = Node::kWords | Node::kString | Node::kInteger | Node::kReal;
    last.whole = Whole::kAny;
    last.is_null_taken = last.is_bool_taken = true;
    last.integer = Form::kInt, last.real = Form::kFloat;
    last.expected = keep(PyUnicode_FromString("nothing more"));
    last.is_surplus = true;
    return last.expected ? nodes : nullptr;
}

const ObjectPlan* Compiler::object_plan(PyObject* source) noexcept {
    const ObjectPlan* known;
    if (!find_made(source, known) || known) return known;
    ObjectPlan* const made = arena_.make<ObjectPlan>();
    PyObject* const kind = made && note_made(source, made) ? get(source, "kind") : nullptr;
    if (!kind) return nullptr;
    if (is_text(kind, "dict")) return fill_dict(source, *made) ? made : nullptr;
    if (is_text(kind, "union")) return fill_union(source, *made) ? made : nullptr;
    made->kind = is_text(kind, "typeddict") ? ObjectKind::kTypedDict : ObjectKind::kClass;
    return fill_class(source, *made) ? made : nullptr;
}

bool Compiler::fill_dict(PyObject* source, ObjectPlan& plan) noexcept {
    plan.kind = ObjectKind::kDict;
    PyObject *key, *value;
    if (!get_optional(source, "key", key) || !(value = get(source, "value")) || !get_optional(source, "factory", plan.factory) ||
        !(plan.type = get(source, "type")) || !lengths(source, plan.lengths))
        return false;
    if (plan.type == defaultdict_.get() && !plan.factory) plan.factory = Py_None;  // its first argument all the same
    if (key && !(plan.key = node(key))) return false;
    if (!(plan.value = node(value))) return false;
    if (plan.key || plan.factory || plan.type != reinterpret_cast<PyObject*>(&PyDict_Type)) plan_.runs_python = true;
    plan.is_atomic = plan.value->is_atomic && !plan.key;
    return true;
}

bool Compiler::fill_field(PyObject* source, Field& field) noexcept {
    PyObject *node_source, *default_value, *factory;
    if (!(node_source = get(source, "node")) || !(field.name = get(source, "name")) || !(field.written = get(source, "written")) ||
        !(field.keyword = get(source, "keyword")) || !get_flag(source, "required", field.is_required) ||
        !get_flag(source, "positional", field.is_positional) || !get_flag(source, "init", field.is_read) ||
        !(default_value = get(source, "default")) || !get_optional(source, "factory", factory))
        return false;
    if (!(field.node = node(node_source))) return false;
    if (default_value != nothing_.get()) field.value = default_value;
    if (factory) {
        const auto is = [&](PyTypeObject& type) { return factory == reinterpret_cast<PyObject*>(&type); };
        field.factory_call = factory;
        field.factory = is(PyList_Type)   ? Factory::kList
                        : is(PyDict_Type) ? Factory::kDict
                        : is(PySet_Type)  ? Factory::kSet
                                          : Factory::kCall;
        if (field.factory == Factory::kCall) plan_.runs_python = true;
    }
    return true;
}

bool Compiler::fill_class(PyObject* source, ObjectPlan& plan) noexcept {
    PyObject *make, *fields, *unknown, *tag_value, *name;
    if (!(make = get(source, "make")) || !(fields = get(source, "fields")) || !(plan.names = get(source, "names")) ||
        !(plan.type = get(source, "type")) || !(plan.name = get(source, "name")) || !(unknown = get(source, "unknown")) ||
        !get_index(source, "rest", plan.rest) || !get_optional(source, "post_init", plan.post_init) ||
        !get_optional(source, "tag_name", plan.tag_name) || !get_optional(source, "tag_value", tag_value))
        return false;
    plan.is_called = is_text(make, "call");
    plan.is_struct = is_text(make, "struct");
    plan.forbids_unknown = is_text(unknown, "forbid");
    const auto* const type = reinterpret_cast<PyTypeObject*>(plan.type);
    if (plan.is_called || plan.post_init || type->tp_finalize || type->tp_del) plan_.runs_python = true;
    plan.index = plan_.trie_count++;
    const Owned all = Owned::steal(PySequence_Tuple(fields));
    if (!all) return false;
    const auto count = static_cast<std::size_t>(PyTuple_GET_SIZE(all.get()));
    Field* const made = arena_.make<Field>(count);
    PyObject** const names = arena_.make<PyObject*>(count);
    std::uint16_t* const places = arena_.make<std::uint16_t>(count);
    if (!made || !names || !places) return false;
    plan.field_count = static_cast<std::uint32_t>(count);
    plan.slot_count = plan.field_count + (plan.tag_name != nullptr);
    plan.fields = made;
    plan.name_list = names;
    plan.is_atomic = true;
    for (std::size_t i = 0; i < count; ++i) {
        if (!fill_field(PyTuple_GET_ITEM(all.get(), static_cast<Py_ssize_t>(i)), made[i])) return false;
        name = new_ref(made[i].name);
        PyUnicode_InternInPlace(&name);
        if (!(names[i] = keep(name))) return false;
        plan.is_atomic &= made[i].node->is_atomic;
    }
    if (plan.tag_name && !(plan.tag_node = tag_node(tag_value))) return false;
    if (plan.kind == ObjectKind::kTypedDict) return fill_typed_dict(plan);
    return plan.is_called || plan.form.learn(tricks_, reinterpret_cast<PyTypeObject*>(plan.type), names, count, places, plan_.kept.get());
}

bool Compiler::fill_typed_dict(ObjectPlan& plan) noexcept {
    for (std::uint32_t i = 0; i < plan.field_count; ++i) const_cast<PyObject**>(plan.name_list)[i] = plan.fields[i].name;
    if (!layout::kMayReadKeysTable || !tricks_.keys_table || plan.field_count == 0) return true;
    const Owned model = Owned::steal(PyDict_New());
    for (std::uint32_t i = 0; model && i < plan.field_count; ++i)
        if (PyDict_SetItem(model.get(), plan.name_list[i], Py_None) < 0) return false;
    PyObject* const copied = model ? keep(PyDict_Copy(model.get())) : nullptr;
    if (!copied) return false;
    PyObject_GC_UnTrack(copied);  // it is part of no cycle, and must not be emptied
    if (layout::combined_str_table(copied)) plan.dict_template = copied;
    return true;
}

const Node* Compiler::tag_node(PyObject* value) noexcept {
    Node* const made = arena_.make<Node>();
    Choices* const choices = arena_.make<Choices>();
    PyObject* const dict = keep(PyDict_New());
    if (!made || !choices || !dict || PyDict_SetItem(dict, value, value) < 0) return nullptr;
    made->is_tag = true;
    made->choices = choices;
    made->expected = keep(PyObject_Repr(value));
    if (!made->expected) return nullptr;
    if (!PyUnicode_Check(value)) return choices->integers = dict, made;
    choices->strings = dict;
    PyObject **keys, **values;
    std::size_t count;
    if (!items_of(dict, keys, values, count) || !fill_table(keys, count, choices->texts)) return nullptr;
    choices->text_values = values;
    return made;
}

bool Compiler::fill_union(PyObject* source, ObjectPlan& plan) noexcept {
    plan.kind = ObjectKind::kUnion;
    PyObject *members, *rest, *tags, *keys;
    if (!(members = get(source, "members")) || !get_optional(source, "rest", rest) || !get_optional(source, "tag", plan.deciding_name) ||
        !get_optional(source, "tags", tags) || !get_optional(source, "keys", keys) || !get_index(source, "default", plan.otherwise) ||
        !(plan.expected = get(source, "expected")))
        return false;
    const Owned all = Owned::steal(PySequence_Tuple(members));
    if (!all) return false;
    const auto count = static_cast<std::size_t>(PyTuple_GET_SIZE(all.get()));
    const ObjectPlan** const made = arena_.make<const ObjectPlan*>(count);
    if (!made) return false;
    plan.member_count = static_cast<std::uint32_t>(count);
    for (std::size_t i = 0; i < count; ++i)
        if (!(made[i] = object_plan(PyTuple_GET_ITEM(all.get(), static_cast<Py_ssize_t>(i))))) return false;
    plan.members = made;
    if (rest && !PyLong_Check(rest) && !(plan.dict_member = object_plan(rest))) return false;
    plan.tags = tags;
    plan.keys = keys;
    if (!plan.deciding_name || !tags) return true;
    PyObject **names, **indexes;
    std::size_t tag_count;
    if (!items_of(tags, names, indexes, tag_count)) return false;
    return set_raw_name(plan) && fill_tag_table(names, indexes, tag_count, plan.tag_texts);
}

bool Compiler::set_raw_name(ObjectPlan& plan) noexcept {
    PyObject* const name = plan.deciding_name;
    const auto n = static_cast<std::size_t>(PyUnicode_GET_LENGTH(name));
    if (!PyUnicode_IS_COMPACT_ASCII(name) || n + 1 > kReadSlack) return true;
    const auto* const text = static_cast<const std::uint8_t*>(PyUnicode_DATA(name));
    for (std::size_t i = 0; i < n; ++i)
        if (text[i] < 0x20 || text[i] == '"' || text[i] == '\\') return true;
    auto* const raw = arena_.make<std::uint8_t>(kReadSlack);
    if (!raw) return false;
    std::memcpy(raw, text, n);
    raw[n] = '"';
    plan.deciding_raw = raw;
    plan.deciding_raw_len = static_cast<std::uint32_t>(n + 1);
    return true;
}

bool Compiler::fill_tag_table(PyObject* const* names, PyObject* const* indexes, std::size_t count, TextTable& table) noexcept {
    PyObject** const texts = arena_.make<PyObject*>(count);
    if (!texts) return false;
    std::size_t n = 0;
    bool are_in_order = true;
    for (std::size_t i = 0; i < count; ++i) {
        if (!PyUnicode_Check(names[i])) continue;
        are_in_order &= PyLong_AsLong(indexes[i]) == static_cast<long>(n);
        texts[n++] = names[i];
    }
    if (PyErr_Occurred()) return false;
    if (!fill_table(texts, n, table)) return false;
    if (are_in_order) return true;
    auto* const entries = const_cast<TextTable::Entry*>(table.entries);
    for (std::uint32_t at = 0; at <= table.mask; ++at) {
        if (!entries[at].text) continue;
        for (std::size_t i = 0; i < count; ++i)
            if (names[i] == texts[entries[at].index]) {
                entries[at].index = static_cast<std::uint32_t>(PyLong_AsLong(indexes[i]));
                break;
            }
    }
    return !PyErr_Occurred();
}

}  // namespace ocior::typed
