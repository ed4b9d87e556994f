// What a class and those that it is derived from have, noted once and compared later: a class that has another version now may be the same
// in all that counts, and since 3.13 CPython keeps no version of one that has changed a thousand times.
#pragma once

#include "py/attribute.h"
#include "py/tricks.h"

namespace ocior {

class ClassState {
public:
    // How much of an attribute counts.
    enum class Weight : std::uint8_t {
        kName,     // that there is one of this name
        kValue,    // also which object it is
        kContent,  // also what that object, a dict or a tuple, holds
    };

    ClassState() noexcept = default;
    ~ClassState() { clear(); }
    ClassState(const ClassState&) = delete;
    ClassState& operator=(const ClassState&) = delete;
    ClassState& operator=(ClassState&& other) noexcept {
        clear();
        bases_ = std::exchange(other.bases_, nullptr);
        attributes_ = std::exchange(other.attributes_, nullptr);
        base_count_ = std::exchange(other.base_count_, 0);
        metaclass_ = other.metaclass_;
        return *this;
    }

    // Notes the present state, with all contents. False where that cannot be had; no error is set. Runs no Python code.
    [[nodiscard]] bool note(const Tricks& tricks, PyTypeObject* type) noexcept;
    // From now on weigh(name) says what counts of the attribute `name`.
    template <typename Weigh>
    void weigh(Weigh weigh) noexcept {
        for (std::size_t i = 0; i < attribute_count(); ++i) attributes_[i].weight = weigh(attributes_[i].name);
    }
    // Whether `type` is the class that was noted, and what counts is as it was. Runs no Python code, and with a GIL waits for nothing. (An
    // object of the same type that has taken the place of a dead one in memory is believed to be that: to hold it would keep the class
    // alive. So is a dict or tuple of the same objects.)
    [[nodiscard]] bool is_current(const Tricks& tricks, PyTypeObject* type) const noexcept;

    void clear() noexcept;

private:
    struct Base {
        PyTypeObject* type;  // borrowed
        PyObject* life;      // owned, a weak reference to it; null of one that nobody changes, of which no attributes are noted
        unsigned version;    // where it has the same one again, that tells all
        std::size_t end;     // of its attributes
    };
    struct Attribute {
        PyObject* name;   // owned
        PyObject* value;  // borrowed, and maybe dead, as its type
        PyTypeObject* type;
        std::uintptr_t content;
        Weight weight;
    };

    std::size_t attribute_count() const noexcept { return base_count_ ? bases_[base_count_ - 1].end : 0; }
    [[nodiscard]] bool note_base(const Tricks& tricks, PyTypeObject* type) noexcept;
    [[nodiscard]] bool has_same_attributes(const Tricks& tricks, const Base& base, std::size_t first) const noexcept;

    Base* bases_ = nullptr;
    Attribute* attributes_ = nullptr;
    std::size_t base_count_ = 0;
    PyTypeObject* metaclass_ = nullptr;
};

}  // namespace ocior
