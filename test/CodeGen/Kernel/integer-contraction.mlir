// RUN: hamkaas-opt %s -split-input-file -hamkaas-attach-target=target-cpu=x86-64-v3 -hamkaas-cpu-pack-parameters | FileCheck %s --check-prefix=PACK
// RUN: hamkaas-opt %s -split-input-file -hamkaas-attach-target=target-cpu=x86-64-v3 -hamkaas-cpu-emit-kernels | FileCheck %s --check-prefix=V3
// RUN: hamkaas-opt %s -split-input-file -hamkaas-attach-target=target-cpu=x86-64-v4 -hamkaas-cpu-emit-kernels | FileCheck %s --check-prefix=V4
// RUN: hamkaas-opt %s -split-input-file -hamkaas-attach-target=target-cpu=x86-64 -hamkaas-cpu-emit-kernels | FileCheck %s --check-prefix=V1

#id = affine_map<(i, j) -> (i, j)>
#lhs = affine_map<(i, j, k) -> (i, k)>
#rhs = affine_map<(i, j, k) -> (k, j)>
#result = affine_map<(i, j, k) -> (i, j)>

// Panels of 16-bit parameters have pairs of the depth, the last of which is
// half padding.

// PACK-LABEL: func.func @parameter(
// PACK:         %[[P:.*]] = hamkaas.group movement(%{{.*}}) {hamkaas.ops = "pack"} : (tensor<7x20xi16>) -> tensor<2x4x16x2xi16>
// PACK:           linalg.pack {{.*}} outer_dims_perm = [1, 0] inner_dims_pos = [1, 0] inner_tiles = [16, 2]
// PACK:         hamkaas.group contraction(%{{.*}}, %[[P]])
// PACK:           linalg.unpack {{.*}} outer_dims_perm = [1, 0] inner_dims_pos = [1, 0] inner_tiles = [16, 2]
ml_program.global private @w(#ml_program.extern<tensor<7x20xi16>>) : tensor<7x20xi16>
func.func @parameter(%x: tensor<4x7xi16>) -> tensor<4x20xi32> {
  %w = ml_program.global_load_const @w : tensor<7x20xi16>
  %0 = hamkaas.group contraction(%x, %w) : (tensor<4x7xi16>, tensor<7x20xi16>) -> tensor<4x20xi32> {
  ^bb0(%a: tensor<4x7xi16>, %b: tensor<7x20xi16>):
    %ea = tensor.empty() : tensor<4x7xi32>
    %wa = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} ins(%a : tensor<4x7xi16>) outs(%ea : tensor<4x7xi32>) {
    ^bb1(%p: i16, %q: i32):
      %t = arith.extsi %p : i16 to i32
      linalg.yield %t : i32
    } -> tensor<4x7xi32>
    %eb = tensor.empty() : tensor<7x20xi32>
    %wb = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} ins(%b : tensor<7x20xi16>) outs(%eb : tensor<7x20xi32>) {
    ^bb1(%p: i16, %q: i32):
      %t = arith.extsi %p : i16 to i32
      linalg.yield %t : i32
    } -> tensor<7x20xi32>
    %zero = arith.constant 0 : i32
    %e = tensor.empty() : tensor<4x20xi32>
    %f = linalg.fill ins(%zero : i32) outs(%e : tensor<4x20xi32>) -> tensor<4x20xi32>
    %1 = linalg.generic {indexing_maps = [#lhs, #rhs, #result], iterator_types = ["parallel", "parallel", "reduction"]}
        ins(%wa, %wb : tensor<4x7xi32>, tensor<7x20xi32>) outs(%f : tensor<4x20xi32>) {
    ^bb1(%p: i32, %q: i32, %s: i32):
      %m = arith.muli %p, %q : i32
      %t = arith.addi %s, %m : i32
      linalg.yield %t : i32
    } -> tensor<4x20xi32>
    hamkaas.yield %1 : tensor<4x20xi32>
  }
  return %0 : tensor<4x20xi32>
}

// -----

#id = affine_map<(i, j) -> (i, j)>
#lhs = affine_map<(i, j, k) -> (i, k)>
#rhs = affine_map<(i, j, k) -> (k, j)>
#result = affine_map<(i, j, k) -> (i, j)>

// A pair of the left side is one word in all lanes. An iteration takes two
// pairs; the last element of an odd depth is a pair with 0. There is a second
// loop for processors with dot products. Where registers are left, LLVM keeps
// the order of operations.

// V3-LABEL: func.func private @packed(
// V3-SAME:    attributes {hamkaas.kernel = #hamkaas.kernel<contraction, tile = [6, 16, 9]>
// V3:         %[[HAS:.*]] = hamkaas.has_cpu_feature dot_products
// V3:         scf.if %[[HAS]]
// V3:           llvm.inline_asm {{.*}}"{vex} vpdpwssd $3, $2, $0"
// V3:         } else {
// V3:         scf.for
// V3:           %[[PANEL:.*]] = vector.load {{.*}} : memref<160xi16>, vector<16xi16>
// V3:           %[[PAIR:.*]] = vector.transfer_read {{.*}} : tensor<6x9xi16>, vector<2xi16>
// V3:           %[[WORD:.*]] = vector.bitcast %[[PAIR]] : vector<2xi16> to vector<1xi32>
// V3:           vector.broadcast {{.*}} : i32 to vector<8xi32>
// V3:           llvm.call_intrinsic "llvm.x86.avx2.pmadd.wd"
// V3:           arith.addi {{.*}} : vector<8xi32>
// V3:         arith.extui {{.*}} : i16 to i32
// V4-LABEL: func.func private @packed(
// V4-SAME:    attributes {hamkaas.keeps_order, hamkaas.kernel =
// V4:         llvm.inline_asm {{.*}}"vpdpwssd $3, $2, $0", "=v,0,v,v"
// V4:         llvm.call_intrinsic "llvm.x86.avx512.pmaddw.d.512"
// V1-LABEL: func.func private @packed(
// V1-NOT:     hamkaas.has_cpu_feature dot_products
// V1:         llvm.call_intrinsic "llvm.x86.sse2.pmadd.wd"
func.func private @packed(%a: tensor<6x9xi16>, %b: tensor<1x5x16x2xi16>, %out: tensor<6x16xi32>) -> tensor<6x16xi32>
    attributes {hamkaas.kernel = #hamkaas.kernel<contraction>} {
  %eb = tensor.empty() : tensor<9x16xi16>
  %u = linalg.unpack %b outer_dims_perm = [1, 0] inner_dims_pos = [1, 0] inner_tiles = [16, 2] into %eb : tensor<1x5x16x2xi16> -> tensor<9x16xi16>
  %ea = tensor.empty() : tensor<6x9xi32>
  %wa = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} ins(%a : tensor<6x9xi16>) outs(%ea : tensor<6x9xi32>) {
  ^bb1(%p: i16, %q: i32):
    %t = arith.extsi %p : i16 to i32
    linalg.yield %t : i32
  } -> tensor<6x9xi32>
  %ew = tensor.empty() : tensor<9x16xi32>
  %wb = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} ins(%u : tensor<9x16xi16>) outs(%ew : tensor<9x16xi32>) {
  ^bb1(%p: i16, %q: i32):
    %t = arith.extsi %p : i16 to i32
    linalg.yield %t : i32
  } -> tensor<9x16xi32>
  %zero = arith.constant 0 : i32
  %e = tensor.empty() : tensor<6x16xi32>
  %f = linalg.fill ins(%zero : i32) outs(%e : tensor<6x16xi32>) -> tensor<6x16xi32>
  %1 = linalg.generic {indexing_maps = [#lhs, #rhs, #result], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%wa, %wb : tensor<6x9xi32>, tensor<9x16xi32>) outs(%f : tensor<6x16xi32>) {
  ^bb1(%p: i32, %q: i32, %s: i32):
    %m = arith.muli %p, %q : i32
    %t = arith.addi %s, %m : i32
    linalg.yield %t : i32
  } -> tensor<6x16xi32>
  return %1 : tensor<6x16xi32>
}

// -----

#id = affine_map<(i, j) -> (i, j)>
#lhs = affine_map<(i, j, k) -> (i, k)>
#rhs = affine_map<(i, j, k) -> (k, j)>
#result = affine_map<(i, j, k) -> (i, j)>

// Four bytes of the depth are a word. Without dot products, even and odd ones
// are multiplied as pairs.

// V3-LABEL: func.func private @bytes(
// V3-SAME:    hamkaas.kernel = #hamkaas.kernel<contraction, tile = [3, 16, 9]>
// V4-LABEL: func.func private @bytes(
// V4:           vector.load {{.*}} : memref<192xi8>, vector<64xi8>
// V4:           vector.transfer_read {{.*}} : tensor<6x9xi8>, vector<4xi8>
// V4:           llvm.inline_asm {{.*}}"vpdpbusd $3, $2, $0", "=v,0,v,v"
// V4:         } else {
// V4:           arith.shrsi {{.*}} : vector<32xi16>
// V4:           arith.andi {{.*}} : vector<32xi16>
// V4:           llvm.call_intrinsic "llvm.x86.avx512.pmaddw.d.512"
func.func private @bytes(%a: tensor<6x9xi8>, %b: tensor<1x3x16x4xi8>, %out: tensor<6x16xi32>) -> tensor<6x16xi32>
    attributes {hamkaas.kernel = #hamkaas.kernel<contraction>} {
  %eb = tensor.empty() : tensor<9x16xi8>
  %u = linalg.unpack %b outer_dims_perm = [1, 0] inner_dims_pos = [1, 0] inner_tiles = [16, 4] into %eb : tensor<1x3x16x4xi8> -> tensor<9x16xi8>
  %ea = tensor.empty() : tensor<6x9xi32>
  %wa = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} ins(%a : tensor<6x9xi8>) outs(%ea : tensor<6x9xi32>) {
  ^bb1(%p: i8, %q: i32):
    %t = arith.extui %p : i8 to i32
    linalg.yield %t : i32
  } -> tensor<6x9xi32>
  %ew = tensor.empty() : tensor<9x16xi32>
  %wb = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} ins(%u : tensor<9x16xi8>) outs(%ew : tensor<9x16xi32>) {
  ^bb1(%p: i8, %q: i32):
    %t = arith.extsi %p : i8 to i32
    linalg.yield %t : i32
  } -> tensor<9x16xi32>
  %zero = arith.constant 0 : i32
  %e = tensor.empty() : tensor<6x16xi32>
  %f = linalg.fill ins(%zero : i32) outs(%e : tensor<6x16xi32>) -> tensor<6x16xi32>
  %1 = linalg.generic {indexing_maps = [#lhs, #rhs, #result], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%wa, %wb : tensor<6x9xi32>, tensor<9x16xi32>) outs(%f : tensor<6x16xi32>) {
  ^bb1(%p: i32, %q: i32, %s: i32):
    %m = arith.muli %p, %q : i32
    %t = arith.addi %s, %m : i32
    linalg.yield %t : i32
  } -> tensor<6x16xi32>
  return %1 : tensor<6x16xi32>
}

// -----

#id = affine_map<(i, j) -> (i, j)>
#lhs = affine_map<(i, j, k) -> (i, k)>
#rhs = affine_map<(i, j, k) -> (k, j)>
#result = affine_map<(i, j, k) -> (i, j)>

// Processors with AMX multiply 24 rows as two tiles of 12, and 24 words in two
// steps. The last block of 22 rows begins in the one before.

// V3-LABEL: func.func private @tiles(
// V3-NOT:     tile_products
// V4-LABEL: func.func private @tiles(
// V4-DAG:     %[[WORDS:.*]] = arith.constant 24 : index
// V4-DAG:     %[[STEP:.*]] = arith.constant 12 : index
// V4-DAG:     %[[LAST:.*]] = arith.constant 46 : index
// V4:         %[[HAS:.*]] = hamkaas.has_cpu_feature tile_products
// V4:         scf.if %[[HAS]]
// V4:           %[[SHAPES:.*]] = arith.constant dense<[1, {{(0, )+}}64, 0, 64, 0, 64, 0, 64, 0, 48, 0, 48, 0, 64, 0, 64, {{(0, )+}}12, 12, 12, 12, 12, 12, 12, 12{{(, 0)+}}]> : vector<64xi8>
// V4:           vector.store %[[SHAPES]]
// V4:           llvm.inline_asm has_side_effects "ldtilecfg ($0)"
// V4:         hamkaas.has_cpu_feature tile_products
// V4:           scf.for %[[ROW:[^ ]+]] =
// V4:             arith.minui %[[ROW]], %[[LAST]]
// V4:             "tilezero %tmm0\0Atilezero %tmm1\0Atilezero %tmm2\0Atilezero %tmm3\0A"
// V4:             scf.for {{.*}} to %[[WORDS]] step %[[STEP]]
// V4:               "tileloadd ($3,$4,1), %tmm6\0Atileloadd 64($3,$4,1), %tmm7\0Atileloadd ($0,$2,1), %tmm4\0Atdpbusd %tmm6, %tmm4, %tmm0\0Atdpbusd %tmm7, %tmm4, %tmm1\0Atileloadd ($1,$2,1), %tmm5\0Atdpbusd %tmm6, %tmm5, %tmm2\0Atdpbusd %tmm7, %tmm5, %tmm3\0A"
// V4:             "tilestored %tmm0, 0($0,$2,1)\0Atilestored %tmm1, 64($0,$2,1)\0Atilestored %tmm2, 0($1,$2,1)\0Atilestored %tmm3, 64($1,$2,1)\0A"
// V4:         hamkaas.has_cpu_feature dot_products
// V4:         hamkaas.has_cpu_feature tile_products
// V4:           "tilerelease"
func.func private @tiles(%a: tensor<70x96xi8>, %b: tensor<1x24x32x4xi8>, %out: tensor<70x32xi32>) -> tensor<70x32xi32>
    attributes {hamkaas.kernel = #hamkaas.kernel<contraction>} {
  %eb = tensor.empty() : tensor<96x32xi8>
  %u = linalg.unpack %b outer_dims_perm = [1, 0] inner_dims_pos = [1, 0] inner_tiles = [32, 4] into %eb : tensor<1x24x32x4xi8> -> tensor<96x32xi8>
  %ea = tensor.empty() : tensor<70x96xi32>
  %wa = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} ins(%a : tensor<70x96xi8>) outs(%ea : tensor<70x96xi32>) {
  ^bb1(%p: i8, %q: i32):
    %t = arith.extui %p : i8 to i32
    linalg.yield %t : i32
  } -> tensor<70x96xi32>
  %ew = tensor.empty() : tensor<96x32xi32>
  %wb = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} ins(%u : tensor<96x32xi8>) outs(%ew : tensor<96x32xi32>) {
  ^bb1(%p: i8, %q: i32):
    %t = arith.extsi %p : i8 to i32
    linalg.yield %t : i32
  } -> tensor<96x32xi32>
  %zero = arith.constant 0 : i32
  %e = tensor.empty() : tensor<70x32xi32>
  %f = linalg.fill ins(%zero : i32) outs(%e : tensor<70x32xi32>) -> tensor<70x32xi32>
  %y = linalg.generic {indexing_maps = [#lhs, #rhs, #result], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%wa, %wb : tensor<70x96xi32>, tensor<96x32xi32>) outs(%f : tensor<70x32xi32>) {
  ^bb1(%p: i32, %q: i32, %s: i32):
    %m = arith.muli %p, %q : i32
    %t = arith.addi %s, %m : i32
    linalg.yield %t : i32
  } -> tensor<70x32xi32>
  return %y : tensor<70x32xi32>
}
