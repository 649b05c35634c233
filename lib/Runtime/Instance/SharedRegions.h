//===- SharedRegions.h - Regions of another instance ------------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HAMKAAS_LIB_RUNTIME_INSTANCE_SHAREDREGIONS_H
#define HAMKAAS_LIB_RUNTIME_INSTANCE_SHAREDREGIONS_H

#include "HamKaas/Runtime/Instance/Instance.h"

namespace hamkaas::rt {

/// Gives a new instance the constants of `options.constantsOf`.
Error shareConstants(Instance &instance, const HamKaasInstanceOptions &options);

/// Gives a new instance the state of `options.stateOf`.
Error shareState(Instance &instance, const HamKaasInstanceOptions &options);

} // namespace hamkaas::rt

#endif // HAMKAAS_LIB_RUNTIME_INSTANCE_SHAREDREGIONS_H
