// RUN: hamkaas-opt %s -hamkaas-attach-target=target-cpu=x86-64-v3 -hamkaas-cpu-emit-kernels -split-input-file | FileCheck %s

// Each pass visits 16 rows of 40, and leaves its numbers on the stack. The
// logarithms of 8 rows are computed at once, and read one by one.

// CHECK-LABEL: func private @log_sum_exp(
// CHECK-DAG:     %[[LARGEST:.*]] = memref.alloca() {{.*}} : memref<1x16xf32>
// CHECK-DAG:     %[[SUMS:.*]] = memref.alloca() {{.*}} : memref<1x16xf32>
// CHECK-DAG:     %[[LOGS:.*]] = memref.alloca() {{.*}} : memref<1x16xf32>
// CHECK:         scf.for {{.*}} step %c16
// CHECK:           scf.for
// CHECK:             arith.cmpf ogt
// CHECK:             memref.store
// CHECK:           scf.for
// CHECK:             memref.load
// CHECK:             math.exp {{.*}} : vector<8xf32>
// CHECK:             memref.store
// CHECK-COUNT-2:   math.log {{.*}} : vector<8xf32>
// CHECK-NOT:       math.log
// CHECK:           scf.for
// CHECK:             memref.load
// CHECK:             tensor.insert
func.func private @log_sum_exp(%x: tensor<50x40xf32>, %out: tensor<50xf32>) -> tensor<50xf32>
    attributes {hamkaas.kernel = #hamkaas.kernel<row>} {
  %zero = arith.constant 0.0 : f32
  %low = arith.constant 0xFF800000 : f32
  %e = tensor.empty() : tensor<50x40xf32>
  %er = tensor.empty() : tensor<50xf32>
  %m0 = linalg.fill ins(%low : f32) outs(%er : tensor<50xf32>) -> tensor<50xf32>
  %m = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0)>], iterator_types = ["parallel", "reduction"]}
    ins(%x : tensor<50x40xf32>) outs(%m0 : tensor<50xf32>) {
  ^bb0(%v: f32, %s: f32):
    %n = arith.maxnumf %v, %s : f32
    linalg.yield %n : f32
  } -> tensor<50xf32>
  %y = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]}
    ins(%x, %m : tensor<50x40xf32>, tensor<50xf32>) outs(%e : tensor<50x40xf32>) {
  ^bb0(%v: f32, %s: f32, %o: f32):
    %d = arith.subf %v, %s : f32
    %n = math.exp %d : f32
    linalg.yield %n : f32
  } -> tensor<50x40xf32>
  %s0 = linalg.fill ins(%zero : f32) outs(%er : tensor<50xf32>) -> tensor<50xf32>
  %sum = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0)>], iterator_types = ["parallel", "reduction"]}
    ins(%y : tensor<50x40xf32>) outs(%s0 : tensor<50xf32>) {
  ^bb0(%v: f32, %s: f32):
    %n = arith.addf %v, %s : f32
    linalg.yield %n : f32
  } -> tensor<50xf32>
  %log = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]}
    ins(%sum : tensor<50xf32>) outs(%er : tensor<50xf32>) {
  ^bb0(%v: f32, %o: f32):
    %n = math.log %v : f32
    linalg.yield %n : f32
  } -> tensor<50xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]}
    ins(%log, %m : tensor<50xf32>, tensor<50xf32>) outs(%er : tensor<50xf32>) {
  ^bb0(%v: f32, %s: f32, %o: f32):
    %n = arith.addf %v, %s : f32
    linalg.yield %n : f32
  } -> tensor<50xf32>
  return %r : tensor<50xf32>
}

// -----

// A function that takes an argument as well is computed row by row.

// CHECK-LABEL: func private @scaled(
// CHECK:         scf.for {{.*}} step %c16
// CHECK-NOT:     math.log {{.*}} : vector
// CHECK:         math.log {{.*}} : f32
func.func private @scaled(%x: tensor<50x40xf32>, %w: tensor<50xf32>, %out: tensor<50x40xf32>) -> tensor<50x40xf32>
    attributes {hamkaas.kernel = #hamkaas.kernel<row>} {
  %zero = arith.constant 0.0 : f32
  %low = arith.constant 0xFF800000 : f32
  %e = tensor.empty() : tensor<50x40xf32>
  %er = tensor.empty() : tensor<50xf32>
  %m0 = linalg.fill ins(%low : f32) outs(%er : tensor<50xf32>) -> tensor<50xf32>
  %m = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0)>], iterator_types = ["parallel", "reduction"]}
    ins(%x : tensor<50x40xf32>) outs(%m0 : tensor<50xf32>) {
  ^bb0(%v: f32, %s: f32):
    %n = arith.maxnumf %v, %s : f32
    linalg.yield %n : f32
  } -> tensor<50xf32>
  %s0 = linalg.fill ins(%zero : f32) outs(%er : tensor<50xf32>) -> tensor<50xf32>
  %sum = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0)>], iterator_types = ["parallel", "reduction"]}
    ins(%x : tensor<50x40xf32>) outs(%s0 : tensor<50xf32>) {
  ^bb0(%v: f32, %s: f32):
    %n = arith.addf %v, %s : f32
    linalg.yield %n : f32
  } -> tensor<50xf32>
  %log = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]}
    ins(%sum, %w : tensor<50xf32>, tensor<50xf32>) outs(%er : tensor<50xf32>) {
  ^bb0(%v: f32, %s: f32, %o: f32):
    %p = arith.mulf %v, %s : f32
    %n = math.log %p : f32
    linalg.yield %n : f32
  } -> tensor<50xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0)>, affine_map<(d0, d1) -> (d0)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]}
    ins(%x, %log, %m : tensor<50x40xf32>, tensor<50xf32>, tensor<50xf32>) outs(%e : tensor<50x40xf32>) {
  ^bb0(%v: f32, %s: f32, %t: f32, %o: f32):
    %n = arith.divf %v, %s : f32
    %q = arith.addf %n, %t : f32
    linalg.yield %q : f32
  } -> tensor<50x40xf32>
  return %r : tensor<50x40xf32>
}
