// The names of another library, as its module has them: a dict that the core carries for ocior.compat.
#pragma once

#include "py/ref.h"

namespace ocior::compat {

class Facade {
public:
    // `name` is the library's. Functions and classes say that they are of ocior.compat, where pickle finds them.
    explicit Facade(const char* name) noexcept
        : name_(name), names_(Owned::steal(PyDict_New())), module_name_(Owned::steal(PyUnicode_FromFormat("ocior.compat.%s", name))) {}

    // Takes over `made`. False with an error set.
    [[nodiscard]] bool add(const char* name, PyObject* made) noexcept {
        const Owned owned = Owned::steal(made);
        return owned && names_ && PyDict_SetItemString(names_.get(), name, owned.get()) == 0;
    }
    // The table stays where it is for ever.
    template <std::size_t n>
    [[nodiscard]] bool add(PyObject* module, PyMethodDef (&functions)[n]) noexcept {
        for (PyMethodDef& function : functions)
            if (!module_name_ || !add(function.ml_name, PyCFunction_NewEx(&function, module, module_name_.get()))) return false;
        return true;
    }
    // `attribute`: the module's, where that is not the library's name.
    [[nodiscard]] bool finish(PyObject* module, const char* attribute = nullptr) noexcept {
        return PyModule_AddObjectRef(module, attribute ? attribute : name_, names_.get()) == 0;
    }

private:
    const char* name_;
    Owned names_, module_name_;
};

}  // namespace ocior::compat
