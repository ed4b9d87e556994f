// The keywords of the last calls of a function, and the options that they were compiled to: most programs give few sets of keywords, again
// and again.
#pragma once

#include "encode/options.h"
#include "module/arguments.h"

namespace ocior::module {

// Nothing is kept in free-threaded builds, where one thread would read what another one writes.
class KeptKeywords {
    static constexpr Py_ssize_t kMost = 4;

    struct Entry {
        PyObject* names[kMost];   // owned, as the values
        PyObject* values[kMost];
        PyObject* tuple = nullptr;  // in which the names came; null where nothing is kept
        Py_ssize_t count = 0;
        unsigned users = 0;  // calls that read the options
        encode::Options options;

        // Names are interned: others of the same text are not found. A functools.partial puts them into a new tuple for each call.
        OCIOR_INLINE bool is_of(const Arguments& arguments) const noexcept {
            PyObject* const given = arguments.kwnames;
            if (!tuple || (given != tuple && PyTuple_GET_SIZE(given) != count)) return false;
            for (Py_ssize_t k = 0; k < count; ++k)
                if (arguments.values[1 + k] != values[k]) return false;
            for (Py_ssize_t k = 0; k < count && given != tuple; ++k)
                if (PyTuple_GET_ITEM(given, k) != names[k]) return false;
            return true;
        }
        void clear() noexcept {
            Py_CLEAR(tuple);
            while (count > 0) {
                --count;
                Py_DECREF(names[count]);
                Py_DECREF(values[count]);
            }
        }
    };

public:
    // The options of a call with the same names and values, for as long as this lives: Python code that runs during the call may make
    // others, which keep theirs.
    class Found {
    public:
        explicit OCIOR_INLINE Found(Entry* entry) noexcept : entry_(entry) {
            if (entry) ++entry->users;
        }
        OCIOR_INLINE ~Found() {
            if (entry_) --entry_->users;
        }
        Found(const Found&) = delete;
        Found& operator=(const Found&) = delete;

        // False where none of the last calls had these.
        explicit operator bool() const noexcept { return entry_ != nullptr; }
        const encode::Options& options() const noexcept { return entry_->options; }

    private:
        Entry* entry_;
    };

    OCIOR_INLINE Found find(const Arguments& arguments) noexcept {
        if (layout::kHasGil && arguments.positional == 1 && arguments.kwnames)
            for (Entry& entry : entries_)
                if (entry.is_of(arguments)) return Found(&entry);
        return Found(nullptr);
    }

    // Keeps the options of these arguments, if the same objects will always be compiled to the same options.
    void keep(const Arguments& arguments, const encode::Options& options, PyTypeObject* default_type) noexcept {
        if (!layout::kHasGil || arguments.positional != 1 || !arguments.kwnames || arguments.keyword_count() > kMost) return;
        PyObject* const hook = options.default_hook;  // an ocior.Default never changes
        if ((hook && !Py_IS_TYPE(hook, default_type)) || options.item.data || options.key.data || options.indent.text.data) return;
        for (Py_ssize_t k = 0; k < arguments.keyword_count(); ++k)
            if (arguments.values[1 + k] != hook && !is_constant(arguments.values[1 + k]) && !is_tuple_of_str(arguments.values[1 + k]))
                return;
        Entry& entry = entries_[next_++ % kEntries];
        if (entry.users) return;
        entry.clear();
        entry.count = arguments.keyword_count();
        for (Py_ssize_t k = 0; k < entry.count; ++k) {
            entry.names[k] = new_ref(PyTuple_GET_ITEM(arguments.kwnames, k));
            entry.values[k] = new_ref(arguments.values[1 + k]);
        }
        entry.tuple = new_ref(arguments.kwnames);
        entry.options = options;
    }

    void clear() noexcept {
        for (Entry& entry : entries_) entry.clear();
    }

private:
    static constexpr unsigned kEntries = 4;

    Entry entries_[kEntries];
    unsigned next_ = 0;  // is replaced next
};

}  // namespace ocior::module
