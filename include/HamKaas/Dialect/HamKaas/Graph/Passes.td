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
  let summary = "compute what depends on constants only";
  let description = [{
    Replaces an operation whose operands are constants by its result, which
    ReferenceSemanticsOpInterface computes, the same on every machine. The result
    must not be larger than `max-bytes` or than the operands together, so that the
    program does not grow. One that depends on parameters stays: it moves to
    `@prepare`. Operations whose values do not allow a result stay, too, such as a
    slice at a position that does not exist: their error belongs to the run.
  }];
  let options = [
    Option<"maxBytes", "max-bytes", "uint64_t", /*default=*/"65536",
           "Largest result to compute, in bytes">
  ];
  let dependentDialects = ["hamkaas::HamKaasDialect"];
}

def FoldAffine : Pass<"hamkaas-fold-affine", "mlir::ModuleOp"> {
  let summary = "fold chains of scales and offsets, also into weights";
  let description = [{
    Products with and sums of parameters, such as a bias followed by a batch
    normalization, become one product and one sum:
    `(x * a + b) * c + d` is `x * (a * c) + (b * c + d)`. Where `x` has parameters
    as weights, those that KernelOpInterface names, and there is one factor for
    each column, the product goes into the weights. What is computed of parameters alone moves
    to `@prepare` later, so a run does less and loading little more.

    Only values that nothing else needs are folded, only where the parameters that
    result are no larger than those before, and only in float32 and float64:
    results change by no more than rounding.
  }];
  let dependentDialects = ["hamkaas::HamKaasDialect"];
}

def MoveLayouts : Pass<"hamkaas-move-layouts", "mlir::ModuleOp"> {
  let summary = "move permutes and reshapes to where they cost less";
  let description = [{
    A frontend whose images have their channels first puts a permute before and
    after each convolution, whose channels are last. This pass looks at regions:
    values that are connected by operations that work in any layout (pointwise
    ones and those of PermutableOpInterface, such as a concatenation, a padding, a
    slice and a gather along any dimension). It computes a region in the layout
    of the permutes around it if permutes then move fewer bytes than before:
    permutes that enter or leave the region vanish or change, and new ones are
    added where something else enters or leaves it. A permute of a parameter costs
    nothing in a run, nor does one that moves only dimensions of size 1. A
    reduction ends a region: its result is permuted, if at all.

    Reshapes that only add or drop dimensions of 1, which frontends put around
    convolutions along one dimension, move to the other side of a permute first,
    out of the regions. In the end, a reshape of the result of a contraction, such
    as a product of many rows, moves behind the pointwise operations that follow,
    which then join its kernel.

    So a network of convolutions is left with a permute at its first input and,
    unless it ends in a reduction, at its result. Permutes between operations that
    fix the layout, such as those before a `matmul`, stay where they are.

    Before: `relu(permute(x))` and a permute back. After: `relu(x)`. Linear in the
    number of operations: each value is visited a fixed number of times at most.
  }];
  let dependentDialects = ["hamkaas::HamKaasDialect"];
}

def Simplify : Pass<"hamkaas-simplify", "mlir::ModuleOp"> {
  let summary = "apply the algebra of numbers, limits, casts and shapes";
  let description = [{
    Each rewrite leaves the same bits behind, but for the last three, which are
    rounded no worse. `c` stands for a constant whose elements are equal.

    | from | to |
    |------|----|
    | `x * 1`, `x / 1`, `x^1`, `x - 0`, `x + -0.0`, `max(x, -inf)`, `min(x, inf)`; of integers also `x + 0` and neutral operands of bits and shifts | `x` |
    | `not(not(x))`, `neg(neg(x))` | `x` |
    | `abs(abs(x))`, `abs(neg(x))` | `abs(x)` |
    | `x + neg(y)`, `x - neg(y)` | `x - y`, `x + y` |
    | `x * -1` | `neg(x)` |
    | `max(max(x, c), d)`, `min(min(x, c), d)` | one limit |
    | a `max`, `min` or `relu` that changes nothing, because the limits before it, or those of an integer type, are as narrow | its operand |
    | a cast of a cast that keeps every number | one cast |
    | `select` by a constant, or of equal values | the chosen one |
    | `select(not(c), x, y)` | `select(c, y, x)` |
    | an operation on a broadcast | one that repeats its rhs itself; a commutative one, a comparison or a difference is turned around if need be |
    | a constant of equal elements as rhs | a constant of one element |
    | `x / c` where `1 / c` is exact | `x * (1 / c)` |
    | `x^2` | `x * x` |
    | `x^3` of floats of at least 32 bits | `x * x * x` |

    `x + 0.0` stays, because it makes 0.0 of -0.0. Chains of reshapes, slices and
    permutes, and slices of a concatenation, are canonicalization's.
  }];
  let dependentDialects = ["hamkaas::HamKaasDialect"];
}

def Raise : Pass<"hamkaas-raise", "mlir::ModuleOp"> {
  let summary = "recognise operations that a frontend took apart";
  let description = [{
    Replaces a composition by the operation it is. A kernel of one operation on
    rows saves work: rows are read once instead of once a reduction. A tree of
    pointwise operations is one kernel anyway, but reports and drawings of a model
    name what it is. Expects the module after `hamkaas-simplify`, which turns `x^2`
    into `x * x` and constants into the second operand.

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

    A mean is a sum times `1 / n` or divided by `n`; a division by a root may be a
    product with its inverse, or with a power of -0.5. Other scales and offsets
    that follow stay: they join the kernel. The factors of GELU and HardSwish may
    come in any order, their constants with any of them (`x * min(max(x / 6 + 0.5, 0),
    1)`), and the polynomials in any form. A function of `x` that something else
    needs, too, stays as it is.

    The numbers `a` and `b` may stand before permutes, reshapes and broadcasts.
    Their product is between 2^-32 and 2^32, so that no other product leaves the
    range of float32.

    A remark of category `hamkaas-raise` tells what misses one condition, which,
    and where: `hamkaas-opt --remarks-filter-missed=hamkaas-raise
    --remark-format=emitRemark`. An operation must have what tells it from others
    that share its parts: a softmax divides by a sum of what it divides, a
    normalization by a root of a mean.
  }];
  let dependentDialects = ["hamkaas::HamKaasDialect"];
}

def RaiseAttention : Pass<"hamkaas-raise-attention", "mlir::ModuleOp"> {
  let summary = "recognise attention from its parts";
  let description = [{
    Replaces `softmax(q * transpose(k)) * v` of float32 matrices by `attention`,
    where nothing else needs the scores or the weights. On the way to the softmax,
    the scores may be multiplied or divided by a number, then added to biases, then
    replaced by a number where a mask holds. Heads that share keys may be rows of
    one matrix in the products only. Expects the module after `hamkaas-raise`,
    which takes scales of queries and keys out of the product, and
    `hamkaas-move-layouts`, which leaves at most one permute before the keys.

    Rows in which nothing is allowed may have weights of zero in place of NaN:
    `select(rows, 0, w)` with a condition for each row, or `select(w != w, 0, w)`,
    as PyTorch's exporters write it. The latter becomes a condition on the bias and
    the mask. Scores that are NaN for another reason give NaN then, as they do in
    PyTorch, instead of zero.

    A step of decoding that computes one key and value itself, and takes the others
    from a cache, may leave the cache as it is: with `here` holding for the new
    position,

    ```
    w = softmax(select(here, q . k1, q * transpose(k)))
    result = select(here, 0, w) * v + sum(select(here, w, 0)) * v1
    ```

    That is attention to `select(here, k1, k)` and `select(here, v1, v)`, which its
    kernel computes where it reads keys and values. Several queries may share them.
    What the cache has there is not multiplied by zero any more, so it need not be
    finite.

    A remark of category `hamkaas-raise-attention` tells why weights times values
    are no attention.
  }];
  let dependentDialects = ["hamkaas::HamKaasDialect"];
}

def VerifyGraph : Pass<"hamkaas-verify-graph", "mlir::ModuleOp"> {
  let summary = "check that a module has the form GRAPH";
  let description = [{
    One function `@main` of operations of the dialect on tensors of static shape;
    arguments, results, parameters and states have names that text can show, each
    once among its kind; a parameter is external or holds its elements, and a
    state is zero at first; each state is loaded and stored at most once; every
    loaded or stored global exists. Changes nothing.
  }];
}

#endif // HAMKAAS_DIALECT_HAMKAAS_GRAPH_PASSES
