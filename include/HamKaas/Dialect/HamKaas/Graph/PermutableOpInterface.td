//===- PermutableOpInterface.td - Ops in any layout --------*- tablegen -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HAMKAAS_DIALECT_HAMKAAS_GRAPH_PERMUTABLEOPINTERFACE
#define HAMKAAS_DIALECT_HAMKAAS_GRAPH_PERMUTABLEOPINTERFACE

include "mlir/IR/OpBase.td"

def PermutableOpInterface : OpInterface<"PermutableOpInterface"> {
  let cppNamespace = "::hamkaas";
  let description = [{
    An operation of one result that can be computed with its dimensions in
    another order. Pointwise operations do not need it. External models
    implement it, because only `hamkaas-move-layouts` uses it.
  }];
  let methods = [
    InterfaceMethod<
      "The permutation of the result if every operand of as many dimensions "
      "as `permutation` is permuted by it and the others stay as they are. "
      "Nothing if the op cannot do that.",
      "::std::optional<::llvm::SmallVector<int64_t>>", "getResultPermutation",
      (ins "::llvm::ArrayRef<int64_t>":$permutation)>,
    InterfaceMethod<
      "Creates the op on `operands`, permuted as for `getResultPermutation`, "
      "and returns its result.",
      "::mlir::Value", "createPermuted",
      (ins "::mlir::OpBuilder &":$builder,
           "::llvm::ArrayRef<int64_t>":$permutation,
           "::mlir::ValueRange":$operands)>
  ];
}

#endif // HAMKAAS_DIALECT_HAMKAAS_GRAPH_PERMUTABLEOPINTERFACE
