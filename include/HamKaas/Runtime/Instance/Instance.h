//===- Instance.h - A program with its memory -------------------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The objects behind hamkaas-c/Runtime.h. A HamKaasInstance is a handle in the
// library's table, the object is an Instance.
//
//===----------------------------------------------------------------------===//

#ifndef HAMKAAS_RUNTIME_INSTANCE_INSTANCE_H
#define HAMKAAS_RUNTIME_INSTANCE_INSTANCE_H

#include "HamKaas/Runtime/Core/Device.h"
#include "HamKaas/Runtime/Core/HandleTable.h"
#include "HamKaas/Runtime/Engine/EngineCalls.h"
#include "HamKaas/Runtime/Instance/Region.h"
#include "hamkaas-c/Runtime.h"

namespace hamkaas::rt {

inline constexpr HandleKind instanceKind = {1, "an instance"};

/// Keeps something for as long as an instance needs it, say the code of its
/// program: `release`, unless it is null, is called once when all memory of the
/// instance is gone.
struct KeepAlive {
  void (*release)(void *context) = nullptr;
  void *context = nullptr;
};

/// Owns its device, its workspace and its profile, and holds its regions; not
/// the program.
struct Instance {
  const HamKaasProgram *program = nullptr;
  Device device = {};
  HamKaasExecution execution = {};
  Region *constants = nullptr;
  /// Who uses it alone may run, read and write. Not null once created.
  Region *state = nullptr;
  Region *workspace = nullptr;
  /// Null if the program has none, and in those that `functions` owns.
  EngineCalls *engineCalls = nullptr;
  /// One a call of the program, null without a profile.
  HamKaasCallProfile *profile = nullptr;
  /// When the last call of the run was done, in nanoseconds.
  uint64_t lastTime = 0;
  KeepAlive keepAlive;
  /// Null if the program has one function, otherwise an instance for each: this
  /// one, which owns the others, and those.
  Instance **functions = nullptr;
  /// False if `device` is that of the owner.
  bool ownsDevice = true;
};

/// The instance that runs entry function `number`; null if there is none.
Instance *findFunction(Instance &instance, int32_t number);

using PinnedInstance = PinnedObject<Instance>;

/// Why an instance may not be used now, if so.
Error explainUse(const Instance &instance, const RegionUse &use);

/// The error of what `instance` ran or prepared last.
Error explainFailure(const Instance &instance);

} // namespace hamkaas::rt

#endif // HAMKAAS_RUNTIME_INSTANCE_INSTANCE_H
