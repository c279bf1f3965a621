#include "compiler/evaluator/interpreter.h"

#include <utility>

#include "compiler/evaluator/shape_binding.h"

namespace swage::evaluator {
namespace {

// Ops whose value shares the bytes of an operand or of the graph.
bool MakesNoBytes(ir::Opcode opcode) {
  switch (opcode) {
    case ir::Opcode::kBitcast:
    case ir::Opcode::kConstant:
    case ir::Opcode::kCopy:
    case ir::Opcode::kGetTupleElement:
    case ir::Opcode::kOptimizationBarrier:
    case ir::Opcode::kParameter:
    case ir::Opcode::kReshape:
    case ir::Opcode::kTuple:
      return true;
    default:
      return false;
  }
}

bool IsScalarOrTupleOfScalars(const ir::Shape& shape) {
  if (shape.is_scalar()) return true;
  if (!shape.is_tuple()) return false;
  for (const ir::Shape& element : shape.tuple_shapes()) {
    if (!element.is_scalar()) return false;
  }
  return true;
}

// A scalar shape with a lane dimension.
ir::Shape WithLanes(const ir::Shape& shape, int64_t lanes) {
  if (!shape.is_tuple()) return ir::Shape::Array(shape.dtype(), {ir::Dim(lanes)});
  std::vector<ir::Shape> elements;
  for (const ir::Shape& element : shape.tuple_shapes()) {
    elements.push_back(WithLanes(element, lanes));
  }
  return ir::Shape::Tuple(std::move(elements));
}

// Gives reserved bytes back when a run ends early.
class Reservation {
 public:
  explicit Reservation(Budget* budget) : budget_(budget) {}
  Reservation(const Reservation&) = delete;
  ~Reservation() { budget_->Release(bytes_); }
  void Add(int64_t bytes) { bytes_ += bytes; }
  void Release(int64_t bytes) {
    bytes_ -= bytes;
    budget_->Release(bytes);
  }

 private:
  Budget* budget_;
  int64_t bytes_ = 0;
};

}  // namespace

Interpreter::Plan& Interpreter::PlanOf(const ir::Computation& computation) {
  std::unique_ptr<Plan>& plan = plans_[&computation];
  if (plan != nullptr) return *plan;
  plan = std::make_unique<Plan>();
  const std::vector<ir::Instruction*> order = computation.PostOrder();
  absl::flat_hash_map<const ir::Instruction*, int> step_of;
  step_of.reserve(order.size());
  // From the root backwards: what is needed.
  step_of[computation.root()] = 0;
  for (auto it = order.rbegin(); it != order.rend(); ++it) {
    if (!step_of.contains(*it)) continue;
    for (const ir::Instruction* operand : (*it)->operands()) step_of[operand] = 0;
  }
  for (const ir::Instruction* instruction : order) {
    const auto found = step_of.find(instruction);
    if (found == step_of.end()) continue;
    found->second = static_cast<int>(plan->steps.size());
    Step& step = plan->steps.emplace_back();
    step.instruction = instruction;
    for (const ir::Instruction* operand : instruction->operands()) {
      step.operands.push_back(step_of[operand]);
    }
  }
  // From the end backwards: who reads each value last.
  std::vector<bool> read(plan->steps.size(), false);
  for (auto step = plan->steps.rbegin(); step != plan->steps.rend(); ++step) {
    for (int operand : step->operands) {
      if (!read[operand]) step->last_uses.push_back(operand);
      read[operand] = true;
    }
  }
  return *plan;
}

bool Interpreter::CanLift(const ir::Computation& computation, int depth) {
  if (depth > kMaxCallDepth) return false;
  Plan& plan = PlanOf(computation);
  if (plan.liftable.has_value()) return *plan.liftable;
  bool liftable = true;
  for (const Step& step : plan.steps) {
    const ir::Instruction& instruction = *step.instruction;
    const ir::Opcode opcode = instruction.opcode();
    bool fits = ir::IsElementwise(opcode);
    switch (opcode) {
      case ir::Opcode::kCall:
        fits = CanLift(*instruction.called(0), depth + 1);
        break;
      case ir::Opcode::kBitcastConvert:
        fits = ir::DTypeBits(instruction.shape().dtype()) ==
               ir::DTypeBits(instruction.operand(0)->shape().dtype());
        break;
      case ir::Opcode::kConstant:
      case ir::Opcode::kCopy:
      case ir::Opcode::kGetTupleElement:
      case ir::Opcode::kParameter:
      case ir::Opcode::kTuple:
        fits = true;
        break;
      default:
        break;
    }
    liftable = liftable && fits && IsScalarOrTupleOfScalars(instruction.shape());
  }
  plan.liftable = liftable;
  return liftable;
}

StatusOr<ir::Literal> Interpreter::Run(const ir::Computation& computation, Operands args) {
  if (computation.parameter_count() > 0) return RunPlan(computation, args, -1);
  if (const auto found = results_.find(&computation); found != results_.end()) {
    return found->second;
  }
  SWAGE_ASSIGN_OR_RETURN(ir::Literal result, RunPlan(computation, args, -1));
  results_[&computation] = result;
  return result;
}

StatusOr<ir::Literal> Interpreter::RunLifted(const ir::Computation& computation, Operands args,
                                             int64_t lanes) {
  return RunPlan(computation, args, lanes);
}

StatusOr<ir::Literal> Interpreter::RunPlan(const ir::Computation& computation, Operands args,
                                           int64_t lanes) {
  SWAGE_RET_CHECK(computation.root() != nullptr);
  if (static_cast<int>(args.size()) != computation.parameter_count()) {
    return InvalidArgument("[evaluate] computation ", computation.name(), " got ", args.size(),
                           " arguments, expected ", computation.parameter_count());
  }
  if (depth_ >= kMaxCallDepth) {
    return ResourceExhausted("[evaluate] calls are nested deeper than ", kMaxCallDepth,
                             " computations at ", computation.name());
  }
  struct Depth {
    explicit Depth(int* depth) : depth(depth) { ++*depth; }
    ~Depth() { --*depth; }
    int* depth;
  } deeper(&depth_);

  const Plan& plan = PlanOf(computation);
  std::vector<ir::Literal> values(plan.steps.size());
  std::vector<int64_t> bytes(plan.steps.size(), 0);
  Reservation reservation(&budget_);
  int root = -1;
  for (size_t i = 0; i < plan.steps.size(); ++i) {
    const Step& step = plan.steps[i];
    absl::InlinedVector<const ir::Literal*, 4> operands;
    for (int operand : step.operands) operands.push_back(&values[operand]);
    SWAGE_RETURN_IF_ERROR(budget_.CheckTime(*step.instruction));
    SWAGE_ASSIGN_OR_RETURN(values[i], RunStep(*step.instruction, operands, args, lanes, &bytes[i]));
    reservation.Add(bytes[i]);
    for (int last : step.last_uses) {
      if (plan.steps[last].instruction == computation.root()) continue;
      values[last] = ir::Literal();
      reservation.Release(bytes[last]);
      bytes[last] = 0;
    }
    if (step.instruction == computation.root()) root = static_cast<int>(i);
  }
  SWAGE_RET_CHECK(root >= 0, "the root is not among the instructions of ", computation.name());
  return std::move(values[root]);
}

StatusOr<ir::Literal> Interpreter::RunStep(const ir::Instruction& instruction, Operands operands,
                                           Operands args, int64_t lanes, int64_t* bytes) {
  *bytes = 0;
  if (instruction.opcode() == ir::Opcode::kParameter) {
    const int64_t number = instruction.parameter_number();
    SWAGE_RET_CHECK(number >= 0 && number < static_cast<int64_t>(args.size()));
    return *args[number];
  }
  if (lanes < 0) return RunInstruction(instruction, operands, bytes);
  if (instruction.opcode() == ir::Opcode::kConstant) {
    return ir::Literal::Broadcast(instruction.literal(), {ir::Dim(lanes)});
  }
  if (instruction.opcode() == ir::Opcode::kCall) {
    return RunLifted(*instruction.called(0), operands, lanes);
  }
  return EvalOp({instruction, WithLanes(instruction.shape(), lanes), operands, *this});
}

StatusOr<ir::Literal> Interpreter::RunInstruction(const ir::Instruction& instruction,
                                                  Operands operands, int64_t* bytes) {
  *bytes = 0;
  if (instruction.shape().is_static()) {
    if (!MakesNoBytes(instruction.opcode())) {
      SWAGE_RETURN_IF_ERROR(budget_.Reserve(instruction, instruction.shape(), bytes));
    }
    return EvalOp({instruction, instruction.shape(), operands, *this});
  }
  SWAGE_ASSIGN_OR_RETURN(const ir::Shape shape, StaticShape(instruction.shape(), symbols_));
  if (!MakesNoBytes(instruction.opcode())) {
    SWAGE_RETURN_IF_ERROR(budget_.Reserve(instruction, shape, bytes));
  }
  return EvalOp({instruction, shape, operands, *this});
}

}  // namespace swage::evaluator
