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
  let summary = "turn tensors into buffers, in place where possible";
  let description = [{
    Upstream's one-shot module bufferization with the layouts that memory
    planning needs: dense for the arguments of `@main` and `@prepare`, dynamic
    for those of kernels, so that views are passed without a copy. Results of
    functions become their last arguments.

    Kernels whose result has the type of their last argument write to that in
    place. They must not read what they have overwritten: only builds with
    assertions check that.
  }];
  let dependentDialects = [
    "mlir::bufferization::BufferizationDialect", "mlir::memref::MemRefDialect"
  ];
}

def PlanMemory : Pass<"hamkaas-plan-memory", "mlir::ModuleOp"> {
  let summary = "assign every buffer a region and a constant offset";
  let description = [{
    Before: `@main`, `@prepare` and loop bodies are sequences of kernel calls,
    loops, views, `memref.copy`s and `memref.alloc`s. After: calls, loops and
    copies whose operands are `memref.view`s of a region at a constant offset
    (or `memref.get_global`s).

    Arguments are bytes: for `@main` the inputs, the outputs, then the regions
    constants, state and workspace; for `@prepare` the parameters, constants
    and workspace. Loop bodies have arguments for inputs, states and outputs,
    and one for their workspace, which is a buffer of the function that repeats
    them. Kernels take dense buffers.

    A `memref.alloc` gets a place in the workspace from its first to its last
    use; its views share it. Offsets are multiples of `alignment`. Fewer bytes
    and copies remain by these rules:

    * A result replaces an operand that dies, where the kernel allows it
      (`hamkaas.inplace` on an argument).
    * A copy from a buffer that dies to another vanishes.
    * A copy, or a call marked `hamkaas.copy`, of a whole buffer into part of
      another one or of an output vanishes: the data is written there from the
      start, unless that part is in use meanwhile or the workspace would grow.
    * A buffer that is only a copy vanishes: its readers read the source, if
      nobody writes there meanwhile.
    * With `share-rows`: result rows of a loop take the place of rows that it
      reads, if these die and each step writes its row when it has read the
      other, in calls that depend on each other.

    If a function needs more than `max-workspace`, kernels run once more in front
    of late readers of their results, which need not be kept then: first those
    that save most bytes times steps per cost, where a FLOP costs 1 and a byte
    read or written 8. The operands of a kernel must still be what they were;
    they are kept for it, or computed again, too. The bits stay the same, because
    it is the same kernel. Such calls have `hamkaas.recomputed`. Loops, copies
    and kernels that check values run once. If the function still needs more,
    the error names the least that was reached, or `may-exceed` accepts it.

    The plan is left on the functions as `hamkaas.states`, `hamkaas.buffers` and
    `hamkaas.workspace_lower_bound`. `hamkaas.states` of `@prepare` lists the
    initial contents that it writes for states, with their places in the
    constants region and, where they are one element that is repeated, its type.
    `hamkaas.call_index` numbers the calls of `@main`, including those of its
    loops, and of `@prepare`. Other entry functions are planned like `@main`:
    constants and states have the same offsets in all of them, and they share
    the memory of the workspace.
  }];
  let options = [
    Option<"alignment", "alignment", "uint64_t", /*default=*/"256",
           "Alignment of each offset in bytes, a power of two up to 2^32">,
    Option<"maxWorkspace", "max-workspace", "uint64_t", /*default=*/"0",
           "Compute results again, in place of keeping them, so that no function "
           "needs a larger workspace, in bytes, or fail; 0 for no limit">,
    Option<"mayExceed", "may-exceed", "bool", /*default=*/"false",
           "Do not fail where the least workspace that was found exceeds "
           "max-workspace">,
    Option<"shareRows", "share-rows", "bool", /*default=*/"false",
           "Let result rows of loops take the place of rows that die">
  ];
  let dependentDialects = [
    "hamkaas::HamKaasDialect", "mlir::arith::ArithDialect",
    "mlir::memref::MemRefDialect"
  ];
}

def VerifyPlanned : Pass<"hamkaas-verify-planned", "mlir::ModuleOp"> {
  let summary = "check that a module has the form PLANNED";
  let description = [{
    * Each operand of a call of a kernel or loop is a global or a dense part of
      a region, within its bounds.
    * No two workspace buffers that are in use at the same time overlap, unless
      one replaces the other. Every use of the workspace lies in a buffer in
      use.
    * Kernels have no results; globals have their elements.
    * The calls of a run are numbered in their order.

    Changes nothing. The dialect's own verifier checks attributes one by one;
    this pass checks what holds between them.
  }];
}

#endif // HAMKAAS_DIALECT_HAMKAAS_PLAN_PASSES
