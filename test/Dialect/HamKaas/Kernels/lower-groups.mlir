// RUN: hamkaas-opt %s -hamkaas-lower-groups -split-input-file | FileCheck %s

// Inside a group, operations write to empty tensors; the group stays.

// CHECK-LABEL: func @contraction(
// CHECK-NEXT:    hamkaas.group contraction(
// CHECK-NEXT:    ^bb0(%[[X:.*]]: tensor<4x8xf32>, %[[W:.*]]: tensor<8x16xf32>):
// CHECK:           %[[E:.*]] = tensor.empty() : tensor<4x16xf32>
// CHECK:           %[[ZERO:.*]] = linalg.fill
// CHECK-SAME:        outs(%[[E]]
// CHECK:           %[[M:.*]] = linalg.generic
// CHECK-SAME:        iterator_types = ["parallel", "parallel", "reduction"]
// CHECK-SAME:        ins(%[[X]], %[[W]]
// CHECK-SAME:        outs(%[[ZERO]]
// CHECK:             arith.mulf
// CHECK:             arith.addf
// CHECK:           %[[R:.*]] = linalg.generic
// CHECK-SAME:        ins(%[[M]]
// CHECK:             %[[NEGATIVE:.*]] = arith.cmpf olt
// CHECK:             arith.select %[[NEGATIVE]]
// CHECK-NOT:       hamkaas.matmul
// CHECK-NOT:       hamkaas.relu
// CHECK:           hamkaas.yield %[[R]]
func.func @contraction(%x: tensor<4x8xf32>, %w: tensor<8x16xf32>) -> tensor<4x16xf32> {
  %0 = hamkaas.group contraction(%x, %w) : (tensor<4x8xf32>, tensor<8x16xf32>) -> tensor<4x16xf32> {
  ^bb0(%a: tensor<4x8xf32>, %b: tensor<8x16xf32>):
    %1 = hamkaas.matmul %a, %b : tensor<4x8xf32>, tensor<8x16xf32>
    %2 = hamkaas.relu %1 : tensor<4x16xf32>
    hamkaas.yield %2 : tensor<4x16xf32>
  }
  return %0 : tensor<4x16xf32>
}

// -----

// A dimension of size 1 is read at 0.

// CHECK: #[[ROW:.*]] = affine_map<(d0, d1) -> (0, d1)>
// CHECK-LABEL: func @repeated(
// CHECK:         linalg.generic {indexing_maps = [#{{.*}}, #[[ROW]], #{{.*}}]
// CHECK:           arith.addf
func.func @repeated(%x: tensor<4x8xf32>, %b: tensor<1x8xf32>) -> tensor<4x8xf32> {
  %0 = hamkaas.add %x, %b : tensor<4x8xf32>, tensor<1x8xf32>
  return %0 : tensor<4x8xf32>
}

// -----

// A row operation is a reduction and what uses it.

// CHECK-LABEL: func @row(
// CHECK:         linalg.generic
// CHECK-SAME:      "reduction"]
// CHECK:         math.{{r?}}sqrt
// CHECK-NOT:     hamkaas.
func.func @row(%x: tensor<4x8xf32>, %w: tensor<8xf32>) -> tensor<4x8xf32> {
  %0 = hamkaas.rms_norm %x, %w : tensor<4x8xf32>, tensor<8xf32>
  return %0 : tensor<4x8xf32>
}

// -----

// An update in place overwrites its operand, once its position is checked.

// CHECK-LABEL: func @replace(
// CHECK-SAME:    %[[X:[^:]*]]: tensor<4x2xf32>, %[[R:[^:]*]]: tensor<1x2xf32>
// CHECK:         hamkaas.check %{{.*}}, "expected 0 <= begin, end <= 4 and end - begin = 1, got begin {0} and end {1}"
// CHECK:         tensor.insert_slice %[[R]] into %[[X]][%{{.*}}, 0] [1, 2] [1, 1]
// CHECK-NOT:     tensor.empty
func.func @replace(%x: tensor<4x2xf32>, %r: tensor<1x2xf32>, %b: tensor<1xi64>, %e: tensor<1xi64>) -> tensor<4x2xf32> {
  %0 = hamkaas.replace_slice %x, %r, %b, %e : tensor<4x2xf32>, tensor<1x2xf32>
  return %0 : tensor<4x2xf32>
}

// -----

// The caller vouches for the position: no check.

// CHECK-LABEL: func @unchecked(
// CHECK-NOT:     hamkaas.check
// CHECK:         tensor.insert_slice
func.func @unchecked(%x: tensor<4x2xf32>, %r: tensor<1x2xf32>, %b: tensor<1xi64>, %e: tensor<1xi64>) -> tensor<4x2xf32> {
  %0 = hamkaas.replace_slice %x, %r, %b, %e {unchecked} : tensor<4x2xf32>, tensor<1x2xf32>
  return %0 : tensor<4x2xf32>
}

// -----

// Views stand outside of groups and become views of tensors.

// CHECK-LABEL: func @views(
// CHECK-SAME:    %[[X:.*]]: tensor<4x6xf32>
// CHECK-NEXT:    %[[S:.*]] = tensor.extract_slice %[[X]][1, 0] [2, 6] [1, 1]
// CHECK-NEXT:    %[[R:.*]] = tensor.collapse_shape %[[S]] {{\[\[}}0, 1]]
// CHECK-NEXT:    return %[[R]]
func.func @views(%x: tensor<4x6xf32>) -> tensor<12xf32> {
  %0 = hamkaas.slice %x[1, 3] : tensor<4x6xf32>
  %1 = hamkaas.reshape %0 : tensor<2x6xf32> -> tensor<12xf32>
  return %1 : tensor<12xf32>
}

// -----

// Nothing to do.

// CHECK-LABEL: func @nothing(
// CHECK-NEXT:    return
func.func @nothing(%x: tensor<4xf32>) -> tensor<4xf32> {
  return %x : tensor<4xf32>
}

// -----

// An exponential of a row less its largest entry is marked as of nothing above
// 0, but not if the largest entries of rows are subtracted from columns.

// CHECK-LABEL: func @shifted_rows(
// CHECK:         math.exp %{{.*}} {hamkaas.nonpositive}
// CHECK-LABEL: func @shifted_columns(
// CHECK-NOT:     nonpositive
// CHECK:         math.exp
// CHECK-NOT:     nonpositive
func.func @shifted_rows(%x: tensor<4x4xf32>) -> tensor<4x4xf32> {
  %0 = hamkaas.reduce max %x over [1] : tensor<4x4xf32>
  %1 = hamkaas.reshape %0 : tensor<4xf32> -> tensor<4x1xf32>
  %2 = hamkaas.sub %x, %1 : tensor<4x4xf32>, tensor<4x1xf32>
  %3 = hamkaas.exp %2 : tensor<4x4xf32>
  return %3 : tensor<4x4xf32>
}
func.func @shifted_columns(%x: tensor<4x4xf32>) -> tensor<4x4xf32> {
  %0 = hamkaas.reduce max %x over [1] : tensor<4x4xf32>
  %1 = hamkaas.reshape %0 : tensor<4xf32> -> tensor<1x4xf32>
  %2 = hamkaas.sub %x, %1 : tensor<4x4xf32>, tensor<1x4xf32>
  %3 = hamkaas.exp %2 : tensor<4x4xf32>
  return %3 : tensor<4x4xf32>
}

// -----

// Groups of channels that are outermost are read there.

// CHECK: #[[MAP:.*]] = affine_map<(d0, d1, d2, d3, d4, d5, d6, d7) -> (d3, d0, d1 + d5, d2 + d6, d7)>
// CHECK-LABEL: func @groups_first(
// CHECK:         ^bb0(%[[X:.*]]: tensor<2x1x5x6x16xf32>, %[[W:.*]]: tensor<3x3x16x32xf32>):
// CHECK-NOT:       tensor.collapse_shape
// CHECK:           linalg.generic {indexing_maps = [#[[MAP]],
// CHECK-SAME:        ins(%[[X]], %[[W]]
func.func @groups_first(%x: tensor<2x1x5x6x16xf32>, %w: tensor<3x3x16x32xf32>) -> tensor<1x3x4x32xf32> {
  %0 = hamkaas.group contraction(%x, %w) : (tensor<2x1x5x6x16xf32>, tensor<3x3x16x32xf32>) -> tensor<1x3x4x32xf32> {
  ^bb0(%a: tensor<2x1x5x6x16xf32>, %b: tensor<3x3x16x32xf32>):
    %1 = hamkaas.permute %a [1, 2, 3, 0, 4] : tensor<2x1x5x6x16xf32>
    %2 = hamkaas.reshape %1 : tensor<1x5x6x2x16xf32> -> tensor<1x5x6x32xf32>
    %3 = hamkaas.conv %2, %b strides [1, 1] dilations [1, 1] pad [0, 0] to [0, 0] groups 2 : tensor<1x5x6x32xf32>, tensor<3x3x16x32xf32>
    hamkaas.yield %3 : tensor<1x3x4x32xf32>
  }
  return %0 : tensor<1x3x4x32xf32>
}

// -----

// A copy with a margin.

// CHECK-LABEL: func @padded(
// CHECK:         hamkaas.group movement
// CHECK:         tensor.pad %{{.*}} low[0, 1] high[2, 0]
func.func @padded(%x: tensor<4x4xf32>) -> tensor<6x5xf32> {
  %0 = hamkaas.group movement(%x) : (tensor<4x4xf32>) -> tensor<6x5xf32> {
  ^bb0(%a: tensor<4x4xf32>):
    %1 = hamkaas.pad %a low [0, 1] high [2, 0] interior [0, 0] value 2.0 : f32 : tensor<4x4xf32>
    hamkaas.yield %1 : tensor<6x5xf32>
  }
  return %0 : tensor<6x5xf32>
}
