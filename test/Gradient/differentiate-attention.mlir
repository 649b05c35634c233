// The weights of attention are computed again, for at most a million scores at
// a time: 1024 x 1024.

// RUN: hamkaas-opt %s -hamkaas-differentiate="result=y" -canonicalize -cse -split-input-file | FileCheck %s

// All at once; few scores are transposed themselves.

// CHECK-LABEL: func @small(
// CHECK-NOT:     hamkaas.scan
// CHECK:         %[[W:.*]] = hamkaas.sliced_softmax
// CHECK:         %[[T:.*]] = hamkaas.permute %[[W]][0, 2, 1]
// CHECK:         hamkaas.matmul %[[T]], %{{.*}} : tensor<2x7x5xf32>, tensor<2x5x4xf32>
func.func @small(%q: tensor<2x5x4xf32> {hamkaas.name = "q"}, %k: tensor<2x7x4xf32> {hamkaas.name = "k"}, %v: tensor<2x7x4xf32> {hamkaas.name = "v"}) -> (tensor<f32> {hamkaas.name = "y"}) {
  %0 = hamkaas.attention %q, %k, %v scale 0.5 : tensor<2x5x4xf32>, tensor<2x7x4xf32>, tensor<2x7x4xf32>
  %1 = hamkaas.reduce sum %0 over [0, 1, 2] : tensor<2x5x4xf32>
  return %1 : tensor<f32>
}

// -----

// Of 6 x 512 x 768 scores, 2 x 512 x 768 at a time. A mask of each batch is cut
// as well. The gradients of keys and values are transposed, not the weights.

// CHECK-LABEL: func @batches(
// CHECK:         hamkaas.scan 3 from() over(%{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}) with({{.*}}) : {{.*}} -> (tensor<3x2x512x4xf32>, tensor<3x2x768x4xf32>, tensor<3x2x768x4xf32>)
// CHECK-NOT:     hamkaas.scan
// CHECK:         hamkaas.sliced_softmax %{{.*}} : tensor<2x512x768xf32>
// CHECK:         %[[W:.*]] = hamkaas.select
// CHECK:         hamkaas.matmul %{{.*}}, %[[W]] : tensor<2x4x512xf32>, tensor<2x512x768xf32>
func.func @batches(%q: tensor<6x512x4xf32> {hamkaas.name = "q"}, %k: tensor<6x768x4xf32> {hamkaas.name = "k"}, %v: tensor<6x768x4xf32> {hamkaas.name = "v"}, %m: tensor<6x1x768xi1> {hamkaas.name = "m"}) -> (tensor<f32> {hamkaas.name = "y"}) {
  %0 = hamkaas.attention %q, %k, %v mask %m scale 0.5 : tensor<6x512x4xf32>, tensor<6x768x4xf32>, tensor<6x768x4xf32> mask tensor<6x1x768xi1>
  %1 = hamkaas.reduce sum %0 over [0, 1, 2] : tensor<6x512x4xf32>
  return %1 : tensor<f32>
}

// -----

// Of 300 queries, 2 x 128, which add to the gradients of keys and values, and
// 44 that remain.

// CHECK-LABEL: func @blocks(
// CHECK:         hamkaas.scan 2 from() over
// CHECK:         hamkaas.sliced_softmax %{{.*}} : tensor<1x44x8192xf32>
// CHECK:         hamkaas.scan 2 from(%{{.*}}, %{{.*}}) over(%{{.*}}, %{{.*}}) with({{.*}}) : {{.*}} -> (tensor<1x4x8192xf32>, tensor<1x4x8192xf32>, tensor<2x1x128x4xf32>)
// CHECK:         hamkaas.sliced_softmax %{{.*}} : tensor<1x128x8192xf32>
func.func @blocks(%q: tensor<2x300x4xf32> {hamkaas.name = "q"}, %k: tensor<2x8192x4xf32> {hamkaas.name = "k"}, %v: tensor<2x8192x4xf32> {hamkaas.name = "v"}) -> (tensor<f32> {hamkaas.name = "y"}) {
  %0 = hamkaas.attention %q, %k, %v scale 0.5 : tensor<2x300x4xf32>, tensor<2x8192x4xf32>, tensor<2x8192x4xf32>
  %1 = hamkaas.reduce sum %0 over [0, 1, 2] : tensor<2x300x4xf32>
  return %1 : tensor<f32>
}

// -----

// The first half of the queries does not see the other half of the keys. All
// see some key, so that nothing has to be selected behind the softmax.

// CHECK-LABEL: func @causal(
// CHECK:         %[[W:.*]] = hamkaas.sliced_softmax %{{.*}} : tensor<2x64x128xf32>
// CHECK-NEXT:    hamkaas.permute %[[W]]
// CHECK:         hamkaas.sliced_softmax %{{.*}} : tensor<2x64x64xf32>
// CHECK:         hamkaas.concat %{{.*}}, %{{.*}} dim 1
func.func @causal(%q: tensor<2x128x64xf32> {hamkaas.name = "q"}, %k: tensor<2x128x64xf32> {hamkaas.name = "k"}, %v: tensor<2x128x64xf32> {hamkaas.name = "v"}) -> (tensor<f32> {hamkaas.name = "y"}) {
  %i = hamkaas.iota 1 : tensor<1x128x1xi64>
  %j = hamkaas.iota 1 : tensor<1x128xi64>
  %row = hamkaas.reshape %j : tensor<1x128xi64> -> tensor<1x1x128xi64>
  %columns = hamkaas.broadcast %row : tensor<1x1x128xi64> -> tensor<1x128x128xi64>
  %m = hamkaas.compare gt %columns, %i : tensor<1x128x128xi64>, tensor<1x128x1xi64>
  %0 = hamkaas.attention %q, %k, %v mask %m scale 0.5 : tensor<2x128x64xf32>, tensor<2x128x64xf32>, tensor<2x128x64xf32> mask tensor<1x128x128xi1>
  %1 = hamkaas.reduce sum %0 over [0, 1, 2] : tensor<2x128x64xf32>
  return %1 : tensor<f32>
}

// -----

// With another score, masked keys may have weights: all are computed.

// CHECK-LABEL: func @finite(
// CHECK:         hamkaas.sliced_softmax %{{.*}} : tensor<2x128x128xf32>
// CHECK-NOT:     hamkaas.sliced_softmax
func.func @finite(%q: tensor<2x128x64xf32> {hamkaas.name = "q"}, %k: tensor<2x128x64xf32> {hamkaas.name = "k"}, %v: tensor<2x128x64xf32> {hamkaas.name = "v"}) -> (tensor<f32> {hamkaas.name = "y"}) {
  %i = hamkaas.iota 1 : tensor<1x128x1xi64>
  %row = hamkaas.iota 2 : tensor<1x1x128xi64>
  %columns = hamkaas.broadcast %row : tensor<1x1x128xi64> -> tensor<1x128x128xi64>
  %m = hamkaas.compare gt %columns, %i : tensor<1x128x128xi64>, tensor<1x128x1xi64>
  %0 = hamkaas.attention %q, %k, %v mask %m scale 0.5 masked_score -1.0e9 : tensor<2x128x64xf32>, tensor<2x128x64xf32>, tensor<2x128x64xf32> mask tensor<1x128x128xi1>
  %1 = hamkaas.reduce sum %0 over [0, 1, 2] : tensor<2x128x64xf32>
  return %1 : tensor<f32>
}

// -----

// The gradient of a bias has the scores of all queries.

// CHECK-LABEL: func @bias(
// CHECK-NOT:     hamkaas.scan
// CHECK:         hamkaas.sliced_softmax %{{.*}} : tensor<6x512x768xf32>
func.func @bias(%q: tensor<6x512x4xf32> {hamkaas.name = "q"}, %k: tensor<6x768x4xf32> {hamkaas.name = "k"}, %v: tensor<6x768x4xf32> {hamkaas.name = "v"}, %c: tensor<1x512x768xf32> {hamkaas.name = "c"}) -> (tensor<f32> {hamkaas.name = "y"}) {
  %0 = hamkaas.attention %q, %k, %v bias %c scale 0.5 : tensor<6x512x4xf32>, tensor<6x768x4xf32>, tensor<6x768x4xf32> bias tensor<1x512x768xf32>
  %1 = hamkaas.reduce sum %0 over [0, 1, 2] : tensor<6x512x4xf32>
  return %1 : tensor<f32>
}
