// Swage's side of `bench/compare`; see bench/line_worker.h.
#include "bench/compare_functions.h"
#include "runtime/version.h"

int main() {
  return swage::bench::Serve(std::string("Swage ") + swage::Version(), swage::bench::CompareTask);
}
