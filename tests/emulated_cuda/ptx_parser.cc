#include "tests/emulated_cuda/ptx_parser.h"

#include <bit>
#include <cctype>
#include <cstdlib>
#include <optional>
#include <utility>

#include "tests/emulated_cuda/ptx_lexer.h"

namespace swage::emulated_cuda {
namespace {

std::optional<Space> SpaceOf(const std::string& word) {
  if (word == ".global") return Space::kGlobal;
  if (word == ".shared") return Space::kShared;
  if (word == ".local") return Space::kLocal;
  if (word == ".const") return Space::kConst;
  return std::nullopt;
}

bool IsLinkage(const std::string& word) {
  return word == ".visible" || word == ".extern" || word == ".weak" || word == ".common";
}

class Parser {
 public:
  explicit Parser(std::string_view source) : source_(source), tokens_(TokenizePtx(source)) {}

  PtxModule Run() {
    while (Peek().kind != Token::kEnd) ParseTopLevel();
    if (module_.target == 0) throw PtxError(1, "there is no .target");
    return std::move(module_);
  }

 private:
  const Token& Peek(size_t ahead = 0) const {
    return tokens_[std::min(place_ + ahead, tokens_.size() - 1)];
  }
  const Token& Next() {
    const Token& token = Peek();
    if (token.kind != Token::kEnd) ++place_;
    return token;
  }
  bool Is(std::string_view text) const {
    return Peek().kind != Token::kString && Peek().text == text;
  }
  bool Accept(std::string_view text) {
    if (!Is(text)) return false;
    Next();
    return true;
  }
  [[noreturn]] void Fail(const std::string& text) const { throw PtxError(Peek().line, text); }
  [[noreturn]] void Unexpected(const std::string& expected) const {
    Fail("expected " + expected + ", got `" + Peek().text + "`");
  }
  void Expect(std::string_view text) {
    if (!Accept(text)) Unexpected("`" + std::string(text) + "`");
  }
  std::string Word() {
    if (Peek().kind != Token::kWord) Unexpected("a name");
    return Next().text;
  }
  int64_t Integer() {
    const bool negative = Accept("-");
    if (Peek().kind != Token::kInteger) Unexpected("an integer");
    const int64_t value = Next().value;
    return negative ? -value : value;
  }
  PtxType Type() {
    PtxType type;
    const std::string word = Word();
    if (word.front() != '.' || !ParseType(word.substr(1), &type)) {
      Fail("expected a type, got `" + word + "`");
    }
    return type;
  }

  void ParseTopLevel() {
    if (Accept(".version")) {
      Next();
    } else if (Accept(".target")) {
      const std::string target = Word();
      if (target.rfind("sm_", 0) != 0) Fail("unknown target `" + target + "`");
      module_.target = std::atoi(target.c_str() + 3);
      while (Accept(",")) Word();
    } else if (Accept(".address_size")) {
      if (Integer() != 64) Fail("only .address_size 64 is emulated");
    } else if (Accept(".file")) {
      SkipLine();
    } else if (Accept(".section")) {
      Word();
      SkipBraces();
    } else {
      ParseDeclaration();
    }
  }

  void SkipLine() {
    const int line = Peek().line;
    while (Peek().kind != Token::kEnd && Peek().line == line) Next();
  }

  void SkipBraces() {
    Expect("{");
    for (int depth = 1; depth > 0;) {
      if (Peek().kind == Token::kEnd) Fail("`{` is not closed");
      const std::string& text = Next().text;
      depth += (text == "{") - (text == "}");
    }
  }

  void ParseDeclaration() {
    bool is_extern = false;
    while (IsLinkage(Peek().text)) is_extern |= Next().text == ".extern";
    if (Accept(".entry")) {
      ParseFunction();
    } else if (Is(".func")) {
      Fail("`.func`: only kernels are emulated, calls are not");
    } else if (SpaceOf(Peek().text)) {
      Variable variable = ParseVariable(*SpaceOf(Next().text));
      if (variable.bytes == 0 && !is_extern) Fail("`" + variable.name + "` has no size");
      Expect(";");
      module_.variables.push_back(std::move(variable));
    } else {
      Unexpected("a directive that is known");
    }
  }

  // [.align N] .type name [sizes] [= value]
  Variable ParseVariable(Space space) {
    Variable variable;
    variable.space = space;
    variable.line = Peek().line;
    int64_t align = 0;
    if (Accept(".align")) align = Integer();
    int64_t count = 1;
    if (Is(".v2") || Is(".v4")) count = Next().text == ".v2" ? 2 : 4;
    variable.type = Type();
    SkipPointerAttributes();
    variable.name = Word();
    while (Accept("[")) {
      count *= Is("]") ? 0 : Integer();
      Expect("]");
    }
    const int64_t size = variable.type.total_bits() / 8;
    variable.align = align > 0 ? align : size;
    variable.bytes = count * size;
    if (Accept("=")) {
      ParseInitial(&variable, size);
      variable.initial.resize(static_cast<size_t>(variable.bytes));
    }
    return variable;
  }

  // .ptr [.space] [.align N] of a parameter
  void SkipPointerAttributes() {
    if (!Accept(".ptr")) return;
    if (SpaceOf(Peek().text)) Next();
    if (Accept(".align")) Integer();
  }

  void ParseInitial(Variable* variable, int64_t size) {
    if (Accept("{")) {
      while (!Accept("}")) {
        ParseInitial(variable, size);
        if (!Accept(",") && !Is("}")) Unexpected("`,` or `}`");
      }
      return;
    }
    const bool negative = Accept("-");
    if (Peek().kind != Token::kInteger && Peek().kind != Token::kFloat) {
      Fail("the initial value `" + Peek().text + "` of `" + variable->name + "` is not a number");
    }
    const Token token = Next();
    uint64_t bits = static_cast<uint64_t>(token.value);
    if (token.kind == Token::kFloat && token.float_bits == 64 && size == 4) {
      bits = std::bit_cast<uint32_t>(static_cast<float>(std::bit_cast<double>(token.value)));
    }
    if (negative)
      bits = token.kind == Token::kInteger ? 0 - bits : bits ^ (uint64_t{1} << (8 * size - 1));
    for (int64_t i = 0; i < size; ++i) {
      variable->initial.push_back(static_cast<uint8_t>(bits >> (8 * i)));
    }
  }

  void ParseFunction() {
    function_ = Function();
    function_.line = Peek().line;
    function_.name = Word();
    ParseParams();
    ParsePerformanceDirectives();
    scopes_.assign(1, {});
    Expect("{");
    ParseBody();
    for (const auto& [label, index] : function_.labels) {
      if (index == kUndefined)
        throw PtxError(function_.line, "label `" + label + "` is not defined");
    }
    module_.functions.push_back(std::move(function_));
  }

  void ParseParams() {
    if (!Accept("(")) return;
    while (!Accept(")")) {
      Expect(".param");
      Variable param = ParseVariable(Space::kParam);
      param.offset = RoundUp(function_.param_bytes, param.align);
      function_.param_bytes = param.offset + param.bytes;
      function_.params.push_back(std::move(param));
      if (!Accept(",") && !Is(")")) Unexpected("`,` or `)`");
    }
  }

  void ParsePerformanceDirectives() {
    while (!Is("{")) {
      const std::string word = Word();
      if (word == ".maxntid" || word == ".reqntid") {
        std::array<int, 3>& size =
            word == ".maxntid" ? function_.max_threads : function_.required_threads;
        size = {static_cast<int>(Integer()), 1, 1};
        for (int i = 1; i < 3 && Accept(","); ++i) size[i] = static_cast<int>(Integer());
      } else if (word == ".minnctapersm" || word == ".maxnreg") {
        Integer();
      } else if (word == ".pragma") {
        Next();
        Expect(";");
      } else {
        Fail("unknown directive `" + word + "` of a kernel");
      }
    }
  }

  void ParseBody() {
    while (true) {
      if (Accept("}")) {
        scopes_.pop_back();
        if (scopes_.empty()) return;
      } else if (Accept("{")) {
        scopes_.emplace_back();
      } else if (Peek().kind == Token::kEnd) {
        Fail("the body of `" + function_.name + "` does not end");
      } else {
        ParseStatement();
      }
    }
  }

  void ParseStatement() {
    if (Accept(".reg")) return ParseRegisters();
    if (const std::optional<Space> space = SpaceOf(Peek().text)) {
      Next();
      Variable variable = ParseVariable(*space);
      Expect(";");
      if (*space == Space::kShared || *space == Space::kLocal) {
        function_.variables.push_back(std::move(variable));
      } else {
        module_.variables.push_back(std::move(variable));
      }
      return;
    }
    if (Accept(".loc")) return SkipLine();
    if (Accept(".pragma")) {
      Next();
      Expect(";");
      return;
    }
    if (Peek().kind == Token::kWord && Peek(1).text == ":") {
      size_t& index = function_.labels.try_emplace(Peek().text, kUndefined).first->second;
      if (index != kUndefined) Fail("label `" + Peek().text + "` is defined twice");
      index = function_.instructions.size();
      Next();
      Next();
      return;
    }
    ParseInstruction();
  }

  // .reg .b32 %r<5>, %x;
  void ParseRegisters() {
    const PtxType type = Type();
    do {
      const std::string name = Word();
      if (Accept("<")) {
        const int64_t count = Integer();
        Expect(">");
        for (int64_t i = 0; i < count; ++i) Declare(name + std::to_string(i), type);
      } else {
        Declare(name, type);
      }
    } while (Accept(","));
    Expect(";");
  }

  void Declare(const std::string& name, const PtxType& type) {
    std::string unique = name;
    if (scopes_.size() > 1) unique += "@" + std::to_string(++scoped_registers_);
    if (!scopes_.back().emplace(name, unique).second)
      Fail("register `" + name + "` is declared twice");
    function_.registers[unique] = type;
  }

  // The unique name of a register, or nothing if `name` is none.
  std::optional<std::string> RegisterNamed(const std::string& name) const {
    for (auto scope = scopes_.rbegin(); scope != scopes_.rend(); ++scope) {
      if (const auto found = scope->find(name); found != scope->end()) return found->second;
    }
    return std::nullopt;
  }

  void ParseInstruction() {
    Instruction instruction;
    instruction.line = Peek().line;
    const size_t begin = Peek().begin;
    if (Accept("@")) {
      instruction.predicate_negated = Accept("!");
      const std::string name = Word();
      const std::optional<std::string> predicate = RegisterNamed(name);
      if (!predicate) Fail("predicate `" + name + "` is not declared");
      instruction.predicate = *predicate;
    }
    SplitOpcode(Word(), &instruction);
    if (!Is(";")) {
      do instruction.operands.push_back(ParseOperand());
      while (Accept(","));
    }
    instruction.text = OneLine(begin, Peek().begin);
    Expect(";");
    if (instruction.opcode == "bra" && instruction.operands.size() == 1) {
      function_.labels.try_emplace(instruction.operands[0].name, kUndefined);
    }
    function_.instructions.push_back(std::move(instruction));
  }

  static void SplitOpcode(const std::string& word, Instruction* instruction) {
    size_t begin = 0;
    while (begin <= word.size()) {
      const size_t dot = std::min(word.find('.', begin), word.size());
      const std::string part = word.substr(begin, dot - begin);
      if (begin == 0) {
        instruction->opcode = part;
      } else {
        instruction->modifiers.push_back(part);
      }
      begin = dot + 1;
    }
  }

  std::string OneLine(size_t begin, size_t end) const {
    std::string line;
    for (char c : source_.substr(begin, end - begin)) {
      if (std::isspace(static_cast<unsigned char>(c))) c = ' ';
      if (c != ' ' || (!line.empty() && line.back() != ' ')) line += c;
    }
    return line;
  }

  Operand ParseOperand() {
    Operand operand = ParseSimple();
    if (Accept("|")) {
      Operand pair;
      pair.kind = Operand::kPair;
      pair.parts = {std::move(operand), ParseSimple()};
      return pair;
    }
    return operand;
  }

  Operand ParseSimple() {
    Operand operand;
    if (Accept("[")) return ParseAddress();
    if (Accept("{")) {
      operand.kind = Operand::kVector;
      do operand.parts.push_back(ParseSimple());
      while (Accept(","));
      Expect("}");
      return operand;
    }
    if (Accept("!")) {
      operand = ParseSimple();
      operand.negated = true;
      return operand;
    }
    if (Is("-") || Peek().kind == Token::kInteger || Peek().kind == Token::kFloat)
      return ParseNumber();
    return ParseName();
  }

  Operand ParseName() {
    Operand operand;
    const std::string name = Word();
    if (const std::optional<std::string> reg = RegisterNamed(name)) {
      operand.kind = Operand::kRegister;
      operand.name = *reg;
      return operand;
    }
    operand.name = name;
    if (name == "_") {
      operand.kind = Operand::kSink;
    } else if (name.front() == '%' || name == "WARP_SZ") {
      operand.kind = Operand::kSpecial;
    } else {
      operand.kind = Operand::kSymbol;
    }
    return operand;
  }

  Operand ParseNumber() {
    Operand operand;
    const bool negative = Accept("-");
    const Token token = Next();
    if (token.kind != Token::kInteger && token.kind != Token::kFloat) Fail("expected a number");
    operand.value = token.value;
    if (token.kind == Token::kInteger) {
      operand.kind = Operand::kInteger;
      if (negative) operand.value = static_cast<int64_t>(0 - static_cast<uint64_t>(operand.value));
    } else {
      operand.kind = Operand::kFloat;
      operand.float_bits = token.float_bits;
      if (negative) operand.value ^= static_cast<int64_t>(uint64_t{1} << (token.float_bits - 1));
    }
    return operand;
  }

  Operand ParseAddress() {
    Operand operand;
    operand.kind = Operand::kAddress;
    if (Peek().kind == Token::kWord) {
      operand.parts.push_back(ParseName());
      if (Accept("+")) {
        operand.value = Integer();
      } else if (Is("-")) {
        operand.value = Integer();
      }
    } else {
      operand.value = Integer();
    }
    Expect("]");
    return operand;
  }

  static constexpr size_t kUndefined = static_cast<size_t>(-1);

  std::string_view source_;
  std::vector<Token> tokens_;
  size_t place_ = 0;
  PtxModule module_;
  Function function_;
  std::vector<std::map<std::string, std::string>> scopes_;  // name -> unique name
  int scoped_registers_ = 0;
};

}  // namespace

PtxModule ParsePtx(std::string_view source) { return Parser(source).Run(); }

}  // namespace swage::emulated_cuda
