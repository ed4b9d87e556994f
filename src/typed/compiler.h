// How a Plan is made of the Nodes of hints.py. All of it is cold: a decoder does it once.
#pragma once

#include "py/attribute.h"
#include "py/str.h"
#include "typed/plan.h"

namespace ocior::typed {

// Functions that return a pointer return null with an error set; those that return a bool return false.
class Compiler {
public:
    Compiler(const Tricks& tricks, Plan& plan) noexcept : tricks_(tricks), plan_(plan), arena_(plan.arena) {}

    [[nodiscard]] bool run() noexcept;

private:
    static Owned attribute_of(const char* module_name, const char* name) noexcept {
        const Owned module = Owned::steal(PyImport_ImportModule(module_name));
        return module ? get_attribute(module.get(), name) : Owned();
    }

    struct Link {
        Node* copy;
        const Node* original;
        const Link* previous;
    };

    // The array of a class's fields, which may be part of one of these: then they are not known yet.
    struct LateArray {
        ArrayPlan* array;
        const LateArray* previous;
    };

    // The attribute of that name, borrowed: its owner, a part of hints.py's description, keeps it. Null with an error set.
    PyObject* get(PyObject* object, const char* name) noexcept {
        const Owned found = get_attribute(object, name);
        return found && PyList_Append(plan_.kept.get(), found.get()) == 0 ? found.get() : nullptr;
    }

    // As get(), and null without an error for None.
    [[nodiscard]] bool get_optional(PyObject* object, const char* name, PyObject*& to) noexcept {
        to = get(object, name);
        if (to == Py_None) to = nullptr;
        return !PyErr_Occurred();
    }

    [[nodiscard]] bool get_flag(PyObject* object, const char* name, bool& flag) noexcept {
        PyObject* const found = get(object, name);
        const int truth = found ? PyObject_IsTrue(found) : -1;
        flag = truth > 0;
        return truth >= 0;
    }

    [[nodiscard]] bool get_index(PyObject* object, const char* name, std::int32_t& index) noexcept {
        PyObject* const found = get(object, name);
        const long value = found ? PyLong_AsLong(found) : -1;
        index = static_cast<std::int32_t>(value);
        return !(value == -1 && PyErr_Occurred());
    }

    bool is_text(PyObject* object, const char* text) noexcept {
        return PyUnicode_Check(object) && PyUnicode_CompareWithASCIIString(object, text) == 0;
    }

    [[nodiscard]] bool form_of(PyObject* name, Form& form) noexcept;

    [[nodiscard]] bool get_form(PyObject* object, const char* name, Form& form) noexcept {
        PyObject* const found = get(object, name);
        return found && form_of(found, form);
    }

    PyObject* keep(PyObject* owned) noexcept {
        const Owned hold = Owned::steal(owned);
        return owned && PyList_Append(plan_.kept.get(), owned) == 0 ? owned : nullptr;
    }

    [[nodiscard]] bool bounds(PyObject* limits, Bounds& to) noexcept {
        const Owned all = Owned::steal(PySequence_Tuple(limits));
        if (!all) return false;
        PyObject** const slots[] = {&to.gt, &to.ge, &to.lt, &to.le, &to.multiple_of};
        for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(all.get()) && i < 5; ++i)
            if (PyObject* const one = PyTuple_GET_ITEM(all.get(), i); one != Py_None && !(*slots[i] = keep(new_ref(one)))) return false;
        if (to.multiple_of) plan_.runs_python = true;
        return true;
    }

    [[nodiscard]] bool length(PyObject* given, Py_ssize_t& to) noexcept {
        if (!given || given == Py_None) return true;
        to = PyLong_AsSsize_t(given);
        return !(to == -1 && PyErr_Occurred());
    }

    [[nodiscard]] bool lengths(PyObject* object, Lengths& to) noexcept {
        PyObject *least, *most;
        return get_optional(object, "min_length", least) && get_optional(object, "max_length", most) && length(least, to.least) &&
               length(most, to.most);
    }

    template <typename T>
    [[nodiscard]] bool find_made(PyObject* source, const T*& found) noexcept {
        found = nullptr;
        const Owned key = Owned::steal(PyLong_FromVoidPtr(source));
        PyObject* const made = key ? PyDict_GetItemWithError(made_.get(), key.get()) : nullptr;
        if (made) found = static_cast<const T*>(PyLong_AsVoidPtr(made));
        return !PyErr_Occurred();
    }

    [[nodiscard]] bool note_made(PyObject* source, const void* made) noexcept {
        const Owned key = Owned::steal(PyLong_FromVoidPtr(source)), value = Owned::steal(PyLong_FromVoidPtr(const_cast<void*>(made)));
        return key && value && PyDict_SetItem(made_.get(), key.get(), value.get()) == 0;
    }

    // Null with an error set, as all that follow.
    const Node* node(PyObject* source) noexcept;

    [[nodiscard]] bool fill(PyObject* source, Node& node) noexcept;

    static bool has_hooks(const Details& details) noexcept {
        for (PyObject* const hook : details.hooks)
            if (hook) return true;
        return false;
    }

    static bool has_any(const Details& details) noexcept {
        return details.numbers.are_any() || details.times.are_any() || details.str_lengths.are_any() || details.byte_lengths.are_any() ||
               details.pattern || details.needs_offset >= 0 || details.string_class || details.model || has_hooks(details);
    }

    [[nodiscard]] bool fill_details(PyObject* source, Details& details) noexcept;

    [[nodiscard]] bool fill_table(PyObject* const* names, std::size_t count, TextTable& table) noexcept;

    // The keys and values of a dict, kept, in arrays of the arena.
    [[nodiscard]] bool items_of(PyObject* dict, PyObject**& keys, PyObject**& values, std::size_t& count) noexcept;

    [[nodiscard]] bool fill_choices(PyObject* source, Node& node) noexcept;

    void set_plain(Node& node, const Details& details, bool null, bool boolean) noexcept;

    const ArrayPlan* array_plan(PyObject* source) noexcept;

    [[nodiscard]] bool fill_class_array(ArrayPlan& plan) noexcept;

    // A copy of each of the nodes, linked, and behind them one that takes anything, which stands for what is too many.
    template <typename NodeAt>
    const Node* chain(std::size_t count, NodeAt node_at) noexcept;

    const ObjectPlan* object_plan(PyObject* source) noexcept;

    [[nodiscard]] bool fill_dict(PyObject* source, ObjectPlan& plan) noexcept;

    [[nodiscard]] bool fill_field(PyObject* source, Field& field) noexcept;

    [[nodiscard]] bool fill_class(PyObject* source, ObjectPlan& plan) noexcept;

    // A dict with all keys, to copy, as dict_from_template() has it.
    [[nodiscard]] bool fill_typed_dict(ObjectPlan& plan) noexcept;

    // What stands behind the name of a class's tag: its own value and no other.
    const Node* tag_node(PyObject* value) noexcept;

    [[nodiscard]] bool fill_union(PyObject* source, ObjectPlan& plan) noexcept;

    [[nodiscard]] bool set_raw_name(ObjectPlan& plan) noexcept;

    // As fill_table(), with the indexes given. Tags that are no str are left out.
    [[nodiscard]] bool fill_tag_table(PyObject* const* names, PyObject* const* indexes, std::size_t count, TextTable& table) noexcept;

    const Tricks& tricks_;

    Plan& plan_;

    Arena& arena_;

    Owned nothing_;  // what hints.py has in the place of a default where there is none
    Owned defaultdict_;

    const Link* links_ = nullptr;

    const LateArray* late_arrays_ = nullptr;

    Owned made_;  // dict: the address of a Node or Object of hints.py, and of what was made of it
};

}  // namespace ocior::typed
