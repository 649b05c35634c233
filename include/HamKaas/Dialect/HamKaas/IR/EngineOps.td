//===- EngineOps.td - Kernels of engine libraries ----------*- tablegen -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HAMKAAS_DIALECT_HAMKAAS_IR_ENGINEOPS
#define HAMKAAS_DIALECT_HAMKAAS_IR_ENGINEOPS

include "HamKaas/Dialect/HamKaas/IR/HamKaasOpBase.td"
include "mlir/Interfaces/DestinationStyleOpInterface.td"

def HamKaas_EngineCallOp : HamKaas_Op<"engine_call", [
    AttrSizedOperandSegments, DestinationStyleOpInterface,
    DeclareOpInterfaceMethods<MemoryEffectsOpInterface>]> {
  let summary = "a kernel of an engine library";
  let closed = "the compiler makes it of groups that an engine computes";
  let description = [{
    The only operation of its group or kernel. It reads `inputs` and writes
    `inits`: the workspace if the engine needs one, then the result.

    Constraints:
    * (C1) All operands are tensors, with one result an init, or all are
      buffers, with no results.
    * (C2) There are as many `inits` as the engine asks for, and the workspace
      has its bytes.

    Example:

    ```mlir
    %y = hamkaas.engine_call #hamkaas.engine<id = "sample", version = "1", library = "/lib/libsample.so", group = "...", knobs = "", workspace = 0, packed = 0, packs = false> ins(%x) outs(%empty) : (tensor<8x4xf32>, tensor<8x4xf32>) -> tensor<8x4xf32>
    ```
  }];
  let arguments = (ins HamKaas_EngineAttr:$engine, Variadic<AnyType>:$inputs,
                       Variadic<AnyType>:$inits);
  let results = (outs Variadic<AnyRankedTensor>:$results);
  let assemblyFormat = [{
    $engine `ins` `(` $inputs `)` `outs` `(` $inits `)` attr-dict `:`
    functional-type(operands, results)
  }];
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    mlir::MutableOperandRange getDpsInitsMutable() { return getInitsMutable(); }
  }];
}

#endif // HAMKAAS_DIALECT_HAMKAAS_IR_ENGINEOPS
