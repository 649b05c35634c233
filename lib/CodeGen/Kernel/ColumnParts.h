//===- ColumnParts.h - Products of several gates ----------------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HAMKAAS_LIB_CODEGEN_KERNEL_COLUMNPARTS_H
#define HAMKAAS_LIB_CODEGEN_KERNEL_COLUMNPARTS_H

namespace hamkaas {

class GroupOp;

/// Returns whether elementwise kernels of a loop's body read parts of the
/// columns of `group`, such as the gates of an LSTM.
bool areColumnPartsRead(GroupOp group);

} // namespace hamkaas

#endif // HAMKAAS_LIB_CODEGEN_KERNEL_COLUMNPARTS_H
