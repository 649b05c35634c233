//===- KernelFamily.h - The family of a kernel ------------------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HAMKAAS_DIALECT_HAMKAAS_IR_KERNELFAMILY_H
#define HAMKAAS_DIALECT_HAMKAAS_IR_KERNELFAMILY_H

#include "HamKaas/Dialect/HamKaas/IR/HamKaas.h"

namespace hamkaas {

/// The family of the kernel `function`; nothing if it is no kernel.
inline std::optional<KernelFamily> getKernelFamily(mlir::Operation *function) {
  auto kernel =
      function->getAttrOfType<KernelAttr>(HamKaasDialect::kernelAttrName);
  return kernel ? std::optional(kernel.getFamily()) : std::nullopt;
}

} // namespace hamkaas

#endif // HAMKAAS_DIALECT_HAMKAAS_IR_KERNELFAMILY_H
