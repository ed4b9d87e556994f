// A few idle working contexts, taken and given back without a lock. Re-entry from a hook, threads and subinterpreters need no special
// case: whoever finds no idle context makes one.
#pragma once

#include <atomic>
#include <new>

#include "base/config.h"

namespace ocior {

// Context: default-constructible, trim() called before it rests here; is_extra says of one in use that others may be, too: more than a few
// calls are nested, or many threads are at work. kIsShared: used by threads at the same time, which are not counted; the atomic exchanges
// that this takes are a tenth of the time of the smallest call.
template <typename Context, bool kIsShared>
class Pool {
public:
    // Null when out of memory.
    Context* take() noexcept {
        Context* const context = take_idle_or_new();
        if (OCIOR_LIKELY(context != nullptr)) context->is_extra = kIsShared || ++in_use_ > kFew;
        return context;
    }

    void give_back(Context* context) noexcept {
        if constexpr (!kIsShared) --in_use_;
        context->trim();
        for (auto& slot : idle_) {
            if (put_if_empty(slot, context)) return;
        }
        delete context;
    }

    void clear() noexcept {
        for (auto& slot : idle_) delete exchange(slot, nullptr);
    }

private:
    using Slot = std::atomic<Context*>;

    OCIOR_INLINE Context* take_idle_or_new() noexcept {
        for (auto& slot : idle_)
            if (slot.load(std::memory_order_relaxed))
                if (Context* context = exchange(slot, nullptr)) return context;
        return new (std::nothrow) Context;
    }
    static OCIOR_INLINE Context* exchange(Slot& slot, Context* context) noexcept {
        if constexpr (kIsShared) return slot.exchange(context, std::memory_order_acquire);
        Context* const old = slot.load(std::memory_order_relaxed);
        slot.store(context, std::memory_order_relaxed);
        return old;
    }
    static OCIOR_INLINE bool put_if_empty(Slot& slot, Context* context) noexcept {
        Context* expected = nullptr;
        if constexpr (kIsShared)
            return slot.compare_exchange_strong(expected, context, std::memory_order_release, std::memory_order_relaxed);
        if (slot.load(std::memory_order_relaxed)) return false;
        slot.store(context, std::memory_order_relaxed);
        return true;
    }

    static constexpr int kIdle = 4, kFew = 4;
    Slot idle_[kIdle] = {};
    int in_use_ = 0;
};

}  // namespace ocior
