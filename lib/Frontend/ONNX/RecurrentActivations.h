//===- RecurrentActivations.h - Activations of recurrent nodes --*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HAMKAAS_LIB_FRONTEND_ONNX_RECURRENTACTIVATIONS_H
#define HAMKAAS_LIB_FRONTEND_ONNX_RECURRENTACTIVATIONS_H

#include "OpContext.h"

namespace hamkaas::onnx {

struct ActivationKind;

/// An activation with its parameters.
struct Activation {
  const ActivationKind *kind = nullptr;
  double alpha = 0, beta = 0;
};

/// The attributes 'activations', 'activation_alpha' and 'activation_beta': the
/// activations of all directions, those of one as long as `standard`, which
/// holds the names if there are none. Empty after a failure.
std::vector<Activation> readActivations(OpContext &op, GraphBuilder &b,
                                        llvm::ArrayRef<std::string> standard,
                                        int64_t directions);

Tensor applyActivation(GraphBuilder &b, const Activation &activation, Tensor x);

} // namespace hamkaas::onnx

#endif // HAMKAAS_LIB_FRONTEND_ONNX_RECURRENTACTIVATIONS_H
