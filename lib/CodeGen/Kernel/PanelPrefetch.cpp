//===- PanelPrefetch.cpp - Brings packed panels nearer ----------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PanelPrefetch.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace hamkaas;

PanelPrefetch::PanelPrefetch(KernelBuilder &kernel, Value panels, int64_t depth,
                             const ContractionTile &tile, int64_t uses,
                             int64_t width)
    : kernel(kernel), panels(panels),
      elements(cast<RankedTensorType>(panels.getType()).getNumElements()),
      depth(depth), width(width) {
  if (uses < 2)
    return;
  int64_t perStep = llvm::divideCeil(width, uses);
  stretch = perStep * tile.depth * uses;
  if (stretch <= elements)
    elementsPerStep = perStep;
  elementsPerUse = perStep * tile.depth;
}

void PanelPrefetch::begin(Value panel, Value use, Value lower, Value upper) {
  if (elementsPerStep == 0)
    return;
  this->lower = lower;
  // The next stretch begins at the end of this one, in the same panel or not.
  // After the last stretch, prefetches are harmless.
  Value next =
      kernel.multiply(kernel.add(kernel.multiply(panel, depth), upper), width);
  next = kernel.minimum(next, elements - stretch);
  first = kernel.add(next, kernel.multiply(use, elementsPerUse));
}

void PanelPrefetch::emit(Value step) {
  if (!first)
    return;
  Value offset = kernel.multiply(kernel.subtract(step, lower), elementsPerStep);
  Value element = kernel.add(first, offset);
  for (int64_t i = 0; i < elementsPerStep; i += kernel.costs().lineElements())
    kernel.prefetch(panels, kernel.add(element, i));
}
