#include "select/children.h"

#include "decode/reader.h"
#include "decode/source_of.h"
#include "grammar/skipper.h"

namespace ocior::select {

using namespace grammar;

namespace {

PyObject* refuse(Error error) noexcept {
    if (error == Error::kNoMemory) return PyErr_NoMemory();
    if (error != Error::kPython) PyErr_SetString(PyExc_ValueError, "no value begins there");
    return nullptr;
}

// Walks through one object or array.
template <typename Source>
class ChildFinder {
    using Unit = typename Source::Unit;

public:
    ChildFinder(const Constants& constants, decode::Context& context, const decode::Options& options,
                const Document<Source>& document) noexcept
        : call_(document.text(), options, constants, context), document_(document) {}

    PyObject* children(std::size_t index) noexcept {
        const Unit* const p = document_.at(index);
        PyObject* const children = *p == '{' ? object(p) : *p == '[' ? array(p) : nullptr;
        call_.context.allocator.give_back();
        if (!children && call_.error == Error::kNone) call_.error = PyErr_Occurred() ? Error::kPython : Error::kExpectingValue;
        return children ? children : refuse(call_.error);
    }

private:
    PyObject* object(const Unit* p) noexcept {
        Owned places = Owned::steal(PyDict_New());
        for (p = text::skip_whitespace(p + 1); places && *p != '}';) {
            const auto read = decode::read_key<Source>(call_, p + 1);
            const Owned key = Owned::steal(read.object);
            if (!key) return nullptr;
            p = text::skip_whitespace(text::skip_whitespace(read.next) + 1);
            const Owned place = Owned::steal(PyLong_FromSize_t(document_.index_of(p)));
            if (!place || !put(places.get(), key.get(), place.get())) return nullptr;
            p = behind(p);
            if (!p) return nullptr;
        }
        return places.release();
    }
    [[nodiscard]] bool put(PyObject* places, PyObject* key, PyObject* place) noexcept {
        if (call_.options.duplicate_keys == decode::DuplicateKeys::kFirst) return PyDict_SetDefault(places, key, place) != nullptr;
        return PyDict_SetItem(places, key, place) == 0;
    }
    PyObject* array(const Unit* p) noexcept {
        Stack<std::uint64_t> places;
        std::size_t count = 0;
        for (p = text::skip_whitespace(p + 1); *p != ']';) {
            if (!places.reserve(count + 1)) return PyErr_NoMemory();
            places.data()[count++] = document_.index_of(p);
            p = behind(p);
            if (!p) return nullptr;
        }
        return PyBytes_FromStringAndSize(reinterpret_cast<const char*>(places.data()),
                                         static_cast<Py_ssize_t>(count * sizeof(std::uint64_t)));
    }
    // The next key or item behind the value at `p`, or the closing bracket; null with an error.
    const Unit* behind(const Unit* p) noexcept {
        p = skip_value<Source>(call_, p, 1);
        if (call_.error != Error::kNone) return nullptr;
        p = text::skip_whitespace(p);
        if (*p == ',') return text::skip_whitespace(p + 1);
        return *p == '}' || *p == ']' ? p : nullptr;
    }

    decode::PyCall<Source> call_;
    const Document<Source>& document_;
};

}  // namespace

PyObject* children_at(decode::State& state, const decode::Options& options, PyObject* text, std::size_t index) noexcept {
    StrView view;
    if (!decode::view_of_text(text, view)) return nullptr;
    if (index >= view.length) return refuse(Error::kExpectingValue);
    const Lease context(state.contexts);
    if (!context) return PyErr_NoMemory();
    context->allocator.refresh(state.constants.tricks, false);
    return decode::with_source_of(view, [&](auto source) {
        Document<decltype(source)> document(view.data, view.length);
        if (!document.pad_value(index, options.strict, context->workspace)) return PyErr_NoMemory();
        return ChildFinder<decltype(source)>(state.constants, *context, options, document).children(index);
    });
}

}  // namespace ocior::select
