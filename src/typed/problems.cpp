// What is wrong with a document, found while it is read: which value, on which way to it, and where in the text.
#include "py/taken_error.h"
#include "typed/typed_builder.h"

namespace ocior::typed {
namespace {

constexpr const char* kCodeNames[] = {"type",    "missing", "unknown", "value",     "choice",      "tag",        "length",
                                      "gt",      "ge",      "lt",      "le",        "multiple_of", "min_length", "max_length",
                                      "pattern", "tz",      "key",     "duplicate", "range",       "hook"};
static_assert(std::size(kCodeNames) == static_cast<std::size_t>(Code::kHook) + 1);

// The keys and indexes that lead to the place that was reached, through so many containers.
template <typename Source>
Owned path_to(TypedBuilder<Source>& builder, PyObject** top, std::size_t levels) noexcept {
    const Frame* const frames = builder.session.memory.frames.data();
    const std::size_t depth = builder.session.depth;
    Owned path = Owned::steal(PyList_New(0));
    for (std::size_t i = 1; path && i <= depth && i <= levels; ++i) {
        const Frame& frame = frames[i];
        Owned step;
        if (frame.inside == Inside::kArray) {
            const std::size_t end = i < depth ? frames[i + 1].base : static_cast<std::size_t>(top - builder.context.values.data());
            step = Owned::steal(PyLong_FromSize_t(end - frame.base));
        } else if (frame.key_at) {
            step = Owned::steal(decode::read_any_string(builder, static_cast<const typename Source::Unit*>(frame.key_at)).object);
        } else {
            continue;
        }
        if (!step || PyList_Append(path.get(), step.get()) < 0) return {};
    }
    PyObject* const last = builder.session.last_step;
    if (path && last && PyList_Append(path.get(), last) < 0) return {};
    return path ? Owned::steal(PyList_AsTuple(path.get())) : Owned();
}

PyObject* none_or_end(bool goes_on) noexcept { return goes_on ? new_ref(Py_None) : nullptr; }

}  // namespace

template <typename Source>
PyObject* note_problem(TypedBuilder<Source>& builder, Code code, PyObject** top, const typename Source::Unit* first,
                       const typename Source::Unit* last, PyObject* expected, const char* got, Owned cause, std::size_t levels) noexcept {
    Session& session = builder.session;
    ++session.problem_count;
    if (session.problem_count > session.max_errors) return none_or_end(true);
    if (!last) {
        last = skip_value<Source>(builder, first, 0);
        if (builder.error == Error::kNoMemory) return nullptr;
        builder.error = Error::kNone;  // whoever reads on will meet it
    }
    if (!session.problems) session.problems = Owned::steal(PyList_New(0));
    const Owned path = path_to(builder, top, levels);
    if (!session.problems || !path) return end_reading(builder);
    if (session.is_in_key) code = Code::kKey;
    const auto offset = [&](const typename Source::Unit* p) { return static_cast<Py_ssize_t>(p - builder.text.first); };
    const Owned problem = Owned::steal(Py_BuildValue("sOnnOzO", kCodeNames[static_cast<std::size_t>(code)], path.get(), offset(first),
                                                     offset(last), expected ? expected : Py_None, got, cause ? cause.get() : Py_None));
    if (!problem || PyList_Append(session.problems.get(), problem.get()) < 0) return end_reading(builder);
    return none_or_end(true);
}

template <typename Source>
PyObject* note_exception(TypedBuilder<Source>& builder, PyObject** top, const typename Source::Unit* first,
                         const typename Source::Unit* last, Code code, PyObject* expected, std::size_t levels) noexcept {
    Session& session = builder.session;
    const bool is_ours = session.state.validation_error && PyErr_ExceptionMatches(session.state.validation_error);
    const bool says_wrong = PyErr_ExceptionMatches(PyExc_ValueError) || PyErr_ExceptionMatches(PyExc_TypeError);
    TakenError taken;
    Owned error = Owned::borrow(taken.value());
    if (is_ours || !says_wrong || !error) {
        if (!is_ours && error && session.state.path_note && PyErr_GivenExceptionMatches(error.get(), PyExc_Exception)) {
            const Owned path = path_to(builder, top, levels);
            const Owned noted =
                path ? Owned::steal(PyObject_CallFunctionObjArgs(session.state.path_note, error.get(), path.get(), nullptr)) : Owned();
            if (!noted) PyErr_Clear();
        }
        taken.restore();
        return end_reading(builder);
    }
    return note_problem(builder, code, top, first, last, expected, nullptr, std::move(error), levels);
}

template <typename Source>
PyObject* apply_typed_hook(TypedBuilder<Source>& builder, PyObject* hook, PyObject* value, PyObject** top,
                           const typename Source::Unit* first, const typename Source::Unit* last, std::size_t levels) noexcept {
    const Owned hold = Owned::steal(value);
    if (!value) return nullptr;
    if (builder.session.is_collecting()) return new_ref(Py_None);
    PyObject* const made = decode::call_hook(builder.context, hook, value);
    builder.context.allocator.refresh(builder.constants.tricks, builder.session.plan.runs_python);
    return made ? made : note_exception(builder, top, first, last, Code::kHook, nullptr, levels);
}

#define OCIOR_INSTANTIATE(Source)                                                                                                         \
    template PyObject* note_problem<Source>(TypedBuilder<Source>&, Code, PyObject**, const Source::Unit*, const Source::Unit*, PyObject*, \
                                            const char*, Owned, std::size_t) noexcept;                                                    \
    template PyObject* note_exception<Source>(TypedBuilder<Source>&, PyObject**, const Source::Unit*, const Source::Unit*, Code,          \
                                              PyObject*, std::size_t) noexcept;                                                           \
    template PyObject* apply_typed_hook<Source>(TypedBuilder<Source>&, PyObject*, PyObject*, PyObject**, const Source::Unit*,             \
                                                const Source::Unit*, std::size_t) noexcept;
OCIOR_FOR_EACH_SOURCE(OCIOR_INSTANTIATE)
#undef OCIOR_INSTANTIATE

}  // namespace ocior::typed
