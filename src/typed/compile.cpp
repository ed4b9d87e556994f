#include "typed/compiler.h"

namespace ocior::typed {
namespace {

struct FormName {
    const char* name;
    Form form;
};
constexpr FormName kFormNames[] = {
    {"int", Form::kInt},   {"float", Form::kFloat}, {"decimal", Form::kDecimal},     {"bool", Form::kBool}, {"null", Form::kNull},
    {"str", Form::kStr},   {"bytes", Form::kBytes}, {"bytearray", Form::kByteArray}, {"uuid", Form::kUuid}, {"datetime", Form::kDateTime},
    {"date", Form::kDate}, {"time", Form::kTime},   {"timedelta", Form::kTimeDelta}, {"call", Form::kCall},
};

}  // namespace

bool Compiler::form_of(PyObject* name, Form& form) noexcept {
    form = Form::kNone;
    if (PyUnicode_Check(name) && PyUnicode_GET_LENGTH(name) == 0) return true;
    for (const FormName& one : kFormNames)
        if (is_text(name, one.name)) return form = one.form, true;
    return PyErr_Format(PyExc_ValueError, "no form of a scalar: %R", name), false;
}

bool Compiler::run() noexcept {
    made_ = Owned::steal(PyDict_New());
    if (!made_ || !(nothing_ = attribute_of("ocior._typed.hints", "NOTHING")) ||
        !(defaultdict_ = attribute_of("collections", "defaultdict")) || !(plan_.root = node(plan_.source.get())))
        return false;
    for (const LateArray* late = late_arrays_; late; late = late->previous)
        if (!fill_class_array(*late->array)) return false;
    // A type that is part of itself was not whole yet when a copy of it was chained.
    for (const Link* link = links_; link; link = link->previous) {
        const Node* const next = link->copy->next;
        *link->copy = *link->original;
        link->copy->next = next;
    }
    return true;
}

const Node* Compiler::node(PyObject* source) noexcept {
    const Node* known;
    if (!find_made(source, known) || known) return known;
    if (Py_EnterRecursiveCall(" while compiling a type")) return nullptr;
    Node* const made = arena_.make<Node>();
    const bool filled = made && note_made(source, made) && fill(source, *made);
    Py_LeaveRecursiveCall();
    return filled ? made : nullptr;
}

bool Compiler::fill(PyObject* source, Node& node) noexcept {
    node.source = source;
    bool null, boolean;
    PyObject *whole, *strings, *array, *object;
    if (!(node.expected = get(source, "expected")) || !get_flag(source, "null", null) || !get_flag(source, "boolean", boolean) ||
        !get_form(source, "integer", node.integer) || !get_form(source, "real", node.real) || !(whole = get(source, "whole")) ||
        !(strings = get(source, "string")) || !get_optional(source, "array", array) || !get_optional(source, "object", object))
        return false;
    const Owned forms = Owned::steal(PySequence_Tuple(strings));
    if (!forms) return false;
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(forms.get()) && i < 14; ++i)
        if (!form_of(PyTuple_GET_ITEM(forms.get(), i), node.forms[node.form_count++])) return false;
    node.whole = is_text(whole, "any")     ? Whole::kAny
                 : is_text(whole, "raw")   ? Whole::kRaw
                 : is_text(whole, "model") ? Whole::kModel
                                           : Whole::kNo;
    Details details;
    if (!fill_details(source, details) || !fill_choices(source, node)) return false;
    const bool has_details = has_any(details);
    if (has_details) {
        Details* const kept = arena_.make<Details>();
        if (!kept) return false;
        *kept = details;
        node.details = kept;
    }
    set_plain(node, details, null, boolean);
    if (array && !(node.array = array_plan(array))) return false;
    if (object && !(node.object = object_plan(object))) return false;
    if (node.array && node.array->kind == ArrayKind::kList && !node.array->lengths.are_any() && !node.hook(Kind::kArray))
        node.plain |= Node::kList;
    if (node.object && node.object->kind == ObjectKind::kDict && !node.object->lengths.are_any() && !node.hook(Kind::kObject) &&
        !node.object->key && !node.object->factory && node.object->type == reinterpret_cast<PyObject*>(&PyDict_Type))
        node.plain |= Node::kDict;
    // Containers refer to what they hold. What choices and hooks give may be anything.
    node.is_atomic = node.whole == Whole::kNo && !array && !object && !node.choices && !(details.string_class) && !has_hooks(details);
    return true;
}

bool Compiler::fill_details(PyObject* source, Details& details) noexcept {
    PyObject *numbers, *times, *strings, *bytes, *tz, *hooks;
    if (!get_optional(source, "number_limits", numbers) || !get_optional(source, "time_limits", times) ||
        !get_optional(source, "string_limits", strings) || !get_optional(source, "bytes_limits", bytes) ||
        !get_optional(source, "tz", tz) || !get_optional(source, "hooks", hooks) ||
        !get_optional(source, "string_class", details.string_class) || !get_optional(source, "model", details.model))
        return false;
    if ((numbers && !bounds(numbers, details.numbers)) || (times && !bounds(times, details.times))) return false;
    if (strings) {
        const Owned all = Owned::steal(PySequence_Tuple(strings));
        if (!all || PyTuple_GET_SIZE(all.get()) != 3) return false;
        PyObject* const pattern = PyTuple_GET_ITEM(all.get(), 2);
        if (!length(PyTuple_GET_ITEM(all.get(), 0), details.str_lengths.least) ||
            !length(PyTuple_GET_ITEM(all.get(), 1), details.str_lengths.most))
            return false;
        if (pattern != Py_None && !(details.pattern = keep(new_ref(pattern)))) return false;
    }
    if (bytes) {
        const Owned all = Owned::steal(PySequence_Tuple(bytes));
        if (!all || !length(PyTuple_GET_ITEM(all.get(), 0), details.byte_lengths.least) ||
            !length(PyTuple_GET_ITEM(all.get(), 1), details.byte_lengths.most))
            return false;
    }
    if (tz) details.needs_offset = tz == Py_True;
    if (hooks) {
        const Owned all = Owned::steal(PySequence_Tuple(hooks));
        if (!all || PyTuple_GET_SIZE(all.get()) != static_cast<Py_ssize_t>(kKinds)) return false;
        for (std::size_t i = 0; i < kKinds; ++i)
            if (PyObject* const hook = PyTuple_GET_ITEM(all.get(), static_cast<Py_ssize_t>(i));
                hook != Py_None && !(details.hooks[i] = keep(new_ref(hook))))
                return false;
    }
    if (details.pattern || details.string_class || details.model || has_hooks(details)) plan_.runs_python = true;
    return true;
}

bool Compiler::fill_table(PyObject* const* names, std::size_t count, TextTable& table) noexcept {
    std::uint32_t size = 4;
    while (size < 2 * count) size *= 2;
    auto* const entries = arena_.make<TextTable::Entry>(size);
    if (!entries) return false;
    table.mask = size - 1;
    for (std::size_t i = 0; i < count; ++i) {
        PyObject* const name = names[i];
        if (!PyUnicode_IS_COMPACT_ASCII(name) || PyUnicode_GET_LENGTH(name) > static_cast<Py_ssize_t>(TextTable::kMostText)) continue;
        const auto n = static_cast<std::uint32_t>(PyUnicode_GET_LENGTH(name));
        auto* const text = arena_.make<std::uint8_t>(n + kReadSlack);
        if (!text) return false;
        std::memcpy(text, PyUnicode_DATA(name), n);
        std::uint64_t at = TextTable::hash(text, n);
        while (entries[at & table.mask].text) ++at;
        entries[at & table.mask] = {text, n, static_cast<std::uint32_t>(i)};
    }
    table.entries = entries;
    return true;
}

bool Compiler::items_of(PyObject* dict, PyObject**& keys, PyObject**& values, std::size_t& count) noexcept {
    count = static_cast<std::size_t>(PyDict_GET_SIZE(dict));
    keys = arena_.make<PyObject*>(count);
    values = arena_.make<PyObject*>(count);
    if (!keys || !values) return false;
    PyObject *key, *value;
    std::size_t n = 0;
    for (Py_ssize_t at = 0; n < count && PyDict_Next(dict, &at, &key, &value); ++n)
        if (!(keys[n] = keep(new_ref(key))) || !(values[n] = keep(new_ref(value)))) return false;
    count = n;
    return true;
}

bool Compiler::fill_choices(PyObject* source, Node& node) noexcept {
    Choices choices;
    PyObject *words, *missing;
    if (!get_optional(source, "str_choices", choices.strings) || !get_optional(source, "int_choices", choices.integers) ||
        !get_optional(source, "float_choices", choices.floats) || !get_optional(source, "word_choices", words) ||
        !get_optional(source, "missing", missing))
        return false;
    if (missing && PyTuple_Check(missing) && PyTuple_GET_SIZE(missing) > 0) choices.missing = missing, plan_.runs_python = true;
    if (!choices.strings && !choices.integers && !choices.floats && !words && !choices.missing) return true;
    if (words) {
        const char* const names[] = {"false", "null", "true"};
        for (std::size_t i = 0; i < 3; ++i) choices.words[i] = PyDict_GetItemString(words, names[i]);
    }
    if (choices.strings) {
        PyObject **keys, **values;
        std::size_t count;
        if (!items_of(choices.strings, keys, values, count) || !fill_table(keys, count, choices.texts)) return false;
        choices.text_values = values;
    }
    Choices* const kept = arena_.make<Choices>();
    if (!kept) return false;
    *kept = choices;
    node.choices = kept;
    return true;
}

void Compiler::set_plain(Node& node, const Details& details, bool null, bool boolean) noexcept {
    const auto hook = [&](Kind kind) { return details.hooks[static_cast<std::size_t>(kind)] != nullptr; };
    const bool are_words_free = !(node.choices && (node.choices->words[0] || node.choices->words[1] || node.choices->words[2]));
    const bool is_any = node.whole == Whole::kAny;
    if ((null || is_any) && !hook(Kind::kNull) && are_words_free) node.plain |= 1u << grammar::kNull;
    if ((boolean || is_any) && !hook(Kind::kBoolean) && are_words_free) node.plain |= 1u << grammar::kFalse | 1u << grammar::kTrue;
    const bool are_strings_free = !node.choices || (!node.choices->strings && !node.choices->missing);
    const bool is_str = node.form_count == 1 && node.forms[0] == Form::kStr && !details.str_lengths.are_any() && !details.pattern;
    if ((is_str || is_any) && !hook(Kind::kString) && are_strings_free) node.plain |= Node::kString;
    const bool are_numbers_free =
        !details.numbers.are_any() && (!node.choices || (!node.choices->integers && !node.choices->missing && !node.choices->floats));
    if ((node.integer == Form::kInt || is_any) && !hook(Kind::kInteger) && are_numbers_free) node.plain |= Node::kInteger;
    if ((node.real == Form::kFloat || is_any) && !hook(Kind::kReal) && are_numbers_free) node.plain |= Node::kReal;
    if (is_any) node.integer = Form::kInt, node.real = Form::kFloat, node.forms[0] = Form::kStr, node.form_count = 1;
    if (null) node.is_null_taken = true;
    if (boolean) node.is_bool_taken = true;
    if (is_any) node.is_null_taken = node.is_bool_taken = true;
}

bool compile(const Tricks& tricks, PyObject* source, Plan& plan) noexcept {
    plan.source = Owned::borrow(source);
    plan.kept = Owned::steal(PyList_New(0));
    if (!plan.kept || !Compiler(tricks, plan).run()) return false;
    // The garbage collector empties a list that is part of a cycle while code that it calls may still find the decoder; a tuple it does
    // not.
    plan.kept = Owned::steal(PyList_AsTuple(plan.kept.get()));
    return static_cast<bool>(plan.kept);
}

}  // namespace ocior::typed
