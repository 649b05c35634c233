//===- EmitKernels.cpp - Kernels to loops on vectors ------------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HamKaas/CodeGen/Kernel/DescribeTarget.h"
#include "HamKaas/CodeGen/Kernel/Emitters.h"
#include "HamKaas/CodeGen/Kernel/Passes.h"
#include "HamKaas/Dialect/HamKaas/IR/EngineOps.h"
#include "HamKaas/Dialect/HamKaas/IR/HamKaas.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

namespace hamkaas {
#define GEN_PASS_DEF_EMITKERNELS
#include "HamKaas/CodeGen/Kernel/Passes.h.inc"
} // namespace hamkaas

using namespace mlir;
using namespace hamkaas;

LogicalResult hamkaas::verifyKernel(func::FuncOp kernel) {
  if (!kernel.getBody().hasOneBlock())
    return kernel.emitError("expected a kernel of one block");
  if (kernel.getNumResults() != 1 || kernel.getNumArguments() == 0 ||
      kernel.getArgumentTypes().back() != kernel.getResultTypes().front())
    return kernel.emitError("expected a kernel with one result and a last "
                            "argument of the same type");
  for (Type type : kernel.getArgumentTypes()) {
    auto tensor = dyn_cast<RankedTensorType>(type);
    if (!tensor || !tensor.hasStaticShape())
      return kernel.emitError("expected tensors of static shape, got ") << type;
  }
  return success();
}

static FailureOr<Tile> emitFamily(KernelFamily family, KernelBuilder &kernel,
                                  Value result) {
  switch (family) {
  case KernelFamily::Contraction:
    return emitContraction(kernel, result);
  case KernelFamily::Reduction:
    return emitReduction(kernel, result);
  case KernelFamily::Row:
    return areRowsAcross(result) ? emitRowsAcross(kernel, result)
                                 : emitRow(kernel, result);
  case KernelFamily::Elementwise:
    return emitElementwise(kernel, result);
  case KernelFamily::Movement:
    return emitMovement(kernel, result);
  case KernelFamily::Loops:
    return emitLoops(kernel, result);
  case KernelFamily::Transform:
    return emitTransform(kernel, result);
  case KernelFamily::Attention:
    return emitAttention(kernel, result);
  case KernelFamily::View:
    break;
  }
  return emitError(kernel.loc(), "expected a kernel of a family that runs");
}

/// Erases the operations on tensors that the loops replaced.
static void eraseReplaced(func::FuncOp kernel) {
  SmallVector<Operation *> operations;
  for (Operation &op : kernel.getBody().front().without_terminator())
    operations.push_back(&op);
  for (Operation *op : llvm::reverse(operations))
    if (isOpTriviallyDead(op))
      op->erase();
}

/// Loads before the tile loop are repeated by each thread that runs some of the
/// tiles.
static bool isReadBefore(BlockArgument argument, scf::ForOp tiles) {
  return llvm::any_of(argument.getUsers(), [&](Operation *user) {
    return isa<tensor::ExtractOp>(user) && !tiles->isAncestor(user);
  });
}

static void markSharableArguments(func::FuncOp kernel,
                                  const KernelBuilder &builder,
                                  scf::ForOp tiles) {
  for (BlockArgument argument : kernel.getArguments().drop_back())
    if (argument.getType() == builder.destinationType() &&
        builder.mayAlias(argument) && !isReadBefore(argument, tiles))
      kernel.setArgAttr(argument.getArgNumber(),
                        HamKaasDialect::inPlaceAttrName,
                        UnitAttr::get(kernel.getContext()));
}

void hamkaas::finishKernel(func::FuncOp kernel, const KernelBuilder &builder,
                           KernelFamily family, const Tile &tile) {
  auto loop = builder.destination.getDefiningOp<scf::ForOp>();
  std::optional<APInt> tiles = loop.getStaticTripCount();
  kernel.getBody().front().getTerminator()->setOperand(0, builder.destination);
  eraseReplaced(kernel);
  markSharableArguments(kernel, builder, loop);
  Builder attributes(kernel.getContext());
  kernel->setAttr(HamKaasDialect::tilesAttrName,
                  attributes.getI64IntegerAttr(tiles->getSExtValue()));
  kernel->setAttr(HamKaasDialect::kernelAttrName,
                  KernelAttr::get(kernel.getContext(), family, tile));
}

/// Drops the knobs that do not apply to the family. The others stay, so that
/// reports show them; packing and Winograd were decided before.
static void dropOtherKnobs(KernelBuilder &builder, KernelFamily family) {
  bool hasGrain =
      family == KernelFamily::Elementwise || family == KernelFamily::Row;
  if (!hasGrain)
    builder.dropKnob(grainKnob);
  if (family != KernelFamily::Contraction)
    for (StringRef name : {rowsKnob, vectorsKnob, depthKnob, blockRowsKnob,
                           packingKnob, winogradKnob})
      builder.dropKnob(name);
}

/// The inits of an engine's kernel are its last arguments.
static void emitEngineCall(func::FuncOp kernel, EngineCallOp call) {
  MutableOperandRange inits = call.getInitsMutable();
  unsigned first = kernel.getNumArguments() - inits.size();
  for (auto [i, init] : llvm::enumerate(inits))
    init.set(kernel.getArgument(first + i));
  eraseReplaced(kernel);
  kernel->setAttr(HamKaasDialect::tilesAttrName,
                  Builder(kernel.getContext()).getI64IntegerAttr(1));
}

namespace {
struct EmitKernelsPass : hamkaas::impl::EmitKernelsBase<EmitKernelsPass> {
  using EmitKernelsBase::EmitKernelsBase;

  void runOnOperation() override {
    func::FuncOp kernel = getOperation();
    auto attr =
        kernel->getAttrOfType<KernelAttr>(HamKaasDialect::kernelAttrName);
    // An emitted kernel already has its tiles.
    if (!attr || kernel.isDeclaration() ||
        kernel->hasAttr(HamKaasDialect::tilesAttrName))
      return;
    FailureOr<TargetDescription> target = describeTarget(kernel);
    if (failed(target) || failed(verifyKernel(kernel)))
      return signalPassFailure();

    auto returned = cast<func::ReturnOp>(kernel.getBody().front().back());
    if (auto call = returned.getOperand(0).getDefiningOp<EngineCallOp>())
      return emitEngineCall(kernel, call);

    KernelBuilder builder(kernel, *target);
    builder.requestedTile = attr.getTile();
    if (!attr.getTile().empty() &&
        attr.getFamily() != KernelFamily::Contraction) {
      kernel.emitError("expected a tile of a contraction only, got one of ")
          << stringifyKernelFamily(attr.getFamily());
      return signalPassFailure();
    }
    dropOtherKnobs(builder, attr.getFamily());
    FailureOr<Tile> tile =
        emitFamily(attr.getFamily(), builder, returned.getOperand(0));
    if (failed(tile))
      return signalPassFailure();

    finishKernel(kernel, builder, attr.getFamily(), *tile);
  }
};
} // namespace
