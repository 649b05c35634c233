//===- AffineForms.h - Sums of what is known at run time only ---*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HAMKAAS_LIB_FRONTEND_ONNX_AFFINEFORMS_H
#define HAMKAAS_LIB_FRONTEND_ONNX_AFFINEFORMS_H

#include "GraphNames.h"

namespace hamkaas::onnx {

/// `to[j] - from[j]` of integers, if it is the same whatever the inputs of the
/// model are, and can be seen from the sums, differences and products with
/// constants that both are computed by. `j` counts the elements in row-major
/// order.
std::optional<int64_t> findDifference(const Tensor &from, const Tensor &to,
                                      int64_t j);

} // namespace hamkaas::onnx

#endif // HAMKAAS_LIB_FRONTEND_ONNX_AFFINEFORMS_H
