//===- FormatType.h - Types as users read them ------------------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HAMKAAS_DIALECT_HAMKAAS_IR_FORMATTYPE_H
#define HAMKAAS_DIALECT_HAMKAAS_IR_FORMATTYPE_H

#include "mlir/IR/Types.h"
#include <string>

namespace hamkaas {

/// The type of a tensor as "float32 [2, 3]", that of an element as "float32",
/// with the names that programs have; anything else as MLIR prints it.
std::string formatType(mlir::Type type);

/// `text` with the types of tensors in it, as MLIR prints them, so formatted.
std::string formatTypesIn(llvm::StringRef text);

} // namespace hamkaas

#endif // HAMKAAS_DIALECT_HAMKAAS_IR_FORMATTYPE_H
