// RUN: hamkaas-opt %s -hamkaas-plan-memory | FileCheck %s --check-prefix=DEFAULT
// RUN: hamkaas-opt %s -hamkaas-plan-memory=alignment=64 | FileCheck %s --check-prefix=LESS
// RUN: not hamkaas-opt %s -hamkaas-plan-memory=alignment=48 2>&1 | FileCheck %s --check-prefix=INVALID
// INVALID: error: expected an alignment that is a power of two of at most 4294967296, got 48{{$}}
// RUN: not hamkaas-opt %s -hamkaas-plan-memory=alignment=9223372036854775808 2>&1 | FileCheck %s --check-prefix=LARGE
// LARGE: error: expected an alignment that is a power of two of at most 4294967296, got 9223372036854775808{{$}}

// Every tensor of a region begins at a multiple of the alignment. One
// so large that sums of sizes could wrap is refused.

// DEFAULT: hamkaas.states = [#hamkaas.state<"s", offset = 0, type = tensor<1xf32>>, #hamkaas.state<"t", offset = 256, type = tensor<1xf32>>]
// LESS:    hamkaas.states = [#hamkaas.state<"s", offset = 0, type = tensor<1xf32>>, #hamkaas.state<"t", offset = 64, type = tensor<1xf32>>]
func.func @main(%s: memref<1xf32> {hamkaas.name = "s", hamkaas.region = #hamkaas.region<state>},
                %t: memref<1xf32> {hamkaas.name = "t", hamkaas.region = #hamkaas.region<state>}) {
  memref.copy %s, %t : memref<1xf32> to memref<1xf32>
  return
}
