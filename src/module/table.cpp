#include "module/table.h"

#include <new>

#include "encode/arrow_rows.h"
#include "module/column_forms.h"
#include "module/functions.h"
#include "module/table_reader.h"
#include "py/heap_type.h"

namespace ocior::module {
namespace {

constexpr char kStreamName[] = "arrow_array_stream";

struct TableObject {
    PyObject_HEAD columns::Table* table;  // shared
    columns::Mixed mixed;
    std::uint64_t skipped, dropped;
    PyObject* module;  // owned
};
TableObject* as_table(PyObject* object) noexcept { return reinterpret_cast<TableObject*>(object); }

void release_stream(PyObject* capsule) noexcept {
    auto* const stream = static_cast<ArrowArrayStream*>(PyCapsule_GetPointer(capsule, kStreamName));
    if (!stream) return PyErr_Clear();
    if (stream->release) stream->release(stream);
    delete stream;
}

PyObject* stream_of_table(PyObject* self, PyObject* const*, Py_ssize_t positional, PyObject* kwnames) noexcept {
    if (!check_stream_arguments(positional, kwnames)) return nullptr;
    auto* const stream = new (std::nothrow) ArrowArrayStream{};
    if (!stream || !as_table(self)->table->export_to(stream)) return delete stream, PyErr_NoMemory();
    return new_capsule(stream);
}

PyObject* names_of(const columns::Column& type) noexcept {
    const Owned names = Owned::steal(PyList_New(type.child_count));
    for (std::uint32_t i = 0; names && i < type.child_count; ++i) {
        PyObject* const name = PyUnicode_FromStringAndSize(type.children[i]->name, static_cast<Py_ssize_t>(type.children[i]->name_len));
        if (!name) return nullptr;
        PyList_SET_ITEM(names.get(), i, name);
    }
    return names ? new_ref(names.get()) : nullptr;
}

Py_ssize_t length_of_table(PyObject* self) noexcept { return static_cast<Py_ssize_t>(as_table(self)->table->row_count); }
PyObject* table_schema(PyObject* self, void*) noexcept { return schema_of(as_table(self)->table->type, as_table(self)->mixed); }
PyObject* table_form(PyObject* self, void*) noexcept { return form_of(as_table(self)->table->type).release(); }
PyObject* table_rows(PyObject* self, void*) noexcept { return PyLong_FromLongLong(as_table(self)->table->row_count); }
PyObject* table_width(PyObject* self, void*) noexcept { return PyLong_FromUnsignedLong(as_table(self)->table->type.child_count); }
PyObject* table_names(PyObject* self, void*) noexcept { return names_of(as_table(self)->table->type); }
PyObject* table_bytes(PyObject* self, void*) noexcept { return PyLong_FromSize_t(as_table(self)->table->byte_len); }
PyObject* table_skipped(PyObject* self, void*) noexcept { return PyLong_FromUnsignedLongLong(as_table(self)->skipped); }
PyObject* table_dropped(PyObject* self, void*) noexcept { return PyLong_FromUnsignedLongLong(as_table(self)->dropped); }

PyObject* schema_capsule_of_table(PyObject* self, PyObject*) noexcept {
    const Owned form = form_of(as_table(self)->table->type);
    return form ? export_schema(nullptr, form.get()) : nullptr;
}

// _head(n): the first rows as JSON lines, in bytes.
PyObject* head_of_table(PyObject* self, PyObject* number) noexcept {
    const Py_ssize_t wanted = PyLong_AsSsize_t(number);
    if (wanted == -1 && PyErr_Occurred()) return nullptr;
    State& state = state_of(as_table(self)->module);
    encode::ArrowRows rows;
    arrow::RowText text;
    if (!rows.open(self, state.encoder.own, encode::Options{}, 0)) return nullptr;
    for (std::size_t before = SIZE_MAX; rows.count() != before && static_cast<Py_ssize_t>(rows.count()) < wanted;) {
        before = rows.count();
        if (!rows.write(text, text.used + 1)) return nullptr;
    }
    std::size_t end = 0;
    for (Py_ssize_t i = 0; i < wanted && end < text.used; ++i)
        end = static_cast<std::size_t>(static_cast<std::uint8_t*>(std::memchr(text.data() + end, '\n', text.used - end)) - text.data()) + 1;
    return PyBytes_FromStringAndSize(end ? reinterpret_cast<const char*>(text.data()) : "", static_cast<Py_ssize_t>(end));
}

PyObject* show_table(PyObject* self) noexcept {
    const Owned showing = Owned::steal(PyImport_ImportModule("ocior._tables.showing"));
    return showing ? PyObject_CallMethod(showing.get(), "table_repr", "O", self) : nullptr;
}

int clear_table(PyObject* self) noexcept {
    if (columns::Table* const table = std::exchange(as_table(self)->table, nullptr)) table->release();
    Py_CLEAR(as_table(self)->module);
    return 0;
}

PyDoc_STRVAR(table_doc,
             "The rows of JSON records as Arrow's columns: what ocior.table() returns. pyarrow,\n"
             "polars, duckdb, pandas and others take it by __arrow_c_stream__(), without a copy.");
PyMethodDef table_methods[] = {
    {"__arrow_c_stream__", as_method(stream_of_table), METH_FASTCALL | METH_KEYWORDS, nullptr},
    {"__arrow_c_schema__", schema_capsule_of_table, METH_NOARGS, nullptr},
    {"_head", head_of_table, METH_O, nullptr},
    {nullptr, nullptr, 0, nullptr},
};
PyGetSetDef table_attributes[] = {
    {"schema", table_schema, nullptr, "The names and types of the columns, a Schema.", nullptr},
    {"form", table_form, nullptr, nullptr, nullptr},
    {"num_rows", table_rows, nullptr, "How many rows there are.", nullptr},
    {"num_columns", table_width, nullptr, "How many columns there are.", nullptr},
    {"column_names", table_names, nullptr, "The names of the columns, a list.", nullptr},
    {"nbytes", table_bytes, nullptr, "How many bytes the columns take.", nullptr},
    {"skipped", table_skipped, nullptr, "How many bad records were passed over.", nullptr},
    {"dropped", table_dropped, nullptr, "How many bytes of a torn end were dropped.", nullptr},
    {nullptr, nullptr, nullptr, nullptr, nullptr},
};
PyType_Slot table_slots[] = {
    {Py_tp_doc, const_cast<char*>(table_doc)},
    {Py_tp_dealloc, reinterpret_cast<void*>(dealloc_uncollected_object<clear_table>)},
    {Py_tp_repr, reinterpret_cast<void*>(show_table)},
    {Py_sq_length, reinterpret_cast<void*>(length_of_table)},
    {Py_tp_methods, table_methods},
    {Py_tp_getset, table_attributes},
    {0, nullptr},
};

}  // namespace

PyTypeObject* type_named(PyObject* module, const char* name) noexcept {
    return reinterpret_cast<PyTypeObject*>(PyObject_GetAttrString(module, name));
}

PyObject* new_table(PyObject* module, columns::Table* table, const TableReader& reader) noexcept {
    const Owned type = Owned::steal(reinterpret_cast<PyObject*>(type_named(module, "Table")));
    auto* const cls = reinterpret_cast<PyTypeObject*>(type.get());
    PyObject* const self = cls ? cls->tp_alloc(cls, 0) : nullptr;
    if (!self) return table->release(), nullptr;
    as_table(self)->table = table;
    as_table(self)->mixed = reader.mixed();
    as_table(self)->skipped = reader.bad().skipped();
    as_table(self)->dropped = reader.bad().dropped();
    as_table(self)->module = new_ref(module);
    return self;
}

bool finish(columns::Batch& batch, TableReader& reader) noexcept {
    switch (batch.finish(reader.type(), reader.mixed())) {
        case columns::Put::kDone: return true;
        case columns::Put::kRefused:
            PyErr_SetString(PyExc_OverflowError, "a dictionary has more texts than its indices can tell apart");
            return false;
        case columns::Put::kNoMemory: break;
    }
    return PyErr_NoMemory(), false;
}

PyObject* new_capsule(ArrowArrayStream* stream) noexcept {
    PyObject* const capsule = PyCapsule_New(stream, kStreamName, release_stream);
    if (!capsule) {
        stream->release(stream);
        delete stream;
    }
    return capsule;
}

bool check_stream_arguments(Py_ssize_t positional, PyObject* kwnames) noexcept {
    const Py_ssize_t named = kwnames ? PyTuple_GET_SIZE(kwnames) : 0;
    const bool is_known = named == 0 || PyUnicode_CompareWithASCIIString(PyTuple_GET_ITEM(kwnames, 0), "requested_schema") == 0;
    if (positional + named <= 1 && is_known) return true;
    return PyErr_SetString(PyExc_TypeError, "__arrow_c_stream__() takes requested_schema alone"), false;
}

PyObject* schema_of(const columns::Column& type, columns::Mixed mixed) noexcept {
    const Owned form = form_of(type);
    const Owned schemas = form ? Owned::steal(PyImport_ImportModule("ocior._tables.schema")) : Owned();
    return schemas ? PyObject_CallMethod(schemas.get(), "schema_of", "Os", form.get(), word_of(mixed)) : nullptr;
}

PyObject* read_table(PyObject* module, PyObject* const* values, Py_ssize_t positional, PyObject* kwnames) noexcept {
    const HeldArguments arguments(module, {values, positional, kwnames});
    if (!arguments) return nullptr;
    if (positional != 1) return refuse_arguments("read_table", arguments, "source");
    TableReader reader(state_of(module));
    if (!reader.open(arguments.values[0], arguments.values + 1, kwnames, true)) return nullptr;
    auto* const table = new (std::nothrow) columns::Table;
    if (!table) return PyErr_NoMemory();
    for (;;) {
        columns::Batch* batch = nullptr;
        const TableReader::Step step = reader.next(batch);
        if (step == TableReader::Step::kFailed) return table->release(), nullptr;
        if (step == TableReader::Step::kEnd) break;
        if (!table->add(batch)) return table->release(), PyErr_NoMemory();
    }
    if (!copy_type(table->type, reader.type())) return table->release(), PyErr_NoMemory();
    for (std::size_t i = 0; i < table->batch_count; ++i)
        if (!finish(*table->batches.data()[i], reader)) return table->release(), nullptr;
    return new_table(module, table, reader);
}

PyObject* infer_form(PyObject* module, PyObject* const* values, Py_ssize_t positional, PyObject* kwnames) noexcept {
    const HeldArguments arguments(module, {values, positional, kwnames});
    if (!arguments) return nullptr;
    if (positional != 1) return refuse_arguments("infer_form", arguments, "source");
    TableReader reader(state_of(module));
    if (!reader.open(arguments.values[0], arguments.values + 1, kwnames, false)) return nullptr;
    for (;;) {
        columns::Batch* batch = nullptr;
        switch (reader.next(batch)) {
            case TableReader::Step::kBatch: batch->release(); break;
            case TableReader::Step::kEnd: return form_of(reader.type()).release();
            case TableReader::Step::kFailed: return nullptr;
        }
    }
}

bool add_table_type(PyObject* module) noexcept {
    const Owned type = Owned::steal(make_type(module, "ocior.Table", sizeof(TableObject), Py_TPFLAGS_DISALLOW_INSTANTIATION, table_slots));
    if (!type) return false;
    state_of(module).encoder.own.table_type = reinterpret_cast<PyTypeObject*>(new_ref(type.get()));
    return PyModule_AddObjectRef(module, "Table", type.get()) == 0;
}

}  // namespace ocior::module
