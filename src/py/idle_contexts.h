// What the garbage collector is told of a pool's idle contexts (base/pool.h).
#pragma once

#include "py/ref.h"

namespace ocior {

// Visits the module that owns the pool once for each idle context, since each of these owns a reference to it. Contexts in use are what
// keeps the module alive in a call, whatever Python code does there.
template <typename Pool>
int visit_idle(const Pool& pool, PyObject* module, visitproc visit, void* arg) noexcept {
    for (std::size_t idle = pool.idle_count(); idle > 0; --idle) Py_VISIT(module);
    return 0;
}

}  // namespace ocior
