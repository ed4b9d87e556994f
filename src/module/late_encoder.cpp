#include "module/late_encoder.h"

#include <cstddef>

#include "module/encoder.h"
#include "module/level.h"
#include "py/attribute.h"
#include "py/heap_type.h"

namespace ocior::module {
namespace {

// Refers to no object, so the garbage collector does not know it, and nobody can find it.
struct LateDefault {
    PyObject_HEAD vectorcallfunc call;
    LateEncoder* encoder;
};

PyObject* call_late_default(PyObject* self, PyObject* const* values, std::size_t, PyObject*) noexcept {
    return reinterpret_cast<LateDefault*>(self)->encoder->call_default(values[0]);
}

void dealloc_late_default(PyObject* self) noexcept {
    PyTypeObject* const type = Py_TYPE(self);
    type->tp_free(self);
    Py_DECREF(type);
}

PyMemberDef late_default_members[] = {
    {"__vectorcalloffset__", T_PYSSIZET, offsetof(LateDefault, call), READONLY, nullptr},
    {nullptr, 0, 0, 0, nullptr},
};

PyType_Slot late_default_slots[] = {
    {Py_tp_dealloc, reinterpret_cast<void*>(dealloc_late_default)},
    {Py_tp_call, reinterpret_cast<void*>(PyVectorcall_Call)},
    {Py_tp_members, late_default_members},
    {0, nullptr},
};

}  // namespace

PyObject* make_late_default_type(PyObject* module) noexcept {
    return make_type(module, OCIOR_MODULE_NAME ".LateDefault", sizeof(LateDefault),
                     Py_TPFLAGS_HAVE_VECTORCALL | Py_TPFLAGS_DISALLOW_INSTANTIATION, late_default_slots);
}

LateEncoder::LateEncoder(State& state, PyObject* module, const Arguments& lent, const EncodeFunction& function) noexcept
    : state_(state), arguments_(module, lent), function_(function) {
    if (!arguments_) return;
    const JsonEncoding& json = state.json_encoding;
    (void)sort_arguments(arguments_, json.names, slots_);
    make_ = cls()->tp_new;
    of_class_ = find_in_class(cls(), json.names.interned[kDefault]);
    auto* const type = reinterpret_cast<PyTypeObject*>(state.late_default_type);
    if (!type) {
        (void)refuse_late_call();
        return;
    }
    if (of_class_) hook_ = Owned::steal(type->tp_alloc(type, 0));
    else PyErr_SetObject(PyExc_AttributeError, json.names.interned[kDefault]);  // another thread has taken it away
    if (!hook_) return;
    auto* const hook = reinterpret_cast<LateDefault*>(hook_.get());
    hook->call = call_late_default;
    hook->encoder = this;
}

PyObject* LateEncoder::call_default(PyObject* value) noexcept {
    if (!default_) {
        PyObject* slots[kEncodeSlots] = {};
        for (const EncodeSlot slot : kEncoderSlots) slots[slot] = slots_[slot] ? slots_[slot] : function_.default_of(slot);
        Owned separators;
        if (function_.defaults.spacing == encode::Spacing::kCompact && slots[kIndent] == Py_None && slots[kSeparators] == Py_None) {
            separators = compact_separators();
            if (!separators) return nullptr;
            slots[kSeparators] = separators.get();
        }
        const Owned encoder = new_plain_encoder(state_, cls(), make_, slots);
        if (!encoder) return nullptr;
        const descrgetfunc bind = Py_TYPE(of_class_.get())->tp_descr_get;
        PyObject* const type = reinterpret_cast<PyObject*>(cls());
        default_ = bind ? Owned::steal(bind(of_class_.get(), encoder.get(), type)) : Owned::borrow(of_class_.get());
        if (!default_) return nullptr;
    }
    return PyObject_CallOneArg(default_.get(), value);
}

}  // namespace ocior::module
