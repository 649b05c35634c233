// Modules that no pass expects end in an error, or are left alone where there is
// nothing to do.

// RUN: %python %S/Inputs/odd-modules.py %s > %t
// RUN: FileCheck %s < %t

// CHECK: empty: hamkaas-form-groups: passes
// CHECK: empty: hamkaas-lower-groups: passes
// CHECK: empty: hamkaas-cpu-pack-parameters: passes
// CHECK: empty: hamkaas-hoist-parameters: error: expected a function @main{{$}}
// CHECK: empty: hamkaas-outline-kernels: passes
// CHECK: empty: hamkaas-verify-kernels: error: expected a function @main{{$}}
// CHECK: empty: hamkaas-bufferize: passes
// CHECK: empty: hamkaas-plan-memory: error: expected a function @main{{$}}
// CHECK: empty: hamkaas-verify-planned: error: expected a function @main{{$}}
// CHECK: empty: hamkaas-lower-program: error: expected a function @main{{$}}
// CHECK: empty: hamkaas-link-kernels: passes
// CHECK: empty: hamkaas-verify-target: error: expected a function @hamkaas_run{{$}}

// CHECK: declared: hamkaas-hoist-parameters: error: expected a function @main{{$}}
// CHECK: declared: hamkaas-outline-kernels: passes{{$}}
// CHECK: declared: hamkaas-verify-kernels: error: expected @main to have one block{{$}}
// CHECK: declared: hamkaas-bufferize: passes{{$}}
// CHECK: declared: hamkaas-plan-memory: error: expected a function @main{{$}}
// CHECK: declared: hamkaas-verify-planned: error: expected a function @main{{$}}
// CHECK: declared: hamkaas-lower-program: error: expected a function @main{{$}}

//--- declared
func.func private @main()

// CHECK: callee: hamkaas-verify-kernels: error: expected @f to have one block{{$}}
// CHECK: callee: hamkaas-plan-memory: error: expected a dense buffer of static shape below 2^63 bytes, got 'tensor<4xf32>'{{$}}

//--- callee
func.func private @f(tensor<4xf32>) -> tensor<4xf32>
func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = call @f(%x) : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// CHECK: unranked: hamkaas-outline-kernels: error: expected result 0 of @main to be a tensor of static shape, got 'tensor<*xf32>'{{$}}
// CHECK: unranked: hamkaas-verify-kernels: error: expected @main to have tensors of static shape, got 'tensor<*xf32>'{{$}}

//--- unranked
func.func @main(%x: tensor<*xf32>) -> tensor<*xf32> {
  return %x : tensor<*xf32>
}

// CHECK: dynamic: hamkaas-outline-kernels: error: expected result 0 of @main to be a tensor of static shape, got 'tensor<?xf32>'{{$}}
// CHECK: dynamic: hamkaas-verify-kernels: error: expected @main to have tensors of static shape, got 'tensor<?xf32>'{{$}}

//--- dynamic
func.func @main(%x: tensor<?xf32>) -> tensor<?xf32> {
  return %x : tensor<?xf32>
}

// CHECK: blocks: hamkaas-hoist-parameters: error: expected @main to have one block{{$}}
// CHECK: blocks: hamkaas-outline-kernels: error: expected @main to have one block{{$}}
// CHECK: blocks: hamkaas-bufferize: error: expected @main to have one block{{$}}

//--- blocks
func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  cf.br ^bb1
^bb1:
  return %x : tensor<4xf32>
}

// CHECK: no-return: hamkaas-hoist-parameters: error: expected @main to end with func.return, got llvm.unreachable{{$}}

//--- no-return
func.func @main(%x: tensor<4xf32>) {
  llvm.unreachable
}

// CHECK: no-function: hamkaas-hoist-parameters: error: expected a function @main{{$}}

//--- no-function
llvm.func @main()

// CHECK: prepare: hamkaas-outline-kernels: error: expected @prepare to have one block{{$}}
// CHECK: prepare: hamkaas-plan-memory: error: expected @prepare to have one block{{$}}

//--- prepare
func.func private @k0() -> tensor<4xf32> attributes {hamkaas.kernel = #hamkaas.kernel<elementwise>}
func.func private @prepare()
func.func @main() {
  return
}

// CHECK: region: hamkaas-plan-memory: error: expected argument 0 of @main to be a tensor, got the workspace{{$}}
// CHECK: region: hamkaas-lower-program: error: expected argument 0 of @main to be bytes, got 'memref<4xf32>'{{$}}

//--- region
func.func private @k0(memref<4xf32>) attributes {hamkaas.kernel = #hamkaas.kernel<elementwise>}
func.func @main(%x: memref<4xf32> {hamkaas.name = "x", hamkaas.region = #hamkaas.region<workspace>}) {
  call @k0(%x) : (memref<4xf32>) -> ()
  return
}

// CHECK: nested: hamkaas-hoist-parameters: error: expected a global of the module, used in the block of @main, got @inner::@g{{$}}

//--- nested
module @inner {
  ml_program.global private @g(#ml_program.extern : tensor<4xf32>) : tensor<4xf32>
}
func.func @main() -> tensor<4xf32> {
  %0 = ml_program.global_load_const @inner::@g : tensor<4xf32>
  return %0 : tensor<4xf32>
}

// CHECK: state: hamkaas-outline-kernels: error: expected result 0 of @main to be a state that is an argument, got "s"{{$}}

//--- state
func.func @main() -> (tensor<4xf32> {hamkaas.name = "s", hamkaas.region = #hamkaas.region<state>}) {
  %0 = tensor.empty() : tensor<4xf32>
  return %0 : tensor<4xf32>
}

// CHECK: twice: hamkaas-outline-kernels: error: expected state "s" to be stored at most once{{$}}

//--- twice
func.func @main(%s: tensor<4xf32> {hamkaas.name = "s", hamkaas.region = #hamkaas.region<state>})
    -> (tensor<4xf32> {hamkaas.name = "s", hamkaas.region = #hamkaas.region<state>}, tensor<4xf32> {hamkaas.name = "s", hamkaas.region = #hamkaas.region<state>}) {
  return %s, %s : tensor<4xf32>, tensor<4xf32>
}

// CHECK: dot: hamkaas-cpu-pack-parameters: passes
// CHECK: dot: hamkaas-verify-kernels: error: expected a call of a kernel, a loop or a view, got hamkaas.group{{$}}

//--- dot
func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = hamkaas.group contraction(%x) : (tensor<4xf32>) -> tensor<4xf32> {
  ^bb0(%a: tensor<4xf32>):
    %e = tensor.empty() : tensor<f32>
    %s = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> ()>], iterator_types = ["reduction"]}
        ins(%a : tensor<4xf32>) outs(%e : tensor<f32>) {
    ^bb0(%v: f32, %o: f32):
      linalg.yield %v : f32
    } -> tensor<f32>
    hamkaas.yield %a : tensor<4xf32>
  }
  return %0 : tensor<4xf32>
}

// CHECK: global: hamkaas-verify-planned: error: expected @g to be a dense global with its elements{{$}}
// CHECK: global: hamkaas-lower-program: error: expected @g to be a dense global with its elements{{$}}

//--- global
memref.global "private" constant @g : memref<4xf32> = uninitialized
func.func @main(%w: memref<64xi8> {hamkaas.region = #hamkaas.region<workspace>}) attributes {hamkaas.buffers = [], hamkaas.workspace_lower_bound = 0 : i64} {
  %0 = memref.get_global @g : memref<4xf32>
  return
}

// CHECK: workspace: hamkaas-verify-planned: error: expected the last argument of @main to be the workspace{{$}}

//--- workspace
func.func @main(%w: memref<64xi8> {hamkaas.region = #hamkaas.region<state>}) attributes {hamkaas.buffers = [], hamkaas.workspace_lower_bound = 0 : i64} {
  return
}

// CHECK: linked: hamkaas-link-kernels: error: expected @k0 to be a declaration beside @k0_body{{$}}

//--- linked
llvm.func @_body() {
  llvm.return
}
llvm.func @k0() {
  llvm.return
}
llvm.func @k0_body() {
  llvm.return
}
