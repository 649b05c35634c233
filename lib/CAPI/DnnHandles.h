//===- DnnHandles.h - Objects behind handles of HamKaasDnn ------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HAMKAAS_LIB_CAPI_DNNHANDLES_H
#define HAMKAAS_LIB_CAPI_DNNHANDLES_H

#include "DnnDescriptor.h"
#include "HamKaas/Support/Errors.h"

namespace hamkaas::capi {

inline constexpr rt::HandleKind sessionKind = {6, "a handle of HamKaasDnn"};
inline constexpr rt::HandleKind descriptorKind = {7, "a descriptor"};

/// The object of a handle; the error says that there is none.
template <typename Object>
llvm::Expected<std::shared_ptr<Object>> findObject(const void *handle,
                                                   rt::HandleKind kind) {
  rt::PinnedObject<std::shared_ptr<Object>> object(handle, kind);
  if (object)
    return *object;
  return nodes::makeError(handle ? HamKaasDnnBadParam : HamKaasDnnNullPointer,
                          toString(toError(object.explain())));
}

inline llvm::Expected<SharedDnnDescriptor>
findDescriptor(const HamKaasDnnDescriptor *descriptor) {
  return findObject<DnnDescriptor>(descriptor, descriptorKind);
}

} // namespace hamkaas::capi

#endif // HAMKAAS_LIB_CAPI_DNNHANDLES_H
