// A type of another module whose objects are read or made by their layout. The module is not imported for it: the layout is proved when a
// program brings the type for the first time.
#pragma once

#include <atomic>
#include <cstring>

#include "py/attribute.h"
#include "py/tricks.h"

namespace ocior {

class ProvedType {
public:
    ProvedType() noexcept = default;
    ProvedType(const ProvedType&) = delete;
    ProvedType& operator=(const ProvedType&) = delete;
    ~ProvedType() { clear(); }

    // Null until it has been proved.
    OCIOR_INLINE PyTypeObject* get() const noexcept { return type_.load(std::memory_order_relaxed); }

    // Whether `given`, which may be any object, is the type of this name. An unchangeable type (none that Python code has made is) which is
    // called so, and of which has_form(type) holds, is proved by prove(type), which may leave an error set; one that fails, but for want of
    // memory, ends all tries. Sets no error.
    template <typename HasForm, typename Prove>
    bool knows(const Tricks& tricks, PyObject* given, const char* name, HasForm has_form, Prove prove) noexcept {
        auto* const type = reinterpret_cast<PyTypeObject*>(given);
        if (type == type_.load(std::memory_order_acquire)) return true;
        if (!tricks.direct_scalars || is_unknown_ || !Py_IS_TYPE(given, &PyType_Type) || !has_form(type)) return false;
        return is_unchangeable(type) && std::strcmp(type->tp_name, name) == 0 && learn(type, prove);
    }

    void clear() noexcept { Py_XDECREF(type_.exchange(nullptr)); }

private:
    template <typename Prove>
    bool learn(PyTypeObject* given, Prove prove) noexcept {
        if (!prove(given)) {
            is_unknown_ = !PyErr_Occurred() || !PyErr_ExceptionMatches(PyExc_MemoryError);
            return PyErr_Clear(), false;
        }
        PyTypeObject* expected = nullptr;
        Py_INCREF(given);
        if (type_.compare_exchange_strong(expected, given)) return true;
        Py_DECREF(given);
        return expected == given;  // another thread was faster
    }

    std::atomic<PyTypeObject*> type_ = nullptr;  // owned
    std::atomic<bool> is_unknown_ = false;       // it has another layout
};

}  // namespace ocior
