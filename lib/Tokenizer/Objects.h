//===- Objects.h - Objects behind handles -----------------------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HAMKAAS_LIB_TOKENIZER_OBJECTS_H
#define HAMKAAS_LIB_TOKENIZER_OBJECTS_H

#include "HamKaas/Runtime/Core/HandleTable.h"

#include <cstdlib>
#include <new>

namespace hamkaas::tok {

/// An object in memory of malloc; null if there is none.
template <typename Object> Object *createObject() {
  void *memory = malloc(sizeof(Object));
  return memory ? new (memory) Object : nullptr;
}

/// As HandleTable::Release.
template <typename Object> void destroyObject(void *object) {
  static_cast<Object *>(object)->~Object();
  free(object);
}

/// Gives a handle to an object of `createObject`, which is destroyed with it,
/// or here after an error.
template <typename Object, typename Handle>
rt::Error addObject(rt::HandleKind kind, Object *object, Handle *&handle) {
  void *added = nullptr;
  rt::Error error =
      rt::handleTable().add(kind, object, destroyObject<Object>, added);
  if (error)
    destroyObject<Object>(object);
  handle = static_cast<Handle *>(added);
  return error;
}

} // namespace hamkaas::tok

#endif // HAMKAAS_LIB_TOKENIZER_OBJECTS_H
