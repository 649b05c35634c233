// RUN: hamkaas-opt %s -hamkaas-attach-target=target-cpu=x86-64-v3 -hamkaas-expand-math -split-input-file | FileCheck %s --check-prefixes=CHECK,FUSED
// RUN: hamkaas-opt %s -hamkaas-attach-target=target-cpu=x86-64-v2 -hamkaas-expand-math -split-input-file | FileCheck %s --check-prefixes=CHECK,APART
// RUN: hamkaas-opt %s -hamkaas-attach-target=target-cpu=x86-64-v4 -hamkaas-expand-math -split-input-file | FileCheck %s --check-prefixes=CHECK,SCALE

// exp is a polynomial on the whole vector: no call is left. float32-math-run.test
// compares its values.

// CHECK-LABEL: func @vector(
// CHECK-NOT:     math.exp
// FUSED-NOT:     llvm.call_intrinsic
// FUSED-COUNT-9: math.fma {{.*}} : vector<16xf32>
// APART-NOT:     math.fma
// APART:         arith.mulf {{.*}} : vector<16xf32>
// CHECK-NOT:     math.exp
// CHECK:         return %{{.*}} : vector<16xf32>
func.func @vector(%x: vector<16xf32>) -> vector<16xf32> {
  %0 = math.exp %x : vector<16xf32>
  return %0 : vector<16xf32>
}

// -----

// AVX-512 reads the sixteenth part of a power of two from a table, so half of the
// polynomial does, and scales by one instruction.

// SCALE-LABEL: func @table(
// SCALE-COUNT-3: math.fma
// SCALE-NEXT:    arith.bitcast
// SCALE:         llvm.call_intrinsic "llvm.x86.avx512.permvar.sf.512"
// SCALE-COUNT-3: math.fma
// SCALE-NOT:     math.fma
// SCALE:         llvm.call_intrinsic "llvm.x86.avx512.mask.scalef.ps.512"
func.func @table(%x: vector<16xf32>) -> vector<16xf32> {
  %0 = math.exp %x : vector<16xf32>
  return %0 : vector<16xf32>
}

// -----

// SCALE-LABEL: func @narrow(
// SCALE-COUNT-9: math.fma
// SCALE:         llvm.call_intrinsic "llvm.x86.avx512.mask.scalef.ps.256"
func.func @narrow(%x: vector<8xf32>) -> vector<8xf32> {
  %0 = math.exp %x : vector<8xf32>
  return %0 : vector<8xf32>
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

// An exponential that cannot overflow has one bound and one factor, whether the
// operation says so or its operand is seen to be negative. In the first case the
// operand is a rounded difference, so that seven multiply-adds are exact enough
// instead of nine.

// CHECK-LABEL: func @nonpositive(
// CHECK:         arith.cmpf olt
// APART-NOT:     arith.cmpf ogt
// FUSED-NOT:     arith.cmpf ogt
// FUSED-COUNT-7: math.fma
// FUSED-NOT:     math.fma
// FUSED:         %[[BITS:.*]] = arith.shli
// FUSED-NEXT:    %[[FACTOR:.*]] = arith.bitcast %[[BITS]]
// FUSED-NEXT:    %[[Y:.*]] = arith.mulf %{{.*}}, %[[FACTOR]]
// FUSED-NEXT:    return %[[Y]]
func.func @nonpositive(%x: vector<8xf32>) -> vector<8xf32> {
  %0 = math.exp %x {hamkaas.nonpositive} : vector<8xf32>
  return %0 : vector<8xf32>
}

// CHECK-LABEL: func @negative(
// FUSED-COUNT-9: math.fma
// FUSED-NOT:     arith.cmpf ogt
// APART-NOT:     arith.cmpf ogt
// CHECK:         return
func.func @negative(%x: vector<8xf32>) -> vector<8xf32> {
  %0 = math.absf %x : vector<8xf32>
  %1 = arith.negf %0 : vector<8xf32>
  %2 = math.exp %1 : vector<8xf32>
  return %2 : vector<8xf32>
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

// All but the logarithm take an exponential.

// CHECK-LABEL: func @others(
// CHECK-NOT:     math.{{tanh|erf|log}}
// FUSED:         math.fma
// APART-NOT:     math.fma
// CHECK:         return
func.func @others(%x: vector<16xf32>) -> vector<16xf32> {
  %0 = math.tanh %x : vector<16xf32>
  %1 = math.erf %0 : vector<16xf32>
  %2 = math.log %1 : vector<16xf32>
  return %2 : vector<16xf32>
}

// -----

// 1 + erf(x) needs no exponential, and is 0 where erf(x) is -1.

// CHECK-LABEL: func @sum(
// CHECK-SAME:    %[[X:.*]]: vector<8xf32>
// FUSED-COUNT-16: math.fma
// CHECK:         %[[LOW:.*]] = arith.cmpf olt, %[[X]], %{{.*}}
// CHECK:         %[[Y:.*]] = arith.select %[[LOW]], %{{.*}}, %{{.*}}
// CHECK-NEXT:    return %[[Y]]
func.func @sum(%x: vector<8xf32>) -> vector<8xf32> {
  %one = arith.constant dense<1.0> : vector<8xf32>
  %0 = math.erf %x : vector<8xf32>
  %1 = arith.addf %0, %one : vector<8xf32>
  return %1 : vector<8xf32>
}

// -----

// Elsewhere erf is needed, too, so the sum is none of its own.

// CHECK-LABEL: func @both(
// CHECK:         %[[FAR:.*]] = math.copysign
// CHECK:         %[[ERF:.*]] = arith.select %{{.*}}, %{{.*}}, %[[FAR]]
// CHECK:         arith.addf %[[ERF]]
func.func @both(%x: vector<8xf32>) -> (vector<8xf32>, vector<8xf32>) {
  %one = arith.constant dense<1.0> : vector<8xf32>
  %0 = math.erf %x : vector<8xf32>
  %1 = arith.addf %0, %one : vector<8xf32>
  return %0, %1 : vector<8xf32>, vector<8xf32>
}

// -----

// Doubles are left to libm.

// CHECK-LABEL: func @double(
// CHECK:         math.tanh
func.func @double(%x: vector<8xf64>) -> vector<8xf64> {
  %0 = math.tanh %x : vector<8xf64>
  return %0 : vector<8xf64>
}

// -----

// Functions of different vectors advance in turns; what both read is first.

// CHECK-LABEL: func @turns(
// CHECK-SAME:    %[[M:[^:]*]]: memref<16xf32>, %[[S:[^:]*]]: f32
// CHECK:         %[[V:.*]] = vector.broadcast %[[S]]
// CHECK:         arith.subf %{{.*}}, %[[V]]
// CHECK:         arith.subf %{{.*}}, %[[V]]
// CHECK:         %[[C:.*]] = arith.cmpf olt
// CHECK:         %[[D:.*]] = arith.cmpf olt
// CHECK:         arith.select %[[C]]
// CHECK:         arith.select %[[D]]
// CHECK:         vector.transfer_write
// CHECK:         vector.transfer_write
func.func @turns(%m: memref<16xf32>, %s: f32) {
  %c0 = arith.constant 0 : index
  %c8 = arith.constant 8 : index
  %zero = arith.constant 0.0 : f32
  %a = vector.transfer_read %m[%c0], %zero {in_bounds = [true]} : memref<16xf32>, vector<8xf32>
  %v = vector.broadcast %s : f32 to vector<8xf32>
  %0 = arith.subf %a, %v : vector<8xf32>
  %1 = math.exp %0 : vector<8xf32>
  %b = vector.transfer_read %m[%c8], %zero {in_bounds = [true]} : memref<16xf32>, vector<8xf32>
  %2 = arith.subf %b, %v : vector<8xf32>
  %3 = math.exp %2 : vector<8xf32>
  vector.transfer_write %1, %m[%c0] {in_bounds = [true]} : vector<8xf32>, memref<16xf32>
  vector.transfer_write %3, %m[%c8] {in_bounds = [true]} : vector<8xf32>, memref<16xf32>
  return
}

// -----

// Nothing moves across a write.

// CHECK-LABEL: func @written(
// CHECK:         vector.transfer_read
// CHECK-NOT:     vector.transfer_read
// CHECK:         vector.transfer_write
// CHECK:         vector.transfer_read
// CHECK:         vector.transfer_write
func.func @written(%m: memref<16xf32>) {
  %c0 = arith.constant 0 : index
  %c8 = arith.constant 8 : index
  %zero = arith.constant 0.0 : f32
  %a = vector.transfer_read %m[%c0], %zero {in_bounds = [true]} : memref<16xf32>, vector<8xf32>
  %0 = math.exp %a : vector<8xf32>
  vector.transfer_write %0, %m[%c8] {in_bounds = [true]} : vector<8xf32>, memref<16xf32>
  %b = vector.transfer_read %m[%c8], %zero {in_bounds = [true]} : memref<16xf32>, vector<8xf32>
  %1 = math.exp %b : vector<8xf32>
  vector.transfer_write %1, %m[%c0] {in_bounds = [true]} : vector<8xf32>, memref<16xf32>
  return
}

// -----

// A sigmoid is divided once; AVX-512 corrects the quotient. What is divided
// otherwise, as in SiLU, is not one.

// CHECK-LABEL: func @sigmoid(
// CHECK-NOT:     math.exp
// CHECK:         arith.divf
// CHECK-NOT:     arith.divf
// FUSED-NOT:     math.fma
// SCALE-COUNT-3: math.fma
// CHECK:         return
// CHECK-LABEL: func @silu(
// CHECK:         arith.divf
// CHECK-NEXT:    return
func.func @sigmoid(%x: vector<16xf32>) -> vector<16xf32> {
  %one = arith.constant dense<1.0> : vector<16xf32>
  %negative = arith.negf %x : vector<16xf32>
  %e = math.exp %negative : vector<16xf32>
  %sum = arith.addf %one, %e : vector<16xf32>
  %y = arith.divf %one, %sum : vector<16xf32>
  return %y : vector<16xf32>
}
func.func @silu(%x: vector<16xf32>) -> vector<16xf32> {
  %one = arith.constant dense<1.0> : vector<16xf32>
  %negative = arith.negf %x : vector<16xf32>
  %e = math.exp %negative : vector<16xf32>
  %sum = arith.addf %one, %e : vector<16xf32>
  %y = arith.divf %x, %sum : vector<16xf32>
  return %y : vector<16xf32>
}

// -----

// Sines reduce their arguments by multiply-adds. A vector with a large argument
// computes them in float64.

// CHECK-LABEL: func @sine(
// APART:         math.sin %{{.*}} : vector<8xf32>
// FUSED:         %[[LARGE:.*]] = vector.reduction <or>
// FUSED:         scf.if %[[LARGE]]
// FUSED:           math.sin %{{.*}} : vector<8xf64>
// FUSED:         else
// FUSED:           math.fma
// FUSED-NOT:       math.sin
func.func @sine(%x: vector<8xf32>) -> vector<8xf32> {
  %0 = math.sin %x : vector<8xf32>
  return %0 : vector<8xf32>
}

// -----

// LLVM is to keep interleaved chains where registers are few, but not the order
// of products.

// CHECK-LABEL: func @kept_order(
// FUSED-SAME:    hamkaas.keeps_order
// SCALE-NOT:     hamkaas.keeps_order
func.func @kept_order(%x: vector<8xf32>) -> vector<8xf32>
    attributes {hamkaas.kernel = #hamkaas.kernel<elementwise>} {
  %0 = math.exp %x : vector<8xf32>
  return %0 : vector<8xf32>
}

// CHECK-LABEL: func @order_of_products(
// CHECK-NOT:     hamkaas.keeps_order
// CHECK:         return
func.func @order_of_products(%x: vector<8xf32>) -> vector<8xf32>
    attributes {hamkaas.kernel = #hamkaas.kernel<contraction>} {
  %0 = math.exp %x : vector<8xf32>
  return %0 : vector<8xf32>
}
