#include "tests/card_check/ptx_texts.h"

#include <gtest/gtest.h>

#include "tests/emulated_cuda/ptxas.h"

namespace swage::card {
namespace {

// Where there is no ptxas, the emulator alone reads them.
TEST(CardPtx, KernelsWrittenByHandAreRealPtx) {
  for (const std::string& text :
       {MmaText(), LoadMatrixText(), UnaryText("ex2.approx.f32"), UnaryText("lg2.approx.f32"),
        UnaryText("rcp.approx.f32"), UnaryText("rsqrt.approx.f32"), UnaryText("sqrt.approx.f32"),
        UnaryText("tanh.approx.f32"), UnaryText("sin.approx.f32"), UnaryText("cos.approx.f32"),
        CopyText(), EmptyText()}) {
    emulated_cuda::ExpectPtxasAccepts(text, "sm_80");
    emulated_cuda::ExpectPtxasAccepts(text, "sm_90");
  }
}

}  // namespace
}  // namespace swage::card
