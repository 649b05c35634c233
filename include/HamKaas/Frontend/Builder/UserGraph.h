//===- UserGraph.h - A graph that is built call by call ---------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HAMKAAS_FRONTEND_BUILDER_USERGRAPH_H
#define HAMKAAS_FRONTEND_BUILDER_USERGRAPH_H

#include "HamKaas/Frontend/Builder/ParameterContents.h"
#include "HamKaas/Frontend/Builder/UserOperation.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringSet.h"

namespace hamkaas::graph {

/// A module in the form GRAPH that grows by calls, in any order that defines
/// values before they are used. A call that fails changes nothing. Values are
/// numbers from 0, in the order of definition.
class UserGraph {
public:
  explicit UserGraph(mlir::MLIRContext *context);

  /// Begins the entry function `name`, to which the following inputs,
  /// operations, stores and outputs belong; the one before it is complete and
  /// has outputs. Parameters and states, whenever they were added, belong to
  /// all functions; other values to the one that they were defined in. Without
  /// this call there is one function, `main`.
  llvm::Error beginFunction(llvm::StringRef name);
  /// The function that is being built.
  llvm::StringRef functionName() { return main.getSymName(); }
  /// True for a value that this function, and the innermost body of a loop in
  /// it, may use.
  bool isVisible(uint32_t value) const;

  llvm::Expected<uint32_t> addInput(llvm::StringRef name,
                                    mlir::RankedTensorType type,
                                    mlir::Location location);
  /// The contents are read when the graph is compiled or run; empty if whoever
  /// runs the program provides them.
  llvm::Expected<uint32_t> addParameter(llvm::StringRef name,
                                        mlir::RankedTensorType type,
                                        llvm::ArrayRef<char> contents,
                                        mlir::Location location);
  /// The value that the state has when a run begins. `contents` is what it
  /// holds at first, as addConstant and, if larger, addParameter take them;
  /// none for zero. All bytes at null are provided as those of a parameter.
  llvm::Expected<uint32_t> addState(llvm::StringRef name,
                                    mlir::RankedTensorType type,
                                    llvm::ArrayRef<char> contents,
                                    mlir::Location location);
  /// The same with contents of any size that the graph holds,
  /// DenseElementsAttr, or ExternAttr for those that are given by the name.
  llvm::Expected<uint32_t> declareParameter(llvm::StringRef name,
                                            mlir::RankedTensorType type,
                                            mlir::Attribute contents,
                                            mlir::Location location);
  llvm::Expected<uint32_t> declareState(llvm::StringRef name,
                                        mlir::RankedTensorType type,
                                        mlir::Attribute contents,
                                        mlir::Location location);
  /// `bytes` has all elements as a program stores them, or one that all are.
  llvm::Expected<uint32_t> addConstant(mlir::RankedTensorType type,
                                       llvm::ArrayRef<char> bytes,
                                       mlir::Location location);
  uint32_t addConstant(mlir::DenseElementsAttr contents,
                       mlir::Location location);
  llvm::Expected<llvm::SmallVector<uint32_t, 1>>
  addOperation(const UserOperation &request, mlir::Location location);

  /// Defines the values that `add` builds, behind all operations of the
  /// innermost body or of the function.
  llvm::Expected<llvm::SmallVector<uint32_t>>
  addValues(llvm::function_ref<
            llvm::Expected<llvm::SmallVector<mlir::Value>>(mlir::OpBuilder &)>
                add);

  //===--------------------------------------------------------------------===//
  // Loops over rows, `hamkaas.scan`; in UserScan.cpp
  //===--------------------------------------------------------------------===//

  /// Bodies nest by recursion in all that walks over them later.
  static constexpr size_t deepestScan = 64;

  /// Begins a body. Constants and operations are added to it, and read its
  /// values alone, until endScan or abandonScan. Bodies nest. Nothing else is
  /// added, or read of the whole graph, meanwhile.
  void beginScan(int64_t steps, bool isReversed, mlir::Location location);
  /// A value outside as the body knows it: one that a step hands on to the
  /// next, of which `value` is the first; a row of `value`; or all of it. They
  /// are added in this order.
  enum class ScanArgument { Init, Row, Value };
  llvm::Expected<uint32_t> addScanArgument(ScanArgument kind, uint32_t value,
                                           mlir::Location location);
  /// A visible value as the innermost body knows it. One from outside becomes
  /// one of the values of the loops between; a number is copied.
  mlir::Value capture(uint32_t value) { return capture(value, scans.size()); }
  /// Ends the body with what is handed on, then with the rows of the further
  /// results. After an error the body is as before.
  llvm::Expected<llvm::SmallVector<uint32_t>>
  endScan(llvm::ArrayRef<uint32_t> yielded, mlir::Location location);
  /// Drops the innermost body.
  void abandonScan();
  size_t scanDepth() const { return scans.size(); }

  /// The state becomes `value` at the end of a run.
  llvm::Error storeState(uint32_t state, uint32_t value,
                         mlir::Location location);
  /// Replaces those that were set before.
  llvm::Error
  setOutputs(llvm::ArrayRef<std::pair<llvm::StringRef, uint32_t>> outputs);

  uint32_t valueCount() const { return values.size(); }
  /// Null for one of a body that has ended.
  mlir::Value value(uint32_t number) const { return values[number]; }

  /// Makes `replacement` the value that `value` was.
  void replaceValue(mlir::Value value, mlir::Value replacement) {
    llvm::replace(values, value, replacement);
  }

  /// Where operations are added now.
  mlir::OpBuilder getPlace() const { return builder; }

  //===--------------------------------------------------------------------===//
  // States, for what is built of them
  //===--------------------------------------------------------------------===//

  /// All states, in their order.
  llvm::SmallVector<uint32_t> getStates();
  llvm::StringRef getStateName(uint32_t state);
  /// Says in reports that the state is a "parameter" or a "moment".
  void setStateRole(uint32_t state, llvm::StringRef role);
  /// True for a state that this function does not store yet.
  bool canStore(uint32_t state) const {
    return unstored.contains(values[state]);
  }
  /// The same as storeState of a value of its type, at `place`, behind which
  /// nothing reads the state.
  void storeStateAt(mlir::OpBuilder &place, uint32_t state, mlir::Value value,
                    mlir::Location location);

  /// The states that the steps train which another state counts.
  struct Training {
    std::string function; ///< The first one that has such steps.
    llvm::DenseSet<uint32_t> states;
  };
  /// Null if there are no such steps.
  const Training *findTraining(llvm::StringRef counter) const;
  /// Notes a step of this function.
  void addTraining(llvm::StringRef counter, llvm::ArrayRef<uint32_t> states);

  //===--------------------------------------------------------------------===//
  // Several functions in place of `@main`
  //===--------------------------------------------------------------------===//

  /// Begins a function. Before the first one there are parameters and states
  /// alone, which all functions have; each has inputs and outputs of its own.
  llvm::Error beginFunction(llvm::StringRef name, mlir::Location location);
  /// Ends it, or the only function, after its outputs were set. It keeps the
  /// parameters and states that it reads.
  llvm::Error endFunction();

  /// The module, complete: it stays this object's, which goes on to build.
  llvm::Expected<mlir::ModuleOp> finish();
  /// The module after `finish`, which ends this object's use.
  mlir::OwningOpRef<mlir::ModuleOp> take() { return std::move(module); }
  /// Of all parameters, or null if there are none that have any. The error
  /// names one that has none where others do.
  llvm::Expected<std::shared_ptr<const ParameterContents>> contents() const;

private:
  /// A body that is not complete.
  struct Scan {
    std::unique_ptr<mlir::Block> body;
    int64_t steps;
    bool isReversed;
    mlir::Location location;
    mlir::OpBuilder::InsertPoint outside;
    /// The number of the first value of the body.
    uint32_t firstValue;
    /// By kind.
    llvm::SmallVector<mlir::Value> operands[3] = {};
    /// The stand-ins of values around the body.
    llvm::DenseMap<mlir::Value, mlir::Value> captured{};
  };

  /// The value as the body at `depth`, or the function at 0, knows it.
  mlir::Value capture(uint32_t value, size_t depth);
  static mlir::Value capture(Scan &scan, mlir::Value outside);
  /// Forgets the values of the innermost body, and goes on outside.
  Scan leaveScan();
  /// `next` cannot happen before the loops have ended.
  llvm::Error checkOutsideScans(llvm::StringRef next) const;

  llvm::Error finishFunction();
  void createFunction(llvm::StringRef name);
  bool isEmptyFunction();
  mlir::Value loadGlobal(mlir::FlatSymbolRefAttr global, mlir::Type type,
                         bool isState, mlir::Location location);

  enum Namespace { Inputs, Parameters, States, namespaceCount };

  /// Adds the name to all of the spaces or, with an error, to none.
  llvm::Error claimName(llvm::ArrayRef<Namespace> spaces, llvm::StringRef what,
                        llvm::StringRef name);
  /// A declaration before `@main`; the user's name stands in an attribute.
  mlir::FlatSymbolRefAttr createGlobal(llvm::StringRef kind,
                                       llvm::StringRef name,
                                       mlir::RankedTensorType type,
                                       mlir::Attribute value, bool isMutable,
                                       mlir::Location location);
  uint32_t define(mlir::Value value);

  mlir::OwningOpRef<mlir::ModuleOp> module;
  /// The function that is built.
  mlir::func::FuncOp main;
  /// Of several functions: one that only loads the parameters and states.
  mlir::OwningOpRef<mlir::func::FuncOp> loads;
  /// Inserts before the end of the function.
  mlir::OpBuilder builder;
  std::vector<mlir::Value> values;
  std::vector<mlir::Attribute> inputNames, outputNames;
  bool hasOutputs = false;
  llvm::StringSet<> names[namespaceCount];
  unsigned globalCount = 0;
  /// By the name of the state that counts the steps.
  llvm::StringMap<Training> trainings;
  /// From the outermost to the innermost.
  std::vector<Scan> scans;
  /// Numbers of parameters and states, and their globals.
  std::vector<std::pair<uint32_t, mlir::FlatSymbolRefAttr>> globals;
  /// Values of states that are not stored yet, and their globals.
  llvm::DenseMap<mlir::Value, mlir::FlatSymbolRefAttr> unstored;
  std::vector<std::pair<std::string, llvm::ArrayRef<char>>> parameters;
};

} // namespace hamkaas::graph

#endif // HAMKAAS_FRONTEND_BUILDER_USERGRAPH_H
