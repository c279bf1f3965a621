#include "tools/environment.h"

#include "base/log.h"
#include "base/parallel_for.h"
#include "compiler/pipelines/options.h"

namespace swage::tools {

Status CheckEnvironment() {
  CheckEnvironmentOnce();
  SWAGE_RETURN_IF_ERROR(DefaultNumThreads().status());
  return pipelines::OptionsFromEnvironment().status();
}

}  // namespace swage::tools
