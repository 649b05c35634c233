// RUN: hamkaas-opt %s -hamkaas-attach-target=target-cpu=x86-64-v3 -hamkaas-cpu-pack-parameters=save-memory=true | FileCheck %s
// RUN: hamkaas-opt %s -hamkaas-attach-target=target-cpu=x86-64-v3 -hamkaas-cpu-pack-parameters | FileCheck %s --check-prefix=FREE

#lhs = affine_map<(i, j, k) -> (i, k)>
#rhs = affine_map<(i, j, k) -> (k, j)>
#result = affine_map<(i, j, k) -> (i, j)>

// Panels for a reversed loop, such as the gradient of another one, take the
// place of a matrix, or are not made.

// CHECK-LABEL: func @before_gradient(
// CHECK-SAME:    %[[W:[a-z0-9]+]]: tensor<256x256xf32>
// CHECK:         %[[T:.*]] = hamkaas.group elementwise(%[[W]])
// CHECK:         %[[P:.*]] = hamkaas.group movement(%[[T]]) {hamkaas.ops = "pack"}
// CHECK-NOT:     hamkaas.ops = "pack"
// CHECK:         hamkaas.scan 16 reversed {{.*}} with(%[[W]], %[[P]])
// FREE-LABEL:  func @before_gradient(
// FREE-COUNT-2:  hamkaas.ops = "pack"
func.func @before_gradient(%w: tensor<256x256xf32>, %h: tensor<16x256xf32>, %x: tensor<16x1xf32>) -> tensor<16x256xf32> {
  %t = hamkaas.group elementwise(%w) : (tensor<256x256xf32>) -> tensor<256x256xf32> {
  ^bb0(%a: tensor<256x256xf32>):
    %e = tensor.empty() : tensor<256x256xf32>
    %0 = linalg.transpose ins(%a : tensor<256x256xf32>) outs(%e : tensor<256x256xf32>) permutation = [1, 0]
    hamkaas.yield %0 : tensor<256x256xf32>
  }
  %0 = hamkaas.scan 16 reversed from(%h) over(%x) with(%w, %t) : (tensor<16x256xf32>, tensor<16x1xf32>, tensor<256x256xf32>, tensor<256x256xf32>) -> (tensor<16x256xf32>) {
  ^bb0(%c: tensor<16x256xf32>, %row: tensor<1xf32>, %m: tensor<256x256xf32>, %n: tensor<256x256xf32>):
    %1 = hamkaas.group contraction(%c, %m) : (tensor<16x256xf32>, tensor<256x256xf32>) -> tensor<16x256xf32> {
    ^bb1(%a: tensor<16x256xf32>, %b: tensor<256x256xf32>):
      %e = tensor.empty() : tensor<16x256xf32>
      %3 = linalg.generic {indexing_maps = [#lhs, #rhs, #result], iterator_types = ["parallel", "parallel", "reduction"]}
          ins(%a, %b : tensor<16x256xf32>, tensor<256x256xf32>) outs(%e : tensor<16x256xf32>) {
      ^bb2(%p: f32, %q: f32, %s: f32):
        %4 = arith.mulf %p, %q : f32
        %5 = arith.addf %s, %4 : f32
        linalg.yield %5 : f32
      } -> tensor<16x256xf32>
      hamkaas.yield %3 : tensor<16x256xf32>
    }
    %2 = hamkaas.group contraction(%1, %n) : (tensor<16x256xf32>, tensor<256x256xf32>) -> tensor<16x256xf32> {
    ^bb1(%a: tensor<16x256xf32>, %b: tensor<256x256xf32>):
      %e = tensor.empty() : tensor<16x256xf32>
      %3 = linalg.generic {indexing_maps = [#lhs, #rhs, #result], iterator_types = ["parallel", "parallel", "reduction"]}
          ins(%a, %b : tensor<16x256xf32>, tensor<256x256xf32>) outs(%e : tensor<16x256xf32>) {
      ^bb2(%p: f32, %q: f32, %s: f32):
        %4 = arith.mulf %p, %q : f32
        %5 = arith.addf %s, %4 : f32
        linalg.yield %5 : f32
      } -> tensor<16x256xf32>
      hamkaas.yield %3 : tensor<16x256xf32>
    }
    hamkaas.yield %2 : tensor<16x256xf32>
  }
  return %0 : tensor<16x256xf32>
}

// CHECK-LABEL: func @before_loop(
// CHECK-COUNT-2: hamkaas.ops = "pack"
func.func @before_loop(%w: tensor<256x256xf32>, %h: tensor<16x256xf32>, %x: tensor<16x1xf32>) -> tensor<16x256xf32> {
  %t = hamkaas.group elementwise(%w) : (tensor<256x256xf32>) -> tensor<256x256xf32> {
  ^bb0(%a: tensor<256x256xf32>):
    %e = tensor.empty() : tensor<256x256xf32>
    %0 = linalg.transpose ins(%a : tensor<256x256xf32>) outs(%e : tensor<256x256xf32>) permutation = [1, 0]
    hamkaas.yield %0 : tensor<256x256xf32>
  }
  %0 = hamkaas.scan 16 from(%h) over(%x) with(%w, %t) : (tensor<16x256xf32>, tensor<16x1xf32>, tensor<256x256xf32>, tensor<256x256xf32>) -> (tensor<16x256xf32>) {
  ^bb0(%c: tensor<16x256xf32>, %row: tensor<1xf32>, %m: tensor<256x256xf32>, %n: tensor<256x256xf32>):
    %1 = hamkaas.group contraction(%c, %m) : (tensor<16x256xf32>, tensor<256x256xf32>) -> tensor<16x256xf32> {
    ^bb1(%a: tensor<16x256xf32>, %b: tensor<256x256xf32>):
      %e = tensor.empty() : tensor<16x256xf32>
      %3 = linalg.generic {indexing_maps = [#lhs, #rhs, #result], iterator_types = ["parallel", "parallel", "reduction"]}
          ins(%a, %b : tensor<16x256xf32>, tensor<256x256xf32>) outs(%e : tensor<16x256xf32>) {
      ^bb2(%p: f32, %q: f32, %s: f32):
        %4 = arith.mulf %p, %q : f32
        %5 = arith.addf %s, %4 : f32
        linalg.yield %5 : f32
      } -> tensor<16x256xf32>
      hamkaas.yield %3 : tensor<16x256xf32>
    }
    %2 = hamkaas.group contraction(%1, %n) : (tensor<16x256xf32>, tensor<256x256xf32>) -> tensor<16x256xf32> {
    ^bb1(%a: tensor<16x256xf32>, %b: tensor<256x256xf32>):
      %e = tensor.empty() : tensor<16x256xf32>
      %3 = linalg.generic {indexing_maps = [#lhs, #rhs, #result], iterator_types = ["parallel", "parallel", "reduction"]}
          ins(%a, %b : tensor<16x256xf32>, tensor<256x256xf32>) outs(%e : tensor<16x256xf32>) {
      ^bb2(%p: f32, %q: f32, %s: f32):
        %4 = arith.mulf %p, %q : f32
        %5 = arith.addf %s, %4 : f32
        linalg.yield %5 : f32
      } -> tensor<16x256xf32>
      hamkaas.yield %3 : tensor<16x256xf32>
    }
    hamkaas.yield %2 : tensor<16x256xf32>
  }
  return %0 : tensor<16x256xf32>
}

// Matrices of one product are not packed.

// CHECK-LABEL: func @without_loop(
// CHECK-NOT:     hamkaas.ops = "pack"
// CHECK:         return
// FREE-LABEL:  func @without_loop(
// FREE:          hamkaas.ops = "pack"
func.func @without_loop(%x: tensor<512x768xf32>, %w: tensor<768x768xf32>) -> (tensor<512x768xf32>, tensor<512x768xf32>) {
  %0 = hamkaas.group contraction(%x, %w) : (tensor<512x768xf32>, tensor<768x768xf32>) -> tensor<512x768xf32> {
  ^bb1(%a: tensor<512x768xf32>, %b: tensor<768x768xf32>):
    %e = tensor.empty() : tensor<512x768xf32>
    %3 = linalg.generic {indexing_maps = [#lhs, #rhs, #result], iterator_types = ["parallel", "parallel", "reduction"]}
        ins(%a, %b : tensor<512x768xf32>, tensor<768x768xf32>) outs(%e : tensor<512x768xf32>) {
    ^bb2(%p: f32, %q: f32, %s: f32):
      %4 = arith.mulf %p, %q : f32
      %5 = arith.addf %s, %4 : f32
      linalg.yield %5 : f32
    } -> tensor<512x768xf32>
    hamkaas.yield %3 : tensor<512x768xf32>
  }
  return %0, %0 : tensor<512x768xf32>, tensor<512x768xf32>
}
