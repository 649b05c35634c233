//===- ModuleBuilder.h - Builds the module of a script ----------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HAMKAAS_LIB_FRONTEND_SCRIPT_MODULEBUILDER_H
#define HAMKAAS_LIB_FRONTEND_SCRIPT_MODULEBUILDER_H

#include "Storage.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"
#include "llvm/ADT/SmallSet.h"
#include "llvm/ADT/StringMap.h"

namespace hamkaas::script {

/// An operator applied to nodes.
struct Application {
  mlir::OperationName name;
  /// Of the statement.
  mlir::Location location;
  /// Of the operator's name, for operands or attributes that it does not take.
  mlir::Location operatorLocation;
  /// Of the argument that a wrong shape is blamed on.
  mlir::Location blame;
  llvm::SmallVector<uint32_t> operands = {};
  llvm::SmallVector<mlir::NamedAttribute> attributes = {};
  /// Names of the attributes so far, also of flags that are not set.
  llvm::SmallSet<llvm::StringRef, 4> given = {};
  /// Shape of the result where the op does not infer it.
  std::optional<llvm::SmallVector<int64_t>> shape = {};
  /// The same for its element type.
  mlir::Type elementType = {};
  /// The operands and attributes are known to be those that the op wants, so
  /// that only their shapes and values can be wrong.
  bool isWellFormed = false;
};

/// Builds GRAPH statement by statement. A node is a number from 0, in the order
/// of definition; what fails has reported why.
class ModuleBuilder {
public:
  ModuleBuilder(mlir::MLIRContext *context, mlir::Location location);

  uint32_t addInput(llvm::StringRef name, mlir::RankedTensorType type,
                    mlir::Location location);
  uint32_t addConstant(llvm::StringRef name, mlir::RankedTensorType type,
                       mlir::Location location);
  /// All elements are `number`.
  uint32_t addNumber(mlir::TypedAttr number, mlir::RankedTensorType type,
                     mlir::Location location);
  /// An empty name stands for `buffer_` and the number of buffers before.
  uint32_t addBuffer(llvm::StringRef name, mlir::RankedTensorType type,
                     mlir::Location location);

  /// Appends the op and returns the node of its result: with its own storage,
  /// as a view, or as the operand that it updates in place.
  llvm::FailureOr<uint32_t> apply(const Application &application);

  mlir::RankedTensorType getType(uint32_t node) const {
    return storages.getType(node);
  }
  mlir::Location getLocation(uint32_t node) const {
    return storages.getLocation(node);
  }

  /// Ends `@main`: stores the buffers that were written and returns `result`.
  mlir::OwningOpRef<mlir::ModuleOp> finish(uint32_t result,
                                           mlir::Location location);

private:
  struct Buffer {
    mlir::Operation *global;
    uint32_t node;
    mlir::Location location;
    mlir::Value initial;
  };

  mlir::Operation *createGlobal(llvm::StringRef name,
                                mlir::RankedTensorType type,
                                mlir::Attribute value, bool isMutable,
                                mlir::Location location);
  void claimName(llvm::StringRef name, Buffer &buffer);
  uint32_t defineNode(mlir::Operation *op, const Application &application);

  mlir::OpBuilder builder;
  mlir::OwningOpRef<mlir::ModuleOp> module;
  mlir::func::FuncOp main;
  StorageMap storages;
  llvm::StringMap<unsigned> symbols;
  std::vector<Buffer> buffers;
  /// Indices of the buffers without a name, by symbol.
  llvm::StringMap<size_t> unnamedBuffers;
  std::vector<mlir::Attribute> argumentAttributes;
};

} // namespace hamkaas::script

#endif // HAMKAAS_LIB_FRONTEND_SCRIPT_MODULEBUILDER_H
