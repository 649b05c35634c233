//===- GradientOpInterface.td - Rules of differentiation ---*- tablegen -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HAMKAAS_GRADIENT_GRADIENTOPINTERFACE
#define HAMKAAS_GRADIENT_GRADIENTOPINTERFACE

include "mlir/IR/OpBase.td"

def GradientOpInterface : OpInterface<"GradientOpInterface"> {
  let cppNamespace = "::hamkaas";
  let description = [{
    The reverse-mode rule of an operation, from GRAPH to GRAPH, or the reason
    why it has none. External models in lib/Gradient implement it with the
    builder of the front ends, so that the dialect does not depend on it. Each
    operation of the dialect has a model.
  }];
  let methods = [
    InterfaceMethod<
      "The reason why the operation has no rule; empty if it has one.",
      "::llvm::StringRef", "getMissingGradientReason">,
    InterfaceMethod<
      "Builds the gradients of the operands from `gradient`, that of the only "
      "result, which is of floats. A null tensor stands for zeros, and for an "
      "operand that is not of floats; so do tensors that are missing at the "
      "end. What turns out not to be needed is dropped. Reports a failure to "
      "the builder.",
      "::hamkaas::graph::Tensors", "buildGradients",
      (ins "::hamkaas::graph::GraphBuilder &":$builder,
           "::hamkaas::graph::Tensor":$gradient)>
  ];
}

#endif // HAMKAAS_GRADIENT_GRADIENTOPINTERFACE
