//===- EmitWindow.cpp - Reductions over sliding windows ---------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Pooling and depthwise convolutions. Neighbouring windows share most of what
// they cover, so some of them are computed at a time, and each vector that is
// read is used for all of them. Windows that reach into the padding leave out
// what lies there: near the ends of a dimension it is known which elements
// these are, and along the outer ones the loop over a window's elements has
// bounds.
//
// Lanes run along the last dimension of the result. That is the channels, or,
// where permutations around the operation are part of the kernel, a dimension
// along which windows slide.
//
//===----------------------------------------------------------------------===//

#include "Emitters.h"
#include "Reduction.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/Matchers.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace hamkaas;

/// Contributions of a tile: some microseconds of work.
static constexpr int64_t tileContributions = 65536;
/// Accumulators: enough to hide the latency of a multiply-add.
static constexpr int64_t maxAccumulators = 8;
/// Windows that are computed at a time if lanes are windows, too.
static constexpr int64_t maxRows = 4;
/// Bounds of the code: elements of a window along the dimensions that are
/// unrolled, and blocks of windows that reach into the padding.
static constexpr int64_t maxTaps = 64;
static constexpr int64_t maxEdgeBlocks = 8;

namespace {

/// A dimension along which windows slide: element number
/// `stride * window + dilation * tap - low` of the source.
struct Axis {
  int64_t dim;         /* of the source */
  int64_t window, tap; /* loops */
  int64_t stride, dilation, low;
  int64_t windows, taps; /* sizes of the loops */
  int64_t size;          /* of the source's dimension */

  int64_t first(int64_t index) const { return stride * index - low; }
  /// Whether `count` windows from number `begin` on lie within the source.
  bool isInside(int64_t begin, int64_t count) const {
    return first(begin) >= 0 &&
           first(begin + count - 1) + dilation * (taps - 1) < size;
  }
};

/// `count` indices of a loop from `begin` on. Where `known` is null, all
/// windows lie within the source.
struct Stretch {
  Value begin;
  std::optional<int64_t> known;
  int64_t count;
};

class WindowEmitter {
public:
  WindowEmitter(KernelBuilder &kernel, const Reduction &reduction, Value result,
                ArrayRef<int64_t> order)
      : kernel(kernel), reduction(reduction), steps(kernel, reduction),
        root(reduction.op), result(result), order(order),
        extents(root.getStaticLoopRanges()) {}

  bool match();
  Tile emit();

private:
  bool matchOperand(OpOperand &operand);
  bool matchAxis(int64_t dim, ArrayRef<int64_t> factors);
  bool matchPadding();
  bool matchLoops();
  void chooseSizes();

  void forStretches(int64_t extent, int64_t size, const Axis *axis,
                    function_ref<void(Stretch)> body);
  SmallVector<Value> reduce(ValueRange sums, ArrayRef<Axis> remaining,
                            function_ref<SmallVector<Value>(ValueRange)> body);
  void emitUnit(Value unit);
  void emitBlock(const Stretch &block, const Stretch &columns);
  SmallVector<Value> addElements(const Stretch &block, const Stretch &columns,
                                 ValueRange carried);
  bool startRead(const Stretch &block, int64_t offset);
  Value read(const Stretch &columns, int64_t vector, int64_t tap);
  Value readEdge(int64_t first, int64_t active);
  Value readSource(int64_t active);
  void finish(const Stretch &block, const Stretch &columns, ValueRange sums);
  void moveTo(const Stretch &block, int64_t row, const Stretch &columns,
              int64_t vector);
  int64_t getActive(const Stretch &columns, int64_t vector) const {
    return std::min(lanes, columns.count - vector * lanes);
  }

  KernelBuilder &kernel;
  const Reduction &reduction;
  ReductionSteps steps;
  linalg::LinalgOp root;
  Value result;
  /// The dimension of the root's result that each one of `result` is.
  ArrayRef<int64_t> order;
  SmallVector<int64_t> extents;

  /// What windows slide over: the operand, and what it is without padding.
  OpOperand *operand = nullptr;
  Value source, padding;
  SmallVector<int64_t> low;
  /// The loops that index the other dimensions of the source, -1 for an axis.
  SmallVector<int64_t> sourceLoops;
  /// The axes whose loops stay loops; then the one along which a block of
  /// windows is computed at a time, and that of the lanes, if it is one.
  SmallVector<Axis> outerAxes;
  Axis blockAxis;
  std::optional<Axis> laneAxis;
  int64_t laneLoop = -1, lanes = 1, rows = 1, vectors = 1;
  SmallVector<int64_t> outer, outerShape;

  /// Where the emission stands: an index a loop, and one a dimension of the
  /// source.
  Point at, position;
};

} // namespace

//===----------------------------------------------------------------------===//
// What is computed
//===----------------------------------------------------------------------===//

/// Appends the axis that `factors` describe: a loop over windows and one over
/// their elements.
bool WindowEmitter::matchAxis(int64_t dim, ArrayRef<int64_t> factors) {
  Axis axis{};
  axis.dim = dim;
  axis.window = axis.tap = -1;
  for (auto [loop, factor] : llvm::enumerate(factors.drop_back())) {
    if (factor == 0)
      continue;
    bool isTap = llvm::is_contained(reduction.loops, loop);
    int64_t &found = isTap ? axis.tap : axis.window;
    if (found >= 0 || factor < 0)
      return false;
    found = loop;
    (isTap ? axis.dilation : axis.stride) = factor;
  }
  if (factors.back() != 0 || axis.window < 0)
    return false;
  if (axis.tap < 0) {
    sourceLoops.push_back(axis.window);
    return axis.stride == 1;
  }
  sourceLoops.push_back(-1);
  axis.low = low[dim];
  axis.windows = extents[axis.window];
  axis.taps = extents[axis.tap];
  axis.size = cast<RankedTensorType>(source.getType()).getDimSize(dim);
  outerAxes.push_back(axis);
  return true;
}

bool WindowEmitter::matchOperand(OpOperand &candidate) {
  operand = &candidate;
  source = candidate.get();
  outerAxes.clear();
  sourceLoops.clear();
  low.assign(cast<RankedTensorType>(source.getType()).getRank(), 0);
  padding = Value();
  if (auto pad = source.getDefiningOp<tensor::PadOp>()) {
    low.assign(pad.getStaticLow().begin(), pad.getStaticLow().end());
    padding = pad.getConstantPaddingValue();
    source = pad.getSource();
  }
  AffineMap map = root.getMatchingIndexingMap(operand);
  for (unsigned dim = 0; dim < map.getNumResults(); ++dim)
    if (!matchAxis(dim, getFactors(map, dim)))
      return false;
  return outerAxes.size() == reduction.loops.size() && matchPadding();
}

/// Padding must contribute nothing, for it is left out.
bool WindowEmitter::matchPadding() {
  if (!padding)
    return true;
  for (auto [dim, loop] : llvm::enumerate(sourceLoops))
    if (loop >= 0 && low[dim] != 0)
      return false;
  Value element = root.getMatchingBlockArgument(operand);
  if (reduction.contribution == element)
    return matchPattern(padding, m_Constant()) &&
           cast<arith::ConstantOp>(padding.getDefiningOp()).getValue() ==
               reduction.neutral;
  auto product = reduction.contribution.getDefiningOp<arith::MulFOp>();
  return product && isa<arith::AddFOp>(reduction.combiner) &&
         llvm::is_contained(product->getOperands(), element) &&
         matchPattern(padding, m_AnyZeroFloat());
}

/// Sorts the loops into those of lanes, of a block, and others.
bool WindowEmitter::matchLoops() {
  AffineMap map = root.getIndexingMapsArray().back();
  SmallVector<int64_t> loops;
  for (int64_t dim : order) {
    auto loop = dyn_cast<AffineDimExpr>(map.getResult(dim));
    if (!loop)
      return false;
    loops.push_back(loop.getPosition());
  }
  auto take = [&](int64_t loop) -> std::optional<Axis> {
    auto *axis = llvm::find_if(
        outerAxes, [&](const Axis &axis) { return axis.window == loop; });
    if (axis == outerAxes.end())
      return std::nullopt;
    Axis taken = *axis;
    outerAxes.erase(axis);
    return taken;
  };
  laneLoop = loops.pop_back_val();
  laneAxis = take(laneLoop);
  std::optional<Axis> found;
  outer = loops;
  for (int64_t loop : llvm::reverse(loops))
    if (!found && extents[loop] > 1 && (found = take(loop)))
      outer.erase(llvm::find(outer, loop));
  if (!found)
    return false;
  blockAxis = *found;
  // A sum has the order of the loops.
  llvm::sort(outerAxes,
             [](const Axis &a, const Axis &b) { return a.tap < b.tap; });
  return (outerAxes.empty() || outerAxes.back().tap < blockAxis.tap) &&
         (!laneAxis || blockAxis.tap < laneAxis->tap);
}

/// The elements of balanced parts of `extent` of at most `most`.
static int64_t balance(int64_t extent, int64_t most) {
  return llvm::divideCeil(extent, llvm::divideCeil(extent, most));
}

void WindowEmitter::chooseSizes() {
  lanes = chooseLanes(kernel.target(), extents[laneLoop]);
  int64_t bits = reduction.neutral.getType().getIntOrFloatBitWidth();
  int64_t registers = std::max<int64_t>(1, bits / 32);
  int64_t budget = std::clamp<int64_t>(
      kernel.target().registers / 2 / registers, 1, maxAccumulators);
  int64_t most = laneAxis ? std::min(budget, maxRows) : budget;
  rows = balance(blockAxis.windows, most);
  vectors = std::clamp<int64_t>(budget / rows, 1,
                                llvm::divideCeil(extents[laneLoop], lanes));
  for (int64_t loop : outer)
    outerShape.push_back(extents[loop]);
}

/// The blocks of `size` windows that do not lie within the source.
static int64_t countEdges(const Axis &axis, int64_t size) {
  int64_t count = 0;
  for (int64_t i = 0; i < axis.windows && count <= maxEdgeBlocks; i += size)
    count += i + size > axis.windows || !axis.isInside(i, size);
  return count;
}

bool WindowEmitter::match() {
  auto isOperand = [&](OpOperand *candidate) {
    return !root.getMatchingBlockArgument(candidate).use_empty() &&
           isa<RankedTensorType>(candidate->get().getType()) &&
           matchOperand(*candidate);
  };
  if (llvm::none_of(root.getDpsInputOperands(), isOperand) || !matchLoops())
    return false;
  chooseSizes();
  return blockAxis.taps * (laneAxis ? laneAxis->taps : 1) <= maxTaps &&
         countEdges(blockAxis, rows) <= maxEdgeBlocks &&
         (!laneAxis || countEdges(*laneAxis, vectors * lanes) <= maxEdgeBlocks);
}

//===----------------------------------------------------------------------===//
// Loops
//===----------------------------------------------------------------------===//

/// Calls `body` for all of a loop in stretches of `size`, by a loop where
/// windows lie within the source.
void WindowEmitter::forStretches(int64_t extent, int64_t size, const Axis *axis,
                                 function_ref<void(Stretch)> body) {
  for (int64_t i = 0; i < extent;) {
    int64_t end = i;
    while (end + size <= extent && (!axis || axis->isInside(end, size)))
      end += size;
    if (end > i) {
      kernel.writingLoop(kernel.constant(i), kernel.constant(end), size,
                         [&](Value begin) { body({begin, {}, size}); });
      i = end;
      continue;
    }
    int64_t count = std::min(size, extent - i);
    body({kernel.constant(i), i, count});
    i += count;
  }
}

/// The first element of a window that lies at 0 or above, and the first that
/// lies at the end of the source or above.
static std::pair<Value, Value> getTapBounds(KernelBuilder &kernel,
                                            const Axis &axis, Value window) {
  if (axis.isInside(0, axis.windows))
    return {kernel.constant(0), kernel.constant(axis.taps)};
  Value first = kernel.multiply(window, axis.stride);
  // ceil(max(limit - first, 0) / dilation) without a negative number.
  auto countBelow = [&](int64_t limit) {
    int64_t rounded = limit + axis.dilation - 1;
    Value distance = kernel.subtract(kernel.constant(rounded),
                                     kernel.minimum(first, rounded));
    return kernel.minimum(kernel.divide(distance, axis.dilation), axis.taps);
  };
  return {countBelow(axis.low), countBelow(axis.low + axis.size)};
}

SmallVector<Value>
WindowEmitter::reduce(ValueRange sums, ArrayRef<Axis> remaining,
                      function_ref<SmallVector<Value>(ValueRange)> body) {
  if (remaining.empty())
    return body(sums);
  const Axis &axis = remaining.front();
  Value window = at[axis.window].index;
  auto [lower, upper] = getTapBounds(kernel, axis, window);
  return kernel.loop(lower, upper, 1, sums, /*writes=*/false,
                     [&](Value tap, ValueRange carried) {
                       at[axis.tap] = {tap};
                       Value index =
                           kernel.add(kernel.multiply(window, axis.stride),
                                      kernel.multiply(tap, axis.dilation));
                       position[axis.dim] = {
                           kernel.subtract(index, kernel.constant(axis.low))};
                       return reduce(carried, remaining.drop_front(), body);
                     });
}

Tile WindowEmitter::emit() {
  at.assign(extents.size(), {});
  position.assign(sourceLoops.size(), {});
  int64_t units = ShapedType::getNumElements(outerShape);
  int64_t work = blockAxis.windows * extents[laneLoop];
  for (int64_t loop : reduction.loops)
    work *= extents[loop];
  int64_t tileUnits = std::clamp<int64_t>(tileContributions / work, 1, units);
  kernel.tileLoop(llvm::divideCeil(units, tileUnits), [&](Value tile) {
    Value first = kernel.multiply(tile, tileUnits);
    Value last = kernel.add(first, tileUnits);
    if (units % tileUnits)
      last = kernel.minimum(last, units);
    if (tileUnits == 1)
      return emitUnit(first);
    kernel.writingLoop(first, last, 1, [&](Value unit) { emitUnit(unit); });
  });
  return {rows, vectors * lanes};
}

void WindowEmitter::emitUnit(Value unit) {
  SmallVector<Value> indices = kernel.delinearize(unit, outerShape);
  for (auto [loop, index] : llvm::zip_equal(outer, indices))
    at[loop] = {index};
  const Axis *columnAxis = laneAxis ? &*laneAxis : nullptr;
  forStretches(blockAxis.windows, rows, &blockAxis, [&](Stretch block) {
    forStretches(extents[laneLoop], vectors * lanes, columnAxis,
                 [&](Stretch columns) { emitBlock(block, columns); });
  });
}

//===----------------------------------------------------------------------===//
// Blocks of windows
//===----------------------------------------------------------------------===//

void WindowEmitter::emitBlock(const Stretch &block, const Stretch &columns) {
  int64_t count = llvm::divideCeil(columns.count, lanes);
  SmallVector<Value> sums(block.count * count, steps.neutral(lanes));
  sums = reduce(sums, outerAxes, [&](ValueRange carried) {
    return addElements(block, columns, carried);
  });
  finish(block, columns, sums);
}

/// Where window number `row` of the block and the first lane of a vector are.
void WindowEmitter::moveTo(const Stretch &block, int64_t row,
                           const Stretch &columns, int64_t vector) {
  at[blockAxis.window] = {kernel.add(block.begin, row)};
  at[laneLoop] = {kernel.add(columns.begin, vector * lanes), /*step=*/1};
}

/// Visits the elements of the source that the block covers in order. So each
/// window meets its own in order, too.
SmallVector<Value> WindowEmitter::addElements(const Stretch &block,
                                              const Stretch &columns,
                                              ValueRange carried) {
  SmallVector<Value> sums(carried);
  int64_t count = sums.size() / block.count;
  Value element;
  SmallVector<TreeEmitter> trees;
  for (int64_t v = 0; v < count; ++v)
    trees.emplace_back(kernel, lanes, getActive(columns, v),
                       [&](Value tensor, PointRef) {
                         return tensor == operand->get() ? element : Value();
                       });
  int64_t covered = (block.count - 1) * blockAxis.stride +
                    (blockAxis.taps - 1) * blockAxis.dilation;
  for (int64_t offset = 0; offset <= covered; ++offset) {
    // The windows that have an element here: pairs of window and element.
    SmallVector<std::pair<int64_t, int64_t>> users;
    for (int64_t row = 0; row < block.count; ++row) {
      int64_t distance = offset - row * blockAxis.stride;
      if (distance >= 0 && distance % blockAxis.dilation == 0 &&
          distance / blockAxis.dilation < blockAxis.taps)
        users.push_back({row, distance / blockAxis.dilation});
    }
    if (users.empty() || !startRead(block, offset))
      continue;
    for (int64_t tap = 0, e = laneAxis ? laneAxis->taps : 1; tap < e; ++tap)
      for (int64_t v = 0; v < count; ++v) {
        element = read(columns, v, tap);
        if (!element)
          continue;
        for (auto [row, blockTap] : users) {
          moveTo(block, row, columns, v);
          at[blockAxis.tap] = {kernel.constant(blockTap)};
          if (laneAxis)
            at[laneAxis->tap] = {kernel.constant(tap)};
          Value &sum = sums[row * count + v];
          sum = steps.accumulate(trees[v], at, sum, lanes);
        }
      }
  }
  return sums;
}

/// Moves to the element at `offset` from the first one of the block; false if
/// it lies outside of the source.
bool WindowEmitter::startRead(const Stretch &block, int64_t offset) {
  if (block.known) {
    int64_t index = blockAxis.first(*block.known) + offset;
    position[blockAxis.dim] = {kernel.constant(index)};
    return index >= 0 && index < blockAxis.size;
  }
  position[blockAxis.dim] = {kernel.add(
      kernel.multiply(block.begin, blockAxis.stride), offset - blockAxis.low)};
  return true;
}

/// Element number `tap` along the lanes' axis, if there is one, of the windows
/// of a vector; null if none has one.
Value WindowEmitter::read(const Stretch &columns, int64_t vector, int64_t tap) {
  int64_t active = getActive(columns, vector);
  Value begin = kernel.add(columns.begin, vector * lanes);
  at[laneLoop] = {begin, /*step=*/1};
  if (!laneAxis)
    return readSource(active);
  int64_t shift = laneAxis->dilation * tap - laneAxis->low;
  if (columns.known)
    return readEdge(
        laneAxis->stride * (*columns.known + vector * lanes) + shift, active);
  position[laneAxis->dim] = {
      kernel.add(kernel.multiply(begin, laneAxis->stride), shift),
      laneAxis->stride};
  return readSource(active);
}

/// Reads lanes from element `first` on, which may lie outside.
Value WindowEmitter::readEdge(int64_t first, int64_t active) {
  int64_t stride = laneAxis->stride;
  int64_t begin = 0, end = 0;
  for (int64_t lane = 0; lane < active; ++lane) {
    if (first + lane * stride < 0)
      begin = lane + 1;
    else if (first + lane * stride < laneAxis->size)
      end = lane + 1;
  }
  if (end <= begin)
    return nullptr;
  position[laneAxis->dim] = {kernel.constant(first + begin * stride), stride};
  Value inside = readSource(end - begin);
  if (begin == 0 && end == active)
    return inside;
  SmallVector<int64_t> picked;
  for (int64_t lane = 0; lane < lanes; ++lane)
    picked.push_back(lane >= begin && lane < end ? lane - begin : lanes);
  return vector::ShuffleOp::create(kernel.ir(), kernel.loc(), inside,
                                   kernel.broadcast(padding, lanes), picked);
}

Value WindowEmitter::readSource(int64_t active) {
  for (auto [dim, loop] : llvm::enumerate(sourceLoops))
    if (loop >= 0)
      position[dim] = at[loop];
  return TreeEmitter(kernel, lanes, active).evaluateVector(source, position);
}

void WindowEmitter::finish(const Stretch &block, const Stretch &columns,
                           ValueRange sums) {
  int64_t count = sums.size() / block.count;
  Value sum;
  auto leaf = [&](Value tensor, PointRef) {
    return tensor == root->getResult(0) ? sum : Value();
  };
  AffineMap map = root.getIndexingMapsArray().back();
  for (int64_t v = 0; v < count; ++v) {
    TreeEmitter tree(kernel, lanes, getActive(columns, v), leaf);
    for (int64_t row = 0; row < block.count; ++row) {
      moveTo(block, row, columns, v);
      Point inner = applyLinear(kernel, map, at), point;
      SmallVector<Value> indices;
      for (int64_t dim : order) {
        point.push_back(inner[dim]);
        indices.push_back(inner[dim].index);
      }
      tree.setWritten(point);
      sum = steps.finish(tree.evaluate(root.getDpsInits().front(), inner),
                         sums[row * count + v]);
      kernel.store(tree.evaluateVector(result, point), indices,
                   getActive(columns, v));
    }
  }
}

std::optional<Tile> hamkaas::emitWindows(KernelBuilder &kernel,
                                         const Reduction &reduction,
                                         Value result,
                                         ArrayRef<int64_t> order) {
  WindowEmitter emitter(kernel, reduction, result, order);
  if (!emitter.match())
    return std::nullopt;
  return emitter.emit();
}
