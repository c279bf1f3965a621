// The `swage` command line: what it can do is in the subcommands, one per file.
#include <CLI/CLI.hpp>
#include <cstdio>
#include <exception>
#include <iostream>
#include <new>
#include <string>
#include <utility>

#include "base/build_id.h"
#include "runtime/version.h"
#include "tools/ab_child.h"
#include "tools/ab_command.h"
#include "tools/buckets_command.h"
#include "tools/cache_command.h"
#include "tools/command.h"
#include "tools/corpus_command.h"
#include "tools/environment.h"
#include "tools/exit_code.h"
#include "tools/library_build_id.h"
#include "tools/opt_command.h"
#include "tools/passes_command.h"
#include "tools/run_command.h"

namespace swage::tools {
namespace {

// No option means anything when it is empty, and a script whose variable is not set would get a
// default.
std::string NotEmpty(const std::string& value) {
  return value.empty() ? "the value is empty, expected one" : "";
}
void RefuseEmptyValues(CLI::App* app) {
  for (CLI::Option* option : app->get_options()) {
    if (option->get_items_expected_max() > 0) option->check(NotEmpty);
  }
  for (CLI::App* part : app->get_subcommands({})) RefuseEmptyValues(part);
}

// What a command gave, unless its output could not be written.
ExitCode FinishOutput(StatusOr<ExitCode> result) {
  std::cout.flush();
  const bool written = std::cout.good() && fflush(stdout) == 0 && ferror(stdout) == 0;
  if (result.ok() && !written) result = ResourceExhausted("[output] cannot write to stdout");
  return Finish(result);
}

// Of arguments that are missing CLI11 complains before it looks at flags that do not exist.
std::string UnknownFlag(const CLI::App& app) {
  for (const std::string& argument : app.remaining(/*recurse=*/true)) {
    if (argument.size() > 1 && argument[0] == '-' && argument != "--") return argument;
  }
  return "";
}

int Main(int argc, char** argv) {
  CLI::App app("Swage: compiles tensor programs to native kernels and caches them by shape",
               "swage");
  std::string version = BuildInfo();
  version.pop_back();  // CLI11 ends the line itself
  app.set_version_flag("--version", version, "Versions of Swage and of what it stands on");
  Action chosen;
  AddAbChildCommand(app, &chosen);
  AddAbCommand(app, &chosen);
  AddBucketsCommand(app, &chosen);
  AddCacheCommand(app, &chosen);
  AddCorpusCommand(app, &chosen);
  AddOptCommand(app, &chosen);
  AddPassesCommand(app, &chosen);
  AddRunCommand(app, &chosen);
  RefuseEmptyValues(&app);
  app.failure_message([&app](const CLI::App*, const CLI::Error& error) {
    const std::string unknown =
        error.get_name() == "RequiredError" ? UnknownFlag(app) : std::string();
    return "swage: " +
           (unknown.empty() ? error.what() : "got '" + unknown + "', which is no option") +
           "; see swage --help\n";
  });
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    // Help and version come here too, and are fine.
    return app.exit(error) == 0 ? FinishOutput(kFine) : kUserFault;
  }
  if (!chosen) {
    fputs(app.help().c_str(), stderr);
    return kUserFault;
  }
  const Status environment = CheckEnvironment();
  return FinishOutput(environment.ok() ? chosen() : StatusOr<ExitCode>(environment));
}

}  // namespace
}  // namespace swage::tools

int main(int argc, char** argv) {
  swage::UseBuildIdOf(swage::tools::kLibraryBuildId);
  try {
    return swage::tools::Main(argc, argv);
  } catch (const std::bad_alloc&) {
    return swage::tools::Finish(swage::ResourceExhausted("out of memory"));
  } catch (const std::exception& error) {
    return swage::tools::Finish(swage::Internal(error.what()));
  }
}
