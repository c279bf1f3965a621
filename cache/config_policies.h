// File: cache/config_policies.h
//
// [defaults], [symbols] and [functions] of the configuration file.
#ifndef SWAGE_CACHE_CONFIG_POLICIES_H_
#define SWAGE_CACHE_CONFIG_POLICIES_H_

#include <memory>

#include "cache/config_toml.h"
#include "cache/policy/policy.h"
#include "cache/policy/shape_trace.h"

namespace swage::cache {

// `top` is the whole file. What has errors, which are told, is left out of the result.
std::shared_ptr<const policy::PolicySet> ReadPolicies(const TableReader& top,
                                                      const policy::TraceReader& read_trace);

}  // namespace swage::cache

#endif  // SWAGE_CACHE_CONFIG_POLICIES_H_
