// Every program of the corpus through NVIDIA's assembler, where it is installed.
#include <gtest/gtest.h>

#include "tests/codegen/gpu/ptxas_sweep.h"

namespace swage::gpu {
namespace {

TEST(PtxasFull, EveryProgramOfTheCorpusAssembles) { ExpectAssembles(CorpusModules()); }

}  // namespace
}  // namespace swage::gpu
