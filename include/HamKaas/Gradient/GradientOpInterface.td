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
      "Builds the gradients of the operands from those of the results. A null "
      "tensor stands for zeros, and for a value that is not of floats; so do "
      "tensors that are missing at the end. Only `wanted` operands need one. "
      "What turns out not to be needed is dropped. Reports a failure to the "
      "builder.",
      "::hamkaas::graph::Tensors", "buildGradients",
      (ins "::hamkaas::graph::GraphBuilder &":$builder,
           "::llvm::ArrayRef<::hamkaas::graph::Tensor>":$gradients,
           "const ::llvm::BitVector &":$wanted)>,
    InterfaceMethod<
      "The operands that each result depends on by operations on floats.",
      "::hamkaas::gradient::Dependences", "findDependences", (ins),
      /*methodBody=*/"", /*defaultImplementation=*/[{
        return ::hamkaas::gradient::dependOnAllFloats($_op);
      }]>,
    InterfaceMethod<
      "Creates, in front of the operation, one with the same results and more, "
      "which `buildGradients` needs: it is called with that operation. Null if "
      "there is no need. Reports a failure to the builder.",
      "::mlir::Operation *", "addKeptResults",
      (ins "::hamkaas::graph::GraphBuilder &":$builder),
      /*methodBody=*/"", /*defaultImplementation=*/[{
        return nullptr;
      }]>
  ];
}

#endif // HAMKAAS_GRADIENT_GRADIENTOPINTERFACE
