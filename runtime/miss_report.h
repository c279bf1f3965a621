// File: runtime/miss_report.h
//
// Why a key missed: how it differs from the nearest key that is there, part by part.
#ifndef SWAGE_RUNTIME_MISS_REPORT_H_
#define SWAGE_RUNTIME_MISS_REPORT_H_

#include <string>
#include <vector>

#include "base/key_material.h"
#include "runtime/jit.h"
#include "runtime/signature.h"

namespace swage::internal {

// Fills in what differs between a missed key and the nearest one. `parameters` (may be null) says
// at which item each parameter of the function begins.
void Compare(const std::vector<runtime::KeyItem>& items, const std::vector<runtime::KeyItem>& there,
             const ParameterStarts* parameters, MissReport* report);

// What differs in the kept program that is nearest, if the one of the report was compiled; `missed`
// is the key that the store did not have, or null. Reads the disk.
void AddStoredComponents(const KeyMaterial* missed, MissReport* report);

// "argument 1 (f32[32,64]): dimension 0 is 32, expected 31".
std::string ReasonText(const MissReport& report);

// What to do against too many misses like this one: "; mark ... ".
std::string HowToMissLess(const MissReport& report);

}  // namespace swage::internal

#endif  // SWAGE_RUNTIME_MISS_REPORT_H_
