//===- Passes.td - Passes that emit kernels ----------------*- tablegen -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HAMKAAS_CODEGEN_KERNEL_PASSES
#define HAMKAAS_CODEGEN_KERNEL_PASSES

include "mlir/Pass/PassBase.td"

def CPUPackParameters
    : Pass<"hamkaas-cpu-pack-parameters", "mlir::ModuleOp"> {
  let summary = "pack constant matrices as contractions read them";
  let description = [{
    Before: groups of linalg operations, with contractions whose right side
    depends on parameters only. After: a group of its own packs that matrix into
    panels `[columns / width][depth][width]`, padded with zeros, by `linalg.pack`;
    inside the contraction `linalg.unpack` stands for reading them. Groups
    with `hamkaas.matmul` stay as they are. Matrices that
    several contractions share are packed once, if these choose the same width. Run it before
    `hamkaas-hoist-parameters`, which moves the packing to `@prepare`. Large matrices that
    are known at run time only are packed in each run if that is faster.
  }];
  let options = [
    Option<"sameCalls", "same-calls", "bool", /*default=*/"false",
           "Pack in each run what it pays for on a processor, also for a GPU">,
  ];
  let dependentDialects = [
    "hamkaas::HamKaasDialect", "mlir::arith::ArithDialect",
    "mlir::linalg::LinalgDialect", "mlir::tensor::TensorDialect",
  ];
}

def EmitKernels : Pass<"hamkaas-cpu-emit-kernels", "mlir::func::FuncOp"> {
  let summary = "turn the linalg operations of kernels into loops on vectors";
  let description = [{
    Rewrites each function with a `hamkaas.kernel` attribute according to its
    family, for the target of the module. The last argument of a kernel is its
    destination.

    Before: run-time checks, scalar code, and a graph of linalg operations on
    tensors. After: the checks and the scalar code, then one loop marked
    `hamkaas.tile_loop`, from 0 to a constant with step 1, that carries the
    destination. Its iterations write disjoint parts of the destination, so any
    split over threads gives the same bits. The function has the number of
    iterations as `hamkaas.tiles` and the chosen tile in `hamkaas.kernel`; an
    argument whose storage may also be the destination's has
    `hamkaas.inplace`. One-shot bufferization finds every write in
    place. Functions without the attribute are left alone.

    Fails, with an error at the operation, on a kernel no emitter covers.
  }];
  let dependentDialects = [
    "mlir::arith::ArithDialect",
    "mlir::bufferization::BufferizationDialect", "mlir::memref::MemRefDialect",
    "mlir::scf::SCFDialect",
    "mlir::tensor::TensorDialect", "mlir::vector::VectorDialect",
  ];
}

#endif // HAMKAAS_CODEGEN_KERNEL_PASSES
