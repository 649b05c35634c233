// RUN: hamkaas-opt %s -hamkaas-form-groups -split-input-file | FileCheck %s

// Pointwise users of the same shape join the contraction.

// CHECK-LABEL: func @epilogue(
// CHECK-SAME:    %[[X:.*]]: tensor<4x8xf32>, %[[W:.*]]: tensor<8x16xf32>, %[[B:.*]]: tensor<1x16xf32>
// CHECK:         hamkaas.group contraction(%[[X]], %[[W]], %[[B]]) {hamkaas.flops = 1152 : i64, hamkaas.ops = "matmul+add+relu"}
// CHECK:           hamkaas.matmul
// CHECK-NEXT:      hamkaas.add
// CHECK-NEXT:      hamkaas.relu
// CHECK-NEXT:      hamkaas.yield
// CHECK-NOT:     hamkaas.group
func.func @epilogue(%x: tensor<4x8xf32>, %w: tensor<8x16xf32>, %b: tensor<1x16xf32>) -> tensor<4x16xf32> {
  %0 = hamkaas.matmul %x, %w : tensor<4x8xf32>, tensor<8x16xf32>
  %1 = hamkaas.add %0, %b : tensor<4x16xf32>, tensor<1x16xf32>
  %2 = hamkaas.relu %1 : tensor<4x16xf32>
  return %2 : tensor<4x16xf32>
}

// -----

// A value that others read too stays in memory: computed once.

// CHECK-LABEL: func @shared(
// CHECK:         %[[M:.*]] = hamkaas.group contraction
// CHECK:         %[[R:.*]] = hamkaas.group elementwise(%[[M]])
// CHECK:         return %[[M]], %[[R]]
func.func @shared(%x: tensor<4x8xf32>, %w: tensor<8x16xf32>) -> (tensor<4x16xf32>, tensor<4x16xf32>) {
  %0 = hamkaas.matmul %x, %w : tensor<4x8xf32>, tensor<8x16xf32>
  %1 = hamkaas.relu %0 : tensor<4x16xf32>
  return %0, %1 : tensor<4x16xf32>, tensor<4x16xf32>
}

// -----

// A value used twice within one group is still one member.

// CHECK-LABEL: func @diamond(
// CHECK:         hamkaas.group elementwise(%{{.*}}) {{.*}}hamkaas.ops = "relu+silu+mul"
// CHECK-NOT:     hamkaas.group
func.func @diamond(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = hamkaas.relu %x : tensor<4xf32>
  %1 = hamkaas.silu %0 : tensor<4xf32>
  %2 = hamkaas.mul %1, %0 : tensor<4xf32>, tensor<4xf32>
  return %2 : tensor<4xf32>
}

// -----

// One root a group; the second contraction keeps its own.

// CHECK-LABEL: func @two_roots(
// CHECK:         %[[A:.*]] = hamkaas.group contraction
// CHECK:         hamkaas.group contraction({{.*}}%[[A]]{{.*}}hamkaas.ops = "matmul+add"
func.func @two_roots(%x: tensor<4x8xf32>, %w: tensor<8x16xf32>) -> tensor<4x16xf32> {
  %0 = hamkaas.matmul %x, %w : tensor<4x8xf32>, tensor<8x16xf32>
  %1 = hamkaas.matmul %x, %w : tensor<4x8xf32>, tensor<8x16xf32>
  %2 = hamkaas.add %0, %1 : tensor<4x16xf32>, tensor<4x16xf32>
  return %2 : tensor<4x16xf32>
}

// -----

// A repeated number is a constant of the kernels that read it element by
// element, and a tensor for others.

// CHECK-LABEL: func @repeated_number(
// CHECK:         %[[B:.*]] = hamkaas.group elementwise({{.*}}"broadcast"
// CHECK:         %[[Y:.*]] = hamkaas.group elementwise(%{{[^,]*}}) {{.*}}"compare+select"
// CHECK-NEXT:    ^bb0(%[[X:.*]]: tensor<4x6xf32>):
// CHECK:           %[[TWO:.*]] = hamkaas.constant dense<2.000000e+00> : tensor<4x6xf32>
// CHECK:           hamkaas.select %{{.*}}, %[[X]], %[[TWO]]
// CHECK:         return %[[Y]], %[[B]]
func.func @repeated_number(%x: tensor<4x6xf32>) -> (tensor<4x6xf32>, tensor<4x6xf32>) {
  %one = hamkaas.constant dense<1.0> : tensor<1x1xf32>
  %two = hamkaas.constant dense<2.0> : tensor<1x1xf32>
  %0 = hamkaas.compare gt %x, %one : tensor<4x6xf32>, tensor<1x1xf32>
  %1 = hamkaas.broadcast %two : tensor<1x1xf32> -> tensor<4x6xf32>
  %2 = hamkaas.select %0, %x, %1 : tensor<4x6xi1>, tensor<4x6xf32>, tensor<4x6xf32>
  return %2, %1 : tensor<4x6xf32>, tensor<4x6xf32>
}

// -----

// A broadcast operand is not computed once per repetition.

// CHECK-LABEL: func @repeated(
// CHECK:         %[[B:.*]] = hamkaas.group elementwise({{.*}}) {{.*}}"relu"
// CHECK:         hamkaas.group elementwise({{.*}}%[[B]]) {{.*}}"add"
func.func @repeated(%x: tensor<4x16xf32>, %b: tensor<1x16xf32>) -> tensor<4x16xf32> {
  %0 = hamkaas.relu %b : tensor<1x16xf32>
  %1 = hamkaas.add %x, %0 : tensor<4x16xf32>, tensor<1x16xf32>
  return %1 : tensor<4x16xf32>
}

// -----

// A replacement is a group of its own that may take over its target's storage.

// CHECK-LABEL: func @movement(
// CHECK-SAME:    %[[X:[^:]*]]: tensor<4xf32>, %[[R:[^:]*]]: tensor<1xf32>
// CHECK:         hamkaas.group movement(%[[X]], %[[R]], {{.*}}updated = 0
func.func @movement(%x: tensor<4xf32>, %r: tensor<1xf32>, %b: tensor<1xi64>, %e: tensor<1xi64>) -> tensor<4xf32> {
  %0 = hamkaas.replace_slice %x, %r, %b, %e : tensor<4xf32>, tensor<1xf32>
  return %0 : tensor<4xf32>
}

// -----

// A value that is read as well as updated is two inputs.

// CHECK-LABEL: func @two_roles(
// CHECK-SAME:    %[[X:[^:]*]]: tensor<3xi64>
// CHECK:         hamkaas.group loops(%[[X]], %[[X]]) {{.*}}updated = 0
// CHECK-NEXT:    ^bb0(%[[TARGET:.*]]: tensor<3xi64>, %[[READ:.*]]: tensor<3xi64>):
// CHECK-NEXT:      hamkaas.scatter none %[[TARGET]], %[[READ]], %[[READ]]
func.func @two_roles(%x: tensor<3xi64>) -> tensor<3xi64> {
  %0 = hamkaas.scatter none %x, %x, %x : tensor<3xi64>, tensor<3xi64>, tensor<3xi64>
  return %0 : tensor<3xi64>
}

// -----

// Nothing to do: views cost nothing.

// CHECK-LABEL: func @views(
// CHECK-NOT:     hamkaas.group
func.func @views(%x: tensor<4x2xf32>) -> tensor<4xf32> {
  %0 = hamkaas.slice %x[1, 3] : tensor<4x2xf32>
  %1 = hamkaas.reshape %0 : tensor<2x2xf32> -> tensor<4xf32>
  return %1 : tensor<4xf32>
}

// -----

// A value that a permutation reads too stays in memory, in any operand order.

// CHECK-LABEL: func @permuted(
// CHECK:         %[[S:.*]] = hamkaas.group elementwise({{.*}}hamkaas.ops = "silu"
// CHECK:         %[[A:.*]] = hamkaas.group elementwise(%[[S]]) {{.*}}hamkaas.ops = "permute+mul"
// CHECK:         %[[B:.*]] = hamkaas.group elementwise(%[[S]]) {{.*}}hamkaas.ops = "permute+mul"
// CHECK:         return %[[A]], %[[B]]
func.func @permuted(%x: tensor<4x4xf32>) -> (tensor<4x4xf32>, tensor<4x4xf32>) {
  %s = hamkaas.silu %x : tensor<4x4xf32>
  %p = hamkaas.permute %s [1, 0] : tensor<4x4xf32>
  %0 = hamkaas.mul %p, %s : tensor<4x4xf32>, tensor<4x4xf32>
  %q = hamkaas.permute %s [1, 0] : tensor<4x4xf32>
  %1 = hamkaas.mul %s, %q : tensor<4x4xf32>, tensor<4x4xf32>
  return %0, %1 : tensor<4x4xf32>, tensor<4x4xf32>
}

// -----

// The first of the two users alone would compute it twice.

// CHECK-LABEL: func @permuted_once(
// CHECK:         hamkaas.group elementwise({{.*}}hamkaas.ops = "silu"
// CHECK:         hamkaas.group elementwise({{.*}}hamkaas.ops = "permute+mul"
func.func @permuted_once(%x: tensor<4x4xf32>) -> tensor<4x4xf32> {
  %s = hamkaas.silu %x : tensor<4x4xf32>
  %p = hamkaas.permute %s [1, 0] : tensor<4x4xf32>
  %0 = hamkaas.mul %p, %s : tensor<4x4xf32>, tensor<4x4xf32>
  return %0 : tensor<4x4xf32>
}

// -----

// Each pass over a row computes what is cheap again.

// CHECK-LABEL: func @row(
// CHECK:         hamkaas.group row({{.*}}hamkaas.ops = "mul+add+sliced_softmax+relu"
// CHECK-NOT:     hamkaas.group
func.func @row(%x: tensor<4x8xf32>, %s: tensor<1x1xf32>, %m: tensor<4x8xf32>, %p: tensor<1xi64>) -> tensor<4x8xf32> {
  %0 = hamkaas.mul %x, %s : tensor<4x8xf32>, tensor<1x1xf32>
  %1 = hamkaas.add %0, %m : tensor<4x8xf32>, tensor<4x8xf32>
  %2 = hamkaas.sliced_softmax %1 prefix(%p) : tensor<4x8xf32>
  %3 = hamkaas.relu %2 : tensor<4x8xf32>
  return %3 : tensor<4x8xf32>
}

// -----

// A row that becomes one element has the shape of what is read, not of the
// result: a broadcast along it would be read once for every element.

// CHECK-LABEL: func @one_result(
// CHECK:         hamkaas.group row({{.*}}hamkaas.ops = "mul+log_sum_exp+relu"
// CHECK-NOT:     hamkaas.group
func.func @one_result(%x: tensor<4x8xf32>, %s: tensor<1x1xf32>) -> tensor<4xf32> {
  %0 = hamkaas.mul %x, %s : tensor<4x8xf32>, tensor<1x1xf32>
  %1 = hamkaas.log_sum_exp %0 : tensor<4x8xf32>
  %2 = hamkaas.relu %1 : tensor<4xf32>
  return %2 : tensor<4xf32>
}

// -----

// Operations that are expensive, or read in another order, are computed once.

// CHECK-LABEL: func @row_expensive(
// CHECK:         hamkaas.group elementwise({{.*}}hamkaas.ops = "silu"
// CHECK:         hamkaas.group elementwise({{.*}}hamkaas.ops = "permute"
// CHECK:         hamkaas.group row({{.*}}hamkaas.ops = "add+sliced_softmax"
func.func @row_expensive(%x: tensor<8x8xf32>, %p: tensor<1xi64>) -> tensor<8x8xf32> {
  %0 = hamkaas.silu %x : tensor<8x8xf32>
  %1 = hamkaas.permute %x [1, 0] : tensor<8x8xf32>
  %2 = hamkaas.add %0, %1 : tensor<8x8xf32>, tensor<8x8xf32>
  %3 = hamkaas.sliced_softmax %2 prefix(%p) : tensor<8x8xf32>
  return %3 : tensor<8x8xf32>
}

// -----

// An operation that can be computed at any point joins its pointwise user, but
// reads its own operands from memory.

// CHECK-LABEL: func @chosen(
// CHECK:         %[[R:.*]] = hamkaas.group elementwise(%{{.*}}) {{.*}}hamkaas.ops = "relu"
// CHECK:         hamkaas.group elementwise(%[[R]], %{{.*}}) {{.*}}hamkaas.ops = "pad+add"
// CHECK-NOT:     hamkaas.group
func.func @chosen(%x: tensor<4x4xf32>, %b: tensor<4x5xf32>) -> tensor<4x5xf32> {
  %0 = hamkaas.relu %x : tensor<4x4xf32>
  %1 = hamkaas.pad %0 low [0, 1] high [0, 0] interior [0, 0] value 0.0 : f32 : tensor<4x4xf32>
  %2 = hamkaas.add %1, %b : tensor<4x5xf32>, tensor<4x5xf32>
  return %2 : tensor<4x5xf32>
}

// -----

// Padding alone is a copy with a margin, of what pointwise operations compute;
// not with elements in between.

// CHECK-LABEL: func @padded(
// CHECK:         hamkaas.group movement{{.*}}hamkaas.ops = "pad"
// CHECK:         hamkaas.group elementwise{{.*}}hamkaas.ops = "pad"
func.func @padded(%x: tensor<4x4xf32>) -> (tensor<4x5xf32>, tensor<4x7xf32>) {
  %0 = hamkaas.pad %x low [0, 1] high [0, 0] interior [0, 0] value 0.0 : f32 : tensor<4x4xf32>
  %1 = hamkaas.pad %x low [0, 0] high [0, 0] interior [0, 1] value 0.0 : f32 : tensor<4x4xf32>
  return %0, %1 : tensor<4x5xf32>, tensor<4x7xf32>
}

// -----

// A kernel has the text of one error: two gathers that check their indices are
// two kernels, others one.

// CHECK-LABEL: func @checked(
// CHECK:         hamkaas.group elementwise{{.*}}hamkaas.ops = "gather"
// CHECK:         hamkaas.group elementwise{{.*}}hamkaas.ops = "gather+add"
// CHECK-LABEL: func @unchecked(
// CHECK:         hamkaas.group elementwise{{.*}}hamkaas.ops = "gather+gather+add"
func.func @checked(%x: tensor<4xf32>, %i: tensor<3xi64>, %j: tensor<3xi64>) -> tensor<3xf32> {
  %0 = hamkaas.gather %x, %i dim 0 : tensor<4xf32>, tensor<3xi64>
  %1 = hamkaas.gather %x, %j dim 0 : tensor<4xf32>, tensor<3xi64>
  %2 = hamkaas.add %0, %1 : tensor<3xf32>, tensor<3xf32>
  return %2 : tensor<3xf32>
}
func.func @unchecked(%x: tensor<4xf32>, %i: tensor<3xi64>, %j: tensor<3xi64>) -> tensor<3xf32> {
  %0 = hamkaas.gather %x, %i dim 0 {unchecked} : tensor<4xf32>, tensor<3xi64>
  %1 = hamkaas.gather %x, %j dim 0 : tensor<4xf32>, tensor<3xi64>
  %2 = hamkaas.add %0, %1 : tensor<3xf32>, tensor<3xf32>
  return %2 : tensor<3xf32>
}

// -----

// Concatenations and loops stand alone.

// CHECK-LABEL: func @alone(
// CHECK:         hamkaas.group movement{{.*}}hamkaas.ops = "concat"
// CHECK:         hamkaas.group loops{{.*}}hamkaas.ops = "cumsum"
// CHECK:         hamkaas.group elementwise{{.*}}hamkaas.ops = "relu"
func.func @alone(%x: tensor<4xf32>) -> tensor<8xf32> {
  %0 = hamkaas.concat %x, %x dim 0 : tensor<4xf32>, tensor<4xf32>
  %1 = hamkaas.cumsum %0 dim 0 : tensor<8xf32>
  %2 = hamkaas.relu %1 : tensor<8xf32>
  return %2 : tensor<8xf32>
}

// -----

// Producers fuse into a reduction, whatever they cost: each element is read
// once. So do consumers in the shape of the result.

// CHECK-LABEL: func @reduction(
// CHECK-NEXT:    %[[Y:.*]] = hamkaas.group reduction(%{{.*}}, %{{.*}}) {hamkaas.flops = {{.*}}, hamkaas.ops = "silu+reduce+add"}
// CHECK:         return %[[Y]]
func.func @reduction(%x: tensor<4x8xf32>, %b: tensor<8xf32>) -> tensor<8xf32> {
  %0 = hamkaas.silu %x : tensor<4x8xf32>
  %1 = hamkaas.reduce sum %0 over [0] : tensor<4x8xf32>
  %2 = hamkaas.add %1, %b : tensor<8xf32>, tensor<8xf32>
  return %2 : tensor<8xf32>
}

// -----

// Windows overlap: what they read is in memory.

// CHECK-LABEL: func @windows(
// CHECK:         hamkaas.group elementwise
// CHECK-SAME:      hamkaas.ops = "silu"
// CHECK:         hamkaas.group reduction
// CHECK-SAME:      hamkaas.ops = "pool+relu"
func.func @windows(%x: tensor<1x4x4x8xf32>) -> tensor<1x3x3x8xf32> {
  %0 = hamkaas.silu %x : tensor<1x4x4x8xf32>
  %1 = hamkaas.pool max %0 window [2, 2] strides [1, 1] dilations [1, 1] pad [0, 0] to [0, 0] : tensor<1x4x4x8xf32>
  %2 = hamkaas.relu %1 : tensor<1x3x3x8xf32>
  return %2 : tensor<1x3x3x8xf32>
}

// -----

// A convolution of one channel a group is a reduction, any other one of float32
// a contraction.

// CHECK-LABEL: func @convolutions(
// CHECK:         hamkaas.group contraction
// CHECK-SAME:      hamkaas.ops = "conv+relu"
// CHECK:         hamkaas.group reduction
// CHECK-SAME:      hamkaas.ops = "conv"
func.func @convolutions(%x: tensor<1x6x6x8xf32>, %w: tensor<3x3x8x8xf32>, %d: tensor<3x3x1x8xf32>) -> tensor<1x2x2x8xf32> {
  %0 = hamkaas.conv %x, %w strides [1, 1] dilations [1, 1] pad [0, 0] to [0, 0] groups 1 : tensor<1x6x6x8xf32>, tensor<3x3x8x8xf32>
  %1 = hamkaas.relu %0 : tensor<1x4x4x8xf32>
  %2 = hamkaas.conv %1, %d strides [1, 1] dilations [1, 1] pad [0, 0] to [0, 0] groups 8 : tensor<1x4x4x8xf32>, tensor<3x3x1x8xf32>
  return %2 : tensor<1x2x2x8xf32>
}

// -----

// A depthwise convolution is computed with its channels first where they are so
// before and after it.

// CHECK-LABEL: func @planar(
// CHECK:         %[[G:.*]] = hamkaas.group reduction({{.*}}hamkaas.ops = "permute+conv+add+permute"
// CHECK-NOT:     hamkaas.group
// CHECK:         return %[[G]]
func.func @planar(%x: tensor<1x8x5x5xf32>, %w: tensor<3x3x1x8xf32>, %b: tensor<1x1x1x8xf32>) -> tensor<1x8x5x5xf32> {
  %0 = hamkaas.permute %x [0, 2, 3, 1] : tensor<1x8x5x5xf32>
  %1 = hamkaas.conv %0, %w strides [1, 1] dilations [1, 1] pad [1, 1] to [1, 1] groups 8 : tensor<1x5x5x8xf32>, tensor<3x3x1x8xf32>
  %2 = hamkaas.add %1, %b : tensor<1x5x5x8xf32>, tensor<1x1x1x8xf32>
  %3 = hamkaas.permute %2 [0, 3, 1, 2] : tensor<1x5x5x8xf32>
  return %3 : tensor<1x8x5x5xf32>
}

// -----

// It reads weights where they are, unless others read them permuted, too.

// CHECK-LABEL: func @planar_weights(
// CHECK-SAME:    %[[X:.*]]: tensor<1x8x5x5xf32>, %[[W:.*]]: tensor<8x1x3x3xf32>
// CHECK:         %[[G:.*]] = hamkaas.group reduction({{.*}}%[[W]]{{.*}}hamkaas.ops = "permute+permute+conv+permute"
// CHECK-NOT:     hamkaas.group
// CHECK:         return %[[G]]
func.func @planar_weights(%x: tensor<1x8x5x5xf32>, %w: tensor<8x1x3x3xf32>) -> tensor<1x8x5x5xf32> {
  %0 = hamkaas.permute %x [0, 2, 3, 1] : tensor<1x8x5x5xf32>
  %1 = hamkaas.permute %w [2, 3, 1, 0] : tensor<8x1x3x3xf32>
  %2 = hamkaas.conv %0, %1 strides [1, 1] dilations [1, 1] pad [1, 1] to [1, 1] groups 8 : tensor<1x5x5x8xf32>, tensor<3x3x1x8xf32>
  %3 = hamkaas.permute %2 [0, 3, 1, 2] : tensor<1x5x5x8xf32>
  return %3 : tensor<1x8x5x5xf32>
}

// CHECK-LABEL: func @planar_shared_weights(
// CHECK:         hamkaas.group elementwise({{.*}}hamkaas.ops = "permute"
// CHECK:         hamkaas.group reduction({{.*}}hamkaas.ops = "permute+conv+permute"
// CHECK:         return
func.func @planar_shared_weights(%x: tensor<1x8x5x5xf32>, %w: tensor<8x1x3x3xf32>) -> (tensor<1x8x5x5xf32>, tensor<3x3x1x8xf32>) {
  %0 = hamkaas.permute %x [0, 2, 3, 1] : tensor<1x8x5x5xf32>
  %1 = hamkaas.permute %w [2, 3, 1, 0] : tensor<8x1x3x3xf32>
  %2 = hamkaas.conv %0, %1 strides [1, 1] dilations [1, 1] pad [1, 1] to [1, 1] groups 8 : tensor<1x5x5x8xf32>, tensor<3x3x1x8xf32>
  %3 = hamkaas.permute %2 [0, 3, 1, 2] : tensor<1x5x5x8xf32>
  return %3, %1 : tensor<1x8x5x5xf32>, tensor<3x3x1x8xf32>
}

// -----

// So is a pooling, with numbers of any smaller shape after it.

// CHECK-LABEL: func @planar_pool(
// CHECK:         %[[G:.*]] = hamkaas.group reduction({{.*}}hamkaas.ops = "permute+pool+div+permute"
// CHECK-NOT:     hamkaas.group
// CHECK:         return %[[G]]
func.func @planar_pool(%x: tensor<1x8x5x5xf32>, %n: tensor<1x1x5x1xf32>) -> tensor<1x8x5x5xf32> {
  %0 = hamkaas.permute %x [0, 2, 3, 1] : tensor<1x8x5x5xf32>
  %1 = hamkaas.pool sum %0 window [3, 3] strides [1, 1] dilations [1, 1] pad [1, 1] to [1, 1] : tensor<1x5x5x8xf32>
  %2 = hamkaas.div %1, %n : tensor<1x5x5x8xf32>, tensor<1x1x5x1xf32>
  %3 = hamkaas.permute %2 [0, 3, 1, 2] : tensor<1x5x5x8xf32>
  return %3 : tensor<1x8x5x5xf32>
}

// So are those of sequences and volumes.

// CHECK-LABEL: func @planar_sequence(
// CHECK:         %[[G:.*]] = hamkaas.group reduction({{.*}}hamkaas.ops = "permute+pool+permute"
// CHECK-NOT:     hamkaas.group
// CHECK:         return %[[G]]
func.func @planar_sequence(%x: tensor<2x8x50xf32>) -> tensor<2x8x48xf32> {
  %0 = hamkaas.permute %x [0, 2, 1] : tensor<2x8x50xf32>
  %1 = hamkaas.pool max %0 window [3] strides [1] dilations [1] pad [0] to [0] : tensor<2x50x8xf32>
  %2 = hamkaas.permute %1 [0, 2, 1] : tensor<2x48x8xf32>
  return %2 : tensor<2x8x48xf32>
}

// CHECK-LABEL: func @planar_volume(
// CHECK:         %[[G:.*]] = hamkaas.group reduction({{.*}}hamkaas.ops = "permute+pool+permute"
// CHECK-NOT:     hamkaas.group
// CHECK:         return %[[G]]
func.func @planar_volume(%x: tensor<1x8x6x6x6xf32>) -> tensor<1x8x3x3x3xf32> {
  %0 = hamkaas.permute %x [0, 2, 3, 4, 1] : tensor<1x8x6x6x6xf32>
  %1 = hamkaas.pool max %0 window [2, 2, 2] strides [2, 2, 2] dilations [1, 1, 1] pad [0, 0, 0] to [0, 0, 0] : tensor<1x6x6x6x8xf32>
  %2 = hamkaas.permute %1 [0, 4, 1, 2, 3] : tensor<1x3x3x3x8xf32>
  return %2 : tensor<1x8x3x3x3xf32>
}

// -----

// Not so where something else of the result's size has its channels last, the
// permuted operand has another user, or windows are large or have gaps.

// CHECK-LABEL: func @not_planar(
// CHECK-NOT:     permute+conv
// CHECK-NOT:     conv+permute
// CHECK:         return
func.func @not_planar(%x: tensor<1x8x5x5xf32>, %w: tensor<3x3x1x8xf32>, %v: tensor<9x1x1x8xf32>, %r: tensor<1x5x5x8xf32>) -> (tensor<1x8x5x5xf32>, tensor<1x8x5x5xf32>, tensor<1x5x5x8xf32>) {
  %0 = hamkaas.permute %x [0, 2, 3, 1] : tensor<1x8x5x5xf32>
  %1 = hamkaas.conv %0, %w strides [1, 1] dilations [1, 1] pad [1, 1] to [1, 1] groups 8 : tensor<1x5x5x8xf32>, tensor<3x3x1x8xf32>
  %2 = hamkaas.add %1, %r : tensor<1x5x5x8xf32>, tensor<1x5x5x8xf32>
  %3 = hamkaas.permute %2 [0, 3, 1, 2] : tensor<1x5x5x8xf32>
  %4 = hamkaas.permute %x [0, 2, 3, 1] : tensor<1x8x5x5xf32>
  %5 = hamkaas.conv %4, %v strides [1, 1] dilations [1, 1] pad [4, 0] to [4, 0] groups 8 : tensor<1x5x5x8xf32>, tensor<9x1x1x8xf32>
  %6 = hamkaas.permute %5 [0, 3, 1, 2] : tensor<1x5x5x8xf32>
  return %3, %6, %0 : tensor<1x8x5x5xf32>, tensor<1x8x5x5xf32>, tensor<1x5x5x8xf32>
}

// CHECK-LABEL: func @not_planar_pool(
// CHECK-NOT:     permute+pool
// CHECK-NOT:     pool+permute
// CHECK:         return
func.func @not_planar_pool(%x: tensor<1x8x9x5xf32>) -> tensor<1x8x2x5xf32> {
  %0 = hamkaas.permute %x [0, 2, 3, 1] : tensor<1x8x9x5xf32>
  %1 = hamkaas.pool max %0 window [8, 1] strides [1, 1] dilations [1, 1] pad [0, 0] to [0, 0] : tensor<1x9x5x8xf32>
  %2 = hamkaas.permute %1 [0, 3, 1, 2] : tensor<1x2x5x8xf32>
  return %2 : tensor<1x8x2x5xf32>
}

// -----

// Dilated windows share fewer elements, but need no permutes either.

// CHECK-LABEL: func @planar_dilated(
// CHECK:         hamkaas.group reduction({{.*}}hamkaas.ops = "permute+pool+permute"
func.func @planar_dilated(%x: tensor<1x8x5x5xf32>) -> tensor<1x8x3x3xf32> {
  %0 = hamkaas.permute %x [0, 2, 3, 1] : tensor<1x8x5x5xf32>
  %1 = hamkaas.pool max %0 window [2, 2] strides [1, 1] dilations [2, 2] pad [0, 0] to [0, 0] : tensor<1x5x5x8xf32>
  %2 = hamkaas.permute %1 [0, 3, 1, 2] : tensor<1x3x3x8xf32>
  return %2 : tensor<1x8x3x3xf32>
}

// -----

// With an activation that reads it several times.

// CHECK-LABEL: func @planar_leaky_relu(
// CHECK-NEXT:    hamkaas.constant
// CHECK-NEXT:    hamkaas.group reduction({{.*}}hamkaas.ops = "permute+conv+mul+compare+select+permute"
// CHECK:         return
func.func @planar_leaky_relu(%x: tensor<1x8x5x5xf32>, %w: tensor<3x3x1x8xf32>, %a: tensor<1x1x1x8xf32>) -> tensor<1x8x5x5xf32> {
  %zero = hamkaas.constant dense<0.0> : tensor<1x1x1x1xf32>
  %0 = hamkaas.permute %x [0, 2, 3, 1] : tensor<1x8x5x5xf32>
  %1 = hamkaas.conv %0, %w strides [1, 1] dilations [1, 1] pad [1, 1] to [1, 1] groups 8 : tensor<1x5x5x8xf32>, tensor<3x3x1x8xf32>
  %2 = hamkaas.mul %1, %a : tensor<1x5x5x8xf32>, tensor<1x1x1x8xf32>
  %3 = hamkaas.compare lt %1, %zero : tensor<1x5x5x8xf32>, tensor<1x1x1x1xf32>
  %4 = hamkaas.select %3, %2, %1 : tensor<1x5x5x8xi1>, tensor<1x5x5x8xf32>, tensor<1x5x5x8xf32>
  %5 = hamkaas.permute %4 [0, 3, 1, 2] : tensor<1x5x5x8xf32>
  return %5 : tensor<1x8x5x5xf32>
}

// -----

// One convolution a kernel.

// CHECK-LABEL: func @two_planar(
// CHECK-COUNT-2: hamkaas.group reduction({{.*}}hamkaas.ops = "conv"
// CHECK:         return
func.func @two_planar(%x: tensor<1x8x5x5xf32>, %w: tensor<3x3x1x8xf32>) -> tensor<1x8x5x5xf32> {
  %0 = hamkaas.permute %x [0, 2, 3, 1] : tensor<1x8x5x5xf32>
  %1 = hamkaas.conv %0, %w strides [1, 1] dilations [1, 1] pad [1, 1] to [1, 1] groups 8 : tensor<1x5x5x8xf32>, tensor<3x3x1x8xf32>
  %2 = hamkaas.conv %1, %w strides [1, 1] dilations [1, 1] pad [1, 1] to [1, 1] groups 8 : tensor<1x5x5x8xf32>, tensor<3x3x1x8xf32>
  %3 = hamkaas.permute %2 [0, 3, 1, 2] : tensor<1x5x5x8xf32>
  return %3 : tensor<1x8x5x5xf32>
}

// -----

// A group has the knobs of its root, else of its last operation.

// CHECK-LABEL: func @knobs(
// CHECK:         hamkaas.group contraction({{.*}}) {hamkaas.flops = {{[0-9]+}} : i64, hamkaas.knobs = {rows = 3 : i64}, hamkaas.ops = "matmul+relu"}
// CHECK:         hamkaas.group elementwise({{.*}}) {hamkaas.flops = {{[0-9]+}} : i64, hamkaas.knobs = {grain = 512 : i64}, hamkaas.ops = "exp+relu"}
func.func @knobs(%x: tensor<4x8xf32>, %w: tensor<8x16xf32>) -> (tensor<4x16xf32>, tensor<4x8xf32>) {
  %0 = hamkaas.matmul %x, %w {hamkaas.knobs = {rows = 3}} : tensor<4x8xf32>, tensor<8x16xf32>
  %1 = hamkaas.relu %0 {hamkaas.knobs = {grain = 256}} : tensor<4x16xf32>
  %2 = hamkaas.exp %x {hamkaas.knobs = {grain = 256}} : tensor<4x8xf32>
  %3 = hamkaas.relu %2 {hamkaas.knobs = {grain = 512}} : tensor<4x8xf32>
  return %1, %3 : tensor<4x16xf32>, tensor<4x8xf32>
}

// -----

// A reshape of moved elements stands behind what the kernel can take, but not
// between two operations that another kernel has.

// CHECK-LABEL: func @reshaped_elements(
// CHECK:         hamkaas.group elementwise({{.*}}hamkaas.ops = "permute+add+relu"
// CHECK:         hamkaas.reshape {{.*}} : tensor<3x4x2xf32> -> tensor<3x8xf32>
// CHECK:         hamkaas.group elementwise({{.*}}hamkaas.ops = "permute"
// CHECK:         hamkaas.reshape {{.*}} : tensor<3x4x2xf32> -> tensor<3x8xf32>
// CHECK:         hamkaas.group elementwise({{.*}}hamkaas.ops = "exp+add"
func.func @reshaped_elements(%x: tensor<2x3x4xf32>, %b: tensor<3x1xf32>, %y: tensor<3x8xf32>) -> (tensor<3x8xf32>, tensor<3x8xf32>) {
  %0 = hamkaas.permute %x[1, 2, 0] : tensor<2x3x4xf32>
  %1 = hamkaas.reshape %0 : tensor<3x4x2xf32> -> tensor<3x8xf32>
  %2 = hamkaas.add %1, %b : tensor<3x8xf32>, tensor<3x1xf32>
  %3 = hamkaas.relu %2 : tensor<3x8xf32>
  %4 = hamkaas.permute %x[1, 2, 0] : tensor<2x3x4xf32>
  %5 = hamkaas.reshape %4 : tensor<3x4x2xf32> -> tensor<3x8xf32>
  %6 = hamkaas.exp %y : tensor<3x8xf32>
  %7 = hamkaas.add %5, %6 : tensor<3x8xf32>, tensor<3x8xf32>
  return %3, %7 : tensor<3x8xf32>, tensor<3x8xf32>
}

// -----

// A convolution reads groups of channels where they lie, if they are outermost
// in a copy.

// CHECK-LABEL: func @groups_first(
// CHECK-SAME:    %[[X:.*]]: tensor<2x1x5x6x16xf32>, %[[W:.*]]: tensor<3x3x16x32xf32>
// CHECK-NEXT:    %[[COPY:.*]] = hamkaas.group movement(%[[X]])
// CHECK:         hamkaas.group contraction(%[[COPY]], %[[W]])
// CHECK:           hamkaas.permute
// CHECK-NEXT:      hamkaas.reshape
// CHECK-NEXT:      hamkaas.conv
// CHECK-NEXT:      hamkaas.relu
func.func @groups_first(%x: tensor<2x1x5x6x16xf32>, %w: tensor<3x3x16x32xf32>) -> tensor<1x3x4x32xf32> {
  %copy = hamkaas.group movement(%x) : (tensor<2x1x5x6x16xf32>) -> tensor<2x1x5x6x16xf32> {
  ^bb0(%a: tensor<2x1x5x6x16xf32>):
    hamkaas.yield %a : tensor<2x1x5x6x16xf32>
  }
  %0 = hamkaas.permute %copy [1, 2, 3, 0, 4] : tensor<2x1x5x6x16xf32>
  %1 = hamkaas.reshape %0 : tensor<1x5x6x2x16xf32> -> tensor<1x5x6x32xf32>
  %2 = hamkaas.conv %1, %w strides [1, 1] dilations [1, 1] pad [0, 0] to [0, 0] groups 2 : tensor<1x5x6x32xf32>, tensor<3x3x16x32xf32>
  %3 = hamkaas.relu %2 : tensor<1x3x4x32xf32>
  return %3 : tensor<1x3x4x32xf32>
}

// -----

// Not another permute, nor one that splits a group, nor with padding.

// CHECK-LABEL: func @other_permutes(
// CHECK:         hamkaas.group {{.*}}"permute"
// CHECK:         hamkaas.group contraction
// CHECK:         hamkaas.group {{.*}}"permute"
// CHECK:         hamkaas.group contraction
// CHECK:         hamkaas.group {{.*}}"permute"
// CHECK:         hamkaas.group {{.*}}"conv"
func.func @other_permutes(%x: tensor<2x1x5x5x16xf32>, %y: tensor<4x1x5x5x8xf32>, %w: tensor<3x3x16x32xf32>) -> (tensor<1x3x3x32xf32>, tensor<1x3x3x32xf32>, tensor<1x5x5x32xf32>) {
  %copies:3 = hamkaas.group movement(%x, %y) : (tensor<2x1x5x5x16xf32>, tensor<4x1x5x5x8xf32>) -> (tensor<2x1x5x5x16xf32>, tensor<4x1x5x5x8xf32>, tensor<2x1x5x5x16xf32>) {
  ^bb0(%a: tensor<2x1x5x5x16xf32>, %b: tensor<4x1x5x5x8xf32>):
    hamkaas.yield %a, %b, %a : tensor<2x1x5x5x16xf32>, tensor<4x1x5x5x8xf32>, tensor<2x1x5x5x16xf32>
  }
  %0 = hamkaas.permute %copies#0 [1, 3, 2, 0, 4] : tensor<2x1x5x5x16xf32>
  %1 = hamkaas.reshape %0 : tensor<1x5x5x2x16xf32> -> tensor<1x5x5x32xf32>
  %2 = hamkaas.conv %1, %w strides [1, 1] dilations [1, 1] pad [0, 0] to [0, 0] groups 2 : tensor<1x5x5x32xf32>, tensor<3x3x16x32xf32>
  %3 = hamkaas.permute %copies#1 [1, 2, 3, 0, 4] : tensor<4x1x5x5x8xf32>
  %4 = hamkaas.reshape %3 : tensor<1x5x5x4x8xf32> -> tensor<1x5x5x32xf32>
  %5 = hamkaas.conv %4, %w strides [1, 1] dilations [1, 1] pad [0, 0] to [0, 0] groups 2 : tensor<1x5x5x32xf32>, tensor<3x3x16x32xf32>
  %6 = hamkaas.permute %copies#2 [1, 2, 3, 0, 4] : tensor<2x1x5x5x16xf32>
  %7 = hamkaas.reshape %6 : tensor<1x5x5x2x16xf32> -> tensor<1x5x5x32xf32>
  %8 = hamkaas.conv %7, %w strides [1, 1] dilations [1, 1] pad [1, 1] to [1, 1] groups 2 : tensor<1x5x5x32xf32>, tensor<3x3x16x32xf32>
  return %2, %5, %8 : tensor<1x3x3x32xf32>, tensor<1x3x3x32xf32>, tensor<1x5x5x32xf32>
}

// A transform reads every second row and column of images where they are, but
// not every second channel.

// CHECK-LABEL: func @strided_images(
// CHECK:         hamkaas.group transform({{.*}}"strided_slice+winograd_input"}
// CHECK:         hamkaas.group elementwise({{.*}}"strided_slice"}
// CHECK:         hamkaas.group transform({{.*}}"winograd_input"}
// CHECK:         return
func.func @strided_images(%x: tensor<1x11x11x64xf32>) -> (tensor<5x5x1x1x1x64xf32>, tensor<5x5x1x1x1x32xf32>) {
  %0 = hamkaas.strided_slice %x offsets [0, 1, 0, 0] sizes [1, 5, 5, 64] strides [1, 2, 2, 1] : tensor<1x11x11x64xf32>
  %1 = hamkaas.winograd_input %0 tile 4 window [2, 2] : tensor<1x5x5x64xf32>
  %2 = hamkaas.strided_slice %x offsets [0, 1, 0, 0] sizes [1, 5, 5, 32] strides [1, 2, 2, 2] : tensor<1x11x11x64xf32>
  %3 = hamkaas.winograd_input %2 tile 4 window [2, 2] : tensor<1x5x5x32xf32>
  return %1, %3 : tensor<5x5x1x1x1x64xf32>, tensor<5x5x1x1x1x32xf32>
}

// -----

// A reduction reads what is repeated where it lies.

// CHECK-LABEL: func @repeated(
// CHECK-SAME:    %[[X:.*]]: tensor<1x8x16xf32>, %[[Y:.*]]: tensor<3x1x16xf32>
// CHECK-NEXT:    hamkaas.group reduction(%[[X]], %[[Y]]) {{.*}}hamkaas.ops = "broadcast+mul+reduce"
// CHECK-NOT:     hamkaas.group
func.func @repeated(%x: tensor<1x8x16xf32>, %y: tensor<3x1x16xf32>) -> tensor<3x8xf32> {
  %0 = hamkaas.broadcast %x : tensor<1x8x16xf32> -> tensor<3x8x16xf32>
  %1 = hamkaas.mul %0, %y : tensor<3x8x16xf32>, tensor<3x1x16xf32>
  %2 = hamkaas.reduce sum %1 over [2] : tensor<3x8x16xf32>
  return %2 : tensor<3x8xf32>
}

// -----

// A repeated parameter is not kept: its reader reads the parameter.

ml_program.global private @line(#ml_program.extern<tensor<1x16xf32>>) : tensor<1x16xf32>
// CHECK-LABEL: func @repeated_parameter(
// CHECK-SAME:    %[[X:.*]]: tensor<8x16xi1>, %[[Y:.*]]: tensor<8x16xf32>
// CHECK-NEXT:    %[[LINE:.*]] = ml_program.global_load_const @line
// CHECK-NEXT:    hamkaas.group elementwise(%[[LINE]], %[[X]], %[[Y]]) {{.*}}hamkaas.ops = "broadcast+select"
// CHECK-NOT:     hamkaas.group
func.func @repeated_parameter(%x: tensor<8x16xi1>, %y: tensor<8x16xf32>) -> tensor<8x16xf32> {
  %line = ml_program.global_load_const @line : tensor<1x16xf32>
  %0 = hamkaas.broadcast %line : tensor<1x16xf32> -> tensor<8x16xf32>
  %1 = hamkaas.select %x, %0, %y : tensor<8x16xi1>, tensor<8x16xf32>, tensor<8x16xf32>
  return %1 : tensor<8x16xf32>
}
