//===- Allocations.h - Watch the runtime allocate ---------------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The linker replaces malloc and its kin in the runtime and in the tests by
// functions of this file (--wrap), which count and can be told to fail.
//
//===----------------------------------------------------------------------===//

#ifndef HAMKAAS_TEST_UNIT_RUNTIME_ALLOCATIONS_H
#define HAMKAAS_TEST_UNIT_RUNTIME_ALLOCATIONS_H

#include <cstdint>

namespace hamkaas::test {

/// How often memory was asked for since the process began, on all threads.
int64_t allocationCount();

/// Lets the next `count` allocations pass and the one after them fail; a
/// negative count lets all pass.
void failAllocationAfter(int64_t count);

} // namespace hamkaas::test

#endif // HAMKAAS_TEST_UNIT_RUNTIME_ALLOCATIONS_H
