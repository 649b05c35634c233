//===- Instance.h - A program with its memory -------------------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What stands behind hamkaas-c/Runtime.h. A HamKaasInstance is a handle in the
// library's table, the object is an Instance.
//
//===----------------------------------------------------------------------===//

#ifndef HAMKAAS_RUNTIME_INSTANCE_INSTANCE_H
#define HAMKAAS_RUNTIME_INSTANCE_INSTANCE_H

#include "HamKaas/Runtime/Core/Device.h"
#include "HamKaas/Runtime/Core/HandleTable.h"
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
  /// One a call of the program, null without a profile.
  HamKaasCallProfile *profile = nullptr;
  /// When the last call of the run was done, in nanoseconds.
  uint64_t lastTime = 0;
  KeepAlive keepAlive;
};

using PinnedInstance = PinnedObject<Instance>;

/// Why an instance may not be used now, if so.
Error explainUse(const Instance &instance, const RegionUse &use);

/// Copies the caller's options, with defaults for what his version of the
/// struct does not have; `given` may be null.
Error readOptions(const HamKaasInstanceOptions *given,
                  HamKaasInstanceOptions &options /* out */);

/// HamKaasInstanceCreate with something to keep. Takes it over, also when it
/// fails.
Error createInstance(const HamKaasProgram *program,
                     const HamKaasInstanceOptions *options,
                     const KeepAlive &keepAlive,
                     HamKaasInstance *&instance /* out */);

/// The same for checked arguments, on a device of the caller's choice; the one
/// that the options name is not made. Takes the device over, too.
Error createInstance(const HamKaasProgram &program,
                     const HamKaasInstanceOptions &options,
                     const Device &device, HamKaasInstance *&instance /* out */,
                     const KeepAlive &keepAlive = {});

} // namespace hamkaas::rt

#endif // HAMKAAS_RUNTIME_INSTANCE_INSTANCE_H
