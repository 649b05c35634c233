//===- KernelsToLLVM.cpp - Bodies of kernels to LLVM ------------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ExpandMaximum.h"
#include "HamKaas/CodeGen/CPU/Passes.h"
#include "HamKaas/CodeGen/Kernel/BFloat16Constants.h"
#include "HamKaas/CodeGen/Kernel/ConvertThroughFloat32.h"
#include "HamKaas/Dialect/HamKaas/IR/HamKaas.h"
#include "HamKaas/Dialect/HamKaas/Kernels/ProgramFunctions.h"
#include "LibmCalls.h"
#include "mlir/Conversion/ArithToLLVM/ArithToLLVM.h"
#include "mlir/Conversion/ControlFlowToLLVM/ControlFlowToLLVM.h"
#include "mlir/Conversion/FuncToLLVM/ConvertFuncToLLVM.h"
#include "mlir/Conversion/LLVMCommon/ConversionTarget.h"
#include "mlir/Conversion/LLVMCommon/Pattern.h"
#include "mlir/Conversion/LLVMCommon/TypeConverter.h"
#include "mlir/Conversion/MathToLLVM/MathToLLVM.h"
#include "mlir/Conversion/MemRefToLLVM/MemRefToLLVM.h"
#include "mlir/Conversion/SCFToControlFlow/SCFToControlFlow.h"
#include "mlir/Conversion/UBToLLVM/UBToLLVM.h"
#include "mlir/Conversion/VectorToLLVM/ConvertVectorToLLVM.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Transforms/Passes.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Dialect/Vector/Transforms/LoweringPatterns.h"
#include "mlir/Dialect/Vector/Transforms/VectorRewritePatterns.h"
#include "mlir/IR/Threading.h"
#include "mlir/IR/TypeUtilities.h"
#include "mlir/Transforms/DialectConversion.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

namespace hamkaas {
#define GEN_PASS_DEF_KERNELSTOLLVM
#include "HamKaas/CodeGen/CPU/Passes.h.inc"
} // namespace hamkaas

using namespace mlir;
using namespace hamkaas;

/// Masks use 32-bit lane indices, which suffice for any vector.
static constexpr bool force32BitVectorIndices = true;

/// Lower vector operations to those of LLVM.
static FrozenRewritePatternSet makeVectorPatterns(MLIRContext *context) {
  RewritePatternSet patterns(context);
  vector::populateVectorTransferLoweringPatterns(patterns,
                                                 /*maxTransferRank=*/1);
  vector::populateVectorMaskMaterializationPatterns(patterns,
                                                    force32BitVectorIndices);
  vector::populateVectorMaskOpLoweringPatterns(patterns);
  vector::populateVectorBroadcastLoweringPatterns(patterns);
  vector::populateVectorStepLoweringPatterns(patterns);
  vector::populateVectorInsertExtractStridedSliceTransforms(patterns);
  populateExpandMaximumPatterns(patterns);
  arith::populateArithExpandOpsPatterns(patterns);
  arith::populateExpandBFloat16Patterns(patterns);
  populateConvertThroughFloat32Patterns(patterns);
  return std::move(patterns);
}

static FrozenRewritePatternSet
makeConversionPatterns(LLVMTypeConverter &converter) {
  RewritePatternSet patterns(&converter.getContext());
  storeBFloat16AsIntegers(converter, patterns);
  populateSCFToControlFlowConversionPatterns(patterns);
  populateVectorToLLVMConversionPatterns(converter, patterns,
                                         /*reassociateFPReductions=*/false,
                                         force32BitVectorIndices);
  populateLibmCallPatterns(converter, patterns);
  populateMathToLLVMConversionPatterns(converter, patterns);
  populateFinalizeMemRefToLLVMConversionPatterns(converter, patterns);
  arith::populateArithToLLVMConversionPatterns(converter, patterns);
  cf::populateControlFlowToLLVMConversionPatterns(converter, patterns);
  ub::populateUBToLLVMConversionPatterns(converter, patterns);
  populateFuncToLLVMConversionPatterns(converter, patterns);
  return std::move(patterns);
}

namespace {

/// The patterns for all kernels: making them takes as long as applying them to
/// a small one.
class KernelConverter {
public:
  explicit KernelConverter(MLIRContext *context)
      : target(*context), types(context), vectors(makeVectorPatterns(context)),
        conversions(makeConversionPatterns(types)) {}

  LogicalResult convert(func::FuncOp kernel) const {
    if (failed(applyPatternsGreedily(kernel, vectors)))
      return failure();
    // NOTE: with rollbacks, which take a quarter of the time. Without,
    // operations that no pattern lowers end the process instead of being an
    // error.
    return applyFullConversion(kernel, target, conversions);
  }

private:
  LLVMConversionTarget target;
  LLVMTypeConverter types;
  FrozenRewritePatternSet vectors, conversions;
};

struct KernelsToLLVMPass : hamkaas::impl::KernelsToLLVMBase<KernelsToLLVMPass> {
  void runOnOperation() override {
    SmallVector<ModuleOp> parts =
        separateFunctions(getOperation(), [](func::FuncOp function) {
          return function->hasAttr(HamKaasDialect::tilesAttrName);
        });
    KernelConverter converter(&getContext());
    LogicalResult converted =
        failableParallelForEach(&getContext(), parts, [&](ModuleOp part) {
          return converter.convert(*part.getOps<func::FuncOp>().begin());
        });
    joinKernels(parts);
    if (failed(converted))
      return signalPassFailure();
    // Inlining kernels would cost compile time and space; a call is negligible
    // beside a kernel.
    for (auto kernel : getOperation().getOps<LLVM::LLVMFuncOp>()) {
      if (kernel.isExternal())
        continue;
      kernel.setNoInline(true);
      alignStack(kernel);
    }
  }

private:
  /// Aligns the stack to cache lines, which LLVM does not do for registers that
  /// it saves there: half of the vectors of 64 bytes would be in two lines.
  void alignStack(LLVM::LLVMFuncOp kernel) {
    Builder builder(&getContext());
    kernel.setPassthroughAttr(
        builder.getArrayAttr(builder.getStrArrayAttr({"alignstack", "64"})));
  }

  /// Puts what is in `parts` in their place: the kernels, and declarations of
  /// what they call, once each.
  void joinKernels(ArrayRef<ModuleOp> parts) {
    SymbolTable symbols(getOperation());
    for (ModuleOp part : parts) {
      for (Operation &op : llvm::make_early_inc_range(*part.getBody())) {
        bool isKernel = op.hasAttr(HamKaasDialect::tilesAttrName);
        if (!isKernel && symbols.lookup(SymbolTable::getSymbolName(&op))) {
          op.erase();
          continue;
        }
        op.moveBefore(part);
        if (!isKernel)
          symbols.insert(&op);
      }
      part->erase();
    }
  }
};

} // namespace
