//===- RepeatedBlocks.h - Equal parts of a graph in a row -------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HAMKAAS_LIB_REPORT_REPEATEDBLOCKS_H
#define HAMKAAS_LIB_REPORT_REPEATEDBLOCKS_H

#include "mlir/IR/Operation.h"
#include <vector>

namespace hamkaas {

/// The operations from `begin` to `begin + period * count - 1` of a list are
/// `count` blocks of `period` operations that compute the same, as the layers
/// of a transformer do: each from its own parameters, from what the block
/// before gave, and from values that all share.
struct RepeatedBlock {
  size_t begin, period, count;

  size_t end() const { return begin + period * count; }
};

/// Returns whether `op` makes a value of nothing: loads a parameter or a state,
/// or is a constant. It belongs to what uses it.
bool isLeaf(mlir::Operation *op);

/// The repeated blocks in a list of operations of one block in their order,
/// without leaves. Those that save few operations are left out. No two overlap;
/// in the order of the list. Takes time linear in the list.
std::vector<RepeatedBlock>
findRepeatedBlocks(llvm::ArrayRef<mlir::Operation *> ops);

} // namespace hamkaas

#endif // HAMKAAS_LIB_REPORT_REPEATEDBLOCKS_H
