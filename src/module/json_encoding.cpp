#include "module/json_encoding.h"

#include "py/attribute.h"

namespace ocior::module {

namespace {

// InstalledJson::lines_in_empty_dicts. json is asked because bugfix releases changed this: 3.13.0 starts lines, 3.13.5 does not.
bool puts_lines_in_empty_dicts(PyObject* dumps) noexcept {
    const Owned arguments = Owned::steal(Py_BuildValue("({():O})", Py_None)),
                keywords = Owned::steal(Py_BuildValue("{sOsi}", "skipkeys", Py_True, "indent", 1));
    const Owned text = arguments && keywords ? Owned::steal(PyObject_Call(dumps, arguments.get(), keywords.get())) : Owned();
    if (!text) PyErr_Clear();
    return text && PyUnicode_Check(text.get()) && PyUnicode_CompareWithASCIIString(text.get(), "{\n \n}") == 0;
}

}  // namespace

bool JsonEncoding::create() noexcept {
    if (!names.create(kEncodeNames)) return false;
    const auto intern = [](PyObject*& name, const char* text) { return (name = PyUnicode_InternFromString(text)) != nullptr; };
    const auto take = [](PyObject*& object, PyObject* from, const char* name) {
        return (object = get_attribute(from, name).release()) != nullptr;
    };
    Owned json = Owned::steal(PyImport_ImportModule("json"));
    Owned io = json ? Owned::steal(PyImport_ImportModule("_io")) : Owned();
    const bool is_made =
        io && intern(encode_name, "encode") && intern(iterencode_name, "iterencode") && intern(item_separator_name, "item_separator") &&
        intern(key_separator_name, "key_separator") && intern(write_name, "write") && intern(init_name, "__init__") &&
        take(dumps, json.get(), "dumps") && take(dump, json.get(), "dump") && take(encoder_type, json.get(), "JSONEncoder") &&
        take(init, encoder_type, "__init__") && take(encode, encoder_type, "encode") && take(iterencode, encoder_type, "iterencode") &&
        take(unpatched_default, encoder_type, "default") && take(text_file, io.get(), "_TextIOBase") &&
        take(buffered_file, io.get(), "_BufferedIOBase") && take(raw_file, io.get(), "_RawIOBase");
    if (is_made) lines_in_empty_dicts = puts_lines_in_empty_dicts(dumps);
    return is_made;
}

void JsonEncoding::clear() noexcept {
    names.clear();
    for (PyObject** object : {&encode_name, &iterencode_name, &item_separator_name, &key_separator_name, &write_name, &init_name, &dumps,
                              &dump, &encoder_type, &init, &encode, &iterencode, &unpatched_default, &text_file, &buffered_file, &raw_file})
        Py_CLEAR(*object);
}

}  // namespace ocior::module
