//===- ReversedLoop.cpp - The gradient of a loop ----------------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ReversedLoop.h"
#include "HamKaas/Dialect/HamKaas/IR/ContractionOps.h"
#include "HamKaas/Frontend/Builder/Addition.h"
#include "ReverseSweep.h"
#include "mlir/IR/IRMapping.h"

using namespace mlir;
using namespace hamkaas;
using namespace hamkaas::gradient;

namespace {

/// The loop over the same rows in the other direction. It computes each step
/// again from the iter args before it, carries their gradients, adds up those
/// of the values that all steps read, and outputs those of rows.
///
/// The gradient of a weight is no sum of a product in each step, which would
/// read and write the weight's size each time, but one product behind the loop,
/// of what all steps multiply it with and of the gradients of their products.
class ReversedLoop {
public:
  ReversedLoop(ScanOp scan, GraphBuilder &b, ArrayRef<Tensor> given,
               const llvm::BitVector &wanted)
      : scan(scan), b(b), given(given), wanted(wanted),
        carriedCount(scan.getInits().size()),
        inputCount(scan.getInputs().size()) {}

  Tensors build();

private:
  /// A product with a weight, and the numbers of the rows of the other factor
  /// and of the gradient, which is none for zeros.
  struct Product {
    unsigned weight;
    MatMulOp op;
    unsigned factor = 0;
    std::optional<unsigned> gradient = {};
  };

  void findReached();
  void choose();
  void chooseValue(unsigned number);
  graph::LoopInputs makeInputs();
  Tensors buildStep(ArrayRef<Tensor> carried, ArrayRef<Tensor> rows);
  SmallVector<Operation *> computeStep(ArrayRef<Tensor> rows);
  void addSeeds(ReverseSweep &sweep, ArrayRef<Tensor> carried,
                ArrayRef<Tensor> rows);
  Tensors collect(ReverseSweep &sweep, ArrayRef<Tensor> carried,
                  ArrayRef<Tensor> rows);
  unsigned addRow(Tensors &results, ArrayRef<Tensor> rows, Value row);
  Tensor multiply(const Product &product, ArrayRef<Tensor> stacks);

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
  /// The numbers of the iter args, of the rows, and of the values with a sum,
  /// that get a gradient.
  SmallVector<unsigned> carries, inputs, sums;
  SmallVector<Product> products;
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

/// The products with a value on the right; none if the body uses it in another
/// way, too.
static SmallVector<MatMulOp> findProducts(ScanOp scan, Value value) {
  SmallVector<MatMulOp> products;
  for (BlockArgument argument : scan.getValueArguments())
    if (scan.getTiedOperand(argument) == value)
      for (OpOperand &use : argument.getUses()) {
        auto product = dyn_cast<MatMulOp>(use.getOwner());
        if (!product || use.getOperandNumber() != 1 ||
            product.getRhs().getType().getRank() != 2)
          return {};
        products.push_back(product);
      }
  return products;
}

void ReversedLoop::chooseValue(unsigned number) {
  SmallVector<MatMulOp> found;
  if (scan.getSteps() > 1)
    found = findProducts(scan, scan.getOperand(number));
  if (found.empty())
    sums.push_back(number);
  for (MatMulOp op : found)
    products.push_back({number, op});
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
    if (isValue)
      chooseValue(i);
    else
      inputs.push_back(i);
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

Tensors ReversedLoop::collect(ReverseSweep &sweep, ArrayRef<Tensor> carried,
                              ArrayRef<Tensor> rows) {
  auto get = [&](unsigned number) {
    return sweep.get(mapping.lookup(argument(number)));
  };
  Tensors results;
  for (unsigned k : carries)
    results.push_back(orZeros(get(k), argument(k)));
  for (auto [number, sum] :
       llvm::zip_equal(sums, carried.drop_front(carries.size()))) {
    Tensor gradient = get(number);
    results.push_back(gradient ? b.add(sum, gradient) : sum);
  }
  for (unsigned number : inputs)
    results.push_back(orZeros(get(number), argument(number)));
  for (Product &product : products) {
    Tensor gradient = sweep.get(mapping.lookup(product.op.getResult()));
    if (!gradient)
      continue;
    product.gradient = addRow(results, rows, b.materialize(gradient));
    product.factor = addRow(results, rows, mapping.lookup(product.op.getLhs()));
  }
  return results;
}

/// Adds `row` to the results, unless it is one, or a row of an input. Returns
/// its number among the inputs of the loop and its results behind them.
unsigned ReversedLoop::addRow(Tensors &results, ArrayRef<Tensor> rows,
                              Value row) {
  auto isRow = [&](const Tensor &known) { return known.value() == row; };
  if (auto known = llvm::find_if(rows, isRow); known != rows.end())
    return known - rows.begin();
  // An iter arg or a sum may be the same value, but has no rows.
  auto first = results.begin() + carries.size() + sums.size();
  auto known = std::find_if(first, results.end(), isRow);
  unsigned number = rows.size() + (known - results.begin());
  if (known == results.end())
    results.push_back(Tensor(row));
  return number;
}

Tensors ReversedLoop::buildStep(ArrayRef<Tensor> carried,
                                ArrayRef<Tensor> rows) {
  OpBuilder place = b.getPlace();
  graph::Addition addition(place);
  SmallVector<Operation *> operations = computeStep(rows);
  SmallVector<Value> xs;
  for (unsigned number : llvm::concat<unsigned>(carries, inputs, sums))
    xs.push_back(mapping.lookup(argument(number)));
  for (Product &product : products)
    xs.push_back(mapping.lookup(product.op.getResult()));
  ReverseSweep sweep(b, operations, xs);
  addSeeds(sweep, carried, rows);
  if (failed(sweep.run()))
    return {};
  Tensors results = collect(sweep, carried, rows);
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

/// The sum over all steps and rows of the outer products of both.
Tensor ReversedLoop::multiply(const Product &product, ArrayRef<Tensor> stacks) {
  auto getMatrix = [&](unsigned number) {
    const Tensor &stack = stacks[number];
    int64_t columns = stack.shape().back();
    return b.reshape(stack, {stack.count() / columns, columns});
  };
  return b.matmul(b.permute(getMatrix(product.factor), {1, 0}),
                  getMatrix(*product.gradient));
}

graph::LoopInputs ReversedLoop::makeInputs() {
  graph::LoopInputs loop{int64_t(scan.getSteps()), !scan.getReversed()};
  for (unsigned k : carries)
    loop.inits.push_back(orZeros(given[k], scan.getResult(k)));
  for (unsigned number : sums)
    loop.inits.push_back(makeZeros(b, Tensor(scan.getOperand(number))));
  for (unsigned k = 0; k < carriedCount; ++k)
    loop.inputs.push_back(Tensor(scan.getResult(*findKept(scan, k))));
  for (Value input : scan.getInputs())
    loop.inputs.push_back(Tensor(input));
  for (unsigned i : outputs)
    loop.inputs.push_back(given[i]);
  return loop;
}

Tensors ReversedLoop::build() {
  findReached();
  choose();
  if (carries.empty() && inputs.empty() && sums.empty() && products.empty())
    return {};
  graph::LoopInputs loop = makeInputs();
  Tensors built =
      b.scan(loop, [&](ArrayRef<Tensor> carried, ArrayRef<Tensor> rows) {
        return buildStep(carried, rows);
      });
  Tensors results(scan.getNumOperands());
  if (b.hasFailed())
    return results;
  for (auto [number, gradient] :
       llvm::zip(llvm::concat<unsigned>(carries, sums, inputs), built))
    results[number] = gradient;
  Tensors stacks = loop.inputs;
  llvm::append_range(stacks, built);
  for (const Product &product : products)
    if (product.gradient) {
      Tensor &sum = results[product.weight];
      Tensor gradient = multiply(product, stacks);
      sum = sum ? b.add(sum, gradient) : gradient;
    }
  return results;
}

Tensors gradient::buildReversedLoop(ScanOp scan, GraphBuilder &b,
                                    ArrayRef<Tensor> gradients,
                                    const llvm::BitVector &wanted) {
  return ReversedLoop(scan, b, gradients, wanted).build();
}
