#include "compiler/passes/reduction_splitter.h"

#include <algorithm>
#include <iterator>
#include <optional>

#include "compiler/cost/cost_model.h"
#include "compiler/passes/combiner_match.h"
#include "compiler/passes/match.h"
#include "compiler/passes/padding/fill.h"
#include "compiler/passes/rewrite_each.h"

namespace swage::passes {
namespace {

using ir::Dim;
using ir::DimList;
using ir::Instruction;
using ir::Opcode;

// A shorter row is not worth a result of its own, nor are fewer rows.
constexpr int64_t kMinRow = 32;
constexpr double kMinRows = 8;
// Results of a reduce are shared out to the cores of a CPU, where there are enough of them and of
// what they are made of.
constexpr double kResultsPerCore = 2;
constexpr double kSharedElements = 1 << 18;

bool IsWorthIt(const Instruction& reduce, const cost::DeviceDescription& device) {
  const ir::Shape& input = reduce.operand(0)->shape();
  const int64_t row = cost::ExtentClass(input.dim(input.rank() - 1));
  const auto elements = static_cast<double>(cost::ElementsClass(input));
  const auto results = static_cast<double>(cost::ElementsClass(reduce.shape()));
  if (row < kMinRow || elements < kMinRows * static_cast<double>(row) * std::max(results, 1.0)) {
    return false;
  }
  if (!device.is_gpu()) {
    return results < kResultsPerCore * device.cores && elements >= kSharedElements;
  }
  // Half of the threads that the card holds.
  return cost::ParallelElements(reduce, &reduce) < 0.5 * device.cores * device.gpu.threads;
}

Instruction* Split(Instruction& reduce, Editor& editor, const cost::DeviceDescription& device) {
  if (!IsOp(&reduce, Opcode::kReduce) || reduce.operand_count() != 2) return nullptr;
  Instruction* x = reduce.operand(0);
  const int64_t minor = x->shape().rank() - 1;
  const DimList& reduced = reduce.dimensions();
  const std::optional<Opcode> op = CombinerOp(*reduce.to_apply());
  if (!op.has_value() || reduced.size() < 2 || !IsWorthIt(reduce, device) || !Has(reduced, minor)) {
    return nullptr;
  }
  const ir::DType dtype = reduce.shape().dtype();
  std::optional<ir::Literal> identity = padding::IdentityOf(*op, dtype);
  if (!identity.has_value()) return nullptr;
  const auto dims = x->shape().dims();
  ir::Dims rows(dims.begin(), dims.end() - 1);
  Instruction* row_results = editor.Add(Opcode::kReduce, ir::Shape::Array(dtype, rows),
                                        {x, editor.Constant(*std::move(identity))},
                                        ir::DimensionsAttrs{{minor}}, reduce.called());
  rows.push_back(Dim(1));
  DimList others;
  std::copy_if(reduced.begin(), reduced.end(), std::back_inserter(others),
               [&](int64_t d) { return d != minor; });
  const auto given = reduce.shape().dims();
  ir::Dims result(given.begin(), given.end());
  result.push_back(Dim(1));
  Instruction* joined = editor.Add(Opcode::kReduce, ir::Shape::Array(dtype, result),
                                   {editor.Reshape(row_results, rows), reduce.operand(1)},
                                   ir::DimensionsAttrs{others}, reduce.called());
  return editor.Reshape(joined, given);
}

}  // namespace

StatusOr<bool> ReductionSplitter::Run(ir::Module& module, PassContext& context) {
  SWAGE_RET_CHECK(context.device() != nullptr, "reduction-splitter needs a device description");
  const cost::DeviceDescription& device = *context.device();
  if (device.cores < 2) return false;
  return RewriteEach(module,
                     [&](Instruction& op, Editor& editor) { return Split(op, editor, device); },
                     {Opcode::kReduce});
}

}  // namespace swage::passes
