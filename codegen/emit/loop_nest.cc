// File: codegen/emit/loop_nest.cc
#include "codegen/emit/loop_nest.h"

#include <algorithm>

#include "llvm/IR/Constants.h"
#include "llvm/IR/Instructions.h"

namespace swage::emit {

LoopNest::LoopNest(llvm::Function* function, llvm::IRBuilder<>* builder)
    : function_(function), builder_(builder) {
  entry_ = NewBlock("entry");
  llvm::BasicBlock* start = NewBlock("start");
  builder_->SetInsertPoint(entry_);
  builder_->CreateBr(start);
  builder_->SetInsertPoint(start);
  scopes_.emplace_back();
}

llvm::BasicBlock* LoopNest::NewBlock(const char* name) {
  return llvm::BasicBlock::Create(function_->getContext(), name, function_);
}

int LoopNest::DepthOf(const AxisSet& axes) const {
  int found = 0;
  for (AxisId axis : axes) {
    int d = depth();
    while (d > 0 && !scopes_[d].axes.contains(axis)) --d;
    found = std::max(found, d);
  }
  return found;
}

llvm::Value* LoopNest::AxisValue(AxisId axis) const {
  for (int d = depth(); d >= 0; --d) {
    auto it = scopes_[d].axes.find(axis);
    if (it != scopes_[d].axes.end()) return it->second;
  }
  Fatal(__FILE__, __LINE__, "an index uses an axis that no loop binds");
}

bool LoopNest::UsesLanes(const AxisSet& axes) const {
  return lanes().width > 1 && std::binary_search(axes.begin(), axes.end(), lanes().axis);
}

LoopNest::Suspended LoopNest::Suspend(int depth) {
  Suspended suspended;
  suspended.scopes.assign(std::make_move_iterator(scopes_.begin() + depth + 1),
                          std::make_move_iterator(scopes_.end()));
  scopes_.erase(scopes_.begin() + depth + 1, scopes_.end());
  suspended.block = builder_->GetInsertBlock();
  Scope& scope = scopes_.back();
  suspended.landing = scope.landing;
  scope.hoist->getTerminator()->eraseFromParent();
  builder_->SetInsertPoint(scope.hoist);
  scope.hoist = nullptr;
  scope.landing = nullptr;
  return suspended;
}

void LoopNest::Resume(Suspended suspended) {
  Scope& scope = scopes_.back();
  scope.hoist = builder_->GetInsertBlock();
  scope.landing = suspended.landing;
  builder_->CreateBr(suspended.landing);
  for (Scope& inner : suspended.scopes) scopes_.push_back(std::move(inner));
  builder_->SetInsertPoint(suspended.block);
}

void LoopNest::Open() {
  llvm::BasicBlock* landing = NewBlock("landing");
  scopes_.back().hoist = builder_->GetInsertBlock();
  scopes_.back().landing = landing;
  builder_->CreateBr(landing);
  builder_->SetInsertPoint(landing);
  Scope inner;
  inner.lanes = lanes();
  inner.threads_differ = current().threads_differ;
  scopes_.push_back(std::move(inner));
}

void LoopNest::Close() {
  scopes_.pop_back();
  scopes_.back().hoist = nullptr;
  scopes_.back().landing = nullptr;
}

namespace {

// LLVM would abort on values that meet and are not of one type.
Status CheckMeet(const std::vector<llvm::Value*>& a, const std::vector<llvm::Value*>& b) {
  SWAGE_RET_CHECK(a.size() == b.size(), a.size(), " and ", b.size(), " values meet");
  for (size_t i = 0; i < a.size(); ++i) {
    SWAGE_RET_CHECK(a[i]->getType() == b[i]->getType(), "value ", i, " changes its type");
  }
  return OkStatus();
}

}  // namespace

Status LoopNest::For(llvm::Value* lo, llvm::Value* hi, llvm::Value* step,
                     std::vector<llvm::Value*>* carried, LoopBody body) {
  std::vector<llvm::Value*> none;
  if (carried == nullptr) carried = &none;
  llvm::Value* enter = builder_->CreateICmpSLT(lo, hi);
  if (auto* known = llvm::dyn_cast<llvm::ConstantInt>(enter); known && known->isZero()) {
    return OkStatus();
  }
  Open();
  llvm::BasicBlock* before = builder_->GetInsertBlock();
  llvm::BasicBlock* loop = NewBlock("loop");
  llvm::BasicBlock* exit = NewBlock("exit");
  builder_->CreateCondBr(enter, loop, exit);
  builder_->SetInsertPoint(loop);
  llvm::PHINode* iv = builder_->CreatePHI(builder_->getInt64Ty(), 2, "i");
  iv->addIncoming(lo, before);
  const std::vector<llvm::Value*> first = *carried;
  std::vector<llvm::PHINode*> phis;
  for (llvm::Value*& value : *carried) {
    phis.push_back(builder_->CreatePHI(value->getType(), 2));
    phis.back()->addIncoming(value, before);
    value = phis.back();
  }
  SWAGE_RETURN_IF_ERROR(body(iv, carried));
  SWAGE_RETURN_IF_ERROR(CheckMeet(first, *carried));
  llvm::Value* next = builder_->CreateAdd(iv, step, "next", /*HasNUW=*/true, /*HasNSW=*/true);
  llvm::BasicBlock* latch = builder_->GetInsertBlock();
  builder_->CreateCondBr(builder_->CreateICmpSLT(next, hi), loop, exit);
  iv->addIncoming(next, latch);
  for (size_t i = 0; i < phis.size(); ++i) phis[i]->addIncoming((*carried)[i], latch);
  builder_->SetInsertPoint(exit);
  for (size_t i = 0; i < phis.size(); ++i) {
    llvm::PHINode* last = builder_->CreatePHI(first[i]->getType(), 2);
    last->addIncoming(first[i], before);
    last->addIncoming((*carried)[i], latch);
    (*carried)[i] = last;
  }
  Close();
  return OkStatus();
}

Status LoopNest::If(llvm::Value* condition, Body body) {
  std::vector<llvm::Value*> none;
  return IfCarried(condition, &none, body);
}

Status LoopNest::IfCarried(llvm::Value* condition, std::vector<llvm::Value*>* carried, Body body) {
  if (auto* known = llvm::dyn_cast<llvm::ConstantInt>(condition)) {
    return known->isZero() ? OkStatus() : body();
  }
  Open();
  llvm::BasicBlock* before = builder_->GetInsertBlock();
  llvm::BasicBlock* then = NewBlock("then");
  llvm::BasicBlock* exit = NewBlock("endif");
  const std::vector<llvm::Value*> first = *carried;
  builder_->CreateCondBr(condition, then, exit);
  builder_->SetInsertPoint(then);
  SWAGE_RETURN_IF_ERROR(body());
  SWAGE_RETURN_IF_ERROR(CheckMeet(first, *carried));
  llvm::BasicBlock* after = builder_->GetInsertBlock();
  builder_->CreateBr(exit);
  builder_->SetInsertPoint(exit);
  for (size_t i = 0; i < first.size(); ++i) {
    llvm::PHINode* merged = builder_->CreatePHI(first[i]->getType(), 2);
    merged->addIncoming(first[i], before);
    merged->addIncoming((*carried)[i], after);
    (*carried)[i] = merged;
  }
  Close();
  return OkStatus();
}

Status LoopNest::IfElse(llvm::Value* condition, std::vector<llvm::Value*>* carried, Body then,
                        Body other) {
  if (auto* known = llvm::dyn_cast<llvm::ConstantInt>(condition)) {
    return known->isZero() ? other() : then();
  }
  Open();
  const Scope empty = current();
  llvm::BasicBlock* blocks[] = {NewBlock("then"), NewBlock("else")};
  llvm::BasicBlock* exit = NewBlock("endif");
  builder_->CreateCondBr(condition, blocks[0], blocks[1]);
  const std::vector<llvm::Value*> first = *carried;
  std::vector<llvm::PHINode*> merged;
  for (llvm::BasicBlock*& block : blocks) {
    builder_->SetInsertPoint(block);
    current() = empty;  // what one of them has computed, the other has not
    *carried = first;
    SWAGE_RETURN_IF_ERROR(block == blocks[0] ? then() : other());
    block = builder_->GetInsertBlock();
    builder_->CreateBr(exit);
    if (merged.empty()) {
      builder_->SetInsertPoint(exit);
      for (llvm::Value* value : *carried)
        merged.push_back(builder_->CreatePHI(value->getType(), 2));
    }
    SWAGE_RETURN_IF_ERROR(CheckMeet({merged.begin(), merged.end()}, *carried));
    for (size_t i = 0; i < merged.size(); ++i) merged[i]->addIncoming((*carried)[i], block);
  }
  builder_->SetInsertPoint(exit);
  carried->assign(merged.begin(), merged.end());
  Close();
  return OkStatus();
}

Status LoopNest::LaneLoop(AxisId axis, Range range, int width, bool masked_tail, Body body) {
  llvm::Value* count = builder_->CreateSub(range.hi, range.lo);
  llvm::Value* full = builder_->CreateAnd(count, Int(-static_cast<int64_t>(width)));
  llvm::Value* main_end = builder_->CreateAdd(range.lo, full);
  SWAGE_RETURN_IF_ERROR(
      For(range.lo, main_end, width, nullptr, [&](llvm::Value* iv, std::vector<llvm::Value*>*) {
        current().lanes = {axis, width, nullptr};
        Bind(axis, iv);
        return body();
      }));
  return LaneTail(axis, {main_end, range.hi, range.extent}, width, masked_tail, body);
}

Status LoopNest::LaneTail(AxisId axis, Range range, int width, bool masked, Body body) {
  if (!masked || width == 1) {
    return For(range.lo, range.hi, 1, nullptr, [&](llvm::Value* iv, std::vector<llvm::Value*>*) {
      current().lanes = {axis, 1, nullptr};
      Bind(axis, iv);
      return body();
    });
  }
  return If(builder_->CreateICmpSLT(range.lo, range.hi), [&]() -> Status {
    // `If` leaves a known condition in the outer scope; the tail needs one of its own.
    return Scoped([&] {
      current().lanes = MaskedLanes(axis, range.extent, width);
      Bind(axis, range.lo);
      return body();
    });
  });
}

Status LoopNest::MaskedLoop(AxisId axis, Range range, int width, Body body) {
  return For(range.lo, range.hi, width, nullptr, [&](llvm::Value* iv, std::vector<llvm::Value*>*) {
    llvm::Value* rest = builder_->CreateSub(range.hi, iv);
    rest = builder_->CreateBinaryIntrinsic(llvm::Intrinsic::smin, rest, Int(width));
    current().lanes = {axis, width, FirstLanes(rest, width)};
    Bind(axis, iv);
    return body();
  });
}

Status LoopNest::VectorOrElements(AxisId axis, Range range, int width, llvm::Value* aligned,
                                  Body body) {
  const auto one_by_one = [&] {
    return For(range.lo, range.hi, 1, nullptr, [&](llvm::Value* iv, std::vector<llvm::Value*>*) {
      current().lanes = {axis, 1, nullptr};
      Bind(axis, iv);
      return body();
    });
  };
  if (width == 1) return one_by_one();
  llvm::Value* full = builder_->CreateICmpEQ(builder_->CreateSub(range.hi, range.lo), Int(width));
  std::vector<llvm::Value*> none;
  return IfElse(
      builder_->CreateAnd(full, aligned), &none,
      [&] {
        return Scoped([&] {
          current().lanes = {axis, width, nullptr};
          Bind(axis, range.lo);
          return body();
        });
      },
      one_by_one);
}

llvm::Value* LoopNest::FirstLanes(llvm::Value* count, int width) {
  // Lane numbers as wide as a lane of the vector: one compare makes the mask.
  const int bits = width <= 16 ? 32 : width <= 32 ? 16 : 8;
  count = builder_->CreateTrunc(count, builder_->getIntNTy(bits));
  return builder_->CreateICmpULT(LaneNumbers(width, bits),
                                 builder_->CreateVectorSplat(width, count));
}

Lanes LoopNest::MaskedLanes(AxisId axis, llvm::Value* extent, int width) {
  llvm::Value*& mask = masks_[{extent, width}];
  if (mask == nullptr) {
    mask = At(0, [&] { return FirstLanes(builder_->CreateAnd(extent, Int(width - 1)), width); });
  }
  return {axis, width, mask};
}

Lanes LoopNest::LeadingLanes(AxisId axis, llvm::Value* count, int width) {
  return {axis, width, At(0, [&] { return FirstLanes(count, width); })};
}

Status LoopNest::Scoped(Body body) {
  Open();
  SWAGE_RETURN_IF_ERROR(body());
  Close();
  return OkStatus();
}

llvm::AllocaInst* LoopNest::Alloca(llvm::Type* type, int64_t count, int64_t alignment) {
  llvm::IRBuilder<> at(entry_->getTerminator());
  llvm::AllocaInst* slot = at.CreateAlloca(llvm::ArrayType::get(type, count));
  slot->setAlignment(llvm::Align(alignment));
  return slot;
}

llvm::Constant* LoopNest::LaneNumbers(int width, int bits) {
  std::vector<llvm::Constant*> numbers;
  for (int i = 0; i < width; ++i) numbers.push_back(builder_->getIntN(bits, i));
  return llvm::ConstantVector::get(numbers);
}

}  // namespace swage::emit
