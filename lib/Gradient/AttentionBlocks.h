//===- AttentionBlocks.h - Blocks of the gradient of attention --*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HAMKAAS_LIB_GRADIENT_ATTENTIONBLOCKS_H
#define HAMKAAS_LIB_GRADIENT_ATTENTIONBLOCKS_H

#include "HamKaas/Dialect/HamKaas/IR/ContractionOps.h"

namespace hamkaas::gradient {

/// Consecutive queries, as a whole number of blocks, that see no keys from
/// `keys` on.
struct AttentionSegment {
  int64_t begin, size, block, keys;

  int64_t blockCount() const { return size / block; }
};

/// How the gradient of an attention is computed: for `batches` at a time, whose
/// number is a multiple of that, segment by segment. The shapes alone decide,
/// and masks that are constant. Later segments see at least the keys of earlier
/// ones.
struct AttentionBlocks {
  int64_t batches;
  llvm::SmallVector<AttentionSegment> segments;
  /// A constant mask shows a key to each query.
  bool hasVisibleKeys = false;
};

/// Returns whether the score of masked keys is negative infinity, so that they
/// have no weights.
bool hasNoMaskedWeights(AttentionOp op);

/// Chooses blocks of about a million scores.
AttentionBlocks chooseAttentionBlocks(AttentionOp op);

/// One block of all batches, queries and keys.
AttentionBlocks makeSingleBlock(AttentionOp op);

} // namespace hamkaas::gradient

#endif // HAMKAAS_LIB_GRADIENT_ATTENTIONBLOCKS_H
