func.func @main(%a: tensor<5x7xf16> {hamkaas.name = "a"}, %b: tensor<5x7xbf16> {hamkaas.name = "b"}, %c: tensor<5x7xf64> {hamkaas.name = "c"}, %d: tensor<5x7xi8> {hamkaas.name = "d"}, %e: tensor<5x7xi16> {hamkaas.name = "e"}, %f: tensor<5x7xi32> {hamkaas.name = "f"}, %g: tensor<5x7xi64> {hamkaas.name = "g"}) -> (tensor<5x7xf16> {hamkaas.name = "r"}, tensor<5x7xbf16> {hamkaas.name = "s"}, tensor<5x7xf64> {hamkaas.name = "t"}, tensor<5x7xi8> {hamkaas.name = "u"}, tensor<5x7xi16> {hamkaas.name = "v"}, tensor<5x7xi32> {hamkaas.name = "w"}, tensor<5x7xi64> {hamkaas.name = "x"}) {
  %0 = hamkaas.mul %a, %a : tensor<5x7xf16>, tensor<5x7xf16>
  %1 = hamkaas.sub %0, %a : tensor<5x7xf16>, tensor<5x7xf16>
  %2 = hamkaas.mul %b, %b : tensor<5x7xbf16>, tensor<5x7xbf16>
  %3 = hamkaas.sub %2, %b : tensor<5x7xbf16>, tensor<5x7xbf16>
  %4 = hamkaas.mul %c, %c : tensor<5x7xf64>, tensor<5x7xf64>
  %5 = hamkaas.sub %4, %c : tensor<5x7xf64>, tensor<5x7xf64>
  %6 = hamkaas.mul %d, %d : tensor<5x7xi8>, tensor<5x7xi8>
  %7 = hamkaas.sub %6, %d : tensor<5x7xi8>, tensor<5x7xi8>
  %8 = hamkaas.mul %e, %e : tensor<5x7xi16>, tensor<5x7xi16>
  %9 = hamkaas.sub %8, %e : tensor<5x7xi16>, tensor<5x7xi16>
  %10 = hamkaas.mul %f, %f : tensor<5x7xi32>, tensor<5x7xi32>
  %11 = hamkaas.sub %10, %f : tensor<5x7xi32>, tensor<5x7xi32>
  %12 = hamkaas.mul %g, %g : tensor<5x7xi64>, tensor<5x7xi64>
  %13 = hamkaas.sub %12, %g : tensor<5x7xi64>, tensor<5x7xi64>
  return %1, %3, %5, %7, %9, %11, %13 : tensor<5x7xf16>, tensor<5x7xbf16>, tensor<5x7xf64>, tensor<5x7xi8>, tensor<5x7xi16>, tensor<5x7xi32>, tensor<5x7xi64>
}
