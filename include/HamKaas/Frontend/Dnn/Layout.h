//===- Layout.h - How a tensor with strides lies in memory ------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HAMKAAS_FRONTEND_DNN_LAYOUT_H
#define HAMKAAS_FRONTEND_DNN_LAYOUT_H

#include "HamKaas/Frontend/Builder/GraphBuilder.h"

namespace hamkaas::nodes {

using graph::GraphBuilder;
using graph::Shape;
using graph::Tensor;

/// Sizes and strides of a tensor, all at least 1.
class Layout {
public:
  Layout(llvm::ArrayRef<int64_t> dims, llvm::ArrayRef<int64_t> strides);

  /// No elements lie between those of the tensor: it is a permutation of a
  /// row-major one.
  bool isDense() const { return dense; }
  /// Elements do not share memory.
  bool isInjective() const { return injective; }
  /// Elements from the first to the last one in memory.
  int64_t span() const { return extent; }
  /// The sizes in the order of memory, the largest stride first.
  Shape storedShape() const;
  llvm::ArrayRef<int64_t> storedOrder() const { return order; }

  /// The tensor of which a dense one holds `stored`, an operand of the shape
  /// storedShape(), or of span() elements unless isDense().
  Tensor read(GraphBuilder &b, Tensor stored) const;
  /// `x` in the order of memory.
  Tensor store(GraphBuilder &b, Tensor x) const;

private:
  Tensor readNested(GraphBuilder &b, Tensor stored) const;
  Tensor readAnywhere(GraphBuilder &b, Tensor stored) const;

  Shape dims, strides;
  /// The dimensions by falling strides.
  Shape order;
  bool dense = true, injective = true;
  int64_t extent = 1;
};

/// The strides of a dense tensor whose dimensions lie in memory in the order of
/// the strides `like`, of the same rank; row-major if that is empty.
std::vector<int64_t> makeStrides(llvm::ArrayRef<int64_t> dims,
                                 llvm::ArrayRef<int64_t> like);

/// Checks that there are strides for all dimensions, that each is at least 1,
/// and that the tensor is not too large. Dims or strides that are empty are not
/// known yet.
llvm::Error checkLayout(llvm::ArrayRef<int64_t> dims,
                        llvm::ArrayRef<int64_t> strides);

} // namespace hamkaas::nodes

#endif // HAMKAAS_FRONTEND_DNN_LAYOUT_H
