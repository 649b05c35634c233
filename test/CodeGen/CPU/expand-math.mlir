// RUN: hamkaas-opt %s -hamkaas-expand-math -split-input-file | FileCheck %s --check-prefixes=CHECK,FUSED
// RUN: hamkaas-opt %s -hamkaas-expand-math=fma=false -split-input-file | FileCheck %s --check-prefixes=CHECK,APART
// RUN: hamkaas-opt %s -hamkaas-expand-math=scale=true -split-input-file | FileCheck %s --check-prefixes=CHECK,FUSED,SCALE

// exp is a polynomial on the whole vector: no call is left. exp-run.test compares
// its values.

// CHECK-LABEL: func @vector(
// CHECK-NOT:     math.exp
// FUSED-COUNT-9: math.fma {{.*}} : vector<16xf32>
// SCALE-NEXT:    llvm.call_intrinsic "llvm.x86.avx512.mask.scalef.ps.512"
// APART-NOT:     math.fma
// APART:         arith.mulf {{.*}} : vector<16xf32>
// CHECK-NOT:     math.exp
// CHECK:         return %{{.*}} : vector<16xf32>
func.func @vector(%x: vector<16xf32>) -> vector<16xf32> {
  %0 = math.exp %x : vector<16xf32>
  return %0 : vector<16xf32>
}

// -----

// AVX-512 scales vectors alone by one instruction.

// CHECK-LABEL: func @scalar(
// SCALE-NOT:     llvm.call_intrinsic
// CHECK-NOT:     math.exp
// FUSED:         math.fma {{.*}} : f32
// CHECK:         return %{{.*}} : f32
func.func @scalar(%x: f32) -> f32 {
  %0 = math.exp %x : f32
  return %0 : f32
}

// -----

// Nothing to do: LLVM has an instruction for a square root.

// CHECK-LABEL: func @root(
// CHECK-NEXT:    %[[Y:.*]] = math.sqrt
// CHECK-NEXT:    return %[[Y]]
func.func @root(%x: vector<16xf32>) -> vector<16xf32> {
  %0 = math.sqrt %x : vector<16xf32>
  return %0 : vector<16xf32>
}

// -----

// Upstream's approximations use multiply-adds, which would be calls of fmaf.

// CHECK-LABEL: func @tanh(
// CHECK-NOT:     math.tanh
// FUSED:         math.fma
// APART-NOT:     math.fma
// CHECK:         return
func.func @tanh(%x: vector<16xf32>) -> vector<16xf32> {
  %0 = math.tanh %x : vector<16xf32>
  return %0 : vector<16xf32>
}
