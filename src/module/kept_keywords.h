// The keywords of the last calls of a function, and the options that they were compiled to: most programs give few sets of keywords, again
// and again. A class among them (`cls`, `type`) counts as the same one as long as it has not been changed.
#pragma once

#include "base/pool.h"
#include "encode/options.h"
#include "module/arguments.h"
#include "py/attribute.h"

namespace ocior::module {

// Lives in a pool: nobody else changes what a call reads, be it another thread or Python code that runs during the call.
class KeptKeywords {
    static constexpr Py_ssize_t kMost = 4;

public:
    // What the keywords mean.
    struct Compiled {
        encode::Options options;
        // The class among them, an encoder's or one that is written, borrowed: it may have been freed. Null where there is none.
        PyTypeObject* cls = nullptr;
        unsigned class_version = 0;
        bool has_own_default = false;  // `default` of an object of the class is the default hook
    };

private:
    struct Entry {
        PyObject* names[kMost];   // owned, as the values but for the class
        PyObject* values[kMost];
        PyObject* tuple = nullptr;  // in which the names came; null where nothing is kept
        Py_ssize_t count = 0;
        Compiled compiled;
        Owned plans;  // that the options point to

        // Names are interned: others of the same text are not found. A functools.partial puts them into a new tuple for each call.
        OCIOR_INLINE bool is_of(const Arguments& arguments) const noexcept {
            PyObject* const given = arguments.kwnames;
            if (!tuple || (given != tuple && PyTuple_GET_SIZE(given) != count)) return false;
            for (Py_ssize_t k = 0; k < count; ++k)
                if (arguments.values[1 + k] != values[k]) return false;
            for (Py_ssize_t k = 0; k < count && given != tuple; ++k)
                if (PyTuple_GET_ITEM(given, k) != names[k]) return false;
            return OCIOR_LIKELY(!compiled.cls) || type_version(compiled.cls) == compiled.class_version;  // it is given, so it lives
        }
        bool is_owned(PyObject* value) const noexcept { return value != reinterpret_cast<PyObject*>(compiled.cls); }
        void clear() noexcept {
            Py_CLEAR(tuple);
            plans = Owned();
            while (count > 0) {
                --count;
                Py_DECREF(names[count]);
                if (is_owned(values[count])) Py_DECREF(values[count]);
            }
        }
    };

public:
    using Owner = PyObject*;
    bool may_be_nested = false;  // which does not matter here

    explicit KeptKeywords(PyObject* module) noexcept : module_(Owned::borrow(module)) {}
    ~KeptKeywords() {
        for (Entry& entry : entries_) entry.clear();
    }
    void trim() noexcept {}

    // What the keywords of a call with the same names and values mean; null where none of the last calls had these.
    OCIOR_INLINE const Compiled* find(const Arguments& arguments) const noexcept {
        if (arguments.positional == 1 && arguments.kwnames)
            for (const Entry& entry : entries_)
                if (entry.is_of(arguments)) return &entry.compiled;
        return nullptr;
    }

    // Keeps what these arguments were compiled to, if the same objects will always mean the same.
    void keep(const Arguments& arguments, const Compiled& compiled, PyTypeObject* default_type, PyObject* plans) noexcept {
        if (arguments.positional != 1 || !arguments.kwnames || arguments.keyword_count() > kMost) return;
        const encode::Options& options = compiled.options;
        PyObject* const hook = options.default_hook;  // an ocior.Default never changes
        if ((hook && !Py_IS_TYPE(hook, default_type)) || options.item.data || options.key.data || options.indent.text.data) return;
        for (Py_ssize_t k = 0; k < arguments.keyword_count(); ++k) {
            PyObject* const value = arguments.values[1 + k];
            if (value != hook && value != reinterpret_cast<PyObject*>(compiled.cls) && !is_constant(value) && !is_tuple_of_str(value))
                return;
        }
        Entry& entry = entries_[next_++ % kEntries];
        entry.clear();
        entry.compiled = compiled;
        entry.plans = Owned::borrow(plans);
        entry.count = arguments.keyword_count();
        for (Py_ssize_t k = 0; k < entry.count; ++k) {
            entry.names[k] = new_ref(PyTuple_GET_ITEM(arguments.kwnames, k));
            entry.values[k] = arguments.values[1 + k];
            if (entry.is_owned(entry.values[k])) Py_INCREF(entry.values[k]);
        }
        entry.tuple = new_ref(arguments.kwnames);
    }

private:
    static constexpr unsigned kEntries = 4;

    Entry entries_[kEntries];
    unsigned next_ = 0;  // is replaced next
    Owned module_;       // whose state the pool is in
};

using KeptKeywordsPool = Pool<KeptKeywords, !layout::kHasGil>;

}  // namespace ocior::module
