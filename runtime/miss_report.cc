#include "runtime/miss_report.h"

#include <algorithm>
#include <ostream>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "base/status.h"
#include "cache/tiers.h"
#include "runtime/program.h"

namespace swage {
namespace internal {
namespace {

using runtime::KeyItem;

void AddComponent(std::string_view component, MissReport* report) {
  std::vector<std::string>& all = report->components;
  if (std::find(all.begin(), all.end(), component) == all.end()) all.emplace_back(component);
}

void AddComponents(const KeyItem& got, const KeyItem& there, MissReport* report) {
  if (got.kind != there.kind || got.kind == KeyItem::Kind::kStructure) {
    AddComponent("structure", report);
  } else if (got.kind != KeyItem::Kind::kTensor) {
    AddComponent("static", report);
  } else {
    if (got.dtype() != there.dtype()) AddComponent("dtype", report);
    bool same = got.rank() == there.rank();
    for (int axis = 0; same && axis < got.rank(); ++axis) same = got.SameExtent(there, axis);
    // A number and a symbol that may be it are the same size, in another kind of program.
    if (!same || got.dtype() == there.dtype()) AddComponent("shape", report);
  }
}

// The parameter that item `i` belongs to.
int ParameterOf(size_t i, const ParameterStarts* parameters) {
  if (parameters == nullptr) return -1;
  const std::vector<size_t>& first = parameters->first_item;
  return static_cast<int>(std::upper_bound(first.begin(), first.end(), i) - first.begin()) - 1;
}

void DescribeTensor(const KeyItem& got, const KeyItem& there, MissReport* report) {
  report->argument_shape = report->got;
  if (there.kind != KeyItem::Kind::kTensor || got.dtype() != there.dtype() ||
      got.rank() != there.rank()) {
    return;
  }
  for (int axis = 0; axis < got.rank(); ++axis) {
    if (got.SameExtent(there, axis)) continue;
    report->axis = axis;
    report->got = got.Extent(axis);
    report->expected = there.Extent(axis);
    return;
  }
}

}  // namespace

void Compare(const std::vector<KeyItem>& items, const std::vector<KeyItem>& there,
             const ParameterStarts* parameters, MissReport* report) {
  report->nearest_key = runtime::KeyText(there);
  int argument = 0;
  bool described = false;
  for (size_t i = 0; i < std::min(items.size(), there.size()); ++i) {
    const bool tensor = items[i].kind == KeyItem::Kind::kTensor;
    if (items[i].words != there[i].words) {
      AddComponents(items[i], there[i], report);
      if (!described) {
        described = true;
        report->parameter = ParameterOf(i, parameters);
        report->got = items[i].ToString();
        report->expected = there[i].ToString();
        if (tensor) {
          report->argument = argument;
          DescribeTensor(items[i], there[i], report);
        }
      }
      // Behind another structure the items do not belong to each other.
      if (report->components.back() == "structure") return;
    }
    if (tensor) ++argument;
  }
  if (described) return;
  // Values with equal hashes.
  AddComponent("static", report);
  report->got = "another static value";
  report->expected = "that of the nearest key";
}

void AddStoredComponents(const KeyMaterial* missed, MissReport* report) {
  cache::Tiers* const tiers = cache::Tiers::Global();
  if (missed == nullptr || tiers == nullptr || report->tier != runtime::kCompiledTier) return;
  report->stored_components = tiers->NearestModule(*missed);
}

std::string ReasonText(const MissReport& report) {
  if (!report.fallback.empty()) return absl::StrCat("exact sizes, since ", report.fallback);
  if (report.evicted) return "it was there and was evicted for the bound of the memory";
  if (report.axis >= 0) {
    return absl::StrCat("argument ", report.argument, " (", report.argument_shape, "): dimension ",
                        report.axis, " is ", report.got, ", expected ", report.expected);
  }
  if (report.argument >= 0) {
    return absl::StrCat("argument ", report.argument, " is ", report.got, ", expected ",
                        report.expected);
  }
  const std::string where =
      report.parameter >= 0 ? absl::StrCat("parameter ", report.parameter, ": ") : "";
  return absl::StrCat(where, "got ", report.got, ", expected ", report.expected);
}

std::string HowToMissLess(const MissReport& report) {
  if (!report.fallback.empty()) return "let dims or the policy have other ranges";
  if (report.evicted) return "raise SWAGE_CACHE_MEMORY_BYTES";
  const bool number = report.got.find_first_not_of("0123456789") == std::string::npos;
  if (report.axis >= 0 && !number) return "have fewer buckets";
  if (report.axis >= 0) return "name that size in the option dims (docs/buckets.md)";
  if (report.argument >= 0) return "convert the argument to one dtype and rank before the call";
  return "make a number that changes a swage::Scalar<T>, and give other values few variants";
}

}  // namespace internal

std::ostream& operator<<(std::ostream& out, const MissReport& report) {
  out << report.function << ": ";
  if (!report.missed) return out << "no miss yet\n";
  out << "missed, ";
  if (report.first && !report.evicted && report.fallback.empty()) {
    out << "first key";
  } else {
    out << internal::ReasonText(report);
  }
  if (!report.nearest_key.empty()) out << "; nearest key " << report.nearest_key;
  if (!report.stored_components.empty()) {
    out << "; what is on disk differs in " << absl::StrJoin(report.stored_components, ", ");
  }
  return out << "\n";
}

}  // namespace swage
