//===- KernelEntry.cpp - The signature of compiled kernels ------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HamKaas/CodeGen/CPU/Passes.h"
#include "HamKaas/Dialect/HamKaas/IR/ProgramOps.h"
#include "HamKaas/Dialect/HamKaas/Kernels/CheckedArguments.h"
#include "hamkaas-c/Program.h"
#include "mlir/Conversion/LLVMCommon/MemRefBuilder.h"
#include "mlir/Conversion/LLVMCommon/TypeConverter.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

namespace hamkaas {
#define GEN_PASS_DEF_KERNELENTRY
#include "HamKaas/CodeGen/CPU/Passes.h.inc"
} // namespace hamkaas

using namespace mlir;
using namespace hamkaas;

namespace {
/// Rewrites one kernel. The new arguments are `arguments`, `begin`, `end` and
/// `values` of HamKaasKernelFunction.
class EntryRewriter {
public:
  explicit EntryRewriter(func::FuncOp kernel)
      : kernel(kernel), builder(kernel.getContext()), loc(kernel.getLoc()),
        converter(kernel.getContext()),
        pointer(LLVM::LLVMPointerType::get(kernel.getContext())) {}

  void rewrite() {
    replaceArguments();
    readFeatures();
    skipCheckLoops();
    replaceReturn();
    auto checks = llvm::to_vector(kernel.getOps<CheckOp>());
    if (checks.empty())
      return;
    Operation *rest = checks.back()->getNextNode();
    for (CheckOp check : checks)
      lowerCheck(check);
    returnWithoutTiles(rest);
  }

private:
  void replaceArguments() {
    Block &entry = kernel.getBody().front();
    unsigned count = entry.getNumArguments();
    builder.setInsertionPointToStart(&entry);
    table = entry.addArgument(pointer, loc);
    for (unsigned i = 0; i < 2; ++i) {
      Value bound = entry.addArgument(builder.getI64Type(), loc);
      bounds[i] = bound;
      entry.getArgument(count - 2 + i)
          .replaceAllUsesWith(arith::IndexCastOp::create(
              builder, loc, builder.getIndexType(), bound));
    }
    values = entry.addArgument(pointer, loc);
    for (unsigned i = 0; i + 2 < count; ++i)
      entry.getArgument(i).replaceAllUsesWith(
          loadMemRef(cast<MemRefType>(entry.getArgument(i).getType()), i));
    entry.eraseArguments(0, count);
    kernel.removeArgAttrsAttr();
    kernel.setFunctionType(builder.getFunctionType(entry.getArgumentTypes(),
                                                   builder.getI32Type()));
  }

  /// Loops over values to check run zero iterations if the caller passes no
  /// place for failed values, having made the checks before.
  void skipCheckLoops() {
    for (Operation *op : getCheckSlice(kernel)) {
      auto loop = dyn_cast<scf::ForOp>(op);
      if (!loop)
        continue;
      builder.setInsertionPoint(loop);
      Value null = LLVM::ZeroOp::create(builder, loc, pointer);
      Value isChecked = LLVM::ICmpOp::create(
          builder, loc, LLVM::ICmpPredicate::eq, values, null);
      loop.setUpperBound(arith::SelectOp::create(
          builder, loc, isChecked, loop.getLowerBound(), loop.getUpperBound()));
    }
  }

  static_assert(int(CpuFeature::DotProducts) == HamKaasCpuDotProducts &&
                int(CpuFeature::TileProducts) == HamKaasCpuTileProducts);
  /// They stand before the first address of the table.
  void readFeatures() {
    kernel.walk([&](HasCpuFeatureOp op) {
      builder.setInsertionPoint(op);
      Value place = LLVM::GEPOp::create(builder, op.getLoc(), pointer, pointer,
                                        table, ArrayRef<LLVM::GEPArg>(-1));
      Type word = builder.getI64Type();
      Value features = LLVM::LoadOp::create(builder, op.getLoc(), word, place);
      Value wanted = arith::ConstantIntOp::create(
          builder, op.getLoc(), word, static_cast<int64_t>(op.getFeature()));
      Value has = arith::AndIOp::create(builder, op.getLoc(), features, wanted);
      op.replaceAllUsesWith(
          arith::CmpIOp::create(
              builder, op.getLoc(), arith::CmpIPredicate::ne, has,
              arith::ConstantIntOp::create(builder, op.getLoc(), word, 0))
              .getResult());
      op.erase();
    });
  }

  /// A memref of the address that stands at `index` of the table.
  Value loadMemRef(MemRefType type, int32_t index) {
    Value place = LLVM::GEPOp::create(builder, loc, pointer, pointer, table,
                                      ArrayRef<LLVM::GEPArg>(index));
    Value address = LLVM::LoadOp::create(builder, loc, pointer, place);
    Value descriptor = MemRefDescriptor::fromStaticShape(
        builder, loc, converter, type, address);
    return UnrealizedConversionCastOp::create(builder, loc, type, descriptor)
        .getResult(0);
  }

  void replaceReturn() {
    Operation *returned = kernel.getBody().front().getTerminator();
    builder.setInsertionPoint(returned);
    emitReturn(0);
    returned->erase();
  }

  void emitReturn(int32_t status) {
    Value code = arith::ConstantIntOp::create(builder, loc, status, 32);
    func::ReturnOp::create(builder, loc, code);
  }

  void lowerCheck(CheckOp check) {
    Block *before = check->getBlock();
    Block *after = before->splitBlock(check->getNextNode());
    Block *failure =
        builder.createBlock(&kernel.getBody(), kernel.getBody().end());
    for (auto [i, value] : llvm::enumerate(check.getValues())) {
      Value place = LLVM::GEPOp::create(
          builder, loc, pointer, builder.getI64Type(), values,
          ArrayRef<LLVM::GEPArg>(static_cast<int32_t>(i)));
      LLVM::StoreOp::create(builder, loc, value, place);
    }
    emitReturn(1);
    builder.setInsertionPointToEnd(before);
    cf::CondBranchOp::create(builder, check.getLoc(), check.getCondition(),
                             after, failure);
    check.erase();
  }

  /// A call for no tiles only runs the checks. The tile loop would ensure that,
  /// but the loop of a single tile was simplified away.
  void returnWithoutTiles(Operation *rest) {
    Block *before = rest->getBlock();
    Block *tiles = before->splitBlock(rest);
    Block *done =
        builder.createBlock(&kernel.getBody(), kernel.getBody().end());
    emitReturn(0);
    builder.setInsertionPointToEnd(before);
    Value any = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::slt,
                                      bounds[0], bounds[1]);
    cf::CondBranchOp::create(builder, loc, any, tiles, done);
  }

  func::FuncOp kernel;
  OpBuilder builder;
  Location loc;
  LLVMTypeConverter converter;
  Type pointer;
  Value table;
  Value bounds[2];
  Value values;
};

struct KernelEntryPass : hamkaas::impl::KernelEntryBase<KernelEntryPass> {
  void runOnOperation() override {
    for (auto kernel : getOperation().getOps<func::FuncOp>())
      if (kernel->hasAttr(HamKaasDialect::tilesAttrName) &&
          failed(check(kernel)))
        return signalPassFailure();
    for (auto kernel : getOperation().getOps<func::FuncOp>())
      if (kernel->hasAttr(HamKaasDialect::tilesAttrName))
        EntryRewriter(kernel).rewrite();
  }

  LogicalResult check(func::FuncOp kernel) {
    unsigned count = kernel.getNumArguments();
    if (count < 2 || !kernel.getArgumentTypes()[count - 1].isIndex() ||
        !kernel.getArgumentTypes()[count - 2].isIndex())
      return kernel.emitError("expected the bounds of the tiles as the last "
                              "two arguments");
    for (Type type : kernel.getArgumentTypes().drop_back(2)) {
      auto memref = dyn_cast<MemRefType>(type);
      if (!memref || !memref.hasStaticShape() ||
          !memref.getLayout().isIdentity())
        return kernel.emitError("expected dense memrefs of static shape, got ")
               << type;
    }
    return success();
  }
};
} // namespace
