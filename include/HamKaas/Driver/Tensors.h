//===- Tensors.h - Tensors from and to files, differences -------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HAMKAAS_DRIVER_TENSORS_H
#define HAMKAAS_DRIVER_TENSORS_H

#include "HamKaas/Dialect/HamKaas/IR/ReferenceTensor.h"
#include "llvm/Support/Error.h"

namespace hamkaas {

/// The type of a tensor in a program or a file; `elementType` is a
/// HamKaasElementType.
mlir::RankedTensorType makeTensorType(mlir::MLIRContext *context,
                                      int32_t elementType,
                                      llvm::ArrayRef<int64_t> shape);

/// The elements of a tensor, whichever vector holds them.
const void *getData(const ReferenceTensor &tensor);
void *getData(ReferenceTensor &tensor);

/// Reads an npy file, which must hold a tensor of `type`. `name` is that of the
/// tensor in messages.
llvm::Expected<ReferenceTensor> readTensor(llvm::StringRef path,
                                           llvm::StringRef name,
                                           mlir::RankedTensorType type);
/// Reads an npy file of a tensor of any type.
llvm::Expected<ReferenceTensor> readTensor(llvm::StringRef path,
                                           mlir::MLIRContext *context);
llvm::Error writeTensor(llvm::StringRef path, const ReferenceTensor &tensor);

/// Elements uniform in [-1, 1), or 0 for integers; the same for equal names.
void fillRandom(ReferenceTensor &tensor, llvm::StringRef name);

/// How two tensors of one type differ. Each row of the last dimension is
/// measured by itself, so that a huge element hides nothing in other rows; this
/// is the row that differs most for its scale.
struct Difference {
  double largest = 0; ///< Largest absolute difference in that row.
  /// Scale of that row: the largest finite absolute value expected in it, or
  /// the median of those of all rows if that is larger.
  double magnitude = 0;
  /// Elements where one is NaN or infinite and the other is not the same.
  int64_t special = 0;

  /// True if no element differs by more than `tolerance` times the scale of its
  /// row.
  bool isWithin(double tolerance) const {
    return special == 0 && largest <= tolerance * magnitude;
  }

  /// Takes a row of that largest difference and scale into account.
  void addRow(double error, double scale);
};

Difference compare(const ReferenceTensor &actual,
                   const ReferenceTensor &expected);

} // namespace hamkaas

#endif // HAMKAAS_DRIVER_TENSORS_H
