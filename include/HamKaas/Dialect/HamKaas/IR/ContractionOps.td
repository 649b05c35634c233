//===- ContractionOps.td - Sums of products ----------------*- tablegen -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HAMKAAS_DIALECT_HAMKAAS_IR_CONTRACTIONOPS
#define HAMKAAS_DIALECT_HAMKAAS_IR_CONTRACTIONOPS

include "HamKaas/Dialect/HamKaas/IR/HamKaasOpBase.td"

def HamKaas_MatMulOp : HamKaas_GraphOp<"matmul", "Contraction", [
    InferTypeOpAdaptor], ["getFlops"]> {
  let summary = "multiply a vector, a matrix or a batch of matrices by matrices";
  let description = [{
    Contracts the last dimension of `lhs` with the rows of `rhs`:
    `result[b, i, j] = sum over p of lhs[b, i, p] * rhs[b, p, j]`.

    | case   | `lhs`       | `rhs`       | `result`    |
    |--------|-------------|-------------|-------------|
    | vector | `k`         | `k x n`     | `n`         |
    | matrix | `m x k`     | `k x n`     | `m x n`     |
    | batch  | `b x m x k` | `b x k x n` | `b x m x n` |

    Constraints:
    * (C1) The ranks of `lhs` and `rhs` are those of one row of the table.
    * (C2) Both operands have the same `k`.
    * (C3) In the batch case, both operands have the same `b`.

    Gradient: `lhs` gets `g * transpose(rhs)`, `rhs` gets `transpose(lhs) * g`.

    Example:

    ```mlir
    %y = hamkaas.matmul %x, %w : tensor<4x8xf32>, tensor<8x16xf32>
    ```
  }];
  let arguments = (ins HamKaas_Float32Tensor:$lhs, HamKaas_Float32Tensor:$rhs);
  let results = (outs HamKaas_Float32Tensor:$result);
  let assemblyFormat = "$lhs `,` $rhs attr-dict `:` type($lhs) `,` type($rhs)";
}

#endif // HAMKAAS_DIALECT_HAMKAAS_IR_CONTRACTIONOPS
