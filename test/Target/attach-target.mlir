// The target is stated once; from then on, the module says it.

// RUN: hamkaas-opt %s -hamkaas-attach-target=target-cpu=x86-64-v2 | FileCheck %s --check-prefix=CPU
// CPU: hamkaas.target = #hamkaas.target<"cpu", chip = "x86-64-v2">

// RUN: hamkaas-opt %s "-hamkaas-attach-target=target=cuda gpu-arch=sm_80,sm_90 precision=bf16" | FileCheck %s --check-prefix=CUDA
// CUDA: hamkaas.target = #hamkaas.target<"cuda", chip = "sm_80", precision = bf16, binaries = ["sm_80", "sm_90"]>

// RUN: hamkaas-opt %s -hamkaas-attach-target=target=cuda-emulation | FileCheck %s --check-prefix=EMULATION
// RUN: hamkaas-opt %s "-hamkaas-attach-target=target=cuda gpu-arch=emulation" | FileCheck %s --check-prefix=EMULATION
// EMULATION: hamkaas.target = #hamkaas.target<"cuda-emulation", chip = "sm_80">

// RUN: not hamkaas-opt %s -hamkaas-attach-target=target-cpu=x86-64 -hamkaas-attach-target=target-cpu=x86-64-v2 2>&1 | FileCheck %s --check-prefix=OTHER
// OTHER: error: expected a module for #hamkaas.target<"cpu", chip = "x86-64-v2">, got one for #hamkaas.target<"cpu", chip = "x86-64">

// RUN: not hamkaas-opt %s -hamkaas-attach-target=target=cpu,cuda 2>&1 | FileCheck %s --check-prefix=TWO
// TWO: error: expected one target for a module, got 'cpu,cuda'

// RUN: not hamkaas-opt %s -hamkaas-attach-target=target=tpu 2>&1 | FileCheck %s --check-prefix=NAME
// NAME: error: --target: expected one or more of cpu, cuda, cuda-emulation, got 'tpu'

// Each form can be dumped, and taken further without a flag.

// RUN: hamkaas-opt %s -hamkaas-to-kernels=target-cpu=x86-64-v2 -o %t.kernels.mlir
// RUN: hamkaas-opt %t.kernels.mlir -hamkaas-run-phase=phase=planned -o %t.planned.mlir
// RUN: hamkaas-opt %t.planned.mlir -hamkaas-run-phase=phase=llvm -o %t.steps.mlir
// RUN: hamkaas-opt %s -hamkaas-to-llvm=target-cpu=x86-64-v2 -o %t.whole.mlir
// RUN: diff %t.steps.mlir %t.whole.mlir
// RUN: FileCheck %s --check-prefix=CPU < %t.steps.mlir
// RUN: hamkaas-compile %s --target-cpu=x86-64-v2 --emit=planned | hamkaas-opt | diff - %t.planned.mlir

// RUN: hamkaas-opt %t.planned.mlir "-hamkaas-run-phase=phase=llvm debug-info=true" -mlir-print-debuginfo | FileCheck %s --check-prefix=LINES
// LINES: #llvm.di_subprogram<
// RUN: hamkaas-opt %t.planned.mlir -hamkaas-run-phase=phase=llvm -mlir-print-debuginfo | FileCheck %s --check-prefix=NO-LINES
// NO-LINES-NOT: #llvm.di_subprogram<

// RUN: hamkaas-compile %s --target=cuda --precision=tf32 --emit=kernels -o %t.kernels.mlir
// RUN: FileCheck %s --check-prefix=TF32 < %t.kernels.mlir
// TF32: hamkaas.target = #hamkaas.target<"cuda", chip = "sm_80", precision = tf32>
// RUN: hamkaas-opt %t.kernels.mlir -hamkaas-run-phase=phase=planned -hamkaas-run-phase=phase=device | FileCheck %s --check-prefix=DEVICE
// DEVICE: gpu.module @device

// RUN: not hamkaas-opt %t.kernels.mlir "-hamkaas-run-phase=phase=planned max-workspace=16" 2>&1 | FileCheck %s --check-prefix=LIMIT
// LIMIT: error: expected a workspace of at most 16 bytes
// RUN: hamkaas-opt %s -hamkaas-attach-target=target=cuda "-hamkaas-run-phase=phase=kernels no-optimize=use-winograd winograd-error=0 engine=cublaslt" | FileCheck %s --check-prefix=ENGINE
// ENGINE: hamkaas.engine_call <id = "cublaslt"

// RUN: not hamkaas-opt %s -hamkaas-run-phase=phase=kernels 2>&1 | FileCheck %s --check-prefix=MISSING
// RUN: not hamkaas-opt %s -hamkaas-to-llvm 2>&1 | FileCheck %s --check-prefix=MISSING
// MISSING: error: expected a module with 'hamkaas.target', which hamkaas-attach-target sets
// RUN: not hamkaas-opt %s -hamkaas-run-phase=phase=graph 2>&1 | FileCheck %s --check-prefix=PHASE
// PHASE: error: expected a phase of kernels, planned, device or llvm, got 'graph'

// A module that says what it is for is not compiled for another target.

// RUN: hamkaas-opt %s -hamkaas-attach-target=target-cpu=x86-64-v2 -o %t.target.mlir
// RUN: hamkaas-compile %t.target.mlir --target-cpu=x86-64-v2 --emit=kernels | FileCheck %s --check-prefix=CPU
// RUN: not hamkaas-compile %t.target.mlir --target=cuda --emit=kernels 2>&1 | FileCheck %s --check-prefix=COMPILE
// COMPILE: error: expected a module for #hamkaas.target<"cuda", chip = "sm_80">, got one for #hamkaas.target<"cpu", chip = "x86-64-v2">

func.func @main(%x: tensor<20x64xf32> {hamkaas.name = "x"}, %w: tensor<64x96xf32> {hamkaas.name = "w"}, %v: tensor<96x8xf32> {hamkaas.name = "v"})
    -> (tensor<20x8xf32> {hamkaas.name = "y"}) {
  %0 = hamkaas.matmul %x, %w : tensor<20x64xf32>, tensor<64x96xf32>
  %1 = hamkaas.matmul %0, %v : tensor<20x96xf32>, tensor<96x8xf32>
  return %1 : tensor<20x8xf32>
}
