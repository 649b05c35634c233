//===- Passes.td - Passes from GRAPH to KERNELS ---------------------------===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HAMKAAS_DIALECT_HAMKAAS_KERNELS_PASSES
#define HAMKAAS_DIALECT_HAMKAAS_KERNELS_PASSES

include "mlir/Pass/PassBase.td"

def PointwiseConvToMatMul
    : Pass<"hamkaas-pointwise-conv-to-matmul", "mlir::ModuleOp"> {
  let summary = "rewrite pointwise convolutions as matmuls";
  let description = [{
    Before: `hamkaas.conv` of float32 or `i32` with windows of one element, one
    group and no padding. After: `hamkaas.matmul` with positions as rows and
    channels as columns. Strides become a `hamkaas.strided_slice` of the operand.

    A matmul tile may span several rows of the image, and pointwise operations
    follow it without a reshape between. Between permutes from and to
    channels-first, an image has its channels as rows, and only the weights are
    permuted, unless its positions would leave much of the vectors unused. With
    `batches`, so do several images, whose products repeat the weights as their
    left side, and images of several groups, which are a batch of products.
  }];
  let options = [
    Option<"batches", "batches", "bool", /*default=*/"false",
           "Leave the channels of several images, or groups, first, too">,
  ];
  let dependentDialects = ["hamkaas::HamKaasDialect"];
}

def MultiplyIntegers : Pass<"hamkaas-multiply-integers", "mlir::ModuleOp"> {
  let summary = "multiply dequantized integers as integers";
  let description = [{
    Before: `hamkaas.matmul` and `hamkaas.conv` of float32 whose operands are
    bytes, less zero points that are bytes, times scales: one number on the
    left, one a column on the right. After: products of `i32` that are casts of
    `i16`, as `hamkaas-narrow-products` makes them, whose result is multiplied
    by both scales. Other readers of such an operand read its 16-bit integers.

    The integers are exact, so a result is rounded a few times, where sums of
    floats are rounded once a product. Sums that 32 bits may not hold stay as
    they are, and so do products whose groups have one channel each.
  }];
  let dependentDialects = ["hamkaas::HamKaasDialect"];
}

def MultiplyBytes : Pass<"hamkaas-multiply-bytes", "mlir::ModuleOp"> {
  let summary = "multiply 16-bit integers as the bytes that they are";
  let description = [{
    Before: `hamkaas.matmul` and `hamkaas.conv` of casts of `i16`, as
    `hamkaas-narrow-products` leaves them. After: where the left side is bytes
    less one zero point and the right side is parameters that fit into signed
    bytes, the left side is a cast of `ui8` and the right side one of `i8`. The
    zero point times the sums of the right side's columns, which are known when
    the program is loaded, is subtracted from the result. Padding is the zero
    point.

    Signed bytes of the left side become unsigned ones of which the zero point
    is 128 more. Other readers of the left side read the bytes, too, so that
    memory has one byte an element. Sums wrap as before.
  }];
  let dependentDialects = ["hamkaas::HamKaasDialect"];
}

def NarrowProducts : Pass<"hamkaas-narrow-products", "mlir::ModuleOp"> {
  let summary = "multiply integers of 32 bits as the 16-bit ones that they are";
  let description = [{
    Before: `hamkaas.matmul` and `hamkaas.conv` of `i32` whose operands are
    known to have 16-bit numbers: casts of bytes, less zero points that are
    bytes, perhaps moved. After: their operands are casts of `i16`, which
    `hamkaas-form-groups` takes into the kernel of the product, so that memory
    has 16 bits an element. Sums wrap as before.

    Convolutions whose groups have one channel each wait for memory and not for
    multiplications: they compute with float32, if that has all of their sums.
  }];
  let dependentDialects = ["hamkaas::HamKaasDialect"];
}

def MatMulToReduction
    : Pass<"hamkaas-matmul-to-reduction", "mlir::ModuleOp"> {
  let summary = "rewrite few rows times a transposed matrix as a reduction";
  let description = [{
    Before: `hamkaas.matmul` of at most four rows whose right side is a
    `hamkaas.permute` that transposes, such as a query times the keys of a
    cache. After: `hamkaas.mul` and `hamkaas.reduce`, which read both rows of a
    dot product where they lie. Writing the transposed matrix would take longer
    than the matmul.

    Parameters stay: they are transposed once, when the program is loaded.

    A float32 `hamkaas.matmul` of one column and one row, an outer product,
    becomes `hamkaas.mul` of what `hamkaas.broadcast` repeats.
  }];
  let options = [
    Option<"dotDepth", "dot-depth", "int64_t", /*default=*/"0",
           "Depth from which matmuls of several rows stay; 0 for none">
  ];
  let dependentDialects = ["hamkaas::HamKaasDialect"];
}

def FuseHorizontalMatMuls : Pass<"hamkaas-fuse-horizontal-matmuls", "mlir::ModuleOp"> {
  let summary = "fuse matmuls of one row with several matrices";
  let description = [{
    Before: `hamkaas.matmul`s of the same single row with parameters that
    nothing else reads, such as the queries, keys and values of a token. After:
    one matmul with these matrices side by side, and slices of its row, which
    cost nothing.

    Such a matmul takes as long as reading its matrix. Threads start and join
    once instead of once per matrix, which gains 2 % in a step of llama15m on
    two threads.
  }];
  let dependentDialects = ["hamkaas::HamKaasDialect"];
}

def ExpandDequantize : Pass<"hamkaas-expand-dequantize", "mlir::ModuleOp"> {
  let summary = "compute the numbers of blocks by ordinary operations";
  let description = [{
    Before: `hamkaas.dequantize_blocks`. After: a pointwise tree that gathers
    bytes of each block by constant indices, takes codes and scales from them by
    shifts and masks, and multiplies and adds in float32, by the formulas of the
    package `gguf` and to its bits.

    Products with weights that a target reads as they are stored have to be
    rewritten before.
  }];
  let dependentDialects = ["hamkaas::HamKaasDialect"];
}

def GatherToBroadcast : Pass<"hamkaas-gather-to-broadcast", "mlir::ModuleOp"> {
  let summary = "repeat elements without a table of indices";
  let description = [{
    Before: a `hamkaas.gather` of constant indices that take evenly spaced
    elements, each several times in a row, or all of them several times, such as
    nearest neighbours at a whole multiple of a size. After: a
    `hamkaas.strided_slice` of these elements, if they are not all, and a
    `hamkaas.broadcast` along new dimensions, which `hamkaas.reshape`s add and
    merge. Gathers along several dimensions become one broadcast.

    On one AMD Zen 5 core, repeating 1 x 256 x 40 x 40 twice along the last two
    dimensions takes 0.08 ms instead of 0.24 ms.
  }];
  let dependentDialects = ["hamkaas::HamKaasDialect"];
}

def SplitPermutes : Pass<"hamkaas-split-permutes", "mlir::ModuleOp"> {
  let summary = "split permutes that interleave into two";
  let description = [{
    Before: a `hamkaas.permute` whose result has 2 to 4 elements in the last
    dimension, along which the operand is not contiguous, nor along the one
    before: pixels that were channels, the last dimension of a convolution.
    After: a permute that brings all dimensions behind that one before it, so
    that rows are contiguous, and one that interleaves rows. A kernel reads the
    rows as vectors; the first permute transposes matrices, and vanishes where a
    convolution can have its channels first.

    Run it before `hamkaas-pointwise-conv-to-matmul`.
  }];
  let dependentDialects = ["hamkaas::HamKaasDialect"];
}

def SplitWindows : Pass<"hamkaas-split-windows", "mlir::ModuleOp"> {
  let summary = "split maxima of windows into those along one dimension each";
  let description = [{
    Before: `hamkaas.pool max` of float32 with large windows, such as 5 x 5 of
    stride 1. After: one `hamkaas.pool` for each dimension, the last dimension
    first, if a window has at least twice as many elements as its parts. Permutes
    from and to channels-first surround each part. Largest numbers are the same
    in any order.
  }];
  let dependentDialects = ["hamkaas::HamKaasDialect"];
}

def NestConcats : Pass<"hamkaas-nest-concats", "mlir::ModuleOp"> {
  let summary = "split concats of many operands into nested ones";
  let description = [{
    Before: `hamkaas.concat` of any number of operands. After: at most 32
    operands, some of which may be concats. The time of bufferization analysis
    is cubic in their number. Run it after canonicalization, which flattens
    concats.
  }];
  let dependentDialects = ["hamkaas::HamKaasDialect"];
}

def PlanarConvolutions
    : Pass<"hamkaas-planar-convolutions", "mlir::ModuleOp"> {
  let summary = "compute few channels from images whose channels come first";
  let description = [{
    Before: a two-dimensional float32 `hamkaas.conv` whose result has so few
    channels that they would leave a quarter of the `lanes` of a vector unused,
    such as the last one of a decoder. After: it is marked `hamkaas.planar`, and
    a `hamkaas.group` has it with permutes before and behind it, and pointwise
    operations between them, as a kernel whose lanes are positions. Padding is
    skipped, not copied.

    Images whose channels come last are permuted for windows of at least 9
    elements.

    Run it before passes that rewrite convolutions.
  }];
  let options = [
    Option<"lanes", "lanes", "int64_t", /*default=*/"0",
           "Elements of a vector; 0 for no such kernels">
  ];
  let dependentDialects = ["hamkaas::HamKaasDialect"];
}

def UseWinograd : Pass<"hamkaas-use-winograd", "mlir::ModuleOp"> {
  let summary = "compute convolutions by Winograd's method";
  let description = [{
    Before: a two-dimensional float32 `hamkaas.conv` with 3 x 3 windows,
    and strides of 1. After: `hamkaas.winograd_input` of tiles of 6 x 6, 4 x 4,
    3 x 3 or 2 x 2, a batch of 64, 36, 25 or 16 matmuls, and
    `hamkaas.winograd_output`. Together they need 16/81, a quarter, 25/81 or 4/9
    of the products, if all tiles are complete. Parameters are transformed at load, other weights in each run.

    With a known `element-cost`, groups of channels have matrices of their own,
    where weights are parameters.

    With a known `element-cost`, products of 16-bit integers, which are cast to
    32 bits, use tiles of 4 x 4 or 2 x 2 where weights are parameters and the
    ranges of the operands prove that the results are exact. `word-cost` is the
    number of multiply-adds of bytes, which the direct convolution does, that
    take as long as one of 16-bit integers.

    `element-cost` is the number of multiply-adds that take as long as an
    element of the transformed images, which is written and read twice, or a
    weight from memory. The tiles that take the least time are chosen, if they
    take at most 0.9 of that of the direct convolution. Without that number, the
    largest complete tiles are chosen if there are at least 32 channels and 32
    tiles, or 128 with weights that are no parameters.

    With a known `element-cost` and weights that are parameters, there are also
    tiles for windows of 2 x 2 and 4 x 4, and, along one dimension, for windows
    of 2 to 7 elements. Sequences are images of one row. Tiles have 4, 5, 6 or
    8 elements along a side.

    In the same way, convolutions with dilations that divide the height and the
    width of the result are convolutions of separate images, one for each offset
    of a row and a column. With strides of 2, the even and odd rows and columns
    become channels, unless weights would grow more than tenfold. 3 x 3 windows
    with strides of 2 are a sum of convolutions without strides: windows of 2 x
    2, 2 x 1, 1 x 2 and 1 x 1 of every second row and column, which need 0.54 of
    the products with complete tiles of 5 positions. Larger windows
    are cut into windows of 3 x 3 of as many times the channels, copies of the
    images, if that takes at most 0.65 of the time.

    The gradient of such weights, a convolution with a 3 x 3 result, becomes
    `hamkaas.winograd_input` of the data, `hamkaas.winograd_gradient` of the
    gradient, a batch of matmuls that sum over all tiles, and `G^T u G` of
    their results `u`.

    Transformed images are up to 4 times as large as the images. If the
    transformed images and results take more than `max-bytes`, at most 16 slices
    of the batch, of at least 128 tiles each, are transformed and multiplied one
    after the other. A convolution keeps its bits; the gradient of weights
    sums over one slice after the other, which rounds differently.

    A tile size is used if its largest error, relative to the largest value of
    the result, is at most `max-error`. With 256 channels of normal numbers:

    | tile with its window | along both dimensions | along one |
    |----------------------|-----------------------|-----------|
    | 8 elements           | 3e-5                  | 4e-6      |
    | 6 or 5 elements      | 5e-6                  | 2e-6      |
    | 4 elements           | 7e-7                  | 7e-7      |
    | direct               | 3e-7                  | 4e-7      |
  }];
  let options = [
    Option<"maxError", "max-error", "double", /*default=*/"1e-5",
           "Largest error allowed, relative to the largest value of a result">,
    Option<"maxBytes", "max-bytes", "uint64_t", /*default=*/"0",
           "Largest size of the transformed images and results of a slice, in "
           "bytes, if it keeps 128 tiles; 0 for any">,
    Option<"mostBytes", "most-bytes", "uint64_t", /*default=*/"0",
           "Largest size of the transformed images and results with weights "
           "that are parameters, in bytes; 0 for any">,
    Option<"elementCost", "element-cost", "double", /*default=*/"0",
           "Multiply-adds in the time of an element of the transformed images; "
           "0 if it is unknown">,
    Option<"wordCost", "word-cost", "double", /*default=*/"1",
           "Multiply-adds of bytes in the time of one of 16-bit integers">
  ];
  let dependentDialects = [
    "hamkaas::HamKaasDialect", "mlir::arith::ArithDialect",
    "mlir::tensor::TensorDialect"
  ];
}

def PadConvolutions : Pass<"hamkaas-pad-convolutions", "mlir::ModuleOp"> {
  let summary = "copy the operands of padded convolutions";
  let description = [{
    Before: `hamkaas.conv` with padding. After: convolutions of float32, and of
    `i32` that are casts of `i16`, have none, but read a copy of their operand
    with zeros around it, made by a group of its own.

    The copy costs a few percent of the convolution; bounds checks would cost
    more. Depthwise convolutions, which cost no more than the copy, and those of
    other types keep their padding.

    With `permutes`, such a copy, or that of a convolution by Winograd's method,
    also permutes its operand, if that is a permute of images of float32 whose
    channels come first and has no other reader. Groups of at least 16 channels
    are the first dimension of such a copy, whose lines are near each other. A
    `hamkaas.permute` and a `hamkaas.reshape` back to the shape of the operand
    follow, which `hamkaas-form-groups` takes into the kernel of the
    convolution.
  }];
  let options = [
    Option<"permutes", "permutes", "bool", /*default=*/"false",
           "Let copies permute images whose channels come first">,
  ];
  let dependentDialects = [
    "hamkaas::HamKaasDialect", "mlir::arith::ArithDialect",
    "mlir::tensor::TensorDialect"
  ];
}

def SliceUpdates : Pass<"hamkaas-slice-updates", "mlir::ModuleOp"> {
  let summary = "compute large gradients and the updates behind them by rows";
  let description = [{
    Before: a `hamkaas.matmul` of two matrices whose result takes more than
    `max-bytes` and is used, element by element, by nothing but new values of
    states: the gradient of a parameter. After: products of slices of its rows,
    each with the update of these rows behind it, and `hamkaas.concat`s that are
    stored. Memory planning writes the slices into the states, so that no buffer
    holds the gradient. The bits stay the same.

    There are at most 16 slices, of 32 rows or more; the last may have fewer.
  }];
  let options = [
    Option<"maxBytes", "max-bytes", "uint64_t", /*default=*/"0",
           "Size of a gradient, in bytes, above which it is sliced; 0 for any">
  ];
  let dependentDialects = [
    "hamkaas::HamKaasDialect", "mlir::ml_program::MLProgramDialect"
  ];
}

def FormGroups : Pass<"hamkaas-form-groups", "mlir::ModuleOp"> {
  let summary = "collect the operations of each kernel";
  let description = [{
    Before: operations of GRAPH in `@main` and in the bodies of
    `hamkaas.scan`s. After: each of them except views and scans is in a
    `hamkaas.group`, which has the family of its root: its one contraction,
    reduction or row operation, or else elementwise or movement.

    What joins a root:

    * pointwise users of its result that have its shape, if the result has no
      other users: bias, activation, residual;
    * what a reduction reads once, in the shape that is reduced;
    * `permute`, `broadcast`, `strided_slice`, `pad` and `gather` join the tree
      of a pointwise user. They can be computed at any point, but read their
      own operands from memory. A `reshape` between them moves behind the user,
      unless the kernel of a contraction, reduction or row operation can take
      that.

    A producer joins the group of its users only if all of them are in that
    group and read its elements in order. So no cycle arises and nothing is
    computed twice. A kernel has at most one operation that checks values,
    because its call has one error message.

    Exceptions:

    * A pointwise producer of a row operation joins it if it costs no more than
      one floating point operation per element. Each pass over the row computes
      it again, which is faster than memory: a scaled and masked softmax of
      1024 x 1024 takes 0.82 ms instead of 1.15 ms. One of `silu`, which costs
      more, would take 1.65 ms instead of 1.11 ms.
    * Reductions along the last dimension and what computes with their results,
      such as the logarithm of a softmax, are one row operation if that reads a
      tensor of the rows once instead of several times. Rows have 32 to 65,536
      elements, and at least 256 if there is a function like a logarithm of one
      number a row. Standardizing 2352 x 768 takes 0.18 ms instead of 0.67 ms
      (AMD Zen 5).
    * A `concat` whose operands are not contiguous in its result takes slices
      and pointwise producers that no other root can take, and concats whose
      result it alone reads, of up to 32 operands in all. Pointwise users that
      compute each operand alone first move before it.
    * Attention takes permutes of heads before and after it, and for up to four
      queries the pointwise producers of keys and values. Pointwise users of its
      result do not join.
    * A pooling or depthwise convolution between a permute of its channels to
      the end and one back takes both with it: it works in either order.
    * With `compute-rows`, a `matmul` of one row takes the normalization of the
      row, or elementwise operations that no other root could take: each thread
      block of a GPU computes the row again, which is faster than a launch.
    * A convolution takes a `permute` that moves groups of channels of a copy
      from the first dimension to the last but one, and the `reshape` behind it:
      it reads each group where it is.
    * With `repeat-left`, a batch of products takes the `broadcast` of a left
      side that they share, and reads it where it is.
    * With `narrow-products`, a product of `i32` whose operands are casts of
      `i16`, or of `ui8` and `i8`, is a contraction, and takes the casts.
    * Windows take what computes their operand from narrower elements.
    * A `winograd_input` takes the `strided_slice` of the images that it reads.
    * Where a group would add the results of two products, of which one is cast
      to a narrower type before, that stays in the group of its product.
    * With `narrow-weights`, a product takes the cast of its right side from
      16-bit floats that depend only on parameters.
    * With `widen-keys`, attention of any number of queries takes the casts that
      widen keys and values, and the multiplication of each row by a scale.
    * With `rows-across`, a softmax between a permute of an outer dimension to
      the end and one back takes both.

    Two things stay apart. A contraction does not read its operands through a
    permute, since each tile would read them again in that order. Nothing is
    computed directly into the slice that `replace_slice` writes, since its
    check precedes any write.
  }];
  let options = [
    Option<"computeRows", "compute-rows", "bool", /*default=*/"false",
           "Compute the left side of a product of one row in its kernel">,
    Option<"repeatLeft", "repeat-left", "bool", /*default=*/"false",
           "Read a left side that products of a batch share where it is">,
    Option<"narrowProducts", "narrow-products", "bool", /*default=*/"false",
           "Block products of narrow integers like those of floats">,
    Option<"narrowWeights", "narrow-weights", "bool", /*default=*/"false",
           "Widen right sides of 16-bit floats in the kernels of products">,
    Option<"widenKeys", "widen-keys", "bool", /*default=*/"false",
           "Cast keys and values of attention in its kernel">,
    Option<"rowsAcross", "rows-across", "bool", /*default=*/"false",
           "Compute rows along an outer dimension in the order of memory">,
  ];
  let dependentDialects = ["hamkaas::HamKaasDialect"];
}

def LowerGroups : Pass<"hamkaas-lower-groups", "mlir::ModuleOp"> {
  let summary = "lower operations of the dialect to linalg and tensor";
  let description = [{
    Lowers each operation through LinalgLoweringOpInterface, inside groups, and
    views outside of them. Afterwards the dialect's only operations are
    `hamkaas.group`, `hamkaas.scan`, their terminator and `hamkaas.check`.

    All tensors then have the types of memory: bytes for booleans, signless
    integers. Inputs, outputs and globals whose type this changes keep the
    original one as `hamkaas.type`.
  }];
  let dependentDialects = [
    "mlir::arith::ArithDialect", "mlir::linalg::LinalgDialect",
    "mlir::math::MathDialect", "mlir::scf::SCFDialect",
    "mlir::tensor::TensorDialect"
  ];
}

def HoistParameters : Pass<"hamkaas-hoist-parameters", "mlir::ModuleOp"> {
  let summary = "move what depends only on parameters to @prepare";
  let description = [{
    Before: `@main` loads parameters from `ml_program.global`s. After:
    `@prepare` takes all external parameters, in the order of the globals, and
    returns the tensors of the constants region. `@main` takes these as
    arguments with `hamkaas.region = #hamkaas.region<constants>`, after its
    inputs.

    * Groups that depend only on parameters run in `@prepare`, once at load.
    * A parameter that `@main` reads unchanged becomes a constant, too.
    * Views stay where they are used: they cost nothing.
    * A global with its elements becomes a constant of the program where it is
      read.
    * Several entry functions share `@prepare`. What they compute alike, such as
      a matrix packed in one layout, is one constant.

    * The initial contents of states that are not zero are the first constants,
      results of `@prepare` with the name of the state; equal elements are one.

    Finally states become arguments, with `hamkaas.region =
    #hamkaas.region<state>`, and the globals are gone.
  }];
  let dependentDialects = [
    "hamkaas::HamKaasDialect", "mlir::arith::ArithDialect",
    "mlir::bufferization::BufferizationDialect", "mlir::func::FuncDialect"
  ];
}

def SplitConcats : Pass<"hamkaas-split-concats", "mlir::ModuleOp"> {
  let summary = "let producers write into the result of a concat";
  let description = [{
    Before: a group concatenates tensors that are each contiguous in the result,
    as along the first dimension. After: a `tensor.empty` for the result, into
    which `tensor.insert_slice`s put the operands in order.

    Operands that another group computes, and that have no other place already,
    get groups of their own, marked `hamkaas.copy`. Memory planning removes
    these by letting the producer write to the place. Neighbouring other
    operands, such as inputs and parameters, share a group. A group without an
    operand of the first kind stays as it is.

    Run it after parameters are hoisted, which makes them arguments.
  }];
  let dependentDialects = ["mlir::tensor::TensorDialect"];
}

def OutlineKernels : Pass<"hamkaas-outline-kernels", "mlir::ModuleOp"> {
  let summary = "outline groups and loop bodies to functions";
  let description = [{
    First, each `hamkaas.scan` becomes a `hamkaas.repeat` of a private function
    `@loop0`, `@loop1`, … marked `hamkaas.loop`. The function is a program like
    `@main`: its inputs are rows and values, its states the iter args, its
    outputs rows of the results. All below holds for it, too.

    Before: groups in `@main` and `@prepare`. After: private functions `@k0`,
    `@k1`, … marked `#hamkaas.kernel`, in destination-passing style: the last
    argument is the storage of the result. Groups with equal bodies share a
    function, whatever their operands.

    `@main` and `@prepare` get arguments for their results, with
    `hamkaas.region = #hamkaas.region<output>` or `#hamkaas.region<constants>`.
    A group whose result the function returns writes there, others into
    `tensor.empty`s.

    A result is written when no other one reads what lies in its place: a value
    may be several results, and a state may be stored into another one.
  }];
  let dependentDialects = [
    "hamkaas::HamKaasDialect",
    "mlir::bufferization::BufferizationDialect", "mlir::func::FuncDialect",
    "mlir::tensor::TensorDialect"
  ];
}

def VerifyKernels : Pass<"hamkaas-verify-kernels", "mlir::ModuleOp"> {
  let summary = "check that a module has the form KERNELS";
  let description = [{
    * `@main`, `@prepare` and loop bodies are sequences of kernel calls, loops,
      views of tensors of static shape, and insertions of results into larger
      ones.
    * Kernels hold linalg on tensors, and of the dialect only `hamkaas.check`.
      They have one result, and a last argument of its type: the storage where
      code generation lets them write it.
    * The module contains nothing else.

    Changes nothing.
  }];
}

#endif // HAMKAAS_DIALECT_HAMKAAS_KERNELS_PASSES
