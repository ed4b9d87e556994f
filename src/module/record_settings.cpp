#include "module/record_settings.h"

#include <array>

#include "module/decoder.h"
#include "module/suggestion.h"
#include "module/typed_decoder.h"
#include "py/attribute.h"

namespace ocior::module {
namespace {

// The keywords: those of loads without its first, in their order, and our own.
enum Own : std::size_t { kFields, kMissing, kCheck, kOnError, kTail, kMaxRecord, kAt, kOwnCount };
constexpr const char* kOwnNames[] = {"fields", "default", "check", "on_error", "tail", "max_record", "at"};
static_assert(std::size(kOwnNames) == kOwnCount);
constexpr std::size_t kClassSlot = 0, kOptions = 1, kTypeSlot = kOptions + kLoadsOptionCount, kFirstOwn = kTypeSlot + 1,
                      kAll = kFirstOwn + kOwnCount;
static_assert(std::size(kLoadsNames) == kFirstOwn + 1);

constexpr std::array<const char*, kAll> all_names() noexcept {
    std::array<const char*, kAll> names{};
    for (std::size_t i = 0; i < kFirstOwn; ++i) names[i] = kLoadsNames[i + 1];
    for (std::size_t i = 0; i < kOwnCount; ++i) names[kFirstOwn + i] = kOwnNames[i];
    return names;
}
constexpr auto kNames = all_names();

[[nodiscard]] bool sort_keywords(PyObject* const* values, PyObject* kwnames, stream::Framing framing, PyObject* (&slots)[kAll]) noexcept {
    for (Py_ssize_t k = 0; kwnames && k < PyTuple_GET_SIZE(kwnames); ++k) {
        PyObject* const name = PyTuple_GET_ITEM(kwnames, k);
        std::size_t i = 0;
        while (i < kAll && PyUnicode_CompareWithASCIIString(name, kNames[i]) != 0) ++i;
        if (i == kAll || (i == kFirstOwn + kAt && framing != stream::Framing::kItems)) {
            PyErr_Format(PyExc_TypeError, "unexpected keyword argument %R", name);
            suggest_keyword(name, {kNames.data(), kAll});
            return false;
        }
        slots[i] = values[k];
    }
    return true;
}

// An object of the class whose decode() reads each record, as loads() makes it for a document.
Owned decoder_of_class(PyObject* cls, PyObject* const* slots, const char* const* names) noexcept {
    const Owned keywords = Owned::steal(PyDict_New());
    if (!keywords) return {};
    for (std::size_t i = kOptions; i <= kTypeSlot; ++i) {
        const bool is_hook = i - kOptions < kStrict;
        PyObject* const given = is_hook ? not_none(slots[i]) : slots[i];
        if (given && PyDict_SetItemString(keywords.get(), names[i], given) < 0) return {};
    }
    return Owned::steal(PyObject_VectorcallDict(cls, nullptr, 0, keywords.get()));
}

}  // namespace

bool ItemSteps::read(PyObject* given) noexcept {
    if (given && !PyUnicode_Check(given))
        return PyErr_Format(PyExc_TypeError, "at must be a str, not %.100s", Py_TYPE(given)->tp_name), false;
    pointer = given ? Owned::borrow(given) : Owned::steal(PyUnicode_New(0, 0));
    names_ = pointer ? select::tokens_of(pointer.get()) : Owned();
    if (!names_) return false;
    const Py_ssize_t count = PyTuple_GET_SIZE(names_.get());
    texts_ = Owned::steal(PyTuple_New(count));
    for (Py_ssize_t i = 0; texts_ && i < count; ++i) {
        PyObject* const text = PyUnicode_AsEncodedString(PyTuple_GET_ITEM(names_.get(), i), "utf-8", "surrogatepass");
        if (!text) return false;
        PyTuple_SET_ITEM(texts_.get(), i, text);
    }
    return static_cast<bool>(texts_);
}

stream::Steps ItemSteps::steps(bool is_strict, std::size_t max_depth) const noexcept {
    if (!names_) return {};
    return {names_.get(), texts_.get(), static_cast<std::size_t>(PyTuple_GET_SIZE(names_.get())), is_strict, max_depth};
}

bool RecordSettings::read(State& state, PyObject* module, PyObject* const* values, PyObject* kwnames, stream::Framing framing) noexcept {
    PyObject* slots[kAll] = {};
    if (!sort_keywords(values, kwnames, framing, slots)) return false;
    PyObject* const* const own = slots + kFirstOwn;
    for (std::size_t i = 0; i < kPolicies; ++i) hooks[i] = Owned::borrow(slots[kOptions + i]);
    if (!read_flag(own[kCheck], true, checks) || !read_flag(slots[kOptions + kStrict], true, options.strict)) return false;
    if (own[kMaxRecord] && !read_number(own[kMaxRecord], "max_record", PY_SSIZE_T_MAX, false, max_record)) return false;
    if (!bad.read(own[kOnError], own[kTail])) return false;
    if (framing == stream::Framing::kItems && !at.read(own[kAt])) return false;
    if (PyObject* const fields = not_none(own[kFields])) {
        if (not_none(slots[kTypeSlot]) || not_none(slots[kClassSlot]))
            return PyErr_SetString(PyExc_TypeError, "fields cannot be given beside type or cls"), false;
        if (!selection.compile(fields)) return false;
        has_selection = true;
    }
    missing = Owned::borrow(own[kMissing] ? own[kMissing] : Py_None);
    if (PyObject* const cls = not_none(slots[kClassSlot])) {
        by_class = decoder_of_class(cls, slots, kNames.data());
        return static_cast<bool>(by_class);
    }
    if (PyObject* const type = not_none(slots[kTypeSlot])) {
        if (!may_have_type(slots + kOptions)) return false;
        decoder = typed_decoder_for(state, module, type, slots[kOptions + kStrict], slots + kOptions + kPolicies);
        return static_cast<bool>(decoder);
    }
    return read_loads_options(state, slots + kOptions, options);
}

bool RecordSettings::read(State& state, PyObject* module, PyObject* keywords, stream::Framing framing) noexcept {
    ConstructorArguments given;
    return given.take(nullptr, keywords) && read(state, module, given.get().values, given.get().kwnames, framing);
}

int RecordSettings::visit(visitproc visit, void* arg) const noexcept {
    for (const Owned& hook : hooks) Py_VISIT(hook.get());
    Py_VISIT(decoder.get());
    Py_VISIT(by_class.get());
    Py_VISIT(missing.get());
    const int stopped = bad.visit(visit, arg);
    return stopped ? stopped : selection.visit(visit, arg);
}

}  // namespace ocior::module
