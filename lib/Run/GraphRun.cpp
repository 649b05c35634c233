//===- GraphRun.cpp - A graph interpreted on random inputs ------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "GraphRun.h"
#include "HamKaas/Dialect/HamKaas/IR/ConstantOps.h"
#include "HamKaas/Dialect/HamKaas/IR/GraphRules.h"
#include "HamKaas/Dialect/HamKaas/IR/ProgramSymbols.h"
#include "HamKaas/Dialect/HamKaas/IR/RegionOps.h"
#include "HamKaas/Program/ElementTypes.h"
#include "HamKaas/Run/Tensors.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/MLProgram/IR/MLProgram.h"
#include <cmath>
#include <cstring>

using namespace mlir;
using namespace hamkaas;

static bool isInterpretable(Operation &op) {
  if (isa<ml_program::GlobalLoadConstOp, ml_program::GlobalLoadOp,
          ml_program::GlobalStoreOp, arith::ConstantOp, ConstantOp,
          func::ReturnOp, ReferenceSemanticsOpInterface>(op))
    return true;
  auto scan = dyn_cast<ScanOp>(op);
  return scan &&
         llvm::all_of(scan.getBody().front().without_terminator(),
                      [](Operation &inner) { return isInterpretable(inner); });
}

bool hamkaas::isInterpretable(ModuleOp graph) {
  auto functions = graph.getOps<func::FuncOp>();
  return !functions.empty() &&
         llvm::all_of(functions, [](func::FuncOp function) {
           return function.getBody().hasOneBlock() &&
                  llvm::all_of(function.getBody().front(), [](Operation &op) {
                    return ::isInterpretable(op);
                  });
         });
}

static FailureOr<ReferenceTensor> makeRandom(Location loc, Type type,
                                             StringRef name) {
  if (failed(verifyTensorType(loc, type)))
    return failure();
  auto tensorType = cast<RankedTensorType>(type);
  if (!Tensor::canAllocate(tensorType) ||
      !ReferenceTensor::canAllocate(tensorType))
    return emitError(loc, "cannot allocate ")
           << ReferenceTensor::getBytes(tensorType) << " bytes for '" << name
           << "'";
  return decode(makeRandomTensor(tensorType, name));
}

/// A tensor of that name: what is known of it, or a random one.
static FailureOr<ReferenceTensor> makeTensor(Location loc, Type type,
                                             StringRef name,
                                             const ParameterContents *known,
                                             bool &isKnown) {
  auto tensor = makeRandom(loc, type, name);
  ArrayRef<char> bytes = known ? known->lookup(name) : ArrayRef<char>();
  // A mismatch is reported elsewhere.
  isKnown = succeeded(tensor) && !bytes.empty() &&
            bytes.size() == Tensor::getBytes(tensor->type);
  if (!isKnown)
    return tensor;
  // The bytes may lie anywhere.
  Tensor aligned(tensor->type);
  std::memcpy(aligned.data(), bytes.data(), bytes.size());
  return decode(aligned);
}

/// Makes a sum over about the root of the elements as large as one of them.
static void scaleWeights(ReferenceTensor &tensor) {
  if (tensor.type.getRank() < 2)
    return;
  double factor =
      std::sqrt(3) * std::pow(double(tensor.type.getNumElements()), -0.25);
  for (float &element : tensor.f32)
    element = float(element * factor);
  for (double &element : tensor.f64)
    element *= factor;
  roundToType(tensor);
}

static FailureOr<ReferenceTensor>
makeParameter(ml_program::GlobalOp global, const ParameterContents *contents) {
  bool isKnown = false;
  auto tensor = makeTensor(global.getLoc(), global.getType(),
                           getGlobalName(global), contents, isKnown);
  if (succeeded(tensor) && !isKnown)
    scaleWeights(*tensor);
  return tensor;
}

static FailureOr<Interpreter> createInterpreter(ModuleOp graph,
                                                const ParameterContents *own,
                                                StringRef function) {
  llvm::StringMap<ReferenceTensor> parameters;
  for (auto global : graph.getOps<ml_program::GlobalOp>()) {
    if (!isa_and_nonnull<ml_program::ExternAttr>(
            global.getValue().value_or(nullptr)))
      continue;
    auto tensor = makeParameter(global, own);
    if (failed(tensor))
      return failure();
    parameters.try_emplace(getGlobalName(global), std::move(*tensor));
  }
  auto interpreter =
      Interpreter::create(graph, std::move(parameters), function);
  if (failed(interpreter))
    return failure();
  for (auto global : graph.getOps<ml_program::GlobalOp>()) {
    if (!global.getIsMutable())
      continue;
    auto tensor =
        makeRandom(global.getLoc(), global.getType(), getGlobalName(global));
    if (failed(tensor))
      return failure();
    interpreter->setGlobal(global.getSymName(), std::move(*tensor));
  }
  return interpreter;
}

/// The name of an argument or result, or its number.
static std::string nameOr(StringAttr name, size_t number) {
  return name ? name.getValue().str() : std::to_string(number);
}

/// Appends the results of one entry function to `result`; `suffix` names it.
static LogicalResult runFunction(func::FuncOp main, const KnownTensors &known,
                                 Interpreter::Observer observer,
                                 const std::string &suffix,
                                 GraphResult &result) {
  auto graph = main->getParentOfType<ModuleOp>();
  auto interpreter =
      createInterpreter(graph, known.parameters.get(), main.getSymName());
  if (failed(interpreter))
    return failure();
  SmallVector<ReferenceTensor> inputs, outputs;
  StringRef attribute = HamKaasDialect::nameAttrName;
  for (auto [i, type] : llvm::enumerate(main.getArgumentTypes())) {
    auto name = main.getArgAttrOfType<StringAttr>(i, attribute);
    bool isKnown = false;
    auto tensor = makeTensor(main.getLoc(), type, nameOr(name, i),
                             known.inputs.get(), isKnown);
    if (failed(tensor))
      return failure();
    inputs.push_back(std::move(*tensor));
  }
  if (failed(interpreter->run(inputs, outputs, observer)))
    return failure();
  for (auto [i, output] : llvm::enumerate(outputs))
    result.tensors.emplace_back(
        "output '" +
            nameOr(main.getResultAttrOfType<StringAttr>(i, attribute), i) +
            "'" + suffix,
        std::move(output));
  for (auto global : graph.getOps<ml_program::GlobalOp>())
    if (global.getIsMutable())
      result.tensors.emplace_back(
          ("state '" + getGlobalName(global) + "'" + suffix).str(),
          interpreter->getGlobal(global.getSymName()));
  return success();
}

FailureOr<GraphResult>
hamkaas::runOnRandomInputs(ModuleOp graph, const KnownTensors &known,
                           Interpreter::Observer observer) {
  GraphResult result;
  auto functions = graph.getOps<func::FuncOp>();
  bool isOnly = llvm::hasSingleElement(functions);
  for (func::FuncOp function : functions)
    if (failed(runFunction(
            function, known, observer,
            isOnly ? "" : (" of @" + function.getSymName()).str(), result)))
      return failure();
  return result;
}
