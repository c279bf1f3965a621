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

}  // namespace swage::runtime

#endif  // SWAGE_RUNTIME_POLICIES_H_
