//===- SharedMemoryGemm.h - Contractions of blocks of threads ---*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HAMKAAS_LIB_CODEGEN_GPU_SHAREDMEMORYGEMM_H
#define HAMKAAS_LIB_CODEGEN_GPU_SHAREDMEMORYGEMM_H

#include "BlockTile.h"
#include "DeviceContraction.h"

namespace hamkaas {

/// Shared-memory GEMM: blocks of both sides are copied to shared memory, the
/// next ones while one is multiplied. Derived classes multiply.
class SharedMemoryGemm : protected DeviceContraction {
public:
  virtual ~SharedMemoryGemm() = default;

  SharedMemoryGemm(KernelBuilder &kernel, mlir::linalg::LinalgOp root,
                   mlir::Value result)
      : DeviceContraction(kernel, root, result) {}

  /// Returns whether the kernel has this form and is large enough. Emits
  /// nothing.
  bool match();
  /// Warps of a block; known after `match`.
  int64_t warps() const { return tile.warps; }

  Tile emit();

protected:
  /// Elements from row to row of what is in shared memory, and from row to row
  /// of the operand there.
  virtual int64_t leftPitch() const = 0;
  virtual int64_t rightPitch() const = 0;
  /// The column in shared memory of a column of a side, for fewer bank
  /// conflicts. Keeps groups of four neighbors together.
  virtual mlir::Value placeLeftColumn(mlir::Value row, mlir::Value column) {
    return column;
  }
  virtual mlir::Value placeRightColumn(mlir::Value row, mlir::Value column) {
    return column;
  }
  /// The accumulators of a thread, before the first product.
  virtual llvm::SmallVector<mlir::Value> makeSums() = 0;
  /// Adds the products of all steps. The copies of the first ones, as many as
  /// are ahead, have been started.
  virtual llvm::SmallVector<mlir::Value> addSteps(int64_t steps);
  /// Adds the products of a stage.
  virtual llvm::SmallVector<mlir::Value> multiply(mlir::Value stage,
                                                  mlir::ValueRange sums) = 0;
  /// Writes what exists of the warp's rows and columns.
  virtual void finish(mlir::ValueRange sums) = 0;

  /// Steps whose copies are in flight while one is multiplied.
  int64_t ahead() const { return tile.stages - 1; }
  /// Starts the copies for the step that is `ahead` steps after `step`, if it
  /// exists.
  void startNext(mlir::Value step, int64_t steps);
  /// Waits for all groups of copies except the last `pending`, in all threads.
  void waitForCopies(int64_t pending);

  /// Copies of a side that a thread starts in a step, of the side with more.
  int64_t copiesOfThread() const;

  BlockTile tile;
  /// Of the vectors in which results are written.
  int64_t lanes = 0;
  /// Stages, rows and columns of both sides.
  mlir::Value leftShared, rightShared;
  /// State while a block is emitted.
  mlir::Value warp, lane, firstRow, columnBlock, firstColumn;

private:
  /// One thread's share of a copy to shared memory.
  struct Copy {
    mlir::Value base;        /* element of the operand at depth 0 */
    mlir::Value depth;       /* within the stage */
    mlir::Value row, column; /* in shared memory */
    mlir::Value exists;      /* null if all do */
    mlir::Value isMine;      /* null if each thread has one */
  };
  /// How a side is copied: `chunk` elements at a time, those of 16 bytes or 1.
  struct Side {
    mlir::Value flat;
    int64_t chunk = 1;
    llvm::SmallVector<Copy> copies;
  };

  bool chooseChunks();
  void chooseLanes();
  mlir::Value allocateStages(int64_t rows, int64_t pitch);
  void emitBlock(mlir::Value batch);
  void addCopies(Side &side, int64_t rows, int64_t chunks,
                 llvm::function_ref<void(Copy &)> place);
  void addLeftCopies();
  void addRightCopies();
  void emitCopies(const Side &side, const OperandLayout &layout,
                  mlir::Value shared, mlir::Value step, mlir::Value stage);
  void emitCopy(const Side &side, const Copy &copy, mlir::Value shared,
                mlir::Value from, mlir::Value exists, mlir::Value stage);
  void startStep(mlir::Value step);
  mlir::Value closeGroup();

  Side leftSide, rightSide;
  mlir::Value thread;
  /// The last group of copies before the steps; waits take any.
  mlir::Value group;
};

} // namespace hamkaas

#endif // HAMKAAS_LIB_CODEGEN_GPU_SHAREDMEMORYGEMM_H
