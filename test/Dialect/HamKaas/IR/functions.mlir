// RUN: hamkaas-opt %s | hamkaas-opt | FileCheck %s

// Functions of an element keep the type.

// CHECK-LABEL: func @abs(
// CHECK:         hamkaas.abs %{{.*}} : tensor<2x3xf32>
func.func @abs(%x: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %0 = hamkaas.abs %x : tensor<2x3xf32>
  return %0 : tensor<2x3xf32>
}

// CHECK-LABEL: func @neg(
// CHECK:         hamkaas.neg %{{.*}} : tensor<2x3xf32>
func.func @neg(%x: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %0 = hamkaas.neg %x : tensor<2x3xf32>
  return %0 : tensor<2x3xf32>
}

// CHECK-LABEL: func @sign(
// CHECK:         hamkaas.sign %{{.*}} : tensor<2x3xf32>
func.func @sign(%x: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %0 = hamkaas.sign %x : tensor<2x3xf32>
  return %0 : tensor<2x3xf32>
}

// CHECK-LABEL: func @floor(
// CHECK:         hamkaas.floor %{{.*}} : tensor<2x3xf32>
func.func @floor(%x: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %0 = hamkaas.floor %x : tensor<2x3xf32>
  return %0 : tensor<2x3xf32>
}

// CHECK-LABEL: func @ceil(
// CHECK:         hamkaas.ceil %{{.*}} : tensor<2x3xf32>
func.func @ceil(%x: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %0 = hamkaas.ceil %x : tensor<2x3xf32>
  return %0 : tensor<2x3xf32>
}

// CHECK-LABEL: func @round(
// CHECK:         hamkaas.round %{{.*}} : tensor<2x3xf32>
func.func @round(%x: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %0 = hamkaas.round %x : tensor<2x3xf32>
  return %0 : tensor<2x3xf32>
}

// CHECK-LABEL: func @sqrt(
// CHECK:         hamkaas.sqrt %{{.*}} : tensor<2x3xf32>
func.func @sqrt(%x: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %0 = hamkaas.sqrt %x : tensor<2x3xf32>
  return %0 : tensor<2x3xf32>
}

// CHECK-LABEL: func @exp(
// CHECK:         hamkaas.exp %{{.*}} : tensor<2x3xf32>
func.func @exp(%x: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %0 = hamkaas.exp %x : tensor<2x3xf32>
  return %0 : tensor<2x3xf32>
}

// CHECK-LABEL: func @log(
// CHECK:         hamkaas.log %{{.*}} : tensor<2x3xf32>
func.func @log(%x: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %0 = hamkaas.log %x : tensor<2x3xf32>
  return %0 : tensor<2x3xf32>
}

// CHECK-LABEL: func @sin(
// CHECK:         hamkaas.sin %{{.*}} : tensor<2x3xf32>
func.func @sin(%x: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %0 = hamkaas.sin %x : tensor<2x3xf32>
  return %0 : tensor<2x3xf32>
}

// CHECK-LABEL: func @cos(
// CHECK:         hamkaas.cos %{{.*}} : tensor<2x3xf32>
func.func @cos(%x: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %0 = hamkaas.cos %x : tensor<2x3xf32>
  return %0 : tensor<2x3xf32>
}

// CHECK-LABEL: func @tan(
// CHECK:         hamkaas.tan %{{.*}} : tensor<2x3xf32>
func.func @tan(%x: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %0 = hamkaas.tan %x : tensor<2x3xf32>
  return %0 : tensor<2x3xf32>
}

// CHECK-LABEL: func @asin(
// CHECK:         hamkaas.asin %{{.*}} : tensor<2x3xf32>
func.func @asin(%x: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %0 = hamkaas.asin %x : tensor<2x3xf32>
  return %0 : tensor<2x3xf32>
}

// CHECK-LABEL: func @acos(
// CHECK:         hamkaas.acos %{{.*}} : tensor<2x3xf32>
func.func @acos(%x: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %0 = hamkaas.acos %x : tensor<2x3xf32>
  return %0 : tensor<2x3xf32>
}

// CHECK-LABEL: func @atan(
// CHECK:         hamkaas.atan %{{.*}} : tensor<2x3xf32>
func.func @atan(%x: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %0 = hamkaas.atan %x : tensor<2x3xf32>
  return %0 : tensor<2x3xf32>
}

// CHECK-LABEL: func @sinh(
// CHECK:         hamkaas.sinh %{{.*}} : tensor<2x3xf32>
func.func @sinh(%x: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %0 = hamkaas.sinh %x : tensor<2x3xf32>
  return %0 : tensor<2x3xf32>
}

// CHECK-LABEL: func @cosh(
// CHECK:         hamkaas.cosh %{{.*}} : tensor<2x3xf32>
func.func @cosh(%x: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %0 = hamkaas.cosh %x : tensor<2x3xf32>
  return %0 : tensor<2x3xf32>
}

// CHECK-LABEL: func @tanh(
// CHECK:         hamkaas.tanh %{{.*}} : tensor<2x3xf32>
func.func @tanh(%x: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %0 = hamkaas.tanh %x : tensor<2x3xf32>
  return %0 : tensor<2x3xf32>
}

// CHECK-LABEL: func @asinh(
// CHECK:         hamkaas.asinh %{{.*}} : tensor<2x3xf32>
func.func @asinh(%x: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %0 = hamkaas.asinh %x : tensor<2x3xf32>
  return %0 : tensor<2x3xf32>
}

// CHECK-LABEL: func @acosh(
// CHECK:         hamkaas.acosh %{{.*}} : tensor<2x3xf32>
func.func @acosh(%x: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %0 = hamkaas.acosh %x : tensor<2x3xf32>
  return %0 : tensor<2x3xf32>
}

// CHECK-LABEL: func @atanh(
// CHECK:         hamkaas.atanh %{{.*}} : tensor<2x3xf32>
func.func @atanh(%x: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %0 = hamkaas.atanh %x : tensor<2x3xf32>
  return %0 : tensor<2x3xf32>
}

// CHECK-LABEL: func @erf(
// CHECK:         hamkaas.erf %{{.*}} : tensor<2x3xf32>
func.func @erf(%x: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %0 = hamkaas.erf %x : tensor<2x3xf32>
  return %0 : tensor<2x3xf32>
}

// CHECK-LABEL: func @sigmoid(
// CHECK:         hamkaas.sigmoid %{{.*}} : tensor<2x3xf32>
func.func @sigmoid(%x: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %0 = hamkaas.sigmoid %x : tensor<2x3xf32>
  return %0 : tensor<2x3xf32>
}

// CHECK-LABEL: func @integers(
// CHECK:         hamkaas.abs %{{.*}} : tensor<3xi8>
// CHECK:         hamkaas.neg %{{.*}} : tensor<3xui16>
// CHECK:         hamkaas.sign %{{.*}} : tensor<3xi64>
func.func @integers(%x: tensor<3xi8>, %y: tensor<3xui16>, %z: tensor<3xi64>) {
  %0 = hamkaas.abs %x : tensor<3xi8>
  %1 = hamkaas.neg %y : tensor<3xui16>
  %2 = hamkaas.sign %z : tensor<3xi64>
  return
}
