// RUN: hamkaas-opt %s -hamkaas-verify-target -split-input-file -verify-diagnostics

// A program in this form.

llvm.mlir.global internal constant @table(1 : i64) : i64
llvm.func @hamkaas_prepare(!llvm.ptr, !llvm.ptr, !llvm.ptr, !llvm.ptr) -> i32 {
^bb0(%a: !llvm.ptr, %b: !llvm.ptr, %c: !llvm.ptr, %d: !llvm.ptr):
  %0 = llvm.mlir.constant(0 : i32) : i32
  llvm.return %0 : i32
}
llvm.func @hamkaas_run(%a: !llvm.ptr, %b: !llvm.ptr, %c: !llvm.ptr, %d: !llvm.ptr, %e: !llvm.ptr, %f: !llvm.ptr) -> i32 {
  %0 = llvm.mlir.constant(0 : i64) : i64
  %1 = llvm.call @k0(%b, %0, %0, %c) : (!llvm.ptr, i64, i64, !llvm.ptr) -> i32
  llvm.return %1 : i32
}
llvm.func internal @k0(%a: !llvm.ptr, %b: i64, %c: i64, %d: !llvm.ptr) -> i32 attributes {hamkaas.kernel = #hamkaas.kernel<elementwise>} {
  %0 = llvm.mlir.constant(0 : i32) : i32
  llvm.return %0 : i32
}

// -----

// expected-error @below {{expected a function @hamkaas_run}}
module {
  llvm.func @main() {
    llvm.return
  }
}

// -----

// expected-error @below {{expected only functions and globals of the LLVM dialect, got func.func}}
func.func @hamkaas_run() {
  return
}

// -----

llvm.func @hamkaas_run(%a: !llvm.ptr) -> i32 {
  // expected-error @below {{expected only operations of the LLVM dialect, got arith.constant}}
  %0 = arith.constant 0 : i32
  llvm.return %0 : i32
}

// -----

// expected-error @below {{expected @k0 to be defined}}
llvm.func @k0(!llvm.ptr, i64, i64, !llvm.ptr) -> i32

// -----

// expected-error @below {{expected @k0 to be of type '!llvm.func<i32 (ptr, i64, i64, ptr)>', got '!llvm.func<i32 (ptr)>'}}
llvm.func @k0(%a: !llvm.ptr) -> i32 attributes {hamkaas.kernel = #hamkaas.kernel<elementwise>} {
  %0 = llvm.mlir.constant(0 : i32) : i32
  llvm.return %0 : i32
}

// -----

// expected-error @below {{expected @hamkaas_run to be of type '!llvm.func<i32 (ptr, ptr, ptr, ptr, ptr, ptr)>', got '!llvm.func<i32 (ptr)>'}}
llvm.func @hamkaas_run(%a: !llvm.ptr) -> i32 {
  %0 = llvm.mlir.constant(0 : i32) : i32
  llvm.return %0 : i32
}
