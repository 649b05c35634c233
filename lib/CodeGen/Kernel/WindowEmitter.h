//===- WindowEmitter.h - Reductions over sliding windows --------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HAMKAAS_LIB_CODEGEN_KERNEL_WINDOWEMITTER_H
#define HAMKAAS_LIB_CODEGEN_KERNEL_WINDOWEMITTER_H

#include "HamKaas/CodeGen/Kernel/Emitters.h"
#include "HamKaas/CodeGen/Kernel/Reduction.h"

namespace hamkaas {

/// A dimension along which windows slide: element number
/// `stride * window + dilation * tap - low` of the source.
struct WindowAxis {
  int64_t dim;         /* of the source, -1 for none */
  int64_t window, tap; /* loops */
  int64_t stride, dilation, low;
  int64_t windows, taps; /* sizes of the loops */
  int64_t size;          /* of the source's dimension */

  int64_t first(int64_t index) const { return stride * index - low; }
  /// Returns whether `count` windows from number `begin` on lie within the
  /// source.
  bool isInside(int64_t begin, int64_t count) const {
    return first(begin) >= 0 &&
           first(begin + count - 1) + dilation * (taps - 1) < size;
  }
};

/// `count` indices of a loop from `begin` on. Where `known` is null, all
/// windows lie within the source.
struct WindowStretch {
  mlir::Value begin;
  std::optional<int64_t> known;
  int64_t count;
};

/// Copies of the elements and factors of some channels, where lines of those in
/// memory evict each other from the L1 cache.
struct WindowCopy {
  /// Channels, and windows along the outer axis.
  int64_t lanes, windows;
  /// The operand that each window multiplies its elements by, if there is one.
  mlir::OpOperand *factors;

  // State of the emission.
  mlir::Value elements, products;
  mlir::Value firstRow, firstLane, lane;
};

class WindowEmitter {
public:
  WindowEmitter(KernelBuilder &kernel, const Reduction &reduction,
                mlir::Value result, llvm::ArrayRef<int64_t> order)
      : kernel(kernel), reduction(reduction), steps(kernel, reduction),
        root(reduction.op), result(result), order(order),
        extents(root.getStaticLoopRanges()) {}

  bool match();
  Tile emit();

private:
  bool matchOperand(mlir::OpOperand &operand);
  bool matchAxis(int64_t dim, llvm::ArrayRef<int64_t> factors);
  bool matchPadding();
  bool matchLoops();
  std::optional<WindowAxis> matchRows();
  bool matchChannels();
  bool sharesFactors();
  bool hasLongChains();
  void chooseSizes();

  void chooseParts();
  int64_t countLines();
  bool isWorthCopying(int64_t evicted);
  std::optional<WindowCopy> chooseCopy();
  Tile emitCopied();
  Tile emitChannels();
  void emitBand(mlir::Value number, int64_t group);
  void clearKept();
  void forEachIndex(mlir::Value begin, mlir::Value end,
                    llvm::function_ref<void(mlir::Value)> body);
  void copyElements(mlir::Value begin, mlir::Value end);
  void copyFactors();
  mlir::Value getCopiedRow();
  mlir::Value readCopied(int64_t vector);
  mlir::Value readFactors(int64_t vector);
  void forStretches(int64_t extent, int64_t size, const WindowAxis *axis,
                    llvm::function_ref<void(WindowStretch)> body,
                    mlir::Value part = nullptr);
  llvm::SmallVector<mlir::Value>
  reduce(mlir::ValueRange sums, llvm::ArrayRef<WindowAxis> remaining,
         llvm::function_ref<llvm::SmallVector<mlir::Value>(mlir::ValueRange)>
             body);
  void emitUnit(mlir::Value number);
  void prefetchRows(const WindowStretch &block);
  void emitBlock(const WindowStretch &block, const WindowStretch &columns);
  llvm::SmallVector<mlir::Value> addElements(const WindowStretch &block,
                                             const WindowStretch &columns,
                                             mlir::ValueRange carried);
  bool startRead(const WindowStretch &block, int64_t offset);
  void readElements(const WindowStretch &columns, int64_t tap,
                    llvm::MutableArrayRef<mlir::Value> elements,
                    llvm::MutableArrayRef<mlir::Value> next);
  mlir::Value read(const WindowStretch &columns, int64_t vector, int64_t tap);
  std::pair<mlir::Value, mlir::Value>
  readInterleaved(const WindowStretch &columns, int64_t vector, int64_t tap);
  mlir::Value sortLanes(mlir::Value vector, bool back);
  mlir::Value readEdge(int64_t first, int64_t active);
  mlir::Value readSource(int64_t active);
  bool keepsSums();
  void keepSums(const WindowStretch &block, const WindowStretch &columns,
                mlir::ValueRange sums);
  llvm::SmallVector<mlir::Value> getKeptPlace(const WindowStretch &block,
                                              int64_t row,
                                              const WindowStretch &columns,
                                              int64_t vector);
  llvm::SmallVector<mlir::Value> getKept(const WindowStretch &block,
                                         const WindowStretch &columns);
  void finishKept();
  void finish(const WindowStretch &block, const WindowStretch &columns,
              mlir::ValueRange sums);
  void moveTo(const WindowStretch &block, int64_t row,
              const WindowStretch &columns, int64_t vector);
  int64_t getActive(const WindowStretch &columns, int64_t vector) const {
    return std::min(lanes, columns.count - vector * lanes);
  }

  KernelBuilder &kernel;
  const Reduction &reduction;
  ReductionSteps steps;
  mlir::linalg::LinalgOp root;
  mlir::Value result;
  /// The dimension of the root's result that each one of `result` is.
  llvm::ArrayRef<int64_t> order;
  llvm::SmallVector<int64_t> extents;

  /// The operand that windows slide over, and the same without padding.
  mlir::OpOperand *operand = nullptr;
  mlir::Value source, padding;
  llvm::SmallVector<int64_t> low;
  /// The loops that index the other dimensions of the source, -1 for an axis.
  llvm::SmallVector<int64_t> sourceLoops;
  /// The loop over the channels of the source, if each sum is of all of them,
  /// else -1.
  int64_t channelLoop = -1;
  /// The axes whose loops stay loops; then the one along which a block of
  /// windows is computed at a time, and that of the lanes, if it is one. Sums
  /// of all channels have blocks of channels of the result instead of windows.
  llvm::SmallVector<WindowAxis> outerAxes;
  WindowAxis blockAxis;
  std::optional<WindowAxis> laneAxis;
  int64_t laneLoop = -1, lanes = 1, rows = 1, vectors = 1;
  /// The window that each lane of a sum has, if two vectors of elements are
  /// read at once; empty if it reads an element a lane.
  llvm::SmallVector<int64_t> laneOrder;
  llvm::SmallVector<int64_t> outer, outerShape;
  /// Tiles that share the blocks of windows of a unit.
  int64_t parts = 1;

  std::optional<WindowCopy> copy;
  /// The sums of all windows of a unit, if these are finished after the last
  /// one, and the first of their rows that the block in hand has. Where sums
  /// are of all channels, a unit is a band of rows.
  mlir::Value kept, firstKept;
  int64_t bandRows = 1;

  /// State of the emission: an index per loop, and one per dimension of the
  /// source.
  Point at, position;
};

} // namespace hamkaas

#endif // HAMKAAS_LIB_CODEGEN_KERNEL_WINDOWEMITTER_H
