// RUN: hamkaas-opt %s "-hamkaas-use-engines=engines=cublaslt device=cuda precision=tf32" -split-input-file | FileCheck %s
// RUN: hamkaas-opt %s "-hamkaas-use-engines=engines=cublaslt device=cuda precision=3xtf32" -split-input-file 2>&1 | FileCheck %s --check-prefix=OURS --implicit-check-not=engine_call
// RUN: hamkaas-opt %s "-hamkaas-use-engines=engines=cublaslt device=cpu" -split-input-file 2>&1 | FileCheck %s --check-prefix=OURS --implicit-check-not=engine_call
// OURS: warning: engine 'cublaslt' computes nothing of the model

// A product with all that may follow it, in any order of operands.

// CHECK-LABEL: func.func @main
// CHECK:         hamkaas.engine_call <id = "cublaslt", {{.*}} group = "hamkaas-group 1\0Adevice cuda\0Aprecision tf32\0Ainput float32 8 16\0Aconstant float32 16 32\0Ainput float32 1 32\0Ainput float32 8 32\0Anode matmul 0 1 : float32 8 32\0Anode add 4 2 : float32 8 32\0Anode add 3 5 : float32 8 32\0Anode relu 6 : float32 8 32\0A{{.*}} workspace = 33554432, packed = 0, packs = false>
ml_program.global private @w(#ml_program.extern : tensor<16x32xf32>) : tensor<16x32xf32>
func.func @main(%x: tensor<8x16xf32> {hamkaas.name = "x"}, %b: tensor<1x32xf32> {hamkaas.name = "b"}, %r: tensor<8x32xf32> {hamkaas.name = "r"}) -> (tensor<8x32xf32> {hamkaas.name = "y"}) {
  %w = ml_program.global_load_const @w : tensor<16x32xf32>
  %0 = hamkaas.matmul %x, %w : tensor<8x16xf32>, tensor<16x32xf32>
  %1 = hamkaas.add %0, %b : tensor<8x32xf32>, tensor<1x32xf32>
  %2 = hamkaas.add %r, %1 : tensor<8x32xf32>, tensor<8x32xf32>
  %3 = hamkaas.relu %2 : tensor<8x32xf32>
  return %3 : tensor<8x32xf32>
}

// -----

// Batches, a vector, and the approximation of gelu that the library has.

// CHECK-LABEL: func.func @shapes
// CHECK:         node matmul 0 1 : float32 3 4 6\0Anode gelu 2 : float32 3 4 6\0A
// CHECK:         node matmul 0 1 : float32 6\0Anode add 3 2 : float32 6\0A
func.func @shapes(%x: tensor<3x4x5xf32>, %w: tensor<3x5x6xf32>, %v: tensor<5xf32>, %m: tensor<5x6xf32>, %b: tensor<6xf32>) -> (tensor<3x4x6xf32>, tensor<6xf32>) {
  %0 = hamkaas.matmul %x, %w : tensor<3x4x5xf32>, tensor<3x5x6xf32>
  %1 = hamkaas.gelu %0 approximate tanh : tensor<3x4x6xf32>
  %2 = hamkaas.matmul %v, %m : tensor<5xf32>, tensor<5x6xf32>
  %3 = hamkaas.add %2, %b : tensor<6xf32>, tensor<6xf32>
  return %1, %3 : tensor<3x4x6xf32>, tensor<6xf32>
}

// -----

// Other operations stay behind its part: other functions, a sum after an
// activation, a number for each row, a second residual.

// CHECK-LABEL: func.func @parts
// CHECK:         node matmul 0 1 : float32 4 6\0Ascript
// CHECK:         hamkaas.gelu
// CHECK:         node matmul 0 1 : float32 4 6\0Anode relu 2 : float32 4 6\0Ascript
// CHECK:         hamkaas.add
// CHECK:         node matmul 0 1 : float32 4 6\0Ascript
// CHECK:         hamkaas.add
// CHECK:         node matmul 0 1 : float32 4 6\0Anode add 3 2 : float32 4 6\0Ascript
// CHECK:         hamkaas.add
func.func @parts(%x: tensor<4x5xf32>, %w: tensor<5x6xf32>, %r: tensor<4x6xf32>, %s: tensor<4x1xf32>) -> (tensor<4x6xf32>, tensor<4x6xf32>, tensor<4x6xf32>, tensor<4x6xf32>) {
  %0 = hamkaas.matmul %x, %w : tensor<4x5xf32>, tensor<5x6xf32>
  %1 = hamkaas.gelu %0 : tensor<4x6xf32>
  %2 = hamkaas.matmul %x, %w : tensor<4x5xf32>, tensor<5x6xf32>
  %3 = hamkaas.relu %2 : tensor<4x6xf32>
  %4 = hamkaas.add %3, %r : tensor<4x6xf32>, tensor<4x6xf32>
  %5 = hamkaas.matmul %x, %w : tensor<4x5xf32>, tensor<5x6xf32>
  %6 = hamkaas.add %5, %s : tensor<4x6xf32>, tensor<4x1xf32>
  %7 = hamkaas.matmul %x, %w : tensor<4x5xf32>, tensor<5x6xf32>
  %8 = hamkaas.add %7, %r : tensor<4x6xf32>, tensor<4x6xf32>
  %9 = hamkaas.add %8, %r : tensor<4x6xf32>, tensor<4x6xf32>
  return %1, %4, %6, %9 : tensor<4x6xf32>, tensor<4x6xf32>, tensor<4x6xf32>, tensor<4x6xf32>
}

// -----

// Nor are other types its.

// CHECK-LABEL: func.func @integers
// CHECK-NOT:     engine_call
func.func @integers(%x: tensor<4x5xi32>, %w: tensor<5x6xi32>) -> tensor<4x6xi32> {
  %0 = hamkaas.matmul %x, %w : tensor<4x5xi32>, tensor<5x6xi32>
  return %0 : tensor<4x6xi32>
}
