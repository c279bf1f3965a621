// File: compiler/learn/merge.h
//
// Several lowerings become one module: each instruction stands for one of every lowering, found by
// walking all of them from their roots at once. Its extents are those of Extents, its literal that
// of the first lowering; literals that vary are listed, to be replaced once the extents are solved.
//
// Values that one lowering shares and another computes twice become separate instructions where any
// of them are. A computation is merged once for each list of argument shapes that it is called
// with.
#ifndef SWAGE_COMPILER_LEARN_MERGE_H_
#define SWAGE_COMPILER_LEARN_MERGE_H_

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/inlined_vector.h"
#include "compiler/ir/module.h"
#include "compiler/learn/extents.h"

namespace swage::learn {

// One per lowering.
using Instructions = absl::InlinedVector<const ir::Instruction*, 3>;
using Computations = absl::InlinedVector<const ir::Computation*, 3>;

struct VaryingLiteral {
  Instructions constants;
  ir::Instruction* stand_in;  // in the merged module, of the right shape
};

class Merger {
 public:
  Merger(absl::Span<const ir::Module* const> lowerings, const LearnOptions& options,
         Extents* extents);

  // The merged module. Its extents are as they were known when each instruction was made: they
  // want a walk with Extents::Now once all are solved.
  StatusOr<std::unique_ptr<ir::Module>> Merge();
  const std::vector<VaryingLiteral>& literals() const { return literals_; }

  // "constant.5 (main.3 of n7.hlo), constant.6 (main.4 of n12.hlo)".
  Place PlaceOf(const Instructions& all) const;
  std::string NameOf(size_t lowering) const;

 private:
  struct Merged {
    std::vector<ir::Shape> arguments;
    ir::Computation* computation;
  };
  // The computation that is being merged.
  struct Frame {
    ir::Computation* into;
    bool scalar;  // of a reduce, a map ...
    absl::flat_hash_map<Instructions, ir::Instruction*> made;
  };

  Status CheckModules() const;
  StatusOr<ir::Computation*> MergeComputation(const Computations& all,
                                              absl::Span<const ir::Shape> arguments, bool scalar);
  StatusOr<ir::Computation*> CallComputation(const Computations& all,
                                             absl::Span<const ir::Shape> arguments, bool scalar,
                                             bool shared);
  Status MergeParameters(const Computations& all, absl::Span<const ir::Shape> arguments,
                         Frame* frame);
  Status MergeInstruction(const Instructions& all, Frame* frame);
  Status CheckAlike(const Instructions& all) const;
  Status MergeConstant(const Instructions& all, Frame* frame);
  StatusOr<ir::Attributes> MergeAttributes(const Instructions& all);
  StatusOr<std::vector<ir::Computation*>> MergeCalled(const Instructions& all,
                                                      absl::Span<const ir::Shape* const> operands);
  StatusOr<ir::Shape> ShapeOf(const Instructions& all, absl::Span<const ir::Shape* const> operands,
                              const ir::Attributes& attributes,
                              absl::Span<ir::Computation* const> called);
  // The shape with extents of its own, but for those that are given.
  ir::Shape Declared(const Instructions& all, absl::Span<const std::optional<ir::Dim>> given = {});
  Status RequireShape(const Instructions& all, const ir::Shape& inferred);
  Status Unify(const ir::Shape& a, const ir::Shape& b, const Instructions& all);
  Status MergeEntryLayout(ir::Module* module) const;
  template <typename... Args>
  Status Differ(const Instructions& all, const Args&... args) const;

  const absl::Span<const ir::Module* const> lowerings_;
  const LearnOptions& options_;
  Extents* const extents_;
  std::unique_ptr<ir::Module> module_;
  absl::flat_hash_map<Computations, std::vector<Merged>> merged_;
  std::vector<VaryingLiteral> literals_;
  int depth_ = 0;
  int64_t budget_ = 0;  // instructions that may still be made
};

}  // namespace swage::learn

#endif  // SWAGE_COMPILER_LEARN_MERGE_H_
