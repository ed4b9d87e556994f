#include "encode/walk/guards.h"

#include "encode/walk/call.h"

namespace ocior::encode {

void Guards::do_not_couple(std::size_t frame) noexcept {
    if (frame >= first_coupled_) first_coupled_ = frame + 1;
}

bool Call::has_fields(PyObject* item) noexcept {
    const auto* const entry = rich == kPlain ? nullptr : context.types.entry_of(Py_TYPE(item), rich);
    return entry && entry->plan.role == Role::kFields && entry->fields && entry->fields.has_places();
}

void Call::keep_utf8(PyObject* str) noexcept {
    Py_ssize_t ignored;
    if (!kMayBeShared) {
        if (!PyUnicode_AsUTF8AndSize(str, &ignored)) PyErr_Clear();
        return;
    }
    Owned& to_keep_utf8 = extras().to_keep_utf8;
    if (!to_keep_utf8) {
        to_keep_utf8 = Owned::steal(PyList_New(0));
        if (!to_keep_utf8) return PyErr_Clear();
        PyObject_GC_UnTrack(to_keep_utf8.get());  // nobody else is to find it, and lock it
    }
    if (PyList_Append(to_keep_utf8.get(), str) != 0) PyErr_Clear();
}

PyObject* Call::keep_value(const Fields& fields, PyObject* instance) noexcept {
    if (!kMayBeShared || !context.kept.has_room()) return nullptr;
    Owned value =
        fields.with_first_value(instance, [](PyObject* found) { return found && is_plain_scalar(found) ? Owned::borrow(found) : Owned(); });
    PyObject* const kept = value.get();
    if (kept) context.kept.keep(std::move(value));
    return kept;
}

}  // namespace ocior::encode
