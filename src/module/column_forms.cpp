#include "module/column_forms.h"

#include <new>

#include "columns/declared.h"
#include "module/loads_options.h"

namespace ocior::module {

using columns::Column;
using columns::Kind;

namespace {

constexpr char kSchemaName[] = "arrow_schema";
constexpr const char* kMixedWords[4] = {"json", "str", "raise"};

void release_capsule(PyObject* capsule) noexcept {
    auto* const schema = static_cast<ArrowSchema*>(PyCapsule_GetPointer(capsule, kSchemaName));
    if (!schema) return PyErr_Clear();
    if (schema->release) schema->release(schema);
    delete schema;
}

bool refuse(const char* why) noexcept { return PyErr_SetString(PyExc_TypeError, why), false; }

[[nodiscard]] bool read_nested(PyObject* form, Column& type, std::size_t depth) noexcept;

[[nodiscard]] bool read_child(PyObject* item, Column& type, std::size_t depth) noexcept {
    PyObject *name, *form;
    int is_nullable;
    if (!PyTuple_Check(item) || !PyArg_ParseTuple(item, "UpO", &name, &is_nullable, &form))
        return refuse("a child is (name, is_nullable, form)");
    Py_ssize_t n;
    const char* const text = PyUnicode_AsUTF8AndSize(name, &n);
    if (!text) return false;
    const auto byte_len = static_cast<std::size_t>(n);
    bool is_new = true;
    Column* const child = type.kind == Kind::kStruct ? type.find_or_add(text, byte_len, is_new) : type.add_child(text, byte_len);
    if (!child) return PyErr_NoMemory(), false;
    if (!is_new) return PyErr_Format(PyExc_ValueError, "two columns have the name %R", name), false;
    if (!read_nested(form, *child, depth + 1)) return false;
    child->is_nullable = is_nullable != 0;
    return true;
}

bool read_nested(PyObject* form, Column& type, std::size_t depth) noexcept {
    if (depth > columns::kMostNests) return refuse("a type is nested too deep");
    const char* format;
    int seen;
    PyObject* children;
    if (!PyTuple_Check(form) || !PyArg_ParseTuple(form, "siO!", &format, &seen, &PyTuple_Type, &children))
        return refuse("a form is (format, seen, children)");
    switch (columns::read_format(type, format)) {
        case columns::Put::kDone: break;
        case columns::Put::kRefused: return PyErr_Format(PyExc_TypeError, "a column cannot have the type %.100s", format), false;
        case columns::Put::kNoMemory: return PyErr_NoMemory(), false;
    }
    type.seen = static_cast<std::uint8_t>(seen);
    if (type.kind == Kind::kInteger && std::strcmp(format, "L") == 0) type.seen |= columns::kSeenBeyond;
    const Py_ssize_t count = PyTuple_GET_SIZE(children);
    for (Py_ssize_t i = 0; i < count; ++i) {
        if (!read_child(PyTuple_GET_ITEM(children, i), type, depth)) return false;
    }
    if (!columns::has_fitting_children(type))
        return PyErr_Format(PyExc_TypeError, "a column of the type %.100s cannot have these children", format), false;
    return type.kind != Kind::kStruct || type.make_fields() || (PyErr_NoMemory(), false);
}

}  // namespace

bool read_mixed(PyObject* name, columns::Mixed& mixed) noexcept {
    unsigned place = 0;
    if (name && !read_word(name, "mixed", kMixedWords, place)) return false;
    mixed = static_cast<columns::Mixed>(place);
    return true;
}

const char* word_of(columns::Mixed mixed) noexcept { return kMixedWords[static_cast<unsigned>(mixed)]; }

Owned form_of(const Column& type) noexcept {
    columns::Buffer block;
    columns::Text format(block);
    put_format(format, type);
    const std::uint32_t count = type.child_count;
    const Owned children = Owned::steal(PyTuple_New(count));
    for (std::uint32_t i = 0; children && i < count; ++i) {
        const Column& child = *type.children[i];
        const Owned form = form_of(child);
        const Owned name = form ? Owned::steal(PyUnicode_FromStringAndSize(child.name, child.name_len)) : Owned();
        PyObject* const item = name ? PyTuple_Pack(3, name.get(), child.is_nullable ? Py_True : Py_False, form.get()) : nullptr;
        if (!item) return {};
        PyTuple_SET_ITEM(children.get(), i, item);
    }
    if (!children) return {};
    format.put('\0');
    if (format.failed()) return PyErr_NoMemory(), Owned();
    return Owned::steal(Py_BuildValue("siO", reinterpret_cast<const char*>(format.data()), static_cast<int>(type.seen), children.get()));
}

bool read_form(PyObject* form, Column& type) noexcept { return read_nested(form, type, 0); }

PyObject* export_schema(PyObject*, PyObject* form) noexcept {
    Column type;
    if (!read_form(form, type)) return nullptr;
    auto* const schema = new (std::nothrow) ArrowSchema{};
    if (!schema || !export_type(type, schema)) return delete schema, PyErr_NoMemory();
    PyObject* const capsule = PyCapsule_New(schema, kSchemaName, release_capsule);
    if (!capsule) {
        schema->release(schema);
        delete schema;
    }
    return capsule;
}

PyObject* import_schema(PyObject*, PyObject* capsule) noexcept {
    auto* const schema = static_cast<ArrowSchema*>(PyCapsule_GetPointer(capsule, kSchemaName));
    if (!schema) return nullptr;
    if (!schema->release) return PyErr_SetString(PyExc_ValueError, "the schema has been released"), nullptr;
    Column type;
    const char* refused = nullptr;
    switch (import_type(*schema, type, refused)) {
        case columns::Imported::kDone: return form_of(type).release();
        case columns::Imported::kRefused:
            if (refused) PyErr_Format(PyExc_TypeError, "a column cannot have the type %.100s", refused);
            else PyErr_SetString(PyExc_ValueError, "two columns have one name");
            return nullptr;
        case columns::Imported::kNoMemory: break;
    }
    return PyErr_NoMemory();
}

PyObject* join_forms(PyObject*, PyObject* const* values, Py_ssize_t count) noexcept {
    columns::Mixed mixed;
    if (count != 3) return PyErr_SetString(PyExc_TypeError, "join_forms() takes two forms and a word"), nullptr;
    Column type, other;
    if (!read_form(values[0], type) || !read_form(values[1], other) || !read_mixed(values[2], mixed)) return nullptr;
    switch (join_types(type, other, mixed)) {
        case columns::Joined::kDone: return form_of(type).release();
        case columns::Joined::kConflict:
            PyErr_SetString(PyExc_ValueError, "the types of a column have none in common (mixed='raise')");
            return nullptr;
        case columns::Joined::kNoMemory: break;
    }
    return PyErr_NoMemory();
}

}  // namespace ocior::module
