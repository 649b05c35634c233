//===- TensorCoreGemm.h - Contractions of tensor cores ----------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HAMKAAS_LIB_CODEGEN_GPU_TENSORCOREGEMM_H
#define HAMKAAS_LIB_CODEGEN_GPU_TENSORCOREGEMM_H

#include "SharedMemoryGemm.h"
#include <array>

namespace hamkaas {

/// Tensor-core GEMM: warps multiply 16 rows by 8 columns at a time, of which
/// each thread holds a few elements in the layout of PTX's `mma.sync`.
class TensorCoreGemm : public SharedMemoryGemm {
public:
  TensorCoreGemm(KernelBuilder &kernel, mlir::linalg::LinalgOp root,
                 mlir::Value result)
      : SharedMemoryGemm(kernel, root, result) {
    takesBF16 = isBF16();
  }

protected:
  int64_t leftPitch() const override { return tile.depth; }
  int64_t rightPitch() const override { return tile.columns(); }
  mlir::Value placeLeftColumn(mlir::Value row, mlir::Value column) override;
  mlir::Value placeRightColumn(mlir::Value row, mlir::Value column) override;
  llvm::SmallVector<mlir::Value> makeSums() override;
  llvm::SmallVector<mlir::Value> addSteps(int64_t steps) override;
  llvm::SmallVector<mlir::Value> multiply(mlir::Value stage,
                                          mlir::ValueRange sums) override;
  void finish(mlir::ValueRange sums) override;

private:
  /// A fragment: a thread's share of one factor, in 32-bit registers.
  struct Fragment {
    llvm::SmallVector<mlir::Value, 4> numbers;
    /// The rounding errors of the numbers, for Precision::TF32x3.
    llvm::SmallVector<mlir::Value, 4> rests;
  };
  bool isBF16() const { return kernel.target().precision == Precision::BF16; }
  bool isSplit() const {
    return kernel.target().precision == Precision::TF32x3;
  }
  /// True if both sides are bfloat16 in memory, too.
  bool isStoredBF16() const { return left.isBF16; }
  /// Numbers of a 32-bit word of memory.
  int64_t packed() const { return isStoredBF16() ? 2 : 1; }
  /// Eights of words along the depth of one product.
  int64_t depthEights() const { return isBF16() && !isStoredBF16() ? 2 : 1; }
  int64_t productDepth() const;
  /// Rows of the right side that a thread reads for an eight of words.
  int64_t rowsAtOnce() const;
  /// Columns of products that share reads.
  int64_t readColumns() const;

  void placeThread();
  mlir::Value getPointer(mlir::Value buffer, mlir::Value element,
                         int64_t elementBytes);
  mlir::Value getLeftPointer(mlir::Value stage, mlir::Value depth);
  mlir::Value getRightPointer(mlir::Value stage, mlir::Value depth,
                              int64_t word);
  void loadPair(mlir::Value pointer, int64_t word,
                llvm::SmallVectorImpl<mlir::Value> &words);
  llvm::SmallVector<mlir::Value> loadWords(mlir::Value stage,
                                           mlir::Value depth);
  int64_t sumCount() const;
  void addColumns(mlir::ValueRange words,
                  llvm::SmallVectorImpl<Fragment> &columns);
  Fragment makeFragment(mlir::ValueRange words);
  void addNumber(Fragment &fragment, mlir::Value number);
  mlir::Value packBF16(mlir::Value low, mlir::Value high);
  mlir::Value interleave(mlir::Value low, mlir::Value high, int64_t half);
  void addWords(mlir::ValueRange words,
                llvm::MutableArrayRef<mlir::Value> sums);
  void addProducts(const Fragment &right, const Fragment &left,
                   llvm::MutableArrayRef<mlir::Value> sums);
  void addProduct(llvm::ArrayRef<mlir::Value> right,
                  llvm::ArrayRef<mlir::Value> left,
                  llvm::MutableArrayRef<mlir::Value> sums);

  int64_t sumPitch() const;
  void syncWarp();
  void storeSums(mlir::ValueRange sums, mlir::Value pointer);
  void finishRows(mlir::Value buffer, mlir::Value first, mlir::Value row);

  /// Of the warp in its block.
  mlir::Value warpRow, warpColumn;
  /// Of the thread among those that hold a row or column, and which of eight
  /// it is.
  mlir::Value member, group;
};

} // namespace hamkaas

#endif // HAMKAAS_LIB_CODEGEN_GPU_TENSORCOREGEMM_H
