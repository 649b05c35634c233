// RUN: hamkaas-opt %s -hamkaas-attach-target=target-cpu=x86-64-v4 -hamkaas-cpu-pack-parameters -split-input-file | FileCheck %s --check-prefixes=CHECK,WIDE
// RUN: hamkaas-opt %s -hamkaas-attach-target=target-cpu=x86-64-v3 -hamkaas-cpu-pack-parameters -split-input-file | FileCheck %s --check-prefixes=CHECK,NARROW
// RUN: not hamkaas-opt %s -hamkaas-cpu-pack-parameters -split-input-file 2>&1 | FileCheck %s --check-prefix=MISSING
// RUN: hamkaas-opt %s -hamkaas-attach-target=target=cuda -hamkaas-cpu-pack-parameters -split-input-file | FileCheck %s --check-prefix=GPU
// RUN: hamkaas-opt %s -hamkaas-attach-target=target=cuda -hamkaas-cpu-pack-parameters=same-calls=true -split-input-file | FileCheck %s --check-prefix=SAME
// MISSING: error: expected a module with 'hamkaas.target', which hamkaas-attach-target sets

#lhs = affine_map<(i, j, k) -> (i, k)>
#rhs = affine_map<(i, j, k) -> (k, j)>
#result = affine_map<(i, j, k) -> (i, j)>

// A matrix that is a parameter is packed for the contraction, padded with zeros.
// The width is that of the level's registers.

// CHECK-LABEL: func @parameter(
// CHECK-SAME:    %[[X:.*]]: tensor<4x8xf32>
// CHECK:         %[[W:.*]] = ml_program.global_load_const @w
// WIDE:          %[[P:.*]] = hamkaas.group movement(%[[W]]) {hamkaas.ops = "pack"} : (tensor<8x20xf32>) -> tensor<1x8x32xf32>
// NARROW:        %[[P:.*]] = hamkaas.group movement(%[[W]]) {hamkaas.ops = "pack"} : (tensor<8x20xf32>) -> tensor<1x8x24xf32>
// CHECK-NEXT:    ^bb0(%[[M:.*]]: tensor<8x20xf32>):
// CHECK:           %[[ZERO:.*]] = arith.constant 0.000000e+00
// CHECK:           linalg.pack %[[M]] padding_value(%[[ZERO]] : f32) outer_dims_perm = [1, 0] inner_dims_pos = [1]
// CHECK:         hamkaas.group contraction(%[[X]], %[[P]])
// CHECK-NEXT:    ^bb0(%[[A:.*]]: tensor<4x8xf32>, %[[B:.*]]: tensor<1x8x{{24|32}}xf32>):
// CHECK:           %[[U:.*]] = linalg.unpack %[[B]] outer_dims_perm = [1, 0] inner_dims_pos = [1]
// CHECK-NOT:       hamkaas.fresh
// CHECK:           linalg.generic
// CHECK-SAME:        ins(%[[A]], %[[U]]
ml_program.global private @w(#ml_program.extern<tensor<8x20xf32>>) : tensor<8x20xf32>
func.func @parameter(%x: tensor<4x8xf32>) -> tensor<4x20xf32> {
  %w = ml_program.global_load_const @w : tensor<8x20xf32>
  %0 = hamkaas.group contraction(%x, %w) : (tensor<4x8xf32>, tensor<8x20xf32>) -> tensor<4x20xf32> {
  ^bb0(%a: tensor<4x8xf32>, %b: tensor<8x20xf32>):
    %e = tensor.empty() : tensor<4x20xf32>
    %1 = linalg.generic {indexing_maps = [#lhs, #rhs, #result], iterator_types = ["parallel", "parallel", "reduction"]}
        ins(%a, %b : tensor<4x8xf32>, tensor<8x20xf32>) outs(%e : tensor<4x20xf32>) {
    ^bb1(%p: f32, %q: f32, %s: f32):
      %m = arith.mulf %p, %q : f32
      %t = arith.addf %s, %m : f32
      linalg.yield %t : f32
    } -> tensor<4x20xf32>
    hamkaas.yield %1 : tensor<4x20xf32>
  }
  return %0 : tensor<4x20xf32>
}

// -----

#lhs = affine_map<(i, j, k) -> (i, k)>
#rhs = affine_map<(i, j, k) -> (k, j)>
#result = affine_map<(i, j, k) -> (i, j)>

// Two contractions that read it as panels of one width share the packed matrix.

// CHECK-LABEL: func @shared(
// CHECK:         %[[P:.*]] = hamkaas.group movement(
// CHECK-NOT:     hamkaas.group movement(
// CHECK:         hamkaas.group contraction(%{{.*}}, %[[P]])
// CHECK-NOT:     hamkaas.group movement(
// CHECK:         hamkaas.group contraction(%{{.*}}, %[[P]])
ml_program.global private @w(#ml_program.extern<tensor<8x16xf32>>) : tensor<8x16xf32>
func.func @shared(%x: tensor<4x8xf32>, %y: tensor<4x8xf32>) -> (tensor<4x16xf32>, tensor<4x16xf32>) {
  %w = ml_program.global_load_const @w : tensor<8x16xf32>
  %0 = hamkaas.group contraction(%x, %w) : (tensor<4x8xf32>, tensor<8x16xf32>) -> tensor<4x16xf32> {
  ^bb0(%a: tensor<4x8xf32>, %b: tensor<8x16xf32>):
    %e = tensor.empty() : tensor<4x16xf32>
    %2 = linalg.generic {indexing_maps = [#lhs, #rhs, #result], iterator_types = ["parallel", "parallel", "reduction"]}
        ins(%a, %b : tensor<4x8xf32>, tensor<8x16xf32>) outs(%e : tensor<4x16xf32>) {
    ^bb1(%p: f32, %q: f32, %s: f32):
      %m = arith.mulf %p, %q : f32
      %t = arith.addf %s, %m : f32
      linalg.yield %t : f32
    } -> tensor<4x16xf32>
    hamkaas.yield %2 : tensor<4x16xf32>
  }
  %1 = hamkaas.group contraction(%y, %w) : (tensor<4x8xf32>, tensor<8x16xf32>) -> tensor<4x16xf32> {
  ^bb0(%a: tensor<4x8xf32>, %b: tensor<8x16xf32>):
    %e = tensor.empty() : tensor<4x16xf32>
    %2 = linalg.generic {indexing_maps = [#lhs, #rhs, #result], iterator_types = ["parallel", "parallel", "reduction"]}
        ins(%a, %b : tensor<4x8xf32>, tensor<8x16xf32>) outs(%e : tensor<4x16xf32>) {
    ^bb1(%p: f32, %q: f32, %s: f32):
      %m = arith.mulf %p, %q : f32
      %t = arith.addf %s, %m : f32
      linalg.yield %t : f32
    } -> tensor<4x16xf32>
    hamkaas.yield %2 : tensor<4x16xf32>
  }
  return %0, %1 : tensor<4x16xf32>, tensor<4x16xf32>
}

// -----

#lhs = affine_map<(i, j, k) -> (i, k)>
#rhs = affine_map<(i, j, k) -> (k, j)>
#result = affine_map<(i, j, k) -> (i, j)>

// Nothing to do: what is known only at run time is read as it lies.

// CHECK-LABEL: func @input(
// CHECK-NOT:     linalg.pack
// CHECK-NOT:     linalg.unpack
func.func @input(%x: tensor<4x8xf32>, %w: tensor<8x16xf32>) -> tensor<4x16xf32> {
  %0 = hamkaas.group contraction(%x, %w) : (tensor<4x8xf32>, tensor<8x16xf32>) -> tensor<4x16xf32> {
  ^bb0(%a: tensor<4x8xf32>, %b: tensor<8x16xf32>):
    %e = tensor.empty() : tensor<4x16xf32>
    %1 = linalg.generic {indexing_maps = [#lhs, #rhs, #result], iterator_types = ["parallel", "parallel", "reduction"]}
        ins(%a, %b : tensor<4x8xf32>, tensor<8x16xf32>) outs(%e : tensor<4x16xf32>) {
    ^bb1(%p: f32, %q: f32, %s: f32):
      %m = arith.mulf %p, %q : f32
      %t = arith.addf %s, %m : f32
      linalg.yield %t : f32
    } -> tensor<4x16xf32>
    hamkaas.yield %1 : tensor<4x16xf32>
  }
  return %0 : tensor<4x16xf32>
}

// -----

// The weights of a convolution are panels of its channels. Their width is the
// best for rows of 7 pixels, whatever the number of rows.

// CHECK-LABEL: func @weights(
// CHECK:         %[[W:.*]] = ml_program.global_load_const @w
// WIDE:          %[[P:.*]] = hamkaas.group movement(%[[W]]) {hamkaas.ops = "pack"} : (tensor<3x3x8x64xf32>) -> tensor<2x3x3x8x32xf32>
// CHECK:           linalg.pack %{{.*}} outer_dims_perm = [3, 0, 1, 2] inner_dims_pos = [3]
// CHECK:         hamkaas.group contraction(%{{.*}}, %{{.*}})
// CHECK:           linalg.unpack %{{.*}} outer_dims_perm = [3, 0, 1, 2] inner_dims_pos = [3]
ml_program.global private @w(#ml_program.extern<tensor<3x3x8x64xf32>>) : tensor<3x3x8x64xf32>
func.func @weights(%x: tensor<1x20x9x8xf32>) -> tensor<1x18x7x64xf32> {
  %w = ml_program.global_load_const @w : tensor<3x3x8x64xf32>
  %0 = hamkaas.group contraction(%x, %w) : (tensor<1x20x9x8xf32>, tensor<3x3x8x64xf32>) -> tensor<1x18x7x64xf32> {
  ^bb0(%a: tensor<1x20x9x8xf32>, %b: tensor<3x3x8x64xf32>):
    %e = tensor.empty() : tensor<1x18x7x64xf32>
    %1 = linalg.generic {indexing_maps = [affine_map<(n, h, w, o, kh, kw, c) -> (n, h + kh, w + kw, c)>, affine_map<(n, h, w, o, kh, kw, c) -> (kh, kw, c, o)>, affine_map<(n, h, w, o, kh, kw, c) -> (n, h, w, o)>], iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction", "reduction", "reduction"]}
        ins(%a, %b : tensor<1x20x9x8xf32>, tensor<3x3x8x64xf32>) outs(%e : tensor<1x18x7x64xf32>) {
    ^bb1(%p: f32, %q: f32, %s: f32):
      %m = arith.mulf %p, %q : f32
      %t = arith.addf %s, %m : f32
      linalg.yield %t : f32
    } -> tensor<1x18x7x64xf32>
    hamkaas.yield %1 : tensor<1x18x7x64xf32>
  }
  return %0 : tensor<1x18x7x64xf32>
}

// -----

#lhs = affine_map<(i, j, k) -> (i, k)>
#rhs = affine_map<(i, j, k) -> (k, j)>
#result = affine_map<(i, j, k) -> (i, j)>

// A large matrix that many rows are multiplied with is packed in each run: one
// of more than 1 MB, or one for more than 512 rows. A GPU reads it as it lies,
// but for a program whose calls are those of a processor, too.

// SAME-LABEL:  func @large(
// SAME:          "pack"
// SAME-LABEL:  func @many_rows(
// SAME:          "pack"

// GPU-LABEL:   func @large(
// GPU-NOT:       "pack"
// CHECK-LABEL: func @large(
// CHECK-SAME:    %[[X:.*]]: tensor<192x512xf32>, %[[B:.*]]: tensor<512x520xf32>
// CHECK:         %[[P:.*]] = hamkaas.group movement(%[[B]]) {hamkaas.ops = "pack"}
// CHECK:         hamkaas.group contraction(%[[X]], %[[P]])
func.func @large(%x: tensor<192x512xf32>, %w: tensor<512x520xf32>) -> tensor<192x520xf32> {
  %0 = hamkaas.group contraction(%x, %w) : (tensor<192x512xf32>, tensor<512x520xf32>) -> tensor<192x520xf32> {
  ^bb0(%a: tensor<192x512xf32>, %b: tensor<512x520xf32>):
    %e = tensor.empty() : tensor<192x520xf32>
    %1 = linalg.generic {indexing_maps = [#lhs, #rhs, #result], iterator_types = ["parallel", "parallel", "reduction"]}
        ins(%a, %b : tensor<192x512xf32>, tensor<512x520xf32>) outs(%e : tensor<192x520xf32>) {
    ^bb1(%p: f32, %q: f32, %s: f32):
      %m = arith.mulf %p, %q : f32
      %t = arith.addf %s, %m : f32
      linalg.yield %t : f32
    } -> tensor<192x520xf32>
    hamkaas.yield %1 : tensor<192x520xf32>
  }
  return %0 : tensor<192x520xf32>
}

// GPU-LABEL:   func @many_rows(
// GPU-NOT:       "pack"
// CHECK-LABEL: func @many_rows(
// CHECK-SAME:    %[[X:.*]]: tensor<513x256xf32>, %[[B:.*]]: tensor<256x256xf32>
// CHECK:         %[[P:.*]] = hamkaas.group movement(%[[B]]) {hamkaas.ops = "pack"}
// CHECK:         hamkaas.group contraction(%[[X]], %[[P]])
func.func @many_rows(%x: tensor<513x256xf32>, %w: tensor<256x256xf32>) -> tensor<513x256xf32> {
  %0 = hamkaas.group contraction(%x, %w) : (tensor<513x256xf32>, tensor<256x256xf32>) -> tensor<513x256xf32> {
  ^bb0(%a: tensor<513x256xf32>, %b: tensor<256x256xf32>):
    %e = tensor.empty() : tensor<513x256xf32>
    %1 = linalg.generic {indexing_maps = [#lhs, #rhs, #result], iterator_types = ["parallel", "parallel", "reduction"]}
        ins(%a, %b : tensor<513x256xf32>, tensor<256x256xf32>) outs(%e : tensor<513x256xf32>) {
    ^bb1(%p: f32, %q: f32, %s: f32):
      %m = arith.mulf %p, %q : f32
      %t = arith.addf %s, %m : f32
      linalg.yield %t : f32
    } -> tensor<513x256xf32>
    hamkaas.yield %1 : tensor<513x256xf32>
  }
  return %0 : tensor<513x256xf32>
}

// Rows of 262 numbers do not begin where a GPU reads four at once.

// GPU-LABEL:   func @unaligned(
// GPU-SAME:      %{{.*}}: tensor<513x256xf32>, %[[B:.*]]: tensor<256x262xf32>
// GPU:           hamkaas.group movement(%[[B]]) {hamkaas.ops = "pack"}
// CHECK-LABEL: func @unaligned(
// CHECK:         "pack"
func.func @unaligned(%x: tensor<513x256xf32>, %w: tensor<256x262xf32>) -> tensor<513x262xf32> {
  %0 = hamkaas.group contraction(%x, %w) : (tensor<513x256xf32>, tensor<256x262xf32>) -> tensor<513x262xf32> {
  ^bb0(%a: tensor<513x256xf32>, %b: tensor<256x262xf32>):
    %e = tensor.empty() : tensor<513x262xf32>
    %1 = linalg.generic {indexing_maps = [#lhs, #rhs, #result], iterator_types = ["parallel", "parallel", "reduction"]}
        ins(%a, %b : tensor<513x256xf32>, tensor<256x262xf32>) outs(%e : tensor<513x262xf32>) {
    ^bb1(%p: f32, %q: f32, %s: f32):
      %m = arith.mulf %p, %q : f32
      %t = arith.addf %s, %m : f32
      linalg.yield %t : f32
    } -> tensor<513x262xf32>
    hamkaas.yield %1 : tensor<513x262xf32>
  }
  return %0 : tensor<513x262xf32>
}

// Tiles copy others themselves.

// CHECK-LABEL: func @copied(
// CHECK-NOT:     "pack"
// CHECK:         return
func.func @copied(%x: tensor<512x512xf32>, %w: tensor<512x512xf32>) -> tensor<512x512xf32> {
  %0 = hamkaas.group contraction(%x, %w) : (tensor<512x512xf32>, tensor<512x512xf32>) -> tensor<512x512xf32> {
  ^bb0(%a: tensor<512x512xf32>, %b: tensor<512x512xf32>):
    %e = tensor.empty() : tensor<512x512xf32>
    %1 = linalg.generic {indexing_maps = [#lhs, #rhs, #result], iterator_types = ["parallel", "parallel", "reduction"]}
        ins(%a, %b : tensor<512x512xf32>, tensor<512x512xf32>) outs(%e : tensor<512x512xf32>) {
    ^bb1(%p: f32, %q: f32, %s: f32):
      %m = arith.mulf %p, %q : f32
      %t = arith.addf %s, %m : f32
      linalg.yield %t : f32
    } -> tensor<512x512xf32>
    hamkaas.yield %1 : tensor<512x512xf32>
  }
  return %0 : tensor<512x512xf32>
}

// -----

#lhs = affine_map<(i, j, k) -> (i, k)>
#rhs = affine_map<(i, j, k) -> (k, j)>
#result = affine_map<(i, j, k) -> (i, j)>

// A matrix known at run time is packed before a loop whose steps have rows
// enough together.

// CHECK-LABEL: func @before_loop(
// CHECK-SAME:    %[[W:[a-z0-9]+]]: tensor<256x256xf32>
// CHECK:         %[[P:.*]] = hamkaas.group movement(%[[W]]) {hamkaas.ops = "pack"}
// CHECK:         hamkaas.scan 16 {{.*}}%[[P]]
// CHECK:           hamkaas.group contraction
// CHECK:         hamkaas.scan 8
// CHECK-SAME:    %[[W]]
// CHECK-NOT:     hamkaas.ops = "pack"
// CHECK:         return
func.func @before_loop(%w: tensor<256x256xf32>, %h: tensor<16x256xf32>, %x: tensor<16x1xf32>, %y: tensor<8x1xf32>) -> (tensor<16x256xf32>, tensor<16x256xf32>) {
  %0 = hamkaas.scan 16 from(%h) over(%x) with(%w) : (tensor<16x256xf32>, tensor<16x1xf32>, tensor<256x256xf32>) -> (tensor<16x256xf32>) {
  ^bb0(%c: tensor<16x256xf32>, %row: tensor<1xf32>, %m: tensor<256x256xf32>):
    %2 = hamkaas.group contraction(%c, %m) : (tensor<16x256xf32>, tensor<256x256xf32>) -> tensor<16x256xf32> {
    ^bb1(%a: tensor<16x256xf32>, %b: tensor<256x256xf32>):
      %e = tensor.empty() : tensor<16x256xf32>
      %3 = linalg.generic {indexing_maps = [#lhs, #rhs, #result], iterator_types = ["parallel", "parallel", "reduction"]}
          ins(%a, %b : tensor<16x256xf32>, tensor<256x256xf32>) outs(%e : tensor<16x256xf32>) {
      ^bb2(%p: f32, %q: f32, %s: f32):
        %n = arith.mulf %p, %q : f32
        %t = arith.addf %s, %n : f32
        linalg.yield %t : f32
      } -> tensor<16x256xf32>
      hamkaas.yield %3 : tensor<16x256xf32>
    }
    hamkaas.yield %2 : tensor<16x256xf32>
  }
  %1 = hamkaas.scan 8 from(%h) over(%y) with(%w) : (tensor<16x256xf32>, tensor<8x1xf32>, tensor<256x256xf32>) -> (tensor<16x256xf32>) {
  ^bb0(%c: tensor<16x256xf32>, %row: tensor<1xf32>, %m: tensor<256x256xf32>):
    %2 = hamkaas.group contraction(%c, %m) : (tensor<16x256xf32>, tensor<256x256xf32>) -> tensor<16x256xf32> {
    ^bb1(%a: tensor<16x256xf32>, %b: tensor<256x256xf32>):
      %e = tensor.empty() : tensor<16x256xf32>
      %3 = linalg.generic {indexing_maps = [#lhs, #rhs, #result], iterator_types = ["parallel", "parallel", "reduction"]}
          ins(%a, %b : tensor<16x256xf32>, tensor<256x256xf32>) outs(%e : tensor<16x256xf32>) {
      ^bb2(%p: f32, %q: f32, %s: f32):
        %n = arith.mulf %p, %q : f32
        %t = arith.addf %s, %n : f32
        linalg.yield %t : f32
      } -> tensor<16x256xf32>
      hamkaas.yield %3 : tensor<16x256xf32>
    }
    hamkaas.yield %2 : tensor<16x256xf32>
  }
  return %0, %1 : tensor<16x256xf32>, tensor<16x256xf32>
}

// -----

#lhs = affine_map<(i, j, k) -> (i, k)>
#rhs = affine_map<(i, j, k) -> (k, j)>
#result = affine_map<(i, j, k) -> (i, j)>
#transposed = affine_map<(i, j) -> (j, i)>
#same = affine_map<(i, j) -> (i, j)>

// A matrix that is permuted in each run becomes panels on the way, whatever its
// size, if several tiles would transpose it.

// CHECK-LABEL: func @permuted(
// CHECK-SAME:    %[[X:.*]]: tensor<640x64xf32>, %[[W:.*]]: tensor<100x64xf32>
// CHECK-NOT:     hamkaas.group elementwise
// CHECK:         %[[P:.*]] = hamkaas.group movement(%[[W]]) {hamkaas.ops = "pack"}
// CHECK:           linalg.pack %{{.*}} outer_dims_perm = [0, 1] inner_dims_pos = [0]
// CHECK:         hamkaas.group contraction(%[[X]], %[[P]])
// CHECK:           linalg.unpack %{{.*}} outer_dims_perm = [1, 0] inner_dims_pos = [1] {{.*}} {hamkaas.fresh}
// GPU-LABEL:   func @permuted(
// GPU:           hamkaas.group elementwise
// GPU-NOT:       "pack"
// SAME-LABEL:  func @permuted(
// SAME:          hamkaas.group elementwise
// SAME-NOT:      "pack"
// GPU-LABEL:   func @permuted_twice(
// SAME-LABEL:  func @permuted_twice(
func.func @permuted(%x: tensor<640x64xf32>, %w: tensor<100x64xf32>) -> tensor<640x100xf32> {
  %t = hamkaas.group elementwise(%w) : (tensor<100x64xf32>) -> tensor<64x100xf32> {
  ^bb0(%a: tensor<100x64xf32>):
    %e = tensor.empty() : tensor<64x100xf32>
    %2 = linalg.generic {indexing_maps = [#transposed, #same], iterator_types = ["parallel", "parallel"]}
        ins(%a : tensor<100x64xf32>) outs(%e : tensor<64x100xf32>) {
    ^bb1(%p: f32, %s: f32):
      linalg.yield %p : f32
    } -> tensor<64x100xf32>
    hamkaas.yield %2 : tensor<64x100xf32>
  }
  %0 = hamkaas.group contraction(%x, %t) : (tensor<640x64xf32>, tensor<64x100xf32>) -> tensor<640x100xf32> {
  ^bb0(%a: tensor<640x64xf32>, %b: tensor<64x100xf32>):
    %e = tensor.empty() : tensor<640x100xf32>
    %2 = linalg.generic {indexing_maps = [#lhs, #rhs, #result], iterator_types = ["parallel", "parallel", "reduction"]}
        ins(%a, %b : tensor<640x64xf32>, tensor<64x100xf32>) outs(%e : tensor<640x100xf32>) {
    ^bb1(%p: f32, %q: f32, %s: f32):
      %m = arith.mulf %p, %q : f32
      %r = arith.addf %s, %m : f32
      linalg.yield %r : f32
    } -> tensor<640x100xf32>
    hamkaas.yield %2 : tensor<640x100xf32>
  }
  return %0 : tensor<640x100xf32>
}

// Two readers could want panels of different widths.

// CHECK-LABEL: func @permuted_twice(
// CHECK:         hamkaas.group elementwise
// CHECK-NOT:     "pack"
// CHECK:         return
func.func @permuted_twice(%x: tensor<640x64xf32>, %y: tensor<640x64xf32>, %w: tensor<100x64xf32>) -> (tensor<640x100xf32>, tensor<640x100xf32>) {
  %t = hamkaas.group elementwise(%w) : (tensor<100x64xf32>) -> tensor<64x100xf32> {
  ^bb0(%a: tensor<100x64xf32>):
    %e = tensor.empty() : tensor<64x100xf32>
    %2 = linalg.generic {indexing_maps = [#transposed, #same], iterator_types = ["parallel", "parallel"]}
        ins(%a : tensor<100x64xf32>) outs(%e : tensor<64x100xf32>) {
    ^bb1(%p: f32, %s: f32):
      linalg.yield %p : f32
    } -> tensor<64x100xf32>
    hamkaas.yield %2 : tensor<64x100xf32>
  }
  %0 = hamkaas.group contraction(%x, %t) : (tensor<640x64xf32>, tensor<64x100xf32>) -> tensor<640x100xf32> {
  ^bb0(%a: tensor<640x64xf32>, %b: tensor<64x100xf32>):
    %e = tensor.empty() : tensor<640x100xf32>
    %2 = linalg.generic {indexing_maps = [#lhs, #rhs, #result], iterator_types = ["parallel", "parallel", "reduction"]}
        ins(%a, %b : tensor<640x64xf32>, tensor<64x100xf32>) outs(%e : tensor<640x100xf32>) {
    ^bb1(%p: f32, %q: f32, %s: f32):
      %m = arith.mulf %p, %q : f32
      %r = arith.addf %s, %m : f32
      linalg.yield %r : f32
    } -> tensor<640x100xf32>
    hamkaas.yield %2 : tensor<640x100xf32>
  }
  %1 = hamkaas.group contraction(%y, %t) : (tensor<640x64xf32>, tensor<64x100xf32>) -> tensor<640x100xf32> {
  ^bb0(%a: tensor<640x64xf32>, %b: tensor<64x100xf32>):
    %e = tensor.empty() : tensor<640x100xf32>
    %2 = linalg.generic {indexing_maps = [#lhs, #rhs, #result], iterator_types = ["parallel", "parallel", "reduction"]}
        ins(%a, %b : tensor<640x64xf32>, tensor<64x100xf32>) outs(%e : tensor<640x100xf32>) {
    ^bb1(%p: f32, %q: f32, %s: f32):
      %m = arith.mulf %p, %q : f32
      %r = arith.addf %s, %m : f32
      linalg.yield %r : f32
    } -> tensor<640x100xf32>
    hamkaas.yield %2 : tensor<640x100xf32>
  }
  return %0, %1 : tensor<640x100xf32>, tensor<640x100xf32>
}

// -----

#lhs = affine_map<(b, i, j, k) -> (b, i, k)>
#rhs = affine_map<(b, i, j, k) -> (b, k, j)>
#result = affine_map<(b, i, j, k) -> (b, i, j)>
#transposed = affine_map<(b, i, j) -> (b, j, i)>
#same = affine_map<(b, i, j) -> (b, i, j)>

// So many matrices are tiles enough with all rows each: each tile transposes
// what it reads, which has no panels in memory.

// CHECK-DAG:   #[[RIGHT:.*]] = affine_map<(d0, d1, d2, d3) -> (d0, d2, d3)>
// CHECK-LABEL: func @transposed_by_tiles(
// CHECK-SAME:    %[[X:.*]]: tensor<20x40x64xf32>, %[[W:.*]]: tensor<20x100x64xf32>
// CHECK-NEXT:    hamkaas.group contraction(%[[X]], %[[W]]) {hamkaas.ops = "permute+matmul"}
// CHECK-NEXT:    ^bb0(%[[A:.*]]: tensor<20x40x64xf32>, %[[B:.*]]: tensor<20x100x64xf32>):
// CHECK:           linalg.generic {indexing_maps = [#{{.*}}, #[[RIGHT]], #{{.*}}]
// CHECK-SAME:        ins(%[[A]], %[[B]]
func.func @transposed_by_tiles(%x: tensor<20x40x64xf32>, %w: tensor<20x100x64xf32>) -> tensor<20x40x100xf32> {
  %t = hamkaas.group elementwise(%w) : (tensor<20x100x64xf32>) -> tensor<20x64x100xf32> {
  ^bb0(%a: tensor<20x100x64xf32>):
    %e = tensor.empty() : tensor<20x64x100xf32>
    %2 = linalg.generic {indexing_maps = [#transposed, #same], iterator_types = ["parallel", "parallel", "parallel"]}
        ins(%a : tensor<20x100x64xf32>) outs(%e : tensor<20x64x100xf32>) {
    ^bb1(%p: f32, %s: f32):
      linalg.yield %p : f32
    } -> tensor<20x64x100xf32>
    hamkaas.yield %2 : tensor<20x64x100xf32>
  }
  %0 = hamkaas.group contraction(%x, %t) {hamkaas.ops = "matmul"} : (tensor<20x40x64xf32>, tensor<20x64x100xf32>) -> tensor<20x40x100xf32> {
  ^bb0(%a: tensor<20x40x64xf32>, %b: tensor<20x64x100xf32>):
    %e = tensor.empty() : tensor<20x40x100xf32>
    %2 = linalg.generic {indexing_maps = [#lhs, #rhs, #result], iterator_types = ["parallel", "parallel", "parallel", "reduction"]}
        ins(%a, %b : tensor<20x40x64xf32>, tensor<20x64x100xf32>) outs(%e : tensor<20x40x100xf32>) {
    ^bb1(%p: f32, %q: f32, %s: f32):
      %m = arith.mulf %p, %q : f32
      %r = arith.addf %s, %m : f32
      linalg.yield %r : f32
    } -> tensor<20x40x100xf32>
    hamkaas.yield %2 : tensor<20x40x100xf32>
  }
  return %0 : tensor<20x40x100xf32>
}

// -----

#lhs = affine_map<(i, j, k) -> (i, k)>
#rhs = affine_map<(i, j, k) -> (k, j)>
#result = affine_map<(i, j, k) -> (i, j)>
#transposed = affine_map<(i, j) -> (j, i)>
#same = affine_map<(i, j) -> (i, j)>

// Few long rows are multiplied with rows: neither side moves.

// CHECK-DAG:   #[[RIGHT:.*]] = affine_map<(d0, d1, d2) -> (d1, d2)>
// CHECK-LABEL: func @rows(
// CHECK-SAME:    %[[X:.*]]: tensor<32x256xf32>, %[[W:.*]]: tensor<400x256xf32>
// CHECK-NEXT:    hamkaas.group contraction(%[[X]], %[[W]]) {hamkaas.ops = "permute+matmul"}
// CHECK:           linalg.generic {indexing_maps = [#{{.*}}, #[[RIGHT]], #{{.*}}]
func.func @rows(%x: tensor<32x256xf32>, %w: tensor<400x256xf32>) -> tensor<32x400xf32> {
  %t = hamkaas.group elementwise(%w) : (tensor<400x256xf32>) -> tensor<256x400xf32> {
  ^bb0(%a: tensor<400x256xf32>):
    %e = tensor.empty() : tensor<256x400xf32>
    %2 = linalg.generic {indexing_maps = [#transposed, #same], iterator_types = ["parallel", "parallel"]}
        ins(%a : tensor<400x256xf32>) outs(%e : tensor<256x400xf32>) {
    ^bb1(%p: f32, %s: f32):
      linalg.yield %p : f32
    } -> tensor<256x400xf32>
    hamkaas.yield %2 : tensor<256x400xf32>
  }
  %0 = hamkaas.group contraction(%x, %t) {hamkaas.ops = "matmul"} : (tensor<32x256xf32>, tensor<256x400xf32>) -> tensor<32x400xf32> {
  ^bb0(%a: tensor<32x256xf32>, %b: tensor<256x400xf32>):
    %e = tensor.empty() : tensor<32x400xf32>
    %2 = linalg.generic {indexing_maps = [#lhs, #rhs, #result], iterator_types = ["parallel", "parallel", "reduction"]}
        ins(%a, %b : tensor<32x256xf32>, tensor<256x400xf32>) outs(%e : tensor<32x400xf32>) {
    ^bb1(%p: f32, %q: f32, %s: f32):
      %m = arith.mulf %p, %q : f32
      %r = arith.addf %s, %m : f32
      linalg.yield %r : f32
    } -> tensor<32x400xf32>
    hamkaas.yield %2 : tensor<32x400xf32>
  }
  return %0 : tensor<32x400xf32>
}

// -----

#lhs = affine_map<(i, j, k) -> (i, k)>
#rhs = affine_map<(i, j, k) -> (k, j)>
#result = affine_map<(i, j, k) -> (i, j)>
#transposed = affine_map<(i, j) -> (j, i)>
#same = affine_map<(i, j) -> (i, j)>

// With 32 registers, a transposed left side is read as it lies.

// WIDE-DAG:    #[[LEFT:.*]] = affine_map<(d0, d1, d2) -> (d2, d0)>
// WIDE-LABEL:  func @left(
// WIDE-SAME:     %[[X:.*]]: tensor<64x40xf32>, %[[W:.*]]: tensor<64x96xf32>
// WIDE-NEXT:     hamkaas.group contraction(%[[X]], %[[W]]) {hamkaas.ops = "permute+matmul"}
// WIDE:            linalg.generic {indexing_maps = [#[[LEFT]],
// NARROW-LABEL: func @left(
// NARROW:        hamkaas.group elementwise
// GPU-LABEL:   func @left(
// GPU:           hamkaas.group elementwise
// SAME-LABEL:  func @left(
// SAME:          hamkaas.group elementwise
func.func @left(%x: tensor<64x40xf32>, %w: tensor<64x96xf32>) -> tensor<40x96xf32> {
  %t = hamkaas.group elementwise(%x) : (tensor<64x40xf32>) -> tensor<40x64xf32> {
  ^bb0(%a: tensor<64x40xf32>):
    %e = tensor.empty() : tensor<40x64xf32>
    %2 = linalg.generic {indexing_maps = [#transposed, #same], iterator_types = ["parallel", "parallel"]}
        ins(%a : tensor<64x40xf32>) outs(%e : tensor<40x64xf32>) {
    ^bb1(%p: f32, %s: f32):
      linalg.yield %p : f32
    } -> tensor<40x64xf32>
    hamkaas.yield %2 : tensor<40x64xf32>
  }
  %0 = hamkaas.group contraction(%t, %w) {hamkaas.ops = "matmul"} : (tensor<40x64xf32>, tensor<64x96xf32>) -> tensor<40x96xf32> {
  ^bb0(%a: tensor<40x64xf32>, %b: tensor<64x96xf32>):
    %e = tensor.empty() : tensor<40x96xf32>
    %2 = linalg.generic {indexing_maps = [#lhs, #rhs, #result], iterator_types = ["parallel", "parallel", "reduction"]}
        ins(%a, %b : tensor<40x64xf32>, tensor<64x96xf32>) outs(%e : tensor<40x96xf32>) {
    ^bb1(%p: f32, %q: f32, %s: f32):
      %m = arith.mulf %p, %q : f32
      %r = arith.addf %s, %m : f32
      linalg.yield %r : f32
    } -> tensor<40x96xf32>
    hamkaas.yield %2 : tensor<40x96xf32>
  }
  return %0 : tensor<40x96xf32>
}

// -----

// Groups whose columns fill panels begin with one.

// CHECK-LABEL: func @groups(
// WIDE:          hamkaas.group movement({{.*}}) {hamkaas.ops = "pack"} : (tensor<3x5x96xf32>) -> tensor<2x3x5x48xf32>
// NARROW:        hamkaas.group movement({{.*}}) {hamkaas.ops = "pack"} : (tensor<3x5x96xf32>) -> tensor<4x3x5x24xf32>
// CHECK:           linalg.unpack %{{.*}} outer_dims_perm = [2, 0, 1] inner_dims_pos = [2]
// GPU-LABEL: func @groups(
// GPU-NOT:      hamkaas.group movement
// GPU:          return
ml_program.global private @w(#ml_program.extern<tensor<3x5x96xf32>>) : tensor<3x5x96xf32>
func.func @groups(%x: tensor<9x10xf32>) -> tensor<7x96xf32> {
  %w = ml_program.global_load_const @w : tensor<3x5x96xf32>
  %0 = hamkaas.group contraction(%x, %w) : (tensor<9x10xf32>, tensor<3x5x96xf32>) -> tensor<7x96xf32> {
  ^bb0(%a: tensor<9x10xf32>, %b: tensor<3x5x96xf32>):
    %s = tensor.empty() : tensor<2x48xf32>
    %e = tensor.empty() : tensor<7x96xf32>
    %1 = linalg.generic {indexing_maps = [affine_map<(w, g, o, k, i) -> (w + k, g * 5 + i)>, affine_map<(w, g, o, k, i) -> (k, i, g * 48 + o)>, affine_map<(w, g, o, k, i) -> (g, o)>, affine_map<(w, g, o, k, i) -> (w, g * 48 + o)>], iterator_types = ["parallel", "parallel", "parallel", "reduction", "reduction"]}
        ins(%a, %b, %s : tensor<9x10xf32>, tensor<3x5x96xf32>, tensor<2x48xf32>) outs(%e : tensor<7x96xf32>) {
    ^bb1(%p: f32, %q: f32, %r: f32, %t: f32):
      %m = arith.mulf %p, %q : f32
      %n = arith.addf %t, %m : f32
      linalg.yield %n : f32
    } -> tensor<7x96xf32>
    hamkaas.yield %1 : tensor<7x96xf32>
  }
  return %0 : tensor<7x96xf32>
}

// -----

// Others have panels that divide the columns of a group.

// CHECK-LABEL: func @other_groups(
// WIDE:          hamkaas.group movement({{.*}}) {hamkaas.ops = "pack"} : (tensor<3x5x128xf32>) -> tensor<4x3x5x32xf32>
// NARROW:        hamkaas.group movement({{.*}}) {hamkaas.ops = "pack"} : (tensor<3x5x128xf32>) -> tensor<8x3x5x16xf32>
// GPU-LABEL: func @other_groups(
// GPU-NOT:      hamkaas.group movement
// GPU:          return
ml_program.global private @w(#ml_program.extern<tensor<3x5x128xf32>>) : tensor<3x5x128xf32>
func.func @other_groups(%x: tensor<9x10xf32>) -> tensor<7x128xf32> {
  %w = ml_program.global_load_const @w : tensor<3x5x128xf32>
  %0 = hamkaas.group contraction(%x, %w) : (tensor<9x10xf32>, tensor<3x5x128xf32>) -> tensor<7x128xf32> {
  ^bb0(%a: tensor<9x10xf32>, %b: tensor<3x5x128xf32>):
    %s = tensor.empty() : tensor<2x64xf32>
    %e = tensor.empty() : tensor<7x128xf32>
    %1 = linalg.generic {indexing_maps = [affine_map<(w, g, o, k, i) -> (w + k, g * 5 + i)>, affine_map<(w, g, o, k, i) -> (k, i, g * 64 + o)>, affine_map<(w, g, o, k, i) -> (g, o)>, affine_map<(w, g, o, k, i) -> (w, g * 64 + o)>], iterator_types = ["parallel", "parallel", "parallel", "reduction", "reduction"]}
        ins(%a, %b, %s : tensor<9x10xf32>, tensor<3x5x128xf32>, tensor<2x64xf32>) outs(%e : tensor<7x128xf32>) {
    ^bb1(%p: f32, %q: f32, %r: f32, %t: f32):
      %m = arith.mulf %p, %q : f32
      %n = arith.addf %t, %m : f32
      linalg.yield %n : f32
    } -> tensor<7x128xf32>
    hamkaas.yield %1 : tensor<7x128xf32>
  }
  return %0 : tensor<7x128xf32>
}

// -----

// Vectors of several groups read weights that are not packed.

// CHECK-LABEL: func @small_groups(
// CHECK-NOT:     hamkaas.group movement
// CHECK:         return
// GPU-LABEL: func @small_groups(
// GPU-NOT:      hamkaas.group movement
// GPU:          return
ml_program.global private @w(#ml_program.extern<tensor<3x4x16xf32>>) : tensor<3x4x16xf32>
func.func @small_groups(%x: tensor<9x16xf32>) -> tensor<7x16xf32> {
  %w = ml_program.global_load_const @w : tensor<3x4x16xf32>
  %0 = hamkaas.group contraction(%x, %w) : (tensor<9x16xf32>, tensor<3x4x16xf32>) -> tensor<7x16xf32> {
  ^bb0(%a: tensor<9x16xf32>, %b: tensor<3x4x16xf32>):
    %s = tensor.empty() : tensor<4x4xf32>
    %e = tensor.empty() : tensor<7x16xf32>
    %1 = linalg.generic {indexing_maps = [affine_map<(w, g, o, k, i) -> (w + k, g * 4 + i)>, affine_map<(w, g, o, k, i) -> (k, i, g * 4 + o)>, affine_map<(w, g, o, k, i) -> (g, o)>, affine_map<(w, g, o, k, i) -> (w, g * 4 + o)>], iterator_types = ["parallel", "parallel", "parallel", "reduction", "reduction"]}
        ins(%a, %b, %s : tensor<9x16xf32>, tensor<3x4x16xf32>, tensor<4x4xf32>) outs(%e : tensor<7x16xf32>) {
    ^bb1(%p: f32, %q: f32, %r: f32, %t: f32):
      %m = arith.mulf %p, %q : f32
      %n = arith.addf %t, %m : f32
      linalg.yield %n : f32
    } -> tensor<7x16xf32>
    hamkaas.yield %1 : tensor<7x16xf32>
  }
  return %0 : tensor<7x16xf32>
}

// -----

#lhs = affine_map<(i, j, k) -> (i, k)>
#rhs = affine_map<(i, j, k) -> (k, j)>
#result = affine_map<(i, j, k) -> (i, j)>
#transposed = affine_map<(i, j) -> (j, i)>
#same = affine_map<(i, j) -> (i, j)>

// Before a loop, a matrix is packed from its rows once, not in each step.

// CHECK-LABEL: func @permuted_before_loop(
// CHECK-SAME:    %[[W:[a-z0-9]+]]: tensor<1600x1600xf32>
// CHECK-NOT:     hamkaas.group elementwise
// CHECK:         %[[P:.*]] = hamkaas.group movement(%[[W]]) {hamkaas.ops = "pack"}
// CHECK:         hamkaas.scan 4 {{.*}}%[[P]]
// CHECK:           linalg.unpack
// CHECK-NOT:       hamkaas.fresh
func.func @permuted_before_loop(%w: tensor<1600x1600xf32>, %h: tensor<16x1600xf32>, %x: tensor<4x1xf32>) -> tensor<16x1600xf32> {
  %t = hamkaas.group elementwise(%w) : (tensor<1600x1600xf32>) -> tensor<1600x1600xf32> {
  ^bb0(%a: tensor<1600x1600xf32>):
    %e = tensor.empty() : tensor<1600x1600xf32>
    %2 = linalg.generic {indexing_maps = [#transposed, #same], iterator_types = ["parallel", "parallel"]}
        ins(%a : tensor<1600x1600xf32>) outs(%e : tensor<1600x1600xf32>) {
    ^bb1(%p: f32, %s: f32):
      linalg.yield %p : f32
    } -> tensor<1600x1600xf32>
    hamkaas.yield %2 : tensor<1600x1600xf32>
  }
  %0 = hamkaas.scan 4 from(%h) over(%x) with(%t) : (tensor<16x1600xf32>, tensor<4x1xf32>, tensor<1600x1600xf32>) -> (tensor<16x1600xf32>) {
  ^bb0(%c: tensor<16x1600xf32>, %row: tensor<1xf32>, %m: tensor<1600x1600xf32>):
    %2 = hamkaas.group contraction(%c, %m) : (tensor<16x1600xf32>, tensor<1600x1600xf32>) -> tensor<16x1600xf32> {
    ^bb1(%a: tensor<16x1600xf32>, %b: tensor<1600x1600xf32>):
      %e = tensor.empty() : tensor<16x1600xf32>
      %3 = linalg.generic {indexing_maps = [#lhs, #rhs, #result], iterator_types = ["parallel", "parallel", "reduction"]}
          ins(%a, %b : tensor<16x1600xf32>, tensor<1600x1600xf32>) outs(%e : tensor<16x1600xf32>) {
      ^bb2(%p: f32, %q: f32, %s: f32):
        %n = arith.mulf %p, %q : f32
        %r = arith.addf %s, %n : f32
        linalg.yield %r : f32
      } -> tensor<16x1600xf32>
      hamkaas.yield %3 : tensor<16x1600xf32>
    }
    hamkaas.yield %2 : tensor<16x1600xf32>
  }
  return %0 : tensor<16x1600xf32>
}

// The permute stays for another reader in the loop.

// CHECK-LABEL: func @permuted_for_two(
// CHECK:         %[[T:.*]] = hamkaas.group elementwise
// CHECK:         hamkaas.scan 4 {{.*}} with(%[[T]], %
func.func @permuted_for_two(%w: tensor<1600x1600xf32>, %h: tensor<16x1600xf32>, %x: tensor<4x1xf32>) -> tensor<16x1600xf32> {
  %t = hamkaas.group elementwise(%w) : (tensor<1600x1600xf32>) -> tensor<1600x1600xf32> {
  ^bb0(%a: tensor<1600x1600xf32>):
    %e = tensor.empty() : tensor<1600x1600xf32>
    %2 = linalg.generic {indexing_maps = [#transposed, #same], iterator_types = ["parallel", "parallel"]}
        ins(%a : tensor<1600x1600xf32>) outs(%e : tensor<1600x1600xf32>) {
    ^bb1(%p: f32, %s: f32):
      linalg.yield %p : f32
    } -> tensor<1600x1600xf32>
    hamkaas.yield %2 : tensor<1600x1600xf32>
  }
  %0 = hamkaas.scan 4 from(%h) over(%x) with(%t) : (tensor<16x1600xf32>, tensor<4x1xf32>, tensor<1600x1600xf32>) -> (tensor<16x1600xf32>) {
  ^bb0(%c: tensor<16x1600xf32>, %row: tensor<1xf32>, %m: tensor<1600x1600xf32>):
    %2 = hamkaas.group contraction(%c, %m) : (tensor<16x1600xf32>, tensor<1600x1600xf32>) -> tensor<16x1600xf32> {
    ^bb1(%a: tensor<16x1600xf32>, %b: tensor<1600x1600xf32>):
      %e = tensor.empty() : tensor<16x1600xf32>
      %3 = linalg.generic {indexing_maps = [#lhs, #rhs, #result], iterator_types = ["parallel", "parallel", "reduction"]}
          ins(%a, %b : tensor<16x1600xf32>, tensor<1600x1600xf32>) outs(%e : tensor<16x1600xf32>) {
      ^bb2(%p: f32, %q: f32, %s: f32):
        %n = arith.mulf %p, %q : f32
        %r = arith.addf %s, %n : f32
        linalg.yield %r : f32
      } -> tensor<16x1600xf32>
      hamkaas.yield %3 : tensor<16x1600xf32>
    }
    %4 = hamkaas.group elementwise(%2, %m) : (tensor<16x1600xf32>, tensor<1600x1600xf32>) -> tensor<16x1600xf32> {
    ^bb1(%a: tensor<16x1600xf32>, %b: tensor<1600x1600xf32>):
      %e = tensor.empty() : tensor<16x1600xf32>
      %5 = linalg.generic {indexing_maps = [#same, #same, #same], iterator_types = ["parallel", "parallel"]}
          ins(%a, %a : tensor<16x1600xf32>, tensor<16x1600xf32>) outs(%e : tensor<16x1600xf32>) {
      ^bb2(%p: f32, %q: f32, %s: f32):
        %n = arith.addf %p, %q : f32
        linalg.yield %n : f32
      } -> tensor<16x1600xf32>
      hamkaas.yield %5 : tensor<16x1600xf32>
    }
    hamkaas.yield %4 : tensor<16x1600xf32>
  }
  return %0 : tensor<16x1600xf32>
}
