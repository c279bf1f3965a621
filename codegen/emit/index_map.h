// File: codegen/emit/index_map.h
//
// Index expressions: where a value is read, as a function of the loop axes of a kernel.
//
// An expression is a sum  c0 + c1*atom1 + c2*atom2 + ...  whose coefficients are Dims (constants or
// run-time extents). An atom is an axis, floordiv or mod by a Dim, a clamped expression, or a
// scalar that the program computes (the start of a dynamic-slice). Everything is interned in one
// arena, so equal expressions have equal ids and values can be memoised by (instruction, index,
// guard).
//
// Axes run over [0, extent). The arena simplifies with that knowledge: (i*b + j) / b is i when
// 0 <= j < b, and x/b*b + x%b is x; a linear walk through a reshape stays linear.
//
// A guard is a set of expressions that must all be >= 0; guard 0 holds always. Under a guard that
// does not hold, an index may be anything, and no memory is touched.
#ifndef SWAGE_CODEGEN_EMIT_INDEX_MAP_H_
#define SWAGE_CODEGEN_EMIT_INDEX_MAP_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/inlined_vector.h"
#include "absl/types/span.h"
#include "compiler/ir/dim.h"
#include "compiler/ir/instruction.h"

namespace swage::emit {

using AxisId = int32_t;
using AtomId = int32_t;
using ExprId = int32_t;
using IndexId = int32_t;  // an interned list of expressions, one per dimension
using GuardId = int32_t;

inline constexpr GuardId kAlways = 0;
inline constexpr GuardId kNever = 1;  // holds for no axes

// The axes that an expression depends on, sorted.
using AxisSet = absl::InlinedVector<AxisId, 4>;
AxisSet Union(const AxisSet& a, const AxisSet& b);

enum class AtomKind : uint8_t { kAxis, kFloorDiv, kMod, kClamp, kLoad };

struct Atom {
  AtomKind kind = AtomKind::kAxis;
  AxisId axis = -1;                        // kAxis
  ExprId arg = -1;                         // kFloorDiv, kMod, kClamp
  ir::Dim dim;                             // divisor, or the clamp's upper end (the lower is 0)
  const ir::Instruction* value = nullptr;  // kLoad: an integer array, read at `index`
  IndexId index = -1;
  GuardId guard = kAlways;
  AxisSet axes;
};

struct Term {
  AtomId atom = -1;
  ir::Dim coefficient;
};

struct Expr {
  absl::InlinedVector<Term, 3> terms;  // sorted by atom, no zero coefficient
  ir::Dim constant;
  AxisSet axes;
};

// How an expression moves with the lanes of one axis.
struct LaneStride {
  enum Kind : uint8_t { kUniform, kLinear, kGeneral } kind = kUniform;
  ir::Dim stride;  // kLinear
  bool IsContiguous() const { return kind == kLinear && stride == ir::Dim(1); }
};

class IndexArena {
 public:
  IndexArena();

  AxisId AddAxis(ir::Dim extent);
  ir::Dim extent(AxisId axis) const { return extents_[axis]; }
  int axis_count() const { return static_cast<int>(extents_.size()); }

  ExprId Constant(ir::Dim value);
  ExprId Axis(AxisId axis);
  ExprId Add(ExprId a, ExprId b);
  ExprId Sub(ExprId a, ExprId b);
  ExprId Scale(ExprId a, ir::Dim factor);
  // The sum without the terms whose atom is in `atoms`.
  ExprId Without(ExprId a, absl::Span<const AtomId> atoms);
  // Quotient and remainder of a value that is not negative wherever it is used.
  ExprId FloorDiv(ExprId a, ir::Dim divisor);
  ExprId Mod(ExprId a, ir::Dim divisor);
  // max(0, min(a, high)).
  ExprId Clamp(ExprId a, ir::Dim high);
  // The integer that `value` holds at `index`.
  ExprId Load(const ir::Instruction* value, IndexId index, GuardId guard);

  IndexId Index(absl::Span<const ExprId> exprs);
  absl::Span<const ExprId> Exprs(IndexId index) const { return indices_[index].exprs; }
  // `base` and a >= 0.
  GuardId Require(GuardId base, ExprId a);
  // `base` and 0 <= a < extent.
  GuardId RequireInside(GuardId base, ExprId a, ir::Dim extent);
  absl::Span<const ExprId> Conditions(GuardId guard) const { return guards_[guard].exprs; }

  const Expr& expr(ExprId id) const { return exprs_[id]; }
  const Atom& atom(AtomId id) const { return atoms_[id]; }
  const AxisSet& AxesOfExpr(ExprId id) const { return exprs_[id].axes; }
  const AxisSet& AxesOfIndex(IndexId id) const { return indices_[id].axes; }
  const AxisSet& AxesOfGuard(GuardId id) const { return guards_[id].axes; }
  std::optional<ir::Dim> ConstantValue(ExprId id) const;

  // Bounds over all values of the axes, as Dims; nullopt when unknown.
  std::optional<ir::Dim> Lower(ExprId id) const { return Bound(id, false); }
  std::optional<ir::Dim> Upper(ExprId id) const { return Bound(id, true); }

  LaneStride StrideOf(ExprId id, AxisId lane_axis) const;

  // Row-major offset of an index into an array of these extents, and the way back.
  ExprId Linearise(absl::Span<const ir::Dim> dims, IndexId index);
  IndexId Delinearise(absl::Span<const ir::Dim> dims, ExprId offset);

  std::string ToString(ExprId id) const;

 private:
  struct List {
    std::vector<ExprId> exprs;
    AxisSet axes;
  };
  // A sum under construction.
  struct Sum {
    std::vector<Term> terms;
    ir::Dim constant;
    void Add(AtomId atom, ir::Dim coefficient);
    void Add(const Expr& e, ir::Dim factor);
  };

  ExprId Intern(Sum sum);
  AtomId InternAtom(Atom atom);
  ExprId OfAtom(AtomId atom);
  ExprId InternRaw(Expr expr);
  IndexId InternList(std::vector<ExprId> exprs, std::vector<List>* lists,
                     absl::flat_hash_map<std::vector<ExprId>, int32_t>* table);
  // Replaces c*(x mod b) + c*b*(x div b) by c*x.
  bool JoinQuotient(Sum* sum);
  // Splits e into factor * quotient + rest, with 0 <= rest < factor; false when that is not
  // provable.
  bool SplitByFactor(ExprId e, ir::Dim factor, Sum* quotient, Sum* rest);
  std::optional<ir::Dim> Bound(ExprId id, bool upper) const;
  std::optional<ir::Dim> AtomBound(AtomId id, bool upper) const;

  std::vector<ir::Dim> extents_;
  std::vector<Atom> atoms_;
  std::vector<Expr> exprs_;
  std::vector<List> indices_;
  std::vector<List> guards_;
  absl::flat_hash_map<size_t, std::vector<AtomId>> atom_table_;
  absl::flat_hash_map<size_t, std::vector<ExprId>> expr_table_;
  absl::flat_hash_map<std::vector<ExprId>, int32_t> index_table_;
  absl::flat_hash_map<std::vector<ExprId>, int32_t> guard_table_;
};

// a / b when b divides a for every value of the symbols.
std::optional<ir::Dim> ExactDiv(ir::Dim a, ir::Dim b);

}  // namespace swage::emit

#endif  // SWAGE_CODEGEN_EMIT_INDEX_MAP_H_
