//===- KnownTensors.h - Tensors that a check of passes is given -*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HAMKAAS_RUN_KNOWNTENSORS_H
#define HAMKAAS_RUN_KNOWNTENSORS_H

#include "HamKaas/Frontend/Builder/ParameterContents.h"
#include <memory>

namespace hamkaas {

/// Tensors to interpret a graph on, by name, instead of random ones; null for
/// none.
struct KnownTensors {
  std::shared_ptr<const ParameterContents> parameters = nullptr;
  std::shared_ptr<const ParameterContents> inputs = nullptr;
};

} // namespace hamkaas

#endif // HAMKAAS_RUN_KNOWNTENSORS_H
