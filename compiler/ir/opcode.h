// File: compiler/ir/opcode.h
//
// The opcodes of HLO and what the op table (opcodes.def) says of each.
#ifndef SWAGE_COMPILER_IR_OPCODE_H_
#define SWAGE_COMPILER_IR_OPCODE_H_

#include <cstdint>
#include <optional>
#include <string_view>

namespace swage::ir {

enum class Opcode : uint8_t {
#define SWAGE_OP(name, ...) k##name,
#include "compiler/ir/opcodes.def"
#undef SWAGE_OP
};

inline constexpr int kNumOpcodes = 0
#define SWAGE_OP(...) +1
#include "compiler/ir/opcodes.def"
#undef SWAGE_OP
    ;

enum class OpTraits : uint8_t { kPure, kCommutative, kEffect };

enum class CostClass : uint8_t {
  kFree,
  kCheap,
  kDivision,
  kTranscendental,
  kMemory,
  kReduce,
  kDot,
  kCall,
};

// What becomes of an op whose dimensions are padded to their bounds; opcodes.def says more.
enum class PaddingRule : uint8_t {
  kBorder,
  kContracted,
  kExactOnly,
  kIdentity,
  kPositions,
  kRepack,
  kSize,
  kThrough,
};

struct OpInfo {
  std::string_view text;
  int arity;  // -1: variadic
  OpTraits traits;
  CostClass cost;
  PaddingRule padding;
  bool elementwise;  // evaluated and emitted element by element by a functor of compiler/math
  bool evaluated;    // the evaluator runs it
  bool emitted;      // a backend emits it
  int max_ulp;
  std::string_view doc;
};

const OpInfo& InfoOf(Opcode opcode);

// "exponential" for Opcode::kExp.
inline std::string_view OpcodeName(Opcode opcode) { return InfoOf(opcode).text; }

// The opcode of a text name; nullopt when there is none.
std::optional<Opcode> ParseOpcode(std::string_view text);

inline bool IsElementwise(Opcode opcode) { return InfoOf(opcode).elementwise; }
inline bool IsCommutative(Opcode opcode) { return InfoOf(opcode).traits == OpTraits::kCommutative; }
inline bool HasEffect(Opcode opcode) { return InfoOf(opcode).traits == OpTraits::kEffect; }

}  // namespace swage::ir

#endif  // SWAGE_COMPILER_IR_OPCODE_H_
