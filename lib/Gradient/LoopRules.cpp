//===- LoopRules.cpp - Gradients of loops -----------------------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HamKaas/Dialect/HamKaas/IR/RegionOps.h"
#include "HamKaas/Frontend/Builder/Addition.h"
#include "HamKaas/Frontend/Builder/UserOperation.h"
#include "ReverseSweep.h"
#include "Rules.h"
#include "mlir/IR/IRMapping.h"

using namespace mlir;
using namespace hamkaas;
using namespace hamkaas::gradient;

static YieldOp getYield(ScanOp scan) {
  return cast<YieldOp>(scan.getBody().front().getTerminator());
}

//===----------------------------------------------------------------------===//
// Dependences
//===----------------------------------------------------------------------===//

/// The arguments of the body that each yielded value depends on in one step.
static Dependences findStepDependences(ScanOp scan) {
  Block &body = scan.getBody().front();
  llvm::BitVector none(body.getNumArguments());
  llvm::DenseMap<Value, llvm::BitVector> sources;
  for (BlockArgument argument : body.getArguments())
    if (isOfFloats(argument))
      sources.try_emplace(argument, none)
          .first->second.set(argument.getArgNumber());
  for (Operation &op : body.without_terminator())
    for (auto [result, operands] :
         llvm::zip_equal(op.getResults(), findDependences(&op))) {
      llvm::BitVector all = none;
      for (unsigned operand : operands.set_bits())
        if (auto known = sources.find(op.getOperand(operand));
            known != sources.end())
          all |= known->second;
      if (all.any())
        sources[result] = all;
    }
  Dependences found;
  for (Value value : getYield(scan).getValues()) {
    auto known = sources.find(value);
    found.push_back(known == sources.end() ? none : known->second);
  }
  return found;
}

/// An iter arg depends on all that its value in an earlier step does.
static Dependences findLoopDependences(ScanOp scan) {
  Dependences found = findStepDependences(scan);
  size_t carried = scan.getInits().size();
  for (bool hasChanged = true; hasChanged;) {
    hasChanged = false;
    for (llvm::BitVector &arguments : found)
      for (size_t k = 0; k < carried; ++k)
        if (arguments.test(k) && found[k].test(arguments)) {
          arguments |= found[k];
          hasChanged = true;
        }
  }
  return found;
}

//===----------------------------------------------------------------------===//
// Kept results
//===----------------------------------------------------------------------===//

/// The output that has the iter arg `k` as it is before each step.
static std::optional<unsigned> findKept(ScanOp scan, unsigned k) {
  OperandRange values = getYield(scan).getValues();
  for (unsigned i = scan.getInits().size(); i < values.size(); ++i)
    if (values[i] == scan.getBody().getArgument(k))
      return i;
  return std::nullopt;
}

/// The loop with a further output for each iter arg that has none.
static ScanOp addKeptOutputs(ScanOp scan, GraphBuilder &b) {
  SmallVector<Type> types(scan.getResultTypes());
  SmallVector<Value> added;
  for (unsigned k = 0; k < scan.getInits().size(); ++k) {
    if (findKept(scan, k))
      continue;
    BlockArgument argument = scan.getBody().getArgument(k);
    auto type = cast<RankedTensorType>(argument.getType());
    Shape shape{int64_t(scan.getSteps())};
    llvm::append_range(shape, type.getShape());
    auto stacked = graph::makeType(shape, type.getElementType(), "");
    if (!stacked) {
      b.fail("iter arg " + Twine(k) +
             " of all steps: " + toString(stacked.takeError()));
      return {};
    }
    types.push_back(*stacked);
    added.push_back(argument);
  }
  if (added.empty())
    return {};
  OpBuilder place(scan);
  auto fuller = ScanOp::create(place, scan.getLoc(), types, scan.getSteps(),
                               scan.getReversed(), scan.getInits(),
                               scan.getInputs(), scan.getValues());
  IRMapping mapping;
  scan.getBody().cloneInto(&fuller.getBody(), mapping);
  for (Value argument : added)
    getYield(fuller).getValuesMutable().append(mapping.lookup(argument));
  return fuller;
}

//===----------------------------------------------------------------------===//
// The reversed loop
//===----------------------------------------------------------------------===//

namespace {

/// The loop over the same rows in the other direction. It computes each step
/// again from the iter args before it, carries their gradients, adds up those
/// of the values that all steps read, and outputs those of rows.
class ReversedLoop {
public:
  ReversedLoop(ScanOp scan, GraphBuilder &b, ArrayRef<Tensor> given,
               const llvm::BitVector &wanted)
      : scan(scan), b(b), given(given), wanted(wanted),
        carriedCount(scan.getInits().size()),
        inputCount(scan.getInputs().size()) {}

  Tensors build();

private:
  void findReached();
  void choose();
  Tensors buildStep(ArrayRef<Tensor> carried, ArrayRef<Tensor> rows);
  SmallVector<Operation *> computeStep(ArrayRef<Tensor> rows);
  void addSeeds(ReverseSweep &sweep, ArrayRef<Tensor> carried,
                ArrayRef<Tensor> rows);
  Tensors collect(ReverseSweep &sweep, ArrayRef<Tensor> carried);

  /// The argument of the body, which has the number of an operand.
  BlockArgument argument(unsigned number) {
    return scan.getBody().getArgument(number);
  }
  Tensor orZeros(const Tensor &gradient, Value type) {
    return gradient ? gradient : makeZeros(b, Tensor(type));
  }

  ScanOp scan;
  GraphBuilder &b;
  ArrayRef<Tensor> given;
  const llvm::BitVector &wanted;
  unsigned carriedCount, inputCount;
  /// The arguments that some result with a gradient depends on.
  llvm::BitVector reached;
  /// The numbers of the iter args, rows and values that get a gradient.
  SmallVector<unsigned> carries, inputs, values;
  /// The outputs that have one.
  SmallVector<unsigned> outputs;
  /// From the body to the reversed one.
  IRMapping mapping;
};

} // namespace

void ReversedLoop::findReached() {
  reached.resize(scan.getNumOperands());
  for (auto [gradient, arguments] : llvm::zip(given, findLoopDependences(scan)))
    if (gradient)
      reached |= arguments;
}

/// Iter args that depend on nothing wanted need no gradient.
void ReversedLoop::choose() {
  Dependences dependences = findLoopDependences(scan);
  for (unsigned k = 0; k < carriedCount; ++k) {
    bool isActive = wanted.test(k) || dependences[k].anyCommon(wanted);
    if (isActive && (given[k] || reached.test(k)))
      carries.push_back(k);
  }
  llvm::SmallDenseSet<Value> seen;
  for (unsigned i = carriedCount; i < scan.getNumOperands(); ++i) {
    bool isValue = i >= carriedCount + inputCount;
    // A value that is there twice is one value of the reversed body.
    if (!wanted.test(i) || !reached.test(i) ||
        (isValue && !seen.insert(scan.getOperand(i)).second))
      continue;
    (isValue ? values : inputs).push_back(i);
  }
  for (unsigned i = carriedCount; i < given.size(); ++i)
    if (given[i])
      outputs.push_back(i);
}

/// Clones the body for the iter args before the step, which are the first rows.
SmallVector<Operation *> ReversedLoop::computeStep(ArrayRef<Tensor> rows) {
  unsigned rowCount = carriedCount + inputCount;
  for (unsigned i = 0; i < rowCount; ++i)
    mapping.map(argument(i), b.materialize(rows[i]));
  for (unsigned i = rowCount; i < scan.getNumOperands(); ++i)
    mapping.map(argument(i), scan.getOperand(i));
  OpBuilder place = b.getPlace();
  SmallVector<Operation *> operations;
  for (Operation &op : scan.getBody().front().without_terminator())
    operations.push_back(place.clone(op, mapping));
  return operations;
}

void ReversedLoop::addSeeds(ReverseSweep &sweep, ArrayRef<Tensor> carried,
                            ArrayRef<Tensor> rows) {
  OperandRange yielded = getYield(scan).getValues();
  for (auto [k, gradient] : llvm::zip(carries, carried))
    sweep.add(mapping.lookup(yielded[k]), gradient);
  for (auto [i, gradient] :
       llvm::zip_equal(outputs, rows.drop_front(carriedCount + inputCount)))
    sweep.add(mapping.lookup(yielded[i]), gradient);
}

Tensors ReversedLoop::collect(ReverseSweep &sweep, ArrayRef<Tensor> carried) {
  auto get = [&](unsigned number) {
    return sweep.get(mapping.lookup(argument(number)));
  };
  Tensors results;
  for (unsigned k : carries)
    results.push_back(orZeros(get(k), argument(k)));
  for (auto [number, sum] :
       llvm::zip_equal(values, carried.drop_front(carries.size()))) {
    Tensor gradient = get(number);
    results.push_back(gradient ? b.add(sum, gradient) : sum);
  }
  for (unsigned number : inputs)
    results.push_back(orZeros(get(number), argument(number)));
  return results;
}

Tensors ReversedLoop::buildStep(ArrayRef<Tensor> carried,
                                ArrayRef<Tensor> rows) {
  OpBuilder place = b.getPlace();
  graph::Addition addition(place);
  SmallVector<Operation *> operations = computeStep(rows);
  SmallVector<Value> xs;
  for (unsigned number : llvm::concat<unsigned>(carries, inputs, values))
    xs.push_back(mapping.lookup(argument(number)));
  ReverseSweep sweep(b, operations, xs);
  addSeeds(sweep, carried, rows);
  if (failed(sweep.run()))
    return {};
  Tensors results = collect(sweep, carried);
  sweep.replaceOperations();
  SmallVector<Value> kept;
  for (Tensor &result : results) {
    kept.push_back(sweep.getReplacement(b.materialize(result)));
    result = Tensor(kept.back());
  }
  // A single step is no body: constants of what is around it are there, too.
  if (scan.getSteps() > 1)
    addition.eraseUnused(kept);
  return results;
}

Tensors ReversedLoop::build() {
  findReached();
  choose();
  if (carries.empty() && inputs.empty() && values.empty())
    return {};
  graph::LoopInputs loop{int64_t(scan.getSteps()), !scan.getReversed()};
  for (unsigned k : carries)
    loop.inits.push_back(orZeros(given[k], scan.getResult(k)));
  for (unsigned number : values)
    loop.inits.push_back(makeZeros(b, Tensor(scan.getOperand(number))));
  for (unsigned k = 0; k < carriedCount; ++k)
    loop.inputs.push_back(Tensor(scan.getResult(*findKept(scan, k))));
  for (Value input : scan.getInputs())
    loop.inputs.push_back(Tensor(input));
  for (unsigned i : outputs)
    loop.inputs.push_back(given[i]);
  Tensors built =
      b.scan(loop, [&](ArrayRef<Tensor> carried, ArrayRef<Tensor> rows) {
        return buildStep(carried, rows);
      });
  Tensors results(scan.getNumOperands());
  if (b.hasFailed())
    return results;
  for (auto [number, gradient] :
       llvm::zip_equal(llvm::concat<unsigned>(carries, values, inputs), built))
    results[number] = gradient;
  return results;
}

//===----------------------------------------------------------------------===//
// The rule
//===----------------------------------------------------------------------===//

namespace {

struct ScanRule : GradientOpInterface::ExternalModel<ScanRule, ScanOp> {
  StringRef getMissingGradientReason(Operation *) const { return {}; }

  Tensors buildGradients(Operation *op, GraphBuilder &b,
                         ArrayRef<Tensor> gradients,
                         const llvm::BitVector &wanted) const {
    return ReversedLoop(cast<ScanOp>(op), b, gradients, wanted).build();
  }

  Dependences findDependences(Operation *op) const {
    return findLoopDependences(cast<ScanOp>(op));
  }

  Operation *addKeptResults(Operation *op, GraphBuilder &b) const {
    return addKeptOutputs(cast<ScanOp>(op), b);
  }
};

} // namespace

void gradient::attachLoopRules(MLIRContext &context) {
  ScanOp::attachInterface<ScanRule>(context);
}
