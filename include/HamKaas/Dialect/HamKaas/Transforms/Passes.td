//===- Passes.td - Passes from GRAPH to PLANNED -*- tablegen -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HAMKAAS_DIALECT_HAMKAAS_TRANSFORMS_PASSES
#define HAMKAAS_DIALECT_HAMKAAS_TRANSFORMS_PASSES

include "mlir/Pass/PassBase.td"

//===----------------------------------------------------------------------===//
// GRAPH -> KERNELS
//===----------------------------------------------------------------------===//

def VerifyGraph : Pass<"hamkaas-verify-graph", "mlir::ModuleOp"> {
  let summary = "check that a module has the form GRAPH";
  let description = [{
    One function `@main` of operations of the dialect on tensors of static shape;
    arguments and results have names; each state is loaded and stored at most
    once; every loaded or stored global exists. Changes nothing.
  }];
}

def FormGroups : Pass<"hamkaas-form-groups", "mlir::ModuleOp"> {
  let summary = "gather operations that will be one kernel";
  let description = [{
    Before: operations of GRAPH in `@main`. After: each of them but views is in a
    `hamkaas.group`, together with the pointwise operations that use its result
    alone and have its shape. A group has the family of its root: the one
    contraction or row operation in it, or else elementwise or movement.

    A producer joins the group of its users if all its users are in that group,
    so that nothing is computed twice and no cycle arises.
  }];
  let dependentDialects = ["hamkaas::HamKaasDialect"];
}

def LowerGroups : Pass<"hamkaas-lower-groups", "mlir::ModuleOp"> {
  let summary = "replace operations of the dialect by linalg and tensor";
  let description = [{
    Lowers each operation through LinalgLoweringOpInterface, inside groups and
    views outside of them. After it, only `hamkaas.group`, its terminator and
    `hamkaas.check` of the dialect are left.
  }];
  let dependentDialects = [
    "mlir::arith::ArithDialect", "mlir::linalg::LinalgDialect",
    "mlir::math::MathDialect", "mlir::tensor::TensorDialect"
  ];
}

def HoistParameters : Pass<"hamkaas-hoist-parameters", "mlir::ModuleOp"> {
  let summary = "move what depends on parameters only to @prepare";
  let description = [{
    Before: `@main` loads parameters from `ml_program.global`s. After:
    `@prepare` takes all parameters, in the order of the globals, and returns the
    tensors of the constants region; `@main` takes these as arguments marked
    `hamkaas.region = "constants"`, after its inputs. Groups that depend on
    parameters alone run in `@prepare`, once at load. A parameter that `@main`
    reads as it is becomes a constant, too. Views stay where they are used: they
    cost nothing.

    Then states become arguments, marked `hamkaas.region = "state"`, and the
    globals are gone.
  }];
  let dependentDialects = [
    "mlir::bufferization::BufferizationDialect", "mlir::func::FuncDialect"
  ];
}

def OutlineKernels : Pass<"hamkaas-outline-kernels", "mlir::ModuleOp"> {
  let summary = "make each group a function, equal groups the same one";
  let description = [{
    Before: groups in `@main` and `@prepare`. After: private functions `@k0`,
    `@k1`, … marked `#hamkaas.kernel`, in destination-passing style: the last
    argument is the storage of the result. Groups whose bodies are equal share a
    function, whatever operands they get.

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
    `@main` and `@prepare` are sequences of calls of kernels and views of
    tensors; kernels hold linalg on tensors and write to their last argument. No
    operation of the dialect is left but `hamkaas.check`. Changes nothing.
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

#endif // HAMKAAS_DIALECT_HAMKAAS_TRANSFORMS_PASSES
