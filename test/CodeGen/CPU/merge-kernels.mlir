// RUN: hamkaas-opt %s -hamkaas-cpu-merge-kernels | FileCheck %s

// Kernels that differ in sizes share the body of the first; each passes its own
// sizes. What is the same number in all of them stays a constant.

// CHECK-LABEL: llvm.func @first_shared(
// CHECK-SAME:    !llvm.ptr, %{{[^:]*}}: i64, %{{[^:]*}}: i64, %{{[^:]*}}: !llvm.ptr, %[[SIZES:[^:]*]]: !llvm.ptr) -> i32
// CHECK-SAME:    hamkaas.kernel = #hamkaas.kernel<movement>
// CHECK:         %[[A:.*]] = llvm.load %{{.*}} invariant : !llvm.ptr -> i64
// CHECK:         %[[PLACE:.*]] = llvm.getelementptr %[[SIZES]][1]
// CHECK:         %[[B:.*]] = llvm.load %[[PLACE]] invariant : !llvm.ptr -> i64
// CHECK:         %[[STRIDE:.*]] = llvm.mlir.constant(7 : index) : i64
// CHECK:         llvm.mul %{{.*}}, %[[A]] : i64
// CHECK:         llvm.mul %{{.*}}, %[[B]] : i64
// CHECK:         llvm.icmp "slt" %{{.*}}, %[[A]] : i64
// CHECK:         llvm.mul %{{.*}}, %[[STRIDE]] : i64

// CHECK:       llvm.mlir.global internal constant @first_sizes(dense<[64, 100]> : tensor<2xi64>)
// CHECK-LABEL: llvm.func @first_body(
// CHECK-NOT:     hamkaas.kernel
// CHECK:         %[[TABLE:.*]] = llvm.mlir.addressof @first_sizes
// CHECK-NEXT:    %[[STATUS:.*]] = llvm.call tail @first_shared(%{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}, %[[TABLE]])
// CHECK-NEXT:    llvm.return %[[STATUS]]

// CHECK:       llvm.mlir.global internal constant @second_sizes(dense<[96, 200]> : tensor<2xi64>)
// CHECK-LABEL: llvm.func @second_body(
// CHECK:         llvm.mlir.addressof @second_sizes
// CHECK-NEXT:    llvm.call tail @first_shared(

// In what runs each time, the stride of an innermost loop stays a constant.
// CHECK-LABEL: llvm.func @stride_100_body(
// CHECK-NOT:     llvm.call
// CHECK-LABEL: llvm.func @stride_200_body(
// CHECK-NOT:     llvm.call

// In what runs when the program is loaded it does not.
// CHECK-LABEL: llvm.func @prepared_100_shared(
// CHECK-LABEL: llvm.func @prepared_100_body(
// CHECK-LABEL: llvm.func @prepared_200_body(
// CHECK:         llvm.call tail @prepared_100_shared(

// Neither another number that is no size nor another operation is shared.
// CHECK-LABEL: llvm.func @third_body(
// CHECK-NOT:     llvm.call
// CHECK-LABEL: llvm.func @fourth_body(
// CHECK-NOT:     llvm.call

llvm.func @first_body(%arg0: !llvm.ptr, %arg1: i64, %arg2: i64, %arg3: !llvm.ptr) -> i32 attributes {hamkaas.kernel = #hamkaas.kernel<movement>, hamkaas.tiles = 8 : i64} {
  %status = llvm.mlir.constant(0 : i32) : i32
  %zero = llvm.mlir.constant(0 : index) : i64
  %one = llvm.mlir.constant(1 : index) : i64
  %a = llvm.mlir.constant(64 : index) : i64
  %b = llvm.mlir.constant(100 : index) : i64
  %stride = llvm.mlir.constant(7 : index) : i64
  %factor = llvm.mlir.constant(2.0 : f32) : f32
  %x = llvm.load %arg0 : !llvm.ptr -> !llvm.ptr
  llvm.br ^outer(%arg1 : i64)
^outer(%i: i64):
  %more = llvm.icmp "slt" %i, %arg2 : i64
  llvm.cond_br %more, ^rows, ^done
^rows:
  %at0 = llvm.mul %i, %a : i64
  %at1 = llvm.mul %i, %b : i64
  %at2 = llvm.add %at0, %at1 : i64
  llvm.br ^inner(%zero : i64)
^inner(%j: i64):
  %left = llvm.icmp "slt" %j, %a : i64
  llvm.cond_br %left, ^element, ^next
^element:
  %o0 = llvm.mul %j, %stride : i64
  %s0 = llvm.add %o0, %at2 : i64
  %g0 = llvm.getelementptr %x[%s0] : (!llvm.ptr, i64) -> !llvm.ptr, f32
  %l0 = llvm.load %g0 : !llvm.ptr -> f32
  %f0 = llvm.fadd %l0, %factor : f32
  llvm.store %f0, %g0 : f32, !llvm.ptr
  %o1 = llvm.mul %j, %stride : i64
  %s1 = llvm.add %o1, %s0 : i64
  %g1 = llvm.getelementptr %x[%s1] : (!llvm.ptr, i64) -> !llvm.ptr, f32
  %l1 = llvm.load %g1 : !llvm.ptr -> f32
  %f1 = llvm.fadd %l1, %factor : f32
  llvm.store %f1, %g1 : f32, !llvm.ptr
  %o2 = llvm.mul %j, %stride : i64
  %s2 = llvm.add %o2, %s1 : i64
  %g2 = llvm.getelementptr %x[%s2] : (!llvm.ptr, i64) -> !llvm.ptr, f32
  %l2 = llvm.load %g2 : !llvm.ptr -> f32
  %f2 = llvm.fadd %l2, %factor : f32
  llvm.store %f2, %g2 : f32, !llvm.ptr
  %o3 = llvm.mul %j, %stride : i64
  %s3 = llvm.add %o3, %s2 : i64
  %g3 = llvm.getelementptr %x[%s3] : (!llvm.ptr, i64) -> !llvm.ptr, f32
  %l3 = llvm.load %g3 : !llvm.ptr -> f32
  %f3 = llvm.fadd %l3, %factor : f32
  llvm.store %f3, %g3 : f32, !llvm.ptr
  %o4 = llvm.mul %j, %stride : i64
  %s4 = llvm.add %o4, %s3 : i64
  %g4 = llvm.getelementptr %x[%s4] : (!llvm.ptr, i64) -> !llvm.ptr, f32
  %l4 = llvm.load %g4 : !llvm.ptr -> f32
  %f4 = llvm.fadd %l4, %factor : f32
  llvm.store %f4, %g4 : f32, !llvm.ptr
  %j1 = llvm.add %j, %one : i64
  llvm.br ^inner(%j1 : i64)
^next:
  %i1 = llvm.add %i, %one : i64
  llvm.br ^outer(%i1 : i64)
^done:
  llvm.return %status : i32
}
llvm.func @second_body(%arg0: !llvm.ptr, %arg1: i64, %arg2: i64, %arg3: !llvm.ptr) -> i32 attributes {hamkaas.kernel = #hamkaas.kernel<movement>, hamkaas.tiles = 8 : i64} {
  %status = llvm.mlir.constant(0 : i32) : i32
  %zero = llvm.mlir.constant(0 : index) : i64
  %one = llvm.mlir.constant(1 : index) : i64
  %a = llvm.mlir.constant(96 : index) : i64
  %b = llvm.mlir.constant(200 : index) : i64
  %stride = llvm.mlir.constant(7 : index) : i64
  %factor = llvm.mlir.constant(2.0 : f32) : f32
  %x = llvm.load %arg0 : !llvm.ptr -> !llvm.ptr
  llvm.br ^outer(%arg1 : i64)
^outer(%i: i64):
  %more = llvm.icmp "slt" %i, %arg2 : i64
  llvm.cond_br %more, ^rows, ^done
^rows:
  %at0 = llvm.mul %i, %a : i64
  %at1 = llvm.mul %i, %b : i64
  %at2 = llvm.add %at0, %at1 : i64
  llvm.br ^inner(%zero : i64)
^inner(%j: i64):
  %left = llvm.icmp "slt" %j, %a : i64
  llvm.cond_br %left, ^element, ^next
^element:
  %o0 = llvm.mul %j, %stride : i64
  %s0 = llvm.add %o0, %at2 : i64
  %g0 = llvm.getelementptr %x[%s0] : (!llvm.ptr, i64) -> !llvm.ptr, f32
  %l0 = llvm.load %g0 : !llvm.ptr -> f32
  %f0 = llvm.fadd %l0, %factor : f32
  llvm.store %f0, %g0 : f32, !llvm.ptr
  %o1 = llvm.mul %j, %stride : i64
  %s1 = llvm.add %o1, %s0 : i64
  %g1 = llvm.getelementptr %x[%s1] : (!llvm.ptr, i64) -> !llvm.ptr, f32
  %l1 = llvm.load %g1 : !llvm.ptr -> f32
  %f1 = llvm.fadd %l1, %factor : f32
  llvm.store %f1, %g1 : f32, !llvm.ptr
  %o2 = llvm.mul %j, %stride : i64
  %s2 = llvm.add %o2, %s1 : i64
  %g2 = llvm.getelementptr %x[%s2] : (!llvm.ptr, i64) -> !llvm.ptr, f32
  %l2 = llvm.load %g2 : !llvm.ptr -> f32
  %f2 = llvm.fadd %l2, %factor : f32
  llvm.store %f2, %g2 : f32, !llvm.ptr
  %o3 = llvm.mul %j, %stride : i64
  %s3 = llvm.add %o3, %s2 : i64
  %g3 = llvm.getelementptr %x[%s3] : (!llvm.ptr, i64) -> !llvm.ptr, f32
  %l3 = llvm.load %g3 : !llvm.ptr -> f32
  %f3 = llvm.fadd %l3, %factor : f32
  llvm.store %f3, %g3 : f32, !llvm.ptr
  %o4 = llvm.mul %j, %stride : i64
  %s4 = llvm.add %o4, %s3 : i64
  %g4 = llvm.getelementptr %x[%s4] : (!llvm.ptr, i64) -> !llvm.ptr, f32
  %l4 = llvm.load %g4 : !llvm.ptr -> f32
  %f4 = llvm.fadd %l4, %factor : f32
  llvm.store %f4, %g4 : f32, !llvm.ptr
  %j1 = llvm.add %j, %one : i64
  llvm.br ^inner(%j1 : i64)
^next:
  %i1 = llvm.add %i, %one : i64
  llvm.br ^outer(%i1 : i64)
^done:
  llvm.return %status : i32
}
llvm.func @stride_100_body(%arg0: !llvm.ptr, %arg1: i64, %arg2: i64, %arg3: !llvm.ptr) -> i32 attributes {hamkaas.kernel = #hamkaas.kernel<movement>, hamkaas.tiles = 8 : i64} {
  %status = llvm.mlir.constant(0 : i32) : i32
  %zero = llvm.mlir.constant(0 : index) : i64
  %one = llvm.mlir.constant(1 : index) : i64
  %a = llvm.mlir.constant(64 : index) : i64
  %b = llvm.mlir.constant(100 : index) : i64
  %stride = llvm.mlir.constant(100 : index) : i64
  %factor = llvm.mlir.constant(2.0 : f32) : f32
  %x = llvm.load %arg0 : !llvm.ptr -> !llvm.ptr
  llvm.br ^outer(%arg1 : i64)
^outer(%i: i64):
  %more = llvm.icmp "slt" %i, %arg2 : i64
  llvm.cond_br %more, ^rows, ^done
^rows:
  %at0 = llvm.mul %i, %a : i64
  %at1 = llvm.mul %i, %b : i64
  %at2 = llvm.add %at0, %at1 : i64
  llvm.br ^inner(%zero : i64)
^inner(%j: i64):
  %left = llvm.icmp "slt" %j, %a : i64
  llvm.cond_br %left, ^element, ^next
^element:
  %o0 = llvm.mul %j, %stride : i64
  %s0 = llvm.add %o0, %at2 : i64
  %g0 = llvm.getelementptr %x[%s0] : (!llvm.ptr, i64) -> !llvm.ptr, f32
  %l0 = llvm.load %g0 : !llvm.ptr -> f32
  %f0 = llvm.fmul %l0, %factor : f32
  llvm.store %f0, %g0 : f32, !llvm.ptr
  %o1 = llvm.mul %j, %stride : i64
  %s1 = llvm.add %o1, %s0 : i64
  %g1 = llvm.getelementptr %x[%s1] : (!llvm.ptr, i64) -> !llvm.ptr, f32
  %l1 = llvm.load %g1 : !llvm.ptr -> f32
  %f1 = llvm.fmul %l1, %factor : f32
  llvm.store %f1, %g1 : f32, !llvm.ptr
  %o2 = llvm.mul %j, %stride : i64
  %s2 = llvm.add %o2, %s1 : i64
  %g2 = llvm.getelementptr %x[%s2] : (!llvm.ptr, i64) -> !llvm.ptr, f32
  %l2 = llvm.load %g2 : !llvm.ptr -> f32
  %f2 = llvm.fmul %l2, %factor : f32
  llvm.store %f2, %g2 : f32, !llvm.ptr
  %o3 = llvm.mul %j, %stride : i64
  %s3 = llvm.add %o3, %s2 : i64
  %g3 = llvm.getelementptr %x[%s3] : (!llvm.ptr, i64) -> !llvm.ptr, f32
  %l3 = llvm.load %g3 : !llvm.ptr -> f32
  %f3 = llvm.fmul %l3, %factor : f32
  llvm.store %f3, %g3 : f32, !llvm.ptr
  %o4 = llvm.mul %j, %stride : i64
  %s4 = llvm.add %o4, %s3 : i64
  %g4 = llvm.getelementptr %x[%s4] : (!llvm.ptr, i64) -> !llvm.ptr, f32
  %l4 = llvm.load %g4 : !llvm.ptr -> f32
  %f4 = llvm.fmul %l4, %factor : f32
  llvm.store %f4, %g4 : f32, !llvm.ptr
  %j1 = llvm.add %j, %one : i64
  llvm.br ^inner(%j1 : i64)
^next:
  %i1 = llvm.add %i, %one : i64
  llvm.br ^outer(%i1 : i64)
^done:
  llvm.return %status : i32
}
llvm.func @stride_200_body(%arg0: !llvm.ptr, %arg1: i64, %arg2: i64, %arg3: !llvm.ptr) -> i32 attributes {hamkaas.kernel = #hamkaas.kernel<movement>, hamkaas.tiles = 8 : i64} {
  %status = llvm.mlir.constant(0 : i32) : i32
  %zero = llvm.mlir.constant(0 : index) : i64
  %one = llvm.mlir.constant(1 : index) : i64
  %a = llvm.mlir.constant(64 : index) : i64
  %b = llvm.mlir.constant(100 : index) : i64
  %stride = llvm.mlir.constant(200 : index) : i64
  %factor = llvm.mlir.constant(2.0 : f32) : f32
  %x = llvm.load %arg0 : !llvm.ptr -> !llvm.ptr
  llvm.br ^outer(%arg1 : i64)
^outer(%i: i64):
  %more = llvm.icmp "slt" %i, %arg2 : i64
  llvm.cond_br %more, ^rows, ^done
^rows:
  %at0 = llvm.mul %i, %a : i64
  %at1 = llvm.mul %i, %b : i64
  %at2 = llvm.add %at0, %at1 : i64
  llvm.br ^inner(%zero : i64)
^inner(%j: i64):
  %left = llvm.icmp "slt" %j, %a : i64
  llvm.cond_br %left, ^element, ^next
^element:
  %o0 = llvm.mul %j, %stride : i64
  %s0 = llvm.add %o0, %at2 : i64
  %g0 = llvm.getelementptr %x[%s0] : (!llvm.ptr, i64) -> !llvm.ptr, f32
  %l0 = llvm.load %g0 : !llvm.ptr -> f32
  %f0 = llvm.fmul %l0, %factor : f32
  llvm.store %f0, %g0 : f32, !llvm.ptr
  %o1 = llvm.mul %j, %stride : i64
  %s1 = llvm.add %o1, %s0 : i64
  %g1 = llvm.getelementptr %x[%s1] : (!llvm.ptr, i64) -> !llvm.ptr, f32
  %l1 = llvm.load %g1 : !llvm.ptr -> f32
  %f1 = llvm.fmul %l1, %factor : f32
  llvm.store %f1, %g1 : f32, !llvm.ptr
  %o2 = llvm.mul %j, %stride : i64
  %s2 = llvm.add %o2, %s1 : i64
  %g2 = llvm.getelementptr %x[%s2] : (!llvm.ptr, i64) -> !llvm.ptr, f32
  %l2 = llvm.load %g2 : !llvm.ptr -> f32
  %f2 = llvm.fmul %l2, %factor : f32
  llvm.store %f2, %g2 : f32, !llvm.ptr
  %o3 = llvm.mul %j, %stride : i64
  %s3 = llvm.add %o3, %s2 : i64
  %g3 = llvm.getelementptr %x[%s3] : (!llvm.ptr, i64) -> !llvm.ptr, f32
  %l3 = llvm.load %g3 : !llvm.ptr -> f32
  %f3 = llvm.fmul %l3, %factor : f32
  llvm.store %f3, %g3 : f32, !llvm.ptr
  %o4 = llvm.mul %j, %stride : i64
  %s4 = llvm.add %o4, %s3 : i64
  %g4 = llvm.getelementptr %x[%s4] : (!llvm.ptr, i64) -> !llvm.ptr, f32
  %l4 = llvm.load %g4 : !llvm.ptr -> f32
  %f4 = llvm.fmul %l4, %factor : f32
  llvm.store %f4, %g4 : f32, !llvm.ptr
  %j1 = llvm.add %j, %one : i64
  llvm.br ^inner(%j1 : i64)
^next:
  %i1 = llvm.add %i, %one : i64
  llvm.br ^outer(%i1 : i64)
^done:
  llvm.return %status : i32
}
llvm.func @prepared_100_body(%arg0: !llvm.ptr, %arg1: i64, %arg2: i64, %arg3: !llvm.ptr) -> i32 attributes {hamkaas.kernel = #hamkaas.kernel<movement>, hamkaas.runs_once, hamkaas.tiles = 8 : i64} {
  %status = llvm.mlir.constant(0 : i32) : i32
  %zero = llvm.mlir.constant(0 : index) : i64
  %one = llvm.mlir.constant(1 : index) : i64
  %a = llvm.mlir.constant(64 : index) : i64
  %b = llvm.mlir.constant(100 : index) : i64
  %stride = llvm.mlir.constant(100 : index) : i64
  %factor = llvm.mlir.constant(2.0 : f32) : f32
  %x = llvm.load %arg0 : !llvm.ptr -> !llvm.ptr
  llvm.br ^outer(%arg1 : i64)
^outer(%i: i64):
  %more = llvm.icmp "slt" %i, %arg2 : i64
  llvm.cond_br %more, ^rows, ^done
^rows:
  %at0 = llvm.mul %i, %a : i64
  %at1 = llvm.mul %i, %b : i64
  %at2 = llvm.add %at0, %at1 : i64
  llvm.br ^inner(%zero : i64)
^inner(%j: i64):
  %left = llvm.icmp "slt" %j, %a : i64
  llvm.cond_br %left, ^element, ^next
^element:
  %o0 = llvm.mul %j, %stride : i64
  %s0 = llvm.add %o0, %at2 : i64
  %g0 = llvm.getelementptr %x[%s0] : (!llvm.ptr, i64) -> !llvm.ptr, f32
  %l0 = llvm.load %g0 : !llvm.ptr -> f32
  %f0 = llvm.fsub %l0, %factor : f32
  llvm.store %f0, %g0 : f32, !llvm.ptr
  %o1 = llvm.mul %j, %stride : i64
  %s1 = llvm.add %o1, %s0 : i64
  %g1 = llvm.getelementptr %x[%s1] : (!llvm.ptr, i64) -> !llvm.ptr, f32
  %l1 = llvm.load %g1 : !llvm.ptr -> f32
  %f1 = llvm.fsub %l1, %factor : f32
  llvm.store %f1, %g1 : f32, !llvm.ptr
  %o2 = llvm.mul %j, %stride : i64
  %s2 = llvm.add %o2, %s1 : i64
  %g2 = llvm.getelementptr %x[%s2] : (!llvm.ptr, i64) -> !llvm.ptr, f32
  %l2 = llvm.load %g2 : !llvm.ptr -> f32
  %f2 = llvm.fsub %l2, %factor : f32
  llvm.store %f2, %g2 : f32, !llvm.ptr
  %o3 = llvm.mul %j, %stride : i64
  %s3 = llvm.add %o3, %s2 : i64
  %g3 = llvm.getelementptr %x[%s3] : (!llvm.ptr, i64) -> !llvm.ptr, f32
  %l3 = llvm.load %g3 : !llvm.ptr -> f32
  %f3 = llvm.fsub %l3, %factor : f32
  llvm.store %f3, %g3 : f32, !llvm.ptr
  %o4 = llvm.mul %j, %stride : i64
  %s4 = llvm.add %o4, %s3 : i64
  %g4 = llvm.getelementptr %x[%s4] : (!llvm.ptr, i64) -> !llvm.ptr, f32
  %l4 = llvm.load %g4 : !llvm.ptr -> f32
  %f4 = llvm.fsub %l4, %factor : f32
  llvm.store %f4, %g4 : f32, !llvm.ptr
  %j1 = llvm.add %j, %one : i64
  llvm.br ^inner(%j1 : i64)
^next:
  %i1 = llvm.add %i, %one : i64
  llvm.br ^outer(%i1 : i64)
^done:
  llvm.return %status : i32
}
llvm.func @prepared_200_body(%arg0: !llvm.ptr, %arg1: i64, %arg2: i64, %arg3: !llvm.ptr) -> i32 attributes {hamkaas.kernel = #hamkaas.kernel<movement>, hamkaas.runs_once, hamkaas.tiles = 8 : i64} {
  %status = llvm.mlir.constant(0 : i32) : i32
  %zero = llvm.mlir.constant(0 : index) : i64
  %one = llvm.mlir.constant(1 : index) : i64
  %a = llvm.mlir.constant(64 : index) : i64
  %b = llvm.mlir.constant(100 : index) : i64
  %stride = llvm.mlir.constant(200 : index) : i64
  %factor = llvm.mlir.constant(2.0 : f32) : f32
  %x = llvm.load %arg0 : !llvm.ptr -> !llvm.ptr
  llvm.br ^outer(%arg1 : i64)
^outer(%i: i64):
  %more = llvm.icmp "slt" %i, %arg2 : i64
  llvm.cond_br %more, ^rows, ^done
^rows:
  %at0 = llvm.mul %i, %a : i64
  %at1 = llvm.mul %i, %b : i64
  %at2 = llvm.add %at0, %at1 : i64
  llvm.br ^inner(%zero : i64)
^inner(%j: i64):
  %left = llvm.icmp "slt" %j, %a : i64
  llvm.cond_br %left, ^element, ^next
^element:
  %o0 = llvm.mul %j, %stride : i64
  %s0 = llvm.add %o0, %at2 : i64
  %g0 = llvm.getelementptr %x[%s0] : (!llvm.ptr, i64) -> !llvm.ptr, f32
  %l0 = llvm.load %g0 : !llvm.ptr -> f32
  %f0 = llvm.fsub %l0, %factor : f32
  llvm.store %f0, %g0 : f32, !llvm.ptr
  %o1 = llvm.mul %j, %stride : i64
  %s1 = llvm.add %o1, %s0 : i64
  %g1 = llvm.getelementptr %x[%s1] : (!llvm.ptr, i64) -> !llvm.ptr, f32
  %l1 = llvm.load %g1 : !llvm.ptr -> f32
  %f1 = llvm.fsub %l1, %factor : f32
  llvm.store %f1, %g1 : f32, !llvm.ptr
  %o2 = llvm.mul %j, %stride : i64
  %s2 = llvm.add %o2, %s1 : i64
  %g2 = llvm.getelementptr %x[%s2] : (!llvm.ptr, i64) -> !llvm.ptr, f32
  %l2 = llvm.load %g2 : !llvm.ptr -> f32
  %f2 = llvm.fsub %l2, %factor : f32
  llvm.store %f2, %g2 : f32, !llvm.ptr
  %o3 = llvm.mul %j, %stride : i64
  %s3 = llvm.add %o3, %s2 : i64
  %g3 = llvm.getelementptr %x[%s3] : (!llvm.ptr, i64) -> !llvm.ptr, f32
  %l3 = llvm.load %g3 : !llvm.ptr -> f32
  %f3 = llvm.fsub %l3, %factor : f32
  llvm.store %f3, %g3 : f32, !llvm.ptr
  %o4 = llvm.mul %j, %stride : i64
  %s4 = llvm.add %o4, %s3 : i64
  %g4 = llvm.getelementptr %x[%s4] : (!llvm.ptr, i64) -> !llvm.ptr, f32
  %l4 = llvm.load %g4 : !llvm.ptr -> f32
  %f4 = llvm.fsub %l4, %factor : f32
  llvm.store %f4, %g4 : f32, !llvm.ptr
  %j1 = llvm.add %j, %one : i64
  llvm.br ^inner(%j1 : i64)
^next:
  %i1 = llvm.add %i, %one : i64
  llvm.br ^outer(%i1 : i64)
^done:
  llvm.return %status : i32
}
llvm.func @third_body(%arg0: !llvm.ptr, %arg1: i64, %arg2: i64, %arg3: !llvm.ptr) -> i32 attributes {hamkaas.kernel = #hamkaas.kernel<movement>, hamkaas.tiles = 8 : i64} {
  %status = llvm.mlir.constant(0 : i32) : i32
  %zero = llvm.mlir.constant(0 : index) : i64
  %one = llvm.mlir.constant(1 : index) : i64
  %a = llvm.mlir.constant(64 : index) : i64
  %b = llvm.mlir.constant(100 : index) : i64
  %stride = llvm.mlir.constant(7 : index) : i64
  %factor = llvm.mlir.constant(3.0 : f32) : f32
  %x = llvm.load %arg0 : !llvm.ptr -> !llvm.ptr
  llvm.br ^outer(%arg1 : i64)
^outer(%i: i64):
  %more = llvm.icmp "slt" %i, %arg2 : i64
  llvm.cond_br %more, ^rows, ^done
^rows:
  %at0 = llvm.mul %i, %a : i64
  %at1 = llvm.mul %i, %b : i64
  %at2 = llvm.add %at0, %at1 : i64
  llvm.br ^inner(%zero : i64)
^inner(%j: i64):
  %left = llvm.icmp "slt" %j, %a : i64
  llvm.cond_br %left, ^element, ^next
^element:
  %o0 = llvm.mul %j, %stride : i64
  %s0 = llvm.add %o0, %at2 : i64
  %g0 = llvm.getelementptr %x[%s0] : (!llvm.ptr, i64) -> !llvm.ptr, f32
  %l0 = llvm.load %g0 : !llvm.ptr -> f32
  %f0 = llvm.fadd %l0, %factor : f32
  llvm.store %f0, %g0 : f32, !llvm.ptr
  %o1 = llvm.mul %j, %stride : i64
  %s1 = llvm.add %o1, %s0 : i64
  %g1 = llvm.getelementptr %x[%s1] : (!llvm.ptr, i64) -> !llvm.ptr, f32
  %l1 = llvm.load %g1 : !llvm.ptr -> f32
  %f1 = llvm.fadd %l1, %factor : f32
  llvm.store %f1, %g1 : f32, !llvm.ptr
  %o2 = llvm.mul %j, %stride : i64
  %s2 = llvm.add %o2, %s1 : i64
  %g2 = llvm.getelementptr %x[%s2] : (!llvm.ptr, i64) -> !llvm.ptr, f32
  %l2 = llvm.load %g2 : !llvm.ptr -> f32
  %f2 = llvm.fadd %l2, %factor : f32
  llvm.store %f2, %g2 : f32, !llvm.ptr
  %o3 = llvm.mul %j, %stride : i64
  %s3 = llvm.add %o3, %s2 : i64
  %g3 = llvm.getelementptr %x[%s3] : (!llvm.ptr, i64) -> !llvm.ptr, f32
  %l3 = llvm.load %g3 : !llvm.ptr -> f32
  %f3 = llvm.fadd %l3, %factor : f32
  llvm.store %f3, %g3 : f32, !llvm.ptr
  %o4 = llvm.mul %j, %stride : i64
  %s4 = llvm.add %o4, %s3 : i64
  %g4 = llvm.getelementptr %x[%s4] : (!llvm.ptr, i64) -> !llvm.ptr, f32
  %l4 = llvm.load %g4 : !llvm.ptr -> f32
  %f4 = llvm.fadd %l4, %factor : f32
  llvm.store %f4, %g4 : f32, !llvm.ptr
  %j1 = llvm.add %j, %one : i64
  llvm.br ^inner(%j1 : i64)
^next:
  %i1 = llvm.add %i, %one : i64
  llvm.br ^outer(%i1 : i64)
^done:
  llvm.return %status : i32
}
llvm.func @fourth_body(%arg0: !llvm.ptr, %arg1: i64, %arg2: i64, %arg3: !llvm.ptr) -> i32 attributes {hamkaas.kernel = #hamkaas.kernel<movement>, hamkaas.tiles = 8 : i64} {
  %status = llvm.mlir.constant(0 : i32) : i32
  %zero = llvm.mlir.constant(0 : index) : i64
  %one = llvm.mlir.constant(1 : index) : i64
  %a = llvm.mlir.constant(64 : index) : i64
  %b = llvm.mlir.constant(100 : index) : i64
  %stride = llvm.mlir.constant(7 : index) : i64
  %factor = llvm.mlir.constant(3.0 : f32) : f32
  %x = llvm.load %arg0 : !llvm.ptr -> !llvm.ptr
  llvm.br ^outer(%arg1 : i64)
^outer(%i: i64):
  %more = llvm.icmp "slt" %i, %arg2 : i64
  llvm.cond_br %more, ^rows, ^done
^rows:
  %at0 = llvm.mul %i, %a : i64
  %at1 = llvm.mul %i, %b : i64
  %at2 = llvm.add %at0, %at1 : i64
  llvm.br ^inner(%zero : i64)
^inner(%j: i64):
  %left = llvm.icmp "slt" %j, %a : i64
  llvm.cond_br %left, ^element, ^next
^element:
  %o0 = llvm.mul %j, %stride : i64
  %s0 = llvm.add %o0, %at2 : i64
  %g0 = llvm.getelementptr %x[%s0] : (!llvm.ptr, i64) -> !llvm.ptr, f32
  %l0 = llvm.load %g0 : !llvm.ptr -> f32
  %f0 = llvm.fdiv %l0, %factor : f32
  llvm.store %f0, %g0 : f32, !llvm.ptr
  %o1 = llvm.mul %j, %stride : i64
  %s1 = llvm.add %o1, %s0 : i64
  %g1 = llvm.getelementptr %x[%s1] : (!llvm.ptr, i64) -> !llvm.ptr, f32
  %l1 = llvm.load %g1 : !llvm.ptr -> f32
  %f1 = llvm.fdiv %l1, %factor : f32
  llvm.store %f1, %g1 : f32, !llvm.ptr
  %o2 = llvm.mul %j, %stride : i64
  %s2 = llvm.add %o2, %s1 : i64
  %g2 = llvm.getelementptr %x[%s2] : (!llvm.ptr, i64) -> !llvm.ptr, f32
  %l2 = llvm.load %g2 : !llvm.ptr -> f32
  %f2 = llvm.fdiv %l2, %factor : f32
  llvm.store %f2, %g2 : f32, !llvm.ptr
  %o3 = llvm.mul %j, %stride : i64
  %s3 = llvm.add %o3, %s2 : i64
  %g3 = llvm.getelementptr %x[%s3] : (!llvm.ptr, i64) -> !llvm.ptr, f32
  %l3 = llvm.load %g3 : !llvm.ptr -> f32
  %f3 = llvm.fdiv %l3, %factor : f32
  llvm.store %f3, %g3 : f32, !llvm.ptr
  %o4 = llvm.mul %j, %stride : i64
  %s4 = llvm.add %o4, %s3 : i64
  %g4 = llvm.getelementptr %x[%s4] : (!llvm.ptr, i64) -> !llvm.ptr, f32
  %l4 = llvm.load %g4 : !llvm.ptr -> f32
  %f4 = llvm.fdiv %l4, %factor : f32
  llvm.store %f4, %g4 : f32, !llvm.ptr
  %j1 = llvm.add %j, %one : i64
  llvm.br ^inner(%j1 : i64)
^next:
  %i1 = llvm.add %i, %one : i64
  llvm.br ^outer(%i1 : i64)
^done:
  llvm.return %status : i32
}
