#include "columns/column_builder.h"

#include <algorithm>
#include <utility>

#include "grammar/parser.h"
#include "text/utf8.h"

namespace ocior::columns {
namespace {

constexpr auto kQuote = static_cast<std::uint8_t>('"');

bool is_space(std::uint8_t byte) noexcept { return byte == ' ' || byte == '\t' || byte == '\r' || byte == '\n'; }

bool is_exact(std::uint64_t magnitude) noexcept {
    const auto value = static_cast<double>(magnitude);
    return value < 0x1p64 && static_cast<std::uint64_t>(value) == magnitude;
}

bool takes_anything(const Column& column) noexcept {
    return column.kind == Kind::kJson || (column.kind == Kind::kText && (column.seen & kAnyAsText));
}

// The first surrogate in UTF-8 that is valid but for those, or null.
const std::uint8_t* find_surrogate(const std::uint8_t* first, const std::uint8_t* last) noexcept {
    for (; first != last; ++first) {
        first = static_cast<const std::uint8_t*>(std::memchr(first, 0xED, static_cast<std::size_t>(last - first)));
        if (!first || first[1] >= 0xA0) return first;
    }
    return nullptr;
}

// The first surrogate without a pair in a value of JSON that has been skipped, and then the call's error is set; or null.
const std::uint8_t* find_lone_surrogate_in(Call<Utf8Source>& call, const std::uint8_t* first, const std::uint8_t* last) noexcept {
    const std::uint8_t* const escape = find_lone_escape<Utf8Source>(first, last);
    const std::uint8_t* const found = escape ? escape : find_surrogate(first, last);
    return found ? call.fail(Error::kLoneSurrogate, found) : nullptr;
}

struct Utf8 {
    const std::uint8_t* first;  // null: the call's error is set
    std::size_t byte_len;
    const std::uint8_t* next;  // behind the closing quote, or the unit to blame
};

// The text of the string at `p` in UTF-8, which has no surrogates.
Utf8 read_utf8(Call<Utf8Source>& call, const std::uint8_t* p, Buffer& scratch) noexcept {
    const auto text = read_text<Utf8Source>(call, p);
    if (!text.units) return {nullptr, 0, text.next};
    const auto refuse = [&] { return Utf8{nullptr, 0, call.fail(Error::kLoneSurrogate, find_lone_surrogate<Utf8Source>(p))}; };
    if (text.width == 0) {
        const auto* const first = static_cast<const std::uint8_t*>(text.units);
        if (text.bits >= 0x80 && find_surrogate(first, first + text.unit_count)) return refuse();
        return {first, text.unit_count, text.next};
    }
    if (!scratch.reserve(4 * text.unit_count + kReadSlack)) return {nullptr, 0, call.fail(Error::kNoMemory, p)};
    std::uint8_t* out = scratch.data();
    for (std::size_t i = 0; i < text.unit_count; ++i) {
        const std::uint32_t c = text.width == 1   ? static_cast<const std::uint8_t*>(text.units)[i]
                                : text.width == 2 ? static_cast<const std::uint16_t*>(text.units)[i]
                                                  : static_cast<const std::uint32_t*>(text.units)[i];
        if (OCIOR_UNLIKELY(text::is_surrogate(c))) return refuse();
        out = text::scalar::write_utf8(out, c);
    }
    return {scratch.data(), static_cast<std::size_t>(out - scratch.data()), text.next};
}

// Where in the record a column lies, as a JSON pointer.
void put_path(Text& text, const BuilderMemory& memory, std::size_t depth, const Column& column, std::int64_t index) noexcept {
    const auto step = [&](const Column& child, std::int64_t place) {
        if (!child.parent || child.parent->kind == Kind::kNull) return;
        text.put('/');
        if (child.parent->kind == Kind::kList) return text.put_integer(static_cast<std::uint64_t>(place), true);
        for (std::uint32_t i = 0; i < child.name_len; ++i) {
            if (child.name[i] == '~') text.put("~0", 2);
            else if (child.name[i] == '/') text.put("~1", 2);
            else text.put(child.name[i]);
        }
    };
    const ColumnFrame* const frames = memory.frames.data();
    for (std::size_t i = 2; i <= depth; ++i) {
        const Column& outer = *frames[i].column->parent;
        step(*frames[i].column, frames[i].index - (outer.kind == Kind::kList ? outer.item_count(frames[i - 1].index) : 0));
    }
    if (depth > 0 && column.parent)
        step(column, index - (column.parent->kind == Kind::kList ? column.parent->item_count(frames[depth].index) : 0));
}

const char* kind_of_text(std::uint8_t first) noexcept {
    switch (first) {
        case '"': return "a string";
        case '{': return "an object";
        case '[': return "an array";
        case 't':
        case 'f': return "true or false";
        case 'n': return "null";
        default: return "a number";
    }
}

}  // namespace

bool ColumnBuilder::fail(Problem what, const Cursor& cursor, const Unit* at) noexcept {
    problem = what;
    problem_at = at;
    Text text(memory.message);
    const auto put = [&](const char* words) { text.put(words, std::strlen(words)); };
    const auto put_place = [&] {
        put(" at ");
        put_path(text, memory, depth, *cursor.column, cursor.index);
    };
    switch (what) {
        case Problem::kNone: break;
        case Problem::kNoObject: put("A row must be an object"); break;
        case Problem::kType:
            put("Expected ");
            put_type_name(text, *cursor.column);
            put_place();
            put(", not ");
            // A number or a text may be of the right kind and still not fit.
            put(at ? kind_of_text(*at) : "an array of another length");
            if (cursor.column->declared && at && *at != '{' && *at != '[') put(" such as this one");
            break;
        case Problem::kMixed:
            put("Values of several types");
            put_place();
            break;
        case Problem::kUnexpected:
            put("Unexpected key");
            put_place();
            break;
        case Problem::kMissing:
            put("Missing value");
            put_place();
            break;
        case Problem::kTooMany:
            put("More than ");
            text.put_integer(rules.max_columns, false);
            put(" columns (max_columns)");
            break;
        case Problem::kName: put("A column cannot have U+0000 in its name"); break;
        case Problem::kTooLong: put("More than 2**31 - 1 items in a list column"); break;
    }
    text.put('\0');
    if (text.failed()) error = Error::kNoMemory;
    return false;
}

// A record that may be passed over must leave no trace in the types: before one changes, the whole record is looked at.
bool ColumnBuilder::is_rest_valid(bool is_asked) noexcept {
    if (is_checked_ || !(rules.is_tolerant || is_asked)) return true;
    Call<Source> call{text, strict, workspace, Error::kNone, max_depth};
    const Unit* end = skip_value<Source>(call, record, 0);
    if (call.error == Error::kNone) {
        while (end < last && is_space(*end)) ++end;
        if (end != last) call.error = Error::kExtraData;
    }
    if (call.error == Error::kNone) {
        end = find_lone_surrogate_in(call, record, last);
        if (!end) return is_checked_ = true;
    }
    error = call.error;
    problem_at = end;
    return false;
}

// The column, which has had nothing but nulls, becomes one of that kind.
bool ColumnBuilder::become(Cursor cursor, Kind kind, const Unit* p) noexcept {
    if (cursor.column->is_fixed) return fail(Problem::kType, cursor, p);
    if (!is_rest_valid()) return false;
    if (memory.column_count >= rules.max_columns && kind == Kind::kList) return fail(Problem::kTooMany, cursor, p);
    memory.column_count += kind == Kind::kList;
    if (change_kind(*cursor.column, kind)) return true;
    error = Error::kNoMemory;
    return false;
}

// The column's values, and those to come, are kept as text.
bool ColumnBuilder::mix(Cursor cursor, const Unit* p) noexcept {
    if (cursor.column->is_fixed) return fail(Problem::kType, cursor, p);
    if (rules.mixed == Mixed::kRaise) return fail(Problem::kMixed, cursor, p);
    if (!is_rest_valid()) return false;
    memory.column_count -= cursor.column->count_columns();
    if (make_text(*cursor.column, rules.mixed)) return true;
    error = Error::kNoMemory;
    return false;
}

bool ColumnBuilder::put_raw(Cursor cursor, const Unit* first, const Unit* end) noexcept {
    if (cursor.column->begin_value(cursor.index) && cursor.column->append_text(first, static_cast<std::size_t>(end - first))) return true;
    error = Error::kNoMemory;
    return false;
}

bool ColumnBuilder::may_enter(Cursor& cursor, const Unit* p) noexcept {
    Column& column = cleared(cursor);
    const bool is_object = *p == '{', is_map = column.declared && column.declared->code == Code::kMap;
    if (depth < kMostNests) {
        if (is_object ? column.kind == Kind::kStruct || is_map : column.kind == Kind::kList && !is_map) return true;
        if (column.kind == Kind::kNull) return become(cursor, is_object ? Kind::kStruct : Kind::kList, p);
    }
    if (!takes_anything(column)) (void)mix(cursor, p);
    return false;
}

bool ColumnBuilder::whole(Cursor& cursor, const Unit*& p, std::size_t outside) noexcept {
    if (error != Error::kNone || problem != Problem::kNone) return false;
    const Unit* const end = skip_value<Source>(*this, p, outside);
    const Unit* const first = std::exchange(p, end);
    if (error != Error::kNone) return false;
    if (const Unit* const surrogate = find_lone_surrogate_in(*this, first, end)) return p = surrogate, false;
    return put_raw(cursor, first, end);
}

Key ColumnBuilder::new_key(Column& owner, const std::uint8_t* name, std::size_t byte_len, const Unit* p, Column*& column) noexcept {
    if (owner.fields->unexpected == Unexpected::kIgnore) return Key::kUnwanted;
    if (owner.fields->unexpected == Unexpected::kRaise) {
        Column unknown;  // lends its name to the message
        unknown.parent = &owner;
        unknown.name = reinterpret_cast<char*>(const_cast<std::uint8_t*>(name));
        unknown.name_len = static_cast<std::uint32_t>(byte_len);
        (void)fail(Problem::kUnexpected, {&unknown, 0}, p - 1);
        unknown.name = nullptr;
        return Key::kFailed;
    }
    if (std::memchr(name, 0, byte_len)) return (void)fail(Problem::kName, {&owner, 0}, p - 1), Key::kFailed;
    if (memory.column_count >= rules.max_columns) return (void)fail(Problem::kTooMany, {&owner, 0}, p - 1), Key::kFailed;
    if (!is_rest_valid()) return Key::kFailed;
    bool is_new;
    column = owner.find_or_add(reinterpret_cast<const char*>(name), byte_len, is_new);
    if (!column) return error = Error::kNoMemory, Key::kFailed;
    ++memory.column_count;
    return Key::kWanted;
}

// The key at `p`, where it is none that was predicted.
ColumnBuilder::NextKey ColumnBuilder::next_key(Cursor cursor, Frame& frame, const Unit* p) noexcept {
    const auto scan = text::scan_string_utf8(p);
    const Unit* next = scan.stop + 1;
    const auto raw_len = static_cast<std::size_t>(next - p);
    const bool is_plain = *scan.stop == kQuote;
    const bool is_map = frame.column->kind == Kind::kList;
    if (is_plain && frame.at && !is_map) {
        if (ColumnNode* const known = ColumnTrie::find(frame.at, p, raw_len)) {
            frame.at->predicted = known;
            frame.at = known;
            Column* const column = known->leaf.column;
            return {column ? Key::kWanted : Key::kUnwanted, next, {column, frame.index}};
        }
    }
    Utf8 name{p, raw_len - 1, next};
    if (!is_plain || scan.max_byte >= 0x80) {
        name = read_utf8(*this, p, memory.scratch);
        if (!name.first) return {Key::kFailed, name.next, cursor};
        next = name.next;
    }
    if (is_map) return {map_key(cursor, frame, name.first, name.byte_len), next, cursor};
    Column& owner = *frame.column;
    const std::uint32_t place = *owner.fields->find(owner, name.first, name.byte_len);
    Column* column = nullptr;
    if (place != 0) {
        column = owner.children[place - 1];
    } else {
        const Key key = new_key(owner, name.first, name.byte_len, p, column);
        if (key == Key::kFailed) return {key, p, cursor};
    }
    if (frame.at && is_plain) {
        ColumnNode* const node = ColumnTrie::add(memory.budget, frame.at, p, raw_len, {column});
        if (node) frame.at->predicted = node;
        frame.at = node;
    }
    return {column ? Key::kWanted : Key::kUnwanted, next, {column, frame.index}};
}

ColumnBuilder::Taken ColumnBuilder::take_string(Cursor cursor, const Unit* p) noexcept {
    const Utf8 text = read_utf8(*this, p, memory.scratch);
    if (!text.first) return {false, text.next};
    Column& column = cleared(cursor);
    const auto done = [&](bool is_taken) { return Taken{is_taken, is_taken ? text.next : p - 1}; };
    if (column.kind == Kind::kNull && !become(cursor, Kind::kText, p - 1)) return done(false);
    if (column.kind == Kind::kDeclared) {
        return done(put_scalar(cursor, {.what = Scalar::What::kText, .first = text.first, .last = text.first + text.byte_len}, p - 1));
    }
    if (column.kind != Kind::kText && column.kind != Kind::kJson && !mix(cursor, p - 1)) return done(false);
    if (column.kind == Kind::kJson) return done(put_raw(cursor, p - 1, text.next));
    return done(put_raw(cursor, text.first, text.first + text.byte_len));
}

// A value for a column of a declared type.
bool ColumnBuilder::put_scalar(Cursor cursor, const Scalar& value, const Unit* p) noexcept {
    if (!cursor.column->begin_value(cursor.index)) return error = Error::kNoMemory, false;
    switch (put_declared(*cursor.column, value)) {
        case Put::kDone: return true;
        case Put::kRefused: return fail(Problem::kType, cursor, p);
        case Put::kNoMemory: break;
    }
    error = Error::kNoMemory;
    return false;
}

bool ColumnBuilder::take_word(Cursor cursor, bool value, const Unit* p) noexcept {
    Column& column = cleared(cursor);
    if (column.kind == Kind::kNull) {
        if (!become(cursor, Kind::kBool, p)) return false;
        Cursor place = cursor;
        return word(place, value ? kTrue : kFalse, p);
    }
    if (column.kind == Kind::kDeclared) return put_scalar(cursor, {.what = Scalar::What::kBool, .is_true = value}, p);
    if (!takes_anything(column) && !mix(cursor, p)) return false;
    return put_raw(cursor, p, p + (value ? 4 : 5));
}

bool ColumnBuilder::take_integer(Cursor cursor, std::uint64_t magnitude, bool negative, const Unit* first, const Unit* end) noexcept {
    Column& column = cleared(cursor);
    const bool is_beyond = magnitude >> 63 != 0 && !(negative && magnitude == std::uint64_t{1} << 63);
    if (column.kind == Kind::kDeclared)
        return put_scalar(
            cursor, {.what = Scalar::What::kInteger, .is_negative = negative, .magnitude = magnitude, .first = first, .last = end}, first);
    const auto put_real = [&] {
        const auto value = static_cast<double>(magnitude);
        return put(cursor, std::bit_cast<std::uint64_t>(negative && magnitude ? -value : value));
    };
    const std::uint64_t bits = negative ? 0 - magnitude : magnitude;
    if (column.is_fixed) {
        const bool is_unsigned = (column.seen & kSeenBeyond) != 0;
        if (column.kind == Kind::kInteger && (is_unsigned ? !negative || magnitude == 0 : !is_beyond)) return put(cursor, bits);
        if (column.kind == Kind::kReal && ((column.seen & kGiven) || is_exact(magnitude))) return put_real();
    } else {
        const auto now = static_cast<std::uint8_t>(kSeenInteger | (negative && magnitude ? kSeenNegative : 0) |
                                                   (is_beyond ? kSeenBeyond : 0) | (is_exact(magnitude) ? 0 : kSeenInexact));
        if (column.kind == Kind::kNull && !become(cursor, Kind::kInteger, first)) return false;
        if ((column.kind == Kind::kInteger || column.kind == Kind::kReal) && !is_mixed_number(column.seen | now)) {
            if ((now & ~column.seen) != 0 && !is_rest_valid()) return false;
            column.seen |= now;
            return column.kind == Kind::kInteger ? put(cursor, bits) : put_real();
        }
    }
    if (!takes_anything(column) && !mix(cursor, first)) return false;
    return put_raw(cursor, first, end);
}

bool ColumnBuilder::take_real(Cursor cursor, double value, const Unit* first, const Unit* end) noexcept {
    Column& column = cleared(cursor);
    if (column.kind == Kind::kDeclared)
        return put_scalar(cursor, {.what = Scalar::What::kReal, .real = value, .first = first, .last = end}, first);
    if (!column.is_fixed) {
        if (column.kind == Kind::kNull && !become(cursor, Kind::kReal, first)) return false;
        if (column.kind == Kind::kInteger && !is_mixed_number(column.seen | kSeenReal)) {
            if (!is_rest_valid()) return false;
            make_real(column);
        }
        if (column.kind == Kind::kReal) column.seen |= kSeenReal;
    }
    if (column.kind == Kind::kReal) return put(cursor, std::bit_cast<std::uint64_t>(value));
    if (!takes_anything(column) && !mix(cursor, first)) return false;
    return put_raw(cursor, first, end);
}

bool ColumnBuilder::take_number(Cursor cursor, const num::Number& number, const Unit* first, const Unit* end) noexcept {
    if (number.kind == num::NumberKind::kFloat64) return take_real(cursor, number.d, first, end);
    const bool negative = *first == '-';
    if (number.kind == num::NumberKind::kInt64) {
        const auto bits = static_cast<std::uint64_t>(number.i);
        return take_integer(cursor, negative ? 0 - bits : bits, negative, first, end);
    }
    // Digits of an integer beyond 63 bits, and a sign: 64 bits may hold it.
    std::uint64_t magnitude = 0;
    bool fits = true;
    for (const Unit* p = first + negative; p != end && fits; ++p)
        fits = !__builtin_mul_overflow(magnitude, std::uint64_t{10}, &magnitude) &&
               !__builtin_add_overflow(magnitude, std::uint64_t{*p} - '0', &magnitude);
    if (fits && !negative) return take_integer(cursor, magnitude, false, first, end);
    Column& column = cleared(cursor);
    if (column.kind == Kind::kDeclared)
        return put_scalar(cursor, {.what = Scalar::What::kBigInteger, .is_negative = negative, .first = first, .last = end}, first);
    if (column.kind == Kind::kReal && (column.seen & kGiven)) {
        // As a double it is what its digits are with an exponent behind them.
        Text text(memory.scratch);
        text.put(first, static_cast<std::size_t>(end - first));
        text.put("e0,", 3);
        if (text.room(kReadSlack) == nullptr) return error = Error::kNoMemory, false;
        num::Number real;
        (void)num::read_number(text.data(), real);
        return put(cursor, std::bit_cast<std::uint64_t>(real.d));
    }
    if (!takes_anything(column) && !mix(cursor, first)) return false;
    return put_raw(cursor, first, end);
}

bool ColumnBuilder::non_finite(Cursor& cursor, NonFinite which, const Unit* p) noexcept {
    constexpr double kValues[] = {__builtin_nan(""), __builtin_inf(), -__builtin_inf()};
    constexpr std::size_t kLengths[] = {3, 8, 9};
    const auto i = static_cast<std::size_t>(which);
    return take_real(cursor, kValues[i], p, p + kLengths[i]);
}

bool ColumnBuilder::has_all(const Frame& frame) noexcept {
    const Column& owner = *frame.column;
    for (std::uint32_t i = 0; i < owner.child_count; ++i) {
        Column& child = *owner.children[i];
        if (!child.is_nullable && child.length <= frame.index) return fail(Problem::kMissing, {&child, frame.index}, nullptr);
    }
    return true;
}

bool ColumnBuilder::check_list(const Frame& frame, const Cursor& cursor) noexcept {
    const Column& list = *frame.column;
    const Column& items = *list.items();
    if (list.declared && !may_have_items(*list.declared, cursor.index - list.item_count(list.length)))
        return --depth, fail(Problem::kType, {frame.column, frame.index}, nullptr);
    // A null that is not the last item is told by the validity.
    if (!items.is_nullable && (items.length < cursor.index || items.null_count > 0))
        return --depth, fail(Problem::kMissing, {frame.column, frame.index}, nullptr);
    return true;
}

// A map is a list of structs, of a key and a value each.
ColumnFrame* ColumnBuilder::enter_map(Cursor& cursor, Frame* frame) noexcept {
    frame->at = nullptr;
    cursor = {cursor.column->items(), cursor.column->item_count(cursor.column->length)};
    return frame;
}

Key ColumnBuilder::map_key(Cursor& cursor, Frame& frame, const std::uint8_t* name, std::size_t byte_len) noexcept {
    Column& pairs = *frame.column->items();
    const std::int64_t first = frame.column->item_count(frame.column->length);
    const std::int64_t index = std::max(pairs.length, first);
    Column& keys = *pairs.children[0];
    if (!pairs.begin_value(index)) return error = Error::kNoMemory, Key::kFailed;
    pairs.end_value();
    if (!keys.begin_value(index) || !keys.append_text(name, byte_len)) return error = Error::kNoMemory, Key::kFailed;
    cursor = {pairs.children[1], index};
    return Key::kWanted;
}

bool ColumnBuilder::close_map(Cursor& cursor, Frame& frame) noexcept {
    Column& map = *frame.column;
    Column& pairs = *map.items();
    const std::int64_t first = map.item_count(map.length);
    if (!drop_equal_keys(pairs, first)) return error = Error::kNoMemory, false;
    const std::int64_t end = std::max(pairs.length, first);
    if (end > INT32_MAX) return fail(Problem::kTooLong, cursor, nullptr);
    const Column& values = *pairs.children[1];
    if (!values.is_nullable && end > first && (values.length < end || values.null_count > 0))
        return --depth, fail(Problem::kMissing, {&map, frame.index}, nullptr);
    map.values.as<std::int32_t>()[map.length + 1] = static_cast<std::int32_t>(end);
    map.end_value();
    return leave(cursor, frame);
}

ReadRecord read_row(BuilderMemory& memory, Column& root, const Rules& rules, grammar::Text<Utf8Source> text, const std::uint8_t* first,
                    const std::uint8_t* last) noexcept {
    ColumnBuilder builder(text, first, last, memory, root, rules);
    const std::int64_t rows = root.length;
    ReadRecord read{first, Error::kNone, Problem::kNone};
    if (OCIOR_UNLIKELY(*first != '{') || OCIOR_UNLIKELY(memory.bad_streak != 0)) {
        if (builder.check_text() && *first != '{') (void)builder.fail(Problem::kNoObject, {&root, rows}, first);
    }
    if (OCIOR_LIKELY(builder.error == Error::kNone && builder.problem == Problem::kNone)) {
        const auto parsed = Parser<Utf8Source, ColumnBuilder>::run(builder, first);
        read.next = parsed.next;
        if (OCIOR_LIKELY(parsed.value)) {
            while (read.next < last && is_space(*read.next)) ++read.next;
            if (OCIOR_LIKELY(read.next == last)) return memory.bad_streak = 0, read;
            builder.error = Error::kExtraData;
        }
    }
    root.cut(rows);
    ++memory.bad_streak;
    read.error = builder.error;
    read.problem = builder.problem;
    if (builder.problem_at) read.next = builder.problem_at;
    return read;
}

}  // namespace ocior::columns
