//===- EmulatedProgram.h - A GPU's program on the CPU -----------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HAMKAAS_RUN_EMULATEDPROGRAM_H
#define HAMKAAS_RUN_EMULATEDPROGRAM_H

#include "HamKaas/Emulation/Emulator.h"
#include "HamKaas/Runtime/Core/Device.h"
#include "llvm/Support/Error.h"
#include <memory>

namespace hamkaas {

/// A program whose device code was made for the emulator, as one that runs on
/// the CPU: what it launches and copies happens at once, in the memory of the
/// process. It is the device `cuda-emulation` of the tools; nothing of it goes
/// into compiled models.
class EmulatedProgram {
public:
  /// `program` must outlive the result. An error if its device code is for a
  /// real device, or if it has none.
  static llvm::Expected<std::unique_ptr<EmulatedProgram>>
  create(const HamKaasProgram &program);
  EmulatedProgram(const EmulatedProgram &) = delete;

  /// Instances of it need a device of createDevice.
  const HamKaasProgram &program() const { return descriptor; }

  /// The device of one instance, which runs the threads of a block in that
  /// order.
  rt::Device createDevice(emulation::ThreadOrder order,
                          emulation::ProductSums productSums =
                              emulation::ProductSums::Rounded) const;

private:
  explicit EmulatedProgram(const HamKaasProgram &program);

  HamKaasDeviceCode code;
  HamKaasProgram descriptor = {};
  const HamKaasProgram *self = &descriptor;
};

} // namespace hamkaas

#endif // HAMKAAS_RUN_EMULATEDPROGRAM_H
