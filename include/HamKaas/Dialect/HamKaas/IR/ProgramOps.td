//===- ProgramOps.td - Operations that structure a program -*- tablegen -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HAMKAAS_DIALECT_HAMKAAS_IR_PROGRAMOPS
#define HAMKAAS_DIALECT_HAMKAAS_IR_PROGRAMOPS

include "HamKaas/Dialect/HamKaas/IR/HamKaasOpBase.td"
include "mlir/Interfaces/ControlFlowInterfaces.td"

def HamKaas_ConstantOp : HamKaas_Op<"constant", [
    Pure, ConstantLike, AllTypesMatch<["value", "result"]>]> {
  let summary = "a tensor that is part of the program";
  let description = [{
    As `arith.constant`, which GRAPH has as well, but for all element types:
    unsigned integers, too.

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

def HamKaas_GroupOp : HamKaas_Op<"group", [
    Pure, IsolatedFromAbove, SingleBlock]> {
  let summary = "operations that will be one kernel";
  let description = [{
    Between GRAPH and KERNELS: holds the ops that become one kernel. The
    arguments of the body stand for `inputs`. `updated`, if present, is the index
    of the input whose storage the only result may take over.

    Constraints:
    * (C1) The body has one argument an input, of its type.
    * (C2) The body yields one value a result, of its type.
    * (C3) `updated` is the index of an input of the type of the only result.

    Example:

    ```mlir
    %y = hamkaas.group elementwise(%x) : (tensor<4xf32>) -> tensor<4xf32> {
    ^bb0(%a: tensor<4xf32>):
      %0 = hamkaas.relu %a : tensor<4xf32>
      hamkaas.yield %0 : tensor<4xf32>
    }
    ```
  }];
  let arguments = (ins Variadic<HamKaas_Tensor>:$inputs,
                       HamKaas_KernelFamilyAttr:$family,
                       OptionalAttr<I64Attr>:$updated);
  let results = (outs Variadic<HamKaas_Tensor>:$results);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = [{
    $family `(` $inputs `)` attr-dict `:` functional-type($inputs, $results)
    $body
  }];
  let hasVerifier = 1;
}

def HamKaas_YieldOp : HamKaas_Op<"yield", [
    Pure, Terminator, ReturnLike, HasParent<"GroupOp">]> {
  let summary = "ends the body of a group";
  let description = [{
    Gives the results of the `hamkaas.group` around it, one value a result. Its
    constraints are those of the group.

    Example:

    ```mlir
    hamkaas.yield %0 : tensor<4xf32>
    ```
  }];
  let arguments = (ins Variadic<HamKaas_Tensor>:$values);
  let assemblyFormat = "($values^ `:` type($values))? attr-dict";
}

def HamKaas_CheckOp : HamKaas_Op<"check"> {
  let summary = "end the run with an error unless a condition holds";
  let description = [{
    Stands in a kernel before its loops. `message` may name the values as `{0}`
    to `{3}`. Unlike `cf.assert` it neither aborts nor loses the values: the
    kernel returns, nothing is written, and the run ends with an error at the
    call's source location.

    Constraints:
    * (C1) There are at most 4 values.
    * (C2) Each `{i}` of the message names one of them.

    Example:

    ```mlir
    hamkaas.check %ok, "expected a position below 8, got {0}"(%p) : i64
    ```
  }];
  let arguments = (ins I1:$condition, StrAttr:$message,
                       Variadic<I64>:$values);
  let assemblyFormat = [{
    $condition `,` $message `(` $values `)` attr-dict (`:` type($values)^)?
  }];
  let hasVerifier = 1;
}

#endif // HAMKAAS_DIALECT_HAMKAAS_IR_PROGRAMOPS
