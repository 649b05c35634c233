//===- EmitWindow.cpp - Reductions over sliding windows ---------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Pooling and depthwise convolutions. Neighbouring windows overlap, so several
// of them are computed at once, and each loaded vector serves all of them.
// Padding is skipped: near the ends of a dimension the covered elements are
// known when the code is emitted; along outer dimensions the loop over a
// window's elements has bounds.
//
// Lanes run along the last dimension of the result: the channels, or, where
// permutes around the operation are part of the kernel, a dimension along which
// windows slide.
//
//===----------------------------------------------------------------------===//

#include "WindowEmitter.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/Matchers.h"
#include "llvm/Support/MathExtras.h"
#include <numeric>

using namespace mlir;
using namespace hamkaas;

//===----------------------------------------------------------------------===//
// Loops
//===----------------------------------------------------------------------===//

/// Calls `body` for chunks of `size` of a loop, in an emitted loop where
/// windows lie within the source; if there is a `part`, for every chunk number
/// `part` of `parts`.
void WindowEmitter::forStretches(int64_t extent, int64_t size,
                                 const WindowAxis *axis,
                                 function_ref<void(WindowStretch)> body,
                                 Value part) {
  int64_t edges = 0;
  for (int64_t i = 0; i < extent;) {
    int64_t end = i;
    while (end + size <= extent && (!axis || axis->isInside(end, size)))
      end += size;
    if (end > i) {
      Value first = kernel.constant(i);
      if (part)
        first = kernel.add(first, kernel.multiply(part, size));
      kernel.writingLoop(first, kernel.constant(end),
                         part ? size * parts : size,
                         [&](Value begin) { body({begin, {}, size}); });
      i = end;
      continue;
    }
    int64_t count = std::min(size, extent - i);
    auto edge = [&] { body({kernel.constant(i), i, count}); };
    if (part)
      kernel.writingBranch(
          arith::CmpIOp::create(kernel.ir(), kernel.loc(),
                                arith::CmpIPredicate::eq, part,
                                kernel.constant(edges++ % parts)),
          edge, [] {});
    else
      edge();
    i += count;
  }
}

/// Where a GPU has more warps than units, several share the windows of one, and
/// blocks of these get smaller.
void WindowEmitter::chooseParts() {
  int64_t units = ShapedType::getNumElements(outerShape);
  int64_t wanted = kernel.costs().wantedWarps();
  auto countBlocks = [&]() -> int64_t {
    return llvm::divideCeil(blockAxis.windows, rows);
  };
  while (rows > 2 && units * countBlocks() < wanted)
    rows = llvm::divideCeil(rows, 2);
  while (units * parts < wanted && 2 * parts <= countBlocks())
    parts *= 2;
}

/// The first element of a window at 0 or above, and the first at the end of the
/// source or above.
static std::pair<Value, Value>
getTapBounds(KernelBuilder &kernel, const WindowAxis &axis, Value window) {
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
WindowEmitter::reduce(ValueRange sums, ArrayRef<WindowAxis> remaining,
                      function_ref<SmallVector<Value>(ValueRange)> body) {
  if (remaining.empty())
    return body(sums);
  const WindowAxis &axis = remaining.front();
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

/// Windows of a unit whose sums are kept.
static constexpr int64_t maxKeptSums = 16384;
/// Vectors that are finished at once.
static constexpr int64_t finishedVectors = 4;

/// Returns whether windows along the lanes are finished after all of a unit:
/// chains of multiply-adds with chains of functions behind them, of few vectors
/// at once, keep processors waiting. With a sigmoid, 192 channels of 20 x 20
/// take 0.57 of the time with 5 x 5 windows, 0.81 with 3 x 3 (AMD Zen 3).
bool WindowEmitter::keepsSums() {
  return kernel.costs().hasOwnCache() && laneAxis &&
         kernel.interleavesEpilogues() && reduction.neutral.getType().isF32() &&
         blockAxis.windows * llvm::alignTo(extents[laneLoop], lanes) <=
             maxKeptSums;
}

Tile WindowEmitter::emit() {
  at.assign(extents.size(), {});
  position.assign(sourceLoops.size(), {});
  if (copy)
    return emitCopied();
  if (channelLoop >= 0)
    return emitChannels();
  if (keepsSums())
    kept = kernel.allocate(blockAxis.windows,
                           llvm::alignTo(extents[laneLoop], lanes));
  int64_t units = ShapedType::getNumElements(outerShape) * parts;
  int64_t work = blockAxis.windows * extents[laneLoop] / parts;
  for (int64_t loop : reduction.loops)
    work *= extents[loop];
  int64_t tileUnits = kernel.costs().tileUnits(
      kernel.costs().tileWindowContributions() / work, units);
  forEachUnit(kernel, units, tileUnits, [&](Value unit) { emitUnit(unit); });
  return {rows, vectors * lanes};
}

void WindowEmitter::emitUnit(Value number) {
  Value part = parts > 1 ? kernel.remainder(number, parts) : Value();
  SmallVector<Value> indices =
      kernel.delinearize(kernel.divide(number, parts), outerShape);
  for (auto [loop, index] : llvm::zip_equal(outer, indices))
    at[loop] = {index};
  const WindowAxis *columnAxis = laneAxis ? &*laneAxis : nullptr;
  forStretches(
      blockAxis.windows, rows, &blockAxis,
      [&](WindowStretch block) {
        prefetchRows(block);
        forStretches(extents[laneLoop], vectors * lanes, columnAxis,
                     [&](WindowStretch columns) { emitBlock(block, columns); });
      },
      part);
  if (kept)
    finishKept();
}

/// The argument that `source` is or permutes, and the dimension of `source`
/// that each one of it is; null if it is computed.
static std::pair<Value, SmallVector<int64_t>> findStored(Value source) {
  int64_t rank = cast<RankedTensorType>(source.getType()).getRank();
  if (isa<BlockArgument>(source))
    return {source, llvm::to_vector(llvm::seq<int64_t>(rank))};
  auto op = source.getDefiningOp<linalg::GenericOp>();
  if (!op || op.getNumDpsInputs() != 1 ||
      !isa<BlockArgument>(op.getInputs().front()) ||
      !op.getIndexingMapsArray().back().isIdentity() ||
      !op.getIndexingMapsArray().front().isPermutation())
    return {};
  SmallVector<int64_t> dims;
  for (AffineExpr expr : op.getIndexingMapsArray().front().getResults())
    dims.push_back(cast<AffineDimExpr>(expr).getPosition());
  return {op.getInputs().front(), dims};
}

/// Lines that an iteration prefetches: each is one instruction.
static constexpr int64_t prefetchedLines = 8;

/// Asks for the rows of images that come a block, and at least a page, after
/// those that this block is the first to read: blocks read pieces of rows,
/// which hardware prefetchers do not follow. Images lie one behind the other.
void WindowEmitter::prefetchRows(const WindowStretch &block) {
  auto [stored, dims] = findStored(source);
  if (!stored || !laneAxis || dims.back() != laneAxis->dim ||
      dims.end()[-2] != blockAxis.dim)
    return;
  auto type = cast<RankedTensorType>(stored.getType());
  if (!type.getElementType().isF32() ||
      !kernel.costs().prefetchesImages(type.getNumElements()))
    return;
  int64_t row = laneAxis->size;
  int64_t read = block.count * blockAxis.stride * row;
  int64_t ahead = std::max(read, kernel.costs().elementsAhead()) +
                  (blockAxis.taps - 1) * blockAxis.dilation * row;
  Value image = kernel.constant(0);
  for (int64_t dim : ArrayRef(dims).drop_back(2))
    image = kernel.add(kernel.multiply(image, extents[sourceLoops[dim]]),
                       at[sourceLoops[dim]].index);
  Value first =
      kernel.add(kernel.multiply(image, blockAxis.size * row),
                 kernel.multiply(block.begin, blockAxis.stride * row));
  first = kernel.add(first, ahead);
  Value argument = stored;
  SmallVector<Value> none;
  forEachLaneBlock(kernel, first, read, kernel.costs().lineElements(),
                   prefetchedLines, none, /*writes=*/false,
                   [&](LaneBlock line, MutableArrayRef<Value>) {
                     kernel.prefetch(argument, line.index);
                   });
}

//===----------------------------------------------------------------------===//
// Blocks of windows
//===----------------------------------------------------------------------===//

void WindowEmitter::emitBlock(const WindowStretch &block,
                              const WindowStretch &columns) {
  int64_t count = llvm::divideCeil(columns.count, lanes);
  SmallVector<Value> sums(block.count * count, steps.neutral(lanes));
  sums = reduce(sums, outerAxes, [&](ValueRange carried) {
    return addElements(block, columns, carried);
  });
  if (kept)
    keepSums(block, columns, sums);
  else
    finish(block, columns, sums);
}

/// The position of window `row` of the block and of the first lane of a vector.
void WindowEmitter::moveTo(const WindowStretch &block, int64_t row,
                           const WindowStretch &columns, int64_t vector) {
  at[blockAxis.window] = {kernel.add(block.begin, row)};
  at[laneLoop] = {kernel.add(columns.begin, vector * lanes), /*step=*/1};
}

/// Visits the elements of the source that the block covers in order, which is
/// also the order of each window's own elements.
SmallVector<Value> WindowEmitter::addElements(const WindowStretch &block,
                                              const WindowStretch &columns,
                                              ValueRange carried) {
  SmallVector<Value> sums(carried);
  int64_t count = sums.size() / block.count;
  Value element;
  SmallVector<TreeEmitter> trees;
  for (int64_t v = 0; v < count; ++v)
    trees.emplace_back(
        kernel, lanes, getActive(columns, v), [&, v](Value tensor, PointRef) {
          if (tensor == operand->get())
            return element;
          return copy && copy->factors && tensor == copy->factors->get()
                     ? readFactors(v)
                     : Value();
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
    SmallVector<Value> elements(count), next(count);
    for (int64_t tap = 0, e = laneAxis ? laneAxis->taps : 1; tap < e; ++tap) {
      readElements(columns, tap, elements, next);
      for (auto [row, blockTap] : users) {
        if (blockAxis.tap >= 0)
          at[blockAxis.tap] = {kernel.constant(blockTap)};
        if (laneAxis)
          at[laneAxis->tap] = {kernel.constant(tap)};
        for (int64_t v = 0; v < count; ++v) {
          element = elements[v];
          if (!element)
            continue;
          moveTo(block, row, columns, v);
          Value &sum = sums[row * count + v];
          sum = steps.accumulate(trees[v], at, sum, lanes);
        }
      }
    }
  }
  return sums;
}

/// Moves to the element at `offset` from the first one of the block; false if
/// it is outside of the source.
bool WindowEmitter::startRead(const WindowStretch &block, int64_t offset) {
  if (blockAxis.dim < 0)
    return true;
  if (block.known) {
    int64_t index = blockAxis.first(*block.known) + offset;
    position[blockAxis.dim] = {kernel.constant(index)};
    return index >= 0 && index < blockAxis.size;
  }
  position[blockAxis.dim] = {kernel.add(
      kernel.multiply(block.begin, blockAxis.stride), offset - blockAxis.low)};
  return true;
}

/// Sets `elements` to those of `tap`, and `next` to those of the next one where
/// they are read along with them.
void WindowEmitter::readElements(const WindowStretch &columns, int64_t tap,
                                 MutableArrayRef<Value> elements,
                                 MutableArrayRef<Value> next) {
  for (size_t v = 0; v < elements.size(); ++v) {
    elements[v] = std::exchange(next[v], Value());
    if (elements[v])
      continue;
    if (laneOrder.empty())
      elements[v] = read(columns, v, tap);
    else
      std::tie(elements[v], next[v]) = readInterleaved(columns, v, tap);
  }
}

/// Element `tap` along the lanes' axis for the windows of a vector; null if it
/// is outside for all of them.
Value WindowEmitter::read(const WindowStretch &columns, int64_t vector,
                          int64_t tap) {
  if (copy)
    return readCopied(vector);
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

/// Element `tap` along the lanes' axis, in the order of the lanes of the sums,
/// and the next one if it is in the same vectors.
std::pair<Value, Value>
WindowEmitter::readInterleaved(const WindowStretch &columns, int64_t vector,
                               int64_t tap) {
  int64_t shift = laneAxis->dilation * tap - laneAxis->low;
  bool hasNext = laneAxis->dilation == 1 && tap + 1 < laneAxis->taps;
  // The second vector ends with the last element.
  int64_t second = hasNext ? lanes : lanes - 1;
  bool isInside = getActive(columns, vector) == lanes;
  if (columns.known) {
    int64_t first = 2 * (*columns.known + vector * lanes) + shift;
    isInside &= first >= 0 && first + second + lanes <= laneAxis->size;
  }
  if (!isInside) {
    Value element = read(columns, vector, tap);
    return {element ? sortLanes(element, /*back=*/false) : Value(), Value()};
  }
  Value begin = kernel.add(columns.begin, vector * lanes);
  at[laneLoop] = {begin, /*step=*/1};
  auto readFrom = [&](int64_t offset) {
    position[laneAxis->dim] = {
        kernel.add(kernel.multiply(begin, 2), shift + offset), /*step=*/1};
    return readSource(lanes);
  };
  Value low = readFrom(0), high = readFrom(second);
  auto select = [&](int64_t offset) -> Value {
    SmallVector<int64_t> picked;
    for (int64_t window : laneOrder) {
      int64_t element = 2 * window + offset;
      picked.push_back(element < lanes ? element : lanes + element - second);
    }
    return vector::ShuffleOp::create(kernel.ir(), kernel.loc(), low, high,
                                     picked);
  };
  return {select(0), hasNext ? select(1) : Value()};
}

/// Moves the lanes of a vector from the order of windows to that of the sums,
/// or back.
Value WindowEmitter::sortLanes(Value vector, bool back) {
  if (laneOrder.empty())
    return vector;
  SmallVector<int64_t> picked(lanes);
  for (auto [lane, window] : llvm::enumerate(laneOrder))
    picked[back ? window : lane] = back ? lane : window;
  return vector::ShuffleOp::create(kernel.ir(), kernel.loc(), vector, vector,
                                   picked);
}

/// Reads lanes from element `first` on, which may be outside.
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

void WindowEmitter::keepSums(const WindowStretch &block,
                             const WindowStretch &columns, ValueRange sums) {
  int64_t count = sums.size() / block.count;
  for (auto [i, sum] : llvm::enumerate(sums))
    vector::StoreOp::create(kernel.ir(), kernel.loc(), sum, kept,
                            getKeptPlace(block, i / count, columns, i % count));
}

SmallVector<Value> WindowEmitter::getKept(const WindowStretch &block,
                                          const WindowStretch &columns) {
  auto type =
      VectorType::get(lanes, cast<MemRefType>(kept.getType()).getElementType());
  SmallVector<Value> sums;
  for (int64_t row = 0; row < block.count; ++row)
    for (int64_t v = 0; v * lanes < columns.count; ++v)
      sums.push_back(
          vector::LoadOp::create(kernel.ir(), kernel.loc(), type, kept,
                                 getKeptPlace(block, row, columns, v)));
  return sums;
}

SmallVector<Value> WindowEmitter::getKeptPlace(const WindowStretch &block,
                                               int64_t row,
                                               const WindowStretch &columns,
                                               int64_t vector) {
  Value first = firstKept ? kernel.add(firstKept, block.begin) : block.begin;
  return {kernel.add(first, row), kernel.add(columns.begin, vector * lanes)};
}

/// Finishes the sums of a unit, several vectors at once.
void WindowEmitter::finishKept() {
  int64_t needed = llvm::divideCeil(extents[laneLoop], lanes);
  int64_t atOnce = std::min(needed, finishedVectors);
  // Three vectors a row: as many rows as make whole groups.
  int64_t rowsAtOnce = finishedVectors / std::gcd(needed, finishedVectors);
  if (needed > finishedVectors)
    rowsAtOnce = 1;
  forStretches(blockAxis.windows, rowsAtOnce, /*axis=*/nullptr,
               [&](WindowStretch block) {
                 forStretches(extents[laneLoop], atOnce * lanes,
                              /*axis=*/nullptr, [&](WindowStretch columns) {
                                finish(block, columns, getKept(block, columns));
                              });
               });
}

void WindowEmitter::finish(const WindowStretch &block,
                           const WindowStretch &columns, ValueRange sums) {
  int64_t count = sums.size() / block.count;
  Value sum;
  auto leaf = [&](Value tensor, PointRef) {
    return tensor == root->getResult(0) ? sum : Value();
  };
  AffineMap map = root.getIndexingMapsArray().back();
  kernel.deferEpilogue([&] {
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
                           sortLanes(sums[row * count + v], /*back=*/true));
        kernel.store(tree.evaluateVector(result, point), indices,
                     getActive(columns, v));
      }
    }
  });
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
