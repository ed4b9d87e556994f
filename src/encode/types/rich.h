// Types beyond json's own, which the default hook ocior.Default stands for: the core knows it, and calls no Python code for it.
#pragma once

#include "encode/look.h"
#include "encode/types/json.h"

namespace ocior::encode {

// So many seconds and nanoseconds as a duration of ISO 8601, "P1DT2H3M4.5S": the parts that are not zero; "PT0S". Up to 24 bytes and the
// digits of the days.
std::uint8_t* write_duration(const Call& call, bool is_negative, uint128 seconds, std::uint32_t nanoseconds, std::uint8_t* to) noexcept;

// The class of that name of the datetime module that is written in C, whose objects have the layout that is read here: whatever a program,
// or a test, has put into its place in the module. Empty where there is none, or only that in Python.
Owned stored_time_type(const char* name) noexcept;

// The plan of a class derived from numpy.generic.
const Plan& numpy_scalar_plan_of(PyTypeObject* type) noexcept;
// The plan of numpy.datetime64 or timedelta64, whose `usual` plan asks numpy for each value.
const Plan& numpy_ticks_plan_of(PyTypeObject* type, const Plan& usual) noexcept;

// How a class derived from msgspec.Struct is written that says so by more than its fields, and the names of the attributes in a tuple.
// Null, maybe with an error set, for any other class.
Form* form_of_struct(PyTypeObject* type, std::uint32_t flags, Owned& names) noexcept;

// What Options::plans say of a class. The plan, where they name a function for its objects; else null.
const Plan* find_by_plans(Call& call, PyTypeObject* type) noexcept;
// How its objects are written, and the names of the attributes in a tuple. Null, maybe with an error set aside, where they say nothing.
Form* form_by_plans(Call& call, PyTypeObject* type, Owned& attributes) noexcept;

// The plan of a class of pydantic that says by a serializer how it becomes JSON; null for any other class.
const Plan* find_model(PyTypeObject* type) noexcept;

// The plan of a class whose objects give rows by Arrow's interface; null for any other class.
const Plan* find_rows(const Call& call, PyTypeObject* type) noexcept;

// The plan of what is left to the default hook.
extern const Plan kDefaultHook;

// The families of rich types, a file each.
extern const Plan kDatetime, kDate, kTime, kTimedelta, kFineTimedelta, kIsoformat, kUuid, kArray, kNumpyArray, kPlainArray, kNumpyScalar,
    kNumpyDatetime, kNumpyTimedelta, kDecimal, kDecimalStr, kFields, kNamedTuple;

}  // namespace ocior::encode
