// Arrays and objects of declared types, out of the values that were read for them.
#include "py/taken_error.h"
#include "typed/typed_builder.h"

namespace ocior::typed {
namespace {

template <typename Source>
const typename Source::Unit* start_of_container(const Frame& frame) noexcept {
    return static_cast<const typename Source::Unit*>(frame.start);
}

void drop(PyObject** first, PyObject** last) noexcept {
    for (; first != last; ++first) Py_CLEAR(*first);
}

// A problem of the container itself, whose values are let go.
template <typename Source>
PyObject* refuse(TypedBuilder<Source>& builder, const Frame& frame, PyObject** top, Code code, PyObject* expected,
                 const char* got) noexcept {
    return note_problem(builder, code, top, start_of_container<Source>(frame), static_cast<const typename Source::Unit*>(nullptr), expected,
                        got, {}, builder.session.depth - 1);
}

// As refuse(), for what the exception that is set says of the container.
template <typename Source>
PyObject* refuse_by_exception(TypedBuilder<Source>& builder, const Frame& frame, PyObject** top, Code code,
                              PyObject* expected = nullptr) noexcept {
    return note_exception(builder, top, start_of_container<Source>(frame), static_cast<const typename Source::Unit*>(nullptr), code,
                          expected, builder.session.depth - 1);
}

// Whether so many items are allowed; else the problem is noted into `made`.
template <typename Source>
bool check_length(TypedBuilder<Source>& builder, const Frame& frame, PyObject** top, const Lengths& lengths, std::size_t count,
                  const char* got, PyObject*& made) noexcept {
    const auto n = static_cast<Py_ssize_t>(count);
    if (OCIOR_LIKELY(lengths.allow(n))) return true;
    const bool is_short = n < lengths.least;
    const Owned limit = Owned::steal(PyLong_FromSsize_t(is_short ? lengths.least : lengths.most));
    made = limit ? refuse(builder, frame, top, is_short ? Code::kMinLength : Code::kMaxLength, limit.get(), got) : end_reading(builder);
    return false;
}

template <typename Source>
PyObject* finished(TypedBuilder<Source>& builder, const Frame& frame, PyObject** top, Kind kind, PyObject* made) noexcept {
    PyObject* const hook = frame.outer->hook(kind);
    if (!made || OCIOR_LIKELY(!hook)) return made;
    return apply_typed_hook(builder, hook, made, top, start_of_container<Source>(frame), static_cast<const typename Source::Unit*>(nullptr),
                            builder.session.depth - 1);
}

// A tuple, which takes the references over.
PyObject* tuple_of(PyObject** first, std::size_t n) noexcept {
    PyObject* const tuple = PyTuple_New(static_cast<Py_ssize_t>(n));
    for (std::size_t i = 0; tuple && i < n; ++i) PyTuple_SET_ITEM(tuple, static_cast<Py_ssize_t>(i), std::exchange(first[i], nullptr));
    return tuple;
}

// A set that holds references of its own. A value that cannot be in a set is a TypeError.
PyObject* set_of(PyObject** first, std::size_t n, bool is_frozen) noexcept {
    Owned set = Owned::steal(is_frozen ? PyFrozenSet_New(nullptr) : PySet_New(nullptr));
    for (std::size_t i = 0; set && i < n; ++i)
        if (PySet_Add(set.get(), first[i]) < 0) return nullptr;
    return set.release();
}

// The default of a field, a new reference. Null with an error set.
PyObject* default_of(const Field& field) noexcept {
    if (field.value) return new_ref(field.value);
    switch (field.factory) {
        case Factory::kList: return PyList_New(0);
        case Factory::kDict: return PyDict_New();
        case Factory::kSet: return PySet_New(nullptr);
        default: return PyObject_CallNoArgs(field.factory_call);
    }
}

// The dict of what no field takes: keys and values in turn, from `first` on. Of equal keys the last one counts, or the first. Empty with an
// error set.
Owned dict_of_rest(PyObject** first, PyObject** last, bool keeps_first) noexcept {
    Owned dict = Owned::steal(PyDict_New());
    for (; dict && first < last; first += 2) {
        const bool is_set = keeps_first ? PyDict_SetDefault(dict.get(), first[0], first[1]) != nullptr
                                        : PyDict_SetItem(dict.get(), first[0], first[1]) == 0;
        if (!is_set) return {};
    }
    return dict;
}

// Calls the class: by position as long as its parameters are given, else by keyword. Fields that are null get the class's own defaults.
PyObject* call_class(const ObjectPlan& plan, PyObject** slots) noexcept {
    PyObject* few[32];
    PyObject** arguments =
        plan.field_count <= std::size(few) ? few : static_cast<PyObject**>(PyMem_Malloc(plan.field_count * sizeof *arguments));
    if (!arguments) return PyErr_NoMemory();
    Owned names = Owned::steal(PyList_New(0)), keywords;
    std::size_t positional = 0, count = 0;
    bool by_position = true;
    std::uint32_t last_positional = 0;  // behind the last one that is given
    for (std::uint32_t i = 0; i < plan.field_count; ++i)
        if (slots[i] && plan.fields[i].is_positional) last_positional = i + 1;
    for (std::uint32_t i = 0; names && i < plan.field_count; ++i) {
        const Field& field = plan.fields[i];
        // A parameter that has a default, and one behind it that is given: that may have no keyword.
        PyObject* const value = slots[i] ? slots[i] : by_position && i < last_positional ? field.value : nullptr;
        by_position = by_position && field.is_positional && value;
        if (!value) continue;
        arguments[count++] = value;
        if (by_position) ++positional;
        else if (PyList_Append(names.get(), field.keyword) < 0) names = {};
    }
    if (names) keywords = Owned::steal(PyList_AsTuple(names.get()));
    PyObject* const made =
        keywords ? PyObject_Vectorcall(plan.type, arguments, positional, PyTuple_GET_SIZE(keywords.get()) ? keywords.get() : nullptr)
                 : nullptr;
    if (arguments != few) PyMem_Free(arguments);
    return made;
}

// A dict with the keys whose values are there.
template <typename Source>
PyObject* typed_dict_of(TypedBuilder<Source>& builder, const ObjectPlan& plan, PyObject** slots, bool has_container) noexcept {
    bool are_all = true;
    for (std::uint32_t i = 0; i < plan.field_count; ++i) are_all &= slots[i] != nullptr;
    if (OCIOR_LIKELY(are_all && plan.dict_template)) {
        PyObject* const dict = dict_from_template(builder.context.allocator, plan.dict_template, slots, plan.field_count, has_container);
        if (OCIOR_LIKELY(dict != nullptr)) std::memset(slots, 0, plan.field_count * sizeof *slots);
        return dict;
    }
    constexpr std::uint32_t kMost = 64;
    if (OCIOR_LIKELY(plan.field_count <= kMost)) {
        PyObject *names[kMost], *values[kMost];
        std::size_t n = 0;
        for (std::uint32_t i = 0; i < plan.field_count; ++i) {
            names[n] = plan.fields[i].name;
            values[n] = slots[i];
            n += slots[i] != nullptr;
        }
        return dict_from_items(builder.constants.tricks, builder.context.allocator, {names, 1, values, 1, n}, has_container);
    }
    Owned dict = Owned::steal(PyDict_New());
    for (std::uint32_t i = 0; dict && i < plan.field_count; ++i)
        if (slots[i] && PyDict_SetItem(dict.get(), plan.fields[i].name, slots[i]) < 0) return nullptr;
    return dict.release();
}

// Fills the places of fields that the document does not have. False: the reading ends.
template <typename Source>
bool fill_missing(TypedBuilder<Source>& builder, const Frame& frame, const ObjectPlan& plan, PyObject** slots, PyObject** top) noexcept {
    for (std::uint32_t i = 0; i < plan.field_count; ++i) {
        if (OCIOR_LIKELY(slots[i] != nullptr)) continue;
        const Field& field = plan.fields[i];
        if (field.is_required) {
            const Owned none = Owned::steal(refuse(builder, frame, top, Code::kMissing, field.written, nullptr));
            if (!none) return false;
            continue;
        }
        if (plan.is_called || !(field.value || field.factory != Factory::kNone) || builder.session.is_collecting()) continue;
        slots[i] = default_of(field);
        if (field.factory == Factory::kCall) builder.context.allocator.refresh(builder.constants.tricks, builder.session.plan.runs_python);
        if (slots[i]) continue;
        const Owned none = Owned::steal(refuse_by_exception(builder, frame, top, Code::kHook));
        if (!none) return false;
    }
    return true;
}

// The object of a class or TypedDict whose fields lie in `slots`, and what no field takes behind them.
template <typename Source>
PyObject* make_of_slots(TypedBuilder<Source>& builder, const Frame& frame, const ObjectPlan& plan, PyObject** slots, PyObject** rest,
                        PyObject** top) noexcept {
    Session& session = builder.session;
    if (OCIOR_UNLIKELY(plan.rest >= 0)) {
        PyObject*& place = slots[plan.rest];
        const decode::DuplicateKeys policy = builder.options.duplicate_keys;
        if (!(place = dict_of_rest(rest, top, policy == decode::DuplicateKeys::kFirst).release())) return end_reading(builder);
        if (policy == decode::DuplicateKeys::kError && PyDict_GET_SIZE(place) != (top - rest) / 2) {
            const Owned none = Owned::steal(refuse(builder, frame, top, Code::kDuplicate, nullptr, "object"));
            if (!none) return nullptr;
        }
    }
    if (OCIOR_UNLIKELY(!fill_missing(builder, frame, plan, slots, top))) return nullptr;
    if (OCIOR_UNLIKELY(session.is_collecting())) return new_ref(Py_None);
    PyObject* made;
    if (plan.kind == ObjectKind::kTypedDict) {
        if (OCIOR_UNLIKELY(plan.rest >= 0)) {  // of a TypedDict, what no field takes is a part of the dict itself
            const Owned others = Owned::steal(std::exchange(slots[plan.rest], nullptr));
            made = typed_dict_of(builder, plan, slots, true);
            if (made && PyDict_Update(made, others.get()) < 0) Py_CLEAR(made);
        } else {
            made = typed_dict_of(builder, plan, slots, frame.holds_containers || !plan.is_atomic);
        }
        return made ? made : end_reading(builder);
    }
    if (plan.is_called) {
        made = call_class(plan, slots);
        builder.context.allocator.refresh(builder.constants.tricks, session.plan.runs_python);
    } else {
        // An instance without a dict of its own cannot be changed into one that leads back to itself, if its class says so.
        made = plan.form.make(builder.context.allocator, slots, !plan.is_struct || frame.holds_containers || !plan.is_atomic);
        if (OCIOR_UNLIKELY(!made)) return end_reading(builder);
        if (OCIOR_LIKELY(!plan.post_init)) return made;
        const Owned result = Owned::steal(decode::call_hook(builder.context, plan.post_init, made));
        builder.context.allocator.refresh(builder.constants.tricks, session.plan.runs_python);
        if (!result) {
            TakenError taken;
            Py_CLEAR(made);  // which may run code of the user
            taken.restore();
        }
    }
    if (made) return made;
    return refuse_by_exception(builder, frame, top, Code::kHook);
}

template <typename Source>
PyObject* make_items(TypedBuilder<Source>& builder, const Frame& frame, const ArrayPlan& plan, PyObject** first, std::size_t n,
                     PyObject** top) noexcept {
    PyObject* made = nullptr;
    switch (plan.kind) {
        case ArrayKind::kList: return list_from(builder.constants.tricks, builder.context.allocator, first, n);
        case ArrayKind::kTuple:
        case ArrayKind::kFixed: return tuple_of(first, n);
        case ArrayKind::kSet:
        case ArrayKind::kFrozenSet: made = set_of(first, n, plan.kind == ArrayKind::kFrozenSet); break;
        case ArrayKind::kDeque: {
            const Owned list = Owned::steal(list_from(builder.constants.tricks, builder.context.allocator, first, n));
            if (!list) return nullptr;
            std::memset(first, 0, n * sizeof *first);
            return PyObject_CallOneArg(builder.session.state.deque_type, list.get());
        }
        case ArrayKind::kNamedTuple: {
            for (std::size_t i = n; i < plan.count; ++i) {
                const std::size_t from = i - plan.required;
                first[i] = new_ref(PyTuple_GET_ITEM(plan.defaults, static_cast<Py_ssize_t>(from)));
            }
            made = PyObject_Vectorcall(plan.type, first, plan.count, nullptr);
            for (std::size_t i = n; i < plan.count; ++i) Py_CLEAR(first[i]);
            break;
        }
        case ArrayKind::kClass: {
            const ObjectPlan& object = *plan.object;
            std::size_t next = plan.count;  // of the values, from the last one on: each goes to the place of its field, behind its own
            for (std::size_t i = n; i < object.field_count; ++i) first[i] = nullptr;
            if (OCIOR_UNLIKELY(plan.count < object.field_count))
                for (std::size_t i = object.field_count; i-- > 0;)
                    first[i] = object.fields[i].is_read && --next < n ? std::exchange(first[next], nullptr) : nullptr;
            made = make_of_slots(builder, frame, object, first, first + object.field_count, first + object.field_count);
            drop(first, first + object.field_count);
            return made;
        }
    }
    builder.context.allocator.refresh(builder.constants.tricks, builder.session.plan.runs_python);
    if (!made && PyErr_Occurred() && PyErr_ExceptionMatches(PyExc_TypeError))
        return refuse_by_exception(builder, frame, top, Code::kHook, plan.expected);
    return made;
}

}  // namespace

template <typename Source>
PyObject* make_array(TypedBuilder<Source>& builder, const Frame& frame, PyObject** top) noexcept {
    const ArrayPlan& plan = *frame.array;
    PyObject** first = builder.context.values.data() + frame.base;
    const auto n = static_cast<std::size_t>(top - first);
    PyObject* made = nullptr;
    if (plan.kind >= ArrayKind::kFixed && (n < plan.required || n > plan.count)) {
        const Owned count = Owned::steal(PyLong_FromSize_t(n < plan.required ? plan.required : plan.count));
        made = count ? refuse(builder, frame, top, Code::kLength, count.get(), "array") : end_reading(builder);
    } else if (const bool is_set = plan.kind == ArrayKind::kSet || plan.kind == ArrayKind::kFrozenSet;
               is_set || check_length(builder, frame, top, plan.lengths, n, "array", made)) {
        if (OCIOR_UNLIKELY(builder.session.is_collecting())) {
            made = new_ref(Py_None);
        } else {
            made = make_items(builder, frame, plan, first, n, top);
            if (!made && builder.error == Error::kNone) return end_reading(builder);
            // A list took the references over.
            if (made && plan.kind == ArrayKind::kList) std::memset(first, 0, n * sizeof *first);
            if (PyObject* refused = nullptr;
                made && is_set && PyAnySet_Check(made) &&
                !check_length(builder, frame, top, plan.lengths, static_cast<std::size_t>(PySet_GET_SIZE(made)), "array", refused)) {
                Py_DECREF(made);
                if (!(made = refused)) return nullptr;
            }
            if (!builder.session.is_collecting()) made = finished(builder, frame, top, Kind::kArray, made);
        }
    }
    if (made) drop(first, top);
    return made;
}

template <typename Source>
PyObject* make_dict(TypedBuilder<Source>& builder, const Frame& frame, PyObject** top) noexcept {
    const ObjectPlan& plan = *frame.object;
    PyObject** const first = builder.context.values.data() + frame.base;
    const auto n = static_cast<std::size_t>(top - first) / 2;
    const decode::Options& options = builder.options;
    PyObject* made = nullptr;
    const bool counts_keys = !plan.key && (plan.lengths.are_any() || options.duplicate_keys == decode::DuplicateKeys::kError);
    if (OCIOR_UNLIKELY(builder.session.is_collecting()) && !counts_keys) {
        made = new_ref(Py_None);
    } else if (!plan.key) {
        made = dict_from_items(builder.constants.tricks, builder.context.allocator, {first, 2, first + 1, 2, n},
                               frame.holds_containers || !plan.is_atomic);
    } else {
        made = PyDict_New();
        for (std::size_t i = 0; made && i < n; ++i) {
            if (PyDict_SetItem(made, first[2 * i], first[2 * i + 1]) == 0) continue;
            Py_CLEAR(made);
            if (PyErr_ExceptionMatches(PyExc_TypeError)) made = refuse_by_exception(builder, frame, top, Code::kKey);
            if (builder.session.is_collecting()) break;
        }
        builder.context.allocator.refresh(builder.constants.tricks, builder.session.plan.runs_python);
    }
    if (!made) return builder.error == Error::kNone ? end_reading(builder) : nullptr;
    if (PyDict_Check(made) && OCIOR_UNLIKELY(static_cast<std::size_t>(PyDict_GET_SIZE(made)) != n) &&
        options.duplicate_keys != decode::DuplicateKeys::kLast) {
        if (options.duplicate_keys == decode::DuplicateKeys::kError) {
            Py_DECREF(made);
            made = refuse(builder, frame, top, Code::kDuplicate, nullptr, "object");
        } else {
            for (std::size_t i = n; i-- > 0;)
                if (PyDict_SetItem(made, first[2 * i], first[2 * i + 1]) < 0) return Py_DECREF(made), end_reading(builder);
        }
        if (!made) return nullptr;
    }
    PyObject* refused = nullptr;
    if (PyDict_Check(made) &&
        !check_length(builder, frame, top, plan.lengths, static_cast<std::size_t>(PyDict_GET_SIZE(made)), "object", refused)) {
        Py_DECREF(made);
        if (!(made = refused)) return nullptr;
    }
    if (OCIOR_UNLIKELY(!(frame.outer->plain & Node::kDict)) && PyDict_Check(made) && !builder.session.is_collecting()) {
        if (plan.factory || plan.type != reinterpret_cast<PyObject*>(&PyDict_Type)) {
            const Owned dict = Owned::steal(made);
            made = plan.factory ? PyObject_CallFunctionObjArgs(plan.type, plan.factory, dict.get(), nullptr)
                                : PyObject_CallOneArg(plan.type, dict.get());
            builder.context.allocator.refresh(builder.constants.tricks, builder.session.plan.runs_python);
            if (!made) made = refuse_by_exception(builder, frame, top, Code::kHook);
        }
        made = finished(builder, frame, top, Kind::kObject, made);
    }
    if (made) drop(first, top);
    return made;
}

template <typename Source>
PyObject* make_object(TypedBuilder<Source>& builder, const Frame& frame, PyObject** top) noexcept {
    const ObjectPlan& plan = *frame.object;
    PyObject** const slots = builder.context.values.data() + frame.base;
    PyObject* made = make_of_slots(builder, frame, plan, slots, slots + plan.slot_count, top);
    made = finished(builder, frame, top, Kind::kObject, made);
    if (OCIOR_UNLIKELY(!made)) return nullptr;
    for (PyObject** slot = slots; slot != top; ++slot) Py_XDECREF(*slot);
    return made;
}

template <typename Source>
bool push_again(TypedBuilder<Source>& builder, PyObject** slot, PyObject* value, PyObject** top) noexcept {
    if (builder.options.duplicate_keys == decode::DuplicateKeys::kError) {
        // The key has been read, and its value, too: both are found again.
        const Frame& frame = builder.session.memory.frames.data()[builder.session.depth];
        const auto* const key = static_cast<const typename Source::Unit*>(frame.key_at);
        const auto* at = key;
        (void)skip_string<Source>(builder, key, at);
        at = text::skip_whitespace(text::skip_whitespace(at) + 1);
        const Owned none = Owned::steal(
            note_problem(builder, Code::kDuplicate, top, at, static_cast<const typename Source::Unit*>(nullptr), nullptr, nullptr));
        if (!none) return Py_DECREF(value), false;
    }
    const bool keeps_first = builder.options.duplicate_keys == decode::DuplicateKeys::kFirst;
    PyObject* const dropped = keeps_first ? value : std::exchange(*slot, value);
    Py_DECREF(dropped);  // which may run code of the user
    builder.context.allocator.refresh(builder.constants.tricks, builder.session.plan.runs_python);
    return true;
}

namespace {

// The unit behind the closing quote of a key without escapes; null where it has one, or is not found near.
template <typename Unit>
const Unit* raw_end(const Unit* p, const Unit* last) noexcept {
    for (std::size_t i = 0; i < 256 && p + i <= last; ++i) {
        if (p[i] == '"') return p + i + 1;
        if (p[i] == '\\' || p[i] < 0x20) return nullptr;
    }
    return nullptr;
}

}  // namespace

template <typename Source>
typename TypedBuilder<Source>::NextField next_field(TypedBuilder<Source>& builder, typename TypedBuilder<Source>::Cursor cursor,
                                                    Frame& frame, const typename Source::Unit* p) noexcept {
    using Unit = typename Source::Unit;
    const ObjectPlan& plan = *frame.object;
    const auto wanted = [&](const Node* node, std::int32_t slot, const Unit* next) -> typename TypedBuilder<Source>::NextField {
        cursor.node = node;
        cursor.slot = cursor.values + frame.base + slot;
        return {slot >= 0 ? Key::kWanted : Key::kUnwanted, next, cursor};
    };
    const auto failed = [&](const Unit* at) -> typename TypedBuilder<Source>::NextField { return {Key::kFailed, at, cursor}; };
    // Puts a key on the stack, before its value.
    const auto push_key = [&](PyObject* key, const Node* node, const Unit* next) -> typename TypedBuilder<Source>::NextField {
        cursor.slot = nullptr;
        cursor.node = node;
        if (OCIOR_UNLIKELY(cursor.limit - cursor.top < 2) && !builder.make_room(cursor, 2, next)) {
            Py_DECREF(key);
            return failed(builder.fail_python(p).next);
        }
        *cursor.top++ = key;
        return {Key::kWanted, next, cursor};
    };
    if (plan.kind == ObjectKind::kDict) {
        builder.session.is_in_key = plan.key != nullptr;
        const Read<Unit> key =
            plan.key ? read_typed_string(builder, plan.key, cursor.top, p) : builder.checked(decode::read_key(builder, p), p);
        builder.session.is_in_key = false;
        if (OCIOR_UNLIKELY(!key.object)) return failed(key.next);
        return push_key(key.object, plan.value, key.next);
    }
    FieldNode* const current = frame.at;
    const Unit* const end = current ? raw_end(p, builder.text.last) : nullptr;
    if (end) {
        if (FieldNode* const child = FieldTrie::find(current, p, static_cast<std::size_t>(end - p) * sizeof(Unit))) {
            current->predicted = frame.at = child;
            return wanted(child->leaf.node, child->leaf.slot, end);
        }
    }
    const Read<Unit> read = builder.checked(decode::read_key(builder, p), p);
    if (OCIOR_UNLIKELY(!read.object)) return failed(read.next);
    Owned key = Owned::steal(read.object);
    FieldLeaf leaf;
    PyObject* const index = PyDict_GetItemWithError(plan.names, key.get());
    if (index) {
        leaf.slot = static_cast<std::int32_t>(PyLong_AsLong(index));
        leaf.node = plan.fields[leaf.slot].node;
    } else if (PyErr_Occurred()) {
        return failed(builder.fail_python(p).next);
    } else if (plan.tag_name && PyUnicode_Compare(plan.tag_name, key.get()) == 0) {
        leaf.slot = static_cast<std::int32_t>(plan.field_count);
        leaf.node = plan.tag_node;
    } else if (plan.rest >= 0) {
        frame.at = nullptr;
        return push_key(key.release(), plan.fields[plan.rest].node, read.next);
    } else if (plan.forbids_unknown) {
        const Unit* const colon = text::skip_whitespace(read.next);
        if (*colon == ':') {  // else there is no value, as the parser will find
            const Owned none = Owned::steal(note_problem(builder, Code::kUnknown, cursor.top, text::skip_whitespace(colon + 1),
                                                         static_cast<const Unit*>(nullptr), nullptr, nullptr));
            if (!none) return failed(p);
        }
        frame.at = nullptr;
        return wanted(nullptr, FieldLeaf::kUnwanted, read.next);
    }
    if (current) {
        FieldNode* const child =
            end ? FieldTrie::add(builder.session.memory.budget, current, p, static_cast<std::size_t>(end - p) * sizeof(Unit), leaf)
                : nullptr;
        if (child) current->predicted = child;
        frame.at = child;
    }
    return wanted(leaf.node, leaf.slot, read.next);
}

#define OCIOR_INSTANTIATE(Source)                                                                                            \
    template PyObject* make_array<Source>(TypedBuilder<Source>&, const Frame&, PyObject**) noexcept;                         \
    template PyObject* make_dict<Source>(TypedBuilder<Source>&, const Frame&, PyObject**) noexcept;                          \
    template PyObject* make_object<Source>(TypedBuilder<Source>&, const Frame&, PyObject**) noexcept;                        \
    template bool push_again<Source>(TypedBuilder<Source>&, PyObject**, PyObject*, PyObject**) noexcept;                     \
    template TypedBuilder<Source>::NextField next_field<Source>(TypedBuilder<Source>&, TypedBuilder<Source>::Cursor, Frame&, \
                                                                const Source::Unit*) noexcept;
OCIOR_FOR_EACH_SOURCE(OCIOR_INSTANTIATE)
#undef OCIOR_INSTANTIATE

}  // namespace ocior::typed
