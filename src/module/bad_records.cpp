#include "module/bad_records.h"

#include "module/loads_options.h"
#include "py/attribute.h"
#include "py/taken_error.h"

namespace ocior::module {

bool BadRecords::read(PyObject* on_error, PyObject* tail) noexcept {
    unsigned place = 0;
    if (on_error && PyCallable_Check(on_error)) {
        on_error_ = OnError::kCall;
        call_ = Owned::borrow(on_error);
    } else if (on_error) {
        static constexpr const char* kWords[4] = {"raise", "skip"};
        if (!read_word(on_error, "on_error", kWords, place)) return false;
        on_error_ = static_cast<OnError>(place);
    }
    if (!tail) return true;
    static constexpr const char* kWords[4] = {"raise", "drop"};
    if (!read_word(tail, "tail", kWords, place)) return false;
    drops_tail_ = place == 1;
    return true;
}

Owned BadRecords::error_for(const stream::Bad& bad) const noexcept {
    TakenError taken;
    PyObject* const cause = taken.value();
    const Owned errors = Owned::steal(PyImport_ImportModule("ocior._stream.errors"));
    const Owned make = errors ? get_attribute(errors.get(), "record_error") : Owned();
    if (!make || !cause) return {};
    const Owned arguments = Owned::steal(Py_BuildValue("OOKKKO", cause, bad.text.get(), static_cast<unsigned long long>(bad.line + 1),
                                                       static_cast<unsigned long long>(bad.offset),
                                                       static_cast<unsigned long long>(bad.number), name ? name.get() : Py_None));
    return arguments ? Owned::steal(PyObject_CallObject(make.get(), arguments.get())) : Owned();
}

bool BadRecords::settle(stream::Bad& bad, bool may_go_on) noexcept {
    if (bad.is_torn && drops_tail_) {
        PyErr_Clear();
        dropped_ += bad.byte_len;
        return true;
    }
    if (may_go_on && on_error_ == OnError::kSkip) {
        PyErr_Clear();
        ++skipped_;
        return PyErr_CheckSignals() == 0;
    }
    const Owned error = error_for(bad);
    bad.text = Owned();
    if (!error) return false;
    if (may_go_on && on_error_ == OnError::kCall) {
        const Owned call = Owned::borrow(call_.get());
        ++skipped_;
        return static_cast<bool>(Owned::steal(PyObject_CallOneArg(call.get(), error.get())));
    }
    PyErr_SetObject(reinterpret_cast<PyObject*>(Py_TYPE(error.get())), error.get());
    return false;
}

}  // namespace ocior::module
