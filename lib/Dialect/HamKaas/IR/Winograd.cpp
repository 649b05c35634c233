//===- Winograd.cpp - hamkaas.winograd_input and _output --------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HamKaas/Dialect/HamKaas/IR/Winograd.h"
#include "HamKaas/Dialect/HamKaas/IR/ContractionOps.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;
using namespace hamkaas;

//===----------------------------------------------------------------------===//
// Matrices
//===----------------------------------------------------------------------===//

// Each row of an input matrix is scaled to small integers, which are exact, and
// the row of the weights by the inverse.

static constexpr double input4[] = {1, 0,  -1, 0, //
                                    0, 1,  1,  0, //
                                    0, -1, 1,  0, //
                                    0, -1, 0,  1};
static constexpr double input5[] = {1, -2, -1, 2,  0, //
                                    0, -1, 1,  2,  0, //
                                    0, -1, 3,  -2, 0, //
                                    0, 1,  0,  -1, 0, //
                                    0, 1,  -2, -1, 2};
static constexpr double input6[] = {2, -3, -4, 3,  2,  0, //
                                    0, -2, 1,  5,  2,  0, //
                                    0, -2, 5,  -1, -2, 0, //
                                    0, 2,  1,  -2, -1, 0, //
                                    0, 1,  -2, -1, 2,  0, //
                                    0, 2,  -3, -4, 3,  2};
static constexpr double input8[] = {4, 0,  -21, 0,   21,  0,   -4, 0, //
                                    0, 4,  4,   -17, -17, 4,   4,  0, //
                                    0, -4, 4,   17,  -17, -4,  4,  0, //
                                    0, 4,  8,   -5,  -10, 1,   2,  0, //
                                    0, -4, 8,   5,   -10, -1,  2,  0, //
                                    0, 2,  1,   -10, -5,  8,   4,  0, //
                                    0, -2, 1,   10,  -5,  -8,  4,  0, //
                                    0, -4, 0,   21,  0,   -21, 0,  4};

namespace {
/// The method with tiles of so many elements along a dimension, for windows of
/// any length: the points are those of the rows, the last of which is infinity.
struct Method {
  int64_t size;
  ArrayRef<double> input;
  /// The finite points, and the factor of each row of the weights.
  ArrayRef<double> points, factors;
  /// The largest of a result, in parts of its largest value, along one
  /// dimension and along both. Measured with 256 channels of normal numbers.
  double errorAlongOne, errorAlongBoth;
};
} // namespace

static constexpr double points[] = {0, 1, -1, 1. / 2, -2};
static constexpr double points8[] = {0, 1, -1, 1. / 2, -1. / 2, 2, -2};
static constexpr double factors4[] = {1, 1. / 2, 1. / 2, 1};
static constexpr double factors5[] = {1, 1. / 2, 1. / 6, 8. / 3, 1. / 2};
static constexpr double factors6[] = {1. / 2,   1. / 6,  1. / 6,
                                      16. / 15, 1. / 30, 1. / 2};
static constexpr double factors8[] = {1. / 4,   -1. / 18, -1. / 18, 16. / 45,
                                      16. / 45, 1. / 360, 1. / 360, 1. / 4};

static constexpr Method methods[] = {
    {4, input4, ArrayRef(points, 3), factors4, 7e-7, 7e-7},
    {5, input5, ArrayRef(points, 4), factors5, 2e-6, 5e-6},
    {6, input6, points, factors6, 2e-6, 5e-6},
    {8, input8, points8, factors8, 4e-6, 3e-5}};

static const Method *findMethod(int64_t size) {
  const Method *method = llvm::find_if(
      methods, [&](const Method &method) { return method.size == size; });
  return method == std::end(methods) ? nullptr : method;
}

static const Method &getMethod(int64_t size) {
  if (const Method *method = findMethod(size))
    return *method;
  llvm_unreachable("unsupported size");
}

ArrayRef<int64_t> hamkaas::getWinogradSizes() {
  static constexpr int64_t sizes[] = {4, 5, 6, 8};
  return sizes;
}

bool hamkaas::isWinogradSide(WinogradSide side) {
  if (side.taps == 1)
    return side.tile == 1;
  return side.taps > 1 && side.tile > 1 && findMethod(side.size());
}

std::array<WinogradSide, 2>
hamkaas::getWinogradSides(int64_t tile, ArrayRef<int64_t> window) {
  auto getSide = [&](int64_t taps) {
    return WinogradSide{taps == 1 ? 1 : tile, taps};
  };
  return {getSide(window[0]), getSide(window[1])};
}

double hamkaas::getWinogradError(int64_t size, bool isAlongBoth) {
  const Method &method = getMethod(size);
  return isAlongBoth ? method.errorAlongBoth : method.errorAlongOne;
}

/// The powers `0` to `count - 1` of `point`.
static SmallVector<double> getPowers(double point, int64_t count) {
  SmallVector<double> powers{1};
  while (int64_t(powers.size()) < count)
    powers.push_back(powers.back() * point);
  return powers;
}

WinogradMatrices hamkaas::getWinogradMatrices(WinogradSide side) {
  if (side.taps == 1)
    return {{1}, {1}, {1}};
  const Method &method = getMethod(side.size());
  auto [tile, taps] = side;
  WinogradMatrices matrices{SmallVector<double>(method.input),
                            SmallVector<double>(side.size() * taps),
                            SmallVector<double>(tile * side.size())};
  auto setRow = [&](int64_t row, int64_t tap, double element) {
    matrices.weights[row * taps + tap] = element * method.factors[row];
  };
  auto setColumn = [&](int64_t position, int64_t column, double element) {
    matrices.output[position * side.size() + column] = element;
  };
  for (auto [i, point] : llvm::enumerate(method.points)) {
    for (auto [tap, power] : llvm::enumerate(getPowers(point, taps)))
      setRow(i, tap, power);
    for (auto [position, power] : llvm::enumerate(getPowers(point, tile)))
      setColumn(position, i, power);
  }
  // Infinity.
  setRow(side.size() - 1, taps - 1, 1);
  setColumn(tile - 1, side.size() - 1, 1);
  return matrices;
}

static constexpr double integerWeights2[] = {1, 0,  0, //
                                             1, 1,  1, //
                                             1, -1, 1, //
                                             0, 0,  1};
static constexpr double integerOutput2[] = {2, 1, 1,  0, //
                                            0, 1, -1, 2};

// Of these points, each has one other whose difference is even, modulo which
// there are three numbers. With 2 instead of 1/2, the factor would be 576, and
// only 26 bits of a result would be known.
static constexpr double integerWeights4[] = {1, 0,  0, //
                                             1, 1,  1, //
                                             1, -1, 1, //
                                             4, 2,  1, //
                                             1, -2, 4, //
                                             0, 0,  1};
static constexpr double integerOutput4[] = {15, 5, 5,  8, 1,  0, //
                                            0,  5, -5, 4, -2, 0, //
                                            0,  5, 5,  2, 4,  0, //
                                            0,  5, -5, 1, -8, 15};

/// 30^2 = 4 * 225.
static constexpr uint32_t inverseOf225 = 0x87654321;
static_assert(225 * inverseOf225 == 1);

static constexpr IntegerWinograd integerWinograd[] = {
    {2, /*inverse=*/1, /*shift=*/2, integerWeights2, integerOutput2},
    {4, inverseOf225, /*shift=*/2, integerWeights4, integerOutput4}};

WinogradMatrices IntegerWinograd::getMatrices() const {
  return {getWinogradMatrices({tile, 3}).input, SmallVector<double>(weights),
          SmallVector<double>(output)};
}

ArrayRef<IntegerWinograd> hamkaas::getIntegerWinograd() {
  return integerWinograd;
}

const IntegerWinograd &hamkaas::getIntegerWinograd(int64_t tile) {
  for (const IntegerWinograd &candidate : integerWinograd)
    if (candidate.tile == tile)
      return candidate;
  llvm_unreachable("unsupported tile");
}

SmallVector<double> hamkaas::getTransposedOutput(int64_t tile) {
  SmallVector<double> output = getWinogradMatrices({tile, 3}).output;
  SmallVector<double> matrix;
  for (int64_t row = 0; row < tile + 2; ++row)
    for (int64_t column = 0; column < tile; ++column)
      matrix.push_back(output[column * (tile + 2) + row]);
  return matrix;
}

//===----------------------------------------------------------------------===//
// Windows and tiles
//===----------------------------------------------------------------------===//

static constexpr int64_t squareWindow[] = {3, 3};

/// Windows are square or along one dimension. Those of 7 elements have tiles of
/// two positions, the fewest.
static LogicalResult verifyWindow(std::optional<Location> loc,
                                  ArrayRef<int64_t> window, ShapedType x) {
  if (window.size() != 2)
    return emitOptionalError(loc, "expected a window of 2 numbers, got ",
                             window.size());
  int64_t taps = std::max(window[0], window[1]);
  auto isSide = [&](int64_t size) { return size == taps || size == 1; };
  bool isInteger = x.getElementType().isInteger();
  if (isInteger ? window != ArrayRef(squareWindow)
                : !llvm::all_of(window, isSide) || taps < 2 || taps > 7)
    return emitOptionalError(
        loc, "expected a window of ",
        isInteger ? "3 x 3"
                  : "equal numbers of 2 to 7, or of 1 and such a number",
        ", got ", window[0], " x ", window[1]);
  return success();
}

/// The tiles that there are for windows of `taps` elements.
static SmallVector<int64_t> getTiles(int64_t taps, ShapedType x) {
  SmallVector<int64_t> tiles;
  if (x.getElementType().isInteger()) {
    for (const IntegerWinograd &method : integerWinograd)
      tiles.push_back(method.tile);
    return tiles;
  }
  for (int64_t size : getWinogradSizes())
    if (WinogradSide side{size - taps + 1, taps}; isWinogradSide(side))
      tiles.push_back(side.tile);
  return tiles;
}

static std::string describeNumbers(ArrayRef<int64_t> numbers) {
  std::string text;
  llvm::raw_string_ostream os(text);
  for (auto [i, number] : llvm::enumerate(numbers))
    os << (i == 0 ? "" : i + 1 == numbers.size() ? " or " : ", ") << number;
  return text;
}

/// The type of the tiles of images `x`, as many elements apart as they have
/// positions. Those at the end have `overlap` times the elements of a window
/// but one beyond.
static LogicalResult inferTilesType(std::optional<Location> loc, ShapedType x,
                                    int64_t tile, ArrayRef<int64_t> window,
                                    bool overlap, std::optional<int64_t> groups,
                                    SmallVectorImpl<Type> &types) {
  if (x.getRank() != 4) // C1.
    return emitOptionalError(loc, "expected x of rank 4, got ", x.getRank());
  if (failed(verifyWindow(loc, window, x))) // C2.
    return failure();
  SmallVector<int64_t> tiles = getTiles(std::max(window[0], window[1]), x);
  if (!llvm::is_contained(tiles, tile)) // C3.
    return emitOptionalError(loc, "expected tiles of ", describeNumbers(tiles),
                             ", got ", tile);
  int64_t channels = x.getDimSize(3);
  if (groups && (*groups <= 0 || channels % *groups)) // C5.
    return emitOptionalError(loc, "expected groups to divide the ", channels,
                             " channels of x, got ", *groups);
  std::array<WinogradSide, 2> sides = getWinogradSides(tile, window);
  SmallVector<int64_t> shape{sides[0].size(), sides[1].size()};
  if (groups)
    shape.push_back(*groups);
  shape.push_back(x.getDimSize(0));
  for (auto [i, side] : llvm::enumerate(sides)) {
    int64_t more = overlap ? side.taps - 1 : 0;
    int64_t size = x.getDimSize(i + 1) - more;
    if (size <= 0 || size % side.tile) // C4.
      return emitOptionalError(
          loc, "expected dimension ", i + 1, " of x to be ",
          more ? std::to_string(more) + " more than " : "", "a multiple of ",
          side.tile, ", got ", x.getDimSize(i + 1));
    shape.push_back(size / side.tile);
  }
  shape.push_back(channels / groups.value_or(1));
  types.push_back(x.clone(shape));
  return success();
}

//===----------------------------------------------------------------------===//
// winograd_input
//===----------------------------------------------------------------------===//

std::array<WinogradSide, 2> WinogradInputOp::getSides() {
  return getWinogradSides(getTile(), getWindow().value_or(squareWindow));
}

LogicalResult WinogradInputOp::inferReturnTypes(MLIRContext *,
                                                std::optional<Location> loc,
                                                Adaptor adaptor,
                                                SmallVectorImpl<Type> &types) {
  return inferTilesType(loc, cast<ShapedType>(adaptor.getX().getType()),
                        adaptor.getTile(),
                        adaptor.getWindow().value_or(squareWindow),
                        /*overlap=*/true, adaptor.getGroups(), types);
}

/// Both matrices are applied to one dimension after the other.
int64_t WinogradInputOp::getFlops() {
  int64_t products = 0;
  for (WinogradSide side : getSides())
    products += side.taps == 1 ? 0 : side.size();
  return multiplyCounts(2 * products, getElementCount(getType()));
}

//===----------------------------------------------------------------------===//
// winograd_output
//===----------------------------------------------------------------------===//

/// The tiles of which the first two dimensions of `x` are transformed ones.
static std::array<WinogradSide, 2> getOutputSides(ArrayRef<int64_t> x,
                                                  ArrayRef<int64_t> window) {
  return {WinogradSide{x[0] - window[0] + 1, window[0]},
          WinogradSide{x[1] - window[1] + 1, window[1]}};
}

std::array<WinogradSide, 2> WinogradOutputOp::getSides() {
  return getOutputSides(getX().getType().getShape(),
                        getWindow().value_or(squareWindow));
}

LogicalResult WinogradOutputOp::inferReturnTypes(MLIRContext *,
                                                 std::optional<Location> loc,
                                                 Adaptor adaptor,
                                                 SmallVectorImpl<Type> &types) {
  auto x = cast<ShapedType>(adaptor.getX().getType());
  if (x.getRank() != 6 && x.getRank() != 7) // C1.
    return emitOptionalError(loc, "expected x of rank 6 or 7, got ",
                             x.getRank());
  ArrayRef<int64_t> window = adaptor.getWindow().value_or(squareWindow);
  if (failed(verifyWindow(loc, window, x))) // C2.
    return failure();
  ArrayRef<int64_t> shape = x.getShape();
  std::array<WinogradSide, 2> sides = getOutputSides(shape, window);
  int64_t taps = std::max(window[0], window[1]);
  SmallVector<int64_t> tiles = getTiles(taps, x), sizes;
  for (int64_t tile : tiles)
    sizes.push_back(tile + taps - 1);
  SmallVector<int64_t> transformed;
  for (WinogradSide side : sides)
    if (side.taps != 1)
      transformed.push_back(side.size());
  bool isAlongBoth = transformed.size() == 2;
  if (!llvm::all_equal(transformed) || // C3.
      !llvm::is_contained(sizes, transformed.front()) ||
      !llvm::all_of(sides, [](WinogradSide side) {
        return side.taps != 1 || side.tile == 1;
      }))
    return emitOptionalError(
        loc, "expected the first two dimensions of x to be ",
        describeNumbers(sizes),
        isAlongBoth ? " and equal" : ", and 1 where the window is", ", got ",
        shape[0], " and ", shape[1]);
  int64_t groups = shape.size() == 7 ? shape[2] : 1;
  ArrayRef<int64_t> images = shape.take_back(4);
  SmallVector<int64_t> whole{sides[0].tile * images[1],
                             sides[1].tile * images[2]};
  ArrayRef<int64_t> part = adaptor.getSize().value_or(whole);
  if (part.size() != 2) // C4.
    return emitOptionalError(loc, "expected a size of 2 numbers, got ",
                             part.size());
  for (auto [dim, most, side] : llvm::enumerate(whole, sides))
    if (part[dim] <= most - side.tile || part[dim] > most) // C4.
      return emitOptionalError(loc, "expected number ", dim,
                               " of the size to be ", most - side.tile + 1,
                               " to ", most, ", got ", part[dim]);
  types.push_back(x.clone(
      {images[0], part[0], part[1], multiplyCounts(groups, images[3])}));
  return success();
}

/// Of each tile first the rows of its positions, then as many columns.
int64_t WinogradOutputOp::getFlops() {
  auto [rows, columns] = getSides();
  int64_t tiles =
      getElementCount(getX().getType()) / (rows.size() * columns.size());
  int64_t products = 0;
  if (rows.taps != 1)
    products += rows.tile * rows.size() * columns.size();
  if (columns.taps != 1)
    products += rows.tile * columns.tile * columns.size();
  return multiplyCounts(2 * products, tiles);
}

//===----------------------------------------------------------------------===//
// winograd_gradient
//===----------------------------------------------------------------------===//

LogicalResult
WinogradGradientOp::inferReturnTypes(MLIRContext *, std::optional<Location> loc,
                                     Adaptor adaptor,
                                     SmallVectorImpl<Type> &types) {
  return inferTilesType(loc, cast<ShapedType>(adaptor.getX().getType()),
                        adaptor.getTile(), squareWindow, /*overlap=*/false,
                        /*groups=*/std::nullopt, types);
}

/// Of each tile first the `tile + 2` rows, then as many columns.
int64_t WinogradGradientOp::getFlops() {
  int64_t tile = getTile(), size = tile + 2;
  int64_t tiles = getElementCount(getType()) / (size * size);
  return multiplyCounts(2 * tile * (tile * size + size * size), tiles);
}
