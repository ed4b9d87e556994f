#include "stream/snapshot.h"

#include <algorithm>

#include "text/scan.h"

namespace ocior::stream {
namespace {

// Whether the six bytes at `p` are the escape of the first half of a pair of surrogates.
bool is_high_surrogate(const std::uint8_t* p) noexcept {
    const auto lower = [](std::uint8_t byte) { return byte | 0x20; };
    return p[0] == '\\' && p[1] == 'u' && lower(p[2]) == 'd' && (p[3] == '8' || p[3] == '9' || lower(p[3]) == 'a' || lower(p[3]) == 'b');
}

// Whether an odd number of backslashes ends at `p`, which is one.
bool begins_escape(const std::uint8_t* first, const std::uint8_t* p) noexcept {
    const std::uint8_t* q = p;
    while (q != first && q[-1] == '\\') --q;
    return (p - q) % 2 == 0;
}

// Whether a part of a string's text stands for itself.
bool is_plain_ascii(const std::uint8_t* first, const std::uint8_t* last) noexcept {
    bool is_plain = true;
    for (; first != last; ++first) is_plain &= *first >= 0x20 && *first < 0x80 && *first != '\\';
    return is_plain;
}

// How far the text of an open string goes without half a character, half an escape, or half a pair of surrogates at its end.
const std::uint8_t* end_of_whole(const std::uint8_t* first, const std::uint8_t* last) noexcept {
    constexpr std::ptrdiff_t kEscape = 6;
    for (const std::uint8_t* p = last; p != first && last - p < kEscape;) {
        if (*--p != '\\' || !begins_escape(first, p)) continue;
        const std::ptrdiff_t length = last - p;
        if (length < 2 || (p[1] == 'u' && length < kEscape)) last = p;
        break;
    }
    if (last - first >= kEscape && is_high_surrogate(last - kEscape) && begins_escape(first, last - kEscape)) last -= kEscape;
    return end_of_characters(first, last);
}

}  // namespace

void Snapshot::forget() noexcept {
    // What goes may run code of the caller's, and the garbage collector with it, which finds no level that is gone.
    while (depth_ != 0) {
        const Level level = levels_.data()[--depth_];
        Py_DECREF(level.container);
        Py_XDECREF(level.key);
    }
    at_ = 0;
    Py_CLEAR(root_);
    expects_ = Expects::kValue;
    is_token_open_ = false;
    offset_ = ~std::uint64_t{0};
}

int Snapshot::visit(visitproc visit, void* arg) const noexcept {
    for (std::size_t i = 0; i < depth_; ++i) {
        Py_VISIT(levels_.data()[i].container);
        Py_VISIT(levels_.data()[i].key);
    }
    Py_VISIT(root_);
    return 0;
}

bool Snapshot::fail(Error error, const std::uint8_t* at) noexcept {
    error_ = error;
    mistake_ = at;
    return false;
}

PyObject* Snapshot::read(const Means& means, const std::uint8_t* p, const std::uint8_t* last, const std::uint8_t*& next) noexcept {
    means.context.allocator.refresh(means.constants.tricks, false);
    const auto read = decode::read_inside(means.constants, means.context, means.options, Text<Utf8Source>{p, last}, p, 0);
    next = read.next;
    if (!read.value) (void)fail(read.error, read.next);
    return read.value;
}

bool Snapshot::open(const Means& means, bool is_object) noexcept {
    if (depth_ == means.options.max_depth) return fail(is_object ? Error::kTooDeepObject : Error::kTooDeepArray, nullptr);
    if (!levels_.reserve(depth_ + 1)) return fail(Error::kNoMemory, nullptr);
    PyObject* const container = is_object ? PyDict_New() : PyList_New(0);
    if (!container) return fail(Error::kPython, nullptr);
    levels_.data()[depth_++] = {container, nullptr, is_object};
    expects_ = is_object ? Expects::kFirstKey : Expects::kFirstValue;
    return true;
}

// A value is complete, which is taken over.
bool Snapshot::put(PyObject* value) noexcept {
    const Owned owned = Owned::steal(value);
    expects_ = Expects::kAfter;
    if (depth_ == 0) {
        root_ = Owned::borrow(value).release();
        expects_ = Expects::kNothing;
        return true;
    }
    Level& level = levels_.data()[depth_ - 1];
    if (!level.is_object) return PyList_Append(level.container, value) == 0 || fail(Error::kPython, nullptr);
    const Owned key = Owned::steal(std::exchange(level.key, nullptr));
    if (OCIOR_UNLIKELY(keeps_first_)) return PyDict_SetDefault(level.container, key.get(), value) || fail(Error::kPython, nullptr);
    return PyDict_SetItem(level.container, key.get(), value) == 0 || fail(Error::kPython, nullptr);
}

bool Snapshot::advance(const Means& means, const std::uint8_t* first, const std::uint8_t* last) noexcept {
    for (;;) {
        if (expects_ == Expects::kNothing) return true;
        const std::uint8_t* const p = text::skip_whitespace(first + at_);
        at_ = static_cast<std::size_t>(p - first);
        if (p >= last) return true;
        bool is_closed = false;
        switch (expects_) {
            case Expects::kColon:
                if (*p != ':') return fail(Error::kExpectingColon, p);
                ++at_;
                expects_ = Expects::kValue;
                continue;
            case Expects::kAfter:
                if (*p == ',') {
                    ++at_;
                    expects_ = levels_.data()[depth_ - 1].is_object ? Expects::kKey : Expects::kValue;
                    continue;
                }
                is_closed = *p == (levels_.data()[depth_ - 1].is_object ? '}' : ']');
                if (!is_closed) return fail(Error::kExpectingComma, p);
                break;
            case Expects::kFirstKey: is_closed = *p == '}'; break;
            case Expects::kFirstValue: is_closed = *p == ']'; break;
            default: break;
        }
        if (is_closed) {
            ++at_;
            if (!put(levels_.data()[--depth_].container)) return false;
            continue;
        }
        const bool is_key = expects_ == Expects::kKey || expects_ == Expects::kFirstKey;
        if (is_key && *p != '"') return fail(*p == '}' ? Error::kTrailingCommaInObject : Error::kExpectingPropertyName, p);
        const bool is_item = depth_ != 0 && !levels_.data()[depth_ - 1].is_object;
        if (is_item && expects_ == Expects::kValue && *p == ']') return fail(Error::kTrailingCommaInArray, p);
        if (!is_key && (*p == '{' || *p == '[')) {
            ++at_;
            if (!open(means, *p == '{')) return false;
            continue;
        }
        if (!is_token_open_) {
            end_.begin();
            begin_text();
        }
        is_token_open_ = true;
        if (!end_.find(p, last, false)) return true;
        is_token_open_ = false;
        const std::uint8_t* next = p;
        PyObject* const value = read(means, p, last, next);
        if (!value) return false;
        at_ = static_cast<std::size_t>(next - first);
        if (is_key) {
            levels_.data()[depth_ - 1].key = value;
            expects_ = Expects::kColon;
            if (OCIOR_UNLIKELY(means.options.duplicate_keys == decode::DuplicateKeys::kError)) {
                const int is_there = PyDict_Contains(levels_.data()[depth_ - 1].container, value);
                if (is_there != 0) return fail(is_there > 0 ? Error::kDuplicateKey : Error::kPython, p);
            }
        } else if (!put(value)) {
            return false;
        }
    }
}

// Appends text, given as a str holds it, to that of the open string.
bool Snapshot::append_text(int kind_of_piece, const void* piece, std::size_t length, Py_UCS4 largest) noexcept {
    const int kind = std::max(kind_of_piece, text_kind_);
    if (!text_.reserve((text_len_ + length) * static_cast<std::size_t>(kind))) return false;
    std::uint8_t* const units = text_.data();
    if (kind != text_kind_)
        for (auto k = static_cast<Py_ssize_t>(text_len_); k-- > 0;) PyUnicode_WRITE(kind, units, k, PyUnicode_READ(text_kind_, units, k));
    text_kind_ = kind;
    if (kind_of_piece == kind) {
        std::memcpy(units + text_len_ * static_cast<std::size_t>(kind), piece, length * static_cast<std::size_t>(kind));
    } else {
        for (std::size_t k = 0; k < length; ++k)
            PyUnicode_WRITE(kind, units, static_cast<Py_ssize_t>(text_len_ + k),
                            PyUnicode_READ(kind_of_piece, piece, static_cast<Py_ssize_t>(k)));
    }
    text_len_ += length;
    text_max_ = std::max(text_max_, largest);
    return true;
}

// The text so far of the string that begins at `first`. False where it is wrong already.
bool Snapshot::begin_of_string(const Means& means, const std::uint8_t* first, const std::uint8_t* last, Owned& string) noexcept {
    const std::uint8_t* const piece = first + text_at_;
    const auto byte_len = static_cast<std::size_t>(end_of_whole(piece, last) - piece);
    if (byte_len != 0 && is_plain_ascii(piece, piece + byte_len)) {
        if (!append_text(PyUnicode_1BYTE_KIND, piece, byte_len, 0x7F)) return fail(Error::kNoMemory, first);
        text_at_ += byte_len;
    } else if (byte_len != 0) {
        if (!piece_.reserve(byte_len + 3 + kReadSlack)) return fail(Error::kNoMemory, first);
        std::uint8_t* const copy = piece_.data();
        copy[0] = '"';
        std::memcpy(copy + 1, piece, byte_len);
        copy[byte_len + 1] = '"';
        std::memset(copy + byte_len + 2, 0, 1 + kReadSlack);
        const std::uint8_t* next;
        const Owned text = Owned::steal(read(means, copy, copy + byte_len + 2, next));
        if (!text) {
            mistake_ = piece + (mistake_ - copy - 1);
            return false;
        }
        if (!append_text(PyUnicode_KIND(text.get()), PyUnicode_DATA(text.get()), static_cast<std::size_t>(PyUnicode_GET_LENGTH(text.get())),
                         PyUnicode_MAX_CHAR_VALUE(text.get())))
            return fail(Error::kNoMemory, first);
        text_at_ += byte_len;
    }
    if (text_len_ < 2) {  // CPython has one of each of these
        string = Owned::steal(PyUnicode_FromKindAndData(text_kind_, text_.data(), static_cast<Py_ssize_t>(text_len_)));
        return string || fail(Error::kPython, first);
    }
    string = Owned::steal(PyUnicode_New(static_cast<Py_ssize_t>(text_len_), text_max_));
    if (!string) return fail(Error::kPython, first);
    std::memcpy(PyUnicode_DATA(string.get()), text_.data(), text_len_ * static_cast<std::size_t>(text_kind_));
    return true;
}

// The text of a string that begins is empty so far.
void Snapshot::begin_text() noexcept {
    constexpr std::size_t kKept = 1024 * 1024;
    text_.trim(kKept);
    piece_.trim(kKept);
    text_at_ = 1;
    text_len_ = 0;
    text_kind_ = 1;
    text_max_ = 0;
}

// Puts the value into the container, behind what is complete in it. False with an exception set.
bool Snapshot::add_open(const Level& level, PyObject* container, PyObject* value) const noexcept {
    if (!level.is_object) return PyList_Append(container, value) == 0;
    return keeps_first_ ? PyDict_SetDefault(container, level.key, value) != nullptr : PyDict_SetItem(container, level.key, value) == 0;
}

// The open containers, each with what is complete in it and, behind that, the next one. Null with an exception set.
PyObject* Snapshot::put_together(Owned innermost) noexcept {
    for (std::size_t i = depth_; i-- > 0;) {
        const Level& level = levels_.data()[i];
        const Owned inner = std::move(innermost);
        innermost = Owned::steal(level.is_object ? PyDict_Copy(level.container)
                                                 : PyList_GetSlice(level.container, 0, PyList_GET_SIZE(level.container)));
        if (!innermost || (inner && !add_open(level, innermost.get(), inner.get()))) return nullptr;
    }
    return innermost.release();
}

PyObject* Snapshot::take(const Means& means, std::uint64_t offset, const std::uint8_t* first, const std::uint8_t* last,
                         bool with_strings) noexcept {
    if (offset != offset_) forget();
    offset_ = offset;
    error_ = Error::kNone;
    keeps_first_ = means.options.duplicate_keys == decode::DuplicateKeys::kFirst;
    if (!advance(means, first, last)) {
        forget();
        return nullptr;
    }
    if (root_) return new_ref(root_);
    Owned string;
    const std::uint8_t* const p = first + at_;
    const bool is_string = is_token_open_ && p < last && *p == '"' && (expects_ == Expects::kValue || expects_ == Expects::kFirstValue);
    if (is_string && with_strings && !begin_of_string(means, p, last, string)) return nullptr;
    if (depth_ == 0 && !string) return new_ref(Py_None);
    PyObject* const value = put_together(std::move(string));
    if (!value) error_ = Error::kPython;
    return value;
}

}  // namespace ocior::stream
