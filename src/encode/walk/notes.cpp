#include "encode/walk/notes.h"

#include "py/attribute.h"
#include "py/taken_error.h"

namespace ocior::encode {

namespace {

constexpr std::size_t kMaxNotes = PY_VERSION_HEX >= 0x030E0000 ? SIZE_MAX : 1024;  // where json gives none, no more than serve anybody

// Whether an error in making a note takes the place of the one noted, as in json where that makes any; else only what is no Exception does,
// a KeyboardInterrupt, say.
constexpr bool kTellsFailures = PY_VERSION_HEX >= 0x030E0000;

// The name of an object's type.
Owned type_name(const Call& call, PyObject* object) noexcept {
#if PY_VERSION_HEX >= 0x030D0000
    if (call.options.dialect->notes == NoteStyle::kInC) return Owned::steal(PyType_GetFullyQualifiedName(Py_TYPE(object)));
#endif
    (void)call;
    return get_attribute(reinterpret_cast<PyObject*>(Py_TYPE(object)), "__name__");
}

// The text that a key becomes. Empty with an error set.
Owned text_of_key(Call& call, PyObject* key) noexcept {
    std::uint8_t text[kShortScalar];
    const KeyText read = read_key(call, key, text);
    if (!read.end) return std::move(call.context.extras.long_scalar);
    return Owned::steal(PyUnicode_FromStringAndSize(reinterpret_cast<const char*>(text), read.end - text));
}

// The note of an item of a dict.
Owned note_of_key(Call& call, PyObject* dict, PyObject* key) noexcept {
    Owned name = type_name(call, dict);
    if (!name) return {};
    const bool is_as_text = call.options.dialect->notes == NoteStyle::kInPython && !PyUnicode_Check(key);
    Owned text = is_as_text ? text_of_key(call, key) : Owned::borrow(key);
    return text ? Owned::steal(PyUnicode_FromFormat("when serializing %U item %R", name.get(), text.get())) : Owned();
}

// The note of one frame; empty, maybe with an error, where it has nothing to tell.
Owned note_of(Call& call, const Frame& frame) noexcept {
    switch (frame.kind) {
        case FrameKind::kText:
        case FrameKind::kArray: return {};
        case FrameKind::kSingle: {
            Owned name = frame.identity ? type_name(call, frame.identity) : Owned();
            return name ? Owned::steal(PyUnicode_FromFormat("when serializing %U object", name.get())) : Owned();
        }
        case FrameKind::kList:
        case FrameKind::kDerivedList:
        case FrameKind::kLostList:
        case FrameKind::kIterator: {
            Owned name = type_name(call, frame.identity);
            return name ? Owned::steal(PyUnicode_FromFormat("when serializing %U item %zd", name.get(), frame.position - 1)) : Owned();
        }
        case FrameKind::kItems:
        case FrameKind::kPairs: return frame.item() ? note_of_key(call, frame.identity, PyTuple_GET_ITEM(frame.item(), 0)) : Owned();
        case FrameKind::kFields:
            if (frame.position == 0 || frame.position * 2 > PyTuple_GET_SIZE(frame.iterated)) return {};
            return note_of_key(call, frame.identity, PyTuple_GET_ITEM(frame.iterated, frame.position * 2 - 2));
        case FrameKind::kEntries:
            if (frame.position == 0 || frame.position > static_cast<Py_ssize_t>(frame.dict_size)) return {};
            return note_of_key(call, frame.identity, frame.entries()[frame.position - 1].key);
        case FrameKind::kDict: {
            if (frame.position == 0) return {};
            Owned key;
            {
                const Locked lock(frame.iterated);
                DictRun run(Tricks{}, frame.iterated, frame.position - 1);
                PyObject *found, *value;
                if (run.next([&] { return frame.iterated; }, found, value)) key = Owned::borrow(found);
            }
            return key ? note_of_key(call, frame.identity, key.get()) : Owned();
        }
    }
    return {};
}

Owned add_note(const Call& call, PyObject* error, PyObject* note) noexcept {
    if (kTellsFailures && call.options.dialect->notes == NoteStyle::kInPython) return call_method(error, "add_note", note);
    const Owned method = get_attribute(PyExc_BaseException, "add_note");
    return method ? Owned::steal(PyObject_CallFunctionObjArgs(method.get(), error, note, nullptr)) : Owned();
}

}  // namespace

void finish_error(Call& call) noexcept {
    const Dialect& dialect = *call.options.dialect;
    if (dialect.notes == NoteStyle::kNone || (!kAddsNotes && dialect.reading != Reading::kOneByOne)) return;
    call.pin();  // the reprs of keys are Python code
    TakenError error;
    // json's encoder in Python is made of generators: each value has one, which the hook is called in, and a container catches what that
    // lets out.
    const bool has_generators = dialect.reading == Reading::kOneByOne;
    if (has_generators && error.matches(PyExc_StopIteration)) error.replace(PyExc_RuntimeError, "generator raised StopIteration");
    const bool gets_notes = kAddsNotes && !(has_generators && error.matches(PyExc_GeneratorExit));
    // json meets a cycle the first time round; we may have gone round more often.
    std::size_t depth = depth_of_first_twin(call.context.frames, call.depth());
    if (depth == call.depth() && call.failed_in_key) --depth;
    const auto add = [&](auto make_note) {
        PyObject* const value = error.value();
        const Owned note = make_note();
        const Owned added = note && value ? add_note(call, value, note.get()) : Owned();
        if (added || !PyErr_Occurred()) return;
        if (kTellsFailures || !PyErr_ExceptionMatches(PyExc_Exception)) error.replace();
        else PyErr_Clear();
    };
    for (std::size_t notes = 0; gets_notes && depth-- > 0 && notes < kMaxNotes; ++notes)
        add([&] { return note_of(call, call.context.frames[depth]); });
    const char* const hint = std::exchange(call.context.extras.hint, nullptr);
    if (hint && gets_notes && error.matches(PyExc_TypeError)) add([&] { return Owned::steal(PyUnicode_FromString(hint)); });
    error.restore();
}

}  // namespace ocior::encode
