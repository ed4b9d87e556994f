#include "encode/walk.h"

#include <algorithm>

#include "num/write.h"
#include "py/attribute.h"
#include "py/callback.h"
#include "py/number.h"

namespace ocior::encode {
namespace {

constexpr std::size_t kScannedDepth = 1024;  // deeper down, all frames are compared at once, when the depth has doubled

// What `key, value = item` in Python takes `item` for: an exact tuple of two. Takes over `item`. Null with an error set.
PyObject* unpack_pair(PyObject* item) noexcept {
    if (PyTuple_CheckExact(item) && PyTuple_GET_SIZE(item) == 2) return item;
    const Owned owned = Owned::steal(item);
    PyTypeObject* const type = Py_TYPE(item);
    if (!type->tp_iter && !PySequence_Check(item))
        return PyErr_Format(PyExc_TypeError, "cannot unpack non-iterable %.200s object", type->tp_name);
    const Owned iterator = Owned::steal(PyObject_GetIter(item));
    if (!iterator) return nullptr;
    Owned found[3];
    for (int n = 0; n < 3; ++n) {
        found[n] = Owned::steal(PyIter_Next(iterator.get()));
        if (found[n]) continue;
        if (PyErr_Occurred()) return nullptr;
        if (n == 2) return PyTuple_Pack(2, found[0].get(), found[1].get());
        return PyErr_Format(PyExc_ValueError, "not enough values to unpack (expected 2, got %d)", n);
    }
    const bool tells_size =
        PY_VERSION_HEX >= 0x030E0000 && (PyTuple_CheckExact(item) || PyList_CheckExact(item) || PyDict_CheckExact(item));
    if (!tells_size) return PyErr_SetString(PyExc_ValueError, "too many values to unpack (expected 2)"), nullptr;
    return PyErr_Format(PyExc_ValueError, "too many values to unpack (expected 2, got %zd)", PyObject_Size(item));
}

// What json's encoder in C takes an item for: a tuple of two, also of a class derived from tuple. Takes over `item`. Null with
// ValueError set.
PyObject* check_pair(PyObject* item) noexcept {
    if (OCIOR_LIKELY(PyTuple_Check(item) && PyTuple_GET_SIZE(item) == 2)) return item;
    const Owned owned = Owned::steal(item);
    PyErr_SetString(PyExc_ValueError, "items must return 2-tuples");
    return nullptr;
}

}  // namespace

std::size_t depth_of_first_twin(const Frame* frames, std::size_t depth) noexcept {
    using Open = std::pair<PyObject*, std::size_t>;
    auto* open = static_cast<Open*>(std::malloc(depth * sizeof(Open)));
    if (!open) return depth;  // the depth limit still ends a cycle
    for (std::size_t i = 0; i < depth; ++i) open[i] = {frames[i].identity, i};
    std::sort(open, open + depth);
    std::size_t first = depth;
    for (std::size_t i = 1; i < depth; ++i)
        if (open[i].first == open[i - 1].first) first = std::min(first, open[i].second);
    std::free(open);
    return first;
}

bool Call::is_new(PyObject* identity, std::size_t offset) noexcept {
    const Frame* frames = context.frames;
    const std::size_t count = depth();
    if (count <= kScannedDepth) {
        if (!options.default_hook) next_check = offset + kSuspiciousOutput;
        for (std::size_t i = 0; i < count; ++i)
            if (frames[i].identity == identity) return false;
        return true;
    }
    // Once for each power of two: a cycle gets to the next one.
    if ((count & (count - 1)) != 0 || count <= compared_depth) return true;
    compared_depth = count;
    return depth_of_first_twin(frames, count) == count;
}

bool Call::reserve_frame() noexcept {
    const std::size_t count = depth();
    if (OCIOR_LIKELY(count < context.frame_capacity)) return true;
    if (!context.reserve_frames(count + 1)) {
        pin_for_memory_error();
        return PyErr_NoMemory(), false;
    }
    behind_top = context.frames + count;
    return true;
}

bool Call::may_open(PyObject* identity, std::size_t offset) noexcept {
    if (OCIOR_UNLIKELY(depth() > options.dialect->max_depth)) return refuse(*this, options.dialect->too_deep, identity), false;
    if (options.check_circular && OCIOR_UNLIKELY(!is_new(identity, offset)))
        return refuse(*this, options.dialect->circular, identity), false;
    return reserve_frame();
}

void Call::release(const Frame& frame) noexcept {
    PyObject* const iterated = frame.owns_iterated ? frame.iterated : nullptr;
    PyObject* const identity = frame.is_pinned ? frame.identity : nullptr;  // the root has none
    PyObject* const pair = frame.holds_pair() ? frame.pair() : nullptr;
    Py_XDECREF(iterated);
    Py_XDECREF(pair);
    Py_XDECREF(identity);
}

void Call::settle(Frame& frame) noexcept {
    if (!frame.place.end) return;
    frame.position = frame.kind == FrameKind::kDict ? DictRun(frame.place).position() : ListRun(frame.place).position();
    frame.place = {};
}

void Call::pin() noexcept {
    for (Frame* frame = behind_top; frame != context.frames;) {
        --frame;
        settle(*frame);
        if (frame->is_pinned) break;  // none below has been gone on with since
        Py_INCREF(frame->identity);
        frame->is_pinned = true;
        if (frame->kind == FrameKind::kDict) frame->dict_size = static_cast<std::uint32_t>(PyDict_GET_SIZE(frame->iterated));
    }
}

template <typename Make>
bool Call::open_made(PyObject* identity, FrameKind kind, std::size_t offset, Make make) noexcept {
    if (!open(identity, nullptr, kind, offset)) return false;
    pin();
    PyObject* made = call_back(context.is_extra, " while encoding a JSON object", make);
    if (!made) {
        close();
        return false;
    }
    top().iterated = made;
    top().owns_iterated = true;
    return true;
}

bool Call::open_text(PyObject* str) noexcept {
    if (!reserve_frame()) return false;
    pin();  // no frame under one that is pinned may not be
    *behind_top++ = {new_ref(str), str, 0, FrameKind::kText, true, false, false, 0, {}};
    return true;
}

bool Call::open_items(PyObject* dict, std::size_t offset) noexcept {
    return open_made(dict, FrameKind::kItems, offset, [&]() -> PyObject* {
        Owned items = list_of_items(dict);
        if (items && options.sort_keys && PyList_Sort(items.get()) < 0) return nullptr;
        return items.release();
    });
}

bool Call::open_pairs(PyObject* dict, std::size_t offset) noexcept {
    return open_made(dict, FrameKind::kPairs, offset, [&]() -> PyObject* {
        Owned items = items_of_dict(dict);
        if (items && options.sort_keys) {
            items = Owned::steal(PySequence_List(items.get()));
            if (items && PyList_Sort(items.get()) < 0) return nullptr;
        }
        return items ? PyObject_GetIter(items.get()) : nullptr;
    });
}

bool Call::next_pair() noexcept {
    pin();  // Python code comes: the iterator's, or that of a value which goes with the last pair
    const bool has_list = top().kind == FrameKind::kItems;
    PyObject* pair = put_back   ? std::exchange(put_back, nullptr)
                     : has_list ? new_item_ref(top().iterated, top().position)
                                : PyIter_Next(top().iterated);
    if (!pair || !(pair = has_list ? check_pair(pair) : unpack_pair(pair))) return false;
    const Owned last = Owned::steal(top().pair());
    top().set_pair(pair);
    ++top().position;
    return true;
}

bool Call::open_iterator(PyObject* sequence, std::size_t offset) noexcept {
    return open_made(sequence, FrameKind::kIterator, offset, [&] { return PyObject_GetIter(sequence); });
}

bool Call::open_sequence(PyObject* sequence, std::size_t offset) noexcept {
    // Without a look at its __len__, which json's encoder in C does not ask for.
    const char* const refusal =
        PY_VERSION_HEX < 0x030F0000 ? "_iterencode_list needs a sequence" : "encoder_listencode_list needs a sequence";
    return open_made(sequence, FrameKind::kList, offset, [&] { return PySequence_Fast(sequence, refusal); });
}

Kind Call::claimed_kind(PyObject* value) noexcept {
    pin();  // __class__ may be a property
    for (PyTypeObject* type : {&PyList_Type, &PyTuple_Type, &PyDict_Type, layout::kFrozenDict}) {
        if (!type) break;
        const int is_instance = PyObject_IsInstance(value, reinterpret_cast<PyObject*>(type));
        if (is_instance < 0) return Kind::kFailed;
        if (is_instance) return type == &PyList_Type || type == &PyTuple_Type ? Kind::kSequence : Kind::kDict;
    }
    return Kind::kOther;
}

Owned Call::patched_default() noexcept {
    const Owned encoder = Owned::borrow(json.default_encoder);
    Owned method = encoder ? get_attribute(encoder.get(), "default") : Owned();
    if (method && PyMethod_Check(method.get()) && PyMethod_GET_FUNCTION(method.get()) == json.unpatched_default) return {};
    return method;
}

bool Call::open_default(PyObject* value, std::size_t offset) noexcept {
    if (options.default_hook)
        return open_made(value, FrameKind::kSingle, offset, [&] { return PyObject_CallOneArg(options.default_hook, value); });
    const Owned hold = Owned::borrow(value);
    pin();  // __class__ may be a property
    if (Owned hook = patched_default())
        return open_made(value, FrameKind::kSingle, offset, [&] { return PyObject_CallOneArg(hook.get(), value); });
    if (!PyErr_Occurred()) refuse(*this, options.dialect->unknown_type, value);
    return false;
}

Owned key_text(Call& call, PyObject* key) noexcept {
    std::uint8_t digits[num::kFormatRoom];
    const auto finished = [&](const std::uint8_t* end) {
        return Owned::steal(PyUnicode_FromStringAndSize(reinterpret_cast<const char*>(digits), end - digits));
    };
    if (PyFloat_Check(key)) {
        const double number = PyFloat_AS_DOUBLE(key);
        if (__builtin_isfinite(number)) return finished(num::write_f64(digits, number));
        const char* text = allowed_non_finite_text(call, key, number);
        return text ? Owned::steal(PyUnicode_FromString(text)) : Owned();
    }
    if (key == Py_True) return Owned::steal(PyUnicode_FromString("true"));
    if (key == Py_False) return Owned::steal(PyUnicode_FromString("false"));
    if (key == Py_None) return Owned::steal(PyUnicode_FromString("null"));
    if (PyLong_Check(key)) {
        std::int64_t number;
        if (int64_value(key, number)) return finished(num::write_i64(digits, number));
        return Owned::steal(PyLong_Type.tp_repr(key));  // looks for signals: handlers may run
    }
    if (!call.options.skipkeys) refuse(call, call.options.dialect->unknown_key, key);
    return {};
}

Kind kind_of_subclass(PyObject* value) noexcept {
    if (PyUnicode_Check(value)) return Kind::kStr;
    if (PyLong_Check(value)) return Kind::kInt;
    if (PyFloat_Check(value)) return Kind::kFloat;
    if (PyList_Check(value) || PyTuple_Check(value)) return Kind::kSequence;
    if (layout::is_any_dict(value)) return Kind::kDict;
    return Kind::kOther;
}

void raise_surrogate(Call& call, PyObject* str, std::size_t position) noexcept {
    const Owned hold = Owned::borrow(str);
    call.pin();  // a new exception may start a garbage collection
    const auto length = static_cast<std::size_t>(PyUnicode_GET_LENGTH(str));
    std::size_t end = position + 1;
    while (end < length && (PyUnicode_READ_CHAR(str, static_cast<Py_ssize_t>(end)) & 0xFFFFF800u) == 0xD800) ++end;
    Owned error = Owned::steal(PyObject_CallFunction(PyExc_UnicodeEncodeError, "sOnns", "utf-8", str, static_cast<Py_ssize_t>(position),
                                                     static_cast<Py_ssize_t>(end), "surrogates not allowed"));
    if (error) PyErr_SetObject(PyExc_UnicodeEncodeError, error.get());
}

}  // namespace ocior::encode
