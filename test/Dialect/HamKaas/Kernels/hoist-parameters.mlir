// RUN: hamkaas-opt %s -hamkaas-form-groups -hamkaas-lower-groups -hamkaas-hoist-parameters -split-input-file | FileCheck %s

// Values of parameters only are computed once; `@main` gets the result.

// CHECK-LABEL: func @prepare(
// CHECK-SAME:    %[[B:.*]]: tensor<4xf32> {hamkaas.name = "b", hamkaas.region = #hamkaas.region<parameter>}
// CHECK-SAME:    -> (tensor<4xf32> {hamkaas.index = 0 : i64, hamkaas.region = #hamkaas.region<constants>})
// CHECK:         %[[R:.*]] = hamkaas.group elementwise(%[[B]])
// CHECK:         return %[[R]]
// CHECK-LABEL: func @main(
// CHECK-SAME:    %[[X:.*]]: tensor<4xf32> {hamkaas.name = "x", hamkaas.region = #hamkaas.region<input>},
// CHECK-SAME:    %[[C:.*]]: tensor<4xf32> {hamkaas.index = 0 : i64, hamkaas.region = #hamkaas.region<constants>}
// CHECK:         hamkaas.group elementwise(%[[X]], %[[C]])
// CHECK-NOT:     hamkaas.group
ml_program.global private @b(#ml_program.extern) : tensor<4xf32>
func.func @main(%x: tensor<4xf32> {hamkaas.name = "x"}) -> (tensor<4xf32> {hamkaas.name = "y"}) {
  %b = ml_program.global_load_const @b : tensor<4xf32>
  %0 = hamkaas.relu %b : tensor<4xf32>
  // Reads the parameter's value a second time, so relu is a kernel of its own.
  %1 = hamkaas.add %x, %0 : tensor<4xf32>, tensor<4xf32>
  %2 = hamkaas.mul %1, %0 : tensor<4xf32>, tensor<4xf32>
  return %2 : tensor<4xf32>
}

// -----

// A parameter that is read as it is becomes a constant; a view of it stays where
// it is used. A parameter that nothing reads is still a parameter.

// CHECK-LABEL: func @prepare(
// CHECK-SAME:    %[[W:.*]]: tensor<2x4xf32> {hamkaas.name = "w"
// CHECK-SAME:    hamkaas.name = "unused"
// CHECK:         return %[[W]] : tensor<2x4xf32>
// CHECK-LABEL: func @main(
// CHECK-SAME:    %[[C:[^:]*]]: tensor<2x4xf32> {hamkaas.index = 0
// CHECK:         tensor.extract_slice %[[C]]
ml_program.global private @w(#ml_program.extern) : tensor<2x4xf32>
ml_program.global private @unused(#ml_program.extern) : tensor<3xf32>
func.func @main(%x: tensor<1x4xf32> {hamkaas.name = "x"}) -> (tensor<1x4xf32> {hamkaas.name = "y"}) {
  %w = ml_program.global_load_const @w : tensor<2x4xf32>
  %0 = hamkaas.slice %w[1, 2] : tensor<2x4xf32>
  %1 = hamkaas.add %x, %0 : tensor<1x4xf32>, tensor<1x4xf32>
  return %1 : tensor<1x4xf32>
}

// -----

// A state is an argument; what is stored is a result.

// CHECK-LABEL: func @main(
// CHECK-SAME:    %[[S:[^:]*]]: tensor<4xf32> {bufferization.writable = true, hamkaas.name = "cache", hamkaas.region = #hamkaas.region<state>}
// CHECK-SAME:    -> (tensor<1xf32> {hamkaas.name = "y"}, tensor<4xf32> {hamkaas.name = "cache", hamkaas.region = #hamkaas.region<state>})
// CHECK:         %[[N:.*]] = hamkaas.group movement(%[[S]]
// CHECK:         return %{{.*}}, %[[N]]
ml_program.global private mutable @cache(dense<0.0> : tensor<4xf32>) : tensor<4xf32>
func.func @main(%x: tensor<1xf32> {hamkaas.name = "x"}, %b: tensor<1xi64> {hamkaas.name = "b"}, %e: tensor<1xi64> {hamkaas.name = "e"}) -> (tensor<1xf32> {hamkaas.name = "y"}) {
  %s = ml_program.global_load @cache : tensor<4xf32>
  %0 = hamkaas.replace_slice %s, %x, %b, %e : tensor<4xf32>, tensor<1xf32>
  ml_program.global_store @cache = %0 : tensor<4xf32>
  %1 = hamkaas.slice %0[0, 1] : tensor<4xf32>
  return %1 : tensor<1xf32>
}

// -----

// Initial contents of states are the first constants: those from outside as they
// are, equal elements as one. A state of zeros has none; -0.0 is not zero.

// CHECK-LABEL: func @prepare(
// CHECK-SAME:    %[[W:.*]]: tensor<2xf32> {hamkaas.name = "w", hamkaas.region = #hamkaas.region<parameter>},
// CHECK-SAME:    %[[GIVEN:.*]]: tensor<2xf32> {hamkaas.name = "given", hamkaas.region = #hamkaas.region<parameter>})
// CHECK-SAME:    -> (tensor<1xf32> {hamkaas.index = 0 : i64, hamkaas.name = "minus", hamkaas.region = #hamkaas.region<constants>},
// CHECK-SAME:    tensor<2xf32> {hamkaas.index = 1 : i64, hamkaas.name = "given", hamkaas.region = #hamkaas.region<constants>},
// CHECK-SAME:    tensor<3xi8> {hamkaas.index = 2 : i64, hamkaas.name = "seen", hamkaas.region = #hamkaas.region<constants>, hamkaas.type = tensor<3xi1>},
// CHECK-SAME:    tensor<2xf32> {hamkaas.index = 3 : i64, hamkaas.region = #hamkaas.region<constants>})
// CHECK-DAG:     %[[MINUS:.*]] = arith.constant dense<-0.000000e+00> : tensor<1xf32>
// CHECK-DAG:     %[[SEEN:.*]] = arith.constant dense<[1, 0, 1]> : tensor<3xi8>
// CHECK:         return %[[MINUS]], %[[GIVEN]], %[[SEEN]], %[[W]]
// CHECK-LABEL: func @main(
// CHECK-SAME:    tensor<2xf32> {hamkaas.index = 3 : i64, hamkaas.region = #hamkaas.region<constants>}
ml_program.global private @w(#ml_program.extern) : tensor<2xf32>
ml_program.global private mutable @zero(dense<0.0> : tensor<2xf32>) : tensor<2xf32>
ml_program.global private mutable @minus(dense<-0.0> : tensor<4xf32>) : tensor<4xf32>
ml_program.global private mutable @given(#ml_program.extern) : tensor<2xf32>
ml_program.global private mutable @seen(dense<[true, false, true]> : tensor<3xi1>) : tensor<3xi1>
func.func @main(%x: tensor<2xf32> {hamkaas.name = "x"}) -> (tensor<2xf32> {hamkaas.name = "y"}) {
  %w = ml_program.global_load_const @w : tensor<2xf32>
  %g = ml_program.global_load @given : tensor<2xf32>
  %0 = hamkaas.add %x, %w : tensor<2xf32>, tensor<2xf32>
  %1 = hamkaas.mul %0, %g : tensor<2xf32>, tensor<2xf32>
  return %1 : tensor<2xf32>
}

// -----

// A check belongs to the run, even if all it looks at is known before.

// CHECK-LABEL: func @main(
// CHECK:         hamkaas.group movement
ml_program.global private @w(#ml_program.extern) : tensor<4xf32>
func.func @main(%x: tensor<4xf32> {hamkaas.name = "x"}) -> (tensor<4xf32> {hamkaas.name = "y"}) {
  %w = ml_program.global_load_const @w : tensor<4xf32>
  %b = arith.constant dense<1> : tensor<1xi64>
  %e = arith.constant dense<2> : tensor<1xi64>
  %r = hamkaas.slice %w[0, 1] : tensor<4xf32>
  %0 = hamkaas.replace_slice %w, %r, %b, %e : tensor<4xf32>, tensor<1xf32>
  %1 = hamkaas.add %x, %0 : tensor<4xf32>, tensor<4xf32>
  return %1 : tensor<4xf32>
}

// -----

// Nothing to hoist: no parameters, no `@prepare`.

// CHECK-NOT: @prepare
func.func @main(%x: tensor<4xf32> {hamkaas.name = "x"}) -> (tensor<4xf32> {hamkaas.name = "y"}) {
  %0 = hamkaas.relu %x : tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

// The user's names, not the symbols.

// CHECK-LABEL: func @prepare(
// CHECK-SAME:    hamkaas.name = "main"
// CHECK-LABEL: func @main(
// CHECK-SAME:    {bufferization.writable = true, hamkaas.name = "prepare", hamkaas.region = #hamkaas.region<state>}
// CHECK-SAME:    {hamkaas.name = "prepare", hamkaas.region = #hamkaas.region<state>}
ml_program.global private @main_0(#ml_program.extern) : tensor<4xf32> {hamkaas.name = "main"}
ml_program.global private mutable @prepare_0(dense<0.0> : tensor<4xf32>) : tensor<4xf32> {hamkaas.name = "prepare"}
func.func @main(%x: tensor<4xf32> {hamkaas.name = "x"}) -> (tensor<4xf32> {hamkaas.name = "y"}) {
  %w = ml_program.global_load_const @main_0 : tensor<4xf32>
  %s = ml_program.global_load @prepare_0 : tensor<4xf32>
  %0 = hamkaas.add %s, %w : tensor<4xf32>, tensor<4xf32>
  ml_program.global_store @prepare_0 = %0 : tensor<4xf32>
  return %x : tensor<4xf32>
}

// -----

// Nobody gives what a global holds itself: it is no parameter.

// CHECK-NOT:     func @prepare(
// CHECK-LABEL: func @main(
// CHECK-SAME:    %[[X:[^:]*]]: tensor<4xf32> {hamkaas.name = "x", hamkaas.region = #hamkaas.region<input>})
// CHECK:         %[[C:.*]] = arith.constant dense<2.000000e+00> : tensor<4xf32>
// CHECK:         hamkaas.group elementwise(%[[X]], %[[C]])
ml_program.global private @two(dense<2.0> : tensor<4xf32>) : tensor<4xf32>
ml_program.global private @unused(dense<3.0> : tensor<4xf32>) : tensor<4xf32>
func.func @main(%x: tensor<4xf32> {hamkaas.name = "x"}) -> (tensor<4xf32> {hamkaas.name = "y"}) {
  %c = ml_program.global_load_const @two : tensor<4xf32>
  %0 = hamkaas.mul %x, %c : tensor<4xf32>, tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

// Values of parameters that two functions share are computed once and have one
// place; those that only one function reads come after.

// CHECK-LABEL: func @prepare(
// CHECK-SAME:    %[[B:.*]]: tensor<4xf32> {hamkaas.name = "b", hamkaas.region = #hamkaas.region<parameter>}
// CHECK-SAME:    -> (tensor<4xf32> {hamkaas.index = 0 : i64, {{.*}}}, tensor<4xf32> {hamkaas.index = 1 : i64, {{.*}}})
// CHECK:         %[[R:.*]] = hamkaas.group elementwise(%[[B]])
// CHECK:         %[[T:.*]] = hamkaas.group elementwise(%[[B]])
// CHECK-NOT:     hamkaas.group
// CHECK:         return %[[R]], %[[T]]
// CHECK-LABEL: func @first(
// CHECK-SAME:    %[[X:[^:]*]]: tensor<4xf32> {hamkaas.name = "x", hamkaas.region = #hamkaas.region<input>}
// CHECK-SAME:    %[[C:[^:]*]]: tensor<4xf32> {hamkaas.index = 0 : i64, hamkaas.region = #hamkaas.region<constants>}
// CHECK-SAME:    tensor<4xf32> {bufferization.writable = true, hamkaas.name = "s", hamkaas.region = #hamkaas.region<state>}
// CHECK:         hamkaas.group elementwise(%[[X]], %[[C]])
// CHECK-LABEL: func @second(
// CHECK-SAME:    %[[X:[^:]*]]: tensor<4xf32> {hamkaas.name = "x", hamkaas.region = #hamkaas.region<input>}
// CHECK-SAME:    %[[T:[^:]*]]: tensor<4xf32> {hamkaas.index = 1 : i64, hamkaas.region = #hamkaas.region<constants>}
// CHECK-SAME:    %[[C:[^:]*]]: tensor<4xf32> {hamkaas.index = 0 : i64, hamkaas.region = #hamkaas.region<constants>}
// CHECK-SAME:    tensor<4xf32> {hamkaas.name = "s", hamkaas.region = #hamkaas.region<state>}
// CHECK:         hamkaas.group elementwise(%[[X]], %[[T]], %[[C]])
ml_program.global private @b(#ml_program.extern) : tensor<4xf32>
ml_program.global private mutable @s(dense<0.0> : tensor<4xf32>) : tensor<4xf32>
func.func @first(%x: tensor<4xf32> {hamkaas.name = "x"}) -> (tensor<4xf32> {hamkaas.name = "y"}) {
  %b = ml_program.global_load_const @b : tensor<4xf32>
  %0 = hamkaas.relu %b : tensor<4xf32>
  %1 = hamkaas.mul %x, %0 : tensor<4xf32>, tensor<4xf32>
  ml_program.global_store @s = %1 : tensor<4xf32>
  return %1 : tensor<4xf32>
}
func.func @second(%x: tensor<4xf32> {hamkaas.name = "x"}) -> (tensor<4xf32> {hamkaas.name = "y"}) {
  %b = ml_program.global_load_const @b : tensor<4xf32>
  %0 = hamkaas.tanh %b : tensor<4xf32>
  %1 = hamkaas.mul %x, %0 : tensor<4xf32>, tensor<4xf32>
  %2 = hamkaas.relu %b : tensor<4xf32>
  %3 = hamkaas.sub %1, %2 : tensor<4xf32>, tensor<4xf32>
  return %3 : tensor<4xf32>
}
