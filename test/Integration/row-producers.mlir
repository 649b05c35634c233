// Pointwise operations before a row operation are computed in each pass over the
// row, at every instruction set level; rows of whole vectors, with a rest, and of
// less than a vector.

// RUN: split-file %s %t
// RUN: %python -c "import numpy; numpy.save(r'%t/p.npy', numpy.array([13]))"
// RUN: hamkaas-run %t/softmax.mlir --target-cpu=x86-64 --input=x=random --input=m=random --input=s=random --input=p=%t/p.npy --check-against=reference | FileCheck %s
// RUN: hamkaas-run %t/softmax.mlir --target-cpu=x86-64-v2 --input=x=random --input=m=random --input=s=random --input=p=%t/p.npy --check-against=reference | FileCheck %s
// RUN: hamkaas-run %t/softmax.mlir --target-cpu=host --input=x=random --input=m=random --input=s=random --input=p=%t/p.npy --check-against=reference | FileCheck %s
// RUN: hamkaas-run %t/norm.mlir --target-cpu=x86-64 --input=x=random --input=m=random --input=w=random --check-against=reference | FileCheck %s
// RUN: hamkaas-run %t/norm.mlir --target-cpu=x86-64-v2 --input=x=random --input=m=random --input=w=random --check-against=reference | FileCheck %s
// RUN: hamkaas-run %t/norm.mlir --target-cpu=host --input=x=random --input=m=random --input=w=random --check-against=reference | FileCheck %s

// CHECK: agrees with reference: 'a': largest difference {{.*}}, largest value {{.*[1-9]}}
// CHECK: agrees with reference: 'b': largest difference {{.*}}, largest value {{.*[1-9]}}

//--- softmax.mlir
func.func @main(%x: tensor<7x40xf32> {hamkaas.name = "x"}, %m: tensor<7x40xf32> {hamkaas.name = "m"}, %s: tensor<1x1xf32> {hamkaas.name = "s"}, %p: tensor<1xi64> {hamkaas.name = "p"}) -> (tensor<7x40xf32> {hamkaas.name = "a"}, tensor<20x14xf32> {hamkaas.name = "b"}) {
  %0 = hamkaas.mul %x, %s : tensor<7x40xf32>, tensor<1x1xf32>
  %1 = hamkaas.add %0, %m : tensor<7x40xf32>, tensor<7x40xf32>
  %2 = hamkaas.sliced_softmax %1 prefix(%p) : tensor<7x40xf32>
  %3 = hamkaas.mul %2, %1 : tensor<7x40xf32>, tensor<7x40xf32>
  %4 = hamkaas.reshape %m : tensor<7x40xf32> -> tensor<20x14xf32>
  %5 = hamkaas.relu %4 : tensor<20x14xf32>
  %6 = hamkaas.sliced_softmax %5 prefix(%p) : tensor<20x14xf32>
  return %3, %6 : tensor<7x40xf32>, tensor<20x14xf32>
}

//--- norm.mlir
func.func @main(%x: tensor<69xf32> {hamkaas.name = "x"}, %m: tensor<69xf32> {hamkaas.name = "m"}, %w: tensor<69xf32> {hamkaas.name = "w"}) -> (tensor<69xf32> {hamkaas.name = "a"}, tensor<3xf32> {hamkaas.name = "b"}) {
  %0 = hamkaas.add %x, %m : tensor<69xf32>, tensor<69xf32>
  %1 = hamkaas.mul %w, %m : tensor<69xf32>, tensor<69xf32>
  %2 = hamkaas.rms_norm %0, %1 : tensor<69xf32>, tensor<69xf32>
  %3 = hamkaas.add %2, %0 : tensor<69xf32>, tensor<69xf32>
  %4 = hamkaas.slice %x[0, 3] : tensor<69xf32>
  %5 = hamkaas.slice %w[0, 3] : tensor<69xf32>
  %6 = hamkaas.relu %4 : tensor<3xf32>
  %7 = hamkaas.rms_norm %6, %5 : tensor<3xf32>, tensor<3xf32>
  return %3, %7 : tensor<69xf32>, tensor<3xf32>
}
