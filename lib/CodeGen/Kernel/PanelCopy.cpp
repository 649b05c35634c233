//===- PanelCopy.cpp - Packs the panel that a tile uses ---------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PanelCopy.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace hamkaas;

PanelCopy::PanelCopy(KernelBuilder &kernel, Value source,
                     const ContractionTile &tile, int64_t uses)
    : kernel(kernel), source(source), lanes(tile.lanes), depth(tile.depth),
      width(tile.panelWidth()), uses(uses) {
  auto type = cast<RankedTensorType>(source.getType());
  rowSize = type.getShape().back();
  scratch = kernel.allocate(depth, width);
  lineElements = kernel.costs().lineElements();
  // Rows that do not begin at a line end within another one.
  lines = llvm::divideCeil(width, lineElements) +
          (rowSize % lineElements == 0 ? 0 : 1);
  stepsPerRow = llvm::bit_floor(std::max<uint64_t>(uses, 2) - 1);
  linesPerStep = llvm::divideCeil(lines, stepsPerRow);
}

void PanelCopy::store(Value vector, Value step, int64_t number) {
  vector::StoreOp::create(kernel.ir(), kernel.loc(), vector, scratch,
                          ValueRange{step, kernel.constant(number * lanes)});
}

Value PanelCopy::load(Value step, int64_t number) {
  auto type = VectorType::get(
      lanes, cast<MemRefType>(scratch.getType()).getElementType());
  return vector::LoadOp::create(
      kernel.ir(), kernel.loc(), type, scratch,
      ValueRange{step, kernel.constant(number * lanes)});
}

void PanelCopy::begin(Value next, Value use) {
  this->next = next;
  firstStep = kernel.multiply(use, depth);
}

void PanelCopy::prefetch(Value step) {
  if (!next)
    return;
  Value number = kernel.add(firstStep, step);
  Value row = kernel.minimum(kernel.divide(number, stepsPerRow), depth - 1);
  Value part = kernel.remainder(number, stepsPerRow);
  Value first = kernel.add(kernel.add(next, kernel.multiply(row, rowSize)),
                           kernel.multiply(part, linesPerStep * lineElements));
  for (int64_t line = 0; line < linesPerStep; ++line)
    prefetchLine(first, line);
}

void PanelCopy::prefetchLine(Value first, int64_t line) {
  int64_t elements = cast<RankedTensorType>(source.getType()).getNumElements();
  kernel.prefetch(source, kernel.minimum(kernel.add(first, line * lineElements),
                                         elements - 1));
}

void PanelCopy::prefetchBlock(Value next, Value use) {
  int64_t rows = llvm::divideCeil(depth, std::max<int64_t>(uses - 1, 1));
  Value lower = kernel.minimum(kernel.multiply(use, rows), depth);
  Value upper = kernel.minimum(kernel.add(lower, rows), depth);
  kernel.loop(lower, upper, 1, /*carried=*/{}, /*writes=*/false,
              [&](Value row, ValueRange) {
                Value first = kernel.add(next, kernel.multiply(row, rowSize));
                for (int64_t line = 0; line < lines; ++line)
                  prefetchLine(first, line);
                return SmallVector<Value>();
              });
}
