#include "codegen/program/module_entry.h"

#include <algorithm>
#include <map>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "base/key_material.h"
#include "compiler/ir/bind_symbols.h"
#include "compiler/ir/parser.h"
#include "compiler/ir/printer.h"
#include "compiler/ir/symbol_scope.h"

namespace swage::codegen {
namespace {

using ir::Instruction;
using ir::Literal;

// The entry is a list of named fields, in this order:
//   hlo       the text; every array constant is `constant(@i)`
//   constant  the bytes of constant i
//   kernel    the key of a kernel
//   table     dtype, a space, the bytes: a table of numbers
//   job       kernel;tasks;nanoseconds;dims;tables;sharing;shared extent;coarse tasks  of a fusion;
//             a bar between dims, which may be expressions of the program's symbols, a comma
//             between tables
constexpr std::string_view kHlo = "hlo", kConstant = "constant", kKernel = "kernel",
                           kTable = "table", kJob = "job";

std::string_view BytesOf(const Literal& literal) {
  return {reinterpret_cast<const char*>(literal.bytes().data()), literal.bytes().size()};
}
absl::Span<const uint8_t> BytesOf(std::string_view bytes) {
  return {reinterpret_cast<const uint8_t*>(bytes.data()), bytes.size()};
}

class Writer {
 public:
  std::string Write(const ir::Module& module, const KernelMap& kernels) {
    ir::PrintOptions options;
    options.metadata = false;
    options.inline_elements = 0;  // text would lose the bits of a NaN
    std::vector<const Literal*> constants;
    options.elide = [&](const Instruction& constant) {
      constants.push_back(&constant.literal());
      return absl::StrCat(constants.size() - 1);
    };
    fields_.Add(kHlo, ir::ToText(module, options));
    for (const Literal* constant : constants) fields_.Add(kConstant, BytesOf(*constant));
    std::map<std::string_view, int64_t> numbers;
    std::vector<std::string> tables, jobs;
    for (const Instruction* fusion : Fusions(module)) {
      const KernelJob& job = kernels.at(fusion);
      const auto [kernel, is_new] = numbers.try_emplace(job.key, numbers.size());
      if (is_new) fields_.Add(kKernel, job.key);
      std::vector<size_t> of_job;
      for (const Literal& table : job.tables) {
        of_job.push_back(tables.size());
        tables.push_back(
            absl::StrCat(ToAbsl(ir::DTypeName(table.dtype())), " ", ToAbsl(BytesOf(table))));
      }
      const auto dim_text = [](std::string* out, const ir::Dim& dim) { *out += dim.ToString(); };
      jobs.push_back(absl::StrCat(
          kernel->second, ";", job.sizes.launch.tasks.ToString(), ";", job.nanoseconds, ";",
          absl::StrJoin(job.sizes.dims, "|", dim_text), ";", absl::StrJoin(of_job, ","), ";",
          static_cast<int>(job.sizes.launch.sharing), ";",
          job.sizes.launch.shared_extent.ToString(), ";", job.sizes.launch.flat_tasks.ToString()));
    }
    for (const std::string& table : tables) fields_.Add(kTable, table);
    for (const std::string& job : jobs) fields_.Add(kJob, job);
    return fields_.Serialise();
  }

 private:
  KeyMaterial fields_;
};

class Reader {
 public:
  StatusOr<ModuleEntry> Read(std::string_view bytes) {
    SWAGE_ASSIGN_OR_RETURN(const KeyMaterial fields, KeyMaterial::Parse(bytes));
    std::vector<std::string_view> jobs;
    const std::string* hlo = nullptr;
    for (const KeyField& field : fields.fields()) {
      if (field.name == kHlo) {
        hlo = &field.value;
      } else if (field.name == kConstant) {
        constants_.push_back(field.value);
      } else if (field.name == kKernel) {
        kernels_.push_back(field.value);
      } else if (field.name == kTable) {
        SWAGE_RETURN_IF_ERROR(ReadTable(field.value));
      } else if (field.name == kJob) {
        jobs.push_back(field.value);
      } else {
        return Malformed("an unknown field");
      }
    }
    if (hlo == nullptr) return Malformed("no program");
    ModuleEntry entry;
    SWAGE_ASSIGN_OR_RETURN(entry.module, Parse(*hlo));
    for (const ir::Symbol* symbol : ir::SymbolsOf(*entry.module)) {
      if (symbol->name.empty()) continue;
      SWAGE_RETURN_IF_ERROR(scope_.Declare(symbol->name, symbol->min, symbol->max).status());
    }
    const std::vector<Instruction*> fusions = Fusions(*entry.module);
    if (fusions.size() != jobs.size()) return Malformed("not one kernel for each fusion");
    for (size_t i = 0; i < jobs.size(); ++i) {
      SWAGE_ASSIGN_OR_RETURN(KernelJob job, ReadJob(jobs[i]));
      job.fusion = fusions[i];
      entry.jobs.push_back(std::move(job));
    }
    return entry;
  }

 private:
  static Status Malformed(std::string_view what) {
    return absl::DataLossError(
        absl::StrCat("[cache] a module's entry is malformed: ", ToAbsl(what)));
  }

  StatusOr<std::unique_ptr<ir::Module>> Parse(const std::string& text) const {
    ir::ParseOptions options;
    options.filename = "<cache entry>";
    options.load_constant = [&](std::string_view key, const ir::Shape& shape) -> StatusOr<Literal> {
      size_t i = 0;
      if (!absl::SimpleAtoi(ToAbsl(key), &i) || i >= constants_.size()) {
        return Malformed("no such constant");
      }
      return Literal::FromBytes(shape, BytesOf(constants_[i]));
    };
    return ir::ParseHlo(text, options);
  }

  Status ReadTable(std::string_view field) {
    const size_t space = field.find(' ');
    const std::optional<ir::DType> dtype =
        space == field.npos ? std::nullopt : ir::ParseDType(field.substr(0, space));
    if (!dtype.has_value() || !ir::IsFloat(*dtype)) return Malformed("a table without a type");
    const std::string_view bytes = field.substr(space + 1);
    const int64_t count = static_cast<int64_t>(bytes.size()) / ir::DTypeBytes(*dtype);
    SWAGE_ASSIGN_OR_RETURN(
        Literal table,
        Literal::FromBytes(ir::Shape::Array(*dtype, {ir::Dim(count)}), BytesOf(bytes)));
    tables_.push_back(std::move(table));
    return OkStatus();
  }

  static bool ReadNumbers(absl::string_view text, std::vector<int64_t>* numbers) {
    if (text.empty()) return true;
    for (const absl::string_view part : absl::StrSplit(text, ',')) {
      int64_t number = 0;
      if (!absl::SimpleAtoi(part, &number) || number < 0) return false;
      numbers->push_back(number);
    }
    return true;
  }

  StatusOr<ir::Dim> ReadDim(absl::string_view text) {
    size_t end = 0;
    SWAGE_ASSIGN_OR_RETURN(const ir::Dim dim, ir::ParseDim(ToStd(text), &end, scope_));
    if (end != text.size() || (dim.is_static() && *dim.static_value() < 0)) {
      return Malformed("a kernel's extent");
    }
    return dim;
  }

  StatusOr<KernelJob> ReadJob(std::string_view text) {
    const std::vector<absl::string_view> parts = absl::StrSplit(ToAbsl(text), ';');
    KernelJob job;
    uint64_t kernel = 0;
    int sharing = 0;
    std::vector<int64_t> tables;
    if (parts.size() != 8 || !absl::SimpleAtoi(parts[0], &kernel) ||
        !absl::SimpleAtoi(parts[2], &job.nanoseconds) || !ReadNumbers(parts[4], &tables) ||
        !absl::SimpleAtoi(parts[5], &sharing)) {
      return Malformed("a kernel's numbers");
    }
    if (kernel >= kernels_.size() || job.nanoseconds < 0 || sharing < 0 ||
        sharing > static_cast<int>(emit::Sharing::kSquares)) {
      return Malformed("a kernel's numbers are out of range");
    }
    job.sizes.launch.sharing = static_cast<emit::Sharing>(sharing);
    SWAGE_ASSIGN_OR_RETURN(job.sizes.launch.tasks, ReadDim(parts[1]));
    SWAGE_ASSIGN_OR_RETURN(job.sizes.launch.shared_extent, ReadDim(parts[6]));
    SWAGE_ASSIGN_OR_RETURN(job.sizes.launch.flat_tasks, ReadDim(parts[7]));
    if (!parts[3].empty()) {
      for (const absl::string_view part : absl::StrSplit(parts[3], '|')) {
        SWAGE_ASSIGN_OR_RETURN(const ir::Dim dim, ReadDim(part));
        job.sizes.dims.push_back(dim);
      }
    }
    job.key = kernels_[kernel];
    for (const int64_t table : tables) {
      if (static_cast<size_t>(table) >= tables_.size()) return Malformed("no such table");
      job.tables.push_back(tables_[table]);
    }
    return job;
  }

  std::vector<std::string_view> constants_, kernels_;
  std::vector<Literal> tables_;
  ir::SymbolScope scope_;
};

}  // namespace

std::vector<Instruction*> Fusions(const ir::Module& module) {
  std::vector<Instruction*> fusions;
  for (const ir::Computation* computation : module.ExecutedComputations()) {
    for (Instruction* instruction : computation->Instructions()) {
      if (instruction->opcode() == ir::Opcode::kFusion) fusions.push_back(instruction);
    }
  }
  std::sort(fusions.begin(), fusions.end(),
            [](const Instruction* a, const Instruction* b) { return a->name() < b->name(); });
  return fusions;
}

std::string EncodeModuleEntry(const ir::Module& module, const KernelMap& kernels) {
  return Writer().Write(module, kernels);
}

StatusOr<ModuleEntry> DecodeModuleEntry(std::string_view bytes) { return Reader().Read(bytes); }

}  // namespace swage::codegen
