// Rows of Arrow arrays as JSON text: what dumps() of tables and lines.write() write. The types are looked at once, when a RowWriter is
// opened; an array is looked at when it is bound, in which nothing is believed that can be checked: buffers are, for nobody tells how long
// they are.
#pragma once

#include "arrow/arrow.h"
#include "base/policies.h"
#include "grammar/call.h"

namespace ocior::arrow {

struct Column;

// Text that grows.
struct RowText : grammar::Stack<std::uint8_t> {
    std::size_t used = 0;
};

// How values are written. The separators have up to eight ASCII characters.
struct RowOptions {
    NonFiniteNumbers non_finite = NonFiniteNumbers::kConstant;
    bool ensure_ascii = false, sort_keys = false;
    bool naive_utc = false, utc_z = false, microseconds = true;  // of timestamps and times, as ocior.Default has them
    bool decimal_text = false;                                   // decimals are strings, else numbers
    bool leaves_out_nulls = false;                               // members of objects that are null
    std::uint64_t item = ',', key = ':';
    std::uint8_t item_length = 1, key_length = 1;
};

class RowWriter {
public:
    enum class Error : std::uint8_t { kNone, kMemory, kType, kValue };

    RowWriter() noexcept = default;
    ~RowWriter();
    RowWriter(const RowWriter&) = delete;
    RowWriter& operator=(const RowWriter&) = delete;

    // All of these return false where it cannot be done; error() and message() tell why.
    [[nodiscard]] bool open(const ArrowSchema& schema, const RowOptions& options) noexcept;
    // The array, of the type that was opened, is to be written. It stays alive as long.
    [[nodiscard]] bool bind(const ArrowArray& array) noexcept;
    // Writes the rows from `row` on, each behind the text and with `end` behind it, up to eight bytes, until all before `last` are written
    // or the text has `enough` bytes. `row` is then the next one. Where a row cannot be written, the text ends with the row before it. (One
    // value of any type is a row, without an end: write(row, row + 1, SIZE_MAX, text, 0, 0).)
    [[nodiscard]] bool write(std::int64_t& row, std::int64_t last, std::size_t enough, RowText& text, std::uint64_t end = '\n',
                             std::size_t end_length = 1) noexcept;

    std::int64_t row_count() const noexcept;  // of the array that is bound
    bool has_decimals() const noexcept { return has_decimals_; }
    bool has_json() const noexcept { return has_json_; }           // texts that are written as they are
    bool has_map_objects() const noexcept { return has_map_objects_; }  // whose keys are not sorted
    Error error() const noexcept { return error_; }
    const char* message() const noexcept { return message_; }

private:
    friend class Writing;
    // What a column lies in: kAnyOrder where its values are not written one after the other.
    enum class Inside : std::uint8_t { kOther, kMap, kAnyOrder };

    [[nodiscard]] bool refuse(Error error, const char* format, ...) noexcept __attribute__((format(printf, 3, 4)));
    [[nodiscard]] bool open_column(Column& column, const ArrowSchema& schema, int depth, Inside inside) noexcept;
    [[nodiscard]] bool open_type(Column& column, const ArrowSchema& schema, bool& has_dictionary) noexcept;
    [[nodiscard]] bool open_union(Column& column, const ArrowSchema& schema, const char* codes) noexcept;
    [[nodiscard]] bool make_key(Column& column, const char* name) noexcept;
    [[nodiscard]] bool bind_column(Column& column, const ArrowArray& array, std::int64_t needed) noexcept;
    [[nodiscard]] bool bind_children(Column& column, const ArrowArray& array) noexcept;
    template <typename Offset>
    [[nodiscard]] bool bind_offsets(Column& column, std::int64_t& most) noexcept;

    Column* root_ = nullptr;  // owned
    RowOptions options_;
    bool has_decimals_ = false, has_json_ = false, has_map_objects_ = false;
    int batch_count_ = 0;
    Error error_ = Error::kNone;
    char message_[240] = {};
    RowText units_;                            // of a text that is escaped to ASCII
    grammar::Workspace* workspace_ = nullptr;  // owned: of the check of ready JSON
};

}  // namespace ocior::arrow
