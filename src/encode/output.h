// Where encoded text goes: first into a scratch block that is reused from call to call, then, when it outgrows that, straight into
// the str or bytes to be returned, which grows in place and is cut to size at the end.
#pragma once

#include "base/bits.h"
#include "py/constants.h"
#include "py/ref.h"

namespace ocior::encode {

class Output {
public:
    static constexpr std::size_t kSmallBytes = 8 * 1024;             // of a text: copying it out of the scratch block is a second pass
    static constexpr std::size_t kScratchBytes = 2 * kSmallBytes;  // a small text may turn wider in it, and has room that it will not need

    // `is_unproven`: as after doubt().
    Output(std::uint8_t* scratch, std::size_t scratch_bytes, const Constants& constants, ObjectAllocator& allocator, bool to_bytes,
           unsigned width, bool is_unproven) noexcept
        : constants_(constants),
          allocator_(allocator),
          to_bytes_(to_bytes),
          is_unproven_(is_unproven),
          scratch_(scratch),
          scratch_bytes_(scratch_bytes) {
        use_scratch(width);
    }
    ~Output() { Py_XDECREF(object_); }
    Output(const Output&) = delete;
    Output& operator=(const Output&) = delete;

    void* data() const noexcept { return data_; }
    std::size_t capacity() const noexcept { return capacity_; }  // units, kWriteSlack bytes not counted
    unsigned width() const noexcept { return width_; }

    // What is known of a text that was not small.
    struct Size {
        std::size_t byte_len = 0;
        unsigned width = 0;  // of its units; 0: another text, a small one, came after it
        bool is_latin1 = false;
    };

    // The last text that was not small: the next one is likely to need as much. So it begins in an object at once, if it is larger by
    // little: copying out of that would be felt.
    OCIOR_INLINE void expect(const Size& last) noexcept {
        if (OCIOR_UNLIKELY(last.byte_len > kSmallBytes)) expect_large(last);
    }

    // Keeps in `last` what expect() wants to know of this text, whose length is `used` units.
    OCIOR_INLINE void tell_size(std::size_t used, Size& last) const noexcept {
        const std::size_t byte_len = used * width_;
        if (OCIOR_LIKELY(byte_len <= kSmallBytes)) last.width = 0;
        else last = {byte_len, width_, width_ == 1 && is_latin1_};
    }

    // A one-byte text now holds Latin-1, not only ASCII.
    void note_latin1() noexcept { is_latin1_ = true; }

    // The text may be narrower than its units: because of a separator, an earlier piece, or a value that has been taken away.
    void doubt() noexcept { is_unproven_ = true; }

    // Room for at least `extra` units behind the first `used`, which are kept. False with MemoryError set.
    [[nodiscard]] bool grow(std::size_t used, std::size_t extra) noexcept;

    // Turns the first `used` units into units of `width` bytes. False with MemoryError set.
    [[nodiscard]] bool widen(std::size_t used, unsigned width) noexcept;

    // Puts the text::ExtraEscapes `which` into the units [first, used), and sets `used` to where they end then. False with MemoryError set.
    [[nodiscard]] bool put_extra_escapes(std::size_t first, std::size_t& used, unsigned which) noexcept;

    // The str or bytes of the first `used` units. Null with MemoryError set.
    OCIOR_INLINE PyObject* finish(std::size_t used) noexcept { return OCIOR_LIKELY(!object_) ? new_exact(used) : finish_object(used); }

    // The str or bytes of the first `used` units but for the last `kept`, with which the text goes on. Null with MemoryError set.
    PyObject* hand_over(std::size_t used, std::size_t kept) noexcept;

private:
    void expect_large(const Size& last) noexcept;
    void skip_scratch() noexcept;
    PyObject* allocate(std::size_t capacity, unsigned width) noexcept;
    void adopt(PyObject* object, std::size_t used, std::size_t capacity, unsigned width) noexcept;
    PyObject* new_exact(std::size_t used) noexcept;
    PyObject* finish_object(std::size_t used) noexcept;
    bool may_write_headers() const noexcept { return layout::kMayBuildDirect && constants_.tricks.direct_scalars; }
    bool may_write_wide_headers() const noexcept { return layout::kMayBuildWideDirect && constants_.tricks.direct_scalars; }

    static constexpr std::size_t kMaxExpected = 64 * 1024 * 1024;
    static constexpr std::size_t kMargin = 8 * 1024;  // what a walk wants free at the end
    static constexpr std::size_t kSkipUpTo = 512 * 1024;  // larger texts don't notice the copy, and a wrong guess is dearer
    // Texts grow by doubling; but the first large one of all, of whose size nothing is known, soon by longer steps, into pages of its own:
    // they grow by being moved, so no more than a little of the text ever lies there twice.
    static constexpr std::size_t kLeapFrom = 120 * 1024, kLeapUpTo = 1024 * 1024, kLeap = 6;
    static constexpr std::size_t kUncutBytes = 256 * 1024;  // from here on a text may keep a block a little too large
    static constexpr std::size_t kWidenedBytes = 256 * 1024;  // and it is widened where it is even if that has to grow

    [[nodiscard]] bool cut(std::size_t used) noexcept;
    bool has_right_header(std::size_t used) const noexcept;
    [[nodiscard]] bool widen_object(std::size_t used, std::size_t capacity, unsigned width) noexcept;
    std::size_t block_bytes() const noexcept;
    void use_scratch(unsigned width) noexcept {
        width_ = width;
        data_ = scratch_;
        capacity_ = (scratch_bytes_ - kWriteSlack) >> (width >> 1);  // a division would be felt
    }

    const Constants& constants_;
    ObjectAllocator& allocator_;
    bool to_bytes_;
    bool is_unproven_;
    bool is_latin1_ = false;
    bool object_is_latin1_ = false;  // what a one-byte object was made for
    bool expects_latin1_ = false;
    std::uint8_t* scratch_;
    std::size_t scratch_bytes_;
    unsigned width_;
    std::uint8_t* data_;
    std::size_t capacity_;
    std::size_t expected_ = 0;  // bytes; 0: nothing is known
    unsigned expected_width_ = 0;  // 0: likely to be small
    PyObject* object_ = nullptr;  // null while the text lies in the scratch block
};

}  // namespace ocior::encode
