#include "tools/exit_code.h"

#include <cstdio>

namespace swage::tools {

ExitCode ExitCodeOf(absl::StatusCode code) {
  switch (code) {
    case absl::StatusCode::kOk:
      return kFine;
    case absl::StatusCode::kInvalidArgument:
    case absl::StatusCode::kNotFound:
    case absl::StatusCode::kResourceExhausted:
    case absl::StatusCode::kUnimplemented:
    case absl::StatusCode::kFailedPrecondition:
    case absl::StatusCode::kOutOfRange:
    case absl::StatusCode::kPermissionDenied:
    case absl::StatusCode::kUnavailable:
      return kUserFault;
    default:
      return kOurFault;
  }
}

ExitCode Finish(const StatusOr<ExitCode>& result) {
  if (result.ok()) return *result;
  const ExitCode code = ExitCodeOf(result.status().code());
  fprintf(stderr, "swage: %s%s\n", code == kOurFault ? "internal error: " : "",
          std::string(result.status().message()).c_str());
  return code;
}

}  // namespace swage::tools
