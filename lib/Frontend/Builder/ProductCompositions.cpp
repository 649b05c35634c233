//===- ProductCompositions.cpp - Sums of products ---------------*- C++ -*-===//
//-*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CompositionChecks.h"
#include "HamKaas/Frontend/Builder/ComposedOperations.h"
#include "HamKaas/Frontend/Builder/Compositions.h"

using namespace mlir;
using namespace hamkaas;
using namespace hamkaas::graph;
using namespace hamkaas::graph::compositions;

Tensor compositions::compose(GraphBuilder &b,
                             const compositions::Linear &given) {
  Tensor w = given.weight;
  if (w.rank() != 2 || given.x.rank() < 1 || w.dim(1) != given.x.shape().back())
    return b.fail("expected 'weight' to be a matrix of rows as long as those "
                  "of 'x', got the shapes " +
                  formatList(w.shape()) + " and " +
                  formatList(given.x.shape()));
  if (!checkShape(b, "bias", given.bias, {w.dim(0)}))
    return {};
  return linear(b, given.x, b.permute(w, {1, 0}), given.bias);
}

Tensor compositions::compose(GraphBuilder &b,
                             const compositions::Einsum &given) {
  return einsum(b, given.equation, given.operands);
}
