//===- EmitGroups.cpp - Convolutions of few channels a group ----*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// As a contraction, a group of four channels would use four lanes of a vector.
// Here lanes are the channels of several groups, of the operand as of the
// result: a vector of the operand is loaded once, and for each channel of a
// group a permutation gives it to all lanes of its group. Neighbouring windows
// share these.
//
//===----------------------------------------------------------------------===//

#include "HamKaas/CodeGen/Kernel/Emitters.h"
#include "HamKaas/CodeGen/Kernel/Reduction.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace hamkaas;

/// Windows to compute at once: enough to hide the latency of a multiply-add.
static constexpr int64_t maxWindows = 8;

namespace {

class GroupEmitter {
public:
  GroupEmitter(KernelBuilder &kernel, const Reduction &reduction, Value result)
      : kernel(kernel), reduction(reduction), steps(kernel, reduction),
        root(reduction.op), result(result), extents(root.getStaticLoopRanges()),
        maps(root.getIndexingMapsArray()) {}

  bool match();
  Tile emit();

private:
  bool matchChannels();
  bool matchPositions();

  void emitUnit(Value unit);
  void emitWindows(Value first, int64_t windows);
  SmallVector<Value> reduce(ValueRange sums, ArrayRef<int64_t> loops,
                            function_ref<SmallVector<Value>(ValueRange)> body);
  SmallVector<Value> addRow(Value first, int64_t windows, ValueRange carried);
  Value spreadChannel(Value vector, int64_t channel);
  void finish(Value first, ValueRange sums);
  Point getPoint(AffineMap map);

  KernelBuilder &kernel;
  const Reduction &reduction;
  ReductionSteps steps;
  linalg::LinalgOp root;
  Value result;
  SmallVector<int64_t> extents;
  SmallVector<AffineMap> maps;

  /// The loops over groups, over the channels of one in the result and in the
  /// operand, over neighbouring windows, and over the elements of a row of a
  /// window; -1 for a row of one element.
  int64_t groupLoop = -1, resultLoop = -1, operandLoop = -1;
  int64_t windowLoop = -1, tapLoop = -1;
  int64_t stride = 1, dilation = 1, taps = 1;
  /// The other loops: parallel ones, and those that are reduced.
  SmallVector<int64_t> outer, reduced;
  int64_t lanes = 1, vectors = 1, size = 1;

  /// State of the emission: an index per loop, and the active lanes.
  Point at;
  int64_t active = 0;
};

} // namespace

//===----------------------------------------------------------------------===//
// Matching
//===----------------------------------------------------------------------===//

/// The loops of which the last result of `map` is the first times their number
/// of channels plus the second.
static std::optional<std::pair<int64_t, int64_t>>
matchChannelLoops(AffineMap map, ArrayRef<int64_t> extents) {
  if (map.getNumResults() == 0 || !isLinear(map))
    return std::nullopt;
  SmallVector<int64_t> factors = getFactors(map, map.getNumResults() - 1);
  int64_t group = -1, channel = -1;
  for (auto [loop, factor] : llvm::enumerate(ArrayRef(factors).drop_back())) {
    if (factor == 0)
      continue;
    int64_t &found = factor == 1 ? channel : group;
    if (found >= 0)
      return std::nullopt;
    found = loop;
  }
  if (group < 0 || channel < 0 || factors.back() != 0 ||
      factors[group] != extents[channel])
    return std::nullopt;
  return std::make_pair(group, channel);
}

bool GroupEmitter::matchChannels() {
  auto written = matchChannelLoops(maps.back(), extents);
  auto read = matchChannelLoops(maps[0], extents);
  if (!written || !read || matchChannelLoops(maps[1], extents) != written ||
      read->first != written->first)
    return false;
  std::tie(groupLoop, resultLoop) = *written;
  operandLoop = read->second;
  int64_t channels = extents[resultLoop];
  lanes = chooseLanes(kernel.target(), extents[groupLoop] * channels);
  return channels == extents[operandLoop] && channels < lanes &&
         llvm::isPowerOf2_64(channels) && operandLoop == reduction.loops.back();
}

/// Finds the neighbouring windows, along the dimension before the channels, and
/// the other loops.
bool GroupEmitter::matchPositions() {
  int64_t dim = int64_t(maps.back().getNumResults()) - 2;
  if (dim < 0 || int64_t(maps[0].getNumResults()) != dim + 2)
    return false;
  auto loop = dyn_cast<AffineDimExpr>(maps.back().getResult(dim));
  if (!loop)
    return false;
  windowLoop = loop.getPosition();
  SmallVector<int64_t> factors = getFactors(maps[0], dim);
  if (factors.back() != 0)
    return false;
  for (auto [position, factor] :
       llvm::enumerate(ArrayRef(factors).drop_back())) {
    if (int64_t(position) == windowLoop) {
      stride = factor;
    } else if (factor != 0) {
      if (tapLoop >= 0 || !llvm::is_contained(reduction.loops, position))
        return false;
      tapLoop = position;
      dilation = factor;
      taps = extents[position];
    }
  }
  for (int64_t loop = 0, e = extents.size(); loop < e; ++loop)
    if (!llvm::is_contained(
            {groupLoop, resultLoop, operandLoop, windowLoop, tapLoop}, loop))
      (llvm::is_contained(reduction.loops, loop) ? reduced : outer)
          .push_back(loop);
  // A sum has the order of the loops.
  return stride > 0 && dilation > 0 &&
         (reduced.empty() || tapLoop < 0 || reduced.back() < tapLoop);
}

bool GroupEmitter::match() {
  return kernel.costs().hasOwnCache() && kernel.target().permutes &&
         root.getNumDpsInputs() >= 2 &&
         isa<BlockArgument>(root.getDpsInputOperand(1)->get()) &&
         isa<arith::AddFOp>(reduction.combiner) &&
         reduction.neutral.getType().isF32() && matchChannels() &&
         matchPositions();
}

//===----------------------------------------------------------------------===//
// Loops
//===----------------------------------------------------------------------===//

Tile GroupEmitter::emit() {
  at.assign(extents.size(), {kernel.constant(0)});
  vectors = llvm::divideCeil(extents[groupLoop] * extents[resultLoop], lanes);
  int64_t windows = extents[windowLoop];
  size = llvm::divideCeil(windows, llvm::divideCeil(windows, maxWindows));
  int64_t units = vectors, work = windows * lanes;
  for (int64_t loop : outer)
    units *= extents[loop];
  for (int64_t loop : reduction.loops)
    work *= extents[loop];
  int64_t tileUnits = kernel.costs().tileUnits(
      kernel.costs().tileWindowContributions() / work, units);
  forEachUnit(kernel, units, tileUnits, [&](Value unit) { emitUnit(unit); });
  return {size, lanes};
}

/// One row of the result for a vector of channels. The next unit is the next
/// row of the same channels, whose windows overlap these.
void GroupEmitter::emitUnit(Value unit) {
  SmallVector<int64_t> shape;
  for (int64_t loop : outer)
    shape.push_back(extents[loop]);
  shape.insert(shape.empty() ? shape.end() : std::prev(shape.end()), vectors);
  SmallVector<Value> indices = kernel.delinearize(unit, shape);
  auto *vector = outer.empty() ? indices.begin() : std::prev(indices.end(), 2);
  Value channel = kernel.multiply(*vector, lanes);
  indices.erase(vector);
  for (auto [loop, index] : llvm::zip_equal(outer, indices))
    at[loop] = {index};
  // The index runs on over the end of a group.
  at[resultLoop] = {channel, /*step=*/1};

  int64_t windows = extents[windowLoop];
  int64_t whole = windows / size * size;
  auto emit = [&](int64_t lanesHere) {
    active = lanesHere;
    kernel.writingLoop(kernel.constant(0), kernel.constant(whole), size,
                       [&](Value first) { emitWindows(first, size); });
    if (whole < windows)
      emitWindows(kernel.constant(whole), windows - whole);
  };
  int64_t rest = extents[groupLoop] * extents[resultLoop] % lanes;
  if (!rest)
    return emit(lanes);
  kernel.writingBranch(
      kernel.isLess(channel, (vectors - 1) * lanes), [&] { emit(lanes); },
      [&] { emit(rest); });
}

void GroupEmitter::emitWindows(Value first, int64_t windows) {
  SmallVector<Value> sums(windows, steps.neutral(lanes));
  sums = reduce(sums, reduced, [&](ValueRange carried) {
    return addRow(first, windows, carried);
  });
  finish(first, sums);
}

SmallVector<Value>
GroupEmitter::reduce(ValueRange sums, ArrayRef<int64_t> loops,
                     function_ref<SmallVector<Value>(ValueRange)> body) {
  if (loops.empty())
    return body(sums);
  return kernel.loop(kernel.constant(0), kernel.constant(extents[loops[0]]), 1,
                     sums, /*writes=*/false,
                     [&](Value index, ValueRange carried) {
                       at[loops[0]] = {index};
                       return reduce(carried, loops.drop_front(), body);
                     });
}

/// Adds the elements of one row of each window, in order.
SmallVector<Value> GroupEmitter::addRow(Value first, int64_t windows,
                                        ValueRange carried) {
  SmallVector<Value> sums(carried);
  Value operand = root.getDpsInputOperand(0)->get(), element;
  TreeEmitter tree(kernel, lanes, active, [&](Value tensor, PointRef) {
    return tensor == operand ? element : Value();
  });
  int64_t covered = (windows - 1) * stride + (taps - 1) * dilation;
  for (int64_t offset = 0; offset <= covered; ++offset) {
    Value vector;
    for (int64_t channel = 0; channel < extents[operandLoop]; ++channel) {
      element = Value();
      for (int64_t window = 0; window < windows; ++window) {
        int64_t distance = offset - window * stride;
        if (distance < 0 || distance % dilation || distance / dilation >= taps)
          continue;
        at[windowLoop] = {kernel.add(first, window)};
        if (tapLoop >= 0)
          at[tapLoop] = {kernel.constant(distance / dilation)};
        if (!vector)
          vector = TreeEmitter(kernel, lanes, active)
                       .evaluateVector(operand, getPoint(maps[0]));
        if (!element)
          element = spreadChannel(vector, channel);
        at[operandLoop] = {kernel.constant(channel)};
        sums[window] = steps.accumulate(tree, at, sums[window], lanes);
        at[operandLoop] = {kernel.constant(0)};
      }
    }
  }
  return sums;
}

/// The point that `map` reads, from the first lane's channel on.
Point GroupEmitter::getPoint(AffineMap map) {
  Point point = applyLinear(kernel, map, at);
  point.back() = at[resultLoop];
  return point;
}

/// Channel `channel` of each group in all lanes of the group.
Value GroupEmitter::spreadChannel(Value vector, int64_t channel) {
  int64_t channels = extents[operandLoop];
  SmallVector<int64_t> picked;
  for (int64_t lane = 0; lane < lanes; ++lane)
    picked.push_back(lane / channels * channels + channel);
  return vector::ShuffleOp::create(kernel.ir(), kernel.loc(), vector, vector,
                                   picked);
}

void GroupEmitter::finish(Value first, ValueRange sums) {
  Value sum;
  TreeEmitter tree(kernel, lanes, active, [&](Value tensor, PointRef) {
    return tensor == root->getResult(0) ? sum : Value();
  });
  kernel.deferEpilogue([&] {
    for (auto [window, carried] : llvm::enumerate(sums)) {
      at[windowLoop] = {kernel.add(first, window)};
      Point point = getPoint(maps.back());
      sum = steps.finish(tree.evaluate(root.getDpsInits().front(), point),
                         carried);
      tree.setWritten(point);
      SmallVector<Value> indices;
      for (const Coordinate &coordinate : point)
        indices.push_back(coordinate.index);
      kernel.store(tree.evaluateVector(result, point), indices, active);
    }
  });
}

FailureOr<std::optional<Tile>> hamkaas::emitGroups(KernelBuilder &kernel,
                                                   linalg::LinalgOp root,
                                                   Value result) {
  const Knobs &knobs = kernel.costs().knobs;
  if (!kernel.requestedTile.empty() || knobs.rows || knobs.vectors ||
      knobs.depth || knobs.blockRows)
    return std::optional<Tile>();
  FailureOr<Reduction> reduction = matchReduction(root);
  if (failed(reduction))
    return failure();
  GroupEmitter emitter(kernel, *reduction, result);
  if (!emitter.match())
    return std::optional<Tile>();
  if (failed(verifyEpilogue(root, result)))
    return failure();
  return std::optional<Tile>(emitter.emit());
}
