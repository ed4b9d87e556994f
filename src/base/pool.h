// A few idle working contexts, taken and given back without a lock. Re-entry from a hook, threads without a GIL and
// subinterpreters need no special case: whoever finds no idle context makes one.
#pragma once

#include <atomic>
#include <new>

#include "base/config.h"

namespace ocior {

// Context: default-constructible, trim() called before it rests here.
template <typename Context>
class Pool {
public:
    // Null when out of memory.
    Context* take() noexcept {
        for (auto& slot : idle_)
            if (slot.load(std::memory_order_relaxed))
                if (Context* context = slot.exchange(nullptr, std::memory_order_acquire)) return context;
        return new (std::nothrow) Context;
    }

    void give_back(Context* context) noexcept {
        context->trim();
        for (auto& slot : idle_) {
            Context* expected = nullptr;
            if (slot.compare_exchange_strong(expected, context, std::memory_order_release, std::memory_order_relaxed)) return;
        }
        delete context;
    }

    void clear() noexcept {
        for (auto& slot : idle_) delete slot.exchange(nullptr, std::memory_order_acquire);
    }

private:
    static constexpr int kIdle = 4;
    std::atomic<Context*> idle_[kIdle] = {};
};

}  // namespace ocior
