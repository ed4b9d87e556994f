// A document of which any builder reads any value, wherever that begins: its units are padded once. Where it is one value that is wanted,
// only as much is padded as that takes, whatever follows it.
#pragma once

#include "grammar/padded.h"
#include "grammar/parser.h"
#include "grammar/text.h"

namespace ocior::grammar {

// What a builder has made of a value, and the index of the unit behind it; or a value that is false, why, and the index of the unit to
// blame.
template <typename Value>
struct ReadValue {
    Value value;
    std::size_t next;
    Error error;
};

template <typename Source>
class Document {
    using Unit = typename Source::Unit;

public:
    // The units stay where they are, do not change, and have a NUL behind them.
    Document(const void* units, std::size_t length) noexcept : units_(static_cast<const Unit*>(units)), text_{units_, units_ + length} {}

    // Whether nothing need be padded: memory behind the text is readable.
    OCIOR_INLINE bool is_padded_already() const noexcept { return may_read_in_place(text_.last); }

    // Before anything is read, one of the following is called, once. They return false when out of memory. The first one pads all.
    [[nodiscard]] OCIOR_INLINE bool pad() noexcept { return is_padded_already() || copy_.take(text_); }
    // Pads the value at unit `index`.
    [[nodiscard]] bool pad_value(std::size_t index, bool strict, Workspace& workspace) noexcept {
        return pad_part(index, strict, workspace, [](Call<Source>& call, const Unit* p) { return skip_value(call, p, 0); });
    }
    // Pads the string whose text begins at unit `index`, behind its opening quote.
    [[nodiscard]] bool pad_string(std::size_t index, bool strict, Workspace& workspace) noexcept {
        return pad_part(index, strict, workspace, [](Call<Source>& call, const Unit* p) {
            (void)skip_string(call, p, p);
            return p;
        });
    }

    // What is padded: builders are made of it, and find the unit at `index` there.
    const Text<Source>& text() const noexcept { return text_; }
    const Unit* at(std::size_t index) const noexcept { return text_.first + (index - start_); }
    std::size_t index_of(const Unit* p) const noexcept { return start_ + static_cast<std::size_t>(p - text_.first); }

    // The unit at or behind `index` that is no white space.
    OCIOR_INLINE std::size_t skip_whitespace(std::size_t index) const noexcept { return index_of(text::skip_whitespace(at(index))); }

    // Reads the value that begins at unit `index`, exactly there. `depth`: how many containers are open around it, of the builder's
    // max_depth.
    template <BuilderOf<Source> Builder>
    OCIOR_INLINE ReadValue<typename Builder::Value> read(Builder& builder, std::size_t index, std::size_t depth = 0) noexcept {
        const auto parsed = Parser<Source, Builder>::run(builder, at(index), depth);
        return {parsed.value, index_of(parsed.next), builder.error};
    }

private:
    // Copies more and more from `index` on, until `skip(call, p)` gets to its end, or to a mistake, where no more text could change it.
    template <typename Skip>
    [[nodiscard]] bool pad_part(std::size_t index, bool strict, Workspace& workspace, Skip&& skip) noexcept {
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
            Call<Source> call{text_, strict, workspace};
            const Unit* const p = skip(call, text_.first);
            if (call.error == Error::kNoMemory) return false;
            const bool may_be_cut = call.error == Error::kUnterminatedString || call.error == Error::kEscapeAtEnd;
            if (!may_be_cut && text_.last - p > kLongestToken) return true;
        }
    }

    const Unit* const units_;
    Text<Source> text_;      // from unit `start_` on
    std::size_t start_ = 0;
    PaddedCopy<Source> copy_;
};

}  // namespace ocior::grammar
