//===- Passes.td - Passes of code for processors -----------*- tablegen -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HAMKAAS_CODEGEN_CPU_PASSES
#define HAMKAAS_CODEGEN_CPU_PASSES

include "mlir/Pass/PassBase.td"

def DistributeTiles : Pass<"hamkaas-distribute-tiles", "mlir::ModuleOp"> {
  let summary = "let the caller of a kernel choose its range of tiles";
  let description = [{
    Before: a bufferized kernel whose tile loop has constant bounds. After: two
    more arguments, `begin` and `end`, replace these bounds, and calls pass
    those of the whole loop.
  }];
  let dependentDialects = [
    "mlir::arith::ArithDialect", "mlir::func::FuncDialect",
  ];
}

def FuseTiles : Pass<"hamkaas-cpu-fuse-tiles", "mlir::ModuleOp"> {
  let summary = "run calls on the same elements tile by tile";
  let description = [{
    Vertical fusion in the form PLANNED. Consecutive elementwise calls become one
    call of a kernel whose loop over tiles runs the same tile of each in turn,
    with `hamkaas.fused_calls`: the numbers of their arguments. Inner loops of
    equal bounds become one, too. So the update of a parameter by Adam reads its
    gradient and moments from memory once, and wakes the threads once. No bit
    changes.

    Calls join if their results have the same type and tiles, and if they have a
    whole operand in common. They read operands of that type at the elements that
    they write (`hamkaas.inplace`), others have one element. What one of them
    writes is the same elements to the others, or nothing. None of them has
    run-time checks.

    Stores of what one of them reads, in place or not, stay in the caches: they
    are nontemporal no more.

    Run it after `hamkaas-plan-memory`. The result is in the form PLANNED again.
  }];
  let dependentDialects = [
    "mlir::arith::ArithDialect", "mlir::func::FuncDialect",
    "mlir::scf::SCFDialect",
  ];
}

def FuseColumns : Pass<"hamkaas-cpu-fuse-columns", "mlir::ModuleOp"> {
  let summary = "compute gates in the tiles of their product";
  let description = [{
    For the steps of recurrent networks, in the form PLANNED. In the body of a
    loop, a product of few rows and the elementwise calls behind it that read
    parts of its columns, such as the gates of an LSTM, become one call of a
    kernel with `hamkaas.fused_calls`. A tile computes a block of the columns of
    each part, then these columns of the other calls. So a step wakes the threads
    once, and what a thread computes of the gates stays in its caches. No bit
    changes.

    A tile of the product has all rows of its columns, as many as divide a part.
    The calls are in a loop over columns in steps that divide a part, too, and
    use what another one of them writes at the same columns only. None of them
    has run-time checks.

    Run it after `hamkaas-plan-memory`. The result is in the form PLANNED again.
  }];
  let dependentDialects = [
    "mlir::arith::ArithDialect", "mlir::func::FuncDialect",
    "mlir::scf::SCFDialect",
  ];
}

def KernelEntry : Pass<"hamkaas-kernel-entry", "mlir::ModuleOp"> {
  let summary = "give kernels the signature of a HamKaasKernelFunction";
  let description = [{
    Before: memref arguments, then `begin` and `end`; `hamkaas.check`s at the
    top of the body; no more calls. After: `(ptr arguments, i64 begin, i64 end,
    ptr values) -> i32`, where `arguments` points at the addresses of the
    memrefs. A failed check writes its values and returns 1.

    A call for no tiles runs only the checks. One without a place for `values`
    skips those that loop.
  }];
  let dependentDialects = [
    "mlir::arith::ArithDialect", "mlir::cf::ControlFlowDialect",
    "mlir::func::FuncDialect", "mlir::LLVM::LLVMDialect",
  ];
}

def StreamStores : Pass<"hamkaas-stream-stores", "mlir::func::FuncOp"> {
  let summary = "use nontemporal stores for results larger than the caches";
  let description = [{
    Makes stores in loops with `hamkaas.stream_loop` nontemporal, so that lines
    are not read before they are overwritten. These stores are of whole vectors
    at multiples of their size. Run it after bufferization.
  }];
  let dependentDialects = [
    "mlir::LLVM::LLVMDialect", "mlir::vector::VectorDialect",
  ];
}

def ExpandMath : Pass<"hamkaas-expand-math", "mlir::func::FuncOp"> {
  let summary = "expand math functions to vector arithmetic";
  let description = [{
    `math.exp`, `math.erf`, `math.log` and `math.tanh` of float32 become
    polynomials with an error below 2 ulp over all arguments, including
    subnormals, infinities and NaN. So do `math.sin` and `math.cos` with
    multiply-adds; vectors with an argument above 1e5 compute them in float64.
    Other functions, and all of float64, become libm calls, element by element.

    The target of the module decides the instructions: fused multiply-adds, the
    float16 conversions that come with them, and those of AVX-512 that scale by
    powers of two and read tables in registers.

    Float32 numbers that are rounded, limited and converted to integers are
    rounded by the conversion.

    Where a block computes such functions of several vectors, the operations of
    four of them are interleaved to hide their latency. Kernels of elements and
    rows for targets of few vector registers then get `hamkaas.keeps_order`, by
    which LLVM does not reorder them to save registers.
  }];
  let dependentDialects = [
    "mlir::arith::ArithDialect", "mlir::LLVM::LLVMDialect",
    "mlir::math::MathDialect", "mlir::scf::SCFDialect",
    "mlir::vector::VectorDialect",
  ];
}

def KernelsToLLVM : Pass<"hamkaas-kernels-to-llvm", "mlir::ModuleOp"> {
  let summary = "lower the bodies of kernels to the LLVM dialect";
  let description = [{
    Converts each function with `hamkaas.tiles`, after `hamkaas-kernel-entry`,
    to an `llvm.func`. Other functions stay as they are.
  }];
  let dependentDialects = [
    "mlir::arith::ArithDialect", "mlir::cf::ControlFlowDialect",
    "mlir::LLVM::LLVMDialect", "mlir::memref::MemRefDialect",
    "mlir::vector::VectorDialect",
  ];
}

def MergeKernels : Pass<"hamkaas-cpu-merge-kernels", "mlir::ModuleOp"> {
  let summary = "share the code of kernels that differ in sizes";
  let description = [{
    Kernels of the LLVM dialect that differ only in 64-bit constants, which are
    sizes and strides, share one body with one more argument: the address of a
    table of these constants. Each kernel calls it with its own table. A network
    whose layers differ in their channels compiles faster and is smaller.

    Strides of innermost loops stay constants, except in kernels with
    `hamkaas.runs_once`. Row kernels, whose loops LLVM unrolls, are not merged,
    nor are Winograd transforms that run each time. No bit changes.

    Run it after `hamkaas-kernels-to-llvm`.
  }];
  let dependentDialects = ["mlir::LLVM::LLVMDialect"];
}

#endif // HAMKAAS_CODEGEN_CPU_PASSES
