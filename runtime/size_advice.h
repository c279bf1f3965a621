// File: runtime/size_advice.h
//
// Whether a function is compiled again and again for one size that varies, and what to write into
// the configuration file against that.
//
//   SizeAdvice advice(ReadKey(missed));
//   for (... earlier keys ...) {
//     if (advice.Add(ReadKey(key))) Log(advice.Text("encode"));
//   }
#ifndef SWAGE_RUNTIME_SIZE_ADVICE_H_
#define SWAGE_RUNTIME_SIZE_ADVICE_H_

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "runtime/signature.h"

namespace swage::runtime {

class SizeAdvice {
 public:
  // The key may not outlive what it was read from.
  explicit SizeAdvice(std::vector<KeyItem> missed) : missed_(std::move(missed)) {}

  // A key that is compiled. True: with it, three differ from the missed one in the same size alone,
  // which each has in the same dimensions, so that this is the fourth compile for it.
  bool Add(const std::vector<KeyItem>& compiled);

  // Once Add returned true: the sizes, and the lines of a configuration file.
  std::string Text(std::string_view function) const;

 private:
  // Dimensions of tensor arguments: (argument, dimension).
  using Places = std::vector<std::pair<int, int>>;

  const std::vector<KeyItem> missed_;
  std::map<Places, std::set<int64_t>> sizes_;  // of compiled keys, by where they differ
  Places found_;
};

}  // namespace swage::runtime

#endif  // SWAGE_RUNTIME_SIZE_ADVICE_H_
