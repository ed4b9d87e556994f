// What a RowWriter learns of a schema, once, and of each array: which types are written how, and that lengths, offsets and texts are what
// they must be.
#include <algorithm>
#include <cstdarg>
#include <cstdio>
#include <iterator>
#include <new>
#include <string_view>

#include "arrow/row_plan.h"
#include "simd/lanes.h"
#include "text/escape.h"
#include "text/utf8.h"

namespace ocior::arrow {
namespace {

constexpr int kMostDepth = 128;                      // of types
constexpr int kMostBatches = 32;                     // of floats, some kilobytes each
constexpr std::int64_t kMostColumns = 1 << 24;       // of one struct
constexpr std::int64_t kMostLength = std::int64_t{1} << 60;  // of arrays, so that sums are numbers

// The value of a key of the schema's metadata: numbers of 32 bits say how many pairs there are, and how long each of their texts is.
std::string_view metadata_of(const ArrowSchema& schema, std::string_view wanted) noexcept {
    const char* at = schema.metadata;
    if (!at) return {};
    const auto read_text = [&at]() -> std::string_view {
        const auto n = load<std::int32_t>(at);
        if (n < 0) return {};
        const std::string_view text(at + 4, static_cast<std::size_t>(n));
        at += 4 + n;
        return text;
    };
    const auto count = load<std::int32_t>(at);
    at += 4;
    for (std::int32_t i = 0; i < count; ++i) {
        const std::string_view key = read_text(), value = read_text();
        if (key == wanted) return value;
    }
    return {};
}

// A decimal number at `at`, which is moved behind it. False where there is none, or one beyond a million.
bool read_number(const char*& at, std::int64_t& number) noexcept {
    const bool is_negative = *at == '-';
    at += is_negative;
    if (*at < '0' || *at > '9') return false;
    for (number = 0; *at >= '0' && *at <= '9'; ++at) {
        number = 10 * number + (*at - '0');
        if (number > 1000000) return false;
    }
    if (is_negative) number = -number;
    return true;
}

// Formats of more than one letter, and how others begin. Behind those of times stands the unit.
struct Named {
    std::string_view format;
    Kind kind;
};
constexpr Named kWhole[] = {
    {"vu", Kind::kStringView}, {"vz", Kind::kBinaryView}, {"tdD", Kind::kDate32},   {"tdm", Kind::kDate64},
    {"+l", Kind::kList},       {"+L", Kind::kLargeList},  {"+vl", Kind::kListView}, {"+vL", Kind::kLargeListView},
    {"+s", Kind::kStruct},     {"+m", Kind::kMap},        {"+r", Kind::kRunEnds},
};
constexpr Named kBeginnings[] = {
    {"w:", Kind::kFixedBinary},  {"d:", Kind::kDecimal}, {"+w:", Kind::kFixedList}, {"+us:", Kind::kSparseUnion},
    {"+ud:", Kind::kDenseUnion}, {"tt", Kind::kTime},    {"ts", Kind::kTimestamp},  {"tD", Kind::kDuration},
};
// By kind: how many buffers an array has, of views at least; how many children, -1: any number.
constexpr int kBuffers[] = {0, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 3, 3, 3, 3, 3, 3, 2,
                            2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 3, 3, 1, 1, 2, 2, 2, 0, 1, 2};
constexpr int kChildren[] = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,  0, 0, 0, 0, 0,  0,
                             0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, -1, 1, 1, 0, 2, -1, -1};
static_assert(std::size(kBuffers) == static_cast<int>(Kind::kDenseUnion) + 1 && std::size(kChildren) == std::size(kBuffers));

// The ticks of a second, of a unit; 0 of an unknown one.
constexpr std::uint32_t ticks_of(char unit) noexcept {
    return unit == 's' ? 1 : unit == 'm' ? 1000 : unit == 'u' ? 1000000 : unit == 'n' ? 1000000000 : 0;
}

// Whether the keys of a map are strings, so that it is an object.
bool are_strings(const Column& keys) noexcept {
    if (keys.kind == Kind::kDictionary || keys.kind == Kind::kRunEnds) return are_strings(keys.children[1]);
    return is_string(keys.kind) && !keys.is_json;
}

// Whether UTF-8 [first, last) has a surrogate, which text::is_utf8() lets pass.
bool has_surrogate(const std::uint8_t* first, const std::uint8_t* last) noexcept {
    while ((first = static_cast<const std::uint8_t*>(std::memchr(first, 0xED, static_cast<std::size_t>(last - first))))) {
        if (last - first < 2 || first[1] >= 0xA0) return true;
        if ((first += 2) == last) return false;
    }
    return false;
}

bool is_ascii(const std::uint8_t* p, std::size_t n) noexcept {
    using V = simd::Vec<std::uint8_t>;
    V all = V::splat(0);
    for (; n >= V::kLanes; p += V::kLanes, n -= V::kLanes) all = all | V::load(p);
    if (n > 0) all = all | V::load_upto(p, n).keep_first(n);
    return simd::ge<std::uint8_t>(all, 0x80).none();
}

// Puts the children in the order of their names: that of UTF-8 is the order of code points. False when out of memory.
bool sort_places(Column& column, const ArrowSchema& schema) noexcept {
    const auto count = static_cast<std::size_t>(column.child_count);
    auto* const places = static_cast<std::int64_t*>(std::malloc((count + 1) * sizeof(std::int64_t)));
    if (!places) return false;
    const auto name_of = [&](std::int64_t place) {
        const char* const name = schema.children[place]->name;
        return std::string_view(name ? name : "");
    };
    for (std::size_t i = 0; i < count; ++i) places[i] = static_cast<std::int64_t>(i);
    std::sort(places, places + count, [&](std::int64_t a, std::int64_t b) {
        const int order = name_of(a).compare(name_of(b));
        return order < 0 || (order == 0 && a < b);
    });
    for (std::size_t i = 0; i < count; ++i) column.children[i].place = places[i];
    std::free(places);
    return true;
}

}  // namespace

bool is_valid_utf8(const std::uint8_t* p, std::size_t n) noexcept {
    if (n == 0 || is_ascii(p, n)) return true;
    // The end is copied to where there is room behind it. It begins with a character.
    std::size_t tail = n < kReadSlack ? n : kReadSlack;
    while (tail < n && tail < kReadSlack + 4 && (p[n - tail] & 0xC0) == 0x80) ++tail;
    std::uint8_t copy[2 * kReadSlack + 8] = {};
    std::memcpy(copy, p + n - tail, tail);
    return text::is_utf8(p, p + n - tail) && text::is_utf8(copy, copy + tail) && !has_surrogate(p, p + n);
}

std::uint8_t* copy_as_ascii(std::uint8_t* to, const std::uint8_t* p, std::size_t n, bool is_json) noexcept {
    for (const std::uint8_t* const last = p + n; p < last;) {
        std::uint32_t c = *p;
        if (c < 0x7F) {
            ++p;
            if (is_json || !text::ends_string(c)) *to++ = static_cast<std::uint8_t>(c);
            else to = text::scalar::write_escape(to, c);
            continue;
        }
        p += text::scalar::decode_one(p, last, c);
        if (c >= 0x10000) {
            to = text::scalar::write_u_escape(to, 0xD7C0 + (c >> 10));
            c = 0xDC00 | (c & 0x3FF);
        }
        to = text::scalar::write_u_escape(to, c);
    }
    return to;
}

RowWriter::~RowWriter() {
    delete root_;
    delete workspace_;
}

bool RowWriter::refuse(Error error, const char* format, ...) noexcept {
    error_ = error;
    std::va_list arguments;
    va_start(arguments, format);
    std::vsnprintf(message_, sizeof message_, format, arguments);
    va_end(arguments);
    return false;
}

std::int64_t RowWriter::row_count() const noexcept { return root_->length; }

bool RowWriter::open(const ArrowSchema& schema, const RowOptions& options) noexcept {
    options_ = options;
    has_decimals_ = has_json_ = has_map_objects_ = false;
    batch_count_ = 0;
    delete root_;
    root_ = new (std::nothrow) Column;
    return root_ ? open_column(*root_, schema, 0, Inside::kOther) : refuse(Error::kMemory, "out of memory");
}

bool RowWriter::make_key(Column& column, const char* name) noexcept {
    const std::size_t n = name ? std::strlen(name) : 0;
    const auto* const text = reinterpret_cast<const std::uint8_t*>(name);
    if (n > 0 && !is_valid_utf8(text, n)) return refuse(Error::kValue, "the name of a column is not UTF-8");
    const std::size_t room = 8 + 1 + 6 * n + 1 + 8 + kWriteSlack;  // an escape has six characters, two of them are for four bytes
    column.key = static_cast<std::uint8_t*>(std::malloc(room + n + 1));
    if (!column.key) return refuse(Error::kMemory, "out of memory");
    std::uint8_t* at = column.key;
    store(at, options_.item);
    at += options_.item_length;
    *at++ = '"';
    if (n > 0) at = options_.ensure_ascii ? copy_as_ascii(at, text, n, false) : text::copy_escaped(at, text, n);
    *at++ = '"';
    store(at, options_.key);
    at += options_.key_length;
    if (at - column.key > INT32_MAX) return refuse(Error::kValue, "the name of a column is too long");
    column.key_length = static_cast<std::uint32_t>(at - column.key);
    static_assert(Column::kShortKey <= 8 + 1 + 1 + 8 + kWriteSlack);
    std::memcpy(column.short_key, column.key, Column::kShortKey);
    char* const kept = reinterpret_cast<char*>(column.key + room);
    if (n > 0) std::memcpy(kept, name, n);
    kept[n] = 0;
    column.name = kept;
    return true;
}

bool RowWriter::open_union(Column& column, const ArrowSchema& schema, const char* codes) noexcept {
    constexpr int kCodes = 128;
    column.codes = static_cast<std::int8_t*>(std::malloc(kCodes));
    if (!column.codes) return refuse(Error::kMemory, "out of memory");
    std::memset(column.codes, -1, kCodes);
    std::int64_t child = 0, code = 0;
    for (; *codes; ++child) {
        if (!read_number(codes, code) || code < 0 || code >= kCodes || column.codes[code] >= 0) break;
        column.codes[code] = static_cast<std::int8_t>(child);
        if (*codes == ',') ++codes;
    }
    return (!*codes && child == schema.n_children) || refuse(Error::kValue, "column '%s': a union whose type codes are wrong", column.name);
}

// What the format of the schema says.
bool RowWriter::open_type(Column& column, const ArrowSchema& schema, bool& has_dictionary) noexcept {
    const std::string_view format = schema.format ? schema.format : "";
    const auto unknown = [&] {
        return refuse(Error::kType, "column '%s': Arrow's type of the format '%.40s' has no form in JSON here", column.name,
                      format.data() ? format.data() : "");
    };
    if ((has_dictionary = schema.dictionary != nullptr)) {
        column.kind = Kind::kDictionary;
        return true;
    }
    const char* rest = nullptr;
    const auto* const letter = format.size() == 1 ? std::strchr(kLetters, format[0]) : nullptr;
    bool is_known = letter != nullptr;
    if (letter) column.kind = static_cast<Kind>(letter - kLetters);
    for (const Named& named : kWhole)
        if (format == named.format) is_known = true, column.kind = named.kind;
    for (const Named& named : kBeginnings)
        if (format.starts_with(named.format)) is_known = true, column.kind = named.kind, rest = format.data() + named.format.size();
    if (!is_known) return unknown();
    if (column.kind == Kind::kDecimal) {
        std::int64_t digits, scale, bits = 128;
        if (!read_number(rest, digits) || *rest++ != ',' || !read_number(rest, scale)) return unknown();
        if (*rest == ',' && (++rest, !read_number(rest, bits))) return unknown();
        if (*rest || (bits != 32 && bits != 64 && bits != 128 && bits != 256)) return unknown();
        column.width = bits / 8;
        column.scale = static_cast<std::int32_t>(scale);
        has_decimals_ = true;
    } else if (column.kind == Kind::kFixedBinary || column.kind == Kind::kFixedList) {
        if (!read_number(rest, column.width) || *rest || column.width < 0) return unknown();
    } else if (column.kind == Kind::kTime || column.kind == Kind::kTimestamp || column.kind == Kind::kDuration) {
        column.ticks = ticks_of(*rest);
        if (column.ticks == 0 || (column.kind == Kind::kTimestamp ? *++rest != ':' : *++rest != 0)) return unknown();
        column.is_zoned = column.kind == Kind::kTimestamp && rest[1] != 0;
    } else if (rest) {
        return open_union(column, schema, rest);
    }
    const std::string_view extension = metadata_of(schema, "ARROW:extension:name");
    if (extension == "arrow.json" && is_string(column.kind)) column.is_json = has_json_ = true;
    if (extension == "arrow.uuid" && column.kind == Kind::kFixedBinary && column.width == 16) column.kind = Kind::kUuid;
    if (extension == "arrow.bool8" && column.kind == Kind::kInt8) column.kind = Kind::kBool8;
    return true;
}

bool RowWriter::open_column(Column& column, const ArrowSchema& schema, int depth, Inside inside) noexcept {
    bool has_dictionary;
    if (!schema.release) return refuse(Error::kValue, "the Arrow schema has been released");
    if (!make_key(column, schema.name)) return false;
    if (depth > kMostDepth) return refuse(Error::kType, "column '%s': types are nested too deeply", column.name);
    if (!open_type(column, schema, has_dictionary)) return false;
    const std::int64_t wanted = has_dictionary ? 0 : kChildren[static_cast<int>(column.kind)], count = schema.n_children;
    const bool has_children = wanted < 0 ? count >= 0 && count <= kMostColumns : count == wanted;
    if (!has_children || (count > 0 && !schema.children))
        return refuse(Error::kValue, "column '%s': an Arrow schema with a wrong number of children", column.name);
    column.child_count = has_dictionary ? 2 : count;
    if (column.child_count > 0) column.children = new (std::nothrow) Column[static_cast<std::size_t>(column.child_count)];
    if (column.child_count > 0 && !column.children) return refuse(Error::kMemory, "out of memory");
    if (has_dictionary) {
        // The indices have the format of the column itself.
        ArrowSchema indices = schema;
        indices.dictionary = nullptr;
        indices.metadata = nullptr;
        if (!open_column(column.children[0], indices, depth + 1, inside) ||
            !open_column(column.children[1], *schema.dictionary, depth + 1, Inside::kAnyOrder))
            return false;
        const Kind kind = column.children[0].kind;
        return (kind >= Kind::kInt8 && kind <= Kind::kUint64) ||
               refuse(Error::kValue, "column '%s': indices that are no integers", column.name);
    }
    for (std::int64_t i = 0; i < count; ++i) {
        if (!schema.children[i]) return refuse(Error::kValue, "column '%s': an Arrow schema that lacks a child", column.name);
        column.children[i].place = i;
    }
    if (options_.sort_keys && column.kind == Kind::kStruct && inside != Inside::kMap && !sort_places(column, schema))
        return refuse(Error::kMemory, "out of memory");
    const bool has_order = column.kind < Kind::kDictionary && inside != Inside::kAnyOrder;
    const Inside inside_this = !has_order ? Inside::kAnyOrder : column.kind == Kind::kMap ? Inside::kMap : Inside::kOther;
    for (std::int64_t i = 0; i < count; ++i)
        if (!open_column(column.children[i], *schema.children[column.children[i].place], depth + 1, inside_this)) return false;
    if (simd::kHasU64x8 && (column.kind == Kind::kFloat64 || column.kind == Kind::kFloat32) && inside != Inside::kAnyOrder &&
        batch_count_ < kMostBatches) {
        ++batch_count_;
        if (!(column.floats = new (std::nothrow) num::FloatBatch)) return refuse(Error::kMemory, "out of memory");
    }
    if (column.kind == Kind::kRunEnds) {
        const Kind kind = column.children[0].kind;
        if (kind != Kind::kInt16 && kind != Kind::kInt32 && kind != Kind::kInt64)
            return refuse(Error::kValue, "column '%s': ends of runs that are no integers", column.name);
    }
    if (column.kind == Kind::kMap) {
        const Column& entries = column.children[0];
        if (entries.kind != Kind::kStruct || entries.child_count != 2)
            return refuse(Error::kValue, "column '%s': a map whose entries are no pairs", column.name);
        if (are_strings(entries.children[0])) column.kind = Kind::kObjectMap, has_map_objects_ = true;
    }
    return true;
}

bool RowWriter::bind(const ArrowArray& array) noexcept { return bind_column(*root_, array, 0); }

// Checks that the offsets of all places are in order, and finds the last one.
template <typename Offset>
bool RowWriter::bind_offsets(Column& column, std::int64_t& most) noexcept {
    most = 0;
    if (column.length == 0) return true;
    const std::int64_t first = column.offset, last = column.offset + column.length;
    if (column.at<Offset>(first) < 0) return refuse(Error::kValue, "column '%s': an Arrow array with a negative offset", column.name);
    bool is_in_order = true;
    for (std::int64_t i = first; i < last; ++i) is_in_order &= column.at<Offset>(i) <= column.at<Offset>(i + 1);
    most = column.at<Offset>(last);
    if (!is_in_order) return refuse(Error::kValue, "column '%s': an Arrow array whose offsets decrease", column.name);
    if (column.kind >= Kind::kList) return true;
    const auto begin = static_cast<std::int64_t>(column.at<Offset>(first));
    if (most > begin && !column.data) return refuse(Error::kValue, "column '%s': an Arrow array without its data", column.name);
    return true;
}

bool RowWriter::bind_children(Column& column, const ArrowArray& array) noexcept {
    std::int64_t needed = 0;
    const std::int64_t end = column.offset + column.length;
    switch (column.kind) {
        case Kind::kString:
        case Kind::kBinary: return bind_offsets<std::int32_t>(column, needed);
        case Kind::kLargeString:
        case Kind::kLargeBinary: return bind_offsets<std::int64_t>(column, needed);
        case Kind::kStruct:
        case Kind::kSparseUnion: needed = end; break;
        case Kind::kFixedList:
            if (__builtin_mul_overflow(end, column.width, &needed)) needed = INT64_MAX;
            break;
        case Kind::kList:
        case Kind::kMap:
        case Kind::kObjectMap:
            if (!bind_offsets<std::int32_t>(column, needed)) return false;
            break;
        case Kind::kLargeList:
            if (!bind_offsets<std::int64_t>(column, needed)) return false;
            break;
        default: break;
    }
    for (std::int64_t i = 0; i < column.child_count; ++i) {
        // Children are in the order of their names, if that was asked for.
        const std::int64_t place = column.children[i].place;
        if (!array.children[place]) return refuse(Error::kValue, "column '%s': an Arrow array that lacks a child", column.name);
        if (!bind_column(column.children[i], *array.children[place], needed)) return false;
    }
    return true;
}

bool RowWriter::bind_column(Column& column, const ArrowArray& array, std::int64_t needed) noexcept {
    const auto wrong = [&](const char* what) { return refuse(Error::kValue, "column '%s': an Arrow array with %s", column.name, what); };
    if (!array.release) return refuse(Error::kValue, "column '%s': the Arrow array has been released", column.name);
    if (array.length < 0 || array.offset < 0 || array.length > kMostLength || array.offset > kMostLength) return wrong("a wrong length");
    if (array.length < needed) return wrong("fewer values than it needs");
    column.length = array.length;
    column.offset = array.offset;
    column.run = column.floats_count = 0;
    if (column.kind == Kind::kDictionary) {
        if (!array.dictionary) return wrong("no dictionary");
        ArrowArray indices = array;
        indices.dictionary = nullptr;
        return bind_column(column.children[0], indices, 0) && bind_column(column.children[1], *array.dictionary, 0);
    }
    if (array.n_children != column.child_count || (array.n_children > 0 && !array.children)) return wrong("a wrong number of children");
    const std::int64_t wanted = kBuffers[static_cast<int>(column.kind)];
    const bool has_views = column.kind == Kind::kStringView || column.kind == Kind::kBinaryView;
    if (column.kind != Kind::kNull && (has_views ? array.n_buffers < wanted : array.n_buffers != wanted))
        return wrong("a wrong number of buffers");
    if (wanted > 0 && !array.buffers) return wrong("no buffers");
    const bool is_union = column.kind == Kind::kSparseUnion || column.kind == Kind::kDenseUnion;
    const auto buffer = [&](std::int64_t i) { return i < wanted ? static_cast<const std::uint8_t*>(array.buffers[i]) : nullptr; };
    column.validity = is_union || array.null_count == 0 ? nullptr : buffer(0);
    column.values = is_union ? buffer(0) : buffer(1);
    column.data = is_union ? buffer(1) : buffer(2);
    const bool needs_values = is_union || wanted > 1,
               needs_data = column.kind == Kind::kDenseUnion || column.kind == Kind::kListView || column.kind == Kind::kLargeListView;
    const bool has_values = column.kind == Kind::kFixedBinary && column.width == 0;
    if (column.length > 0 && needs_values && !column.values && !has_values) return wrong("a buffer that is missing");
    if (column.length > 0 && needs_data && !column.data) return wrong("a buffer that is missing");
    if (has_views) {
        column.buffers = array.buffers + 2;
        column.buffer_count = array.n_buffers - 3;
        column.data = static_cast<const std::uint8_t*>(array.buffers[array.n_buffers - 1]);  // how long they are
        if (column.buffer_count > 0 && !column.data) return wrong("a buffer that is missing");
    }
    if (column.kind == Kind::kRunEnds && array.length > 0) {
        const ArrowArray *const ends = array.children[0], *const runs = array.children[1];
        if (!ends || !runs || ends->length > runs->length) return wrong("fewer runs than ends");
    }
    return bind_children(column, array);
}

}  // namespace ocior::arrow
