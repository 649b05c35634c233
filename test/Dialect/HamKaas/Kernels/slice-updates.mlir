// RUN: hamkaas-opt %s -hamkaas-slice-updates=max-bytes=16384 | FileCheck %s
// RUN: hamkaas-opt %s -hamkaas-slice-updates | FileCheck %s --check-prefix=WHOLE --implicit-check-not=hamkaas.slice

ml_program.global private mutable @w(dense<0.0> : tensor<128x64xf32>) : tensor<128x64xf32>
ml_program.global private mutable @m(dense<0.0> : tensor<128x64xf32>) : tensor<128x64xf32>

// The gradient takes 32 KiB. Its halves are computed with what is decayed,
// updated and stored of these rows; what has one row is not cut.

// CHECK-LABEL: func @momentum(
// CHECK-SAME:    %[[X:[a-z0-9]+]]: tensor<128x32xf32>, %[[G:[a-z0-9]+]]: tensor<32x64xf32>, %[[RATE:[a-z0-9]+]]: tensor<1x64xf32>
// CHECK:         %[[W:.*]] = ml_program.global_load @w
// CHECK:         %[[M:.*]] = ml_program.global_load @m
// CHECK-NOT:     hamkaas.mul
// CHECK:         %[[X0:.*]] = hamkaas.slice %[[X]][0, 64]
// CHECK:         %[[S0:.*]] = hamkaas.matmul %[[X0]], %[[G]] : tensor<64x32xf32>, tensor<32x64xf32>
// CHECK:         %[[OLD0:.*]] = hamkaas.slice %[[M]][0, 64]
// CHECK:         %[[DECAYED0:.*]] = hamkaas.mul %[[OLD0]], %[[RATE]] : tensor<64x64xf32>, tensor<1x64xf32>
// CHECK:         %[[M0:.*]] = hamkaas.add %[[DECAYED0]], %[[S0]]
// CHECK:         %[[OLDW0:.*]] = hamkaas.slice %[[W]][0, 64]
// CHECK:         %[[W0:.*]] = hamkaas.sub %[[OLDW0]], %[[M0]]
// CHECK:         hamkaas.slice %[[X]][64, 128]
// CHECK:         %[[M1:.*]] = hamkaas.add
// CHECK:         %[[W1:.*]] = hamkaas.sub
// CHECK-DAG:     %[[NEWM:.*]] = hamkaas.concat %[[M0]], %[[M1]] dim 0
// CHECK-DAG:     ml_program.global_store @m = %[[NEWM]]
// CHECK-DAG:     %[[NEWW:.*]] = hamkaas.concat %[[W0]], %[[W1]] dim 0
// CHECK-DAG:     ml_program.global_store @w = %[[NEWW]]
// WHOLE-LABEL: func @momentum(
func.func @momentum(%x: tensor<128x32xf32>, %g: tensor<32x64xf32>, %rate: tensor<1x64xf32>) {
  %w = ml_program.global_load @w : tensor<128x64xf32>
  %m = ml_program.global_load @m : tensor<128x64xf32>
  %0 = hamkaas.mul %m, %rate : tensor<128x64xf32>, tensor<1x64xf32>
  %1 = hamkaas.matmul %x, %g : tensor<128x32xf32>, tensor<32x64xf32>
  %2 = hamkaas.add %0, %1 : tensor<128x64xf32>, tensor<128x64xf32>
  ml_program.global_store @m = %2 : tensor<128x64xf32>
  %3 = hamkaas.sub %w, %2 : tensor<128x64xf32>, tensor<128x64xf32>
  ml_program.global_store @w = %3 : tensor<128x64xf32>
  return
}

// A decayed moment that is also a result is computed once.

// CHECK-LABEL: func @decayed(
// CHECK:         %[[D:.*]] = hamkaas.neg
// CHECK:         hamkaas.slice %[[D]][0, 64]
// CHECK:         return %[[D]]
// WHOLE-LABEL: func @decayed(
func.func @decayed(%x: tensor<128x32xf32>, %g: tensor<32x64xf32>) -> tensor<128x64xf32> {
  %m = ml_program.global_load @m : tensor<128x64xf32>
  %0 = hamkaas.neg %m : tensor<128x64xf32>
  %1 = hamkaas.matmul %x, %g : tensor<128x32xf32>, tensor<32x64xf32>
  %2 = hamkaas.add %0, %1 : tensor<128x64xf32>, tensor<128x64xf32>
  ml_program.global_store @m = %2 : tensor<128x64xf32>
  return %0 : tensor<128x64xf32>
}

// A gradient that others need stays whole: the norm that clips it, a result.

// CHECK-LABEL: func @norm(
// CHECK-NOT:     hamkaas.slice
// CHECK:         return
// WHOLE-LABEL: func @norm(
func.func @norm(%x: tensor<128x32xf32>, %g: tensor<32x64xf32>) {
  %w = ml_program.global_load @w : tensor<128x64xf32>
  %0 = hamkaas.matmul %x, %g : tensor<128x32xf32>, tensor<32x64xf32>
  %1 = hamkaas.reduce sum %0 over [0] : tensor<128x64xf32>
  %2 = hamkaas.reshape %1 : tensor<64xf32> -> tensor<1x64xf32>
  %3 = hamkaas.mul %0, %2 : tensor<128x64xf32>, tensor<1x64xf32>
  %4 = hamkaas.sub %w, %3 : tensor<128x64xf32>, tensor<128x64xf32>
  ml_program.global_store @w = %4 : tensor<128x64xf32>
  return
}

// CHECK-LABEL: func @result(
// CHECK-NOT:     hamkaas.slice
// CHECK:         return
// WHOLE-LABEL: func @result(
func.func @result(%x: tensor<128x32xf32>, %g: tensor<32x64xf32>) -> tensor<128x64xf32> {
  %0 = hamkaas.matmul %x, %g : tensor<128x32xf32>, tensor<32x64xf32>
  ml_program.global_store @w = %0 : tensor<128x64xf32>
  return %0 : tensor<128x64xf32>
}

// Slices have at least 32 rows.

ml_program.global private mutable @v(dense<0.0> : tensor<20x512xf32>) : tensor<20x512xf32>
// CHECK-LABEL: func @few(
// CHECK-NOT:     hamkaas.slice
// CHECK:         return
// WHOLE-LABEL: func @few(
func.func @few(%x: tensor<20x32xf32>, %g: tensor<32x512xf32>) {
  %w = ml_program.global_load @v : tensor<20x512xf32>
  %0 = hamkaas.matmul %x, %g : tensor<20x32xf32>, tensor<32x512xf32>
  %1 = hamkaas.sub %w, %0 : tensor<20x512xf32>, tensor<20x512xf32>
  ml_program.global_store @v = %1 : tensor<20x512xf32>
  return
}

// The last slice is smaller where the rows have no factor that fits.

ml_program.global private mutable @p(dense<0.0> : tensor<67x512xf32>) : tensor<67x512xf32>
// CHECK-LABEL: func @prime(
// CHECK:         hamkaas.concat %{{.*}}, %{{.*}} dim 0 : tensor<34x512xf32>, tensor<33x512xf32>
// WHOLE-LABEL: func @prime(
func.func @prime(%x: tensor<67x32xf32>, %g: tensor<32x512xf32>) {
  %w = ml_program.global_load @p : tensor<67x512xf32>
  %0 = hamkaas.matmul %x, %g : tensor<67x32xf32>, tensor<32x512xf32>
  %1 = hamkaas.sub %w, %0 : tensor<67x512xf32>, tensor<67x512xf32>
  ml_program.global_store @p = %1 : tensor<67x512xf32>
  return
}

// The parts have the knobs of the whole.

// CHECK-LABEL: func @knobs(
// CHECK-COUNT-2: hamkaas.matmul {{.*}} {hamkaas.knobs = {rows = 3 : i64}}
// WHOLE-LABEL: func @knobs(
func.func @knobs(%x: tensor<128x32xf32>, %g: tensor<32x64xf32>) {
  %m = ml_program.global_load @m : tensor<128x64xf32>
  %0 = hamkaas.matmul %x, %g {hamkaas.knobs = {rows = 3}} : tensor<128x32xf32>, tensor<32x64xf32>
  %1 = hamkaas.add %m, %0 : tensor<128x64xf32>, tensor<128x64xf32>
  ml_program.global_store @m = %1 : tensor<128x64xf32>
  return
}
