//===- Addition.h - Operations that are added to a block --------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HAMKAAS_FRONTEND_BUILDER_ADDITION_H
#define HAMKAAS_FRONTEND_BUILDER_ADDITION_H

#include "mlir/IR/Builders.h"
#include "llvm/ADT/SmallPtrSet.h"

namespace hamkaas::graph {

/// The operations that are added to a block at `place` while it lives.
class Addition {
public:
  explicit Addition(mlir::OpBuilder &place)
      : block(place.getInsertionBlock()), end(place.getInsertionPoint()),
        last(end == block->begin() ? nullptr : &*std::prev(end)) {}

  /// Erases what neither `kept` nor anything else needs.
  void eraseUnused(mlir::ValueRange kept) {
    llvm::SmallPtrSet<mlir::Operation *, 4> needed;
    for (mlir::Value value : kept)
      needed.insert(value.getDefiningOp());
    // From the last one on, so that users go before what they use.
    for (auto i = end; i != begin();) {
      mlir::Operation &op = *--i;
      if (op.use_empty() && !needed.contains(&op))
        i = block->getOperations().erase(i);
    }
  }

private:
  mlir::Block::iterator begin() const {
    return last ? std::next(last->getIterator()) : block->begin();
  }

  mlir::Block *block;
  mlir::Block::iterator end;
  mlir::Operation *last;
};

} // namespace hamkaas::graph

#endif // HAMKAAS_FRONTEND_BUILDER_ADDITION_H
