//===- TargetDescription.h - Facts about instruction sets -------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HAMKAAS_CODEGEN_KERNEL_TARGETDESCRIPTION_H
#define HAMKAAS_CODEGEN_KERNEL_TARGETDESCRIPTION_H

#include "HamKaas/CodeGen/Kernel/MachineFacts.h"
#include "HamKaas/Dialect/HamKaas/IR/HamKaas.h"
#include "llvm/ADT/StringRef.h"
#include <cstdint>
#include <string>

namespace hamkaas {

class KernelStrategy;

/// The choices of a processor.
extern const KernelStrategy processorStrategy;

/// The facts about a target that code generation asks for: a new
/// microarchitecture is a new row, not new code.
struct TargetDescription {
  /// An ISA level of processors, as LLVM names the CPU, or another name.
  llvm::StringLiteral level;
  /// Elements of float32 in a vector register, a power of two.
  int64_t lanes;
  /// Vector registers a kernel may hold values in.
  int64_t registers;
  /// True for the 16 of AVX2, say, false for the 32 of AVX-512.
  bool hasFewRegisters() const { return registers < 24; }
  /// True if a multiply-add is one instruction (and one rounding).
  bool fma;
  /// True if multiplying float32 by a power of two is one instruction.
  bool scale;
  /// True if an access with an address for each lane costs as much as one to
  /// neighbours.
  bool gathers = false;
  /// True if one instruction picks lanes out of two vectors. Else lanes
  /// exchange what they hold in pairs, which costs as much as a read of shared
  /// memory.
  bool permutes = true;
  /// True if a register holds more lanes of a narrower type.
  bool packsNarrow = true;
  /// The facts that decide speed; on a CPU they change no result bits.
  const MachineFacts *machine = &processorFacts;
  /// The choices that facts do not decide.
  const KernelStrategy *strategy = &processorStrategy;
  /// Not part of the row: taken from the target of the module.
  Precision precision = Precision::Exact;
};

/// The row of the ISA level named `level`, null if there is none.
const TargetDescription *lookupTarget(llvm::StringRef level);

} // namespace hamkaas

#endif // HAMKAAS_CODEGEN_KERNEL_TARGETDESCRIPTION_H
