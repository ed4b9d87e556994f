#include "py/class_state.h"

#include "py/fetch.h"

namespace ocior {
namespace {

// The classes in which attributes are looked for. Empty where they cannot be had; no error is set.
Owned mro_of(PyTypeObject* type) noexcept {
    if constexpr (layout::kHasGil) return Owned::borrow(type->tp_mro);
    // Another thread may put another tuple there: CPython's own way to read it. (A metaclass may have an attribute of that name.)
    const Owned member = find_in_class(&PyType_Type, "__mro__");
    const descrgetfunc get = member ? Py_TYPE(member.get())->tp_descr_get : nullptr;
    PyObject* const self = reinterpret_cast<PyObject*>(type);
    Owned mro = Owned::steal(get ? get(member.get(), self, reinterpret_cast<PyObject*>(Py_TYPE(type))) : nullptr);
    if (!mro || !PyTuple_Check(mro.get())) return PyErr_Clear(), Owned();
    return mro;
}

// A dict that nobody changes while it is read here: with a GIL the dict itself, else a copy. Empty where there is no memory; no error is
// set.
Owned readable(PyObject* dict) noexcept {
    if (layout::kHasGil || !dict) return Owned::borrow(dict);
    Owned copy = Owned::steal(PyDict_Copy(dict));
    if (!copy) PyErr_Clear();
    return copy;
}

// The dict of a class that Python code may have made, safe to read as readable() makes it.
Owned attributes_of(PyTypeObject* type) noexcept {
#ifdef Py_GIL_DISABLED
    const Owned dict = Owned::steal(PyType_GetDict(type));
    return readable(dict.get());
#else
    return Owned::borrow(type->tp_dict);
#endif
}

// One number that stands for the objects in a dict or tuple, in their order, or for the place of a member of instances. 0 for all other
// values.
std::uintptr_t content_of(const Tricks& tricks, PyObject* value) noexcept {
    // Steps of FNV-1a (Fowler, Noll, Vo), a word at a time.
    constexpr std::uintptr_t kBasis = 0xCBF29CE484222325, kPrime = 0x100000001B3;
    std::uintptr_t hash = kBasis;
    const auto add = [&](PyObject* object) { hash = (hash ^ reinterpret_cast<std::uintptr_t>(object)) * kPrime; };
    if (Py_IS_TYPE(value, &PyMemberDescr_Type))
        return reinterpret_cast<std::uintptr_t>(reinterpret_cast<PyMemberDescrObject*>(value)->d_member);
    if (PyTuple_CheckExact(value)) {
        for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(value); ++i) add(PyTuple_GET_ITEM(value, i));
        return hash;
    }
    if (!PyDict_CheckExact(value)) return 0;
    const Owned dict = readable(value);
    if (!dict) return 0;
    DictRun run(tricks, dict.get(), 0);
    for (PyObject *key, *item; run.next([&] { return dict.get(); }, key, item);) {
        add(key);
        add(item);
    }
    return hash;
}

bool is_alive(PyObject* life, PyTypeObject* type) noexcept {
#ifdef Py_GIL_DISABLED
    PyObject* found = nullptr;
    (void)PyWeakref_GetRef(life, &found);
    const Owned owned = Owned::steal(found);
    return found == reinterpret_cast<PyObject*>(type);
#else
    return reinterpret_cast<PyWeakReference*>(life)->wr_object == reinterpret_cast<PyObject*>(type);
#endif
}

}  // namespace

bool ClassState::note_base(const Tricks& tricks, PyTypeObject* type) noexcept {
    Base& base = bases_[base_count_];
    base = {type, nullptr, type_version(type), attribute_count()};
    ++base_count_;
    if (!PyType_HasFeature(type, Py_TPFLAGS_HEAPTYPE)) return true;
    base.life = PyWeakref_NewRef(reinterpret_cast<PyObject*>(type), nullptr);
    const Owned dict = attributes_of(type);
    if (!base.life || !dict) return PyErr_Clear(), false;
    const std::size_t most = base.end + static_cast<std::size_t>(PyDict_GET_SIZE(dict.get()));
    auto* const grown = static_cast<Attribute*>(PyMem_Realloc(attributes_, most * sizeof *attributes_));
    if (!grown) return false;
    attributes_ = grown;
    DictRun run(tricks, dict.get(), 0);
    for (PyObject *name, *value; base.end < most && run.next([&] { return dict.get(); }, name, value);) {
        if (!PyUnicode_CheckExact(name)) return false;
        attributes_[base.end++] = {new_ref(name), value, Py_TYPE(value), content_of(tricks, value), Weight::kContent};
    }
    return true;
}

bool ClassState::note(const Tricks& tricks, PyTypeObject* type) noexcept {
    clear();
    const Owned mro = mro_of(type);
    if (!mro) return false;
    const Py_ssize_t count = PyTuple_GET_SIZE(mro.get());
    bases_ = static_cast<Base*>(PyMem_Malloc(static_cast<std::size_t>(count) * sizeof *bases_));
    if (!bases_) return false;
    metaclass_ = Py_TYPE(type);
    for (Py_ssize_t i = 0; i < count; ++i) {
        PyObject* const base = PyTuple_GET_ITEM(mro.get(), i);
        if (!PyType_Check(base) || !note_base(tricks, reinterpret_cast<PyTypeObject*>(base))) return clear(), false;
    }
    return count > 0;
}

bool ClassState::has_same_attributes(const Tricks& tricks, const Base& base, std::size_t first) const noexcept {
    const Owned dict = attributes_of(base.type);
    if (!dict) return false;
    DictRun run(tricks, dict.get(), 0);
    const Attribute* noted = attributes_ + first;
    const Attribute* const end = attributes_ + base.end;
    for (PyObject *name, *value; run.next([&] { return dict.get(); }, name, value); ++noted) {
        if (noted == end || noted->name != name) return false;
        if (noted->weight == Weight::kName) continue;
        if (noted->value != value || noted->type != Py_TYPE(value)) return false;
        const bool has_content = noted->weight == Weight::kContent || noted->type == &PyMemberDescr_Type;
        if (has_content && noted->content != content_of(tricks, value)) return false;
    }
    return noted == end;
}

bool ClassState::is_current(const Tricks& tricks, PyTypeObject* type) const noexcept {
    if (base_count_ == 0 || Py_TYPE(type) != metaclass_) return false;
    const Owned mro = mro_of(type);
    if (!mro || PyTuple_GET_SIZE(mro.get()) != static_cast<Py_ssize_t>(base_count_)) return false;
    std::size_t first = 0;
    for (std::size_t i = 0; i < base_count_; first = bases_[i++].end) {
        const Base& base = bases_[i];
        if (PyTuple_GET_ITEM(mro.get(), static_cast<Py_ssize_t>(i)) != reinterpret_cast<PyObject*>(base.type)) return false;
        if (!base.life || (base.version != 0 && type_version(base.type) == base.version)) continue;
        if (!is_alive(base.life, base.type) || !has_same_attributes(tricks, base, first)) return false;
    }
    return true;
}

void ClassState::clear() noexcept {
    for (std::size_t i = 0; i < attribute_count(); ++i) Py_DECREF(attributes_[i].name);
    for (std::size_t i = 0; i < base_count_; ++i) Py_XDECREF(bases_[i].life);
    base_count_ = 0;
    PyMem_Free(std::exchange(bases_, nullptr));
    PyMem_Free(std::exchange(attributes_, nullptr));
}

}  // namespace ocior
