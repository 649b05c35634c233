//===- ContractionRules.cpp - Gradients of matrix products ------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HamKaas/Dialect/HamKaas/IR/ContractionOps.h"
#include "HamKaas/Frontend/Builder/Compositions.h"
#include "Rules.h"

using namespace mlir;
using namespace hamkaas;
using namespace hamkaas::gradient;

static Tensor transpose(GraphBuilder &b, Tensor x) {
  return graph::swapDims(b, x, x.rank() - 2, x.rank() - 1);
}

static Tensors differentiateMatMul(MatMulOp op, GraphBuilder &b, Tensor g) {
  Tensor l(op.getLhs()), r(op.getRhs());
  Tensor toLhs = b.matmul(g, transpose(b, r));
  if (l.rank() > 1)
    return {toLhs, b.matmul(transpose(b, l), g)};
  Tensor column = b.reshape(l, {l.count(), 1});
  return {toLhs, b.matmul(column, b.reshape(g, {1, g.count()}))};
}

void gradient::attachContractionRules(MLIRContext &context) {
  attach<MatMulOp, differentiateMatMul>(context);
}
