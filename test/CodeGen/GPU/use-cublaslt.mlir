// RUN: hamkaas-opt %s -hamkaas-gpu-use-cublaslt -split-input-file | FileCheck %s
// RUN: hamkaas-opt %s -hamkaas-gpu-use-cublaslt -hamkaas-lower-groups -hamkaas-attach-target=target=cuda -hamkaas-cpu-pack-parameters -hamkaas-outline-kernels -split-input-file | FileCheck %s --check-prefix=KERNEL

// A product with all that may follow it, in any order of operands.

// CHECK-LABEL: func.func @main
// CHECK:         hamkaas.group contraction(%{{.*}}) {hamkaas.matmul = #hamkaas.matmul<batches = 1, rows = 8, columns = 32, depth = 16, left = 0, right = 1, bias = 2, addend = 3, activation = relu, alignment = 4>}
// The weights are not packed.
// KERNEL-NOT:  linalg.pack
// KERNEL:      func.func private @k0(%{{.*}}: tensor<8x16xf32>, %{{.*}}: tensor<16x32xf32>, %{{.*}}: tensor<1x32xf32>, %{{.*}}: tensor<8x32xf32>, %{{.*}}: tensor<8x32xf32>)
// KERNEL-SAME:   hamkaas.matmul = #hamkaas.matmul<batches = 1,
ml_program.global private @w(#ml_program.extern : tensor<16x32xf32>) : tensor<16x32xf32>
func.func @main(%x: tensor<8x16xf32> {hamkaas.name = "x"}, %b: tensor<1x32xf32> {hamkaas.name = "b"}, %r: tensor<8x32xf32> {hamkaas.name = "r"}) -> (tensor<8x32xf32> {hamkaas.name = "y"}) {
  %w = ml_program.global_load_const @w : tensor<16x32xf32>
  %y = hamkaas.group contraction(%x, %w, %b, %r) : (tensor<8x16xf32>, tensor<16x32xf32>, tensor<1x32xf32>, tensor<8x32xf32>) -> tensor<8x32xf32> {
  ^bb0(%a: tensor<8x16xf32>, %c: tensor<16x32xf32>, %d: tensor<1x32xf32>, %e: tensor<8x32xf32>):
    %0 = hamkaas.matmul %a, %c : tensor<8x16xf32>, tensor<16x32xf32>
    %1 = hamkaas.add %0, %d : tensor<8x32xf32>, tensor<1x32xf32>
    %2 = hamkaas.add %e, %1 : tensor<8x32xf32>, tensor<8x32xf32>
    %3 = hamkaas.relu %2 : tensor<8x32xf32>
    hamkaas.yield %3 : tensor<8x32xf32>
  }
  return %y : tensor<8x32xf32>
}

// -----

// Batches, a vector, and the approximation of gelu that the library has.

// CHECK-LABEL: func.func @shapes
// CHECK:         {hamkaas.matmul = #hamkaas.matmul<batches = 3, rows = 4, columns = 6, depth = 5, left = 1, right = 0, bias = -1, addend = -1, activation = gelu_tanh, alignment = 4>}
// The addend of a single row may share memory with the result.
// CHECK:         {hamkaas.matmul = #hamkaas.matmul<batches = 1, rows = 1, columns = 6, depth = 5, left = 0, right = 1, bias = -1, addend = 2, activation = none, alignment = 4>}
func.func @shapes(%x: tensor<3x4x5xf32>, %w: tensor<3x5x6xf32>, %v: tensor<5xf32>, %m: tensor<5x6xf32>, %b: tensor<6xf32>) -> (tensor<3x4x6xf32>, tensor<6xf32>) {
  %0 = hamkaas.group contraction(%w, %x) : (tensor<3x5x6xf32>, tensor<3x4x5xf32>) -> tensor<3x4x6xf32> {
  ^bb0(%c: tensor<3x5x6xf32>, %a: tensor<3x4x5xf32>):
    %p = hamkaas.matmul %a, %c : tensor<3x4x5xf32>, tensor<3x5x6xf32>
    %g = hamkaas.gelu %p approximate tanh : tensor<3x4x6xf32>
    hamkaas.yield %g : tensor<3x4x6xf32>
  }
  %1 = hamkaas.group contraction(%v, %m, %b) : (tensor<5xf32>, tensor<5x6xf32>, tensor<6xf32>) -> tensor<6xf32> {
  ^bb0(%a: tensor<5xf32>, %c: tensor<5x6xf32>, %d: tensor<6xf32>):
    %p = hamkaas.matmul %a, %c : tensor<5xf32>, tensor<5x6xf32>
    %s = hamkaas.add %p, %d : tensor<6xf32>, tensor<6xf32>
    hamkaas.yield %s : tensor<6xf32>
  }
  return %0, %1 : tensor<3x4x6xf32>, tensor<6xf32>
}

// -----

// Kernels of ours: other functions, sums after an activation, other types, a
// number for each row, two residuals.

// CHECK-LABEL: func.func @others
// CHECK-NOT:     hamkaas.matmul =
// CHECK:         return
func.func @others(%x: tensor<4x5xf32>, %w: tensor<5x6xf32>, %r: tensor<4x6xf32>, %s: tensor<4x1xf32>, %i: tensor<4x5xi32>, %j: tensor<5x6xi32>) -> tensor<4x6xf32> {
  %0 = hamkaas.group contraction(%x, %w) : (tensor<4x5xf32>, tensor<5x6xf32>) -> tensor<4x6xf32> {
  ^bb0(%a: tensor<4x5xf32>, %c: tensor<5x6xf32>):
    %p = hamkaas.matmul %a, %c : tensor<4x5xf32>, tensor<5x6xf32>
    %g = hamkaas.gelu %p : tensor<4x6xf32>
    hamkaas.yield %g : tensor<4x6xf32>
  }
  %1 = hamkaas.group contraction(%x, %w, %r) : (tensor<4x5xf32>, tensor<5x6xf32>, tensor<4x6xf32>) -> tensor<4x6xf32> {
  ^bb0(%a: tensor<4x5xf32>, %c: tensor<5x6xf32>, %e: tensor<4x6xf32>):
    %p = hamkaas.matmul %a, %c : tensor<4x5xf32>, tensor<5x6xf32>
    %g = hamkaas.relu %p : tensor<4x6xf32>
    %q = hamkaas.add %g, %e : tensor<4x6xf32>, tensor<4x6xf32>
    hamkaas.yield %q : tensor<4x6xf32>
  }
  %2 = hamkaas.group contraction(%i, %j) : (tensor<4x5xi32>, tensor<5x6xi32>) -> tensor<4x6xi32> {
  ^bb0(%a: tensor<4x5xi32>, %c: tensor<5x6xi32>):
    %p = hamkaas.matmul %a, %c : tensor<4x5xi32>, tensor<5x6xi32>
    hamkaas.yield %p : tensor<4x6xi32>
  }
  %3 = hamkaas.group contraction(%x, %w, %s) : (tensor<4x5xf32>, tensor<5x6xf32>, tensor<4x1xf32>) -> tensor<4x6xf32> {
  ^bb0(%a: tensor<4x5xf32>, %c: tensor<5x6xf32>, %e: tensor<4x1xf32>):
    %p = hamkaas.matmul %a, %c : tensor<4x5xf32>, tensor<5x6xf32>
    %q = hamkaas.add %p, %e : tensor<4x6xf32>, tensor<4x1xf32>
    hamkaas.yield %q : tensor<4x6xf32>
  }
  %4 = hamkaas.group contraction(%x, %w, %r) : (tensor<4x5xf32>, tensor<5x6xf32>, tensor<4x6xf32>) -> tensor<4x6xf32> {
  ^bb0(%a: tensor<4x5xf32>, %c: tensor<5x6xf32>, %e: tensor<4x6xf32>):
    %p = hamkaas.matmul %a, %c : tensor<4x5xf32>, tensor<5x6xf32>
    %q = hamkaas.add %p, %e : tensor<4x6xf32>, tensor<4x6xf32>
    %t = hamkaas.add %q, %e : tensor<4x6xf32>, tensor<4x6xf32>
    hamkaas.yield %t : tensor<4x6xf32>
  }
  return %4 : tensor<4x6xf32>
}
