//===- ProgramSymbols.h - Names of a program's functions --------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HAMKAAS_DIALECT_HAMKAAS_IR_PROGRAMSYMBOLS_H
#define HAMKAAS_DIALECT_HAMKAAS_IR_PROGRAMSYMBOLS_H

#include "llvm/ADT/StringRef.h"
#include <string>

namespace hamkaas {

// Symbols by which one phase finds what another has made.

/// GRAPH to PLANNED: the usual name of a model's only entry function, and the
/// work of all entry functions that depends on parameters alone, which is done
/// when the program is loaded.
inline constexpr llvm::StringLiteral mainName = "main";
inline constexpr llvm::StringLiteral prepareName = "prepare";

/// TARGET: the first entry function and `@prepare` as HamKaasRunFunction and
/// HamKaasPrepareFunction, which the descriptor refers to.
inline constexpr llvm::StringLiteral runSymbol = "hamkaas_run";
inline constexpr llvm::StringLiteral prepareSymbol = "hamkaas_prepare";
/// TARGET: those of a program whose kernels are device code.
inline constexpr llvm::StringLiteral deviceRunSymbol = "hamkaas_device_run";
inline constexpr llvm::StringLiteral devicePrepareSymbol =
    "hamkaas_device_prepare";

/// TARGET: the symbol of entry function number `function`, where `first`, one
/// of the two above, is that of number 0.
inline std::string getRunSymbol(llvm::StringRef first, size_t function) {
  std::string symbol = first.str();
  return function == 0 ? symbol : symbol + "_" + std::to_string(function);
}

/// The `gpu.module` with a program's device code, and the global variable with
/// the image that is made of it.
inline constexpr llvm::StringLiteral deviceModuleName = "device";
inline constexpr llvm::StringLiteral deviceImageSymbol = "hamkaas_device_image";

/// A kernel's body has the name of the kernel and this until both are linked.
inline constexpr llvm::StringLiteral kernelBodySuffix = "_body";

} // namespace hamkaas

#endif // HAMKAAS_DIALECT_HAMKAAS_IR_PROGRAMSYMBOLS_H
