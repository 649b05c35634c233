//===- SimtGemm.h - Contractions in float32 ---------------------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HAMKAAS_LIB_CODEGEN_GPU_SIMTGEMM_H
#define HAMKAAS_LIB_CODEGEN_GPU_SIMTGEMM_H

#include "SharedMemoryGemm.h"

namespace hamkaas {

/// SIMT GEMM: each thread holds the sums of some rows and columns of its warp's
/// tile. Where there are few blocks, warps split the depth of each stage, and
/// their sums are added in a fixed order.
class SimtGemm : public SharedMemoryGemm {
public:
  using SharedMemoryGemm::SharedMemoryGemm;

  bool match();

protected:
  int64_t leftPitch() const override;
  int64_t rightPitch() const override;
  llvm::SmallVector<mlir::Value> makeSums() override;
  llvm::SmallVector<mlir::Value> multiply(mlir::Value stage,
                                          mlir::ValueRange sums) override;
  void finish(mlir::ValueRange sums) override;

private:
  /// Rows of a thread, and groups of four columns.
  int64_t threadRows() const;
  int64_t threadGroups() const;

  void placeThread();
  llvm::SmallVector<mlir::Value> loadFour(mlir::Value buffer, mlir::Value stage,
                                          mlir::Value row, mlir::Value column);
  void chooseRound();
  void storeSums(mlir::ValueRange sums);
  mlir::Value addParts(mlir::Value at);
  void finishColumns(mlir::ValueRange sums, int64_t columns);
  void finishBlock(mlir::ValueRange sums, int64_t columns, bool hasAllRows);
  void finishRows(int64_t firstThreadRow, int64_t columns, bool hasAllRows);
  void finishVectors(mlir::Value at, mlir::Value row, int64_t columns);

  /// Of the warp in its block, in rows, columns and depth of a stage, and the
  /// number of its part of the depth.
  mlir::Value warpRow, warpColumn, warpDepth, part;
  /// Of the thread in its warp.
  mlir::Value threadRow, threadColumn;
  /// The sums of `roundRows` rows of a thread at a time go through `buffer`.
  int64_t roundRows = 0;
  mlir::Value buffer;
};

} // namespace hamkaas

#endif // HAMKAAS_LIB_CODEGEN_GPU_SIMTGEMM_H
