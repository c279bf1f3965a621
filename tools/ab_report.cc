#include "tools/ab_report.h"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "absl/strings/str_format.h"
#include "base/printable.h"

namespace swage::tools {
namespace {

using Json = nlohmann::json;

std::string Time(double ms) {
  if (ms >= 1000) return absl::StrFormat("%.4g s", ms / 1000);
  if (ms >= 1) return absl::StrFormat("%.4g ms", ms);
  if (ms >= 1e-3) return absl::StrFormat("%.4g us", ms * 1e3);
  return absl::StrFormat("%.4g ns", ms * 1e6);
}

std::vector<double> Sorted(const std::vector<RoundTimes>& rounds) {
  std::vector<double> times;
  for (const RoundTimes& round : rounds) times.insert(times.end(), round.begin(), round.end());
  std::sort(times.begin(), times.end());
  return times;
}

// Each set has two measurements in a round.
double MedianOf(const std::vector<double>& sorted) {
  const size_t half = sorted.size() / 2;
  return (sorted[half - 1] + sorted[half]) / 2;
}

// "1.083" of a logarithm; an end may be infinite.
std::string Ratio(double logarithm) { return absl::StrFormat("%.4f", std::exp(logarithm)); }
std::string Ends(const Interval& interval) {
  if (std::isinf(interval.low)) return "too few pairs";
  return absl::StrCat(Ratio(interval.low), " to ", Ratio(interval.high));
}
std::string Percent(double logarithm) {
  return absl::StrFormat("%.1f %%", 100 * std::abs(std::expm1(logarithm)));
}

// `subject` takes the time that is compared with A's.
std::string VerdictText(const Judgement& judgement, std::string_view subject) {
  const std::string difference = Percent(judgement.effect.estimate);
  switch (judgement.verdict) {
    case AbVerdict::kFaster:
      return absl::StrCat("faster ", ToAbsl(subject), ": ", difference, " less time");
    case AbVerdict::kSlower:
      return absl::StrCat("slower ", ToAbsl(subject), ": ", difference, " more time");
    case AbVerdict::kNotResolved:
      break;
  }
  if (judgement.more_rounds.has_value()) {
    return absl::StrCat("not resolved: about ", 2 * *judgement.more_rounds, " more pairs needed");
  }
  return "not resolved: no difference that any number of pairs within reason would show";
}

// How much of two programs is the same.
std::string CodeText(const AbCode& a, const AbCode& b) {
  std::vector<std::string> both;
  std::set_intersection(a.kernels.begin(), a.kernels.end(), b.kernels.begin(), b.kernels.end(),
                        std::back_inserter(both));
  return absl::StrCat("module: ", a.module == b.module ? "the same" : "differs", ", instructions ",
                      a.instructions, " and ", b.instructions, "; kernels: ", a.kernels.size(),
                      " and ", b.kernels.size(), ", ", both.size(), " of them the same");
}

std::string TimesLine(const char* name, const std::vector<RoundTimes>& rounds) {
  const std::vector<double> sorted = Sorted(rounds);
  return absl::StrFormat("%-9s median %-11s range %s to %s\n", name, Time(MedianOf(sorted)),
                         Time(sorted.front()), Time(sorted.back()));
}

// How much two measurements of identical work differ, in the median.
double TypicalSpread(const Comparison& comparison) {
  std::vector<double> spreads;
  for (size_t i = 0; i < comparison.plain.size(); ++i) {
    for (int half = 0; half < 2; ++half) {
      spreads.push_back(std::abs(std::log(comparison.again[i][half] / comparison.plain[i][half])));
    }
  }
  std::sort(spreads.begin(), spreads.end());
  return MedianOf(spreads);
}

std::string ComparisonText(const AbReport& report, const Comparison& comparison) {
  std::string text = TimesLine("A", comparison.plain);
  text += TimesLine("A again", comparison.again);
  text += TimesLine("B", comparison.other);
  const Judgement& judgement = comparison.judgement;
  absl::StrAppendFormat(&text, "B / A     %s  (%s, %.4g %% confidence)\n",
                        Ratio(judgement.effect.estimate), Ends(judgement.effect),
                        100 * (1 - report.error));
  absl::StrAppendFormat(&text, "A / A     %s  (%s); two runs of A differ by %s in the median\n",
                        Ratio(judgement.same.estimate), Ends(judgement.same),
                        Percent(TypicalSpread(comparison)));
  absl::StrAppendFormat(&text, "%d pairs of each, of at most %d\n", 2 * comparison.plain.size(),
                        2 * report.most_rounds);
  return text;
}

std::string MessagesText(const char* name, const AbAnswer& answer) {
  std::string text;
  for (const std::string& message : answer.messages) {
    absl::StrAppend(&text, name, ": ", message, "\n");
  }
  return text;
}

std::string EndText(const AbReport& report) {
  if (!report.out_of_time) return "";
  return absl::StrFormat("--max-seconds %.4g ended it after %d of %d pairs\n", report.max_seconds,
                         2 * report.rounds, 2 * report.most_rounds);
}

std::string OneText(const AbReport& report, const AbCandidate& candidate) {
  std::string text = absl::StrCat("A: ", report.plain, "\nB: ", candidate.name, "\n");
  text += MessagesText("A", report.answer);
  text += MessagesText("B", candidate.answer);
  if (!candidate.failure.empty()) return absl::StrCat(text, "FAIL ", candidate.failure, "\n");
  if (candidate.identical && !candidate.comparison.has_value()) {
    return absl::StrCat(text, "nothing to measure: ",
                        report.answer.code.module == candidate.answer.code.module
                            ? "the modules are the same"
                            : "the modules differ, but run the same kernels on the same buffers",
                        "\n");
  }
  absl::StrAppend(&text, CodeText(report.answer.code, candidate.answer.code), "\n",
                  "results: equal", report.closely ? " but for rounding" : "", "\n");
  text += ComparisonText(report, *candidate.comparison);
  text += EndText(report);
  return absl::StrCat(text, "verdict: ", VerdictText(candidate.comparison->judgement, "with B"),
                      "\n");
}

std::string EachText(const AbReport& report) {
  size_t width = 4;
  for (const AbCandidate& candidate : report.candidates) {
    width = std::max(width, candidate.name.size());
  }
  std::string text = absl::StrCat("A: ", report.plain, "\n", MessagesText("A", report.answer));
  absl::StrAppendFormat(&text, "%-*s  without it  %-18s  A / A               pairs\n",
                        static_cast<int>(width), "pass",
                        absl::StrFormat("(%.4g %%)", 100 * (1 - report.error)));
  for (const AbCandidate& candidate : report.candidates) {
    absl::StrAppendFormat(&text, "%-*s  ", static_cast<int>(width), candidate.name);
    if (!candidate.failure.empty()) {
      absl::StrAppend(&text, "FAIL ", candidate.failure, "\n");
    } else if (!candidate.comparison.has_value() && !candidate.identical) {
      text += "not measured\n";
    } else if (!candidate.comparison.has_value()) {
      text += "identical: what runs is the same with and without it\n";
    } else {
      const Judgement& judgement = candidate.comparison->judgement;
      absl::StrAppendFormat(&text, "%-10s  %-18s  %-18s  %-5d  %s\n",
                            Ratio(judgement.effect.estimate), Ends(judgement.effect),
                            Ends(judgement.same), 2 * candidate.comparison->plain.size(),
                            VerdictText(judgement, "without it"));
    }
  }
  return text + EndText(report);
}

// JSON has no infinity.
Json IntervalJson(const Interval& interval) {
  Json json = {{"ratio", std::exp(interval.estimate)}, {"low", nullptr}, {"high", nullptr}};
  if (!std::isinf(interval.low)) {
    json["low"] = std::exp(interval.low);
    json["high"] = std::exp(interval.high);
  }
  return json;
}

Json ComparisonJson(const Comparison& comparison) {
  const Judgement& judgement = comparison.judgement;
  const char* verdict = judgement.verdict == AbVerdict::kFaster   ? "faster"
                        : judgement.verdict == AbVerdict::kSlower ? "slower"
                                                                  : "not resolved";
  Json json = {{"verdict", verdict},
               {"effect", IntervalJson(judgement.effect)},
               {"same", IntervalJson(judgement.same)},
               {"a_median_ms", MedianOf(Sorted(comparison.plain))},
               {"b_median_ms", MedianOf(Sorted(comparison.other))},
               {"a_ms", comparison.plain},
               {"a_again_ms", comparison.again},
               {"b_ms", comparison.other},
               {"more_pairs", nullptr}};
  if (judgement.more_rounds.has_value()) json["more_pairs"] = 2 * *judgement.more_rounds;
  return json;
}

Json AnswerJson(const AbAnswer& answer) {
  return {{"module", answer.code.module},
          {"instructions", answer.code.instructions},
          {"kernels", answer.code.kernels.size()},
          {"compile_ms", answer.compile_ms},
          {"messages", answer.messages}};
}

}  // namespace

std::string ToText(const AbReport& report) {
  const std::string text =
      report.each ? EachText(report) : OneText(report, report.candidates.front());
  return absl::StrCat(Printable(report.module), "\n", text);
}

std::string ToJson(const AbReport& report) {
  Json json = {{"module", report.module},
               {"a", {{"options", report.plain}, {"program", AnswerJson(report.answer)}}},
               {"results", report.closely ? "compared but for rounding" : "compared bit for bit"},
               {"pairs", 2 * report.rounds},
               {"most_pairs", 2 * report.most_rounds},
               {"out_of_time", report.out_of_time},
               {"confidence", 1 - report.error},
               {"candidates", Json::array()}};
  for (const AbCandidate& candidate : report.candidates) {
    Json entry = {{report.each ? "pass" : "options", candidate.name},
                  {"program", AnswerJson(candidate.answer)},
                  {"identical", candidate.identical},
                  {"failure", nullptr},
                  {"comparison", nullptr}};
    if (!candidate.failure.empty()) entry["failure"] = candidate.failure;
    if (candidate.comparison.has_value()) {
      entry["comparison"] = ComparisonJson(*candidate.comparison);
    }
    json["candidates"].push_back(std::move(entry));
  }
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

ExitCode ExitCodeOf(const AbReport& report) {
  bool measured = false, resolved = true;
  for (const AbCandidate& candidate : report.candidates) {
    if (!candidate.failure.empty()) return kCheckFailed;
    if (!candidate.comparison.has_value()) continue;
    measured = true;
    resolved = resolved && candidate.comparison->judgement.verdict != AbVerdict::kNotResolved;
  }
  if (!measured) return kNothingToMeasure;
  return resolved ? kFine : kNotResolved;
}

}  // namespace swage::tools
