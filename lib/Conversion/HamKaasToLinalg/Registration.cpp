//===- Registration.cpp - Attaches the lowerings to the dialect -*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "GenericBuilder.h"
#include "HamKaas/Conversion/HamKaasToLinalg/HamKaasToLinalg.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;

void hamkaas::registerLinalgLowerings(DialectRegistry &registry) {
  registry.addExtension(+[](MLIRContext *context, HamKaasDialect *) {
    // The lowerings create ops of these dialects.
    context->loadDialect<arith::ArithDialect, linalg::LinalgDialect,
                         math::MathDialect, scf::SCFDialect,
                         tensor::TensorDialect>();
    registerContractionLowerings(context);
    registerAttentionLowerings(context);
    registerWinogradLowerings(context);
    registerCheckNanLowering(context);
    registerElementwiseLowerings(context);
    registerFlattenIndicesLowering(context);
    registerIndexingLowerings(context);
    registerLoopLowerings(context);
    registerMathLowerings(context);
    registerMovementLowerings(context);
    registerRandomLowering(context);
    registerReductionLowerings(context);
    registerRowLowerings(context);
    registerSortLowerings(context);
    registerViewLowerings(context);
  });
}
