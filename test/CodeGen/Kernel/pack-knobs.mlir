// RUN: hamkaas-opt %s -hamkaas-attach-target=target-cpu=x86-64-v3 -hamkaas-cpu-pack-parameters -split-input-file | FileCheck %s

// A right side that is known in a run only is packed if the user asks for it,
// as panels of as many vectors as the user asks for. One of parameters always
// is, and has no such knob.

#lhs = affine_map<(i, j, k) -> (i, k)>
#rhs = affine_map<(i, j, k) -> (k, j)>
#result = affine_map<(i, j, k) -> (i, j)>

// CHECK-LABEL: func @always(
// CHECK:         hamkaas.group movement({{.*}}) {hamkaas.ops = "pack"} : (tensor<8x40xf32>) -> tensor<3x8x16xf32>
// CHECK:         hamkaas.group contraction({{.*}}) {hamkaas.knobs = {packing = "always", vectors = 2 : i64}}
func.func @always(%x: tensor<4x8xf32>, %w: tensor<8x40xf32>) -> tensor<4x40xf32> {
  %0 = hamkaas.group contraction(%x, %w) {hamkaas.knobs = {packing = "always", vectors = 2}} : (tensor<4x8xf32>, tensor<8x40xf32>) -> tensor<4x40xf32> {
  ^bb0(%a: tensor<4x8xf32>, %b: tensor<8x40xf32>):
    %e = tensor.empty() : tensor<4x40xf32>
    %1 = linalg.generic {indexing_maps = [#lhs, #rhs, #result], iterator_types = ["parallel", "parallel", "reduction"]}
        ins(%a, %b : tensor<4x8xf32>, tensor<8x40xf32>) outs(%e : tensor<4x40xf32>) {
    ^bb1(%p: f32, %q: f32, %s: f32):
      %m = arith.mulf %p, %q : f32
      %t = arith.addf %s, %m : f32
      linalg.yield %t : f32
    } -> tensor<4x40xf32>
    hamkaas.yield %1 : tensor<4x40xf32>
  }
  return %0 : tensor<4x40xf32>
}

// -----

#lhs = affine_map<(i, j, k) -> (i, k)>
#rhs = affine_map<(i, j, k) -> (k, j)>
#result = affine_map<(i, j, k) -> (i, j)>

// Rows that would not fit beside the usual panel have narrower ones.

// CHECK-LABEL: func @parameter(
// CHECK:         hamkaas.group movement({{.*}}) {hamkaas.ops = "pack"} : (tensor<8x40xf32>) -> tensor<5x8x8xf32>
// CHECK:         hamkaas.group contraction({{.*}}) {hamkaas.knobs = {rows = 14 : i64}}
ml_program.global private @w(#ml_program.extern<tensor<8x40xf32>>) : tensor<8x40xf32>
func.func @parameter(%x: tensor<20x8xf32>) -> tensor<20x40xf32> {
  %w = ml_program.global_load_const @w : tensor<8x40xf32>
  %0 = hamkaas.group contraction(%x, %w) {hamkaas.knobs = {packing = "never", rows = 14}} : (tensor<20x8xf32>, tensor<8x40xf32>) -> tensor<20x40xf32> {
  ^bb0(%a: tensor<20x8xf32>, %b: tensor<8x40xf32>):
    %e = tensor.empty() : tensor<20x40xf32>
    %1 = linalg.generic {indexing_maps = [#lhs, #rhs, #result], iterator_types = ["parallel", "parallel", "reduction"]}
        ins(%a, %b : tensor<20x8xf32>, tensor<8x40xf32>) outs(%e : tensor<20x40xf32>) {
    ^bb1(%p: f32, %q: f32, %s: f32):
      %m = arith.mulf %p, %q : f32
      %t = arith.addf %s, %m : f32
      linalg.yield %t : f32
    } -> tensor<20x40xf32>
    hamkaas.yield %1 : tensor<20x40xf32>
  }
  return %0 : tensor<20x40xf32>
}

// -----

#lhs = affine_map<(i, j, k) -> (i, k)>
#rhs = affine_map<(i, j, k) -> (k, j)>
#result = affine_map<(i, j, k) -> (i, j)>

// Packing a large matrix pays off, and is not done.

// CHECK-LABEL: func @never(
// CHECK-NOT:     linalg.pack
// CHECK:         hamkaas.group contraction({{.*}}) {hamkaas.knobs = {packing = "never"}}
func.func @never(%x: tensor<1024x1024xf32>, %w: tensor<1024x1024xf32>) -> tensor<1024x1024xf32> {
  %0 = hamkaas.group contraction(%x, %w) {hamkaas.knobs = {packing = "never"}} : (tensor<1024x1024xf32>, tensor<1024x1024xf32>) -> tensor<1024x1024xf32> {
  ^bb0(%a: tensor<1024x1024xf32>, %b: tensor<1024x1024xf32>):
    %e = tensor.empty() : tensor<1024x1024xf32>
    %1 = linalg.generic {indexing_maps = [#lhs, #rhs, #result], iterator_types = ["parallel", "parallel", "reduction"]}
        ins(%a, %b : tensor<1024x1024xf32>, tensor<1024x1024xf32>) outs(%e : tensor<1024x1024xf32>) {
    ^bb1(%p: f32, %q: f32, %s: f32):
      %m = arith.mulf %p, %q : f32
      %t = arith.addf %s, %m : f32
      linalg.yield %t : f32
    } -> tensor<1024x1024xf32>
    hamkaas.yield %1 : tensor<1024x1024xf32>
  }
  return %0 : tensor<1024x1024xf32>
}
