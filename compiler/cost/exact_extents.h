// File: compiler/cost/exact_extents.h
//
// Extents as they are instead of size classes, for reports of what a kernel does. Decisions are
// never made under it: neighbouring lengths would decide differently.
//
//   const ExactExtents exact;  // on this thread, while it lives
//   ExtentClass(ir::Dim(1500));  // 1500, not 2048
#ifndef SWAGE_COMPILER_COST_EXACT_EXTENTS_H_
#define SWAGE_COMPILER_COST_EXACT_EXTENTS_H_

namespace swage::cost {

class ExactExtents {
 public:
  ExactExtents();
  ~ExactExtents();
  ExactExtents(const ExactExtents&) = delete;
  ExactExtents& operator=(const ExactExtents&) = delete;

 private:
  const bool outer_;
};

}  // namespace swage::cost

#endif  // SWAGE_COMPILER_COST_EXACT_EXTENTS_H_
