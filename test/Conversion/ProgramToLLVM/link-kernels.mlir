// RUN: hamkaas-opt %s -hamkaas-link-kernels -split-input-file | FileCheck %s

// The body takes the name of its declaration; nothing outside sees it.

// CHECK-LABEL: llvm.func @hamkaas_run(
// CHECK:         llvm.call @k0(
// CHECK-NOT:   llvm.func @k0(!llvm.ptr) -> i32{{$}}
// CHECK:       llvm.func internal @k0(%{{.*}}: !llvm.ptr) -> i32
// CHECK:         llvm.return
// CHECK-NOT:   @k0_body
llvm.func @hamkaas_run(%x: !llvm.ptr) -> i32 {
  %0 = llvm.call @k0(%x) : (!llvm.ptr) -> i32
  llvm.return %0 : i32
}
llvm.func @k0(!llvm.ptr) -> i32
llvm.func @k0_body(%x: !llvm.ptr) -> i32 {
  %0 = llvm.mlir.constant(0 : i32) : i32
  llvm.return %0 : i32
}

// -----

// Nothing to do: a function of such a name that stands for no kernel, and a
// kernel that has no body yet.

// CHECK:       llvm.func @other_body(
// CHECK:       llvm.func @k1(!llvm.ptr) -> i32
// CHECK:       llvm.func @k1_body(!llvm.ptr) -> i32
llvm.func @other_body(%x: !llvm.ptr) {
  llvm.return
}
llvm.func @k1(!llvm.ptr) -> i32
llvm.func @k1_body(!llvm.ptr) -> i32
