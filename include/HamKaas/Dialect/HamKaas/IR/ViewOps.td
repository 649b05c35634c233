//===- ViewOps.td - Other names for elements in place ------*- tablegen -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HAMKAAS_DIALECT_HAMKAAS_IR_VIEWOPS
#define HAMKAAS_DIALECT_HAMKAAS_IR_VIEWOPS

include "HamKaas/Dialect/HamKaas/IR/HamKaasOpBase.td"

def HamKaas_ReshapeOp : HamKaas_GraphOp<"reshape", "View"> {
  let summary = "change the shape without moving data";
  let description = [{
    The elements keep their row-major order.

    | `x`     | `result` |
    |---------|----------|
    | `a x b` | any shape of `a * b` elements |

    Constraints:
    * (C1) `result` has as many elements as `x`.
    * (C2) `result` has the element type of `x`.

    Gradient: `g` reshaped to the shape of `x`.

    Example:

    ```mlir
    %y = hamkaas.reshape %x : tensor<2x12xf32> -> tensor<24xf32>
    ```
  }];
  let arguments = (ins HamKaas_Tensor:$x);
  let results = (outs HamKaas_Tensor:$result);
  let assemblyFormat = "$x attr-dict `:` type($x) `->` type($result)";
  let hasFolder = 1;
  let hasCanonicalizeMethod = 1;
  let hasVerifier = 1;
}

def HamKaas_SliceOp : HamKaas_GraphOp<"slice", "View", [InferTypeOpAdaptor]> {
  let summary = "take consecutive rows of the first dimension";
  let description = [{
    `result[i, j] = x[begin + i, j]` for `0 <= i < end - begin`. Never moves
    data.

    | `x`     | `result`              |
    |---------|-----------------------|
    | `n x m` | `(end - begin) x m`   |

    Constraints:
    * (C1) `x` has at least rank 1.
    * (C2) `0 <= begin < end <= n`.

    Gradient: `g` in rows `begin` to `end - 1`, otherwise 0.

    Example:

    ```mlir
    %y = hamkaas.slice %x[1, 3] : tensor<4x2xf32>
    ```
  }];
  let arguments = (ins HamKaas_Tensor:$x, I64Attr:$begin, I64Attr:$end);
  let results = (outs HamKaas_Tensor:$result);
  let assemblyFormat = [{
    $x `[` $begin `,` $end `]` attr-dict `:` type($x)
  }];
  let hasFolder = 1;
  let hasCanonicalizeMethod = 1;
}

#endif // HAMKAAS_DIALECT_HAMKAAS_IR_VIEWOPS
