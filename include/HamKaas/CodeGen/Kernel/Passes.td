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
  let summary = "pack constant matrices into panels";
  let description = [{
    Before: groups of linalg operations, with contractions whose right side
    depends only on parameters. After: a group of its own packs that matrix
    into panels `[columns / width][depth][width]`, padded with zeros, by
    `linalg.pack`; of 16-bit integers `[columns / width][depth / 2][width][2]`. Inside the contraction, `linalg.unpack` stands for reading
    them.

    Contractions that share a matrix share its panels if they choose the same
    width. Groups with `hamkaas.matmul` stay as they are. Run it before
    `hamkaas-hoist-parameters`, which moves the packing to `@prepare`.

    Large matrices that are known only at run time are packed in each run if
    that is faster. It is not on a GPU, whose blocks copy them to shared memory
    as fast, unless rows begin where four elements cannot be read at once, or a
    program for both devices has one table of calls (`same-calls`).

    On a CPU, a matrix that a group permutes in each run, for one contraction,
    is packed from the operand of that group, which is erased: packing takes as
    long as the permute. Not so with `save-memory`, as panels end in zeros.
    Where each tile has all rows, the contraction reads that operand itself, by
    another map, and tiles transpose what they copy. With 32 registers, so does a
    product with a left side that is transposed in each run, if the right one
    stays in the second-level cache.

    The `linalg.unpack` of panels that each run writes, for one use, is marked
    `hamkaas.fresh`.
  }];
  let options = [
    Option<"sameCalls", "same-calls", "bool", /*default=*/"false",
           "On a GPU, also pack in each run what pays off on a CPU">,
    Option<"saveMemory", "save-memory", "bool", /*default=*/"false",
           "Pack matrices known only at run time only for loops; for reversed "
           "loops, as the gradients of loops are, only a kernel's result that "
           "nothing else reads">
  ];
  let dependentDialects = [
    "hamkaas::HamKaasDialect", "mlir::arith::ArithDialect",
    "mlir::linalg::LinalgDialect", "mlir::tensor::TensorDialect",
  ];
}

def CPUPackQuantized : Pass<"hamkaas-cpu-pack-quantized", "mlir::ModuleOp"> {
  let summary = "pack constant matrices of blocks into panels of codes";
  let description = [{
    Before: GRAPH, with products whose right side is a transposed
    `hamkaas.dequantize_blocks` that depends only on parameters. After: their
    right side is a `hamkaas.dequantize_panels`, whose operands are computed
    from the bytes of the parameter. `hamkaas-form-groups` makes it part of the
    product, and `hamkaas-hoist-parameters` moves the packing to `@prepare`, so
    that no matrix of floats is in memory.

    So are products with `(codes - zeros) * scales`, which importers write by
    `cast`, `sub` and `mul`, if codes less their zero points have at most 8 bits.

    All products with matrices of one shape, in all functions, have panels of
    one width: the best one for the most rows.

    With `integers`, the left side becomes a `hamkaas.dequantize_rows` of codes
    of 8 bits: each 32 numbers are multiplied by 127 over their largest
    magnitude and rounded.
  }];
  let options = [
    Option<"integers", "integers", "bool", /*default=*/"false",
           "Round left sides to codes of 8 bits, and multiply integers">
  ];
  let dependentDialects = ["hamkaas::HamKaasDialect"];
}

def CPUWidenProducts : Pass<"hamkaas-cpu-widen-products", "mlir::ModuleOp"> {
  let summary = "multiply 16-bit floats as float32";
  let description = [{
    Before: GRAPH, with matmuls and convolutions of `f16` or `bf16`. After: they
    have operands cast to `f32`, and their results are cast back, which rounds
    sums once, as before. Casts of weights are for
    `hamkaas-cpu-narrow-weights`, those of what products read and give become
    parts of the kernels before and behind.
  }];
  let dependentDialects = ["hamkaas::HamKaasDialect"];
}

def CPUNarrowWeights : Pass<"hamkaas-cpu-narrow-weights", "mlir::ModuleOp"> {
  let summary = "keep weights of 16 bits as they are until products read them";
  let description = [{
    Before: GRAPH, with float32 products whose right side depends only on
    parameters: casts of `f16` or `bf16`, perhaps moved. After: the elements are
    moved as they are, and a cast of its own is the right side of each product.
    `hamkaas-form-groups` makes it part of the product, so that no matrix of
    float32 is in memory.

    With the precision `bf16`, right sides of float32 are rounded to `bf16`: a
    constant in the graph, a parameter when the program is loaded.

    Convolutions and products in loops stay as they are.
  }];
  let dependentDialects = ["hamkaas::HamKaasDialect"];
}

def EmitKernels : Pass<"hamkaas-cpu-emit-kernels", "mlir::func::FuncOp"> {
  let summary = "turn the linalg operations of kernels into vector loops";
  let description = [{
    Rewrites each function with a `hamkaas.kernel` attribute according to its
    family, for the target of the module. The last argument of a kernel is its
    destination. Functions without the attribute stay as they are.

    Before: run-time checks, scalar code, and a graph of linalg operations on
    tensors. After: the checks and the scalar code, then one loop marked
    `hamkaas.tile_loop`, from 0 to a constant with step 1, with the destination
    as its iter arg. Its iterations write disjoint parts of the destination, so
    any split over threads gives the same bits. One-shot bufferization finds
    every write in place.

    The function has the number of iterations as `hamkaas.tiles` and the chosen
    tile in `hamkaas.kernel`. An argument that may share the destination's
    storage has `hamkaas.inplace`.

    Fails, with an error at the operation, on a kernel that no emitter covers.
  }];
  let dependentDialects = [
    "mlir::arith::ArithDialect",
    "mlir::bufferization::BufferizationDialect", "mlir::LLVM::LLVMDialect",
    "mlir::memref::MemRefDialect", "mlir::scf::SCFDialect",
    "mlir::tensor::TensorDialect", "mlir::vector::VectorDialect",
  ];
}

#endif // HAMKAAS_CODEGEN_KERNEL_PASSES
