//===- ExampleProgram.h - A small model written by hand ---------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HAMKAAS_TEST_UNIT_DRIVER_EXAMPLEPROGRAM_H
#define HAMKAAS_TEST_UNIT_DRIVER_EXAMPLEPROGRAM_H

#include "HamKaas/Program/Descriptor.h"
#include "HamKaas/Program/LinkProgram.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/Support/MemoryBuffer.h"
#include <memory>

namespace hamkaas::test {

/// A model that computes `sum = x + y + bias + n` on four floats, where `n` is
/// the number of runs before this one: it has inputs, an output, a parameter,
/// constants and state.
ProgramInfo exampleInfo(llvm::StringRef name);

/// The model as one object for any x86-64.
llvm::Expected<ProgramObjects> exampleObjects(const ProgramInfo &info,
                                              const DescriptorOptions &options);

/// Contents of the parameter "bias": 10, 20, 30, 40.
llvm::ArrayRef<char> exampleBias();

} // namespace hamkaas::test

#endif // HAMKAAS_TEST_UNIT_DRIVER_EXAMPLEPROGRAM_H
