//===- EmulateDeviceCodeTest.cpp - Runs emulated kernels --------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "EmulatedModule.h"
#include "gtest/gtest.h"
#include <numeric>

using namespace hamkaas;
using emulation::EmulatedLaunch;
using emulation::ThreadOrder;

namespace {

constexpr ThreadOrder orders[] = {{ThreadOrder::Forward},
                                  {ThreadOrder::Backward},
                                  {ThreadOrder::Shuffled, 1},
                                  {ThreadOrder::Shuffled, 2}};

template <typename Number> uint64_t address(std::vector<Number> &data) {
  return reinterpret_cast<uint64_t>(data.data());
}

std::vector<float> count(size_t size) {
  std::vector<float> data(size);
  std::iota(data.begin(), data.end(), 0.0f);
  return data;
}

//===----------------------------------------------------------------------===//
// Vector addition
//===----------------------------------------------------------------------===//

const char vectorAdd[] = R"(
gpu.module @device {
  gpu.func @add(%x: memref<70xf32>, %y: memref<70xf32>, %n: i64, %factor: f32)
      kernel {
    %block = gpu.block_id x
    %size = gpu.block_dim x
    %thread = gpu.thread_id x
    %begin = arith.muli %block, %size : index
    %i = arith.addi %begin, %thread : index
    %count = arith.index_cast %n : i64 to index
    %inside = arith.cmpi ult, %i, %count : index
    scf.if %inside {
      %a = memref.load %x[%i] : memref<70xf32>
      %b = memref.load %y[%i] : memref<70xf32>
      %scaled = arith.mulf %b, %factor : f32
      %sum = arith.addf %a, %scaled : f32
      memref.store %sum, %y[%i] : memref<70xf32>
    }
    gpu.return
  }
}
)";

uint64_t bits(float value) {
  uint32_t word;
  memcpy(&word, &value, sizeof(word));
  return word;
}

TEST(EmulateDeviceCode, AddsVectors) {
  for (bool checkAccesses : {false, true}) {
    EmulatedModule module(vectorAdd, checkAccesses);
    ASSERT_EQ(module.error, "");
    for (ThreadOrder order : orders) {
      std::vector<float> x = count(70), y(70, 2.0f);
      EXPECT_EQ(module.run("add", order, {3, 32, 0},
                           {address(x), address(y), 69, bits(0.5f)}),
                "");
      for (int i = 0; i < 70; ++i)
        EXPECT_EQ(y[i], i < 69 ? 1.0f + i : 2.0f);
    }
  }
}

TEST(EmulateDeviceCode, FindsAccessesBehindTheEnd) {
  EmulatedModule module(vectorAdd);
  std::vector<float> x(70), y(70);
  EXPECT_EQ(module.run("add", orders[0], {3, 32, 0},
                       {address(x), address(y), 71, bits(1.0f)}),
            "kernel 'add', block 2: thread 6 reads 4 bytes at memref.load #1 "
            "(kernels:13:12): offset 280 of argument 0, which has 280 bytes");
}

//===----------------------------------------------------------------------===//
// Reductions
//===----------------------------------------------------------------------===//

/// The sum of the rows of a matrix by blocks of 128 threads: lanes of a warp by
/// shuffles, warps over shared memory. `BARRIER` stands where one belongs.
const std::string blockReduction = R"(
gpu.module @device {
  gpu.func @reduce(%x: memref<3x128xf32>, %y: memref<3xf32>)
      workgroup(%sums: memref<4xf32, #gpu.address_space<workgroup>>) kernel {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c4 = arith.constant 4 : index
    %zero = arith.constant 0.0 : f32
    %all = arith.constant 32 : i32
    %row = gpu.block_id x
    %thread = gpu.thread_id x
    %lane = gpu.lane_id
    %warp = gpu.subgroup_id : index
    %value = memref.load %x[%row, %thread] : memref<3x128xf32>
    %o16 = arith.constant 16 : i32
    %s16, %v16 = gpu.shuffle xor %value, %o16, %all : f32
    %a16 = arith.addf %value, %s16 : f32
    %o8 = arith.constant 8 : i32
    %s8, %v8 = gpu.shuffle xor %a16, %o8, %all : f32
    %a8 = arith.addf %a16, %s8 : f32
    %o4 = arith.constant 4 : i32
    %s4, %v4 = gpu.shuffle xor %a8, %o4, %all : f32
    %a4 = arith.addf %a8, %s4 : f32
    %o2 = arith.constant 2 : i32
    %s2, %v2 = gpu.shuffle xor %a4, %o2, %all : f32
    %a2 = arith.addf %a4, %s2 : f32
    %o1 = arith.constant 1 : i32
    %s1, %v1 = gpu.shuffle xor %a2, %o1, %all : f32
    %a1 = arith.addf %a2, %s1 : f32
    %isFirstLane = arith.cmpi eq, %lane, %c0 : index
    scf.if %isFirstLane {
      memref.store %a1, %sums[%warp] : memref<4xf32, #gpu.address_space<workgroup>>
    }
    BARRIER
    %isFirst = arith.cmpi eq, %thread, %c0 : index
    scf.if %isFirst {
      %sum = scf.for %i = %c0 to %c4 step %c1 iter_args(%s = %zero) -> f32 {
        %part = memref.load %sums[%i] : memref<4xf32, #gpu.address_space<workgroup>>
        %next = arith.addf %s, %part : f32
        scf.yield %next : f32
      }
      memref.store %sum, %y[%row] : memref<3xf32>
    }
    gpu.return
  }
}
)";

std::string withBarrier(std::string text, llvm::StringRef barrier) {
  text.replace(text.find("BARRIER"), 7, barrier.str());
  return text;
}

TEST(EmulateDeviceCode, ReducesRows) {
  EmulatedModule module(withBarrier(blockReduction, "gpu.barrier"));
  ASSERT_EQ(module.error, "");
  for (ThreadOrder order : orders) {
    std::vector<float> x = count(3 * 128), y(3);
    EXPECT_EQ(
        module.run("reduce", order, {3, 128, 0}, {address(x), address(y)}), "");
    EXPECT_EQ(y, (std::vector<float>{8128, 24512, 40896}));
  }
}

TEST(EmulateDeviceCode, FindsTheMissingBarrierOfAReduction) {
  EmulatedModule module(withBarrier(blockReduction, ""));
  ASSERT_EQ(module.error, "");
  for (ThreadOrder order : orders) {
    std::vector<float> x = count(3 * 128), y(3);
    std::string error =
        module.run("reduce", order, {3, 128, 0}, {address(x), address(y)});
    EXPECT_NE(error.find("with no synchronization in between"),
              std::string::npos)
        << error;
  }
}

/// Without its check, that kernel is right in no order, because the threads of
/// the last warp come after the first.
TEST(EmulateDeviceCode, AMissingBarrierGivesAWrongSum) {
  EmulatedModule module(withBarrier(blockReduction, ""),
                        /*checkAccesses=*/false);
  std::vector<float> x = count(3 * 128), y(3);
  EXPECT_EQ(
      module.run("reduce", orders[0], {3, 128, 0}, {address(x), address(y)}),
      "");
  EXPECT_NE(y, (std::vector<float>{8128, 24512, 40896}));
}

TEST(EmulateDeviceCode, ASyncOfWarpsIsNotEnough) {
  EmulatedModule module(withBarrier(blockReduction,
                                    "%mask = arith.constant -1 : i32\n"
                                    "nvvm.bar.warp.sync %mask : i32"));
  ASSERT_EQ(module.error, "");
  std::vector<float> x = count(3 * 128), y(3);
  EXPECT_NE(
      module.run("reduce", orders[0], {3, 128, 0}, {address(x), address(y)}),
      "");
}

//===----------------------------------------------------------------------===//
// Transposition
//===----------------------------------------------------------------------===//

/// A tile of 32 x 32 by a warp, over memory that the launch asks for.
const std::string transposition = R"(
gpu.module @device {
  gpu.func @transpose(%x: memref<32x32xi64>, %y: memref<32x32xi64>) kernel {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c32 = arith.constant 32 : index
    %mask = arith.constant -1 : i32
    %bytes = gpu.dynamic_shared_memory : memref<?xi8, #gpu.address_space<workgroup>>
    %tile = memref.view %bytes[%c0][] : memref<?xi8, #gpu.address_space<workgroup>> to memref<32x33xi64, #gpu.address_space<workgroup>>
    %lane = gpu.lane_id
    scf.for %i = %c0 to %c32 step %c1 {
      %value = memref.load %x[%i, %lane] : memref<32x32xi64>
      memref.store %value, %tile[%i, %lane] : memref<32x33xi64, #gpu.address_space<workgroup>>
    }
    BARRIER
    scf.for %i = %c0 to %c32 step %c1 {
      %value = memref.load %tile[%lane, %i] : memref<32x33xi64, #gpu.address_space<workgroup>>
      memref.store %value, %y[%i, %lane] : memref<32x32xi64>
    }
    gpu.return
  }
}
)";

TEST(EmulateDeviceCode, Transposes) {
  EmulatedModule module(
      withBarrier(transposition, "nvvm.bar.warp.sync %mask : i32"));
  ASSERT_EQ(module.error, "");
  for (ThreadOrder order : orders) {
    std::vector<int64_t> x(1024), y(1024);
    std::iota(x.begin(), x.end(), 0);
    EXPECT_EQ(module.run("transpose", order, {1, 32, 32 * 33 * 8},
                         {address(x), address(y)}),
              "");
    for (int i = 0; i < 1024; ++i)
      EXPECT_EQ(y[i], i % 32 * 32 + i / 32);
  }
}

TEST(EmulateDeviceCode, FindsTheMissingSyncOfATransposition) {
  EmulatedModule module(withBarrier(transposition, ""));
  ASSERT_EQ(module.error, "");
  std::vector<int64_t> x(1024), y(1024);
  EXPECT_EQ(module.run("transpose", orders[0], {1, 32, 32 * 33 * 8},
                       {address(x), address(y)}),
            "kernel 'transpose', block 0: thread 1 writes 8 bytes at "
            "memref.store #1 (kernels:13:7): what thread 0 read at memref.load "
            "#2 (kernels:17:16), with no synchronization in between");
}

TEST(EmulateDeviceCode, FindsTooLittleSharedMemory) {
  EmulatedModule module(
      withBarrier(transposition, "nvvm.bar.warp.sync %mask : i32"));
  std::vector<int64_t> x(1024), y(1024);
  std::string error = module.run("transpose", orders[0], {1, 32, 32 * 32 * 8},
                                 {address(x), address(y)});
  EXPECT_NE(error.find("of shared memory, which has 8192 bytes"),
            std::string::npos)
      << error;
}

//===----------------------------------------------------------------------===//
// Other operations
//===----------------------------------------------------------------------===//

/// Every thread writes what it knows of itself.
const char identities[] = R"(
gpu.module @device {
  gpu.func @identify(%y: memref<140x10xi64>) kernel {
    %block = gpu.block_id x
    %size = gpu.block_dim x
    %thread = gpu.thread_id x
    %global = gpu.global_id x
    %blocks = gpu.grid_dim x
    %lane = gpu.lane_id
    %warp = gpu.subgroup_id : index
    %warps = gpu.num_subgroups : index
    %width = gpu.subgroup_size : index
    %other = gpu.thread_id y
    %height = gpu.block_dim z
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %c3 = arith.constant 3 : index
    %c4 = arith.constant 4 : index
    %c5 = arith.constant 5 : index
    %c6 = arith.constant 6 : index
    %c7 = arith.constant 7 : index
    %c8 = arith.constant 8 : index
    %c9 = arith.constant 9 : index
    %0 = arith.index_cast %block : index to i64
    memref.store %0, %y[%global, %c0] : memref<140x10xi64>
    %1 = arith.index_cast %size : index to i64
    memref.store %1, %y[%global, %c1] : memref<140x10xi64>
    %2 = arith.index_cast %thread : index to i64
    memref.store %2, %y[%global, %c2] : memref<140x10xi64>
    %3 = arith.index_cast %blocks : index to i64
    memref.store %3, %y[%global, %c3] : memref<140x10xi64>
    %4 = arith.index_cast %lane : index to i64
    memref.store %4, %y[%global, %c4] : memref<140x10xi64>
    %5 = arith.index_cast %warp : index to i64
    memref.store %5, %y[%global, %c5] : memref<140x10xi64>
    %6 = arith.index_cast %warps : index to i64
    memref.store %6, %y[%global, %c6] : memref<140x10xi64>
    %7 = arith.index_cast %width : index to i64
    memref.store %7, %y[%global, %c7] : memref<140x10xi64>
    %8 = arith.index_cast %other : index to i64
    memref.store %8, %y[%global, %c8] : memref<140x10xi64>
    %9 = arith.index_cast %height : index to i64
    memref.store %9, %y[%global, %c9] : memref<140x10xi64>
    gpu.return
  }
}
)";

TEST(EmulateDeviceCode, ThreadsKnowWhoTheyAre) {
  EmulatedModule module(identities);
  ASSERT_EQ(module.error, "");
  std::vector<int64_t> y(140 * 10);
  EXPECT_EQ(module.run("identify", orders[2], {2, 70, 0}, {address(y)}), "");
  for (int64_t i = 0; i < 140; ++i)
    EXPECT_EQ(std::vector<int64_t>(&y[10 * i], &y[10 * i] + 10),
              (std::vector<int64_t>{i / 70, 70, i % 70, 2, i % 70 % 32,
                                    i % 70 / 32, 3, 32, 0, 1}));
}

const char shuffles[] = R"(
gpu.module @device {
  gpu.func @exchange(%f16: memref<32xf16>, %f64: memref<32xf64>,
                     %i8: memref<32xi8>, %valid: memref<32xi8>) kernel {
    %lane = gpu.lane_id
    %c3 = arith.constant 3 : i32
    %c32 = arith.constant 32 : i32
    %0 = memref.load %f16[%lane] : memref<32xf16>
    %1, %v1 = gpu.shuffle idx %0, %c3, %c32 : f16
    memref.store %1, %f16[%lane] : memref<32xf16>
    %2 = memref.load %f64[%lane] : memref<32xf64>
    %3, %v3 = gpu.shuffle up %2, %c3, %c32 : f64
    memref.store %3, %f64[%lane] : memref<32xf64>
    %4 = memref.load %i8[%lane] : memref<32xi8>
    %5, %v5 = gpu.shuffle down %4, %c3, %c32 : i8
    memref.store %5, %i8[%lane] : memref<32xi8>
    %6 = arith.extui %v5 : i1 to i8
    memref.store %6, %valid[%lane] : memref<32xi8>
    gpu.return
  }
  gpu.func @exchange_ptx(%x: memref<32xi32>, %valid: memref<32xi32>) kernel {
    %lane = gpu.lane_id
    %c5 = arith.constant 5 : i32
    %c31 = arith.constant 31 : i32
    %mask = arith.constant -1 : i32
    %0 = memref.load %x[%lane] : memref<32xi32>
    %1 = nvvm.shfl.sync bfly %mask, %0, %c5, %c31 : i32 -> i32
    %2 = nvvm.shfl.sync down %mask, %1, %c5, %c31 {return_value_and_is_valid} : i32 -> !llvm.struct<(i32, i1)>
    %3 = llvm.extractvalue %2[0] : !llvm.struct<(i32, i1)>
    %4 = llvm.extractvalue %2[1] : !llvm.struct<(i32, i1)>
    memref.store %3, %x[%lane] : memref<32xi32>
    %5 = arith.extui %4 : i1 to i32
    memref.store %5, %valid[%lane] : memref<32xi32>
    gpu.return
  }
}
)";

TEST(EmulateDeviceCode, ShufflesValuesOfAnyType) {
  EmulatedModule module(shuffles);
  ASSERT_EQ(module.error, "");
  std::vector<uint16_t> f16(32);
  std::vector<double> f64(32);
  std::vector<int8_t> i8(32), valid(32);
  for (int i = 0; i < 32; ++i)
    f16[i] = f64[i] = i8[i] = 2 * i + 1;
  EXPECT_EQ(
      module.run("exchange", orders[1], {1, 32, 0},
                 {address(f16), address(f64), address(i8), address(valid)}),
      "");
  for (int i = 0; i < 32; ++i) {
    EXPECT_EQ(f16[i], 7);
    EXPECT_EQ(f64[i], i < 3 ? 2 * i + 1 : 2 * i - 5);
    EXPECT_EQ(i8[i], i > 28 ? 2 * i + 1 : 2 * i + 7);
    EXPECT_EQ(valid[i], i <= 28);
  }
}

TEST(EmulateDeviceCode, ShufflesAsPtxDoes) {
  EmulatedModule module(shuffles);
  std::vector<int32_t> x(32), valid(32);
  std::iota(x.begin(), x.end(), 0);
  EXPECT_EQ(module.run("exchange_ptx", orders[2], {1, 32, 0},
                       {address(x), address(valid)}),
            "");
  for (int i = 0; i < 32; ++i) {
    EXPECT_EQ(x[i], (i > 26 ? i : i + 5) ^ 5);
    EXPECT_EQ(valid[i], i <= 26);
  }
}

/// Copies of 16 bytes in two groups, of which the first is waited for.
const std::string copies = R"(
gpu.module @device {
  gpu.func @copy(%x: memref<64xf32>, %y: memref<64xf32>)
      workgroup(%s: memref<64xf32, #gpu.address_space<workgroup>>)
      private(%own: memref<1xf32, #gpu.address_space<private>>) kernel {
    %c0 = arith.constant 0 : index
    %c4 = arith.constant 4 : index
    %c7 = arith.constant 7 : index
    %c32 = arith.constant 32 : index
    %thread = gpu.thread_id x
    %i = arith.muli %thread, %c4 : index
    %j = arith.addi %i, %c32 : index
    %t0 = nvgpu.device_async_copy %x[%i], %s[%i], 4 : memref<64xf32> to memref<64xf32, #gpu.address_space<workgroup>>
    %g0 = nvgpu.device_async_create_group %t0
    %some = arith.minui %thread, %c4 : index
    %t1 = nvgpu.device_async_copy %x[%j], %s[%j], 4, %some : memref<64xf32> to memref<64xf32, #gpu.address_space<workgroup>>
    %g1 = nvgpu.device_async_create_group %t1
    nvgpu.device_async_wait %g0 {numGroups = 1 : i32}
    gpu.barrier
    %k = arith.subi %c7, %thread : index
    %e = arith.muli %k, %c4 : index
    %v = memref.load %s[%e] : memref<64xf32, #gpu.address_space<workgroup>>
    memref.store %v, %own[%c0] : memref<1xf32, #gpu.address_space<private>>
    %u = memref.load %own[%c0] : memref<1xf32, #gpu.address_space<private>>
    memref.store %u, %y[%thread] : memref<64xf32>
    BARRIER
    gpu.barrier
    %f = arith.addi %e, %c32 : index
    %w = memref.load %s[%f] : memref<64xf32, #gpu.address_space<workgroup>>
    memref.store %w, %y[%j] : memref<64xf32>
    gpu.return
  }
}
)";

TEST(EmulateDeviceCode, CopiesLater) {
  EmulatedModule module(withBarrier(copies, "nvgpu.device_async_wait %g1"));
  ASSERT_EQ(module.error, "");
  for (ThreadOrder order : orders) {
    std::vector<float> x = count(64), y(64);
    EXPECT_EQ(module.run("copy", order, {1, 8, 0}, {address(x), address(y)}),
              "");
    for (int i = 0; i < 8; ++i) {
      EXPECT_EQ(y[i], 4 * (7 - i));
      // The first copy of the second group has no element.
      EXPECT_EQ(y[32 + 4 * i], i == 7 ? 0 : 32 + 4 * (7 - i));
    }
  }
}

TEST(EmulateDeviceCode, CopiesNeedAWait) {
  EmulatedModule module(withBarrier(copies, ""));
  std::vector<float> x = count(64), y(64);
  EXPECT_EQ(module.run("copy", orders[0], {1, 8, 0}, {address(x), address(y)}),
            "");
  EXPECT_NE(y[32], y[32]) << "expected NaN";
}

/// Constants of the module, and what is counted by all threads.
const char constants[] = R"(
gpu.module @device {
  memref.global "private" constant @table : memref<2x2xf32> = dense<[[1.0, 2.0], [3.0, 4.0]]>
  gpu.func @look(%y: memref<2x2xf32>, %counter: memref<1xi32>) kernel {
    %c0 = arith.constant 0 : index
    %c2 = arith.constant 2 : index
    %one = arith.constant 1 : i32
    %thread = gpu.thread_id x
    %i = arith.divui %thread, %c2 : index
    %j = arith.remui %thread, %c2 : index
    %t = memref.get_global @table : memref<2x2xf32>
    %v = memref.load %t[%j, %i] : memref<2x2xf32>
    memref.store %v, %y[%i, %j] : memref<2x2xf32>
    %n = memref.atomic_rmw addi %one, %counter[%c0] : (i32, memref<1xi32>) -> i32
    gpu.return
  }
  gpu.func @load_vectors(%x: memref<64xf32>, %y: memref<64xf32>) kernel {
    %c4 = arith.constant 4 : index
    %thread = gpu.thread_id x
    %i = arith.muli %thread, %c4 : index
    %v = vector.load %x[%i] {alignment = 16 : i64} : memref<64xf32>, vector<4xf32>
    vector.store %v, %y[%i] {alignment = 16 : i64} : memref<64xf32>, vector<4xf32>
    gpu.return
  }
}
)";

TEST(EmulateDeviceCode, ReadsConstants) {
  EmulatedModule module(constants);
  ASSERT_EQ(module.error, "");
  std::vector<float> y(4);
  std::vector<int32_t> counter(1);
  EXPECT_EQ(
      module.run("look", orders[0], {1, 4, 0}, {address(y), address(counter)}),
      "");
  EXPECT_EQ(y, (std::vector<float>{1, 3, 2, 4}));
  EXPECT_EQ(counter[0], 4);
}

TEST(EmulateDeviceCode, VectorsAreAligned) {
  EmulatedModule module(constants);
  std::vector<float> x = count(65), y(64);
  auto at = [](uint64_t address) { return (address + 15) / 16 * 16; };
  std::vector<float> large(80);
  EXPECT_EQ(module.run("load_vectors", orders[0], {1, 16, 0},
                       {at(address(large)), at(address(large))}),
            "");
  std::string error = module.run("load_vectors", orders[0], {1, 16, 0},
                                 {at(address(large)) + 4, address(y)});
  EXPECT_NE(error.find("expected a multiple of 16"), std::string::npos)
      << error;
}

} // namespace
