#include "grammar/skipper.h"

#include "grammar/parser.h"

namespace ocior::grammar {

template <typename Source>
const typename Source::Unit* skip_value(Call<Source>& call, const typename Source::Unit* p, std::size_t depth) noexcept {
    Skipper<Source> skipper(call.text, call.strict, call.workspace, call.max_depth);
    const auto skipped = Parser<Source, Skipper<Source>>::run(skipper, p, depth);
    if (OCIOR_UNLIKELY(!skipped.value)) call.error = skipper.error;
    return skipped.next;
}

#define OCIOR_INSTANTIATE(Source) template const Source::Unit* skip_value<Source>(Call<Source>&, const Source::Unit*, std::size_t) noexcept;
OCIOR_FOR_EACH_SOURCE(OCIOR_INSTANTIATE)
#undef OCIOR_INSTANTIATE

}  // namespace ocior::grammar
