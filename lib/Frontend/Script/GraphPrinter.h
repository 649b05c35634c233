//===- GraphPrinter.h - GRAPH to scripts of version 3 -----------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HAMKAAS_LIB_FRONTEND_SCRIPT_GRAPHPRINTER_H
#define HAMKAAS_LIB_FRONTEND_SCRIPT_GRAPHPRINTER_H

#include "HamKaas/Dialect/HamKaas/IR/RegionOps.h"
#include "HamKaas/Frontend/Builder/OperationTable.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/MLProgram/IR/MLProgram.h"
#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/StringSet.h"

namespace hamkaas::script {

/// Prints a graph op by op, in order. Values have ids from 1, in the order of
/// their definitions.
class GraphPrinter {
public:
  explicit GraphPrinter(mlir::ModuleOp module) : module(module) {}

  /// The script, or failure after an error was reported.
  llvm::FailureOr<std::string> print();

private:
  // The module.
  llvm::LogicalResult collectSymbols();
  llvm::LogicalResult printFunction();
  llvm::LogicalResult printInputs();
  llvm::LogicalResult printGlobals(mlir::Operation *last);
  llvm::LogicalResult printGlobal(mlir::ml_program::GlobalOp global);
  llvm::LogicalResult printOutputs();

  // Statements.
  llvm::LogicalResult printOp(mlir::Operation *op);
  llvm::LogicalResult printLoad(mlir::Operation *load,
                                mlir::SymbolRefAttr symbol);
  llvm::LogicalResult printStore(mlir::ml_program::GlobalStoreOp store);
  llvm::LogicalResult printConstant(mlir::Operation *op, mlir::Attribute value);
  llvm::LogicalResult printScan(ScanOp scan);
  llvm::LogicalResult printYield(YieldOp yield);
  llvm::LogicalResult printCall(mlir::Operation *op);
  llvm::LogicalResult printOperands(mlir::Operation *op,
                                    const graph::OperationInfo &info);
  llvm::LogicalResult printAttributes(mlir::Operation *op,
                                      const graph::OperationInfo &info);
  void printResultType(mlir::Operation *op);

  // Parts of statements.
  void beginStatement(mlir::ValueRange results);
  uint64_t define(mlir::Value value) { return ids[value] = ++lastId; }
  llvm::LogicalResult printNode(mlir::Operation *user, mlir::Value value);
  llvm::LogicalResult printType(mlir::Location location, mlir::Type type);
  llvm::LogicalResult printElements(mlir::Location location,
                                    mlir::Attribute value);
  llvm::LogicalResult printName(mlir::Location location, llvm::StringRef kind,
                                llvm::StringRef name);
  void separate();

  mlir::ModuleOp module;
  std::vector<mlir::func::FuncOp> functions;
  /// The one that is printed.
  mlir::func::FuncOp main;
  std::string text;
  llvm::raw_string_ostream os{text};
  /// The next argument of a call has one before it.
  bool isLaterArgument = false;
  /// Number of the bodies around a statement.
  unsigned depth = 0;
  uint64_t lastId = 0;
  llvm::DenseMap<mlir::Value, uint64_t> ids;
  /// By kind and name.
  llvm::StringSet<> names;
  /// Words for the function in messages.
  std::string functionName() { return ("@" + main.getSymName()).str(); }
  std::vector<mlir::ml_program::GlobalOp> globals;
  /// The first of `globals` that was not printed yet.
  size_t nextGlobal = 0;
  llvm::DenseMap<mlir::Attribute, mlir::ml_program::GlobalOp> globalsBySymbol;
  llvm::DenseMap<mlir::Operation *, uint64_t> globalIds;
  llvm::DenseSet<mlir::Operation *> stored;
};

} // namespace hamkaas::script

#endif // HAMKAAS_LIB_FRONTEND_SCRIPT_GRAPHPRINTER_H
