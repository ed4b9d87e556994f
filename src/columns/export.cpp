// Tables as the C data and stream interfaces of Arrow have them. What is given keeps its batch, or its table, until it is released, which
// asks nothing of Python: it may happen in any thread, and after the interpreter has ended.
#include <cerrno>
#include <new>

#include "columns/batch.h"
#include "columns/declared.h"

namespace ocior::columns {
namespace {

// Names of the extension that marks text as JSON, as metadata: a count of pairs, and lengths before keys and values.
struct JsonMetadata {
    char bytes[4 + 4 + 20 + 4 + 10 + 4 + 24 + 4 + 1] = {};
};
constexpr JsonMetadata kJsonMetadata = [] {
    JsonMetadata made;
    char* at = made.bytes;
    const auto number = [&](std::size_t n) {
        *at = static_cast<char>(n), at += 4;  // of 4 bytes, the lowest first
    };
    const auto text = [&](const char* words, std::size_t n) {
        number(n);
        for (std::size_t i = 0; i < n; ++i) *at++ = words[i];
    };
    number(2);
    text("ARROW:extension:name", 20);
    text("arrow.json", 10);
    text("ARROW:extension:metadata", 24);
    text("", 0);
    return made;
}();

// Whether the metadata of a type name that extension.
bool is_json(const char* metadata) noexcept {
    if (!metadata) return false;
    std::int32_t count = 0;
    const auto number = [&] {
        std::int32_t n;
        std::memcpy(&n, metadata, sizeof n);
        return metadata += sizeof n, n;
    };
    count = number();
    for (std::int32_t i = 0; i < count; ++i) {
        const std::int32_t key_len = number();
        const char* const key = metadata;
        metadata += key_len;
        const std::int32_t value_len = number();
        if (key_len == 20 && std::memcmp(key, "ARROW:extension:name", 20) == 0 && value_len == 10 &&
            std::memcmp(metadata, "arrow.json", 10) == 0)
            return true;
        metadata += value_len;
    }
    return false;
}

// What a structure that was given owns: the structures of its children, and in an array its batch.
template <typename Structure>
struct Owner {
    Batch* batch = nullptr;
    const void* buffers[4] = {};
    std::int64_t view_byte_len = 0;
    char* words = nullptr;  // the format, and behind its NUL the name
    Structure* children = nullptr;
    Structure** pointers = nullptr;
    Structure dictionary{};
};

template <typename Structure>
void release(Structure* structure) noexcept {
    auto* const owner = static_cast<Owner<Structure>*>(structure->private_data);
    for (std::int64_t i = 0; i < structure->n_children; ++i)
        if (structure->children[i]->release) structure->children[i]->release(structure->children[i]);
    if (structure->dictionary && structure->dictionary->release) structure->dictionary->release(structure->dictionary);
    if (owner->batch) owner->batch->release();
    std::free(owner->words);
    std::free(owner->children);
    std::free(owner->pointers);
    delete owner;
    structure->release = nullptr;
}

bool has_dictionary(const Column& column) noexcept { return column.declared && column.declared->code == Code::kDictionary; }

// Begins a structure with room for the children that the column's type has. Null when out of memory.
template <typename Structure>
Owner<Structure>* begin(Structure* out, std::uint32_t child_count) noexcept {
    *out = {};
    auto* const owner = new (std::nothrow) Owner<Structure>;
    if (!owner) return nullptr;
    out->private_data = owner;
    out->release = release<Structure>;
    if (child_count == 0) return owner;
    owner->children = static_cast<Structure*>(std::calloc(child_count, sizeof(Structure)));
    owner->pointers = static_cast<Structure**>(std::malloc(child_count * sizeof(Structure*)));
    if (!owner->children || !owner->pointers) return release(out), nullptr;
    for (std::uint32_t i = 0; i < child_count; ++i) owner->pointers[i] = owner->children + i;
    out->children = owner->pointers;
    out->n_children = child_count;
    return owner;
}

[[nodiscard]] bool export_column(const Column& column, Batch& batch, ArrowArray* out) noexcept {
    const bool is_dictionary = has_dictionary(column);
    auto* const owner = begin(out, is_dictionary ? 0 : column.child_count);
    if (!owner) return false;
    owner->batch = batch.share();
    out->length = column.length;
    out->null_count = column.null_count;
    out->buffers = owner->buffers;
    const auto or_zeros = [&](const Buffer& block) -> const void* { return block.data() ? block.data() : batch.zeros(); };
    const Code code = column.declared ? column.declared->code : Code::kInt8;
    const bool is_view = code == Code::kTextView || code == Code::kBinaryView;
    const bool has_validity_alone = column.kind == Kind::kStruct || (column.kind == Kind::kList && code == Code::kFixedList);
    const bool is_text = column.has_text() && !is_dictionary && code != Code::kFixedBinary;
    out->n_buffers = column.kind == Kind::kNull ? 0 : has_validity_alone ? 1 : is_view ? 4 : is_text ? 3 : 2;
    owner->buffers[0] = column.null_count ? or_zeros(column.validity) : nullptr;
    owner->buffers[1] = or_zeros(column.values);
    owner->buffers[2] = or_zeros(column.data);
    owner->view_byte_len = column.data_len;
    owner->buffers[3] = &owner->view_byte_len;
    if (is_dictionary && column.child_count) {
        out->dictionary = &owner->dictionary;
        if (!export_column(*column.children[0], batch, out->dictionary)) return release(out), false;
    } else if (is_dictionary) {  // all are null
        Column nothing;
        nothing.kind = Kind::kText;
        out->dictionary = &owner->dictionary;
        if (!export_column(nothing, batch, out->dictionary)) return release(out), false;
    } else {
        for (std::uint32_t i = 0; i < column.child_count; ++i)
            if (!export_column(*column.children[i], batch, owner->children + i)) return release(out), false;
    }
    return true;
}

struct StreamOwner {
    Table* table;
    std::size_t next = 0;
};

int get_schema(ArrowArrayStream* stream, ArrowSchema* out) noexcept {
    return export_type(static_cast<StreamOwner*>(stream->private_data)->table->type, out) ? 0 : ENOMEM;
}
int get_next(ArrowArrayStream* stream, ArrowArray* out) noexcept {
    auto& owner = *static_cast<StreamOwner*>(stream->private_data);
    *out = {};
    if (owner.next == owner.table->batch_count) return 0;
    if (!owner.table->batches.data()[owner.next]->export_to(out)) return ENOMEM;
    return ++owner.next, 0;
}
const char* get_last_error(ArrowArrayStream*) noexcept { return "out of memory"; }
void release_stream(ArrowArrayStream* stream) noexcept {
    auto* const owner = static_cast<StreamOwner*>(stream->private_data);
    owner->table->release();
    delete owner;
    stream->release = nullptr;
}

}  // namespace

bool Batch::export_to(ArrowArray* out) noexcept { return export_column(root_, *this, out); }

bool Table::export_to(ArrowArrayStream* out) noexcept {
    auto* const owner = new (std::nothrow) StreamOwner{nullptr};
    if (!owner) return false;
    owner->table = share();
    *out = {get_schema, get_next, get_last_error, release_stream, owner};
    return true;
}

bool export_type(const Column& type, ArrowSchema* out) noexcept {
    const bool is_dictionary = has_dictionary(type);
    auto* const owner = begin(out, is_dictionary ? 0 : type.child_count);
    if (!owner) return false;
    Buffer block;
    Text words(block);
    if (type.kind == Kind::kJson) words.put('u');
    else put_format(words, type);
    words.put('\0');
    const std::size_t name_at = words.byte_len();
    words.put(type.name ? type.name : "", type.name_len);
    words.put('\0');
    owner->words = words.failed() ? nullptr : static_cast<char*>(std::malloc(words.byte_len()));
    if (!owner->words) return release(out), false;
    std::memcpy(owner->words, words.data(), words.byte_len());
    out->format = owner->words + (is_dictionary ? std::strlen("dictionary:") : 0);
    out->name = owner->words + name_at;
    out->flags = type.is_nullable ? arrow::kNullable : 0;
    if (type.kind == Kind::kJson) out->metadata = kJsonMetadata.bytes;
    if (is_dictionary) {
        out->dictionary = &owner->dictionary;
        Column text;
        text.kind = Kind::kText;
        if (!export_type(type.child_count ? *type.children[0] : text, out->dictionary)) return release(out), false;
        return true;
    }
    for (std::uint32_t i = 0; i < type.child_count; ++i)
        if (!export_type(*type.children[i], owner->children + i)) return release(out), false;
    return true;
}

Imported import_type(const ArrowSchema& schema, Column& type, const char*& refused, std::size_t depth) noexcept {
    if (depth > kMostNests) return refused = "that is nested so deep", Imported::kRefused;
    if (!schema.format || (schema.n_children > 0 && !schema.children)) return refused = "that has no format", Imported::kRefused;
    refused = schema.format;
    type.is_nullable = (schema.flags & arrow::kNullable) != 0;
    char format[128] = "dictionary:";
    const char* wanted = schema.format;
    if (schema.dictionary) {
        if (std::strlen(schema.format) != 1) return Imported::kRefused;
        std::strcat(format, schema.format);
        wanted = format;
    } else if (is_json(schema.metadata) && (std::strcmp(schema.format, "u") == 0 || std::strcmp(schema.format, "U") == 0)) {
        wanted = "json";
    }
    switch (read_format(type, wanted)) {
        case Put::kDone: break;
        case Put::kRefused: return Imported::kRefused;
        case Put::kNoMemory: return Imported::kNoMemory;
    }
    type.is_fixed = true;
    type.seen |= kGiven;
    if (schema.dictionary) {
        Column* const texts = type.add_child("", 0);
        const Imported imported = texts ? import_type(*schema.dictionary, *texts, refused, depth + 1) : Imported::kNoMemory;
        if (imported != Imported::kDone) return imported;
    }
    const bool has_children = type.kind == Kind::kStruct || type.kind == Kind::kList;
    if (type.kind == Kind::kList && schema.n_children != 1) return Imported::kRefused;
    for (std::int64_t i = 0; has_children && i < schema.n_children; ++i) {
        const ArrowSchema& child = *schema.children[i];
        const char* const name = child.name ? child.name : "";
        const std::size_t byte_len = std::strlen(name);
        bool is_new = true;
        Column* const made = type.kind == Kind::kStruct ? type.find_or_add(name, byte_len, is_new) : type.add_child(name, byte_len);
        if (!made) return Imported::kNoMemory;
        if (!is_new) return refused = nullptr, Imported::kRefused;
        const Imported imported = import_type(child, *made, refused, depth + 1);
        if (imported != Imported::kDone) return imported;
    }
    if (!has_fitting_children(type)) return refused = schema.format, Imported::kRefused;
    if (type.kind != Kind::kStruct) return Imported::kDone;
    if (!type.make_fields()) return Imported::kNoMemory;
    for (std::uint32_t i = 0; i < type.child_count; ++i)
        if (!type.children[i]->is_nullable) type.fields->has_required = true;
    type.fields->unexpected = Unexpected::kRaise;
    return Imported::kDone;
}

}  // namespace ocior::columns
