//===- LayoutReshapes.h - Moves reshapes ------------------------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HAMKAAS_DIALECT_HAMKAAS_GRAPH_LAYOUTRESHAPES_H
#define HAMKAAS_DIALECT_HAMKAAS_GRAPH_LAYOUTRESHAPES_H

#include "mlir/IR/Block.h"

namespace hamkaas {

/// Makes one of two permutes between which a reshape splits or merges
/// dimensions: the reshape comes before both, or behind. Pointwise operations
/// may stand before the second one.
void mergePermutesAroundReshapes(mlir::Block &block);

/// Moves reshapes that only add or drop dimensions of 1 out of the regions
/// between permutes: `reshape(permute(x))` becomes `permute(reshape(x))`, and a
/// `permute(reshape(x))` that was there becomes `reshape(permute(x))`.
void moveReshapesOutward(mlir::Block &block);

/// Moves reshapes of the result of a contraction behind the pointwise
/// operations that follow, so that nothing stands between those and its kernel.
void moveReshapesBehindPointwise(mlir::Block &block);

/// The same for results of permutes, broadcasts and other operations that move
/// elements, which pointwise operations take into their kernels, unless the
/// kernel of another operation would.
void moveReshapesOfMovedElements(mlir::Block &block);

} // namespace hamkaas

#endif // HAMKAAS_DIALECT_HAMKAAS_GRAPH_LAYOUTRESHAPES_H
