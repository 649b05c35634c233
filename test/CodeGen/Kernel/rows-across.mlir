// RUN: hamkaas-opt %s -hamkaas-attach-target=target-cpu=x86-64-v3 -hamkaas-cpu-emit-kernels | FileCheck %s

#swap = affine_map<(d0, d1, d2) -> (d0, d2, d1)>
#id3 = affine_map<(d0, d1, d2) -> (d0, d1, d2)>
#row = affine_map<(d0, d1, d2) -> (d0, d1)>

// Elements of short rows are read once, at neighbouring columns.
// CHECK-LABEL: func.func private @short(
// CHECK-NOT:     memref.alloca
// CHECK-COUNT-8: vector.transfer_read %arg0{{.*}}: tensor<4x4x64xf32>, vector<8xf32>
// CHECK-NOT:     transfer_read
// CHECK:         return
func.func private @short(%x: tensor<4x4x64xf32>, %out: tensor<4x4x64xf32>) -> tensor<4x4x64xf32>
    attributes {hamkaas.kernel = #hamkaas.kernel<row>} {
  %zero = arith.constant 0.0 : f32
  %low = arith.constant 0xFF800000 : f32
  %e = tensor.empty() : tensor<4x64x4xf32>
  %er = tensor.empty() : tensor<4x64xf32>
  %ex = tensor.empty() : tensor<4x4x64xf32>
  %p = linalg.generic {indexing_maps = [#swap, #id3], iterator_types = ["parallel", "parallel", "parallel"]}
    ins(%x : tensor<4x4x64xf32>) outs(%e : tensor<4x64x4xf32>) {
  ^bb0(%v: f32, %o: f32):
    linalg.yield %v : f32
  } -> tensor<4x64x4xf32>
  %m0 = linalg.fill ins(%low : f32) outs(%er : tensor<4x64xf32>) -> tensor<4x64xf32>
  %m = linalg.generic {indexing_maps = [#id3, #row], iterator_types = ["parallel", "parallel", "reduction"]}
    ins(%p : tensor<4x64x4xf32>) outs(%m0 : tensor<4x64xf32>) {
  ^bb0(%v: f32, %s: f32):
    %q = arith.maxnumf %v, %s : f32
    linalg.yield %q : f32
  } -> tensor<4x64xf32>
  %d = linalg.generic {indexing_maps = [#id3, #row, #id3], iterator_types = ["parallel", "parallel", "parallel"]}
    ins(%p, %m : tensor<4x64x4xf32>, tensor<4x64xf32>) outs(%e : tensor<4x64x4xf32>) {
  ^bb0(%v: f32, %mm: f32, %o: f32):
    %a = arith.subf %v, %mm : f32
    %q = math.exp %a : f32
    linalg.yield %q : f32
  } -> tensor<4x64x4xf32>
  %s0 = linalg.fill ins(%zero : f32) outs(%er : tensor<4x64xf32>) -> tensor<4x64xf32>
  %sum = linalg.generic {indexing_maps = [#id3, #row], iterator_types = ["parallel", "parallel", "reduction"]}
    ins(%d : tensor<4x64x4xf32>) outs(%s0 : tensor<4x64xf32>) {
  ^bb0(%v: f32, %s: f32):
    %q = arith.addf %s, %v : f32
    linalg.yield %q : f32
  } -> tensor<4x64xf32>
  %y = linalg.generic {indexing_maps = [#id3, #row, #id3], iterator_types = ["parallel", "parallel", "parallel"]}
    ins(%d, %sum : tensor<4x64x4xf32>, tensor<4x64xf32>) outs(%e : tensor<4x64x4xf32>) {
  ^bb0(%v: f32, %ss: f32, %o: f32):
    %q = arith.divf %v, %ss : f32
    linalg.yield %q : f32
  } -> tensor<4x64x4xf32>
  %back = linalg.generic {indexing_maps = [#swap, #id3], iterator_types = ["parallel", "parallel", "parallel"]}
    ins(%y : tensor<4x64x4xf32>) outs(%ex : tensor<4x4x64xf32>) {
  ^bb0(%v: f32, %o: f32):
    linalg.yield %v : f32
  } -> tensor<4x4x64xf32>
  return %back : tensor<4x4x64xf32>
}

// Longer ones are copied to the stack, where their exponentials replace them.
// CHECK-LABEL: func.func private @copied(
// CHECK:         %[[COPY:.*]] = memref.alloca() {{.*}}: memref<21x32xf32>
// CHECK:         scf.for
// CHECK:         scf.for
// CHECK:         scf.for
// CHECK-COUNT-4: vector.transfer_read %arg0
// CHECK-NOT:     transfer_read
// CHECK-NOT:     transfer_write
// CHECK:         scf.for
// CHECK-COUNT-4: vector.store {{.*}}, %[[COPY]]
// CHECK-NOT:     transfer_write
// CHECK:         scf.for
// CHECK-COUNT-4: vector.transfer_write
// CHECK-NOT:     transfer_write
// CHECK:         return
func.func private @copied(%x: tensor<5x21x64xf32>, %out: tensor<5x21x64xf32>) -> tensor<5x21x64xf32>
    attributes {hamkaas.kernel = #hamkaas.kernel<row>} {
  %zero = arith.constant 0.0 : f32
  %low = arith.constant 0xFF800000 : f32
  %e = tensor.empty() : tensor<5x64x21xf32>
  %er = tensor.empty() : tensor<5x64xf32>
  %ex = tensor.empty() : tensor<5x21x64xf32>
  %p = linalg.generic {indexing_maps = [#swap, #id3], iterator_types = ["parallel", "parallel", "parallel"]}
    ins(%x : tensor<5x21x64xf32>) outs(%e : tensor<5x64x21xf32>) {
  ^bb0(%v: f32, %o: f32):
    linalg.yield %v : f32
  } -> tensor<5x64x21xf32>
  %m0 = linalg.fill ins(%low : f32) outs(%er : tensor<5x64xf32>) -> tensor<5x64xf32>
  %m = linalg.generic {indexing_maps = [#id3, #row], iterator_types = ["parallel", "parallel", "reduction"]}
    ins(%p : tensor<5x64x21xf32>) outs(%m0 : tensor<5x64xf32>) {
  ^bb0(%v: f32, %s: f32):
    %q = arith.maxnumf %v, %s : f32
    linalg.yield %q : f32
  } -> tensor<5x64xf32>
  %d = linalg.generic {indexing_maps = [#id3, #row, #id3], iterator_types = ["parallel", "parallel", "parallel"]}
    ins(%p, %m : tensor<5x64x21xf32>, tensor<5x64xf32>) outs(%e : tensor<5x64x21xf32>) {
  ^bb0(%v: f32, %mm: f32, %o: f32):
    %a = arith.subf %v, %mm : f32
    %q = math.exp %a : f32
    linalg.yield %q : f32
  } -> tensor<5x64x21xf32>
  %s0 = linalg.fill ins(%zero : f32) outs(%er : tensor<5x64xf32>) -> tensor<5x64xf32>
  %sum = linalg.generic {indexing_maps = [#id3, #row], iterator_types = ["parallel", "parallel", "reduction"]}
    ins(%d : tensor<5x64x21xf32>) outs(%s0 : tensor<5x64xf32>) {
  ^bb0(%v: f32, %s: f32):
    %q = arith.addf %s, %v : f32
    linalg.yield %q : f32
  } -> tensor<5x64xf32>
  %y = linalg.generic {indexing_maps = [#id3, #row, #id3], iterator_types = ["parallel", "parallel", "parallel"]}
    ins(%d, %sum : tensor<5x64x21xf32>, tensor<5x64xf32>) outs(%e : tensor<5x64x21xf32>) {
  ^bb0(%v: f32, %ss: f32, %o: f32):
    %q = arith.divf %v, %ss : f32
    linalg.yield %q : f32
  } -> tensor<5x64x21xf32>
  %back = linalg.generic {indexing_maps = [#swap, #id3], iterator_types = ["parallel", "parallel", "parallel"]}
    ins(%y : tensor<5x64x21xf32>) outs(%ex : tensor<5x21x64xf32>) {
  ^bb0(%v: f32, %o: f32):
    linalg.yield %v : f32
  } -> tensor<5x21x64xf32>
  return %back : tensor<5x21x64xf32>
}
