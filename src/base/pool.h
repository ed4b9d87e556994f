// Working contexts of calls: a few rest idle in a pool, from which a call leases one without a lock. Re-entry from a hook, threads and
// subinterpreters need no special case: whoever finds no idle context makes one.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <new>
#include <utility>

#include "base/config.h"

namespace ocior {

// Context: made from an owner, which it keeps alive to its own end, idle or in use; trim() is called before it rests here; may_be_nested is
// set in one in use where more than a few calls are nested, or threads are at work, which are not counted. kIsShared: threads use the pool
// at the same time. Then a thread has a place of its own where it finds its context again without an atomic exchange: two of these take as
// long as the smallest call does otherwise. What a context holds is best used by the thread that made it, too, whose references are counted
// without atomic operations.
template <typename ContextType, bool kIsShared>
class Pool {
public:
    using Context = ContextType;
    using Owner = typename Context::Owner;

    void open(Owner owner) noexcept { owner_ = owner; }

    // Deletes the idle contexts, and each of the others when it is given back: none keeps the owner alive that nobody else does. Nobody is
    // in a call that has yet to take one.
    void close() noexcept {
        is_closed_.store(true, std::memory_order_relaxed);
        for (auto& slot : idle_) delete exchange(slot, nullptr);
        for (auto& own : own_) delete own.context.exchange(nullptr, std::memory_order_acquire);
    }

    // Counts the idle contexts for a garbage collector, to which a context in use is a reference from outside.
    std::size_t idle_count() const noexcept {
        std::size_t count = 0;
        for (const auto& slot : idle_) count += slot.load(std::memory_order_relaxed) != nullptr;
        for (const auto& own : own_) count += own.context.load(std::memory_order_relaxed) != nullptr;
        return count;
    }

    // Takes a context for Lease. Null when out of memory.
    OCIOR_INLINE Context* take() noexcept {
        Context* const context = take_idle_or_new();
        if (OCIOR_LIKELY(context != nullptr)) context->may_be_nested = kIsShared || ++in_use_ > kFew;
        return context;
    }
    void give_back(Context* context) noexcept {
        if constexpr (!kIsShared) --in_use_;
        context->trim();
        if (OCIOR_LIKELY(!is_closed_.load(std::memory_order_relaxed))) {
            if constexpr (kIsShared) {
                Own* const own = find_own();
                if (own && !own->context.load(std::memory_order_relaxed)) return own->context.store(context, std::memory_order_release);
            }
            for (auto& slot : idle_)
                if (put_if_empty(slot, context)) return;
        }
        delete context;  // and maybe the owner, and this pool, with it
    }

private:
    // Each on a cache line of its own where threads write them at the same time.
    struct alignas(kIsShared ? 64 : alignof(void*)) Slot : std::atomic<Context*> {};
    // The place of the thread whose thread pointer that is, until the pool ends: a later thread with the same one inherits it. 0: nobody's.
    struct alignas(64) Own {
        std::atomic<std::uintptr_t> thread = 0;
        std::atomic<Context*> context = nullptr;  // null while it is in use
    };

    // This thread's place. Null where more threads came before it than there are places.
    OCIOR_INLINE Own* find_own() noexcept {
        const auto thread = reinterpret_cast<std::uintptr_t>(__builtin_thread_pointer());
        const auto first = static_cast<unsigned>(thread * 0x9E3779B97F4A7C15ull >> 32);
        for (unsigned i = 0; i < kTried; ++i) {
            Own& own = own_[(first + i) % kOwn];
            std::uintptr_t owner = own.thread.load(std::memory_order_relaxed);
            if (OCIOR_LIKELY(owner == thread)) return &own;
            if (owner == 0 && own.thread.compare_exchange_strong(owner, thread, std::memory_order_relaxed)) return &own;
        }
        return nullptr;
    }

    OCIOR_INLINE Context* take_idle_or_new() noexcept {
        if constexpr (kIsShared) {
            if (Own* const own = find_own(); OCIOR_LIKELY(own != nullptr)) {
                Context* const context = own->context.load(std::memory_order_acquire);
                if (OCIOR_LIKELY(context != nullptr)) {
                    own->context.store(nullptr, std::memory_order_relaxed);
                    return context;
                }
            }
        }
        for (auto& slot : idle_)
            if (slot.load(std::memory_order_relaxed))
                if (Context* context = exchange(slot, nullptr)) return context;
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

    static constexpr int kIdle = kIsShared ? 16 : 4, kFew = 4;
    static constexpr unsigned kOwn = 64, kTried = 4;
    Slot idle_[kIdle] = {};
    std::array<Own, kIsShared ? kOwn : 0> own_{};
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
