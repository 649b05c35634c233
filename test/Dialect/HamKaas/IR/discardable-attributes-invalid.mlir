// RUN: hamkaas-opt %s -split-input-file -verify-diagnostics

// A misspelt attribute would be passed over in silence, as would one that
// stands elsewhere or has a value of another kind.

//===----------------------------------------------------------------------===//
// Names
//===----------------------------------------------------------------------===//

// expected-error @below {{expected an attribute that operations may have, got 'hamkaas.tile'}}
func.func private @unknown() attributes {hamkaas.tile = 4}

// -----

// expected-error @below {{expected an attribute that an argument may have, got 'hamkaas.in_place'}}
func.func private @unknown_of_argument(memref<4xf32> {hamkaas.in_place})

// -----

// expected-error @below {{expected an attribute that a result may have, got 'hamkaas.inplace'}}
func.func private @unknown_of_result() -> (tensor<4xf32> {hamkaas.inplace})

// -----

//===----------------------------------------------------------------------===//
// Places
//===----------------------------------------------------------------------===//

// expected-error @below {{expected no 'hamkaas.region' on an argument of kernel @k0}}
func.func private @k0(memref<4xf32> {hamkaas.region = #hamkaas.region<input>}) attributes {hamkaas.kernel = #hamkaas.kernel<row>}

// -----

// expected-error @below {{expected the region of an argument of @main to be one of input, output, constants, state, workspace, got parameter}}
func.func @main(%x: memref<4xf32> {hamkaas.region = #hamkaas.region<parameter>}) {
  return
}

// -----

// expected-error @below {{expected the region of an argument of @prepare to be one of parameter, constants, workspace, got state}}
func.func @prepare(%x: memref<4xf32> {hamkaas.region = #hamkaas.region<state>}) {
  return
}

// -----

// expected-error @below {{expected the region of a result of @loop0 to be one of input, state, output, workspace, got constants}}
func.func private @loop0() -> (tensor<4xf32> {hamkaas.region = #hamkaas.region<constants>}) attributes {hamkaas.loop}

// -----

func.func @function() {
  // expected-error @below {{expected 'hamkaas.tiles' on a function, got func.return}}
  return {hamkaas.tiles = 4}
}

// -----

// expected-error @below {{expected 'hamkaas.flops' on a call or a group, got func.func}}
func.func private @call_or_group() attributes {hamkaas.flops = 4}

// -----

func.func @group(%x: tensor<4xf32>) {
  // expected-error @below {{expected 'hamkaas.call_index' on a call, got hamkaas.group}}
  %0 = hamkaas.group elementwise(%x) {hamkaas.call_index = 0} : (tensor<4xf32>) -> tensor<4xf32> {
  ^bb0(%a: tensor<4xf32>):
    hamkaas.yield %a : tensor<4xf32>
  }
  return
}

// -----

// expected-error @below {{expected 'hamkaas.tile_loop' on a loop, got func.func}}
func.func private @loop() attributes {hamkaas.tile_loop}

// -----

func.func @store(%x: memref<4xf32>, %i: index) {
  // expected-error @below {{expected 'hamkaas.lane_store' on a store, got memref.load}}
  %0 = memref.load %x[%i] {hamkaas.lane_store} : memref<4xf32>
  return
}

// -----

// expected-error @below {{expected 'hamkaas.name' on a global, got func.func}}
func.func private @global() attributes {hamkaas.name = "x"}

// -----

//===----------------------------------------------------------------------===//
// Values, by attribute
//===----------------------------------------------------------------------===//

// expected-error @below {{expected 'hamkaas.name' to be a string, got 3 : i64}}
func.func private @name(tensor<4xf32> {hamkaas.name = 3})

// -----

// expected-error @below {{expected 'hamkaas.region' to be #hamkaas.region<...>, got "workspace"}}
func.func private @region(tensor<4xf32> {hamkaas.region = "workspace"})

// -----

// expected-error @+2 {{expected ::hamkaas::MemoryRegion to be one of: input, output, parameter, constants, state, workspace}}
// expected-error @below {{failed to parse HamKaas_MemoryRegionAttr parameter 'value'}}
func.func private @region(tensor<4xf32> {hamkaas.region = #hamkaas.region<wrkspace>})

// -----

// expected-error @below {{expected 'hamkaas.index' to be an i64 of at least 0, got -1 : i64}}
func.func private @index(memref<4xf32> {hamkaas.index = -1})

// -----

// expected-error @below {{expected 'hamkaas.type' to be the type of a tensor of static shape, got tensor<?xf32>}}
func.func private @type(memref<4xf32> {hamkaas.type = tensor<?xf32>})

// -----

// expected-error @below {{expected 'hamkaas.type' to be the type of a tensor of static shape, got memref<4xf32>}}
func.func private @type() -> (memref<4xf32> {hamkaas.type = memref<4xf32>})

// -----

// expected-error @below {{expected 'hamkaas.inplace' to be no value, got true}}
func.func private @inplace(memref<4xf32> {hamkaas.inplace = true})

// -----

// expected-error @below {{expected 'hamkaas.kernel' to be #hamkaas.kernel<...>, got "row"}}
func.func private @kernel() attributes {hamkaas.kernel = "row"}

// -----

// expected-error @below {{expected a size of the tile to be at least 1, got 0}}
func.func private @kernel_tile() attributes {hamkaas.kernel = #hamkaas.kernel<row, tile = [4, 0]>}

// -----

// expected-error @below {{expected 'hamkaas.loop' to be no value, got "loop0"}}
func.func private @loop() attributes {hamkaas.loop = "loop0"}

// -----

// expected-error @below {{expected 'hamkaas.tiles' to be an i64 of at least 1, got 0 : i64}}
func.func private @tiles() attributes {hamkaas.tiles = 0}

// -----

// expected-error @below {{expected 'hamkaas.tiles' to be an i64 of at least 1, got 4 : i32}}
func.func private @tiles_type() attributes {hamkaas.tiles = 4 : i32}

// -----

// expected-error @below {{expected 'hamkaas.tile_runner' to be #hamkaas.tile_runner<...>, got "warp"}}
func.func private @tile_runner() attributes {hamkaas.tile_runner = "warp"}

// -----

// expected-error @+2 {{expected ::hamkaas::TileRunner to be one of: thread, warp}}
// expected-error @below {{failed to parse HamKaas_TileRunnerAttr parameter 'value'}}
func.func private @tile_runner() attributes {hamkaas.tile_runner = #hamkaas.tile_runner<wrap>}

// -----

// expected-error @below {{expected 'hamkaas.fused_calls' to be an array of i64 of at least 1, got array<i64: 1, 0>}}
func.func private @fused_calls(memref<4xf32>) attributes {hamkaas.fused_calls = array<i64: 1, 0>}

// -----

// expected-error @below {{expected 'hamkaas.fused_calls' to add up to the 1 arguments, got array<i64: 1, 1>}}
func.func private @fused_calls(memref<4xf32>) attributes {hamkaas.fused_calls = array<i64: 1, 1>}

// -----

// expected-error @below {{expected 'hamkaas.block_warps' to be an i64 of at least 1, got "8"}}
func.func private @block_warps() attributes {hamkaas.block_warps = "8"}

// -----

func.func @lane_store(%x: memref<4xf32>, %v: f32, %i: index) {
  // expected-error @below {{expected 'hamkaas.lane_store' to be no value, got 1 : i64}}
  memref.store %v, %x[%i] {hamkaas.lane_store = 1} : memref<4xf32>
  return
}

// -----

func.func @loops(%i: index) {
  // expected-error @below {{expected 'hamkaas.tile_loop' to be no value, got 1 : i64}}
  scf.for %j = %i to %i step %i {
  } {hamkaas.tile_loop = 1}
  return
}

// -----

func.func @exponential(%x: f32) -> f32 {
  // expected-error @below {{expected 'hamkaas.nonpositive' to be no value, got 1 : i64}}
  %0 = math.exp %x {hamkaas.nonpositive = 1} : f32
  return %0 : f32
}

// -----

func.func @fresh(%x: f32) -> f32 {
  // expected-error @below {{expected 'hamkaas.fresh' on an operation with a destination, got math.exp}}
  %0 = math.exp %x {hamkaas.fresh} : f32
  return %0 : f32
}

// -----

func.func @zero_rows(%x: tensor<2xf32>) -> tensor<2xf32> {
  %e = tensor.empty() : tensor<2xf32>
  // expected-error @below {{expected 'hamkaas.zero_rows' to be an array of two i64 of at least 0, got array<i64: 1>}}
  %0 = linalg.copy {hamkaas.zero_rows = array<i64: 1>} ins(%x : tensor<2xf32>) outs(%e : tensor<2xf32>) -> tensor<2xf32>
  return %0 : tensor<2xf32>
}

// -----

func.func @rows_of_number(%x: f32) -> f32 {
  // expected-error @below {{expected 'hamkaas.zero_rows' on an operation of a kernel or with a destination, got math.exp}}
  %0 = math.exp %x {hamkaas.zero_rows = array<i64: 1, 1>} : f32
  return %0 : f32
}

// -----

func.func @sum(%x: f32) -> f32 {
  // expected-error @below {{expected 'hamkaas.nonpositive' on an operation of one operand and one result, got arith.addf}}
  %0 = arith.addf %x, %x {hamkaas.nonpositive} : f32
  return %0 : f32
}

// -----

func.func @loops(%i: index) {
  // expected-error @below {{expected 'hamkaas.stream_loop' to be no value, got false}}
  scf.for %j = %i to %i step %i {
  } {hamkaas.stream_loop = false}
  return
}

// -----

// expected-error @below {{expected 'hamkaas.device_kernel' to be #hamkaas.device_kernel<...>, got 3 : i64}}
func.func private @device_kernel() attributes {hamkaas.device_kernel = 3}

// -----

// expected-error @below {{expected function to be at least 0, got -1}}
func.func private @device_kernel() attributes {hamkaas.device_kernel = #hamkaas.device_kernel<-1>}

// -----

// expected-error @below {{expected checks to be at least -1, got -2}}
func.func private @device_kernel() attributes {hamkaas.device_kernel = #hamkaas.device_kernel<1, checks = -2>}

// -----

// expected-error @below {{expected 'checks'}}
func.func private @device_kernel() attributes {hamkaas.device_kernel = #hamkaas.device_kernel<1, checked = [0]>}

// -----

// expected-error @below {{expected a checked argument to be at least 0, got -1}}
func.func private @device_kernel() attributes {hamkaas.device_kernel = #hamkaas.device_kernel<1, checks = 0, checked = [-1]>}

// -----

// expected-error @below {{expected 'hamkaas.shared_bytes' to be an i64 of at least 0, got 4.000000e+00 : f32}}
func.func private @shared_bytes() attributes {hamkaas.shared_bytes = 4.0 : f32}

// -----

// expected-error @below {{expected 'hamkaas.library' to be no value, got "libm"}}
func.func private @library() attributes {hamkaas.library = "libm"}

// -----

func.func private @callee()
func.func @ops() {
  // expected-error @below {{expected 'hamkaas.ops' to be a string, got ["add", "relu"]}}
  call @callee() {hamkaas.ops = ["add", "relu"]} : () -> ()
  return
}

// -----

func.func private @callee()
func.func @flops() {
  // expected-error @below {{expected 'hamkaas.flops' to be an i64 of at least 0, got -1 : i64}}
  call @callee() {hamkaas.flops = -1} : () -> ()
  return
}

// -----

func.func private @callee()
func.func @copy() {
  // expected-error @below {{expected 'hamkaas.copy' to be no value, got true}}
  call @callee() {hamkaas.copy = true} : () -> ()
  return
}

// -----

func.func private @callee()
func.func @call_index() {
  // expected-error @below {{expected 'hamkaas.call_index' to be an i64 of at least 0, got "first"}}
  call @callee() {hamkaas.call_index = "first"} : () -> ()
  return
}

// -----

// expected-error @below {{expected 'hamkaas.states' to be an array of #hamkaas.state<...>, got [{name = "h", offset = 0 : i64}]}}
func.func private @states() attributes {hamkaas.states = [{name = "h", offset = 0}]}

// -----

// expected-error @below {{expected offset to be at least 0, got -8}}
func.func private @states() attributes {hamkaas.states = [#hamkaas.state<"h", offset = -8, type = tensor<4xf32>>]}

// -----

// expected-error @below {{expected a state of static shape, got 'tensor<?xf32>'}}
func.func private @states() attributes {hamkaas.states = [#hamkaas.state<"h", offset = 0, type = tensor<?xf32>>]}

// -----

// expected-error @below {{expected 'hamkaas.buffers' to be an array of #hamkaas.buffer<...>, got 1 : i64}}
func.func private @buffers() attributes {hamkaas.buffers = 1}

// -----

// expected-error @below {{expected bytes to be at least 0, got -1}}
func.func private @buffers() attributes {hamkaas.buffers = [#hamkaas.buffer<offset = 0, bytes = -1, first = 0, last = 0>]}

// -----

// expected-error @below {{expected last to be at least 2, got 1}}
func.func private @buffers() attributes {hamkaas.buffers = [#hamkaas.buffer<offset = 0, bytes = 4, first = 2, last = 1>]}

// -----

// expected-error @below {{expected 'hamkaas.workspace_lower_bound' to be an i64 of at least 0, got -1 : i64}}
func.func private @lower_bound() attributes {hamkaas.workspace_lower_bound = -1}

// -----

// expected-error @below {{expected 'hamkaas.role' to be "parameter" or "moment", got "weight"}}
ml_program.global private mutable @role(dense<0.0> : tensor<4xf32>) : tensor<4xf32> {hamkaas.role = "weight"}

// -----

// expected-error @below {{expected 'hamkaas.recomputed' on a call or a copy, got func.func}}
func.func private @recomputed() attributes {hamkaas.recomputed}

// -----

// expected-error @below {{expected 'hamkaas.knobs' to be a dictionary of knobs such as {rows = 4 : i64, winograd = "off"}, got {row = 4 : i64}}}
func.func private @knobs() attributes {hamkaas.knobs = {row = 4 : i64}}

// -----

// expected-error @below {{expected 'hamkaas.knobs' to be a dictionary of knobs such as {rows = 4 : i64, winograd = "off"}, got {rows = 0 : i64}}}
func.func private @knobs() attributes {hamkaas.knobs = {rows = 0 : i64}}

// -----

// expected-error @below {{expected 'hamkaas.knobs' to be a dictionary of knobs such as {rows = 4 : i64, winograd = "off"}, got {rows = 4 : i32}}}
func.func private @knobs() attributes {hamkaas.knobs = {rows = 4 : i32}}

// -----

// expected-error @below {{expected 'hamkaas.knobs' to be a dictionary of knobs such as {rows = 4 : i64, winograd = "off"}, got {rows = "4"}}}
func.func private @knobs() attributes {hamkaas.knobs = {rows = "4"}}

// -----

// expected-error @below {{expected 'hamkaas.knobs' to be a dictionary of knobs such as {rows = 4 : i64, winograd = "off"}, got {packing = "auto"}}}
func.func private @knobs() attributes {hamkaas.knobs = {packing = "auto"}}

// -----

// expected-error @below {{expected 'hamkaas.knobs' to be a dictionary of knobs such as {rows = 4 : i64, winograd = "off"}, got {winograd = "5"}}}
func.func private @knobs() attributes {hamkaas.knobs = {winograd = "5"}}

// -----

// expected-error @below {{expected 'hamkaas.knobs' to be a dictionary of knobs such as {rows = 4 : i64, winograd = "off"}, got {winograd = 4 : i64}}}
func.func private @knobs() attributes {hamkaas.knobs = {winograd = 4 : i64}}

// -----

// expected-error @below {{expected 'hamkaas.knobs' to be a dictionary of knobs such as {rows = 4 : i64, winograd = "off"}, got "rows=4"}}
func.func private @knobs() attributes {hamkaas.knobs = "rows=4"}

// -----

func.func @knobs() {
  // expected-error @below {{expected 'hamkaas.knobs' on a function, a group or an operation of a kernel, got func.return}}
  return {hamkaas.knobs = {rows = 4}}
}

// -----

// expected-error @below {{expected 'hamkaas.knobs' to be a dictionary of knobs such as {rows = 4 : i64, winograd = "off"}, got {}}}
func.func private @knobs() attributes {hamkaas.knobs = {}}
