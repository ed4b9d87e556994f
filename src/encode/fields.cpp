#include "encode/fields.h"

#include <algorithm>

#include "encode/look.h"
#include "py/str.h"

namespace ocior::encode {

bool Fields::set(const Tricks& tricks, PyTypeObject* type, PyObject* names, Form* form) noexcept {
    if (!set_names(tricks, type, names)) return Form::let_go(form), false;
    form_ = form;
    if (!has_places() && count() != 0 && type->tp_getattro == PyObject_GenericGetAttr && !find_in_dict(tricks, type)) return true;
    if (has_places() && !(form && form->has_dumps)) make_key_texts();
    return true;
}

bool Fields::set_one(const Tricks& tricks, PyTypeObject* type, PyObject* name) noexcept {
    const Owned names = Owned::steal(PyTuple_Pack(1, name));
    if (names) return set_names(tricks, type, names.get());
    return forget_error(), false;
}

bool Fields::set_names(const Tricks& tricks, PyTypeObject* type, PyObject* names) noexcept {
    clear();
    names_ = new_ref(names);
    if (count() == 0 || type->tp_getattro != PyObject_GenericGetAttr) return true;
    offsets_ = static_cast<std::uint16_t*>(PyMem_Malloc(count() * sizeof *offsets_));
    if (!offsets_) return clear(), false;
    if (!find_members(type) && !(tricks.inline_values && find_inline(type))) PyMem_Free(std::exchange(offsets_, nullptr));
    return true;
}

bool Fields::set_whole(const Tricks& tricks, PyTypeObject* type, PyObject* names, std::uint32_t flags) noexcept {
    clear();
    layout::KeysTable* const table = layout::shared_keys_table(type);
    const Owned dict = find_in_class(type, "__dict__");
    const bool has_usual_dict = dict && Py_IS_TYPE(dict.get(), &PyGetSetDescr_Type) && type->tp_getattro == PyObject_GenericGetAttr;
    const bool may_read = layout::kMayReadInlineValues && tricks.inline_values && table && has_usual_dict;
    // Without places in the order of the fields, else in that in which the first instances have set them.
    constexpr std::size_t kMostPlaces = 256;
    PyObject* in_order[kMostPlaces] = {};
    const Py_ssize_t most = may_read ? kMostPlaces : PyTuple_GET_SIZE(names);
    std::uint8_t places[kMostPlaces];
    std::size_t count = 0;
    for (Py_ssize_t i = 0; may_read && i < PyTuple_GET_SIZE(names); ++i) {
        PyObject* const name = PyTuple_GET_ITEM(names, i);
        if (const int slot = layout::place_in_shared_table(table, name); slot >= 0) in_order[slot] = name;
    }
    const Owned written = Owned::steal(PyList_New(0));
    if (!written) return forget_error(), false;
    for (Py_ssize_t i = 0; i < most; ++i) {
        PyObject* const name = may_read ? in_order[i] : PyTuple_GET_ITEM(names, i);
        if (!name) continue;
        if (may_read) places[count++] = static_cast<std::uint8_t>(i);
        if (!is_left_out_as_private(name, flags) && PyList_Append(written.get(), name) < 0) return forget_error(), false;
    }
    if (!(names_ = PyList_AsTuple(written.get()))) return forget_error(), false;
    if (!may_read || this->count() == 0) return true;
    offsets_ = static_cast<std::uint16_t*>(PyMem_Malloc(this->count() * sizeof *offsets_));
    order_ = static_cast<std::uint8_t*>(PyMem_Malloc(count));
    if (!offsets_ || !order_) return clear(), false;
    std::memcpy(order_, places, count);
    order_length_ = static_cast<std::uint8_t>(count);
    if (find_inline(type)) return make_key_texts(), true;
    PyMem_Free(std::exchange(offsets_, nullptr));
    PyMem_Free(std::exchange(order_, nullptr));
    least_values_ = 0;
    return true;
}

void Fields::make_key_texts() noexcept {
    PyObject* const tag = form_ ? form_->tag_name.get() : nullptr;
    const std::size_t last = count(), n_texts = last + (tag != nullptr);
    const auto name_of = [&](std::size_t i) { return i == last ? tag : key(i); };
    for (std::size_t i = 0; i < n_texts; ++i) {
        PyObject* const name = name_of(i);
        const auto n = static_cast<std::size_t>(PyUnicode_GET_LENGTH(name));
        const std::uint8_t* const text = n + 2 <= KeyText::kMost && is_compact_ascii(name) ? ascii_data(name) : nullptr;
        const auto is_plain = [](std::uint8_t unit) { return unit >= ' ' && unit < 0x7F && unit != '"' && unit != '\\'; };
        if (!text || !std::all_of(text, text + n, is_plain)) return;
    }
    key_texts_ = static_cast<KeyText*>(PyMem_Calloc(n_texts, sizeof *key_texts_));
    for (std::size_t i = 0; key_texts_ && i < n_texts; ++i) {
        const auto n = static_cast<std::size_t>(PyUnicode_GET_LENGTH(name_of(i)));
        KeyText& key = key_texts_[i];
        key.text[0] = key.text[n + 1] = '"';
        std::memcpy(key.text + 1, ascii_data(name_of(i)), n);
        key.length = static_cast<std::uint8_t>(n + 2);
    }
}

// Classes with more attributes than instances keep values for: what is set is in the instance's dict, as a rule in the order of the fields.
bool Fields::find_in_dict(const Tricks& tricks, PyTypeObject* type) noexcept {
    if (!tricks.inline_values || !tricks.keys_table || !layout::has_dict_in_instances(type)) return false;
    if (count() > UINT16_MAX / sizeof(layout::StrEntry) - 1) return false;
    for (std::size_t i = 0; i < count(); ++i) {
        const Owned of_class = find_in_class(type, name(i));
        if (of_class && Py_TYPE(of_class.get())->tp_descr_set) return false;
    }
    offsets_ = static_cast<std::uint16_t*>(PyMem_Malloc(count() * sizeof *offsets_));
    for (std::size_t i = 0; offsets_ && i < count(); ++i)
        offsets_[i] = static_cast<std::uint16_t>(i * sizeof(layout::StrEntry) + offsetof(layout::StrEntry, value));
    if (!offsets_) return false;
    least_values_ = UINT16_MAX;
    return are_in_dict_ = true;
}

const char* Fields::place_in_dict(PyObject* instance) const noexcept {
    PyObject* const dict = layout::dict_in_instance(instance);
    layout::KeysTable* const table = dict && PyDict_CheckExact(dict) ? layout::combined_str_table(dict) : nullptr;
    const std::size_t n = count();
    if (!table || static_cast<std::size_t>(table->entry_count) < n) return nullptr;
    const layout::StrEntry* const entries = layout::str_entries(table);
    std::uintptr_t differences = 0;  // without a branch for each
    for (std::size_t i = 0; i < n; ++i)
        differences |= reinterpret_cast<std::uintptr_t>(entries[i].key) ^ reinterpret_cast<std::uintptr_t>(name(i));
    return differences ? nullptr : reinterpret_cast<const char*>(entries);
}

bool Fields::find_inline(PyTypeObject* type) noexcept {
    layout::KeysTable* const table = layout::shared_keys_table(type);
    if (!layout::kMayReadInlineValues || !table) return false;
    for (std::size_t i = 0; i < count(); ++i) {
        const int slot = layout::place_in_shared_table(table, name(i));
        // What a class has of this name may be asked before the instance.
        const Owned of_class = find_in_class(type, name(i));
        if (slot < 0 || (of_class && Py_TYPE(of_class.get())->tp_descr_set)) return false;
        offsets_[i] = static_cast<std::uint16_t>(static_cast<std::size_t>(slot) * sizeof(PyObject*));
        least_values_ = std::max(least_values_, static_cast<std::uint16_t>(slot + 1));
    }
    return true;
}

bool Fields::find_members(PyTypeObject* type) noexcept {
    for (std::size_t i = 0; i < count(); ++i) {
        const Owned of_class = find_in_class(type, name(i));
        const std::size_t offset = of_class ? layout::member_offset(type, of_class.get()) : 0;
        if (offset == 0 || offset > UINT16_MAX) return false;
        offsets_[i] = static_cast<std::uint16_t>(offset);
    }
    return true;
}

void Fields::clear() noexcept {
    Py_CLEAR(names_);
    PyMem_Free(std::exchange(offsets_, nullptr));
    PyMem_Free(std::exchange(key_texts_, nullptr));
    PyMem_Free(std::exchange(order_, nullptr));
    Form::let_go(std::exchange(form_, nullptr));
    least_values_ = 0;
    are_in_dict_ = false;
}

}  // namespace ocior::encode
