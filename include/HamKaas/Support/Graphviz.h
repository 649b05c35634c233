//===- Graphviz.h - Drawings by the program dot -----------------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HAMKAAS_SUPPORT_GRAPHVIZ_H
#define HAMKAAS_SUPPORT_GRAPHVIZ_H

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/raw_ostream.h"

namespace hamkaas {

/// Prints the SVG that Graphviz's `dot` makes of `text`. Fails if there is none
/// in PATH, and then prints nothing.
llvm::Error runGraphviz(llvm::StringRef text, llvm::raw_ostream &os);

} // namespace hamkaas

#endif // HAMKAAS_SUPPORT_GRAPHVIZ_H
