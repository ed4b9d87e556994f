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

// Whether instances of a class derived from msgspec.Struct are written by kStruct, and not as objects of their fields. An error is cleared.
bool is_special_struct(PyTypeObject* type) noexcept;

// The plan of a class of pydantic that says by a serializer how it becomes JSON; null for any other class.
const Plan* find_model(PyTypeObject* type) noexcept;

// The plan of what is left to the default hook.
extern const Plan kDefaultHook;

// The families of rich types, a file each.
extern const Plan kDatetime, kDate, kTime, kTimedelta, kFineTimedelta, kIsoformat, kUuid, kArray, kNumpyArray, kPlainArray, kNumpyScalar,
    kNumpyDatetime, kNumpyTimedelta, kDecimal, kDecimalStr, kFields, kNamedTuple, kStruct;

}  // namespace ocior::encode
