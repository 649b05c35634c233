//===- Checks.cpp - What operators expect of their tensors ------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Checks.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace hamkaas;
using namespace hamkaas::onnx;

bool onnx::expectOneOf(GraphBuilder &b, StringRef attribute, StringRef value,
                       ArrayRef<StringRef> allowed) {
  if (llvm::is_contained(allowed, value))
    return true;
  b.fail("expected the attribute '" + attribute + "' to be one of " +
         llvm::join(allowed, ", ") + ", got '" + value + "'");
  return false;
}

bool onnx::expectElements(GraphBuilder &b, ArrayRef<Tensor> tensors) {
  for (const Tensor &tensor : tensors) {
    if (tensor && tensor.isEmpty())
      b.fail("tensors without elements are not supported");
    if (!tensor || tensor.isEmpty())
      return false;
  }
  return true;
}

bool onnx::expectShape(GraphBuilder &b, StringRef what, const Tensor &x,
                       ArrayRef<int64_t> shape) {
  if (!x || x.shape() == shape)
    return bool(x);
  b.fail("expected " + what + " of the shape " + formatShape(shape) + ", got " +
         formatShape(x.shape()));
  return false;
}
