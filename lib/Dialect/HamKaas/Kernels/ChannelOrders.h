//===- ChannelOrders.h - Images whose channels come first -------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HAMKAAS_LIB_DIALECT_HAMKAAS_KERNELS_CHANNELORDERS_H
#define HAMKAAS_LIB_DIALECT_HAMKAAS_KERNELS_CHANNELORDERS_H

#include "mlir/IR/Builders.h"
#include "llvm/ADT/SmallVector.h"

namespace hamkaas {

/// Permutations of sequences, images or volumes to and from channels that come
/// first, behind the batch; `rank` counts both.
llvm::SmallVector<int64_t> getChannelsFirst(int64_t rank);
llvm::SmallVector<int64_t> getChannelsLast(int64_t rank);

/// `x` permuted so.
mlir::Value putChannelsFirst(mlir::OpBuilder &builder, mlir::Location loc,
                             mlir::Value x);
mlir::Value putChannelsLast(mlir::OpBuilder &builder, mlir::Location loc,
                            mlir::Value x);

/// Returns whether `op`, which may be null, permutes so.
bool isChannelsFirst(mlir::Operation *op);
bool isChannelsLast(mlir::Operation *op);

} // namespace hamkaas

#endif // HAMKAAS_LIB_DIALECT_HAMKAAS_KERNELS_CHANNELORDERS_H
