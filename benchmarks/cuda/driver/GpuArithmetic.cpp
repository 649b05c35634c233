//===- GpuArithmetic.cpp - Arithmetic of a GPU ----------------------------===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Gpu.h"

#include "GpuState.h"

#include <stdio.h>
#include <string.h>

using namespace hamkaas::rt;
using namespace hamkaas::rt::cuda;

//===----------------------------------------------------------------------===//
// In registers
//===----------------------------------------------------------------------===//

// Sixteen chains hide the latency of one.
#define HAMKAAS_STEP(i) "fma.rn.f32 %x" #i ", %x" #i ", %a, %b;\n"
#define HAMKAAS_BEGIN(i) "add.f32 %x" #i ", %x, " #i ".0;\n"
#define HAMKAAS_END(i) "add.f32 %x, %x, %x" #i ";\n"
// clang-format off
#define HAMKAAS_EACH(F)                                                        \
  F(0) F(1) F(2) F(3) F(4) F(5) F(6) F(7)                                      \
  F(8) F(9) F(10) F(11) F(12) F(13) F(14) F(15)
// clang-format on
#define HAMKAAS_ROUND HAMKAAS_EACH(HAMKAAS_STEP)

static constexpr double chains = 16, rounds = 8, repetitions = 4096;

static const char arithmeticCode[] = R"(
.version 7.0
.target sm_80
.address_size 64

.visible .entry arithmetic(.param .u64 memory)
{
.reg .b32 %thread, %i;
.reg .b64 %m;
.reg .f32 %a, %b, %x, %x<16>;
.reg .pred %p;
ld.param.u64 %m, [memory];
ld.global.f32 %a, [%m];
ld.global.f32 %b, [%m+4];
mov.u32 %thread, %tid.x;
cvt.rn.f32.u32 %x, %thread;
)" HAMKAAS_EACH(HAMKAAS_BEGIN) R"(
mov.u32 %i, 0;
LOOP:
)" HAMKAAS_ROUND HAMKAAS_ROUND HAMKAAS_ROUND HAMKAAS_ROUND HAMKAAS_ROUND
    HAMKAAS_ROUND HAMKAAS_ROUND HAMKAAS_ROUND R"(
add.u32 %i, %i, 1;
setp.lt.u32 %p, %i, 4096;
@%p bra LOOP;
)" HAMKAAS_EACH(HAMKAAS_END) R"(
st.global.f32 [%m+8], %x;
ret;
}
)";

double beginArithmeticOnGpu(void *memory) {
  constexpr unsigned threads = 256, blocksOfMultiprocessor = 8;
  static const CUfunction function =
      gpu::loadKernel(arithmeticCode, "arithmetic");
  unsigned blocks = blocksOfMultiprocessor *
                    static_cast<unsigned>(describeGpu().multiprocessors);
  CUdeviceptr address = reinterpret_cast<CUdeviceptr>(memory);
  void *arguments[] = {&address};
  gpu::check("cuLaunchKernel", gpu::driver->cuLaunchKernel(
                                   function, blocks, 1, 1, threads, 1, 1,
                                   /*sharedBytes=*/0, gpu::stream, arguments,
                                   /*extra=*/nullptr));
  return 2 * chains * rounds * repetitions * threads * blocks;
}

//===----------------------------------------------------------------------===//
// From shared memory
//===----------------------------------------------------------------------===//

// One step of a matrix product, 16 rows and 4 columns a thread: 4 of the depth,
// so 16 loads of 16 bytes that are the same for all threads of a warp, 4 that
// are not, and 256 multiply-adds.
static constexpr int rows = 16, columns = 4, depth = 4;
static constexpr int steps = 4096;
static constexpr unsigned sharedBytes = 32768;

static const char sharedBegin[] = R"(
.version 7.0
.target sm_80
.address_size 64

.extern .shared .align 16 .b8 tile[];

.visible .entry shared_products(.param .u64 memory)
.maxntid 256, 1, 1
.minnctapersm 2
{
.reg .b32 %thread, %i, %at, %lane, %rows, %columns;
.reg .b64 %m;
.reg .f32 %a<64>, %b<16>, %s<64>;
.reg .pred %p;
ld.param.u64 %m, [memory];
mov.u32 %thread, %tid.x;
mov.u32 %rows, tile;
and.b32 %lane, %thread, 31;
shl.b32 %lane, %lane, 4;
add.u32 %columns, %rows, %lane;
add.u32 %columns, %columns, 16384;
mov.u32 %i, 0;
)";

// Loads from the half of the tile that %at begins.
static void appendLoads(TextBuilder &code) {
  for (int r = 0; r < rows; ++r)
    code.append("ld.shared.v4.f32 {%%a%d, %%a%d, %%a%d, %%a%d}, [%%at+%d];\n",
                depth * r, depth * r + 1, depth * r + 2, depth * r + 3, 80 * r);
  code.append("sub.u32 %%at, %%at, %%rows;\nadd.u32 %%at, %%at, %%columns;\n");
  for (int k = 0; k < depth; ++k)
    code.append("ld.shared.v4.f32 {%%b%d, %%b%d, %%b%d, %%b%d}, [%%at+%d];\n",
                columns * k, columns * k + 1, columns * k + 2, columns * k + 3,
                512 * k);
}

// In each step; or once before them, when the same left factors serve for all
// of the depth, or they would need more registers than two blocks have.
static void appendCode(TextBuilder &code, bool loadsInSteps) {
  code.append("%s", sharedBegin);
  for (int s = 0; s < rows * columns; ++s)
    code.append("mov.f32 %%s%d, 0f00000000;\n", s);
  code.append("mov.u32 %%at, %%rows;\n");
  if (!loadsInSteps)
    appendLoads(code);
  code.append("LOOP:\nadd.u32 %%i, %%i, 1;\n");
  if (loadsInSteps) {
    // Other addresses in each step: else the loads would be done once.
    code.append("and.b32 %%at, %%i, 1;\nshl.b32 %%at, %%at, 11;\n"
                "add.u32 %%at, %%at, %%rows;\n");
    appendLoads(code);
  }
  for (int k = 0; k < depth; ++k)
    for (int r = 0; r < rows; ++r)
      for (int c = 0; c < columns; ++c)
        code.append("fma.rn.f32 %%s%d, %%a%d, %%b%d, %%s%d;\n", columns * r + c,
                    depth * r + (loadsInSteps ? k : 0), columns * k + c,
                    columns * r + c);
  code.append("setp.lt.u32 %%p, %%i, %d;\n@%%p bra LOOP;\n", steps);
  for (int s = 1; s < rows * columns; ++s)
    code.append("add.f32 %%s0, %%s0, %%s%d;\n", s);
  code.append("st.global.f32 [%%m], %%s0;\nret;\n}\n");
}

static CUfunction loadProducts(bool loadsInSteps) {
  TextBuilder code;
  appendCode(code, loadsInSteps);
  return gpu::loadKernel(Error::adopt(code.release()).message(),
                         "shared_products");
}

double beginProductsOnGpu(void *memory, int loadsInSteps) {
  static const CUfunction functions[] = {loadProducts(false),
                                         loadProducts(true)};
  constexpr unsigned threads = 256;
  unsigned blocks = 2 * static_cast<unsigned>(describeGpu().multiprocessors);
  CUdeviceptr address = reinterpret_cast<CUdeviceptr>(memory);
  void *arguments[] = {&address};
  gpu::check("cuLaunchKernel",
             gpu::driver->cuLaunchKernel(functions[loadsInSteps], blocks, 1, 1,
                                         threads, 1, 1, sharedBytes,
                                         gpu::stream, arguments,
                                         /*extra=*/nullptr));
  return 2.0 * rows * columns * depth * steps * threads * blocks;
}
