#include "tools/buckets_plot.h"

#include <algorithm>
#include <vector>

#include "absl/strings/str_format.h"
#include "base/printable.h"
#include "tools/trace_functions.h"

namespace swage::tools {
namespace {

constexpr int kMostBuckets = 32;
constexpr size_t kMostPanels = 12;
constexpr int kLeft = 60, kWidth = 520, kHeight = 160, kTop = 70, kPanel = 230;

constexpr char kStyle[] = R"(<style>
  text { font: 12px sans-serif; fill: #333 } .title { font-weight: bold; font-size: 15px }
  .panel { font-weight: bold } .axis { stroke: #ccc } .waste { stroke: #2a78b8; fill: none }
  .programs { stroke: #d1442e; fill: none } polyline { stroke-width: 2 }
</style>
<rect width="100%" height="100%" fill="white"/>
)";

std::string Escaped(const std::string& text) {
  std::string escaped;
  for (const char c : Printable(text.substr(0, 80))) {
    if (c == '&' || c == '<' || c == '>' || c == '"') {
      absl::StrAppendFormat(&escaped, "&#%d;", c);
    } else {
      escaped += c;
    }
  }
  return escaped;
}

// The cost of 1, 2, ... buckets for each symbol.
StatusOr<std::vector<BucketCost>> Curve(const TraceFunction& function) {
  std::vector<std::vector<policy::LearnedBuckets>> learned;
  size_t most = 0;
  for (size_t i = 0; i < function.symbols.size(); ++i) {
    SWAGE_ASSIGN_OR_RETURN(const policy::BucketLearner learner,
                           policy::BucketLearner::Make(function.Sizes(static_cast<int>(i))));
    learned.push_back(learner.BestUpTo(kMostBuckets));
    most = std::max(most, learned.back().size());
  }
  std::vector<BucketCost> curve;
  for (size_t k = 0; k < most; ++k) {
    std::vector<std::vector<int64_t>> bounds;
    for (const auto& choices : learned) {
      bounds.push_back(choices[std::min(k, choices.size() - 1)].bounds);
    }
    curve.push_back(CostOf(function, bounds));
  }
  return curve;
}

class Panel {
 public:
  Panel(const std::vector<BucketCost>& curve, int top, std::string* out)
      : curve_(curve), top_(top), out_(*out) {}

  void Draw(const TraceFunction& function) {
    absl::StrAppendFormat(
        &out_, "<text class=\"panel\" x=\"%d\" y=\"%d\">%s: %d calls, %d different</text>\n", kLeft,
        top_ - 12, Escaped(function.name), function.count, function.calls.size());
    double most_waste = 0;
    int64_t most_programs = 1;
    for (const BucketCost& cost : curve_) {
      most_waste = std::max(most_waste, cost.physical_waste);
      most_programs = std::max(most_programs, cost.programs);
    }
    most_waste = most_waste > 0 ? most_waste : 1;
    Axes(most_waste, most_programs);
    Line("waste", [&](const BucketCost& cost) { return cost.physical_waste / most_waste; });
    Line("programs", [&](const BucketCost& cost) {
      return static_cast<double>(cost.programs) / static_cast<double>(most_programs);
    });
  }

 private:
  double X(size_t k) const {
    return kLeft + kWidth * (curve_.size() < 2
                                 ? 0.5
                                 : static_cast<double>(k) / static_cast<double>(curve_.size() - 1));
  }
  double Y(double share) const { return top_ + kHeight * (1 - share); }

  void Axes(double most_waste, int64_t most_programs) {
    for (const double share : {0.0, 0.5, 1.0}) {
      absl::StrAppendFormat(&out_,
                            "<line class=\"axis\" x1=\"%d\" y1=\"%.1f\" x2=\"%d\" y2=\"%.1f\"/>\n"
                            "<text x=\"%d\" y=\"%.1f\" text-anchor=\"end\">%.1f %%</text>\n"
                            "<text x=\"%d\" y=\"%.1f\">%.4g</text>\n",
                            kLeft, Y(share), kLeft + kWidth, Y(share), kLeft - 6, Y(share) + 4,
                            100 * share * most_waste, kLeft + kWidth + 6, Y(share) + 4,
                            share * static_cast<double>(most_programs));
    }
    const size_t step = std::max<size_t>(1, curve_.size() / 8);
    for (size_t k = 0; k < curve_.size(); k += step) {
      absl::StrAppendFormat(&out_, "<text x=\"%.1f\" y=\"%d\" text-anchor=\"middle\">%d</text>\n",
                            X(k), top_ + kHeight + 18, k + 1);
    }
  }

  template <typename Share>
  void Line(const char* css, Share share) {
    absl::StrAppendFormat(&out_, "<polyline class=\"%s\" points=\"", css);
    for (size_t k = 0; k < curve_.size(); ++k) {
      absl::StrAppendFormat(&out_, "%s%.1f,%.1f", k == 0 ? "" : " ", X(k), Y(share(curve_[k])));
    }
    out_ += "\"/>\n";
  }

  const std::vector<BucketCost>& curve_;
  int top_;
  std::string& out_;
};

}  // namespace

StatusOr<std::string> PlotBuckets(const policy::TraceContent& content,
                                  const std::string& function) {
  std::vector<TraceFunction> functions = FunctionsOf(content);
  std::erase_if(functions, [&](const TraceFunction& f) {
    return f.symbols.empty() || (!function.empty() && f.name != function);
  });
  if (functions.empty()) {
    return InvalidArgument("[buckets] nothing to plot: ",
                           function.empty() ? "no function was called with different sizes"
                                            : "no call of '" + function + "' differs");
  }
  std::stable_sort(functions.begin(), functions.end(),
                   [](const auto& a, const auto& b) { return a.count > b.count; });
  if (functions.size() > kMostPanels) functions.resize(kMostPanels);
  const int height = kTop + kPanel * static_cast<int>(functions.size());
  std::string svg =
      absl::StrFormat("<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\">\n",
                      kLeft + kWidth + 80, height);
  absl::StrAppend(&svg, kStyle,
                  "<text class=\"title\" x=\"10\" y=\"22\">What more buckets save</text>\n"
                  "<polyline class=\"waste\" points=\"10,38 30,38\"/>\n"
                  "<text x=\"36\" y=\"42\">padding, share of the elements (left)</text>\n"
                  "<polyline class=\"programs\" points=\"300,38 320,38\"/>\n"
                  "<text x=\"326\" y=\"42\">programs (right); across: buckets</text>\n");
  int top = kTop + 10;
  for (const TraceFunction& one : functions) {
    SWAGE_ASSIGN_OR_RETURN(const std::vector<BucketCost> curve, Curve(one));
    Panel(curve, top, &svg).Draw(one);
    top += kPanel;
  }
  return svg + "</svg>\n";
}

}  // namespace swage::tools
