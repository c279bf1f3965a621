// A struct of parameters as an argument and as a result: one step of gradient descent on a line.
#include <swage/swage.h>

#include <cmath>
#include <iostream>
#include <vector>

namespace sw = swage;

struct Line {
  sw::Tensor slope, offset;
};
SWAGE_TREE(Line, slope, offset)

struct Batch {
  sw::Tensor x, y;
  std::vector<sw::Tensor> weights;  // none, or one per point
};
SWAGE_TREE(Batch, x, y, weights)

// rate is a Scalar: a traced number, so another rate is no other program.
std::pair<Line, sw::Tensor> step(const Line& line, const Batch& batch, sw::Scalar<float> rate) {
  sw::Tensor error = line.slope * batch.x + line.offset - batch.y;
  for (const sw::Tensor& weight : batch.weights) error = error * weight;
  const Line moved{line.slope - sw::mean(error * batch.x) * 2 * rate,
                   line.offset - sw::mean(error) * 2 * rate};
  return {moved, sw::mean(sw::square(error))};
}

int main() {
  const sw::Tensor x = sw::arange(32, sw::f32) / 16 - 1;
  const Batch batch{x, x * 3 + 0.5, {}};
  Line line{sw::scalar(0.f), sw::scalar(0.f)};
  auto train = sw::jit(step, {.name = "step"});
  float loss = 0;
  for (int i = 0; i < 200; ++i) {
    const auto [moved, left] = train(line, batch, 0.5f / (1 + i / 50));
    line = moved;
    loss = left.item<float>();
  }
  std::cout << "slope " << line.slope << ", offset " << line.offset << ", loss " << loss << "\n";

  // Another structure is another key.
  train(line, Batch{batch.x, batch.y, {sw::ones({32})}}, 0.1f);
  std::cout << train.stats() << train.explain();
  const bool found = std::abs(line.slope.item<float>() - 3) < 1e-3f &&
                     std::abs(line.offset.item<float>() - 0.5f) < 1e-3f;
  return found && train.stats().traces == 2 ? 0 : 1;
}
