// File: tools/size_ranges.h
//
// What the modes of open sizes mean for the module of a program with symbols.
//
//   symbolic  every size that its symbols allow
//   bucket    the bucket of the default policy that each size of the call is in
//   pad       any size up to the next larger power of two, so that there is padding at every size
#ifndef SWAGE_TOOLS_SIZE_RANGES_H_
#define SWAGE_TOOLS_SIZE_RANGES_H_

#include <memory>
#include <string_view>
#include <utility>
#include <vector>

#include "base/status.h"
#include "compiler/ir/dim.h"
#include "compiler/ir/module.h"

namespace swage::tools {

// Symbols with what takes their place.
using SizeRanges = std::vector<std::pair<const ir::Symbol*, ir::Dim>>;

// Of the symbols of a call, in one of these modes; none in symbolic.
StatusOr<SizeRanges> SizeRangesOf(const ir::SymbolBinding& sizes, std::string_view mode);

// A copy of the module in which symbols have these ranges.
std::unique_ptr<ir::Module> InRanges(const ir::Module& module, const SizeRanges& ranges);

}  // namespace swage::tools

#endif  // SWAGE_TOOLS_SIZE_RANGES_H_
