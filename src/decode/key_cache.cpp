#include "decode/key_cache.h"

#include "py/lock.h"

namespace ocior::decode {

void KeyCache::register_later(PyObject* dict) noexcept {
    if (unregistered_) register_keys();
    unregistered_ = new_ref(dict);
    misses_ = 0;
}

void KeyCache::register_keys() noexcept {
    const Owned dict = Owned::steal(std::exchange(unregistered_, nullptr));
    skipped_ = misses_ = 0;
    const Locked lock(dict.get());  // whoever asks the garbage collector for its objects has found it by now
    all_.expect_more(static_cast<std::size_t>(PyDict_GET_SIZE(dict.get())));
    PyObject *key, *value;
    for (Py_ssize_t i = 0; PyDict_Next(dict.get(), &i, &key, &value);) {
        if (!PyUnicode_CheckExact(key)) continue;
        PyObject* const shared = all_.share(new_ref(key));
        if (!shared) return PyErr_Clear();  // whoever reads the next key will see how much memory there is
        Py_DECREF(shared);
    }
}

void KeyCache::forget_others() noexcept {
    std::memset(slots_, 0, sizeof slots_);
    all_.forget_others();
}

void KeyCache::clear() noexcept {
    std::memset(slots_, 0, sizeof slots_);
    Py_CLEAR(unregistered_);
    all_.clear();
}

}  // namespace ocior::decode
