// RUN: hamkaas-opt %s | hamkaas-opt | FileCheck %s
// RUN: hamkaas-opt %s -mlir-print-op-generic | hamkaas-opt | FileCheck %s

func.func private @loop0(tensor<4xf32>, tensor<2xf32>, tensor<4xf32>, tensor<3xf32>)
func.func private @loop1(memref<16xi8>, memref<8xi8>, memref<16xi8>, memref<12xi8>, memref<64xi8>)

// CHECK-LABEL: func @tensors(
// CHECK:         %{{.*}}:2 = hamkaas.repeat 5 of @loop0 rows(%{{.*}}) values(%{{.*}}) carried(%{{.*}}) outputs(%{{.*}}) : (tensor<5x4xf32>, tensor<2xf32>, tensor<4xf32>, tensor<5x3xf32>) -> (tensor<4xf32>, tensor<5x3xf32>)
func.func @tensors(%x: tensor<5x4xf32>, %w: tensor<2xf32>, %h: tensor<4xf32>, %y: tensor<5x3xf32>) -> tensor<5x3xf32> {
  %0:2 = hamkaas.repeat 5 of @loop0 rows(%x) values(%w) carried(%h) outputs(%y) : (tensor<5x4xf32>, tensor<2xf32>, tensor<4xf32>, tensor<5x3xf32>) -> (tensor<4xf32>, tensor<5x3xf32>)
  return %0#1 : tensor<5x3xf32>
}

// CHECK-LABEL: func @buffers(
// CHECK:         hamkaas.repeat 5 reversed of @loop1 rows(%{{.*}}) values(%{{.*}}) carried(%{{.*}}) outputs(%{{.*}}) workspace(%{{.*}}) : (memref<5x4xf32>, memref<2xf32>, memref<4xf32>, memref<5x3xf32>, memref<64xi8>) -> ()
func.func @buffers(%x: memref<5x4xf32>, %w: memref<2xf32>, %h: memref<4xf32>, %y: memref<5x3xf32>, %s: memref<64xi8>) {
  hamkaas.repeat 5 reversed of @loop1 rows(%x) values(%w) carried(%h) outputs(%y) workspace(%s) : (memref<5x4xf32>, memref<2xf32>, memref<4xf32>, memref<5x3xf32>, memref<64xi8>) -> ()
  return
}
