//===- CudaCopyKernel.cpp - A copy that a failed check stops --------------===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CudaCopyKernel.h"

using namespace hamkaas::rt;

// Thread number i of n copies the 16-byte pieces i, i + n and so on, then the
// bytes behind the last whole piece in the same way. Where the addresses are
// not aligned to 16 bytes, there are no pieces. Since sm_90 it begins with the
// wait of a program's kernels.
static constexpr char begin[] = R"(
.address_size 64
.visible .entry hamkaas_copy(.param .u64 to, .param .u64 from,
                             .param .u64 bytes, .param .u64 failure,
                             .param .u64 call)
{
  .reg .pred %failed, %misaligned, %done;
  .reg .b16 %byte;
  .reg .b32 %block, %blocks, %thread, %threads, %a, %b, %c, %d;
  .reg .b64 %to, %from, %bytes, %failure, %failed_call, %first, %step;
  .reg .b64 %i, %pieces, %tail, %place, %target, %bits;
)";

static constexpr char wait[] = R"(
  griddepcontrol.wait;
  griddepcontrol.launch_dependents;
)";

static constexpr char body[] = R"(
  ld.param.u64 %failure, [failure];
  cvta.to.global.u64 %failure, %failure;
  ld.global.u64 %failed_call, [%failure];
  setp.ne.u64 %failed, %failed_call, 0;
  @%failed ret;

  ld.param.u64 %to, [to];
  cvta.to.global.u64 %to, %to;
  ld.param.u64 %from, [from];
  cvta.to.global.u64 %from, %from;
  ld.param.u64 %bytes, [bytes];
  mov.u32 %block, %ctaid.x;
  mov.u32 %blocks, %nctaid.x;
  mov.u32 %thread, %tid.x;
  mov.u32 %threads, %ntid.x;
  cvt.u64.u32 %first, %thread;
  mul.wide.u32 %step, %block, %threads;
  add.u64 %first, %first, %step;
  mul.wide.u32 %step, %blocks, %threads;

  or.b64 %bits, %to, %from;
  and.b64 %bits, %bits, 15;
  setp.ne.u64 %misaligned, %bits, 0;
  shr.u64 %pieces, %bytes, 4;
  selp.u64 %pieces, 0, %pieces, %misaligned;
  shl.b64 %tail, %pieces, 4;

  mov.u64 %i, %first;
next_piece:
  setp.ge.u64 %done, %i, %pieces;
  @%done bra copy_tail;
  shl.b64 %place, %i, 4;
  add.u64 %target, %to, %place;
  add.u64 %place, %from, %place;
  ld.global.v4.u32 {%a, %b, %c, %d}, [%place];
  st.global.v4.u32 [%target], {%a, %b, %c, %d};
  add.u64 %i, %i, %step;
  bra next_piece;

copy_tail:
  add.u64 %i, %tail, %first;
next_byte:
  setp.ge.u64 %done, %i, %bytes;
  @%done ret;
  add.u64 %place, %from, %i;
  add.u64 %target, %to, %i;
  ld.global.u8 %byte, [%place];
  st.global.u8 [%target], %byte;
  add.u64 %i, %i, %step;
  bra next_byte;
}
)";

namespace {
/// Texts in a row.
template <size_t size> struct Joined {
  char text[size + 1] = {};

  template <size_t... sizes>
  constexpr explicit Joined(const char (&...parts)[sizes]) {
    size_t at = 0;
    auto add = [&](const char *part) {
      while (*part)
        text[at++] = *part++;
    };
    (add(parts), ...);
  }
};
template <size_t... sizes>
Joined(const char (&...parts)[sizes])
    -> Joined<(sizes + ...) - sizeof...(sizes)>;
} // namespace

static constexpr Joined ptx(".version 7.0\n.target sm_50", begin, body);
static constexpr Joined waitingPtx(".version 7.8\n.target sm_90", begin, wait,
                                   body);

static constexpr int32_t threads = 256;

// Limit on threads: more than a GPU runs at once; each loops over the remaining
// data.
static constexpr uint64_t maximumBlocks = 1024;

static constexpr HamKaasDeviceKernel kernel = {
    "hamkaas_copy", 3, threads, 1, 0, 0};

static constexpr HamKaasDeviceCode makeCode(const char *architecture,
                                            const void *image, uint64_t bytes,
                                            int32_t waitsFrom) {
  HamKaasDeviceCode code = {};
  code.structSize = sizeof(code);
  code.architecture = architecture;
  code.image = image;
  code.imageBytes = bytes;
  code.kernels = &kernel;
  code.kernelCount = 1;
  code.waitsFrom = waitsFrom;
  return code;
}

static constexpr int32_t waitsFrom = 90;

static constexpr HamKaasDeviceCode code =
    makeCode("sm_50", ptx.text, sizeof(ptx.text), 0);
static constexpr HamKaasDeviceCode waitingCode =
    makeCode("sm_90", waitingPtx.text, sizeof(waitingPtx.text), waitsFrom);

const HamKaasDeviceCode &hamkaas::rt::getCudaCopyCode(int32_t capability) {
  return capability < waitsFrom ? code : waitingCode;
}

HamKaasDeviceKernel hamkaas::rt::getCudaCopyKernel(uint64_t bytes) {
  uint64_t blocks = bytes / (16 * threads) + 1;
  HamKaasDeviceKernel sized = kernel;
  sized.blocks =
      static_cast<int64_t>(blocks < maximumBlocks ? blocks : maximumBlocks);
  return sized;
}
