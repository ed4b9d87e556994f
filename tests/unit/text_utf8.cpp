// UTF-8 transcoding against its twin: outputs of exact size that end at a guard page, every code point, every short byte sequence.
#include <doctest/doctest.h>

#include "text/utf8.h"
#include "text_oracle.h"
#include "text_samples.h"

using namespace ocior;
using samples::Guarded;

namespace {

const Guarded& input() {
    static const Guarded memory(4);
    return memory;
}
const Guarded& output() {
    static const Guarded memory(4);
    return memory;
}

// Transcodes n bytes at src (with slack behind) into room for exactly the code points; true when the result is the twin's.
template <CodeUnit Dst>
bool agrees(const std::uint8_t* src, std::size_t n, std::size_t units_before_guard = 0) {
    static Dst expected[4096];
    const Dst* want = text::scalar::utf8_to(expected, src, src + n);
    std::size_t room = 0;
    for (std::size_t i = 0; i < n; ++i) room += (src[i] & 0xC0) != 0x80;
    Dst* dst = output().room<Dst>(room, units_before_guard);
    dst[-1] = static_cast<Dst>(0xA5A5A5A5);
    std::memset(dst + room, 0xA5, units_before_guard * sizeof(Dst));
    const Dst* got = text::utf8_to(dst, src, src + n);
    if (sizeof(Dst) == 4 && text::is_utf8(src, src + n) != (want != nullptr)) return false;
    for (std::size_t i = 0; i < units_before_guard; ++i) {
        if (dst[room + i] != static_cast<Dst>(0xA5A5A5A5)) return false;
    }
    if (dst[-1] != static_cast<Dst>(0xA5A5A5A5)) return false;
    if (want == nullptr || got == nullptr) return want == nullptr && got == nullptr;
    return got - dst == want - expected && std::memcmp(dst, expected, static_cast<std::size_t>(want - expected) * sizeof(Dst)) == 0;
}
bool all_agree(const std::uint8_t* src, std::size_t n) {
    return agrees<std::uint8_t>(src, n) && agrees<std::uint16_t>(src, n) && agrees<std::uint32_t>(src, n);
}

// Puts bytes where kReadSlack bytes remain before the guard page; the slack is filled with continuation bytes, the worst there is.
std::uint8_t* place(const std::vector<std::uint8_t>& bytes, std::size_t before_guard = 0) {
    std::uint8_t* p = input().room<std::uint8_t>(bytes.size(), kReadSlack + before_guard);
    if (!bytes.empty()) std::memcpy(p, bytes.data(), bytes.size());
    std::memset(p + bytes.size(), 0x80, kReadSlack + before_guard);
    return p;
}

template <CodeUnit Dst>
std::size_t text_differences(std::uint32_t limit) {
    samples::Random r(sizeof(Dst));
    std::size_t wrong = 0;
    std::vector<std::uint8_t> bytes;
    for (std::size_t n = 0; n <= 300; ++n) {
        for (int kind = 0; kind < samples::kTextKinds; ++kind) {
            const auto units = samples::text<std::uint32_t>(kind, n, r);
            bytes.resize(n * 4);
            std::uint8_t* end = bytes.data();
            for (std::uint32_t c : units)
                end = text::scalar::write_utf8(end, c <= limit ? c : limit == 0xFF ? c & 0xFF : (c & 0xFFF) + 0x3000);
            bytes.resize(static_cast<std::size_t>(end - bytes.data()));
            for (std::size_t alignment : samples::alignments(n))
                wrong += !agrees<Dst>(place(bytes, alignment), bytes.size(), alignment % 5);
            // Damage one byte, cut one off, at random.
            for (int i = 0; i < 4 && !bytes.empty(); ++i) {
                auto damaged = bytes;
                damaged[r.below(static_cast<std::uint32_t>(bytes.size()))] =
                    static_cast<std::uint8_t>(r.below(4) ? 0x80 + r.below(0x80) : r.below(256));
                if (r.below(4) == 0) damaged.pop_back();
                wrong += !agrees<Dst>(place(damaged), damaged.size());
            }
        }
    }
    return wrong;
}

}  // namespace

TEST_CASE("texts of every script") {
    CHECK(text_differences<std::uint8_t>(0xFF) == 0);
    CHECK(text_differences<std::uint16_t>(0xFFFF) == 0);
    CHECK(text_differences<std::uint32_t>(0x10FFFF) == 0);
}

TEST_CASE("every code point") {
    std::size_t wrong = 0;
    std::vector<std::uint8_t> bytes;
    for (std::uint32_t c = 0; c <= 0x10FFFF; ++c) {
        std::uint8_t one[4];
        bytes.insert(bytes.end(), one, text::scalar::write_utf8(one, c));  // surrogates are written too
        if ((c + 1) % 331 != 0 && c != 0x10FFFF) continue;
        const std::uint8_t* p = place(bytes);
        wrong += !agrees<std::uint32_t>(p, bytes.size());
        if (c < 0x10000) wrong += !agrees<std::uint16_t>(p, bytes.size());
        bytes.clear();
    }
    CHECK(wrong == 0);
}

TEST_CASE("every sequence of one, two and three bytes") {
    // Alone, and inside text at a position that crosses vectors.
    std::size_t wrong = 0;
    for (unsigned a = 0; a < 256; ++a) {
        wrong += !all_agree(place({static_cast<std::uint8_t>(a)}), 1);
        for (unsigned b = 0; b < 256; ++b) {
            wrong += !all_agree(place({static_cast<std::uint8_t>(a), static_cast<std::uint8_t>(b)}), 2);
            std::vector<std::uint8_t> inside(70, 'x');
            inside[(a + b) % 69] = static_cast<std::uint8_t>(a);
            inside[(a + b) % 69 + 1] = static_cast<std::uint8_t>(b);
            wrong += !all_agree(place(inside), inside.size());
            if (a < 0xE0) continue;
            for (unsigned c = 0x70; c < 256; c += c < 0x7F || c >= 0xC2 ? 5 : 1)
                wrong += !all_agree(place({static_cast<std::uint8_t>(a), static_cast<std::uint8_t>(b), static_cast<std::uint8_t>(c)}), 3);
        }
    }
    CHECK(wrong == 0);
}

TEST_CASE("sequences of four bytes") {
    std::size_t wrong = 0;
    static const std::uint8_t tails[] = {0x00, 0x7F, 0x80, 0x81, 0xBE, 0xBF, 0xC0, 0xFF};
    for (unsigned a = 0xE0; a < 256; ++a)
        for (unsigned b = 0x7E; b < 0xC4; ++b)
            for (std::uint8_t c : tails)
                for (std::uint8_t d : tails) {
                    const std::vector<std::uint8_t> bytes = {static_cast<std::uint8_t>(a), static_cast<std::uint8_t>(b), c, d};
                    wrong += !agrees<std::uint32_t>(place(bytes), 4) || !agrees<std::uint16_t>(place(bytes), 4);
                }
    CHECK(wrong == 0);
}

TEST_CASE("an error at every position of every script") {
    static const std::uint32_t scripts[] = {'a', 0xE9, 0x416, 0x4E2D, 0x1F600};
    static const std::vector<std::uint8_t> errors[] = {{0x80},
                                                       {0xC3},
                                                       {0xE4, 0xB8},
                                                       {0xF0, 0x9F, 0x98},
                                                       {0xC0, 0x80},
                                                       {0xE0, 0x9F, 0xBF},
                                                       {0xF0, 0x8F, 0xBF, 0xBF},
                                                       {0xF4, 0x90, 0x80, 0x80},
                                                       {0xFF},
                                                       {0xED, 0xA0, 0x80}};
    std::size_t wrong = 0;
    for (std::uint32_t script : scripts) {
        for (std::size_t n = 0; n < 150; n += 1 + n / 40) {
            for (std::size_t at = 0; at <= n; ++at) {
                for (const auto& error : errors) {
                    std::vector<std::uint8_t> bytes((n + 1) * 4);
                    std::uint8_t* end = bytes.data();
                    for (std::size_t i = 0; i <= n; ++i) {
                        if (i == at)
                            for (std::uint8_t b : error) *end++ = b;
                        if (i < n) end = text::scalar::write_utf8(end, script);
                    }
                    bytes.resize(static_cast<std::size_t>(end - bytes.data()));
                    const std::uint8_t* p = place(bytes);
                    wrong += script < 0x100     ? !all_agree(p, bytes.size())
                             : script < 0x10000 ? !agrees<std::uint16_t>(p, bytes.size()) || !agrees<std::uint32_t>(p, bytes.size())
                                                : !agrees<std::uint32_t>(p, bytes.size());
                }
            }
        }
    }
    CHECK(wrong == 0);
}
