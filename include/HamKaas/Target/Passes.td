//===- Passes.td - Passes that know the targets ------------*- tablegen -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HAMKAAS_TARGET_PASSES
#define HAMKAAS_TARGET_PASSES

include "mlir/Pass/PassBase.td"

def AttachTarget : Pass<"hamkaas-attach-target", "mlir::ModuleOp"> {
  let summary = "set the target of a module";
  let description = [{
    Sets `hamkaas.target` of the module. The options are those of
    `hamkaas-compile`. Fails on a module that has another target.

    Before: `module {`. After, with `target-cpu=x86-64-v3`:

    ```mlir
    module attributes {
      hamkaas.target = #hamkaas.target<"cpu", chip = "x86-64-v3">} {
    ```
  }];
  let options = [
    Option<"target", "target", "std::string", /*default=*/"\"cpu\"",
           "Target: cpu, cuda or cuda-emulation">,
    Option<"targetCpu", "target-cpu", "std::string", /*default=*/"\"host\"",
           "ISA level: host, or x86-64 to x86-64-v4">,
    Option<"gpuArch", "gpu-arch", "std::string", /*default=*/"\"compute_80\"",
           "NVIDIA GPUs, as hamkaas-compile takes them">,
    Option<"precision", "precision", "std::string", /*default=*/"\"exact\"",
           "Large float32 matmuls on a GPU: exact, tf32, 3xtf32 or bf16">,
  ];
  let dependentDialects = ["hamkaas::HamKaasDialect"];
}

def AddLineTables : Pass<"hamkaas-add-line-tables", "mlir::ModuleOp"> {
  let summary = "let machine code tell which line of the model it is of";
  let description = [{
    Gives each function of LLVM a `#llvm.di_subprogram`, and each operation in it
    one line: of a location that is fused from those of several, the line of the
    group's root, else the first. A node of an ONNX model, which has no lines,
    has its number in the list of nodes as its line, in `model.onnx.nodes`.

    Before: `loc(fused<"m.hk":4:1>["m.hk":3:1, "m.hk":4:1])`. After:
    `loc("m.hk":4:1)`.
  }];
  let dependentDialects = ["mlir::LLVM::LLVMDialect"];
}

def RunPhase : Pass<"hamkaas-run-phase", "mlir::ModuleOp"> {
  let summary = "run the passes of a phase for the target of the module";
  let description = [{
    | phase     | before                | after                                |
    |-----------|-----------------------|--------------------------------------|
    | `kernels` | GRAPH                 | KERNELS                              |
    | `planned` | KERNELS               | PLANNED                              |
    | `device`  | PLANNED               | kernels are outlined to device code  |
    | `llvm`    | kernels are outlined  | dialects that become LLVM IR         |

    `hamkaas.target` of the module decides the passes; one without it is an
    error. A target whose kernels stay in the program does nothing in `device`.
  }];
  let options = [
    Option<"phase", "phase", "std::string", /*default=*/"",
           "Phase: kernels, planned, device or llvm">,
    Option<"maxWorkspace", "max-workspace", "uint64_t", /*default=*/"0",
           "Largest workspace allowed in bytes, 0 for no limit">,
    ListOption<"noOptimize", "no-optimize", "std::string",
               "Optimizations of the graph to leave out, or 'all'">,
    Option<"winogradError", "winograd-error", "double", /*default=*/"1e-5",
           "Largest error of convolutions by Winograd's method">,
    Option<"engine", "engine", "std::string", /*default=*/"",
           "Engines that compute what they can, as hamkaas-compile takes them">,
    Option<"enginePath", "engine-path", "std::string", /*default=*/"",
           "Folders and files with engine libraries">,
    Option<"verifyEngines", "verify-engines", "bool", /*default=*/"false",
           "Compare what engines compute with the interpreter">,
    Option<"debugInfo", "debug-info", "bool", /*default=*/"false",
           "Add line tables in phase llvm">,
  ];
  // Those of the passes of all targets, which this one runs.
  let dependentDialects = [
    "hamkaas::HamKaasDialect", "mlir::arith::ArithDialect",
    "mlir::bufferization::BufferizationDialect",
    "mlir::cf::ControlFlowDialect", "mlir::func::FuncDialect",
    "mlir::gpu::GPUDialect", "mlir::linalg::LinalgDialect",
    "mlir::LLVM::LLVMDialect", "mlir::math::MathDialect",
    "mlir::memref::MemRefDialect", "mlir::ml_program::MLProgramDialect",
    "mlir::nvgpu::NVGPUDialect", "mlir::NVVM::NVVMDialect",
    "mlir::scf::SCFDialect", "mlir::tensor::TensorDialect",
    "mlir::vector::VectorDialect",
  ];
}

#endif // HAMKAAS_TARGET_PASSES
