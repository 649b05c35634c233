// RUN: hamkaas-translate --export-script --split-input-file --output-split-marker='----' %s | \
// RUN:   FileCheck %s --match-full-lines

// Graphs that were not read from a script, or were simplified since.

// Parameters and buffers that no op reads are kept, in their order.

//      CHECK: $1 = InputTensor(x, float32, [4]);
// CHECK-NEXT: $2 = ConstantTensor(a, float32, [4]);
// CHECK-NEXT: $3 = ConstantTensor(b, float32, [4]);
// CHECK-NEXT: $4 = SumNode($1, $3);
// CHECK-NEXT: $5 = BufferTensor(float32, [4]);
// CHECK-NEXT: $6 = ConstantTensor(d, float32, [4]);
// CHECK-NEXT: $7 = BufferTensor(e, float32, [4]);
// CHECK-NEXT: result = $4;
ml_program.global private @a(#ml_program.extern : tensor<4xf32>) : tensor<4xf32>
ml_program.global private @b(#ml_program.extern : tensor<4xf32>) : tensor<4xf32>
ml_program.global private mutable @buffer_0(dense<0.0> : tensor<4xf32>) : tensor<4xf32>
ml_program.global private @d(#ml_program.extern : tensor<4xf32>) : tensor<4xf32>
ml_program.global private mutable @e(dense<0.0> : tensor<4xf32>) : tensor<4xf32>
func.func @main(%x: tensor<4xf32> {hamkaas.name = "x"}) -> tensor<4xf32> {
  %0 = ml_program.global_load_const @b : tensor<4xf32>
  %1 = hamkaas.add %x, %0 : tensor<4xf32>, tensor<4xf32>
  return %1 : tensor<4xf32>
}

// -----

// A constant that is loaded twice is one node.

//      CHECK: $1 = ConstantTensor(w, float32, [4]);
// CHECK-NEXT: $2 = SumNode($1, $1);
// CHECK-NEXT: result = $2;
ml_program.global private @w(#ml_program.extern : tensor<4xf32>) : tensor<4xf32>
func.func @main() -> tensor<4xf32> {
  %0 = ml_program.global_load_const @w : tensor<4xf32>
  %1 = ml_program.global_load_const @w : tensor<4xf32>
  %2 = hamkaas.add %0, %1 : tensor<4xf32>, tensor<4xf32>
  return %2 : tensor<4xf32>
}

// -----

// A write through a view whose storage nobody looks at again: the script's write
// changes more than is seen. Later views are printed where they are read.

//      CHECK: $1 = InputTensor(x, float32, [4, 2]);
// CHECK-NEXT: $2 = InputTensor(p, int64, [1]);
// CHECK-NEXT: $3 = InputTensor(r, float32, [2]);
// CHECK-NEXT: $4 = ReshapeNode($1, [8]);
// CHECK-NEXT: $5 = ReplaceSliceNode($4, $3, $2, $2);
// CHECK-NEXT: $6 = ReLUNode($5);
// CHECK-NEXT: $7 = SliceNode($5, 0, 4);
// CHECK-NEXT: $8 = ReshapeNode($7, [2, 2]);
// CHECK-NEXT: $9 = SiLUNode($8);
// CHECK-NEXT: result = $9;
func.func @main(%x: tensor<4x2xf32> {hamkaas.name = "x"},
                %p: tensor<1xi64> {hamkaas.name = "p"},
                %r: tensor<2xf32> {hamkaas.name = "r"}) -> tensor<2x2xf32> {
  %0 = hamkaas.reshape %x : tensor<4x2xf32> -> tensor<8xf32>
  %1 = hamkaas.replace_slice %0, %r, %p, %p : tensor<8xf32>, tensor<2xf32>
  %2 = hamkaas.slice %1[0, 4] : tensor<8xf32>
  %3 = hamkaas.reshape %2 : tensor<4xf32> -> tensor<2x2xf32>
  %4 = hamkaas.relu %1 : tensor<8xf32>
  %5 = hamkaas.silu %3 : tensor<2x2xf32>
  return %5 : tensor<2x2xf32>
}

// -----

// Views of the value from before a write are no reads of it.

//      CHECK: $1 = InputTensor(x, float32, [8]);
// CHECK-NEXT: $2 = InputTensor(p, int64, [1]);
// CHECK-NEXT: $3 = InputTensor(r, float32, [2]);
// CHECK-NEXT: $4 = ReplaceSliceNode($1, $3, $2, $2);
// CHECK-NEXT: result = $4;
func.func @main(%x: tensor<8xf32> {hamkaas.name = "x"},
                %p: tensor<1xi64> {hamkaas.name = "p"},
                %r: tensor<2xf32> {hamkaas.name = "r"}) -> tensor<8xf32> {
  %0 = hamkaas.replace_slice %x, %r, %p, %p : tensor<8xf32>, tensor<2xf32>
  %1 = hamkaas.slice %x[0, 4] : tensor<8xf32>
  return %0 : tensor<8xf32>
}
