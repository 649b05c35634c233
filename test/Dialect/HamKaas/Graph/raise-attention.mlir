// RUN: hamkaas-opt %s -hamkaas-raise-attention | FileCheck %s

// As exporters write it: heads in front, keys turned, a number for the scale.

// CHECK-LABEL: func @encoder(
// CHECK-SAME:    %[[Q:.*]]: tensor<4x8x16xf32>, %[[K:.*]]: tensor<8x4x16xf32>, %[[V:.*]]: tensor<4x8x16xf32>
// CHECK:         %[[KEYS:.*]] = hamkaas.permute %[[K]][1, 0, 2] : tensor<8x4x16xf32>
// CHECK:         hamkaas.attention %[[Q]], %[[KEYS]], %[[V]] scale 2.500000e-01 : tensor<4x8x16xf32>, tensor<4x8x16xf32>, tensor<4x8x16xf32>
// CHECK-NOT:     hamkaas.matmul
func.func @encoder(%q: tensor<4x8x16xf32>, %k: tensor<8x4x16xf32>, %v: tensor<4x8x16xf32>) -> tensor<4x8x16xf32> {
  %scale = hamkaas.constant dense<4.0> : tensor<1x1x1x1xf32>
  %0 = hamkaas.permute %k [1, 2, 0] : tensor<8x4x16xf32>
  %1 = hamkaas.matmul %q, %0 : tensor<4x8x16xf32>, tensor<4x16x8xf32>
  %2 = hamkaas.reshape %1 : tensor<4x8x8xf32> -> tensor<1x4x8x8xf32>
  %3 = hamkaas.div %2, %scale : tensor<1x4x8x8xf32>, tensor<1x1x1x1xf32>
  %4 = hamkaas.sliced_softmax %3 static_prefix 8 : tensor<1x4x8x8xf32>
  %5 = hamkaas.reshape %4 : tensor<1x4x8x8xf32> -> tensor<4x8x8xf32>
  %6 = hamkaas.matmul %5, %v : tensor<4x8x8xf32>, tensor<4x8x16xf32>
  return %6 : tensor<4x8x16xf32>
}

// CHECK-LABEL: func @masked(
// CHECK-SAME:    %[[Q:.*]]: tensor<4x8x16xf32>, %[[K:.*]]: tensor<4x8x16xf32>, %[[V:.*]]: tensor<4x8x16xf32>, %[[MASK:.*]]: tensor<1x8x8xi1>, %[[BIAS:.*]]: tensor<4x1x8xf32>
// CHECK:         hamkaas.attention %[[Q]], %[[K]], %[[V]] mask %[[MASK]] bias %[[BIAS]] scale 5.000000e-01 masked_score -1.000000e+09
func.func @masked(%q: tensor<4x8x16xf32>, %k: tensor<4x8x16xf32>, %v: tensor<4x8x16xf32>, %mask: tensor<1x8x8xi1>, %bias: tensor<4x1x8xf32>) -> tensor<4x8x16xf32> {
  %scale = hamkaas.constant dense<0.5> : tensor<1x1x1xf32>
  %number = hamkaas.constant dense<-1.0e9> : tensor<4x8x8xf32>
  %0 = hamkaas.permute %k [0, 2, 1] : tensor<4x8x16xf32>
  %1 = hamkaas.matmul %q, %0 : tensor<4x8x16xf32>, tensor<4x16x8xf32>
  %2 = hamkaas.mul %1, %scale : tensor<4x8x8xf32>, tensor<1x1x1xf32>
  %3 = hamkaas.add %2, %bias : tensor<4x8x8xf32>, tensor<4x1x8xf32>
  %4 = hamkaas.broadcast %mask : tensor<1x8x8xi1> -> tensor<4x8x8xi1>
  %5 = hamkaas.select %4, %number, %3 : tensor<4x8x8xi1>, tensor<4x8x8xf32>, tensor<4x8x8xf32>
  %6 = hamkaas.sliced_softmax %5 static_prefix 8 : tensor<4x8x8xf32>
  %7 = hamkaas.matmul %6, %v : tensor<4x8x8xf32>, tensor<4x8x16xf32>
  return %7 : tensor<4x8x16xf32>
}

// Heads of several sequences.

// CHECK-LABEL: func @batch(
// CHECK-SAME:    %[[Q:.*]]: tensor<6x8x16xf32>, %[[K:.*]]: tensor<3x8x2x16xf32>, %[[V:.*]]: tensor<6x8x16xf32>
// CHECK:         %[[ROWS:.*]] = hamkaas.permute %[[K]][0, 2, 1, 3] : tensor<3x8x2x16xf32>
// CHECK:         %[[KEYS:.*]] = hamkaas.reshape %[[ROWS]] : tensor<3x2x8x16xf32> -> tensor<6x8x16xf32>
// CHECK:         hamkaas.attention %[[Q]], %[[KEYS]], %[[V]] scale 1.000000e+00
// CHECK-NOT:     hamkaas.matmul
func.func @batch(%q: tensor<6x8x16xf32>, %k: tensor<3x8x2x16xf32>, %v: tensor<6x8x16xf32>) -> tensor<6x8x16xf32> {
  %0 = hamkaas.permute %k [0, 2, 3, 1] : tensor<3x8x2x16xf32>
  %1 = hamkaas.reshape %0 : tensor<3x2x16x8xf32> -> tensor<6x16x8xf32>
  %2 = hamkaas.matmul %q, %1 : tensor<6x8x16xf32>, tensor<6x16x8xf32>
  %3 = hamkaas.reshape %2 : tensor<6x8x8xf32> -> tensor<3x2x8x8xf32>
  %4 = hamkaas.sliced_softmax %3 static_prefix 8 : tensor<3x2x8x8xf32>
  %5 = hamkaas.reshape %4 : tensor<3x2x8x8xf32> -> tensor<6x8x8xf32>
  %6 = hamkaas.matmul %5, %v : tensor<6x8x8xf32>, tensor<6x8x16xf32>
  return %6 : tensor<6x8x16xf32>
}

// One key, repeated.

// CHECK-LABEL: func @repeated_key(
// CHECK:         hamkaas.broadcast %{{.*}} : tensor<4x1x16xf32> -> tensor<4x8x16xf32>
// CHECK:         hamkaas.attention
func.func @repeated_key(%q: tensor<4x8x16xf32>, %k: tensor<4x1x16xf32>, %v: tensor<4x8x16xf32>) -> tensor<4x8x16xf32> {
  %0 = hamkaas.permute %k [0, 2, 1] : tensor<4x1x16xf32>
  %1 = hamkaas.broadcast %0 : tensor<4x16x1xf32> -> tensor<4x16x8xf32>
  %2 = hamkaas.matmul %q, %1 : tensor<4x8x16xf32>, tensor<4x16x8xf32>
  %3 = hamkaas.sliced_softmax %2 static_prefix 8 : tensor<4x8x8xf32>
  %4 = hamkaas.matmul %3, %v : tensor<4x8x8xf32>, tensor<4x8x16xf32>
  return %4 : tensor<4x8x16xf32>
}

// A step of decoding that leaves the cache as it is.

// CHECK-LABEL: func @row_apart(
// CHECK-SAME:    %[[Q:.*]]: tensor<4x1x16xf32>, %[[KC:.*]]: tensor<4x8x16xf32>, %[[VC:.*]]: tensor<4x8x16xf32>, %[[K:.*]]: tensor<4x1x16xf32>, %[[V:.*]]: tensor<4x1x16xf32>, %[[HERE:.*]]: tensor<1x1x8xi1>
// CHECK-DAG:     %[[K1:.*]] = hamkaas.broadcast %[[K]] : tensor<4x1x16xf32> -> tensor<4x8x16xf32>
// CHECK-DAG:     %[[V1:.*]] = hamkaas.broadcast %[[V]] : tensor<4x1x16xf32> -> tensor<4x8x16xf32>
// CHECK-DAG:     %[[KEYS:.*]] = hamkaas.select %{{.*}}, %[[K1]], %[[KC]]
// CHECK-DAG:     %[[VALUES:.*]] = hamkaas.select %{{.*}}, %[[V1]], %[[VC]]
// CHECK:         hamkaas.attention %[[Q]], %[[KEYS]], %[[VALUES]] scale 1.000000e+00
func.func @row_apart(%q: tensor<4x1x16xf32>, %kc: tensor<4x8x16xf32>, %vc: tensor<4x8x16xf32>, %k: tensor<4x1x16xf32>, %v: tensor<4x1x16xf32>, %here: tensor<1x1x8xi1>) -> tensor<4x1x16xf32> {
  %zero = hamkaas.constant dense<0.0> : tensor<1x1x1xf32>
  %zeros = hamkaas.broadcast %zero : tensor<1x1x1xf32> -> tensor<4x1x8xf32>
  %there = hamkaas.broadcast %here : tensor<1x1x8xi1> -> tensor<4x1x8xi1>
  %0 = hamkaas.mul %q, %k : tensor<4x1x16xf32>, tensor<4x1x16xf32>
  %1 = hamkaas.reduce sum %0 over [2] : tensor<4x1x16xf32>
  %2 = hamkaas.reshape %1 : tensor<4x1xf32> -> tensor<4x1x1xf32>
  %3 = hamkaas.broadcast %2 : tensor<4x1x1xf32> -> tensor<4x1x8xf32>
  %4 = hamkaas.permute %kc [0, 2, 1] : tensor<4x8x16xf32>
  %5 = hamkaas.matmul %q, %4 : tensor<4x1x16xf32>, tensor<4x16x8xf32>
  %6 = hamkaas.select %there, %3, %5 : tensor<4x1x8xi1>, tensor<4x1x8xf32>, tensor<4x1x8xf32>
  %7 = hamkaas.sliced_softmax %6 static_prefix 8 : tensor<4x1x8xf32>
  %8 = hamkaas.select %there, %zeros, %7 : tensor<4x1x8xi1>, tensor<4x1x8xf32>, tensor<4x1x8xf32>
  %9 = hamkaas.matmul %8, %vc : tensor<4x1x8xf32>, tensor<4x8x16xf32>
  %10 = hamkaas.select %there, %7, %zeros : tensor<4x1x8xi1>, tensor<4x1x8xf32>, tensor<4x1x8xf32>
  %11 = hamkaas.reduce sum %10 over [2] : tensor<4x1x8xf32>
  %12 = hamkaas.reshape %11 : tensor<4x1xf32> -> tensor<4x1x1xf32>
  %13 = hamkaas.mul %v, %12 : tensor<4x1x16xf32>, tensor<4x1x1xf32>
  %14 = hamkaas.add %9, %13 : tensor<4x1x16xf32>, tensor<4x1x16xf32>
  return %14 : tensor<4x1x16xf32>
}

// Three queries share keys and values.

// CHECK-LABEL: func @row_apart_of_groups(
// CHECK-SAME:    %[[Q:.*]]: tensor<4x3x16xf32>, %[[KC:.*]]: tensor<4x8x16xf32>, %[[VC:.*]]: tensor<4x8x16xf32>, %[[K:.*]]: tensor<4x1x16xf32>, %[[V:.*]]: tensor<4x1x16xf32>, %[[HERE:.*]]: tensor<1x1x8xi1>
// CHECK-DAG:     %[[K1:.*]] = hamkaas.broadcast %[[K]] : tensor<4x1x16xf32> -> tensor<4x8x16xf32>
// CHECK-DAG:     %[[V1:.*]] = hamkaas.broadcast %[[V]] : tensor<4x1x16xf32> -> tensor<4x8x16xf32>
// CHECK-DAG:     %[[KEYS:.*]] = hamkaas.select %{{.*}}, %[[K1]], %[[KC]]
// CHECK-DAG:     %[[VALUES:.*]] = hamkaas.select %{{.*}}, %[[V1]], %[[VC]]
// CHECK:         hamkaas.attention %[[Q]], %[[KEYS]], %[[VALUES]] scale 1.000000e+00 : tensor<4x3x16xf32>
func.func @row_apart_of_groups(%q: tensor<4x3x16xf32>, %kc: tensor<4x8x16xf32>, %vc: tensor<4x8x16xf32>, %k: tensor<4x1x16xf32>, %v: tensor<4x1x16xf32>, %here: tensor<1x1x8xi1>) -> tensor<4x3x16xf32> {
  %zero = hamkaas.constant dense<0.0> : tensor<1x1x1xf32>
  %zeros = hamkaas.broadcast %zero : tensor<1x1x1xf32> -> tensor<4x3x8xf32>
  %there = hamkaas.broadcast %here : tensor<1x1x8xi1> -> tensor<4x3x8xi1>
  %0 = hamkaas.mul %q, %k : tensor<4x3x16xf32>, tensor<4x1x16xf32>
  %1 = hamkaas.reduce sum %0 over [2] : tensor<4x3x16xf32>
  %2 = hamkaas.reshape %1 : tensor<4x3xf32> -> tensor<4x3x1xf32>
  %3 = hamkaas.broadcast %2 : tensor<4x3x1xf32> -> tensor<4x3x8xf32>
  %4 = hamkaas.permute %kc [0, 2, 1] : tensor<4x8x16xf32>
  %5 = hamkaas.matmul %q, %4 : tensor<4x3x16xf32>, tensor<4x16x8xf32>
  %6 = hamkaas.select %there, %3, %5 : tensor<4x3x8xi1>, tensor<4x3x8xf32>, tensor<4x3x8xf32>
  %7 = hamkaas.sliced_softmax %6 static_prefix 8 : tensor<4x3x8xf32>
  %8 = hamkaas.select %there, %zeros, %7 : tensor<4x3x8xi1>, tensor<4x3x8xf32>, tensor<4x3x8xf32>
  %9 = hamkaas.matmul %8, %vc : tensor<4x3x8xf32>, tensor<4x8x16xf32>
  %10 = hamkaas.select %there, %7, %zeros : tensor<4x3x8xi1>, tensor<4x3x8xf32>, tensor<4x3x8xf32>
  %11 = hamkaas.reduce sum %10 over [2] : tensor<4x3x8xf32>
  %12 = hamkaas.reshape %11 : tensor<4x3xf32> -> tensor<4x3x1xf32>
  %13 = hamkaas.broadcast %v : tensor<4x1x16xf32> -> tensor<4x3x16xf32>
  %14 = hamkaas.mul %13, %12 : tensor<4x3x16xf32>, tensor<4x3x1xf32>
  %15 = hamkaas.add %9, %14 : tensor<4x3x16xf32>, tensor<4x3x16xf32>
  return %15 : tensor<4x3x16xf32>
}

// Not for a row of each query, and not where it stands elsewhere for each.

// CHECK-LABEL: func @rows_of_queries(
// CHECK-NOT:     hamkaas.attention
// CHECK:         return
func.func @rows_of_queries(%q: tensor<4x3x16xf32>, %kc: tensor<4x8x16xf32>, %vc: tensor<4x8x16xf32>, %k: tensor<4x3x16xf32>, %v: tensor<4x1x16xf32>, %here: tensor<1x3x8xi1>, %same: tensor<1x1x8xi1>) -> (tensor<4x3x16xf32>, tensor<4x3x16xf32>) {
  %zero = hamkaas.constant dense<0.0> : tensor<1x1x1xf32>
  %zeros = hamkaas.broadcast %zero : tensor<1x1x1xf32> -> tensor<4x3x8xf32>
  %there = hamkaas.broadcast %same : tensor<1x1x8xi1> -> tensor<4x3x8xi1>
  %0 = hamkaas.mul %q, %k : tensor<4x3x16xf32>, tensor<4x3x16xf32>
  %1 = hamkaas.reduce sum %0 over [2] : tensor<4x3x16xf32>
  %2 = hamkaas.reshape %1 : tensor<4x3xf32> -> tensor<4x3x1xf32>
  %3 = hamkaas.broadcast %2 : tensor<4x3x1xf32> -> tensor<4x3x8xf32>
  %4 = hamkaas.permute %kc [0, 2, 1] : tensor<4x8x16xf32>
  %5 = hamkaas.matmul %q, %4 : tensor<4x3x16xf32>, tensor<4x16x8xf32>
  %6 = hamkaas.select %there, %3, %5 : tensor<4x3x8xi1>, tensor<4x3x8xf32>, tensor<4x3x8xf32>
  %7 = hamkaas.sliced_softmax %6 static_prefix 8 : tensor<4x3x8xf32>
  %8 = hamkaas.select %there, %zeros, %7 : tensor<4x3x8xi1>, tensor<4x3x8xf32>, tensor<4x3x8xf32>
  %9 = hamkaas.matmul %8, %vc : tensor<4x3x8xf32>, tensor<4x8x16xf32>
  %10 = hamkaas.select %there, %7, %zeros : tensor<4x3x8xi1>, tensor<4x3x8xf32>, tensor<4x3x8xf32>
  %11 = hamkaas.reduce sum %10 over [2] : tensor<4x3x8xf32>
  %12 = hamkaas.reshape %11 : tensor<4x3xf32> -> tensor<4x3x1xf32>
  %13 = hamkaas.broadcast %v : tensor<4x1x16xf32> -> tensor<4x3x16xf32>
  %14 = hamkaas.mul %13, %12 : tensor<4x3x16xf32>, tensor<4x3x1xf32>
  %15 = hamkaas.add %9, %14 : tensor<4x3x16xf32>, tensor<4x3x16xf32>

  %20 = hamkaas.broadcast %here : tensor<1x3x8xi1> -> tensor<4x3x8xi1>
  %21 = hamkaas.permute %kc [0, 2, 1] : tensor<4x8x16xf32>
  %22 = hamkaas.matmul %q, %21 : tensor<4x3x16xf32>, tensor<4x16x8xf32>
  %23 = hamkaas.sliced_softmax %22 static_prefix 8 : tensor<4x3x8xf32>
  %24 = hamkaas.select %20, %zeros, %23 : tensor<4x3x8xi1>, tensor<4x3x8xf32>, tensor<4x3x8xf32>
  %25 = hamkaas.matmul %24, %vc : tensor<4x3x8xf32>, tensor<4x8x16xf32>
  %26 = hamkaas.select %20, %23, %zeros : tensor<4x3x8xi1>, tensor<4x3x8xf32>, tensor<4x3x8xf32>
  %27 = hamkaas.reduce sum %26 over [2] : tensor<4x3x8xf32>
  %28 = hamkaas.reshape %27 : tensor<4x3xf32> -> tensor<4x3x1xf32>
  %29 = hamkaas.mul %13, %28 : tensor<4x3x16xf32>, tensor<4x3x1xf32>
  %30 = hamkaas.add %25, %29 : tensor<4x3x16xf32>, tensor<4x3x16xf32>
  return %15, %30 : tensor<4x3x16xf32>, tensor<4x3x16xf32>
}

// The weights are a result, too.

// CHECK-LABEL: func @weights(
// CHECK-NOT:     hamkaas.attention
func.func @weights(%q: tensor<4x8x16xf32>, %k: tensor<4x8x16xf32>, %v: tensor<4x8x16xf32>) -> (tensor<4x8x16xf32>, tensor<4x8x8xf32>) {
  %0 = hamkaas.permute %k [0, 2, 1] : tensor<4x8x16xf32>
  %1 = hamkaas.matmul %q, %0 : tensor<4x8x16xf32>, tensor<4x16x8xf32>
  %2 = hamkaas.sliced_softmax %1 static_prefix 8 : tensor<4x8x8xf32>
  %3 = hamkaas.matmul %2, %v : tensor<4x8x8xf32>, tensor<4x8x16xf32>
  return %3, %2 : tensor<4x8x16xf32>, tensor<4x8x8xf32>
}

// A bias that is scaled is none of attention, and a part of a row no softmax of
// it.

// CHECK-LABEL: func @others(
// CHECK-NOT:     hamkaas.attention
func.func @others(%q: tensor<4x8x16xf32>, %k: tensor<4x8x16xf32>, %v: tensor<4x8x16xf32>, %bias: tensor<4x8x8xf32>) -> (tensor<4x8x16xf32>, tensor<4x8x16xf32>) {
  %scale = hamkaas.constant dense<0.5> : tensor<1x1x1xf32>
  %0 = hamkaas.permute %k [0, 2, 1] : tensor<4x8x16xf32>
  %1 = hamkaas.matmul %q, %0 : tensor<4x8x16xf32>, tensor<4x16x8xf32>
  %2 = hamkaas.add %1, %bias : tensor<4x8x8xf32>, tensor<4x8x8xf32>
  %3 = hamkaas.mul %2, %scale : tensor<4x8x8xf32>, tensor<1x1x1xf32>
  %4 = hamkaas.sliced_softmax %3 static_prefix 8 : tensor<4x8x8xf32>
  %5 = hamkaas.matmul %4, %v : tensor<4x8x8xf32>, tensor<4x8x16xf32>
  %6 = hamkaas.permute %q [0, 2, 1] : tensor<4x8x16xf32>
  %7 = hamkaas.matmul %k, %6 : tensor<4x8x16xf32>, tensor<4x16x8xf32>
  %8 = hamkaas.sliced_softmax %7 static_prefix 4 : tensor<4x8x8xf32>
  %9 = hamkaas.matmul %8, %v : tensor<4x8x8xf32>, tensor<4x8x16xf32>
  return %5, %9 : tensor<4x8x16xf32>, tensor<4x8x16xf32>
}

// The side of an addition that leads to the products is the scores, the other
// the bias, though it is a product, too.

// CHECK-LABEL: func @product_as_bias(
// CHECK-SAME:    %[[Q:.*]]: tensor<4x8x16xf32>, %[[K:.*]]: tensor<4x8x16xf32>, %[[V:.*]]: tensor<4x8x16xf32>, %[[SLOPES:.*]]: tensor<4x8x8xf32>, %[[STEPS:.*]]: tensor<1x8x8xf32>
// CHECK:         %[[BIAS:.*]] = hamkaas.mul %[[SLOPES]], %[[STEPS]]
// CHECK:         hamkaas.attention %[[Q]], %[[K]], %[[V]] bias %[[BIAS]] scale 5.000000e-01
func.func @product_as_bias(%q: tensor<4x8x16xf32>, %k: tensor<4x8x16xf32>, %v: tensor<4x8x16xf32>, %slopes: tensor<4x8x8xf32>, %steps: tensor<1x8x8xf32>) -> tensor<4x8x16xf32> {
  %scale = hamkaas.constant dense<0.5> : tensor<1x1x1xf32>
  %bias = hamkaas.mul %slopes, %steps : tensor<4x8x8xf32>, tensor<1x8x8xf32>
  %0 = hamkaas.permute %k [0, 2, 1] : tensor<4x8x16xf32>
  %1 = hamkaas.matmul %q, %0 : tensor<4x8x16xf32>, tensor<4x16x8xf32>
  %2 = hamkaas.mul %1, %scale : tensor<4x8x8xf32>, tensor<1x1x1xf32>
  %3 = hamkaas.add %bias, %2 : tensor<4x8x8xf32>, tensor<4x8x8xf32>
  %4 = hamkaas.sliced_softmax %3 static_prefix 8 : tensor<4x8x8xf32>
  %5 = hamkaas.matmul %4, %v : tensor<4x8x8xf32>, tensor<4x8x16xf32>
  return %5 : tensor<4x8x16xf32>
}

// Scores of one query that are repeated are none of more queries.

// CHECK-LABEL: func @repeated_scores(
// CHECK-NOT:     hamkaas.attention
func.func @repeated_scores(%q: tensor<4x1x16xf32>, %k: tensor<4x8x16xf32>, %v: tensor<4x8x16xf32>, %bias: tensor<4x8x8xf32>) -> tensor<4x8x16xf32> {
  %0 = hamkaas.permute %k [0, 2, 1] : tensor<4x8x16xf32>
  %1 = hamkaas.matmul %q, %0 : tensor<4x1x16xf32>, tensor<4x16x8xf32>
  %2 = hamkaas.add %bias, %1 : tensor<4x8x8xf32>, tensor<4x1x8xf32>
  %3 = hamkaas.sliced_softmax %2 static_prefix 8 : tensor<4x8x8xf32>
  %4 = hamkaas.matmul %3, %v : tensor<4x8x8xf32>, tensor<4x8x16xf32>
  return %4 : tensor<4x8x16xf32>
}

// Numbers whose product is beyond float32 stay apart.

// CHECK-LABEL: func @large_scale(
// CHECK:         hamkaas.mul
// CHECK:         hamkaas.div
// CHECK-NOT:     hamkaas.attention
func.func @large_scale(%q: tensor<4x8x16xf32>, %k: tensor<4x8x16xf32>, %v: tensor<4x8x16xf32>) -> tensor<4x8x16xf32> {
  %large = hamkaas.constant dense<1.0e30> : tensor<1x1x1xf32>
  %small = hamkaas.constant dense<1.0e-30> : tensor<1x1x1xf32>
  %0 = hamkaas.permute %k [0, 2, 1] : tensor<4x8x16xf32>
  %1 = hamkaas.matmul %q, %0 : tensor<4x8x16xf32>, tensor<4x16x8xf32>
  %2 = hamkaas.mul %1, %large : tensor<4x8x8xf32>, tensor<1x1x1xf32>
  %3 = hamkaas.div %2, %small : tensor<4x8x8xf32>, tensor<1x1x1xf32>
  %4 = hamkaas.sliced_softmax %3 static_prefix 8 : tensor<4x8x8xf32>
  %5 = hamkaas.matmul %4, %v : tensor<4x8x8xf32>, tensor<4x8x16xf32>
  return %5 : tensor<4x8x16xf32>
}

// Of as many batches as keys, the sums of all batches could stand for the keys
// of each.

// CHECK-LABEL: func @sums_of_other_batches(
// CHECK-NOT:     hamkaas.attention
func.func @sums_of_other_batches(%q: tensor<8x1x16xf32>, %kc: tensor<8x8x16xf32>, %vc: tensor<8x8x16xf32>, %k: tensor<8x1x16xf32>, %v: tensor<8x1x16xf32>, %here: tensor<8x1x8xi1>) -> tensor<8x1x16xf32> {
  %zeros = hamkaas.constant dense<0.0> : tensor<8x1x8xf32>
  %0 = hamkaas.mul %q, %k : tensor<8x1x16xf32>, tensor<8x1x16xf32>
  %1 = hamkaas.reduce sum %0 over [2] : tensor<8x1x16xf32>
  %2 = hamkaas.reshape %1 : tensor<8x1xf32> -> tensor<1x1x8xf32>
  %3 = hamkaas.broadcast %2 : tensor<1x1x8xf32> -> tensor<8x1x8xf32>
  %4 = hamkaas.permute %kc [0, 2, 1] : tensor<8x8x16xf32>
  %5 = hamkaas.matmul %q, %4 : tensor<8x1x16xf32>, tensor<8x16x8xf32>
  %6 = hamkaas.select %here, %3, %5 : tensor<8x1x8xi1>, tensor<8x1x8xf32>, tensor<8x1x8xf32>
  %7 = hamkaas.sliced_softmax %6 static_prefix 8 : tensor<8x1x8xf32>
  %8 = hamkaas.select %here, %zeros, %7 : tensor<8x1x8xi1>, tensor<8x1x8xf32>, tensor<8x1x8xf32>
  %9 = hamkaas.matmul %8, %vc : tensor<8x1x8xf32>, tensor<8x8x16xf32>
  %10 = hamkaas.select %here, %7, %zeros : tensor<8x1x8xi1>, tensor<8x1x8xf32>, tensor<8x1x8xf32>
  %11 = hamkaas.reduce sum %10 over [2] : tensor<8x1x8xf32>
  %12 = hamkaas.reshape %11 : tensor<8x1xf32> -> tensor<8x1x1xf32>
  %13 = hamkaas.mul %v, %12 : tensor<8x1x16xf32>, tensor<8x1x1xf32>
  %14 = hamkaas.add %9, %13 : tensor<8x1x16xf32>, tensor<8x1x16xf32>
  return %14 : tensor<8x1x16xf32>
}

// Rows of several batches, to which the average of one is repeated.

// CHECK-LABEL: func @repeated_average(
// CHECK-NOT:     hamkaas.attention
func.func @repeated_average(%q: tensor<1x1x16xf32>, %k: tensor<1x8x16xf32>, %v: tensor<1x8x16xf32>, %rows: tensor<4x1x16xf32>, %here: tensor<1x1x8xi1>) -> tensor<4x1x16xf32> {
  %zeros = hamkaas.constant dense<0.0> : tensor<1x1x8xf32>
  %0 = hamkaas.permute %k [0, 2, 1] : tensor<1x8x16xf32>
  %1 = hamkaas.matmul %q, %0 : tensor<1x1x16xf32>, tensor<1x16x8xf32>
  %2 = hamkaas.sliced_softmax %1 static_prefix 8 : tensor<1x1x8xf32>
  %3 = hamkaas.select %here, %zeros, %2 : tensor<1x1x8xi1>, tensor<1x1x8xf32>, tensor<1x1x8xf32>
  %4 = hamkaas.matmul %3, %v : tensor<1x1x8xf32>, tensor<1x8x16xf32>
  %5 = hamkaas.select %here, %2, %zeros : tensor<1x1x8xi1>, tensor<1x1x8xf32>, tensor<1x1x8xf32>
  %6 = hamkaas.reduce sum %5 over [2] : tensor<1x1x8xf32>
  %7 = hamkaas.reshape %6 : tensor<1x1xf32> -> tensor<1x1x1xf32>
  %8 = hamkaas.mul %rows, %7 : tensor<4x1x16xf32>, tensor<1x1x1xf32>
  %9 = hamkaas.add %8, %4 : tensor<4x1x16xf32>, tensor<1x1x16xf32>
  return %9 : tensor<4x1x16xf32>
}

// Rows in which nothing is allowed are zeros, as PyTorch's exporters write it:
// where the softmax is NaN. The mask and the bias tell them.

// CHECK-LABEL: func @no_nan(
// CHECK-SAME:    %[[Q:.*]]: tensor<4x8x16xf32>, %[[K:.*]]: tensor<4x8x16xf32>, %[[V:.*]]: tensor<4x8x16xf32>, %[[BIAS:.*]]: tensor<1x8x8xf32>
// CHECK-DAG:     %[[LOWEST:.*]] = hamkaas.constant dense<0xFF800000> : tensor<1x1x1xf32>
// CHECK-DAG:     %[[ZEROS:.*]] = hamkaas.constant dense<0.000000e+00> : tensor<4x8x16xf32>
// CHECK-DAG:     %[[Y:.*]] = hamkaas.attention %[[Q]], %[[K]], %[[V]] bias %[[BIAS]] scale 1.000000e+00
// CHECK-DAG:     %[[MOST:.*]] = hamkaas.reduce max %[[BIAS]] over [2]
// CHECK-DAG:     %[[ROWS:.*]] = hamkaas.reshape %[[MOST]] : tensor<1x8xf32> -> tensor<1x8x1xf32>
// CHECK-DAG:     %[[EMPTY:.*]] = hamkaas.compare eq %[[ROWS]], %[[LOWEST]]
// CHECK-DAG:     %[[ALL:.*]] = hamkaas.broadcast %[[EMPTY]] : tensor<1x8x1xi1> -> tensor<4x8x16xi1>
// CHECK:         %[[R:.*]] = hamkaas.select %[[ALL]], %[[ZEROS]], %[[Y]]
// CHECK:         return %[[R]]
func.func @no_nan(%q: tensor<4x8x16xf32>, %k: tensor<4x8x16xf32>, %v: tensor<4x8x16xf32>, %bias: tensor<1x8x8xf32>) -> tensor<4x8x16xf32> {
  %zeros = hamkaas.constant dense<0.0> : tensor<1x4x8x8xf32>
  %0 = hamkaas.permute %k [0, 2, 1] : tensor<4x8x16xf32>
  %1 = hamkaas.matmul %q, %0 : tensor<4x8x16xf32>, tensor<4x16x8xf32>
  %2 = hamkaas.add %1, %bias : tensor<4x8x8xf32>, tensor<1x8x8xf32>
  %3 = hamkaas.reshape %2 : tensor<4x8x8xf32> -> tensor<1x4x8x8xf32>
  %4 = hamkaas.sliced_softmax %3 static_prefix 8 : tensor<1x4x8x8xf32>
  %5 = hamkaas.compare ne %4, %4 : tensor<1x4x8x8xf32>, tensor<1x4x8x8xf32>
  %6 = hamkaas.select %5, %zeros, %4 : tensor<1x4x8x8xi1>, tensor<1x4x8x8xf32>, tensor<1x4x8x8xf32>
  %7 = hamkaas.reshape %6 : tensor<1x4x8x8xf32> -> tensor<4x8x8xf32>
  %8 = hamkaas.matmul %7, %v : tensor<4x8x8xf32>, tensor<4x8x16xf32>
  return %8 : tensor<4x8x16xf32>
}

// Without a bias nothing hides a row. A mask has its score.

// CHECK-LABEL: func @no_nan_of_masks(
// CHECK-DAG:     %[[SCORE:.*]] = hamkaas.constant dense<0xFF800000> : tensor<1x8x8xf32>
// CHECK-DAG:     %[[NONE:.*]] = hamkaas.constant dense<0.000000e+00> : tensor<1x8x8xf32>
// CHECK:         %[[Y:.*]] = hamkaas.attention %arg0, %arg1, %arg2 scale
// CHECK:         hamkaas.attention {{.*}} mask %arg3 scale
// CHECK:         %[[HIDDEN:.*]] = hamkaas.select %arg3, %[[SCORE]], %[[NONE]]
// CHECK:         hamkaas.reduce max %[[HIDDEN]] over [2]
// CHECK:         %[[Z:.*]] = hamkaas.select
// CHECK:         return %[[Y]], %[[Z]]
func.func @no_nan_of_masks(%q: tensor<4x8x16xf32>, %k: tensor<4x8x16xf32>, %v: tensor<4x8x16xf32>, %mask: tensor<1x8x8xi1>) -> (tensor<4x8x16xf32>, tensor<4x8x16xf32>) {
  %zeros = hamkaas.constant dense<0.0> : tensor<4x8x8xf32>
  %lowest = hamkaas.constant dense<0xFF800000> : tensor<4x8x8xf32>
  %0 = hamkaas.permute %k [0, 2, 1] : tensor<4x8x16xf32>
  %1 = hamkaas.matmul %q, %0 : tensor<4x8x16xf32>, tensor<4x16x8xf32>
  %2 = hamkaas.sliced_softmax %1 static_prefix 8 : tensor<4x8x8xf32>
  %3 = hamkaas.compare ne %2, %2 : tensor<4x8x8xf32>, tensor<4x8x8xf32>
  %4 = hamkaas.select %3, %zeros, %2 : tensor<4x8x8xi1>, tensor<4x8x8xf32>, tensor<4x8x8xf32>
  %5 = hamkaas.matmul %4, %v : tensor<4x8x8xf32>, tensor<4x8x16xf32>
  %10 = hamkaas.permute %k [0, 2, 1] : tensor<4x8x16xf32>
  %11 = hamkaas.matmul %q, %10 : tensor<4x8x16xf32>, tensor<4x16x8xf32>
  %12 = hamkaas.broadcast %mask : tensor<1x8x8xi1> -> tensor<4x8x8xi1>
  %13 = hamkaas.select %12, %lowest, %11 : tensor<4x8x8xi1>, tensor<4x8x8xf32>, tensor<4x8x8xf32>
  %14 = hamkaas.sliced_softmax %13 static_prefix 8 : tensor<4x8x8xf32>
  %15 = hamkaas.compare ne %14, %14 : tensor<4x8x8xf32>, tensor<4x8x8xf32>
  %16 = hamkaas.select %15, %zeros, %14 : tensor<4x8x8xi1>, tensor<4x8x8xf32>, tensor<4x8x8xf32>
  %17 = hamkaas.matmul %16, %v : tensor<4x8x8xf32>, tensor<4x8x16xf32>
  return %5, %17 : tensor<4x8x16xf32>, tensor<4x8x16xf32>
}

// A condition for each row, as ONNX's Attention is imported.

// CHECK-LABEL: func @empty_rows(
// CHECK:         %[[Y:.*]] = hamkaas.attention
// CHECK:         %[[ROWS:.*]] = hamkaas.reshape %arg3 : tensor<1x2x8x1xi1> -> tensor<2x8x1xi1>
// CHECK:         %[[ALL:.*]] = hamkaas.broadcast %[[ROWS]] : tensor<2x8x1xi1> -> tensor<2x8x16xi1>
// CHECK:         hamkaas.select %[[ALL]], %{{.*}}, %[[Y]]
func.func @empty_rows(%q: tensor<2x8x16xf32>, %k: tensor<2x8x16xf32>, %v: tensor<2x8x16xf32>, %rows: tensor<1x2x8x1xi1>) -> tensor<2x8x16xf32> {
  %zeros = hamkaas.constant dense<0.0> : tensor<1x2x8x8xf32>
  %0 = hamkaas.permute %k [0, 2, 1] : tensor<2x8x16xf32>
  %1 = hamkaas.matmul %q, %0 : tensor<2x8x16xf32>, tensor<2x16x8xf32>
  %2 = hamkaas.reshape %1 : tensor<2x8x8xf32> -> tensor<1x2x8x8xf32>
  %3 = hamkaas.sliced_softmax %2 static_prefix 8 : tensor<1x2x8x8xf32>
  %4 = hamkaas.broadcast %rows : tensor<1x2x8x1xi1> -> tensor<1x2x8x8xi1>
  %5 = hamkaas.select %4, %zeros, %3 : tensor<1x2x8x8xi1>, tensor<1x2x8x8xf32>, tensor<1x2x8x8xf32>
  %6 = hamkaas.reshape %5 : tensor<1x2x8x8xf32> -> tensor<2x8x8xf32>
  %7 = hamkaas.matmul %6, %v : tensor<2x8x8xf32>, tensor<2x8x16xf32>
  return %7 : tensor<2x8x16xf32>
}

// Two biases are one. Exporters add the mask to the positions' bias, or to the
// scores.

// CHECK-LABEL: func @two_biases(
// CHECK:         %[[ALL:.*]] = hamkaas.broadcast %arg3 : tensor<4x1x8xf32> -> tensor<4x8x8xf32>
// CHECK:         %[[SUM:.*]] = hamkaas.add %[[ALL]], %arg4 : tensor<4x8x8xf32>, tensor<1x8x8xf32>
// CHECK:         hamkaas.attention %arg0, %arg1, %arg2 bias %[[SUM]] scale 5.000000e-01
func.func @two_biases(%q: tensor<4x8x16xf32>, %k: tensor<4x8x16xf32>, %v: tensor<4x8x16xf32>, %a: tensor<4x1x8xf32>, %b: tensor<1x8x8xf32>) -> tensor<4x8x16xf32> {
  %scale = hamkaas.constant dense<0.5> : tensor<1x1x1xf32>
  %0 = hamkaas.permute %k [0, 2, 1] : tensor<4x8x16xf32>
  %1 = hamkaas.matmul %q, %0 : tensor<4x8x16xf32>, tensor<4x16x8xf32>
  %2 = hamkaas.mul %1, %scale : tensor<4x8x8xf32>, tensor<1x1x1xf32>
  %3 = hamkaas.add %2, %a : tensor<4x8x8xf32>, tensor<4x1x8xf32>
  %4 = hamkaas.add %3, %b : tensor<4x8x8xf32>, tensor<1x8x8xf32>
  %5 = hamkaas.sliced_softmax %4 static_prefix 8 : tensor<4x8x8xf32>
  %6 = hamkaas.matmul %5, %v : tensor<4x8x8xf32>, tensor<4x8x16xf32>
  return %6 : tensor<4x8x16xf32>
}

// The queries of three heads that share keys are rows of one matrix. A bias of
// queries is repeated for the heads, one of heads and queries has them in order.

// CHECK-LABEL: func @groups(
// CHECK:         %[[A:.*]] = hamkaas.broadcast %arg3 : tensor<1x8x5xf32> -> tensor<3x8x5xf32>
// CHECK:         %[[A1:.*]] = hamkaas.reshape %[[A]] : tensor<3x8x5xf32> -> tensor<1x24x5xf32>
// CHECK:         hamkaas.attention %arg0, %arg1, %arg2 bias %[[A1]]
// CHECK:         %[[B:.*]] = hamkaas.reshape %arg4 : tensor<6x8x5xf32> -> tensor<2x24x5xf32>
// CHECK:         hamkaas.attention %arg0, %arg1, %arg2 bias %[[B]]
// CHECK:         %[[C:.*]] = hamkaas.broadcast %arg5 : tensor<6x1x5xf32> -> tensor<6x8x5xf32>
// CHECK:         %[[C1:.*]] = hamkaas.reshape %[[C]] : tensor<6x8x5xf32> -> tensor<2x24x5xf32>
// CHECK:         hamkaas.attention %arg0, %arg1, %arg2 bias %[[C1]]
func.func @groups(%q: tensor<2x24x16xf32>, %k: tensor<2x5x16xf32>, %v: tensor<2x5x16xf32>, %a: tensor<1x8x5xf32>, %b: tensor<6x8x5xf32>, %c: tensor<6x1x5xf32>) -> (tensor<2x24x16xf32>, tensor<2x24x16xf32>, tensor<2x24x16xf32>) {
  %0 = hamkaas.permute %k [0, 2, 1] : tensor<2x5x16xf32>
  %1 = hamkaas.matmul %q, %0 : tensor<2x24x16xf32>, tensor<2x16x5xf32>
  %2 = hamkaas.reshape %1 : tensor<2x24x5xf32> -> tensor<6x8x5xf32>
  %3 = hamkaas.add %2, %a : tensor<6x8x5xf32>, tensor<1x8x5xf32>
  %4 = hamkaas.sliced_softmax %3 static_prefix 5 : tensor<6x8x5xf32>
  %5 = hamkaas.reshape %4 : tensor<6x8x5xf32> -> tensor<2x24x5xf32>
  %6 = hamkaas.matmul %5, %v : tensor<2x24x5xf32>, tensor<2x5x16xf32>
  %10 = hamkaas.permute %k [0, 2, 1] : tensor<2x5x16xf32>
  %11 = hamkaas.matmul %q, %10 : tensor<2x24x16xf32>, tensor<2x16x5xf32>
  %12 = hamkaas.reshape %11 : tensor<2x24x5xf32> -> tensor<6x8x5xf32>
  %13 = hamkaas.add %12, %b : tensor<6x8x5xf32>, tensor<6x8x5xf32>
  %14 = hamkaas.sliced_softmax %13 static_prefix 5 : tensor<6x8x5xf32>
  %15 = hamkaas.reshape %14 : tensor<6x8x5xf32> -> tensor<2x24x5xf32>
  %16 = hamkaas.matmul %15, %v : tensor<2x24x5xf32>, tensor<2x5x16xf32>
  %20 = hamkaas.permute %k [0, 2, 1] : tensor<2x5x16xf32>
  %21 = hamkaas.matmul %q, %20 : tensor<2x24x16xf32>, tensor<2x16x5xf32>
  %22 = hamkaas.reshape %21 : tensor<2x24x5xf32> -> tensor<6x8x5xf32>
  %23 = hamkaas.add %22, %c : tensor<6x8x5xf32>, tensor<6x1x5xf32>
  %24 = hamkaas.sliced_softmax %23 static_prefix 5 : tensor<6x8x5xf32>
  %25 = hamkaas.reshape %24 : tensor<6x8x5xf32> -> tensor<2x24x5xf32>
  %26 = hamkaas.matmul %25, %v : tensor<2x24x5xf32>, tensor<2x5x16xf32>
  return %6, %16, %26 : tensor<2x24x16xf32>, tensor<2x24x16xf32>, tensor<2x24x16xf32>
}

// One head of keys for all queries.

// CHECK-LABEL: func @shared_keys(
// CHECK:         %[[KEYS:.*]] = hamkaas.broadcast %arg1 : tensor<1x8x16xf32> -> tensor<4x8x16xf32>
// CHECK:         hamkaas.attention %arg0, %[[KEYS]], %arg2 scale
func.func @shared_keys(%q: tensor<4x8x16xf32>, %k: tensor<1x8x16xf32>, %v: tensor<4x8x16xf32>) -> tensor<4x8x16xf32> {
  %0 = hamkaas.permute %k [0, 2, 1] : tensor<1x8x16xf32>
  %1 = hamkaas.broadcast %0 : tensor<1x16x8xf32> -> tensor<4x16x8xf32>
  %2 = hamkaas.matmul %q, %1 : tensor<4x8x16xf32>, tensor<4x16x8xf32>
  %3 = hamkaas.sliced_softmax %2 static_prefix 8 : tensor<4x8x8xf32>
  %4 = hamkaas.matmul %3, %v : tensor<4x8x8xf32>, tensor<4x8x16xf32>
  return %4 : tensor<4x8x16xf32>
}

// Two queries that share the permuted keys.

// CHECK-LABEL: func @shared_permute(
// CHECK:         hamkaas.attention %arg0, %arg2, %arg3 scale
// CHECK:         hamkaas.attention %arg1, %arg2, %arg3 scale
func.func @shared_permute(%p: tensor<4x8x16xf32>, %q: tensor<4x8x16xf32>, %k: tensor<4x8x16xf32>, %v: tensor<4x8x16xf32>) -> (tensor<4x8x16xf32>, tensor<4x8x16xf32>) {
  %0 = hamkaas.permute %k [0, 2, 1] : tensor<4x8x16xf32>
  %1 = hamkaas.matmul %p, %0 : tensor<4x8x16xf32>, tensor<4x16x8xf32>
  %2 = hamkaas.sliced_softmax %1 static_prefix 8 : tensor<4x8x8xf32>
  %3 = hamkaas.matmul %2, %v : tensor<4x8x8xf32>, tensor<4x8x16xf32>
  %4 = hamkaas.matmul %q, %0 : tensor<4x8x16xf32>, tensor<4x16x8xf32>
  %5 = hamkaas.sliced_softmax %4 static_prefix 8 : tensor<4x8x8xf32>
  %6 = hamkaas.matmul %5, %v : tensor<4x8x8xf32>, tensor<4x8x16xf32>
  return %3, %6 : tensor<4x8x16xf32>, tensor<4x8x16xf32>
}
