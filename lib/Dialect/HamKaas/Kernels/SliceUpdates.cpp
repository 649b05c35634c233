//===- SliceUpdates.cpp - Gradients that are never whole --------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HamKaas/Dialect/HamKaas/IR/ContractionOps.h"
#include "HamKaas/Dialect/HamKaas/IR/Knobs.h"
#include "HamKaas/Dialect/HamKaas/IR/MovementOps.h"
#include "HamKaas/Dialect/HamKaas/IR/ViewOps.h"
#include "HamKaas/Dialect/HamKaas/Kernels/Passes.h"
#include "mlir/Dialect/MLProgram/IR/MLProgram.h"
#include "mlir/IR/IRMapping.h"

namespace hamkaas {
#define GEN_PASS_DEF_SLICEUPDATES
#include "HamKaas/Dialect/HamKaas/Kernels/Passes.h.inc"
} // namespace hamkaas

using namespace mlir;
using namespace hamkaas;

/// Concats of more parts take long to compile.
static constexpr int64_t maxSlices = 16;
/// Products of fewer rows read the other factor too often.
static constexpr int64_t minRows = 32;

namespace {

/// A product, what is computed of it, element by element, and the states that
/// this is stored to.
class Update {
public:
  explicit Update(MatMulOp product)
      : product(product), type(cast<RankedTensorType>(product.getType())) {
    ops.insert(product);
  }

  /// Finds the operations. Fails if another one uses the product.
  LogicalResult collect();

  /// Computes `rows` rows after the other.
  void slice(int64_t rows);

private:
  bool isPointwise(Operation *op) const;
  bool isOnlyUsedHere(Operation *op) const;
  LogicalResult addUsers(Operation *op);
  LogicalResult addOperands(Operation *op);
  Value sliceOperand(OpBuilder &builder, Value operand, int64_t begin,
                     int64_t end);
  void computeRows(OpBuilder &builder, IRMapping &mapping, int64_t begin,
                   int64_t end);

  MatMulOp product;
  RankedTensorType type;
  llvm::SetVector<Operation *> ops;
  SmallVector<ml_program::GlobalStoreOp> stores;
};

} // namespace

bool Update::isPointwise(Operation *op) const {
  auto kernel = dyn_cast_or_null<KernelOpInterface>(op);
  if (!kernel || !kernel.isPointwise() || op->getNumResults() != 1 ||
      op->getBlock() != product->getBlock() || kernel.checksValues())
    return false;
  auto result = dyn_cast<RankedTensorType>(op->getResult(0).getType());
  return result && result.getShape() == type.getShape();
}

bool Update::isOnlyUsedHere(Operation *op) const {
  return llvm::all_of(op->getUsers(),
                      [&](Operation *user) { return ops.contains(user); });
}

LogicalResult Update::addUsers(Operation *op) {
  for (Operation *user : op->getUsers()) {
    if (auto store = dyn_cast<ml_program::GlobalStoreOp>(user))
      stores.push_back(store);
    else if (isPointwise(user))
      ops.insert(user);
    else
      return failure();
  }
  return success();
}

/// Also computes by rows what only the update needs, such as a moment that
/// decays.
LogicalResult Update::addOperands(Operation *op) {
  for (Value operand : op->getOperands()) {
    Operation *source = operand.getDefiningOp();
    if (isPointwise(source) && !ops.contains(source) && isOnlyUsedHere(source))
      ops.insert(source);
    auto operandType = cast<RankedTensorType>(operand.getType());
    if (operandType.getRank() != type.getRank())
      return failure();
  }
  return success();
}

LogicalResult Update::collect() {
  for (size_t i = 0; i < ops.size(); ++i)
    if (failed(addUsers(ops[i])) ||
        (ops[i] != product && failed(addOperands(ops[i]))))
      return failure();
  return success(!stores.empty());
}

/// The rows of `operand` that those of the result are computed of.
Value Update::sliceOperand(OpBuilder &builder, Value operand, int64_t begin,
                           int64_t end) {
  auto operandType = cast<RankedTensorType>(operand.getType());
  if (operandType.getDimSize(0) != type.getDimSize(0))
    return operand;
  return SliceOp::create(builder, operand.getLoc(), operand, begin, end);
}

void Update::computeRows(OpBuilder &builder, IRMapping &mapping, int64_t begin,
                         int64_t end) {
  Value left = sliceOperand(builder, product.getLhs(), begin, end);
  auto part =
      MatMulOp::create(builder, product.getLoc(), left, product.getRhs());
  setKnobs(part, getKnobs(product));
  mapping.map(product.getResult(), part.getResult());
  for (Operation *op : ArrayRef(ops.getArrayRef()).drop_front()) {
    for (Value operand : op->getOperands())
      if (!mapping.contains(operand))
        mapping.map(operand, sliceOperand(builder, operand, begin, end));
    Operation *copy = builder.clone(*op, mapping);
    auto result = cast<RankedTensorType>(op->getResult(0).getType());
    copy->getResult(0).setType(result.clone({end - begin, type.getDimSize(1)}));
  }
}

void Update::slice(int64_t rows) {
  // The product comes first: the others before it do not depend on it.
  SmallVector<Operation *> sorted = ops.takeVector();
  llvm::sort(sorted.begin() + 1, sorted.end(),
             [](auto *a, auto *b) { return a->isBeforeInBlock(b); });
  ops.insert_range(sorted);
  OpBuilder builder(product->getContext());
  builder.setInsertionPointAfter(sorted.back());
  SmallVector<SmallVector<Value>> parts(stores.size());
  int64_t count = type.getDimSize(0);
  for (int64_t begin = 0; begin < count; begin += rows) {
    IRMapping mapping;
    computeRows(builder, mapping, begin, std::min(begin + rows, count));
    for (auto [part, store] : llvm::zip_equal(parts, stores))
      part.push_back(mapping.lookup(store.getValue()));
  }
  for (auto [part, store] : llvm::zip_equal(parts, stores)) {
    Value whole = ConcatOp::create(builder, store.getLoc(), part, /*dim=*/0);
    ml_program::GlobalStoreOp::create(builder, store.getLoc(),
                                      store.getGlobal(), whole);
    store.erase();
  }
  for (Operation *op : llvm::reverse(sorted))
    if (op != product)
      op->erase();
  product.erase();
}

/// Rows of a slice: slices of one size, if about as many are possible.
static int64_t chooseRows(int64_t rows, uint64_t bytes, uint64_t maxBytes) {
  int64_t most = std::clamp<int64_t>(rows / minRows, 1, maxSlices);
  int64_t least = std::min<uint64_t>(most, llvm::divideCeil(bytes, maxBytes));
  for (int64_t slices = least; slices <= std::min(2 * least, most); ++slices)
    if (rows % slices == 0)
      return rows / slices;
  return llvm::divideCeil(rows, least);
}

namespace {
struct SliceUpdates : hamkaas::impl::SliceUpdatesBase<SliceUpdates> {
  using SliceUpdatesBase::SliceUpdatesBase;

  void runOnOperation() override {
    if (maxBytes == 0)
      return;
    SmallVector<MatMulOp> products;
    getOperation().walk([&](MatMulOp product) { products.push_back(product); });
    for (MatMulOp product : products)
      slice(product);
  }

private:
  void slice(MatMulOp product) {
    auto type = cast<RankedTensorType>(product.getType());
    if (type.getRank() != 2 || !type.getElementType().isF32())
      return;
    uint64_t bytes = sizeof(float) * getElementCount(type);
    int64_t rows = type.getDimSize(0);
    int64_t each = chooseRows(rows, bytes, maxBytes);
    if (each == rows)
      return;
    Update update(product);
    if (succeeded(update.collect()))
      update.slice(each);
  }
};
} // namespace
