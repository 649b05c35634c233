//===- Compilation.h - From sources to handles of models --------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HAMKAAS_LIB_CAPI_COMPILATION_H
#define HAMKAAS_LIB_CAPI_COMPILATION_H

#include "Arguments.h"

namespace hamkaas::capi {

/// Compiles `source` to a model, with a new handle.
llvm::Expected<HamKaasModel *> compile(ModelSource source,
                                       const HamKaasCompileOptions &options,
                                       CompileNotes &notes);

using MakeModel = llvm::function_ref<llvm::Expected<HamKaasModel *>(
    const HamKaasCompileOptions &options, CompileNotes &notes)>;

/// Creates a model by `make`, and fills in the outputs that the options
/// request.
HamKaasError giveModel(const HamKaasCompileOptions *given, HamKaasModel **model,
                       MakeModel make);

} // namespace hamkaas::capi

#endif // HAMKAAS_LIB_CAPI_COMPILATION_H
