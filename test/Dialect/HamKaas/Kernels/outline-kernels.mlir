// RUN: hamkaas-opt %s -hamkaas-form-groups -hamkaas-lower-groups -hamkaas-hoist-parameters -hamkaas-outline-kernels -hamkaas-verify-kernels -split-input-file | FileCheck %s

// Equal groups are one kernel; the last writes to the result's storage.

// CHECK-LABEL: func @main(
// CHECK-SAME:    %[[X:[^:]*]]: tensor<4xf32>
// CHECK-SAME:    %[[W:[^:]*]]: tensor<4x4xf32>
// CHECK-SAME:    %[[OUT:[^:]*]]: tensor<4xf32> {bufferization.writable = true, hamkaas.name = "y", hamkaas.region = #hamkaas.region<output>}
// CHECK:         %[[E:.*]] = tensor.empty
// CHECK:         %[[A:.*]] = call @k0(%[[X]], %[[W]], %[[E]]) {hamkaas.flops = 36 : i64, hamkaas.ops = "matmul+relu"}
// CHECK:         %[[B:.*]] = call @k0(%[[A]], %[[W]], %[[OUT]])
// CHECK:         %[[R:.*]] = bufferization.materialize_in_destination %[[B]] in %[[OUT]]
// CHECK:         return %[[R]]
// CHECK:       func private @k0({{.*}}attributes {hamkaas.kernel = #hamkaas.kernel<contraction>}
// CHECK-NOT:   @k1
func.func @main(%x: tensor<4xf32> {hamkaas.name = "x"}, %w: tensor<4x4xf32> {hamkaas.name = "w"}) -> (tensor<4xf32> {hamkaas.name = "y"}) {
  %0 = hamkaas.matmul %x, %w : tensor<4xf32>, tensor<4x4xf32>
  %1 = hamkaas.relu %0 : tensor<4xf32>
  %2 = hamkaas.matmul %1, %w : tensor<4xf32>, tensor<4x4xf32>
  %3 = hamkaas.relu %2 : tensor<4xf32>
  return %3 : tensor<4xf32>
}

// -----

// The result's storage is seen in the shape the kernel writes.

// CHECK-LABEL: func @main(
// CHECK-SAME:    %[[OUT:[^:]*]]: tensor<2x2xf32> {bufferization.writable
// CHECK:         %[[D:.*]] = tensor.collapse_shape %[[OUT]]
// CHECK:         %[[V:.*]] = call @k0(%{{.*}}, %[[D]])
// CHECK:         %[[R:.*]] = bufferization.materialize_in_destination %[[V]] in %[[D]]
// CHECK:         %[[E:.*]] = tensor.expand_shape %[[R]]
// CHECK:         return %[[E]]
func.func @main(%x: tensor<4xf32> {hamkaas.name = "x"}) -> (tensor<2x2xf32> {hamkaas.name = "y"}) {
  %0 = hamkaas.relu %x : tensor<4xf32>
  %1 = hamkaas.reshape %0 : tensor<4xf32> -> tensor<2x2xf32>
  return %1 : tensor<2x2xf32>
}

// -----

// A result that no kernel computes is copied; one value may be two results.

// CHECK-LABEL: func @main(
// CHECK-SAME:    %[[X:[^:]*]]: tensor<4xf32>
// CHECK-SAME:    %[[A:[^:]*]]: tensor<4xf32> {bufferization.writable
// CHECK-SAME:    %[[B:[^:]*]]: tensor<4xf32> {bufferization.writable
// CHECK:         bufferization.materialize_in_destination %[[X]] in %[[A]]
// CHECK:         bufferization.materialize_in_destination %[[X]] in %[[B]]
func.func @main(%x: tensor<4xf32> {hamkaas.name = "x"}) -> (tensor<4xf32> {hamkaas.name = "a"}, tensor<4xf32> {hamkaas.name = "b"}) {
  return %x, %x : tensor<4xf32>, tensor<4xf32>
}

// -----

// The target of a replacement is the kernel's last argument.

// CHECK-LABEL: func @main(
// CHECK-SAME:    %[[X:[^:]*]]: tensor<1xf32>
// CHECK-SAME:    %[[S:[^:]*]]: tensor<4xf32> {bufferization.writable = true, hamkaas.name = "cache"
// CHECK:         %[[N:.*]] = call @k0(%[[X]], %{{.*}}, %{{.*}}, %[[S]])
// CHECK:         bufferization.materialize_in_destination %[[N]] in %[[S]]
// CHECK:       func private @k0(
// CHECK:         hamkaas.check
// CHECK:         tensor.insert_slice
ml_program.global private mutable @cache(dense<0.0> : tensor<4xf32>) : tensor<4xf32>
func.func @main(%x: tensor<1xf32> {hamkaas.name = "x"}, %b: tensor<1xi64> {hamkaas.name = "b"}, %e: tensor<1xi64> {hamkaas.name = "e"}) -> (tensor<1xf32> {hamkaas.name = "y"}) {
  %s = ml_program.global_load @cache : tensor<4xf32>
  %0 = hamkaas.replace_slice %s, %x, %b, %e : tensor<4xf32>, tensor<1xf32>
  ml_program.global_store @cache = %0 : tensor<4xf32>
  return %x : tensor<1xf32>
}

// -----

// A value that is two results is computed in the first's storage, and copied to
// the second while nothing has been written over it.

// CHECK-LABEL: func @main(
// CHECK-SAME:    %[[A:[^:]*]]: tensor<4xf32> {bufferization.writable = true, hamkaas.name = "a"
// CHECK-SAME:    %[[B:[^:]*]]: tensor<4xf32> {bufferization.writable = true, hamkaas.name = "b"
// CHECK:         %[[V:.*]] = call @k0(%{{.*}}, %[[A]])
// CHECK:         %[[RB:.*]] = bufferization.materialize_in_destination %[[V]] in %[[B]]
// CHECK:         %[[RA:.*]] = bufferization.materialize_in_destination %[[V]] in %[[A]]
// CHECK:         return %[[RA]], %[[RB]]
func.func @main(%x: tensor<4xf32> {hamkaas.name = "x"}) -> (tensor<4xf32> {hamkaas.name = "a"}, tensor<4xf32> {hamkaas.name = "b"}) {
  %0 = hamkaas.relu %x : tensor<4xf32>
  return %0, %0 : tensor<4xf32>, tensor<4xf32>
}

// -----

// A state is read before it is written, whatever the order of the stores.

// CHECK-LABEL: func @main(
// CHECK-SAME:    %[[X:[^:]*]]: tensor<4xf32>
// CHECK-SAME:    %[[S:[^:]*]]: tensor<4xf32> {bufferization.writable = true, hamkaas.name = "s"
// CHECK-SAME:    %[[T:[^:]*]]: tensor<4xf32> {bufferization.writable = true, hamkaas.name = "t"
// CHECK:         %[[RT:.*]] = bufferization.materialize_in_destination %[[S]] in %[[T]]
// CHECK:         %[[RS:.*]] = bufferization.materialize_in_destination %[[X]] in %[[S]]
// CHECK:         return %{{.*}}, %[[RS]], %[[RT]]
ml_program.global private mutable @s(dense<0.0> : tensor<4xf32>) : tensor<4xf32>
ml_program.global private mutable @t(dense<0.0> : tensor<4xf32>) : tensor<4xf32>
func.func @main(%x: tensor<4xf32> {hamkaas.name = "x"}) -> (tensor<4xf32> {hamkaas.name = "y"}) {
  %s = ml_program.global_load @s : tensor<4xf32>
  ml_program.global_store @s = %x : tensor<4xf32>
  ml_program.global_store @t = %s : tensor<4xf32>
  return %x : tensor<4xf32>
}

// -----

// States that change places: a copy of one opens the ring.

// CHECK-LABEL: func @main(
// CHECK-SAME:    %[[S:[^:]*]]: tensor<4xf32> {bufferization.writable = true, hamkaas.name = "s"
// CHECK-SAME:    %[[T:[^:]*]]: tensor<4xf32> {bufferization.writable = true, hamkaas.name = "t"
// CHECK:         %[[E:.*]] = tensor.empty() : tensor<4xf32>
// CHECK:         %[[C:.*]] = bufferization.materialize_in_destination %[[S]] in %[[E]]
// CHECK:         %[[RS:.*]] = bufferization.materialize_in_destination %[[T]] in %[[S]]
// CHECK:         %[[RT:.*]] = bufferization.materialize_in_destination %[[C]] in %[[T]]
// CHECK:         return %{{.*}}, %[[RS]], %[[RT]]
ml_program.global private mutable @s(dense<0.0> : tensor<4xf32>) : tensor<4xf32>
ml_program.global private mutable @t(dense<0.0> : tensor<4xf32>) : tensor<4xf32>
func.func @main(%x: tensor<4xf32> {hamkaas.name = "x"}) -> (tensor<4xf32> {hamkaas.name = "y"}) {
  %s = ml_program.global_load @s : tensor<4xf32>
  %t = ml_program.global_load @t : tensor<4xf32>
  ml_program.global_store @s = %t : tensor<4xf32>
  ml_program.global_store @t = %s : tensor<4xf32>
  return %x : tensor<4xf32>
}

// -----

// Kernels with other knobs are others.

// CHECK-LABEL: func @main(
// CHECK:         call @k0(
// CHECK:         call @k1(
// CHECK:         call @k0(
// CHECK:       func private @k0({{.*}}attributes {hamkaas.kernel = #hamkaas.kernel<contraction>, hamkaas.knobs = {rows = 3 : i64}}
// CHECK:       func private @k1({{.*}}attributes {hamkaas.kernel = #hamkaas.kernel<contraction>}
// CHECK-NOT:   @k2
func.func @main(%x: tensor<4xf32> {hamkaas.name = "x"}, %w: tensor<4x4xf32> {hamkaas.name = "w"}) -> (tensor<4xf32> {hamkaas.name = "y"}) {
  %0 = hamkaas.matmul %x, %w {hamkaas.knobs = {rows = 3}} : tensor<4xf32>, tensor<4x4xf32>
  %1 = hamkaas.matmul %0, %w : tensor<4xf32>, tensor<4x4xf32>
  %2 = hamkaas.matmul %1, %w {hamkaas.knobs = {rows = 3}} : tensor<4xf32>, tensor<4x4xf32>
  return %2 : tensor<4xf32>
}
