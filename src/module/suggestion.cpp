#include "module/suggestion.h"

#include <algorithm>

#include "py/attribute.h"
#include "py/taken_error.h"

namespace ocior::module {
namespace {

constexpr std::size_t kLongest = 40;  // of names and of what may be like one
constexpr std::size_t kMove = 2, kCase = 1;  // costs of a character more, less or changed, and of one in the other case, as in CPython

std::size_t cost_of_change(Py_UCS4 from, Py_UCS4 to) noexcept {
    if (from == to) return 0;
    return from < 0x80 && to < 0x80 && Py_TOLOWER(from) == Py_TOLOWER(to) ? kCase : kMove;
}

// The least cost of the edits that make `name` of `given` (Levenshtein's distance), row by row of Wagner and Fischer's table.
std::size_t distance(PyObject* given, std::size_t length, const char* name, std::size_t name_length) noexcept {
    std::size_t row[kLongest + 1];
    for (std::size_t j = 0; j <= name_length; ++j) row[j] = j * kMove;
    for (std::size_t i = 0; i < length; ++i) {
        std::size_t diagonal = std::exchange(row[0], (i + 1) * kMove);
        const Py_UCS4 from = PyUnicode_READ_CHAR(given, static_cast<Py_ssize_t>(i));
        for (std::size_t j = 0; j < name_length; ++j) {
            const std::size_t changed = diagonal + cost_of_change(from, static_cast<unsigned char>(name[j]));
            diagonal = row[j + 1];
            row[j + 1] = std::min({changed, diagonal + kMove, row[j] + kMove});
        }
    }
    return row[name_length];
}

#if PY_VERSION_HEX >= 0x030B0000
bool contains(PyObject* text, const Owned& part) noexcept { return part && PyUnicode_Contains(text, part.get()) > 0; }
#endif

}  // namespace

const char* most_similar(PyObject* given, KeywordNames names) noexcept {
    const auto length = static_cast<std::size_t>(PyUnicode_GET_LENGTH(given));
    const char* best = nullptr;
    std::size_t least = SIZE_MAX;
    for (const char* const name : names) {
        const std::size_t name_length = std::strlen(name);
        if (std::max(length, name_length) > kLongest) continue;
        const std::size_t cost = distance(given, length, name, name_length);
        if (cost > (length + name_length + 3) * kMove / 6 || cost >= least) continue;  // CPython's measure, too
        best = name;
        least = cost;
    }
    return best;
}

void suggest_keyword(PyObject* unknown, KeywordNames names) noexcept {
#if PY_VERSION_HEX >= 0x030B0000
    if (!unknown || !PyErr_ExceptionMatches(PyExc_TypeError)) return;
    const char* const meant = most_similar(unknown, names);
    if (!meant) return;
    TakenError taken;
    PyObject* const error = taken.value();
    const Owned text = error ? Owned::steal(PyObject_Str(error)) : Owned();
    const bool is_about_it = text &&
                             contains(text.get(), Owned::steal(PyUnicode_FromFormat("unexpected keyword argument '%U'", unknown))) &&
                             !contains(text.get(), Owned::steal(PyUnicode_FromString("Did you mean")));
    const Owned note = is_about_it ? Owned::steal(PyUnicode_FromFormat("Did you mean '%s'?", meant)) : Owned();
    if (note) (void)call_method(error, "add_note", note.get());
    taken.restore();
#else
    (void)unknown, (void)names;
#endif
}

}  // namespace ocior::module
