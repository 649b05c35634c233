//===- Program.h - The exports of a compiled model ----------------*- C -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The binary interface between generated code and whatever runs it. A compiled
// model, just-in-time or as `model.so`, is one constant `HamKaasProgram`; the
// runtime needs nothing else. Plain C99. All pointers reachable from a
// HamKaasProgram are owned by the program and live as long as it is loaded.
//
//===----------------------------------------------------------------------===//

#ifndef HAMKAAS_C_PROGRAM_H
#define HAMKAAS_C_PROGRAM_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/// Raised when the layout or the meaning of a structure below changes.
#define HAMKAAS_PROGRAM_VERSION 9

/// Name of the HamKaasProgram that a compiled model exports.
#define HAMKAAS_PROGRAM_SYMBOL "HamKaasModelProgram"

/// Every offset within a region, and every region, is aligned to this many
/// bytes. Inputs, outputs and parameters need only the alignment of their
/// element type.
#define HAMKAAS_REGION_ALIGNMENT 256

/// Alignment in bytes of the inputs, outputs and parameters of device code.
#define HAMKAAS_DEVICE_TENSOR_ALIGNMENT 16

typedef enum HamKaasElementType {
  HamKaasFloat32 = 0,
  HamKaasInt64 = 1,
  HamKaasFloat64 = 2,
  HamKaasFloat16 = 3,  /* IEEE 754 binary16 */
  HamKaasBFloat16 = 4, /* the upper half of a float32 */
  HamKaasInt32 = 5,
  HamKaasInt16 = 6,
  HamKaasInt8 = 7,
  HamKaasUInt8 = 8,
  HamKaasUInt16 = 9,
  HamKaasUInt32 = 10,
  HamKaasUInt64 = 11,
  HamKaasBool = 12 /* a byte: written as 0 or 1, true when read if not 0 */
} HamKaasElementType;

/// ISA level of a program. It runs on machines of that level or above; the
/// runtime refuses it elsewhere.
typedef enum HamKaasIsaLevel {
  HamKaasIsaX86_64_V1 = 1,
  HamKaasIsaX86_64_V2 = 2,
  HamKaasIsaX86_64_V3 = 3, /* AVX2 and FMA */
  HamKaasIsaX86_64_V4 = 4  /* AVX-512 F, BW, CD, DQ, VL */
} HamKaasIsaLevel;

/// Instructions beyond a level. A kernel that gains from them has code for them
/// beside that of its level, which computes the same bits.
typedef enum HamKaasCpuFeature {
  /// Dot products of 4 bytes: AVX-VNNI in programs of level 3, AVX512-VNNI in
  /// those of level 4.
  HamKaasCpuDotProducts = 1,
  /// Products of tiles of bytes: AMX-INT8 in programs of level 4.
  HamKaasCpuTileProducts = 2
} HamKaasCpuFeature;

/// An input, output, parameter or state tensor: dense, row-major.
typedef struct HamKaasTensorInfo {
  const char *name;
  int32_t elementType; /* a HamKaasElementType */
  int32_t rank;
  const int64_t *shape; /* `rank` entries */
  uint64_t bytes;       /* size of the tensor's elements */
  /// Offset in the state region (states only, otherwise 0).
  uint64_t offset;
  /// Embedded contents, `bytes` long; null when the caller or a weights file
  /// provides them (parameters only, otherwise null).
  const void *data;
} HamKaasTensorInfo;

/// Contents of a state in a new instance, and after it is reset. `prepare`
/// writes them to the constants region.
typedef struct HamKaasInitialState {
  uint64_t offset; /* in the constants region */
  /// The size of the state, or less: then they are repeated to fill it.
  uint64_t bytes;
  int32_t state;    /* index into HamKaasProgram::states */
  int32_t reserved; /* 0 */
} HamKaasInitialState;

/// One call of a kernel, in the order of the run.
typedef struct HamKaasCallInfo {
  const char *kernel; /* calls of equal kernels share one name, e.g. "k0" */
  /// "contraction", "attention", "transform", "reduction", "row",
  /// "elementwise", "movement" or "loops".
  const char *family;
  const char *location; /* source position, e.g. "mnist.hk:4:6" */
  const char *ops;      /* what was fused, e.g. "matmul+add+relu" */
  /// Totals of a run; for a call in a loop, over all steps.
  uint64_t flops;
  uint64_t bytes; /* read and written, each operand counted once per call */
  int64_t tiles;
  /// Error message of a failed run-time check, null if the call has none. `{0}`
  /// to `{3}` stand for HamKaasFailure::values.
  const char *check;
  int64_t repetitions; /* calls per run: the steps of a loop */
  /// Null, or the engine of the HamKaasEngineCall that computes the call, on
  /// the device of its group.
  const char *engine;
} HamKaasCallInfo;

/// The record of a failed run-time check.
typedef struct HamKaasFailure {
  int64_t call; /* index into HamKaasProgram::calls */
  int64_t values[4];
} HamKaasFailure;

/// Runs the tiles [begin, end) of a kernel. `arguments` are the addresses of
/// its tensors; the element before the first, as an integer of 64 bits, has
/// HamKaasExecution::features, which only kernels with code for a feature read.
/// Returns 0, or 1 with `values` (4 entries) if a run-time check
/// failed; then the kernel has written nothing. With `begin == end` it only
/// runs its checks. If the caller has just done that, `values` may be null,
/// which skips checks of many values.
typedef int32_t (*HamKaasKernelFunction)(void *const *arguments, int64_t begin,
                                         int64_t end, int64_t *values);

/// The runtime's services for generated code. Owned by the runtime.
typedef struct HamKaasExecution {
  size_t structSize;
  /// Runs all `tiles` of `kernel`, on the caller and perhaps on other threads.
  /// Returns when all are done: 0, or 1 with the `values` of the first failed
  /// tile (4 entries, or null as for the kernel).
  int32_t (*parallelFor)(void *pool, HamKaasKernelFunction kernel,
                         void *const *arguments, int64_t tiles,
                         int64_t *values);
  void *pool;
  HamKaasFailure failure; /* out, written by the program when it returns 1 */
  /// Null, or a function that HamKaasProgram::run calls after each kernel, with
  /// the index into HamKaasProgram::calls.
  void (*callDone)(void *profile, int64_t call);
  void *profile;
  /// Null, or an error message instead of `failure`: out, owned by the program
  /// and valid until its next run.
  const char *message;
  /// Null on the CPU. Adds a launch of kernel number `kernel` of
  /// HamKaasDeviceCode for call `call`, an index into HamKaasProgram::calls, or
  /// -1 in the preparation. `arguments` are device addresses; the array is the
  /// caller's. Returns 0, or 1, on which the caller returns 1 at once.
  int32_t (*launch)(void *device, int32_t kernel, void *const *arguments,
                    int64_t call);
  /// Adds a copy within the device's memory. Returns as `launch`.
  int32_t (*copy)(void *device, void *to, const void *from, uint64_t bytes);
  /// Device address of a global variable of the image, null if there is none of
  /// that name.
  const void *(*findConstant)(void *device, const char *name);
  void *device;
  /// Runs number `engineCall` of HamKaasProgram::engineCalls, or adds it to
  /// what `device` does, for call `call` as in `launch`. `arguments` are the
  /// addresses of its inputs, then of its workspace if it has any, then of its
  /// result. Returns 0, or 1, on which the caller returns 1 at once.
  int32_t (*callEngine)(struct HamKaasExecution *execution, int32_t engineCall,
                        void *const *arguments, int64_t call);
  void *engines;
  /// The features that kernels may use, a sum of HamKaasCpuFeature.
  uint64_t features;
} HamKaasExecution;

/// Runs the model once. `inputs` and `outputs` hold one address per tensor, in
/// the order of the tables below. Returns 0, or 1 with `execution->failure`.
typedef int32_t (*HamKaasRunFunction)(HamKaasExecution *execution,
                                      const void *const *inputs,
                                      void *const *outputs,
                                      const void *constants, void *state,
                                      void *workspace);

/// Writes the constants region from the parameters; runs once at load.
/// `workspace` has `prepareWorkspaceBytes`. Returns 0, or 1 as above.
typedef int32_t (*HamKaasPrepareFunction)(HamKaasExecution *execution,
                                          const void *const *parameters,
                                          void *constants, void *workspace);

/// One kernel of a device image: a function that takes `argumentCount`
/// addresses, then the address of `failure`, then the number of the call as an
/// int64. `failure` is an int64[5] in device memory: [0] is 1 + the first call
/// whose run-time check failed in this run, or 0; the others are
/// HamKaasFailure::values. After a failure, kernels write nothing.
typedef struct HamKaasDeviceKernel {
  const char *name;      /* of the function in the image */
  int32_t argumentCount; /* addresses, without `failure` and the call */
  int32_t threads;       /* of a block */
  int64_t blocks;        /* of the grid */
  uint32_t sharedBytes;  /* dynamic shared memory of a block */
  int32_t reserved;      /* 0 */
} HamKaasDeviceKernel;

/// A kernel of an engine library, by hamkaas-c/Engine.h.
typedef struct HamKaasEngineCall {
  const char *engine; /* its id */
  const char
      *version; /* HamKaasEngineLibrary::libraryVersion at compile time */
  /// Absolute path of the library at compile time. A file of that name in a
  /// folder of HAMKAAS_ENGINE_PATH takes precedence.
  const char *library;
  const char *group; /* what it computes, in a form of the runtime's own */
  const char *knobs; /* "rows=64,kind=fast", null for the defaults */
  uint64_t workspaceBytes;
  uint64_t packedBytes; /* of the constant inputs, 0 if they stay as they are */
  /// Not 0 if this is the preparation: the inputs are the constant ones of the
  /// group, the result is what they are packed to. Else, if there are packed
  /// bytes, these are the last input in place of the constant ones.
  int32_t packs;
  int32_t reserved; /* 0 */
} HamKaasEngineCall;

/// The part of a program for an NVIDIA GPU.
typedef struct HamKaasDeviceCode {
  size_t structSize;        /* as in HamKaasProgram */
  const char *architecture; /* lowest that the image runs on, e.g. "sm_80" */
  /// Input of cuModuleLoadData: zero-terminated PTX, a cubin or a fatbin.
  const void *image;
  uint64_t imageBytes;
  const HamKaasDeviceKernel *kernels;
  int32_t kernelCount;
  /// 0, or the compute capability, as 90, from which on all kernels begin with
  /// `griddepcontrol.wait`, before any access to memory.
  int32_t waitsFrom;
  /// As in HamKaasProgram, but all addresses are device addresses and are not
  /// read: the functions say what to launch and copy, which depends only on the
  /// addresses.
  HamKaasPrepareFunction prepare;
  HamKaasRunFunction run;
  /// Arithmetic of large float32 matmuls: "exact" (or null), or "tf32",
  /// "3xtf32" or "bf16" on tensor cores.
  const char *precision;
} HamKaasDeviceCode;

typedef struct HamKaasProgram {
  size_t structSize; /* sizeof(HamKaasProgram) at compile time; first member */
  uint32_t version;  /* HAMKAAS_PROGRAM_VERSION */
  int32_t isaLevel;  /* a HamKaasIsaLevel */
  const char *name;  /* of the model, a C identifier */
  const char *targetCpu;
  const char *compiler; /* "HamKaas 0.1.0" */
  uint8_t digest[32];   /* BLAKE3 of the source as it was compiled */

  const HamKaasTensorInfo *inputs;
  const HamKaasTensorInfo *outputs;
  const HamKaasTensorInfo *parameters;
  const HamKaasTensorInfo *states;
  const HamKaasCallInfo *calls;
  int32_t inputCount, outputCount, parameterCount, stateCount, callCount;
  int32_t reserved; /* 0 */

  uint64_t constantsBytes;
  uint64_t stateBytes;
  uint64_t workspaceBytes;
  uint64_t workspaceLowerBound; /* the largest sum of live bytes in a run */
  uint64_t prepareWorkspaceBytes;

  /// Absolute path, at compile time, of the safetensors file with parameters
  /// that are not embedded; the runtime maps it. A file of that name beside the
  /// program takes precedence. Null when the caller must provide them.
  const char *weightsFile;

  /// Null if constantsBytes is 0, and as `run`.
  HamKaasPrepareFunction prepare;
  HamKaasRunFunction run; /* null if the program is not for the CPU */

  const HamKaasDeviceCode *deviceCode; /* null: for the CPU only */

  /// Size and BLAKE3 of the weightsFile when the program was compiled. A size
  /// of 0 stands for any file.
  uint64_t weightsBytes;
  uint8_t weightsDigest[32];

  /// Of the states that are not zero at first, each at most once.
  const HamKaasInitialState *initialStates;
  int32_t initialStateCount;
  int32_t reserved2; /* 0 */

  /* Absent, by structSize, or null and 0 if the program has one function,
     called "main". */

  /// Name of the entry function whose inputs, outputs, calls, workspace and run
  /// functions these are.
  const char *function;
  /// All entry functions in their order. The first one is what the model
  /// exports. They differ in the members named above, and share the others.
  const struct HamKaasProgram *const *functions;
  int32_t functionCount;
  int32_t engineCallCount;
  /// The kernels that engine libraries compute, for all functions. Absent, by
  /// structSize, or null and 0 if there are none.
  const HamKaasEngineCall *engineCalls;
} HamKaasProgram;

#ifdef __cplusplus
}
#endif

#endif // HAMKAAS_C_PROGRAM_H
