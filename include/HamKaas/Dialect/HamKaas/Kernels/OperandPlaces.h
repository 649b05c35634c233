//===- OperandPlaces.h - Memory of the operands of calls --------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HAMKAAS_DIALECT_HAMKAAS_KERNELS_OPERANDPLACES_H
#define HAMKAAS_DIALECT_HAMKAAS_KERNELS_OPERANDPLACES_H

#include "mlir/IR/Value.h"

namespace hamkaas {

/// A range of the memory of a program argument or a constant.
struct Place {
  mlir::Value whole;
  int64_t offset, bytes;
  int64_t alignment;

  bool overlaps(const Place &other) const {
    return whole == other.whole && offset < other.offset + other.bytes &&
           other.offset < offset + bytes;
  }
};

/// The place of an operand in the form PLANNED; a place of its own for any
/// other value.
Place getPlace(mlir::Value operand);

/// Returns whether `a` and `b` may alias. Inputs and outputs must not overlap,
/// but the rows and values of a loop may be anything.
bool mayShare(const Place &a, const Place &b);

} // namespace hamkaas

#endif // HAMKAAS_DIALECT_HAMKAAS_KERNELS_OPERANDPLACES_H
