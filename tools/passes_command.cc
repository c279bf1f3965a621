#include "tools/passes_command.h"

#include <CLI/CLI.hpp>
#include <cstdio>
#include <memory>
#include <optional>
#include <regex>
#include <utility>

#include "base/regex.h"
#include "compiler/passes/padding/rule_table.h"
#include "compiler/passes/pipeline.h"
#include "compiler/passes/registry.h"
#include "tools/target.h"

namespace swage::tools {
namespace {

std::string_view DocOf(std::string_view name) {
  for (const passes::PassInfo& info : passes::AllPasses()) {
    if (info.name == name) return info.doc;
  }
  return "";
}

StatusOr<std::optional<std::regex>> ParseFilter(const std::string& text) {
  if (text.empty()) return std::optional<std::regex>();
  SWAGE_ASSIGN_OR_RETURN(std::regex regex, ParseRegex(text, "[passes] --grep"));
  return std::optional<std::regex>(std::move(regex));
}

}  // namespace

StatusOr<ExitCode> RunPasses(const PassesOptions& options) {
  if (options.padding_rules) {
    std::fputs(passes::padding::RuleTable().c_str(), stdout);
    return kFine;
  }
  SWAGE_ASSIGN_OR_RETURN(const cost::DeviceDescription target, TargetNamed(options.target));
  SWAGE_ASSIGN_OR_RETURN(const std::optional<std::regex> filter, ParseFilter(options.grep));
  const std::unique_ptr<passes::Pipeline> pipeline = PipelineFor(target, {});
  int shown = 0;
  for (const passes::PassPlace& place : passes::PlacesOf(*pipeline)) {
    std::string path;
    for (std::string_view outer : place.pipelines) path.append(outer).push_back('/');
    path.append(place.name);
    if (filter.has_value() && !std::regex_search(path, *filter)) continue;
    ++shown;
    const std::string indent(2 * place.pipelines.size(), ' ');
    const std::string name(place.name);
    if (place.pass->IsPipeline()) {
      std::printf("%s%s:\n", indent.c_str(), name.c_str());
    } else {
      std::printf(
          "%s%-*s %s\n", indent.c_str(), static_cast<int>(44 - indent.size()), name.c_str(),
          absl::StrCat(ToAbsl(DocOf(place.name)), place.pass->IsRequired() ? " (required)" : "")
              .c_str());
    }
  }
  if (shown == 0) {
    return InvalidArgument("[passes] --grep '", options.grep, "' matches no pass of ",
                           options.target);
  }
  return kFine;
}

void AddPassesCommand(CLI::App& app, Action* chosen) {
  auto options = std::make_shared<PassesOptions>();
  CLI::App* command = app.add_subcommand("passes", "Lists the passes of a target in their order");
  command->add_option("--target", options->target, "One of " + TargetNames());
  command->add_option("--grep", options->grep,
                      "Only passes whose path matches this regular expression");
  command->add_flag("--padding-rules", options->padding_rules,
                    "Prints what physical-padding does with each op, as a table");
  command->callback([=] { *chosen = [=] { return RunPasses(*options); }; });
}

}  // namespace swage::tools
