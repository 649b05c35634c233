// RUN: hamkaas-opt %s --hamkaas-add-line-tables --mlir-print-debuginfo --mlir-print-local-scope | FileCheck %s

// CHECK-LABEL: llvm.func @lines
llvm.func @lines(%a: i32, %b: i32) -> i32 {
  // The root of a group, where it is known; else the first line.
  // CHECK: llvm.add {{.*}} loc("m.hk":4:1)
  %0 = llvm.add %a, %b : i32 loc(fused<loc("m.hk":4:1)>["m.hk":3:1, "m.hk":4:1])
  // CHECK: llvm.mul {{.*}} loc("m.hk":3:1)
  %1 = llvm.mul %0, %b : i32 loc(fused["m.hk":3:1, "m.hk":4:1])
  // CHECK: llvm.mul {{.*}} loc("m.hk":5:2)
  %2 = llvm.mul %1, %b : i32 loc(fused<loc(unknown)>[callsite("name"("m.hk":5:2) at "m.hk":6:1)])
  // A line of another file needs a scope of its own.
  // CHECK: llvm.mul {{.*}} loc(fused<#llvm.di_lexical_block_file<scope = #llvm.di_subprogram<{{.*}}>, file = <"other.hk" in "">{{.*}}>>["other.hk":7:1])
  %3 = llvm.mul %2, %b : i32 loc("other.hk":7:1)
  // An operation without a line has that of the function.
  // CHECK: llvm.mul {{.*}} loc("m.hk":2:1)
  %4 = llvm.mul %3, %b : i32 loc(unknown)
  // CHECK: llvm.return {{.*}} loc("m.hk":2:1)
  llvm.return %4 : i32 loc("m.hk":2:1)
// CHECK: } loc(fused<#llvm.di_subprogram<{{.*}} file = <"m.hk" in "">, producer = "HamKaas", {{.*}}LineTablesOnly{{.*}} name = "lines", {{.*}} line = 2, {{.*}}>["m.hk":2:1])
} loc("m.hk":2:1)

// The number of a node is its line; an operation of no node has that of the
// kernel.
// CHECK-LABEL: llvm.func @node
llvm.func @node(%a: i32) -> i32 {
  // CHECK: llvm.add {{.*}} loc("m.onnx.nodes":3:0)
  %0 = llvm.add %a, %a : i32 loc("relu1"("Relu"("m.onnx":0:3)))
  // CHECK: llvm.return {{.*}} loc("m.onnx.nodes":2:0)
  llvm.return %0 : i32 loc("m.onnx":0:0)
} loc("matmul1"("MatMul"("m.onnx":0:2)))

// Nothing is known, or nothing is here.
// CHECK-LABEL: llvm.func @unknown
llvm.func @unknown() {
  llvm.return loc(unknown)
// CHECK: } loc(unknown)
} loc(unknown)
// CHECK: llvm.func @declared() loc("m.hk":9:1)
llvm.func @declared() loc("m.hk":9:1)
