// Working contexts of calls: a few rest idle in a pool, from which a call leases one without a lock. Re-entry from a hook, threads and
// subinterpreters need no special case: whoever finds no idle context makes one.
#pragma once

#include <atomic>
#include <new>
#include <utility>

#include "base/config.h"

namespace ocior {

// Context: made from an owner, which it keeps alive to its own end, idle or in use; trim() is called before it rests here; may_be_nested is
// set in one in use where more than a few calls are nested, or threads are at work, which are not counted. kIsShared: threads use the pool
// at the same time; the atomic exchanges that this takes are a tenth of the time of the smallest call.
template <typename ContextType, bool kIsShared>
class Pool {
public:
    using Context = ContextType;
    using Owner = typename Context::Owner;

    void open(Owner owner) noexcept { owner_ = owner; }

    // Deletes the idle contexts, and each of the others when it is given back: none keeps the owner alive that nobody else does.
    void close() noexcept {
        is_closed_.store(true, std::memory_order_relaxed);
        for (auto& slot : idle_) delete exchange(slot, nullptr);
    }

    // For a garbage collector, to which a call in use is one from outside.
    std::size_t idle_count() const noexcept {
        std::size_t count = 0;
        for (const auto& slot : idle_) count += slot.load(std::memory_order_relaxed) != nullptr;
        return count;
    }

    // For Lease. Null when out of memory.
    OCIOR_INLINE Context* take() noexcept {
        Context* const context = take_idle_or_new();
        if (OCIOR_LIKELY(context != nullptr)) context->may_be_nested = kIsShared || ++in_use_ > kFew;
        return context;
    }
    void give_back(Context* context) noexcept {
        if constexpr (!kIsShared) --in_use_;
        context->trim();
        if (OCIOR_LIKELY(!is_closed_.load(std::memory_order_relaxed)))
            for (int i = 0; i < kTried; ++i)
                if (put_if_empty(slot(i), context)) return;
        delete context;  // and maybe the owner, and this pool, with it
    }

private:
    // One to a cache line where threads write them at the same time.
    struct alignas(kIsShared ? 64 : alignof(void*)) Slot : std::atomic<Context*> {};

    // The i-th slot that this thread looks at. Its own comes first: what a context holds is best used by the thread that made it, whose
    // references are counted without atomic operations.
    OCIOR_INLINE Slot& slot(int i) noexcept {
        if constexpr (!kIsShared) return idle_[i];
        const auto thread = reinterpret_cast<std::uintptr_t>(__builtin_thread_pointer());
        return idle_[((thread * 0x9E3779B97F4A7C15ull >> 32) + static_cast<unsigned>(i)) % kIdle];
    }

    OCIOR_INLINE Context* take_idle_or_new() noexcept {
        for (int i = 0; i < kTried; ++i)
            if (Slot& place = slot(i); place.load(std::memory_order_relaxed))
                if (Context* context = exchange(place, nullptr)) return context;
        return new (std::nothrow) Context(owner_);
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

    static constexpr int kIdle = kIsShared ? 32 : 4, kTried = 4, kFew = 4;
    Slot idle_[kIdle] = {};
    std::atomic<bool> is_closed_ = false;
    int in_use_ = 0;
    Owner owner_{};
};

// A context for as long as this lives. It keeps the pool and its owner alive, whatever Python code does meanwhile.
template <typename Pool>
class Lease {
    using Context = typename Pool::Context;

public:
    Lease() noexcept = default;
    explicit OCIOR_INLINE Lease(Pool& pool) noexcept : pool_(&pool), context_(pool.take()) {}
    OCIOR_INLINE ~Lease() { give_back(); }
    Lease(Lease&& other) noexcept : pool_(other.pool_), context_(std::exchange(other.context_, nullptr)) {}
    Lease& operator=(Lease&& other) noexcept {
        std::swap(pool_, other.pool_);
        std::swap(context_, other.context_);
        return *this;
    }

    // False: out of memory, or given back.
    explicit operator bool() const noexcept { return OCIOR_LIKELY(context_ != nullptr); }
    Context& operator*() const noexcept { return *context_; }
    Context* operator->() const noexcept { return context_; }

    OCIOR_INLINE void give_back() noexcept {
        if (Context* const context = std::exchange(context_, nullptr)) pool_->give_back(context);
    }

private:
    Pool* pool_ = nullptr;
    Context* context_ = nullptr;
};

}  // namespace ocior
