// RUN: hamkaas-translate --export-script --split-input-file --output-split-marker='----' %s | \
// RUN:   FileCheck %s --match-full-lines

// Only version 3 can express these.

//      CHECK: version = 3;
// CHECK-NEXT: $1 = input("x", float32, [4]);
// CHECK-NEXT: $2 = constant(int64, [1], 1);
// CHECK-NEXT: $3 = sliced_softmax($1, $2);
// CHECK-NEXT: output("result", $3);
func.func @main(%x: tensor<4xf32> {hamkaas.name = "x"}) -> tensor<4xf32> {
  %0 = arith.constant dense<1> : tensor<1xi64>
  %1 = hamkaas.sliced_softmax %x prefix(%0) : tensor<4xf32>
  return %1 : tensor<4xf32>
}

// -----

//      CHECK: version = 3;
// CHECK-NEXT: $1 = input("a,b", float32, [4]);
// CHECK-NEXT: output("result", $1);
func.func @main(%x: tensor<4xf32> {hamkaas.name = "a,b"}) -> tensor<4xf32> {
  return %x : tensor<4xf32>
}

// -----

//      CHECK: version = 3;
// CHECK-NEXT: $1 = input(" x", float32, [4]);
// CHECK-NEXT: output("result", $1);
func.func @main(%x: tensor<4xf32> {hamkaas.name = " x"}) -> tensor<4xf32> {
  return %x : tensor<4xf32>
}

// -----

//      CHECK: version = 3;
// CHECK-NEXT: $1 = parameter("c", float32, [4], 1);
// CHECK-NEXT: output("result", $1);
ml_program.global private @c(dense<1.0> : tensor<4xf32>) : tensor<4xf32>
func.func @main() -> tensor<4xf32> {
  %0 = ml_program.global_load_const @c : tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

//      CHECK: version = 3;
// CHECK-NEXT: $1 = state("b", float32, [4], 1);
// CHECK-NEXT: output("result", $1);
ml_program.global private mutable @b(dense<1.0> : tensor<4xf32>) : tensor<4xf32>
func.func @main() -> tensor<4xf32> {
  %0 = ml_program.global_load @b : tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

//      CHECK: version = 3;
// CHECK-NEXT: $1 = input("p", int64, [1]);
// CHECK-NEXT: $2 = input("r", float32, [2]);
// CHECK-NEXT: $3 = state("b", float32, [4]);
// CHECK-NEXT: $4 = replace_slice($3, $2, $1, $1);
// CHECK-NEXT: output("result", $4);
ml_program.global private mutable @b(dense<0.0> : tensor<4xf32>) : tensor<4xf32>
func.func @main(%p: tensor<1xi64> {hamkaas.name = "p"},
                %r: tensor<2xf32> {hamkaas.name = "r"}) -> tensor<4xf32> {
  %0 = ml_program.global_load @b : tensor<4xf32>
  %1 = hamkaas.replace_slice %0, %r, %p, %p : tensor<4xf32>, tensor<2xf32>
  return %1 : tensor<4xf32>
}

// -----

//      CHECK: version = 3;
// CHECK-NEXT: $1 = state("b", float32, [4]);
// CHECK-NEXT: $2 = relu($1);
// CHECK-NEXT: store($1, $2);
// CHECK-NEXT: output("result", $1);
ml_program.global private mutable @b(dense<0.0> : tensor<4xf32>) : tensor<4xf32>
func.func @main() -> tensor<4xf32> {
  %0 = ml_program.global_load @b : tensor<4xf32>
  %1 = hamkaas.relu %0 : tensor<4xf32>
  ml_program.global_store @b = %1 : tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

//      CHECK: version = 3;
// CHECK-NEXT: $1 = input("x", float32, [4]);
// CHECK-NEXT: $2 = input("p", int64, [1]);
// CHECK-NEXT: $3 = input("r", float32, [2]);
// CHECK-NEXT: $4 = replace_slice($1, $3, $2, $2);
// CHECK-NEXT: $5 = add($1, $4);
// CHECK-NEXT: output("result", $5);
func.func @main(%x: tensor<4xf32> {hamkaas.name = "x"},
                %p: tensor<1xi64> {hamkaas.name = "p"},
                %r: tensor<2xf32> {hamkaas.name = "r"}) -> tensor<4xf32> {
  %0 = hamkaas.replace_slice %x, %r, %p, %p : tensor<4xf32>, tensor<2xf32>
  %1 = hamkaas.add %x, %0 : tensor<4xf32>, tensor<4xf32>
  return %1 : tensor<4xf32>
}

// -----

//      CHECK: version = 3;
// CHECK-NEXT: $1 = parameter("late", float32, [4]);
// CHECK-NEXT: $2 = state("given", float32, [4], extern);
// CHECK-NEXT: $3 = relu($2);
// CHECK-NEXT: $4 = sub($1, $1);
// CHECK-NEXT: $5 = parameter("unused", bool, [2]);
// CHECK-NEXT: output("quote \" and \\", $3);
// CHECK-NEXT: output("ä, (b)", $4);
ml_program.global private @late(#ml_program.extern : tensor<4xf32>) : tensor<4xf32>
ml_program.global private mutable @given(#ml_program.extern : tensor<4xf32>) : tensor<4xf32>
ml_program.global private @unused(#ml_program.extern : tensor<2xi1>) : tensor<2xi1>
func.func @main() -> (tensor<4xf32> {hamkaas.name = "quote \" and \\"},
                      tensor<4xf32> {hamkaas.name = "ä, (b)"}) {
  %0 = ml_program.global_load @given : tensor<4xf32>
  %1 = hamkaas.relu %0 : tensor<4xf32>
  %2 = ml_program.global_load_const @late : tensor<4xf32>
  %3 = ml_program.global_load_const @late : tensor<4xf32>
  %4 = hamkaas.sub %2, %3 : tensor<4xf32>, tensor<4xf32>
  return %1, %4 : tensor<4xf32>, tensor<4xf32>
}

// -----

// Several functions, each with the parameters and states that it reads.

//      CHECK: version = 3;
// CHECK-NEXT: $1 = parameter("w", float32, [4]);
// CHECK-NEXT: $2 = state("s", float32, [4]);
// CHECK-NEXT: function prefill {
// CHECK-NEXT:   $3 = input("x", float32, [4]);
// CHECK-NEXT:   store($2, $3);
// CHECK-NEXT: }
// CHECK-NEXT: function decode {
// CHECK-NEXT:   $4 = input("x", float32, [4]);
// CHECK-NEXT:   $5 = mul($2, $1);
// CHECK-NEXT:   output("y", $5);
// CHECK-NEXT: }
ml_program.global private @w(#ml_program.extern : tensor<4xf32>) : tensor<4xf32>
ml_program.global private mutable @s(dense<0.0> : tensor<4xf32>) : tensor<4xf32>
func.func @prefill(%x: tensor<4xf32> {hamkaas.name = "x"}) {
  ml_program.global_store @s = %x : tensor<4xf32>
  return
}
func.func @decode(%x: tensor<4xf32> {hamkaas.name = "x"}) -> (tensor<4xf32> {hamkaas.name = "y"}) {
  %0 = ml_program.global_load @s : tensor<4xf32>
  %1 = ml_program.global_load_const @w : tensor<4xf32>
  %2 = hamkaas.mul %0, %1 : tensor<4xf32>, tensor<4xf32>
  return %2 : tensor<4xf32>
}
