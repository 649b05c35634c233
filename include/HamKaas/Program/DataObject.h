//===- DataObject.h - Large constants as an object file ---------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HAMKAAS_PROGRAM_DATAOBJECT_H
#define HAMKAAS_PROGRAM_DATAOBJECT_H

#include "llvm/ADT/ArrayRef.h"
#include <string>
#include <system_error>

namespace hamkaas {

/// Constant data under the name by which code refers to it.
struct EmbeddedData {
  std::string symbol;
  llvm::ArrayRef<char> bytes; ///< Owned by the caller.
};

/// Writes an ELF object that defines each symbol (hidden, read-only, aligned
/// for vectors) to the file `descriptor`. The bytes go straight from memory to
/// the file: compiling them as an LLVM constant takes minutes a gigabyte.
std::error_code writeDataObject(int descriptor,
                                llvm::ArrayRef<EmbeddedData> data);

} // namespace hamkaas

#endif // HAMKAAS_PROGRAM_DATAOBJECT_H
