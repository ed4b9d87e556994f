#include "module/record_stream.h"

#include <new>

#include "decode/errors/raise.h"
#include "module/utf8_text.h"
#include "py/attribute.h"
#include "py/taken_error.h"
#include "select/extract.h"
#include "text/scan.h"

namespace ocior::module {

bool RecordStream::open() noexcept {
    records_ = new (std::nothrow) stream::Records(framing_, settings.steps(), settings.max_record);
    maker_ = new (std::nothrow) RecordMaker(state_, settings);
    if (lock && records_ && maker_) return true;
    PyErr_NoMemory();
    return false;
}

void RecordStream::close() noexcept {
    if (!records_) return;
    last_offset_ = offset();
    last_line_ = line();
    delete std::exchange(records_, nullptr);
    delete std::exchange(maker_, nullptr);
    has_ended_ = true;
}

int RecordStream::visit(visitproc visit, void* arg) const noexcept {
    const int stopped = settings.visit(visit, arg);
    return stopped ? stopped : snapshot_.visit(visit, arg);
}

bool RecordStream::append(PyObject* chunk) noexcept {
    Utf8Text text;
    if (!text.open(chunk, "a chunk must be bytes-like or str, not %.100s")) return false;
    if (records_->block().append(text.data(), text.byte_len())) return true;
    return PyErr_NoMemory(), false;
}

// A RecordError for the bad record, whose exception is set and taken. Empty with an error set.
Owned RecordStream::record_error() noexcept {
    TakenError taken;
    PyObject* const cause = taken.value();
    stream::Bad& bad = records_->bad();
    const Owned errors = Owned::steal(PyImport_ImportModule("ocior._stream.errors"));
    const Owned make = errors ? get_attribute(errors.get(), "record_error") : Owned();
    if (!make || !cause) return {};
    const Owned arguments = Owned::steal(Py_BuildValue("OOKKKO", cause, bad.text.get(), static_cast<unsigned long long>(bad.line + 1),
                                                       static_cast<unsigned long long>(bad.offset),
                                                       static_cast<unsigned long long>(bad.number), name ? name.get() : Py_None));
    return arguments ? Owned::steal(PyObject_CallObject(make.get(), arguments.get())) : Owned();
}

// Does what the settings say with a bad record, whose exception is set: true if the reading goes on, false with an exception set.
bool RecordStream::settle(bool goes_on) noexcept {
    stream::Bad& bad = records_->bad();
    if (bad.is_torn && settings.drops_tail) {
        PyErr_Clear();
        dropped_ += bad.byte_len;
        return true;
    }
    if (goes_on && settings.on_error == RecordSettings::OnError::kSkip) {
        PyErr_Clear();
        ++skipped_;
        return PyErr_CheckSignals() == 0;
    }
    const Owned error = record_error();
    bad.text = Owned();
    if (!error) return has_ended_ = true, false;
    if (goes_on && settings.on_error == RecordSettings::OnError::kCall) {
        const Owned call = Owned::borrow(settings.on_error_call.get());
        const Owned answer = Owned::steal(PyObject_CallOneArg(call.get(), error.get()));
        ++skipped_;
        if (!answer) has_ended_ = true;
        return static_cast<bool>(answer);
    }
    has_ended_ = true;
    PyErr_SetObject(reinterpret_cast<PyObject*>(Py_TYPE(error.get())), error.get());
    return false;
}

RecordStream::Step RecordStream::next(PyObject*& value) noexcept {
    if (has_ended_) return Step::kEnd;
    const Lease context(state_.decoder.contexts);
    if (!context) return PyErr_NoMemory(), Step::kFailed;
    return next(*context, value);
}

RecordStream::Step RecordStream::next(decode::Context& context, PyObject*& value) noexcept {
    using stream::Outcome;
    maker_->use(&context);
    while (!has_ended_) {
        switch (records_->next(*maker_, context.workspace, value)) {
            case Outcome::kValue: return Step::kValue;
            case Outcome::kMore: return Step::kMore;
            case Outcome::kEnd: has_ended_ = true; return Step::kEnd;
            case Outcome::kFailed: return Step::kFailed;
            case Outcome::kBad:
                if (!settle(true)) return Step::kFailed;
                break;
            case Outcome::kBroken:
                if (!settle(false)) return Step::kFailed;
                has_ended_ = true;
                break;
            case Outcome::kNowhere:
                has_ended_ = true;
                select::raise_pointer_error(settings.at.get(), "no array or object at %R");
                return Step::kFailed;
        }
    }
    return Step::kEnd;
}

PyObject* RecordStream::snapshot(bool with_strings) noexcept {
    if (has_ended_) return new_ref(Py_None);
    const Lease context(state_.decoder.contexts);
    if (!context) return PyErr_NoMemory();
    decode::Options options = settings.options;
    options.drop_hooks();
    const stream::Block& block = records_->block();
    const std::uint8_t* const first = text::skip_whitespace(block.first());
    if (first >= block.last()) return new_ref(Py_None);
    PyObject* const value =
        snapshot_.take({state_.constants, *context, options}, block.offset_of(first), first, block.last(), with_strings);
    if (value) return value;
    const grammar::Error error = snapshot_.error();
    if (error == grammar::Error::kNoMemory) return PyErr_NoMemory();
    if (error != grammar::Error::kPython) {
        const std::uint8_t* const at = snapshot_.mistake() ? snapshot_.mistake() : first;
        const std::uint8_t* const last = stream::end_of_characters(at, block.last());
        (void)decode::raise_for_utf8(state_.decoder, *options.dialect, error, first, static_cast<std::size_t>(last - first),
                                     static_cast<std::size_t>(at - first));
    }
    // Python may refuse to convert an integer of thousands of digits.
    const bool is_bad =
        error == grammar::Error::kPython ? PyErr_ExceptionMatches(PyExc_ValueError) : !PyErr_ExceptionMatches(PyExc_MemoryError);
    if (!is_bad || !records_->note_unfinished(first)) return nullptr;
    const Owned told = record_error();
    records_->bad().text = Owned();
    if (told) PyErr_SetObject(reinterpret_cast<PyObject*>(Py_TYPE(told.get())), told.get());
    return nullptr;
}

}  // namespace ocior::module
