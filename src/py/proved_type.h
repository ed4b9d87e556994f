// A type of another module whose objects are read or made by their layout. The module is not imported for it: the layout is proved when a
// program brings the type for the first time.
#pragma once

#include <atomic>

#include "py/layout.h"

namespace ocior {

class ProvedType {
public:
    ProvedType() noexcept = default;
    ProvedType(const ProvedType&) = delete;
    ProvedType& operator=(const ProvedType&) = delete;
    ~ProvedType() { clear(); }

    // Null until it has been proved.
    OCIOR_INLINE PyTypeObject* get() const noexcept { return type_.load(std::memory_order_relaxed); }

    // Whether `given` is the type. What may be it, by may_be_it(given), is proved by prove(given), which may leave an error set; one that
    // fails, but for want of memory, ends all tries. Sets no error.
    template <typename MayBeIt, typename Prove>
    OCIOR_INLINE bool knows(PyTypeObject* given, MayBeIt may_be_it, Prove prove) noexcept {
        return given == type_.load(std::memory_order_acquire) || learn(given, may_be_it, prove);
    }

    void clear() noexcept { Py_XDECREF(type_.exchange(nullptr)); }

private:
    template <typename MayBeIt, typename Prove>
    OCIOR_NOINLINE bool learn(PyTypeObject* given, MayBeIt may_be_it, Prove prove) noexcept {
        if (is_unknown_ || !may_be_it(given)) return false;
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
