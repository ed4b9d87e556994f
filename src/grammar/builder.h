// The seam between the grammar and what is made of a document: the events that Parser tells a builder, in the order of the text.
//
// An event that fails (a value that is false, a null frame, false) ends the reading. It leaves the reason in `error`, or kNone when out of
// memory. Whatever of the builder is in the innermost loop lies in its Cursor, which Parser keeps in registers: members that are inlined
// take it by reference; from those that are not it must be passed and returned by value.
#pragma once

#include "grammar/call.h"
#include "grammar/words.h"
#include "num/read.h"

namespace ocior::grammar {

// What a builder says to a key: that it cannot be taken, or whether its value is to be told. The parser skips one that is unwanted by
// skip_value(), which checks it all the same: nothing of it is told, and nothing is pushed.
enum class Key : std::uint8_t { kFailed, kWanted, kUnwanted };

enum class NonFinite : std::uint8_t { kNaN, kInfinity, kMinusInfinity };

// Numbers as values.
template <typename Builder>
concept TakesNumbers = requires(Builder builder, typename Builder::Cursor cursor, const typename Builder::Unit* p, num::Number number) {
    { builder.integer(cursor, std::uint64_t{}, bool{}, p, p) } -> std::same_as<typename Builder::Value>;  // magnitude, is negative, text
    { builder.real(cursor, double{}, p, p) } -> std::same_as<typename Builder::Value>;
    { builder.number(cursor, number, p, p) } -> std::same_as<typename Builder::Value>;  // any other
};

// Numbers as text, which is not converted.
template <typename Builder>
concept TakesNumberText = requires(Builder builder, typename Builder::Cursor cursor, const typename Builder::Unit* p) {
    { builder.number_text(cursor, p, p) } -> std::same_as<typename Builder::Value>;
};

// Optional: takes the integers that an array begins with at `p`, or the words that follow one, and moves `p` on. All but the last are
// pushed, which becomes `value`; it stays as it was where there is none.
template <typename Builder>
concept TakesIntegerRuns =
    requires(Builder builder, typename Builder::Cursor& cursor, const typename Builder::Unit*& p, typename Builder::Value& value) {
        { builder.integer_run(cursor, p, value) } -> std::same_as<bool>;
    };
template <typename Builder>
concept TakesWordRuns = requires(Builder builder, typename Builder::Cursor& cursor, const typename Builder::Unit*& p,
                                 typename Builder::Value& value) { builder.word_run(cursor, p, value); };

// Optional: what else may stand where no value begins, as some libraries take it. Moves `p` behind it; an empty value if there is nothing.
// In a value that is skipped nothing else may stand.
template <typename Builder>
concept TakesLooseWords = requires(Builder builder, typename Builder::Cursor& cursor, const typename Builder::Unit*& p) {
    { builder.loose_word(cursor, p) } -> std::same_as<typename Builder::Value>;
};

// Optional: asked at the bracket `p` of every array and object whether it is taken as a whole, and then takes it: moves `p` behind it.
// `depth`: how many containers are open around it, of the call's max_depth.
template <typename Builder>
concept TakesWholeContainers =
    requires(Builder builder, typename Builder::Cursor& cursor, const typename Builder::Unit*& p, std::size_t depth) {
        { builder.takes_whole(cursor, p, depth) } -> std::same_as<bool>;
        { builder.whole(cursor, p, depth) } -> std::same_as<typename Builder::Value>;
    };

// Optional: is told of every array and object where it begins and where it ends, at its brackets.
template <typename Builder>
concept NotesPlaces = requires(Builder builder, typename Builder::Cursor& cursor, const typename Builder::Unit* p) {
    { builder.opens(cursor, p) } -> std::same_as<bool>;  // false: out of memory
    { builder.closes(cursor, p) } -> std::same_as<bool>;
};

// Cursor: locals of the reading. Value: what a value becomes; true unless it could not be made. Frame: an open container, of which `inside`
// says the kind; frames lie one behind the other.
template <typename Builder, typename Source>
concept BuilderOf = std::derived_from<Builder, Call<Source>> && (TakesNumbers<Builder> || TakesNumberText<Builder>) &&
                    requires(Builder builder, typename Builder::Cursor& cursor, typename Builder::Value value,
                             typename Builder::Frame* frame, std::size_t depth, const typename Source::Unit*& p) {
                        { frame->inside } -> std::same_as<Inside&>;
                        static_cast<bool>(value);
                        { builder.begin(cursor) } -> std::same_as<decltype(frame)>;  // the frame of the document, inside nothing
                        // A container opens inside that of `frame`, which may be moved; its own frame is the `depth`-th behind the first,
                        // which begin() gave.
                        { builder.enter_array(cursor, frame, depth) } -> std::same_as<decltype(frame)>;
                        { builder.enter_object(cursor, frame, depth) } -> std::same_as<decltype(frame)>;
                        // The string at `p`, behind its opening quote. Moves `p` behind the closing one, or to the unit to blame.
                        { builder.string(cursor, p) } -> std::same_as<decltype(value)>;
                        { builder.key(cursor, *frame, p) } -> std::same_as<Key>;
                        { builder.word(cursor, kTrue, p) } -> std::same_as<decltype(value)>;  // `p`: where it begins
                        { builder.non_finite(cursor, NonFinite::kNaN, p) } -> std::same_as<decltype(value)>;
                        { builder.push(cursor, value, p) } -> std::same_as<bool>;  // a value is complete, the text up to `p` has been read
                        { builder.close_array(cursor, *frame) } -> std::same_as<decltype(value)>;
                        { builder.close_object(cursor, *frame) } -> std::same_as<decltype(value)>;
                        { builder.finish(cursor) } -> std::same_as<decltype(value)>;  // the document's only value
                        builder.drop(cursor);  // all that was pushed: reading has failed
                    };

// Checks the value at `p`, of which nothing is made, and returns the unit behind it; or the unit to blame, with the call's error set.
// `depth`: how many containers are open around it, of the call's max_depth.
template <typename Source>
const typename Source::Unit* skip_value(Call<Source>& call, const typename Source::Unit* p, std::size_t depth) noexcept;

}  // namespace ocior::grammar
