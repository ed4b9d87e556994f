#include "decode/errors/error_maker.h"

#include "num/write.h"
#include "py/attribute.h"

namespace ocior::decode {
namespace {

// Line and column as json counts them: from one on, and in code points.
struct LineAndColumn {
    std::size_t line, column;
};

template <typename Unit>
LineAndColumn line_and_column_in(const Unit* units, std::size_t offset) noexcept {
    constexpr std::size_t kBlock = 255;  // so many can be counted in a byte
    std::size_t breaks = 0, last_block = 0;
    for (std::size_t at = 0; at < offset; at += kBlock) {
        const std::size_t end = offset - at < kBlock ? offset : at + kBlock;
        std::uint8_t count = 0;
        for (std::size_t i = at; i < end; ++i) count = static_cast<std::uint8_t>(count + (units[i] == '\n'));
        breaks += count;
        if (count) last_block = end;
    }
    std::size_t first = last_block;  // of the line
    while (first > 0 && units[first - 1] != '\n') --first;
    return {breaks + 1, offset - first + 1};
}

LineAndColumn line_and_column(const StrView& document, std::size_t offset) noexcept {
    if (document.width == 1) return line_and_column_in(static_cast<const std::uint8_t*>(document.data), offset);
    if (document.width == 2) return line_and_column_in(static_cast<const std::uint16_t*>(document.data), offset);
    return line_and_column_in(static_cast<const std::uint32_t*>(document.data), offset);
}

// "Expecting value: line 1 column 2 (char 1)"
Owned text_of(const char* message, LineAndColumn place, std::size_t offset) noexcept {
    constexpr std::size_t kMostMessage = 128;
    std::uint8_t text[kMostMessage + 3 * num::kFormatRoom + 32];
    std::uint8_t* end = text;
    const auto add = [&end](const char* ascii) {
        const std::size_t length = std::strlen(ascii), n = length < kMostMessage ? length : kMostMessage;
        end = static_cast<std::uint8_t*>(std::memcpy(end, ascii, n)) + n;
    };
    add(message);
    add(": line ");
    end = num::write_u64(end, place.line);
    add(" column ");
    end = num::write_u64(end, place.column);
    add(" (char ");
    end = num::write_u64(end, offset);
    add(")");
    const auto length = end - text;
    Owned str = Owned::steal(PyUnicode_New(length, 0x7f));
    if (str) std::memcpy(PyUnicode_1BYTE_DATA(str.get()), text, static_cast<std::size_t>(length));
    return str;
}

// Whether both errors are of one class, and have equal arguments and equal attributes in one order. False, maybe with an error set.
bool are_alike(PyObject* one, PyObject* other) noexcept {
    if (Py_TYPE(one) != Py_TYPE(other)) return false;
    const Owned arguments[] = {get_attribute(one, "args"), get_attribute(other, "args")};
    const Owned dicts[] = {get_attribute(one, "__dict__"), get_attribute(other, "__dict__")};
    if (!arguments[0] || !arguments[1] || !dicts[0] || !dicts[1]) return false;
    if (!PyDict_CheckExact(dicts[0].get()) || !PyDict_CheckExact(dicts[1].get())) return false;
    const Owned items[] = {Owned::steal(PyDict_Items(dicts[0].get())), Owned::steal(PyDict_Items(dicts[1].get()))};
    return items[0] && items[1] && PyObject_RichCompareBool(arguments[0].get(), arguments[1].get(), Py_EQ) == 1 &&
           PyObject_RichCompareBool(items[0].get(), items[1].get(), Py_EQ) == 1;
}

}  // namespace

bool ErrorMaker::learn(PyObject* type) noexcept {
    if (!(attributes_ = PyDict_New())) return false;
    for (unsigned i = 0; i < kNameCount; ++i) {
        if (!(names_[i] = PyUnicode_InternFromString(kNames[i]))) return false;
        if (PyDict_SetItem(attributes_, names_[i], Py_None) < 0) return false;
    }
    const auto* const base = reinterpret_cast<PyTypeObject*>(PyExc_ValueError);
    auto* const derived = reinterpret_cast<PyTypeObject*>(type);
    if (!PyType_Check(type) || derived->tp_new != base->tp_new || derived->tp_dictoffset != base->tp_dictoffset ||
        derived->tp_setattro != base->tp_setattro)
        return true;
    const Owned document = Owned::steal(PyUnicode_FromString("[1,\n 23, x"));
    if (!document) return false;
    bool is_good = true;
    for (const Py_ssize_t offset : {0, 3, 4, 9, 10}) is_good = is_good && is_proved(type, document.get(), offset);
    if (PyErr_Occurred() && PyErr_ExceptionMatches(PyExc_MemoryError)) return false;
    PyErr_Clear();
    if (is_good) type_version_ = make_type_version(derived, names_[kMessage]);
    return true;
}

bool ErrorMaker::is_proved(PyObject* type, PyObject* document, Py_ssize_t offset) const noexcept {
    constexpr char kText[] = "Expecting value";
    const Owned called = Owned::steal(PyObject_CallFunction(type, "sOn", kText, document, offset));
    const Owned made = called ? make(type, kText, document, static_cast<std::size_t>(offset), {}) : Owned();
    return made && are_alike(called.get(), made.get());
}

void ErrorMaker::clear() noexcept {
    type_version_ = 0;
    Py_CLEAR(attributes_);
    for (PyObject*& name : names_) Py_CLEAR(name);
}

bool ErrorMaker::serves(PyObject* type, PyObject* document, Py_ssize_t offset) const noexcept {
    return type_version_ != 0 && type_version(reinterpret_cast<PyTypeObject*>(type)) == type_version_ && PyUnicode_CheckExact(document) &&
           offset >= 0 && offset <= PyUnicode_GET_LENGTH(document);
}

Owned ErrorMaker::make(PyObject* type, const char* message, PyObject* document, std::size_t offset, const Place& place) const noexcept {
    StrView view;
    if (!view_of(document, view)) return {};
    const LineAndColumn at = line_and_column(view, offset);
    const Owned text = text_of(message, at, offset);
    const Owned arguments = text ? Owned::steal(PyTuple_Pack(1, text.get())) : Owned();
    Owned error =
        arguments
            ? Owned::steal(reinterpret_cast<PyTypeObject*>(type)->tp_new(reinterpret_cast<PyTypeObject*>(type), arguments.get(), nullptr))
            : Owned();
    const Owned dict = error ? Owned::steal(PyDict_Copy(attributes_)) : Owned();
    if (!dict) return {};
    const auto set = [&](Name name, Owned value) { return value && PyDict_SetItem(dict.get(), names_[name], value.get()) == 0; };
    const auto number = [](std::size_t value) { return Owned::steal(PyLong_FromSize_t(value)); };
    const bool is_whole = set(kMessage, Owned::steal(PyUnicode_FromString(message))) && set(kDocument, Owned::borrow(document)) &&
                          set(kOffset, number(offset)) && set(kLine, number(at.line)) && set(kColumn, number(at.column));
    if (!is_whole) return {};
    const auto set_or_leave_out = [&](Name name, Owned value) {
        if (set(name, std::move(value))) return true;
        PyErr_Clear();
        return PyDict_DelItem(dict.get(), names_[name]) == 0;
    };
    Owned notes = place.note ? Owned::steal(PyList_New(1)) : Owned();
    if (notes) PyList_SET_ITEM(notes.get(), 0, new_ref(place.note.get()));
    if (!set_or_leave_out(kPath, Owned::borrow(place.path.get())) || !set_or_leave_out(kSnippet, Owned::borrow(place.snippet.get())) ||
        !set_or_leave_out(kNotes, std::move(notes)) || PyObject_GenericSetDict(error.get(), dict.get(), nullptr) < 0)
        return {};
    return error;
}

}  // namespace ocior::decode
