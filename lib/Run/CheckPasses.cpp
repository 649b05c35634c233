//===- CheckPasses.cpp - Which pass changes the meaning ---------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HamKaas/Run/CheckPasses.h"
#include "GraphRun.h"
#include "HamKaas/Dialect/HamKaas/IR/FormatType.h"
#include "HamKaas/Program/CollectProgramInfo.h"
#include "HamKaas/Program/Difference.h"
#include "HamKaas/Program/ElementTypes.h"
#include "HamKaas/Run/Tensors.h"
#include "HamKaas/Runtime/Files/Safetensors.h"
#include "HamKaas/Support/DiagnosticText.h"
#include "HamKaas/Support/Errors.h"
#include "mlir/IR/OperationSupport.h"
#include "mlir/Pass/Pass.h"

using namespace mlir;
using namespace hamkaas;

//===----------------------------------------------------------------------===//
// The first node that differs
//===----------------------------------------------------------------------===//

namespace {

/// The values of a graph by place in the source and type, by which a node can
/// be found again after a pass: rewrites keep both.
class ValuesByPlace {
public:
  void add(Value value, const ReferenceTensor &tensor) {
    bytes += ReferenceTensor::getBytes(tensor.type);
    if (bytes <= mostBytes)
      values[{value.getLoc(), value.getType()}].push_back(tensor);
  }

  /// Returns whether nodes of that place exist, and none has this value.
  bool differ(Value value, const ReferenceTensor &tensor) const {
    auto known = values.find({value.getLoc(), value.getType()});
    if (bytes > mostBytes || known == values.end())
      return false;
    double tolerance = getElementType(tensor.type).tolerance;
    return llvm::none_of(known->second, [&](const ReferenceTensor &other) {
      return compare(tensor, other).isWithin(tolerance);
    });
  }

private:
  /// A model of more has no search for the node.
  static constexpr uint64_t mostBytes = uint64_t(1) << 30;

  llvm::DenseMap<std::pair<Location, Type>, std::vector<ReferenceTensor>>
      values;
  uint64_t bytes = 0;
};

} // namespace

/// "hamkaas.relu at model.hk:3:6", or empty if no node can be found again.
static std::string findFirstNode(ModuleOp before, ModuleOp after,
                                 const KnownTensors &known) {
  ValuesByPlace values;
  auto add = [&](Value value, const ReferenceTensor &tensor) {
    values.add(value, tensor);
  };
  Operation *first = nullptr;
  auto find = [&](Value value, const ReferenceTensor &tensor) {
    if (!first && values.differ(value, tensor))
      first = value.getDefiningOp();
  };
  if (failed(runOnRandomInputs(before, known, add)) ||
      failed(runOnRandomInputs(after, known, find)) || !first)
    return "";
  std::string place = formatLocation(first->getLoc());
  return first->getName().getStringRef().str() +
         (place.empty() ? "" : " at " + place);
}

llvm::Expected<std::shared_ptr<const ParameterContents>>
hamkaas::readContents(StringRef path) {
  auto file = std::make_shared<rt::SafetensorsFile>();
  if (rt::Error error = file->open(path.str().c_str()))
    return toError(std::move(error));
  auto contents = std::make_shared<ParameterContents>();
  for (size_t i = 0; i < file->size(); ++i) {
    const rt::SafetensorsTensor &tensor = (*file)[i];
    contents->add(tensor.name, ArrayRef(static_cast<const char *>(tensor.data),
                                        tensor.bytes));
  }
  contents->keep(file);
  return contents;
}

//===----------------------------------------------------------------------===//
// The check
//===----------------------------------------------------------------------===//

namespace {

class CheckEachPass : public PassInstrumentation {
public:
  CheckEachPass(std::shared_ptr<PassCheckResult> result, KnownTensors known)
      : result(std::move(result)), known(std::move(known)) {}

  void runBeforePass(Pass *pass, Operation *op) override {
    auto graph = dyn_cast<ModuleOp>(op);
    // A graph without work looks the same in the forms that follow.
    isOver |= pass->getArgument() == "hamkaas-form-groups";
    if (isOver || result->isError() || !graph || !isInterpretable(graph))
      return before.reset();
    takeSnapshot(graph);
  }

  void runAfterPass(Pass *pass, Operation *op) override {
    auto graph = dyn_cast<ModuleOp>(op);
    if (before && graph && isInterpretable(graph) &&
        before->fingerPrint != OperationFingerPrint(graph))
      check(*pass, graph);
  }

private:
  /// A graph, and what it computes.
  struct Snapshot {
    OperationFingerPrint fingerPrint;
    OwningOpRef<ModuleOp> graph;
    GraphResult result;
  };

  void takeSnapshot(ModuleOp graph);
  void check(Pass &pass, ModuleOp graph);
  void report(Pass &pass, ModuleOp graph, const Twine &problem,
              const Twine &node = "");
  llvm::Expected<GraphResult> run(ModuleOp graph) const;

  std::shared_ptr<PassCheckResult> result;
  KnownTensors known;
  std::optional<Snapshot> before;
  bool isOver = false; // the form is GRAPH no more
};

} // namespace

llvm::Expected<GraphResult> CheckEachPass::run(ModuleOp graph) const {
  DiagnosticText diagnostics(graph.getContext());
  auto values = runOnRandomInputs(graph, known);
  if (succeeded(values))
    return std::move(*values);
  return diagnostics.take();
}

void CheckEachPass::takeSnapshot(ModuleOp graph) {
  // As a rule it is what the pass before has left.
  OperationFingerPrint fingerPrint(graph);
  if (before && before->fingerPrint == fingerPrint)
    return;
  before.reset();
  auto values = run(graph);
  if (values) {
    before.emplace(fingerPrint, graph.clone(), std::move(*values));
    return;
  }
  result->isImpossible = true;
  graph.emitError("the passes cannot be checked: the graph fails on ")
      << (known.inputs ? "its inputs: "
                       : "random inputs, but perhaps not on those that "
                         "hamkaas-run is given: ")
      << llvm::toString(values.takeError());
}

void CheckEachPass::report(Pass &pass, ModuleOp graph, const Twine &problem,
                           const Twine &node) {
  // Its name on the command line.
  result->wrongPass = pass.getArgument().empty() ? pass.getName().str()
                                                 : pass.getArgument().str();
  InFlightDiagnostic error =
      graph.emitError("pass '")
      << result->wrongPass << "' changes what the graph computes: " << problem;
  if (!node.isTriviallyEmpty() && !node.str().empty())
    error << "; it shows first in " << node;
}

void CheckEachPass::check(Pass &pass, ModuleOp graph) {
  ++result->checkedPasses;
  auto after = run(graph);
  if (!after)
    return report(pass, graph,
                  "it fails with " + llvm::toString(after.takeError()));
  // A pass may drop a state that nothing needs, and keeps the order.
  for (const auto &[name, expected] : before->result.tensors) {
    auto found = llvm::find_if(
        after->tensors, [&](const auto &other) { return other.first == name; });
    if (found == after->tensors.end())
      return report(pass, graph, name + " is gone");
    const ReferenceTensor &actual = found->second;
    if (actual.type != expected.type)
      return report(pass, graph,
                    name + " was " + formatType(expected.type) + " and is " +
                        formatType(actual.type));
    Difference difference = compare(actual, expected);
    double tolerance = getElementType(expected.type).tolerance;
    if (!difference.isWithin(tolerance))
      return report(pass, graph,
                    name + ": " +
                        describeDifference(expected.type, difference,
                                           /*showTolerance=*/true),
                    findFirstNode(*before->graph, graph, known));
  }
  before.emplace(OperationFingerPrint(graph), graph.clone(), std::move(*after));
}

std::unique_ptr<PassInstrumentation>
hamkaas::createPassCheck(std::shared_ptr<PassCheckResult> result,
                         KnownTensors known) {
  return std::make_unique<CheckEachPass>(std::move(result), std::move(known));
}
