//===- BufferizeKernels.cpp - Bufferizes kernels in parallel ----*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "BufferizeKernels.h"
#include "HamKaas/Dialect/HamKaas/Kernels/ProgramFunctions.h"
#include "mlir/Dialect/Bufferization/Transforms/OneShotModuleBufferize.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/Threading.h"

using namespace mlir;
using namespace hamkaas;

namespace {

/// The constants of a module, each of which it has once.
class ConstantTable {
public:
  explicit ConstantTable(ModuleOp module) : symbols(module) {
    for (auto constant : module.getOps<memref::GlobalOp>())
      names.try_emplace(getContents(constant), constant.getSymNameAttr());
  }

  /// Moves `constant` here or erases it. Returns the name of that with its
  /// contents.
  StringAttr take(memref::GlobalOp constant) {
    auto [known, isNew] =
        names.try_emplace(getContents(constant), StringAttr());
    if (isNew) {
      constant->remove();
      known->second = symbols.insert(constant);
    } else {
      constant.erase();
    }
    return known->second;
  }

private:
  /// All that tells one constant from another but its name.
  static Attribute getContents(memref::GlobalOp constant) {
    NamedAttrList attributes(constant->getAttrDictionary());
    attributes.erase(SymbolTable::getSymbolAttrName());
    return attributes.getDictionary(constant.getContext());
  }

  SymbolTable symbols;
  DenseMap<Attribute, StringAttr> names;
};

} // namespace

/// Puts the kernels of `parts` in their place.
static void joinKernels(ModuleOp module, ArrayRef<ModuleOp> parts) {
  ConstantTable constants(module);
  for (ModuleOp part : parts) {
    DenseMap<StringAttr, StringAttr> names;
    for (auto constant :
         llvm::make_early_inc_range(part.getOps<memref::GlobalOp>())) {
      StringAttr name = constant.getSymNameAttr();
      names[name] = constants.take(constant);
    }
    part.walk([&](memref::GetGlobalOp use) {
      use.setName(names.at(use.getNameAttr().getAttr()));
    });
    (*part.getOps<func::FuncOp>().begin())->moveBefore(part);
    part->erase();
  }
}

LogicalResult hamkaas::bufferizeKernels(
    ModuleOp module, const bufferization::OneShotBufferizationOptions &options,
    function_ref<bool(func::FuncOp)> isKernel) {
  SmallVector<ModuleOp> parts = separateFunctions(module, isKernel);
  LogicalResult bufferized =
      failableParallelForEach(module.getContext(), parts, [&](ModuleOp part) {
        bufferization::BufferizationState state;
        return bufferization::bufferizeModuleOp(part, options, state);
      });
  joinKernels(module, parts);
  return bufferized;
}
