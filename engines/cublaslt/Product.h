//===- Product.h - Groups that cuBLASLt computes ----------------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HAMKAAS_ENGINES_CUBLASLT_PRODUCT_H
#define HAMKAAS_ENGINES_CUBLASLT_PRODUCT_H

#include "hamkaas-c/Engine.h"

namespace hamkaas::engine {

enum class Activation { None, Relu, GeluTanh };

/// A batched float32 product of dense, row-major matrices:
///
///     result = activation(left * right + bias + addend)
///
/// `left` has `rows` x `depth` elements, `right` `depth` x `columns`. `addend`
/// is as large as the result. `bias` has `columns` elements, broadcast to each
/// row of each batch.
struct Product {
  int64_t batches = 0, rows = 0, columns = 0, depth = 0;
  /// Numbers of inputs; -1 for no bias or no addend.
  int32_t left = -1, right = -1, bias = -1, addend = -1;
  Activation activation = Activation::None;
};

/// Returns whether the group is such a product.
bool matchProduct(const HamKaasEngineGroup &group, Product &product /* out */);

} // namespace hamkaas::engine

#endif // HAMKAAS_ENGINES_CUBLASLT_PRODUCT_H
