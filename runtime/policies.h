// File: runtime/policies.h
//
// The bucket policies in force in this process: those of the file that SWAGE_CONFIG names, until
// load_policies() puts others in their place.
//
//   Policies().Get()->Find("encode")->mode;
#ifndef SWAGE_RUNTIME_POLICIES_H_
#define SWAGE_RUNTIME_POLICIES_H_

#include "cache/config.h"

namespace swage::runtime {

// A file with problems is logged once, and counts as none.
cache::PolicyHolder& Policies();

// What is in force for a function: found by its name as the user wrote it, or else as it stands in
// logs and dumps.
std::shared_ptr<const policy::FunctionPolicy> PolicyOf(std::string_view given,
                                                       std::string_view name);
// Of a function that no table is for: warns where there is one for nearly its name.
void WarnOfNearTable(std::string_view given);

}  // namespace swage::runtime

#endif  // SWAGE_RUNTIME_POLICIES_H_
