//===- StreamStores.cpp - Stores that pass by the caches --------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HamKaas/CodeGen/CPU/Passes.h"

#include "HamKaas/CodeGen/Kernel/Passes.h"
#include "HamKaas/Dialect/HamKaas/IR/HamKaas.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

namespace hamkaas {
#define GEN_PASS_DEF_STREAMSTORES
#include "HamKaas/CodeGen/CPU/Passes.h.inc"
} // namespace hamkaas

using namespace mlir;
using namespace hamkaas;

static int64_t getBytes(VectorType type) {
  return type.getNumElements() * type.getElementTypeBitWidth() / 8;
}

namespace {
struct StreamStoresPass : hamkaas::impl::StreamStoresBase<StreamStoresPass> {
  void runOnOperation() override {
    SmallVector<vector::TransferWriteOp> writes;
    getOperation().walk([&](scf::ForOp loop) {
      if (loop->hasAttr(HamKaasDialect::streamLoopAttrName))
        loop.walk([&](vector::TransferWriteOp write) {
          if (!write.getMask())
            writes.push_back(write);
        });
    });
    if (writes.empty())
      return;
    for (vector::TransferWriteOp write : writes)
      streamWrite(write);
    // Nontemporal stores are not ordered with the stores that publish the
    // result.
    OpBuilder builder(getOperation().getBody().back().getTerminator());
    LLVM::CallIntrinsicOp::create(builder, getOperation().getLoc(),
                                  builder.getStringAttr("llvm.x86.sse.sfence"),
                                  ValueRange());
  }

private:
  static void streamWrite(vector::TransferWriteOp write) {
    OpBuilder builder(write);
    auto store = vector::StoreOp::create(
        builder, write.getLoc(), write.getVector(), write.getBase(),
        write.getIndices(), /*nontemporal=*/true);
    store.setAlignment(getBytes(write.getVectorType()));
    write.erase();
  }
};
} // namespace
