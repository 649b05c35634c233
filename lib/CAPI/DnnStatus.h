//===- DnnStatus.h - Statuses and the last error ----------------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HAMKAAS_LIB_CAPI_DNNSTATUS_H
#define HAMKAAS_LIB_CAPI_DNNSTATUS_H

#include "HamKaas/Frontend/Dnn/StatusError.h"

namespace hamkaas::capi {

/// The status of an error, whose text becomes the last one of this thread. Its
/// status is that of a StatusError, or BadParam.
HamKaasDnnStatus toStatus(llvm::Error error);

/// A failure with that text.
HamKaasDnnStatus failWith(HamKaasDnnStatus status, const llvm::Twine &text);

} // namespace hamkaas::capi

#endif // HAMKAAS_LIB_CAPI_DNNSTATUS_H
