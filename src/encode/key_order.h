// The items of an object in the order of their keys, where a call sorts them.
#pragma once

#include <cstdlib>

#include "encode/options.h"
#include "py/layout.h"

namespace ocior::encode {

// Sorts, and remembers the orders of some objects that have been sorted in the present call: those that follow with the same keys, as
// records do, are put into the same order: without a look at the text of their keys where these are the same objects.
class KeyOrders {
public:
    ~KeyOrders() {
        clear();
        std::free(copy_);
    }

    // Orders `count` items by the text of their keys, which are str, as the options say. Items of equal keys stay as they are.
    void sort(const Options& options, layout::StrEntry* items, std::size_t count) noexcept;

    // To be called when the call ends. (The keys belong to the user.)
    OCIOR_INLINE void clear() noexcept {
        ++call_;
        if (OCIOR_UNLIKELY((known_ | retired_count_) != 0)) forget();
    }

private:
    // The order of objects with so many items whose first and last keys have these hashes. Once two such objects have come, all keys are
    // there, owned, and behind them the places that the ordered items come from.
    struct Order {
        Py_hash_t first, last;
        std::size_t count;
        PyObject** keys;
        std::uint32_t changes;  // how often those keys were other ones
        std::uint32_t call;     // in which it was met
        std::uint32_t* places() const noexcept { return reinterpret_cast<std::uint32_t*>(keys + count); }
    };
    static constexpr std::size_t kOrders = 16, kMostKeys = 4096;
    static constexpr std::uint32_t kMostRetired = 64;  // then nothing more is learned in the call
    static constexpr std::uint32_t kMostChanges = 8;  // then objects like that are not worth the trouble

    void forget() noexcept;
    void let_go(Order& order) noexcept;
    static void let_go_of(PyObject** keys, std::size_t count) noexcept;
    [[nodiscard]] OCIOR_NOINLINE bool learn(const Options& options, Order& order, const layout::StrEntry* items,
                                            std::size_t count) noexcept;
    [[nodiscard]] bool reserve(std::size_t count) noexcept;
    void move(layout::StrEntry* items, std::size_t count, const std::uint32_t* places) noexcept;

    Order orders_[kOrders] = {};
    layout::StrEntry* copy_ = nullptr;  // of the items that are being moved
    std::size_t copy_room_ = 0;
    std::uint32_t call_ = 1;
    std::uint32_t known_ = 0;  // a bit for each order that has its keys
    // Keys of orders that are no more. To let go of what another thread has made may wait for a lock, and objects are guarded while their
    // items are ordered: without a GIL that comes when the call ends.
    struct Retired {
        PyObject** keys;
        std::size_t count;
    };
    Retired retired_[kMostRetired + kOrders];  // the last ones, too
    std::uint32_t retired_count_ = 0;
};

}  // namespace ocior::encode
