//===- ManPage.h - The manual page of a tool --------------------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HAMKAAS_LIB_DRIVER_MANPAGE_H
#define HAMKAAS_LIB_DRIVER_MANPAGE_H

#include "OptionTable.h"
#include "llvm/Support/raw_ostream.h"

namespace hamkaas {

/// Prints the page of section 1 in roff.
void printManPage(const ToolInfo &tool, llvm::raw_ostream &os);

} // namespace hamkaas

#endif // HAMKAAS_LIB_DRIVER_MANPAGE_H
