// The C++ sides of `bench/compare`:
//   peer_worker cpp         loops as a person writes them
//   peer_worker streaming   the same with stores past the caches
//   peer_worker onednn      oneDNN's primitives
#include <cstdio>
#include <string_view>

#include "bench/peers/cpp/sides.h"

int main(int argc, char** argv) {
  using namespace swage::bench;
  const std::string_view side = argc == 2 ? argv[1] : "";
  if (side == "cpp") {
    return Serve("C++ loops", [](const Work& work) { return LoopTask(work, false); });
  }
  if (side == "streaming") {
    return Serve("C++ loops, streaming stores",
                 [](const Work& work) { return LoopTask(work, true); });
  }
  if (side == "onednn") return Serve(OneDnnName(), OneDnnTask);
  std::fprintf(stderr, "usage: peer_worker cpp|streaming|onednn\n");
  return 2;
}
