//===- ProgramCheck.h - What callers and programs get wrong -----*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HAMKAAS_RUNTIME_INSTANCE_PROGRAMCHECK_H
#define HAMKAAS_RUNTIME_INSTANCE_PROGRAMCHECK_H

#include "HamKaas/Runtime/Core/Error.h"
#include "hamkaas-c/Runtime.h"

namespace hamkaas::rt {

/// Returns whether this runtime on this machine can run the program; it may be
/// null.
Error checkProgram(const HamKaasProgram *program);

/// Returns whether there is an aligned address for each input or output. `what`
/// is which of them.
Error checkBuffers(const char *what, const HamKaasTensorInfo *tensors,
                   int32_t count, const void *const *addresses);

/// The message of a failed run-time check: where and what.
Error describeFailure(const HamKaasProgram &program,
                      const HamKaasFailure &failure);

/// Copies the caller's options, with defaults for what his version of the
/// struct does not have; `given` may be null.
Error readOptions(const HamKaasInstanceOptions *given,
                  HamKaasInstanceOptions &options /* out */);

} // namespace hamkaas::rt

#endif // HAMKAAS_RUNTIME_INSTANCE_PROGRAMCHECK_H
