#include "grammar/skipper.h"

#include "grammar/parser.h"

namespace ocior::grammar {

// What is short needs no parser: a string without escapes whose end is near, a number. Any other value is read by one.
template <typename Source>
const typename Source::Unit* skip_value(Call<Source>& call, const typename Source::Unit* p, std::size_t depth) noexcept {
    const Start start = start_of(*p);
    if (start == Start::kString) {
        const auto stops = Skipper<Source>::marks(p + 1);
        if (OCIOR_LIKELY(stops.any())) {
            const auto* const stop = p + 1 + stops.first();
            if (OCIOR_LIKELY(*stop == '"')) return stop + 1;
        }
    } else if (start == Start::kNumber) {
        if (const auto* const end = num::skip_number(p); OCIOR_LIKELY(end != p)) return end;
    }
    Skipper<Source> skipper(call.text, call.strict, call.workspace, call.max_depth);
    skipper.checks_skipped = call.checks_skipped;
    const auto skipped = Parser<Source, Skipper<Source>>::run(skipper, p, depth);
    if (OCIOR_UNLIKELY(!skipped.value)) call.error = skipper.error;
    return skipped.next;
}

#define OCIOR_INSTANTIATE(Source) template const Source::Unit* skip_value<Source>(Call<Source>&, const Source::Unit*, std::size_t) noexcept;
OCIOR_FOR_EACH_SOURCE(OCIOR_INSTANTIATE)
#undef OCIOR_INSTANTIATE

}  // namespace ocior::grammar
