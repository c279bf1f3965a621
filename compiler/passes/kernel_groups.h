// File: compiler/passes/kernel_groups.h
//
// Finished kernels (fusions) of one computation that are to become one kernel with several outputs:
// which may, what the cost model says, and the new fusions in the end. What multi-output-fusion and
// horizontal-fusion share; they differ in which pairs they try.
//
//   KernelGroups groups(computation, device, "multi-output-fusion", decisions);
//   if (groups.TryMerge(a, b, MergeGain::kTraffic)) ...  // decides, and writes the decision down
//   SWAGE_ASSIGN_OR_RETURN(bool changed, groups.Build());
//
// Two kernels may be one when
//   - no other kernel lies between them (merge_order.h),
//   - their outputs are what one schedule writes: the same dims, or one value per row of them,
//   - their reduces are alike, and rows are neither so short nor so long nor so few that one loop
//     over rows is slower than two kernels,
//   - where one reads the other, it does so at the element that is being computed,
//   - the limits of fusions hold (fusion_rules.h).
// What one reads of the other stays in registers, and it is no longer stored when nobody else wants
// it. An operand that both read at the same place comes from memory once. A question costs O(the
// operands of the two), whatever the size of the computation.
#ifndef SWAGE_COMPILER_PASSES_KERNEL_GROUPS_H_
#define SWAGE_COMPILER_PASSES_KERNEL_GROUPS_H_

#include <deque>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/function_ref.h"
#include "base/small_map.h"
#include "compiler/passes/fusion_rules.h"
#include "compiler/passes/kernel_figures.h"
#include "compiler/passes/merge_order.h"
#include "compiler/passes/pass.h"

namespace swage::passes {

// Kernels that are one, or will be.
struct KernelGroup {
  struct Read {
    double utilisation = 0;
    Place place;
  };
  std::vector<ir::Instruction*> members;  // fusions, operands before users
  KernelFigures figures;                  // without reads
  SmallMap<ir::Instruction*, Read, 4> reads;
  double written_bytes = 0;
  int64_t outputs = 0;
  cost::Picoseconds time = 0;  // of one execution, without launch
  bool has_rows = false;       // some output is one value per row of the space
  bool is_merged_away = false;
  int64_t position = 0;  // of its first member
};

// What two kernels are expected to gain by.
enum class MergeGain : uint8_t {
  kTraffic,  // bytes that move once instead of twice
  kLaunch,   // one start instead of two; where the work itself is small
};

class KernelGroups {
 public:
  KernelGroups(ir::Computation* computation, const cost::DeviceDescription& device,
               std::string_view pass, std::vector<FusionDecision>* decisions);

  // All instructions, operands before users.
  const std::vector<ir::Instruction*>& post_order() const { return post_order_; }
  // Groups that are left, in the order of the computation.
  std::vector<KernelGroup*> Groups();
  // The kernel that makes a value; null when it is none (parameters, copies, calls ...).
  KernelGroup* MakerOf(const ir::Instruction* value) const;
  // The kernels that read a value, each once, in the order of its users.
  std::vector<KernelGroup*> ReadersOf(const ir::Instruction* value);

  // Merges b into a (they may be given in either order) if that is allowed and gains; records the
  // decision.
  bool TryMerge(KernelGroup* a, KernelGroup* b, MergeGain gain);
  // Tries to merge `kernel` with the newest few of `open`, newest first. What is left of the two
  // takes the other's place there; one that nobody takes is added. Whether it was taken.
  bool OfferTo(std::vector<KernelGroup*>* open, KernelGroup* kernel, MergeGain gain);
  // Forgets the decisions against merging, before all pairs are tried again.
  void ForgetRefusals();
  // Makes the new fusions; whether there are any.
  StatusOr<bool> Build();

  int64_t steps() const { return steps_ + order_.edges_seen(); }

 private:
  // What the two would be as one.
  struct Merged {
    KernelFigures figures;
    double written_bytes = 0, distinct_bytes = 0, total_bytes = 0;
    int64_t operands = 0, outputs = 0;
    double saved_bytes = 0;
    bool has_rows = false;
    cost::Picoseconds time = 0;
  };

  void AddKernel(ir::Instruction* fusion);
  double BytesOf(const ir::Instruction* value) const;
  // Whether only members of these two read the output `value` of a member.
  bool StaysInside(const ir::Instruction* value, const KernelGroup& a, const KernelGroup& b);
  std::optional<Veto> Check(const KernelGroup& a, const KernelGroup& b);
  std::optional<Veto> CheckSpaces(const KernelGroup& a, const KernelGroup& b) const;
  std::optional<Veto> CheckHeroes(const KernelGroup& a, const KernelGroup& b) const;
  std::optional<Veto> CheckRows(const KernelGroup& a, const KernelGroup& b,
                                const Merged& merged) const;
  // Where `reader` reads what `maker` makes.
  std::optional<Veto> CheckLinks(const KernelGroup& maker, const KernelGroup& reader) const;
  std::optional<Veto> CheckLimits(const Merged& merged, MergeGain gain) const;
  Merged Merge(const KernelGroup& a, const KernelGroup& b);
  void AddReads(const KernelGroup& from, const KernelGroup& other, bool count_shared,
                Merged* merged);
  cost::Picoseconds TimeOf(const Merged& merged) const;
  void Accept(KernelGroup* a, KernelGroup* b, const Merged& merged);

  ir::Computation* computation_;
  std::vector<ir::Instruction*> post_order_;
  const cost::DeviceDescription& device_;
  std::string pass_;
  std::vector<FusionDecision>* decisions_;
  size_t first_decision_;  // of this object
  cost::Picoseconds launch_;
  MergeOrder order_;
  std::deque<KernelGroup> groups_;
  std::vector<KernelGroup*> group_of_;  // by slot
  int64_t steps_ = 0;
};

// Tries the pairs of every computation of the module, in rounds (a merge may make another one
// possible) until `merge_all` merges none, and makes the new fusions; whether there are any. Adds
// to `steps`.
StatusOr<bool> MergeInRounds(ir::Module& module, PassContext& context, std::string_view pass,
                             FunctionRef<bool(KernelGroups&)> merge_all, int64_t* steps);

}  // namespace swage::passes

#endif  // SWAGE_COMPILER_PASSES_KERNEL_GROUPS_H_
