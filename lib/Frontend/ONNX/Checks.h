//===- Checks.h - What operators expect of their tensors --------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HAMKAAS_LIB_FRONTEND_ONNX_CHECKS_H
#define HAMKAAS_LIB_FRONTEND_ONNX_CHECKS_H

#include "OpContext.h"

namespace hamkaas::onnx {

/// Fails unless `value` is one of `allowed`, an attribute's values.
bool expectOneOf(GraphBuilder &b, llvm::StringRef attribute,
                 llvm::StringRef value,
                 llvm::ArrayRef<llvm::StringRef> allowed);
/// Fails unless all are there and have elements.
bool expectElements(GraphBuilder &b, llvm::ArrayRef<Tensor> tensors);
/// Fails unless `x` has the shape.
bool expectShape(GraphBuilder &b, llvm::StringRef what, const Tensor &x,
                 llvm::ArrayRef<int64_t> shape);

} // namespace hamkaas::onnx

#endif // HAMKAAS_LIB_FRONTEND_ONNX_CHECKS_H
