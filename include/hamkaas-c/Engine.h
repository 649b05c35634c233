//===- Engine.h - Kernels of other libraries ----------------------*- C -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The interface of an engine library: a shared library with engines, each of
// which computes groups of operations for a program. Plain C99. An engine
// library includes this header alone and exports one function,
// HAMKAAS_ENGINE_SYMBOL. docs/Engines.md goes through an example.
//
// The compiler asks `applies` and `plan` for the groups of a model. A program
// asks `plan` again when it is loaded, then `start` and `prepare` once, and
// `run` in each run. What the library hands out is its own and lives until the
// library is unloaded, or the plan destroyed. Functions of the library may be
// called from several threads at once, and must not throw.
//
//===----------------------------------------------------------------------===//

#ifndef HAMKAAS_C_ENGINE_H
#define HAMKAAS_C_ENGINE_H

#include "hamkaas-c/Program.h"

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/// Raised when the layout or the meaning of a structure below changes.
#define HAMKAAS_ENGINE_VERSION 2

/// Name of the function that an engine library exports, a
/// HamKaasEngineGetFunction.
#define HAMKAAS_ENGINE_SYMBOL "hamkaasEngineGet"

typedef enum HamKaasEngineStatus {
  HamKaasEngineOk = 0,
  HamKaasEngineNotApplicable = 1, /* `applies` and `plan` only */
  HamKaasEngineFailed = 2         /* HamKaasEngineLibrary::lastError says why */
} HamKaasEngineStatus;

/// How an engine behaves: bits of HamKaasEngine::notes.
typedef enum HamKaasEngineNote {
  /// Equal bits for any number of threads, and wherever the tensors lie.
  HamKaasEngineBitExact = 1,
  /// `run` allocates memory.
  HamKaasEngineAllocates = 2,
  /// Needs another library, which `HamKaasEngine::needs` names.
  HamKaasEngineNeedsLibrary = 4,
  /// Runs on threads of its own, not on HamKaasEngineRun::parallelFor.
  HamKaasEngineOwnThreads = 8
} HamKaasEngineNote;

/// Bits of HamKaasEngine::devices.
typedef enum HamKaasEngineDevice {
  HamKaasEngineCpu = 1,
  HamKaasEngineCuda = 2
} HamKaasEngineDevice;

//===----------------------------------------------------------------------===//
// Groups
//===----------------------------------------------------------------------===//

/// The type of a value of a group.
typedef struct HamKaasEngineTensor {
  int32_t elementType; /* a HamKaasElementType */
  int32_t rank;
  const int64_t *shape;   /* `rank` entries, each at least 1 */
  const int64_t *strides; /* `rank` entries, in elements */
  /// Not 0 for an input that is the same in all runs: it depends on parameters
  /// alone.
  int32_t isConstant;
  int32_t reserved; /* 0 */
} HamKaasEngineTensor;

typedef enum HamKaasEngineValueKind {
  HamKaasEngineInteger = 0,
  HamKaasEngineNumber = 1,
  HamKaasEngineText = 2,
  HamKaasEngineIntegers = 3 /* attributes only */
} HamKaasEngineValueKind;

/// An attribute of an operation, as docs/reference has them. A flag is the
/// integer 1.
typedef struct HamKaasEngineAttribute {
  const char *name;
  int32_t kind;            /* a HamKaasEngineValueKind */
  int32_t count;           /* of `integers` */
  int64_t integer;         /* 0 unless of that kind */
  double number;           /* 0 unless of that kind */
  const char *text;        /* null unless of that kind */
  const int64_t *integers; /* null unless of that kind */
} HamKaasEngineAttribute;

/// An operation of a group.
typedef struct HamKaasEngineNode {
  const char *operation;   /* "matmul", as in docs/reference */
  const int32_t *operands; /* indices into HamKaasEngineGroup::values */
  int32_t operandCount;
  int32_t result; /* index into HamKaasEngineGroup::values */
  const HamKaasEngineAttribute *attributes; /* by ascending name */
  int32_t attributeCount;
  int32_t reserved; /* 0 */
} HamKaasEngineNode;

/// Operations for an engine: they compute one result from the inputs. The same
/// group is described by equal bytes when a model is compiled and when it is
/// loaded.
typedef struct HamKaasEngineGroup {
  size_t structSize;
  /// The inputs, then the result of each node.
  const HamKaasEngineTensor *values;
  const HamKaasEngineNode *nodes; /* each after those whose results it takes */
  int32_t valueCount, inputCount, nodeCount;
  int32_t result; /* index into `values` */
  /// The group as a model in the script language, version 3; null if the
  /// language cannot say it.
  const char *script;
  /// How the factors of large float32 products may be rounded: "exact", "tf32",
  /// "3xtf32" or "bf16".
  const char *precision;
  uint32_t device;   /* the HamKaasEngineDevice that runs it */
  uint32_t reserved; /* 0 */
} HamKaasEngineGroup;

//===----------------------------------------------------------------------===//
// Engines
//===----------------------------------------------------------------------===//

/// Something about an engine that can be set, as in
/// `--engine=openblas:rows=64`.
typedef struct HamKaasEngineKnob {
  const char *id;
  const char *description;
  int32_t kind; /* a HamKaasEngineValueKind */
  int32_t choiceCount;
  int64_t integer, minimum, maximum; /* the default, and what is allowed */
  double number, leastNumber, greatestNumber;
  const char *text;           /* the default */
  const char *const *choices; /* texts: `choiceCount` of them are allowed */
} HamKaasEngineKnob;

/// The value of a knob.
typedef struct HamKaasEngineSetting {
  const char *knob;
  int32_t kind; /* that of the knob */
  int32_t reserved;
  int64_t integer;
  double number;
  const char *text;
} HamKaasEngineSetting;

/// A group made ready to run. The engine fills it in.
typedef struct HamKaasEnginePlan {
  size_t structSize;
  void *data;              /* the engine's own */
  uint64_t workspaceBytes; /* that `run` needs */
  /// Bytes that `prepare` makes of the constant inputs. `run` then gets null
  /// for these. 0: there is no `prepare`, and `run` gets them.
  uint64_t packedBytes;
} HamKaasEnginePlan;

/// Calls `body` for parts of the range [0, count) on the host's threads, for a
/// GPU on the caller's alone, and returns when all are done. Which thread takes
/// which part is not known.
typedef void (*HamKaasEngineBody)(void *context, int64_t begin, int64_t end);
typedef struct HamKaasEngineThreads {
  void (*parallelFor)(void *threads, HamKaasEngineBody body, void *context,
                      int64_t count);
  void *threads;
} HamKaasEngineThreads;

/// One run of a plan. Tensors are aligned as their elements are; `workspace`
/// and `packed` to HAMKAAS_REGION_ALIGNMENT. The result overlaps no input.
typedef struct HamKaasEngineRun {
  size_t structSize;
  const void *const *inputs; /* one a input of the group */
  void *result;
  void *workspace;    /* null if the plan needs none */
  const void *packed; /* null if the plan packs nothing */
  HamKaasEngineThreads threads;
  /// Null, or on a GPU a CUstream, to which `run` adds its work; addresses are
  /// then device addresses. The stream may be captured: `run` waits for
  /// nothing, and allocates nothing on the GPU.
  void *stream;
} HamKaasEngineRun;

typedef struct HamKaasEngine {
  size_t structSize;
  /// Unique: lower-case letters, digits, '.', '_' and '-', at most 64.
  const char *id;
  /// 64-bit FNV-1a hash of `id`.
  uint64_t hash;
  const char *description;
  const char *needs;     /* null, or the library that it needs */
  uint32_t notes;        /* HamKaasEngineNote */
  uint32_t devices;      /* HamKaasEngineDevice */
  uint32_t elementTypes; /* 1 << HamKaasElementType of all values */
  int32_t knobCount;
  const HamKaasEngineKnob *knobs;

  /// Returns whether it computes `group`, and the estimated seconds of a run in
  /// `seconds`, 0 if unknown. Cheap: asked for all groups of a model. Returns a
  /// HamKaasEngineStatus.
  int32_t (*applies)(const HamKaasEngineGroup *group, double *seconds);

  /// Plans a group, also where its device is absent. `settings` has a value for
  /// each knob, in the order of `knobs`. `plan` comes with its structSize and
  /// zeros. A plan is used for several runs at once. Returns a
  /// HamKaasEngineStatus.
  int32_t (*plan)(const HamKaasEngineGroup *group,
                  const HamKaasEngineSetting *settings,
                  HamKaasEnginePlan *plan);

  /// Writes `packedBytes` of `packed`. `inputs` has one address an input of the
  /// group, null for those that are not constant. On a GPU they are device
  /// addresses, and the work goes to the default stream. May be null if no plan
  /// packs. Returns a HamKaasEngineStatus.
  int32_t (*prepare)(const HamKaasEnginePlan *plan, const void *const *inputs,
                     void *packed);

  /// Writes all of the result. Returns a HamKaasEngineStatus.
  int32_t (*run)(const HamKaasEnginePlan *plan, const HamKaasEngineRun *run);

  void (*destroy)(HamKaasEnginePlan *plan);

  /// Null, or makes a plan ready to run: called once when a program is loaded.
  /// On a GPU, `device` is its number, and the primary context is current, as
  /// in `prepare`, `run` and then `destroy`. Returns a HamKaasEngineStatus.
  int32_t (*start)(HamKaasEnginePlan *plan, int32_t device);
} HamKaasEngine;

typedef enum HamKaasEngineSeverity {
  HamKaasEngineInfo = 0,
  HamKaasEngineWarning = 1
} HamKaasEngineSeverity;

typedef void (*HamKaasEngineLog)(void *context, int32_t severity,
                                 const char *text);

/// The result of HAMKAAS_ENGINE_SYMBOL.
typedef struct HamKaasEngineLibrary {
  size_t structSize; /* sizeof(HamKaasEngineLibrary); first member */
  uint32_t version;  /* HAMKAAS_ENGINE_VERSION */
  int32_t engineCount;
  const char *name;           /* "OpenBLAS" */
  const char *libraryVersion; /* its own, "0.3.21" */
  const HamKaasEngine *const *engines;
  /// Why the last call of this thread returned HamKaasEngineFailed; valid until
  /// its next call.
  const char *(*lastError)(void);
  /// Null, or takes the function that writes messages: to standard error if the
  /// environment variable HAMKAAS_ENGINE_LOG is not empty, else it is not
  /// called. Called each time the library is loaded, before any engine is
  /// asked.
  void (*setLog)(HamKaasEngineLog log, void *context);
} HamKaasEngineLibrary;

/// Returns the engines, or null if there are none for `hostVersion`, the
/// HAMKAAS_ENGINE_VERSION of the host.
typedef const HamKaasEngineLibrary *(*HamKaasEngineGetFunction)(
    uint32_t hostVersion);

#ifdef __cplusplus
}
#endif

#endif // HAMKAAS_C_ENGINE_H
