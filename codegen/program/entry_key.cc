#include "codegen/program/entry_key.h"

#include "base/build_id.h"
#include "base/version.h"
#include "codegen/build_info.h"
#include "compiler/ir/fingerprint.h"

namespace swage::codegen {
namespace {

KeyMaterial Common(std::string_view kind, FunctionRef<void(KeyMaterial*)> add_machine) {
  KeyMaterial key;
  key.Add("kind", kind);
  key.Add("format", kCacheFormatVersion);
  key.Add("build_id", BuildId());
  key.Add("llvm", LlvmVersion());
  add_machine(&key);
  return key;
}

}  // namespace

KeyMaterial KernelKey(FunctionRef<void(KeyMaterial*)> add_machine, CodegenLevel level,
                      const emit::EmitOptions& emitter, const ir::Computation& fusion) {
  KeyMaterial key = Common("kernel", add_machine);
  key.Add("level", level == CodegenLevel::kNone ? "none" : "default");
  key.Add("emitter", emitter.ToString());
  key.Add("kernel", ir::CanonicalText(fusion));
  return key;
}

KeyMaterial KernelKey(const Target& target, CodegenLevel level, const emit::EmitOptions& emitter,
                      const ir::Computation& fusion) {
  return KernelKey([&](KeyMaterial* key) { target.AddMachine(key); }, level, emitter, fusion);
}

KeyMaterial ModuleKey(const Target& target, bool baked_dims, const passes::CompilerOptions& options,
                      const std::string& text) {
  KeyMaterial key = Common("module", [&](KeyMaterial* key) { target.AddMachine(key); });
  target.AddDecisions(&key);
  key.Add("dims", baked_dims ? "baked" : "run-time");
  passes::AddToKey(options, &key);
  key.Add("program", text);
  return key;
}

}  // namespace swage::codegen
