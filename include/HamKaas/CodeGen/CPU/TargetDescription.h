//===- TargetDescription.h - What code depends on of a CPU ------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HAMKAAS_CODEGEN_CPU_TARGETDESCRIPTION_H
#define HAMKAAS_CODEGEN_CPU_TARGETDESCRIPTION_H

#include "llvm/ADT/StringRef.h"
#include <cstdint>
#include <string>

namespace hamkaas {

/// The facts about an instruction set level that code generation asks for. A
/// new microarchitecture is a new row of the table, not new code.
struct TargetDescription {
  /// Name of the level, as in `--target-cpu` and as LLVM names the CPU.
  llvm::StringLiteral level;
  /// Elements of float32 in a vector register, a power of two.
  int64_t lanes;
  /// Vector registers a kernel may hold values in.
  int64_t registers;
  /// Whether a multiply-add is one instruction (and one rounding).
  bool fma;
  /// Whether multiplying float32 by a power of two is one instruction.
  bool scale;
};

/// The row of the table named `level`, null if there is none.
const TargetDescription *lookupTarget(llvm::StringRef level);

/// The names of all rows, for messages.
std::string getTargetLevels();

} // namespace hamkaas

#endif // HAMKAAS_CODEGEN_CPU_TARGETDESCRIPTION_H
