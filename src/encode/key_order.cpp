#include "encode/key_order.h"

#include <algorithm>
#include <memory>

#include "py/str.h"
#include "simd/overread.h"
#include "simd/rank.h"
#include "text/scalar.h"

namespace ocior::encode {
namespace {

using layout::StrEntry;

// Less than 0, 0 or more, as json orders the texts.
int compare_texts(PyObject* a, PyObject* b) noexcept {
    if (OCIOR_UNLIKELY(!is_compact_ascii(a) || !is_compact_ascii(b))) return PyUnicode_Compare(a, b);
    const auto length = static_cast<std::size_t>(PyUnicode_GET_LENGTH(a)), other = static_cast<std::size_t>(PyUnicode_GET_LENGTH(b));
    const int order = std::memcmp(ascii_data(a), ascii_data(b), std::min(length, other));
    return order != 0 ? order : (length > other) - (length < other);
}

// What a character is to be compared by with another one, so that the order is that of their UTF-16 code units: beyond 16 bits the first of
// these is a surrogate, and less than U+E000. (A surrogate that stands alone comes before the pairs that begin with it.)
std::uint64_t utf16_rank(Py_UCS4 character) noexcept {
    const std::uint64_t lead = character < 0x10000 ? character : 0xD800 + ((character - 0x10000) >> 10);
    return lead << 32 | character;
}

// Compares as compare_texts() does, but by UTF-16 code units, as RFC 8785 has it.
int compare_canonically(PyObject* a, PyObject* b) noexcept {
    if (OCIOR_LIKELY(unit_width(a) != 4 && unit_width(b) != 4)) return compare_texts(a, b);
    const Py_ssize_t length = PyUnicode_GET_LENGTH(a), other = PyUnicode_GET_LENGTH(b);
    for (Py_ssize_t i = 0; i < length && i < other; ++i) {
        const Py_UCS4 one = PyUnicode_READ_CHAR(a, i), two = PyUnicode_READ_CHAR(b, i);
        if (one != two) return utf16_rank(one) < utf16_rank(two) ? -1 : 1;
    }
    return (length > other) - (length < other);
}

// The first eight characters of a key, the first one highest, with zeros behind a shorter one: the smaller of two different heads belongs
// to the key that comes first. No negative number; -1 where the key is not ASCII.
OCIOR_INLINE std::int64_t head_of_ascii(PyObject* key) noexcept {
    if (OCIOR_UNLIKELY(!is_compact_ascii(key))) return -1;
    const auto length = static_cast<std::size_t>(PyUnicode_GET_LENGTH(key));
    const std::uint64_t word = simd::load_word_beyond(ascii_data(key));  // its header is of whole words
    const std::uint64_t used = length >= 8 ? ~std::uint64_t{0} : low_bits(static_cast<unsigned>(8 * length));
    return static_cast<std::int64_t>(__builtin_bswap64(word & used));
}

// The head of a key whose characters have one or two bytes each: its first four characters, in 16 bits each. The uppermost bit is inverted,
// because it would make the number negative.
OCIOR_INLINE std::int64_t head_of_units(PyObject* key) noexcept {
    constexpr std::size_t kUnits = 4;
    const auto length = std::min(static_cast<std::size_t>(PyUnicode_GET_LENGTH(key)), kUnits);
    std::uint64_t units;
    if (unit_width(key) == 1) {
        const std::uint64_t word = simd::load_word_beyond(PyUnicode_1BYTE_DATA(key)) & low_bits(static_cast<unsigned>(8 * length));
        units = __builtin_bswap64(word) >> 32;
        units = (units | units << 16) & 0x0000FFFF0000FFFF;
        units = (units | units << 8) & 0x00FF00FF00FF00FF;
    } else {
        const std::uint64_t word = simd::load_word_beyond(PyUnicode_2BYTE_DATA(key));
        units = __builtin_bswap64(word & low_bits(static_cast<unsigned>(16 * length)));
        units = (units & 0x00FF00FF00FF00FF) << 8 | (units >> 8 & 0x00FF00FF00FF00FF);
    }
    return static_cast<std::int64_t>(units ^ std::uint64_t{1} << 63);
}

// The head of any key where some key has characters beyond 16 bits. A character that shares its value there with others is the last of the
// head.
std::int64_t head_of_wide(PyObject* key, bool is_canonical) noexcept {
    constexpr std::size_t kUnits = 4;
    StrView view{};
    if (!view_of(key, view)) PyErr_Clear();  // which will be met again when the key is written
    std::uint64_t head = 0;
    for (std::size_t i = 0; i < kUnits && i < view.length; ++i) {
        const Py_UCS4 character = PyUnicode_READ_CHAR(key, static_cast<Py_ssize_t>(i));
        const std::uint64_t unit = is_canonical ? utf16_rank(character) >> 32 : std::min<Py_UCS4>(character, 0xFFFF);
        head |= unit << (16 * (kUnits - 1 - i));
        if (character >= 0xFFFF || (is_canonical && text::is_surrogate(character))) break;
    }
    return static_cast<std::int64_t>(head ^ std::uint64_t{1} << 63);
}

// Calls put(i, head) for all keys.
template <typename Put>
OCIOR_INLINE void read_heads(const Options& options, const StrEntry* items, std::size_t count, Put put) noexcept {
    std::int64_t all = 0;
    for (std::size_t i = 0; i < count; ++i) {
        const std::int64_t head = head_of_ascii(items[i].key);
        all |= head;
        put(i, head);
    }
    if (OCIOR_LIKELY(all >= 0)) return;
    unsigned widths = 0;
    for (std::size_t i = 0; i < count; ++i) {
        StrView view{};
        if (!view_of(items[i].key, view)) PyErr_Clear(), view.width = 4;
        widths |= view.width;
    }
    if (widths < 4) {
        for (std::size_t i = 0; i < count; ++i) put(i, head_of_units(items[i].key));
    } else {
        for (std::size_t i = 0; i < count; ++i) put(i, head_of_wide(items[i].key, options.is_canonical));
    }
}

using Compare = int (*)(PyObject*, PyObject*) noexcept;

// How many characters are the same at the beginning of both.
std::size_t common_length(PyObject* a, PyObject* b) noexcept {
    const auto length = static_cast<std::size_t>(std::min(PyUnicode_GET_LENGTH(a), PyUnicode_GET_LENGTH(b)));
    std::size_t i = 0;
    if (const std::size_t width = unit_width(a); width != 0 && width == unit_width(b)) {  // 0: an error will be met when it is written
        const auto *const one = static_cast<const char*>(PyUnicode_DATA(a)), *const two = static_cast<const char*>(PyUnicode_DATA(b));
        constexpr std::size_t kWord = sizeof(std::uint64_t);
        const std::size_t step = kWord / width;
        for (; i + step <= length; i += step) {
            const std::uint64_t difference = load<std::uint64_t>(one + i * width) ^ load<std::uint64_t>(two + i * width);
            if (difference != 0) return i + trailing_zeros(difference) / 8 / width;
        }
    }
    const auto at = [](PyObject* key, std::size_t place) { return PyUnicode_READ_CHAR(key, static_cast<Py_ssize_t>(place)); };
    while (i < length && at(a, i) == at(b, i)) ++i;
    return i;
}

// Two characters of a key from `place` on, in 24 bits each: an end comes before any character.
std::int64_t characters_at(PyObject* key, std::size_t place) noexcept {
    const auto at = [key](std::size_t i) -> std::int64_t {
        return i < static_cast<std::size_t>(PyUnicode_GET_LENGTH(key)) ? PyUnicode_READ_CHAR(key, static_cast<Py_ssize_t>(i)) + 1 : 0;
    };
    return at(place) << 24 | at(place + 1);
}

// Tells keys with the same head apart by the characters where they begin to differ, round by round, as `before` and `same` have to say
// then. The keys of which `same` is not 1 even so have the same head in the end, and no other keys have it.
template <std::size_t kRoom>
OCIOR_NOINLINE void tell_apart(const Options& options, const StrEntry* items, std::size_t count, std::int64_t (&heads)[kRoom],
                               std::int64_t (&before)[kRoom], std::int64_t (&same)[kRoom]) noexcept {
    constexpr int kMostRounds = 8;
    if (options.is_canonical)
        for (std::size_t i = 0; i < count; ++i)
            if (unit_width(items[i].key) == 4) return;
    for (int round = 0; round < kMostRounds; ++round) {
        PyObject* first[kRoom];  // by what comes before it
        std::uint64_t has_first = 0;
        std::size_t place = ~std::size_t{0};
        for (std::size_t i = 0; i < count; ++i) {
            if (same[i] == 1) continue;
            if ((has_first >> before[i] & 1) != 0) {
                place = std::min(place, common_length(first[before[i]], items[i].key));
            } else {
                first[before[i]] = items[i].key;
                has_first |= std::uint64_t{1} << before[i];
            }
        }
        if (has_first == 0) return;
        for (std::size_t i = 0; i < count; ++i) heads[i] = before[i] << 48 | (same[i] == 1 ? 0 : characters_at(items[i].key, place));
        simd::rank(heads, count, before, same);
    }
}

// Where the ordered items come from, of up to kRoom. How many come before an item says where it belongs, and no branch depends on their
// order, unless two heads are the same.
template <std::size_t kRoom>
OCIOR_INLINE void order_few(const Options& options, const StrEntry* items, std::size_t count, Compare compare,
                            std::uint32_t* places) noexcept {
    std::int64_t heads[kRoom] = {}, before[kRoom], same[kRoom], all_same = 1;
    read_heads(options, items, count, [&](std::size_t i, std::int64_t head) OCIOR_INLINE_LAMBDA { heads[i] = head; });
    simd::rank(heads, count, before, same);
    for (std::size_t i = 0; i < count; ++i) all_same |= same[i];
    if (OCIOR_UNLIKELY(all_same != 1)) tell_apart(options, items, count, heads, before, same);
    for (std::size_t i = 0; i < count; ++i) {
        if (OCIOR_UNLIKELY(same[i] > 1)) {
            for (std::size_t j = 0; j < count; ++j) {
                if (heads[j] != heads[i]) continue;
                const int order = compare(items[j].key, items[i].key);
                before[i] += order < 0 || (order == 0 && j < i);
            }
        }
        places[before[i]] = static_cast<std::uint32_t>(i);
    }
}

constexpr std::size_t kFew = 32;

struct Head {
    std::int64_t head;
    std::size_t place;
};
static_assert(sizeof(Head) == sizeof(StrEntry));
using Heads = std::unique_ptr<Head, decltype(&std::free)>;

// The heads of any number of keys, ordered, with the places that the ordered items come from. Empty when out of memory.
Heads ordered_heads(const Options& options, const StrEntry* items, std::size_t count, Compare compare) noexcept {
    Heads owner(static_cast<Head*>(std::malloc(count * sizeof(Head))), std::free);
    if (Head* const heads = owner.get()) {
        constexpr std::size_t kAhead = 8;  // many keys are far away
        read_heads(options, items, count, [=](std::size_t i, std::int64_t head) OCIOR_INLINE_LAMBDA {
            heads[i] = {head, i};
            if (i + kAhead < count) __builtin_prefetch(ascii_data(items[i + kAhead].key));
        });
        std::stable_sort(heads, heads + count, [items, compare](const Head& a, const Head& b) {
            return a.head != b.head ? a.head < b.head : compare(items[a.place].key, items[b.place].key) < 0;
        });
    }
    return owner;
}

Compare comparison_of(const Options& options) noexcept { return options.is_canonical ? compare_canonically : compare_texts; }

// Orders any number of items as order_few() does. False when out of memory.
[[nodiscard]] bool find_order(const Options& options, const StrEntry* items, std::size_t count, std::uint32_t* places) noexcept {
    const Compare compare = comparison_of(options);
    if (count <= 8) return order_few<8>(options, items, count, compare, places), true;
    if (count <= 16) return order_few<16>(options, items, count, compare, places), true;
    if (count <= kFew) return order_few<kFew>(options, items, count, compare, places), true;
    const Heads heads = ordered_heads(options, items, count, compare);
    for (std::size_t i = 0; heads && i < count; ++i) places[i] = static_cast<std::uint32_t>(heads.get()[i].place);
    return heads != nullptr;
}

// Orders any number of items.
void sort_many(const Options& options, StrEntry* items, std::size_t count) noexcept {
    const Compare compare = comparison_of(options);
    const Heads heads = ordered_heads(options, items, count, compare);
    if (!heads)
        return std::stable_sort(items, items + count,
                                [compare](const StrEntry& a, const StrEntry& b) { return compare(a.key, b.key) < 0; });
    for (std::size_t i = 0; i < count; ++i) {  // each item takes the place of its head
        const StrEntry item = items[heads.get()[i].place];
        std::memcpy(heads.get() + i, &item, sizeof item);
    }
    std::memcpy(items, heads.get(), count * sizeof *items);
}

constexpr std::size_t kFewest = 4;

// Orders so few items at once. False where two have the same head. (Rows of such are faster by the order that KeyOrders remembers.)
[[nodiscard]] OCIOR_INLINE bool sort_fewest(const Options& options, StrEntry* items, std::size_t count) noexcept {
    std::int64_t heads[kFewest];
    read_heads(options, items, count, [&](std::size_t i, std::int64_t head) OCIOR_INLINE_LAMBDA { heads[i] = head; });
    StrEntry unordered[kFewest];
    std::size_t before[kFewest] = {};
    bool are_same = false;
    for (std::size_t i = 0; i < count; ++i) {
        unordered[i] = items[i];
        for (std::size_t j = 0; j < i; ++j) {
            const bool is_later = heads[j] > heads[i];
            before[j] += is_later;
            before[i] += !is_later;
            are_same |= heads[j] == heads[i];
        }
    }
    if (OCIOR_UNLIKELY(are_same)) return false;
    for (std::size_t i = 0; i < count; ++i) items[before[i]] = unordered[i];
    return true;
}

// Whether the items have just these keys.
OCIOR_INLINE bool have_keys(const StrEntry* items, std::size_t count, PyObject* const* keys) noexcept {
    std::uintptr_t difference = 0;
    for (std::size_t i = 0; i < count; ++i)
        difference |= reinterpret_cast<std::uintptr_t>(items[i].key) ^ reinterpret_cast<std::uintptr_t>(keys[i]);
    return difference == 0;
}

// Whether the first `length` bytes of two texts are the same. (simd::equal reads more than lies behind them.)
OCIOR_INLINE bool are_same_bytes(const void* a, const void* b, std::size_t length) noexcept {
    constexpr std::size_t kWord = sizeof(std::uint64_t);  // whose multiples all texts begin at
    const auto *const one = static_cast<const char*>(a), *const two = static_cast<const char*>(b);
    for (std::size_t i = 0; i < length; i += kWord) {
        const std::uint64_t difference = simd::load_word_beyond(one + i) ^ simd::load_word_beyond(two + i);
        if ((difference & low_bits(static_cast<unsigned>(8 * std::min(length - i, kWord)))) != 0) return false;
    }
    return true;
}
// Whether two keys have the same text. False also where both have the same but keep it in two ways.
OCIOR_INLINE bool are_same_text(PyObject* a, PyObject* b) noexcept {
    if (a == b) return true;
    const auto length = static_cast<std::size_t>(PyUnicode_GET_LENGTH(a));
    if (length != static_cast<std::size_t>(PyUnicode_GET_LENGTH(b))) return false;
    if (OCIOR_LIKELY(is_compact_ascii(a) && is_compact_ascii(b))) return are_same_bytes(ascii_data(a), ascii_data(b), length);
    const std::size_t width = unit_width(a);
    return width == unit_width(b) && are_same_bytes(PyUnicode_DATA(a), PyUnicode_DATA(b), width * length);
}
// Whether the items have keys of the same text as these.
bool have_texts(const StrEntry* items, std::size_t count, PyObject* const* keys) noexcept {
    for (std::size_t i = 0; i < count; ++i)
        if (!are_same_text(items[i].key, keys[i])) return false;
    return true;
}

}  // namespace

void KeyOrders::sort(const Options& options, StrEntry* items, std::size_t count) noexcept {
    if (count < 2) return;
    if (OCIOR_UNLIKELY(count > kMostKeys || !reserve(count))) return sort_many(options, items, count);
    const Py_hash_t first = kept_hash(items[0].key), last = kept_hash(items[count - 1].key);
    Order& order = orders_[(static_cast<std::size_t>(first) + 3 * static_cast<std::size_t>(last) + count) % kOrders];
    if (order.call == call_ && order.first == first && order.last == last && order.count == count) {
        bool is_known = order.keys && (OCIOR_LIKELY(have_keys(items, count, order.keys)) || have_texts(items, count, order.keys));
        if (!is_known && order.changes < kMostChanges) is_known = learn(options, order, items, count);
        if (is_known) return move(items, count, order.places());
    } else {
        let_go(order);
        order = {first, last, count, nullptr, 0, call_};
    }
    if (count <= kFewest && sort_fewest(options, items, count)) return;
    std::uint32_t places[kFew];
    if (count > kFew || !find_order(options, items, count, places)) return sort_many(options, items, count);
    move(items, count, places);
}

// False when out of memory, or where so many orders have come that there is no end of them.
bool KeyOrders::learn(const Options& options, Order& order, const StrEntry* items, std::size_t count) noexcept {
    if (retired_count_ >= kMostRetired) return false;
    const std::uint32_t changes = order.keys ? order.changes + 1 : order.changes;
    let_go(order);
    auto* const keys = static_cast<PyObject**>(std::malloc(count * (sizeof(PyObject*) + sizeof(std::uint32_t))));
    if (!keys) return false;
    Order learned{order.first, order.last, count, keys, changes, call_};
    if (!find_order(options, items, count, learned.places())) return std::free(keys), false;
    for (std::size_t i = 0; i < count; ++i) keys[i] = new_ref(items[i].key);
    order = learned;
    known_ |= 1u << (&order - orders_);
    return true;
}

void KeyOrders::let_go(Order& order) noexcept {
    PyObject** const keys = std::exchange(order.keys, nullptr);
    if (!keys) return;
    if (layout::kHasGil) return let_go_of(keys, order.count);
    retired_[retired_count_++] = {keys, order.count};
}

void KeyOrders::let_go_of(PyObject** keys, std::size_t count) noexcept {
    for (std::size_t i = 0; i < count; ++i) Py_DECREF(keys[i]);
    std::free(keys);
}

void KeyOrders::forget() noexcept {
    for (; known_ != 0; known_ &= known_ - 1) {
        Order& order = orders_[trailing_zeros(known_)];
        if (order.keys) let_go_of(std::exchange(order.keys, nullptr), order.count);
    }
    while (retired_count_ != 0) {
        const Retired retired = retired_[--retired_count_];
        let_go_of(retired.keys, retired.count);
    }
}

// Room for a copy of so many items. False when out of memory.
bool KeyOrders::reserve(std::size_t count) noexcept {
    if (OCIOR_LIKELY(count <= copy_room_)) return true;
    const std::size_t room = std::max<std::size_t>(count, 64);
    std::free(std::exchange(copy_, static_cast<StrEntry*>(std::malloc(room * sizeof *copy_))));
    copy_room_ = copy_ ? room : 0;
    return copy_ != nullptr;
}

void KeyOrders::move(StrEntry* items, std::size_t count, const std::uint32_t* places) noexcept {
    std::memcpy(copy_, items, count * sizeof *items);
    for (std::size_t i = 0; i < count; ++i) items[i] = copy_[places[i]];
}

}  // namespace ocior::encode
