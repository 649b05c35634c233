//===- CreateInstance.h - Instances of programs -----------------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HAMKAAS_RUNTIME_INSTANCE_CREATEINSTANCE_H
#define HAMKAAS_RUNTIME_INSTANCE_CREATEINSTANCE_H

#include "HamKaas/Runtime/Instance/Instance.h"

namespace hamkaas::rt {

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

#endif // HAMKAAS_RUNTIME_INSTANCE_CREATEINSTANCE_H
