//===- DataObject.h - Large constants as an object file ---------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HAMKAAS_LIB_PROGRAM_DATAOBJECT_H
#define HAMKAAS_LIB_PROGRAM_DATAOBJECT_H

#include "HamKaas/Program/Link.h"

namespace hamkaas {

/// Writes an ELF object that defines each symbol (hidden, read-only, aligned
/// for vectors) to the file `descriptor`. The bytes go straight from memory to
/// the file: compiling them as an LLVM constant takes minutes a gigabyte.
std::error_code writeDataObject(int descriptor,
                                llvm::ArrayRef<EmbeddedData> data);

} // namespace hamkaas

#endif // HAMKAAS_LIB_PROGRAM_DATAOBJECT_H
