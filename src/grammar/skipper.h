// A builder that makes nothing: a value is checked, and its end found, as fast as the text can be looked at.
#pragma once

#include "grammar/builder.h"
#include "grammar/text.h"

namespace ocior::grammar {

// What it keeps from one value to the next lies in the workspace, so that a short value may be skipped as cheaply as it can be read.
template <typename Source>
struct Skipper : Call<Source> {
    using Unit = typename Source::Unit;
    using Value = bool;
    using Frame = SkipperMemory::Frame;
    struct Cursor {
        std::uint8_t* lengths;  // of the key behind each place; of a long one the lowest bits, which do no harm
        std::size_t place;      // what the last key was, roughly
    };

    Skipper(Text<Source> document, bool is_strict, Workspace& memory, std::size_t most_depth = kMaxDepth) noexcept
        : Call<Source>{document, is_strict, memory, Error::kNone, most_depth} {}

    OCIOR_INLINE Frame* begin(Cursor& cursor) noexcept {
        cursor = {this->workspace.skipper.key_lengths, 0};
        return enter(0, Inside::kNothing);
    }
    OCIOR_INLINE Frame* enter_array(Cursor&, Frame*, std::size_t depth) noexcept { return enter(depth, Inside::kArray); }
    OCIOR_INLINE Frame* enter_object(Cursor&, Frame*, std::size_t depth) noexcept { return enter(depth, Inside::kObject); }

    OCIOR_INLINE bool string(Cursor&, const Unit*& p) noexcept {
        const Unit* stop = p;
        auto stops = marks(stop);
        while (OCIOR_UNLIKELY(stops.none())) stops = marks(stop += simd::Vec<Unit>::kLanes);
        stop += stops.first();
        if (OCIOR_LIKELY(*stop == '"')) return p = stop + 1, true;
        const bool is_valid = skip_string(*this, p, stop);
        p = stop;
        return is_valid;
    }

    // Most keys are as long as the one that came behind the same key last time. Where that is so, the next token need not wait until this
    // one's end is found: twitter.json takes 0.75 of the time. (Tried and lost: the same for the strings behind a key.)
    OCIOR_INLINE Key key(Cursor& cursor, Frame&, const Unit*& p) noexcept {
        std::uint8_t& expected = cursor.lengths[cursor.place];
        const std::size_t length = expected, seed = p[0] * 31u + p[1] * 7u;
        const Unit* const first = p;
        const auto stops = marks(p);
        if (OCIOR_LIKELY(stops.any()) && OCIOR_LIKELY(stops.first() == length) && OCIOR_LIKELY(p[stops.first()] == '"')) {
            p += length + 1;
            cursor.place = (seed + length * 17) % SkipperMemory::kPlaces;
            return Key::kWanted;
        }
        const bool is_valid = string(cursor, p);
        expected = static_cast<std::uint8_t>(p - first - 1);
        cursor.place = (seed + expected * 17u) % SkipperMemory::kPlaces;
        return is_valid ? Key::kWanted : Key::kFailed;
    }

    OCIOR_INLINE bool number_text(Cursor&, const Unit*, const Unit*) noexcept { return true; }
    OCIOR_INLINE bool word(Cursor&, Word, const Unit*) noexcept { return true; }
    OCIOR_INLINE bool non_finite(Cursor&, NonFinite, const Unit*) noexcept {
        if (OCIOR_UNLIKELY(this->checks_skipped)) this->error = Error::kExpectingValue;
        return !this->checks_skipped;
    }
    OCIOR_INLINE bool push(Cursor&, bool, const Unit*) noexcept { return true; }
    OCIOR_INLINE bool close_array(Cursor&, Frame&) noexcept { return true; }
    OCIOR_INLINE bool close_object(Cursor&, Frame&) noexcept { return true; }
    OCIOR_INLINE bool finish(Cursor&) noexcept { return true; }
    OCIOR_INLINE void drop(Cursor&) noexcept {
        if (this->error == Error::kNone) this->error = Error::kNoMemory;
    }

    // What ends a run of plain text, or may.
    static OCIOR_INLINE auto marks(const Unit* p) noexcept {
        const auto units = simd::Vec<Unit>::load(p);
        if constexpr (Source::kUtf8) return simd::marked_or_wide_lanes(units);
        else return simd::marked_lanes(units);
    }

private:
    OCIOR_INLINE Frame* enter(std::size_t depth, Inside inside) noexcept {
        auto& frames = this->workspace.skipper.frames;
        if (OCIOR_UNLIKELY(depth >= frames.capacity()) && !frames.reserve(depth + 1)) return nullptr;
        frames.data()[depth] = {inside};
        return frames.data() + depth;
    }
};

}  // namespace ocior::grammar
