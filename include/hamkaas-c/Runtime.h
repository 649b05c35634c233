//===- Runtime.h - Loading and running programs -------------------*- C -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Creates instances of a compiled program and runs them. Plain C99; links
// neither LLVM nor the C++ standard library, throws nothing, never aborts.
//
// Errors: functions that can fail return null on success, or a message that
// the caller frees with HamKaasErrorFree.
//
// Threads: an instance runs one call at a time; a second concurrent call
// returns an error, and so does one on an instance that shares its state.
// Other instances are independent.
//
// Handles: an instance that was destroyed, or a pointer that never was one, is
// an error, not a crash.
//
// Processes: after a fork the child may use the instances of its parent that
// were not running; it has no helper threads, so it runs them on the caller.
// Those on a GPU give an error there: the driver does not work in a child.
//
// GPUs: after an error the device is usable, or each later call on an instance
// says that it was lost. Then all instances on it are to be destroyed, also by
// the other libraries that use it, before new ones may work.
//
//===----------------------------------------------------------------------===//

#ifndef HAMKAAS_C_RUNTIME_H
#define HAMKAAS_C_RUNTIME_H

#include "hamkaas-c/Program.h"

/// Marks what a library that contains the runtime exports. A build that must
/// not export it, because several such libraries meet in one process, defines
/// it as empty.
#ifndef HAMKAAS_API
#define HAMKAAS_API __attribute__((visibility("default")))
#endif

#ifdef __cplusplus
extern "C" {
#endif

/// A program with its constants, state and workspace.
typedef struct HamKaasInstance HamKaasInstance;

/// A text that HamKaasErrorFree releases; null means success.
typedef char *HamKaasError;

/// Does nothing on null.
HAMKAAS_API void HamKaasErrorFree(HamKaasError error);

/// A named tensor in the caller's memory, dense and row-major.
typedef struct HamKaasNamedData {
  const char *name;
  const void *data; /* owned by the caller */
  uint64_t bytes;
} HamKaasNamedData;

typedef struct HamKaasInstanceOptions {
  size_t structSize;
  /// "cpu" (the default when null); "cuda:N", an NVIDIA GPU, "cuda" is the
  /// first; or "best": the first GPU if it can run the program, else "cpu".
  /// Instances of models of hamkaas-c/Compiler.h also have "reference": the
  /// interpreter, slow and exact, to compare with.
  const char *device;
  /// Threads of the processor that work on a run, the caller included; 0 means
  /// one per core.
  int32_t threads;
  /// Parameters by pointer, needed only during the call; for a GPU they may be
  /// in its memory. They take the place of embedded ones of the same name.
  const HamKaasNamedData *parameters;
  int32_t parameterCount;
  /// A safetensors file with parameters, or null. Takes the place of the
  /// program's own weightsFile.
  const char *weightsFile;
  /// Not 0: measure the time of each call, see HamKaasInstanceProfile.
  int32_t profile;
  /// Null, or an instance of the same program and device whose constants this
  /// one uses too. Then there must be no parameters and no weightsFile. The
  /// constants live until the last instance that uses them is destroyed.
  HamKaasInstance *constantsOf;
  /// Null, or an instance on the same device whose state this one uses too: its
  /// program, which may be another, has the same states in the same order
  /// (name, type, shape). Of the instances that share a state one runs at a
  /// time. The state lives until the last of them is destroyed.
  HamKaasInstance *stateOf;
  /// Not 0: take the program's own weightsFile without computing its digest;
  /// its size must be right all the same. A file that these options name is
  /// never compared, because other weights are a reason to name one.
  /// NOTE: the program's own file is looked for beside the program, by the path
  /// that it was loaded with. Load by an absolute path if the process changes
  /// its working directory.
  int32_t unverified;
} HamKaasInstanceOptions;

/// Allocates the regions, runs `prepare`, and zeroes the state. `options` may
/// be null. On success `*instance` is owned by the caller, who frees it with
/// HamKaasInstanceDestroy; the program must stay loaded until then.
HAMKAAS_API HamKaasError HamKaasInstanceCreate(
    const HamKaasProgram *program, const HamKaasInstanceOptions *options,
    HamKaasInstance **instance /* out */);

/// Does nothing on null and on what is no instance. A run in progress is
/// finished as if nothing had happened; its thread frees the memory then.
HAMKAAS_API void HamKaasInstanceDestroy(HamKaasInstance *instance);

/// Runs the program once on the caller's buffers, used in place: one address
/// a tensor in the order of the program's tables, none null. Inputs and
/// outputs must not overlap. Allocates nothing.
///
/// On a GPU each buffer may be in its memory, where it is used in place if it
/// is aligned to HAMKAAS_DEVICE_TENSOR_ALIGNMENT, or in that of the processor,
/// and is copied then. Work on the default stream of the GPU's primary context
/// is waited for; that on other streams the caller has waited for. The outputs
/// are complete when this returns. Where a buffer is may change from run to run,
/// but then something is allocated. After an error the contents of outputs in
/// the GPU's memory are not defined.
HAMKAAS_API HamKaasError HamKaasInstanceRun(HamKaasInstance *instance,
                                            const void *const *inputs,
                                            void *const *outputs);

/// The time that the calls of one entry of HamKaasProgram::calls took.
typedef struct HamKaasCallProfile {
  uint64_t runs;        /* that ended without an error at this call */
  uint64_t nanoseconds; /* sum over these runs, by the device's clock */
} HamKaasCallProfile;

/// Name of the device of the instance: "cpu", "cuda:0" or "reference". Owned by
/// the instance; null if it is none.
HAMKAAS_API const char *HamKaasInstanceDevice(const HamKaasInstance *instance);

/// Times since the instance was created: one entry a call of the program, in
/// its order. Owned by the instance; null unless the options asked for it. Not
/// to be read while a run is in progress.
HAMKAAS_API const HamKaasCallProfile *
HamKaasInstanceProfile(const HamKaasInstance *instance);

/// Sets all state to zero.
HAMKAAS_API HamKaasError HamKaasInstanceResetState(HamKaasInstance *instance);

/// Copies the state `name` to `data`, whose size `bytes` must be the state's.
HAMKAAS_API HamKaasError HamKaasInstanceReadState(HamKaasInstance *instance,
                                                  const char *name,
                                                  void *data /* out */,
                                                  uint64_t bytes);

/// Sets the state `name` to `data`, whose size `bytes` must be the state's.
HAMKAAS_API HamKaasError HamKaasInstanceWriteState(HamKaasInstance *instance,
                                                   const char *name,
                                                   const void *data,
                                                   uint64_t bytes);

/// Writes all state to a safetensors file, which appears whole or not at all.
HAMKAAS_API HamKaasError HamKaasInstanceSaveState(HamKaasInstance *instance,
                                                  const char *path);

/// Sets all state from a safetensors file that holds exactly the program's
/// states. After an error the state is as it was, unless a GPU failed.
HAMKAAS_API HamKaasError HamKaasInstanceLoadState(HamKaasInstance *instance,
                                                  const char *path);

/// Fails unless the `model.so` at `path` is byte for byte what the compiler has
/// linked, as far as it is loaded: not damaged, shortened or mixed up. Reads
/// the file on `threads` threads, 0 for one a core, and runs nothing of it.
/// What `strip` removes does not count. It is no protection against somebody
/// who would change the library and its digest.
HAMKAAS_API HamKaasError HamKaasLibraryVerify(const char *path,
                                              int32_t threads);

/// The same for the library that `program` was loaded from, as its file is now.
HAMKAAS_API HamKaasError HamKaasProgramVerify(const HamKaasProgram *program,
                                              int32_t threads);

/// BLAKE3 of `bytes` bytes, as the tool `b3sum` prints it: two users whose
/// outputs have equal digests have equal outputs. On `threads` threads, 0 for
/// one a core.
HAMKAAS_API HamKaasError HamKaasDigest(const void *data, uint64_t bytes,
                                       int32_t threads,
                                       uint8_t digest[32] /* out */);

#ifdef __cplusplus
}
#endif

#endif // HAMKAAS_C_RUNTIME_H
