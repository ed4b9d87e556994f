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

// Does what the settings say with a bad record, whose exception is set: true if the reading goes on, false with an exception set.
bool RecordStream::settle(bool may_go_on) noexcept {
    if (settings.bad.settle(records_->bad(), may_go_on)) return true;
    has_ended_ = !may_go_on || !settings.bad.skips();  // a signal ends the call and not the stream
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
                select::raise_pointer_error(settings.at.pointer.get(), "no array or object at %R");
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
    const Owned told = settings.bad.error_for(records_->bad());
    records_->bad().text = Owned();
    if (told) PyErr_SetObject(reinterpret_cast<PyObject*>(Py_TYPE(told.get())), told.get());
    return nullptr;
}

}  // namespace ocior::module
