// The keywords of the last call of a function, and the options that they were compiled to: most programs give the same keywords again.
#pragma once

#include "encode/options.h"
#include "module/arguments.h"

namespace ocior::module {

// Nothing is kept in free-threaded builds, where one thread would read what another one writes.
class KeptKeywords {
public:
    // The options of a call with the same names and values; null where the last call had others. The caller copies them, because Python
    // code that runs during its call may make another call, which keeps others.
    OCIOR_INLINE const encode::Options* find(const Arguments& arguments) const noexcept {
        if (!names_ || arguments.kwnames != names_ || arguments.positional != 1) return nullptr;
        for (Py_ssize_t k = 0; k < count_; ++k)
            if (arguments.values[1 + k] != values_[k]) return nullptr;
        return &options_;
    }

    // Keeps the options of these arguments, if the same objects will always be compiled to the same options.
    void keep(const Arguments& arguments, const encode::Options& options) noexcept {
        if (!layout::kHasGil || arguments.positional != 1 || arguments.keyword_count() > kMost) return;
        if (options.default_hook || options.item.data || options.key.data || options.indent.text.data) return;
        for (Py_ssize_t k = 0; k < arguments.keyword_count(); ++k)
            if (!is_constant(arguments.values[1 + k]) && !is_tuple_of_str(arguments.values[1 + k])) return;
        clear();
        count_ = arguments.keyword_count();
        for (Py_ssize_t k = 0; k < count_; ++k) values_[k] = new_ref(arguments.values[1 + k]);
        names_ = new_ref(arguments.kwnames);
        options_ = options;
    }

    void clear() noexcept {
        if (!names_) return;
        Py_CLEAR(names_);
        for (Py_ssize_t k = std::exchange(count_, 0); k-- > 0;) Py_DECREF(values_[k]);
    }

private:
    static constexpr Py_ssize_t kMost = 4;

    PyObject* names_ = nullptr;  // owned
    PyObject* values_[kMost];    // owned
    Py_ssize_t count_ = 0;
    encode::Options options_;
};

}  // namespace ocior::module
