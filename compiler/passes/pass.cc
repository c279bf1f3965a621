#include "compiler/passes/pass.h"

#include "compiler/passes/dump.h"

namespace swage::passes {

PassContext::PassContext(CompilerOptions options, const cost::DeviceDescription* device)
    : options_(std::move(options)), device_(device) {}

PassContext::~PassContext() = default;

void PassContext::Log(Severity severity, std::string text) {
  messages_.push_back({severity, std::move(text)});
}

void PassContext::OpenDump(const ir::Module& module) {
  if (dump_ != nullptr || options_.dump_to.empty()) return;
  StatusOr<std::unique_ptr<ModuleDump>> dump = ModuleDump::Create(*this, module.name());
  if (dump.ok()) {
    dump_ = std::move(*dump);
  } else {
    Log(Severity::kWarning, absl::StrCat("[dump] nothing is dumped to '", options_.dump_to,
                                         "': ", dump.status().message()));
    options_.dump_to.clear();
  }
}

void PassContext::CloseDump() { dump_.reset(); }

void PassContext::DumpInside(const Pass& pass, std::string_view label, const ir::Module& module) {
  if (dump_ != nullptr) dump_->TextInside(module, pass.name(), label);
}

void PassContext::DumpFile(std::string_view suffix, std::string_view bytes, std::string_view what) {
  if (dump_ != nullptr) dump_->File(suffix, bytes, what);
}

}  // namespace swage::passes
