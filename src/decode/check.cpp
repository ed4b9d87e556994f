#include "decode/check.h"

#include "decode/source_of.h"
#include "grammar/document.h"
#include "grammar/skipper.h"

namespace ocior::decode {
namespace {

template <typename Source>
struct Checker : Skipper<Source> {
    using typename Skipper<Source>::Cursor;
    using typename Skipper<Source>::Unit;
    using Skipper<Source>::Skipper;

    // sys.set_int_max_str_digits() takes no lower limit than this.
    static constexpr std::ptrdiff_t kSurelyConverted = 640;

    OCIOR_INLINE bool number_text(Cursor&, const Unit* first, const Unit* last) noexcept {
        return OCIOR_LIKELY(last - first <= kSurelyConverted);
    }
};

template <typename Source>
bool is_surely_json_in(Workspace& workspace, const void* units, std::size_t length) noexcept {
    Document<Source> document(units, length);
    if (!document.pad()) return false;
    Checker<Source> checker(document.text(), true, workspace);
    const auto found = document.read(checker, document.skip_whitespace(0));
    return found.value && document.skip_whitespace(found.next) == length;
}

// Whether valid UTF-8, with a NUL behind it, holds surrogates, which Python's codec refuses.
bool has_surrogates(const std::uint8_t* bytes, std::size_t byte_len) noexcept {
    constexpr std::uint8_t kLead = 0xED, kLeastNext = 0xA0;
    std::uint8_t found = 0;
    for (std::size_t i = 0; i < byte_len; ++i)  // without a branch, so that the compiler makes vectors of it
        found = static_cast<std::uint8_t>(found | ((bytes[i] == kLead) & (bytes[i + 1] >= kLeastNext)));
    return found != 0;
}

}  // namespace

bool is_surely_json(State& state, PyObject* text) noexcept {
    const Lease context(state.contexts);
    if (!context) return false;
    if (PyBytes_Check(text)) {
        const auto* const bytes = reinterpret_cast<const std::uint8_t*>(PyBytes_AS_STRING(text));
        const auto byte_len = static_cast<std::size_t>(PyBytes_GET_SIZE(text));
        return is_surely_json_in<Utf8Source>(context->workspace, bytes, byte_len) && !has_surrogates(bytes, byte_len);
    }
    StrView view;
    if (!view_of(text, view)) return PyErr_Clear(), false;
    return with_source_of(view,
                          [&](auto source) { return is_surely_json_in<decltype(source)>(context->workspace, view.data, view.length); });
}

}  // namespace ocior::decode
