// Batches of columns out of a source, block by block, with as many threads as are asked for. Whoever uses it holds the interpreter's lock
// and has turns; the threads know nothing of Python.
#pragma once

#include "columns/block.h"
#include "module/chunk_source.h"
#include "module/record_settings.h"

namespace ocior::module {

class TableReader {
public:
    explicit TableReader(State& state) noexcept : state_(state) {}
    ~TableReader() { close(); }
    TableReader(const TableReader&) = delete;
    TableReader& operator=(const TableReader&) = delete;

    // The source and the keywords of the functions for tables. `takes_form`: whether types may be given. False with an exception set.
    [[nodiscard]] bool open(PyObject* source, PyObject* const* values, PyObject* kwnames, bool takes_form) noexcept;
    // Types do not change any more behind the first block, unless they are given.
    void freeze_early() noexcept { is_freezing_ = !has_form_; }

    enum class Step : std::uint8_t { kBatch, kEnd, kFailed };
    // The next batch, which the caller owns, with the types that its worker knew. Bad records are dealt with in the order of the text;
    // kFailed with an exception set.
    Step next(columns::Batch*& batch) noexcept;
    // The type that all batches so far have in common.
    columns::Column& type() noexcept { return type_; }
    // Whether types were given, or have been found and do not change.
    bool has_types() const noexcept { return has_form_; }
    columns::Mixed mixed() const noexcept { return rows_.rules.mixed; }
    const BadRecords& bad() const noexcept { return bad_; }
    void close() noexcept;
    int visit(visitproc visit, void* arg) const noexcept {
        if (const int stopped = source_.visit(visit, arg)) return stopped;
        for (const TakenError* error : {failure_, source_failure_})
            if (const int stopped = error ? error->traverse(visit, arg) : 0) return stopped;
        return bad_.visit(visit, arg);
    }

private:
    struct Slot;
    struct Worker;

    [[nodiscard]] bool read_types(PyObject* form, PyObject* columns, PyObject* unexpected) noexcept;
    [[nodiscard]] bool choose_columns(PyObject* columns) noexcept;
    [[nodiscard]] bool freeze() noexcept;
    [[nodiscard]] bool learn(columns::TextBlock& block) noexcept;
    [[nodiscard]] bool read_block(columns::TextBlock*& block) noexcept;
    [[nodiscard]] bool read_block_by_worker(columns::TextBlock*& block) noexcept;
    [[nodiscard]] bool read_items(columns::TextBlock*& block) noexcept;
    [[nodiscard]] bool read_item(const stream::Record& record) noexcept;
    [[nodiscard]] bool refuse_around(const stream::Record& record) noexcept;
    [[nodiscard]] bool end_by_failure(columns::TextBlock& block) noexcept;
    [[nodiscard]] bool has_ended_well() noexcept;
    void mark_begun(columns::TextBlock& block) noexcept;
    [[nodiscard]] bool fill(columns::TextBlock& block) noexcept;
    [[nodiscard]] bool settle_all(columns::TextBlock& block, std::uint64_t offset, const std::uint8_t* first) noexcept;
    void raise(const columns::BadRecord& record) noexcept;
    [[nodiscard]] bool start_workers() noexcept;
    void stop_workers() noexcept;
    static void work(void* worker) noexcept;

    State& state_;
    ChunkSource source_;
    BadRecords bad_;
    ItemSteps steps_;
    columns::RowReader rows_;  // of the calling thread
    columns::Column type_;
    columns::Unexpected late_ = columns::Unexpected::kRaise;  // what becomes of keys that types lack that do not change
    std::size_t worker_count_ = 1;
    bool has_form_ = false, is_freezing_ = false, has_ended_ = false, is_source_done_ = false;
    columns::TextBlock* given_ = nullptr;  // the block whose batches are given
    TakenError* failure_ = nullptr;        // what is raised when they are given
    TakenError* source_failure_ = nullptr;  // what is raised when workers have read what came before

    // Lines.
    columns::TextBlock own_;     // what the calling thread reads
    Slot* slots_ = nullptr;      // what workers read
    Worker* workers_ = nullptr;
    std::uint64_t process_ = 0;  // that the workers run in
    std::size_t slot_count_ = 0, running_ = 0;
    std::uint64_t filled_ = 0, awaited_ = 0;  // slots that were given to workers, and that came back
    std::uint64_t lines_ = 0, records_ = 0;   // before the block that is given
    std::uint64_t source_bytes_ = 0;          // that have been appended to blocks
    grammar::Stack<std::uint8_t> rest_;       // of a line that has begun
    std::size_t rest_len_ = 0;
    bool is_discarding_ = false, is_begun_ = false;

    // Items.
    stream::Block text_;
    stream::Framer* framer_ = nullptr;
};

}  // namespace ocior::module
