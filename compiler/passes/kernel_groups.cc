#include "compiler/passes/kernel_groups.h"

#include <algorithm>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/strings/str_cat.h"
#include "compiler/passes/editor.h"
#include "compiler/passes/kernel_merger.h"

namespace swage::passes {
namespace {

using cost::Picoseconds;
using ir::Instruction;
using ir::Opcode;
using ir::Shape;

// A loop over rows has its own start and end per row, and the rest of a vector.
constexpr int64_t kMinRow = 64;
// Rows per core, below which a loop over rows leaves cores idle at its end.
constexpr int64_t kRowsPerCore = 4;
// Elements that are too few to be shared out at all.
constexpr int64_t kSerial = 16384;
// Arrays that a kernel streams through at once. Hardware follows about so many.
constexpr int64_t kMaxStreams = 16;
// Neighbouring results of a reduction of columns are computed together.
constexpr int64_t kColumnsAtOnce = 256;
// A kernel of more starts than this is not made faster by starting it together with another.
constexpr Picoseconds kSmallLaunches = 8;
// Equal small kernels are compiled once, and a CPU starts one in less than a microsecond: more code
// than this is not worth a start.
constexpr int64_t kMaxIrOpsForAStart = 300;
// Kernels that another is offered to.
constexpr size_t kMaxOffers = 4;
// Rounds over all pairs; the last ones seldom find any.
constexpr int kMaxRounds = 8;

// The place of what is read in two: where they differ, anywhere.
void Meet(const Place& other, Place* place) {
  for (size_t d = 0; d < other.size(); ++d) {
    if ((*place)[d] != other[d]) (*place)[d] = kAnywhere;
  }
}

// Whether two reads are of the same element.
bool IsSameRead(const Place& a, const Place& b, const Shape& shape) {
  return a == b && LeadingAxes(a, shape) == shape.rank();
}

Shape ArrayOf(absl::Span<const ir::Dim> dims) { return Shape::Array(ir::DType::kF32, dims); }

// What a GPU computes side by side.
double ParallelOf(const KernelFigures& figures) {
  if (figures.reduce != nullptr) return cost::ParallelElements(*figures.reduce, figures.reduce);
  return static_cast<double>(cost::ElementsClass(ArrayOf(figures.space)));
}

// Bytes of `value` between two reads of one element by kernels that read it at `a` and `b`.
double ReuseBytes(const Instruction& value, const Place& a, const Place& b, Hero hero) {
  const Shape& shape = value.shape();
  double bytes = ir::DTypeBytes(shape.dtype());
  if (hero == Hero::kColumns) bytes *= kColumnsAtOnce;
  for (int d = 0; d < shape.rank(); ++d) {
    if (a[d] != b[d] || a[d] == kAnywhere) {
      bytes *= static_cast<double>(cost::ExtentClass(shape.dim(d)));
    }
  }
  return bytes;
}

bool IsKernel(const Instruction& instruction) {
  if (instruction.opcode() != Opcode::kFusion || HasControlEdges(instruction)) return false;
  if (instruction.shape().is_array()) return instruction.IsRoot() || !instruction.users().empty();
  return !instruction.IsRoot() && !instruction.users().empty() &&
         std::all_of(instruction.users().begin(), instruction.users().end(),
                     [](const Instruction* user) {
                       return user->opcode() == Opcode::kGetTupleElement &&
                              user->shape().is_array() && !HasControlEdges(*user);
                     });
}

}  // namespace

KernelGroups::KernelGroups(ir::Computation* computation, const cost::DeviceDescription& device,
                           std::string_view pass, std::vector<FusionDecision>* decisions)
    : computation_(computation),
      post_order_(computation->PostOrder()),
      device_(device),
      pass_(pass),
      decisions_(decisions),
      first_decision_(decisions->size()),
      launch_(cost::LaunchTime(device)),
      order_(*computation),
      group_of_(computation->slot_count()) {
  for (Instruction* instruction : post_order_) {
    if (IsKernel(*instruction)) AddKernel(instruction);
  }
}

double KernelGroups::BytesOf(const Instruction* value) const {
  return static_cast<double>(cost::BytesClass(value->shape()));
}

void KernelGroups::AddKernel(Instruction* fusion) {
  KernelGroup& group = groups_.emplace_back();
  group.position = static_cast<int64_t>(groups_.size());
  group.members = {fusion};
  group.figures = FiguresOf(*fusion, device_);
  for (const KernelFigures::Read& read : std::exchange(group.figures.reads, {})) {
    KernelGroup::Read& total = *group.reads.Insert(read.value, {0, read.place}).first;
    total.utilisation += read.utilisation;
    Meet(read.place, &total.place);
  }
  for (const Instruction* output : OutputsOf(fusion)) {
    ++group.outputs;
    group.written_bytes += BytesOf(output);
    if (output->shape().is_array() &&
        output->shape().rank() != static_cast<int>(group.figures.space.size())) {
      group.has_rows = true;
    }
  }
  Merged alone;
  alone.figures = group.figures;
  alone.written_bytes = group.written_bytes;
  for (const auto& [value, read] : group.reads) {
    alone.distinct_bytes += std::min(1.0, read.utilisation) * BytesOf(value);
    alone.total_bytes += read.utilisation * BytesOf(value);
  }
  group.time = TimeOf(alone);
  group_of_[fusion->slot()] = &group;
}

std::vector<KernelGroup*> KernelGroups::Groups() {
  std::vector<KernelGroup*> groups;
  for (KernelGroup& group : groups_) {
    if (!group.is_merged_away) groups.push_back(&group);
  }
  return groups;
}

KernelGroup* KernelGroups::MakerOf(const Instruction* value) const {
  if (value->opcode() == Opcode::kGetTupleElement) value = value->operand(0);
  return group_of_[value->slot()];
}

std::vector<KernelGroup*> KernelGroups::ReadersOf(const Instruction* value) {
  std::vector<KernelGroup*> readers;
  absl::flat_hash_set<const KernelGroup*> seen;
  for (const Instruction* user : value->users()) {
    KernelGroup* group = group_of_[user->slot()];
    if (group != nullptr && seen.insert(group).second) readers.push_back(group);
  }
  steps_ += static_cast<int64_t>(value->users().size());
  return readers;
}

bool KernelGroups::StaysInside(const Instruction* value, const KernelGroup& a,
                               const KernelGroup& b) {
  if (value->IsRoot()) return false;
  return std::all_of(value->users().begin(), value->users().end(), [&](const Instruction* user) {
    ++steps_;
    const KernelGroup* reader = group_of_[user->slot()];
    return reader == &a || reader == &b;
  });
}

std::optional<Veto> KernelGroups::CheckSpaces(const KernelGroup& a, const KernelGroup& b) const {
  for (const KernelGroup* group : {&a, &b}) {
    if (*group->figures.apart != '\0') return Veto{"kept-apart", group->figures.apart};
  }
  const ir::Dims &x = a.figures.space, &y = b.figures.space;
  if (SameSpace(x, y) || AreRowsOf(x, y) || AreRowsOf(y, x)) return std::nullopt;
  return Veto{"outputs-of-several-shapes",
              absl::StrCat("one loop nest cannot write ", ToAbsl(ArrayOf(x).ToString(false)),
                           " and ", ToAbsl(ArrayOf(y).ToString(false)))};
}

std::optional<Veto> KernelGroups::CheckHeroes(const KernelGroup& a, const KernelGroup& b) const {
  const Instruction *x = a.figures.reduce, *y = b.figures.reduce;
  if (x != nullptr && y != nullptr && !ReduceAlike(*x, *y)) {
    return Veto{"reduces-differ",
                absl::StrCat(x->name(), " and ", y->name(), " need loops of their own")};
  }
  if (SameSpace(a.figures.space, b.figures.space)) return std::nullopt;
  // One gives a value per row of the other's space: by reducing these rows, or it wants no loop
  // over rows.
  const KernelGroup& rows = AreRowsOf(a.figures.space, b.figures.space) ? a : b;
  const KernelGroup& full = &rows == &a ? b : a;
  const Instruction* reduce = rows.figures.reduce;
  if (rows.figures.hero != Hero::kRows ||
      !SameSpace(reduce->operand(0)->shape().dims(), full.figures.space)) {
    return Veto{"rows-of-another-kind", "the smaller outputs are not reduced from such rows"};
  }
  return std::nullopt;
}

std::optional<Veto> KernelGroups::CheckRows(const KernelGroup& a, const KernelGroup& b,
                                            const Merged& merged) const {
  const auto is_plain = [&](const KernelGroup& group) {
    return group.figures.hero == Hero::kNone &&
           group.figures.space.size() == merged.figures.space.size();
  };
  const Instruction* reduce = merged.figures.reduce;
  if (reduce == nullptr || merged.figures.hero == Hero::kColumns) return std::nullopt;
  if (!is_plain(a) && !is_plain(b)) return std::nullopt;
  const KernelGroup& plain = is_plain(a) ? a : b;
  // What had the lanes for itself becomes part of a loop over rows.
  const ir::Shape& input = reduce->operand(0)->shape();
  const int64_t row = cost::ExtentClass(input.dim(input.rank() - 1));
  if (row < kMinRow) {
    return Veto{"short-rows", absl::StrCat("rows of ", row, " elements, at least ", kMinRow)};
  }
  const bool is_tile = SameSpace(input.dims(), merged.figures.space);
  if (!is_tile && plain.figures.is_expensive) {
    return Veto{"lanes-lost", "functions would be computed for one row at a time"};
  }
  const int64_t rows = cost::ElementsClass(reduce->shape());
  if (rows < kRowsPerCore * device_.cores && row * rows > kSerial) {
    return Veto{"few-rows", absl::StrCat(rows, " rows, at least ", kRowsPerCore, " per core")};
  }
  return std::nullopt;
}

std::optional<Veto> KernelGroups::CheckLinks(const KernelGroup& maker,
                                             const KernelGroup& reader) const {
  for (const auto& [value, read] : reader.reads) {
    if (MakerOf(value) != &maker) continue;
    const int rank = value->shape().rank();
    const int axes = LeadingAxes(read.place, value->shape());
    const bool in_step = axes == rank;
    const bool in_row =
        axes + 1 == rank && maker.figures.hero == Hero::kNone && reader.figures.hero == Hero::kRows;
    if (!in_step && !in_row) {
      return Veto{"not-at-the-element",
                  absl::StrCat(value->name(), " is not read where the output is computed")};
    }
  }
  return std::nullopt;
}

std::optional<Veto> KernelGroups::CheckLimits(const Merged& merged, MergeGain gain) const {
  const int64_t buffers = merged.operands + merged.outputs;
  if (buffers > kMaxOperandsAndOutputs) {
    return Veto{"too-many-operands",
                absl::StrCat(buffers, " operands and outputs, at most ", kMaxOperandsAndOutputs)};
  }
  if (merged.figures.instructions > kMaxFusionInstructions) {
    return Veto{"too-many-instructions",
                absl::StrCat(merged.figures.instructions, " instructions, at most ",
                             kMaxFusionInstructions)};
  }
  const bool is_cheap_start = gain == MergeGain::kLaunch && !device_.is_gpu();
  const int64_t most = is_cheap_start ? kMaxIrOpsForAStart : kMaxFusionIrOps;
  if (merged.figures.ir_ops > most) {
    return Veto{"too-much-code", absl::StrCat("about ", merged.figures.ir_ops,
                                              " operations of code, at most ", most)};
  }
  const double bytes = merged.distinct_bytes + merged.written_bytes;
  if (buffers > kMaxStreams && bytes > static_cast<double>(device_.l2.bytes)) {
    return Veto{"too-many-streams",
                absl::StrCat(buffers, " arrays at once, at most ", kMaxStreams)};
  }
  return std::nullopt;
}

void KernelGroups::AddReads(const KernelGroup& from, const KernelGroup& other, bool count_shared,
                            Merged* merged) {
  const double cache =
      static_cast<double>(device_.is_gpu() ? device_.l1.bytes : device_.l2.bytes) / 4;
  for (const auto& [value, read] : from.reads) {
    ++steps_;
    if (!value->shape().is_array()) continue;
    const double bytes = BytesOf(value);
    const double once = std::min(1.0, read.utilisation) * bytes;
    if (MakerOf(value) == &other) {
      // It stays in registers; a row is computed again where a reduction wants all of it.
      merged->saved_bytes += once;
      if (LeadingAxes(read.place, value->shape()) < value->shape().rank()) {
        merged->figures.cycles += read.utilisation * other.figures.cycles;
      }
      continue;
    }
    const KernelGroup::Read* shared = other.reads.Find(value);
    if (shared == nullptr) {
      ++merged->operands;
      merged->distinct_bytes += once;
      merged->total_bytes += read.utilisation * bytes;
      continue;
    }
    if (!count_shared) continue;  // the other one did
    ++merged->operands;
    const double reuse = ReuseBytes(*value, read.place, shared->place, merged->figures.hero);
    const double others = std::min(1.0, shared->utilisation) * bytes;
    merged->total_bytes += bytes * (IsSameRead(read.place, shared->place, value->shape())
                                        ? std::max(read.utilisation, shared->utilisation)
                                        : read.utilisation + shared->utilisation);
    const double saved = reuse <= cache ? std::min(once, others) : 0;
    merged->distinct_bytes += once + others - saved;
    if (!value->shape().is_scalar()) merged->saved_bytes += saved;
  }
}

KernelGroups::Merged KernelGroups::Merge(const KernelGroup& a, const KernelGroup& b) {
  Merged merged;
  const KernelGroup& wide = a.figures.space.size() >= b.figures.space.size() ? a : b;
  merged.figures.space = wide.figures.space;
  const KernelGroup& hero = a.figures.reduce != nullptr ? a : b;
  merged.figures.hero = hero.figures.hero;
  merged.figures.reduce = hero.figures.reduce;
  merged.figures.cycles = a.figures.cycles + b.figures.cycles;
  merged.figures.ir_ops = a.figures.ir_ops + b.figures.ir_ops;
  merged.figures.instructions = a.figures.instructions + b.figures.instructions;
  merged.figures.is_expensive = a.figures.is_expensive || b.figures.is_expensive;
  merged.has_rows = a.has_rows || b.has_rows || a.figures.space.size() != b.figures.space.size();
  AddReads(a, b, /*count_shared=*/true, &merged);
  AddReads(b, a, /*count_shared=*/false, &merged);
  merged.outputs = a.outputs + b.outputs;
  merged.written_bytes = a.written_bytes + b.written_bytes;
  for (const auto& [from, to] : {std::pair(&a, &b), std::pair(&b, &a)}) {
    for (const auto& [value, read] : to->reads) {
      if (MakerOf(value) != from || !StaysInside(value, a, b)) continue;
      --merged.outputs;
      merged.written_bytes -= BytesOf(value);
      merged.saved_bytes += BytesOf(value);
    }
  }
  merged.time = TimeOf(merged);
  return merged;
}

Picoseconds KernelGroups::TimeOf(const Merged& merged) const {
  return cost::ExecutionTime(merged.figures.cycles, {merged.distinct_bytes, merged.total_bytes},
                             merged.written_bytes, device_, ParallelOf(merged.figures));
}

std::optional<Veto> KernelGroups::Check(const KernelGroup& a, const KernelGroup& b) {
  std::optional<Veto> veto = CheckSpaces(a, b);
  if (!veto.has_value()) veto = CheckHeroes(a, b);
  if (!veto.has_value()) veto = CheckLinks(a, b);
  if (!veto.has_value()) veto = CheckLinks(b, a);
  return veto;
}

bool KernelGroups::TryMerge(KernelGroup* a, KernelGroup* b, MergeGain gain) {
  if (a == b) return false;
  if (a->position > b->position) std::swap(a, b);
  FusionDecision decision{pass_, a->members[0]->name(), b->members[0]->name()};
  decision.time_unfused = a->time + b->time + 2 * launch_;
  std::optional<Veto> veto = Check(*a, *b);
  Merged merged;
  if (!veto.has_value()) {
    merged = Merge(*a, *b);
    decision.time_fused = merged.time + launch_;
    decision.priority = decision.time_unfused - decision.time_fused;
    veto = CheckRows(*a, *b, merged);
    if (!veto.has_value()) veto = CheckLimits(merged, gain);
  }
  const bool saves = gain == MergeGain::kLaunch
                         ? std::max(a->time, b->time) <= kSmallLaunches * launch_
                         : merged.saved_bytes > 0;
  if (!veto.has_value() && saves && decision.priority > 0 &&
      !order_.CanMerge(a->members[0], b->members[0])) {
    veto = Veto{"cycle", "others may lie between them"};
  }
  if (veto.has_value()) {
    decision.rule = veto->rule;
    decision.reason = std::move(veto->reason);
  } else if (!saves || decision.priority <= 0) {
    decision.reason = "not profitable";
  } else {
    decision.fused = true;
    order_.Merge(a->members[0], b->members[0]);
    Accept(a, b, merged);
  }
  decisions_->push_back(std::move(decision));
  return decisions_->back().fused;
}

bool KernelGroups::OfferTo(std::vector<KernelGroup*>* open, KernelGroup* kernel, MergeGain gain) {
  if (kernel->is_merged_away) return false;
  const size_t first = open->size() > kMaxOffers ? open->size() - kMaxOffers : 0;
  for (size_t i = open->size(); i-- > first;) {
    KernelGroup*& other = (*open)[i];
    if (other->is_merged_away || !TryMerge(other, kernel, gain)) continue;
    if (other->is_merged_away) other = kernel;
    return true;
  }
  open->push_back(kernel);
  return false;
}

void KernelGroups::Accept(KernelGroup* a, KernelGroup* b, const Merged& merged) {
  for (Instruction* member : b->members) group_of_[member->slot()] = a;
  a->members.insert(a->members.end(), b->members.begin(), b->members.end());
  for (const auto& [value, read] : b->reads) {
    const auto [total, is_new] = a->reads.Insert(value, read);
    if (is_new) continue;
    total->utilisation = IsSameRead(total->place, read.place, value->shape())
                             ? std::max(total->utilisation, read.utilisation)
                             : total->utilisation + read.utilisation;
    Meet(read.place, &total->place);
  }
  std::vector<Instruction*> inside;
  for (const auto& [value, read] : a->reads) {
    if (MakerOf(value) == a) inside.push_back(value);
  }
  for (Instruction* value : inside) a->reads.Erase(value);
  a->figures = merged.figures;
  a->written_bytes = merged.written_bytes;
  a->outputs = merged.outputs;
  a->has_rows = merged.has_rows;
  a->time = merged.time;
  const int64_t position = a->position;
  *b = KernelGroup();
  b->is_merged_away = true;
  b->position = position;
}

void KernelGroups::ForgetRefusals() {
  const auto first = decisions_->begin() + static_cast<std::ptrdiff_t>(first_decision_);
  decisions_->erase(std::remove_if(first, decisions_->end(),
                                   [](const FusionDecision& decision) { return !decision.fused; }),
                    decisions_->end());
}

StatusOr<bool> KernelGroups::Build() {
  if (std::none_of(groups_.begin(), groups_.end(),
                   [](const KernelGroup& group) { return group.members.size() > 1; })) {
    return false;
  }
  absl::flat_hash_map<const Instruction*, size_t> position;  // slots change while kernels merge
  for (size_t i = 0; i < post_order_.size(); ++i) position.emplace(post_order_[i], i);
  std::vector<ir::Computation*> hollow;
  for (KernelGroup& group : groups_) {
    if (group.members.size() < 2) continue;
    std::sort(
        group.members.begin(), group.members.end(),
        [&](const Instruction* a, const Instruction* b) { return position[a] < position[b]; });
    SWAGE_RETURN_IF_ERROR(MergeKernels(group.members, &hollow).status());
  }
  SWAGE_RETURN_IF_ERROR(computation_->module()->RemoveComputations(hollow));
  return true;
}

StatusOr<bool> MergeInRounds(ir::Module& module, PassContext& context, std::string_view pass,
                             FunctionRef<bool(KernelGroups&)> merge_all, int64_t* steps) {
  SWAGE_RET_CHECK(context.device() != nullptr, ToAbsl(pass), " needs a device description");
  bool changed = false;
  for (ir::Computation* computation : module.ExecutedComputations()) {
    KernelGroups groups(computation, *context.device(), pass, context.fusion_decisions());
    for (int round = 0; round < kMaxRounds; ++round) {
      groups.ForgetRefusals();
      if (!merge_all(groups)) break;
    }
    *steps += groups.steps();
    SWAGE_ASSIGN_OR_RETURN(const bool built, groups.Build());
    changed |= built;
  }
  return changed;
}

}  // namespace swage::passes
