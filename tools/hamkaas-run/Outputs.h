//===- Outputs.h - What is done with outputs --------------------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HAMKAAS_TOOLS_HAMKAAS_RUN_OUTPUTS_H
#define HAMKAAS_TOOLS_HAMKAAS_RUN_OUTPUTS_H

#include "HamKaas/Run/Runner.h"
#include "HamKaas/Run/Tensors.h"
#include "llvm/ADT/StringMap.h"

namespace hamkaas {

/// Writes outputs to `files`, those of `--output` by the names of outputs. If
/// there are none, prints the type and the first elements of each.
llvm::Error writeOutputs(llvm::ArrayRef<TensorDeclaration> declarations,
                         llvm::ArrayRef<Tensor> tensors,
                         const llvm::StringMap<std::string> &files);

/// Prints the BLAKE3 of the elements of each output in memory order. `code`
/// says what computed them; uses `threads` threads, 0 for one per core.
llvm::Error printDigests(llvm::ArrayRef<TensorDeclaration> declarations,
                         llvm::ArrayRef<Tensor> tensors, llvm::StringRef code,
                         int threads);

/// Prints how much outputs differ from those of the reference. An error if it
/// is more than their types allow.
llvm::Error checkOutputs(llvm::ArrayRef<TensorDeclaration> declarations,
                         llvm::ArrayRef<Tensor> actual,
                         llvm::ArrayRef<Tensor> expected);

} // namespace hamkaas

#endif // HAMKAAS_TOOLS_HAMKAAS_RUN_OUTPUTS_H
