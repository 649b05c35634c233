//===- EmulatedImageBuilder.h - What stands in place of PTX -----*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HAMKAAS_LIB_CODEGEN_GPU_EMULATEDIMAGEBUILDER_H
#define HAMKAAS_LIB_CODEGEN_GPU_EMULATEDIMAGEBUILDER_H

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/IR/SymbolTable.h"

namespace hamkaas {

/// Collects kernels and constants, and makes a constant of them that is an
/// emulation::EmulatedImage.
class EmulatedImageBuilder {
public:
  explicit EmulatedImageBuilder(mlir::ModuleOp module);

  void addKernel(llvm::StringRef name, llvm::StringRef function,
                 llvm::ArrayRef<int64_t> argumentBytes, int64_t sharedBytes);
  void addConstant(llvm::StringRef name, llvm::StringRef global, int64_t bytes);

  /// The global of a constant of that name; empty if there is none.
  llvm::StringRef lookupConstant(llvm::StringRef name) const {
    return constantGlobals.lookup(name);
  }

  /// The name of a global that holds the text and a zero.
  llvm::StringRef addText(llvm::StringRef text);

  /// Makes the global of that name.
  void finish(llvm::StringRef name);

  mlir::SymbolTable &getSymbols() { return symbols; }

private:
  /// A structure member: the address of a symbol, null for an empty name, or an
  /// integer of that width.
  struct Member {
    llvm::StringRef symbol;
    int64_t number;
    unsigned bits;
  };
  static Member address(llvm::StringRef symbol) { return {symbol, 0, 0}; }
  static Member number(int64_t value, unsigned bits) {
    return {"", value, bits};
  }
  using Row = llvm::SmallVector<Member>;

  mlir::Value makeRow(const Row &row);
  llvm::StringRef addTable(llvm::StringRef name, llvm::ArrayRef<Row> rows);
  llvm::StringRef addConstantGlobal(llvm::StringRef name, mlir::Type type,
                                    mlir::Attribute value);

  mlir::ModuleOp module;
  mlir::SymbolTable symbols;
  mlir::ImplicitLocOpBuilder builder;
  mlir::LLVM::LLVMPointerType pointer;
  llvm::StringMap<llvm::StringRef> texts, constantGlobals;
  llvm::SmallVector<Row> kernels, constants;
};

} // namespace hamkaas

#endif // HAMKAAS_LIB_CODEGEN_GPU_EMULATEDIMAGEBUILDER_H
