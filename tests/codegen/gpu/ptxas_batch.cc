#include "tests/codegen/gpu/ptxas_batch.h"

#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>

#include "tests/emulated_cuda/ptxas.h"
#include "tests/run_command.h"

namespace swage::gpu {
namespace {

constexpr size_t kBatch = 64;

bool IsNameChar(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '$';
}

// The names that a module declares outside of its functions: its entry and its variables.
std::set<std::string> ModuleNames(const std::string& ptx) {
  std::set<std::string> names;
  int depth = 0;
  std::istringstream lines(ptx);
  for (std::string line; std::getline(lines, line);) {
    const bool entry = line.find(".entry ") != std::string::npos;
    const bool variable = line.rfind(".global ", 0) == 0 || line.rfind(".shared ", 0) == 0 ||
                          line.rfind(".const ", 0) == 0 || line.rfind(".extern ", 0) == 0;
    if (depth == 0 && (entry || variable)) {
      // Up to the parameters, the extents or the value.
      const std::string head = line.substr(0, line.find_first_of("([=;"));
      size_t end = head.size();
      while (end > 0 && !IsNameChar(head[end - 1])) --end;
      size_t begin = end;
      while (begin > 0 && IsNameChar(head[begin - 1])) --begin;
      names.insert(head.substr(begin, end - begin));
    }
    for (const char c : line) depth += c == '{' ? 1 : c == '}' ? -1 : 0;
  }
  return names;
}

// The module with `suffix` behind each of those names.
std::string Renamed(const std::string& ptx, const std::string& suffix) {
  const std::set<std::string> names = ModuleNames(ptx);
  std::string out;
  for (size_t i = 0; i < ptx.size();) {
    if (!IsNameChar(ptx[i])) {
      out += ptx[i++];
      continue;
    }
    size_t end = i;
    while (end < ptx.size() && IsNameChar(ptx[end])) ++end;
    const std::string word = ptx.substr(i, end - i);
    out += word;
    if (names.count(word) > 0) out += suffix;
    i = end;
  }
  return out;
}

std::string SuffixOf(size_t index) { return "_of_" + std::to_string(index); }

// Reads what `ptxas -v` says of each kernel into the results of their modules.
void ReadReport(const std::string& report, std::vector<Assembled>& results) {
  Assembled* current = nullptr;
  std::istringstream lines(report);
  for (std::string line; std::getline(lines, line);) {
    if (line.find("Compiling entry function") != std::string::npos) {
      const size_t at = line.find("_of_");
      current = &results[std::strtoul(line.c_str() + at + 4, nullptr, 10)];
    } else if (const size_t at = line.find("Used "); current != nullptr && at != line.npos) {
      current->registers = std::atoi(line.c_str() + at + 5);
    } else if (int stack = 0, stores = 0, loads = 0;
               current != nullptr &&
               std::sscanf(line.c_str(),
                           " %d bytes stack frame, %d bytes spill stores, %d bytes spill loads",
                           &stack, &stores, &loads) == 3) {
      current->stack_bytes = stack;
      current->spilled_bytes = stores + loads;
    }
  }
}

// Modules [begin, end) in one process. Whether it took them all.
bool Assemble(const std::vector<std::string>& ptx, size_t begin, size_t end,
              const std::string& arch, std::vector<Assembled>& results, std::string* output) {
  std::string folder = std::filesystem::temp_directory_path() / "swage_ptxas_XXXXXX";
  if (mkdtemp(folder.data()) == nullptr) return false;
  std::string command = emulated_cuda::PtxasPath() + " -v -arch=" + arch;
  for (size_t i = begin; i < end; ++i) {
    const std::string path = folder + "/" + std::to_string(i) + ".ptx";
    std::ofstream(path) << Renamed(ptx[i], SuffixOf(i));
    command += " " + path;
  }
  const CommandResult ran = RunCommand(command + " -o /dev/null");
  std::filesystem::remove_all(folder);
  *output = ran.output;
  if (ran.exit_code == 0) ReadReport(ran.output, results);
  return ran.exit_code == 0;
}

}  // namespace

std::vector<Assembled> AssembleAll(const std::vector<std::string>& ptx, const std::string& arch) {
  std::vector<Assembled> results(ptx.size());
  std::string output;
  for (size_t begin = 0; begin < ptx.size(); begin += kBatch) {
    const size_t end = std::min(ptx.size(), begin + kBatch);
    if (Assemble(ptx, begin, end, arch, results, &output)) continue;
    // Which of them it was.
    for (size_t i = begin; i < end; ++i) {
      if (!Assemble(ptx, i, i + 1, arch, results, &output)) {
        results[i].error = output.empty() ? "ptxas did not run" : output;
      }
    }
  }
  return results;
}

}  // namespace swage::gpu
