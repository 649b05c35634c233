//===- Types.h - Errors and enumerations ------------------------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HAMKAAS_DNN_TYPES_H
#define HAMKAAS_DNN_TYPES_H

#include "hamkaas-c/Dnn.h"
#include <string>
#include <utility>

namespace hamkaas::dnn {

//===----------------------------------------------------------------------===//
// Errors
//===----------------------------------------------------------------------===//

enum class ErrorCode {
  OK,
  INVALID_VALUE,
  HAMKAAS_BACKEND_ERROR,
  ATTRIBUTE_NOT_SET,
  GRAPH_NOT_SUPPORTED
};

/// The outcome of a method, which throws nothing.
struct [[nodiscard]] Error {
  ErrorCode code = ErrorCode::OK;
  std::string message = {};

  bool isGood() const { return code == ErrorCode::OK; }
  bool isBad() const { return !isGood(); }
  bool is_good() const { return isGood(); }
  bool is_bad() const { return isBad(); }
  ErrorCode getCode() const { return code; }
  ErrorCode get_code() const { return code; }
  const std::string &getMessage() const { return message; }
  const std::string &get_message() const { return message; }
};

namespace detail {

inline std::string takeLastError() {
  std::string text(1024, '\0');
  HamKaasDnnGetLastErrorString(text.data(), text.size());
  text.resize(text.find('\0'));
  return text;
}

/// The error of a call of the C interface.
inline Error check(HamKaasDnnStatus status) {
  if (status == HamKaasDnnSuccess)
    return {};
  std::string text = takeLastError();
  if (text.empty())
    text = HamKaasDnnGetErrorString(status);
  switch (status) {
  case HamKaasDnnNotSupported:
    return {ErrorCode::GRAPH_NOT_SUPPORTED, std::move(text)};
  case HamKaasDnnBadParam:
  case HamKaasDnnNullPointer:
  case HamKaasDnnOutOfBound:
    return {ErrorCode::INVALID_VALUE, std::move(text)};
  default:
    return {ErrorCode::HAMKAAS_BACKEND_ERROR, std::move(text)};
  }
}

} // namespace detail

//===----------------------------------------------------------------------===//
// Enumerations, with the numbers of the C interface
//===----------------------------------------------------------------------===//

enum class DataType {
  NOT_SET = -1,
  FLOAT = HamKaasFloat32,
  HALF = HamKaasFloat16,
  BFLOAT16 = HamKaasBFloat16,
  DOUBLE = HamKaasFloat64,
  UINT8 = HamKaasUInt8,
  INT32 = HamKaasInt32,
  INT8 = HamKaasInt8,
  INT64 = HamKaasInt64,
  INT16 = HamKaasInt16,
  BOOLEAN = HamKaasBool
};
using DataType_t = DataType;

enum class PointwiseMode {
  NOT_SET = 0,
  ABS = HamKaasDnnAbs,
  ADD = HamKaasDnnAdd,
  ADD_SQUARE = HamKaasDnnAddSquare, // a + b * b
  BINARY_SELECT = HamKaasDnnBinarySelect,
  CEIL = HamKaasDnnCeil,
  CMP_EQ = HamKaasDnnCmpEq,
  CMP_GE = HamKaasDnnCmpGe,
  CMP_GT = HamKaasDnnCmpGt,
  CMP_LE = HamKaasDnnCmpLe,
  CMP_LT = HamKaasDnnCmpLt,
  CMP_NEQ = HamKaasDnnCmpNeq,
  DIV = HamKaasDnnDiv,
  ELU_BWD = HamKaasDnnEluBwd,
  ELU_FWD = HamKaasDnnEluFwd,
  ERF = HamKaasDnnErf,
  EXP = HamKaasDnnExp,
  FLOOR = HamKaasDnnFloor,
  GELU_APPROX_TANH_BWD = HamKaasDnnGeluApproxTanhBwd,
  GELU_APPROX_TANH_FWD = HamKaasDnnGeluApproxTanhFwd,
  GELU_BWD = HamKaasDnnGeluBwd,
  GELU_FWD = HamKaasDnnGeluFwd,
  GEN_INDEX = HamKaasDnnGenIndex,
  IDENTITY = HamKaasDnnIdentity,
  LOG = HamKaasDnnLog,
  LOGICAL_AND = HamKaasDnnLogicalAnd,
  LOGICAL_NOT = HamKaasDnnLogicalNot,
  LOGICAL_OR = HamKaasDnnLogicalOr,
  MAX_OP = HamKaasDnnMaxOp,
  MIN_OP = HamKaasDnnMinOp,
  MUL = HamKaasDnnMul,
  NEG = HamKaasDnnNeg,
  RECIPROCAL = HamKaasDnnReciprocal,
  RELU_BWD = HamKaasDnnReluBwd,
  RELU_FWD = HamKaasDnnReluFwd,
  RSQRT = HamKaasDnnRsqrt,
  SIGMOID_BWD = HamKaasDnnSigmoidBwd,
  SIGMOID_FWD = HamKaasDnnSigmoidFwd,
  SIN = HamKaasDnnSin,
  SOFTPLUS_BWD = HamKaasDnnSoftplusBwd,
  SOFTPLUS_FWD = HamKaasDnnSoftplusFwd,
  SQRT = HamKaasDnnSqrt,
  SUB = HamKaasDnnSub,
  SWISH_BWD = HamKaasDnnSwishBwd,
  SWISH_FWD = HamKaasDnnSwishFwd,
  TAN = HamKaasDnnTan,
  TANH_BWD = HamKaasDnnTanhBwd,
  TANH_FWD = HamKaasDnnTanhFwd
};
using PointwiseMode_t = PointwiseMode;

enum class ReductionMode {
  NOT_SET = 0,
  ADD = HamKaasDnnReduceAdd,
  MUL = HamKaasDnnReduceMul,
  MIN = HamKaasDnnReduceMin,
  MAX = HamKaasDnnReduceMax,
  AMAX = HamKaasDnnReduceAmax,
  AVG = HamKaasDnnReduceAvg,
  NORM1 = HamKaasDnnReduceNorm1,
  NORM2 = HamKaasDnnReduceNorm2,
  MUL_NO_ZEROS = HamKaasDnnReduceMulNoZeros
};
using ReductionMode_t = ReductionMode;

enum class ConvolutionMode {
  CROSS_CORRELATION = HamKaasDnnCrossCorrelation,
  CONVOLUTION = HamKaasDnnConvolution // with the filter mirrored
};
using ConvolutionMode_t = ConvolutionMode;

enum class NormFwdPhase {
  NOT_SET = 0,
  INFERENCE = HamKaasDnnInference,
  TRAINING = HamKaasDnnTraining
};
using NormFwdPhase_t = NormFwdPhase;

enum class ResampleMode {
  NOT_SET = 0,
  MAXPOOL = HamKaasDnnMaxPool,
  AVGPOOL_EXCLUDE_PADDING = HamKaasDnnAvgPoolExcludePadding,
  AVGPOOL_INCLUDE_PADDING = HamKaasDnnAvgPoolIncludePadding,
  BILINEAR = HamKaasDnnBilinear, // not supported
  NEAREST = HamKaasDnnNearest    // not supported
};
using ResampleMode_t = ResampleMode;

enum class PaddingMode {
  ZERO_PAD = HamKaasDnnZeroPad,
  NEG_INF_PAD = HamKaasDnnNegInfPad,
  EDGE_VAL_PAD = HamKaasDnnEdgeValPad // not supported
};
using PaddingMode_t = PaddingMode;

enum class DiagonalAlignment {
  TOP_LEFT = HamKaasDnnTopLeft,
  BOTTOM_RIGHT = HamKaasDnnBottomRight
};
using DiagonalAlignment_t = DiagonalAlignment;

enum class HeurMode { FALLBACK = HamKaasDnnFallback };
using HeurMode_t = HeurMode;

enum class BuildPlanPolicy { HEURISTICS_CHOICE, ALL };
using BuildPlanPolicy_t = BuildPlanPolicy;

enum class BehaviorNote {
  RUNTIME_COMPILATION = HamKaasDnnRuntimeCompilation,
  EXTERNAL_LIBRARY_DEPENDENCY = HamKaasDnnNeedsLibrary,
  SUPPORTS_EXECUTION_PLAN_SERIALIZATION = HamKaasDnnSerializesPlans,
  BITS_DEPEND_ON_THREADS = HamKaasDnnBitsDependOnThreads,
  ALLOCATES_IN_RUNS = HamKaasDnnAllocatesInRuns,
  OWN_THREADS = HamKaasDnnOwnThreads
};
using BehaviorNote_t = BehaviorNote;

} // namespace hamkaas::dnn

#endif // HAMKAAS_DNN_TYPES_H
