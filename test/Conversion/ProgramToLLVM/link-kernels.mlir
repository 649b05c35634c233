// RUN: hamkaas-opt %s --hamkaas-link-kernels | FileCheck %s

// A body takes the name of its declaration, whichever stands first. What is no
// kernel's body stays as it is.

// CHECK-NOT:   @first_body
// CHECK:       llvm.func internal @first() {
// CHECK:       llvm.func internal @second() {
// CHECK:       llvm.func @run()
// CHECK-NEXT:    llvm.call @first() : () -> ()
// CHECK-NEXT:    llvm.call @second() : () -> ()
// CHECK:       llvm.func @no_body() {
// CHECK:       llvm.func @external_body()
// CHECK-NOT:   llvm.func
llvm.func @first_body() {
  llvm.return
}
llvm.func @first()
llvm.func @second()
llvm.func @second_body() {
  llvm.return
}
llvm.func @run() {
  llvm.call @first() : () -> ()
  llvm.call @second() : () -> ()
  llvm.return
}
llvm.func @no_body() {
  llvm.return
}
llvm.func @external_body()
