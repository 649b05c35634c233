//===- BufferViews.cpp - Parts of buffers -----------------------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "BufferViews.h"
#include "HamKaas/Dialect/HamKaas/IR/ProgramOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/IRMapping.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/CheckedArithmetic.h"

using namespace mlir;
using namespace hamkaas;

SmallVector<int64_t, 4> hamkaas::getDenseStrides(ArrayRef<int64_t> sizes) {
  SmallVector<int64_t, 4> strides(sizes.size());
  int64_t stride = 1;
  for (size_t i = sizes.size(); i-- > 0;) {
    strides[i] = stride;
    stride *= sizes[i];
  }
  return strides;
}

bool BufferView::isDense() const {
  SmallVector<int64_t, 4> dense = getDenseStrides(sizes);
  for (size_t i = 0; i < sizes.size(); ++i)
    // The stride of a dimension of size 1 is never used.
    if (sizes[i] != 1 && strides[i] != dense[i])
      return false;
  return true;
}

int64_t BufferView::getByteOffset() const {
  auto type = cast<MemRefType>(buffer.getType());
  return offset * type.getElementTypeBitWidth() / 8;
}

BufferView hamkaas::getWholeBuffer(Value buffer) {
  auto type = cast<MemRefType>(buffer.getType());
  SmallVector<int64_t, 4> sizes(type.getShape());
  return {buffer, 0, sizes, getDenseStrides(sizes)};
}

bool hamkaas::isBufferView(Operation *op) {
  return isa<memref::CastOp, memref::CollapseShapeOp, memref::ExpandShapeOp,
             memref::ReinterpretCastOp, memref::SubViewOp>(op);
}

static FailureOr<BufferView> emitUnknown(Operation *op) {
  return op->emitError("expected a view at an offset known at compile time");
}

/// Collapsing and expanding change sizes and keep the elements in order.
static FailureOr<BufferView> reshape(Operation *op, const BufferView &source) {
  if (!source.isDense())
    return op->emitError("expected a reshape of a dense buffer");
  BufferView view = source;
  view.sizes.assign(cast<MemRefType>(op->getResult(0).getType()).getShape());
  view.strides = getDenseStrides(view.sizes);
  return view;
}

static FailureOr<BufferView> takeSubView(memref::SubViewOp op,
                                         const BufferView &source) {
  BufferView view{source.buffer, source.offset, {}, {}};
  llvm::SmallBitVector dropped = op.getDroppedDims();
  for (size_t i = 0; i < source.sizes.size(); ++i) {
    if (op.isDynamicOffset(i) || op.isDynamicSize(i) || op.isDynamicStride(i))
      return emitUnknown(op);
    view.offset += op.getStaticOffset(i) * source.strides[i];
    if (dropped[i])
      continue;
    view.sizes.push_back(op.getStaticSize(i));
    view.strides.push_back(op.getStaticStride(i) * source.strides[i]);
  }
  return view;
}

/// NOTE: counts its offset from the start of the buffer, not of its operand.
static FailureOr<BufferView> reinterpret(memref::ReinterpretCastOp op,
                                         const BufferView &source) {
  if (ShapedType::isDynamic(op.getStaticOffsets().front()) ||
      ShapedType::isDynamicShape(op.getStaticSizes()) ||
      ShapedType::isDynamicShape(op.getStaticStrides()))
    return emitUnknown(op);
  return BufferView{source.buffer, op.getStaticOffsets().front(),
                    SmallVector<int64_t, 4>(op.getStaticSizes()),
                    SmallVector<int64_t, 4>(op.getStaticStrides())};
}

FailureOr<BufferView> hamkaas::applyBufferView(Operation *op,
                                               const BufferView &source) {
  return llvm::TypeSwitch<Operation *, FailureOr<BufferView>>(op)
      .Case<memref::CastOp>([&](auto) { return source; })
      .Case<memref::CollapseShapeOp, memref::ExpandShapeOp>(
          [&](auto reshapeOp) { return reshape(reshapeOp, source); })
      .Case<memref::SubViewOp>(
          [&](auto subView) { return takeSubView(subView, source); })
      .Case<memref::ReinterpretCastOp>(
          [&](auto cast) { return reinterpret(cast, source); });
}

/// The buffer that `operand` is a part of, which is not the result of a view.
static Value getViewedBuffer(Value operand) {
  Operation *op = operand.getDefiningOp();
  for (; op && isBufferView(op); op = operand.getDefiningOp())
    operand = op->getOperand(0);
  return operand;
}

Value hamkaas::cloneView(OpBuilder &builder, Value operand, Value buffer) {
  SmallVector<Operation *> chain;
  Value source = getViewedBuffer(operand);
  for (Value view = operand; view != source; view = chain.back()->getOperand(0))
    chain.push_back(view.getDefiningOp());
  IRMapping mapping;
  mapping.map(source, buffer);
  for (Operation *op : llvm::reverse(chain))
    builder.clone(*op, mapping);
  return mapping.lookup(operand);
}

std::optional<int64_t> hamkaas::getBufferBytes(MemRefType type) {
  if (!type.hasStaticShape() || !type.getElementType().isIntOrFloat() ||
      type.getElementTypeBitWidth() % 8 != 0)
    return std::nullopt;
  std::optional<int64_t> bytes = type.getElementTypeBitWidth() / 8;
  for (int64_t size : type.getShape()) {
    bytes = llvm::checkedMul(*bytes, size);
    if (!bytes)
      return std::nullopt;
  }
  return bytes;
}

bool hamkaas::isLoop(Operation *step) { return isa<RepeatOp>(step); }

bool hamkaas::writesTo(OpOperand &operand) {
  Operation *step = operand.getOwner();
  if (auto repeat = dyn_cast<RepeatOp>(step))
    return repeat.isDpsInit(&operand) || operand.get() == repeat.getWorkspace();
  return operand.getOperandNumber() + 1 == step->getNumOperands();
}
