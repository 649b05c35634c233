//===- ProgramOps.td - Steps of a program ------------------*- tablegen -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HAMKAAS_DIALECT_HAMKAAS_IR_PROGRAMOPS
#define HAMKAAS_DIALECT_HAMKAAS_IR_PROGRAMOPS

include "HamKaas/Dialect/HamKaas/IR/HamKaasOpBase.td"
include "mlir/Interfaces/DestinationStyleOpInterface.td"
include "mlir/IR/SymbolInterfaces.td"

def HamKaas_RepeatOp : HamKaas_Op<"repeat", [
    AttrSizedOperandSegments, DestinationStyleOpInterface,
    DeclareOpInterfaceMethods<SymbolUserOpInterface>,
    DeclareOpInterfaceMethods<MemoryEffectsOpInterface>]> {
  let summary = "call a function for each row of tensors";
  let closed = "the compiler makes it of hamkaas.scan";
  let description = [{
    The form of `hamkaas.scan` in KERNELS and PLANNED. Step t reads and writes
    row t, or `steps` - 1 - t if `reversed`. The arguments of the function
    `callee` are, in this order:

    * a row of each of `rows`;
    * each of `values`, whole;
    * each of the iter args `carried`, which it reads and writes;
    * a row of each of `outputs`, which it writes;
    * in PLANNED, the workspace.

    On tensors, the results are `carried` and `outputs` after the last step; on
    buffers there are none.

    Constraints:
    * (C1) `steps` is at least 1, and the first dimension of `rows` and
      `outputs`.
    * (C2) The operands are tensors, of which there are results, or buffers, of
      which there are none.
    * (C3) `callee` is a function with so many arguments.

    Example:

    ```mlir
    %h, %y = hamkaas.repeat 8 of @loop0 rows(%x) values(%w) carried(%h0) outputs(%empty) : (tensor<8x4xf32>, tensor<4x4xf32>, tensor<4xf32>, tensor<8x4xf32>) -> (tensor<4xf32>, tensor<8x4xf32>)
    ```
  }];
  let arguments = (ins I64Attr:$steps, FlatSymbolRefAttr:$callee,
                       UnitAttr:$reversed,
                       Variadic<AnyType>:$rows, Variadic<AnyType>:$values,
                       Variadic<AnyType>:$carried, Variadic<AnyType>:$outputs,
                       Optional<AnyMemRef>:$workspace);
  let results = (outs Variadic<AnyRankedTensor>:$results);
  let assemblyFormat = [{
    $steps (`reversed` $reversed^)? `of` $callee `rows` `(` $rows `)`
    `values` `(` $values `)` `carried` `(` $carried `)` `outputs` `(` $outputs `)`
    (`workspace` `(` $workspace^ `)`)? attr-dict `:`
    functional-type(operands, results)
  }];
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    /// `carried` and `outputs`.
    mlir::MutableOperandRange getDpsInitsMutable();
    /// Returns whether this is one of `rows` or `outputs`.
    bool isRow(mlir::OpOperand &operand);
  }];
}

def HamKaas_CheckOp : HamKaas_Op<"check"> {
  let summary = "end the run with an error unless a condition holds";
  let closed = "the compiler makes it of operands that runs check";
  let description = [{
    Stands before the loops of a kernel. `message` may name the values as `{0}`
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

// The values are those of HamKaasCpuFeature in hamkaas-c/Program.h.
def HamKaas_CpuFeature : I32EnumAttr<
    "CpuFeature", "instructions beyond the level of a program", [
      I32EnumAttrCase<"DotProducts", 1, "dot_products">,
      I32EnumAttrCase<"TileProducts", 2, "tile_products">
    ]> {
  let cppNamespace = "::hamkaas";
  let genSpecializedAttr = 0;
}
def HamKaas_CpuFeatureAttr
    : EnumAttr<HamKaas_Dialect, HamKaas_CpuFeature, "cpu_feature">;

def HamKaas_HasCpuFeatureOp : HamKaas_Op<"has_cpu_feature", [Pure]> {
  let summary = "whether the processor has certain instructions";
  let closed = "the compiler makes it in kernels with code for them";
  let description = [{
    Stands in a kernel for a CPU. True if the processor that runs it has

    * `dot_products`: AVX-VNNI, or AVX512-VNNI with vectors of 512 bits, which
      add the products of four unsigned and four signed bytes to a 32-bit
      integer;
    * `tile_products`: AMX-INT8, which does so for tiles of 16 rows of 64 bytes.

    Both branches that depend on it compute the same bits.

    Example:

    ```mlir
    %has = hamkaas.has_cpu_feature dot_products : i1
    ```
  }];
  let arguments = (ins HamKaas_CpuFeatureAttr:$feature);
  let results = (outs I1:$result);
  let assemblyFormat = "$feature attr-dict `:` type($result)";
}

#endif // HAMKAAS_DIALECT_HAMKAAS_IR_PROGRAMOPS
