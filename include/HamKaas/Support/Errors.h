//===- Errors.h - The runtime's errors as LLVM's ----------------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HAMKAAS_SUPPORT_ERRORS_H
#define HAMKAAS_SUPPORT_ERRORS_H

#include "HamKaas/Runtime/Core/Error.h"
#include "hamkaas-c/Runtime.h"
#include "llvm/Support/Error.h"

namespace hamkaas {

llvm::Error toError(rt::Error error);

/// For what the C interface returns; takes ownership of the message.
llvm::Error toError(HamKaasError error);

} // namespace hamkaas

#endif // HAMKAAS_SUPPORT_ERRORS_H
