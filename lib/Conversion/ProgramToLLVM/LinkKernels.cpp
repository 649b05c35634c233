//===- LinkKernels.cpp - Joins kernels and their callers --------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HamKaas/Conversion/ProgramToLLVM/Passes.h"
#include "HamKaas/Dialect/HamKaas/IR/ProgramSymbols.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

namespace hamkaas {
#define GEN_PASS_DEF_LINKKERNELS
#include "HamKaas/Conversion/ProgramToLLVM/Passes.h.inc"
} // namespace hamkaas

using namespace mlir;
using namespace hamkaas;

namespace {

struct LinkKernels : hamkaas::impl::LinkKernelsBase<LinkKernels> {
  void runOnOperation() override {
    SymbolTable symbols(getOperation());
    // NOTE: collected before the first declaration is erased.
    SmallVector<LLVM::LLVMFuncOp> bodies;
    for (auto function : getOperation().getOps<LLVM::LLVMFuncOp>())
      if (!function.isExternal() &&
          function.getSymName().ends_with(kernelBodySuffix))
        bodies.push_back(function);
    for (LLVM::LLVMFuncOp body : bodies) {
      std::string kernel =
          body.getSymName().drop_back(kernelBodySuffix.size()).str();
      if (auto declaration = symbols.lookup<LLVM::LLVMFuncOp>(kernel)) {
        if (!declaration.isExternal()) {
          declaration.emitError("expected @")
              << kernel << " to be a declaration beside @" << body.getSymName();
          return signalPassFailure();
        }
        symbols.erase(declaration);
        body.setSymName(kernel);
        // The program refers to it: nothing outside does.
        body.setLinkage(LLVM::Linkage::Internal);
      }
    }
  }
};

} // namespace
