//===- ShellCompletion.h - What shells know of our options ------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HAMKAAS_LIB_DRIVER_SHELLCOMPLETION_H
#define HAMKAAS_LIB_DRIVER_SHELLCOMPLETION_H

#include "OptionTable.h"
#include "llvm/Support/raw_ostream.h"

namespace hamkaas {

/// Scripts that let a shell complete names of options, their values and files,
/// to be put where the shell looks for them.
void printBashCompletion(const ToolInfo &tool, llvm::raw_ostream &os);
void printZshCompletion(const ToolInfo &tool, llvm::raw_ostream &os);
void printFishCompletion(const ToolInfo &tool, llvm::raw_ostream &os);

} // namespace hamkaas

#endif // HAMKAAS_LIB_DRIVER_SHELLCOMPLETION_H
