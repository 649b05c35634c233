// RUN: not hamkaas-opt %s --hamkaas-plan-memory=alignment=9223372036854775808 2>&1 | FileCheck %s --check-prefix=LARGE
// RUN: not hamkaas-opt %s --hamkaas-plan-memory=alignment=48 2>&1 | FileCheck %s --check-prefix=ODD
// RUN: hamkaas-opt %s --hamkaas-plan-memory=alignment=4294967296 | FileCheck %s

// Sums of sizes must not wrap.

// LARGE: error: expected an alignment that is a power of two of at most 4294967296, got 9223372036854775808{{$}}
// ODD: error: expected an alignment that is a power of two of at most 4294967296, got 48{{$}}

// CHECK: func @main(%{{.*}}: memref<16xi8> {{{.*}}}, %{{.*}}: memref<0xi8> {hamkaas.region = "constants"}
func.func @main(%x: memref<4xf32> {hamkaas.name = "x", hamkaas.region = "input"}) {
  return
}
