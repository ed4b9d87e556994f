// Private knowledge of CPython that this interpreter may use: compiled in by version, proved by a self-test at import, each with a name by
// which OCIOR_TRICKS in the environment switches it off ("-pool_blocks,-keys_table"; "0": all). Read by decode/ and encode/, shown by
// get_current_features().
#pragma once

#include "py/ref.h"

namespace ocior {

struct Generation;

struct Tricks {
    bool direct_scalars = false;   // str, int and float objects are written from their layout
    bool keys_table = false;       // dict entries are read, and templates overwritten, in place
    bool list_items = false;       // a list's item array is planted as one block
    bool utf8_forms = false;       // a str is given the UTF-8 form that we made of it
    bool inline_values = false;    // the attributes of instances are read from behind these
    bool key_order = false;        // the order of the keys of an OrderedDict is read from its own list of them
    bool pool_blocks = false;      // small objects are blocks taken from the pools of pymalloc
    bool page_blocks = false;      // without a GIL, they are blocks taken from the pages of mimalloc
    bool allocator_table = false;  // whether these serve is read in `allocators`, without a lock
    bool container_headers = false;  // lists and dicts are made by hand, and the garbage collector is told of them
    bool huge_pages = false;       // arenas of small objects are halves of huge pages while a large document is decoded

    void* (*mallocs[2])(void*, std::size_t) = {};  // CPython's own allocators of its domains "mem" and "object", if these serve
    const PyMemAllocatorEx* allocators = nullptr;  // where CPython keeps those that serve now
    std::size_t slices_offset = 0;                 // where in a segment of mimalloc that is which is known of its slices

    Generation* youngest = nullptr;                   // the collector's list of new objects, if containers are made by hand,
    std::size_t count_offset = 0;                     // where in a thread's state its count of them is, without a GIL,
    PyDictKeysObject* no_keys = nullptr;              // and the table of an empty dict, which never goes away

    // Runs the self-tests. Never fails: what cannot be proved stays off. Other interpreters and threads are at work meanwhile, so a
    // self-test touches nothing that they may use.
    void probe() noexcept;

    // A dict of all names, with True for what is used. Empty with an error set.
    Owned as_dict() const noexcept;
};

}  // namespace ocior
