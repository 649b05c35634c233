//===- Opsets.h - Which version of an operator a node means -----*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HAMKAAS_LIB_FRONTEND_ONNX_OPSETS_H
#define HAMKAAS_LIB_FRONTEND_ONNX_OPSETS_H

#include "OpContext.h"

namespace hamkaas::onnx {

/// `domain` by the name that it has here: ONNX's own has two.
inline llvm::StringRef normalizeDomain(llvm::StringRef domain) {
  return domain == "ai.onnx" ? "" : domain;
}

/// How the operator of a node is imported, and its version.
struct OpVersion {
  const OpDefinition *definition = nullptr;
  int64_t version = 0;
};

/// How many outputs an operator of ONNX may have; none for one that it does not
/// have.
std::optional<int64_t> getMaxOutputs(llvm::StringRef domain,
                                     llvm::StringRef name);

/// The newest opset of ONNX that changed an operator.
int64_t getNewestOpset();

/// `opset` is the version of the domain that the model imports. Without a
/// definition after an error.
OpVersion findOp(llvm::StringRef domain, llvm::StringRef name, int64_t opset,
                 Diagnostics &diagnostics);

} // namespace hamkaas::onnx

#endif // HAMKAAS_LIB_FRONTEND_ONNX_OPSETS_H
