//===- Padding.h - Elements around a tensor ---------------------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HAMKAAS_FRONTEND_BUILDER_PADDING_H
#define HAMKAAS_FRONTEND_BUILDER_PADDING_H

#include "HamKaas/Frontend/Builder/ComposedOperations.h"

namespace hamkaas::graph {

/// Puts `low` elements before and `high` after each dimension; negative numbers
/// cut off elements. `value` is one number, for PadMode::Constant.
Tensor pad(GraphBuilder &b, Tensor x, PadMode mode, Tensor value,
           llvm::ArrayRef<int64_t> low, llvm::ArrayRef<int64_t> high);

} // namespace hamkaas::graph

#endif // HAMKAAS_FRONTEND_BUILDER_PADDING_H
