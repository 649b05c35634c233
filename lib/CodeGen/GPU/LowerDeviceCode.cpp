//===- LowerDeviceCode.cpp - Functions of a GPU to NVVM ---------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HamKaas/CodeGen/GPU/Passes.h"
#include "HamKaas/CodeGen/Kernel/BFloat16Constants.h"
#include "HamKaas/CodeGen/Kernel/ConvertThroughFloat32.h"
#include "mlir/Conversion/ArithToLLVM/ArithToLLVM.h"
#include "mlir/Conversion/ControlFlowToLLVM/ControlFlowToLLVM.h"
#include "mlir/Conversion/GPUToNVVM/GPUToNVVMPass.h"
#include "mlir/Conversion/LLVMCommon/ConversionTarget.h"
#include "mlir/Conversion/LLVMCommon/Pattern.h"
#include "mlir/Conversion/LLVMCommon/TypeConverter.h"
#include "mlir/Conversion/MemRefToLLVM/MemRefToLLVM.h"
#include "mlir/Conversion/NVGPUToNVVM/NVGPUToNVVM.h"
#include "mlir/Conversion/SCFToControlFlow/SCFToControlFlow.h"
#include "mlir/Conversion/UBToLLVM/UBToLLVM.h"
#include "mlir/Conversion/VectorToLLVM/ConvertVectorToLLVM.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Transforms/Passes.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/Transforms/Transforms.h"
#include "mlir/Dialect/NVGPU/IR/NVGPUDialect.h"
#include "mlir/IR/TypeUtilities.h"
#include "mlir/Transforms/DialectConversion.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

namespace hamkaas {
#define GEN_PASS_DEF_LOWERDEVICECODE
#include "HamKaas/CodeGen/GPU/Passes.h.inc"
} // namespace hamkaas

using namespace mlir;
using namespace hamkaas;

namespace {
/// A function with an instruction, for which upstream would call libdevice.
template <typename OpTy, typename IntrinsicOp>
struct UseInstruction : ConvertOpToLLVMPattern<OpTy> {
  using ConvertOpToLLVMPattern<OpTy>::ConvertOpToLLVMPattern;

  LogicalResult
  matchAndRewrite(OpTy op, typename OpTy::Adaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Type element = getElementTypeOrSelf(op.getType());
    if (!element.isF32() && !element.isF64())
      return rewriter.notifyMatchFailure(op, "neither float32 nor float64");
    rewriter.replaceOpWithNewOp<IntrinsicOp>(op, op.getType(),
                                             adaptor.getOperands());
    return success();
  }
};
} // namespace

static void populateInstructions(const LLVMTypeConverter &converter,
                                 RewritePatternSet &patterns) {
  patterns.add<UseInstruction<math::FmaOp, LLVM::FMAOp>,
               UseInstruction<math::SqrtOp, LLVM::SqrtOp>,
               UseInstruction<math::AbsFOp, LLVM::FAbsOp>,
               UseInstruction<math::CopySignOp, LLVM::CopySignOp>,
               UseInstruction<math::FloorOp, LLVM::FFloorOp>,
               UseInstruction<math::CeilOp, LLVM::FCeilOp>,
               UseInstruction<math::TruncOp, LLVM::FTruncOp>,
               UseInstruction<math::RoundEvenOp, LLVM::RoundEvenOp>>(
      converter, /*benefit=*/3);
}

/// Legalizes to the arithmetic of CPU kernels, and accesses without views.
static LogicalResult expandOperations(gpu::GPUModuleOp module) {
  RewritePatternSet patterns(module.getContext());
  memref::populateExpandStridedMetadataPatterns(patterns);
  arith::populateArithExpandOpsPatterns(patterns);
  arith::populateExpandBFloat16Patterns(patterns);
  populateConvertThroughFloat32Patterns(patterns);
  return applyPatternsGreedily(module, std::move(patterns));
}

static LogicalResult convertToNVVM(gpu::GPUModuleOp module) {
  MLIRContext *context = module.getContext();
  LowerToLLVMOptions options(context);
  options.useBarePtrCallConv = true;
  options.overrideIndexBitwidth(64);
  LLVMTypeConverter converter(context, options);
  configureGpuToNVVMTypeConverter(converter);
  RewritePatternSet patterns(context);
  storeBFloat16AsIntegers(converter, patterns);
  populateSCFToControlFlowConversionPatterns(patterns);
  populateInstructions(converter, patterns);
  // NOTE: before the arithmetic patterns, which lower a remainder to LLVM's
  // frem: on a GPU that is x - trunc(x / y) * y, which is not exact.
  populateLibDeviceConversionPatterns(converter, patterns, /*benefit=*/2);
  populateGpuToNVVMConversionPatterns(converter, patterns);
  converter.addConversion([](nvgpu::DeviceAsyncTokenType type) -> Type {
    return IntegerType::get(type.getContext(), 32);
  });
  populateNVGPUToNVVMConversionPatterns(converter, patterns);
  populateVectorToLLVMConversionPatterns(converter, patterns);
  populateFinalizeMemRefToLLVMConversionPatterns(converter, patterns);
  arith::populateArithToLLVMConversionPatterns(converter, patterns);
  cf::populateControlFlowToLLVMConversionPatterns(converter, patterns);
  ub::populateUBToLLVMConversionPatterns(converter, patterns);
  LLVMConversionTarget target(*context);
  target.addLegalDialect<NVVM::NVVMDialect>();
  target.addLegalOp<gpu::GPUModuleOp>();
  return applyFullConversion(module, target, std::move(patterns));
}

/// Dynamic shared memory is an external variable of size 0. Upstream defines
/// it, which PTX cannot express.
static void declareSharedMemory(gpu::GPUModuleOp module) {
  for (auto global : module.getOps<LLVM::GlobalOp>()) {
    auto type = dyn_cast<LLVM::LLVMArrayType>(global.getType());
    if (type && type.getNumElements() == 0 &&
        global.getAddrSpace() == unsigned(NVVM::NVVMMemorySpace::Shared))
      global.setLinkage(LLVM::Linkage::External);
  }
}

/// Requires the exact block size. Upstream makes it a limit, for which ptxas
/// spills registers of some kernels that leave most of them free.
static void requireBlockSizes(gpu::GPUModuleOp module) {
  StringRef limit = NVVM::NVVMDialect::getMaxntidAttrName();
  for (auto function : module.getOps<LLVM::LLVMFuncOp>())
    if (Attribute size = function->removeAttr(limit))
      function->setAttr(NVVM::NVVMDialect::getReqntidAttrName(), size);
}

namespace {
struct LowerDeviceCodePass
    : hamkaas::impl::LowerDeviceCodeBase<LowerDeviceCodePass> {
  void runOnOperation() override {
    if (failed(expandOperations(getOperation())) ||
        failed(convertToNVVM(getOperation())))
      return signalPassFailure();
    declareSharedMemory(getOperation());
    requireBlockSizes(getOperation());
  }
};
} // namespace
