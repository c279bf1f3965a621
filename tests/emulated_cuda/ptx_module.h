// File: tests/emulated_cuda/ptx_module.h
//
// PTX as data: what ParsePtx (ptx_parser.h) reads and what the translator turns into LLVM IR. Names
// are kept as written, but for registers of an inner `{ }` scope, which get a name of their own.
// PtxError, with the line, is thrown by whatever cannot read or translate a text.
#ifndef SWAGE_TESTS_EMULATED_CUDA_PTX_MODULE_H_
#define SWAGE_TESTS_EMULATED_CUDA_PTX_MODULE_H_

#include <array>
#include <cstdint>
#include <map>
#include <stdexcept>
#include <string>
#include <vector>

namespace swage::emulated_cuda {

struct PtxError : std::runtime_error {
  PtxError(int line, const std::string& text)
      : std::runtime_error("ptx line " + std::to_string(line) + ": " + text) {}
};

// The module is for a card that the device is not.
struct TargetError : PtxError {
  using PtxError::PtxError;
};

enum class Space { kGeneric, kParam, kGlobal, kShared, kLocal, kConst };

// A type as instructions name it: u32, b8, f16x2, pred ...
struct PtxType {
  enum Kind { kPred, kBits, kUnsigned, kSigned, kFloat, kBfloat };
  Kind kind = kBits;
  int bits = 0;   // of one lane
  int lanes = 1;  // 2 for f16x2

  int total_bits() const { return bits * lanes; }
  bool is_float() const { return kind == kFloat || kind == kBfloat; }
  // f16 and bf16: arithmetic goes through f32.
  bool is_small_float() const { return is_float() && bits == 16; }
  bool is_signed() const { return kind == kSigned; }
};

// False if `name` (without the dot) is no type.
bool ParseType(const std::string& name, PtxType* type);

struct Operand {
  enum Kind {
    kRegister,  // name
    kInteger,   // value
    kFloat,     // value holds its float_bits bits
    kSymbol,    // name: a variable or a label
    kSpecial,   // name: %tid.x
    kAddress,   // [parts[0] + value], parts[0] a register or symbol; or [value]
    kVector,    // {parts}
    kPair,      // parts[0] | parts[1]
    kSink,      // _
  };
  Kind kind = kRegister;
  std::string name;
  int64_t value = 0;
  int float_bits = 0;  // of kFloat as written: 32 for 0f, 64 for 0d and decimals
  bool negated = false;
  std::vector<Operand> parts;
};

struct Instruction {
  std::string opcode;                  // "ld"
  std::vector<std::string> modifiers;  // "global", "v4", "f32"
  std::string predicate;               // register, or empty
  bool predicate_negated = false;
  std::vector<Operand> operands;
  int line = 0;
  std::string text;  // the statement in one line
};

inline int64_t RoundUp(int64_t value, int64_t align) { return (value + align - 1) / align * align; }

struct Variable {
  std::string name;
  Space space = Space::kGlobal;
  PtxType type;
  int64_t align = 1;
  int64_t bytes = 0;  // 0: extern, unsized
  std::vector<uint8_t> initial;
  int64_t offset = 0;  // parameters, and shared and local variables: in their space
  int line = 0;
};

struct Function {
  std::string name;
  std::vector<Variable> params;
  int64_t param_bytes = 0;
  std::array<int, 3> max_threads{};       // .maxntid; 0 is unset
  std::array<int, 3> required_threads{};  // .reqntid
  std::map<std::string, PtxType> registers;
  std::vector<Variable> variables;  // shared and local ones
  std::vector<Instruction> instructions;
  std::map<std::string, size_t> labels;  // index of the instruction that follows
  int line = 0;
};

struct PtxModule {
  int target = 0;  // 80 for sm_80, sm_80a
  std::vector<Variable> variables;
  std::vector<Function> functions;
};

}  // namespace swage::emulated_cuda

#endif  // SWAGE_TESTS_EMULATED_CUDA_PTX_MODULE_H_
