//===- Passes.td - Passes from KERNELS to PLANNED ----------*- tablegen -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HAMKAAS_DIALECT_HAMKAAS_PLAN_PASSES
#define HAMKAAS_DIALECT_HAMKAAS_PLAN_PASSES

include "mlir/Pass/PassBase.td"

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

    The plan is left on the functions as `hamkaas.states`, `hamkaas.buffers` and
    `hamkaas.workspace_lower_bound`. The calls of `@main`, with those of its
    loops, and of `@prepare` are numbered by `hamkaas.call_index`.
  }];
  let options = [
    Option<"alignment", "alignment", "uint64_t", /*default=*/"256",
           "Alignment of each offset in bytes, a power of two up to 2^32">,
    Option<"maxWorkspace", "max-workspace", "uint64_t", /*default=*/"0",
           "Fail if the workspace of @main is larger, in bytes; 0 for no limit">
  ];
  let dependentDialects = [
    "hamkaas::HamKaasDialect", "mlir::arith::ArithDialect",
    "mlir::memref::MemRefDialect"
  ];
}

def VerifyPlanned : Pass<"hamkaas-verify-planned", "mlir::ModuleOp"> {
  let summary = "check that a module has the form PLANNED";
  let description = [{
    Each operand of a call of a kernel or of a loop is a global or a dense part of
    a region that lies within it; no two buffers of the workspace that are in use
    at the same time overlap, unless one replaces the other; every use of the
    workspace lies in a buffer in use. Kernels have no results; globals have their
    elements. The calls of a run are numbered in their order. Changes nothing.

    The dialect's own verifier checks attributes one by one; this pass checks what
    holds between them.
  }];
}

#endif // HAMKAAS_DIALECT_HAMKAAS_PLAN_PASSES
