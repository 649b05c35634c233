//===- TensorOptions.h - The values of --input and --output -----*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HAMKAAS_TOOLS_HAMKAAS_RUN_TENSOROPTIONS_H
#define HAMKAAS_TOOLS_HAMKAAS_RUN_TENSOROPTIONS_H

#include "HamKaas/Driver/ToolCommandLine.h"
#include "HamKaas/Run/Runner.h"
#include "HamKaas/Run/Tensors.h"
#include "llvm/ADT/StringMap.h"

namespace hamkaas {

/// Splits NAME=VALUE for each `option`; a name must be declared and given once.
llvm::Expected<llvm::StringMap<std::string>>
parseAssignments(llvm::StringRef option,
                 llvm::ArrayRef<std::string> assignments,
                 llvm::ArrayRef<TensorDeclaration> declarations);

/// The value of --input for each of the inputs.
llvm::Expected<llvm::StringMap<std::string>>
findSources(const ToolCommandLine &line,
            llvm::ArrayRef<TensorDeclaration> declarations);

/// Reads or makes the contents of the inputs.
llvm::Expected<llvm::SmallVector<Tensor>>
loadInputs(const ToolCommandLine &line,
           llvm::ArrayRef<TensorDeclaration> declarations);

llvm::Expected<llvm::SmallVector<Tensor>>
makeOutputs(llvm::ArrayRef<TensorDeclaration> declarations);

} // namespace hamkaas

#endif // HAMKAAS_TOOLS_HAMKAAS_RUN_TENSOROPTIONS_H
