//===- TensorCoreGemm.h - Contractions of tensor cores ----------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HAMKAAS_LIB_CODEGEN_GPU_TENSORCOREGEMM_H
#define HAMKAAS_LIB_CODEGEN_GPU_TENSORCOREGEMM_H

#include "SharedMemoryGemm.h"

namespace hamkaas {

/// Tensor-core GEMM: warps multiply 16 rows by 8 columns at a time, of which
/// each thread holds a few elements in the layout of PTX's `mma.sync`.
class TensorCoreGemm : public SharedMemoryGemm {
public:
  using SharedMemoryGemm::SharedMemoryGemm;

protected:
  int64_t leftPitch() const override;
  int64_t rightPitch() const override;
  llvm::SmallVector<mlir::Value> makeSums() override;
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
  using LoadElement = llvm::function_ref<mlir::Value(int64_t depth)>;

  bool isBF16() const { return kernel.target().precision == Precision::BF16; }
  bool isSplit() const {
    return kernel.target().precision == Precision::TF32x3;
  }
  /// Neighbours along the depth that are in a register.
  int64_t packed() const { return isBF16() ? 2 : 1; }
  /// Depth of one product.
  int64_t productDepth() const { return 8 * packed(); }

  void placeThread();
  Fragment loadLeft(mlir::Value stage, int64_t row, int64_t depth);
  Fragment loadRight(mlir::Value stage, int64_t column, int64_t depth);
  void addRegister(Fragment &fragment, LoadElement load);
  mlir::Value toTF32(mlir::Value number);
  mlir::Value getRest(mlir::Value number, mlir::Value rounded);
  void addProducts(const Fragment &left, const Fragment &right,
                   llvm::MutableArrayRef<mlir::Value> sums);
  void addProduct(llvm::ArrayRef<mlir::Value> left,
                  llvm::ArrayRef<mlir::Value> right,
                  llvm::MutableArrayRef<mlir::Value> sums);

  void storeSums(mlir::ValueRange sums, mlir::Value buffer, mlir::Value first);
  void finishRows(mlir::Value buffer, mlir::Value first, mlir::Value row);

  /// Of the warp in its block.
  mlir::Value warpRow, warpColumn;
  /// Of the thread among those that hold a row, and its row or column among
  /// eight.
  mlir::Value member, group;
};

} // namespace hamkaas

#endif // HAMKAAS_LIB_CODEGEN_GPU_TENSORCOREGEMM_H
