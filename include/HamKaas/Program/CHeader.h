//===- CHeader.h - The C header of a compiled model -------------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HAMKAAS_PROGRAM_CHEADER_H
#define HAMKAAS_PROGRAM_CHEADER_H

#include "HamKaas/Program/Descriptor.h"
#include <string>

namespace hamkaas {

/// The text of `model.h`, for C99 and C++: the functions of createEntryPoints
/// with typed arguments, and the sizes of all buffers as constants.
std::string cHeader(const ProgramInfo &info, const DescriptorOptions &options);

} // namespace hamkaas

#endif // HAMKAAS_PROGRAM_CHEADER_H
