//===- Passes.td - Passes from GRAPH to PLANNED ------------*- tablegen -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HAMKAAS_DIALECT_HAMKAAS_TRANSFORMS_PASSES
#define HAMKAAS_DIALECT_HAMKAAS_TRANSFORMS_PASSES

include "mlir/Pass/PassBase.td"

//===----------------------------------------------------------------------===//
// GRAPH -> GRAPH
//===----------------------------------------------------------------------===//

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
    A frontend whose pictures have their channels first puts a permute before and
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
    pointwise operations is one kernel anyway, but reports and pictures of a model
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
    are no attention: `hamkaas-opt --remarks-filter-missed=hamkaas-raise-attention
    --remark-format=emitRemark`.
  }];
  let dependentDialects = ["hamkaas::HamKaasDialect"];
}

//===----------------------------------------------------------------------===//
// GRAPH -> KERNELS
//===----------------------------------------------------------------------===//

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

def ConvolutionsToProducts
    : Pass<"hamkaas-convolutions-to-products", "mlir::ModuleOp"> {
  let summary = "make convolutions of windows of one element products";
  let description = [{
    Before: `hamkaas.conv` of float32 with windows of one element, one group and no
    padding. After: `hamkaas.matmul`, of the positions as rows and the channels
    as columns; with strides, of the positions that a `hamkaas.strided_slice`
    took. A product may have rows of several rows of the picture in one block,
    and pointwise operations on the result follow it without a reshape between.
    Between permutes from and to channels that come first, one picture has its
    channels as rows, and only the weights are permuted.
  }];
  let dependentDialects = ["hamkaas::HamKaasDialect"];
}

def ProductsToReductions
    : Pass<"hamkaas-products-to-reductions", "mlir::ModuleOp"> {
  let summary = "make products of few rows with a transposed matrix reductions";
  let description = [{
    Before: `hamkaas.matmul` of at most four rows whose right side is a
    `hamkaas.permute` that makes columns of rows, such as a query times the keys
    of a cache. After: the sum of products of two rows each, by `hamkaas.mul` and
    `hamkaas.reduce`, which read the rows where they lie. Writing all of them
    transposed would take longer than the product. Parameters are transposed once,
    when the program is loaded, and stay.
  }];
  let dependentDialects = ["hamkaas::HamKaasDialect"];
}

def MergeProducts : Pass<"hamkaas-merge-products", "mlir::ModuleOp"> {
  let summary = "multiply a row and several matrices by one kernel";
  let description = [{
    Before: `hamkaas.matmul`s of the same single row with matrices of parameters
    that nothing else reads, such as the queries, keys and values of a token.
    After: one product with all of these matrices side by side, and slices of its
    row, which cost nothing. Such a product takes as long as reading its matrix; the
    threads begin and end together once, not once a matrix.
  }];
  let dependentDialects = ["hamkaas::HamKaasDialect"];
}

def NestConcats : Pass<"hamkaas-nest-concats", "mlir::ModuleOp"> {
  let summary = "join many tensors in steps";
  let description = [{
    Before: `hamkaas.concat` of any number of operands. After: of 32 at most, of
    which some may be concats themselves. One kernel for very many operands would
    take long to compile. Run it after canonicalization, which makes one concat of
    several again.
  }];
  let dependentDialects = ["hamkaas::HamKaasDialect"];
}

def UseWinograd : Pass<"hamkaas-use-winograd", "mlir::ModuleOp"> {
  let summary = "compute convolutions of 3 x 3 with fewer products";
  let description = [{
    Before: `hamkaas.conv` of float32, of two dimensions, with windows of 3 x 3,
    strides of 1, at least 32 channels and a result of whole tiles of 6 x 6,
    4 x 4 or 2 x 2, of weights that are parameters. After:
    `hamkaas.winograd_input`, a product of 64, 36 or 16 matrices, and
    `hamkaas.winograd_output`, which together have 16/81, a quarter or 4/9 of the
    products. The weights are transformed when the program is loaded. Tiles are
    used if the largest error of a result, in parts of its largest value, is at
    most `max-error`: it is 3e-5 for tiles of 6 with 256 channels of normal
    numbers, 5e-6 for tiles of 4, 7e-7 for tiles of 2, and 3e-7 without.
  }];
  let options = [
    Option<"maxError", "max-error", "double", /*default=*/"1e-5",
           "Largest error allowed, in parts of the largest value of a result">
  ];
  let dependentDialects = [
    "hamkaas::HamKaasDialect", "mlir::arith::ArithDialect",
    "mlir::tensor::TensorDialect"
  ];
}

def PadConvolutions : Pass<"hamkaas-pad-convolutions", "mlir::ModuleOp"> {
  let summary = "copy the operands of convolutions that reach beyond them";
  let description = [{
    Before: `hamkaas.conv` with padding. After: one of float32 has none, but reads
    a copy of its operand with zeros around it, made by a group of its own. The
    copy costs some percent of the convolution; asking each time whether a
    position lies within would cost more. Depthwise convolutions, for which it
    would cost as much as themselves, and those of other types keep theirs.
  }];
  let dependentDialects = [
    "hamkaas::HamKaasDialect", "mlir::arith::ArithDialect",
    "mlir::tensor::TensorDialect"
  ];
}

def FormGroups : Pass<"hamkaas-form-groups", "mlir::ModuleOp"> {
  let summary = "gather operations that will be one kernel";
  let description = [{
    Before: operations of GRAPH in `@main` and in the bodies of `hamkaas.scan`s.
    After: each of them but views and scans is in a `hamkaas.group`, together with the pointwise operations that use its result
    alone and have its shape. A group has the family of its root: the one
    contraction, reduction or row operation in it, or else elementwise or
    movement. What a reduction reads once joins it, too, in the shape that is
    reduced.

    A producer joins the group of its users if all of them are in that group and
    read its elements in order, so that no cycle arises and nothing is computed
    twice. One exception: a pointwise producer of a row operation that costs no
    more than one floating point operation an element joins it. Each pass over the
    row computes it again, which takes less time than memory does. Another: a
    depthwise convolution between a permutation of its channels to the end and one
    back takes both with it.
  }];
  let dependentDialects = ["hamkaas::HamKaasDialect"];
}

def LowerGroups : Pass<"hamkaas-lower-groups", "mlir::ModuleOp"> {
  let summary = "replace operations of the dialect by linalg and tensor";
  let description = [{
    Lowers each operation through LinalgLoweringOpInterface, inside groups and
    views outside of them. After it, only `hamkaas.group`, `hamkaas.scan`, their
    terminator and `hamkaas.check` of the dialect are left, and all tensors have the types that
    memory has: bytes for booleans, integers without a sign. Inputs, outputs and
    globals whose type this changes keep the one they had as `hamkaas.type`.
  }];
  let dependentDialects = [
    "mlir::arith::ArithDialect", "mlir::linalg::LinalgDialect",
    "mlir::math::MathDialect", "mlir::scf::SCFDialect",
    "mlir::tensor::TensorDialect"
  ];
}

def HoistParameters : Pass<"hamkaas-hoist-parameters", "mlir::ModuleOp"> {
  let summary = "move what depends on parameters only to @prepare";
  let description = [{
    Before: `@main` loads parameters from `ml_program.global`s. After:
    `@prepare` takes all external parameters, in the order of the globals, and
    returns the tensors of the constants region; `@main` takes these as arguments
    marked `hamkaas.region = "constants"`, after its inputs. Groups that depend on
    parameters alone run in `@prepare`, once at load. A parameter that `@main`
    reads as it is becomes a constant, too. Views stay where they are used: they
    cost nothing. A global that holds its elements becomes a constant of the
    program where it is read.

    Then states become arguments, marked `hamkaas.region = "state"`, and the
    globals are gone.
  }];
  let dependentDialects = [
    "mlir::arith::ArithDialect", "mlir::bufferization::BufferizationDialect",
    "mlir::func::FuncDialect"
  ];
}

def SplitConcats : Pass<"hamkaas-split-concats", "mlir::ModuleOp"> {
  let summary = "let tensors that are joined be written where they will lie";
  let description = [{
    Before: a group joins tensors of which each is one part of the result in
    memory, as along the first dimension. After: a `tensor.empty` for the result,
    into which `tensor.insert_slice`s put the parts, one after the other. Operands that another group computes, and that have no other place
    already, have groups of their own, marked `hamkaas.copy`, which memory planning
    makes nothing of by giving their operand that place. Neighbours among the
    others, such as inputs and parameters, share a group. A group that joins none
    of the former stays as it is. Where an earlier group joins the first operands,
    its result stands for them.

    Run it after parameters are hoisted, which become arguments by that.
  }];
  let dependentDialects = ["mlir::tensor::TensorDialect"];
}

def OutlineKernels : Pass<"hamkaas-outline-kernels", "mlir::ModuleOp"> {
  let summary = "make groups and bodies of loops functions";
  let description = [{
    First, each `hamkaas.scan` becomes a `hamkaas.repeat` of a private function
    `@loop0`, `@loop1`, … marked `hamkaas.loop`: its body, a program like `@main`
    whose inputs are rows and values, whose states are what is carried, and whose
    outputs are rows of the results. All below holds for it, too.

    Before: groups in `@main` and `@prepare`. After: private functions `@k0`,
    `@k1`, … marked `#hamkaas.kernel`, in destination-passing style: the last
    argument is the storage of the result. Groups whose bodies are equal share a
    function, whatever operands they get.

    Each result is written when no other one reads what lies in its place: a value
    may be several results, a state may be stored into another one.

    `@main` and `@prepare` get arguments marked `hamkaas.region = "output"` or
    `"constants"` for their results; a group whose result is a result of the
    function writes there, the others into `tensor.empty`s.
  }];
  let dependentDialects = [
    "mlir::bufferization::BufferizationDialect", "mlir::func::FuncDialect",
    "mlir::tensor::TensorDialect"
  ];
}

def VerifyKernels : Pass<"hamkaas-verify-kernels", "mlir::ModuleOp"> {
  let summary = "check that a module has the form KERNELS";
  let description = [{
    `@main`, `@prepare` and the bodies of loops are sequences of calls of kernels,
    loops, views of tensors of static shape, and insertions of results into larger
    ones. Kernels hold linalg on tensors, and `hamkaas.check` alone of
    the dialect; they have one result, and a last argument of its type, which is
    the storage that code generation lets them write it to. Nothing else is in the
    module. Changes nothing.
  }];
}

//===----------------------------------------------------------------------===//
// KERNELS -> PLANNED
//===----------------------------------------------------------------------===//

def Bufferize : Pass<"hamkaas-bufferize", "mlir::ModuleOp"> {
  let summary = "turn tensors into buffers, in place where values allow it";
  let description = [{
    Upstream's one-shot module bufferization with the layouts that memory
    planning needs: dense for the arguments of `@main` and `@prepare`, dynamic for
    those of kernels, so that a view can be passed without a copy. Results of
    functions are gone afterwards: they are the last arguments.
  }];
  let dependentDialects = [
    "mlir::bufferization::BufferizationDialect", "mlir::memref::MemRefDialect"
  ];
}

def PlanMemory : Pass<"hamkaas-plan-memory", "mlir::ModuleOp"> {
  let summary = "assign every buffer a region and a constant offset";
  let description = [{
    Before: `@main`, `@prepare` and the bodies of loops are sequences of calls of
    kernels, loops, views, `memref.copy`s and `memref.alloc`s. After: calls, loops
    and copies whose operands are
    `memref.view`s of a region at a constant offset (or `memref.get_global`s). The
    arguments are bytes: of `@main` the inputs, the outputs, then the regions
    constants, state and workspace; of `@prepare` the parameters, constants and
    workspace. Kernels take dense buffers.

    Bodies of loops have arguments for inputs, states and outputs, and one for
    their workspace, which is a buffer of the function that repeats them.

    A `memref.alloc` gets a place in the workspace from its first to its last use;
    its views share it. Where the kernel allows it (`hamkaas.inplace` on an
    argument), a result takes the place of an operand that dies; a copy to a
    buffer from one that dies becomes nothing. So does a copy, or a call marked
    `hamkaas.copy`, of a whole buffer into a part of another one or of an output:
    what it copies is written to that part from the start, unless the part is in
    use meanwhile or the workspace would grow. In the same way, a buffer that
    holds nothing but a copy is read where that was made from, if nobody writes
    there meanwhile. Offsets of buffers are multiples of `alignment`.

    The plan is left on the functions as `hamkaas.states`, `hamkaas.constants`,
    `hamkaas.buffers` and `hamkaas.workspace_lower_bound`.
  }];
  let options = [
    Option<"alignment", "alignment", "uint64_t", /*default=*/"256",
           "Alignment of each offset in bytes, a power of two up to 2^32">,
    Option<"maxWorkspace", "max-workspace", "uint64_t", /*default=*/"0",
           "Fail if the workspace of @main is larger, in bytes; 0 for no limit">
  ];
  let dependentDialects = [
    "mlir::arith::ArithDialect", "mlir::memref::MemRefDialect"
  ];
}

def VerifyPlanned : Pass<"hamkaas-verify-planned", "mlir::ModuleOp"> {
  let summary = "check that a module has the form PLANNED";
  let description = [{
    Each operand of a call of a kernel or of a loop is a global or a dense part of a region
    that lies within it; no two buffers of the workspace that are in use at the
    same time overlap, unless one replaces the other; every use of the workspace
    lies in a buffer in use. Kernels have no results; globals have their elements.
    Changes nothing.
  }];
}

#endif // HAMKAAS_DIALECT_HAMKAAS_TRANSFORMS_PASSES
