#include "py/memory/pages.h"

#include <atomic>
#include <chrono>
#include <cstdlib>
#include <cstring>

#include "platform/system.h"
#include "py/attribute.h"
#include "py/layout.h"

namespace ocior {

namespace {

constexpr std::size_t kArenaBytes = 1 << 20, kHugeBytes = 2 << 20;

std::atomic<bool> are_wanted = true;

// Huge pages may come slower than the small ones that they stand for: where a virtual machine has given its free memory back to the host
// (7 ms for one, against 1 ms), or where the kernel has to move others' pages first. Who decodes one document is better off without them
// then, who decodes one after the other pays once. So when they have taken some time no more are asked for; if it is soon tried again, they
// may take four times as long, and so on.
class Patience {
public:
    // Before a new attempt. `is_repeated`: it is not a part of the last.
    void begin(bool is_repeated = true) noexcept {
        const bool is_soon = has_ended() && now() - ended_at_.load(std::memory_order_relaxed) < kSoon;
        if (is_soon && !is_repeated) return;
        const std::int64_t most = most_.load(std::memory_order_relaxed);
        most_.store(!is_soon ? kFirst : most < kLast ? 4 * most : most, std::memory_order_relaxed);
        left_.store(most_.load(std::memory_order_relaxed), std::memory_order_relaxed);
        ended_at_.store(kNever, std::memory_order_relaxed);
    }
    bool has_ended() const noexcept { return ended_at_.load(std::memory_order_relaxed) != kNever; }

    // Takes the page that `at` lies on, one of `count` like it, by reading a byte and writing it again.
    void touch(char* at, std::size_t count = 1) noexcept {
        const std::int64_t start = now();
        volatile char* const byte = at;
        *byte = *byte;
        const std::int64_t end = now(), most = most_.load(std::memory_order_relaxed);
        const std::int64_t left = left_.load(std::memory_order_relaxed) + (kUsual - (end - start)) * static_cast<std::int64_t>(count);
        left_.store(left < most ? left : most, std::memory_order_relaxed);
        if (left < 0) ended_at_.store(end, std::memory_order_relaxed);
    }

private:
    // Nanoseconds. As many small pages usually take kUsual.
    static constexpr std::int64_t kUsual = 500'000, kFirst = 10'000'000, kLast = INT64_C(1) << 40, kSoon = 2'000'000'000,
                                  kNever = INT64_MIN / 2;

    static std::int64_t now() noexcept { return std::chrono::nanoseconds(std::chrono::steady_clock::now().time_since_epoch()).count(); }

    std::atomic<std::int64_t> ended_at_ = kNever, most_ = kFirst, left_ = kFirst;
};

Patience with_arenas, with_blocks;

PyObjectArenaAllocator own_arenas;        // the interpreter's, once that is proved
std::atomic<char*> spare_half = nullptr;  // of the last huge page
// What is known of the calls under way that want huge arenas: their number, how many of them are this thread's, the progress of the one
// that came last, and the thread that this one runs in (0: none). The main interpreter's lock guards it all, but others may read the
// thread.
unsigned users = 0;
thread_local unsigned own_users = 0;
Progress* followed = nullptr;
std::atomic<unsigned long> following_thread = 0;

// Null where the kernel refuses. Older kernels do not align what they map. The last huge page in the room is kept: the next one will most
// likely lie right below, and the two are one mapping then.
char* map_huge_page() noexcept {
    auto* const room = static_cast<char*>(platform::map_pages(2 * kHugeBytes));
    if (!room) return nullptr;
    const std::size_t before = kHugeBytes - (reinterpret_cast<std::uintptr_t>(room) & (kHugeBytes - 1));
    char* const page = room + before;
    platform::unmap_pages(room, before);
    if (before < kHugeBytes) platform::unmap_pages(page + kHugeBytes, kHugeBytes - before);
    if (platform::advise_huge_pages(page, kHugeBytes, true)) return page;
    platform::unmap_pages(page, kHugeBytes);
    return nullptr;
}

bool in_main_interpreter() noexcept { return PyInterpreterState_Get() == PyInterpreterState_Main(); }

void follow(Progress* progress) noexcept {
    followed = progress;
    following_thread.store(progress ? PyThread_get_thread_ident() : 0, std::memory_order_relaxed);
}

void* take_arena(void* ctx, std::size_t byte_len);

// Gives the interpreter its own arenas back when no call wants huge ones any more.
void end_if_unused() noexcept {
    if (users > 0) return;
    PyObjectArenaAllocator now;
    PyObject_GetArenaAllocator(&now);
    if (now.alloc != take_arena) return;
    now.alloc = own_arenas.alloc;
    PyObject_SetArenaAllocator(&now);
}

// In a process that was forked: of its threads, only the one that forked has come along, and the calls of the others never end there.
PyObject* forget_other_threads(PyObject*, PyObject*) noexcept {
    users = own_users;
    if (following_thread.load(std::memory_order_relaxed) != PyThread_get_thread_ident()) follow(nullptr);
    end_if_unused();
    Py_RETURN_NONE;
}

// Has every forked process begin so. False with an error set.
[[nodiscard]] bool watch_forks() noexcept {
    static PyMethodDef method = {"forget_other_threads", forget_other_threads, METH_NOARGS, nullptr};
    const Owned os = Owned::steal(PyImport_ImportModule("os")), function = Owned::steal(PyCFunction_New(&method, nullptr));
    const Owned keywords = Owned::steal(function ? Py_BuildValue("{s:O}", "after_in_child", function.get()) : nullptr);
    const Owned watch = os ? get_attribute(os.get(), "register_at_fork") : Owned();
    return watch && keywords && Owned::steal(PyObject_VectorcallDict(watch.get(), nullptr, 0, keywords.get()));
}

// How many bytes of arenas are wanted yet, those of the arena that is about to be taken among them: as many for the rest of the text as
// there were for what has been read since the first arena; before that, whose memory was found, as many as the rest has units.
double bytes_wanted() noexcept {
    if (following_thread.load(std::memory_order_relaxed) != PyThread_get_thread_ident() || !in_main_interpreter()) return 2 * kArenaBytes;
    const auto distance = [](const void* from, const void* to) {
        return static_cast<double>(static_cast<const char*>(to) - static_cast<const char*>(from));
    };
    const auto taken = static_cast<double>(kArenaBytes * followed->arenas++);
    if (taken == 0) followed->first = followed->reached;
    const double read = distance(followed->first, followed->reached), rest = distance(followed->reached, followed->last);
    return read > 0 ? taken * rest / read : rest / static_cast<double>(followed->unit_bytes);
}

// In the place of own_arenas.alloc. Other interpreters may come here at the same time.
void* take_arena(void* ctx, std::size_t byte_len) {
    constexpr double kWorthHuge = 1.5 * kArenaBytes;  // for less, much of the page would be cleared in vain
    if (byte_len != kArenaBytes) return own_arenas.alloc(ctx, byte_len);
    const double wanted = bytes_wanted();
    if (char* const half = spare_half.exchange(nullptr)) return half;
    if (char* const page = wanted < kWorthHuge || with_arenas.has_ended() ? nullptr : map_huge_page()) {
        with_arenas.touch(page);
        populate(page, kHugeBytes);
        if (char* const other = spare_half.exchange(page + kArenaBytes)) platform::unmap_pages(other, kArenaBytes);
        return page;
    }
    void* const arena = own_arenas.alloc(ctx, byte_len);
    if (arena) populate(arena, wanted < kArenaBytes ? static_cast<std::size_t>(wanted) : kArenaBytes);
    return arena;
}

}  // namespace

void teach_malloc(std::size_t byte_len) noexcept {
    constexpr std::size_t kMaxTaught = 1024 * 1024;
    keep_blocks_when_freed(byte_len < kMaxTaught / 2 ? 2 * byte_len : kMaxTaught);
}

void keep_blocks_when_freed(std::size_t byte_len) noexcept {
    if constexpr (!platform::kMallocLearns) return;
    static std::atomic<std::size_t> taught = 0;
    if (byte_len <= taught.load(std::memory_order_relaxed)) return;
    taught.store(byte_len, std::memory_order_relaxed);
    void* volatile const example = std::malloc(byte_len);
    std::free(example);
}

void populate(void* at, std::size_t byte_len) noexcept {
    const std::uintptr_t first = reinterpret_cast<std::uintptr_t>(at) & ~(kPageBytes - 1);
    platform::populate_pages(reinterpret_cast<void*>(first), reinterpret_cast<std::uintptr_t>(at) + byte_len - first);
}

void ask_for_huge_pages(void* block, std::size_t byte_len, std::size_t used_bytes) noexcept {
    if (!platform::kHasHugePages || !are_wanted.load(std::memory_order_relaxed)) return;
    // All of the pages that the block lies on: a mapping that is advised in part becomes two, and realloc can't move it any more.
    const std::uintptr_t first = reinterpret_cast<std::uintptr_t>(block) & ~(kPageBytes - 1);
    const std::uintptr_t last = (reinterpret_cast<std::uintptr_t>(block) + byte_len + kPageBytes - 1) & ~(kPageBytes - 1);
    static std::atomic<std::size_t> last_byte_len = 0;
    with_blocks.begin(byte_len <= last_byte_len.exchange(byte_len));  // a larger one than before may be the same block, grown
    if (with_blocks.has_ended()) return;
    if (!platform::advise_huge_pages(reinterpret_cast<void*>(first), last - first, true)) return;
    // The next ones to be written to: others might not be, and would be memory taken for nothing.
    constexpr std::size_t kSamples = 3;
    std::uintptr_t page = (reinterpret_cast<std::uintptr_t>(block) + used_bytes + kHugeBytes - 1) & ~(kHugeBytes - 1);
    for (std::size_t k = 0; k < kSamples && page + kHugeBytes <= last; ++k, page += kHugeBytes)
        with_blocks.touch(reinterpret_cast<char*>(page), byte_len / kHugeBytes / kSamples);
    if (with_blocks.has_ended()) platform::advise_huge_pages(reinterpret_cast<void*>(first), last - first, false);
}

void want_huge_pages(bool wanted) noexcept { are_wanted.store(wanted, std::memory_order_relaxed); }

bool prove_huge_pages(Tricks&) noexcept {
    if (!layout::kHasMappedArenas || !are_wanted.load(std::memory_order_relaxed) || !in_main_interpreter()) return false;
    PyObjectArenaAllocator now;
    PyObject_GetArenaAllocator(&now);
    if (own_arenas.alloc && (now.alloc == own_arenas.alloc || now.alloc == take_arena)) return true;  // the module is imported again
    if (now.ctx || !platform::are_in_one_library(reinterpret_cast<void*>(now.alloc), reinterpret_cast<void*>(&PyObject_Malloc)))
        return false;
    bool is_mmap = false;
    for (int attempts = 0; !is_mmap && attempts < 3; ++attempts) {  // another thread may have mapped the place
        void* const arena = now.alloc(now.ctx, kArenaBytes);
        if (!arena) return false;
        const bool is_aligned = reinterpret_cast<std::uintptr_t>(arena) % kPageBytes == 0;
        now.free(now.ctx, arena, kArenaBytes);
        is_mmap = is_aligned && !platform::is_mapped(arena);
    }
    if (!is_mmap) return false;
    char* const page = map_huge_page();
    if (!page) return false;
    platform::unmap_pages(page, kHugeBytes);
    if (!watch_forks()) return false;
    own_arenas = now;
    return true;
}

void DocumentMemory::enter(const Tricks& tricks) noexcept {
    if (!tricks.huge_pages) return;
    PyObjectArenaAllocator now;
    PyObject_GetArenaAllocator(&now);
    if (now.alloc != (users ? take_arena : own_arenas.alloc)) return;  // somebody's own
    now.alloc = take_arena;
    if (users++ == 0) {
        with_arenas.begin();
        PyObject_SetArenaAllocator(&now);
    }
    ++own_users;
    has_huge_arenas_ = true;
    follow(progress_);
}

void DocumentMemory::leave() noexcept {
    if (followed == progress_) follow(nullptr);
    --own_users;
    --users;
    end_if_unused();
}

}  // namespace ocior
