// Arrays and objects that are taken as a whole: as loads() reads them, as text, or not at all.
#include "decode/inside.h"
#include "typed/values.h"

namespace ocior::typed {
namespace {

// The array or object at `p` as loads() reads it.
template <typename Source>
Read<typename Source::Unit> read_any(TypedBuilder<Source>& builder, const typename Source::Unit* p, std::size_t depth) noexcept {
    Session& session = builder.session;
    if (!session.nested) session.nested = Lease<decode::Contexts>(session.decoder.contexts);
    if (!session.nested) return builder.fail_read(Error::kNoMemory, p);
    decode::Context& context = *session.nested;
    context.allocator.refresh(builder.constants.tricks, session.plan.runs_python);
    context.progress = builder.context.progress;
    const auto read = decode::read_inside<Source>(builder.constants, context, session.any_options, builder.text, p, depth);
    builder.error = read.error;
    return {read.value, read.next};
}

}  // namespace

template <typename Source>
Read<typename Source::Unit> read_whole(TypedBuilder<Source>& builder, const typename TypedBuilder<Source>::Cursor& cursor,
                                       const typename Source::Unit* p, std::size_t depth) noexcept {
    using Unit = typename Source::Unit;
    if (builder.error != Error::kNone) return {nullptr, p};  // while a member was looked for
    const Node* const node = cursor.node;
    const bool is_array = *p == '[';
    if (node->whole == Whole::kAny && (is_array ? !node->array : !node->object)) {
        const Read<Unit> read = read_any(builder, p, depth);
        if (!read.object) return read;
        return {finished(builder, node, is_array ? Kind::kArray : Kind::kObject, read.object, cursor.top, p, read.next), read.next};
    }
    const Unit* const last = skip_value<Source>(builder, p, depth);
    if (builder.error != Error::kNone) return {nullptr, last};
    if (node->whole != Whole::kNo) return {make_of_text(builder, node, text_between(builder, p, last), cursor.top, p, last), last};
    if (!is_array && node->object) {
        Session& session = builder.session;
        if (!session.tag_at) return {note_problem(builder, Code::kTag, cursor.top, p, last, node->object->expected, "object"), last};
        session.last_step = node->object->deciding_name;
        PyObject* const none = note_problem(builder, Code::kTag, cursor.top, static_cast<const Unit*>(session.tag_at),
                                            static_cast<const Unit*>(nullptr), node->object->expected, nullptr);
        session.last_step = nullptr;
        return {none, last};
    }
    return {note_problem(builder, Code::kType, cursor.top, p, last, node->expected, is_array ? "array" : "object"), last};
}

#define OCIOR_INSTANTIATE(Source)                                                                                                   \
    template Read<Source::Unit> read_whole<Source>(TypedBuilder<Source>&, const TypedBuilder<Source>::Cursor&, const Source::Unit*, \
                                                   std::size_t) noexcept;
OCIOR_FOR_EACH_SOURCE(OCIOR_INSTANTIATE)
#undef OCIOR_INSTANTIATE

}  // namespace ocior::typed
