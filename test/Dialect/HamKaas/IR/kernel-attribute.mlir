// RUN: hamkaas-opt %s | hamkaas-opt | FileCheck %s
// RUN: hamkaas-opt %s -mlir-print-op-generic | hamkaas-opt | FileCheck %s

// CHECK: func private @plain() attributes {hamkaas.kernel = #hamkaas.kernel<elementwise>}
func.func private @plain() attributes {hamkaas.kernel = #hamkaas.kernel<elementwise>}

// CHECK: func private @tiled() attributes {hamkaas.kernel = #hamkaas.kernel<contraction, tile = [8, 48, 512]>}
func.func private @tiled() attributes {hamkaas.kernel = #hamkaas.kernel<contraction, tile = [8, 48, 512]>}
