// How far the text of a call is, from one walk to the next: where a walk stopped, and why.
#pragma once

#include "base/bits.h"

namespace ocior::encode {

// Why a walk stops. All but kDone are the reason, too, why a Writer gives no position to go on at.
enum class Stop : std::uint8_t {
    kFailed,  // an error is set
    kDone,
    kWiden,  // the unit is too narrow for an item, of which nothing is written: another walk gives it again at Progress::wanted_width
    kFlush,  // the piece is full, between two items or inside a long string
    kText,   // at a string that needs a frame of its own; the walk opens it and goes on
};

// Strings of more units than this are written piece by piece, where the output is: so much of one at a time.
inline constexpr std::size_t kTextPiece = 1024;

struct Progress {
    std::size_t level = 0;       // containers open, where lines are written
    // Where the innermost list that is open begins, in units, if it may turn out to be a short one: while nothing but scalars is in it.
    static constexpr std::size_t kNoList = SIZE_MAX;
    std::size_t flat_list = kNoList;
    std::size_t kept = 0;  // kFlush: of the units that are written so many stay for the next piece
    std::size_t used = 0;  // units written when a walk returns
    std::size_t escaped = 0;  // of these, up to where the extra escapes of kExtraEscapes have been put

    // What is smaller than a pointer stands behind the pointers: GCC sets neighbours by wide stores, and a pointer of which two stores have
    // one half each is read only once both have left the store buffer.
    unsigned wanted_width = 1;  // kWiden: the width to go on with
    Stop stop = Stop::kFailed;  // who gives no position to go on at for another reason says so here
    std::uint8_t vain_tries = 0;  // of Writer::put_made(), since the last one that was not
    bool gives_again = false;  // kWiden: the top frame holds the item that has to be written again
    bool writes_key = false;  // what a plan writes is the text of a key
    bool has_ready_json = false;  // some of the text is ready JSON, which may have line ends
    bool failed_in_key = false;  // kFailed: the top frame's next key, or its iterator, is to blame, not an item

    // (No aggregate: GCC would fill the whole with zeros first, by a loop that costs as much as the smallest document.)
    Progress() noexcept {}
};

}  // namespace ocior::encode
