//===- DotProducts.h - Sums of products of narrow integers ------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HAMKAAS_LIB_CODEGEN_KERNEL_DOTPRODUCTS_H
#define HAMKAAS_LIB_CODEGEN_KERNEL_DOTPRODUCTS_H

#include "HamKaas/CodeGen/Kernel/KernelBuilder.h"

namespace hamkaas {

/// Instructions of x86-64 that multiply integers of 8 or 16 bits and add up the
/// products of each word of 32 bits, in vectors of `lanes` words.
class DotProducts {
public:
  DotProducts(KernelBuilder &kernel, int64_t lanes)
      : kernel(kernel), lanes(lanes) {}

  /// Emits `withDotProducts` for processors that have AVX-VNNI or AVX512-VNNI,
  /// and `without` for all others; the latter alone in programs for processors
  /// without AVX2. Both return values of the given types.
  llvm::SmallVector<mlir::Value>
  choose(mlir::TypeRange types, bool writes,
         llvm::function_ref<llvm::SmallVector<mlir::Value>()> withDotProducts,
         llvm::function_ref<llvm::SmallVector<mlir::Value>()> without);

  /// `sum` with the products of 4 unsigned and 4 signed bytes a word added, by
  /// an instruction that not every processor has.
  mlir::Value addBytes(mlir::Value sum, mlir::Value unsignedBytes,
                       mlir::Value bytes);
  /// `sum` with two products of 16 bits a word added, by such an instruction.
  mlir::Value addPairs(mlir::Value sum, mlir::Value lhs, mlir::Value rhs);

  /// The sums of two products of 16 bits each.
  mlir::Value multiplyPairs(mlir::Value lhs, mlir::Value rhs);
  /// The sums of two products of unsigned and signed bytes each, as integers of
  /// 16 bits; they saturate.
  mlir::Value multiplyBytes(mlir::Value unsignedBytes, mlir::Value bytes);
  /// The even or odd bytes of words as integers of 16 bits.
  mlir::Value splitPairs(mlir::Value words, bool isOdd, bool isUnsigned);

  mlir::Value toBytes(mlir::Value vector);
  mlir::Value toPairs(mlir::Value vector);
  mlir::Value toWords(mlir::Value vector);
  mlir::VectorType vectorOf(int64_t bits, int64_t count);
  mlir::Value call(llvm::StringRef intrinsic, mlir::Type type,
                   mlir::ValueRange operands);

private:
  mlir::Value bitCast(mlir::Value vector, int64_t bits);
  mlir::Value addInAssembly(llvm::StringRef instruction, mlir::Value sum,
                            mlir::Value lhs, mlir::Value rhs);

  KernelBuilder &kernel;
  int64_t lanes;
};

} // namespace hamkaas

#endif // HAMKAAS_LIB_CODEGEN_KERNEL_DOTPRODUCTS_H
