// File: codegen/emit/thread_grid.cc
#include "codegen/emit/thread_grid.h"

#include "llvm/IR/Constants.h"
#include "llvm/IR/GlobalVariable.h"

namespace swage::emit {

namespace nvvm = llvm::Intrinsic;

llvm::Value* ThreadGrid::Once(const char* name, FunctionRef<llvm::Value*()> emit) {
  llvm::Value*& value = values_[name];
  if (value == nullptr) value = nest_->At(0, emit);
  return value;
}

llvm::Value* ThreadGrid::Register(llvm::Intrinsic::ID id) {
  return b().CreateZExt(b().CreateIntrinsic(id, {}, {}), b().getInt64Ty());
}

llvm::Value* ThreadGrid::Thread() {
  return Once("thread", [&] {
    llvm::Value* block = Register(nvvm::nvvm_read_ptx_sreg_ctaid_x);
    llvm::Value* size = Register(nvvm::nvvm_read_ptx_sreg_ntid_x);
    return b().CreateAdd(b().CreateMul(block, size), Register(nvvm::nvvm_read_ptx_sreg_tid_x));
  });
}

llvm::Value* ThreadGrid::Team() {
  return Once("team", [&] {
    llvm::Value* block = Register(nvvm::nvvm_read_ptx_sreg_ctaid_x);
    llvm::Value* teams = Register(nvvm::nvvm_read_ptx_sreg_ntid_y);
    return b().CreateAdd(b().CreateMul(block, teams), Register(nvvm::nvvm_read_ptx_sreg_tid_y));
  });
}

llvm::Value* ThreadGrid::ThreadInTeam() {
  return Once("thread_in_team", [&] { return Register(nvvm::nvvm_read_ptx_sreg_tid_x); });
}

llvm::Value* ThreadGrid::TeamSize() {
  return Once("team_size", [&] { return Register(nvvm::nvvm_read_ptx_sreg_ntid_x); });
}

llvm::Value* ThreadGrid::Lane() {
  llvm::Value* thread = ThreadInTeam();
  return Once("lane", [&] { return b().CreateAnd(thread, b().getInt64(kWarp - 1)); });
}

llvm::Value* ThreadGrid::Warp() {
  llvm::Value* thread = ThreadInTeam();
  return Once("warp", [&] { return b().CreateUDiv(thread, b().getInt64(kWarp)); });
}

llvm::Value* ThreadGrid::TeamWarps() {
  llvm::Value* size = TeamSize();
  return Once("team_warps", [&] { return b().CreateUDiv(size, b().getInt64(kWarp)); });
}

llvm::Value* ThreadGrid::FirstWarp() {
  llvm::Value* warps = TeamWarps();
  return Once("first_warp",
              [&] { return b().CreateMul(Register(nvvm::nvvm_read_ptx_sreg_tid_y), warps); });
}

llvm::Value* ThreadGrid::Column() {
  llvm::Value* lane = ThreadInTeam();
  llvm::Value* columns = TeamSize();
  return Once("column", [&] {
    llvm::Value* block = Register(nvvm::nvvm_read_ptx_sreg_ctaid_x);
    return b().CreateAdd(b().CreateMul(block, columns), lane);
  });
}

llvm::Value* ThreadGrid::Line() {
  return Once("line", [&] { return Register(nvvm::nvvm_read_ptx_sreg_tid_y); });
}

llvm::Value* ThreadGrid::Share() {
  llvm::Value* line = Line();
  return Once("share", [&] { return b().CreateAnd(line, b().getInt64(kColumnShares - 1)); });
}

llvm::Value* ThreadGrid::Group() {
  llvm::Value* line = Line();
  return Once("group", [&] { return b().CreateUDiv(line, b().getInt64(kColumnShares)); });
}

llvm::Value* ThreadGrid::Groups() {
  return Once("groups", [&] {
    llvm::Value* lines = Register(nvvm::nvvm_read_ptx_sreg_ntid_y);
    return b().CreateUDiv(lines, b().getInt64(kColumnShares));
  });
}

llvm::Value* ThreadGrid::Block() {
  return Once("block", [&] { return Register(nvvm::nvvm_read_ptx_sreg_ctaid_x); });
}

llvm::Value* ThreadGrid::ThreadInBlock() {
  return Once("thread_in_block", [&] {
    llvm::Value* line = b().CreateIntrinsic(nvvm::nvvm_read_ptx_sreg_tid_y, {}, {});
    llvm::Value* size = b().CreateIntrinsic(nvvm::nvvm_read_ptx_sreg_ntid_x, {}, {});
    llvm::Value* place = b().CreateIntrinsic(nvvm::nvvm_read_ptx_sreg_tid_x, {}, {});
    return b().CreateZExt(b().CreateAdd(b().CreateMul(line, size), place), b().getInt64Ty());
  });
}

llvm::Value* ThreadGrid::IsFlat() {
  return Once("is_flat", [&] {
    return b().CreateICmpEQ(Register(nvvm::nvvm_read_ptx_sreg_ntid_y), b().getInt64(1));
  });
}

llvm::Value* ThreadGrid::ShuffleWord(llvm::Intrinsic::ID id, llvm::Value* word, int operand,
                                     int clamp) {
  return b().CreateIntrinsic(
      id, {}, {b().getInt32(~uint32_t{0}), word, b().getInt32(operand), b().getInt32(clamp)});
}

llvm::Value* ThreadGrid::Shuffle(llvm::Intrinsic::ID id, llvm::Value* value, int operand,
                                 int clamp) {
  // Words of 32 bits are what moves between threads.
  llvm::Type* type = value->getType();
  const unsigned bits = type->getPrimitiveSizeInBits();
  llvm::Value* word = b().CreateBitCast(value, b().getIntNTy(bits));
  if (bits <= 32) {
    word = ShuffleWord(id, b().CreateZExt(word, b().getInt32Ty()), operand, clamp);
    return b().CreateBitCast(b().CreateTrunc(word, b().getIntNTy(bits)), type);
  }
  llvm::Value* low = b().CreateTrunc(word, b().getInt32Ty());
  llvm::Value* high = b().CreateTrunc(b().CreateLShr(word, 32), b().getInt32Ty());
  low = b().CreateZExt(ShuffleWord(id, low, operand, clamp), b().getInt64Ty());
  high = b().CreateZExt(ShuffleWord(id, high, operand, clamp), b().getInt64Ty());
  return b().CreateBitCast(b().CreateOr(b().CreateShl(high, 32), low), type);
}

llvm::Value* ThreadGrid::ShuffleDown(llvm::Value* value, int distance) {
  return Shuffle(nvvm::nvvm_shfl_sync_down_i32, value, distance, kWarp - 1);
}

llvm::Value* ThreadGrid::FromFirst(llvm::Value* value) {
  return Shuffle(nvvm::nvvm_shfl_sync_idx_i32, value, 0, kWarp - 1);
}

Status ThreadGrid::Sync() {
  if (sharing_ != Sharing::kRows) {
    b().CreateIntrinsic(nvvm::nvvm_barrier0, {}, {});
    return OkStatus();
  }
  llvm::Value* warps = TeamWarps();
  llvm::Value* several =
      Once("several_warps", [&] { return b().CreateICmpUGT(warps, b().getInt64(1)); });
  std::vector<llvm::Value*> none;
  return nest_->IfElse(
      several, &none,
      [&] {
        b().CreateIntrinsic(nvvm::nvvm_barrier0, {}, {});
        return OkStatus();
      },
      [&] {
        b().CreateIntrinsic(nvvm::nvvm_bar_warp_sync, {}, {b().getInt32(~uint32_t{0})});
        return OkStatus();
      });
}

llvm::Value* ThreadGrid::Shared(llvm::Type* type, int64_t count) {
  llvm::Type* array = llvm::ArrayType::get(type, count);
  auto* shared =
      new llvm::GlobalVariable(*nest_->function()->getParent(), array, /*isConstant=*/false,
                               llvm::GlobalValue::InternalLinkage, llvm::UndefValue::get(array),
                               "shared", nullptr, llvm::GlobalValue::NotThreadLocal, kSharedSpace);
  shared->setAlignment(llvm::Align(16));
  return shared;
}

}  // namespace swage::emit
