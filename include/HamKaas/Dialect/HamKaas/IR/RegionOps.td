//===- RegionOps.td - Operations with a body ---------------*- tablegen -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HAMKAAS_DIALECT_HAMKAAS_IR_REGIONOPS
#define HAMKAAS_DIALECT_HAMKAAS_IR_REGIONOPS

include "HamKaas/Dialect/HamKaas/IR/HamKaasOpBase.td"
include "mlir/Interfaces/ControlFlowInterfaces.td"

def HamKaas_GroupOp : HamKaas_Op<"group", [
    Pure, IsolatedFromAbove, SingleBlock]> {
  let summary = "operations of one kernel";
  let closed = "the compiler decides which operations become a kernel";
  let description = [{
    Exists between GRAPH and KERNELS and holds the operations that become one
    kernel. The arguments of the body stand for `inputs`. `updated`, if
    present, is the index of the input whose storage the only result may take
    over.

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

def HamKaas_ScanOp : HamKaas_Op<"scan", [
    AttrSizedOperandSegments, IsolatedFromAbove, RecursiveMemoryEffects,
    RecursivelySpeculatableImplTrait, SingleBlock]> {
  let summary = "loop over rows of tensors with iter args";
  let closed = "it is built with its body, from a begin to an end";
  let description = [{
    Runs the body `steps` times. Step t reads row t of the `inputs`, or `steps`
    - 1 - t if `reversed`. A row is a slice at one index of the first
    dimension.

    * Body arguments: the iter args, which are the `inits` in the first step;
      then the rows; then the `values`, which are the same in all steps.
    * The body yields the iter args of the next step, then a row of each
      output.
    * Results: the iter args that the last step yields, then the outputs, whose
      row t was yielded when row t of the inputs was read.

    | tensor             | shape                |
    |--------------------|----------------------|
    | an init            | a1 x ... x an        |
    | an input           | steps x b1 x ... x bm |
    | a value            | any                  |
    | result of an init  | a1 x ... x an        |
    | an output          | steps x c1 x ... x ck |

    Constraints:
    * (C1) `steps` is at least 1.
    * (C2) The first dimension of each input is `steps`.
    * (C3) The body has an argument of its type for each init, for each row of
      an input, and for each value.
    * (C4) The body yields a value of its type for each init, then a row for
      each further result, whose first dimension is `steps`.

    Gradient: a scan in the other direction over the same rows. Its iter args
    are the gradients of the iter args, which a further output of the scan has
    as they are before each step, and the sums of those of the values; its
    outputs are those of the inputs. It computes each step again. The gradient
    of a value that all steps multiply rows by is a product behind it, of these
    rows and the gradients of the products, which are further outputs.

    Example:

    ```mlir
    %sum, %sums = hamkaas.scan 3 from(%zero) over(%x) with() : (tensor<4xf32>, tensor<3x4xf32>) -> (tensor<4xf32>, tensor<3x4xf32>) {
    ^bb0(%carried: tensor<4xf32>, %row: tensor<4xf32>):
      %next = hamkaas.add %carried, %row : tensor<4xf32>, tensor<4xf32>
      hamkaas.yield %next, %next : tensor<4xf32>, tensor<4xf32>
    }
    ```
  }];
  let arguments = (ins I64Attr:$steps, UnitAttr:$reversed,
                       Variadic<HamKaas_Tensor>:$inits,
                       Variadic<HamKaas_Tensor>:$inputs,
                       Variadic<HamKaas_Tensor>:$values);
  let results = (outs Variadic<HamKaas_Tensor>:$results);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = [{
    $steps (`reversed` $reversed^)? `from` `(` $inits `)` `over` `(` $inputs `)`
    `with` `(` $values `)` attr-dict `:` functional-type(operands, results) $body
  }];
  let hasVerifier = 1;
  let hasCanonicalizer = 1;
  let extraClassDeclaration = [{
    /// The final iter args.
    mlir::ResultRange getFinals() {
      return getResults().take_front(getInits().size());
    }
    /// The results made of rows.
    mlir::ResultRange getOutputs() {
      return getResults().drop_front(getInits().size());
    }
    /// The arguments of the body that stand for `values`.
    mlir::Block::BlockArgListType getValueArguments() {
      return getBody().getArguments().take_back(getValues().size());
    }
    /// The operand that an argument of the body stands for, or a row of it.
    mlir::Value getTiedOperand(mlir::BlockArgument argument);
    /// Adds one of `values`; returns what stands for it in the body.
    mlir::BlockArgument addValue(mlir::Value value);
    /// Drops values that the body does not read.
    void dropUnusedValues();
    /// The type of a row of `type`, a tensor.
    static mlir::RankedTensorType getRowType(mlir::Type type);
  }];
}

def HamKaas_YieldOp : HamKaas_Op<"yield", [
    Pure, Terminator, ReturnLike, ParentOneOf<["GroupOp", "ScanOp"]>]> {
  let summary = "end the body of a group or a scan";
  let closed = "it ends a body, which comes with the operation around it";
  let description = [{
    Yields the results of the enclosing `hamkaas.group`, or of a step of the
    enclosing `hamkaas.scan`, whose constraints apply.

    Example:

    ```mlir
    hamkaas.yield %0 : tensor<4xf32>
    ```
  }];
  let arguments = (ins Variadic<HamKaas_Tensor>:$values);
  let assemblyFormat = "($values^ `:` type($values))? attr-dict";
}

#endif // HAMKAAS_DIALECT_HAMKAAS_IR_REGIONOPS
