//===- Passes.td - Passes from GRAPH to GRAPH -----------------------------===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HAMKAAS_DIALECT_HAMKAAS_GRAPH_PASSES
#define HAMKAAS_DIALECT_HAMKAAS_GRAPH_PASSES

include "mlir/Pass/PassBase.td"

def FoldConstants : Pass<"hamkaas-fold-constants", "mlir::ModuleOp"> {
  let summary = "evaluate what depends only on constants";
  let description = [{
    Replaces an operation of constants by its result, which
    ReferenceSemanticsOpInterface computes, the same on every machine. The
    result must not be larger than `max-bytes` or than the operands together,
    so that the program does not grow. Blocks of few bits are never decoded.

    Operations that depend on parameters stay: they move to `@prepare`.
    Operations that fail on their values stay, too, such as a slice out of
    bounds: their error belongs to the run.

    The pass is in the dialect's folder, because the interface is declared
    there. Tools that register no semantics, such as the plug-in for
    `mlir-opt`, fold nothing.
  }];
  let options = [
    Option<"maxBytes", "max-bytes", "uint64_t", /*default=*/"65536",
           "Largest result to compute, in bytes">
  ];
  let dependentDialects = ["hamkaas::HamKaasDialect"];
}

def FoldAffine : Pass<"hamkaas-fold-affine", "mlir::ModuleOp"> {
  let summary = "fold scales and offsets into each other and into weights";
  let description = [{
    Chains of multiplications by and additions of parameters, such as a bias
    followed by a batch normalization, become one of each:
    `(x * a + b) * c + d` is `x * (a * c) + (b * c + d)`.

    If `x` has parameters as weights, which KernelOpInterface names, and there
    is one factor per column, the factor goes into the weights. What is
    computed only of parameters moves to `@prepare` later: a run does less,
    loading little more.

    Only values with a single use are folded, only if the new parameters are no
    larger than the old, and only in float32 and float64. Results change by
    rounding only.
  }];
  let dependentDialects = ["hamkaas::HamKaasDialect"];
}

def MoveLayouts : Pass<"hamkaas-move-layouts", "mlir::ModuleOp"> {
  let summary = "move permutes and reshapes to where they cost less";
  let description = [{
    A frontend with channels-first images puts a permute before and after each
    channels-last convolution. This pass looks at regions: values connected by
    operations that work in any layout, which are pointwise ones and those of
    PermutableOpInterface (concat, pad, slice, gather and others).

    It computes a region in the layout of the permutes around it if permutes
    then move fewer bytes. Permutes at the border of the region vanish or
    change, and new ones appear where other values cross it. Permutes of
    parameters are free, as are those that move only dimensions of size 1. A
    reduction ends a region: its result is permuted, if at all.

    Reshapes that only add or drop dimensions of 1, which frontends put around
    one-dimensional convolutions, first move across permutes, out of the
    regions. Of two permutes between which a reshape splits or merges
    dimensions, one is left, as between a convolution and pixels that are its
    channels. Finally, a reshape of a contraction's result moves behind the
    pointwise operations that follow, which then join its kernel.

    A convolutional network is left with a permute at its first input and,
    unless it ends in a reduction, at its result. Permutes between operations
    with a fixed layout, such as those before a `matmul`, stay where they are.

    Before: `relu(permute(x))` and a permute back. After: `relu(x)`. Linear in
    the number of operations: each value is visited a bounded number of times.
  }];
  let dependentDialects = ["hamkaas::HamKaasDialect"];
}

def Simplify : Pass<"hamkaas-simplify", "mlir::ModuleOp"> {
  let summary = "simplify arithmetic, casts, broadcasts, products, windows and concats";
  let description = [{
    Each rewrite keeps the bits, except for the last four, which round no
    worse. `c` is a constant of equal elements.

    | from | to |
    |------|----|
    | `x * 1`, `x / 1`, `x^1`, `x - 0`, `x + -0.0`, `max(x, -inf)`, `min(x, inf)`; of integers also `x + 0` and neutral operands of bits and shifts | `x` |
    | `not(not(x))`, `neg(neg(x))` | `x` |
    | `abs(abs(x))`, `abs(neg(x))` | `abs(x)` |
    | `x + neg(y)`, `x - neg(y)` | `x - y`, `x + y` |
    | `x * -1` | `neg(x)` |
    | `max(max(x, c), d)`, `min(min(x, c), d)` | one clamp |
    | a `max`, `min` or `relu` without effect, because earlier bounds, or those of an integer type, are as tight | its operand |
    | a cast of a cast that keeps every number | one cast |
    | `select` by a constant, or of equal values | the chosen one |
    | `select(not(c), x, y)` | `select(c, y, x)` |
    | an operation on a broadcast | one that broadcasts its rhs itself; a commutative one, a comparison or a difference swaps its operands if need be |
    | a constant of equal elements as rhs | a constant of one element |
    | the transpose of a product `a^T b` of matrices, where `b` has no more elements than `a` and the product | `b^T a` |
    | a convolution of whose windows elements at the ends meet padding alone, in all windows | one without these elements |
    | a slice of a concat with all positions along its dimension, where another concat, of up to 32 such parts, alone needs both | the concat of slices of the operands |
    | first operands of a concat that an earlier concat joins, and that nobody reads later | the earlier concat |
    | `x / c` where `1 / c` is exact | `x * (1 / c)` |
    | `x^2` | `x * x` |
    | `x^3` of floats of at least 32 bits | `x * x * x` |

    `x + 0.0` stays, because it turns -0.0 into 0.0. Canonicalization handles
    chains of reshapes, slices and permutes, and slices of a concat.
  }];
  let dependentDialects = ["hamkaas::HamKaasDialect"];
}

def Raise : Pass<"hamkaas-raise", "mlir::ModuleOp"> {
  let summary = "recognise operations that a frontend decomposed";
  let description = [{
    Replaces a composition by the operation that it computes. A row kernel saves
    work: it reads rows once instead of once per reduction. A pointwise tree is
    one kernel anyway, but reports and drawings then show its name.

    Expects the module after `hamkaas-simplify`, which rewrites `x^2` as `x * x`
    and moves constants to the second operand. Matches products and polynomials
    rather than trees, because exporters write functions in many ways.

    | from | to |
    |------|----|
    | `(x - mean(x)) / sqrt(mean((x - mean(x))^2) + e)` along the last dimension | `layer_norm` |
    | `w * x / sqrt(mean(x^2) + e)` along the last dimension, of float32, with or without `w` | `rms_norm` |
    | `exp(x - max(x)) / sum(exp(x - max(x)))` along the last dimension, of float32 | `sliced_softmax` |
    | `concat(a * c - b * d, a * d + b * c)` along the last dimension, where `a` and `b` are the numbers 0 and 1 of each pair of a float32 tensor | `complex_mul` |
    | `1 / (1 + exp(-x))` | `sigmoid` |
    | `x * sigmoid(x)`, `x / (1 + exp(-x))` | `silu` |
    | `0.5 * x * (1 + erf(x / sqrt(2)))`, of float32 | `gelu` |
    | `0.5 * x * (1 + tanh(sqrt(2 / pi) * (x + 0.044715 * x^3)))`, of float32 | `gelu` of `tanh` |
    | `x * min(max(x + 3, 0), 6) / 6`, of float32 | `hard_swish` |
    | `(a * l) * (b * r)`, matrix products of batches of float32 matrices | `(a * b) * (l * r)` |

    A mean is a sum times `1 / n` or divided by `n`. A division by a root may
    be a multiplication by its inverse or by a power of -0.5. Other scales and
    offsets stay: they join the kernel.

    The factors of GELU and HardSwish may come in any order, their constants
    with any of them (`x * min(max(x / 6 + 0.5, 0), 1)`), and the polynomials
    in any form. A function of `x` that has other uses stays.

    The numbers `a` and `b` may stand before permutes, reshapes and broadcasts.
    Their product is between 2^-32 and 2^32, so that no other product leaves the
    range of float32.

    A remark of category `hamkaas-raise` names a near miss: the operation, the
    condition that failed, and the place (`hamkaas-opt
    --remarks-filter-missed=hamkaas-raise --remark-format=emitRemark`). A near
    miss has the characteristic part of the operation: a softmax divides by a sum
    of what it divides, a normalization by a root of a mean.
  }];
  let dependentDialects = ["hamkaas::HamKaasDialect"];
}

def RaiseAttention : Pass<"hamkaas-raise-attention", "mlir::ModuleOp"> {
  let summary = "recognise attention in matmuls and softmax";
  let description = [{
    Replaces `softmax(q * transpose(k)) * v` of float32 matrices by `attention`,
    if scores and weights have no other uses. Before the softmax, scores may be
    scaled by a number, then added to biases, then replaced by a number where a
    mask holds. Heads that share keys may be rows of one matrix in the matmuls
    only.

    Expects the module after `hamkaas-raise`, which moves scales of queries and
    keys out of the matmul, and `hamkaas-move-layouts`, which leaves at most one
    permute before the keys.

    Fully masked rows may have weights of zero instead of NaN: `select(rows, 0,
    w)` with a condition per row, or `select(w != w, 0, w)`, as PyTorch's
    exporters write it. The latter becomes a condition on bias and mask. Scores
    that are NaN for another reason then give NaN, as in PyTorch, instead of
    zero.

    A decode step that computes one key and value itself, and reads the others
    from a cache, may leave the cache unchanged. With `here` true for the new
    position:

    ```
    w = softmax(select(here, q . k1, q * transpose(k)))
    result = select(here, 0, w) * v + sum(select(here, w, 0)) * v1
    ```

    That is attention to `select(here, k1, k)` and `select(here, v1, v)`, which
    the kernel computes where it reads keys and values. Several queries may
    share them. The cache's value at that position is no longer multiplied by
    zero, so it need not be finite.

    A remark of category `hamkaas-raise-attention` says why a weighted sum of
    values is not attention.
  }];
  let dependentDialects = ["hamkaas::HamKaasDialect"];
}

def CheckNan : Pass<"hamkaas-check-nan", "mlir::ModuleOp"> {
  let summary = "check each result of floats for NaN";
  let description = [{
    Puts `hamkaas.check_nan` behind each operation with results of floats, and
    behind inputs, also in loops: the first operation that makes a NaN ends the
    run with an error at its position. Parameters are not checked, nor what
    depends on them alone.

    Run it when the graph is optimized: values that have a check are not fused.

    Before: `%0 = hamkaas.log %x`. After, all other users of `%0` read
    `%1 = hamkaas.check_nan %0, "the result of 'log'"`.
  }];
  let dependentDialects = ["hamkaas::HamKaasDialect"];
}

def VerifyGraph : Pass<"hamkaas-verify-graph", "mlir::ModuleOp"> {
  let summary = "check that a module has the form GRAPH";
  let description = [{
    * One public function or more, most often `@main`, of operations of the
      dialect on tensors of static shape. Each returns a result or stores a
      state, and has no name that passes give to functions: `prepare`, `device`,
      `k0`, `loop0`, `hamkaas_...`.
    * Arguments, results, parameters and states have printable names, unique
      among their kind.
    * A parameter is external or holds its elements, and so are the initial
      contents of a state. External ones of both have unique names.
    * A state is loaded and stored at most once.
    * Every loaded or stored global exists.

    Changes nothing.
  }];
}

#endif // HAMKAAS_DIALECT_HAMKAAS_GRAPH_PASSES
