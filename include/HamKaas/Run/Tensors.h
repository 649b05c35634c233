//===- Tensors.h - Tensors from and to files --------------------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HAMKAAS_RUN_TENSORS_H
#define HAMKAAS_RUN_TENSORS_H

#include "HamKaas/Dialect/HamKaas/IR/ReferenceTensor.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/MathExtras.h"

namespace hamkaas {

/// A dense tensor in row-major order, as programs and files have it.
class Tensor {
public:
  /// All elements zero.
  explicit Tensor(mlir::RankedTensorType type)
      : tensorType(type), words(llvm::divideCeil(getBytes(type), 8)) {}

  /// Returns whether there is memory for all elements: the constructor aborts
  /// where there is not.
  static bool canAllocate(mlir::RankedTensorType type);

  static uint64_t getBytes(mlir::RankedTensorType type);

  mlir::RankedTensorType type() const { return tensorType; }
  uint64_t bytes() const { return getBytes(tensorType); }
  const void *data() const { return words.data(); }
  void *data() { return words.data(); }

private:
  mlir::RankedTensorType tensorType;
  std::vector<uint64_t> words; ///< Aligned for any element type.
};

/// The same tensor as the interpreter has it.
ReferenceTensor decode(const Tensor &tensor);
Tensor encode(const ReferenceTensor &tensor);

/// Reads an npy file, which must hold a tensor of `type`. `name` is that of the
/// tensor in messages.
llvm::Expected<Tensor> readTensor(llvm::StringRef path, llvm::StringRef name,
                                  mlir::RankedTensorType type);
/// Reads an npy file of a tensor of any type.
llvm::Expected<Tensor> readTensor(llvm::StringRef path,
                                  mlir::MLIRContext *context);
llvm::Error writeTensor(llvm::StringRef path, const Tensor &tensor);

/// Elements that are uniform, the same for equal names: floats from -1 to 1,
/// bool and integers of 8 bits among all values, other integers 0 or 1, because
/// they are often positions, and small ones exist.
Tensor makeRandomTensor(mlir::RankedTensorType type, llvm::StringRef name);

} // namespace hamkaas

#endif // HAMKAAS_RUN_TENSORS_H
