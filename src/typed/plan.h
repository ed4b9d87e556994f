// What a type says of a document, compiled: for every place a Node, which says what may stand there and what becomes of it. Plans are made
// once (compile.cpp) of what python/ocior/_typed/hints.py has found out, never change, and are shared by threads. They lie in an Arena; the
// Python objects that they name are kept alive by whoever owns the plan.
#pragma once

#include <cstdlib>

#include "base/bits.h"
#include "grammar/words.h"
#include "py/instance.h"
#include "py/ref.h"
#include "simd/lanes.h"

namespace ocior::typed {

// What a scalar of a document becomes.
enum class Form : std::uint8_t {
    kNone,
    kInt,
    kFloat,
    kDecimal,
    kBool,
    kNull,
    kStr,
    kBytes,
    kByteArray,
    kUuid,
    kDateTime,
    kDate,
    kTime,
    kTimeDelta,
    kCall
};

// What is read without a look at its parts.
enum class Whole : std::uint8_t { kNo, kAny, kRaw, kModel };

// The kinds of what is written, in the order of Node.hooks.
enum class Kind : std::uint8_t { kNull, kBoolean, kInteger, kReal, kString, kArray, kObject };
inline constexpr std::size_t kKinds = 7;

// Which texts of a choice stand for which index. Texts are ASCII and short; others are looked for in a dict of Python's.
struct TextTable {
    static constexpr std::size_t kMostText = 255;
    struct Entry {
        const std::uint8_t* text;  // with kReadSlack bytes behind it; null: no entry
        std::uint32_t length;
        std::uint32_t index;
    };

    const Entry* entries = nullptr;
    std::uint32_t mask = 0;

    // Eight bytes may be read behind the text: of its first and last words, folded by a multiplication by 2^64 / golden ratio (Knuth, TAOCP
    // 3, 6.4).
    static OCIOR_INLINE std::uint64_t hash(const std::uint8_t* text, std::size_t length) noexcept {
        constexpr std::uint64_t kFactor = 0x9E3779B97F4A7C15ull;
        const std::uint64_t head =
            length >= 8 ? load<std::uint64_t>(text) : load<std::uint64_t>(text) & low_bits(static_cast<unsigned>(8 * length));
        const std::uint64_t tail = length > 8 ? load<std::uint64_t>(text + length - 8) : 0;
        std::uint64_t h = (head ^ length) * kFactor;
        h ^= h >> 32;
        h = (h + tail) * kFactor;
        return h >> 32;
    }
    // The index of a text behind which kReadSlack bytes may be read; -1 where it has none.
    OCIOR_INLINE int find(const std::uint8_t* text, std::size_t length) const noexcept {
        if (!entries) return -1;
        for (std::uint64_t at = hash(text, length);; ++at) {
            const Entry& entry = entries[at & mask];
            if (!entry.text) return -1;
            if (entry.length != length) continue;
            const bool is_equal = length <= kReadSlack ? simd::equal(text, entry.text, length) : std::memcmp(entry.text, text, length) == 0;
            if (is_equal) return static_cast<int>(entry.index);
        }
    }
};

// The values of a Literal or an Enum.
struct Choices {
    TextTable texts;
    PyObject* const* text_values = nullptr;  // by the table's indexes
    PyObject* strings = nullptr;  // dict: all of them by str; null where there are none
    PyObject* integers = nullptr;  // dict by int
    PyObject* floats = nullptr;  // dict by float
    PyObject* words[3] = {};  // by grammar::Word
    PyObject* missing = nullptr;  // tuple: Enum classes to be asked for other values
};

struct Bounds {
    PyObject *gt = nullptr, *ge = nullptr, *lt = nullptr, *le = nullptr, *multiple_of = nullptr;

    bool are_any() const noexcept { return gt || ge || lt || le || multiple_of; }
};

struct Lengths {
    Py_ssize_t least = 0, most = PY_SSIZE_T_MAX;

    bool are_any() const noexcept { return least > 0 || most != PY_SSIZE_T_MAX; }
    bool allow(Py_ssize_t length) const noexcept { return least <= length && length <= most; }
};

// What few nodes have.
struct Details {
    Bounds numbers, times;
    Lengths str_lengths, byte_lengths;
    PyObject* pattern = nullptr;
    int needs_offset = -1;  // of a datetime or time: 1 it must have one, 0 it must have none
    PyObject* string_class = nullptr;
    PyObject* model = nullptr;
    PyObject* hooks[kKinds] = {};
};

struct ArrayPlan;
struct ObjectPlan;

struct Node {
    // Bits of `plain`: what becomes what loads() makes of it, unless a policy says otherwise, and needs no further look.
    static constexpr std::uint16_t kWords = 7;  // a bit for each grammar::Word
    static constexpr std::uint16_t kString = 8, kInteger = 16, kReal = 32, kList = 64, kDict = 128;

    std::uint16_t plain = 0;
    Whole whole = Whole::kNo;
    Form integer = Form::kNone, real = Form::kNone;
    std::uint8_t form_count = 0;
    Form forms[14] = {};  // of strings, in the order in which they are tried
    bool is_atomic = false;  // no value of it refers to an object that could refer to it
    bool is_null_taken = false, is_bool_taken = false;
    bool is_surplus = false;  // stands behind the last item of an array
    bool is_tag = false;
    const Node* next = this;  // what is expected behind it in an array
    const ArrayPlan* array = nullptr;
    const ObjectPlan* object = nullptr;
    const Choices* choices = nullptr;
    const Details* details = nullptr;
    PyObject* expected = nullptr;  // str
    PyObject* source = nullptr;  // the Node of hints.py

    PyObject* hook(Kind kind) const noexcept { return details ? details->hooks[static_cast<std::size_t>(kind)] : nullptr; }
};

enum class ArrayKind : std::uint8_t { kList, kTuple, kSet, kFrozenSet, kDeque, kFixed, kNamedTuple, kClass };

struct ArrayPlan {
    ArrayKind kind;
    const Node* first;  // of the items: each leads to what follows it
    std::size_t count = 0;  // of kinds with a node for each item: how many there are; of classes, the fields that are read
    std::size_t required = 0;
    std::size_t room = 0;  // for how many values, with those that do not come of the document
    Lengths lengths;
    PyObject* type = nullptr;
    PyObject* defaults = nullptr;  // tuple, of the last ones
    const ObjectPlan* object = nullptr;
    PyObject* expected = nullptr;
};

enum class Factory : std::uint8_t { kNone, kList, kDict, kSet, kCall };

struct Field {
    const Node* node;
    PyObject* name;
    PyObject* written;
    PyObject* keyword;
    PyObject* value;  // the default; null where there is none
    PyObject* factory_call;
    Factory factory;
    bool is_required, is_positional, is_read;
};

enum class ObjectKind : std::uint8_t { kDict, kClass, kTypedDict, kUnion };

struct ObjectPlan {
    ObjectKind kind;
    bool is_called = false;
    bool is_struct = false;  // of a class whose objects are told to the garbage collector when something is set that it should know of
    bool forbids_unknown = false;
    bool is_atomic = false;  // as Node's, of all its fields or values
    std::uint32_t index = 0;  // among the plans that have key tries
    std::int32_t rest = -1;
    std::uint32_t field_count = 0;
    std::uint32_t slot_count = 0;  // of the fields, and one more where a tag is read
    const Field* fields = nullptr;
    PyObject* names = nullptr;  // dict: str to int
    PyObject* type = nullptr;
    PyObject* name = nullptr;
    PyObject* post_init = nullptr;
    InstanceForm form;
    PyObject* field_names = nullptr;  // kTypedDict: tuple; and a dict with all of them, which is copied
    PyObject* const* name_list = nullptr;
    PyObject* dict_template = nullptr;
    PyObject* tag_name = nullptr;
    const Node* tag_node = nullptr;
    // kDict
    const Node* key = nullptr;  // null: str
    const Node* value = nullptr;
    PyObject* factory = nullptr;
    Lengths lengths;
    // kUnion
    const ObjectPlan* const* members = nullptr;
    std::uint32_t member_count = 0;
    PyObject* deciding_name = nullptr;
    const std::uint8_t* deciding_raw = nullptr;  // ASCII, with its closing quote; null where it is not that simple
    std::uint32_t deciding_raw_len = 0;
    TextTable tag_texts;
    PyObject* tags = nullptr;
    PyObject* keys = nullptr;
    std::int32_t otherwise = -1;
    const ObjectPlan* dict_member = nullptr;
    PyObject* expected = nullptr;
};

// Memory that is given back all at once. Nothing in it has a destructor.
class Arena {
public:
    Arena() noexcept = default;
    ~Arena() {
        while (blocks_) std::free(std::exchange(blocks_, blocks_->next));
    }
    Arena(const Arena&) = delete;
    Arena& operator=(const Arena&) = delete;

    // `count` new objects. Null with MemoryError set.
    template <typename T>
    T* make(std::size_t count = 1) noexcept {
        static_assert(std::is_trivially_destructible_v<T> && alignof(T) <= 16);
        auto* const block = static_cast<Block*>(std::malloc(sizeof(Block) + (count + (count == 0)) * sizeof(T)));
        if (!block) return PyErr_NoMemory(), nullptr;
        block->next = std::exchange(blocks_, block);
        T* const first = reinterpret_cast<T*>(block + 1);
        for (std::size_t i = 0; i < count; ++i) new (first + i) T{};
        return first;
    }

private:
    struct alignas(16) Block {
        Block* next;
    };
    Block* blocks_ = nullptr;
};

// All of a decoder's type.
struct Plan {
    Arena arena;
    Owned source;  // the root Node of hints.py, which keeps all that it names
    Owned kept;  // tuple, a list while the plan is made: what it refers to
    const Node* root = nullptr;
    std::uint32_t trie_count = 0;  // ObjectPlan::index is less than this
    bool runs_python = false;  // code of the user may run while a document is read
};

// Makes a plan of a Node of hints.py. False with an error set.
[[nodiscard]] bool compile(const Tricks& tricks, PyObject* source, Plan& plan) noexcept;

}  // namespace ocior::typed
