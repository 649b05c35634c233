//===- Compiler.h - From models to programs -----------------------*- C -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Compiles models, describes them, and writes them as programs of their own.
// The functions are those of libhamkaas.so, which contains the compiler and
// the runtime (hamkaas-c/Runtime.h) and exports nothing else. Plain C99.
//
// Errors: functions that can fail return null on success, or a message that
// the caller frees with HamKaasErrorFree. A message about a model begins with a
// position: "model.hk:3:21: error: expected ...". Nothing throws or aborts.
//
// Texts are UTF-8 and end with a zero byte. Arguments are needed only during
// the call. Structures begin with their size: a library may know more fields
// than its caller, or fewer if the unknown ones are zero. Zero in a field means
// its default.
//
// Threads: all functions may be called from any thread at any time.
//
//===----------------------------------------------------------------------===//

#ifndef HAMKAAS_C_COMPILER_H
#define HAMKAAS_C_COMPILER_H

#include "hamkaas-c/Runtime.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Version of the interface of libhamkaas.so. The major number changes when
/// programs made for an older one may fail, the minor when something is added.
#define HAMKAAS_C_VERSION_MAJOR 1
#define HAMKAAS_C_VERSION_MINOR 13

/// Version of the library's interface, as 1000 * major + minor.
HAMKAAS_API int32_t HamKaasInterfaceVersion(void);

/// Version of the compiler, e.g. "HamKaas 0.1.0". Owned by the library.
HAMKAAS_API const char *HamKaasCompilerVersion(void);

/// A compiled model. It is immutable, and holds only the weights that a loaded
/// library embeds. Its instances keep it alive.
typedef struct HamKaasModel HamKaasModel;

/// The origin of a line of a generated source text. An empty file stands for
/// the position in the text itself.
typedef struct HamKaasSourceLine {
  const char *file; /* not null */
  int64_t line;     /* from 1 */
} HamKaasSourceLine;

/// Receives the progress of a compilation: `done` of `total` steps, and the
/// name of the step that begins. A result other than 0 ends the compilation,
/// which then fails. Called on the compiling thread.
typedef int32_t (*HamKaasProgressFunction)(void *context, const char *step,
                                           int32_t done, int32_t total);

/// The size of a named dimension of an ONNX model. A dimension without a name
/// is called by its position: "x.0" is the first dimension of the input "x".
typedef struct HamKaasDimension {
  const char *name; /* not null */
  int64_t size;
} HamKaasDimension;

/// An input of an ONNX model that becomes a constant: its elements, dense and
/// row-major.
typedef struct HamKaasConstantInput {
  const char *name;    /* not null */
  int32_t elementType; /* a HamKaasElementType */
  int32_t rank;
  const int64_t *shape; /* of `rank` entries */
  const void *data;
  uint64_t bytes;
} HamKaasConstantInput;

/// Why a model was not compiled.
typedef enum HamKaasCompileFailure {
  HamKaasNoFailure = 0,
  HamKaasInvalidModel = 1,     /* the model or an option is wrong */
  HamKaasUnsupportedModel = 2, /* ONNX has what this compiler lacks */
  HamKaasIncompleteModel = 3   /* ONNX: dimensions or constants are missing */
} HamKaasCompileFailure;

/// How messages name an option.
typedef enum HamKaasOptionNames {
  HamKaasNamesOfC = 0,     /* .gpuArch */
  HamKaasNamesOfPython = 1 /* gpu_arch */
} HamKaasOptionNames;

/// Options of a compilation. Compiled code is kept in the user's cache: the
/// folder that the environment variable HAMKAAS_CACHE_DIR names (none if
/// empty), or hamkaas in XDG_CACHE_HOME or in ~/.cache. The cache holds code
/// that will run, so it is only used if it belongs to the user and nobody else
/// may write it.
typedef struct HamKaasCompileOptions {
  size_t structSize;
  /* From include/HamKaas/Options/CompileOptions.td.
     hamkaas-tblgen begin: c-compile-options */
  /// Name of the model, and of its file in messages. "model" when null, or the
  /// stem of the name of a file that is loaded.
  const char *name;
  /// The ISA level, which every machine that runs the program must have;
  /// results are the same bits on all of them. "host" (the default when null),
  /// "x86-64", "x86-64-v2", "x86-64-v3", "x86-64-v4".
  const char *targetCpu;
  /// The results between kernels take no more bytes: some are computed again,
  /// not kept; an error if that is not enough. 0 for no limit.
  uint64_t maxWorkspace;
  /// Not 0: leave out the checks of positions that are known only at run time.
  int32_t unchecked;
  /// Positions that messages and reports show for the lines of the text, one
  /// per line, or none. Further lines keep their own.
  int32_t lineCount;
  const HamKaasSourceLine *lines;
  HamKaasProgressFunction progress; /* may be null */
  void *progressContext;

  /* Since version 1.1. */

  /// ONNX models only, like the next three members.
  const HamKaasDimension *dimensions;
  const HamKaasConstantInput *constantInputs; /* needed only during the call */
  int32_t dimensionCount;
  int32_t constantInputCount;
  /// Set to a HamKaasCompileFailure.
  int32_t *failure; /* out, may be null */
  /// Set to a JSON text with the inputs and outputs of the model in order, and
  /// the inputs whose size or elements are missing, also after an error; the
  /// caller frees it with HamKaasTextFree. Null if not even that is known:
  /// {"inputs": [{"name": "x", "type": "float32", "shape": [2, "n"]}],
  /// "outputs": [...], "missing": ["axes"]}. Elements of at most 8 bits that a
  /// program stores as bytes also have their ONNX type: "format": "INT4".
  char **summary; /* out, may be null */

  /* Since version 1.2. */

  /// Not 0: neither take the code from the cache nor leave it there.
  int32_t noCache;
  /// Threads to compile on, 0 for one per core; the program does not depend on
  /// it.
  int32_t compileThreads;

  /* Since version 1.3. */

  /// The devices of the program: the CPU, NVIDIA GPUs, or both in one file.
  /// "cuda-emulation" is for tests of HamKaas. "cpu" (the default when null),
  /// "cuda", "cpu,cuda".
  const char *target;
  /// For "cuda": the GPU architectures. "compute_80" is PTX for "sm_80" and
  /// newer, which the driver compiles at load. "sm_80,sm_90" is machine code
  /// for these, and PTX of the oldest for all others. It needs "ptxas" and
  /// "fatbinary" of a CUDA toolkit, in "CUDA_PATH", "CUDA_HOME", "PATH" or
  /// "/usr/local/cuda", and at run time a driver as new as the toolkit.
  /// "compute_80" when null.
  const char *gpuArch;
  /// Groups of operations go to engine libraries, which must be present when
  /// the program is loaded: for "cpu" those of the processor, for "cuda" and
  /// "cpu,cuda" those of GPUs, such as cublaslt. Null for none.
  const char *engine;
  /// For "cuda": the arithmetic of large float32 matmuls and convolutions:
  /// multiply-adds, or tensor cores, which round the factors to 10, about 21 or
  /// 7 fraction bits. For "cpu" alone: "bf16" rounds the weights of matmuls,
  /// for half of their memory. Sums are float32. "exact" (the default when
  /// null), "tf32", "3xtf32", "bf16".
  const char *precision;

  /* Since version 1.4. */

  /// Not 0: check a library by its digest before loading it, like
  /// HamKaasLibraryVerify. Ignored when compiling.
  int32_t verify;
  /// ONNX: a folder that symbolic links of external data may lead to. External
  /// data itself is below the folder of the model. Links of a Hugging Face
  /// cache, from snapshots/X to blobs/Y beside it, are followed in any case.
  /// Null for none.
  const char *externalDataRoot;

  /* Since version 1.5. */

  /// Skip optimizations of the graph: "fold-constants", "simplify", "raise",
  /// "move-layouts", "raise-attention", "fold-affine", "use-winograd",
  /// "fuse-calls", "multiply-integers". The report says how many nodes each
  /// removed and added. The interpreter of "hamkaas-run" always runs the graph
  /// as it was read. Null for none.
  const char *noOptimize;
  /// Largest error of a convolution by Winograd's method, relative to its
  /// largest value. "3e-5" and more allow tiles of 6 x 6; below "7e-7" the
  /// method is off. 0 for 1e-5.
  double winogradError;
  /// Run passes on the optimized graph: an MLIR pipeline, as in the brackets of
  /// "--pass-pipeline" of "mlir-opt". The graph is verified afterwards. Null
  /// for none.
  const char *graphPasses;
  /// Not 0: interpret the graph before and after each pass, and name the first
  /// one that changes what it computes.
  int32_t checkEachPass;
  /// How messages name these options: a HamKaasOptionNames.
  int32_t optionNames;
  /// Not 0: add DWARF line tables, so that "perf annotate" and "gdb" show the
  /// lines of the model beside machine code of the processor.
  int32_t debugInfo;

  /* Since version 1.9. */

  /// Not 0: compile a program that trains the model: the functions
  /// "train_step", "evaluate" and "predict" over one state.
  int32_t train;
  /// The loss that training minimizes. "cross_entropy", "mse", "l1",
  /// "bce_with_logits", "nll", "kl"; null for none.
  const char *loss;
  /// The optimizer with its options. "adam" when null.
  const char *optimizer;
  /// Do not train the parameters whose names match a glob pattern such as
  /// "encoder.*". Null for none.
  const char *freeze;
  /// The output that the loss takes, if the model has several. Null for none.
  const char *trainOutput;

  /* Since version 1.10. */

  /// Not 0: end a run in which an operation makes a NaN with an error at its
  /// line. Programs are much slower then: nothing is fused.
  int32_t checkNan;

  /* Since version 1.11. */

  /// Search these folders and files for engine libraries in place of the usual
  /// ones, for which an empty entry stands. Null for none.
  const char *enginePath;

  /* Since version 1.12. */

  /// For "cpu": "model" decides without running anything. "measure" times the
  /// engines and knobs that compute a group on this machine, within 60 or
  /// SECONDS seconds, and writes the fastest to a choices file. Null for none.
  const char *choose;
  /// A choices file, which says what engine computes which group. Equal files
  /// make equal programs, on any machine. "measure" adds to it what it lacks,
  /// and creates it. Null for none.
  const char *choices;
  /// Not 0: compare what engines compute with the reference interpreter, and
  /// refuse what differs.
  int32_t verifyEngines;

  /* Since version 1.13. */

  /// GGUF: positions that the cache of keys and values has room for, 0 for
  /// those of the model, but 2048 at most.
  int32_t context;
  /// GGUF: tokens that "prefill" reads at once, 0 for 64.
  int32_t chunk;
  /// For "cpu": the arithmetic of products with weights of few bits: those of
  /// the float32 numbers that the weights stand for, or of integers, with the
  /// other side rounded to 8 bits and a scale for each 32 numbers. "exact" (the
  /// default when null), "int8".
  const char *quantizedProducts;
  /// GGUF: the type of the numbers in the cache of keys and values. "f32" (the
  /// default when null), "f16", "bf16", "int8".
  const char *cacheType;
  /* hamkaas-tblgen end */
} HamKaasCompileOptions;

/// The target that a program needs for a device of HamKaasInstanceOptions:
/// "cpu" or "cuda". For "best", it depends on the presence of a GPU that runs
/// code for `gpuArch`, "compute_80" when null. Null if the device is unknown.
HAMKAAS_API const char *HamKaasDeviceTarget(const char *device,
                                            const char *gpuArch);

/// Compiles `source`: a script, MLIR text or the contents of an ONNX or GGUF
/// file without external data, of `bytes` bytes, fewer than 2^31. `options` may
/// be null. On success `*model` is owned by the caller, who frees it with
/// HamKaasModelDestroy.
HAMKAAS_API HamKaasError HamKaasModelCompile(
    const char *source, uint64_t bytes, const HamKaasCompileOptions *options,
    HamKaasModel **model /* out */);

/// Compiles the script, MLIR, ONNX or GGUF file at `path`, or loads the
/// `model.so` there, for which all options but the size and `verify` must be 0.
/// NOTE: loading a library runs its code; load only what you would run.
HAMKAAS_API HamKaasError HamKaasModelLoad(const char *path,
                                          const HamKaasCompileOptions *options,
                                          HamKaasModel **model /* out */);

/// Does nothing on null. Instances of the model remain valid.
HAMKAAS_API HamKaasError HamKaasModelDestroy(HamKaasModel *model);

/// The tables of the program: inputs, outputs, parameters, states, calls,
/// sizes. Owned by the model.
HAMKAAS_API HamKaasError HamKaasModelGetProgram(
    HamKaasModel *model, const HamKaasProgram **program /* out */);

/// Like HamKaasInstanceCreate, for the model's program, which stays loaded as
/// long as the instance lives.
HAMKAAS_API HamKaasError HamKaasModelCreateInstance(
    HamKaasModel *model, const HamKaasInstanceOptions *options,
    HamKaasInstance **instance /* out */);

typedef enum HamKaasDescription {
  HamKaasDescribeReport = 0,     /* tables for people */
  HamKaasDescribeReportJson = 1, /* the same and more, as JSON */
  HamKaasDescribePlanSvg = 2,    /* the plan of the workspace, a drawing */
  HamKaasDescribeGraphSvg = 3,   /* the graph, a drawing (needs Graphviz) */
  HamKaasDescribeGraph = 4,      /* the graph, as MLIR */
  HamKaasDescribeScript = 5,     /* the graph, as a script */
  HamKaasDescribeUnfoldedGraphSvg = 6 /* the graph, with every repetition of
                                         blocks that repeat */
} HamKaasDescription;

/// Describes the model. On success the caller frees `*text` with
/// HamKaasTextFree. Loaded libraries have no graph and no drawing of their
/// plan. The drawing of a long graph shows consecutive equal blocks once; it
/// fails if more than 2000 operations remain.
HAMKAAS_API HamKaasError HamKaasModelDescribe(HamKaasModel *model,
                                              int32_t description,
                                              char **text /* out */);

/// Does nothing on null.
HAMKAAS_API void HamKaasTextFree(char *text);

typedef struct HamKaasWriteOptions {
  size_t structSize;
  /// The parameters to embed: all of them, or none, if they are provided when
  /// an instance is created. Needed only during the call.
  const HamKaasNamedData *parameters;
  int32_t parameterCount;
  /// A safetensors file with the parameters to embed, or null.
  const char *weightsFile;
  /// As in HamKaasCompileOptions; null for the value of the model.
  /* hamkaas-tblgen begin: c-write-options */
  const char *targetCpu;
  const char *target;
  const char *gpuArch;
  const char *engine;
  const char *precision;
  /* hamkaas-tblgen end */
} HamKaasWriteOptions;

/// Writes the model to `path`, a .so, .o or .a, and its C header beside it,
/// whose functions begin with the name of the file. Both files appear, or none.
/// Compiles the model again. Models loaded from a library cannot be written.
HAMKAAS_API HamKaasError HamKaasModelWrite(HamKaasModel *model,
                                           const char *path,
                                           const HamKaasWriteOptions *options);

/// The type of a tensor. `shape` has `rank` valid entries.
typedef struct HamKaasTensorType {
  int32_t elementType; /* a HamKaasElementType */
  int32_t rank;
  int64_t shape[8];
} HamKaasTensorType;

/// Checks a script and finds the type of its result, without compiling it.
/// Much faster than HamKaasModelCompile.
HAMKAAS_API HamKaasError HamKaasInferResult(const char *source, uint64_t bytes,
                                            HamKaasTensorType *type /* out */);

#ifdef __cplusplus
}
#endif

#endif // HAMKAAS_C_COMPILER_H
