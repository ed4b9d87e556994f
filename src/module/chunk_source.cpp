#include "module/chunk_source.h"

namespace ocior::module {

bool ChunkSource::close() noexcept {
    memory.close();
    read_ = Owned();
    read_into_ = Owned();
    const Owned source = std::move(source_);
    return !source || Owned::steal(PyObject_CallMethod(source.get(), "close", nullptr));
}

void ChunkSource::close_in_error() noexcept {
    TakenError error;
    if (!close()) PyErr_Clear();
    error.restore();
}

// Asks how many bytes of the data come before the first chunk, and for read_into().
bool ChunkSource::begin(std::uint64_t& offset) noexcept {
    is_begun_ = true;
    const Owned number = get_attribute(source_.get(), "offset");
    offset = number ? PyLong_AsUnsignedLongLong(number.get()) : 0;
    if (PyErr_Occurred()) return false;
    const Owned method = Owned::steal(PyUnicode_InternFromString("read_into"));
    if (method) read_into_ = find_attribute(source_.get(), method.get());
    if (PyErr_Occurred()) return false;
    if (read_into_.get() == Py_None) read_into_ = Owned();
    return true;
}

Py_ssize_t ChunkSource::read_into(char* room, bool& is_last) noexcept {
    const Owned view = Owned::steal(PyMemoryView_FromMemory(room, kSlice, PyBUF_WRITE)), read = Owned::borrow(read_into_.get());
    if (!view) return -1;
    const Owned count = Owned::steal(PyObject_CallOneArg(read.get(), view.get()));
    if (!count) {  // its traceback has the view, which may outlive the memory
        TakenError error;
        if (!Owned::steal(PyObject_CallMethod(view.get(), "release", nullptr))) PyErr_Clear();
        error.restore();
        return -1;
    }
    if (!Owned::steal(PyObject_CallMethod(view.get(), "release", nullptr))) return -1;
    if (count.get() == Py_None) return is_last = true, 0;
    const Py_ssize_t n = PyLong_AsSsize_t(count.get());
    if (n >= 0 && n <= static_cast<Py_ssize_t>(kSlice)) return n;
    if (!PyErr_Occurred()) PyErr_SetString(PyExc_ValueError, "read_into() has returned a wrong number");
    return -1;
}

}  // namespace ocior::module
