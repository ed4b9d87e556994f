// Objects of any library that give their rows by Arrow's interface: as an array of these.
#include "encode/arrow_rows.h"
#include "encode/types/rich.h"
#include "encode/walk/call.h"

namespace ocior::encode {
namespace {

// Ready JSON, or a list of the rows, which the walk writes as the call wants it.
Owned replace_rows(Call& call, PyObject* value) noexcept {
    ArrowRows rows;
    if (!rows.open(value, call.own, call.options, call.rich)) return {};
    if (!rows.are_text()) return rows.all();
    const Separator& separator = call.options.item;
    arrow::RowText text;
    if (!text.reserve(1)) return PyErr_NoMemory(), Owned();
    text.data()[text.used++] = '[';
    if (!rows.write(text, SIZE_MAX, separator.word, separator.length)) return {};
    if (rows.count() == 0) text.used += 1;
    else text.used -= separator.length - 1;  // in the place of the last one
    text.data()[text.used - 1] = ']';
    Owned raw = Owned::steal(call.own.raw_type->tp_alloc(call.own.raw_type, 0));
    if (!raw) return {};
    const auto length = static_cast<Py_ssize_t>(text.used);
    PyObject* const bytes = PyBytes_FromStringAndSize(reinterpret_cast<const char*>(text.data()), length);
    reinterpret_cast<RawObject*>(raw.get())->text = bytes;
    return bytes ? std::move(raw) : Owned();
}

constexpr Plan kRows{.role = Role::kReplaced, .replace = replace_rows};

}  // namespace

const Plan* find_rows(const Call& call, PyTypeObject* type) noexcept { return ArrowRows::are_in(call.own, type) ? &kRows : nullptr; }

}  // namespace ocior::encode
