//===- State.h - What lasts from run to run ---------------------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HAMKAAS_LIB_RUNTIME_INSTANCE_STATE_H
#define HAMKAAS_LIB_RUNTIME_INSTANCE_STATE_H

#include "HamKaas/Runtime/Instance/Instance.h"

namespace hamkaas::rt {

/// Gives all states their initial contents. For an instance that nobody uses,
/// and which has its constants.
Error initializeState(const Instance &instance);

} // namespace hamkaas::rt

#endif // HAMKAAS_LIB_RUNTIME_INSTANCE_STATE_H
