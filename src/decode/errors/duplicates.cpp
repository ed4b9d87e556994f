#include "decode/errors/duplicates.h"

#include "decode/strings.h"

namespace ocior::decode {
namespace {

// The unit behind the closing quote of the string whose text starts at `p`. The string has such a quote.
template <typename Unit>
const Unit* behind_string(const Unit* p) noexcept {
    for (; *p != '"'; ++p)
        if (*p == '\\') ++p;
    return p + 1;
}

// The bracket that the one at `last` closes; null when out of memory.
template <typename Unit>
const Unit* opening_of(const Unit* p, const Unit* last) noexcept {
    Stack<const Unit*> open;
    std::size_t depth = 0;
    while (p != last) {
        const Unit unit = *p++;
        if (unit == '"') {
            p = behind_string(p);
        } else if (unit == '[' || unit == '{') {
            if (!open.reserve(depth + 1)) return nullptr;
            open.data()[depth++] = p - 1;
        } else if (unit == ']' || unit == '}') {
            --depth;
        }
    }
    return open.data()[depth - 1];
}

}  // namespace

template <typename Source>
OCIOR_COLD const typename Source::Unit* find_second_key(PyCall<Source>& call, const typename Source::Unit* first,
                                                        const typename Source::Unit* last) noexcept {
    const auto* p = opening_of(first, last);
    const Owned seen = p ? Owned::steal(PySet_New(nullptr)) : Owned();
    if (!seen) return call.fail_python(last).next;
    std::size_t depth = 0;
    bool is_key = false;  // what comes next at the depth of the object's members
    while (p != last) {
        const auto unit = *p++;
        if (unit == '"' && depth == 1 && is_key) {
            const auto read = read_any_string(call, p);
            const Owned key = Owned::steal(read.object);
            const Py_ssize_t count = PySet_GET_SIZE(seen.get());
            if (!key) return read.next;
            if (PySet_Add(seen.get(), key.get()) < 0) return call.fail_python(last).next;
            if (PySet_GET_SIZE(seen.get()) == count) return p - 1;
            p = read.next;
            is_key = false;
        } else if (unit == '"') {
            p = behind_string(p);
        } else if (unit == '[' || unit == '{') {
            is_key = ++depth == 1;
        } else if (unit == ']' || unit == '}') {
            --depth;
        } else if (unit == ',') {
            is_key = true;
        }
    }
    return last;
}

#define OCIOR_INSTANTIATE(Source) \
    template const Source::Unit* find_second_key<Source>(PyCall<Source>&, const Source::Unit*, const Source::Unit*) noexcept;
OCIOR_FOR_EACH_SOURCE(OCIOR_INSTANTIATE)
#undef OCIOR_INSTANTIATE

}  // namespace ocior::decode
