// RUN: hamkaas-opt %s -split-input-file -hamkaas-plan-memory -hamkaas-verify-planned | FileCheck %s

// The regions of a small net: inputs and outputs stay the caller's, constants
// and states lie one after the other, the only result between the kernels lies
// in the workspace.

// CHECK-LABEL: func private @k0(
// CHECK-SAME:    memref<128x784xf32>, %{{.*}}: memref<21x784x48xf32>, %{{.*}}: memref<128x1000xf32>)
func.func private @k0(%a: memref<128x784xf32, strided<[?, ?], offset: ?>>, %b: memref<21x784x48xf32, strided<[?, ?, ?], offset: ?>>, %out: memref<128x1000xf32, strided<[?, ?], offset: ?>>) attributes {hamkaas.kernel = #hamkaas.kernel<contraction, tile = [8, 48, 512]>, hamkaas.tiles = 42 : i64} {
  return
}
func.func private @k1(%a: memref<128x1000xf32, strided<[?, ?], offset: ?>>, %b: memref<1000x10xf32, strided<[?, ?], offset: ?>>, %s: memref<64xf32, strided<[?], offset: ?>>, %out: memref<128x10xf32, strided<[?, ?], offset: ?>>) attributes {hamkaas.kernel = #hamkaas.kernel<contraction>} {
  return
}

func.func private @k2(%a: memref<1000x10xf32>, %out: memref<1000x10xf32>) attributes {hamkaas.kernel = #hamkaas.kernel<movement>} {
  return
}

// CHECK-LABEL: func @main(
// CHECK-SAME:    %[[IN:[a-z0-9]+]]: memref<401408xi8> {hamkaas.name = "input", hamkaas.region = #hamkaas.region<input>, hamkaas.type = tensor<128x28x28xf32>}
// CHECK-SAME:    %[[OUT:[a-z0-9]+]]: memref<5120xi8> {hamkaas.name = "result", hamkaas.region = #hamkaas.region<output>, hamkaas.type = tensor<128x10xf32>}
// CHECK-SAME:    %[[CONSTANTS:[a-z0-9]+]]: memref<3201280xi8> {hamkaas.region = #hamkaas.region<constants>}
// CHECK-SAME:    %[[STATE:[a-z0-9]+]]: memref<512xi8> {hamkaas.region = #hamkaas.region<state>}
// CHECK-SAME:    %[[WORKSPACE:[a-z0-9]+]]: memref<512000xi8> {hamkaas.region = #hamkaas.region<workspace>}
// CHECK-SAME:    hamkaas.buffers = [#hamkaas.buffer<offset = 0, bytes = 512000, first = 0, last = 1>]
// CHECK-SAME:    hamkaas.states = [#hamkaas.state<"position", offset = 0, type = tensor<1xi64>>, #hamkaas.state<"kv", offset = 256, type = tensor<64xf32>>]
// CHECK-SAME:    hamkaas.workspace_lower_bound = 512000 : i64
// CHECK-DAG:     %[[C0:.*]] = arith.constant 0 : index
// CHECK-DAG:     %[[C256:.*]] = arith.constant 256 : index
// CHECK-DAG:     %[[C3161088:.*]] = arith.constant 3161088 : index
// CHECK-DAG:     %[[X:.*]] = memref.view %[[IN]][%[[C0]]][] : memref<401408xi8> to memref<128x784xf32>
// CHECK-DAG:     %[[P0:.*]] = memref.view %[[CONSTANTS]][%[[C0]]][]
// CHECK-DAG:     %[[H:.*]] = memref.view %[[WORKSPACE]][%[[C0]]][]
// CHECK:         call @k0(%[[X]], %[[P0]], %[[H]])
// CHECK-DAG:     %[[P1:.*]] = memref.view %[[CONSTANTS]][%[[C3161088]]][]
// CHECK-DAG:     %[[S:.*]] = memref.view %[[STATE]][%[[C256]]][]
// CHECK-DAG:     %[[Y:.*]] = memref.view %[[OUT]][%[[C0]]][]
// CHECK:         call @k1(%[[H]], %[[P1]], %[[S]], %[[Y]])
// CHECK-NEXT:    return
func.func @main(%x: memref<128x28x28xf32> {hamkaas.name = "input", hamkaas.region = #hamkaas.region<input>},
                %p0: memref<21x784x48xf32> {hamkaas.region = #hamkaas.region<constants>, hamkaas.index = 0},
                %p1: memref<1000x10xf32> {hamkaas.region = #hamkaas.region<constants>, hamkaas.index = 1},
                %s0: memref<1xi64> {hamkaas.region = #hamkaas.region<state>, hamkaas.name = "position"},
                %s1: memref<64xf32> {hamkaas.region = #hamkaas.region<state>, hamkaas.name = "kv"},
                %out: memref<128x10xf32> {hamkaas.region = #hamkaas.region<output>, hamkaas.name = "result", bufferization.writable = true}) {
  %0 = memref.collapse_shape %x [[0], [1, 2]] : memref<128x28x28xf32> into memref<128x784xf32>
  %alloc = memref.alloc() : memref<128x1000xf32>
  %c = memref.cast %0 : memref<128x784xf32> to memref<128x784xf32, strided<[?, ?], offset: ?>>
  %d = memref.cast %p0 : memref<21x784x48xf32> to memref<21x784x48xf32, strided<[?, ?, ?], offset: ?>>
  %e = memref.cast %alloc : memref<128x1000xf32> to memref<128x1000xf32, strided<[?, ?], offset: ?>>
  call @k0(%c, %d, %e) : (memref<128x784xf32, strided<[?, ?], offset: ?>>, memref<21x784x48xf32, strided<[?, ?, ?], offset: ?>>, memref<128x1000xf32, strided<[?, ?], offset: ?>>) -> ()
  %f = memref.cast %p1 : memref<1000x10xf32> to memref<1000x10xf32, strided<[?, ?], offset: ?>>
  %g = memref.cast %s1 : memref<64xf32> to memref<64xf32, strided<[?], offset: ?>>
  %h = memref.cast %out : memref<128x10xf32> to memref<128x10xf32, strided<[?, ?], offset: ?>>
  call @k1(%e, %f, %g, %h) : (memref<128x1000xf32, strided<[?, ?], offset: ?>>, memref<1000x10xf32, strided<[?, ?], offset: ?>>, memref<64xf32, strided<[?], offset: ?>>, memref<128x10xf32, strided<[?, ?], offset: ?>>) -> ()
  return
}

// The constants are laid out once for both functions. A buffer that @prepare
// needs for itself is in a workspace of its own.

// CHECK-LABEL: func @prepare(
// CHECK-SAME:    %[[W0:[a-z0-9]+]]: memref<3161088xi8> {hamkaas.name = "w0", hamkaas.region = #hamkaas.region<parameter>, hamkaas.type = tensor<21x784x48xf32>}
// CHECK-SAME:    %[[W1:[a-z0-9]+]]: memref<40000xi8> {hamkaas.name = "w1", hamkaas.region = #hamkaas.region<parameter>, hamkaas.type = tensor<1000x10xf32>}
// CHECK-SAME:    %[[CONSTANTS:[a-z0-9]+]]: memref<3201280xi8> {hamkaas.region = #hamkaas.region<constants>}
// CHECK-SAME:    %[[WORKSPACE:[a-z0-9]+]]: memref<40192xi8> {hamkaas.region = #hamkaas.region<workspace>}
// CHECK:         memref.copy
// CHECK-DAG:     %[[A:.*]] = memref.view %[[W1]][
// CHECK-DAG:     %[[B:.*]] = memref.view %[[WORKSPACE]][
// CHECK:         memref.copy %[[A]], %[[B]] : memref<1000x10xf32> to memref<1000x10xf32>
// CHECK:         %[[C:.*]] = memref.view %[[CONSTANTS]][%c3161088
// CHECK:         call @k2(%[[B]], %[[C]])
func.func @prepare(%w0: memref<21x784x48xf32> {hamkaas.region = #hamkaas.region<parameter>, hamkaas.name = "w0"},
                   %w1: memref<1000x10xf32> {hamkaas.region = #hamkaas.region<parameter>, hamkaas.name = "w1"},
                   %p0: memref<21x784x48xf32> {hamkaas.region = #hamkaas.region<constants>, hamkaas.index = 0},
                   %p1: memref<1000x10xf32> {hamkaas.region = #hamkaas.region<constants>, hamkaas.index = 1}) {
  %alloc = memref.alloc() : memref<1000x10xf32>
  memref.copy %w0, %p0 : memref<21x784x48xf32> to memref<21x784x48xf32>
  memref.copy %w1, %alloc : memref<1000x10xf32> to memref<1000x10xf32>
  call @k2(%alloc, %p1) : (memref<1000x10xf32>, memref<1000x10xf32>) -> ()
  return
}

// -----

// Views of views become one offset.

func.func private @k0(%a: memref<4xf32, strided<[?], offset: ?>>, %out: memref<4xf32, strided<[?], offset: ?>>) attributes {hamkaas.kernel = #hamkaas.kernel<elementwise>} {
  return
}

// CHECK-LABEL: func @main(
// CHECK-SAME:    %[[IN:[a-z0-9]+]]: memref<192xi8>
// CHECK-SAME:    %[[OUT:[a-z0-9]+]]: memref<48xi8>
// CHECK-DAG:     %[[C32:.*]] = arith.constant 32 : index
// CHECK-DAG:     %[[C144:.*]] = arith.constant 144 : index
// CHECK-DAG:     %[[A:.*]] = memref.view %[[IN]][%[[C144]]][] : memref<192xi8> to memref<4xf32>
// CHECK-DAG:     %[[B:.*]] = memref.view %[[OUT]][%[[C32]]][] : memref<48xi8> to memref<4xf32>
// CHECK:         call @k0(%[[A]], %[[B]])
func.func @main(%x: memref<4x3x4xf32> {hamkaas.name = "x", hamkaas.region = #hamkaas.region<input>}, %out: memref<12xf32> {hamkaas.name = "y", hamkaas.region = #hamkaas.region<output>}) {
  %0 = memref.subview %x[3, 0, 0] [1, 3, 4] [1, 1, 1] : memref<4x3x4xf32> to memref<1x3x4xf32, strided<[12, 4, 1], offset: 36>>
  %1 = memref.subview %0[0, 0, 0] [1, 1, 4] [1, 1, 1] : memref<1x3x4xf32, strided<[12, 4, 1], offset: 36>> to memref<1x4xf32, strided<[4, 1], offset: 36>>
  %2 = memref.collapse_shape %1 [[0, 1]] : memref<1x4xf32, strided<[4, 1], offset: 36>> into memref<4xf32, strided<[1], offset: 36>>
  %3 = memref.cast %2 : memref<4xf32, strided<[1], offset: 36>> to memref<4xf32, strided<[?], offset: ?>>
  %4 = memref.reinterpret_cast %out to offset: [8], sizes: [4], strides: [1] : memref<12xf32> to memref<4xf32, strided<[1], offset: 8>>
  %5 = memref.cast %4 : memref<4xf32, strided<[1], offset: 8>> to memref<4xf32, strided<[?], offset: ?>>
  call @k0(%3, %5) : (memref<4xf32, strided<[?], offset: ?>>, memref<4xf32, strided<[?], offset: ?>>) -> ()
  return
}

// -----

// A use of a view is one of its buffer: %a lives until the last call, %b and %c
// share a place.

func.func private @k0(%a: memref<64xf32>, %out: memref<64xf32>) attributes {hamkaas.kernel = #hamkaas.kernel<elementwise>} {
  return
}

// CHECK-LABEL: func @main(
// CHECK-SAME:    %[[WORKSPACE:[a-z0-9]+]]: memref<768xi8> {hamkaas.region = #hamkaas.region<workspace>}
// CHECK-SAME:    hamkaas.workspace_lower_bound = 768 : i64
func.func @main(%x: memref<64xf32> {hamkaas.name = "x", hamkaas.region = #hamkaas.region<input>}, %out: memref<64xf32> {hamkaas.name = "y", hamkaas.region = #hamkaas.region<output>}) {
  %a = memref.alloc() : memref<64xf32>
  %b = memref.alloc() : memref<64xf32>
  %c = memref.alloc() : memref<64xf32>
  %d = memref.alloc() : memref<64xf32>
  %unused = memref.alloc() : memref<4096xf32>
  %view = memref.expand_shape %a [[0, 1]] output_shape [8, 8] : memref<64xf32> into memref<8x8xf32>
  %back = memref.collapse_shape %view [[0, 1]] : memref<8x8xf32> into memref<64xf32>
  call @k0(%x, %a) : (memref<64xf32>, memref<64xf32>) -> ()
  call @k0(%x, %b) : (memref<64xf32>, memref<64xf32>) -> ()
  call @k0(%b, %d) : (memref<64xf32>, memref<64xf32>) -> ()
  call @k0(%d, %c) : (memref<64xf32>, memref<64xf32>) -> ()
  call @k0(%c, %out) : (memref<64xf32>, memref<64xf32>) -> ()
  call @k0(%back, %out) : (memref<64xf32>, memref<64xf32>) -> ()
  memref.dealloc %a : memref<64xf32>
  return
}

// -----

// A copy within one place is dropped, here of a state that a kernel updates
// where it lies.

func.func private @k0(%s: memref<64xf32>) attributes {hamkaas.kernel = #hamkaas.kernel<movement>} {
  return
}

// CHECK-LABEL: func @main(
// CHECK-NOT:     memref.copy
// CHECK:         return
func.func @main(%s: memref<64xf32> {hamkaas.name = "s", hamkaas.region = #hamkaas.region<state>}) {
  %0 = memref.expand_shape %s [[0, 1]] output_shape [8, 8] : memref<64xf32> into memref<8x8xf32>
  call @k0(%s) : (memref<64xf32>) -> ()
  memref.copy %0, %0 : memref<8x8xf32> to memref<8x8xf32>
  return
}

// -----

// Constants of the program are globals and stay.

memref.global "private" constant @position : memref<1xi64> = dense<3>
func.func private @k0(%p: memref<1xi64, strided<[?], offset: ?>>, %out: memref<64xf32, strided<[?], offset: ?>>) attributes {hamkaas.kernel = #hamkaas.kernel<movement>} {
  return
}

// CHECK-LABEL: func @main(
// CHECK:         %[[P:.*]] = memref.get_global @position : memref<1xi64>
// CHECK:         call @k0(%[[P]], %{{.*}}) {hamkaas.call_index = 0 : i64} : (memref<1xi64>, memref<64xf32>) -> ()
func.func @main(%out: memref<64xf32> {hamkaas.name = "y", hamkaas.region = #hamkaas.region<output>}) {
  %p = memref.get_global @position : memref<1xi64>
  %0 = memref.cast %p : memref<1xi64> to memref<1xi64, strided<[?], offset: ?>>
  %1 = memref.cast %out : memref<64xf32> to memref<64xf32, strided<[?], offset: ?>>
  call @k0(%0, %1) : (memref<1xi64, strided<[?], offset: ?>>, memref<64xf32, strided<[?], offset: ?>>) -> ()
  return
}

// -----

// Nothing to do.

// CHECK-LABEL: func @main(
// CHECK-SAME:    memref<0xi8> {hamkaas.region = #hamkaas.region<constants>}
// CHECK-SAME:    memref<0xi8> {hamkaas.region = #hamkaas.region<state>}
// CHECK-SAME:    memref<0xi8> {hamkaas.region = #hamkaas.region<workspace>}
// CHECK-SAME:    hamkaas.buffers = []
// CHECK-NEXT:    return
func.func @main() {
  return
}
