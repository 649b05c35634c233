//===- Interpreter.h - Runs a model in the form GRAPH -----------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HAMKAAS_INTERPRETER_INTERPRETER_H
#define HAMKAAS_INTERPRETER_INTERPRETER_H

#include "HamKaas/Dialect/HamKaas/IR/HamKaas.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/StringMap.h"
#include <memory>

namespace hamkaas {

class ScanOp;

/// Runs `@main` of a module in the form GRAPH, one operation after the other,
/// by the meaning that ReferenceSemanticsOpInterface gives each. The measure of
/// every other device, so simple before fast. Errors are diagnostics at the
/// operation in question.
class Interpreter {
public:
  /// Takes the tensors of `parameters` for the globals of external contents, by
  /// the user's name; each must be given with its type, and no other. Runs the
  /// entry function `function`, the first one if that is empty. `module` must
  /// outlive the interpreter and not change.
  static mlir::FailureOr<Interpreter>
  create(mlir::ModuleOp module, llvm::StringMap<ReferenceTensor> parameters,
         llvm::StringRef function = {});

  /// Runs once with `inputs` in the order of the arguments, and replaces
  /// `outputs` by the results. State is kept for the next run; a run that fails
  /// leaves it as it was. `observer` may be null; it is told each value that an
  /// operation of the function computes, in order.
  using Observer =
      llvm::function_ref<void(mlir::Value, const ReferenceTensor &)>;
  mlir::LogicalResult run(llvm::ArrayRef<ReferenceTensor> inputs,
                          llvm::SmallVectorImpl<ReferenceTensor> &outputs,
                          Observer observer = nullptr);

  /// The contents of the global `symbol`, which the module has.
  const ReferenceTensor &getGlobal(llvm::StringRef symbol) const {
    return *globals.at(symbol);
  }
  void setGlobal(llvm::StringRef symbol, ReferenceTensor value) {
    globals[symbol] = std::make_shared<ReferenceTensor>(std::move(value));
  }

private:
  /// A value that several names share: a load from a global copies nothing.
  using SharedTensor = std::shared_ptr<const ReferenceTensor>;
  struct Frame;

  explicit Interpreter(mlir::func::FuncOp main) : main(main) {}

  mlir::LogicalResult
  initializeGlobals(mlir::ModuleOp module,
                    llvm::StringMap<ReferenceTensor> &parameters);
  void findLastUses();
  mlir::LogicalResult bindInputs(llvm::ArrayRef<ReferenceTensor> inputs,
                                 Frame &frame);
  mlir::LogicalResult execute(mlir::Operation &op, Frame &frame);
  mlir::LogicalResult evaluate(mlir::Operation &op, Frame &frame);
  mlir::LogicalResult runScan(ScanOp scan, Frame &frame);
  /// Computes the body with row `index` of each input.
  mlir::LogicalResult runStep(ScanOp scan, int64_t index,
                              llvm::ArrayRef<SharedTensor> carried,
                              Frame &frame);

  mlir::func::FuncOp main;
  /// Contents of parameters and state by symbol name.
  llvm::StringMap<SharedTensor> globals;
  /// The values that nothing needs after an operation. A result without a use
  /// is among those of its own operation.
  llvm::DenseMap<mlir::Operation *, llvm::SmallVector<mlir::Value>> lastUses;
};

} // namespace hamkaas

#endif // HAMKAAS_INTERPRETER_INTERPRETER_H
