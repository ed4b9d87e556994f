// Values one by one out of the units of a str or bytes, which are immutable and have a NUL behind them. They are padded once; where it is
// one value that is wanted, in time proportional to that value, whatever follows it.
#pragma once

#include "decode/decode.h"
#include "decode/errors/duplicates.h"
#include "decode/py_builder.h"
#include "grammar/null_builder.h"
#include "grammar/padded.h"
#include "grammar/parser.h"
#include "text/utf8.h"

namespace ocior::decode {

using namespace grammar;

template <typename Source>
class Reader {
    using Unit = typename Source::Unit;

public:
    Reader(const Constants& constants, Context& context, const Options& options, const void* units, std::size_t length) noexcept
        : constants_(constants),
          context_(context),
          options_(options),
          units_(static_cast<const Unit*>(units)),
          text_{units_, units_ + length} {}

    // Pads the whole text; to be called before anything is read. False when out of memory.
    [[nodiscard]] OCIOR_INLINE bool pad() noexcept { return may_read_in_place(text_.last) || copy_.take(text_); }

    // Pads only as much of the text as the value at unit `index` takes, or the string whose opening quote is before `index`.
    [[nodiscard]] bool pad_value(std::size_t index) noexcept {
        return pad_part(index, [](auto& checker, const Unit*& p) { p = Parser<Source, NullBuilder<Source>>::run(checker, p).next; });
    }
    [[nodiscard]] bool pad_string(std::size_t index) noexcept {
        return pad_part(index, [](auto& checker, const Unit*& p) { (void)skip_string(checker, p, p); });
    }

    // Whether the end of a long document is UTF-8, before anything is read: documents that were cut off, or have something else behind
    // them, are refused as fast as json refuses them, which decodes before it reads. To look at all bytes would take up to a third of
    // the time that reading takes; at the last 64, or 1 of 256, it takes at most 1 of 500.
    OCIOR_INLINE bool ends_in_utf8() const noexcept {
        constexpr std::size_t kLong = 4096, kShare = 256, kLeast = 64;
        const auto length = static_cast<std::size_t>(text_.last - text_.first);
        if (length < kLong) return true;
        const Unit* first = text_.last - (length / kShare > kLeast ? length / kShare : kLeast);
        for (int i = 0; i < 3 && (*first & 0xC0) == 0x80; ++i) ++first;  // the rest of a character
        return text::is_utf8(first, text_.last);
    }

    // The unit at or behind `index` that is no white space.
    OCIOR_INLINE std::size_t skip_whitespace(std::size_t index) const noexcept { return index_of(text::skip_whitespace(at(index))); }

    OCIOR_INLINE Scanned value(std::size_t index) noexcept {
        const bool has_hooks = options_.has_hooks();
        if (has_hooks || options_.has_checks) return parse<PyBuilder<Source, true>>(index, has_hooks);
        const Scanned found = parse<PyBuilder<Source, false>>(index, false);
        if (OCIOR_LIKELY(found.error != Error::kExpectingValue) || !options_.dialect->takes_words_in_any_case) return found;
        return parse<PyBuilder<Source, true>>(index, false);  // which takes them
    }

    Scanned string(std::size_t index) noexcept {
        context_.allocator.refresh(constants_.tricks, false);
        PyCall<Source> call(text_, options_, constants_, context_);
        const auto read = read_any_string(call, at(index));
        return {read.object, static_cast<Py_ssize_t>(index_of(read.next)), call.error};
    }

    // How far reading has come, for those who provide its memory.
    Progress* follow() noexcept {
        context_.progress = {text_.first, text_.first, text_.last, sizeof(Unit), 0};
        return &context_.progress;
    }

private:
    const Unit* at(std::size_t index) const noexcept { return text_.first + (index - start_); }
    std::size_t index_of(const Unit* p) const noexcept { return start_ + static_cast<std::size_t>(p - text_.first); }

    template <typename Builder>
    OCIOR_INLINE Scanned parse(std::size_t index, bool python_may_run) noexcept {
        context_.allocator.refresh(constants_.tricks, python_may_run);
        Builder builder(text_, options_, constants_, context_);
        auto parsed = Parser<Source, Builder>::run(builder, at(index));
        if (OCIOR_UNLIKELY(builder.error == Error::kDuplicateKey)) parsed.next = find_second_key(builder, at(index), parsed.next);
        return {parsed.value, static_cast<Py_ssize_t>(index_of(parsed.next)), builder.error};
    }

    // Copies more and more from `index` on, until `check(checker, p)` gets to its end, or to a mistake, where no more text could change it.
    template <typename Check>
    [[nodiscard]] bool pad_part(std::size_t index, Check&& check) noexcept {
        constexpr std::ptrdiff_t kLongestToken = 16;  // a word, or an escape: cut short it looks wrong
        const Unit* const first = units_ + index;
        const Unit* const last = text_.last;
        text_.first = first;
        start_ = index;
        if (may_read_in_place(last)) return true;
        for (std::ptrdiff_t n = 256;; n *= 8) {
            text_ = {first, n < last - first ? first + n : last};
            const bool is_all = text_.last == last;
            if (!copy_.take(text_)) return false;
            if (is_all) return true;
            NullBuilder<Source> checker(text_, options_.strict, context_.workspace);
            const Unit* p = text_.first;
            check(checker, p);
            if (checker.error == Error::kNoMemory) return false;
            const bool may_be_cut = checker.error == Error::kUnterminatedString || checker.error == Error::kEscapeAtEnd;
            if (!may_be_cut && text_.last - p > kLongestToken) return true;
        }
    }

    const Constants& constants_;
    Context& context_;
    const Options& options_;
    const Unit* const units_;
    Text<Source> text_;      // what is read: from unit `start_` on
    std::size_t start_ = 0;
    PaddedCopy<Source> copy_;
};

}  // namespace ocior::decode
