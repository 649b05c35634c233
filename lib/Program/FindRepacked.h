//===- FindRepacked.h - Parameters that constants hold twice ----*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HAMKAAS_LIB_PROGRAM_FINDREPACKED_H
#define HAMKAAS_LIB_PROGRAM_FINDREPACKED_H

#include "HamKaas/Program/ProgramInfo.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace hamkaas {

/// The parameters that `prepare`, in PLANNED, writes to several places of the
/// constants, each as large as the parameter, because kernels read it in
/// several layouts. Parts of it in several places are no such copies. Small
/// parameters are left out.
std::vector<RepackedInfo> findRepacked(mlir::func::FuncOp prepare);

} // namespace hamkaas

#endif // HAMKAAS_LIB_PROGRAM_FINDREPACKED_H
