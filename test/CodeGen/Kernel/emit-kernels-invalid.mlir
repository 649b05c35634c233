// RUN: hamkaas-opt %s -hamkaas-attach-target=target-cpu=x86-64-v4 -hamkaas-cpu-emit-kernels -split-input-file -verify-diagnostics

// expected-error @below {{expected a kernel of one block}}
func.func @blocks(%x: tensor<4xf32>) -> tensor<4xf32> attributes {hamkaas.kernel = #hamkaas.kernel<elementwise>} {
  cf.br ^bb1
^bb1:
  return %x : tensor<4xf32>
}

// -----

// expected-error @below {{expected a kernel with one result and a last argument of the same type}}
func.func @destination(%x: tensor<4xf32>, %out: tensor<5xf32>) -> tensor<4xf32> attributes {hamkaas.kernel = #hamkaas.kernel<elementwise>} {
  return %x : tensor<4xf32>
}

// -----

// expected-error @below {{expected tensors of static shape, got 'tensor<?xf32>'}}
func.func @dynamic(%x: tensor<?xf32>, %out: tensor<4xf32>) -> tensor<4xf32> attributes {hamkaas.kernel = #hamkaas.kernel<elementwise>} {
  return %out : tensor<4xf32>
}

// -----

// expected-error @below {{expected a kernel of a family that runs}}
func.func @view(%x: tensor<4xf32>, %out: tensor<4xf32>) -> tensor<4xf32> attributes {hamkaas.kernel = #hamkaas.kernel<view>} {
  return %x : tensor<4xf32>
}

// -----

// expected-error @below {{expected a contraction in the kernel}}
func.func @no_contraction(%x: tensor<4xf32>, %out: tensor<4xf32>) -> tensor<4xf32> attributes {hamkaas.kernel = #hamkaas.kernel<contraction>} {
  return %x : tensor<4xf32>
}

// -----

// expected-error @below {{expected a reduction in the kernel}}
func.func @no_reduction(%x: tensor<4xf32>, %out: tensor<4xf32>) -> tensor<4xf32> attributes {hamkaas.kernel = #hamkaas.kernel<row>} {
  return %x : tensor<4xf32>
}

// -----

func.func @no_sum_of_products(%x: tensor<4x8xf32>, %out: tensor<4xf32>) -> tensor<4xf32> attributes {hamkaas.kernel = #hamkaas.kernel<contraction>} {
  %zero = arith.constant dense<0.0> : tensor<4xf32>
  // expected-error @below {{expected a sum of products of float32 or i32}}
  %0 = linalg.generic {indexing_maps = [affine_map<(i, k) -> (i, k)>, affine_map<(i, k) -> (i)>], iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<4x8xf32>) outs(%zero : tensor<4xf32>) {
  ^bb0(%a: f32, %s: f32):
    %t = arith.addf %s, %a : f32
    linalg.yield %t : f32
  } -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

func.func @other_destination(%x: tensor<1xf32>, %y: tensor<4xf32>, %out: tensor<4xf32>) -> tensor<4xf32> attributes {hamkaas.kernel = #hamkaas.kernel<movement>} {
  // expected-error @below {{expected insertions into the last argument of the kernel or into an empty tensor}}
  %0 = tensor.insert_slice %x into %y[0] [1] [1] : tensor<1xf32> into tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

func.func @strided_rows(%x: tensor<2xf32>, %out: tensor<4xf32>) -> tensor<4xf32> attributes {hamkaas.kernel = #hamkaas.kernel<movement>} {
  // expected-error @below {{expected a source of the destination's rank and strides of 1}}
  %0 = tensor.insert_slice %x into %out[0] [2] [2] : tensor<2xf32> into tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

func.func @two_tiles(%x: tensor<4x6xf32>, %out: tensor<2x2x2x3xf32>) -> tensor<2x2x2x3xf32> attributes {hamkaas.kernel = #hamkaas.kernel<movement>} {
  // expected-error @below {{expected a tile of one dimension, or a second one of 2 or 4 elements, got [2, 3]}}
  %0 = linalg.pack %x inner_dims_pos = [0, 1] inner_tiles = [2, 3] into %out : tensor<4x6xf32> -> tensor<2x2x2x3xf32>
  return %0 : tensor<2x2x2x3xf32>
}

// -----

func.func @wide_integers(%a: tensor<4x8xi32>, %b: tensor<8x4xi32>, %out: tensor<4x4xi32>) -> tensor<4x4xi32> attributes {hamkaas.kernel = #hamkaas.kernel<contraction>} {
  %zero = arith.constant dense<0> : tensor<4x4xi32>
  // expected-error @below {{expected operands that are integers of 8 or of 16 bits, each as a 32-bit one}}
  %0 = linalg.generic {indexing_maps = [affine_map<(i, j, k) -> (i, k)>, affine_map<(i, j, k) -> (k, j)>, affine_map<(i, j, k) -> (i, j)>], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%a, %b : tensor<4x8xi32>, tensor<8x4xi32>) outs(%zero : tensor<4x4xi32>) {
  ^bb0(%l: i32, %r: i32, %s: i32):
    %p = arith.muli %l, %r : i32
    %q = arith.addi %s, %p : i32
    linalg.yield %q : i32
  } -> tensor<4x4xi32>
  return %0 : tensor<4x4xi32>
}

// -----

func.func @other_operation(%x: tensor<4xf32>, %out: tensor<4xf32>) -> tensor<4xf32> attributes {hamkaas.kernel = #hamkaas.kernel<elementwise>} {
  // expected-error @below {{expected an operation of linalg in a kernel}}
  %0 = tensor.insert_slice %x into %out[0] [4] [1] : tensor<4xf32> into tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

func.func @remainder(%x: tensor<4xf32>, %out: tensor<8xf32>) -> tensor<8xf32> attributes {hamkaas.kernel = #hamkaas.kernel<elementwise>} {
  %e = tensor.empty() : tensor<8xf32>
  // expected-error @below {{expected operand 0 to be indexed by sums of multiples of loops, got affine_map<(d0) -> (d0 mod 4)>}}
  %0 = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0 mod 4)>, affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]}
      ins(%x : tensor<4xf32>) outs(%e : tensor<8xf32>) {
  ^bb0(%a: f32, %o: f32):
    linalg.yield %a : f32
  } -> tensor<8xf32>
  return %0 : tensor<8xf32>
}

// -----

func.func @extract_from_destination(%x: tensor<4xi64>, %out: tensor<4xf32>) -> tensor<4xf32> attributes {hamkaas.kernel = #hamkaas.kernel<elementwise>} {
  %e = tensor.empty() : tensor<4xf32>
  %0 = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]}
      ins(%x : tensor<4xi64>) outs(%e : tensor<4xf32>) {
  ^bb0(%a: i64, %o: f32):
    %i = arith.index_cast %a : i64 to index
    // expected-error @below {{expected to read an input of the kernel}}
    %v = tensor.extract %out[%i] : tensor<4xf32>
    linalg.yield %v : f32
  } -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

// expected-error @below {{expected a loop that carries the result alone}}
func.func @no_loop(%x: tensor<4xf32>, %out: tensor<4xf32>) -> tensor<4xf32> attributes {hamkaas.kernel = #hamkaas.kernel<loops>} {
  return %out : tensor<4xf32>
}

// -----

func.func @begins_elsewhere(%x: tensor<4xf32>, %out: tensor<4xf32>) -> tensor<4xf32> attributes {hamkaas.kernel = #hamkaas.kernel<loops>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  // expected-error @below {{expected the loop to begin with the destination or an empty tensor}}
  %0 = scf.for %i = %c0 to %c4 step %c1 iter_args(%to = %x) -> tensor<4xf32> {
    scf.yield %to : tensor<4xf32>
  }
  return %0 : tensor<4xf32>
}

// -----

func.func @other_steps(%x: tensor<4xf32>, %out: tensor<4xf32>) -> tensor<4xf32> attributes {hamkaas.kernel = #hamkaas.kernel<loops>} {
  %c0 = arith.constant 0 : index
  %c2 = arith.constant 2 : index
  %c4 = arith.constant 4 : index
  // expected-error @below {{expected a loop from 0 to a constant in steps of 1}}
  %0 = scf.for %i = %c0 to %c4 step %c2 iter_args(%to = %out) -> tensor<4xf32> {
    scf.yield %to : tensor<4xf32>
  }
  return %0 : tensor<4xf32>
}

// -----

// expected-error @below {{expected a product with a softmax in the kernel}}
func.func @no_softmax(%x: tensor<4xf32>, %out: tensor<4xf32>) -> tensor<4xf32> attributes {hamkaas.kernel = #hamkaas.kernel<attention>} {
  return %x : tensor<4xf32>
}
