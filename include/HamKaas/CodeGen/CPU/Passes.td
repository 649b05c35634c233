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
  let summary = "let the caller of a kernel choose which of its tiles to run";
  let description = [{
    Run it after bufferization. Gives every kernel two more arguments, `begin`
    and `end`, which replace the bounds of its tile loop. Calls get the bounds
    of the whole loop.
  }];
  let dependentDialects = [
    "mlir::arith::ArithDialect", "mlir::func::FuncDialect",
  ];
}

def KernelEntry : Pass<"hamkaas-kernel-entry", "mlir::ModuleOp"> {
  let summary = "give kernels the signature of a HamKaasKernelFunction";
  let description = [{
    Before: memref arguments, then `begin` and `end`; `hamkaas.check`s at the top
    of the body. After: `(ptr arguments, i64 begin, i64 end, ptr values) -> i32`
    where `arguments` points at the addresses of the memrefs, and a check that
    fails writes its values and returns 1. With checks, a call for no tiles runs
    them alone, and one without a place for `values` leaves out those that loop.
    Kernels must not be called any more.
  }];
  let dependentDialects = [
    "mlir::arith::ArithDialect", "mlir::cf::ControlFlowDialect",
    "mlir::func::FuncDialect", "mlir::LLVM::LLVMDialect",
  ];
}

def StreamStores : Pass<"hamkaas-stream-stores", "mlir::func::FuncOp"> {
  let summary = "write results that exceed the caches past them";
  let description = [{
    Makes the writes in loops with the attribute `hamkaas.stream_loop`, which are
    of whole vectors at multiples of their size in memory, nontemporal. Lines are
    then not read before they are overwritten. Run it after bufferization.
  }];
  let dependentDialects = [
    "mlir::LLVM::LLVMDialect", "mlir::vector::VectorDialect",
  ];
}

def ExpandMath : Pass<"hamkaas-expand-math", "mlir::func::FuncOp"> {
  let summary = "replace math functions by arithmetic on whole vectors";
  let description = [{
    `math.exp`, `math.erf`, `math.log` and `math.tanh` of float32 become
    polynomials with an error below 2 ulp over all arguments, subnormal numbers,
    infinities and NaN included. What is left, and all of float64, is called in
    libm, element by element. The target of the module decides the instructions:
    multiply-adds of one rounding, those for float16 that come with them, and
    those of AVX-512 that multiply by powers of two and read tables in registers.

    Where a block computes such functions of several vectors, the operations for
    four of them take turns, so that none waits for the one before.
  }];
  let dependentDialects = [
    "mlir::arith::ArithDialect", "mlir::LLVM::LLVMDialect",
    "mlir::math::MathDialect", "mlir::vector::VectorDialect",
  ];
}

def KernelsToLLVM : Pass<"hamkaas-kernels-to-llvm", "mlir::ModuleOp"> {
  let summary = "lower the bodies of kernels to the LLVM dialect";
  let description = [{
    Converts each function with a `hamkaas.tiles` attribute, after
    `hamkaas-kernel-entry`, to an `llvm.func`. Other functions are left alone.
  }];
  let dependentDialects = [
    "mlir::arith::ArithDialect", "mlir::cf::ControlFlowDialect",
    "mlir::LLVM::LLVMDialect", "mlir::memref::MemRefDialect",
    "mlir::vector::VectorDialect",
  ];
}

#endif // HAMKAAS_CODEGEN_CPU_PASSES
