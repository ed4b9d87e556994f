// The working memory of one call to dumps: the stack of open containers and the scratch block. Lives in a pool.
#pragma once

#include <cstdlib>

#include "base/pool.h"
#include "encode/key_order.h"
#include "encode/output.h"
#include "encode/type_table.h"
#include "py/fetch.h"
#include "py/lock.h"
#include "py/memory/allocator.h"

namespace ocior::encode {

enum class FrameKind : std::uint8_t {
    kSingle,  // one value: the root, or what a default hook returned
    kList,    // or a tuple
    // With a GIL, since 3.12: a list all of whose items are taken at once. It is read in place until it is pinned; then its items are
    // copied, and it is a kList, or a kLostList where there is no memory for them.
    kDerivedList,
    kLostList,
    kDict,
    kFields,  // a tuple of names and values in turn, which nobody else has
    kEntries,  // keys and values in the context's Entries, which `place.begin` points to, also where that is no longer read; the references
               // are the frame's once it is pinned
    kArray,  // an ArrayView
    kText,  // a long string that is written piece by piece
    // Those that follow hold the item being written.
    kItems,  // a list of (key, value) tuples: sorted keys, or the items() of a dict subclass, whose own list others may edit
    kPairs,  // what those items() iterate over, pair by pair
    kIterator,  // what a subclass of list or tuple iterates over, item by item
};

constexpr bool reads_list(FrameKind kind) noexcept { return kind == FrameKind::kList || kind == FrameKind::kDerivedList; }

// Whether what is open is a list or dict of the text.
constexpr bool is_level(FrameKind kind) noexcept {
    return kind != FrameKind::kSingle && kind != FrameKind::kArray && kind != FrameKind::kText;
}

// An open container. References are borrowed from its parent until Python code is about to run; then every frame is pinned.
struct Frame {
    static constexpr std::uint8_t kIdentity = 1, kIterated = 2;  // one bit each: both are asked for at once

    PyObject* identity;  // the object met in the document: what a cycle is told by
    PyObject* iterated;  // what the items come from; identity itself for list, tuple, dict and kEntries
    Py_ssize_t position;  // next item, unless `place` tells
    FrameKind kind;
    std::uint8_t owned;  // kIdentity: the frame is pinned; kIterated: of kEntries, what was taken from the context's Entries
    bool wrote_item;
    std::uint32_t dict_size;  // of a dict that is pinned: the lower half of what it was at first; of kEntries: how many
    Place place;  // of a list or dict between whose items no Python code has run; pinning ends that
    [[no_unique_address]] GuardOf guard = {};  // of `iterated`

    // (Made where it stands, member by member. One that is made elsewhere and copied is read by vectors before its members have left the
    // store buffer: without a GIL each container took 5 ns longer.)
    OCIOR_INLINE Frame(PyObject* identity, PyObject* iterated, FrameKind kind, bool is_pinned) noexcept
        : identity(identity),
          iterated(iterated),
          position(0),
          kind(kind),
          owned(is_pinned ? kIdentity : 0),
          wrote_item(false),
          dict_size(0),
          place{} {}
    // A frame of kind kEntries.
    OCIOR_INLINE Frame(PyObject* identity, layout::StrEntry* entries, std::size_t count) noexcept
        : Frame(identity, identity, FrameKind::kEntries, false) {
        owned = kIterated;
        dict_size = static_cast<std::uint32_t>(count);
        place = {entries, entries + count, entries};
    }

    bool is_pinned() const noexcept { return (owned & kIdentity) != 0; }
    bool owns_iterated() const noexcept { return (owned & kIterated) != 0; }
    // The item or (key, value) being written, owned; null before the first. What it comes from may let go of it meanwhile.
    bool holds_item() const noexcept { return kind >= FrameKind::kItems; }
    PyObject* item() const noexcept { return static_cast<PyObject*>(const_cast<void*>(place.begin)); }
    void set_item(PyObject* item) noexcept { place.begin = item; }
    // The entries of a frame of kind kEntries.
    layout::StrEntry* entries() const noexcept { return static_cast<layout::StrEntry*>(const_cast<void*>(place.begin)); }
};

// A stack of keys and values that were taken out of an object: what frames of kind kEntries read. It does not move.
class Entries {
public:
    ~Entries() { std::free(first_); }

    // Room for `count` more. Null where there is none: then a tuple serves.
    OCIOR_INLINE layout::StrEntry* take(std::size_t count) noexcept {
        if (OCIOR_UNLIKELY(!first_) && !(first_ = static_cast<layout::StrEntry*>(std::malloc(kMost * sizeof *first_)))) return nullptr;
        if (OCIOR_UNLIKELY(count > kMost - used_)) return nullptr;
        used_ += count;
        return first_ + used_ - count;
    }
    // Gives back all from `first` on.
    OCIOR_INLINE void give_back(const layout::StrEntry* first) noexcept { used_ = static_cast<std::size_t>(first - first_); }

private:
    static constexpr std::size_t kMost = 4096;
    layout::StrEntry* first_ = nullptr;
    std::size_t used_ = 0;
};

// Values of instances that other threads may edit, each in a reference of its own. What lies at an instance's place and is one of these can
// be read without a lock. (A lock would make threads that write members of one enum wait for each other, and their processors exchange what
// surrounds the members.) Each is a str, int, float, true, false or null of exactly that type, so to let go of it runs no Python code.
class KeptValues {
public:
    ~KeptValues() { clear(); }
    OCIOR_INLINE bool has(PyObject* value) const noexcept { return slots_[index_of(value)] == value; }
    // Whether one more may be retired. Their number is limited, because to let go of one may wait for a lock, and comes when the call ends.
    bool has_room() const noexcept { return retired_count_ < kMostRetired; }
    void keep(Owned value) noexcept {
        is_empty_ = false;
        PyObject*& slot = slots_[index_of(value.get())];
        if (slot) retired_[retired_count_++] = slot;
        slot = value.release();
    }
    void clear() noexcept {
        if (std::exchange(is_empty_, true)) return;
        for (PyObject*& slot : slots_) Py_CLEAR(slot);
        while (retired_count_ != 0) Py_DECREF(retired_[--retired_count_]);
    }

private:
    static constexpr std::size_t kSlots = 64, kMostRetired = 256;
    static std::size_t index_of(PyObject* value) noexcept {
        const auto address = reinterpret_cast<std::uintptr_t>(value);
        return (address >> 4 ^ address >> 10) % kSlots;
    }

    PyObject* slots_[kSlots] = {};
    PyObject* retired_[kMostRetired];  // that another one has taken the slot of
    std::size_t retired_count_ = 0;
    bool is_empty_ = true;
};

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
