//===- MissingRules.cpp - Why operations have no gradient -------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HamKaas/Dialect/HamKaas/IR/ArithmeticOps.h"
#include "HamKaas/Dialect/HamKaas/IR/ConstantOps.h"
#include "HamKaas/Dialect/HamKaas/IR/ContractionOps.h"
#include "HamKaas/Dialect/HamKaas/IR/ElementwiseOps.h"
#include "HamKaas/Dialect/HamKaas/IR/EngineOps.h"
#include "HamKaas/Dialect/HamKaas/IR/LoopOps.h"
#include "HamKaas/Dialect/HamKaas/IR/MathOps.h"
#include "HamKaas/Dialect/HamKaas/IR/MovementOps.h"
#include "HamKaas/Dialect/HamKaas/IR/ProgramOps.h"
#include "HamKaas/Dialect/HamKaas/IR/QuantizationOps.h"
#include "HamKaas/Dialect/HamKaas/IR/RegionOps.h"
#include "Rules.h"

using namespace mlir;
using namespace hamkaas;
using namespace hamkaas::gradient;

namespace {

constexpr StringLiteral ofIntegers = "its result is not of floats",
                        ofNothing = "it has no operands",
                        ofBits = "the bits of a float have no derivative",
                        ofBytes =
                            "the bytes of encoded numbers have no derivative",
                        ofCompiler = "only the compiler creates it, after "
                                     "gradients are taken";

template <typename OpTy, const StringLiteral &reason>
struct NoRule : GradientOpInterface::ExternalModel<NoRule<OpTy, reason>, OpTy> {
  StringRef getMissingGradientReason(Operation *) const { return reason; }
  Tensors buildGradients(Operation *op, GraphBuilder &b, ArrayRef<Tensor>,
                         const llvm::BitVector &) const {
    return {b.fail(reason)};
  }
};

} // namespace

template <const StringLiteral &reason, typename... OpTys>
static void attachReason(MLIRContext &context) {
  (OpTys::template attachInterface<NoRule<OpTys, reason>>(context), ...);
}

void gradient::attachMissingRules(MLIRContext &context) {
  attachReason<ofIntegers, AndOp, OrOp, XorOp, NotOp, ShiftLeftOp, ShiftRightOp,
               CompareOp, ArgsortOp, FlattenIndicesOp, RandomBitsOp>(context);
  attachReason<ofNothing, ConstantOp, IotaOp>(context);
  attachReason<ofBits, BitcastOp>(context);
  attachReason<ofBytes, DequantizeBlocksOp>(context);
  attachReason<ofCompiler, WinogradInputOp, WinogradOutputOp,
               WinogradGradientOp, DequantizePanelsOp, DequantizeRowsOp,
               GroupOp, RepeatOp, EngineCallOp, CheckOp, CheckNanOp,
               HasCpuFeatureOp, YieldOp>(context);
}
