// Keys of objects: the predicted one by a single compare, any other through the shape tree, and, where the tree has no
// room, as an object on the value stack.
#pragma once

#include "decode/py_call.h"

namespace ocior::decode {

// `next` is the unit behind the key's closing quote, and `top` the new top of the value stack; or `top` is null, and `next` the unit to
// blame.
template <typename Unit>
struct NextKey {
    PyObject** top;
    const Unit* next;
};

// A key that was not predicted, at `p` behind its opening quote. Either `frame.node` becomes its node, or the frame's
// values so far are spread into keys and values (frame.node null) and the key is pushed.
template <typename Source>
NextKey<typename Source::Unit> next_key(PyCall<Source>& call, PyFrame& frame, ShapeNode* root, PyObject** top,
                                        const typename Source::Unit* p) noexcept;

}  // namespace ocior::decode
