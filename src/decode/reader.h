// Python objects out of a document, value by value: which builder makes them, and what it needs before and after.
#pragma once

#include "decode/decode.h"
#include "decode/errors/duplicates.h"
#include "decode/py_builder.h"
#include "grammar/document.h"
#include "text/utf8.h"

namespace ocior::decode {

using namespace grammar;

template <typename Source>
class Reader {
    using Unit = typename Source::Unit;

public:
    Reader(const Constants& constants, Context& context, const Options& options, const void* units, std::size_t length) noexcept
        : constants_(constants), context_(context), options_(options), document_(units, length) {}

    // As those of Document: one of them is to be called before anything is read. False when out of memory.
    [[nodiscard]] OCIOR_INLINE bool pad() noexcept { return document_.pad(); }
    [[nodiscard]] bool pad_value(std::size_t index) noexcept { return document_.pad_value(index, options_.strict, context_.workspace); }
    [[nodiscard]] bool pad_string(std::size_t index) noexcept { return document_.pad_string(index, options_.strict, context_.workspace); }

    // Whether the end of a long document is UTF-8, before anything is read: documents that were cut off, or have something else behind
    // them, are refused as fast as json refuses them, which decodes before it reads. To look at all bytes would take up to a third of
    // the time that reading takes; at the last 64, or 1 of 256, it takes at most 1 of 500.
    OCIOR_INLINE bool ends_in_utf8() const noexcept {
        constexpr std::size_t kLong = 4096, kShare = 256, kLeast = 64;
        const Text<Source>& text = document_.text();
        const auto length = static_cast<std::size_t>(text.last - text.first);
        if (length < kLong) return true;
        const Unit* first = text.last - (length / kShare > kLeast ? length / kShare : kLeast);
        for (int i = 0; i < 3 && (*first & 0xC0) == 0x80; ++i) ++first;  // the rest of a character
        return text::is_utf8(first, text.last);
    }

    OCIOR_INLINE std::size_t skip_whitespace(std::size_t index) const noexcept { return document_.skip_whitespace(index); }

    OCIOR_INLINE Scanned value(std::size_t index) noexcept {
        const bool has_hooks = options_.has_hooks();
        if (options_.has_checks && options_.other_reader)
            return options_.other_reader->of_source[Source::kIndex](options_.other_reader->reading, context_, &document_, index);
        if (has_hooks || options_.has_checks) return read<PyBuilder<Source, Asked::kAnything>>(index, has_hooks);
        const Scanned found = read<PyBuilder<Source, Asked::kNothing>>(index, false);
        if (OCIOR_LIKELY(found.error != Error::kExpectingValue) || !options_.dialect->takes_words_in_any_case) return found;
        return read<PyBuilder<Source, Asked::kAnything>>(index, false);  // which takes them
    }

    Scanned string(std::size_t index) noexcept {
        context_.allocator.refresh(constants_.tricks, false);
        PyCall<Source> call(document_.text(), options_, constants_, context_);
        const auto read = read_any_string(call, document_.at(index));
        return {read.object, static_cast<Py_ssize_t>(document_.index_of(read.next)), call.error};
    }

    // How far reading has come, for those who provide its memory.
    Progress* follow() noexcept {
        const Text<Source>& text = document_.text();
        context_.progress = {text.first, text.first, text.last, sizeof(Unit), 0};
        return &context_.progress;
    }

private:
    template <typename Builder>
    OCIOR_INLINE Scanned read(std::size_t index, bool python_may_run) noexcept {
        context_.allocator.refresh(constants_.tricks, python_may_run);
        Builder builder(document_.text(), options_, constants_, context_);
        auto found = document_.read(builder, index);
        if (OCIOR_UNLIKELY(found.error == Error::kDuplicateKey)) {
            found.next = document_.index_of(find_second_key(builder, document_.at(index), document_.at(found.next)));
            found.error = builder.error;
        }
        return {found.value, static_cast<Py_ssize_t>(found.next), found.error};
    }

    const Constants& constants_;
    Context& context_;
    const Options& options_;
    Document<Source> document_;
};

}  // namespace ocior::decode
