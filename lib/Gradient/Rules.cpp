//===- Rules.cpp - Registration of the rules --------------------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Rules.h"

using namespace mlir;
using namespace hamkaas;
using namespace hamkaas::gradient;

#include "HamKaas/Gradient/GradientOpInterface.cpp.inc"

void hamkaas::registerGradientRules(DialectRegistry &registry) {
  registry.addExtension(+[](MLIRContext *context, HamKaasDialect *) {
    attachArithmeticRules(*context);
    attachAttentionRules(*context);
    attachContractionRules(*context);
    attachCustomRules(*context);
    attachElementwiseRules(*context);
    attachIndexingRules(*context);
    attachLoopRules(*context);
    attachMathRules(*context);
    attachMovementRules(*context);
    attachReductionRules(*context);
    attachRowRules(*context);
    attachWindowRules(*context);
    attachMissingRules(*context);
  });
}

Tensor gradient::makeZeros(GraphBuilder &b, const Tensor &x) {
  return b.broadcast(b.scalar(x.elementType(), 0), x.shape());
}

Tensor gradient::sumRepeated(GraphBuilder &b, Tensor g, const Tensor &x) {
  if (!g)
    return {};
  Shape repeated;
  for (int64_t i = 0; i < x.rank(); ++i)
    if (x.dim(i) == 1 && g.dim(i) != 1)
      repeated.push_back(i);
  return repeated.empty()
             ? g
             : b.reduce(Combiner::Sum, g, repeated, /*keepDims=*/true);
}

Tensor gradient::keepWhere(GraphBuilder &b, Tensor condition, Tensor g) {
  return b.select(condition, g, b.scalar(g.elementType(), 0));
}
