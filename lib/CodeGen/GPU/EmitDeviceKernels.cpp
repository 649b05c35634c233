//===- EmitDeviceKernels.cpp - Kernels of blocks of threads -----*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CooperativeGroups.h"
#include "FlashDecoding.h"
#include "HamKaas/CodeGen/GPU/Passes.h"
#include "HamKaas/CodeGen/Kernel/DescribeTarget.h"
#include "HamKaas/CodeGen/Kernel/Reduction.h"
#include "HamKaas/Dialect/HamKaas/IR/EngineKernels.h"
#include "HamKaas/Dialect/HamKaas/IR/Target.h"
#include "SimtGemm.h"
#include "SplitKGemm.h"
#include "TensorCoreGemm.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/NVGPU/IR/NVGPUDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

namespace hamkaas {
#define GEN_PASS_DEF_EMITDEVICEKERNELS
#include "HamKaas/CodeGen/GPU/Passes.h.inc"
} // namespace hamkaas

using namespace mlir;
using namespace hamkaas;

/// Finishes a kernel for blocks of `warps` warps.
static void finish(func::FuncOp kernel, KernelBuilder &builder,
                   KernelFamily family, const Tile &tile, int64_t warps) {
  kernel->setAttr(HamKaasDialect::blockWarpsAttrName,
                  builder.ir().getI64IntegerAttr(warps));
  finishKernel(kernel, builder, family, tile);
}

/// The emitters of block kernels; they leave other kernels unchanged.
template <typename ContractionT>
static LogicalResult emitContraction(func::FuncOp kernel, linalg::LinalgOp root,
                                     Value result,
                                     const TargetDescription &target) {
  if (kernel->hasAttr(HamKaasDialect::tilesAttrName))
    return success();
  KernelBuilder builder(kernel, target);
  ContractionT contraction(builder, root, result);
  if (!contraction.match())
    return success();
  if (failed(verifyBody(root)) ||
      failed(verifyEpilogue(root, result, isRowReduction)))
    return failure();
  Tile tile = contraction.emit();
  finish(kernel, builder, KernelFamily::Contraction, tile, contraction.warps());
  return success();
}

static LogicalResult emitContraction(func::FuncOp kernel, Value result,
                                     const TargetDescription &target) {
  linalg::LinalgOp root = findReductionRoot(result);
  if (!root)
    return success();
  auto emitBlocks = target.precision == Precision::Exact
                        ? emitContraction<SimtGemm>
                        : emitContraction<TensorCoreGemm>;
  return success(
      succeeded(emitBlocks(kernel, root, result, target)) &&
      succeeded(emitContraction<SplitKGemm>(kernel, root, result, target)));
}

static LogicalResult emitRows(func::FuncOp kernel, Value result,
                              const TargetDescription &target) {
  KernelBuilder builder(kernel, target);
  std::optional<CooperativeGroup> group = makeRowGroup(builder, result);
  if (!group)
    return success();
  FailureOr<Tile> tile = emitRow(builder, result, &*group);
  if (failed(tile))
    return failure();
  finish(kernel, builder, KernelFamily::Row, *tile, group->count);
  return success();
}

static LogicalResult emitAttentionRows(func::FuncOp kernel, Value result,
                                       const TargetDescription &target) {
  KernelBuilder builder(kernel, target);
  FailureOr<Attention> attention = Attention::match(builder, result);
  if (failed(attention))
    return failure();
  if (!FlashDecoding::fits(builder.costs(), *attention))
    return success();
  // Other blocks may still read what this one writes.
  for (Value argument : builder.arguments())
    builder.forbidAlias(argument);
  FlashDecoding split(builder, *attention);
  Tile tile = split.emit();
  finish(kernel, builder, KernelFamily::Attention, tile, split.warps());
  return success();
}

namespace {
struct EmitDeviceKernelsPass
    : hamkaas::impl::EmitDeviceKernelsBase<EmitDeviceKernelsPass> {
  using EmitDeviceKernelsBase::EmitDeviceKernelsBase;

  void runOnOperation() override {
    func::FuncOp kernel = getOperation();
    auto attr =
        kernel->getAttrOfType<KernelAttr>(HamKaasDialect::kernelAttrName);
    if (!attr || kernel.isDeclaration() || !attr.getTile().empty() ||
        getEngine(kernel))
      return;
    auto emit = getEmitter(attr.getFamily());
    if (!emit)
      return;
    FailureOr<TargetDescription> target = describeTarget(kernel);
    if (failed(target))
      return signalPassFailure();
    if (target->machine->sharedBytes == 0) {
      kernel.emitError("expected a target that is a GPU, got ")
          << *getTarget(kernel);
      return signalPassFailure();
    }
    if (failed(verifyKernel(kernel)))
      return signalPassFailure();
    Value result = kernel.getBody().front().getTerminator()->getOperand(0);
    if (failed(emit(kernel, result, *target)))
      signalPassFailure();
  }

private:
  using Emitter = LogicalResult (*)(func::FuncOp kernel, Value result,
                                    const TargetDescription &target);

  static Emitter getEmitter(KernelFamily family) {
    switch (family) {
    case KernelFamily::Contraction:
      return emitContraction;
    case KernelFamily::Row:
      return emitRows;
    case KernelFamily::Attention:
      return emitAttentionRows;
    default:
      return nullptr;
    }
  }
};
} // namespace
