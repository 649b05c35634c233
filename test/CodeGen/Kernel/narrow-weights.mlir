// RUN: hamkaas-opt %s -hamkaas-attach-target=target-cpu=x86-64-v3 -hamkaas-cpu-narrow-weights -split-input-file | FileCheck %s
// RUN: hamkaas-opt %s -hamkaas-attach-target="target-cpu=x86-64-v3 precision=bf16" -hamkaas-cpu-narrow-weights -split-input-file | FileCheck %s --check-prefix=ROUND
// RUN: hamkaas-opt %s -hamkaas-attach-target=target-cpu=x86-64-v3 -hamkaas-cpu-narrow-weights -hamkaas-fuse-horizontal-matmuls -hamkaas-form-groups=narrow-weights=true -split-input-file | FileCheck %s --check-prefix=GROUPS
// RUN: hamkaas-opt %s -hamkaas-attach-target=target-cpu=x86-64-v3 -hamkaas-cpu-narrow-weights -hamkaas-form-groups -split-input-file | FileCheck %s --check-prefix=OTHER
// RUN: not hamkaas-opt %s -hamkaas-cpu-narrow-weights -split-input-file 2>&1 | FileCheck %s --check-prefix=MISSING
// MISSING: error: expected a module with 'hamkaas.target', which hamkaas-attach-target sets

// 16-bit floats are moved as they are, and the product widens them, in its
// kernel.

// CHECK-LABEL: func @moved(
// CHECK:         %[[W:.*]] = ml_program.global_load_const @w
// CHECK:         %[[S:.*]] = hamkaas.strided_slice %[[W]] {{.*}} : tensor<40x80xbf16>
// CHECK:         %[[T:.*]] = hamkaas.permute %[[S]][1, 0] : tensor<40x64xbf16>
// CHECK-NOT:     hamkaas.permute
// CHECK:         %[[R:.*]] = hamkaas.cast %[[T]] : tensor<64x40xbf16> -> tensor<64x40xf32>
// CHECK:         hamkaas.matmul %{{.*}}, %[[R]] : tensor<8x64xf32>, tensor<64x40xf32>

// Weights of 16 bits stay as they are where others are rounded.

// ROUND-LABEL: func @moved(
// ROUND-COUNT-1: hamkaas.cast
// ROUND-NOT:     hamkaas.cast
// ROUND:         return

// GROUPS-LABEL: func @moved(
// GROUPS:         hamkaas.group contraction{{.*}}hamkaas.ops = "cast+matmul+relu"

// OTHER-LABEL: func @moved(
// OTHER:         hamkaas.group contraction{{.*}}hamkaas.ops = "matmul+relu"
ml_program.global private @w(#ml_program.extern : tensor<40x80xbf16>) : tensor<40x80xbf16>
func.func @moved(%x: tensor<8x64xf32>) -> tensor<8x40xf32> {
  %b = ml_program.global_load_const @w : tensor<40x80xbf16>
  %w = hamkaas.cast %b : tensor<40x80xbf16> -> tensor<40x80xf32>
  %s = hamkaas.strided_slice %w offsets [0, 16] sizes [40, 64] strides [1, 1] : tensor<40x80xf32>
  %t = hamkaas.permute %s [1, 0] : tensor<40x64xf32>
  %y = hamkaas.matmul %x, %t : tensor<8x64xf32>, tensor<64x40xf32>
  %r = hamkaas.relu %y : tensor<8x40xf32>
  return %r : tensor<8x40xf32>
}

// -----

// Each product has a cast of its own. Other readers keep theirs.

// CHECK-LABEL: func @shared(
// CHECK:         %[[B:.*]] = ml_program.global_load_const @w
// CHECK:         %[[W:.*]] = hamkaas.cast %[[B]]
// CHECK:         %[[F:.*]] = hamkaas.cast %[[B]]
// CHECK:         %[[Y:.*]] = hamkaas.matmul %{{.*}}, %[[F]]
// CHECK:         %[[S:.*]] = hamkaas.cast %[[B]]
// CHECK:         hamkaas.matmul %[[Y]], %[[S]]
// CHECK:         hamkaas.add %{{.*}}, %[[W]]
ml_program.global private @w(#ml_program.extern : tensor<8x8xf16>) : tensor<8x8xf16>
func.func @shared(%x: tensor<8x8xf32>) -> tensor<8x8xf32> {
  %b = ml_program.global_load_const @w : tensor<8x8xf16>
  %w = hamkaas.cast %b : tensor<8x8xf16> -> tensor<8x8xf32>
  %y = hamkaas.matmul %x, %w : tensor<8x8xf32>, tensor<8x8xf32>
  %z = hamkaas.matmul %y, %w : tensor<8x8xf32>, tensor<8x8xf32>
  %r = hamkaas.add %z, %w : tensor<8x8xf32>, tensor<8x8xf32>
  return %r : tensor<8x8xf32>
}

// -----

// Matrices that multiply one row stay narrow side by side.

// GROUPS-LABEL: func @row(
// GROUPS:         hamkaas.concat {{.*}} : tensor<8x16xf16>, tensor<4x16xf16>
// GROUPS:         hamkaas.group contraction{{.*}}hamkaas.ops = "cast+matmul"{{.*}}(tensor<16x12xf16>, tensor<1x16xf32>) -> tensor<1x12xf32>
ml_program.global private @a(#ml_program.extern : tensor<8x16xf16>) : tensor<8x16xf16>
ml_program.global private @b(#ml_program.extern : tensor<4x16xf16>) : tensor<4x16xf16>
func.func @row(%x: tensor<1x16xf32>) -> (tensor<1x8xf32>, tensor<1x4xf32>) {
  %a = ml_program.global_load_const @a : tensor<8x16xf16>
  %b = ml_program.global_load_const @b : tensor<4x16xf16>
  %0 = hamkaas.cast %a : tensor<8x16xf16> -> tensor<8x16xf32>
  %1 = hamkaas.cast %b : tensor<4x16xf16> -> tensor<4x16xf32>
  %2 = hamkaas.permute %0 [1, 0] : tensor<8x16xf32>
  %3 = hamkaas.permute %1 [1, 0] : tensor<4x16xf32>
  %4 = hamkaas.matmul %x, %2 : tensor<1x16xf32>, tensor<16x8xf32>
  %5 = hamkaas.matmul %x, %3 : tensor<1x16xf32>, tensor<16x4xf32>
  return %4, %5 : tensor<1x8xf32>, tensor<1x4xf32>
}

// -----

// Parameters are rounded when the program is loaded, before they are moved;
// constants when it is compiled, to nearest and halves to even.

// CHECK-LABEL: func @float32(
// CHECK-NOT:     bf16
// CHECK:         return

// ROUND-LABEL: func @float32(
// ROUND:         %[[C:.*]] = hamkaas.constant dense<{{\[\[}}1.000000e+00, 1.015630e+00], [-2.500000e-01, 3.281250e+00]]> : tensor<2x2xbf16>
// ROUND:         %[[W:.*]] = ml_program.global_load_const @w
// ROUND:         %[[B:.*]] = hamkaas.cast %[[W]] : tensor<4x2xf32> -> tensor<4x2xbf16>
// ROUND:         %[[T:.*]] = hamkaas.permute %[[B]][1, 0] : tensor<4x2xbf16>
// ROUND:         %[[L:.*]] = hamkaas.cast %[[C]] : tensor<2x2xbf16> -> tensor<2x2xf32>
// ROUND:         %[[Y:.*]] = hamkaas.matmul %{{.*}}, %[[L]]
// ROUND:         %[[R:.*]] = hamkaas.cast %[[T]] : tensor<2x4xbf16> -> tensor<2x4xf32>
// ROUND:         hamkaas.matmul %[[Y]], %[[R]]
ml_program.global private @w(#ml_program.extern : tensor<4x2xf32>) : tensor<4x2xf32>
func.func @float32(%x: tensor<3x2xf32>) -> tensor<3x4xf32> {
  %c = hamkaas.constant dense<[[1.00390625, 1.01171875], [-0.25, 3.2831]]> : tensor<2x2xf32>
  %w = ml_program.global_load_const @w : tensor<4x2xf32>
  %t = hamkaas.permute %w [1, 0] : tensor<4x2xf32>
  %y = hamkaas.matmul %x, %c : tensor<3x2xf32>, tensor<2x2xf32>
  %z = hamkaas.matmul %y, %t : tensor<3x2xf32>, tensor<2x4xf32>
  return %z : tensor<3x4xf32>
}

// -----

// A side that is known only in the run, one of other types, and what is
// computed when the program is loaded stay as they are.

// ROUND-LABEL: func @others(
// ROUND-NOT:     bf16
// ROUND:         return
ml_program.global private @w(#ml_program.extern : tensor<4x4xf32>) : tensor<4x4xf32>
ml_program.global private @d(#ml_program.extern : tensor<4x4xf64>) : tensor<4x4xf64>
func.func @others(%x: tensor<4x4xf32>, %y: tensor<4x4xf64>) -> (tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x4xf64>) {
  %w = ml_program.global_load_const @w : tensor<4x4xf32>
  %d = ml_program.global_load_const @d : tensor<4x4xf64>
  %0 = hamkaas.matmul %w, %x : tensor<4x4xf32>, tensor<4x4xf32>
  %1 = hamkaas.matmul %w, %w : tensor<4x4xf32>, tensor<4x4xf32>
  %2 = hamkaas.matmul %y, %d : tensor<4x4xf64>, tensor<4x4xf64>
  return %0, %1, %2 : tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x4xf64>
}
