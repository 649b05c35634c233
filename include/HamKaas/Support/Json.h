//===- Json.h - Reading JSON that anyone may have written -------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HAMKAAS_SUPPORT_JSON_H
#define HAMKAAS_SUPPORT_JSON_H

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/JSON.h"

namespace hamkaas {

/// Parses a text of at most 16 levels: LLVM's parser recurs, so that more could
/// overflow the stack.
llvm::Expected<llvm::json::Value> parseJson(llvm::StringRef text);

} // namespace hamkaas

#endif // HAMKAAS_SUPPORT_JSON_H
