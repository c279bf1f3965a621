#include "tools/eager.h"

#include <map>
#include <utility>

namespace swage::tools {
namespace {

using Values = std::map<const ir::Instruction*, ir::Literal>;

StatusOr<ir::Literal> RunOne(const RunModule& run, const ir::Instruction& instruction,
                             const std::vector<ir::Literal>& args, const Values& values) {
  switch (instruction.opcode()) {
    case ir::Opcode::kParameter:
      SWAGE_RET_CHECK(instruction.parameter_number() < static_cast<int64_t>(args.size()));
      return args[instruction.parameter_number()];
    case ir::Opcode::kConstant:
      return instruction.literal();
    case ir::Opcode::kTuple: {
      std::vector<ir::Literal> elements;
      for (const ir::Instruction* operand : instruction.operands()) {
        elements.push_back(values.at(operand));
      }
      return ir::Literal::Tuple(std::move(elements));
    }
    case ir::Opcode::kGetTupleElement:
      return values.at(instruction.operand(0)).elements()[instruction.tuple_index()];
    default:
      break;
  }
  SWAGE_ASSIGN_OR_RETURN(const std::unique_ptr<ir::Module> module, ModuleOf(instruction));
  std::vector<ir::Literal> operands;
  for (const ir::Instruction* operand : instruction.operands()) {
    operands.push_back(values.at(operand));
  }
  SWAGE_ASSIGN_OR_RETURN(const std::vector<ir::Literal> leaves, run(*module, operands));
  return ir::FromLeaves(instruction.shape(), leaves);
}

}  // namespace

StatusOr<std::unique_ptr<ir::Module>> ModuleOf(const ir::Instruction& instruction) {
  auto module = std::make_unique<ir::Module>(instruction.name());
  ir::Computation* entry = module->AddComputation("main");
  std::vector<ir::Instruction*> parameters;
  for (int i = 0; i < instruction.operand_count(); ++i) {
    parameters.push_back(entry->AddParameter(i, instruction.operand(i)->shape()));
  }
  std::vector<ir::Computation*> called;
  for (const ir::Computation* computation : instruction.called()) {
    called.push_back(module->CloneComputation(*computation, computation->name()));
  }
  entry->set_root(entry->Add(instruction.opcode(), instruction.shape(), parameters,
                             instruction.attributes(), std::move(called)));
  module->set_entry(entry);
  return module;
}

RunModule RunEagerly(RunModule run) {
  return [run = std::move(run)](
             const ir::Module& module,
             const std::vector<ir::Literal>& args) -> StatusOr<std::vector<ir::Literal>> {
    SWAGE_RET_CHECK(module.entry() != nullptr);
    if (static_cast<int>(args.size()) != module.entry()->parameter_count()) {
      return InvalidArgument("[run] got ", args.size(), " arguments, expected ",
                             module.entry()->parameter_count());
    }
    Values values;
    for (const ir::Instruction* instruction : module.entry()->PostOrder()) {
      SWAGE_ASSIGN_OR_RETURN(values[instruction], RunOne(run, *instruction, args, values));
    }
    return ir::Leaves(values.at(module.entry()->root()));
  };
}

}  // namespace swage::tools
