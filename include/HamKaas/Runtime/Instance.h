//===- Instance.h - A program with its memory -------------------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What stands behind hamkaas-c/Runtime.h.
//
//===----------------------------------------------------------------------===//

#ifndef HAMKAAS_RUNTIME_INSTANCE_H
#define HAMKAAS_RUNTIME_INSTANCE_H

#include "HamKaas/Runtime/Device.h"
#include "hamkaas-c/Runtime.h"

#include <atomic>

/// Owns its device and regions, not the program. A region of no bytes is null.
struct HamKaasInstance {
  const HamKaasProgram *program = nullptr;
  hamkaas::rt::Device device = {};
  HamKaasExecution execution = {};
  void *constants = nullptr;
  void *state = nullptr;
  void *workspace = nullptr;
  /// One a call of the program, null without a profile.
  HamKaasCallProfile *profile = nullptr;
  /// When the last call of the run was done, in nanoseconds.
  uint64_t lastTime = 0;
  std::atomic<bool> busy{false};
};

namespace hamkaas::rt {

/// HamKaasInstanceCreate on a device of the caller's choice; the one that the
/// options name is not made. Takes the device over, also when it fails.
Error createInstance(const HamKaasProgram &program,
                     const HamKaasInstanceOptions &options,
                     const Device &device,
                     HamKaasInstance *&instance /* out */);

} // namespace hamkaas::rt

#endif // HAMKAAS_RUNTIME_INSTANCE_H
