// Columns out of what the grammar reads: one more builder of the parser. Each event looks at the column that the key, or the array, has
// named. What fits its kind is appended inline; what does not is a surprise, and column_builder.cpp has the column converted, or says what
// is wrong with the record.
#pragma once

#include "columns/declared.h"
#include "grammar/builder.h"
#include "grammar/text.h"
#include "text/scan.h"

namespace ocior::columns {

using namespace grammar;

struct ColumnFrame {
    Inside inside;
    Column* column;       // the container's own
    std::int64_t index;   // its place there
    ColumnNode* at;       // of an object: its keys so far; null where they are no longer followed
};

// What the workers that read one text agree on.
struct Rules {
    Mixed mixed = Mixed::kJson;
    std::size_t max_columns = 10'000;
    bool is_tolerant = false;  // a record that is wrong is passed over, so it must leave no trace
};

// What is wrong with a record whose text is JSON.
enum class Problem : std::uint8_t { kNone, kNoObject, kType, kMixed, kUnexpected, kMissing, kTooMany, kTooLong, kName };

// What is kept while one block after the other is read.
struct BuilderMemory {
    Workspace workspace;
    Stack<ColumnFrame> frames;
    KeyBudget budget;
    Buffer scratch, message;
    std::size_t column_count = 0;
    std::size_t bad_streak = 0;  // records in a row that were wrong
};

struct ColumnBuilder : Call<Utf8Source> {
    using Source = Utf8Source;
    using Unit = std::uint8_t;
    using Value = bool;
    using Frame = ColumnFrame;
    struct Cursor {
        Column* column;      // that the next value belongs to
        std::int64_t index;  // its place there
    };

    BuilderMemory& memory;
    Column& root;
    const Rules& rules;
    const Unit* record;  // where the record begins, and where it ends
    const Unit* last;
    std::size_t depth = 0;
    Problem problem = Problem::kNone;
    const Unit* problem_at = nullptr;

    ColumnBuilder(grammar::Text<Source> document, const Unit* first, const Unit* end_of_record, BuilderMemory& kept, Column& columns,
                  const Rules& agreed) noexcept
        : Call<Source>{document, true, kept.workspace}, memory(kept), root(columns), rules(agreed), record(first), last(end_of_record) {}

    // ---- events ----

    OCIOR_INLINE Frame* begin(Cursor& cursor) noexcept {
        if (OCIOR_UNLIKELY(!memory.frames.reserve(16))) return nullptr;
        cursor = {&root, root.length};
        Frame* const frame = memory.frames.data();
        *frame = {Inside::kNothing, &root, root.length, nullptr};
        depth = 0;
        return frame;
    }
    OCIOR_INLINE bool finish(Cursor&) noexcept { return true; }
    OCIOR_INLINE void drop(Cursor&) noexcept {
        if (OCIOR_UNLIKELY(error == Error::kNone) && problem == Problem::kNone) error = Error::kNoMemory;
    }

    OCIOR_INLINE bool takes_whole(Cursor& cursor, const Unit*& p, std::size_t) noexcept {
        const Kind kind = cursor.column->kind;
        if (OCIOR_LIKELY(kind == (*p == '{' ? Kind::kStruct : Kind::kList)) && OCIOR_LIKELY(!cursor.column->declared) &&
            OCIOR_LIKELY(depth < kMostNests))
            return false;
        return !may_enter(cursor, p);
    }
    OCIOR_NOINLINE bool whole(Cursor& cursor, const Unit*& p, std::size_t outside) noexcept;

    OCIOR_INLINE Frame* enter_array(Cursor& cursor, Frame* frame, std::size_t new_depth) noexcept {
        frame = enter(cursor, frame, new_depth, Inside::kArray);
        if (OCIOR_UNLIKELY(!frame)) return nullptr;
        Column& list = *cursor.column;
        cursor = {list.items(), list.item_count(list.length)};
        return frame;
    }
    OCIOR_INLINE Frame* enter_object(Cursor& cursor, Frame* frame, std::size_t new_depth) noexcept {
        frame = enter(cursor, frame, new_depth, Inside::kObject);
        if (OCIOR_UNLIKELY(!frame)) return nullptr;
        frame->at = cursor.column->fields ? cursor.column->fields->trie.root() : nullptr;
        if (OCIOR_UNLIKELY(cursor.column->kind == Kind::kList)) return enter_map(cursor, frame);
        cursor.column->end_value();
        return frame;
    }
    OCIOR_INLINE bool close_array(Cursor& cursor, Frame& frame) noexcept {
        Column& list = *frame.column;
        if (OCIOR_UNLIKELY(cursor.index > INT32_MAX)) return fail(Problem::kTooLong, cursor, nullptr);
        if (OCIOR_UNLIKELY(list.declared != nullptr || !list.items()->is_nullable) && !check_list(frame, cursor)) return false;
        list.values.as<std::int32_t>()[list.length + 1] = static_cast<std::int32_t>(cursor.index);
        list.end_value();
        return leave(cursor, frame);
    }
    OCIOR_INLINE bool close_object(Cursor& cursor, Frame& frame) noexcept {
        if (OCIOR_UNLIKELY(frame.column->kind == Kind::kList)) return close_map(cursor, frame);
        if (OCIOR_UNLIKELY(frame.column->fields->has_required) && !has_all(frame)) return false;
        return leave(cursor, frame);
    }

    OCIOR_INLINE Key key(Cursor& cursor, Frame& frame, const Unit*& p) noexcept {
        ColumnNode* const predicted = frame.at ? frame.at->predicted : nullptr;
        if (OCIOR_LIKELY(predicted && predicted->matches(p, text.last))) {
            frame.at = predicted;
            p += predicted->raw_len;
            cursor = {predicted->leaf.column, frame.index};
            return OCIOR_LIKELY(cursor.column != nullptr) ? Key::kWanted : Key::kUnwanted;
        }
        const NextKey next = next_key(cursor, frame, p);
        p = next.next;
        cursor = next.cursor;
        return next.key;
    }

    OCIOR_INLINE bool string(Cursor& cursor, const Unit*& p) noexcept {
        Column& column = *cursor.column;
        if (OCIOR_LIKELY(column.kind == Kind::kText)) {
            const auto scan = text::scan_string_utf8(p);
            const auto n = static_cast<std::size_t>(scan.stop - p);
            if (OCIOR_LIKELY(*scan.stop == '"' && scan.max_byte < 0x80)) {
                if (OCIOR_UNLIKELY(!column.begin_value(cursor.index))) return false;
                std::uint8_t* const to = column.room_for_text(n);
                if (OCIOR_UNLIKELY(!to)) return false;
                // Short texts are stored as a whole vector: behind the column's text is room for one, and behind the document may be read.
                if (OCIOR_LIKELY(n <= simd::kVecBytes)) simd::Vec<std::uint8_t>::load(p).store(to);
                else std::memcpy(to, p, n);
                column.end_text(n);
                p = scan.stop + 1;
                return true;
            }
        }
        const auto read = take_string(cursor, p);
        p = read.next;
        return read.is_taken;
    }

    OCIOR_INLINE bool word(Cursor& cursor, Word word, const Unit* p) noexcept {
        Column& column = *cursor.column;
        if (word == kNull) {
            if (OCIOR_UNLIKELY(column.length > cursor.index)) column.cut(cursor.index);  // of an equal key
            return OCIOR_LIKELY(&column != &root) || fail(Problem::kNoObject, cursor, p);
        }
        if (OCIOR_LIKELY(column.kind == Kind::kBool)) {
            if (OCIOR_UNLIKELY(!column.begin_value(cursor.index))) return false;
            column.put_bit(word == kTrue);
            column.end_value();
            return true;
        }
        return take_word(cursor, word == kTrue, p);
    }
    OCIOR_INLINE bool integer(Cursor& cursor, std::uint64_t magnitude, bool negative, const Unit* first, const Unit* end) noexcept {
        Column& column = *cursor.column;
        // What has not been seen in the column yet goes the slow way, and so do negative integers beside some above 63 bits.
        const auto now = static_cast<std::uint8_t>(kSeenInteger | (negative && magnitude ? kSeenNegative : 0));
        if (OCIOR_LIKELY(magnitude <= kExact && ((column.seen & now) == now || column.is_fixed))) {
            if (OCIOR_LIKELY(column.kind == Kind::kInteger)) {
                if (OCIOR_LIKELY(!(column.seen & kSeenBeyond))) return put(cursor, negative ? 0 - magnitude : magnitude);
            } else if (column.kind == Kind::kReal && !(negative && (column.seen & kSeenBeyond))) {
                const auto value = static_cast<double>(static_cast<std::int64_t>(magnitude));
                return put(cursor, std::bit_cast<std::uint64_t>(negative && magnitude ? -value : value));
            }
        }
        return take_integer(cursor, magnitude, negative, first, end);
    }
    OCIOR_INLINE bool real(Cursor& cursor, double value, const Unit* first, const Unit* end) noexcept {
        if (OCIOR_LIKELY(cursor.column->kind == Kind::kReal)) return put(cursor, std::bit_cast<std::uint64_t>(value));
        return take_real(cursor, value, first, end);
    }
    OCIOR_INLINE bool number(Cursor& cursor, const num::Number& number, const Unit* first, const Unit* end) noexcept {
        return take_number(cursor, number, first, end);
    }
    OCIOR_COLD bool non_finite(Cursor& cursor, NonFinite which, const Unit* p) noexcept;

    // Items lie one behind the other. In an object the next key says where its value lies.
    OCIOR_INLINE bool push(Cursor& cursor, bool, const Unit*) noexcept { return ++cursor.index, true; }

    // ---- what is behind the events ----

    static constexpr std::uint64_t kExact = std::uint64_t{1} << 53;

    struct NextKey {
        Key key;
        const Unit* next;
        Cursor cursor;
    };
    struct Taken {
        bool is_taken;
        const Unit* next;
    };

    // Looks at the whole record. False where its text is no JSON, and the error is set.
    [[nodiscard]] bool check_text() noexcept { return is_checked_ = false, is_rest_valid(true); }
    // Ends the reading of the record. Returns false.
    OCIOR_COLD bool fail(Problem what, const Cursor& cursor, const Unit* at) noexcept;
    OCIOR_INLINE bool put(const Cursor& cursor, std::uint64_t bits) noexcept {
        Column& column = *cursor.column;
        if (OCIOR_UNLIKELY(!column.begin_value(cursor.index))) return false;
        column.values.as<std::uint64_t>()[column.length] = bits;
        column.end_value();
        return true;
    }

private:
    OCIOR_INLINE Frame* enter(Cursor& cursor, Frame* frame, std::size_t new_depth, Inside inside) noexcept {
        if (OCIOR_UNLIKELY(!cursor.column->begin_value(cursor.index))) return nullptr;
        if (OCIOR_UNLIKELY(new_depth >= memory.frames.capacity())) {
            if (!memory.frames.reserve(new_depth + 1)) return nullptr;
            frame = memory.frames.data() + new_depth - 1;
        }
        *++frame = {inside, cursor.column, cursor.index, nullptr};
        depth = new_depth;
        return frame;
    }
    OCIOR_INLINE bool leave(Cursor& cursor, const Frame& frame) noexcept {
        cursor = {frame.column, frame.index};
        --depth;
        return true;
    }

    // The column that the next value belongs to, without a value that an equal key has left there.
    OCIOR_INLINE Column& cleared(const Cursor& cursor) noexcept {
        if (OCIOR_UNLIKELY(cursor.column->length > cursor.index)) cursor.column->cut(cursor.index);
        return *cursor.column;
    }
    OCIOR_NOINLINE bool may_enter(Cursor& cursor, const Unit* p) noexcept;
    OCIOR_NOINLINE NextKey next_key(Cursor cursor, Frame& frame, const Unit* p) noexcept;
    OCIOR_NOINLINE Taken take_string(Cursor cursor, const Unit* p) noexcept;
    OCIOR_NOINLINE bool take_word(Cursor cursor, bool value, const Unit* p) noexcept;
    OCIOR_NOINLINE bool take_integer(Cursor cursor, std::uint64_t magnitude, bool negative, const Unit* first, const Unit* end) noexcept;
    OCIOR_NOINLINE bool take_real(Cursor cursor, double value, const Unit* first, const Unit* end) noexcept;
    OCIOR_NOINLINE bool take_number(Cursor cursor, const num::Number& number, const Unit* first, const Unit* end) noexcept;
    OCIOR_COLD Frame* enter_map(Cursor& cursor, Frame* frame) noexcept;
    OCIOR_COLD bool close_map(Cursor& cursor, Frame& frame) noexcept;
    OCIOR_COLD bool check_list(const Frame& frame, const Cursor& cursor) noexcept;
    OCIOR_NOINLINE bool has_all(const Frame& frame) noexcept;
    Key new_key(Column& owner, const std::uint8_t* name, std::size_t byte_len, const Unit* p, Column*& column) noexcept;
    bool become(Cursor cursor, Kind kind, const Unit* p) noexcept;
    bool mix(Cursor cursor, const Unit* p) noexcept;
    bool put_raw(Cursor cursor, const Unit* first, const Unit* end) noexcept;
    bool put_scalar(Cursor cursor, const Scalar& value, const Unit* p) noexcept;
    Key map_key(Cursor& cursor, Frame& frame, const std::uint8_t* name, std::size_t byte_len) noexcept;
    bool is_rest_valid(bool is_asked = false) noexcept;

    bool is_checked_ = false;  // the record has been looked at as a whole, and its text is JSON
};

// A record that has been read, or what is wrong with it.
struct ReadRecord {
    const std::uint8_t* next;  // the byte behind the value; or the one to blame
    Error error;
    Problem problem;
};

// Appends the record at `first` to the columns, of which `root` is the struct. `last`: where the record ends. The text has a sentinel at
// its end. Where it is wrong, columns have the values they had.
ReadRecord read_row(BuilderMemory& memory, Column& root, const Rules& rules, grammar::Text<Utf8Source> text, const std::uint8_t* first,
                    const std::uint8_t* last) noexcept;

}  // namespace ocior::columns
