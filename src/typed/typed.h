// Entry to typed decoding: a Python object that holds a document -> the object of a declared type.
#pragma once

#include "decode/decode.h"
#include "typed/session.h"

namespace ocior::typed {

// What a decoder reads by.
struct Decoder {
    const Plan& plan;
    Memories& memories;
    const decode::Options& options;      // the policies
    const decode::Options& any_options;  // settled, for values that are read as loads() reads them
    std::size_t max_errors;
    PyObject* type;                      // for ValidationError
    // Digits of a second beyond six are rounded, else cut; of durations they are refused then, and so are weeks. And Call::checks_skipped.
    bool is_exacting = false;
    bool tells_problems = true;  // else a ValueError says that there are some, and no more
};

// What a decoder object keeps. Once settled, none of it changes.
struct DecoderParts {
    Plan plan;
    Memories memories;
    decode::Options options, any_options;  // as Decoder's

    ~DecoderParts() { memories.close(); }

    // To be called when the plan has been made and `options` has the policies.
    void settle(const Tricks& tricks, Decimals& decimals) noexcept {
        options.settle(tricks, decimals);
        any_options = options;
        memories.open(&plan);
    }
    // For the garbage collector. What a plan names is let go with the decoder alone: somebody may be decoding by it, and it refers to the
    // decoder through what Python code can reach only.
    int visit(visitproc visit, void* arg) const noexcept {
        Py_VISIT(plan.source.get());
        Py_VISIT(plan.kept.get());
        return 0;
    }
};

// Makes the State ready, once; it imports modules. False with an error set.
[[nodiscard]] bool open(State& state, decode::State& decoder, PyObject* raw_type) noexcept;

// The value of the document in `input`, as decode::loads(). Null with an exception set: what that raises, ValidationError, or what code of
// the user has raised.
PyObject* loads(State& state, decode::State& decoder, const Decoder& by, PyObject* input) noexcept;

// The value that begins at `p`, in a text of bytes that has a NUL and bytes that may be read behind it, and the unit behind the value.
// Null, without an error and without any effect, where there is none that is of the type: loads() tells what is wrong. No code of the user
// runs, so it is for plans that have none alone.
struct InPlace {
    PyObject* value;
    const std::uint8_t* next;
};
InPlace read_in_place(State& state, decode::State& decoder, const Decoder& by, decode::Context& context,
                      const grammar::Text<grammar::Utf8Source>& text, const std::uint8_t* p) noexcept;

}  // namespace ocior::typed
