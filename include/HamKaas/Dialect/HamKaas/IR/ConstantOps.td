//===- ConstantOps.td - What is known when compiling -------*- tablegen -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HAMKAAS_DIALECT_HAMKAAS_IR_CONSTANTOPS
#define HAMKAAS_DIALECT_HAMKAAS_IR_CONSTANTOPS

include "HamKaas/Dialect/HamKaas/IR/HamKaasOpBase.td"

def HamKaas_ConstantOp : HamKaas_Op<"constant", [
    Pure, ConstantLike, AllTypesMatch<["value", "result"]>]> {
  let summary = "constant tensor in the program";
  let closed = "its elements are data, for which front ends have a function";
  let description = [{
    Like `arith.constant`, which GRAPH also has, but for all element types,
    including unsigned integers.

    Constraints:
    * (C1) The value has dense elements.

    Example:

    ```mlir
    %y = hamkaas.constant dense<[1, 2]> : tensor<2xui8>
    ```
  }];
  let arguments = (ins ElementsAttr:$value);
  let results = (outs HamKaas_Tensor:$result);
  let assemblyFormat = "$value attr-dict";
  let hasFolder = 1;
  let hasVerifier = 1;
}

def HamKaas_IotaOp : HamKaas_GraphOp<"iota", "Elementwise", [],
                                     ["getFlops"]> {
  let summary = "indices along a dimension";
  let description = [{
    `result[i_0, ..., i_n] = i_dim`.

    Constraints:
    * (C1) `0 <= dim < rank`.

    Gradient: none.

    Example:

    ```mlir
    %y = hamkaas.iota 1 : tensor<2x3xi64>
    ```
  }];
  let arguments = (ins I64Attr:$dim);
  let results = (outs HamKaas_NumericTensor:$result);
  let assemblyFormat = "$dim attr-dict `:` type($result)";
  let hasVerifier = 1;
}

#endif // HAMKAAS_DIALECT_HAMKAAS_IR_CONSTANTOPS
