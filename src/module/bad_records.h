// What becomes of records that are wrong: an exception, a call, or nothing, as `on_error` and `tail` say.
#pragma once

#include "stream/records.h"

namespace ocior::module {

class BadRecords {
public:
    Owned name;  // of the source, a str or None

    // `on_error`, `tail`: the keywords, or null. False with an error set.
    [[nodiscard]] bool read(PyObject* on_error, PyObject* tail) noexcept;
    // Whether some bad records are passed over.
    bool is_tolerant() const noexcept { return on_error_ != OnError::kRaise || drops_tail_; }

    bool skips() const noexcept { return on_error_ == OnError::kSkip; }

    // Does with a bad record, whose exception is set, what the keywords say. True if the reading goes on, false with an exception set.
    // `may_go_on`: whether any record follows.
    [[nodiscard]] bool settle(stream::Bad& bad, bool may_go_on) noexcept;
    // A RecordError for it. Empty with an error set.
    Owned error_for(const stream::Bad& bad) const noexcept;

    std::uint64_t skipped() const noexcept { return skipped_; }
    std::uint64_t dropped() const noexcept { return dropped_; }  // bytes

    int visit(visitproc visit, void* arg) const noexcept {
        Py_VISIT(call_.get());
        return 0;
    }

private:
    enum class OnError : std::uint8_t { kRaise, kSkip, kCall };

    OnError on_error_ = OnError::kRaise;
    bool drops_tail_ = false;
    Owned call_;
    std::uint64_t skipped_ = 0, dropped_ = 0;
};

}  // namespace ocior::module
