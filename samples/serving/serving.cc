// A server whose batches and lengths vary: it warms up, and from then on no request compiles.
//   serving [POLICIES]   POLICIES: default samples/buckets.toml, which says what is compiled
#include <swage/swage.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <iostream>
#include <random>
#include <string>
#include <vector>

namespace sw = swage;

constexpr int kWords = 256, kWidth = 64;

// One vector for each text: the mean over its tokens. tokens s32[batch,seq]; mask f32[batch,seq]:
// 1 where there is a token, 0 behind the end of a shorter text.
sw::Tensor encode(sw::Tensor tokens, sw::Tensor mask) {
  const sw::Tensor table = sw::sin(sw::reshape(sw::arange(kWords * kWidth, sw::f32) * 0.37f,  //
                                               {kWords, kWidth}));
  const sw::Tensor words = sw::take(table, tokens) * sw::expand_dims(mask, 2);
  return sw::tanh(sw::sum(words, {1}) / sw::sum(mask, {1}, /*keepdims=*/true));
}

// A batch of texts that came in together, as long as the longest.
struct Request {
  sw::Tensor tokens, mask;
};

Request next_request(std::mt19937& random) {
  const int64_t batch = 5 + random() % 4, longest = 1 + random() % 300;
  std::vector<int32_t> tokens;
  std::vector<float> mask;
  for (int64_t text = 0; text < batch; ++text) {
    const int64_t length = text == 0 ? longest : 1 + random() % longest;
    for (int64_t i = 0; i < longest; ++i) {
      tokens.push_back(static_cast<int32_t>(random() % kWords));
      mask.push_back(i < length ? 1.0f : 0.0f);
    }
  }
  return {sw::array(tokens, {batch, longest}), sw::array(mask, {batch, longest})};
}

int main(int argc, char** argv) {
  try {
    sw::load_policies(argc > 1 ? argv[1] : "samples/buckets.toml");
    auto encoder = sw::jit(encode, {.name = "encode"});

    // Arguments like these, in the sizes that the policy names.
    encoder.warmup_sizes({{sw::s32, {1, 1}}, {sw::f32, {1, 1}}},
                         [](const sw::WarmupProgress& step) {
                           if (step.done == 1 || step.done == step.total) {
                             std::cout << "warm-up " << step.done << " of " << step.total << ": "
                                       << step.sizes << "\n";
                           }
                         });
    encoder.set_on_miss(sw::OnMiss::kError);  // rather than make a request wait for a compile
    const int64_t compiled = encoder.stats().misses;

    std::mt19937 random(7);
    std::vector<double> times;
    double checksum = 0;
    for (int i = 0; i < 300; ++i) {
      const Request request = next_request(random);
      const auto start = std::chrono::steady_clock::now();
      const sw::Tensor vectors = encoder(request.tokens, request.mask);
      const std::chrono::duration<double, std::milli> took =
          std::chrono::steady_clock::now() - start;
      times.push_back(took.count());
      checksum += sw::sum(vectors).item<float>();
    }
    std::sort(times.begin(), times.end());

    const sw::JitStats stats = encoder.stats();
    std::cout << "300 requests: half within " << times[150] << " ms, 99 % within " << times[297]
              << " ms, all within " << times.back() << " ms\n"
              << stats << "checksum " << checksum << "\n";
    return stats.misses == compiled ? 0 : 1;  // nothing was compiled while it served
  } catch (const sw::Error& error) {
    std::cerr << "serving: " << error.what() << "\n";
    return 2;
  }
}
