#include "tools/command.h"

#include <charconv>
#include <cstdint>
#include <string>
#include <vector>

#include "absl/strings/str_join.h"
#include "base/nearest.h"

namespace swage::tools {

void NeedSubcommand(CLI::App* command, Action* chosen) {
  command->allow_extras();  // CLI11 would complain of them without a list
  command->callback([=] {
    if (!command->get_subcommands().empty()) return;
    std::vector<std::string> names;
    for (const CLI::App* part : command->get_subcommands({})) names.push_back(part->get_name());
    const std::vector<std::string> extra = command->remaining();
    const std::string got = extra.empty() ? "no subcommand" : "'" + extra[0] + "'";
    const std::string hint = extra.empty() ? "" : DidYouMean(extra[0], names);
    const Status status = InvalidArgument("[", command->get_name(), "] got ", got, ", expected ",
                                          absl::StrJoin(names, ", "), hint);
    *chosen = [=] { return StatusOr<ExitCode>(status); };
  });
}

std::string IsSeed(const std::string& text) {
  uint64_t seed;
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, seed);
  if (error == std::errc() && stop == end) return "";
  return "'" + text + "' is no seed, expected a whole number from 0 to 2^64-1";
}

}  // namespace swage::tools
