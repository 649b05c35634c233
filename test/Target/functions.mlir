// A model with several entry functions becomes one program: one @prepare, one
// region of constants and one of states, and kernels that the functions share.

// RUN: hamkaas-compile %s --emit=kernels | FileCheck %s --check-prefix=KERNELS
// RUN: hamkaas-compile %s --emit=planned | FileCheck %s --check-prefix=PLANNED
// RUN: hamkaas-compile %s --emit=llvm | FileCheck %s --check-prefix=LLVM
// RUN: hamkaas-compile %s --emit=llvm --target=cuda | FileCheck %s --check-prefix=CUDA

// KERNELS-LABEL: func @prepare(
// KERNELS:         call @k0({{.*}}) {hamkaas.ops = "pack"}
// KERNELS-NOT:     "pack"
// KERNELS-LABEL: func @prefill(
// KERNELS:         call @k1({{.*}}) {{.*}}hamkaas.ops = "matmul+add"
// KERNELS-LABEL: func @decode(
// KERNELS:         call @k1({{.*}}) {{.*}}hamkaas.ops = "matmul+add"
// KERNELS:         call @k2({{.*}}) {{.*}}hamkaas.ops = "reduce"

// Each function has the same regions of constants and states, numbers its calls
// from 0, and has a plan of its own for the workspace.

// PLANNED-LABEL: func @prefill(
// PLANNED-SAME:    memref<25088xi8> {hamkaas.region = #hamkaas.region<constants>}
// PLANNED-SAME:    memref<1536xi8> {hamkaas.region = #hamkaas.region<state>}
// PLANNED-SAME:    memref<0xi8> {hamkaas.region = #hamkaas.region<workspace>}
// PLANNED-SAME:    hamkaas.states = [#hamkaas.state<"cache", offset = 0, type = tensor<4x96xf32>>]
// PLANNED:         hamkaas.call_index = 0
// PLANNED-LABEL: func @decode(
// PLANNED-SAME:    memref<25088xi8> {hamkaas.region = #hamkaas.region<constants>}
// PLANNED-SAME:    memref<1536xi8> {hamkaas.region = #hamkaas.region<state>}
// PLANNED-SAME:    memref<512xi8> {hamkaas.region = #hamkaas.region<workspace>}
// PLANNED-SAME:    hamkaas.states = [#hamkaas.state<"cache", offset = 0, type = tensor<4x96xf32>>]
// PLANNED:         hamkaas.call_index = 0
// PLANNED:         hamkaas.call_index = 1

// The exported program describes the first function. Both are in a table.

// LLVM-DAG: @hamkaas.functions = private constant [2 x ptr] [ptr @HamKaasModelProgram, ptr @hamkaas.program]
// LLVM-DAG: @HamKaasModelProgram = constant {{.*}}ptr @hamkaas_prepare, ptr @hamkaas_run,{{.*}}ptr @hamkaas.functions
// LLVM-DAG: @hamkaas.program = private constant {{.*}}ptr @hamkaas_prepare, ptr @hamkaas_run_1,{{.*}}ptr @hamkaas.functions
// LLVM-DAG: define internal i32 @hamkaas_run(
// LLVM-DAG: define internal i32 @hamkaas_run_1(

// CUDA-DAG: define internal i32 @hamkaas_device_run(
// CUDA-DAG: define internal i32 @hamkaas_device_run_1(

ml_program.global private @w(#ml_program.extern : tensor<64x96xf32>) : tensor<64x96xf32>
ml_program.global private @b(#ml_program.extern : tensor<96xf32>) : tensor<96xf32>
ml_program.global private mutable @cache(dense<0.0> : tensor<4x96xf32>) : tensor<4x96xf32>

func.func @prefill(%x: tensor<4x64xf32> {hamkaas.name = "x"}) -> (tensor<4x96xf32> {hamkaas.name = "y"}) {
  %w = ml_program.global_load_const @w : tensor<64x96xf32>
  %b = ml_program.global_load_const @b : tensor<96xf32>
  %0 = hamkaas.matmul %x, %w : tensor<4x64xf32>, tensor<64x96xf32>
  %1 = hamkaas.reshape %b : tensor<96xf32> -> tensor<1x96xf32>
  %2 = hamkaas.add %0, %1 : tensor<4x96xf32>, tensor<1x96xf32>
  ml_program.global_store @cache = %2 : tensor<4x96xf32>
  return %2 : tensor<4x96xf32>
}

func.func @decode(%x: tensor<4x64xf32> {hamkaas.name = "x"}) -> (tensor<4x96xf32> {hamkaas.name = "y"}, tensor<4x96xf32> {hamkaas.name = "z"}) {
  %w = ml_program.global_load_const @w : tensor<64x96xf32>
  %b = ml_program.global_load_const @b : tensor<96xf32>
  %0 = hamkaas.matmul %x, %w : tensor<4x64xf32>, tensor<64x96xf32>
  %1 = hamkaas.reshape %b : tensor<96xf32> -> tensor<1x96xf32>
  %2 = hamkaas.add %0, %1 : tensor<4x96xf32>, tensor<1x96xf32>
  %3 = hamkaas.reduce sum %2 over [0] : tensor<4x96xf32>
  %4 = hamkaas.reshape %3 : tensor<96xf32> -> tensor<1x96xf32>
  %5 = ml_program.global_load @cache : tensor<4x96xf32>
  %6 = hamkaas.mul %5, %4 : tensor<4x96xf32>, tensor<1x96xf32>
  return %2, %6 : tensor<4x96xf32>, tensor<4x96xf32>
}
