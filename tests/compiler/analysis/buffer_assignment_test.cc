#include "compiler/analysis/buffer_assignment.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <random>

#include "compiler/ir/parser.h"
#include "tests/compiler/analysis/memory_model.h"

namespace swage::analysis {
namespace {

using Kind = Slice::Kind;

std::unique_ptr<ir::Module> Parse(const std::string& text) {
  auto module = ir::ParseHlo(text);
  EXPECT_TRUE(module.ok()) << module.status().message();
  return module.ok() ? std::move(*module) : nullptr;
}

const ir::Instruction* Find(const ir::Module& module, std::string_view name) {
  for (const ir::Instruction* instruction : module.entry()->Instructions()) {
    if (instruction->name() == name) return instruction;
  }
  ADD_FAILURE() << "no " << name;
  return nullptr;
}

// x -> k1 -> k2 -> k3 -> k4; `body` is that of each kernel, on f32[64,64].
std::string Chain(const std::string& body) {
  std::string text = "HloModule m\n";
  for (int i = 1; i <= 4; ++i) {
    text += "f" + std::to_string(i) + " {\n  p = f32[64,64] parameter(0)\n" + body + "\n}\n";
  }
  text += "ENTRY main {\n  x = f32[64,64] parameter(0)\n";
  std::string before = "x";
  for (int i = 1; i <= 4; ++i) {
    const std::string name = "k" + std::to_string(i);
    text += (i == 4 ? "  ROOT " : "  ") + name + " = f32[64,64] fusion(" + before +
            "), kind=kLoop, calls=f" + std::to_string(i) + "\n";
    before = name;
  }
  return text + "}\n";
}

constexpr char kTranspose[] = "  ROOT t = f32[64,64] transpose(p), dimensions={1,0}";
constexpr char kNegate[] = "  ROOT n = f32[64,64] negate(p)";

TEST(BufferAssignment, ParametersAndOutputsAreUsedDirectly) {
  auto module = Parse(Chain(kTranspose));
  const BufferAssignment buffers = AssignBuffers(*module->entry()).value();
  EXPECT_EQ(buffers.SliceOf(Find(*module, "x")), (Slice{Kind::kParameter, 0, 0, 16384}));
  EXPECT_EQ(buffers.SliceOf(Find(*module, "k4")), (Slice{Kind::kOutput, 0, 0, 16384}));
}

TEST(BufferAssignment, AKernelThatMixesElementsNeedsASecondBuffer) {
  auto module = Parse(Chain(kTranspose));
  const BufferAssignment buffers = AssignBuffers(*module->entry()).value();
  EXPECT_EQ(buffers.arena_bytes(), 2 * 16384);
  EXPECT_EQ(buffers.peak_bytes(), 2 * 16384);
  EXPECT_EQ(buffers.SliceOf(Find(*module, "k1")), buffers.SliceOf(Find(*module, "k3")));
  EXPECT_NE(buffers.SliceOf(Find(*module, "k1")), buffers.SliceOf(Find(*module, "k2")));
}

TEST(BufferAssignment, ElementwiseKernelsRunInPlaceUpToTheOutput) {
  auto module = Parse(Chain(kNegate));
  const BufferAssignment buffers = AssignBuffers(*module->entry()).value();
  EXPECT_EQ(buffers.arena_bytes(), 0);
  for (const char* name : {"k1", "k2", "k3", "k4"}) {
    EXPECT_EQ(buffers.SliceOf(Find(*module, name)), (Slice{Kind::kOutput, 0, 0, 16384})) << name;
  }
}

TEST(BufferAssignment, TheHookDecidesWhatRunsInPlace) {
  auto module = Parse(Chain(kNegate));
  const BufferOptions never = {.can_write_over = [](const auto&, int, int64_t) { return false; }};
  EXPECT_EQ(AssignBuffers(*module->entry(), never)->arena_bytes(), 2 * 16384);
}

TEST(BufferAssignment, AnOperandThatIsReadLaterIsKept) {
  auto module = Parse(R"(
HloModule m
f { p = f32[16] parameter(0)
  ROOT n = f32[16] negate(p) }
g { p = f32[16] parameter(0)
  ROOT n = f32[16] exponential(p) }
h { p = f32[16] parameter(0)
  q = f32[16] parameter(1)
  ROOT s = f32[16] add(p, q) }
ENTRY main {
  x = f32[16] parameter(0)
  a = f32[16] fusion(x), kind=kLoop, calls=f
  b = f32[16] fusion(a), kind=kLoop, calls=g
  ROOT c = f32[16] fusion(a, b), kind=kLoop, calls=h
})");
  const BufferAssignment buffers = AssignBuffers(*module->entry()).value();
  EXPECT_NE(buffers.SliceOf(Find(*module, "a")), buffers.SliceOf(Find(*module, "b")));
  EXPECT_EQ(buffers.arena_bytes(), 64);  // one of the two is in the output
}

TEST(BufferAssignment, TwoOperandsThatAreOneBufferMustBothAgree) {
  auto module = Parse(R"(
HloModule m
f { p = f32[4,4] parameter(0)
  ROOT n = f32[4,4] negate(p) }
h { p = f32[4,4] parameter(0)
  q = f32[16] parameter(1)
  r = f32[16] reverse(q), dimensions={0}
  b = f32[4,4] bitcast(r)
  ROOT s = f32[4,4] add(p, b) }
ENTRY main {
  x = f32[4,4] parameter(0)
  a = f32[4,4] fusion(x), kind=kLoop, calls=f
  v = f32[16] bitcast(a)
  ROOT c = f32[4,4] fusion(a, v), kind=kLoop, calls=h
})");
  const BufferAssignment buffers = AssignBuffers(*module->entry()).value();
  EXPECT_EQ(buffers.SliceOf(Find(*module, "a")).kind, Kind::kArena);
}

TEST(BufferAssignment, LeavesOfTuplesHaveRows) {
  auto module = Parse(R"(
HloModule m
f { p = f32[3] parameter(0)
  n = f32[3] negate(p)
  i = s32[5] iota(), iota_dimension=0
  ROOT ni = (f32[3], s32[5]) tuple(n, i) }
ENTRY main {
  p = (s32[], f32[3]) parameter(0)
  q = f32[] parameter(1)
  c = f32[2] constant({1, 2})
  d = f32[2] copy(c)
  x = f32[3] get-tuple-element(p), index=1
  k = (f32[3], s32[5]) fusion(x), kind=kLoop, calls=f
  a = f32[3] get-tuple-element(k), index=0
  b = s32[5] get-tuple-element(k), index=1
  w = (f32[2], f32[3]) tuple(d, a)
  ROOT t = (s32[5], (f32[2], f32[3])) tuple(b, w)
})");
  const BufferAssignment buffers = AssignBuffers(*module->entry()).value();
  EXPECT_EQ(buffers.parameters().size(), 3u);
  EXPECT_EQ(buffers.outputs().size(), 3u);
  EXPECT_EQ(buffers.SliceOf(Find(*module, "x")), (Slice{Kind::kParameter, 1, 0, 12}));
  EXPECT_EQ(buffers.SliceOf(Find(*module, "q")), (Slice{Kind::kParameter, 2, 0, 4}));
  EXPECT_EQ(buffers.SliceOf(Find(*module, "c")), (Slice{Kind::kConstant, 0, 0, 8}));
  EXPECT_EQ(buffers.SliceOf(Find(*module, "k"), {0}), (Slice{Kind::kOutput, 2, 0, 12}));
  EXPECT_EQ(buffers.SliceOf(Find(*module, "k"), {1}), (Slice{Kind::kOutput, 0, 0, 20}));
  EXPECT_EQ(buffers.SliceOf(Find(*module, "t"), {1, 0}), (Slice{Kind::kOutput, 1, 0, 8}));
  EXPECT_EQ(buffers.outputs()[2].index, (ir::ShapeIndex{1, 1}));
}

TEST(BufferAssignment, AnOutputThatNeedsACopyIsOurError) {
  for (const char* root : {"ROOT t = (f32[4]) tuple(x)", "ROOT b = f32[2,2] bitcast(x)",
                           "c = f32[] constant(1)\n ROOT t = (f32[]) tuple(c)",
                           "n = f32[4] copy(x)\n ROOT t = (f32[4], f32[4]) tuple(n, n)"}) {
    auto module = Parse(std::string("HloModule m\nENTRY main {\n x = f32[4] parameter(0)\n ") +
                        root + "\n}\n");
    const auto buffers = AssignBuffers(*module->entry());
    EXPECT_EQ(buffers.status().code(), absl::StatusCode::kInternal) << root;
    EXPECT_THAT(std::string(buffers.status().message()), testing::HasSubstr("copy-insertion"));
  }
}

TEST(BufferAssignment, AParameterMayBecomeTheOutputThatIsWrittenOverIt) {
  auto module = Parse(Chain(kNegate));
  EXPECT_EQ(AssignBuffers(*module->entry())->donations()[0].output, 0);
  module = Parse(Chain(kTranspose));  // x is dead long before the output is written
  EXPECT_EQ(AssignBuffers(*module->entry())->donations()[0].output, 0);
}

TEST(BufferAssignment, DonationsSayWhyNot) {
  auto module = Parse(R"(
HloModule m
f { p = f32[64,64] parameter(0)
  q = f32[64] parameter(1)
  b = f32[64,64] broadcast(q), dimensions={0}
  t = f32[64,64] transpose(p), dimensions={1,0}
  ROOT r = f32[64,64] add(t, b) }
ENTRY main {
  x = f32[64,64] parameter(0)
  y = f32[64] parameter(1)
  ROOT k = f32[64,64] fusion(x, y), kind=kLoop, calls=f
})");
  const BufferAssignment buffers = AssignBuffers(*module->entry()).value();
  EXPECT_EQ(buffers.donations()[0].output, -1);
  EXPECT_THAT(buffers.donations()[0].reason, testing::HasSubstr("still read, last by k"));
  EXPECT_EQ(buffers.donations()[1].output, -1);
  EXPECT_THAT(buffers.donations()[1].reason, testing::HasSubstr("256 bytes"));
}

TEST(BufferAssignment, EachOutputIsDonatedToOnce) {
  auto module = Parse(R"(
HloModule m
f { p = f32[8] parameter(0)
  q = f32[8] parameter(1)
  ROOT r = f32[8] add(p, q) }
ENTRY main {
  x = f32[8] parameter(0)
  y = f32[8] parameter(1)
  ROOT k = f32[8] fusion(x, y), kind=kLoop, calls=f
})");
  const BufferAssignment buffers = AssignBuffers(*module->entry()).value();
  EXPECT_EQ(buffers.donations()[0].output, 0);
  EXPECT_EQ(buffers.donations()[1].output, -1);
}

TEST(BufferAssignment, TheTableNamesValuesAndThePeak) {
  auto module = Parse(Chain(kTranspose));
  const std::string text = AssignBuffers(*module->entry())->ToString();
  EXPECT_THAT(text, testing::HasSubstr("arena 32768 bytes"));
  EXPECT_THAT(text, testing::ContainsRegex("k2 +arena\\+[0-9]+ +16384 +2\\.\\.3\n"));
  EXPECT_THAT(text, testing::ContainsRegex("peak 32768 bytes of the arena in use at position 2; "
                                           "alive then:\n  k1 "));
}

// Kernels, tuples, their elements and bitcasts at random, every value an output or read or neither.
std::unique_ptr<ir::Module> RandomGraph(std::mt19937& random) {
  auto module = std::make_unique<ir::Module>("m");
  ir::Computation* entry = module->AddComputation("main");
  module->set_entry(entry);
  const auto pick = [&](const std::vector<ir::Instruction*>& from) {
    return from[random() % from.size()];
  };
  const ir::Shape shapes[] = {
      ir::Shape::Array(ir::DType::kF32, {16}), ir::Shape::Array(ir::DType::kF32, {4, 4}),
      ir::Shape::Array(ir::DType::kF32, {50}), ir::Shape::Array(ir::DType::kF32, {0})};
  std::vector<ir::Instruction*> arrays, fresh;
  for (int i = 0; i < 3; ++i) arrays.push_back(entry->AddParameter(i, shapes[i]));
  for (int i = 0; i < 40; ++i) {
    const ir::Shape& shape = shapes[random() % 4];
    std::vector<ir::Instruction*> operands;
    for (int k = 0; k < static_cast<int>(1 + random() % 3); ++k) operands.push_back(pick(arrays));
    switch (random() % 4) {
      case 0: {  // a kernel with two results
        ir::Instruction* both =
            entry->Add(ir::Opcode::kSort, ir::Shape::Tuple({shape, shapes[0]}), operands);
        for (int64_t e = 0; e < 2; ++e) {
          arrays.push_back(entry->Add(ir::Opcode::kGetTupleElement,
                                      both->shape().tuple_shape(static_cast<int>(e)), {both},
                                      ir::TupleIndexAttrs{e}));
          fresh.push_back(arrays.back());
        }
        break;
      }
      case 1:
        if (operands[0]->shape().NumElements().value() == 16) {
          arrays.push_back(entry->Add(ir::Opcode::kBitcast, shapes[random() % 2], {operands[0]}));
        }
        break;
      default:
        arrays.push_back(entry->Add(ir::Opcode::kSort, shape, operands));
        fresh.push_back(arrays.back());
    }
  }
  std::shuffle(fresh.begin(), fresh.end(), random);
  fresh.resize(std::min<size_t>(fresh.size(), 1 + random() % 5));
  std::vector<ir::Shape> elements;
  for (const ir::Instruction* output : fresh) elements.push_back(output->shape());
  entry->set_root(entry->Add(ir::Opcode::kTuple, ir::Shape::Tuple(elements), fresh));
  return module;
}

TEST(BufferAssignment, EveryValueIsInItsPlaceWhenItIsRead) {
  std::mt19937 random(5);
  for (int round = 0; round < 300; ++round) {
    const auto module = RandomGraph(random);
    // Whatever writing in place the hook allows.
    const uint32_t allowed = round % 3 == 0 ? 0 : round % 3 == 1 ? 3 : 2;
    const BufferOptions options = {.can_write_over = [&](const auto&, int operand, int64_t leaf) {
      return (operand + leaf) % 4 < allowed;
    }};
    const auto order = module->entry()->PostOrder();
    const auto buffers = AssignBuffers(*module->entry(), order, options);
    ASSERT_TRUE(buffers.ok()) << buffers.status().message();
    ExpectValuesInPlace(*module->entry(), order, *buffers);
    EXPECT_GE(buffers->arena_bytes(), buffers->peak_bytes());
  }
}

TEST(BufferAssignment, DonatedParametersHoldTheirValueUntilTheirLastRead) {
  std::mt19937 random(6);
  int64_t donated = 0;
  for (int round = 0; round < 300; ++round) {
    const auto module = RandomGraph(random);
    const BufferOptions options = {
        .can_write_over = [&](const auto&, int operand, int64_t) { return operand == 0; }};
    const auto order = module->entry()->PostOrder();
    const auto buffers = AssignBuffers(*module->entry(), order, options);
    ASSERT_TRUE(buffers.ok()) << buffers.status().message();
    for (const Donation& donation : buffers->donations()) {
      donated += donation.output >= 0;
      EXPECT_EQ(donation.output < 0, !donation.reason.empty());
    }
    ExpectValuesInPlace(*module->entry(), order, *buffers, /*donate=*/true);
  }
  EXPECT_GT(donated, 100);
}

TEST(BufferAssignment, SizesBeyond64BitsAreResourceExhausted) {
  auto module = Parse(R"(
HloModule m
ENTRY main {
  x = f32[] parameter(0)
  y = f32[1073741824,1073741824] broadcast(x), dimensions={}
  a = f32[1073741824,1073741824] copy(y)
  b = f32[1073741824,1073741824] copy(y)
  ROOT t = (f32[1073741824,1073741824], f32[1073741824,1073741824]) tuple(a, b)
})");
  ASSERT_NE(module, nullptr);
  EXPECT_EQ(AssignBuffers(*module->entry()).status().code(), absl::StatusCode::kResourceExhausted);
}

TEST(BufferAssignment, AChainOf100000KernelsIsFast) {
  ir::Module module("m");
  ir::Computation* entry = module.AddComputation("main");
  module.set_entry(entry);
  const ir::Shape shape = ir::Shape::Array(ir::DType::kF32, {16});
  ir::Instruction* value = entry->AddParameter(0, shape);
  for (int i = 0; i < 100'000; ++i) value = entry->Add(ir::Opcode::kCopy, shape, {value});
  entry->set_root(value);
  const auto start = std::chrono::steady_clock::now();
  EXPECT_EQ(AssignBuffers(*entry)->arena_bytes(), 128);
  const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;
  EXPECT_LT(seconds.count(), 5);
}

}  // namespace
}  // namespace swage::analysis
