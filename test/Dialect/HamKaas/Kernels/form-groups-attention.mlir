// RUN: hamkaas-opt %s -hamkaas-form-groups | FileCheck %s
// RUN: hamkaas-opt %s -hamkaas-form-groups=widen-keys=true | FileCheck %s --check-prefixes=CHECK,WIDENED

// Rows that are moved around attention are a matter of indices.

// CHECK-LABEL: func @heads(
// CHECK:         hamkaas.group
// CHECK-SAME:      hamkaas.ops = "permute+permute+permute+attention+permute"
// CHECK-NOT:     hamkaas.group
func.func @heads(%q: tensor<8x4x16xf32>, %k: tensor<8x4x16xf32>, %v: tensor<8x4x16xf32>) -> tensor<8x4x16xf32> {
  %0 = hamkaas.permute %q [1, 0, 2] : tensor<8x4x16xf32>
  %1 = hamkaas.permute %k [1, 0, 2] : tensor<8x4x16xf32>
  %2 = hamkaas.permute %v [1, 0, 2] : tensor<8x4x16xf32>
  %3 = hamkaas.attention %0, %1, %2 scale 0.25 : tensor<4x8x16xf32>, tensor<4x8x16xf32>, tensor<4x8x16xf32>
  %4 = hamkaas.permute %3 [1, 0, 2] : tensor<4x8x16xf32>
  return %4 : tensor<8x4x16xf32>
}

// Few queries compute keys and values where they read them, others do not. What
// follows is another kernel.

// CHECK-LABEL: func @few(
// CHECK:         hamkaas.ops = "add+add+attention"
// CHECK:         hamkaas.ops = "relu"
func.func @few(%q: tensor<4x1x16xf32>, %k: tensor<4x8x16xf32>, %v: tensor<4x8x16xf32>, %b: tensor<1x1x16xf32>) -> tensor<4x1x16xf32> {
  %0 = hamkaas.add %k, %b : tensor<4x8x16xf32>, tensor<1x1x16xf32>
  %1 = hamkaas.add %v, %b : tensor<4x8x16xf32>, tensor<1x1x16xf32>
  %2 = hamkaas.attention %q, %0, %1 scale 0.25 : tensor<4x1x16xf32>, tensor<4x8x16xf32>, tensor<4x8x16xf32>
  %3 = hamkaas.relu %2 : tensor<4x1x16xf32>
  return %3 : tensor<4x1x16xf32>
}

// CHECK-LABEL: func @many(
// CHECK:         hamkaas.ops = "add"
// CHECK:         hamkaas.ops = "add"
// CHECK:         hamkaas.ops = "attention"
func.func @many(%q: tensor<4x8x16xf32>, %k: tensor<4x8x16xf32>, %v: tensor<4x8x16xf32>, %b: tensor<1x1x16xf32>) -> tensor<4x8x16xf32> {
  %0 = hamkaas.add %k, %b : tensor<4x8x16xf32>, tensor<1x1x16xf32>
  %1 = hamkaas.add %v, %b : tensor<4x8x16xf32>, tensor<1x1x16xf32>
  %2 = hamkaas.attention %q, %0, %1 scale 0.25 : tensor<4x8x16xf32>, tensor<4x8x16xf32>, tensor<4x8x16xf32>
  return %2 : tensor<4x8x16xf32>
}

// A broadcast is computed by each of its readers.

// CHECK-LABEL: func @repeated(
// CHECK-COUNT-2: hamkaas.ops = "broadcast+select"
func.func @repeated(%c: tensor<1x8xi1>, %x: tensor<4x8xf32>, %y: tensor<4x8xf32>) -> (tensor<4x8xf32>, tensor<4x8xf32>) {
  %0 = hamkaas.broadcast %c : tensor<1x8xi1> -> tensor<4x8xi1>
  %1 = hamkaas.select %0, %x, %y : tensor<4x8xi1>, tensor<4x8xf32>, tensor<4x8xf32>
  %2 = hamkaas.select %0, %y, %x : tensor<4x8xi1>, tensor<4x8xf32>, tensor<4x8xf32>
  return %1, %2 : tensor<4x8xf32>, tensor<4x8xf32>
}

// Many queries may widen keys and values, but compute nothing else of them.

// CHECK-LABEL:   func @narrow(
// WIDENED:         hamkaas.ops = "relu"
// WIDENED:         hamkaas.ops = "cast+cast+mul+attention"
func.func @narrow(%q: tensor<4x8x16xf32>, %k: tensor<4x8x16xf16>, %v: tensor<4x8x16xi8>, %s: tensor<4x8x1xf32>) -> tensor<4x8x16xf32> {
  %0 = hamkaas.relu %k : tensor<4x8x16xf16>
  %1 = hamkaas.cast %0 : tensor<4x8x16xf16> -> tensor<4x8x16xf32>
  %2 = hamkaas.cast %v : tensor<4x8x16xi8> -> tensor<4x8x16xf32>
  %3 = hamkaas.mul %2, %s : tensor<4x8x16xf32>, tensor<4x8x1xf32>
  %4 = hamkaas.attention %q, %1, %3 scale 0.25 : tensor<4x8x16xf32>, tensor<4x8x16xf32>, tensor<4x8x16xf32>
  return %4 : tensor<4x8x16xf32>
}
