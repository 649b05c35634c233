// RUN: hamkaas-opt %s -split-input-file -verify-diagnostics

func.func private @loop0(memref<16xi8>)
func.func @c1_steps(%h: memref<4xf32>) {
  // expected-error @below {{expected at least 1 step, got 0}}
  hamkaas.repeat 0 of @loop0 rows() values() carried(%h) outputs() : (memref<4xf32>) -> ()
  return
}

// -----

func.func private @loop0(memref<16xi8>)
func.func @c1_rows(%h: memref<4xf32>) {
  // expected-error @below {{expected operand 0 to have 3 rows, got 'memref<4xf32>'}}
  hamkaas.repeat 3 of @loop0 rows(%h) values() carried() outputs() : (memref<4xf32>) -> ()
  return
}

// -----

func.func private @loop0(tensor<4xf32>)
func.func @c2_no_result(%h: tensor<4xf32>) {
  // expected-error @below {{expected operand 0 to be a buffer of static shape, got 'tensor<4xf32>'}}
  hamkaas.repeat 3 of @loop0 rows() values(%h) carried() outputs() : (tensor<4xf32>) -> ()
  return
}

// -----

func.func private @loop0(memref<?xf32>)
func.func @c2_dynamic(%h: memref<?xf32>) {
  // expected-error @below {{expected operand 0 to be a buffer of static shape, got 'memref<?xf32>'}}
  hamkaas.repeat 3 of @loop0 rows() values() carried(%h) outputs() : (memref<?xf32>) -> ()
  return
}

// -----

func.func private @loop0(memref<16xi8>, memref<16xi8>)
func.func @c3_count(%h: memref<4xf32>) {
  // expected-error @below {{expected @loop0 to be a function of 1 arguments}}
  hamkaas.repeat 3 of @loop0 rows() values() carried(%h) outputs() : (memref<4xf32>) -> ()
  return
}

// -----

func.func @c3_unknown(%h: memref<4xf32>) {
  // expected-error @below {{expected @nothing to be a function of 1 arguments}}
  hamkaas.repeat 3 of @nothing rows() values() carried(%h) outputs() : (memref<4xf32>) -> ()
  return
}
