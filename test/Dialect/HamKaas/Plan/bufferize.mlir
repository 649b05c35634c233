// RUN: hamkaas-opt %s -hamkaas-bufferize -split-input-file | FileCheck %s

// A state is written in place through the call; a slice is passed as it lies.

// CHECK-LABEL: func @main(
// CHECK-SAME:    %[[S:.*]]: memref<4x2xf32> {hamkaas.region = #hamkaas.region<state>}
// CHECK-SAME:    %[[OUT:.*]]: memref<1x2xf32> {hamkaas.region = #hamkaas.region<output>})
// CHECK-NOT:     memref.alloc
// CHECK:         %[[ROW:.*]] = memref.subview %[[S]][1, 0]
// CHECK:         %[[A:.*]] = memref.cast %[[ROW]]
// CHECK:         %[[B:.*]] = memref.cast %[[OUT]]
// CHECK:         call @k0(%[[A]], %[[B]])
// CHECK-NOT:     memref.copy
// CHECK:         return
// CHECK:       func private @k0(%{{.*}}: memref<1x2xf32, strided<[?, ?], offset: ?>>, %{{.*}}: memref<1x2xf32, strided<[?, ?], offset: ?>>)
func.func @main(%s: tensor<4x2xf32> {bufferization.writable = true, hamkaas.region = #hamkaas.region<state>}, %out: tensor<1x2xf32> {bufferization.writable = true, hamkaas.region = #hamkaas.region<output>}) -> tensor<1x2xf32> {
  %0 = tensor.extract_slice %s[1, 0] [1, 2] [1, 1] : tensor<4x2xf32> to tensor<1x2xf32>
  %1 = call @k0(%0, %out) : (tensor<1x2xf32>, tensor<1x2xf32>) -> tensor<1x2xf32>
  %2 = bufferization.materialize_in_destination %1 in %out : (tensor<1x2xf32>, tensor<1x2xf32>) -> tensor<1x2xf32>
  return %2 : tensor<1x2xf32>
}
func.func private @k0(%x: tensor<1x2xf32>, %out: tensor<1x2xf32>) -> tensor<1x2xf32> attributes {hamkaas.kernel = #hamkaas.kernel<elementwise>} {
  %0 = linalg.exp ins(%x : tensor<1x2xf32>) outs(%out : tensor<1x2xf32>) -> tensor<1x2xf32>
  return %0 : tensor<1x2xf32>
}

// -----

// An input is never written: the kernel that updates it gets a copy.

// CHECK-LABEL: func @main(
// CHECK-SAME:    %[[X:.*]]: memref<4xf32> {hamkaas.region = #hamkaas.region<input>}
// CHECK:         %[[COPY:.*]] = memref.alloc
// CHECK:         memref.copy %[[X]], %[[COPY]]
// CHECK:         %[[C:.*]] = memref.cast %[[COPY]]
// CHECK:         call @k0(%[[C]])
func.func @main(%x: tensor<4xf32> {hamkaas.region = #hamkaas.region<input>}, %out: tensor<4xf32> {bufferization.writable = true, hamkaas.region = #hamkaas.region<output>}) -> tensor<4xf32> {
  %0 = call @k0(%x) : (tensor<4xf32>) -> tensor<4xf32>
  %1 = bufferization.materialize_in_destination %0 in %out : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return %1 : tensor<4xf32>
}
func.func private @k0(%x: tensor<4xf32>) -> tensor<4xf32> attributes {hamkaas.kernel = #hamkaas.kernel<elementwise>} {
  %0 = linalg.exp ins(%x : tensor<4xf32>) outs(%x : tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

// Declarations are left alone; their callers see a buffer.

// CHECK-LABEL: func private @k0(memref<4xf32, strided<[?], offset: ?>>)
// CHECK-LABEL: func @main(
// CHECK:         call @k0(
func.func private @k0(tensor<4xf32>) -> tensor<4xf32> attributes {hamkaas.kernel = #hamkaas.kernel<elementwise>}
func.func @main(%x: tensor<4xf32> {hamkaas.region = #hamkaas.region<input>}, %out: tensor<4xf32> {bufferization.writable = true, hamkaas.region = #hamkaas.region<output>}) -> tensor<4xf32> {
  %0 = call @k0(%x) : (tensor<4xf32>) -> tensor<4xf32>
  %1 = bufferization.materialize_in_destination %0 in %out : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return %1 : tensor<4xf32>
}

// -----

// Constants stand in the order of their first use, whatever the order in which
// kernels are bufferized, so that a model is the same program each time.

// CHECK:      memref.global "private" constant @__constant_2xf32 : memref<2xf32> = dense<[1.{{.*}}, 5.{{.*}}]>
// CHECK-NEXT: memref.global "private" constant @__constant_2xf32_0 : memref<2xf32> = dense<[2.{{.*}}, 5.{{.*}}]>
// CHECK-NEXT: memref.global "private" constant @__constant_2xi64 : memref<2xi64> = dense<[3, 5]>
// CHECK-NEXT: memref.global "private" constant @__constant_2xf32_1 : memref<2xf32> = dense<[4.{{.*}}, 5.{{.*}}]>
// CHECK:      func private @k0
// CHECK-NEXT:   memref.get_global @__constant_2xf32 :
// CHECK:      func private @k1
// CHECK-NEXT:   memref.get_global @__constant_2xf32_0 :
// CHECK:      func private @k2
// CHECK-NEXT:   memref.get_global @__constant_2xi64 :
// CHECK:      func private @k3
// CHECK-NEXT:   memref.get_global @__constant_2xf32_1 :
// CHECK:      func private @k4
// CHECK-NEXT:   memref.get_global @__constant_2xf32 :
func.func @main(%x: tensor<f32> {bufferization.writable = true, hamkaas.region = #hamkaas.region<output>}) -> tensor<f32> {
  %c0 = arith.constant 0 : index
  %0 = call @k0(%c0, %x) : (index, tensor<f32>) -> tensor<f32>
  %1 = call @k1(%c0, %0) : (index, tensor<f32>) -> tensor<f32>
  %2 = call @k2(%c0, %1) : (index, tensor<f32>) -> tensor<f32>
  %3 = call @k3(%c0, %2) : (index, tensor<f32>) -> tensor<f32>
  %4 = call @k4(%c0, %3) : (index, tensor<f32>) -> tensor<f32>
  return %4 : tensor<f32>
}
func.func private @k0(%i: index, %out: tensor<f32>) -> tensor<f32> attributes {hamkaas.kernel = #hamkaas.kernel<elementwise>} {
  %c = arith.constant dense<[1.0, 5.0]> : tensor<2xf32>
  %e = tensor.extract %c[%i] : tensor<2xf32>
  %r = tensor.insert %e into %out[] : tensor<f32>
  return %r : tensor<f32>
}
func.func private @k1(%i: index, %out: tensor<f32>) -> tensor<f32> attributes {hamkaas.kernel = #hamkaas.kernel<elementwise>} {
  %c = arith.constant dense<[2.0, 5.0]> : tensor<2xf32>
  %e = tensor.extract %c[%i] : tensor<2xf32>
  %r = tensor.insert %e into %out[] : tensor<f32>
  return %r : tensor<f32>
}
func.func private @k2(%i: index, %out: tensor<f32>) -> tensor<f32> attributes {hamkaas.kernel = #hamkaas.kernel<elementwise>} {
  %c = arith.constant dense<[3, 5]> : tensor<2xi64>
  %e = tensor.extract %c[%i] : tensor<2xi64>
  %f = arith.sitofp %e : i64 to f32
  %r = tensor.insert %f into %out[] : tensor<f32>
  return %r : tensor<f32>
}
func.func private @k3(%i: index, %out: tensor<f32>) -> tensor<f32> attributes {hamkaas.kernel = #hamkaas.kernel<elementwise>} {
  %c = arith.constant dense<[4.0, 5.0]> : tensor<2xf32>
  %e = tensor.extract %c[%i] : tensor<2xf32>
  %r = tensor.insert %e into %out[] : tensor<f32>
  return %r : tensor<f32>
}
func.func private @k4(%i: index, %out: tensor<f32>) -> tensor<f32> attributes {hamkaas.kernel = #hamkaas.kernel<elementwise>} {
  %c = arith.constant dense<[1.0, 5.0]> : tensor<2xf32>
  %e = tensor.extract %c[%i] : tensor<2xf32>
  %r = tensor.insert %e into %out[] : tensor<f32>
  return %r : tensor<f32>
}
