//===- Suggestion.h - The name that was perhaps meant -----------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HAMKAAS_SUPPORT_SUGGESTION_H
#define HAMKAAS_SUPPORT_SUGGESTION_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include <string>

namespace hamkaas {

/// ", did you mean 'Relu'?" of the known name that is nearest to an unknown
/// one, by at most two edits of one that is long enough; empty if none is near.
std::string suggestName(llvm::StringRef name,
                        llvm::ArrayRef<llvm::StringRef> known);

} // namespace hamkaas

#endif // HAMKAAS_SUPPORT_SUGGESTION_H
