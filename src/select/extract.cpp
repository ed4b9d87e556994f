#include "select/extract.h"

#include "decode/decode.h"
#include "decode/encoding.h"
#include "decode/inside.h"
#include "decode/numbers.h"
#include "decode/source_of.h"
#include "decode/strings.h"
#include "grammar/document.h"
#include "grammar/skipper.h"
#include "py/attribute.h"
#include "py/fetch.h"

namespace ocior::select {
namespace {

// What is looked at beside what is wanted: nothing, the grammar, or also what policies forbid. These are checked together in what is
// skipped: surrogates without a pair, NaN and infinities.
enum class Checks : std::uint8_t { kNone, kGrammar, kPolicies };

// What has been found of a node.
struct Found {
    const void* at;      // where its value begins
    const void* inside;  // where the container begins that this was found in: the pointer still leads here if that counts itself
    PyObject* value;     // owned; null where it is not wanted
};

// An object or array on the way.
struct Frame {
    const Node* node;
    const void* at;
    const Node* next;  // array: the child of the least index that has not come yet, and behind the last
    const Node* last;
    std::uint64_t index;  // array: of the present element
    bool is_array;
};

// What a reading needs for each node.
class Memory {
public:
    explicit Memory(std::size_t node_count) noexcept : node_count_(node_count) {
        if (OCIOR_UNLIKELY(node_count > kFew)) block_ = static_cast<Place*>(std::malloc(node_count * sizeof(Place)));
        if (OCIOR_UNLIKELY(!block_)) return;
        for (std::size_t i = 0; i < node_count; ++i) block_[i].found = {};
    }
    ~Memory() {
        if (OCIOR_UNLIKELY(!block_)) return;
        for (std::size_t i = 0; i < node_count_; ++i) Py_XDECREF(block_[i].found.value);
        if (OCIOR_UNLIKELY(block_ != few_)) std::free(block_);
    }
    Memory(const Memory&) = delete;
    Memory& operator=(const Memory&) = delete;

    explicit operator bool() const noexcept { return block_ != nullptr; }
    Found& found(std::size_t node) noexcept { return block_[node].found; }
    Frame& frame(std::size_t depth) noexcept { return block_[depth].frame; }

private:
    struct Place {
        Found found;
        Frame frame;  // more containers than nodes are never open on the way
    };
    static constexpr std::size_t kFew = 16;

    const std::size_t node_count_;
    Place few_[kFew];
    Place* block_ = few_;
};

template <typename Unit>
OCIOR_INLINE const Unit* skip_space(const Unit* p) noexcept {
    return OCIOR_LIKELY(*p > ' ') ? p : text::skip_whitespace(p);
}

// The value of that key, owned; null where there is none, or with an error set. (Another thread may find a new dict by the collector.)
PyObject* new_value_ref(PyObject* dict, PyObject* key) noexcept {
#ifdef Py_GIL_DISABLED
    PyObject* value;
    (void)PyDict_GetItemRef(dict, key, &value);
#else
    PyObject* const value = PyDict_GetItemWithError(dict, key);
    Py_XINCREF(value);
#endif
    return value;
}

template <typename Source>
class Walk {
    using Unit = typename Source::Unit;

public:
    Walk(const Constants& constants, decode::Context& context, const decode::Options& options, const Selection& selection, Checks checks,
         const Text<Source>& text, Memory& memory) noexcept
        : call_(text, options, constants, context),
          selection_(selection),
          memory_(memory),
          checks_(checks != Checks::kNone),
          first_counts_(!checks_ || options.duplicate_keys == decode::DuplicateKeys::kFirst),
          rereads_(options.object_hook || options.object_pairs_hook || options.array_hook),
          minds_surrogates_(options.surrogates != Surrogates::kKeep),
          left_(rereads_ ? selection.wanted_count() : selection.top_wanted_count()),
          lengths_(context.workspace.skipper.key_lengths) {
        context.allocator.refresh(constants.tricks, options.has_hooks());
        call_.checks_skipped =
            checks == Checks::kPolicies && (options.non_finite == NonFiniteNumbers::kError || options.surrogates == Surrogates::kError);
    }

    Error error() const noexcept { return call_.error; }
    bool stopped_early() const noexcept { return !checks_ && left_ == 0; }

    // Walks through the value at `p`, and returns the unit behind it, or where it has stopped early; or null with an error.
    const Unit* walk(const Unit* p) noexcept;

    // What a node's value is once all has been read, borrowed; null where there is none, or with an error. To be called for all nodes in
    // their order.
    PyObject* settle(std::uint32_t i) noexcept;

private:
    const Unit* fail(Error error) noexcept {
        call_.error = error == Error::kNone ? PyErr_Occurred() ? Error::kPython : Error::kNoMemory : error;
        return nullptr;
    }
    // Skips what is not wanted. Most values are short, and need no call.
    OCIOR_INLINE const Unit* skip(const Unit* p, std::size_t depth) noexcept {
        const Start start = start_of(*p);
        if (start == Start::kString) {
            const Unit* stop = p + 1;
            auto stops = Skipper<Source>::marks(stop);
            while (OCIOR_UNLIKELY(stops.none())) stops = Skipper<Source>::marks(stop += simd::Vec<Unit>::kLanes);
            stop += stops.first();
            if (OCIOR_LIKELY(*stop == '"')) return stop + 1;
        } else if (start == Start::kNumber) {
            if (const Unit* const end = num::skip_number(p); OCIOR_LIKELY(end != p)) return end;
        } else if (start == Start::kWord) {
            const unsigned word = word_led_by(*p);
            if (OCIOR_LIKELY((simd::load_narrow8(p) & kWordMasks[word]) == kWordTexts[word])) return p + word_length(word);
        }
        return skip_by_parser(p, depth);
    }
    OCIOR_NOINLINE const Unit* skip_by_parser(const Unit* p, std::size_t depth) noexcept {
        p = skip_value<Source>(call_, p, depth);
        return OCIOR_LIKELY(call_.error == Error::kNone) ? p : nullptr;
    }

    // Reads what is wanted, and returns the unit behind it.
    OCIOR_INLINE const Unit* read(Found& found, const Unit* p, std::size_t depth) noexcept {
        const auto got = *p == '"' && !call_.options.has_checks ? decode::read_string<Source>(call_, p + 1) : read_any(p, depth);
        if (OCIOR_UNLIKELY(!got.object)) return fail(call_.error);
        PyObject* const old = std::exchange(found.value, got.object);
        Py_XDECREF(old);
        --left_;
        return got.next;
    }
    OCIOR_NOINLINE decode::Read<Unit> read_any(const Unit* p, std::size_t depth) noexcept {
        if (!call_.options.has_checks) {
            const Start start = start_of(*p);
            if (start == Start::kNumber) {
                if (const auto integer = num::read_integer(p); OCIOR_LIKELY(integer.end != nullptr))
                    return {decode::new_integer<decode::Asked::kNothing>(call_, integer.magnitude, integer.negative, p, integer.end),
                            integer.end};
                if (const auto real = num::read_real(p); OCIOR_LIKELY(real.end != nullptr))
                    return {decode::new_real<decode::Asked::kNothing>(call_, real.value, p, real.end), real.end};
            } else if (start == Start::kWord) {
                const unsigned word = word_led_by(*p);
                if (OCIOR_LIKELY((simd::load_narrow8(p) & kWordMasks[word]) == kWordTexts[word]))
                    return {new_constant(call_.constants.words[word]), p + word_length(word)};
            }
        }
        const auto got = decode::read_inside<Source>(call_.constants, call_.context, call_.options, call_.text, p, depth);
        call_.error = got.error;
        call_.context.allocator.refresh(call_.constants.tricks, call_.options.has_hooks());
        return {got.value, got.next};
    }

    // The child whose key that text is, in which nothing is escaped, and no character takes more than one unit.
    OCIOR_INLINE const Node* child_of_text(const Node& node, const Unit* text, std::size_t length) noexcept {
        if (OCIOR_LIKELY(!(node.key_marks & mark_of(*text, length)))) return nullptr;
        const Node* const first = selection_.nodes() + node.first_child;
        for (const Node* child = first; child != first + node.child_count; ++child)
            if (is_text(child->key, text, length)) return child;
        return nullptr;
    }
    static OCIOR_INLINE bool is_text(PyObject* key, const Unit* text, std::size_t length) noexcept {
        if (static_cast<std::size_t>(PyUnicode_GET_LENGTH(key)) != length) return false;
        if (OCIOR_LIKELY(has_units<Unit>(key))) return std::memcmp(PyUnicode_DATA(key), text, length * sizeof(Unit)) == 0;
        for (std::size_t i = 0; i < length; ++i)
            if (PyUnicode_READ_CHAR(key, static_cast<Py_ssize_t>(i)) != text[i]) return false;
        return true;
    }
    // What the key at `p`, behind its opening quote, leads to, if anything, and the unit behind its closing quote; null with an error.
    struct Key {
        const Node* child;
        const Unit* next;
    };
    // Most keys are as long as the one that came behind the same key last time (as in Skipper::key(), whose memory this is).
    OCIOR_INLINE Key find_child(const Node& node, const Unit* p) noexcept {
        const auto stops = Skipper<Source>::marks(p);
        if (OCIOR_LIKELY(stops.any() && !node.places)) {
            std::uint8_t& expected = lengths_[place_];
            std::size_t length = expected;
            if (OCIOR_UNLIKELY(stops.first() != length)) expected = static_cast<std::uint8_t>(length = stops.first());
            place_ = (p[0] * 31u + p[1] * 7u + length * 17u) % SkipperMemory::kPlaces;
            if (OCIOR_LIKELY(p[length] == '"') && (sizeof(Unit) == 1 || OCIOR_LIKELY(!minds_surrogates_)))
                return {child_of_text(node, p, length), p + length + 1};
        }
        return find_child_slowly(node, p);
    }
    Key find_child_slowly(const Node& node, const Unit* p) noexcept;

    decode::PyCall<Source> call_;
    const Selection& selection_;
    Memory& memory_;
    const bool checks_, first_counts_;
    const bool rereads_;  // what hooks have made of a container does not tell what was in it
    const bool minds_surrogates_;
    std::size_t left_;  // values that have not been found yet
    std::uint8_t* const lengths_;
    std::size_t place_ = 0;
};

template <typename Source>
OCIOR_NOINLINE auto Walk<Source>::find_child_slowly(const Node& node, const Unit* p) noexcept -> Key {
    const auto read = decode::read_key<Source>(call_, p);
    if (!read.object) return {nullptr, nullptr};
    const Owned key = Owned::steal(read.object);
    const Node* const child = selection_.child_of(node, key.get());
    if (OCIOR_UNLIKELY(!child && PyErr_Occurred())) return {nullptr, fail(Error::kPython)};
    return {child, read.next};
}

template <typename Source>
auto Walk<Source>::walk(const Unit* p) noexcept -> const Unit* {
    const Node* const nodes = selection_.nodes();
    const Node* node = nodes;
    std::size_t depth = 0;
    Frame* frame = nullptr;

value:
    {
        Found& found = memory_.found(static_cast<std::size_t>(node - nodes));
        found.at = p;
        if (node->is_wanted) {
            const Unit* const next = read(found, p, depth);
            if (OCIOR_UNLIKELY(!next)) return nullptr;
            if (OCIOR_UNLIKELY(stopped_early())) return next;
            if (OCIOR_LIKELY(!rereads_ || node->child_count == 0)) {
                p = next;
                goto behind_value;
            }
        }
        const bool is_array = *p == '[';
        if (!(is_array ? node->index_count : *p == '{' ? node->child_count : 0)) goto unwanted;
        if (OCIOR_UNLIKELY(depth == call_.max_depth)) return fail(is_array ? Error::kTooDeepArray : Error::kTooDeepObject);
        const Node* const first = nodes + node->first_child;
        frame = &memory_.frame(depth++);
        *frame = {node, p, first, first + node->index_count, 0, is_array};
        p = skip_space(p + 1);
        if (OCIOR_UNLIKELY(*p == (is_array ? ']' : '}'))) goto close;
        if (is_array) goto element;
    }

key:
    {
        if (OCIOR_UNLIKELY(*p != '"')) return fail(Error::kExpectingPropertyName);
        const Key found_key = find_child(*frame->node, p + 1);
        if (OCIOR_UNLIKELY(!found_key.next)) return nullptr;
        const Node* const child = found_key.child;
        p = skip_space(found_key.next);
        if (OCIOR_UNLIKELY(*p != ':')) return fail(Error::kExpectingColon);
        p = skip_space(p + 1);
        if (OCIOR_LIKELY(!child)) goto unwanted;
        Found& found = memory_.found(static_cast<std::size_t>(child - nodes));
        if (OCIOR_UNLIKELY(found.inside == frame->at)) {  // the object has had the key before
            if (call_.options.duplicate_keys == decode::DuplicateKeys::kError) return fail(Error::kDuplicateKey);
            if (first_counts_) goto unwanted;
        }
        found.inside = frame->at;
        node = child;
        goto value;
    }

element:
    if (frame->next != frame->last && frame->next->index == frame->index) {
        node = frame->next++;
        memory_.found(static_cast<std::size_t>(node - nodes)).inside = frame->at;
        goto value;
    }

unwanted:
    p = skip(p, depth);
    if (OCIOR_UNLIKELY(!p)) return nullptr;

behind_value:
    if (OCIOR_UNLIKELY(depth == 0)) return p;
    p = skip_space(p);
    if (OCIOR_LIKELY(*p == ',')) {
        p = skip_space(p + 1);
        if (!frame->is_array) goto key;
        ++frame->index;
        goto element;
    }
    if (OCIOR_UNLIKELY(*p != (frame->is_array ? ']' : '}'))) return fail(Error::kExpectingComma);

close:
    ++p;
    frame = --depth ? &memory_.frame(depth - 1) : nullptr;
    goto behind_value;
}

template <typename Source>
PyObject* Walk<Source>::settle(std::uint32_t i) noexcept {
    const Node& node = selection_.nodes()[i];
    Found& found = memory_.found(i);
    const Found& parent = memory_.found(node.parent);
    if (i == 0) return found.value;
    if (OCIOR_LIKELY(!node.is_below_wanted || rereads_)) {
        if (OCIOR_LIKELY(parent.at && found.inside == parent.at)) return found.value;
        found.at = nullptr;
        return nullptr;
    }
    if (!parent.value) return nullptr;
    if (PyDict_CheckExact(parent.value)) found.value = new_value_ref(parent.value, node.key);
    else if (PyList_CheckExact(parent.value) && node.index < Node::kNoIndex)
        found.value = new_item_ref(parent.value, static_cast<Py_ssize_t>(node.index));
    if (!found.value && PyErr_Occurred()) call_.error = Error::kPython;
    return found.value;
}

template <typename Source>
Extracted<typename Source::Unit> extract_checked(const Constants& constants, decode::Context& context, const decode::Options& options,
                                                 const Selection& selection, PyObject* missing, Checks checks, const Text<Source>& text,
                                                 const typename Source::Unit* p) noexcept {
    Memory memory(selection.node_count());
    if (OCIOR_UNLIKELY(!memory)) return {nullptr, nullptr, Error::kNoMemory, 0, nullptr};
    Walk<Source> walk(constants, context, options, selection, checks, text, memory);
    p = walk.walk(p);
    context.allocator.give_back();
    if (OCIOR_UNLIKELY(!p)) return {nullptr, nullptr, walk.error(), 0, nullptr};
    const auto* const next = walk.stopped_early() ? nullptr : p;
    for (std::uint32_t i = 0; i < selection.node_count(); ++i) {
        const bool is_there = walk.settle(i) != nullptr;
        if (OCIOR_UNLIKELY(walk.error() != Error::kNone)) return {nullptr, nullptr, walk.error(), 0, nullptr};
        if (OCIOR_UNLIKELY(!is_there)) Py_CLEAR(memory.found(i).value);
    }
    Owned values = selection.is_single() ? Owned() : Owned::steal(PyTuple_New(static_cast<Py_ssize_t>(selection.pointer_count())));
    if (OCIOR_UNLIKELY(!selection.is_single() && !values)) return {nullptr, nullptr, Error::kPython, 0, nullptr};
    for (std::size_t i = 0; i < selection.pointer_count(); ++i) {
        PyObject* value = memory.found(selection.node_of(i)).value;
        if (OCIOR_UNLIKELY(!value)) value = missing;
        if (OCIOR_UNLIKELY(!value)) return {nullptr, next, Error::kNone, i, p};
        if (selection.is_single()) return {new_ref(value), next, Error::kNone, 0, p};
        PyTuple_SET_ITEM(values.get(), static_cast<Py_ssize_t>(i), new_ref(value));
    }
    return {values.release(), next, Error::kNone, 0, p};
}

}  // namespace

template <typename Source>
Extracted<typename Source::Unit> extract(const Constants& constants, decode::Context& context, const decode::Options& options,
                                         const Selection& selection, PyObject* missing, bool check, const Text<Source>& text,
                                         const typename Source::Unit* p) noexcept {
    return extract_checked(constants, context, options, selection, missing, check ? Checks::kPolicies : Checks::kNone, text, p);
}

#define OCIOR_INSTANTIATE(Source)                                                                                                  \
    template Extracted<Source::Unit> extract<Source>(const Constants&, decode::Context&, const decode::Options&, const Selection&, \
                                                     PyObject*, bool, const Text<Source>&, const Source::Unit*) noexcept;
OCIOR_FOR_EACH_SOURCE(OCIOR_INSTANTIATE)
#undef OCIOR_INSTANTIATE

namespace {

// A document that is read by decode::loads() with this in the place of its own reader.
struct Reading {
    decode::State& state;
    const decode::Options& options;
    const Selection& selection;
    PyObject* missing;
    Checks checks;
    bool is_refused = false;
    bool leads_nowhere = false;
    std::size_t lost = 0;
};

template <typename Source>
decode::Scanned read_value(void* by, decode::Context& context, void* text, std::size_t index) noexcept {
    Reading& reading = *static_cast<Reading*>(by);
    auto& document = *static_cast<Document<Source>*>(text);
    const auto got = extract_checked<Source>(reading.state.constants, context, reading.options, reading.selection, reading.missing,
                                             reading.checks, document.text(), document.at(index));
    if (got.error == Error::kPython || got.error == Error::kNoMemory) return {nullptr, static_cast<Py_ssize_t>(index), got.error};
    const std::size_t end = document.index_of(document.text().last);
    reading.is_refused = got.error != Error::kNone || (got.next && document.skip_whitespace(document.index_of(got.next)) != end);
    reading.leads_nowhere = !got.value && !reading.is_refused;
    reading.lost = got.lost;
    return {got.value ? got.value : new_ref(Py_None), static_cast<Py_ssize_t>(end), Error::kNone};
}

constexpr decode::ReadValueOf kReadValues[] = {read_value<Utf8Source>, read_value<Latin1Source>, read_value<Ucs2Source>,
                                               read_value<Ucs4Source>};
static_assert(Utf8Source::kIndex == 0 && Latin1Source::kIndex == 1 && Ucs2Source::kIndex == 2 && Ucs4Source::kIndex == 3);

// Longer documents, in units, gain nothing from extract_short().
constexpr std::size_t kShortDocument = 4096;

// What decode::loads() does before and after it reads takes much of the time of a short document. Null without an error where that has to
// read it, or tell what is wrong with it. No code of the user runs.
PyObject* extract_short(const Reading& reading, PyObject* input) noexcept {
    const void* text;
    std::size_t length;
    if (PyBytes_CheckExact(input)) {
        text = PyBytes_AS_STRING(input), length = static_cast<std::size_t>(PyBytes_GET_SIZE(input));
        if (!decode::is_plain_utf8(static_cast<const std::uint8_t*>(text), length)) return nullptr;
    } else if (PyUnicode_CheckExact(input) && is_compact_ascii(input)) {
        text = ascii_data(input), length = static_cast<std::size_t>(PyUnicode_GET_LENGTH(input));
    } else {
        return nullptr;
    }
    Document<Utf8Source> document(text, length);
    if (length > kShortDocument || OCIOR_UNLIKELY(!document.is_padded_already())) return nullptr;
    const Lease context(reading.state.contexts);
    if (!context) return nullptr;
    const auto got = extract_checked<Utf8Source>(reading.state.constants, *context, reading.options, reading.selection, reading.missing,
                                                 reading.checks, document.text(), document.at(document.skip_whitespace(0)));
    if (OCIOR_LIKELY(got.value && (!got.next || document.skip_whitespace(document.index_of(got.next)) == length))) return got.value;
    Py_XDECREF(got.value);
    PyErr_Clear();
    return nullptr;
}

// Null with an error, or where the document is refused.
PyObject* extract_whole(Reading& reading, PyObject* input) noexcept {
    const decode::OtherReader reader{&reading, kReadValues};
    decode::Options options = reading.options;
    options.other_reader = &reader;
    options.has_checks = true;
    Owned value = Owned::steal(decode::loads(reading.state, options, input));
    if (!value || reading.is_refused) return nullptr;
    if (reading.leads_nowhere) return raise_pointer_error(reading.selection.pointer(reading.lost), "no value at %R"), nullptr;
    return value.release();
}

}  // namespace

void raise_pointer_error(PyObject* pointer, const char* format) noexcept {
    const Owned errors = Owned::steal(PyImport_ImportModule("ocior._stream.errors"));
    const Owned type = errors ? get_attribute(errors.get(), "PointerError") : Owned();
    const Owned message = type ? Owned::steal(PyUnicode_FromFormat(format, pointer)) : Owned();
    const Owned error = message ? Owned::steal(PyObject_CallFunctionObjArgs(type.get(), pointer, message.get(), nullptr)) : Owned();
    if (error) PyErr_SetObject(type.get(), error.get());
}

PyObject* extract_from(decode::State& state, const decode::Options& options, const Selection& selection, PyObject* missing, bool check,
                       PyObject* input) noexcept {
    const Owned hold = Owned::borrow(input);  // as in decode::loads()
    decode::Options own = options;
    own.has_checks = options.has_checks || options.has_hooks();
    Reading reading{state, own, selection, missing, check ? Checks::kPolicies : Checks::kNone};
    if (OCIOR_LIKELY(!options.has_hooks()))
        if (PyObject* const value = extract_short(reading, input); OCIOR_LIKELY(value != nullptr)) return value;
    if (PyObject* const value = extract_whole(reading, input); value || PyErr_Occurred()) return value;
    const Owned whole = Owned::steal(decode::loads(state, options, input));
    if (!whole) return nullptr;
    // The document holds what one policy lets pass and another one has had checked.
    reading.checks = check ? Checks::kGrammar : Checks::kNone;
    if (PyObject* const value = extract_whole(reading, input); value || PyErr_Occurred()) return value;
    return PyErr_SetString(PyExc_ValueError, "the document has been changed while it was read"), nullptr;
}

}  // namespace ocior::select
