// The objects that become lines, one after the other: those of any iterable, or the rows of a table.
#pragma once

#include <memory>
#include <new>

#include "encode/arrow_rows.h"
#include "module/state.h"
#include "py/fetch.h"

namespace ocior::module {

// Whether it is a table or the like, of which each row has a line. An object of a usual class is not.
OCIOR_INLINE bool has_rows(const State& state, PyObject* object) noexcept {
    PyTypeObject* const type = Py_TYPE(object);
    return type != &PyDict_Type && type != &PyList_Type && type != &PyTuple_Type && type != &PyUnicode_Type && type != &PyGen_Type &&
           encode::ArrowRows::are_in(state.encoder.own, type);
}

// Gives the values of an iterable one after the other.
class Objects {
public:
    // False with TypeError set for what is no iterable, and for what is surely meant as one value. Of what has rows they are the objects.
    [[nodiscard]] bool open(const State& state, const encode::Options& options, PyObject* objects) noexcept {
        if (has_rows(state, objects)) {
            rows_.reset(new (std::nothrow) encode::ArrowRows);
            if (!rows_) return PyErr_NoMemory(), false;
            return rows_->open(objects, state.encoder.own, options, options.rich);
        }
        const char* const type = Py_TYPE(objects)->tp_name;
        if (PyDict_Check(objects) || PyUnicode_Check(objects) || PyBytes_Check(objects) || PyByteArray_Check(objects) ||
            PyMemoryView_Check(objects)) {
            PyErr_Format(PyExc_TypeError, "lines are written of an iterable of objects, not of a single %.200s: put it into a list", type);
            return false;
        }
        if (PyList_CheckExact(objects) || PyTuple_CheckExact(objects)) {
            sequence_ = Owned::borrow(objects);
            return true;
        }
        iterator_ = Owned::steal(PyObject_GetIter(objects));
        if (!iterator_ && !Py_TYPE(objects)->tp_iter && PyErr_ExceptionMatches(PyExc_TypeError))
            PyErr_Format(PyExc_TypeError, "lines are written of an iterable of objects, not of %.200s", type);
        return static_cast<bool>(iterator_);
    }

    // Empty at the end, or with an error set. Signals are looked at now and then.
    OCIOR_INLINE Owned next() noexcept {
        constexpr Py_ssize_t kBetweenSignals = 1024;
        const Py_ssize_t position = position_++;
        if (OCIOR_UNLIKELY(position % kBetweenSignals == kBetweenSignals - 1) && PyErr_CheckSignals() < 0) return {};
        if (iterator_) return Owned::steal(PyIter_Next(iterator_.get()));
        if (rows_) return rows_->next();
        PyObject* const sequence = sequence_.get();
        if (!sequence) return {};
        if (PyList_CheckExact(sequence)) return Owned::steal(new_item_ref(sequence, position));
        return position < PyTuple_GET_SIZE(sequence) ? Owned::borrow(PyTuple_GET_ITEM(sequence, position)) : Owned();
    }

    // No more values come.
    void end() noexcept {
        sequence_ = Owned();
        iterator_ = Owned();
        rows_.reset();
    }

    // Rows whose text is what the lines are; null where the objects are to be encoded.
    encode::ArrowRows* text_of_rows() const noexcept { return rows_ && rows_->are_text() ? rows_.get() : nullptr; }

    int traverse(visitproc visit, void* arg) const noexcept {
        Py_VISIT(sequence_.get());
        Py_VISIT(iterator_.get());
        return 0;
    }

private:
    Owned sequence_;  // a list or a tuple
    Py_ssize_t position_ = 0;
    Owned iterator_;  // over anything else
    std::unique_ptr<encode::ArrowRows> rows_;
};

// The text of all rows, in UTF-8 or in a str. The bytes grow in place, block after block.
inline PyObject* dump_rows(encode::ArrowRows& rows, bool to_bytes) noexcept {
    constexpr std::size_t kBlock = 256 * 1024;
    arrow::RowText block;
    Owned all;
    Py_ssize_t used = 0;
    for (;;) {
        block.used = 0;
        if (!rows.write(block, kBlock)) return nullptr;
        const auto n = static_cast<Py_ssize_t>(block.used);
        if (n == 0) break;
        PyObject* grown = all.release();
        const Py_ssize_t room = grown ? PyBytes_GET_SIZE(grown) : 0;
        if (!grown) grown = PyBytes_FromStringAndSize(nullptr, n);
        else if (room - used < n) (void)_PyBytes_Resize(&grown, used + n + (used + n) / 2);
        if (!grown) return nullptr;
        std::memcpy(PyBytes_AS_STRING(grown) + used, block.data(), block.used);
        used += n;
        all = Owned::steal(grown);
    }
    if (!to_bytes) return PyUnicode_DecodeUTF8(all ? PyBytes_AS_STRING(all.get()) : "", used, nullptr);
    PyObject* bytes = all ? all.release() : PyBytes_FromStringAndSize(nullptr, 0);
    if (bytes && PyBytes_GET_SIZE(bytes) != used) (void)_PyBytes_Resize(&bytes, used);
    return bytes;
}

}  // namespace ocior::module
