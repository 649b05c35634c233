//===- ReferenceSemantics.cpp - Registration of the models ------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HamKaas/Interpreter/ReferenceSemantics.h"
#include "Semantics.h"

using namespace mlir;

void hamkaas::registerReferenceSemantics(DialectRegistry &registry) {
  registry.addExtension(+[](MLIRContext *context, HamKaasDialect *) {
    attachContractionSemantics(*context);
    attachElementwiseSemantics(*context);
    attachIndexingSemantics(*context);
    attachLoopSemantics(*context);
    attachMathSemantics(*context);
    attachMovementSemantics(*context);
    attachQuantizationSemantics(*context);
    attachRandomSemantics(*context);
    attachReductionSemantics(*context);
    attachRowSemantics(*context);
    attachAttentionSemantics(*context);
    attachWinogradSemantics(*context);
  });
}
