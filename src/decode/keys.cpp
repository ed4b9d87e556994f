#include "decode/keys.h"

#include <algorithm>

#include "decode/strings.h"
#include "simd/lanes.h"

namespace ocior::decode {
namespace {

// Leaves shapes before the key at `p`: the frame's n values become n keys and values in turn. Null when out of memory.
template <typename Source>
PyObject** spread(PyCall<Source>& call, PyFrame& frame, PyObject** top, const typename Source::Unit* p) noexcept {
    Context& context = call.context;
    const auto used = static_cast<std::size_t>(top - context.values.data());
    const std::size_t n = used - frame.base;
    if (!call.make_room(used + n, p)) return nullptr;
    PyObject** first = context.values.data() + frame.base;
    ShapeNode* step = frame.node;
    for (std::size_t i = n; i-- > 0; step = step->parent) {
        first[2 * i + 1] = first[i];
        first[2 * i] = new_ref(step->leaf.key);
    }
    frame.node = nullptr;
    return first + 2 * n;
}

// The unit behind the closing quote if the key has no escapes, else null.
template <typename Unit>
const Unit* raw_end(const Unit* p) noexcept {
    if constexpr (sizeof(Unit) == 1) {
        for (std::size_t i = 0; i < 256; i += simd::kVecBytes) {
            const auto block = simd::Vec<std::uint8_t>::load(p + i);
            const auto stops = simd::marked_lanes(block);
            if (stops.any()) {
                const Unit* stop = p + i + stops.first();
                return *stop == '"' ? stop + 1 : nullptr;
            }
        }
    }
    return nullptr;
}

// Whether a key's text has no control characters. The trees outlive the call: a key that only a lax call accepts must not get
// into them, and one with a NUL would match beyond the sentinel.
template <typename Unit>
bool is_strict(const Unit* p, const Unit* end) noexcept {
    for (; p != end; ++p)
        if (*p < 0x20) return false;
    return true;
}

// Whether every call would read a key from the same text: the policies for lone surrogates make different keys of those, and a key that
// holds U+FFFD may stand for one.
bool is_plain(const Options& options, PyObject* key) noexcept {
    if (OCIOR_LIKELY(unit_width(key) == 1)) return true;
    if (options.surrogates == Surrogates::kReplace) return PyUnicode_FindChar(key, 0xFFFD, 0, PyUnicode_GET_LENGTH(key), 1) == -1;
    return !has_surrogate(key);
}

// A new key for the frame's shape, as ShapeTree::add. An object gets twice the keys that were known of it: most large ones are
// dictionaries that never come again, and those should not pay for it.
ShapeNode* learn(Context& context, PyFrame& frame, const void* raw, std::size_t raw_len, PyObject* key) noexcept {
    if (frame.known_keys == 0) frame.known_keys = frame.node->key_count;
    if (frame.node->key_count >= std::max<unsigned>(kFirstKeys, 2u * frame.known_keys)) return nullptr;
    ShapeNode* const child = ShapeTree::add(context.shape_budget, frame.node, raw, raw_len, {.key = key});
    if (child) child->leaf.key = context.keys.share_and_keep(key);
    return child;
}

}  // namespace

template <typename Source>
OCIOR_NOINLINE NextKey<typename Source::Unit> next_key(PyCall<Source>& call, PyFrame& frame, ShapeNode* root, PyObject** top,
                                                       const typename Source::Unit* p) noexcept {
    using Unit = typename Source::Unit;
    Context& context = call.context;
    ShapeNode* const current = frame.node;
    const auto enter = [&](ShapeNode* child) {
        (current == root ? frame.found_at->leaf.first_key_inside : current->predicted) = child;
        frame.node = child;
    };

    // Another key that this shape knows: no object needed.
    bool is_new = false;
    if (current) {
        if (const Unit* end = raw_end(p)) {
            if (ShapeNode* child = ShapeTree::find(current, p, static_cast<std::size_t>(end - p) * sizeof(Unit))) {
                enter(child);
                return {top, end};
            }
            is_new = true;
        }
    }

    const Read<Unit> key = read_key(call, p);
    if (OCIOR_UNLIKELY(!key.object)) return {nullptr, key.next};
    if (current) {
        const auto raw_len = static_cast<std::size_t>(key.next - p) * sizeof(Unit);
        ShapeNode* child = nullptr;
        if (OCIOR_LIKELY(call.strict || is_strict(p, key.next))) {
            if (!is_new) child = ShapeTree::find(current, p, raw_len);
            if (child) Py_DECREF(key.object);
            else if (OCIOR_LIKELY(is_plain(call.options, key.object))) child = learn(context, frame, p, raw_len, key.object);
        }
        if (child) {
            enter(child);
            return {top, key.next};
        }
        PyObject** spread_top = spread(call, frame, top, p);
        if (OCIOR_UNLIKELY(!spread_top)) {
            Py_DECREF(key.object);
            return {nullptr, call.fail_python(p).next};
        }
        top = spread_top;
    }
    const auto used = static_cast<std::size_t>(top - context.values.data());
    if (OCIOR_UNLIKELY(!call.make_room(used, key.next))) {
        Py_DECREF(key.object);
        return {nullptr, call.fail_python(p).next};
    }
    top = context.values.data() + used;
    *top++ = key.object;
    return {top, key.next};
}

#define OCIOR_INSTANTIATE(Source) \
    template NextKey<Source::Unit> next_key<Source>(PyCall<Source>&, PyFrame&, ShapeNode*, PyObject**, const Source::Unit*) noexcept;
OCIOR_FOR_EACH_SOURCE(OCIOR_INSTANTIATE)
#undef OCIOR_INSTANTIATE

}  // namespace ocior::decode
