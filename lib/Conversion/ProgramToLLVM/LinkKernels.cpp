//===- LinkKernels.cpp - Lets lowered kernels take their declarations' place -*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HamKaas/Conversion/ProgramToLLVM/Passes.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

namespace hamkaas {
#define GEN_PASS_DEF_LINKKERNELS
#include "HamKaas/Conversion/ProgramToLLVM/Passes.h.inc"
} // namespace hamkaas

using namespace mlir;

namespace {

struct LinkKernels : hamkaas::impl::LinkKernelsBase<LinkKernels> {
  void runOnOperation() override {
    SymbolTable symbols(getOperation());
    SmallVector<LLVM::LLVMFuncOp> functions(
        getOperation().getOps<LLVM::LLVMFuncOp>());
    for (LLVM::LLVMFuncOp body : functions) {
      StringRef name = body.getSymName();
      if (body.isExternal() || !name.consume_back("_body"))
        continue;
      if (auto declaration = symbols.lookup<LLVM::LLVMFuncOp>(name)) {
        std::string kernel = name.str();
        symbols.erase(declaration);
        body.setSymName(kernel);
        // The program refers to it: nothing outside does.
        body.setLinkage(LLVM::Linkage::Internal);
      }
    }
  }
};

} // namespace
