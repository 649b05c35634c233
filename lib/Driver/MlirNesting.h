//===- MlirNesting.h - How deep MLIR text nests -----------------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HAMKAAS_LIB_DRIVER_MLIRNESTING_H
#define HAMKAAS_LIB_DRIVER_MLIRNESTING_H

#include "llvm/ADT/StringRef.h"
#include <optional>

namespace hamkaas {

/// The first place in `text` where MLIR's parser would recurse deeper than its
/// stack allows: in nested brackets, also by way of aliases, or in an
/// expression of very many operands. No real model comes near. Nothing if there
/// is none.
std::optional<size_t> findDeepNesting(llvm::StringRef text);

} // namespace hamkaas

#endif // HAMKAAS_LIB_DRIVER_MLIRNESTING_H
