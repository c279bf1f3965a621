#include "bench/programs.h"

#include "absl/strings/str_cat.h"
#include "base/files.h"
#include "codegen/cpu/compile.h"
#include "compiler/ir/parser.h"
#include "tools/random_inputs.h"

namespace swage::bench {

std::string ChainText(int64_t ops, int64_t extent) {
  const std::string shape = absl::StrCat("f32[", extent, "]{0}");
  std::string text =
      absl::StrCat("HloModule chain\n\nENTRY main {\n  x0 = ", shape, " parameter(0)\n");
  for (int64_t i = 0; i < ops; ++i) {
    // Factors near one, and no two literals alike.
    const double literal = (i % 2 == 0 ? 1.0 : -0.05) + static_cast<double>(i) * 1e-6;
    absl::StrAppend(&text, "  c", i, " = f32[] constant(", literal, ")\n  b", i, " = ", shape,
                    " broadcast(c", i, "), dimensions={}\n  ", i + 1 == ops ? "ROOT " : "", "x",
                    i + 1, " = ", shape, i % 2 == 0 ? " multiply(x" : " add(x", i, ", b", i, ")\n");
  }
  return text + "}\n";
}

std::string CorpusText(const std::string& name) {
  const StatusOr<std::string> text =
      ReadFile("tests/corpus/" + name + "/module.hlo", int64_t{1} << 24);
  return text.ok() ? *text : std::string();
}

StatusOr<Program> Program::Compile(const std::string& hlo) {
  SWAGE_ASSIGN_OR_RETURN(std::unique_ptr<ir::Module> module, ir::ParseHlo(hlo, "bench.hlo"));
  SWAGE_ASSIGN_OR_RETURN(const std::vector<ir::Literal> arguments,
                         tools::RandomInputs(*module, /*seed=*/1));
  Program program;
  SWAGE_ASSIGN_OR_RETURN(program.executable_, cpu::Compile(std::move(module), {}));
  for (const ir::Literal& argument : arguments) {
    for (ir::Literal& leaf : ir::Leaves(argument)) program.buffers_.push_back(std::move(leaf));
  }
  for (const ir::Literal& input : program.buffers_) program.inputs_.push_back(input.bytes().data());
  for (const ir::Shape& shape : program.executable_->output_shapes()) {
    SWAGE_ASSIGN_OR_RETURN(ir::Literal output, ir::Literal::Create(shape));
    program.outputs_.push_back(output.mutable_bytes().data());
    program.buffers_.push_back(std::move(output));
  }
  return program;
}

int64_t Program::bytes() const {
  int64_t total = 0;
  for (const ir::Literal& buffer : buffers_) total += static_cast<int64_t>(buffer.bytes().size());
  return total;
}

}  // namespace swage::bench
