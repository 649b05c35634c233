//===- TreeMemory.cpp - Elements of tensors in memory -----------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HamKaas/CodeGen/Kernel/TreeEmitter.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Utils/IndexingUtils.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace hamkaas;

/// The largest distance at which lanes are selected from whole vectors, and the
/// largest number of these: a vector load costs as much as a scalar one.
static constexpr int64_t maxSpread = 4;

static SmallVector<Value> getLane(KernelBuilder &kernel, PointRef point,
                                  int64_t lane) {
  SmallVector<Value> indices;
  for (const Coordinate &c : point) {
    int64_t offset = c.offset(lane);
    indices.push_back(offset < 0
                          ? kernel.subtract(c.index, kernel.constant(-offset))
                          : kernel.add(c.index, offset));
  }
  return indices;
}

Value TreeEmitter::read(Value tensor, PointRef point) {
  if (PointRef(written) != point)
    kernel.forbidAlias(tensor);
  if (tensor == kernel.destinationArgument())
    tensor = kernel.destination;
  auto runs = [](const Coordinate &c) { return c.runs(); };
  if (llvm::none_of(point, runs) && kernel.hasOneElement(tensor))
    return kernel.loadOnlyElement(tensor);
  if (llvm::none_of(point, runs))
    return tensor::ExtractOp::create(kernel.ir(), kernel.loc(), tensor,
                                     getLane(kernel, point, 0));
  if (llvm::any_of(point,
                   [](const Coordinate &c) { return !c.offsets.empty(); }))
    return readWindows(tensor, point);
  bool alongLast = llvm::none_of(point.drop_back(), runs);
  if (alongLast && point.back().step == 1)
    return kernel.load(tensor, getLane(kernel, point, 0), lanes, active);
  if (kernel.target().gathers)
    return readGathered(tensor, point);
  if (alongLast && std::abs(point.back().step) <= maxSpread)
    return readSpread(tensor, point);
  return readLanes(tensor, point);
}

/// A gather: an element per lane at any place.
Value TreeEmitter::readGathered(Value tensor, PointRef point) {
  ArrayRef<int64_t> shape = cast<RankedTensorType>(tensor.getType()).getShape();
  if (writtenNumbers && PointRef(written) == point &&
      shape == kernel.destinationType().getShape())
    return kernel.gather(tensor, writtenNumbers, active);
  Coordinate linear{kernel.constant(0)};
  for (auto [at, size] : llvm::zip_equal(point, shape)) {
    linear.index = kernel.add(kernel.multiply(linear.index, size), at.index);
    linear.step = linear.step * size + at.step;
  }
  return kernel.gather(tensor, kernel.broadcast(emitIndex(linear), lanes),
                       active);
}

/// Lanes along the last dimension that are strided or in reverse order: reads
/// all elements from the first of them to the last. Of several vectors, the
/// last one ends there: a whole load takes less time than one of some lanes.
Value TreeEmitter::readSpread(Value tensor, PointRef point) {
  int64_t step = point.back().step;
  int64_t distance = std::abs(step);
  int64_t span = (active - 1) * distance + 1;
  SmallVector<Value> first = getLane(kernel, point, step < 0 ? active - 1 : 0);
  // The offset of each lane from `first`; inactive lanes are copies.
  SmallVector<int64_t> position;
  for (int64_t lane = 0; lane < lanes; ++lane) {
    int64_t at = std::min(lane, active - 1);
    position.push_back((step < 0 ? active - 1 - at : at) * distance);
  }

  Value collected;
  for (int64_t done = 0; done < span; done += lanes) {
    int64_t begin = std::min(done, std::max<int64_t>(span - lanes, 0));
    SmallVector<Value> indices = first;
    indices.back() = kernel.add(indices.back(), begin);
    Value window =
        kernel.load(tensor, indices, lanes, std::min(lanes, span - begin));
    SmallVector<int64_t> picked;
    for (auto [lane, at] : llvm::enumerate(position)) {
      bool here = at >= done && at < begin + lanes;
      picked.push_back(here ? lanes + at - begin : lane);
    }
    if (!collected)
      collected = window;
    collected = vector::ShuffleOp::create(kernel.ir(), kernel.loc(), collected,
                                          window, picked);
  }
  return collected;
}

/// The distances of the first `active` lanes from the first, in elements of a
/// tensor of `shape`.
static SmallVector<int64_t>
getDistances(PointRef point, ArrayRef<int64_t> shape, int64_t active) {
  SmallVector<int64_t> distances(active, 0);
  SmallVector<int64_t> strides = computeStrides(shape);
  for (auto [lane, distance] : llvm::enumerate(distances))
    for (auto [coordinate, stride] : llvm::zip_equal(point, strides))
      distance += coordinate.offset(lane) * stride;
  return distances;
}

namespace {
/// Consecutive elements from those of `lane` on, at the distance `begin`.
struct Window {
  int64_t lane, begin, count;
};
} // namespace

/// The fewest windows of at most `size` elements that have all `distances`.
static SmallVector<Window> findWindows(ArrayRef<int64_t> distances,
                                       int64_t size) {
  SmallVector<int64_t> order =
      llvm::to_vector(llvm::seq<int64_t>(distances.size()));
  llvm::stable_sort(
      order, [&](int64_t a, int64_t b) { return distances[a] < distances[b]; });
  SmallVector<Window> windows;
  for (int64_t lane : order) {
    int64_t at = distances[lane];
    if (windows.empty() || at >= windows.back().begin + size)
      windows.push_back({lane, at, 1});
    windows.back().count = at - windows.back().begin + 1;
  }
  return windows;
}

/// Lanes at any distances that are known: selects them from whole vectors, if
/// a few of these have all.
Value TreeEmitter::readWindows(Value tensor, PointRef point) {
  SmallVector<int64_t> distances = getDistances(
      point, cast<RankedTensorType>(tensor.getType()).getShape(), active);
  SmallVector<Window> windows = findWindows(distances, lanes);
  if (windows.size() > maxSpread)
    return readLanes(tensor, point);
  if (llvm::equal(distances, llvm::seq<int64_t>(0, active)))
    return kernel.load(tensor, getLane(kernel, point, 0), lanes, active);
  // Inactive lanes are copies.
  distances.resize(lanes, distances.back());
  Value collected;
  for (const Window &window : windows) {
    int64_t width = llvm::PowerOf2Ceil(window.count);
    Value elements = kernel.load(tensor, getLane(kernel, point, window.lane),
                                 width, window.count);
    SmallVector<int64_t> picked;
    for (auto [lane, distance] : llvm::enumerate(distances)) {
      int64_t at = distance - window.begin;
      bool isHere = at >= 0 && at < window.count;
      if (collected)
        picked.push_back(isHere ? lanes + at : int64_t(lane));
      else
        picked.push_back(isHere ? at : 0);
    }
    collected = vector::ShuffleOp::create(kernel.ir(), kernel.loc(),
                                          collected ? collected : elements,
                                          elements, picked);
  }
  return collected;
}

Value TreeEmitter::readLanes(Value tensor, PointRef point) {
  return collectLanes([&](int64_t lane) -> Value {
    return tensor::ExtractOp::create(kernel.ir(), kernel.loc(), tensor,
                                     getLane(kernel, point, lane));
  });
}

/// A vector of one element per lane. Inactive lanes may be outside of the
/// tensor, so they are copies of the first.
Value TreeEmitter::collectLanes(function_ref<Value(int64_t lane)> element) {
  SmallVector<Value> elements;
  for (int64_t lane = 0; lane < active; ++lane)
    elements.push_back(element(lane));
  elements.resize(lanes, elements.front());
  auto type = VectorType::get(lanes, elements.front().getType());
  return vector::FromElementsOp::create(kernel.ir(), kernel.loc(), type,
                                        elements);
}

/// Reads at indices that the body of an operation computed. An argument that is
/// read at other points than the written one cannot share its storage.
Value TreeEmitter::emitExtract(tensor::ExtractOp op, IRMapping &values) {
  Point point;
  SmallVector<Value> indices;
  for (Value operand : op.getIndices()) {
    indices.push_back(values.lookupOrDefault(operand));
    if (std::optional<Coordinate> at = getCounting(indices.back()))
      point.push_back(*at);
    else if (kernel.target().gathers)
      point.push_back({indices.back()});
  }
  if (point.size() == indices.size())
    return read(op.getTensor(), point);

  kernel.forbidAlias(op.getTensor());
  return collectLanes([&](int64_t lane) -> Value {
    SmallVector<Value> at;
    for (Value index : indices)
      at.push_back(isa<VectorType>(index.getType())
                       ? vector::ExtractOp::create(kernel.ir(), kernel.loc(),
                                                   index, lane)
                       : index);
    return tensor::ExtractOp::create(kernel.ir(), kernel.loc(), op.getTensor(),
                                     at);
  });
}

/// Vectors along a tiled dimension must not cross the end of a tile.
Value TreeEmitter::evaluateUnpack(linalg::UnPackOp op, PointRef point) {
  Point outer(point), packed;
  SmallVector<Coordinate> inner;
  for (auto [position, tile] :
       llvm::zip_equal(op.getInnerDimsPos(), op.getStaticInnerTiles())) {
    Coordinate at = point[position];
    outer[position] = {kernel.divide(at.index, tile)};
    inner.push_back({kernel.remainder(at.index, tile), at.step});
  }
  ArrayRef<int64_t> order = op.getOuterDimsPerm();
  for (size_t i = 0; i < outer.size(); ++i)
    packed.push_back(outer[order.empty() ? i : order[i]]);
  packed.append(inner.begin(), inner.end());
  return evaluate(op.getSource(), packed);
}

/// The element where `condition` holds, else `outside`, a scalar. 16-bit floats
/// by their bits: LLVM selects them through conversions that some processors
/// call a library for.
static Value selectElement(KernelBuilder &kernel, Value condition,
                           Value element, Value outside) {
  OpBuilder &ir = kernel.ir();
  Location loc = kernel.loc();
  if (auto lanes = dyn_cast<VectorType>(condition.getType()))
    element = kernel.broadcast(element, lanes.getDimSize(0));
  Type type = element.getType();
  Type scalar = getElementTypeOrSelf(type);
  if (auto vector = dyn_cast<VectorType>(type))
    outside = kernel.broadcast(outside, vector.getDimSize(0));
  if (!isa<FloatType>(scalar) || scalar.getIntOrFloatBitWidth() != 16)
    return arith::SelectOp::create(ir, loc, condition, element, outside);
  Type bits = ir.getI16Type();
  if (auto vector = dyn_cast<VectorType>(type))
    bits = vector.clone(bits);
  Value chosen = arith::SelectOp::create(
      ir, loc, condition, arith::BitcastOp::create(ir, loc, bits, element),
      arith::BitcastOp::create(ir, loc, bits, outside));
  return arith::BitcastOp::create(ir, loc, type, chosen);
}

/// Outside of the source, reads any element of it and ignores it.
Value TreeEmitter::evaluatePad(tensor::PadOp op, PointRef point) {
  OpBuilder &ir = kernel.ir();
  Location loc = kernel.loc();
  Point inner(point);
  Value isInside;
  for (auto [dim, size] : llvm::enumerate(op.getSourceType().getShape())) {
    int64_t low = op.getStaticLow()[dim];
    if (!low && !op.getStaticHigh()[dim])
      continue;
    Value index = point[dim].index;
    if (point[dim].step && kernel.target().gathers)
      index = emitIndex(point[dim]);
    else if (point[dim].step)
      return collectLanes([&](int64_t lane) {
        Point one;
        for (Value index : getLane(kernel, point, lane))
          one.push_back({index});
        return evaluatePad(op, one);
      });
    // One unsigned comparison also finds negative positions.
    Value at = kernel.subtract(index, kernel.constant(low));
    Value here = kernel.isLess(at, size);
    if (isInside) {
      std::tie(isInside, here) = kernel.makeAlike(isInside, here);
      here = arith::AndIOp::create(ir, loc, isInside, here);
    }
    isInside = here;
    auto [inside, first] = kernel.makeAlike(at, kernel.constant(0));
    inside = arith::MaxSIOp::create(ir, loc, inside, first);
    auto [position, last] = kernel.makeAlike(inside, kernel.constant(size - 1));
    inner[dim] = {arith::MinSIOp::create(ir, loc, position, last)};
  }
  Value element = evaluate(op.getSource(), inner);
  return isInside ? selectElement(kernel, isInside, element,
                                  op.getConstantPaddingValue())
                  : element;
}
