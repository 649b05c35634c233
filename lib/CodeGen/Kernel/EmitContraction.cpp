//===- EmitContraction.cpp - Kernels around a contraction -------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ContractionEmitter.h"
#include "HamKaas/CodeGen/Kernel/Emitters.h"
#include "HamKaas/CodeGen/Kernel/Reduction.h"
#include "HamKaas/Dialect/HamKaas/IR/OperandFacts.h"
#include "IntegerContraction.h"
#include "WordOperands.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Utils/IndexingUtils.h"
#include "mlir/IR/TypeUtilities.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace hamkaas;

//===----------------------------------------------------------------------===//
// The computation
//===----------------------------------------------------------------------===//

/// Limit on the accumulators of a requested tile, many of which spill.
static constexpr int64_t maxRequested = 256;

/// Applies the rows, columns and depth of the tile that the kernel requests.
LogicalResult ContractionEmitter::takeRequested() {
  ArrayRef<int64_t> requested = kernel.requestedTile;
  auto fail = [&](const Twine &expected) {
    return root->emitError("expected ")
           << expected << ", got ["
           << llvm::join(llvm::map_range(
                             requested,
                             [](int64_t size) { return std::to_string(size); }),
                         ", ")
           << "]";
  };
  if (requested.size() != 3 ||
      llvm::any_of(requested, [](int64_t size) { return size <= 0; }))
    return fail("a tile of rows, columns and depth");
  int64_t rows = requested[0], columns = requested[1], depth = requested[2];
  int64_t unit = hasPanels() ? tile.panelWidth() : tile.lanes;
  if (columns % unit)
    return fail(Twine("columns of the tile that are a multiple of ") +
                Twine(unit));
  if (columns / tile.lanes > maxRequested / rows)
    return fail(Twine("at most ") + Twine(maxRequested) +
                " vectors of sums in the tile");
  if (hasPanels() && columns > unit && (rows > 1 || !loops.window.empty()))
    return fail("several panels in a tile of one row only");
  if (rows > rowCount)
    return fail(Twine("at most ") + Twine(rowCount) + " rows in the tile");
  if (isWhole() && depth < loops.productCount())
    return fail(Twine("a tile of depth ") + Twine(loops.productCount()));
  tile.rows = rows;
  tile.blockRows = std::max<int64_t>(tile.blockRows / rows, 1) * rows;
  tile.panels = hasPanels() ? columns / unit : 1;
  tile.vectors = columns / tile.lanes / tile.panels;
  tile.depth = std::min(depth, loops.productCount());
  return success();
}

/// Returns whether sums must be complete before they are stored.
bool ContractionEmitter::isWhole() {
  // Partial sums go to the destination, one depth after the other.
  return !loops.window.empty() || products ||
         getElementTypeOrSelf(result) !=
             getElementTypeOrSelf(root->getResult(0));
}

/// Returns whether all rows of a tile should use one part of the windows after
/// the other, as the panel would fill a quarter of the second-level cache.
bool ContractionEmitter::cutsWindow() {
  const CostModel &costs = kernel.costs();
  // Measured with 16 registers alone.
  return costs.hasOwnCache() && costs.target.hasFewRegisters() && packed &&
         !loops.window.empty() && tile.blockRows > tile.rows &&
         loops.productCount() * tile.panelWidth() > costs.l2Elements() / 4 &&
         getElementTypeOrSelf(result) ==
             getElementTypeOrSelf(root->getResult(0));
}

/// Images of more than this many times the second-level cache are read once for
/// all panels, not once for each: 48 to 128 channels of 224 x 224 take 0.84 to
/// 0.9 of the time (3 x 3, stride 2, Zen 4, AVX-512).
static constexpr int64_t largeImages = 4;

/// Returns whether consecutive tiles of a convolution should share rows, if all
/// panels stay in the second-level cache. With several images, threads then
/// take other images, as in the copies before and after it: 3 images of 64
/// channels of 14 x 14 take 0.117 ms on two threads instead of 0.136 (3 x 3,
/// stride 2, Zen 3). Large images are read once if a panel does not fit the
/// first-level cache anyway.
bool ContractionEmitter::sharesImages() {
  const CostModel &costs = kernel.costs();
  if (!costs.hasOwnCache() || loops.window.empty() ||
      loops.productCount() * columnCount > costs.l2Elements() * 3 / 4)
    return false;
  ArrayRef<int64_t> outer = loops.joined.empty() ? loops.shared : loops.joined;
  // Measured with 16 registers alone.
  bool areSeveral = costs.target.hasFewRegisters() && !outer.empty() &&
                    loops.extents[outer.front()] > 1;
  auto image = cast<ShapedType>(root.getDpsInputOperand(0)->get().getType());
  bool isLarge =
      loops.productCount() * tile.panelWidth() > costs.l1Elements() &&
      image.getNumElements() > largeImages * costs.l2Elements();
  return areSeveral || isLarge;
}

/// Checks that the accumulators of the tile fit into the registers.
LogicalResult ContractionEmitter::verifyKnobs() {
  const CostModel &costs = kernel.costs();
  // A machine without caches of threads has no such knobs.
  if (!costs.hasOwnCache())
    return success();
  if (hasDotProducts()) {
    for (StringRef name : {rowsKnob, vectorsKnob, depthKnob, blockRowsKnob})
      kernel.dropKnob(name);
    return success();
  }
  int64_t vectors = std::min<int64_t>(
      costs.knobs.vectors, llvm::divideCeil(columnCount, tile.lanes));
  auto fail = [&](StringRef knob, int64_t most) {
    return root->emitError("expected knob '")
           << knob << "' of engine 'hamkaas' to be at most " << most;
  };
  if (vectors > getMaxVectors(costs))
    return fail(vectorsKnob, getMaxVectors(costs))
           << " for " << costs.target.registers << " registers, got "
           << costs.knobs.vectors;
  int64_t most = getMaxRows(costs, tile.vectors);
  if (std::min(costs.knobs.rows, rowCount) > most)
    return fail(rowsKnob, most)
           << " with " << tile.vectors << " vectors in "
           << costs.target.registers << " registers, got " << costs.knobs.rows;
  return success();
}

/// Rows of a block of integer products, which share the unpacked codes of the
/// right side. With 32 registers, blocks of 2, 6, 8 or 12 rows take 1.04 to 1.8
/// times as long (Zen 5); with 16 registers no other number was measured.
static constexpr int64_t integerRows = 4;

/// Panels of codes with at least so many pages are read two at once, shorter
/// ones one after the other, as a single stream: those of SmolLM2-135M, of 14
/// and 28 KB, take about 0.8 of the time (Zen 4, AVX-512).
static constexpr int64_t minStreamPages = 8;

void ContractionEmitter::chooseCodes(DequantizePanelsOp right) {
  codes.emplace(kernel, right, tile.lanes);
  tile.panels = std::clamp<int64_t>(codes->getMaxVectors() / tile.vectors, 1,
                                    tile.panels);
  int64_t rows = tile.rows;
  if (auto left =
          root.getDpsInputOperand(0)->get().getDefiningOp<DequantizeRowsOp>()) {
    products.emplace(kernel, left, right, tile.lanes);
    if (codes->getPanelBytes() <
        minStreamPages * kernel.costs().machine.pageBytes)
      tile.panels = 1;
    if (!kernel.costs().knobs.rows)
      rows = std::min(rowCount, integerRows);
  } else if (1 + (tile.rows + 1) * tile.vectors + codes->getConstants() >
                 kernel.target().registers &&
             rows > 1) {
    // LLVM keeps constants of the codes in registers, and would spill sums.
    --rows;
  }
  setTileRows(rows);
}

void ContractionEmitter::setTileRows(int64_t rows) {
  if (rows == tile.rows)
    return;
  tile.rows = rows;
  tile.blockRows = std::min<int64_t>(llvm::alignTo(tile.blockRows, rows),
                                     llvm::alignTo(rowCount, rows));
}

/// Elements from a row of the left side to the next one.
int64_t ContractionEmitter::getRowPitch() {
  if (!loops.row)
    return 0;
  OpOperand &left = *root.getDpsInputOperand(0);
  AffineMap map = root.getMatchingIndexingMap(&left);
  SmallVector<int64_t> strides = computeSuffixProduct(
      cast<RankedTensorType>(left.get().getType()).getShape());
  SmallVector<int64_t> point(root.getNumLoops(), 0);
  auto locate = [&] {
    return linearize(map.compose(ArrayRef<int64_t>(point)), strides);
  };
  int64_t first = locate();
  point[*loops.row] = 1;
  return locate() - first;
}

/// Limits the rows of a block to the lines of a set of the L1 cache, if the
/// rows are so many bytes apart that they share one. 128 x 1024 x 10 takes 36
/// us instead of 84, 128 x 1024 x 32 74 instead of 120 (Zen 4, AVX-512). 9 rows
/// of 3 vectors gain nothing from 8.
void ContractionEmitter::limitRows() {
  const CostModel &costs = kernel.costs();
  int64_t pitch = getRowPitch();
  if (!costs.hasOwnCache() || costs.knobs.rows || pitch == 0)
    return;
  int64_t lines = costs.l1Lines(pitch);
  if (4 * tile.rows > 5 * lines)
    setTileRows(llvm::divideCeil(rowCount, llvm::divideCeil(rowCount, lines)));
}

/// With multiply-adds, processors load float16 as float32, which needs no copy:
/// on Zen 3, 512 x 768 x 768 runs at 96 GFLOP/s, from copies at 92. bfloat16
/// takes two instructions, and runs at 84 and 92.
bool ContractionEmitter::copiesWidened() {
  Type element = packed ? getElementTypeOrSelf(packed.getSource()) : Type();
  return codes || (packed && (element.isBF16() ||
                              (element.isF16() && !kernel.target().fma)));
}

bool ContractionEmitter::isTransposed() {
  return kernel.costs().hasOwnCache() && loops.window.empty() &&
         loops.readsAlongDepth(root, *root.getDpsInputOperand(1));
}

bool ContractionEmitter::hasDotProducts() {
  return isTransposed() &&
         loops.readsAlongDepth(root, *root.getDpsInputOperand(0)) &&
         kernel.requestedTile.empty() &&
         areDotProducts(kernel.costs(), rowCount, columnCount, depthCount);
}

RightSide ContractionEmitter::getKind() {
  if (hasDotProducts())
    return RightSide::Rows;
  if (packed && packed->hasAttr(freshAttrName))
    return RightSide::Fresh;
  if (isTransposed())
    return RightSide::Transposed;
  return packed ? RightSide::Packed : RightSide::InPlace;
}

/// Returns whether `expr` is the column, or that of a group that begins with a
/// panel of `width` columns.
bool ContractionEmitter::isAlongColumns(AffineExpr expr, int64_t width) const {
  AffineExpr column = getAffineDimExpr(loops.column, expr.getContext());
  if (expr == column)
    return true;
  if (loops.batch.size() != 1 || columnCount % width)
    return false;
  AffineExpr group = getAffineDimExpr(loops.batch.front(), expr.getContext());
  return expr == group * columnCount + column;
}

LogicalResult ContractionEmitter::choosePanels() {
  int64_t width = 0;
  OpOperand &right = *root.getDpsInputOperand(1);
  AffineMap map = root.getMatchingIndexingMap(&right);
  OpOperand *narrow = getWidened(right.get());
  if (auto unpack =
          (narrow ? *narrow : right).get().getDefiningOp<linalg::UnPackOp>()) {
    ArrayRef<int64_t> positions = unpack.getInnerDimsPos();
    int64_t tiles = unpack.getStaticInnerTiles().front();
    if (positions.size() == 1 &&
        isAlongColumns(map.getResult(positions.front()), tiles)) {
      packed = unpack;
      width = tiles;
    }
  }
  auto dequantize = right.get().getDefiningOp<DequantizePanelsOp>();
  if (dequantize)
    width = dequantize.getScales().getType().getDimSize(2);
  if (loops.canJoinRows(root) &&
      joinsRows(kernel.costs(), loops.count(loops.shared), rowCount,
                columnCount, loops.productCount(), width)) {
    loops.joinRows();
    setLoops(std::move(loops));
  }
  tile = chooseContractionTile(kernel.costs(), loops.outerCount(), rowCount,
                               columnCount, loops.productCount(), width,
                               getKind());
  limitRows();
  // The rows of one image share most of their elements.
  if (sharesImages() || !loops.joined.empty())
    tile.sharesRows = sharesImages();
  zeroRows = ZeroRows::find(kernel.costs(), root, loops);
  if (zeroRows)
    loops.joinFirst(zeroRows->getLoop());
  if (failed(verifyKnobs()))
    return failure();
  if (isWhole()) {
    tile.depth = loops.productCount();
    kernel.dropKnob(depthKnob);
  }
  if (dequantize)
    chooseCodes(dequantize);
  if (!hasPanels() || !loops.window.empty())
    tile.panels = 1;
  if (!kernel.requestedTile.empty() && failed(takeRequested()))
    return failure();
  if (products)
    tile.depth = loops.productCount();
  else if (codes)
    tile.depth = std::min<int64_t>(llvm::alignTo(tile.depth, codes->getUnit()),
                                   loops.productCount());
  lanes = tile.lanes;
  panels = llvm::divideCeil(columnCount, tile.panelWidth());
  rowBlocks = llvm::divideCeil(rowCount, tile.blockRows);
  depthBlocks = llvm::divideCeil(loops.productCount(), tile.depth);
  innerWindow = loops.window;
  if (cutsWindow()) {
    depthBlocks = loops.extents[innerWindow.front()];
    innerWindow = innerWindow.drop_front();
  }
  choosePrefetch();
  chooseCopy();
  chooseResultPrefetch();
  return success();
}

void ContractionEmitter::chooseCopy() {
  OpOperand &right = *root.getDpsInputOperand(1);
  SmallVector<unsigned> dims(loops.batch.begin(), loops.batch.end());
  dims.append({unsigned(loops.depth), unsigned(loops.column)});
  int64_t fullRows = rowCount / tile.rows * tile.rows;
  int64_t lastRow = (rowBlocks - 1) * tile.blockRows;
  int64_t uses = tile.blockRows / tile.rows;
  if (hasDotProducts())
    return;
  bool isSmall = kernel.costs().fitsStack(tile.depth * tile.panelWidth());
  if ((copiesWidened() && !products && uses > 1) || (isTransposed() && isSmall))
    copy.emplace(kernel, right.get(), tile, uses);
  bool isMatrix = isa<BlockArgument>(right.get()) && loops.window.empty() &&
                  root.getMatchingIndexingMap(&right) ==
                      AffineMap::getMultiDimMapWithTargets(
                          root.getNumLoops(), dims, root.getContext());
  // The first block of each tile fills the copy. The last rows are another use.
  int64_t allUses = uses + (rowCount > fullRows);
  bool isEvicted = kernel.costs().isEvicted(tile.depth, columnCount);
  if (!isMatrix || lastRow >= fullRows || !isSmall ||
      (isEvicted ? allUses < 2 : uses < 4) ||
      !kernel.costs().isCopied(loops.productCount(), columnCount))
    return;
  copy.emplace(kernel, right.get(), tile, uses);
}

/// Largest depth for which the destination is prefetched: 3136 x 64 x 256 gains
/// 7 %. The stores of deeper blocks drain during the next one.
static constexpr int64_t maxShallowDepth = 96;

void ContractionEmitter::chooseResultPrefetch() {
  RankedTensorType type = kernel.destinationType();
  // Measured with 16 registers alone.
  if (!kernel.target().hasFewRegisters() || !type.getElementType().isF32())
    return;
  bool isShallow = loops.productCount() <= maxShallowDepth;
  int64_t elements = type.getNumElements();
  bool isLarge = kernel.costs().prefetchesElements(elements);
  if (!isLarge && (isShallow || !kernel.costs().prefetchesAdded(elements)))
    return;
  prefetchesDestination = isShallow;
  for (BlockArgument argument : kernel.arguments().drop_back())
    if (argument.getType() == type && !argument.use_empty() &&
        llvm::none_of(argument.getUsers(),
                      [&](Operation *user) { return user == root; }))
      epilogueArguments.push_back(argument);
}

void ContractionEmitter::choosePrefetch() {
  if (!kernel.costs().machine.prefetches || !packed ||
      !isa<BlockArgument>(packed.getSource()))
    return;
  SmallVector<int64_t> shape;
  for (int64_t loop : loops.batch)
    shape.push_back(loops.extents[loop]);
  shape.push_back(panels);
  for (int64_t loop : loops.window)
    shape.push_back(loops.extents[loop]);
  shape.append({depthCount, tile.panelWidth()});
  auto type = cast<RankedTensorType>(packed.getSource().getType());
  if (type.getShape() != ArrayRef(shape))
    return;
  int64_t uses = tile.blockRows / tile.rows;
  if (!loops.window.empty()) {
    if (!kernel.costs().prefetchesWindows(type.getNumElements()))
      return;
    uses = loops.count(loops.shared) * (rowCount / tile.rows);
  }
  prefetch.emplace(kernel, packed.getSource(), loops.productCount(), tile, uses,
                   tile.panelWidth());
}

//===----------------------------------------------------------------------===//
// Loops
//===----------------------------------------------------------------------===//

FailureOr<Tile> ContractionEmitter::emit() {
  StringRef reason;
  FailureOr<ContractionLoops> matched = ContractionLoops::match(root, reason);
  if (failed(matched))
    return root->emitError(reason);
  auto isCodes = [](Operation *op) {
    return isa<DequantizePanelsOp, DequantizeRowsOp>(op);
  };
  if (failed(verifyBody(root)) || failed(verifyEpilogue(root, result, isCodes)))
    return failure();
  setLoops(*matched);
  if (failed(choosePanels()))
    return failure();
  // Partial sums overwrite the destination before the epilogue reads.
  if (depthBlocks > 1)
    for (Value argument : kernel.arguments())
      kernel.forbidAlias(argument);
  TileGrid grid = getGrid();
  kernel.tileLoop(countTiles(grid), [&](Value index) {
    emitTile(grid, index, [&](Value rowBlock, const Columns &columns) {
      emitPanels(rowBlock, columns);
    });
  });
  return Tile{tile.rows, tile.columns(), tile.depth};
}

void ContractionEmitter::emitPanels(Value rowBlock, Columns columns) {
  kernel.writingLoop(
      kernel.constant(0), kernel.constant(depthBlocks), 1,
      [&](Value depthBlock) { emitRowBlock(rowBlock, depthBlock, columns); });
}

void ContractionEmitter::emitRowBlock(Value rowBlock, Value depthBlock,
                                      Columns columns) {
  int64_t fullRows = rowCount / tile.rows * tile.rows;
  Value first = kernel.multiply(rowBlock, tile.blockRows);
  Value last = kernel.minimum(kernel.add(first, tile.blockRows), fullRows);
  Value second = first;
  readsCopy = false;
  if (copy && isTransposed()) {
    transposePanel(depthBlock, columns);
  } else if (copy && copiesWidened()) {
    widenPanel(depthBlock, columns);
  } else if (copy) {
    emitAccumulators(first, tile.rows, depthBlock, columns, /*use=*/nullptr);
    second = kernel.add(first, tile.rows);
  }
  readsCopy = copy.has_value();
  kernel.writingLoop(second, last, tile.rows, [&](Value row) {
    Value use = kernel.divide(kernel.subtract(row, second), tile.rows);
    if (copy && !fillsFirst()) {
      if (kernel.costs().prefetchesCopies())
        copy->begin(getNextStretch(depthBlock, columns), use);
      else if (kernel.costs().prefetchesFarCopies(depthCount * columnCount))
        copy->prefetchBlock(getNextStretch(depthBlock, columns), use);
    }
    emitAccumulators(row, tile.rows, depthBlock, columns, use);
    if (copy)
      copy->end();
  });
  emitLastRows(getGrid(), rowBlock, tile.rows, [&](Value row, int64_t count) {
    emitAccumulators(row, count, depthBlock, columns, /*use=*/nullptr);
  });
}

/// The rows of windows in which the current rows read more than zeros; none if
/// those are all.
std::optional<ContractionEmitter::Range> ContractionEmitter::findTaps() {
  if (!zeroRows)
    return std::nullopt;
  Value first, last;
  if (llvm::is_contained(loops.shared, zeroRows->getLoop())) {
    first = last = at[zeroRows->getLoop()].index;
  } else {
    first = rowPoints.find(rows.front())->second.front();
    last = rowPoints.find(rows.back())->second.front();
  }
  return Range{zeroRows->findFirstTap(kernel, last),
               zeroRows->findEndTap(kernel, first)};
}

/// One block of accumulators, in registers from the first product of the depth
/// block to the last. `use` counts the blocks that read the same part of a
/// panel, null if nothing counts them.
void ContractionEmitter::emitAccumulators(Value firstRow, int64_t rowsHere,
                                          Value depthBlock, Columns columns,
                                          Value use) {
  setRows(firstRow, rowsHere);
  if (innerWindow.size() < loops.window.size())
    at[loops.window.front()] = {depthBlock};
  // With a window around it, all of the innermost loop is one block.
  Value lower = loops.window.empty() ? kernel.multiply(depthBlock, tile.depth)
                                     : kernel.constant(0);
  Value upper = kernel.minimum(kernel.add(lower, tile.depth), depthCount);
  if (prefetch && use) {
    Value panel = kernel.add(kernel.multiply(linearIndex(loops.batch), panels),
                             columns.panel);
    if (loops.window.empty())
      prefetch->begin(panel, use, lower, upper);
    else
      prefetch->begin(panel, getUse(firstRow), lower,
                      kernel.constant(loops.productCount()));
  }
  taps = findTaps();
  if (depthBlocks == 1) {
    prefetchResult(columns);
    finish(accumulate(lower, upper, start(columns), columns), columns);
  } else if (!taps) {
    prefetchResult(columns);
    addDepthBlock(depthBlock, {lower, upper},
                  {kernel.constant(0), kernel.constant(depthBlocks)}, columns);
  } else {
    Value isNeeded = arith::AndIOp::create(
        kernel.ir(), kernel.loc(), kernel.isLess(depthBlock, taps->upper),
        kernel.isLess(taps->lower, kernel.add(depthBlock, 1)));
    kernel.writingBranch(
        isNeeded,
        [&] {
          prefetchResult(columns);
          addDepthBlock(depthBlock, {lower, upper}, *taps, columns);
        },
        [] {});
  }
  if (prefetch)
    prefetch->end();
}

/// Adds the products of a depth block, one of `blocks`, to the partial sums.
void ContractionEmitter::addDepthBlock(Value depthBlock, Range depth,
                                       Range blocks, const Columns &columns) {
  auto vectorType = VectorType::get(tile.lanes, kernel.ir().getF32Type());
  SmallVector<Type> types(rows.size() * columns.vectors, vectorType);
  Value next = kernel.add(depthBlock, 1);
  SmallVector<Value> sums = kernel.branch(
      kernel.isLess(blocks.lower, depthBlock), types, /*writes=*/false,
      [&] { return resume(columns); }, [&] { return start(columns); });
  sums = accumulate(depth.lower, depth.upper, sums, columns);
  kernel.writingBranch(
      kernel.isLess(next, blocks.upper), [&] { suspend(sums, columns); },
      [&] { finish(sums, columns); });
}

FailureOr<Tile> hamkaas::emitContraction(KernelBuilder &kernel, Value result) {
  linalg::LinalgOp root = findReductionRoot(result);
  if (!root)
    return emitError(kernel.loc(), "expected a contraction in the kernel");
  if (isIntegerContraction(root))
    return emitIntegerContraction(kernel, root, result);
  FailureOr<std::optional<Tile>> groups = emitGroups(kernel, root, result);
  if (failed(groups))
    return failure();
  if (*groups)
    return **groups;
  return ContractionEmitter(kernel, root, result).emit();
}
