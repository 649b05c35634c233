//===- IntegerContraction.cpp - Products of narrow integers -----*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A step of the loops takes a word of 32 bits of the depth: two integers of 16
// bits, or four bytes, unsigned on the left side and signed on the right. One
// word of the left side is in all lanes, and is multiplied by the words of a
// panel's columns. Nothing saturates, and sums wrap as those of 32-bit integers
// do.
//
//===----------------------------------------------------------------------===//

#include "IntegerContraction.h"
#include "ContractionNest.h"
#include "DotProducts.h"
#include "HamKaas/CodeGen/Kernel/Contraction.h"
#include "HamKaas/CodeGen/Kernel/Reduction.h"
#include "HamKaas/CodeGen/Kernel/TreeEmitter.h"
#include "PanelPrefetch.h"
#include "TileProducts.h"
#include "WordOperands.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Utils/IndexingUtils.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/TypeUtilities.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace hamkaas;

bool hamkaas::isIntegerContraction(linalg::LinalgOp root) {
  return getElementTypeOrSelf(root->getResult(0)).isInteger(32);
}

//===----------------------------------------------------------------------===//
// Blocks
//===----------------------------------------------------------------------===//

/// Vectors of a panel: with two, a block of 16 registers has 12 accumulators.
static constexpr int64_t maxPanelVectors = 2;
/// Limit on rows: more only lengthen the code.
static constexpr int64_t maxBlockRows = 14;
/// Words that an iteration of the innermost loop takes: its own instructions
/// would fill a tenth of the issue slots.
static constexpr int64_t unrolledWords = 2;

/// Lanes that an instruction for words has.
static int64_t chooseWordLanes(const CostModel &costs, int64_t columns) {
  constexpr int64_t least = 4;
  return std::clamp<int64_t>(llvm::PowerOf2Ceil(columns), least,
                             costs.target.lanes);
}

int64_t hamkaas::chooseWordPanelWidth(const CostModel &costs,
                                      const ContractionLoops &loops) {
  int64_t lanes = chooseWordLanes(costs, loops.columnCount());
  int64_t vectors = llvm::divideCeil(loops.columnCount(), lanes);
  return lanes * std::min(maxPanelVectors, vectors);
}

/// Cycles per step of a block: its products and sums, but not less than the
/// loop takes, and the loads, which mostly hide behind them.
static double getStepCycles(int64_t rows, int64_t vectors) {
  constexpr double least = 2, perLoad = 0.15;
  return std::max(least, double(rows * vectors) / 2) +
         perLoad * double(rows + vectors);
}

/// Rows of a block of accumulators. Beside these, vectors of the right side, a
/// word of the left side and a product are in registers. Of bytes, either side
/// has even and odd ones where there are no dot products.
static int64_t chooseWordRows(const CostModel &costs, int64_t rows,
                              int64_t vectors, int64_t wordElements) {
  int64_t parts = wordElements / 2;
  int64_t others = parts * (vectors + 1) + 1;
  int64_t most = (costs.target.registers - others) / vectors;
  most = std::min({most, rows, maxBlockRows});
  auto getCycles = [&](int64_t r) {
    int64_t blocks = rows / r;
    double cycles = double(blocks) * getStepCycles(r, vectors);
    return rows % r ? cycles + getStepCycles(rows % r, vectors) : cycles;
  };
  int64_t best = 1;
  for (int64_t r = 2; r <= most; ++r)
    if (getCycles(r) < getCycles(best))
      best = r;
  return best;
}

//===----------------------------------------------------------------------===//
// The emitter
//===----------------------------------------------------------------------===//

namespace {

class IntegerContractionEmitter : ContractionNest {
public:
  IntegerContractionEmitter(KernelBuilder &kernel, linalg::LinalgOp root,
                            Value result)
      : ContractionNest(kernel, root, result) {}

  FailureOr<Tile> emit();

private:
  LogicalResult chooseBlocks();
  LogicalResult takeRequested();
  bool keepsOrder() const;
  void choosePrefetch(Value panels);
  void chooseTiles();
  void emitRowBlock(Value rowBlock, const Columns &columns);
  void emitVectorBlocks(Value rowBlock, const Columns &columns);
  void emitTileBlocks(Value rowBlock, const Columns &columns);
  void addTiles(Value left, const Columns &columns);
  void emitAccumulators(Value firstRow, int64_t count, const Columns &columns);
  SmallVector<Value> accumulate(ValueRange sums, const Columns &columns);
  SmallVector<Value> accumulateBy(bool byDotProducts, ValueRange sums,
                                  const Columns &columns);
  SmallVector<Value> addWord(Value word, int64_t count, ValueRange sums,
                             const Columns &columns);
  SmallVector<Value> getFactors(Value words, bool isUnsigned);
  Value addProducts(Value sum, Value left, Value right);

  SmallVector<Value> readRight(const Columns &columns, Value word,
                               int64_t count);
  Value getPanelRow(const Columns &columns, Value word);
  int64_t width() const { return lanes * vectors; }
  TileGrid getGrid() const { return {sharesRows, rowBlocks, width(), 1}; }

  std::optional<WordOperands> operands;
  /// Elements that a word has.
  int64_t wordElements = 2;
  /// True while the loops for processors with dot products are emitted.
  bool usesDotProducts = false;
  /// The panels of a packed right side, null if it is read in place.
  Value panelBuffer;
  std::optional<PanelPrefetch> prefetch;
  /// The code for processors with AMX, if there is any, and the bytes from a
  /// row of the left side to the next.
  std::optional<TileProducts> tiles;
  TileProducts::Shape tileShape{};
  int64_t leftStride = 0;
  int64_t vectors = 1, blockRows = 1, tileRows = 1;
  bool sharesRows = false;
  /// Words of the depth, the last of which may be a part, and of a whole sum.
  int64_t wordCount = 1, stepCount = 1;
  int64_t panels = 1, rowBlocks = 1;
};

} // namespace

//===----------------------------------------------------------------------===//
// The computation
//===----------------------------------------------------------------------===//

LogicalResult IntegerContractionEmitter::takeRequested() {
  ArrayRef<int64_t> requested = kernel.requestedTile;
  if (requested.size() != 3 || requested[1] != width() ||
      requested[2] != loops.productCount() || requested[0] < 1 ||
      requested[0] > std::min(rowCount, maxBlockRows))
    return root->emitError("expected a tile of at most ")
           << std::min(rowCount, maxBlockRows) << " rows, " << width()
           << " columns and depth " << loops.productCount();
  blockRows = requested[0];
  return success();
}

LogicalResult IntegerContractionEmitter::chooseBlocks() {
  for (StringRef name : {rowsKnob, vectorsKnob, depthKnob, blockRowsKnob})
    kernel.dropKnob(name);
  CostModel costs = kernel.costs();
  costs.knobs = {};
  lanes = chooseWordLanes(costs, columnCount);
  vectors = chooseWordPanelWidth(costs, loops) / lanes;
  auto unpack = operands->getRight().getDefiningOp<linalg::UnPackOp>();
  if (unpack && unpack.getStaticInnerTiles().size() == 2 &&
      isa<BlockArgument>(unpack.getSource())) {
    vectors = unpack.getStaticInnerTiles().front() / lanes;
    panelBuffer = kernel.flatBuffer(unpack.getSource());
  }
  operands->setLanes(lanes);
  blockRows = chooseWordRows(costs, rowCount, vectors, wordElements);
  if (!kernel.requestedTile.empty() && failed(takeRequested()))
    return failure();
  // A word takes the memory of a float32.
  ContractionTile tile = chooseContractionTile(
      costs, loops.outerCount(), rowCount, columnCount, stepCount, width());
  tileRows =
      std::min<int64_t>(rowCount, llvm::alignTo(tile.blockRows, blockRows));
  sharesRows = tile.sharesRows && rowCount > tileRows;
  panels = llvm::divideCeil(columnCount, width());
  rowBlocks = llvm::divideCeil(rowCount, tileRows);
  if (panelBuffer)
    choosePrefetch(unpack.getSource());
  return success();
}

/// LLVM's scheduler loads the operands of several words before the first
/// product, which is assembly to it, and spills accumulators: 36 times 49 x 128
/// with 128 x 128 take 0.51 ms so, 0.27 in their order, in blocks of 13 x 2
/// vectors. One of 14 x 2, for which the order leaves too few registers, takes
/// 0.29 ms and 0.46 (AMD Zen 4, AVX-512). With 16 registers, neither matters.
bool IntegerContractionEmitter::keepsOrder() const {
  constexpr int64_t spareRegisters = 3;
  return !kernel.target().hasFewRegisters() &&
         blockRows * vectors + vectors + 1 + spareRegisters <=
             kernel.target().registers;
}

/// As for panels of floats, once for each iteration of the innermost loop: two
/// words bring at most a line.
void IntegerContractionEmitter::choosePrefetch(Value panels) {
  const CostModel &costs = kernel.costs();
  int64_t elements = cast<RankedTensorType>(panels.getType()).getNumElements();
  bool hasWindow = !loops.window.empty();
  if (!costs.machine.prefetches ||
      (hasWindow && !costs.prefetchesWindows(elements / wordElements)))
    return;
  ContractionTile tile{};
  tile.depth = stepCount;
  int64_t uses = hasWindow ? loops.count(loops.shared) * (rowCount / blockRows)
                           : tileRows / blockRows;
  prefetch.emplace(kernel, panels, stepCount, tile, uses,
                   wordElements * width());
}

FailureOr<Tile> IntegerContractionEmitter::emit() {
  StringRef reason;
  FailureOr<ContractionLoops> matched = ContractionLoops::match(root, reason);
  if (failed(matched))
    return root->emitError(reason);
  if (failed(verifyBody(root)) || failed(verifyEpilogue(root, result)))
    return failure();
  setLoops(*matched);
  std::optional<WordOperands> words = WordOperands::match(kernel, root, loops);
  if (!words)
    return root->emitError("expected operands that are integers of 8 or of 16 "
                           "bits, each as a 32-bit one");
  operands.emplace(*words);
  wordElements = operands->getElements();
  wordCount = llvm::divideCeil(depthCount, wordElements);
  stepCount = loops.count(loops.window) * wordCount;
  if (failed(chooseBlocks()))
    return failure();
  chooseTiles();
  if (keepsOrder())
    root->getParentOfType<func::FuncOp>()->setAttr(
        HamKaasDialect::keepsOrderAttrName, UnitAttr::get(root->getContext()));
  TileGrid grid = getGrid();
  if (tiles)
    tiles->choose(/*writes=*/false, [&] { tiles->configure(); }, [] {});
  kernel.tileLoop(countTiles(grid), [&](Value index) {
    emitTile(grid, index, [&](Value rowBlock, const Columns &columns) {
      emitRowBlock(rowBlock, columns);
    });
  });
  if (tiles)
    tiles->choose(/*writes=*/false, [&] { tiles->release(); }, [] {});
  return Tile{blockRows, width(), loops.productCount()};
}

//===----------------------------------------------------------------------===//
// Loops
//===----------------------------------------------------------------------===//

void IntegerContractionEmitter::emitRowBlock(Value rowBlock,
                                             const Columns &columns) {
  auto byVectors = [&] { emitVectorBlocks(rowBlock, columns); };
  if (!tiles)
    return byVectors();
  tiles->choose(
      /*writes=*/true, [&] { emitTileBlocks(rowBlock, columns); }, byVectors);
}

void IntegerContractionEmitter::emitVectorBlocks(Value rowBlock,
                                                 const Columns &columns) {
  int64_t fullRows = rowCount / blockRows * blockRows;
  Value first = kernel.multiply(rowBlock, tileRows);
  Value last = kernel.minimum(kernel.add(first, tileRows), fullRows);
  kernel.writingLoop(first, last, blockRows, [&](Value row) {
    if (prefetch) {
      Value panel = kernel.add(
          kernel.multiply(linearIndex(loops.batch), panels), columns.panel);
      Value use = loops.window.empty()
                      ? kernel.divide(kernel.subtract(row, first), blockRows)
                      : kernel.add(kernel.multiply(linearIndex(loops.shared),
                                                   rowCount / blockRows),
                                   kernel.divide(row, blockRows));
      prefetch->begin(panel, use, kernel.constant(0),
                      kernel.constant(stepCount));
    }
    emitAccumulators(row, blockRows, columns);
    if (prefetch)
      prefetch->end();
  });
  emitLastRows(getGrid(), rowBlock, blockRows, [&](Value row, int64_t count) {
    emitAccumulators(row, count, columns);
  });
}

/// One block of accumulators, in registers from the first product to the last.
void IntegerContractionEmitter::emitAccumulators(Value firstRow, int64_t count,
                                                 const Columns &columns) {
  setRows(firstRow, count);
  SmallVector<Value> sums = start(columns);
  auto accumulate = [&](bool byDotProducts) {
    return accumulateBy(byDotProducts, sums, columns);
  };
  finish(DotProducts(kernel, lanes)
             .choose(
                 ValueRange(sums).getTypes(), /*writes=*/false,
                 [&] { return accumulate(true); },
                 [&] { return accumulate(false); }),
         columns);
}

SmallVector<Value>
IntegerContractionEmitter::accumulateBy(bool byDotProducts, ValueRange sums,
                                        const Columns &columns) {
  usesDotProducts = byDotProducts;
  return overWindow(loops.window, sums, [&](ValueRange carried) {
    return accumulate(carried, columns);
  });
}

SmallVector<Value>
IntegerContractionEmitter::accumulate(ValueRange sums, const Columns &columns) {
  int64_t words = depthCount / wordElements;
  int64_t whole = words / unrolledWords * unrolledWords;
  SmallVector<Value> next = kernel.loop(
      kernel.constant(0), kernel.constant(whole), unrolledWords, sums,
      /*writes=*/false, [&](Value word, ValueRange carried) {
        SmallVector<Value> added(carried);
        for (int64_t i = 0; i < unrolledWords; ++i)
          added = addWord(kernel.add(word, i), wordElements, added, columns);
        if (prefetch)
          prefetch->emit(kernel.add(
              kernel.multiply(linearIndex(loops.window), wordCount), word));
        return added;
      });
  for (int64_t word = whole; word < words; ++word)
    next = addWord(kernel.constant(word), wordElements, next, columns);
  if (int64_t rest = depthCount % wordElements)
    next = addWord(kernel.constant(words), rest, next, columns);
  return next;
}

/// Adds the products of one word of the depth, which has its first `count`
/// elements.
SmallVector<Value> IntegerContractionEmitter::addWord(Value word, int64_t count,
                                                      ValueRange sums,
                                                      const Columns &columns) {
  SmallVector<SmallVector<Value>> vectors;
  for (Value words : readRight(columns, word, count))
    vectors.push_back(getFactors(words, /*isUnsigned=*/false));
  Value depth = kernel.multiply(word, wordElements);
  SmallVector<Value> next(sums);
  for (auto [r, row] : llvm::enumerate(rows)) {
    Value words = operands->readLeft(count, [&, row = row](int64_t i) {
      return operandPoint(*root.getDpsInputOperand(0), row, /*column=*/{},
                          kernel.add(depth, i));
    });
    SmallVector<Value> factors = getFactors(words, /*isUnsigned=*/true);
    for (auto [i, factor] : llvm::enumerate(factors))
      for (auto [v, vector] : llvm::enumerate(vectors)) {
        Value &sum = next[r * columns.vectors + v];
        sum = addProducts(sum, factor, vector[i]);
      }
  }
  return next;
}

/// The parts of words that are multiplied one after the other: without dot
/// products, the even and the odd bytes.
SmallVector<Value> IntegerContractionEmitter::getFactors(Value words,
                                                         bool isUnsigned) {
  DotProducts products(kernel, lanes);
  if (wordElements == 2)
    return {products.toPairs(words)};
  if (usesDotProducts)
    return {words};
  return {products.splitPairs(words, /*isOdd=*/false, isUnsigned),
          products.splitPairs(words, /*isOdd=*/true, isUnsigned)};
}

Value IntegerContractionEmitter::addProducts(Value sum, Value left,
                                             Value right) {
  DotProducts products(kernel, lanes);
  if (!usesDotProducts)
    return arith::AddIOp::create(kernel.ir(), kernel.loc(), sum,
                                 products.multiplyPairs(left, right));
  return wordElements == 2 ? products.addPairs(sum, left, right)
                           : products.addBytes(sum, left, right);
}

//===----------------------------------------------------------------------===//
// Blocks of tiles
//===----------------------------------------------------------------------===//

/// Registers of AMX are loaded from memory: rows of the left side have a common
/// stride, and consecutive elements of the depth.
void IntegerContractionEmitter::chooseTiles() {
  if (kernel.target().lanes != TileProducts::lanes ||
      lanes != TileProducts::lanes || wordElements != 4 || !panelBuffer ||
      !operands->hasLeftNeighbours() || depthCount % wordElements != 0 ||
      !loops.row || !loops.joined.empty())
    return;
  std::optional<TileProducts::Shape> shape =
      TileProducts::chooseShape(tileRows, wordCount);
  if (!shape)
    return;
  tileShape = *shape;
  tiles.emplace(kernel, tileShape);
  AffineMap map = root.getMatchingIndexingMap(root.getDpsInputOperand(0));
  auto type = cast<RankedTensorType>(operands->getLeft().getType());
  leftStride = 0;
  for (auto [d, stride] :
       llvm::enumerate(computeSuffixProduct(type.getShape())))
    leftStride += hamkaas::getFactors(map, d)[*loops.row] * stride;
}

void IntegerContractionEmitter::emitTileBlocks(Value rowBlock,
                                               const Columns &columns) {
  kernel.forbidAlias(operands->getLeft());
  Value first = kernel.multiply(rowBlock, tileRows);
  Value end = kernel.minimum(kernel.add(first, tileRows), rowCount);
  kernel.writingLoop(first, end, tileShape.rows, [&](Value row) {
    // The last block begins in the one before, whose sums it computes again but
    // does not write.
    Value begin = kernel.minimum(row, rowCount - tileShape.rows);
    setRows(begin, 1);
    tiles->clear(columns.vectors);
    overWindow(loops.window, {}, [&](ValueRange) {
      addTiles(operands->getLeft(), columns);
      return SmallVector<Value>();
    });
    tiles->store(columns.vectors);
    Value blockEnd = kernel.minimum(kernel.add(row, tileShape.rows), end);
    kernel.writingLoop(row, blockEnd, 1, [&](Value r) {
      setRows(r, 1);
      SmallVector<Value> sums = start(columns);
      for (auto [sum, products] : llvm::zip_equal(
               sums, tiles->load(kernel.subtract(r, begin), columns.vectors)))
        sum = arith::AddIOp::create(kernel.ir(), kernel.loc(), sum, products);
      finish(sums, columns);
    });
  });
}

/// Adds the products of the whole depth at the current element of the window.
void IntegerContractionEmitter::addTiles(Value left, const Columns &columns) {
  Value leftBase = tiles->getAddress(kernel.flatBuffer(left));
  Value rightBase = tiles->getAddress(panelBuffer);
  int64_t rowBytes = wordElements * width();
  kernel.loop(
      kernel.constant(0), kernel.constant(wordCount), tileShape.words, {},
      /*writes=*/false, [&](Value word, ValueRange) {
        Point point =
            operandPoint(*root.getDpsInputOperand(0), rows.front(),
                         /*column=*/{}, kernel.multiply(word, wordElements));
        Value leftIndex = kernel.constant(0);
        for (auto [at, size] : llvm::zip_equal(
                 point, cast<RankedTensorType>(left.getType()).getShape()))
          leftIndex = kernel.add(kernel.multiply(leftIndex, size), at.index);
        Value rightIndex =
            kernel.multiply(getPanelRow(columns, word), rowBytes);
        tiles->add(kernel.add(leftBase, leftIndex), leftStride,
                   kernel.add(rightBase, rightIndex), rowBytes,
                   columns.vectors);
        return SmallVector<Value>();
      });
}

//===----------------------------------------------------------------------===//
// Operands
//===----------------------------------------------------------------------===//

/// The words of the columns of a vector, in which the first `count` elements
/// count.
SmallVector<Value> IntegerContractionEmitter::readRight(const Columns &columns,
                                                        Value word,
                                                        int64_t count) {
  SmallVector<Value> words;
  for (int64_t v = 0; v < columns.vectors; ++v) {
    if (panelBuffer) {
      words.push_back(operands->loadPanel(
          panelBuffer,
          kernel.add(kernel.multiply(getPanelRow(columns, word), width()),
                     lanes * v)));
      continue;
    }
    Value depth = kernel.multiply(word, wordElements);
    Coordinate column{columnOf(columns, v), /*step=*/1};
    words.push_back(
        operands->readRight(activeLanes(columns, v), count, [&](int64_t i) {
          return operandPoint(*root.getDpsInputOperand(1), rows.front(), column,
                              kernel.add(depth, i));
        }));
  }
  return words;
}

/// The number of the row of words that a panel has for word `word` of the depth
/// and the current element of the window.
Value IntegerContractionEmitter::getPanelRow(const Columns &columns,
                                             Value word) {
  Value index = kernel.add(kernel.multiply(linearIndex(loops.batch), panels),
                           columns.panel);
  for (int64_t loop : loops.window)
    index =
        kernel.add(kernel.multiply(index, loops.extents[loop]), at[loop].index);
  return kernel.add(kernel.multiply(index, wordCount), word);
}

FailureOr<Tile> hamkaas::emitIntegerContraction(KernelBuilder &kernel,
                                                linalg::LinalgOp root,
                                                Value result) {
  return IntegerContractionEmitter(kernel, root, result).emit();
}
