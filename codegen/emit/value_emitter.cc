// File: codegen/emit/value_emitter.cc
#include "codegen/emit/value_emitter.h"

#include <algorithm>
#include <utility>

#include "codegen/emit/elementwise_emitter.h"
#include "codegen/emit/index_ops.h"
#include "codegen/emit/types.h"
#include "llvm/IR/Constants.h"

namespace swage::emit {

using ir::DType;
using ir::Instruction;
using ir::Opcode;

namespace {

// Whether there is an instruction that stores such a value around the caches.
bool CanStream(const llvm::Type* type) {
  return type->isVectorTy() && type->getPrimitiveSizeInBits() >= 128;
}

}  // namespace

ValueEmitter::ValueEmitter(const EmitOptions& options, int width, std::vector<ir::Dim> dims,
                           llvm::Module* module, LoopNest* nest, std::vector<llvm::Value*> buffers,
                           IndexEmitter::DimArgument dim_argument)
    : options_(options),
      width_(width),
      module_(module),
      nest_(nest),
      buffers_(std::move(buffers)),
      indices_(&arena_, nest, std::move(dims), std::move(dim_argument),
               [this](const Instruction* value, IndexId index, GuardId guard) {
                 return Value(value, index, guard);
               }) {}

Status ValueEmitter::CheckSize() {
  // Counting costs a walk, so it is done now and then.
  if (++emitted_ % 32 != 0) return OkStatus();
  const int64_t size = nest_->function()->getInstructionCount();
  if (size <= options_.ir_cap) return OkStatus();
  return ResourceExhausted("[emit] a kernel of more than ", options_.ir_cap,
                           " LLVM instructions: split the fusion");
}

AxisId ValueEmitter::InnerAxis(const Instruction* instruction, IndexId index, GuardId guard,
                               int number, ir::Dim extent) {
  auto [it, added] = inner_axes_.try_emplace({instruction, index, guard, number}, 0);
  if (added) it->second = arena_.AddAxis(extent);
  return it->second;
}

void ValueEmitter::Preset(const Instruction* instruction, IndexId index, llvm::Value* value) {
  nest_->current().values[{instruction, index, kAlways}] = {value};
}

void ValueEmitter::Keep(llvm::Value* value) {
  const DType dtype = record_->instruction->shape().dtype();
  llvm::Value* at =
      b().CreateAnd(nest_->AxisValue(record_->axis), nest_->Int(record_->capacity - 1));
  llvm::Value* slot = b().CreateGEP(StoredType(b().getContext(), dtype), record_->slots, at);
  value = ToStored(b(), dtype, Splat(b(), value, nest_->lanes().width));
  b().CreateAlignedStore(value, slot, llvm::Align(ir::DTypeBytes(dtype)));
}

StatusOr<llvm::Value*> ValueEmitter::Value(const Instruction* instruction, IndexId index,
                                           GuardId guard) {
  if (instruction->opcode() == Opcode::kGetTupleElement) {
    SWAGE_ASSIGN_OR_RETURN(Values all, All(instruction->operand(0), index, guard));
    return all[instruction->tuple_index()];
  }
  SWAGE_ASSIGN_OR_RETURN(Values values, All(instruction, index, guard));
  SWAGE_RET_CHECK(values.size() == 1, ToAbsl(instruction->name()));
  return values[0];
}

int ValueEmitter::DepthOf(IndexId index, GuardId guard) {
  if (guard == kAlways) return nest_->DepthOf(arena_.AxesOfIndex(index));
  return nest_->DepthOf(Union(arena_.AxesOfIndex(index), arena_.AxesOfGuard(guard)));
}

bool ValueEmitter::IsKnown(const ValueKey& key) {
  const auto& [instruction, index, guard] = key;
  return nest_->scope(DepthOf(index, guard)).values.contains(key);
}

StatusOr<Values> ValueEmitter::All(const Instruction* instruction, IndexId index, GuardId guard) {
  SWAGE_RETURN_IF_ERROR(EmitChain({instruction, index, guard}));
  return EmitOnce(instruction, index, guard);
}

std::vector<ValueKey> ValueEmitter::Needs(const ValueKey& key) {
  const auto& [op, index, guard] = key;
  std::vector<ValueKey> needs;
  if (ir::IsElementwise(op->opcode())) {
    for (const Instruction* operand : op->operands()) {
      const bool scalar = operand->shape().rank() == 0;
      needs.emplace_back(operand, scalar ? arena_.Index({}) : index, guard);
    }
  } else if (std::optional<IndexId> at = OperandIndex(arena_, op, index)) {
    needs.emplace_back(op->operand(0), *at, guard);
  }
  return needs;
}

Status ValueEmitter::EmitChain(const ValueKey& last) {
  std::vector<ValueKey> stack{last};
  while (!stack.empty()) {
    const ValueKey key = stack.back();
    const size_t before = stack.size();
    if (!IsKnown(key)) {
      for (const ValueKey& need : Needs(key)) {
        if (!IsKnown(need) && !Needs(need).empty()) stack.push_back(need);
      }
    }
    if (stack.size() > before) continue;
    stack.pop_back();
    if (key == last || IsKnown(key)) continue;
    const auto& [op, index, guard] = key;
    SWAGE_RETURN_IF_ERROR(EmitOnce(op, index, guard).status());
  }
  return OkStatus();
}

StatusOr<Values> ValueEmitter::EmitOnce(const Instruction* instruction, IndexId index,
                                        GuardId guard) {
  const ValueKey key{instruction, index, guard};
  const int depth = DepthOf(index, guard);
  {
    auto& memo = nest_->scope(depth).values;
    if (auto it = memo.find(key); it != memo.end()) return it->second;
  }
  SWAGE_RETURN_IF_ERROR(CheckSize());
  const bool keep = record_ != nullptr && record_->instruction == instruction &&
                    record_->index == index && guard == kAlways;
  SWAGE_ASSIGN_OR_RETURN(Values values, nest_->At(depth, [&] {
    StatusOr<Values> emitted = Emit(instruction, index, guard);
    if (keep && emitted.ok()) Keep((*emitted)[0]);
    return emitted;
  }));
  nest_->scope(depth).values[key] = values;
  return values;
}

StatusOr<Values> ValueEmitter::Emit(const Instruction* op, IndexId index, GuardId guard) {
  switch (op->opcode()) {
    case Opcode::kParameter: {
      if (llvm::Value* value = LoadFromTile(op, index)) return Values{value};
      const ExprId offset = arena_.Linearise(op->shape().dims(), index);
      SWAGE_ASSIGN_OR_RETURN(llvm::Value * value, Load(buffers_[op->parameter_number()],
                                                       op->shape().dtype(), offset, guard));
      return Values{value};
    }
    case Opcode::kConstant: {
      SWAGE_ASSIGN_OR_RETURN(llvm::Value * value, EmitConstant(op, index, guard));
      return Values{value};
    }
    case Opcode::kReduce:
      return EmitReduce(*this, op, index, guard);
    case Opcode::kDot: {
      SWAGE_ASSIGN_OR_RETURN(llvm::Value * value, EmitDot(*this, op, index, guard));
      return Values{value};
    }
    case Opcode::kCall:
    case Opcode::kMap:
      return EmitElementwiseAt(op, index, guard);
    default:
      break;
  }
  if (ir::IsElementwise(op->opcode())) return EmitElementwiseAt(op, index, guard);
  SWAGE_ASSIGN_OR_RETURN(llvm::Value * value, EmitMoved(*this, op, index, guard));
  return Values{value};
}

llvm::Value* ValueEmitter::SlotOf(const Tile& tile) {
  llvm::Value* row = b().CreateSub(nest_->AxisValue(tile.rows), tile.first_row);
  llvm::Value* lane = b().CreateSub(nest_->AxisValue(tile.lanes), tile.first_lane);
  llvm::Value* at = b().CreateAdd(b().CreateMul(row, nest_->Int(tile.pitch)), lane);
  return b().CreateGEP(StoredType(b().getContext(), tile.parameter->shape().dtype()), tile.slots,
                       at);
}

llvm::Value* ValueEmitter::LoadFromTile(const Instruction* parameter, IndexId index) {
  if (nest_->lanes().width == 1 && grid_ == nullptr) return nullptr;
  for (const Tile& tile : tiles_) {
    if (tile.parameter != parameter || tile.index != index) continue;
    const DType dtype = parameter->shape().dtype();
    llvm::Type* vector = VectorOf(StoredType(b().getContext(), dtype), nest_->lanes().width);
    const int64_t bytes = int64_t{ir::DTypeBytes(dtype)} * nest_->lanes().width;
    return FromStored(
        b(), dtype,
        b().CreateAlignedLoad(vector, SlotOf(tile), llvm::Align(std::min<int64_t>(64, bytes))));
  }
  return nullptr;
}

StatusOr<Values> ValueEmitter::EmitElementwiseAt(const Instruction* op, IndexId index,
                                                 GuardId guard) {
  std::vector<llvm::Value*> operands;
  for (const Instruction* operand : op->operands()) {
    // A scalar operand of an op over arrays is used everywhere.
    const IndexId at = operand->shape().rank() == 0 ? arena_.Index({}) : index;
    SWAGE_ASSIGN_OR_RETURN(llvm::Value * value, Value(operand, at, guard));
    operands.push_back(value);
  }
  if (op->opcode() == Opcode::kCall || op->opcode() == Opcode::kMap) {
    return Apply(*op->to_apply(), operands);
  }
  SWAGE_ASSIGN_OR_RETURN(llvm::Value * value, Elementwise(*op, operands));
  return Values{value};
}

StatusOr<llvm::Value*> ValueEmitter::Elementwise(const Instruction& op,
                                                 absl::Span<llvm::Value* const> operands) {
  int width = 1;
  for (const llvm::Value* operand : operands) width = std::max(width, WidthOf(operand));
  std::vector<llvm::Value*> spread;
  std::vector<DType> dtypes;
  for (size_t i = 0; i < operands.size(); ++i) {
    spread.push_back(Splat(b(), operands[i], width));
    dtypes.push_back(op.operand(static_cast<int>(i))->shape().dtype());
  }
  math::ElementwiseAttrs attrs;
  if (op.opcode() == Opcode::kCompare) attrs.compare = op.attrs<ir::CompareAttrs>();
  if (op.opcode() == Opcode::kReducePrecision) {
    attrs.reduce_precision = op.attrs<ir::ReducePrecisionAttrs>();
  }
  return EmitElementwise(b(), op.opcode(), op.shape().dtype(), dtypes, attrs, spread);
}

StatusOr<llvm::Value*> ValueEmitter::Convert(DType from, DType to, llvm::Value* value) {
  if (from == to) return value;
  return EmitConvert(b(), from, to, value);
}

StatusOr<Values> ValueEmitter::Apply(const ir::Computation& computation,
                                     absl::Span<llvm::Value* const> args) {
  absl::flat_hash_map<const Instruction*, Values> values;
  for (const Instruction* op : computation.PostOrder()) {
    std::vector<llvm::Value*> operands;
    for (const Instruction* operand : op->operands()) {
      for (llvm::Value* value : values[operand]) operands.push_back(value);
    }
    Values result;
    switch (op->opcode()) {
      case Opcode::kParameter:
        result = {args[op->parameter_number()]};
        break;
      case Opcode::kConstant: {
        if (!op->shape().is_scalar()) {
          return Unimplemented("[emit] an array constant inside ", ToAbsl(computation.name()));
        }
        result = {ConstantOfBits(b().getContext(), op->shape().dtype(), op->literal().GetBits(0))};
        break;
      }
      case Opcode::kTuple:
        result.assign(operands.begin(), operands.end());
        break;
      case Opcode::kGetTupleElement:
        result = {operands[op->tuple_index()]};
        break;
      case Opcode::kCall:
      case Opcode::kMap: {
        SWAGE_ASSIGN_OR_RETURN(result, Apply(*op->to_apply(), operands));
        break;
      }
      case Opcode::kBroadcast:
      case Opcode::kReshape:
      case Opcode::kBitcast:
      case Opcode::kCopy:
        if (!op->shape().is_scalar()) {
          return Unimplemented("[emit] arrays inside ", ToAbsl(computation.name()));
        }
        result = {operands[0]};
        break;
      default: {
        if (!ir::IsElementwise(op->opcode())) {
          return Unimplemented("[emit] ", ToAbsl(ir::OpcodeName(op->opcode())), " inside ",
                               ToAbsl(computation.name()));
        }
        SWAGE_ASSIGN_OR_RETURN(llvm::Value * value, Elementwise(*op, operands));
        result = {value};
        break;
      }
    }
    values[op] = std::move(result);
  }
  return values[computation.root()];
}

StatusOr<llvm::Value*> ValueEmitter::EmitConstant(const Instruction* op, IndexId index,
                                                  GuardId guard) {
  const ir::Literal& literal = op->literal();
  const DType dtype = op->shape().dtype();
  if (op->shape().is_scalar() || literal.IsUniform()) {
    return ConstantOfBits(b().getContext(), dtype, literal.GetBits(0));
  }
  llvm::Value*& data = constant_data_[op];
  if (data == nullptr) {
    const absl::Span<const uint8_t> bytes = literal.bytes();
    llvm::Constant* array = llvm::ConstantDataArray::get(
        b().getContext(), llvm::ArrayRef<uint8_t>(bytes.data(), bytes.size()));
    auto* global = new llvm::GlobalVariable(*module_, array->getType(), /*isConstant=*/true,
                                            llvm::GlobalValue::PrivateLinkage, array, "constant",
                                            nullptr, llvm::GlobalValue::NotThreadLocal,
                                            options_.is_gpu() ? kGlobalSpace : 0);
    global->setAlignment(llvm::Align(64));
    data = global;
  }
  return Load(data, dtype, arena_.Linearise(op->shape().dims(), index), guard);
}

llvm::Value* ValueEmitter::Scratch() {
  // Where a load goes whose guard does not hold.
  if (scratch_ == nullptr) scratch_ = nest_->Alloca(b().getInt64Ty(), std::max(width_, 1), 64);
  return scratch_;
}

StatusOr<llvm::Value*> ValueEmitter::LoadIf(llvm::Value* condition, llvm::Type* type,
                                            llvm::Value* pointer, llvm::Align align) {
  if (condition == nullptr) return b().CreateAlignedLoad(type, pointer, align);
  if (!options_.is_gpu()) {
    return b().CreateAlignedLoad(type, b().CreateSelect(condition, pointer, Scratch()), align);
  }
  // Threads have predicates, and a stack of their own is memory like any other.
  std::vector<llvm::Value*> loaded{llvm::Constant::getNullValue(type)};
  SWAGE_RETURN_IF_ERROR(nest_->IfCarried(condition, &loaded, [&] {
    loaded[0] = b().CreateAlignedLoad(type, pointer, align);
    return OkStatus();
  }));
  return loaded[0];
}

llvm::Value* ValueEmitter::Select(llvm::Value* condition, llvm::Value* yes, llvm::Value* no) {
  if (condition == nullptr || yes == no) return yes;
  if (auto* known = llvm::dyn_cast<llvm::ConstantInt>(condition)) return known->isZero() ? no : yes;
  if (IsVector(condition) || IsVector(yes) || IsVector(no)) {
    const int width = nest_->lanes().width;
    yes = Splat(b(), yes, width);
    no = Splat(b(), no, width);
  }
  return b().CreateSelect(condition, yes, no);
}

// GPU threads take vectors where the plan has made sure that they are aligned as a whole.
llvm::Align ValueEmitter::VectorAlign(DType dtype) const {
  const int lanes = options_.is_gpu() ? nest_->lanes().width : 1;
  const int64_t bytes = int64_t{ir::DTypeBytes(dtype)} * lanes;
  return llvm::Align(options_.is_gpu() ? std::min(bytes, kGpuBufferAlignment) : bytes);
}

StatusOr<llvm::Value*> ValueEmitter::Load(llvm::Value* base, DType dtype, ExprId offset,
                                          GuardId guard) {
  llvm::Type* type = StoredType(b().getContext(), dtype);
  const llvm::Align align(ir::DTypeBytes(dtype));
  const Lanes lanes = nest_->lanes();
  if (guard == kNever) return llvm::Constant::getNullValue(LaneType(b().getContext(), dtype));
  SWAGE_ASSIGN_OR_RETURN(llvm::Value * holds, indices_.Guard(guard));
  const LaneStride stride = lanes.width > 1 ? arena_.StrideOf(offset, lanes.axis) : LaneStride{};
  llvm::Value* mask = lanes.mask;
  if (holds != nullptr && IsVector(holds)) mask = mask ? b().CreateAnd(mask, holds) : holds;
  llvm::Value* loaded = nullptr;
  if (stride.kind == LaneStride::kUniform || stride.IsContiguous()) {
    SWAGE_ASSIGN_OR_RETURN(llvm::Value * first, indices_.Scalar(offset));
    llvm::Value* pointer = b().CreateGEP(type, base, first);
    if (stride.kind == LaneStride::kUniform && holds != nullptr && IsVector(holds)) {
      holds = b().CreateOrReduce(mask);
    }
    if (holds != nullptr && IsVector(holds)) holds = nullptr;  // it is in the mask
    llvm::Type* vector = VectorOf(type, lanes.width);
    if (stride.kind == LaneStride::kUniform) {
      SWAGE_ASSIGN_OR_RETURN(loaded, LoadIf(holds, type, pointer, align));
    } else if (mask == nullptr) {
      SWAGE_ASSIGN_OR_RETURN(loaded, LoadIf(holds, vector, pointer, VectorAlign(dtype)));
    } else {
      if (holds != nullptr) pointer = b().CreateSelect(holds, pointer, Scratch());
      loaded =
          b().CreateMaskedLoad(vector, pointer, align, mask, llvm::Constant::getNullValue(vector));
    }
  } else {
    SWAGE_ASSIGN_OR_RETURN(llvm::Value * offsets, indices_.Vector(offset));
    if (holds != nullptr && !IsVector(holds)) {
      holds = Splat(b(), holds, lanes.width);
      mask = mask ? b().CreateAnd(mask, holds) : holds;
    }
    if (mask == nullptr) mask = Splat(b(), b().getTrue(), lanes.width);
    llvm::Type* vector = VectorOf(type, lanes.width);
    loaded = b().CreateMaskedGather(vector, b().CreateGEP(type, base, offsets), align, mask,
                                    llvm::Constant::getNullValue(vector));
  }
  return FromStored(b(), dtype, loaded);
}

Status ValueEmitter::Store(llvm::Value* base, DType dtype, ExprId offset, llvm::Value* value) {
  llvm::Type* type = StoredType(b().getContext(), dtype);
  const llvm::Align align(ir::DTypeBytes(dtype));
  const Lanes lanes = nest_->lanes();
  if (lanes.width > 1) value = Splat(b(), value, lanes.width);
  value = ToStored(b(), dtype, value);
  if (lanes.width > 1 && !arena_.StrideOf(offset, lanes.axis).IsContiguous()) {
    SWAGE_RET_CHECK(arena_.StrideOf(offset, lanes.axis).kind != LaneStride::kUniform);
    SWAGE_ASSIGN_OR_RETURN(llvm::Value * offsets, indices_.Vector(offset));
    llvm::Value* mask = lanes.mask != nullptr ? lanes.mask : Splat(b(), b().getTrue(), lanes.width);
    b().CreateMaskedScatter(value, b().CreateGEP(type, base, offsets), align, mask);
    return OkStatus();
  }
  SWAGE_ASSIGN_OR_RETURN(llvm::Value * first, indices_.Scalar(offset));
  llvm::Value* pointer = b().CreateGEP(type, base, first);
  if (lanes.mask != nullptr) {
    b().CreateMaskedStore(value, pointer, align, lanes.mask);
    return OkStatus();
  }
  const auto store = [&] {
    b().CreateAlignedStore(value, pointer, VectorAlign(dtype));
    return OkStatus();
  };
  if (!options_.streaming_stores || !CanStream(value->getType())) return store();
  // Such a store must be aligned as a whole, which a row of any length need not be.
  const int64_t bytes = value->getType()->getPrimitiveSizeInBits() / 8;
  llvm::Value* bits = b().CreatePtrToInt(pointer, b().getInt64Ty());
  llvm::Value* aligned =
      b().CreateICmpEQ(b().CreateAnd(bits, bytes - 1), llvm::ConstantInt::get(bits->getType(), 0));
  std::vector<llvm::Value*> nothing;
  return nest_->IfElse(
      aligned, &nothing,
      [&] {
        llvm::Value* stored = b().CreateAlignedStore(value, pointer, llvm::Align(bytes));
        auto* one = llvm::ConstantAsMetadata::get(b().getInt32(1));
        llvm::cast<llvm::StoreInst>(stored)->setMetadata(
            llvm::LLVMContext::MD_nontemporal, llvm::MDNode::get(b().getContext(), {one}));
        return OkStatus();
      },
      store);
}

StatusOr<llvm::Value*> ValueEmitter::ExprAs(ExprId expr, DType dtype) {
  const bool vector = nest_->UsesLanes(arena_.AxesOfExpr(expr));
  const LaneStride stride = vector ? arena_.StrideOf(expr, nest_->lanes().axis) : LaneStride{};
  if (ir::IsInteger(dtype) && ir::DTypeBits(dtype) >= 8 && stride.IsContiguous()) {
    // Integers wrap, so the lanes may be counted in the narrow type.
    const int bits = ir::DTypeBits(dtype);
    SWAGE_ASSIGN_OR_RETURN(llvm::Value * first, indices_.Scalar(expr));
    first = b().CreateTrunc(first, b().getIntNTy(bits));
    const int width = nest_->lanes().width;
    return b().CreateAdd(Splat(b(), first, width), nest_->LaneNumbers(width, bits));
  }
  SWAGE_ASSIGN_OR_RETURN(llvm::Value * value,
                         vector ? indices_.Vector(expr) : indices_.Scalar(expr));
  return Convert(DType::kS64, dtype, value);
}

}  // namespace swage::emit
