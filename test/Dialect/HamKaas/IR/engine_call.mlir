// RUN: hamkaas-opt %s | hamkaas-opt | FileCheck %s
// RUN: hamkaas-opt %s -mlir-print-op-generic | hamkaas-opt | FileCheck %s

// CHECK-LABEL: func @tensors(
// CHECK:         %{{.*}}:2 = hamkaas.engine_call <id = "a", version = "1", library = "/a.so", group = "g", knobs = "k=1", workspace = 7, packed = 0, packs = false> ins(%{{.*}}) outs(%{{.*}}, %{{.*}}) : (tensor<4xf32>, tensor<7xi8>, tensor<4xf32>) -> (tensor<7xi8>, tensor<4xf32>)
func.func @tensors(%x: tensor<4xf32>, %s: tensor<7xi8>, %y: tensor<4xf32>) -> tensor<4xf32> {
  %0:2 = hamkaas.engine_call <id = "a", version = "1", library = "/a.so", group = "g", knobs = "k=1", workspace = 7, packed = 0, packs = false> ins(%x) outs(%s, %y) : (tensor<4xf32>, tensor<7xi8>, tensor<4xf32>) -> (tensor<7xi8>, tensor<4xf32>)
  return %0#1 : tensor<4xf32>
}

// The packing needs no workspace.
// CHECK-LABEL: func @buffers(
// CHECK:         hamkaas.engine_call <id = "a", version = "1", library = "/a.so", group = "g", knobs = "", workspace = 7, packed = 9, packs = true> ins(%{{.*}}) outs(%{{.*}}) : (memref<4xf32>, memref<9xi8>) -> ()
func.func @buffers(%w: memref<4xf32>, %p: memref<9xi8>) {
  hamkaas.engine_call <id = "a", version = "1", library = "/a.so", group = "g", knobs = "", workspace = 7, packed = 9, packs = true> ins(%w) outs(%p) : (memref<4xf32>, memref<9xi8>) -> ()
  return
}
