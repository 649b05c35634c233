// RUN: hamkaas-opt %s -hamkaas-attach-target=target-cpu=x86-64-v4 -hamkaas-cpu-emit-kernels -split-input-file -verify-diagnostics

#q = affine_map<(b, i, j, d) -> (b, i, d)>
#k = affine_map<(b, i, j, d) -> (b, j, d)>
#v = affine_map<(b, i, e, j) -> (b, j, e)>
#y = affine_map<(b, i, j, d) -> (b, i, j)>
func.func @keys(%q: tensor<8x8x8xf32>, %k: tensor<8x8x8xf32>, %v: tensor<8x8x8xf32>, %out: tensor<8x8x8xf32>) -> tensor<8x8x8xf32> attributes {hamkaas.kernel = #hamkaas.kernel<attention>} {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<8x8x8xf32>
  %zeros = linalg.fill ins(%zero : f32) outs(%e : tensor<8x8x8xf32>) -> tensor<8x8x8xf32>
  // expected-error @below {{expected operand 1 to be indexed by affine_map<(d0, d1, d2, d3) -> (d0, d2, d3)>, got affine_map<(d0, d1, d2, d3) -> (d0, d3, d2)>}}
  %p = linalg.contract indexing_maps = [#q, #v, #y] ins(%q, %k : tensor<8x8x8xf32>, tensor<8x8x8xf32>) outs(%zeros : tensor<8x8x8xf32>) -> tensor<8x8x8xf32>
  %w = linalg.softmax dimension(2) ins(%p : tensor<8x8x8xf32>) outs(%e : tensor<8x8x8xf32>) -> tensor<8x8x8xf32>
  %y = linalg.contract indexing_maps = [#q, #v, #y] ins(%w, %v : tensor<8x8x8xf32>, tensor<8x8x8xf32>) outs(%zeros : tensor<8x8x8xf32>) -> tensor<8x8x8xf32>
  return %y : tensor<8x8x8xf32>
}

// -----

#q = affine_map<(b, i, j, d) -> (b, i, d)>
#k = affine_map<(b, i, j, d) -> (b, j, d)>
#v = affine_map<(b, i, e, j) -> (b, j, e)>
#y = affine_map<(b, i, j, d) -> (b, i, j)>
func.func @values(%q: tensor<8x8x8xf32>, %k: tensor<8x8x8xf32>, %v: tensor<8x8x8xf32>, %out: tensor<8x8x8xf32>) -> tensor<8x8x8xf32> attributes {hamkaas.kernel = #hamkaas.kernel<attention>} {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<8x8x8xf32>
  %zeros = linalg.fill ins(%zero : f32) outs(%e : tensor<8x8x8xf32>) -> tensor<8x8x8xf32>
  %p = linalg.contract indexing_maps = [#q, #k, #y] ins(%q, %k : tensor<8x8x8xf32>, tensor<8x8x8xf32>) outs(%zeros : tensor<8x8x8xf32>) -> tensor<8x8x8xf32>
  %w = linalg.softmax dimension(2) ins(%p : tensor<8x8x8xf32>) outs(%e : tensor<8x8x8xf32>) -> tensor<8x8x8xf32>
  // expected-error @below {{expected operand 1 to be indexed by affine_map<(d0, d1, d2, d3) -> (d0, d3, d2)>, got affine_map<(d0, d1, d2, d3) -> (d0, d2, d3)>}}
  %y = linalg.contract indexing_maps = [#q, #k, #y] ins(%w, %v : tensor<8x8x8xf32>, tensor<8x8x8xf32>) outs(%zeros : tensor<8x8x8xf32>) -> tensor<8x8x8xf32>
  return %y : tensor<8x8x8xf32>
}

// -----

#q = affine_map<(b, i, j, d) -> (b, i, d)>
#k = affine_map<(b, i, j, d) -> (b, j, d)>
#v = affine_map<(b, i, e, j) -> (b, j, e)>
#y = affine_map<(b, i, j, d) -> (b, i, j)>
func.func @begin(%q: tensor<8x8x8xf32>, %k: tensor<8x8x8xf32>, %v: tensor<8x8x8xf32>, %out: tensor<8x8x8xf32>) -> tensor<8x8x8xf32> attributes {hamkaas.kernel = #hamkaas.kernel<attention>} {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<8x8x8xf32>
  %zeros = linalg.fill ins(%zero : f32) outs(%e : tensor<8x8x8xf32>) -> tensor<8x8x8xf32>
  %one = arith.constant 1.0 : f32
  %ones = linalg.fill ins(%one : f32) outs(%e : tensor<8x8x8xf32>) -> tensor<8x8x8xf32>
  %p = linalg.contract indexing_maps = [#q, #k, #y] ins(%q, %k : tensor<8x8x8xf32>, tensor<8x8x8xf32>) outs(%zeros : tensor<8x8x8xf32>) -> tensor<8x8x8xf32>
  %w = linalg.softmax dimension(2) ins(%p : tensor<8x8x8xf32>) outs(%e : tensor<8x8x8xf32>) -> tensor<8x8x8xf32>
  // expected-error @below {{expected sums that begin with zero}}
  %y = linalg.contract indexing_maps = [#q, #v, #y] ins(%w, %v : tensor<8x8x8xf32>, tensor<8x8x8xf32>) outs(%ones : tensor<8x8x8xf32>) -> tensor<8x8x8xf32>
  return %y : tensor<8x8x8xf32>
}

// -----

#q = affine_map<(b, i, j, d) -> (b, i, d)>
#k = affine_map<(b, i, j, d) -> (b, j, d)>
#v = affine_map<(b, i, e, j) -> (b, j, e)>
#y = affine_map<(b, i, j, d) -> (b, i, j)>
func.func @dimension(%q: tensor<8x8x8xf32>, %k: tensor<8x8x8xf32>, %v: tensor<8x8x8xf32>, %out: tensor<8x8x8xf32>) -> tensor<8x8x8xf32> attributes {hamkaas.kernel = #hamkaas.kernel<attention>} {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<8x8x8xf32>
  %zeros = linalg.fill ins(%zero : f32) outs(%e : tensor<8x8x8xf32>) -> tensor<8x8x8xf32>
  %p = linalg.contract indexing_maps = [#q, #k, #y] ins(%q, %k : tensor<8x8x8xf32>, tensor<8x8x8xf32>) outs(%zeros : tensor<8x8x8xf32>) -> tensor<8x8x8xf32>
  // expected-error @below {{expected the softmax of products over the keys in a product of two matrices}}
  %w = linalg.softmax dimension(1) ins(%p : tensor<8x8x8xf32>) outs(%e : tensor<8x8x8xf32>) -> tensor<8x8x8xf32>
  %y = linalg.contract indexing_maps = [#q, #v, #y] ins(%w, %v : tensor<8x8x8xf32>, tensor<8x8x8xf32>) outs(%zeros : tensor<8x8x8xf32>) -> tensor<8x8x8xf32>
  return %y : tensor<8x8x8xf32>
}

// -----

#q = affine_map<(b, i, j, d) -> (b, i, d)>
#k = affine_map<(b, i, j, d) -> (b, j, d)>
#v = affine_map<(b, i, e, j) -> (b, j, e)>
#y = affine_map<(b, i, j, d) -> (b, i, j)>
#id = affine_map<(b, i, j) -> (b, i, j)>
#m = affine_map<(b, i, j) -> ()>
func.func @bias_rank(%q: tensor<8x8x8xf32>, %k: tensor<8x8x8xf32>, %v: tensor<8x8x8xf32>, %m: tensor<f32>, %out: tensor<8x8x8xf32>) -> tensor<8x8x8xf32> attributes {hamkaas.kernel = #hamkaas.kernel<attention>} {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<8x8x8xf32>
  %zeros = linalg.fill ins(%zero : f32) outs(%e : tensor<8x8x8xf32>) -> tensor<8x8x8xf32>
  %p = linalg.contract indexing_maps = [#q, #k, #y] ins(%q, %k : tensor<8x8x8xf32>, tensor<8x8x8xf32>) outs(%zeros : tensor<8x8x8xf32>) -> tensor<8x8x8xf32>
  // expected-error @below {{expected operand 0 to be indexed by the loops of batches, queries and keys or 0, got affine_map<(d0, d1, d2) -> ()>}}
  %s = linalg.generic {indexing_maps = [#m, #id, #id], iterator_types = ["parallel", "parallel", "parallel"]} ins(%m, %p : tensor<f32>, tensor<8x8x8xf32>) outs(%e : tensor<8x8x8xf32>) {
  ^bb0(%here: f32, %score: f32, %o: f32):
    %sum = arith.addf %score, %here : f32
    linalg.yield %sum : f32
  } -> tensor<8x8x8xf32>
  %w = linalg.softmax dimension(2) ins(%s : tensor<8x8x8xf32>) outs(%e : tensor<8x8x8xf32>) -> tensor<8x8x8xf32>
  %y = linalg.contract indexing_maps = [#q, #v, #y] ins(%w, %v : tensor<8x8x8xf32>, tensor<8x8x8xf32>) outs(%zeros : tensor<8x8x8xf32>) -> tensor<8x8x8xf32>
  return %y : tensor<8x8x8xf32>
}

// -----

#q = affine_map<(b, i, j, d) -> (b, i, d)>
#k = affine_map<(b, i, j, d) -> (b, j, d)>
#v = affine_map<(b, i, e, j) -> (b, j, e)>
#y = affine_map<(b, i, j, d) -> (b, i, j)>
#id = affine_map<(b, i, j) -> (b, i, j)>
#m = affine_map<(b, i, j) -> (b, j, i)>
func.func @bias_order(%q: tensor<8x8x8xf32>, %k: tensor<8x8x8xf32>, %v: tensor<8x8x8xf32>, %m: tensor<8x8x8xf32>, %out: tensor<8x8x8xf32>) -> tensor<8x8x8xf32> attributes {hamkaas.kernel = #hamkaas.kernel<attention>} {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<8x8x8xf32>
  %zeros = linalg.fill ins(%zero : f32) outs(%e : tensor<8x8x8xf32>) -> tensor<8x8x8xf32>
  %p = linalg.contract indexing_maps = [#q, #k, #y] ins(%q, %k : tensor<8x8x8xf32>, tensor<8x8x8xf32>) outs(%zeros : tensor<8x8x8xf32>) -> tensor<8x8x8xf32>
  // expected-error @below {{expected operand 0 to be indexed by the loops of batches, queries and keys or 0, got affine_map<(d0, d1, d2) -> (d0, d2, d1)>}}
  %s = linalg.generic {indexing_maps = [#m, #id, #id], iterator_types = ["parallel", "parallel", "parallel"]} ins(%m, %p : tensor<8x8x8xf32>, tensor<8x8x8xf32>) outs(%e : tensor<8x8x8xf32>) {
  ^bb0(%here: f32, %score: f32, %o: f32):
    %sum = arith.addf %score, %here : f32
    linalg.yield %sum : f32
  } -> tensor<8x8x8xf32>
  %w = linalg.softmax dimension(2) ins(%s : tensor<8x8x8xf32>) outs(%e : tensor<8x8x8xf32>) -> tensor<8x8x8xf32>
  %y = linalg.contract indexing_maps = [#q, #v, #y] ins(%w, %v : tensor<8x8x8xf32>, tensor<8x8x8xf32>) outs(%zeros : tensor<8x8x8xf32>) -> tensor<8x8x8xf32>
  return %y : tensor<8x8x8xf32>
}

// -----

#q = affine_map<(b, i, j, d) -> (b, i, d)>
#k = affine_map<(b, i, j, d) -> (b, j, d)>
#v = affine_map<(b, i, e, j) -> (b, j, e)>
#y = affine_map<(b, i, j, d) -> (b, i, j)>
#id = affine_map<(b, i, j) -> (b, i, j)>
func.func @bias_slice(%q: tensor<8x8x8xf32>, %k: tensor<8x8x8xf32>, %v: tensor<8x8x8xf32>, %m: tensor<8x8x9xf32>, %out: tensor<8x8x8xf32>) -> tensor<8x8x8xf32> attributes {hamkaas.kernel = #hamkaas.kernel<attention>} {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<8x8x8xf32>
  %zeros = linalg.fill ins(%zero : f32) outs(%e : tensor<8x8x8xf32>) -> tensor<8x8x8xf32>
  %p = linalg.contract indexing_maps = [#q, #k, #y] ins(%q, %k : tensor<8x8x8xf32>, tensor<8x8x8xf32>) outs(%zeros : tensor<8x8x8xf32>) -> tensor<8x8x8xf32>
  // expected-error @below {{expected scores that are computed from arguments element by element}}
  %slice = tensor.extract_slice %m[0, 0, 1] [8, 8, 8] [1, 1, 1] : tensor<8x8x9xf32> to tensor<8x8x8xf32>
  %s = linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel", "parallel", "parallel"]} ins(%slice, %p : tensor<8x8x8xf32>, tensor<8x8x8xf32>) outs(%e : tensor<8x8x8xf32>) {
  ^bb0(%here: f32, %score: f32, %o: f32):
    %sum = arith.addf %score, %here : f32
    linalg.yield %sum : f32
  } -> tensor<8x8x8xf32>
  %w = linalg.softmax dimension(2) ins(%s : tensor<8x8x8xf32>) outs(%e : tensor<8x8x8xf32>) -> tensor<8x8x8xf32>
  %y = linalg.contract indexing_maps = [#q, #v, #y] ins(%w, %v : tensor<8x8x8xf32>, tensor<8x8x8xf32>) outs(%zeros : tensor<8x8x8xf32>) -> tensor<8x8x8xf32>
  return %y : tensor<8x8x8xf32>
}
