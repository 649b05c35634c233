// Threads of a GPU that have several elements each compute what single ones do:
// rows of whole vectors, with a rest that does or does not divide the share of a
// thread, and at places that are not aligned. The emulator would find accesses
// that are not aligned, beyond the end, or of two threads at a time.

// RUN: split-file %s %t
// RUN: %python %t/weights.py %t/w.safetensors
// DEFINE: %{run} = hamkaas-run --device=cuda-emulation --check-against=reference
// RUN: %{run} %t/elements.mlir --emulation-order=forward --input=x=random --input=y=random --input=b=random --input=z=random | FileCheck %s
// RUN: %{run} %t/elements.mlir --emulation-order=7 --input=x=random --input=y=random --input=b=random --input=z=random | FileCheck %s
// RUN: %{run} %t/places.mlir --emulation-order=forward --input=x=random --input=y=random | FileCheck %s
// RUN: %{run} %t/places.mlir --emulation-order=backward --input=x=random --input=y=random | FileCheck %s
// RUN: %{run} %t/types.mlir --emulation-order=3 --input=x=random --input=y=random | FileCheck %s
// RUN: %{run} %t/rows.mlir --emulation-order=forward --input=a=random --input=b=random --input=c=random --input=d=random --input=e=random | FileCheck %s
// RUN: %{run} %t/rows.mlir --emulation-order=5 --input=a=random --input=b=random --input=c=random --input=d=random --input=e=random | FileCheck %s
// RUN: %{run} %t/products.mlir --weights=%t/w.safetensors --emulation-order=forward --input=x=random --input=y=random --input=z=random --input=o=random | FileCheck %s
// RUN: %{run} %t/products.mlir --weights=%t/w.safetensors --emulation-order=5 --input=x=random --input=y=random --input=z=random --input=o=random | FileCheck %s
// CHECK-NOT: error
// CHECK: agrees with reference

//--- elements.mlir
func.func @main(%x: tensor<1003xf32> {hamkaas.name = "x"}, %y: tensor<5x132xf32> {hamkaas.name = "y"}, %b: tensor<1x132xf32> {hamkaas.name = "b"}, %z: tensor<3x4x600xf32> {hamkaas.name = "z"})
    -> (tensor<1003xf32> {hamkaas.name = "a"}, tensor<5x132xf32> {hamkaas.name = "c"}, tensor<3x4x600xf32> {hamkaas.name = "d"}, tensor<3x4x600xf32> {hamkaas.name = "e"}) {
  %a = hamkaas.gelu %x : tensor<1003xf32>
  %0 = hamkaas.mul %y, %b : tensor<5x132xf32>, tensor<1x132xf32>
  %1 = hamkaas.abs %0 : tensor<5x132xf32>
  %c = hamkaas.sqrt %1 : tensor<5x132xf32>
  %d = hamkaas.sin %z : tensor<3x4x600xf32>
  %e = hamkaas.silu %z : tensor<3x4x600xf32>
  return %a, %c, %d, %e : tensor<1003xf32>, tensor<5x132xf32>, tensor<3x4x600xf32>, tensor<3x4x600xf32>
}

//--- places.mlir
func.func @main(%x: tensor<9x260xf32> {hamkaas.name = "x"}, %y: tensor<9x131xf32> {hamkaas.name = "y"})
    -> (tensor<9x391xf32> {hamkaas.name = "a"}, tensor<9x522xf32> {hamkaas.name = "b"}, tensor<9x200xf32> {hamkaas.name = "c"}, tensor<9x200xf32> {hamkaas.name = "d"}, tensor<12x260xf32> {hamkaas.name = "e"}, tensor<9x264xf32> {hamkaas.name = "f"}, tensor<260x9xf32> {hamkaas.name = "g"}, tensor<18x260xf32> {hamkaas.name = "h"}, tensor<9x130xf32> {hamkaas.name = "i"}) {
  %0 = hamkaas.relu %x : tensor<9x260xf32>
  %1 = hamkaas.relu %y : tensor<9x131xf32>
  %a = hamkaas.concat %0, %1 dim 1 : tensor<9x260xf32>, tensor<9x131xf32>
  %b = hamkaas.concat %1, %x, %1 dim 1 : tensor<9x131xf32>, tensor<9x260xf32>, tensor<9x131xf32>
  %2 = hamkaas.strided_slice %x offsets [0, 4] sizes [9, 200] strides [1, 1] : tensor<9x260xf32>
  %c = hamkaas.neg %2 : tensor<9x200xf32>
  %3 = hamkaas.strided_slice %x offsets [0, 3] sizes [9, 200] strides [1, 1] : tensor<9x260xf32>
  %d = hamkaas.neg %3 : tensor<9x200xf32>
  %e = hamkaas.pad %x low [1, 0] high [2, 0] interior [0, 0] value 5.0 : f32 : tensor<9x260xf32>
  %f = hamkaas.pad %x low [0, 1] high [0, 3] interior [0, 0] value 5.0 : f32 : tensor<9x260xf32>
  %g = hamkaas.permute %x[1, 0] : tensor<9x260xf32>
  %h = hamkaas.concat %x, %0 dim 0 : tensor<9x260xf32>, tensor<9x260xf32>
  %4 = hamkaas.strided_slice %x offsets [0, 0] sizes [9, 130] strides [1, 2] : tensor<9x260xf32>
  %i = hamkaas.exp %4 : tensor<9x130xf32>
  return %a, %b, %c, %d, %e, %f, %g, %h, %i : tensor<9x391xf32>, tensor<9x522xf32>, tensor<9x200xf32>, tensor<9x200xf32>, tensor<12x260xf32>, tensor<9x264xf32>, tensor<260x9xf32>, tensor<18x260xf32>, tensor<9x130xf32>
}

//--- types.mlir
func.func @main(%x: tensor<3x268xf32> {hamkaas.name = "x"}, %y: tensor<3x268xf64> {hamkaas.name = "y"})
    -> (tensor<3x268xf32> {hamkaas.name = "a"}, tensor<3x268xf32> {hamkaas.name = "b"}, tensor<3x268xf64> {hamkaas.name = "c"}, tensor<3x268xi8> {hamkaas.name = "d"}, tensor<3x268xi64> {hamkaas.name = "e"}) {
  %0 = hamkaas.cast %x : tensor<3x268xf32> -> tensor<3x268xf16>
  %1 = hamkaas.add %0, %0 : tensor<3x268xf16>, tensor<3x268xf16>
  %a = hamkaas.cast %1 : tensor<3x268xf16> -> tensor<3x268xf32>
  %2 = hamkaas.cast %x : tensor<3x268xf32> -> tensor<3x268xbf16>
  %3 = hamkaas.exp %2 : tensor<3x268xbf16>
  %b = hamkaas.cast %3 : tensor<3x268xbf16> -> tensor<3x268xf32>
  %c = hamkaas.exp %y : tensor<3x268xf64>
  %4 = hamkaas.add %x, %x : tensor<3x268xf32>, tensor<3x268xf32>
  %d = hamkaas.cast %4 : tensor<3x268xf32> -> tensor<3x268xi8>
  %5 = hamkaas.cast %x : tensor<3x268xf32> -> tensor<3x268xi64>
  %e = hamkaas.add %5, %5 : tensor<3x268xi64>, tensor<3x268xi64>
  return %a, %b, %c, %d, %e : tensor<3x268xf32>, tensor<3x268xf32>, tensor<3x268xf64>, tensor<3x268xi8>, tensor<3x268xi64>
}

//--- rows.mlir
func.func @main(%a: tensor<3x1000xf32> {hamkaas.name = "a"}, %b: tensor<5x577xf32> {hamkaas.name = "b"}, %c: tensor<2x3000xf32> {hamkaas.name = "c"}, %d: tensor<2x4096xf32> {hamkaas.name = "d"}, %e: tensor<7x100xf32> {hamkaas.name = "e"})
    -> (tensor<3x1000xf32> {hamkaas.name = "f"}, tensor<5x577xf32> {hamkaas.name = "g"}, tensor<2x3000xf32> {hamkaas.name = "h"}, tensor<2x4096xf32> {hamkaas.name = "i"}, tensor<7x100xf32> {hamkaas.name = "j"}, tensor<2x4096xf32> {hamkaas.name = "k"}, tensor<7xf32> {hamkaas.name = "l"}, tensor<3xf32> {hamkaas.name = "m"}) {
  %f = hamkaas.sliced_softmax %a static_prefix 1000 : tensor<3x1000xf32>
  %g = hamkaas.sliced_softmax %b static_prefix 500 : tensor<5x577xf32>
  %h = hamkaas.sliced_softmax %c static_prefix 3000 : tensor<2x3000xf32>
  %i = hamkaas.layer_norm %d epsilon 1.0e-5 : tensor<2x4096xf32>
  %0 = hamkaas.add %e, %e : tensor<7x100xf32>, tensor<7x100xf32>
  %j = hamkaas.layer_norm %0 epsilon 1.0e-5 : tensor<7x100xf32>
  %k = hamkaas.sliced_softmax %d static_prefix 4096 : tensor<2x4096xf32>
  %l = hamkaas.reduce sum %e over [1] : tensor<7x100xf32>
  %m = hamkaas.reduce max %a over [1] : tensor<3x1000xf32>
  return %f, %g, %h, %i, %j, %k, %l, %m : tensor<3x1000xf32>, tensor<5x577xf32>, tensor<2x3000xf32>, tensor<2x4096xf32>, tensor<7x100xf32>, tensor<2x4096xf32>, tensor<7xf32>, tensor<3xf32>
}

//--- products.mlir
#extern = #ml_program.extern
ml_program.global private @w(#ml_program.extern<tensor<300x500xf32>>) : tensor<300x500xf32>
ml_program.global private @v(#ml_program.extern<tensor<96x70xf32>>) : tensor<96x70xf32>
ml_program.global private @u(#ml_program.extern<tensor<64x256xf32>>) : tensor<64x256xf32>
ml_program.global private @t(#ml_program.extern<tensor<96x10xf32>>) : tensor<96x10xf32>
func.func @main(%x: tensor<1x300xf32> {hamkaas.name = "x"}, %y: tensor<7x96xf32> {hamkaas.name = "y"}, %z: tensor<2x64xf32> {hamkaas.name = "z"}, %o: tensor<1067x96xf32> {hamkaas.name = "o"})
    -> (tensor<1x500xf32> {hamkaas.name = "a"}, tensor<7x70xf32> {hamkaas.name = "b"}, tensor<2x256xf32> {hamkaas.name = "c"}, tensor<1067x10xf32> {hamkaas.name = "d"}) {
  %w = ml_program.global_load_const @w : tensor<300x500xf32>
  %v = ml_program.global_load_const @v : tensor<96x70xf32>
  %u = ml_program.global_load_const @u : tensor<64x256xf32>
  %a = hamkaas.matmul %x, %w : tensor<1x300xf32>, tensor<300x500xf32>
  %0 = hamkaas.matmul %y, %v : tensor<7x96xf32>, tensor<96x70xf32>
  %b = hamkaas.relu %0 : tensor<7x70xf32>
  %c = hamkaas.matmul %z, %u : tensor<2x64xf32>, tensor<64x256xf32>
  %t = ml_program.global_load_const @t : tensor<96x10xf32>
  %1 = hamkaas.matmul %o, %t : tensor<1067x96xf32>, tensor<96x10xf32>
  %d = hamkaas.relu %1 : tensor<1067x10xf32>
  return %a, %b, %c, %d : tensor<1x500xf32>, tensor<7x70xf32>, tensor<2x256xf32>, tensor<1067x10xf32>
}

//--- weights.py
import json, struct, sys
import numpy as np
random = np.random.default_rng(0)
header, data = {}, b""
for name, shape in {"w": (300, 500), "v": (96, 70), "u": (64, 256),
                    "t": (96, 10)}.items():
    array = random.standard_normal(shape).astype(np.float32).tobytes()
    header[name] = {"dtype": "F32", "shape": shape,
                    "data_offsets": [len(data), len(data) + len(array)]}
    data += array
text = json.dumps(header).encode()
text += b" " * (-len(text) % 8)
open(sys.argv[1], "wb").write(struct.pack("<Q", len(text)) + text + data)
