#include "stream/framing.h"

#include <cstdio>

#include "grammar/builder.h"
#include "grammar/text.h"
#include "grammar/words.h"
#include "text/scan.h"

namespace ocior::stream {
namespace {

bool is_space(std::uint8_t byte) noexcept { return byte == ' ' || byte == '\t' || byte == '\r' || byte == '\n'; }

const std::uint8_t* find_newline(const std::uint8_t* first, const std::uint8_t* last) noexcept {
    return first == last ? nullptr : static_cast<const std::uint8_t*>(std::memchr(first, '\n', static_cast<std::size_t>(last - first)));
}

}  // namespace

// Passes over a byte order mark. False where more has to come to tell whether there is one.
bool Framer::skip_mark(Block& block, bool is_final) noexcept {
    constexpr std::uint8_t kMark[] = {0xEF, 0xBB, 0xBF};
    const std::size_t n = std::min(block.byte_len(), sizeof kMark);
    const bool may_be_mark = n == 0 || std::memcmp(block.first(), kMark, n) == 0;
    if (may_be_mark && n < sizeof kMark && !is_final) return false;
    if (may_be_mark && n == sizeof kMark) block.advance(block.first() + sizeof kMark);
    return is_begun_ = true;
}

Next Framer::next(Block& block, bool is_final, Record& record, Workspace& workspace) noexcept {
    if (OCIOR_UNLIKELY(!is_begun_) && !skip_mark(block, is_final)) return Next::kMore;
    switch (framing_) {
        case Framing::kLines: return next_line(block, is_final, record);
        case Framing::kValues: return next_value(block, is_final, record);
        case Framing::kItems: break;
    }
    return next_item(block, is_final, record, workspace);
}

bool Framer::accept(Block& block, const Record& record, const std::uint8_t* next) noexcept {
    if (OCIOR_UNLIKELY(next > record.last)) return false;
    while (next != record.last && is_space(*next)) ++next;
    if (OCIOR_UNLIKELY(next != record.last)) return false;
    pass(block, record);
    return true;
}

void Framer::pass(Block& block, const Record& record) noexcept {
    const bool has_newline = framing_ == Framing::kLines && !record.is_torn;
    block.advance(record.last + has_newline);
    if (has_newline) block.pass_line();
    looked_at_ = 0;
    end_.begin();
    place_ = 0;
    at_ = At::kAfter;
}

bool Framer::pass_unfinished(Block& block) noexcept {
    is_discarding_ = framing_ != Framing::kItems || (at_ == At::kValue && is_inside_);
    if (!is_discarding_) at_ = At::kDone;
    end_.drop();
    looked_at_ = 0;
    block.advance(block.last());
    return is_discarding_;
}

// Passes over more of a value that has been passed over before it was whole. Null while its end has not come.
const std::uint8_t* Framer::find_end_of_passed(Block& block) noexcept {
    const std::uint8_t* const end = end_.find(block.first(), block.last(), framing_ == Framing::kValues);
    if (!end) end_.drop();
    block.advance(end ? end : block.last());
    is_discarding_ = !end;
    return end;
}

Next Framer::next_line(Block& block, bool is_final, Record& record) noexcept {
    for (;;) {
        const std::uint8_t* p = block.first();
        const std::uint8_t* const last = block.last();
        const std::uint8_t* const newline = find_newline(p + looked_at_, last);
        if (!newline && !is_final) {
            while (p != last && is_space(*p)) ++p;  // white space makes no line too long
            block.advance(is_discarding_ ? last : p);
            looked_at_ = block.byte_len();
            return Next::kMore;
        }
        const std::uint8_t* const end = newline ? newline : last;
        while (p != end && is_space(*p)) ++p;
        if (OCIOR_LIKELY(p != end && !is_discarding_)) {
            record = {p, end, nullptr, !newline};
            return Next::kRecord;
        }
        is_discarding_ = false;
        looked_at_ = 0;
        block.advance(newline ? newline + 1 : last);
        if (!newline) return Next::kEnd;
        block.pass_line();
    }
}

Next Framer::next_value(Block& block, bool is_final, Record& record) noexcept {
    if (OCIOR_UNLIKELY(is_discarding_)) {
        if (!find_end_of_passed(block)) return is_final ? Next::kEnd : Next::kMore;
        end_.begin();
    }
    const std::uint8_t* p = block.first();
    const std::uint8_t* const last = block.last();
    while (p != last && (is_space(*p) || *p == kSeparator)) ++p;
    block.advance(p);
    if (p == last) return is_final ? Next::kEnd : Next::kMore;
    const std::uint8_t* end = end_.find(p, last, true);
    if (!end && !is_final) return Next::kMore;
    record = {p, end ? end : last, nullptr, !end};
    return Next::kRecord;
}

// What stands around the items is wrong at `at`.
Next Framer::item_mistake(Error error, const Block& block, const std::uint8_t* at, Record& record) noexcept {
    constexpr std::ptrdiff_t kShown = 64;  // bytes behind the mistake
    mistake_ = error;
    mistake_at_ = static_cast<std::size_t>(at - block.first());
    at_ = At::kDone;
    record = {block.first(), end_of_characters(at, at + std::min(kShown, block.last() - at)), nullptr, false};
    return Next::kMistake;
}

// Checks the value, or key, that begins so many bytes behind the block's first: the unit behind it, or the one to blame.
const std::uint8_t* Framer::skip(const Block& block, std::size_t place, Workspace& workspace, Error& error) const noexcept {
    Call<Utf8Source> call{{block.first(), block.last()}, steps_.is_strict, workspace, Error::kNone, steps_.max_depth};
    const std::uint8_t* const next = skip_value(call, block.first() + place, level_ + 1);
    error = call.error;
    return next;
}

Next Framer::unfinished_item(const Block& block, bool is_final, Workspace& workspace, Record& record) noexcept {
    if (!is_final) return Next::kMore;
    if (is_discarding_) return Next::kEnd;  // the record has been told of
    const auto torn = [&](Error error, const std::uint8_t* at) {
        (void)item_mistake(error, block, at, record);
        record.last = block.last();
        record.is_torn = true;
        return Next::kMistake;
    };
    if (at_ == At::kValue && is_inside_) {
        Error error;
        const std::uint8_t* const next = skip(block, value_, workspace, error);
        // A number that touches the end may have lost digits: it is no item.
        if (error == Error::kNone && next == block.last()) return torn(Error::kExpectingComma, next);
        record = {block.first() + value_, block.last(), nullptr, true};
        return Next::kRecord;
    }
    if (at_ == At::kKey) return torn(Error::kUnterminatedString, block.first() + begin_);
    const Error error = at_ == At::kColon                                         ? Error::kExpectingColon
                        : at_ == At::kAfter                                       ? Error::kExpectingComma
                        : (at_ == At::kMember || at_ == At::kFirst) && is_object_ ? Error::kExpectingPropertyName
                                                                                  : Error::kExpectingValue;
    return torn(error, block.last());
}

// Whether the key, or the number, of the member that begins is the pointer's next step.
bool Framer::leads_on(const Block& block, Workspace& workspace) const noexcept {
    const auto step = static_cast<Py_ssize_t>(level_);
    PyObject* const bytes = PyTuple_GET_ITEM(steps_.texts, step);
    const char* const text = PyBytes_AS_STRING(bytes);
    const auto byte_len = static_cast<std::size_t>(PyBytes_GET_SIZE(bytes));
    if (!is_object_) {
        char digits[24];
        const int n = std::snprintf(digits, sizeof digits, "%zu", number_);
        return static_cast<std::size_t>(n) == byte_len && std::memcmp(digits, text, byte_len) == 0;
    }
    const std::uint8_t* const first = block.first() + begin_ + 1;
    const std::uint8_t* const last = block.first() + key_end_ - 1;
    if (std::find(first, last, std::uint8_t{'\\'}) == last)
        return static_cast<std::size_t>(last - first) == byte_len && std::memcmp(first, text, byte_len) == 0;
    Call<Utf8Source> call{{first, block.last()}, false, workspace};
    const auto key = read_text(call, first);
    if (!key.units) return false;
    if (key.width == 0) return key.unit_count == byte_len && std::memcmp(key.units, text, byte_len) == 0;
    PyObject* const name = PyTuple_GET_ITEM(steps_.names, step);
    const auto unit_at = [&key](std::size_t i) -> std::uint32_t {
        if (key.width == 1) return static_cast<const std::uint8_t*>(key.units)[i];
        if (key.width == 2) return static_cast<const std::uint16_t*>(key.units)[i];
        return static_cast<const std::uint32_t*>(key.units)[i];
    };
    if (static_cast<std::size_t>(PyUnicode_GET_LENGTH(name)) != key.unit_count) return false;
    for (std::size_t i = 0; i < key.unit_count; ++i)
        if (PyUnicode_READ_CHAR(name, static_cast<Py_ssize_t>(i)) != unit_at(i)) return false;
    return true;
}

// Checks a value on the way that is not wanted, and passes over it. False where it is wrong: mistake_ is set.
bool Framer::pass_member(Block& block, const std::uint8_t* end, Workspace& workspace, Record& record) noexcept {
    Error error;
    const std::uint8_t* const next = skip(block, value_, workspace, error);
    if (error != Error::kNone || next != end) {
        (void)item_mistake(error != Error::kNone ? error : Error::kExpectingComma, block, next, record);
        return false;
    }
    block.advance(end);
    place_ = 0;
    at_ = At::kAfter;
    ++number_;
    return true;
}

Next Framer::next_item(Block& block, bool is_final, Record& record, Workspace& workspace) noexcept {
    for (;;) {
        if (at_ == At::kDone) return Next::kEnd;
        if (block.byte_len() == 0) return unfinished_item(block, is_final, workspace, record);
        if (OCIOR_UNLIKELY(is_discarding_)) {
            place_ = 0;
            if (find_end_of_passed(block)) at_ = At::kAfter;
            continue;
        }
        const std::uint8_t* const base = block.first();
        const std::uint8_t* const p = text::skip_whitespace(base + place_);
        place_ = static_cast<std::size_t>(p - base);
        if (p >= block.last()) return unfinished_item(block, is_final, workspace, record);
        switch (at_) {
            case At::kTarget:
                if (start_of(*p) == Start::kNone) return item_mistake(Error::kExpectingValue, block, p, record);
                if (*p != '[' && *p != '{') return Next::kNowhere;
                is_object_ = *p == '{';
                is_inside_ = level_ == steps_.count;
                number_ = 0;
                block.advance(p + 1);
                place_ = 0;
                at_ = At::kFirst;
                break;
            case At::kAfter:
                block.advance(p);
                place_ = 0;
                if (*p == ',') {
                    place_ = 1;
                    at_ = At::kMember;
                    break;
                }
                if (*p != (is_object_ ? '}' : ']')) return item_mistake(Error::kExpectingComma, block, p, record);
                [[fallthrough]];
            case At::kFirst:
                if (*p == (is_object_ ? '}' : ']')) {
                    if (!is_inside_) return Next::kNowhere;
                    block.advance(p + 1);
                    at_ = At::kDone;
                    return Next::kEnd;
                }
                [[fallthrough]];
            case At::kMember:
                begin_ = place_;
                end_.begin();
                at_ = is_object_ ? At::kKey : At::kValueStart;
                if (is_object_ && *p != '"')
                    return item_mistake(*p == '}' ? Error::kTrailingCommaInObject : Error::kExpectingPropertyName, block, p, record);
                break;
            case At::kKey: {
                const std::uint8_t* const end = end_.find(base + begin_, block.last(), false);
                if (!end) return unfinished_item(block, is_final, workspace, record);
                if (!is_inside_) {
                    Error error;
                    const std::uint8_t* const next = skip(block, begin_, workspace, error);
                    if (error != Error::kNone) return item_mistake(error, block, next, record);
                }
                key_end_ = place_ = static_cast<std::size_t>(end - base);
                at_ = At::kColon;
                break;
            }
            case At::kColon:
                if (*p != ':') return item_mistake(Error::kExpectingColon, block, p, record);
                ++place_;
                at_ = At::kValueStart;
                break;
            case At::kValueStart:
                if (*p == ',' || *p == ':' || *p == ']' || *p == '}') {  // a value is missing, and where the next one begins is a guess
                    const bool is_trailing = *p == ']' && !is_object_;
                    return item_mistake(is_trailing ? Error::kTrailingCommaInArray : Error::kExpectingValue, block, p, record);
                }
                value_ = place_;
                end_.begin();
                at_ = At::kValue;
                if (!is_inside_ && leads_on(block, workspace)) {
                    block.advance(p);
                    place_ = 0;
                    ++level_;
                    at_ = At::kTarget;
                }
                break;
            case At::kValue: {
                const std::uint8_t* end = end_.find(base + value_, block.last(), false);
                if (!end) return unfinished_item(block, is_final, workspace, record);
                if (is_inside_) {
                    record = {base + value_, end, is_object_ ? base + begin_ + 1 : nullptr, false};
                    return Next::kRecord;
                }
                if (!pass_member(block, end, workspace, record)) return Next::kMistake;
                break;
            }
            case At::kDone: break;
        }
    }
}

}  // namespace ocior::stream
