#include "py/instance.h"

#include "py/attribute.h"

namespace ocior {
namespace {

// Whether an attribute of that name is stored in the object's dict: whether the class has nothing of that name which would be asked first.
bool is_in_dict(PyTypeObject* type, PyObject* name) noexcept {
    const Owned of_class = find_in_class(type, name);
    return !of_class || !Py_TYPE(of_class.get())->tp_descr_set;
}

}  // namespace

bool InstanceForm::find_members() noexcept {
    for (std::uint32_t i = 0; i < count_; ++i) {
        const Owned of_class = find_in_class(type_, names_[i]);
        const std::size_t offset = of_class ? layout::member_offset(type_, of_class.get()) : 0;
        if (offset == 0 || offset > UINT16_MAX) return false;
        places_[i] = static_cast<std::uint16_t>(offset);
    }
    return true;
}

// The names get their places in the shared table when an object gets the attributes: one is made for that, where its end runs no code.
bool InstanceForm::find_inline(const Tricks& tricks, PyObject* keep, bool& found) noexcept {
    found = false;
#if PY_VERSION_HEX >= 0x030D0000
    layout::KeysTable* const table = layout::shared_keys_table(type_);
    const bool may_be = layout::kMayReadInlineValues && tricks.inline_values && table && (type_->tp_flags & Py_TPFLAGS_INLINE_VALUES);
    if (!may_be || count_ > 30 || type_->tp_finalize || type_->tp_del) return true;
    const Owned model = Owned::steal(type_->tp_alloc(type_, 0));
    if (!model) return false;
    for (std::uint32_t i = 0; i < count_; ++i)
        if (PyObject_GenericSetAttr(model.get(), names_[i], Py_None) < 0)
            return PyErr_ExceptionMatches(PyExc_MemoryError) ? false : (PyErr_Clear(), true);
    for (std::uint32_t i = 0; i < count_; ++i) {
        const int place = layout::place_in_shared_table(table, names_[i]);
        if (place < 0) return true;
        places_[i] = static_cast<std::uint16_t>(place);
        if (place >= room_) room_ = static_cast<std::uint16_t>(place + 1);
    }
    found = layout::valid_inline_values(model.get()) != nullptr && layout::valid_inline_values(model.get())->capacity >= room_;
#else
    (void)tricks, (void)keep;
#endif
    return (void)keep, true;
}

// An object of the class's allocator shows how much memory it has and what stands in it. (CPython: PyType_GenericAlloc,
// _PyType_AllocNoTrack.)
bool InstanceForm::find_image(const Tricks& tricks) noexcept {
    const bool may_be = layout::kMayMakeContainers && layout::kHasGil && tricks.container_headers &&
                        type_->tp_alloc == PyType_GenericAlloc && type_->tp_free == PyObject_GC_Del && type_->tp_itemsize == 0 &&
                        PyType_IS_GC(type_) && PyType_HasFeature(type_, Py_TPFLAGS_HEAPTYPE) && !type_->tp_finalize && !type_->tp_del;
    if (!may_be) return true;
    const Owned model = Owned::steal(type_->tp_alloc(type_, 0));
    if (!model) return false;
    const auto* const bytes = reinterpret_cast<const char*>(model.get());
    std::size_t size = (static_cast<std::size_t>(type_->tp_basicsize) + 7) & ~std::size_t{7}, array_offset = 0;
    std::uint64_t array_head = 0;
    if (const layout::InlineValues* const values = layout::valid_inline_values(model.get())) {
        array_offset = size;
        array_head = load<std::uint64_t>(values);
        size += offsetof(layout::InlineValues, values) + values->capacity * sizeof(PyObject*) + ((values->capacity + 7u) & ~7u);
    }
    for (std::size_t at = sizeof(PyObject); at < size; at += 8)
        if (load<std::uint64_t>(bytes + at) != (array_offset && at == array_offset ? array_head : 0)) return true;
    if (Py_REFCNT(model.get()) != 1) return true;
    image_bytes_ = static_cast<std::uint32_t>(size);
    bytes_before_ = static_cast<std::uint32_t>(layout::bytes_before_object(type_));
    array_offset_ = static_cast<std::uint32_t>(array_offset);
    array_head_ = array_head;
    return true;
}

OCIOR_INLINE PyObject* InstanceForm::allocate(ObjectAllocator& allocator) const noexcept {
    if constexpr (!layout::kMayMakeContainers || !layout::kHasGil) return type_->tp_alloc(type_, 0);
    if (OCIOR_UNLIKELY(image_bytes_ == 0)) return type_->tp_alloc(type_, 0);
    auto* const block = static_cast<char*>(allocator.allocate_any(bytes_before_ + image_bytes_));
    if (OCIOR_UNLIKELY(!block)) return PyErr_NoMemory();
    const std::size_t before = bytes_before_ - sizeof(CollectorLinks);
    for (std::size_t at = 0; at < before; at += 8) store<std::uint64_t>(block + at, 0);
    PyObject* const self = allocator.collector.adopt(block + before, type_);
    auto* const bytes = reinterpret_cast<char*>(self);
    for (std::size_t at = sizeof(PyObject); at < image_bytes_; at += 8) {
        store<std::uint64_t>(bytes + at, 0);
        __asm__ volatile("" : : : "memory");  // a call of memset takes longer
    }
    if (array_offset_) store(bytes + array_offset_, array_head_);
    Py_INCREF(type_);
    return self;
}

bool InstanceForm::learn(const Tricks& tricks, PyTypeObject* type, PyObject* const* names, std::size_t count, std::uint16_t* places,
                         PyObject* keep) noexcept {
    type_ = type;
    names_ = names;
    places_ = places;
    count_ = static_cast<std::uint32_t>(count);
    how_ = How::kByName;
    if (!find_image(tricks)) return false;
    if (count > 0 && find_members()) return how_ = How::kMembers, true;
    const Owned dict = find_in_class(type, "__dict__");
    if (PyErr_Occurred()) return false;
    bool are_in_dict = dict && Py_IS_TYPE(dict.get(), &PyGetSetDescr_Type) && type->tp_dictoffset != 0;
    for (std::size_t i = 0; are_in_dict && i < count; ++i) are_in_dict = is_in_dict(type, names[i]);
    if (!are_in_dict) return true;
    bool found;
    if (!find_inline(tricks, keep, found)) return false;
    if (found) return how_ = How::kInline, true;
    how_ = How::kDict;
    if (PyList_Append(keep, dict.get()) < 0) return false;
    dict_descriptor_ = dict.get();
    if (!layout::kMayReadKeysTable || !tricks.keys_table || count == 0) return true;
    const Owned model = Owned::steal(PyDict_New());
    for (std::size_t i = 0; model && i < count; ++i)
        if (PyDict_SetItem(model.get(), names[i], Py_None) < 0) return false;
    const Owned copied = model ? Owned::steal(PyDict_Copy(model.get())) : Owned();  // whose table has no more room than it needs
    if (!copied || PyList_Append(keep, copied.get()) < 0) return false;
    PyObject_GC_UnTrack(copied.get());  // it is part of no cycle, and the collector must not empty it
    if (layout::combined_str_table(copied.get())) template_ = copied.get();
    return true;
}

OCIOR_INLINE bool InstanceForm::put_inline(PyObject* self, PyObject** values) const noexcept {
    auto* const held = const_cast<layout::InlineValues*>(layout::valid_inline_values(self));
    if (OCIOR_UNLIKELY(!held || held->capacity < room_ || held->size != 0)) return put_by_name(self, values);
    auto* const order = reinterpret_cast<std::uint8_t*>(held->values + held->capacity);
    std::uint8_t size = 0;
    for (std::uint32_t i = 0; i < count_; ++i) {
        if (OCIOR_UNLIKELY(!values[i])) continue;
        held->values[places_[i]] = values[i];
        order[size++] = static_cast<std::uint8_t>(places_[i]);
        values[i] = nullptr;
    }
    held->size = size;
    return true;
}

OCIOR_NOINLINE bool InstanceForm::put_dict(ObjectAllocator& allocator, PyObject* self, PyObject** values) const noexcept {
    bool are_all = true;
    for (std::uint32_t i = 0; i < count_; ++i) are_all &= values[i] != nullptr;
    Owned dict;
    if (template_ && are_all) {
        dict = Owned::steal(dict_from_template(allocator, template_, values, count_, true));
        if (!dict) return false;
        std::memset(values, 0, count_ * sizeof *values);
    } else {
        dict = Owned::steal(PyDict_New());
        for (std::uint32_t i = 0; dict && i < count_; ++i) {
            if (!values[i]) continue;
            if (PyDict_SetItem(dict.get(), names_[i], values[i]) < 0) return false;
            Py_CLEAR(values[i]);
        }
    }
    // Not by PyObject_GenericSetDict(): in 3.13 an object that it gives a dict goes on looking into its array.
    return dict && Py_TYPE(dict_descriptor_)->tp_descr_set(dict_descriptor_, self, dict.get()) == 0;
}

OCIOR_NOINLINE bool InstanceForm::put_by_name(PyObject* self, PyObject** values) const noexcept {
    for (std::uint32_t i = 0; i < count_; ++i) {
        if (!values[i]) continue;
        if (PyObject_GenericSetAttr(self, names_[i], values[i]) < 0) return false;
        Py_CLEAR(values[i]);
    }
    return true;
}

PyObject* InstanceForm::make(ObjectAllocator& allocator, PyObject** values, bool is_tracked) const noexcept {
    PyObject* const self = allocate(allocator);
    if (OCIOR_UNLIKELY(!self)) return nullptr;
    bool is_whole = true;
    switch (how_) {
        case How::kMembers:
            for (std::uint32_t i = 0; i < count_; ++i) {
                store(reinterpret_cast<char*>(self) + places_[i], values[i]);
                values[i] = nullptr;
            }
            break;
        case How::kInline: is_whole = put_inline(self, values); break;
        case How::kDict: is_whole = put_dict(allocator, self, values); break;
        case How::kByName: is_whole = put_by_name(self, values); break;
    }
    if (image_bytes_ && is_tracked && !allocator.collector.is_tracked(self)) allocator.collector.track(self);
    if (OCIOR_LIKELY(is_whole)) return self;
    Py_DECREF(self);
    return nullptr;
}

}  // namespace ocior
