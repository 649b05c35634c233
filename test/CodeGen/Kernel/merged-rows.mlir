// RUN: hamkaas-opt %s -hamkaas-attach-target=target-cpu=x86-64-v3 -hamkaas-cpu-emit-kernels -canonicalize | FileCheck %s
// LEVELS: x86-64 x86-64-v3 x86-64-v4 or emulated
// RUN: %python %S/../Inputs/execute.py %s --level=%level

#id = affine_map<(n, h, w, c) -> (n, h, w, c)>
#channel = affine_map<(n, h, w, c) -> (c)>
#image = affine_map<(n, h, w, c) -> (n, c)>
#line = affine_map<(n, h, w, c) -> (h, c)>

// Rows of channels are at one distance in all tensors, so the number of a row
// is its index: there is nothing to divide.

// CHECK-LABEL: func.func private @concat(
// CHECK-NOT:     arith.remui
// CHECK:         scf.for
// CHECK:           scf.for %[[ROW:[^ ]*]] =
// CHECK:             vector.transfer_write {{.*}}[%c0, %c0, %[[ROW]], %{{.*}}]
// CHECK-NOT:     arith.remui
// CHECK:       return
func.func private @concat(%x: tensor<2x5x7x96xf32>, %y: tensor<2x5x7x40xf32>, %out: tensor<2x5x7x136xf32>) -> tensor<2x5x7x136xf32>
    attributes {hamkaas.kernel = #hamkaas.kernel<movement>} {
  %e = tensor.empty() : tensor<2x5x7x136xf32>
  %0 = tensor.insert_slice %x into %e[0, 0, 0, 0] [2, 5, 7, 96] [1, 1, 1, 1] : tensor<2x5x7x96xf32> into tensor<2x5x7x136xf32>
  %1 = tensor.insert_slice %y into %0[0, 0, 0, 96] [2, 5, 7, 40] [1, 1, 1, 1] : tensor<2x5x7x40xf32> into tensor<2x5x7x136xf32>
  return %1 : tensor<2x5x7x136xf32>
}

// The same where rows of both pieces are written together.

// CHECK-LABEL: func.func private @beside(
// CHECK-NOT:     arith.remui
// CHECK:       return
func.func private @beside(%x: tensor<2x5x7x40xf32>, %y: tensor<2x5x7x3xf32>, %out: tensor<2x5x7x43xf32>) -> tensor<2x5x7x43xf32>
    attributes {hamkaas.kernel = #hamkaas.kernel<movement>} {
  %e = tensor.empty() : tensor<2x5x7x43xf32>
  %0 = tensor.insert_slice %x into %e[0, 0, 0, 0] [2, 5, 7, 40] [1, 1, 1, 1] : tensor<2x5x7x40xf32> into tensor<2x5x7x43xf32>
  %1 = tensor.insert_slice %y into %0[0, 0, 0, 40] [2, 5, 7, 3] [1, 1, 1, 1] : tensor<2x5x7x3xf32> into tensor<2x5x7x43xf32>
  return %1 : tensor<2x5x7x43xf32>
}

// CHECK-LABEL: func.func private @channels(
// CHECK-NOT:     arith.remui
// CHECK:       return
func.func private @channels(%x: tensor<2x5x7x96xf32>, %y: tensor<96xf32>, %out: tensor<2x5x7x96xf32>) -> tensor<2x5x7x96xf32>
    attributes {hamkaas.kernel = #hamkaas.kernel<elementwise>} {
  %e = tensor.empty() : tensor<2x5x7x96xf32>
  %0 = linalg.generic {indexing_maps = [#id, #channel, #id], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
    ins(%x, %y : tensor<2x5x7x96xf32>, tensor<96xf32>) outs(%e : tensor<2x5x7x96xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %s = arith.addf %a, %b : f32
    linalg.yield %s : f32
  } -> tensor<2x5x7x96xf32>
  return %0 : tensor<2x5x7x96xf32>
}

// An operand that differs from image to image keeps their number, one that
// differs from line to line both.

// CHECK-LABEL: func.func private @images(
// CHECK-DAG:     %[[PIXELS:.*]] = arith.constant 35 : index
// CHECK:         arith.remui %{{.*}}, %[[PIXELS]]
// CHECK-NOT:     arith.remui
// CHECK:       return
func.func private @images(%x: tensor<2x5x7x96xf32>, %y: tensor<2x96xf32>, %out: tensor<2x5x7x96xf32>) -> tensor<2x5x7x96xf32>
    attributes {hamkaas.kernel = #hamkaas.kernel<elementwise>} {
  %e = tensor.empty() : tensor<2x5x7x96xf32>
  %0 = linalg.generic {indexing_maps = [#id, #image, #id], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
    ins(%x, %y : tensor<2x5x7x96xf32>, tensor<2x96xf32>) outs(%e : tensor<2x5x7x96xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %s = arith.addf %a, %b : f32
    linalg.yield %s : f32
  } -> tensor<2x5x7x96xf32>
  return %0 : tensor<2x5x7x96xf32>
}

// CHECK-LABEL: func.func private @lines(
// CHECK-COUNT-2: arith.remui
// CHECK:       return
func.func private @lines(%x: tensor<2x5x7x96xf32>, %y: tensor<5x96xf32>, %out: tensor<2x5x7x96xf32>) -> tensor<2x5x7x96xf32>
    attributes {hamkaas.kernel = #hamkaas.kernel<elementwise>} {
  %e = tensor.empty() : tensor<2x5x7x96xf32>
  %0 = linalg.generic {indexing_maps = [#id, #line, #id], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
    ins(%x, %y : tensor<2x5x7x96xf32>, tensor<5x96xf32>) outs(%e : tensor<2x5x7x96xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %s = arith.addf %a, %b : f32
    linalg.yield %s : f32
  } -> tensor<2x5x7x96xf32>
  return %0 : tensor<2x5x7x96xf32>
}

// So does an operation that uses the number of a line. Pixels of a line are
// consecutive.

// CHECK-LABEL: func.func private @numbers(
// CHECK-DAG:     %[[LINES:.*]] = arith.constant 5 : index
// CHECK:         arith.remui %{{.*}}, %[[LINES]]
// CHECK:       return
func.func private @numbers(%x: tensor<2x5x7x96xf32>, %out: tensor<2x5x7x96xf32>) -> tensor<2x5x7x96xf32>
    attributes {hamkaas.kernel = #hamkaas.kernel<elementwise>} {
  %e = tensor.empty() : tensor<2x5x7x96xf32>
  %0 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
    ins(%x : tensor<2x5x7x96xf32>) outs(%e : tensor<2x5x7x96xf32>) {
  ^bb0(%a: f32, %o: f32):
    %i = linalg.index 1 : index
    %j = arith.index_cast %i : index to i32
    %f = arith.sitofp %j : i32 to f32
    %s = arith.addf %a, %f : f32
    linalg.yield %s : f32
  } -> tensor<2x5x7x96xf32>
  return %0 : tensor<2x5x7x96xf32>
}

// One image has the number 0: no quotient is taken for it.

// CHECK-LABEL: func.func private @one_image(
// CHECK:         arith.remui
// CHECK:         arith.divui
// CHECK-NOT:     arith.{{remui|divui}}
// CHECK:       return
func.func private @one_image(%x: tensor<1x5x7x96xf32>, %y: tensor<5x96xf32>, %out: tensor<1x5x7x96xf32>) -> tensor<1x5x7x96xf32>
    attributes {hamkaas.kernel = #hamkaas.kernel<elementwise>} {
  %e = tensor.empty() : tensor<1x5x7x96xf32>
  %0 = linalg.generic {indexing_maps = [#id, #line, #id], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
    ins(%x, %y : tensor<1x5x7x96xf32>, tensor<5x96xf32>) outs(%e : tensor<1x5x7x96xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %s = arith.addf %a, %b : f32
    linalg.yield %s : f32
  } -> tensor<1x5x7x96xf32>
  return %0 : tensor<1x5x7x96xf32>
}
