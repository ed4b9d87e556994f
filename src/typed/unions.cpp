// Which class of a union an object is: by the value of one key, or by a key that one class alone has. The key may stand anywhere: what
// comes before it is looked through first. Where the containers end that are skipped meanwhile is noted, so that unions inside unions look
// through no text more than twice.
#include "grammar/parser.h"
#include "grammar/skipper.h"
#include "typed/typed_builder.h"

namespace ocior::typed {
namespace {

// A skipper that notes where containers end, but for short ones.
template <typename Source>
struct EndNoter : Skipper<Source> {
    using typename Skipper<Source>::Cursor;
    using typename Skipper<Source>::Unit;
    static constexpr std::ptrdiff_t kShort = 64;

    EndNoter(const Call<Source>& call, Stack<const Unit*>& open, Ends& found) noexcept
        : Skipper<Source>(call.text, call.strict, call.workspace, call.max_depth), starts(open), ends(found) {}

    OCIOR_INLINE bool opens(Cursor&, const Unit* p) noexcept {
        if (OCIOR_UNLIKELY(depth == starts.capacity()) && !starts.reserve(depth + 1)) return false;
        starts.data()[depth++] = p;
        return true;
    }
    OCIOR_INLINE bool closes(Cursor&, const Unit* p) noexcept {
        const Unit* const start = starts.data()[--depth];
        if (p - start < kShort) return true;
        return ends.add(static_cast<std::size_t>(start - this->text.first) + 1, static_cast<std::size_t>(p + 1 - this->text.first));
    }

    Stack<const Unit*>& starts;
    Ends& ends;
    std::size_t depth = 0;
};

template <typename Unit>
const Unit* skip_space(const Unit* p) noexcept {
    return OCIOR_LIKELY(*p > ' ') ? p : text::skip_whitespace(p);
}

// The unit behind the value at `p`; null with the builder's error set, which the parser will meet again.
template <typename Source>
const typename Source::Unit* behind_value(TypedBuilder<Source>& builder, const typename Source::Unit* p, std::size_t depth) noexcept {
    const bool is_container = *p == '{' || *p == '[';
    if (!is_container) {
        const auto* const last = skip_value<Source>(builder, p, depth);
        return builder.error == Error::kNone ? last : nullptr;
    }
    Ends& ends = builder.session.memory.ends;
    const auto start = static_cast<std::size_t>(p - builder.text.first);
    if (const std::size_t end = ends.find(start + 1)) return builder.text.first + end;
    Stack<const typename Source::Unit*> starts;
    EndNoter<Source> noter(builder, starts, ends);
    const auto skipped = Parser<Source, EndNoter<Source>>::run(noter, p, depth);
    builder.error = noter.error;
    return skipped.value ? skipped.next : nullptr;
}

template <typename Unit>
bool is_integer_text(const Unit* first, const Unit* last) noexcept {
    for (const Unit* p = first; p != last; ++p)
        if (*p == '.' || (*p | 0x20) == 'e') return false;
    return first != last;
}

// The index of the member that the value at `p` names; -1 where it names none, or with the builder's error set.
template <typename Source>
int member_named(TypedBuilder<Source>& builder, const ObjectPlan& plan, const typename Source::Unit* p) noexcept {
    if constexpr (sizeof *p == 1) {
        const auto stops = simd::marked_or_wide_lanes(simd::Vec<std::uint8_t>::load(p + 1));
        if (OCIOR_LIKELY(*p == '"' && stops.any()) && OCIOR_LIKELY(p[1 + stops.first()] == '"')) {
            const int found = plan.tag_texts.find(p + 1, stops.first());
            if (OCIOR_LIKELY(found >= 0)) {
                builder.session.tag = p;
                builder.session.behind_tag = p + stops.first() + 2;
                return found;
            }
        }
    }
    Owned value;
    if (*p == '"') {
        value = Owned::steal(decode::read_any_string(builder, p + 1).object);
    } else if (const auto integer =
                   *p == '-' || static_cast<unsigned>(*p - '0') <= 9 ? num::read_integer(p) : num::Integer<typename Source::Unit>{};
               integer.end) {
        value = Owned::steal(PyLong_FromLongLong(static_cast<long long>(integer.negative ? 0 - integer.magnitude : integer.magnitude)));
    } else if (const auto* const end = *p == '-' || static_cast<unsigned>(*p - '0') <= 9 ? num::skip_number(p) : p;
               is_integer_text(p, end)) {
        const decode::AsciiCopy copy(p, end);
        if (!copy.text()) return builder.fail_python(p), -1;
        value = Owned::steal(PyLong_FromString(copy.text(), nullptr, 10));
        if (!value && PyErr_ExceptionMatches(PyExc_ValueError)) return PyErr_Clear(), -1;  // more digits than Python converts
    } else {
        return -1;
    }
    if (!value) return builder.error == Error::kNone ? (builder.fail_python(p), -1) : -1;
    PyObject* const index = PyDict_GetItemWithError(plan.tags, value.get());
    if (!index) return PyErr_Occurred() ? (builder.fail_python(p), -1) : -1;
    return static_cast<int>(PyLong_AsLong(index));
}

// Looks for the member among the keys of the object at `p`. -1 where none decides, or with the builder's error set; `is_named`: a tag was
// there.
template <typename Source>
int find_member(TypedBuilder<Source>& builder, const ObjectPlan& plan, const typename Source::Unit* p, std::size_t depth,
                bool& is_named) noexcept {
    p = skip_space(p + 1);
    while (*p == '"') {
        ++p;
        bool decides = false;
        int member = -1;
        if (sizeof *p == 1 && plan.deciding_raw && OCIOR_LIKELY(simd::equal(p, plan.deciding_raw, plan.deciding_raw_len))) {
            decides = true;
            p += plan.deciding_raw_len;
        } else {
            const auto read = decode::read_key(builder, p);
            if (!read.object) return -1;
            const Owned key = Owned::steal(read.object);
            p = read.next;
            if (plan.deciding_name) {
                decides = PyUnicode_Compare(key.get(), plan.deciding_name) == 0;
            } else if (PyObject* const index = plan.keys ? PyDict_GetItemWithError(plan.keys, key.get()) : nullptr) {
                return static_cast<int>(PyLong_AsLong(index));
            }
            if (PyErr_Occurred()) return builder.fail_python(p), -1;
        }
        p = skip_space(p);
        if (*p != ':') return -1;  // no JSON, as whoever reads on will find
        p = skip_space(p + 1);
        if (decides) {
            is_named = true;
            builder.session.tag_at = p;
            return member_named(builder, plan, p);
        }
        p = behind_value(builder, p, depth + 1);
        if (!p) return -1;
        p = skip_space(p);
        if (*p != ',') return member;
        p = skip_space(p + 1);
    }
    return -1;
}

}  // namespace

template <typename Source>
bool choose_member(TypedBuilder<Source>& builder, const ObjectPlan& plan, const typename Source::Unit* p, std::size_t depth) noexcept {
    Session& session = builder.session;
    bool is_named = false;
    session.tag_at = nullptr;
    int member = find_member(builder, plan, p, depth, is_named);
    if (OCIOR_UNLIKELY(builder.error != Error::kNone)) {
        // A mistake in the text is found again, at its place and with all that comes before it; what is not in the text ends the reading.
        if (builder.error == Error::kPython || builder.error == Error::kNoMemory) return false;
        builder.error = Error::kNone;
        member = -1;
    }
    if (member < 0 && !is_named) member = plan.otherwise;
    session.member = member >= 0 ? plan.members[member] : plan.dict_member;
    return session.member != nullptr;
}

#define OCIOR_INSTANTIATE(Source) \
    template bool choose_member<Source>(TypedBuilder<Source>&, const ObjectPlan&, const Source::Unit*, std::size_t) noexcept;
OCIOR_FOR_EACH_SOURCE(OCIOR_INSTANTIATE)
#undef OCIOR_INSTANTIATE

}  // namespace ocior::typed
