#include "py/memory/collector.h"

#include <atomic>

namespace ocior {

std::uint64_t Collector::take_versions() noexcept {
    static std::atomic<std::uint64_t> next = std::uint64_t{1} << 63;  // of the process: its interpreters count each for itself
    return next.fetch_add(kVersions, std::memory_order_relaxed);
}

void Collector::ask_for_collection() noexcept {
    if (!PyGC_IsEnabled()) return;
    PyObject* const object = reinterpret_cast<PyObject*>(PyObject_GC_New(PyListObject, &PyList_Type));
    if (object) PyObject_GC_Del(object);
    else PyErr_Clear();
}

}  // namespace ocior
