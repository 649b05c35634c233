//===- WordOperands.h - Narrow integers by words ----------------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HAMKAAS_LIB_CODEGEN_KERNEL_WORDOPERANDS_H
#define HAMKAAS_LIB_CODEGEN_KERNEL_WORDOPERANDS_H

#include "HamKaas/CodeGen/Kernel/ContractionLoops.h"
#include "HamKaas/CodeGen/Kernel/KernelBuilder.h"
#include "HamKaas/CodeGen/Kernel/TreeEmitter.h"

namespace hamkaas {

/// The numbers of 8 or 16 bits that `operand` has as wider ones; null if it is
/// no such cast.
mlir::OpOperand *getWidened(mlir::Value operand);

/// Elements that a word of 32 bits has: 2 integers of 16 bits, 4 bytes, 1 of
/// any other type.
int64_t getWordElements(mlir::Type type);

/// The operands of a product of narrow integers: words of consecutive elements
/// of the depth.
class WordOperands {
public:
  /// The point of the element of an operand that a word has at a position.
  using PointOf = llvm::function_ref<Point(int64_t)>;

  /// None if the operands are no widened integers of one width.
  static std::optional<WordOperands> match(KernelBuilder &kernel,
                                           mlir::linalg::LinalgOp root,
                                           const ContractionLoops &loops);

  int64_t getElements() const { return elements; }
  mlir::Value getLeft() const { return left; }
  mlir::Value getRight() const { return right; }
  /// Returns whether the elements of a word of the left side are neighbours in
  /// memory.
  bool hasLeftNeighbours() const { return areNeighbours; }
  /// Sets the number of words that vectors have.
  void setLanes(int64_t count) { lanes = count; }

  /// The first `count` elements of a word of the left side, in all lanes. The
  /// others are 0.
  mlir::Value readLeft(int64_t count, PointOf pointOf);
  /// The words of the `active` columns from those of `pointOf` on, of which the
  /// first `count` elements are read; the others are 0.
  mlir::Value readRight(int64_t active, int64_t count, PointOf pointOf);
  /// The words of a packed right side from word `index` on.
  mlir::Value loadPanel(mlir::Value panels, mlir::Value index);

private:
  WordOperands(KernelBuilder &kernel, mlir::Value left, mlir::Value right,
               bool areNeighbours)
      : kernel(kernel), left(left), right(right), areNeighbours(areNeighbours),
        elements(getWordElements(left.getType())) {}

  mlir::Value loadWord(PointRef point);
  mlir::Value toWords(mlir::Value vector);

  KernelBuilder &kernel;
  /// As narrow integers.
  mlir::Value left, right;
  bool areNeighbours;
  int64_t elements;
  int64_t lanes = 1;
};

} // namespace hamkaas

#endif // HAMKAAS_LIB_CODEGEN_KERNEL_WORDOPERANDS_H
