#include "module/table_reader.h"

#include <new>

#include "decode/errors/raise.h"
#include "module/column_forms.h"
#include "module/suggestion.h"
#include "platform/system.h"
#include "py/memory/pages.h"
#include "select/extract.h"

namespace ocior::module {

using columns::Column;
using columns::Kind;
using columns::Unexpected;

namespace {

constexpr std::size_t kBlock = 1 * 1024 * 1024;  // bytes of a block that are read before its last line is looked for

enum Name : std::size_t { kAt, kForm, kColumns, kMixed, kUnexpected, kWorkers, kMaxColumns, kOnError, kTail, kMaxRecord, kNameCount };
constexpr const char* kNames[] = {"at",      "form",        "columns",  "mixed", "unexpected",
                                  "workers", "max_columns", "on_error", "tail",  "max_record"};
static_assert(std::size(kNames) == kNameCount);

// Says of a column and all below it that types do not change, and what becomes of keys that they lack.
void fix(Column& column, Unexpected unexpected) noexcept {
    column.is_fixed = true;
    for (std::uint32_t i = 0; i < column.child_count; ++i) {
        fix(*column.children[i], unexpected);
        if (column.fields && !column.children[i]->is_nullable) column.fields->has_required = true;
    }
    if (column.fields) column.fields->unexpected = unexpected;
}

// Where a block of the reader's text is written to, and how much of the source that is.
struct Sink {
    columns::TextBlock& block;
    std::uint64_t& source_bytes;

    std::uint8_t* room_for(std::size_t byte_len) noexcept { return block.room_for(byte_len); }
    void add(std::size_t byte_len) noexcept { block.add(byte_len), source_bytes += byte_len; }
    bool append(const void* bytes, std::size_t byte_len) noexcept {
        return block.append(bytes, byte_len) && (source_bytes += byte_len, true);
    }
    void begin_at(std::uint64_t offset) noexcept { source_bytes += offset; }
};

}  // namespace

// A block on its way: filled by the reading thread, read by a worker, taken by the reading thread.
struct TableReader::Slot {
    columns::TextBlock block;
    std::uint64_t offset = 0;
    bool is_end = false;  // the worker that gets it ends
    PyThread_type_lock filled = nullptr, done = nullptr;
};

struct TableReader::Worker {
    TableReader* owner = nullptr;
    std::size_t index = 0;
    columns::RowReader rows;
    PyThread_type_lock ended = nullptr;
};

bool TableReader::open(PyObject* source, PyObject* const* values, PyObject* kwnames, bool takes_form) noexcept {
    PyObject* slots[kNameCount] = {};
    for (Py_ssize_t k = 0; kwnames && k < PyTuple_GET_SIZE(kwnames); ++k) {
        PyObject* const name = PyTuple_GET_ITEM(kwnames, k);
        std::size_t i = 0;
        while (i < kNameCount && PyUnicode_CompareWithASCIIString(name, kNames[i]) != 0) ++i;
        if (i == kNameCount || (i == kForm && !takes_form)) {
            PyErr_Format(PyExc_TypeError, "unexpected keyword argument %R", name);
            suggest_keyword(name, kNames);
            return false;
        }
        slots[i] = values[k];
    }
    if (!read_mixed(slots[kMixed], rows_.rules.mixed) || !bad_.read(slots[kOnError], slots[kTail])) return false;
    const auto read_size = [&](Name name, std::size_t& size) {
        return !slots[name] || read_number(slots[name], kNames[name], PY_SSIZE_T_MAX, false, size);
    };
    if (!read_size(kWorkers, worker_count_) || !read_size(kMaxColumns, rows_.rules.max_columns) || !read_size(kMaxRecord, rows_.max_record))
        return false;
    if (worker_count_ < 1 || worker_count_ > 1024) return PyErr_SetString(PyExc_ValueError, "workers must be from 1 to 1024"), false;
    if (PyObject* const at = not_none(slots[kAt])) {
        if (worker_count_ > 1) return PyErr_SetString(PyExc_ValueError, "workers are for lines, and cannot be given beside at"), false;
        if (!steps_.read(at)) return false;
        framer_ = new (std::nothrow) stream::Framer(stream::Framing::kItems, steps_.steps(true, kMaxDepth));
        if (!framer_) return PyErr_NoMemory(), false;
    }
    rows_.rules.is_tolerant = bad_.is_tolerant();
    if (!read_types(not_none(slots[kForm]), not_none(slots[kColumns]), slots[kUnexpected])) return false;
    // What is refused as mixed is told where it is first, which only who reads all of the text in order can know.
    if (rows_.rules.mixed == columns::Mixed::kRaise && !has_form_) worker_count_ = 1;
    keep_blocks_when_freed(7 * kBlock);  // blocks of text and of columns
    if (!source_.open(source)) return false;
    bad_.name = Owned::borrow(source_.name.get());
    return true;
}

bool TableReader::read_types(PyObject* form, PyObject* columns, PyObject* unexpected) noexcept {
    static constexpr const char* kWords[4] = {"raise", "ignore"};
    unsigned place = 0;
    if (unexpected && !read_word(unexpected, "unexpected", kWords, place)) return false;
    has_form_ = form != nullptr;
    Column& root = rows_.root;
    if (form && !read_form(form, root)) return false;
    if (root.kind != Kind::kStruct) return PyErr_SetString(PyExc_TypeError, "a table has the type of a struct"), false;
    if (!root.make_fields()) return PyErr_NoMemory(), false;
    late_ = place == 0 ? Unexpected::kRaise : Unexpected::kIgnore;
    if (form) fix(root, late_);
    if (columns && !choose_columns(columns)) return false;
    rows_.memory.column_count = root.count_columns();
    return copy_type(type_, root) || (PyErr_NoMemory(), false);
}

// Keeps only the columns of these names, in that order, whatever other keys come.
bool TableReader::choose_columns(PyObject* names) noexcept {
    Column& root = rows_.root;
    Column chosen;
    chosen.kind = Kind::kStruct;
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(names); ++i) {
        Py_ssize_t n;
        const char* const name = PyUnicode_AsUTF8AndSize(PyTuple_GET_ITEM(names, i), &n);
        if (!name) return false;
        const auto byte_len = static_cast<std::size_t>(n);
        const Column* const known = root.child_named(name, byte_len);
        if (has_form_ && !known) return PyErr_Format(PyExc_ValueError, "the schema has no column %R", PyTuple_GET_ITEM(names, i)), false;
        bool is_new = true;
        Column* const child = chosen.find_or_add(name, byte_len, is_new);
        if (!is_new) return PyErr_Format(PyExc_ValueError, "two columns have the name %R", PyTuple_GET_ITEM(names, i)), false;
        if (!child || (known && !copy_type(*child, *known))) return PyErr_NoMemory(), false;
    }
    root.forget_type();
    if (!copy_type(root, chosen)) return PyErr_NoMemory(), false;
    if (has_form_) fix(root, late_);
    root.fields->unexpected = Unexpected::kIgnore;
    return true;
}

// From now on the types stay what they are.
bool TableReader::freeze() noexcept {
    Column& root = rows_.root;
    const bool takes_some = root.fields->unexpected == Unexpected::kIgnore;
    root.forget_type();
    rows_.memory.budget = {};
    if (!copy_type(root, type_)) return PyErr_NoMemory(), false;
    fix(root, late_);
    if (takes_some) root.fields->unexpected = Unexpected::kIgnore;
    rows_.memory.column_count = root.count_columns();
    is_freezing_ = false;
    return has_form_ = true;
}

// ---- lines ----

// The first block may begin with a byte order mark.
void TableReader::mark_begun(columns::TextBlock& block) noexcept {
    if (!std::exchange(is_begun_, true)) block.skip_mark();
}

// The source has raised. The whole lines that came before it are read first. False with an exception set.
bool TableReader::end_by_failure(columns::TextBlock& block) noexcept {
    source_failure_ = new (std::nothrow) TakenError;
    if (!source_failure_) return PyErr_NoMemory(), false;
    std::size_t end = block.byte_len();
    while (end > 0 && block.data()[end - 1] != '\n') --end;
    block.cut(end);
    mark_begun(block);
    return is_source_done_ = true;
}

// Nothing follows: true if that is so because the source has ended, false with the exception set that it has raised.
bool TableReader::has_ended_well() noexcept {
    if (source_failure_) source_failure_->restore();
    return !source_failure_;
}

// Reads whole lines into the block, and keeps what follows them. False with an exception set.
bool TableReader::fill(columns::TextBlock& block) noexcept {
    block.restart();
    const std::uint64_t rest_offset = source_bytes_ - rest_len_;
    if (!block.append(rest_.data(), rest_len_)) return PyErr_NoMemory(), false;
    block.offset = rest_offset;
    rest_len_ = 0;
    Sink sink{block, source_bytes_};
    std::size_t looked_at = block.byte_len();  // it has no newline
    for (;;) {
        bool is_last = false;
        const std::size_t before = block.byte_len();
        const bool is_first = source_bytes_ == 0;
        if (!source_.append_to(sink, is_last)) return end_by_failure(block);
        if (is_first) block.offset = source_bytes_ - block.byte_len();
        if (is_discarding_ && !is_last) {
            // The line is too long already: what comes of it is not kept.
            const void* const newline = std::memchr(block.data() + before, '\n', block.byte_len() - before);
            if (!newline) {
                block.cut(before);
                continue;
            }
            is_discarding_ = false;
            const auto* const end = static_cast<const std::uint8_t*>(newline);
            const std::size_t kept = block.byte_len() - static_cast<std::size_t>(end + 1 - block.data());
            if (!rest_.reserve(kept)) return PyErr_NoMemory(), false;
            if (kept) std::memcpy(rest_.data(), end + 1, kept);
            rest_len_ = kept;
            block.cut(before);
            mark_begun(block);
            return block.append("\n", 1) || (PyErr_NoMemory(), false);
        }
        if (is_last) {
            is_source_done_ = true;
            return mark_begun(block), true;
        }
        if (block.byte_len() < kBlock) continue;
        std::size_t end = block.byte_len();
        while (end > looked_at && block.data()[end - 1] != '\n') --end;
        if (end > looked_at) {
            rest_len_ = block.byte_len() - end;
            if (!rest_.reserve(rest_len_)) return PyErr_NoMemory(), false;
            if (rest_len_) std::memcpy(rest_.data(), block.data() + end, rest_len_);
            block.cut(end);
            return mark_begun(block), true;
        }
        looked_at = block.byte_len();
        is_discarding_ = looked_at > rows_.max_record;
    }
}

bool TableReader::start_workers() noexcept {
    process_ = platform::process_id();
    slot_count_ = 2 * worker_count_;
    slots_ = new (std::nothrow) Slot[slot_count_];
    workers_ = new (std::nothrow) Worker[worker_count_];
    if (!slots_ || !workers_) return PyErr_NoMemory(), false;
    const auto new_lock = [](PyThread_type_lock& lock) {
        lock = PyThread_allocate_lock();
        return lock && PyThread_acquire_lock(lock, NOWAIT_LOCK) != 0;
    };
    for (std::size_t i = 0; i < slot_count_; ++i)
        if (!new_lock(slots_[i].filled) || !new_lock(slots_[i].done)) return PyErr_NoMemory(), false;
    for (std::size_t i = 0; i < worker_count_; ++i) {
        Worker& worker = workers_[i];
        worker.owner = this;
        worker.index = i;
        if (!new_lock(worker.ended) || !worker.rows.follow(rows_)) return PyErr_NoMemory(), false;
        if (PyThread_start_new_thread(work, &worker) == PYTHREAD_INVALID_THREAD_ID)
            return PyErr_SetString(PyExc_RuntimeError, "a thread for a worker cannot be started"), false;
        ++running_;
    }
    return true;
}

// What a worker does, in a thread of its own.
void TableReader::work(void* argument) noexcept {
    auto& worker = *static_cast<Worker*>(argument);
    TableReader& owner = *worker.owner;
    for (std::size_t i = worker.index;; i = (i + owner.worker_count_) % owner.slot_count_) {
        Slot& slot = owner.slots_[i];
        PyThread_acquire_lock(slot.filled, WAIT_LOCK);
        if (slot.is_end) break;
        slot.block.read_lines(worker.rows);
        PyThread_release_lock(slot.done);
    }
    PyThread_release_lock(worker.ended);
}

void TableReader::stop_workers() noexcept {
    if (running_ && process_ != platform::process_id()) {
        // The threads live in another process, which this one was forked from: nobody answers.
        slots_ = nullptr;
        workers_ = nullptr;
        running_ = 0;
        return;
    }
    if (running_) {
        Py_BEGIN_ALLOW_THREADS
            // Blocks that were filled are read to their ends; each worker then comes to one that says that nothing follows.
            for (; awaited_ < filled_; ++awaited_) PyThread_acquire_lock(slots_[awaited_ % slot_count_].done, WAIT_LOCK);
        for (std::uint64_t next = filled_; next < filled_ + worker_count_; ++next) {
            if (next % worker_count_ >= running_) continue;  // that worker has not been started
            slots_[next % slot_count_].is_end = true;
            PyThread_release_lock(slots_[next % slot_count_].filled);
        }
        for (std::size_t i = 0; i < running_; ++i) PyThread_acquire_lock(workers_[i].ended, WAIT_LOCK);
        Py_END_ALLOW_THREADS running_ = 0;
    }
    const auto free_lock = [](PyThread_type_lock lock) {
        if (!lock) return;
        PyThread_release_lock(lock);  // all of them are held
        PyThread_free_lock(lock);
    };
    for (std::size_t i = 0; slots_ && i < slot_count_; ++i) free_lock(slots_[i].filled), free_lock(slots_[i].done);
    for (std::size_t i = 0; workers_ && i < worker_count_; ++i) free_lock(workers_[i].ended);
    delete[] std::exchange(slots_, nullptr);
    delete[] std::exchange(workers_, nullptr);
}

// The exception for a bad record.
void TableReader::raise(const columns::BadRecord& record) noexcept {
    if (record.error != grammar::Error::kNone) {
        const decode::Options options;
        (void)decode::raise_for_utf8(state_.decoder, *options.dialect, record.error, record.first, record.byte_len, record.mistake);
    } else if (!record.message) {
        PyErr_Format(PyExc_ValueError, "Record of more than %zu bytes (max_record)", rows_.max_record);
    } else {
        std::size_t at = record.mistake;
        const Owned document = decode::text_around(record.first, record.byte_len, true, at);
        if (document) (void)decode::raise_at(state_.decoder, record.message, document.get(), static_cast<Py_ssize_t>(at));
    }
}

// Deals with the bad records of a block that begins at `first`, so many bytes behind the source's first. False with an exception set.
bool TableReader::settle_all(columns::TextBlock& block, std::uint64_t offset, const std::uint8_t* first) noexcept {
    constexpr std::size_t kShown = 256;  // bytes of a record that is too long
    for (std::size_t i = 0; i < block.bad_count; ++i) {
        const columns::BadRecord& record = block.bad.data()[i];
        const bool is_long = record.byte_len > rows_.max_record;
        stream::Bad bad;
        bad.text =
            Owned::steal(PyBytes_FromStringAndSize(reinterpret_cast<const char*>(record.first),
                                                   static_cast<Py_ssize_t>(is_long ? std::min(kShown, record.byte_len) : record.byte_len)));
        if (!bad.text) return false;
        bad.offset = offset + static_cast<std::uint64_t>(record.first - first);
        bad.line = lines_ + record.line;
        bad.number = records_ + record.number;
        bad.byte_len = record.byte_len;
        bad.is_torn = record.is_torn;
        raise(record);
        if (PyErr_Occurred() && !PyErr_ExceptionMatches(PyExc_ValueError) && !PyErr_ExceptionMatches(PyExc_RecursionError)) return false;
        if (!bad_.settle(bad, true)) return false;
    }
    return !block.is_out_of_memory || (PyErr_NoMemory(), false);
}

// The next block, read by this thread. None where the source has ended. False with an exception set.
bool TableReader::read_block(columns::TextBlock*& block) noexcept {
    if (is_source_done_) return has_ended_well();
    if (!fill(own_)) return false;
    Py_BEGIN_ALLOW_THREADS own_.read_lines(rows_);
    Py_END_ALLOW_THREADS block = &own_;
    return true;
}

// The next block in the order of the text, read by a worker.
bool TableReader::read_block_by_worker(columns::TextBlock*& block) noexcept {
    if (!slots_ && !start_workers()) return false;
    if (process_ != platform::process_id())
        return PyErr_SetString(PyExc_RuntimeError, "the workers of a table are threads, which a forked process does not have"), false;
    while (!is_source_done_ && filled_ - awaited_ < slot_count_) {
        Slot& slot = slots_[filled_ % slot_count_];
        if (!fill(slot.block)) return false;
        ++filled_;
        PyThread_release_lock(slot.filled);
    }
    if (awaited_ == filled_) return has_ended_well();
    Slot& slot = slots_[awaited_ % slot_count_];
    Py_BEGIN_ALLOW_THREADS PyThread_acquire_lock(slot.done, WAIT_LOCK);
    Py_END_ALLOW_THREADS++ awaited_;
    block = &slot.block;
    return PyErr_CheckSignals() == 0;
}

// ---- items ----

// Reads an item, and deals with it where it is no row. False with an exception set.
bool TableReader::read_item(const stream::Record& record) noexcept {
    if (record.key) return PyErr_SetString(PyExc_ValueError, "at leads to an object: a table is made of the items of an array"), false;
    (void)own_.read_record(rows_, {text_.first(), text_.last()}, record.first, record.last, record.is_torn);
    if (own_.bad_count == 0) return !own_.is_out_of_memory || (PyErr_NoMemory(), false);
    own_.bad.data()[0].line = text_.lines_before(record.first);
    const bool goes_on = settle_all(own_, text_.offset_of(record.first), record.first);
    own_.forget_bad();
    return goes_on;
}

// As many items as make a block.
bool TableReader::read_items(columns::TextBlock*& block) noexcept {
    own_.restart();
    const std::uint64_t begin = text_.offset_of(text_.first());
    while (own_.batch_count == 0 && !has_ended_ && text_.offset_of(text_.first()) - begin < kBlock) {
        stream::Record record;
        const stream::Next next = framer_->next(text_, is_source_done_, record, rows_.memory.workspace);
        switch (next) {
            case stream::Next::kRecord: {
                const bool goes_on = read_item(record);
                framer_->pass(text_, record);
                if (!goes_on) return false;
                break;
            }
            case stream::Next::kMore:
                if (static_cast<std::size_t>(text_.last() - framer_->unfinished(text_)) > rows_.max_record) {
                    PyErr_Format(PyExc_ValueError, "Record of more than %zu bytes (max_record)", rows_.max_record);
                    record = {text_.first(), text_.first() + std::min<std::size_t>(256, text_.byte_len()), nullptr, false, nullptr};
                    return (void)refuse_around(record), false;
                }
                if (!source_.append_to(text_, is_source_done_)) return false;
                break;
            case stream::Next::kEnd: has_ended_ = true; break;
            case stream::Next::kNowhere: select::raise_pointer_error(steps_.pointer.get(), "no array at %R"); return false;
            case stream::Next::kMistake: {
                const decode::Options options;
                (void)decode::raise_for_utf8(state_.decoder, *options.dialect, framer_->mistake(), record.first,
                                             static_cast<std::size_t>(record.last - record.first), framer_->mistake_at());
                if (!refuse_around(record)) return false;
                has_ended_ = true;  // the end is torn, and forgiven
                break;
            }
        }
    }
    records_ += own_.record_count;
    own_.record_count = 0;
    if (!own_.take_batch(rows_)) return PyErr_NoMemory(), false;
    block = &own_;
    return true;
}

// Deals with what is wrong around the items, whose exception is set. False with an exception set.
bool TableReader::refuse_around(const stream::Record& record) noexcept {
    stream::Bad bad;
    TakenError error;
    bad.text = Owned::steal(PyBytes_FromStringAndSize(reinterpret_cast<const char*>(record.first), record.last - record.first));
    if (!bad.text) return false;
    error.restore();
    bad.offset = text_.offset_of(record.first);
    bad.line = text_.lines_before(record.first);
    bad.number = records_ + own_.record_count;
    bad.byte_len = static_cast<std::size_t>(record.last - record.first);
    bad.is_torn = record.is_torn;
    return bad_.settle(bad, false);
}

// ---- both ----

TableReader::Step TableReader::next(columns::Batch*& batch) noexcept {
    for (;;) {
        if (given_ && given_->next_batch < given_->batch_count) {
            batch = given_->batches.data()[given_->next_batch++];
            return Step::kBatch;
        }
        if (failure_) {
            failure_->restore();
            return close(), Step::kFailed;
        }
        given_ = nullptr;
        if (has_ended_) {
            (void)source_.close();
            return PyErr_Occurred() ? Step::kFailed : Step::kEnd;
        }
        columns::TextBlock* block = nullptr;
        bool is_read;
        if (framer_) is_read = read_items(block);
        else if (worker_count_ > 1 && !is_freezing_) is_read = read_block_by_worker(block);
        else is_read = read_block(block);
        if (is_read && block && !framer_) {
            is_read = settle_all(*block, block->offset, block->data());
            lines_ += block->line_count;
            records_ += block->record_count;
        }
        has_ended_ |= is_read && !block;
        given_ = block;
        if (!is_read) {
            // Rows before what is wrong come first.
            failure_ = new (std::nothrow) TakenError;
            if (!failure_) return PyErr_NoMemory(), close(), Step::kFailed;
            if (framer_ && own_.take_batch(rows_)) given_ = &own_;
        }
        if (given_ && !has_form_ && !learn(*given_)) return close(), Step::kFailed;
    }
}

// Joins the types of a block's batches to those that are known, and freezes them if that is wanted. False with an exception set.
bool TableReader::learn(columns::TextBlock& block) noexcept {
    for (std::size_t i = 0; i < block.batch_count; ++i) {
        const columns::Joined joined = join_types(type_, block.batches.data()[i]->root(), rows_.rules.mixed);
        if (joined == columns::Joined::kNoMemory) return PyErr_NoMemory(), false;
        if (joined == columns::Joined::kConflict) return PyErr_SetString(PyExc_ValueError, "values of several types in a column"), false;
    }
    if (type_.count_columns() > rows_.rules.max_columns)
        return PyErr_Format(PyExc_ValueError, "More than %zu columns (max_columns)", rows_.rules.max_columns), false;
    return !is_freezing_ || block.batch_count == 0 || freeze();
}

void TableReader::close() noexcept {
    stop_workers();
    has_ended_ = true;
    given_ = nullptr;
    delete std::exchange(failure_, nullptr);
    delete std::exchange(framer_, nullptr);
    delete std::exchange(source_failure_, nullptr);
    source_.close_in_error();
}

}  // namespace ocior::module
