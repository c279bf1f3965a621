#include "codegen/cpu/host_target.h"

#include <algorithm>
#include <map>
#include <optional>
#include <vector>

#include "base/env.h"
#include "base/nearest.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Support/CodeGen.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/Target/TargetMachine.h"
#include "llvm/Target/TargetOptions.h"
#include "llvm/TargetParser/Host.h"
#include "llvm/TargetParser/X86TargetParser.h"

#if defined(__SANITIZE_ADDRESS__)
#define SWAGE_ADDRESS_SANITIZER
#elif defined(__has_feature)  // clang's; LLVM's headers define it for every compiler
#if __has_feature(address_sanitizer)
#define SWAGE_ADDRESS_SANITIZER
#endif
#endif

#ifdef SWAGE_ADDRESS_SANITIZER
// LLVM's headers poison memory of its allocators in a build with the address sanitizer, but
// Debian's archives, compiled without it, never lift the poison.
extern "C" __attribute__((visibility("default"), used)) const char* __asan_default_options() {
  return "allow_user_poisoning=0";
}
#endif

namespace swage::cpu {
namespace {

constexpr char kTriple[] = "x86_64-unknown-linux-gnu";
constexpr char kFloor[] = "x86-64-v3";

// What every x86-64 CPU has; LLVM's lists name some of these for some CPUs only.
constexpr std::string_view kBaseline[] = {"64bit", "cmov", "cx8", "fxsr", "mmx", "sse", "sse2"};

// The instruction-set extensions that computation may be compiled to. LLVM also knows system
// features (rdpru, pku ...), which virtual machines hide and kernels never use: they are left out
// of every comparison and every key.
bool IsCompute(std::string_view feature) {
  for (std::string_view prefix : {"amx-", "avx", "sse", "ssse"}) {
    if (feature.starts_with(prefix)) return true;
  }
  for (std::string_view name :
       {"adx",     "aes",    "bmi", "bmi2",      "ccmp", "cf",    "crc32", "cx16",       "egpr",
        "evex512", "f16c",   "fma", "fma4",      "gfni", "lzcnt", "movbe", "ndd",        "nf",
        "pclmul",  "popcnt", "ppx", "push2pop2", "sahf", "tbm",   "vaes",  "vpclmulqdq", "xop"}) {
    if (feature == name) return true;
  }
  for (std::string_view name : kBaseline) {
    if (feature == name) return true;
  }
  return false;
}

// LLVM's list for a CPU, with what its entries imply (x86-64-v4 lists avx512bw but not avx512f).
std::set<std::string> FeaturesOf(const std::string& cpu) {
  llvm::SmallVector<llvm::StringRef, 128> list;
  llvm::X86::getFeaturesForCPU(cpu, list);
  llvm::StringMap<bool> closure;
  for (llvm::StringRef feature : list) {
    closure[feature] = true;
    llvm::X86::updateImpliedFeatures(feature, true, closure);
  }
  std::set<std::string> features(std::begin(kBaseline), std::end(kBaseline));
  for (const auto& entry : closure) {
    const std::string name = entry.getKey().str();
    if (entry.getValue() && IsCompute(name)) features.insert(name);
  }
  return features;
}

std::vector<std::string> KnownCpus(bool only_64_bit = true) {
  llvm::SmallVector<llvm::StringRef, 128> list;
  llvm::X86::fillValidCPUArchList(list, only_64_bit);
  std::vector<std::string> names;
  for (llvm::StringRef name : list) names.push_back(name.str());
  return names;
}

// The features of `wanted` that are not in `available`, as "a, b, c".
std::string Missing(const std::set<std::string>& wanted, const std::set<std::string>& available) {
  std::string missing;
  for (const std::string& feature : wanted) {
    if (available.count(feature) > 0) continue;
    missing += (missing.empty() ? "" : ", ") + feature;
  }
  return missing;
}

// The known CPUs, from the floor up, that a machine with `available` can stand in for.
std::vector<std::string> PossibleCpus(const std::set<std::string>& available) {
  const std::set<std::string> floor = FeaturesOf(kFloor);
  std::vector<std::string> possible;
  for (const std::string& name : KnownCpus()) {
    const std::set<std::string> features = FeaturesOf(name);
    if (Missing(features, available).empty() && Missing(floor, features).empty()) {
      possible.push_back(name);
    }
  }
  return possible;
}

Status CheckFloor(const std::string& cpu, const std::set<std::string>& features) {
  const std::string missing = Missing(FeaturesOf(kFloor), features);
  if (missing.empty()) return OkStatus();
  return InvalidArgument("[cpu] '", cpu,
                         "' is below x86-64-v3, the least that Swage runs on; it lacks ", missing);
}

Status CheckPretended(const std::string& cpu, const std::string& host_cpu,
                      const std::set<std::string>& available) {
  // One of 32 bits is known, but too old.
  const std::vector<std::string> known = KnownCpus(/*only_64_bit=*/false);
  if (std::find(known.begin(), known.end(), cpu) == known.end()) {
    return NotFound("[cpu] SWAGE_CPU names no CPU that LLVM knows: '", cpu, "'",
                    DidYouMean(cpu, KnownCpus()));
  }
  const std::set<std::string> features = FeaturesOf(cpu);
  SWAGE_RETURN_IF_ERROR(CheckFloor(cpu, features));
  const std::string missing = Missing(features, available);
  if (missing.empty()) return OkStatus();
  const std::vector<std::string> possible = PossibleCpus(available);
  std::string nearest;
  for (const std::string& name : NearestNames(cpu, possible)) nearest += ", " + name;
  return InvalidArgument("[cpu] SWAGE_CPU '", cpu, "' is newer than this machine (", host_cpu,
                         "), which lacks ", missing, "; name an older one: x86-64-v3",
                         Missing(FeaturesOf("x86-64-v4"), available).empty() ? ", x86-64-v4" : "",
                         nearest);
}

// Every compute feature that LLVM can detect, and whether this machine has it. Asked once: cpuid is
// slow on virtual machines.
const std::map<std::string, bool>& DetectedFeatures() {
  static const auto* const detected = [] {
    auto* features = new std::map<std::string, bool>;
    for (const auto& entry : llvm::sys::getHostCPUFeatures()) {
      const std::string name = entry.getKey().str();
      if (IsCompute(name)) (*features)[name] = entry.getValue();
    }
    for (std::string_view name : kBaseline) (*features)[std::string(name)] = true;
    return features;
  }();
  return *detected;
}

// Passes that find next to nothing in emitted code and take a quarter of the time of code
// generation: loops carry their addresses already, the CPUs order instructions themselves, and
// masks are computed where they belong. Only LLVM's options can leave them out; Swage's copy of
// LLVM is its own, so nobody else sees that.
void LeaveOutPasses() {
  auto& options = llvm::cl::getRegisteredOptions();
  for (const char* name : {"disable-lsr", "disable-post-ra", "disable-x86-domain-reassignment"}) {
    const auto found = options.find(name);
    if (found != options.end()) static_cast<llvm::cl::opt<bool>*>(found->second)->setValue(true);
  }
}

}  // namespace

void InitializeLlvm() {
  static const bool initialized = [] {
    LLVMInitializeX86TargetInfo();
    LLVMInitializeX86Target();
    LLVMInitializeX86TargetMC();
    LLVMInitializeX86AsmPrinter();
    LeaveOutPasses();
    return true;
  }();
  (void)initialized;
}

StatusOr<const HostTarget*> HostTarget::Get() {
  // Text, not a Status: one object would be shared by all threads.
  struct Found {
    std::optional<HostTarget> target;
    absl::StatusCode code = absl::StatusCode::kOk;
    std::string message;
  };
  static const Found* const found = [] {
    auto* result = new Found;
    StatusOr<HostTarget> target = Resolve(GetEnv("SWAGE_CPU").value_or(""));
    if (target.ok()) {
      result->target = *std::move(target);
    } else {
      result->code = target.status().code();
      result->message = std::string(ToStd(target.status().message()));
    }
    return result;
  }();
  if (!found->target.has_value()) return Status(found->code, found->message);
  return &*found->target;
}

StatusOr<HostTarget> HostTarget::Resolve(const std::string& cpu) {
  std::set<std::string> available;
  for (const auto& [feature, present] : DetectedFeatures()) {
    if (present) available.insert(feature);
  }
  return ResolveFor(cpu, llvm::sys::getHostCPUName().str(), available);
}

StatusOr<HostTarget> HostTarget::ResolveFor(const std::string& cpu, const std::string& host_cpu,
                                            const std::set<std::string>& available) {
  SWAGE_RETURN_IF_ERROR(CheckFloor(host_cpu, available));
  HostTarget target;
  target.cpu_ = cpu.empty() ? host_cpu : cpu;
  target.features_ = available;
  if (!cpu.empty()) {
    SWAGE_RETURN_IF_ERROR(CheckPretended(cpu, host_cpu, available));
    target.features_ = FeaturesOf(cpu);
  }
  // What the CPU's name implies but is absent must be switched off by name.
  std::set<std::string> named = target.features_;
  for (const auto& [feature, present] : DetectedFeatures()) named.insert(feature);
  for (const std::string& feature : named) {
    if (!target.feature_string_.empty()) target.feature_string_ += ',';
    target.feature_string_ += (target.Has(feature) ? '+' : '-') + feature;
  }
  const bool wide = target.Has("avx512f") && target.Has("avx512bw") && target.Has("avx512dq") &&
                    target.Has("avx512vl");
  target.vector_bytes_ = wide ? 64 : 32;
  return target;
}

StatusOr<std::unique_ptr<llvm::TargetMachine>> HostTarget::CreateTargetMachine(
    CodegenLevel level) const {
  InitializeLlvm();
  std::string error;
  const llvm::Target* target = llvm::TargetRegistry::lookupTarget(kTriple, error);
  if (target == nullptr) return Internal("[llvm] no X86 target: ", error);
  llvm::TargetOptions options;
  options.AllowFPOpFusion = llvm::FPOpFusion::Strict;
  options.ExceptionModel = llvm::ExceptionHandling::None;
  const llvm::CodeGenOptLevel effort =
      level == CodegenLevel::kNone ? llvm::CodeGenOptLevel::None : llvm::CodeGenOptLevel::Default;
  std::unique_ptr<llvm::TargetMachine> machine(target->createTargetMachine(
      kTriple, cpu_, feature_string_, options, llvm::Reloc::PIC_, llvm::CodeModel::Small, effort,
      /*JIT=*/true));
  if (machine == nullptr) return Internal("[llvm] cannot generate code for '", cpu_, "'");
  return machine;
}

}  // namespace swage::cpu
