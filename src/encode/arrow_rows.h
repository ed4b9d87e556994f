// The rows of an object of any library that has Arrow's __arrow_c_stream__ or __arrow_c_array__: a table, a data frame, a reader, a
// relation. They become JSON text without an object for each; where options ask for what that text cannot have, values, which are encoded
// as any others are.
#pragma once

#include "arrow/rows.h"
#include "encode/encode.h"

namespace ocior::encode {

class ArrowRows {
public:
    ArrowRows() noexcept = default;
    ~ArrowRows();
    ArrowRows(const ArrowRows&) = delete;
    ArrowRows& operator=(const ArrowRows&) = delete;

    // Whether objects of the class have rows. No error is set.
    static bool are_in(const OwnTypes& own, PyTypeObject* type) noexcept;

    // Asks the object for its rows, of which none is read yet. `flags`: RichFlags of the call; those of an ocior.Default in the options are
    // looked for here. False with an error set.
    [[nodiscard]] bool open(PyObject* object, const OwnTypes& own, const Options& options, PlanKey flags) noexcept;

    // Whether write() gives the text that the options want. Else the values of next() are to be encoded.
    bool are_text() const noexcept { return are_text_; }

    // Writes rows behind the text, with `end` behind each, until there are `enough` bytes or no more rows. Then the text is no longer than
    // before. False with an error set, behind the rows that could be written. Other threads may run, and Python code of the producer.
    [[nodiscard]] bool write(arrow::RowText& text, std::size_t enough, std::uint64_t end = '\n', std::size_t end_length = 1) noexcept;
    std::size_t count() const noexcept { return count_; }  // of rows so far

    // The next row as a Python object. Empty at the end, or with an error set.
    Owned next() noexcept;
    // All rows as a list.
    Owned all() noexcept;

private:
    [[nodiscard]] bool take_stream(PyObject* object) noexcept;
    [[nodiscard]] bool take_array(PyObject* object) noexcept;
    [[nodiscard]] bool choose_options(const Options& options, PlanKey flags, arrow::RowOptions& chosen) noexcept;
    [[nodiscard]] bool bind() noexcept;
    [[nodiscard]] bool fetch() noexcept;
    bool raise() const noexcept;

    arrow::Held<ArrowArrayStream> stream_;  // released where there was one array alone
    arrow::Held<ArrowSchema> schema_;
    arrow::Held<ArrowArray> array_;
    arrow::RowWriter writer_;
    const OwnTypes* own_ = nullptr;
    std::int64_t row_ = 0;
    std::size_t count_ = 0;
    bool are_text_ = false, is_bound_ = false, is_over_ = false;
    bool is_canonical_ = false, has_unique_keys_ = false, has_decimals_ = false;
    arrow::RowText line_;  // of next()
};

}  // namespace ocior::encode
