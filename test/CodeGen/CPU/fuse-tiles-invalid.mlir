// RUN: hamkaas-opt %s -hamkaas-cpu-fuse-tiles -verify-diagnostics

// expected-error @below {{expected a program whose memory is planned, with 'hamkaas.buffers'}}
func.func @main(%x: tensor<4xf32> {hamkaas.name = "x"}) -> (tensor<4xf32> {hamkaas.name = "y"}) {
  %y = hamkaas.relu %x : tensor<4xf32>
  return %y : tensor<4xf32>
}
