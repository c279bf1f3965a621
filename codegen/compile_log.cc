#include "codegen/compile_log.h"

#include "absl/strings/str_format.h"
#include "base/log.h"
#include "base/status.h"

namespace swage::codegen {

void LogCompile(const std::string& name, const CompileReport& report, std::string_view reason) {
  if (!LogEnabled(LogLevel::kInfo)) return;
  if (report.kernels == 0) {  // the interpreter's, or a program of copies
    return Log(LogLevel::kInfo,
               absl::StrFormat("[compile] %s: %s; no kernels", name, ToAbsl(reason)));
  }
  Log(LogLevel::kInfo,
      absl::StrFormat("[compile] %s: %s; %.2f ms (passes %.2f, plan %.2f, llvm %.2f, link %.2f, load %.2f), "
                      "%d kernels, %d from llvm, %d from the cache, %d stored%s",
                      name, ToAbsl(reason), report.total_ms, report.passes_ms, report.plan_ms,
                      report.llvm_ms, report.link_ms, report.load_ms, report.kernels, report.llvm_runs,
                      report.kernel_hits, report.kernel_loads,
                      report.module_load ? "; the program was stored" : ""));
}

}  // namespace swage::codegen
