// Objects of Python classes, made without a call of the class: memory comes of the class's allocator, and the values of attributes are
// stored where its objects have them.
#pragma once

#include "py/container.h"

namespace ocior {

// How objects of a class hold some attributes. Everything in it is borrowed.
class InstanceForm {
public:
    // The attributes are these `count` names, interned str. `places` has room for as many numbers, and lasts as long as this does; `keep`
    // is a list that takes what is made here. False with an error set.
    [[nodiscard]] bool learn(const Tricks& tricks, PyTypeObject* type, PyObject* const* names, std::size_t count, std::uint16_t* places,
                             PyObject* keep) noexcept;

    // A new object with these values, of which null means that it has no such attribute. The references are taken over, and become null.
    // Null with an error set: then those that are not null are the caller's still.
    // `is_tracked`: whether the garbage collector has to know of it, because its values may lead back to it.
    PyObject* make(ObjectAllocator& allocator, PyObject** values, bool is_tracked) const noexcept;

    PyTypeObject* type() const noexcept { return type_; }

private:
    enum class How : std::uint8_t {
        kByName,   // by PyObject_GenericSetAttr
        kMembers,  // at offsets from the object's beginning
        kInline,   // in the array behind the object
        kDict,     // in a dict
    };

    bool find_members() noexcept;
    [[nodiscard]] bool find_image(const Tricks& tricks) noexcept;
    PyObject* allocate(ObjectAllocator& allocator) const noexcept;
    [[nodiscard]] bool find_inline(const Tricks& tricks, PyObject* keep, bool& found) noexcept;
    bool put_inline(PyObject* self, PyObject** values) const noexcept;
    bool put_dict(ObjectAllocator& allocator, PyObject* self, PyObject** values) const noexcept;
    bool put_by_name(PyObject* self, PyObject** values) const noexcept;

    PyTypeObject* type_ = nullptr;
    PyObject* const* names_ = nullptr;
    std::uint16_t* places_ = nullptr;
    PyObject* dict_descriptor_ = nullptr;  // kDict: the class's __dict__
    PyObject* template_ = nullptr;  // kDict: a dict with all names, where one can be copied
    std::uint32_t count_ = 0;
    std::uint16_t room_ = 0;  // kInline: as many values an object has to have room for
    How how_ = How::kByName;
    // The memory of a new object is taken by hand where this is not 0: so many bytes from its header on, behind so many others; all are
    // zero but the header, and the eight bytes that an array behind the object begins with.
    std::uint32_t image_bytes_ = 0;
    std::uint32_t bytes_before_ = 0;
    std::uint32_t array_offset_ = 0;  // 0: there is no array
    std::uint64_t array_head_ = 0;
};

}  // namespace ocior
