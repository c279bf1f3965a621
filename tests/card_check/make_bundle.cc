// card_bundle: writes the bundle of the card check.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <filesystem>

#include "base/files.h"
#include "base/regex.h"
#include "codegen/build_info.h"
#include "tests/card_check/bundle_maker.h"
#include "tests/card_check/timing_programs.h"

namespace swage::card {
namespace {

struct Options {
  std::string out, corpus = "tests/corpus", filter, programs;
  bool no_card_sizes = false, plant_failure = false, verbose = false;
};

StatusOr<std::vector<std::string>> ModulesBelow(const std::string& folder) {
  std::error_code error;
  std::vector<std::string> paths;
  for (std::filesystem::recursive_directory_iterator it(folder, error), end; !error && it != end;
       it.increment(error)) {
    if (it->path().extension() == ".hlo") paths.push_back(it->path().string());
  }
  if (error) return NotFound("[card check] cannot list ", folder, ": ", error.message());
  std::sort(paths.begin(), paths.end());
  return paths;
}

// One bit of the last kernel's first result: a check that is worth anything says so.
Status PlantFailure(Bundle* bundle) {
  for (auto kernel = bundle->kernels.rbegin(); kernel != bundle->kernels.rend(); ++kernel) {
    std::string& expected = kernel->results[0].expected;
    if (kernel->results[0].tolerance > 0 || expected.empty()) continue;
    expected[expected.size() / 2] ^= 1;
    std::printf("planted: %s\n", kernel->name.c_str());
    return OkStatus();
  }
  return InvalidArgument("[card check] no kernel whose bits are compared, to plant a failure in");
}

// "softmax/f32/16384x4096" as FOLDER/softmax-f32-16384x4096.hlo.
Status WritePrograms(const std::string& folder) {
  SWAGE_RETURN_IF_ERROR(MakeDirectories(folder));
  for (const TimingProgram& program : TimingPrograms(/*small=*/false)) {
    std::string name = program.name;
    std::replace(name.begin(), name.end(), '/', '-');
    SWAGE_RETURN_IF_ERROR(WriteFile(folder + "/" + name + ".hlo", program.hlo));
  }
  return OkStatus();
}

void PrintLeftOut(const BundleMaker& maker) {
  for (const std::string& line : maker.left_out()) std::printf("left out: %s\n", line.c_str());
}

Status Run(const Options& options) {
  if (!options.programs.empty()) return WritePrograms(options.programs);
  if (options.out.empty()) return InvalidArgument("[card check] no file to write is given");
  BundleMaker maker;
  SWAGE_ASSIGN_OR_RETURN(const std::regex filter,
                         ParseRegex(options.filter, "[card check] --filter"));
  SWAGE_ASSIGN_OR_RETURN(const std::vector<std::string> paths, ModulesBelow(options.corpus));
  int matched = 0;
  for (const std::string& path : paths) {
    const auto folder = std::filesystem::relative(path, options.corpus).parent_path();
    if (!std::regex_search(folder.string(), filter)) continue;
    ++matched;
    SWAGE_ASSIGN_OR_RETURN(const std::string text, ReadFile(path));
    SWAGE_RETURN_IF_ERROR(Annotate(maker.AddKernelsOf(text, folder.string()), "; " + path));
  }
  if (options.verbose) PrintLeftOut(maker);
  if (maker.bundle().kernels.empty()) {
    return InvalidArgument("[card check] no kernel: --filter '", options.filter, "' matches ",
                           matched, " of the ", paths.size(), " cases in ", options.corpus,
                           matched == 0 ? "" : ", and what they have is left out; see --verbose");
  }
  SWAGE_RETURN_IF_ERROR(maker.AddTimings(/*small=*/true));
  if (!options.no_card_sizes) SWAGE_RETURN_IF_ERROR(maker.AddTimings(/*small=*/false));
  const size_t left_out = maker.left_out().size();
  Bundle bundle = std::move(maker).Take();
  bundle.built = absl::StrCat("swage, LLVM ", codegen::LlvmVersion());
  if (options.plant_failure) SWAGE_RETURN_IF_ERROR(PlantFailure(&bundle));
  const std::string text = SerialiseBundle(bundle);
  SWAGE_RETURN_IF_ERROR(WriteFileAtomic(options.out, text));
  std::printf("%s: %zu kernels of %zu modules, %zu programs to time, %zu left out%s, %.1f MB\n",
              options.out.c_str(), bundle.kernels.size(), bundle.modules.size(),
              bundle.timings.size(), left_out,
              left_out > 0 && !options.verbose ? " (--verbose says which and why)" : "",
              static_cast<double>(text.size()) * 1e-6);
  return OkStatus();
}

}  // namespace
}  // namespace swage::card

int main(int argc, char** argv) {
  swage::card::Options options;
  CLI::App app("Writes the bundle of the card check");
  app.add_option("out", options.out, "The file to write");
  app.add_option("--corpus", options.corpus, "Folder of modules whose kernels are checked");
  app.add_option("--filter", options.filter, "Only cases whose name has a match of this regex");
  app.add_option("--programs", options.programs,
                 "Writes the programs that are timed on a card into this folder, and no bundle");
  app.add_flag("--no-card-sizes", options.no_card_sizes, "Times only small programs");
  app.add_flag("--plant-failure", options.plant_failure, "Changes one bit of an expected result");
  app.add_flag("--verbose", options.verbose, "Prints what was left out, and why");
  CLI11_PARSE(app, argc, argv);
  const swage::Status status = swage::card::Run(options);
  if (status.ok()) return 0;
  std::fprintf(stderr, "card_bundle: %s\n", std::string(status.message()).c_str());
  return 1;
}
