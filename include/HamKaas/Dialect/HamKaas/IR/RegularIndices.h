//===- RegularIndices.h - Indices that loops count --------------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HAMKAAS_DIALECT_HAMKAAS_IR_REGULARINDICES_H
#define HAMKAAS_DIALECT_HAMKAAS_IR_REGULARINDICES_H

#include "mlir/IR/Value.h"
#include <optional>

namespace hamkaas {

/// `groups` times `size` indices, none negative: number `i * size + j` is
/// `first + i * groupStep + j * step`.
struct RegularIndices {
  int64_t first;
  int64_t groups, groupStep;
  int64_t size, step;
};

/// Those that `indices` are, which may count from the end of a dimension of
/// `size`. None if they are not regular, or one is of no element. Evenly spaced
/// ones are one group.
std::optional<RegularIndices>
findRegularIndices(llvm::ArrayRef<int64_t> indices, int64_t size);
/// The same of a constant of one dimension.
std::optional<RegularIndices> findRegularIndices(mlir::Value indices,
                                                 int64_t size);

} // namespace hamkaas

#endif // HAMKAAS_DIALECT_HAMKAAS_IR_REGULARINDICES_H
