// The plans of types that were met of late: one look-up, by the type, in a table of each context.
#pragma once

#include "encode/fields.h"
#include "encode/plan.h"
#include "py/attribute.h"
#include "py/class_state.h"

namespace ocior::encode {

// The plans of types that were met of late, each for one PlanKey. It belongs to one call at a time and needs no lock.
// It holds no reference to a type: one that dies takes its version with it, and no other type ever has the same. A type that has another
// version is compared with what it was; one that has no version left is compared for the first of its values after Python code may have
// run.
class TypeTable {
public:
    struct Entry {
        PyTypeObject* type = nullptr;
        PlanKey key = 0;
        mutable unsigned version = 0;
        Plan plan{Role::kNotFound};
        Fields fields;  // of the plan
        // Units of text that Writer::put_frameless_fields() has written of such objects, less twice those that it wrote in vain.
        mutable std::ptrdiff_t frameless_balance = 0;
        ClassState state{};
        mutable std::uint64_t compared_at = 0;  // where the version is 0: doubts_ at that time
    };

    // For a call with this key, if the table has it.
    OCIOR_INLINE const Entry* entry_of(PyTypeObject* type, PlanKey key) noexcept {
        for (const Entry& entry : set_of(type, key))
            if (entry.type == type && entry.key == key && OCIOR_LIKELY(is_current(entry))) return &entry;
        return nullptr;
    }
    // Python code may run: it can change types. (Whatever is compared before that is over has to be doubted again.)
    OCIOR_INLINE void doubt() noexcept { ++doubts_; }
    // A call ends: before the next one Python code may run, too.
    OCIOR_INLINE void end_call() noexcept { first_of_call_ = ++doubts_; }
    // The entry of a type that is about to be asked for by known().
    OCIOR_INLINE void note(const Entry* entry) noexcept { last_ = entry; }
    OCIOR_INLINE const Plan* known(PyTypeObject* type, PlanKey key) noexcept {
        if (last_ && last_->type == type && last_->key == key && OCIOR_LIKELY(is_current(*last_))) return &last_->plan;
        const Entry* const entry = entry_of(type, key);
        return entry ? last_ = entry, &entry->plan : nullptr;
    }
    // Adds the type to the table. Python code may run: that of a metaclass, or finalizers that a garbage collection calls.
    OCIOR_NOINLINE const Plan& learn(Call& call, PyTypeObject* type, PlanKey key) noexcept;
    // Gives the known plan, or learns it, for the type of a value that is held while frames are pinned. Python code may have run since
    // then.
    OCIOR_INLINE const Plan& find(Call& call, PyTypeObject* type, PlanKey key) noexcept {
        doubt();
        const Plan* const plan = known(type, key);
        return OCIOR_LIKELY(plan != nullptr) ? *plan : learn(call, type, key);
    }
    // The fields of the type, if it is the one that was found last and could be kept; else null.
    OCIOR_INLINE const Fields* fields_of(PyTypeObject* type) const noexcept {
        return OCIOR_LIKELY(last_ && last_->type == type) ? &last_->fields : nullptr;
    }

private:
    static constexpr std::size_t kLog2Sets = 8, kWays = 2;
    using Set = Entry[kWays];

    OCIOR_INLINE Set& set_of(PyTypeObject* type, PlanKey key) noexcept {
        // Fibonacci hashing (Knuth), 2^64 divided by the golden ratio: types lie at distances that have much in common.
        const std::uint64_t mixed = reinterpret_cast<std::uintptr_t>(type) ^ key;
        return sets_[mixed * 0x9E3779B97F4A7C15 >> (64 - kLog2Sets)];
    }

    // Whether the entry's type, which is there, has not changed.
    OCIOR_INLINE bool is_current(const Entry& entry) const noexcept {
        const bool is_same = entry.version == type_version(entry.type) && (entry.version != 0 || entry.compared_at == doubts_);
        return OCIOR_LIKELY(is_same) || is_unchanged(entry);
    }
    [[nodiscard]] OCIOR_NOINLINE bool is_unchanged(const Entry& entry) const noexcept;
    [[nodiscard]] bool hold(Call& call, const Entry& entry, PyTypeObject* type) const noexcept;
    [[nodiscard]] const Entry* find_unchanged(Call& call, PyTypeObject* type, PlanKey key) noexcept;

    const Entry* last_ = nullptr;
    const Tricks* tricks_ = nullptr;  // the module's, once there is an entry
    std::uint64_t doubts_ = 1, first_of_call_ = 1;
    unsigned next_way_ = 0;  // is replaced next
    Set sets_[std::size_t{1} << kLog2Sets];
};

}  // namespace ocior::encode
