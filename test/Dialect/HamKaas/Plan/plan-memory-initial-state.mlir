// RUN: hamkaas-opt %s -hamkaas-to-planned=target-cpu=x86-64-v3 | FileCheck %s

// The initial contents of states lie in the constants region, in the order of
// the states; the one of zeros has none.

// CHECK-LABEL: func.func @prepare(
// CHECK-SAME:    %[[P:.*]]: memref<24xi8> {hamkaas.name = "given", hamkaas.region = #hamkaas.region<parameter>
// CHECK-SAME:    %[[C:.*]]: memref<768xi8> {hamkaas.region = #hamkaas.region<constants>}
// CHECK-SAME:    hamkaas.states = [#hamkaas.state<"mask", offset = 0, type = tensor<1xf32>>,
// CHECK-SAME:    #hamkaas.state<"given", offset = 256, type = tensor<2x3xf32>>,
// CHECK-SAME:    #hamkaas.state<"seen", offset = 512, type = tensor<3xi1>>]
// CHECK-COUNT-3: memref.copy
// CHECK-LABEL: func.func @main(
// CHECK-SAME:    hamkaas.states = [#hamkaas.state<"mask", offset = 0, type = tensor<5xf32>>,
// CHECK-SAME:    #hamkaas.state<"given", offset = 256, type = tensor<2x3xf32>>,
// CHECK-SAME:    #hamkaas.state<"zero", offset = 512, type = tensor<2xf32>>,
// CHECK-SAME:    #hamkaas.state<"seen", offset = 768, type = tensor<3xi1>>]
ml_program.global private mutable @mask(dense<1.0> : tensor<5xf32>) : tensor<5xf32>
ml_program.global private mutable @given(#ml_program.extern : tensor<2x3xf32>) : tensor<2x3xf32>
ml_program.global private mutable @zero(dense<0.0> : tensor<2xf32>) : tensor<2xf32>
ml_program.global private mutable @seen(dense<[true, false, true]> : tensor<3xi1>) : tensor<3xi1>
func.func @main(%x: tensor<2x3xf32> {hamkaas.name = "x"}) -> (tensor<2x3xf32> {hamkaas.name = "y"}) {
  %0 = ml_program.global_load @given : tensor<2x3xf32>
  %1 = hamkaas.add %0, %x : tensor<2x3xf32>, tensor<2x3xf32>
  ml_program.global_store @given = %1 : tensor<2x3xf32>
  return %1 : tensor<2x3xf32>
}
