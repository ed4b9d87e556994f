// The working memory of one call to dumps: the stack of open containers and the scratch block. Lives in a pool.
#pragma once

#include <cstdlib>

#include "base/pool.h"
#include "encode/key_order.h"
#include "encode/output.h"
#include "encode/type_table.h"
#include "encode/walk/guards.h"
#include "py/memory/allocator.h"

namespace ocior::encode {

// Objects that few calls keep. They lie apart, so that a call which has met none need not let go of any.
struct Extras {
    Owned replacement{};  // a str, int, float, true, false or null, which is written in the place of another value
    Owned long_scalar{};  // the text of the key or value being written, where it is too long to be written in place
    Owned types{};  // without a GIL, a list of types that have to live as long as the call
    Owned to_keep_utf8{};  // a list of strings that are given their UTF-8 form when the call ends
    Owned fixed_zone{};  // the last datetime.timezone that was met
    int fixed_offset = 0;  // its offset, in seconds
    Owned last_zone_type{};  // the class of the last tzinfo that was asked whether it has a method normalize()
    bool last_zone_has_normalize = false;
    const char* hint = nullptr;  // how to have what is refused written all the same, for finish_error()
};

// What is found out about zones of time when the first ones are met.
struct KnownZones {
    Owned utc{};  // datetime.timezone.utc
    Owned timedelta{};  // the class
    // zoneinfo.ZoneInfo.utcoffset, a method in C of a class that cannot be changed; borrowed, for it lives as long as the class has the
    // version.
    PyObject* offset_in_zone = nullptr;
    unsigned zone_version = 0;
};

struct Context {
    using Owner = PyObject*;
    Owned module;  // whose state the pool is in
    Frame* frames = nullptr;
    std::size_t frame_capacity = 0;
    std::uint8_t* scratch = nullptr;
    Output::Size last_large;  // of the last output that was not small
    bool may_be_nested = false;
    Entries entries;
    KeyOrders orders;
    TypeTable types;
    KnownZones zones;
    Owned datetime_data;  // numpy's function of that name, once it was needed
    KeptValues kept;  // without a GIL, of the present call
    Extras extras;  // of the present call; Call::extras() gives it
    ObjectAllocator allocator;  // for what is returned

    explicit Context(PyObject* owner) noexcept : module(Owned::borrow(owner)) {}
    ~Context() {
        std::free(frames);
        std::free(scratch);
    }

    // False when out of memory (no error set).
    [[nodiscard]] bool prepare() noexcept {
        if (!scratch) scratch = static_cast<std::uint8_t*>(std::malloc(Output::kScratchBytes));
        return scratch && (frames || reserve_frames(64));
    }

    [[nodiscard]] bool reserve_frames(std::size_t wanted) noexcept {
        std::size_t capacity = frame_capacity ? frame_capacity * 2 : 64;
        if (capacity < wanted) capacity = wanted;
        auto* grown = static_cast<Frame*>(std::realloc(frames, capacity * sizeof(Frame)));
        if (!grown) return false;
        frames = grown;
        frame_capacity = capacity;
        return true;
    }

    void trim() noexcept {
        if (frame_capacity <= 1024) return;
        std::free(frames);
        frames = nullptr;
        frame_capacity = 0;
    }
};

using Contexts = Pool<Context, !layout::kHasGil>;

}  // namespace ocior::encode
