#include "module/encoder.h"

#include <algorithm>
#include <atomic>
#include <new>
#include <type_traits>

#include "module/encode_settings.h"
#include "module/functions.h"
#include "module/late_encoder.h"
#include "module/level.h"
#include "module/pieces.h"
#include "module/suggestion.h"
#include "py/attribute.h"
#include "py/fetch.h"
#include "py/heap_type.h"

namespace ocior::module {

// The compiled settings of an encoder object, shared with the calls that use them and with other objects of the class, and the attributes
// that they were compiled from. They are valid for an object while it has attributes of just these names, those that settings depend on are
// the same objects, and the class has not changed.
struct KeptSettings {
    static constexpr std::size_t kMost = 24;  // attributes: settings of an object that has more are not kept

    EncodeSettings settings;
    bool is_native = false;          // whether the settings can be used; else json's own methods do the work
    bool has_bound_default = false;  // whether default() of the object is the hook; every call looks that up
    unsigned type_version = 0;       // of the class; 0 where the settings are for one call only
    const PyTypeObject* type = nullptr;  // the class, maybe no more there: with its version it tells objects of the same class
    std::conditional_t<layout::kHasGil, unsigned, std::atomic<unsigned>> users = 1;
    std::size_t count = 0;
    Owned names[kMost] = {}, values[kMost] = {};  // the values only of those that settings depend on
};

namespace {

struct EncoderObject {
    PyObject_HEAD PyObject* module;  // keeps the module's state alive, in whatever order the garbage collector clears objects
    KeptSettings* kept;              // null until compiled; changed with the object's lock held
    std::atomic<bool> is_initialized;
};

// The attributes that settings depend on, but for the separators and default(), in the order in which json's __init__ sets them.
constexpr EncodeSlot kSettingSlots[] = {kSkipkeys, kEnsureAscii, kCheckCircular, kAllowNan, kSortKeys, kIndent};

EncoderObject* as_encoder(PyObject* object) noexcept { return reinterpret_cast<EncoderObject*>(object); }

// Null with an error set where the object is being finalized.
State* state_of_encoder(PyObject* self) noexcept {
    PyObject* const module = as_encoder(self)->module;
    return module ? &state_of(module) : (PyErr_SetString(PyExc_RuntimeError, "the encoder is being finalized"), nullptr);
}

// Whether an object of the class has the attributes that settings depend on in its dict, if at all, and its methods in the class: none of
// them is a property or a slot, and the class has no code of its own to look attributes up. What settings the class itself has cannot
// change without it. So objects with the same attributes have the same settings.
bool has_usual_lookup(PyTypeObject* type, const JsonEncoding& json) noexcept {
    if (type->tp_getattro != PyObject_GenericGetAttr) return false;
    const auto found = [type](PyObject* name) { return find_in_class(type, name); };
    // (What Python code has defined may be made a descriptor later.)
    const auto is_plain = [](const Owned& value) {
        if (!value) return true;
        PyTypeObject* const kind = Py_TYPE(value.get());
        return !kind->tp_descr_get && !kind->tp_descr_set && is_unchangeable(kind);
    };
    const auto is_method = [](const Owned& value) {
        return value && (PyFunction_Check(value.get()) || Py_IS_TYPE(value.get(), &PyMethodDescr_Type));
    };
    const auto is_fixed = [](const Owned& value) { return !value || is_constant(value.get()); };
    for (const EncodeSlot slot : kSettingSlots)
        if (!is_fixed(found(json.names.interned[slot]))) return false;
    // (Another object's method may stand in the class.)
    if (!is_method(found(json.iterencode_name)) || !is_method(found(json.encode_name))) return false;
    const Owned hook = found(json.names.interned[kDefault]);
    return (is_plain(hook) || is_method(hook)) && is_fixed(found(json.item_separator_name)) && is_fixed(found(json.key_separator_name));
}

// Whether settings depend on the attribute of this name, which is not default().
bool is_setting(const JsonEncoding& json, PyObject* name) noexcept {
    for (const EncodeSlot slot : kSettingSlots)
        if (name == json.names.interned[slot]) return true;
    return name == json.item_separator_name || name == json.key_separator_name;
}

// A copy of the object's dict. Empty, maybe with an error set, if it has none, or one of a class derived from dict.
Owned copied_attributes(PyObject* self) noexcept {
    const Owned attributes = Owned::steal(PyObject_GenericGetDict(self, nullptr));
    return attributes && PyDict_CheckExact(attributes.get()) ? Owned::steal(PyDict_Copy(attributes.get())) : Owned();
}

// Stores `attributes`, a dict that nobody else has, in `kept`. False where a change of one of them would not be noticed: a value may change
// itself, and a method that is an attribute of the object may be bound to that, so that a reference to it would be a cycle.
bool remember(PyObject* attributes, const JsonEncoding& json, KeptSettings& kept) noexcept {
    PyObject *name, *value;
    for (Py_ssize_t i = 0; PyDict_Next(attributes, &i, &name, &value);) {
        if (kept.count == KeptSettings::kMost || !PyUnicode_CheckExact(name) || !PyUnicode_CHECK_INTERNED(name)) return false;
        const bool is_usual_default = name == json.names.interned[kDefault] && !kept.has_bound_default;
        if (kept.is_native && (is_usual_default || name == json.iterencode_name)) return false;
        const bool matters = is_setting(json, name);
        if (matters && !is_constant(value)) return false;
        kept.names[kept.count] = Owned::borrow(name);
        if (matters) kept.values[kept.count] = Owned::borrow(value);
        ++kept.count;
    }
    return true;
}

// Whether `self` has the attributes that are stored in `kept`, in the same order.
OCIOR_INLINE bool is_unchanged(PyObject* self, const KeptSettings& kept, const Tricks& tricks) noexcept {
    const Owned attributes = Owned::steal(PyObject_GenericGetDict(self, nullptr));
    if (!attributes || PyDict_GET_SIZE(attributes.get()) != static_cast<Py_ssize_t>(kept.count)) return PyErr_Clear(), false;
    const Locked lock(attributes.get());
    DictRun run(tricks, attributes.get(), 0);
    bool is_same = true;
    std::size_t k = 0;
    PyObject *name, *value;
    for (; is_same && run.next([&] { return attributes.get(); }, name, value); ++k)
        is_same = k < kept.count && name == kept.names[k].get() && (!kept.values[k] || value == kept.values[k].get());
    return is_same && k == kept.count;
}

// Whether these settings are those of `self`, whose class has this version.
OCIOR_INLINE bool are_of(const KeptSettings* kept, PyObject* self, unsigned version, const Tricks& tricks) noexcept {
    return kept && version != 0 && kept->type_version == version && kept->type == Py_TYPE(self) && is_unchanged(self, *kept, tricks);
}

PyObject* encoder_new(PyTypeObject* type, PyObject*, PyObject*) noexcept {
    PyObject* const module = module_of_type(type);
    const Owned nothing = module ? Owned::steal(PyTuple_New(0)) : Owned();
    PyObject* self = nothing ? PyBaseObject_Type.tp_new(type, nothing.get(), nullptr) : nullptr;  // which refuses abstract classes
    if (self) as_encoder(self)->module = new_ref(module);
    return self;
}

// Counts one user more. Where other threads may exchange `kept`, the lock of the object that has it is held.
KeptSettings* use(KeptSettings* kept) noexcept {
    if (kept) ++kept->users;
    return kept;
}
void drop(KeptSettings* kept) noexcept {
    if (kept && --kept->users == 0) delete kept;
}

// Settings that were compiled from `attributes` when the class had this version. They can be kept for longer than one call if every change
// of these attributes would be noticed. Null when out of memory.
KeptSettings* new_settings(EncodeSettings&& settings, bool is_native, const JsonEncoding& json, PyObject* attributes, PyTypeObject* type,
                           unsigned version) noexcept {
    auto* const kept = new (std::nothrow) KeptSettings{.settings = std::move(settings), .is_native = is_native, .type = type};
    if (!kept) return nullptr;
    kept->has_bound_default = static_cast<bool>(kept->settings.hook);
    // Every call looks the bound method up: a reference to it from the encoder would be a cycle.
    kept->settings.hook = Owned();
    kept->settings.options.default_hook = nullptr;
    if (attributes && remember(attributes, json, *kept)) kept->type_version = version;
    return kept;
}

// Compiles the present attributes. Since another thread may set them or change the class at any time, a copy of the object's dict serves to
// compile and to notice changes later. Null with an error set.
KeptSettings* compile_settings(PyObject* self, const JsonEncoding& json) noexcept {
    PyTypeObject* const type = Py_TYPE(self);
    if (!type_version(type)) (void)has_usual_lookup(type, json);  // a look-up gives the class a version
    const unsigned version = type_version(type);
    EncoderAttributes attributes{self};
    if (version && has_usual_lookup(type, json)) attributes.copy = copied_attributes(self);
    PyErr_Clear();
    EncodeSettings compiled;
    const bool is_native = compiled.compile(json, attributes, MayOverride::kEncode);
    if (PyErr_Occurred()) return nullptr;
    KeptSettings* const kept = new_settings(std::move(compiled), is_native, json, attributes.copy.get(), type, version);
    if (!kept) PyErr_NoMemory();
    return kept;
}

// The settings that an object has offered, if they are those of this object, too, whose class has this version: many programs make an
// encoder for each call. Null where they are others.
KeptSettings* settings_of_twin(PyObject* self, State& state, unsigned version) noexcept {
    KeptSettings* recent;
    {
        const Locked lock(as_encoder(self)->module);
        recent = use(state.recent_settings);
    }
    if (are_of(recent, self, version, state.constants.tricks)) return recent;
    return drop(recent), nullptr;
}

// Lets other objects of the class have these settings.
void offer_to_twins(PyObject* self, State& state, KeptSettings* kept) noexcept {
    if (kept->type_version == 0) return;
    KeptSettings* last;
    {
        const Locked lock(as_encoder(self)->module);
        last = std::exchange(state.recent_settings, use(kept));
    }
    drop(last);
}

// Sets the attributes that json.JSONEncoder.__init__ sets, by set(name, value, value in an object with default settings). False where that
// fails.
template <typename Set>
bool set_attributes(const State& state, PyObject* const* slots, Set set) noexcept {
    const JsonEncoding& json = state.json_encoding;
    for (const EncodeSlot slot : kSettingSlots)
        if (!set(json.names.interned[slot], slots[slot], kDumps.default_of(slot))) return false;
    if (PyObject* const separators = slots[kSeparators]; separators != Py_None) {
        if (!set(json.item_separator_name, PyTuple_GET_ITEM(separators, 0), nullptr) ||
            !set(json.key_separator_name, PyTuple_GET_ITEM(separators, 1), nullptr))
            return false;
    } else if (slots[kIndent] != Py_None && !set(json.item_separator_name, state.constants.latin1[','], nullptr)) {
        return false;
    }
    return slots[kDefault] == Py_None || set(json.names.interned[kDefault], slots[kDefault], nullptr);
}

void suggest_encoder_keyword(PyObject* unknown) noexcept {
    const char* names[std::size(kEncoderSlots)];
    std::transform(std::begin(kEncoderSlots), std::end(kEncoderSlots), names, [](EncodeSlot slot) { return kEncodeNames[slot]; });
    suggest_keyword(unknown, names);
}

// Does what json.JSONEncoder.__init__ does: the arguments become attributes. It is called itself where it would refuse them.
int encoder_init(PyObject* self, PyObject* positional, PyObject* keywords) noexcept {
    State* const own_state = state_of_encoder(self);
    if (!own_state) return -1;
    State& state = *own_state;
    const JsonEncoding& json = state.json_encoding;
    PyObject* slots[kEncodeSlots] = {};
    for (const EncodeSlot slot : kEncoderSlots) slots[slot] = kDumps.default_of(slot);
    const Owned hold_self = Owned::borrow(self), hold_positional = Owned::borrow(positional),
                hold_keywords = Owned::borrow(keywords);  // see HeldArguments
    Owned given[kEncodeSlots];
    Owned unknown;
    const bool are_str = for_each_keyword(keywords, [&](PyObject* name, PyObject* value) {
        const std::size_t slot = json.names.find(name);
        if (slot < kEncodeSlots && slots[slot]) given[slot] = Owned::borrow(slots[slot] = value);
        else if (!unknown) unknown = Owned::borrow(name);
    });
    if (!are_str) return -1;
    PyObject* const separators = slots[kSeparators];
    const bool is_pair = PyTuple_CheckExact(separators) && PyTuple_GET_SIZE(separators) == 2;
    if (unknown || PyTuple_GET_SIZE(positional) != 0 || (separators != Py_None && !is_pair)) {
        const int result = call_init(json.init, self, positional, keywords);
        if (result < 0) suggest_encoder_keyword(unknown.get());
        return result;
    }
    // A new object of our own class gets a copy of the dict that one with default settings has, and in it what is different.
    PyObject* const default_encoder = json.default_encoder;
    const unsigned version = type_version(Py_TYPE(self));
    Owned attributes;
    if (default_encoder && Py_IS_TYPE(self, Py_TYPE(default_encoder)) && !as_encoder(self)->is_initialized.exchange(true)) {
        attributes = copied_attributes(default_encoder);
        if (PyErr_Occurred()) return -1;
    }
    const auto set = [&](PyObject* attribute, PyObject* object, PyObject* usual) {
        if (!attributes) return PyObject_SetAttr(self, attribute, object) == 0;
        return object == usual || PyDict_SetItem(attributes.get(), attribute, object) == 0;
    };
    if (!set_attributes(state, slots, set)) return -1;
    if (!attributes) return 0;
    KeptSettings* kept = nullptr;
    if (slots[kDefault] == Py_None && version == state.encoder_class_version) {
        // Most encoders are used once. If nobody has changed the class, the settings are known without a look at the attributes.
        EncodeSettings settings;
        if (settings.compile(slots)) kept = new_settings(std::move(settings), true, json, attributes.get(), Py_TYPE(self), version);
    }
    if (PyObject_GenericSetDict(self, attributes.get(), nullptr) < 0) return drop(kept), -1;
    const Locked lock(self);
    drop(std::exchange(as_encoder(self)->kept, kept));
    return 0;
}

// The present settings of an encoder object, used by one call.
class SettingsInUse {
public:
    explicit SettingsInUse(PyObject* encoder) noexcept {
        EncoderObject* object = as_encoder(encoder);
        State& state = state_of(object->module);
        const JsonEncoding& json = state.json_encoding;
        {
            const Locked lock(encoder);
            kept_ = use(object->kept);  // is_unchanged() may wait for another lock, and another thread may take this one meanwhile
            // Once its class is changed, it has another version, or none.
            const unsigned version = type_version(Py_TYPE(encoder));
            if (OCIOR_UNLIKELY(!are_of(kept_, encoder, version, state.constants.tricks))) {
                drop(kept_);
                kept_ = settings_of_twin(encoder, state, version);
                if (!kept_) {
                    kept_ = compile_settings(encoder, json);
                    if (!kept_) return;
                    offer_to_twins(encoder, state, kept_);
                }
                drop(std::exchange(object->kept, use(kept_)));
            }
            if (!kept_->is_native) {
                drop(std::exchange(kept_, nullptr));
                return;
            }
        }
        if (kept_->has_bound_default) {
            hook_ = Owned::steal(PyObject_GetAttr(encoder, json.names.interned[kDefault]));
            if (!hook_) release();
        }
    }
    ~SettingsInUse() { release(); }
    SettingsInUse(const SettingsInUse&) = delete;
    SettingsInUse& operator=(const SettingsInUse&) = delete;

    // False where json's own method has to do the work, or an error is set.
    explicit operator bool() const noexcept { return kept_ != nullptr; }

    PyObject* dumps(State& state, PyObject* value) const noexcept {
        if (OCIOR_LIKELY(!hook_)) return encode::dumps(state.encoder, state.constants, kept_->settings.options, value);
        encode::Options options = kept_->settings.options;
        options.default_hook = hook_.get();
        return encode::dumps(state.encoder, state.constants, options, value);
    }

    EncodeSettings copy() const noexcept { return kept_->settings.copy(hook_.get()); }

private:
    void release() noexcept { drop(std::exchange(kept_, nullptr)); }

    KeptSettings* kept_ = nullptr;
    Owned hook_;
};

int encoder_traverse(PyObject* self, visitproc visit, void* arg) noexcept {
    Py_VISIT(Py_TYPE(self));
    Py_VISIT(as_encoder(self)->module);
    return 0;
}

int encoder_clear(PyObject* self) noexcept {
    drop(std::exchange(as_encoder(self)->kept, nullptr));
    Py_CLEAR(as_encoder(self)->module);
    return 0;
}

PyDoc_STRVAR(encode_doc,
             "encode($self, o)\n"
             "--\n\n"
             "o as JSON text in a str.\n\n"
             "    >>> JSONEncoder(indent=None).encode({'a': [1, 2.5, None]})\n"
             "    '{\"a\": [1, 2.5, null]}'");

PyDoc_STRVAR(iterencode_doc,
             "iterencode($self, o, _one_shot=False)\n"
             "--\n\n"
             "The text of o in pieces of bounded size, made one after the other as they are\n"
             "asked for.\n\n"
             "    >>> ''.join(JSONEncoder().iterencode([1, {'a': None}]))\n"
             "    '[1, {\"a\": null}]'");

PyMethodDef encoder_methods[] = {
    {"encode", as_method(encoder_encode), METH_FASTCALL | METH_KEYWORDS, encode_doc},
    {"iterencode", as_method(encoder_iterencode), METH_FASTCALL | METH_KEYWORDS, iterencode_doc},
    {nullptr, nullptr, 0, nullptr},
};

PyType_Slot encoder_slots[] = {
    {Py_tp_doc, const_cast<char*>("The native part of ocior.JSONEncoder.")},
    {Py_tp_new, reinterpret_cast<void*>(encoder_new)},
    {Py_tp_init, reinterpret_cast<void*>(encoder_init)},
    {Py_tp_dealloc, reinterpret_cast<void*>(dealloc_heap_object<encoder_clear>)},
    {Py_tp_traverse, reinterpret_cast<void*>(encoder_traverse)},
    {Py_tp_clear, reinterpret_cast<void*>(encoder_clear)},
    {Py_tp_methods, encoder_methods},
    {0, nullptr},
};

// Whether the only argument is the value, given by position or by its name.
bool is_one_value(const Arguments& arguments) noexcept {
    if (OCIOR_LIKELY(!arguments.kwnames)) return arguments.positional == 1;
    return arguments.positional == 0 && arguments.keyword_count() == 1 &&
           PyUnicode_CompareWithASCIIString(PyTuple_GET_ITEM(arguments.kwnames, 0), "o") == 0;
}

// The value that iterencode() is to write. `_one_shot` says nothing of the text. Null where json refuses the arguments.
PyObject* value_to_iterate(const Arguments& arguments) noexcept {
    if (arguments.positional > 2) return nullptr;
    PyObject* value = arguments.positional > 0 ? arguments.values[0] : nullptr;
    for (Py_ssize_t k = 0; k < arguments.keyword_count(); ++k) {
        PyObject* const name = PyTuple_GET_ITEM(arguments.kwnames, k);
        if (!value && PyUnicode_CompareWithASCIIString(name, "o") == 0) value = arguments.values[arguments.positional + k];
        else if (arguments.positional > 1 || PyUnicode_CompareWithASCIIString(name, "_one_shot") != 0) return nullptr;
    }
    return value;
}

// The settings of an object whose class overrides iterencode(), or that is asked with _one_shot, where its default is an ocior.Default:
// json's methods, which do the work otherwise, know nothing of what that asks for. False, maybe with an error set, where it is none.
bool compile_with_known_default(const State& state, PyObject* self, EncodeSettings& settings) noexcept {
    const JsonEncoding& json = state.json_encoding;
    const Owned hook = Owned::steal(PyObject_GetAttr(self, json.names.interned[kDefault]));
    if (!hook) return leave_to_json();
    return Py_IS_TYPE(hook.get(), state.encoder.own.default_type) && settings.compile(json, {self}, MayOverride::kIterencodeToo);
}

}  // namespace

PyObject* encoder_encode(PyObject* self, PyObject* const* values, Py_ssize_t positional, PyObject* kwnames) noexcept {
    State* const state = state_of_encoder(self);
    const HeldArguments arguments(self, {values, positional, kwnames});
    if (!state || !arguments) return nullptr;
    if (OCIOR_LIKELY(is_one_value(arguments)))
        if (const SettingsInUse settings(self); OCIOR_LIKELY(static_cast<bool>(settings)))
            return settings.dumps(*state, arguments.values[0]);
    if (PyErr_Occurred()) return nullptr;
    // (json's method calls iterencode() of the object for all but strings.)
    if (is_one_value(arguments) && PyUnicode_Check(arguments.values[0]))
        if (EncodeSettings settings; compile_with_known_default(*state, self, settings))
            return encode::dumps(state->encoder, state->constants, settings.options, arguments.values[0]);
    return PyErr_Occurred() ? nullptr : call(state->json_encoding.encode, arguments.with_self());
}

PyObject* encoder_iterencode(PyObject* self, PyObject* const* values, Py_ssize_t positional, PyObject* kwnames) noexcept {
    State* const state = state_of_encoder(self);
    const HeldArguments arguments(self, {values, positional, kwnames});
    if (!state || !arguments) return nullptr;
    if (is_one_value(arguments) || (positional == 2 && arguments.values[1] == Py_False && !kwnames))
        if (const SettingsInUse settings(self); settings) return new_pieces(as_encoder(self)->module, settings.copy(), arguments.values[0]);
    if (PyErr_Occurred()) return nullptr;
    if (PyObject* const value = value_to_iterate(arguments))
        if (EncodeSettings settings; compile_with_known_default(*state, self, settings))
            return new_pieces(as_encoder(self)->module, std::move(settings), value);
    return PyErr_Occurred() ? nullptr : call(state->json_encoding.iterencode, arguments.with_self());
}

void forget_recent_settings(State& state) noexcept { drop(std::exchange(state.recent_settings, nullptr)); }

unsigned version_of_plain_class(PyObject* cls, const JsonEncoding& json) noexcept {
    if (!PyType_CheckExact(cls)) return 0;  // another metaclass may have code that is called instead
    auto* const type = reinterpret_cast<PyTypeObject*>(cls);
    (void)find_in_class(type, json.init_name);    // a look-up gives the class a version
    const unsigned version = type_version(type);  // which is read before the rest: another thread may change the class
    if (type->tp_new != encoder_new && type->tp_new != PyBaseObject_Type.tp_new) return 0;
    if (type->tp_finalize || type->tp_del || type->tp_setattro != PyObject_GenericSetAttr || !type->tp_dictoffset) return 0;
    if (type->tp_init != encoder_init && find_in_class(type, json.init_name).get() != json.init) return 0;
    return has_usual_lookup(type, json) ? version : 0;
}

Owned new_plain_encoder(const State& state, PyTypeObject* type, newfunc make, PyObject* const* slots) noexcept {
    const Owned no_arguments = Owned::steal(PyTuple_New(0));
    Owned encoder = no_arguments ? Owned::steal(make(type, no_arguments.get(), nullptr)) : Owned();
    const auto set = [&](PyObject* name, PyObject* value, PyObject*) { return PyObject_GenericSetAttr(encoder.get(), name, value) == 0; };
    return encoder && set_attributes(state, slots, set) ? std::move(encoder) : Owned();
}

bool add_encoder_types(PyObject* module, State& state) noexcept {
    Owned encoder = Owned::steal(
        make_type(module, OCIOR_MODULE_NAME ".Encoder", sizeof(EncoderObject), Py_TPFLAGS_BASETYPE | Py_TPFLAGS_HAVE_GC, encoder_slots));
    state.pieces_type = encoder ? make_pieces_type(module) : nullptr;
    state.late_default_type = state.pieces_type ? make_late_default_type(module) : nullptr;
    return state.late_default_type && PyModule_AddObjectRef(module, "Encoder", encoder.get()) == 0;
}

}  // namespace ocior::module