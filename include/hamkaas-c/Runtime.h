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
// Threads: an instance runs one call at a time. A concurrent second call, on it
// or on an instance that shares its state, returns an error. Other instances
// are independent.
//
// Handles: a destroyed instance, or a pointer that never was an instance, is an
// error, not a crash.
//
// Processes: after a fork the child may use its parent's instances that were
// not running. It has no worker threads, so it runs them on the caller.
// Instances on a GPU return an error, because the driver does not work in a
// child.
//
// GPUs: after an error, the device is usable, or each later call on an instance
// says that it was lost. In the latter case, destroy all instances on it, also
// those of other libraries in the process, before you create new ones.
//
//===----------------------------------------------------------------------===//

#ifndef HAMKAAS_C_RUNTIME_H
#define HAMKAAS_C_RUNTIME_H

#include "hamkaas-c/Program.h"

/// Marks the exports of a library that contains the runtime. A build that must
/// not export them, because several such libraries meet in one process, defines
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
  /// "cpu" (the default when null); "cuda:N", an NVIDIA GPU, or "cuda", the
  /// first; or "best": the first GPU if it can run the program, else "cpu".
  /// Models of hamkaas-c/Compiler.h also have "reference": the interpreter,
  /// slow but simple, to compare with.
  const char *device;
  /// CPU threads that work on a run, including the caller; 0 for one per core.
  int32_t threads;
  /// Parameters by pointer, needed only during the call; for a GPU they may be
  /// in its memory. They override embedded ones of the same name.
  const HamKaasNamedData *parameters;
  int32_t parameterCount;
  /// A safetensors file with parameters, or null. Overrides the program's own
  /// weightsFile.
  const char *weightsFile;
  /// Not 0: measure the time of each call, see HamKaasInstanceProfile.
  int32_t profile;
  /// Null, or an instance of the same program and device to share constants
  /// with. Then parameters and weightsFile must be absent. The constants live
  /// until the last instance that uses them is destroyed.
  HamKaasInstance *constantsOf;
  /// Null, or an instance on the same device to share state with. Its program
  /// may be another one with the same states in the same order (name, type,
  /// shape). Instances that share a state run one at a time. The state lives
  /// until the last of them is destroyed.
  HamKaasInstance *stateOf;
  /// Not 0: check only the size of the program's own weightsFile, not its
  /// digest. A file that these options name is never checked, because other
  /// weights are a reason to name one.
  /// NOTE: the program's own file is searched beside the program, by the path
  /// that it was loaded with. Load by an absolute path if the process changes
  /// its working directory.
  int32_t unverified;
  /// Not 0: use the threads that all instances with this flag and as many
  /// `threads` have in common. While one of them runs a kernel on these, the
  /// others run theirs on their callers alone. Meant for many small programs.
  int32_t sharedThreads;
} HamKaasInstanceOptions;

/// Allocates the regions, runs `prepare`, and zeroes the state. `options` may
/// be null. On success `*instance` is owned by the caller, who frees it with
/// HamKaasInstanceDestroy; the program must stay loaded until then.
HAMKAAS_API HamKaasError HamKaasInstanceCreate(
    const HamKaasProgram *program, const HamKaasInstanceOptions *options,
    HamKaasInstance **instance /* out */);

/// Does nothing on null and on other values that are not an instance. A run in
/// progress finishes normally; its thread then frees the memory.
HAMKAAS_API void HamKaasInstanceDestroy(HamKaasInstance *instance);

/// Runs the program once on the caller's buffers, used in place: one address
/// per tensor in the order of the program's tables, none null. Inputs and
/// outputs must not overlap. Allocates nothing.
///
/// On a GPU, each buffer may be in GPU memory, where it is used in place if
/// aligned to HAMKAAS_DEVICE_TENSOR_ALIGNMENT, or in host memory, where it is
/// copied. The first run allocates, the first one with other addresses, and one
/// whose buffers have moved between the GPU and the host.
///
/// A run waits for work on the default stream of the GPU's primary context; the
/// caller waits for other streams. The outputs are complete when this returns.
/// After an error, outputs in GPU memory are undefined.
HAMKAAS_API HamKaasError HamKaasInstanceRun(HamKaasInstance *instance,
                                            const void *const *inputs,
                                            void *const *outputs);

/// The number of entry functions of `program`, at least 1; 0 for null.
HAMKAAS_API int32_t HamKaasProgramFunctionCount(const HamKaasProgram *program);

/// Entry function `number`, from 0, with its tables of inputs, outputs and
/// calls; null if there is none of that number. Owned by the program.
HAMKAAS_API const HamKaasProgram *
HamKaasProgramFunction(const HamKaasProgram *program, int32_t number);

/// Name of the entry function whose tables these are, "main" unless the model
/// says otherwise. Owned by the program; null for null.
HAMKAAS_API const char *
HamKaasProgramFunctionName(const HamKaasProgram *program);

/// Number of the entry function called `name`; -1 if there is none.
HAMKAAS_API int32_t HamKaasProgramFindFunction(const HamKaasProgram *program,
                                               const char *name);

/// Like HamKaasInstanceRun, for entry function `function` of the program. The
/// functions share constants, state and workspace, and run one at a time.
/// HamKaasInstanceRun runs the one that the instance was created for: the
/// first, if that was the exported program.
HAMKAAS_API HamKaasError HamKaasInstanceRunFunction(HamKaasInstance *instance,
                                                    int32_t function,
                                                    const void *const *inputs,
                                                    void *const *outputs);

/// Times of one entry of HamKaasProgram::calls.
typedef struct HamKaasCallProfile {
  uint64_t runs;        /* that ended without an error at this call */
  uint64_t nanoseconds; /* sum over these runs, by the device's clock */
} HamKaasCallProfile;

/// Name of the device of the instance: "cpu", "cuda:0" or "reference". Owned by
/// the instance; null if `instance` is not valid.
HAMKAAS_API const char *HamKaasInstanceDevice(const HamKaasInstance *instance);

/// Times since the instance was created, one entry per call of the program, in
/// order. Owned by the instance; null unless the options asked for a profile.
/// Do not read it during a run.
HAMKAAS_API const HamKaasCallProfile *
HamKaasInstanceProfile(const HamKaasInstance *instance);

/// The same for the calls of entry function `function`; null if there is none.
HAMKAAS_API const HamKaasCallProfile *
HamKaasInstanceFunctionProfile(const HamKaasInstance *instance,
                               int32_t function);

/// Sets all state to its initial contents: zero, unless the model says
/// otherwise.
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

/// Writes all state to a safetensors file, which appears whole or not at all
/// and is on the disk when this returns. After an error an older file is as it
/// was.
HAMKAAS_API HamKaasError HamKaasInstanceSaveState(HamKaasInstance *instance,
                                                  const char *path);

/// The same with `extraCount` tensors of the caller's, such as the place in the
/// data that training has reached. Of each, name, type, shape, `bytes` and
/// `data` are used; the name begins with "extra.". Since version 1.10.
HAMKAAS_API HamKaasError
HamKaasInstanceSaveSnapshot(HamKaasInstance *instance, const char *path,
                            const HamKaasTensorInfo *extra, int32_t extraCount);

/// Copies tensors of a file of HamKaasInstanceSaveSnapshot to `data`, an
/// address for each of `extra`, which have their types and shapes. After an
/// error nothing is copied. Since version 1.10.
HAMKAAS_API HamKaasError HamKaasSnapshotRead(const char *path,
                                             const HamKaasTensorInfo *extra,
                                             void *const *data /* out */,
                                             int32_t extraCount);

/// Sets all state from a safetensors file that holds exactly the program's
/// states; tensors whose names begin with "extra." are passed over. After an
/// error the state is unchanged, unless a GPU failed.
HAMKAAS_API HamKaasError HamKaasInstanceLoadState(HamKaasInstance *instance,
                                                  const char *path);

/// Fails unless the loaded bytes of the `model.so` at `path` are those that the
/// compiler linked. What `strip` removes does not count. Reads the file on
/// `threads` threads, 0 for one per core, and runs none of it. Does not protect
/// against somebody who changes both the library and its digest.
HAMKAAS_API HamKaasError HamKaasLibraryVerify(const char *path,
                                              int32_t threads);

/// The same for the library that `program` was loaded from, as its file is now.
HAMKAAS_API HamKaasError HamKaasProgramVerify(const HamKaasProgram *program,
                                              int32_t threads);

/// BLAKE3 of `bytes` bytes, as `b3sum` prints it: outputs with equal digests
/// are equal. Uses `threads` threads, 0 for one per core.
HAMKAAS_API HamKaasError HamKaasDigest(const void *data, uint64_t bytes,
                                       int32_t threads,
                                       uint8_t digest[32] /* out */);

#ifdef __cplusplus
}
#endif

#endif // HAMKAAS_C_RUNTIME_H
