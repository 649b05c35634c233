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
  let summary = "make convolutions of windows of one element products";
  let description = [{
    Before: `hamkaas.conv` of float32 with windows of one element, one group and no
    padding. After: `hamkaas.matmul`, of the positions as rows and the channels
    as columns; with strides, of the positions that a `hamkaas.strided_slice`
    took. A product may have rows of several rows of the image in one block,
    and pointwise operations on the result follow it without a reshape between.
    Between permutes from and to channels that come first, one image has its
    channels as rows, and only the weights are permuted.
  }];
  let dependentDialects = ["hamkaas::HamKaasDialect"];
}

def MatMulToReduction
    : Pass<"hamkaas-matmul-to-reduction", "mlir::ModuleOp"> {
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

def FuseHorizontalMatMuls : Pass<"hamkaas-fuse-horizontal-matmuls", "mlir::ModuleOp"> {
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
    with `hamkaas.region = #hamkaas.region<constants>`, after its inputs. Groups
    that depend on parameters alone run in `@prepare`, once at load. A parameter
    that `@main` reads as it is becomes a constant, too. Views stay where they are
    used: they cost nothing. A global that holds its elements becomes a constant
    of the program where it is read.

    Then states become arguments, with `hamkaas.region = #hamkaas.region<state>`,
    and the globals are gone.
  }];
  let dependentDialects = [
    "hamkaas::HamKaasDialect", "mlir::arith::ArithDialect",
    "mlir::bufferization::BufferizationDialect", "mlir::func::FuncDialect"
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

    `@main` and `@prepare` get arguments for their results, with
    `hamkaas.region = #hamkaas.region<output>` or `#hamkaas.region<constants>`; a
    group whose result is a result of the function writes there, the others into
    `tensor.empty`s.
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
    `@main`, `@prepare` and the bodies of loops are sequences of calls of kernels,
    loops, views of tensors of static shape, and insertions of results into larger
    ones. Kernels hold linalg on tensors, and `hamkaas.check` alone of
    the dialect; they have one result, and a last argument of its type, which is
    the storage that code generation lets them write it to. Nothing else is in the
    module. Changes nothing.
  }];
}

#endif // HAMKAAS_DIALECT_HAMKAAS_KERNELS_PASSES
