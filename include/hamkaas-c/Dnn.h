//===- Dnn.h - Graphs of nodes, built at run time -----------------*- C -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Graphs in the manner of cuDNN's and hipDNN's back ends: descriptors with
// attributes. C++ programs use hamkaas-dnn/Dnn.h, which is written over this.
// Functions of libhamkaas.so. Plain C99. Since version 1.11. The manual is
// docs/Dnn.md.
//
// A descriptor is created, gets attributes, is finalized, and is read then.
// DnnTable.h lists the attributes of each kind; they have the prefix
// HamKaasDnnAttr here. Any misuse is a status, and the text of the last one of
// the calling thread says more.
//
// Threads: all functions may be called from any thread at any time. A plan runs
// one call at a time; a concurrent second one returns an error.
//
//===----------------------------------------------------------------------===//

#ifndef HAMKAAS_C_DNN_H
#define HAMKAAS_C_DNN_H

#include "hamkaas-c/Compiler.h"

#ifdef __cplusplus
extern "C" {
#endif

/// The outcome of a call.
typedef enum HamKaasDnnStatus {
  HamKaasDnnSuccess = 0,
  HamKaasDnnNotInitialized = 1, /* read before, or set after, finalization */
  HamKaasDnnBadParam = 2,
  HamKaasDnnNullPointer = 3,
  HamKaasDnnNotFinalized = 4,     /* a descriptor that is given to another */
  HamKaasDnnOutOfBound = 5,       /* a number beyond its range */
  HamKaasDnnSizeInsufficient = 6, /* less room than elements */
  HamKaasDnnNotSupported = 8,
  HamKaasDnnInternalError = 9,
  HamKaasDnnAllocFailed = 10,
  HamKaasDnnExecutionFailed = 13
} HamKaasDnnStatus;

/// The kind of a descriptor.
typedef enum HamKaasDnnKind {
#define HAMKAAS_DNN_KIND(number, name, text) HamKaasDnn##name = number,
#include "hamkaas-c/DnnTable.h"
  HamKaasDnnFirstNode = HamKaasDnnConvForward
} HamKaasDnnKind;

/// An attribute of a descriptor.
typedef enum HamKaasDnnAttribute {
#define HAMKAAS_DNN_ATTRIBUTE(number, name, text, type, least, most)           \
  HamKaasDnnAttr##name = number,
#include "hamkaas-c/DnnTable.h"
  HamKaasDnnLastAttribute = HamKaasDnnAttrDescale
} HamKaasDnnAttribute;

/// The type of the elements of an attribute. Enumerations are int32_t, a data
/// type is a HamKaasElementType.
typedef enum HamKaasDnnType {
  HamKaasDnnTypeHandle = 0, /* HamKaasDnnHandle * */
  HamKaasDnnTypeDataType = 1,
  HamKaasDnnTypeBoolean = 2, /* uint8_t, 0 or 1 */
  HamKaasDnnTypeInt64 = 3,
  HamKaasDnnTypeDouble = 5,
  HamKaasDnnTypeVoidPointer = 6,
  HamKaasDnnTypeHeuristicMode = 7,
  HamKaasDnnTypeDescriptor = 13, /* HamKaasDnnDescriptor * */
  HamKaasDnnTypeBehaviorNote = 16,
  HamKaasDnnTypeChar = 19, /* UTF-8, without a zero at the end */
  HamKaasDnnTypeNormForwardPhase = 22,
  HamKaasDnnTypeConvolutionMode = 100,
  HamKaasDnnTypePointwiseMode = 101,
  HamKaasDnnTypeReductionMode = 102,
  HamKaasDnnTypeResampleMode = 103,
  HamKaasDnnTypePaddingMode = 104,
  HamKaasDnnTypeDiagonalAlignment = 105,
  HamKaasDnnTypeKnobValueType = 106,
  /// Only in the table: Int64, Double or Char, as the knob has it.
  HamKaasDnnTypeKnobValue = 107
} HamKaasDnnType;

typedef enum HamKaasDnnHeuristicMode {
  HamKaasDnnFallback = 0
} HamKaasDnnHeuristicMode;

typedef enum HamKaasDnnConvolutionMode {
  HamKaasDnnCrossCorrelation = 1,
  HamKaasDnnConvolution = 2 /* with the filter mirrored */
} HamKaasDnnConvolutionMode;

typedef enum HamKaasDnnNormForwardPhase {
  HamKaasDnnInference = 1,
  HamKaasDnnTraining = 2
} HamKaasDnnNormForwardPhase;

typedef enum HamKaasDnnPointwiseMode {
  HamKaasDnnAbs = 1,
  HamKaasDnnAdd = 2,
  HamKaasDnnAddSquare = 3,
  HamKaasDnnBinarySelect = 4,
  HamKaasDnnCeil = 5,
  HamKaasDnnCmpEq = 6,
  HamKaasDnnCmpGe = 7,
  HamKaasDnnCmpGt = 8,
  HamKaasDnnCmpLe = 9,
  HamKaasDnnCmpLt = 10,
  HamKaasDnnCmpNeq = 11,
  HamKaasDnnDiv = 12,
  HamKaasDnnEluBwd = 13,
  HamKaasDnnEluFwd = 14,
  HamKaasDnnErf = 15,
  HamKaasDnnExp = 16,
  HamKaasDnnFloor = 17,
  HamKaasDnnGeluApproxTanhBwd = 18,
  HamKaasDnnGeluApproxTanhFwd = 19,
  HamKaasDnnGeluBwd = 20,
  HamKaasDnnGeluFwd = 21,
  HamKaasDnnGenIndex = 22,
  HamKaasDnnIdentity = 23,
  HamKaasDnnLog = 24,
  HamKaasDnnLogicalAnd = 25,
  HamKaasDnnLogicalNot = 26,
  HamKaasDnnLogicalOr = 27,
  HamKaasDnnMaxOp = 28,
  HamKaasDnnMinOp = 29,
  HamKaasDnnMul = 30,
  HamKaasDnnNeg = 31,
  HamKaasDnnReciprocal = 32,
  HamKaasDnnReluBwd = 33,
  HamKaasDnnReluFwd = 34,
  HamKaasDnnRsqrt = 35,
  HamKaasDnnSigmoidBwd = 36,
  HamKaasDnnSigmoidFwd = 37,
  HamKaasDnnSin = 38,
  HamKaasDnnSoftplusBwd = 39,
  HamKaasDnnSoftplusFwd = 40,
  HamKaasDnnSqrt = 41,
  HamKaasDnnSub = 42,
  HamKaasDnnSwishBwd = 43,
  HamKaasDnnSwishFwd = 44,
  HamKaasDnnTan = 45,
  HamKaasDnnTanhBwd = 46,
  HamKaasDnnTanhFwd = 47
} HamKaasDnnPointwiseMode;

typedef enum HamKaasDnnReductionMode {
  HamKaasDnnReduceAdd = 1,
  HamKaasDnnReduceMul = 2,
  HamKaasDnnReduceMin = 3,
  HamKaasDnnReduceMax = 4,
  HamKaasDnnReduceAmax = 5,
  HamKaasDnnReduceAvg = 6,
  HamKaasDnnReduceNorm1 = 7,
  HamKaasDnnReduceNorm2 = 8,
  HamKaasDnnReduceMulNoZeros = 9
} HamKaasDnnReductionMode;

typedef enum HamKaasDnnResampleMode {
  HamKaasDnnMaxPool = 1,
  HamKaasDnnAvgPoolExcludePadding = 2,
  HamKaasDnnAvgPoolIncludePadding = 3,
  HamKaasDnnBilinear = 4, /* not supported */
  HamKaasDnnNearest = 5   /* not supported */
} HamKaasDnnResampleMode;

typedef enum HamKaasDnnPaddingMode {
  HamKaasDnnZeroPad = 1,
  HamKaasDnnNegInfPad = 2,
  HamKaasDnnEdgeValPad = 3 /* not supported */
} HamKaasDnnPaddingMode;

typedef enum HamKaasDnnDiagonalAlignment {
  HamKaasDnnTopLeft = 0,
  HamKaasDnnBottomRight = 1
} HamKaasDnnDiagonalAlignment;

typedef enum HamKaasDnnKnobValueType {
  HamKaasDnnKnobInt64 = 1,
  HamKaasDnnKnobDouble = 2,
  HamKaasDnnKnobString = 3
} HamKaasDnnKnobValueType;

typedef enum HamKaasDnnBehaviorNote {
  HamKaasDnnRuntimeCompilation = 0,
  HamKaasDnnNeedsLibrary = 3, /* the plan needs that of an engine */
  HamKaasDnnSerializesPlans = 4,
  /* Those of hamkaas-c/Engine.h: */
  HamKaasDnnBitsDependOnThreads = 100,
  HamKaasDnnAllocatesInRuns = 101,
  HamKaasDnnOwnThreads = 102
} HamKaasDnnBehaviorNote;

/// A device, and how it is used.
typedef struct HamKaasDnnHandle HamKaasDnnHandle;

/// A descriptor of any kind.
typedef struct HamKaasDnnDescriptor HamKaasDnnDescriptor;

typedef struct HamKaasDnnHandleOptions {
  size_t structSize;
  /// As in HamKaasInstanceOptions.
  const char *device;
  int32_t threads;
  /// Not 0: as in HamKaasCompileOptions.
  int32_t noCache;
} HamKaasDnnHandleOptions;

/// `options` may be null. On success `*handle` is owned by the caller, who
/// frees it with HamKaasDnnDestroy.
HAMKAAS_API HamKaasDnnStatus
HamKaasDnnCreate(HamKaasDnnHandle **handle /* out */,
                 const HamKaasDnnHandleOptions *options);

/// Sets where engine libraries are searched, for all graphs of the process:
/// folders and files separated by colons, an empty entry for the usual places
/// (see docs/Engines.md). Null stands for these alone, as at first.
HAMKAAS_API HamKaasDnnStatus HamKaasDnnSetEnginePath(const char *path);

/// Plans made with the handle can still be read and written, but no longer run.
HAMKAAS_API HamKaasDnnStatus HamKaasDnnDestroy(HamKaasDnnHandle *handle);

/// On success `*descriptor` is owned by the caller, who frees it with
/// HamKaasDnnDestroyDescriptor.
HAMKAAS_API HamKaasDnnStatus HamKaasDnnCreateDescriptor(
    int32_t kind, HamKaasDnnDescriptor **descriptor /* out */);

/// Other descriptors that were given this one keep what it holds.
HAMKAAS_API HamKaasDnnStatus
HamKaasDnnDestroyDescriptor(HamKaasDnnDescriptor *descriptor);

/// Copies `count` elements. Overwrites an earlier value.
HAMKAAS_API HamKaasDnnStatus
HamKaasDnnSetAttribute(HamKaasDnnDescriptor *descriptor, int32_t attribute,
                       int32_t type, int64_t count, const void *elements);

/// Checks the descriptor and does its work: a graph infers types and shapes, a
/// plan is compiled. After an error the descriptor is unchanged and can be
/// corrected.
HAMKAAS_API HamKaasDnnStatus
HamKaasDnnFinalize(HamKaasDnnDescriptor *descriptor);

/// Reads an attribute of a finalized descriptor: `*count`, which may be null,
/// is set to the number of its elements, and `elements` to them, of which there
/// is room for `room`. With `room` 0, only `*count` is set. An attribute that
/// was not set has 0 elements. If a heuristic has more results than there is
/// room for, the first ones are written. Descriptors are written into ones that
/// the caller has created of the right kind and passes in `elements`; the
/// caller finalizes them.
HAMKAAS_API HamKaasDnnStatus HamKaasDnnGetAttribute(
    HamKaasDnnDescriptor *descriptor, int32_t attribute, int32_t type,
    int64_t room, int64_t *count /* out */, void *elements /* out */);

/// Runs a plan on the pointers of a variant pack: one for each tensor of the
/// graph that is neither virtual nor a value, no more and none twice. The
/// results are complete when this returns.
HAMKAAS_API HamKaasDnnStatus
HamKaasDnnExecute(HamKaasDnnHandle *handle, HamKaasDnnDescriptor *plan,
                  HamKaasDnnDescriptor *variantPack);

/// The same with the pointers as arguments. Allocates nothing.
HAMKAAS_API HamKaasDnnStatus HamKaasDnnExecuteTensors(
    HamKaasDnnHandle *handle, HamKaasDnnDescriptor *plan, const int64_t *uids,
    void *const *pointers, int64_t count);

/// A finalized graph from the text that its attribute Json has.
HAMKAAS_API HamKaasDnnStatus HamKaasDnnReadGraph(
    const char *text, uint64_t bytes, HamKaasDnnDescriptor **graph /* out */);

/// Writes a plan as a program, `path` ends in .so; see HamKaasModelWrite.
HAMKAAS_API HamKaasDnnStatus HamKaasDnnWritePlan(HamKaasDnnDescriptor *plan,
                                                 const char *path);

/// A finalized plan from such a program.
/// NOTE: loading a library runs its code; load only what you would run.
HAMKAAS_API HamKaasDnnStatus
HamKaasDnnReadPlan(HamKaasDnnHandle *handle, const char *path,
                   HamKaasDnnDescriptor **plan /* out */);

/// The name of a status, "BAD_PARAM". Owned by the library.
HAMKAAS_API const char *HamKaasDnnGetErrorString(int32_t status);

/// Copies the text of the last failure of the calling thread, cut to `bytes`
/// with the zero at the end, and forgets it. Empty if there is none.
HAMKAAS_API void HamKaasDnnGetLastErrorString(char *text /* out */,
                                              size_t bytes);
/// The same, but keeps the text.
HAMKAAS_API void HamKaasDnnPeekLastErrorString(char *text /* out */,
                                               size_t bytes);

/// Sets `*text` to the table of kinds and attributes, in Markdown. The caller
/// frees it with HamKaasTextFree.
HAMKAAS_API HamKaasDnnStatus
HamKaasDnnDescribeAttributes(char **text /* out */);

#ifdef __cplusplus
}
#endif

#endif // HAMKAAS_C_DNN_H
