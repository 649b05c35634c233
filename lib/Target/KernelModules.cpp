//===- KernelModules.cpp - A module for each kernel -------------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "KernelModules.h"
#include "HamKaas/Dialect/HamKaas/IR/HamKaas.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

using namespace mlir;
using namespace hamkaas;

static bool isKernel(LLVM::LLVMFuncOp function) {
  return !function.isExternal() &&
         function->hasAttr(HamKaasDialect::kernelAttrName);
}

static LLVM::LLVMFuncOp declare(LLVM::LLVMFuncOp function, OpBuilder &builder) {
  auto declaration =
      cast<LLVM::LLVMFuncOp>(builder.cloneWithoutRegions(function));
  declaration.setLinkage(LLVM::Linkage::External);
  // A location may hold the lines of a definition.
  declaration->setLoc(builder.getUnknownLoc());
  return declaration;
}

/// Copies what `op` refers to, and what that refers to, to its module:
/// functions as declarations, data whole.
static void copySymbols(Operation *op, const SymbolTable &symbols,
                        SymbolTable &known) {
  SmallVector<Operation *> worklist = {op};
  while (!worklist.empty()) {
    auto uses = SymbolTable::getSymbolUses(worklist.pop_back_val());
    for (SymbolTable::SymbolUse use : *uses) {
      StringAttr name = use.getSymbolRef().getRootReference();
      Operation *symbol = symbols.lookup(name);
      if (!symbol || known.lookup(name))
        continue;
      OpBuilder builder = OpBuilder::atBlockEnd(op->getBlock());
      if (auto function = dyn_cast<LLVM::LLVMFuncOp>(symbol)) {
        known.insert(declare(function, builder));
        continue;
      }
      auto global = cast<LLVM::GlobalOp>(builder.clone(*symbol));
      // Each kernel has its own.
      if (global.getValueAttr() || !global.getInitializer().empty())
        global.setLinkage(LLVM::Linkage::Internal);
      known.insert(global);
      worklist.push_back(global);
    }
  }
}

SmallVector<OwningOpRef<ModuleOp>> hamkaas::takeKernels(ModuleOp module) {
  SymbolTable symbols(module);
  SmallVector<OwningOpRef<ModuleOp>> kernels;
  for (auto function :
       llvm::make_early_inc_range(module.getOps<LLVM::LLVMFuncOp>())) {
    if (!isKernel(function))
      continue;
    OpBuilder builder(function);
    LLVM::LLVMFuncOp declaration = declare(function, builder);
    symbols.remove(function);
    symbols.insert(declaration);

    OwningOpRef<ModuleOp> own = ModuleOp::create(module.getLoc());
    function->moveBefore(own->getBody(), own->getBody()->end());
    function.setLinkage(LLVM::Linkage::External);
    SymbolTable known(*own);
    copySymbols(function, symbols, known);
    kernels.push_back(std::move(own));
  }
  return kernels;
}
