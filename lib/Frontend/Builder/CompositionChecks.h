//===- CompositionChecks.h - Operands that layers expect --------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HAMKAAS_LIB_FRONTEND_BUILDER_COMPOSITIONCHECKS_H
#define HAMKAAS_LIB_FRONTEND_BUILDER_COMPOSITIONCHECKS_H

#include "HamKaas/Frontend/Builder/GraphBuilder.h"

namespace hamkaas::graph {

/// Fails unless `x`, which may be left out, has this shape.
inline bool checkShape(GraphBuilder &b, llvm::StringRef name, const Tensor &x,
                       llvm::ArrayRef<int64_t> shape) {
  if (!x || x.shape() == shape)
    return true;
  b.fail("expected '" + name + "' to have the shape " + formatList(shape) +
         ", got " + formatList(x.shape()));
  return false;
}

/// Fails unless `x` has at least `least` dimensions.
inline bool checkRank(GraphBuilder &b, const Tensor &x, int64_t least) {
  if (x.rank() >= least)
    return true;
  b.fail("expected 'x' of rank " + llvm::Twine(least) +
         " or more, got the shape " + formatList(x.shape()));
  return false;
}

} // namespace hamkaas::graph

#endif // HAMKAAS_LIB_FRONTEND_BUILDER_COMPOSITIONCHECKS_H
