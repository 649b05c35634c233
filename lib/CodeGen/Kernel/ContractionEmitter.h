//===- ContractionEmitter.h - Emits one contraction -------------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HAMKAAS_LIB_CODEGEN_KERNEL_CONTRACTIONEMITTER_H
#define HAMKAAS_LIB_CODEGEN_KERNEL_CONTRACTIONEMITTER_H

#include "CodePanels.h"
#include "CodeProducts.h"
#include "ContractionNest.h"
#include "HamKaas/CodeGen/Kernel/Contraction.h"
#include "HamKaas/CodeGen/Kernel/Emitters.h"
#include "HamKaas/CodeGen/Kernel/TreeEmitter.h"
#include "PanelCopy.h"
#include "PanelPrefetch.h"
#include "ZeroRows.h"

namespace hamkaas {

/// Emits the kernel of `root`, whose epilogue ends in `result`: the loops
/// (EmitContraction.cpp), and their bodies (ContractionEmitter.cpp).
class ContractionEmitter : ContractionNest {
public:
  ContractionEmitter(KernelBuilder &kernel, mlir::linalg::LinalgOp root,
                     mlir::Value result)
      : ContractionNest(kernel, root, result) {}

  mlir::FailureOr<Tile> emit();

private:
  bool isAlongColumns(mlir::AffineExpr expr, int64_t width) const;
  mlir::LogicalResult choosePanels();
  void chooseCodes(DequantizePanelsOp right);
  void setTileRows(int64_t rows);
  int64_t getRowPitch();
  void limitRows();
  bool hasPanels() const { return packed || codes; }
  /// Returns whether many rows share a float32 copy of a narrow panel.
  bool copiesWidened();
  /// Returns whether the columns of the right side are its rows in memory.
  bool isTransposed();
  /// Returns whether both sides are multiplied along the depth, where they lie.
  bool hasDotProducts();
  RightSide getKind();
  /// Returns whether a copy of a panel is filled before its first product.
  bool fillsFirst() { return copiesWidened() || isTransposed(); }
  mlir::LogicalResult takeRequested();
  mlir::LogicalResult verifyKnobs();
  bool isWhole();
  bool cutsWindow();
  bool sharesImages();
  std::optional<Range> findTaps();
  void choosePrefetch();
  void chooseCopy();
  void chooseResultPrefetch();
  mlir::Value getNextStretch(mlir::Value depthBlock, const Columns &columns);
  mlir::Value getUse(mlir::Value row);
  mlir::Value getStep(mlir::Value depth);

  TileGrid getGrid() const {
    return {tile.sharesRows, rowBlocks, tile.columns(), tile.panels};
  }
  void emitPanels(mlir::Value rowBlock, Columns columns);
  void emitRowBlock(mlir::Value rowBlock, mlir::Value depthBlock,
                    Columns columns);
  void emitAccumulators(mlir::Value firstRow, int64_t rows,
                        mlir::Value depthBlock, Columns columns,
                        mlir::Value use);
  void addDepthBlock(mlir::Value depthBlock, Range depth, Range blocks,
                     const Columns &columns);

  void prefetchResult(const Columns &columns);
  llvm::SmallVector<mlir::Value> resume(const Columns &columns);
  llvm::SmallVector<mlir::Value> accumulate(mlir::Value lower,
                                            mlir::Value upper,
                                            mlir::ValueRange sums,
                                            const Columns &columns);
  llvm::SmallVector<mlir::Value> addDotProducts(mlir::ValueRange sums,
                                                const Columns &columns);
  llvm::SmallVector<mlir::Value> multiplyDots(const Columns &columns);
  int64_t countSteps(const Columns &columns);
  void suspend(mlir::ValueRange sums, const Columns &columns);

  llvm::SmallVector<CodePanels::Place> getPlaces(const Columns &columns);
  llvm::SmallVector<mlir::Value> accumulateCodes(mlir::Value lower,
                                                 mlir::Value upper,
                                                 mlir::ValueRange sums,
                                                 const Columns &columns);
  void widenPanel(mlir::Value depthBlock, const Columns &columns);
  void transposePanel(mlir::Value depthBlock, const Columns &columns);
  void transposeRows(mlir::Value lower, int64_t depth, const Columns &columns);
  llvm::SmallVector<mlir::Value> loadSquare(const Columns &columns,
                                            int64_t vector, mlir::Value depth,
                                            int64_t active);
  llvm::SmallVector<mlir::Value> multiplyRows(mlir::Value depth,
                                              mlir::ValueRange right,
                                              mlir::ValueRange sums);
  mlir::Value emitRight(const Columns &columns, int64_t vector,
                        mlir::Value depth);
  void prefetchRight(const Columns &columns, mlir::Value depth);

  ContractionTile tile;
  std::optional<ZeroRows> zeroRows;
  /// The rows of windows that the current rows need, if they do not need all.
  std::optional<Range> taps;
  /// The loops of the window that are within a block: all, or all but the
  /// first, whose parts are blocks of the depth.
  llvm::ArrayRef<int64_t> innerWindow;
  /// The packed right side, null if it is not packed by columns.
  mlir::linalg::UnPackOp packed;
  /// The right side, if it is codes of few bits.
  std::optional<CodePanels> codes;
  /// The products, if both sides are codes.
  std::optional<CodeProducts> products;
  std::optional<PanelPrefetch> prefetch;
  std::optional<PanelCopy> copy;
  /// Arguments to prefetch because the epilogue reads them at the indices of
  /// the result, and whether to prefetch the result.
  llvm::SmallVector<mlir::BlockArgument> epilogueArguments;
  bool prefetchesDestination = false;
  /// True if the blocks of accumulators that are emitted now read the copy.
  bool readsCopy = false;
  int64_t panels = 1, rowBlocks = 1, depthBlocks = 1;
};

} // namespace hamkaas

#endif // HAMKAAS_LIB_CODEGEN_KERNEL_CONTRACTIONEMITTER_H
