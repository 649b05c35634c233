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
// returns an error. Different instances are independent.
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
  /// "cpu" (the default when null).
  const char *device;
  /// Threads that work on a run, the caller included; 0 means one per core.
  int32_t threads;
  /// Parameters by pointer, needed only during the call. They take the place
  /// of embedded ones of the same name.
  const HamKaasNamedData *parameters;
  int32_t parameterCount;
  /// A safetensors file with parameters, or null. Takes the place of the
  /// program's own weightsFile.
  const char *weightsFile;
  /// Not 0: measure the time of each call, see HamKaasInstanceProfile.
  int32_t profile;
} HamKaasInstanceOptions;

/// Allocates the regions, runs `prepare`, and zeroes the state. `options` may
/// be null. On success `*instance` is owned by the caller, who frees it with
/// HamKaasInstanceDestroy; the program must stay loaded until then.
HAMKAAS_API HamKaasError HamKaasInstanceCreate(
    const HamKaasProgram *program, const HamKaasInstanceOptions *options,
    HamKaasInstance **instance /* out */);

/// Does nothing on null. No run may be in progress.
HAMKAAS_API void HamKaasInstanceDestroy(HamKaasInstance *instance);

/// Runs the program once on the caller's buffers, used in place: one address
/// a tensor in the order of the program's tables, none null. Inputs and
/// outputs must not overlap. Allocates nothing.
HAMKAAS_API HamKaasError HamKaasInstanceRun(HamKaasInstance *instance,
                                            const void *const *inputs,
                                            void *const *outputs);

/// The time that the calls of one entry of HamKaasProgram::calls took.
typedef struct HamKaasCallProfile {
  uint64_t runs;        /* that ended without an error at this call */
  uint64_t nanoseconds; /* sum over these runs, by the caller's clock */
} HamKaasCallProfile;

/// Times since the instance was created: one entry a call of the program, in
/// its order. Owned by the instance; null unless the options asked for it. Not
/// to be read while a run is in progress.
HAMKAAS_API const HamKaasCallProfile *
HamKaasInstanceProfile(const HamKaasInstance *instance);

/// Sets all state to zero.
HAMKAAS_API HamKaasError HamKaasInstanceResetState(HamKaasInstance *instance);

#ifdef __cplusplus
}
#endif

#endif // HAMKAAS_C_RUNTIME_H
