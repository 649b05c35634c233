//===- EmulatedCode.h - GPU kernels as code of the CPU ----------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The interface between emulated code and the emulator. The pass
// `hamkaas-gpu-emulate` makes the code; it finds the members of the structures
// by their offsets. All addresses are those of this process.
//
//===----------------------------------------------------------------------===//

#ifndef HAMKAAS_EMULATION_EMULATEDCODE_H
#define HAMKAAS_EMULATION_EMULATEDCODE_H

#include <cstdint>

namespace hamkaas::emulation {

/// HamKaasDeviceCode::architecture of a program whose image is an
/// EmulatedImage.
inline constexpr char emulatedArchitecture[] = "emulation";

/// Threads that shuffles and `bar.warp.sync` know of.
inline constexpr int64_t warpSize = 32;

/// Alignment of the memory that the threads of a block share.
inline constexpr int64_t sharedAlignment = 128;

enum ShuffleKind : int32_t {
  ShuffleXor = 0,
  ShuffleUp = 1,
  ShuffleDown = 2,
  ShuffleIndex = 3
};

/// Operands of a matrix product: shapes and types of PTX.
enum ProductKind : int32_t {
  ProductTF32 = 0, /* m16n8k8 of tf32 */
  ProductBF16 = 1  /* m16n8k16 of bf16 */
};

/// Registers of a thread for a product: four of the left factor, two of the
/// right one and four sums.
inline constexpr int64_t productRegisters = 10, firstSumRegister = 6;

enum AccessKind : int32_t { AccessRead = 0, AccessWrite = 1, AccessAtomic = 2 };

struct EmulatedThread;

/// Functions that emulated code calls in place of GPU instructions. `place`
/// names the operation for errors; the text is that of the code. Those that
/// find an error do not return.
struct EmulatedFunctions {
  /// Waits for all threads of the block.
  void (*barrier)(EmulatedThread *thread, const char *place);
  /// Waits for the lanes of `mask`, which has that of the caller.
  void (*syncWarp)(EmulatedThread *thread, uint32_t mask, const char *place);
  /// `shfl.sync` of PTX, whose operands b and c are `operand` and `clamp`, for
  /// values of up to 64 bits. Sets `isShuffleValid`.
  uint64_t (*shuffle)(EmulatedThread *thread, uint64_t value, int32_t kind,
                      uint32_t mask, uint32_t operand, uint32_t clamp,
                      const char *place);
  /// Stands before each access to memory, if it is to be checked. `alignment`
  /// is what the address must be a multiple of.
  void (*access)(EmulatedThread *thread, const void *address, int64_t bytes,
                 int64_t alignment, int32_t kind, const char *place);
  /// `cp.async`: the copy happens when the caller waits for it. Fills up with
  /// zeros what `fromBytes` lack.
  void (*copyLater)(EmulatedThread *thread, void *to, int64_t bytes,
                    const void *from, int64_t fromBytes, const char *place);
  /// `cp.async.commit_group`.
  void (*commitCopies)(EmulatedThread *thread);
  /// `cp.async.wait_group`: all groups but the last `pending` are done.
  void (*waitForCopies)(EmulatedThread *thread, int64_t pending);
  /// `mma.sync` of PTX for all lanes: adds the product to the sums among the
  /// `productRegisters` registers of the thread.
  void (*addProduct)(EmulatedThread *thread, int32_t kind, uint32_t *registers,
                     const char *place);
};

/// One thread of a block, as emulated code sees it. The emulator owns it.
struct EmulatedThread {
  int64_t thread, threads; ///< Its index in the block of so many.
  int64_t block, blocks;   ///< That of its block in the grid of so many.
  /// The memory of the block: that of the function, then the launch's.
  char *shared;
  const EmulatedFunctions *functions;
  int32_t isShuffleValid; ///< The predicate of the last shuffle, 0 or 1.
};

/// A kernel as one of its threads runs it. Each argument has eight bytes.
using EmulatedFunction = void (*)(const uint64_t *arguments,
                                  EmulatedThread *thread);

struct EmulatedKernel {
  const char *name;
  EmulatedFunction function;
  /// For each argument the bytes of what it is the address of, or -1 for a
  /// number.
  const int64_t *argumentBytes;
  int32_t argumentCount;
  uint32_t sharedBytes; ///< Of a block, without those that the launch asks for.
};

/// A global variable that kernels only read.
struct EmulatedConstant {
  const char *name;
  const void *address;
  int64_t bytes;
};

/// The emulator's counterpart of PTX.
struct EmulatedImage {
  const EmulatedKernel *kernels;
  int64_t kernelCount;
  const EmulatedConstant *constants;
  int64_t constantCount;
};

} // namespace hamkaas::emulation

#endif // HAMKAAS_EMULATION_EMULATEDCODE_H
