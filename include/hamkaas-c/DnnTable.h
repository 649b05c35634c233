//===- DnnTable.h - Descriptors and their attributes, as a list ---*- C -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The one table of hamkaas-c/Dnn.h: kinds of descriptors, attributes, and which
// kind has which. The enumerations, the checks of the library, its text form of
// graphs and the table of docs/Dnn.md come from it. Define the macros that are
// needed and include this file; it undefines them. Numbers never change.
//
//   HAMKAAS_DNN_KIND(number, name, text)
//   HAMKAAS_DNN_ATTRIBUTE(number, name, text, type, least, most)
//     `type` is a HamKaasDnnType without its prefix; `least` and `most` count
//     elements.
//   HAMKAAS_DNN_ROW(kind, attribute, use)
//     `use` is Required or Optional (set before HamKaasDnnFinalize), Input,
//     OptionalInput, Output or OptionalOutput (the same for tensors of a node),
//     Read (after it), or Unsupported (known, and refused by name).
//
//===----------------------------------------------------------------------===//

#ifndef HAMKAAS_DNN_KIND
#define HAMKAAS_DNN_KIND(number, name, text)
#endif
#ifndef HAMKAAS_DNN_ATTRIBUTE
#define HAMKAAS_DNN_ATTRIBUTE(number, name, text, type, least, most)
#endif
#ifndef HAMKAAS_DNN_ROW
#define HAMKAAS_DNN_ROW(kind, attribute, use)
#endif

/*===-- Kinds -------------------------------------------------------------===*/

HAMKAAS_DNN_KIND(0, Engine, "engine")
HAMKAAS_DNN_KIND(1, EngineConfig, "engine_config")
HAMKAAS_DNN_KIND(2, EngineHeuristic, "engine_heuristic")
HAMKAAS_DNN_KIND(3, ExecutionPlan, "execution_plan")
HAMKAAS_DNN_KIND(4, OperationGraph, "operation_graph")
HAMKAAS_DNN_KIND(5, VariantPack, "variant_pack")
HAMKAAS_DNN_KIND(6, KnobChoice, "knob_choice")
HAMKAAS_DNN_KIND(7, KnobInfo, "knob_info")
HAMKAAS_DNN_KIND(8, Tensor, "tensor")
/* Nodes, from here on. */
HAMKAAS_DNN_KIND(20, ConvForward, "conv_fprop")
HAMKAAS_DNN_KIND(21, ConvDataGradient, "conv_dgrad")
HAMKAAS_DNN_KIND(22, ConvWeightGradient, "conv_wgrad")
HAMKAAS_DNN_KIND(23, BatchNorm, "batchnorm")
HAMKAAS_DNN_KIND(24, BatchNormInference, "batchnorm_inference")
HAMKAAS_DNN_KIND(25, BatchNormBackward, "batchnorm_backward")
HAMKAAS_DNN_KIND(26, LayerNorm, "layernorm")
HAMKAAS_DNN_KIND(27, LayerNormBackward, "layernorm_backward")
HAMKAAS_DNN_KIND(28, RmsNorm, "rmsnorm")
HAMKAAS_DNN_KIND(29, RmsNormBackward, "rmsnorm_backward")
HAMKAAS_DNN_KIND(30, Pointwise, "pointwise")
HAMKAAS_DNN_KIND(31, Reduction, "reduction")
HAMKAAS_DNN_KIND(32, Matmul, "matmul")
HAMKAAS_DNN_KIND(33, Attention, "sdpa")
HAMKAAS_DNN_KIND(34, AttentionBackward, "sdpa_backward")
HAMKAAS_DNN_KIND(35, Resample, "resample")
HAMKAAS_DNN_KIND(36, ResampleBackward, "resample_backward")
/* Nodes that no engine computes: a descriptor of theirs cannot be made. */
HAMKAAS_DNN_KIND(37, BlockScaleQuantize, "block_scale_quantize")
HAMKAAS_DNN_KIND(38, BlockScaleDequantize, "block_scale_dequantize")
HAMKAAS_DNN_KIND(39, MoeGroupedMatmul, "moe_grouped_matmul")
HAMKAAS_DNN_KIND(40, CustomOp, "custom_op")

/*===-- Attributes --------------------------------------------------------===*/

HAMKAAS_DNN_ATTRIBUTE(100, HeuristicMode, "mode", HeuristicMode, 1, 1)
HAMKAAS_DNN_ATTRIBUTE(101, Graph, "operation_graph", Descriptor, 1, 1)
HAMKAAS_DNN_ATTRIBUTE(102, Results, "results", Descriptor, 1, 64)
HAMKAAS_DNN_ATTRIBUTE(200, EngineOfConfig, "engine", Descriptor, 1, 1)
HAMKAAS_DNN_ATTRIBUTE(202, KnobChoices, "knob_choices", Descriptor, 1, 64)
HAMKAAS_DNN_ATTRIBUTE(203, WorkspaceSize, "workspace_size", Int64, 1, 1)
HAMKAAS_DNN_ATTRIBUTE(300, PlanHandle, "handle", Handle, 1, 1)
HAMKAAS_DNN_ATTRIBUTE(301, PlanConfig, "engine_config", Descriptor, 1, 1)
HAMKAAS_DNN_ATTRIBUTE(305, Json, "json", Char, 0, INT64_MAX)
HAMKAAS_DNN_ATTRIBUTE(306, Report, "report", Char, 0, INT64_MAX)
HAMKAAS_DNN_ATTRIBUTE(308, TensorUids, "tensor_uids", Int64, 0, INT64_MAX)
HAMKAAS_DNN_ATTRIBUTE(500, KnobId, "knob_id", Char, 1, 256)
HAMKAAS_DNN_ATTRIBUTE(501, KnobValue, "knob_value", KnobValue, 0, 4096)
HAMKAAS_DNN_ATTRIBUTE(601, Nodes, "nodes", Descriptor, 1, 65536)
HAMKAAS_DNN_ATTRIBUTE(602, Tensors, "tensors", Descriptor, 1, 1048576)
HAMKAAS_DNN_ATTRIBUTE(603, EngineCount, "engine_count", Int64, 1, 1)
HAMKAAS_DNN_ATTRIBUTE(604, ComputeType, "compute_type", DataType, 1, 1)
HAMKAAS_DNN_ATTRIBUTE(605, IntermediateType, "intermediate_type", DataType, 1,
                      1)
HAMKAAS_DNN_ATTRIBUTE(606, IoType, "io_type", DataType, 1, 1)
HAMKAAS_DNN_ATTRIBUTE(608, Name, "name", Char, 0, 4096)
HAMKAAS_DNN_ATTRIBUTE(700, UniqueIds, "unique_ids", Int64, 1, 1048576)
HAMKAAS_DNN_ATTRIBUTE(701, DataPointers, "data_pointers", VoidPointer, 1,
                      1048576)
HAMKAAS_DNN_ATTRIBUTE(703, Workspace, "workspace", VoidPointer, 1, 1)
HAMKAAS_DNN_ATTRIBUTE(900, KnobValueType, "value_type", KnobValueType, 1, 1)
HAMKAAS_DNN_ATTRIBUTE(901, KnobMaximum, "maximum", KnobValue, 0, 1)
HAMKAAS_DNN_ATTRIBUTE(902, KnobMinimum, "minimum", KnobValue, 0, 1)
HAMKAAS_DNN_ATTRIBUTE(904, KnobDescription, "description", Char, 0, 4096)
HAMKAAS_DNN_ATTRIBUTE(905, KnobDefault, "default", KnobValue, 0, 4096)
HAMKAAS_DNN_ATTRIBUTE(1000, GraphOfEngine, "operation_graph", Descriptor, 1, 1)
HAMKAAS_DNN_ATTRIBUTE(1001, EngineId, "engine_id", Int64, 1, 1)
HAMKAAS_DNN_ATTRIBUTE(1002, EngineKnobs, "knobs", Descriptor, 0, 64)
HAMKAAS_DNN_ATTRIBUTE(1005, BehaviorNotes, "behavior_notes", BehaviorNote, 0,
                      16)
HAMKAAS_DNN_ATTRIBUTE(1008, EngineName, "engine_name", Char, 1, 256)

/* Tensors. */
HAMKAAS_DNN_ATTRIBUTE(1300, Uid, "uid", Int64, 1, 1)
HAMKAAS_DNN_ATTRIBUTE(1302, DataType, "data_type", DataType, 1, 1)
HAMKAAS_DNN_ATTRIBUTE(1303, Dims, "dims", Int64, 1, 8)
HAMKAAS_DNN_ATTRIBUTE(1304, Strides, "strides", Int64, 1, 8)
HAMKAAS_DNN_ATTRIBUTE(1305, IsVirtual, "is_virtual", Boolean, 1, 1)
HAMKAAS_DNN_ATTRIBUTE(1306, Value, "value", Double, 1, 1)

/* Settings of nodes. */
HAMKAAS_DNN_ATTRIBUTE(1400, PrePadding, "pre_padding", Int64, 1, 3)
HAMKAAS_DNN_ATTRIBUTE(1401, PostPadding, "post_padding", Int64, 1, 3)
HAMKAAS_DNN_ATTRIBUTE(1402, Stride, "stride", Int64, 1, 3)
HAMKAAS_DNN_ATTRIBUTE(1403, Dilation, "dilation", Int64, 1, 3)
HAMKAAS_DNN_ATTRIBUTE(1404, ConvolutionMode, "convolution_mode",
                      ConvolutionMode, 1, 1)
HAMKAAS_DNN_ATTRIBUTE(1405, Window, "window", Int64, 1, 3)
HAMKAAS_DNN_ATTRIBUTE(1410, PointwiseMode, "mode", PointwiseMode, 1, 1)
HAMKAAS_DNN_ATTRIBUTE(1411, ReluLowerClip, "relu_lower_clip", Double, 1, 1)
HAMKAAS_DNN_ATTRIBUTE(1412, ReluUpperClip, "relu_upper_clip", Double, 1, 1)
HAMKAAS_DNN_ATTRIBUTE(1413, ReluLowerClipSlope, "relu_lower_clip_slope", Double,
                      1, 1)
HAMKAAS_DNN_ATTRIBUTE(1414, SwishBeta, "swish_beta", Double, 1, 1)
HAMKAAS_DNN_ATTRIBUTE(1415, EluAlpha, "elu_alpha", Double, 1, 1)
HAMKAAS_DNN_ATTRIBUTE(1416, SoftplusBeta, "softplus_beta", Double, 1, 1)
HAMKAAS_DNN_ATTRIBUTE(1417, Axis, "axis", Int64, 1, 1)
HAMKAAS_DNN_ATTRIBUTE(1420, ForwardPhase, "forward_phase", NormForwardPhase, 1,
                      1)
HAMKAAS_DNN_ATTRIBUTE(1421, ReductionMode, "mode", ReductionMode, 1, 1)
HAMKAAS_DNN_ATTRIBUTE(1422, ResampleMode, "mode", ResampleMode, 1, 1)
HAMKAAS_DNN_ATTRIBUTE(1423, PaddingMode, "padding_mode", PaddingMode, 1, 1)
HAMKAAS_DNN_ATTRIBUTE(1430, AttentionScale, "attn_scale", Double, 1, 1)
HAMKAAS_DNN_ATTRIBUTE(1431, CausalMask, "causal_mask", Boolean, 1, 1)
HAMKAAS_DNN_ATTRIBUTE(1432, CausalMaskBottomRight, "causal_mask_bottom_right",
                      Boolean, 1, 1)
HAMKAAS_DNN_ATTRIBUTE(1433, LeftBound, "left_bound", Int64, 1, 1)
HAMKAAS_DNN_ATTRIBUTE(1434, RightBound, "right_bound", Int64, 1, 1)
HAMKAAS_DNN_ATTRIBUTE(1435, DiagonalAlignment, "diagonal_alignment",
                      DiagonalAlignment, 1, 1)
HAMKAAS_DNN_ATTRIBUTE(1436, AlibiMask, "alibi_mask", Boolean, 1, 1)
HAMKAAS_DNN_ATTRIBUTE(1437, DropoutProbability, "dropout", Double, 1, 1)
HAMKAAS_DNN_ATTRIBUTE(1438, MaxSeqLenKv, "max_seq_len_kv", Int64, 1, 1)

/* Tensors of nodes. */
HAMKAAS_DNN_ATTRIBUTE(1500, X, "x", Descriptor, 1, 1)
HAMKAAS_DNN_ATTRIBUTE(1501, W, "w", Descriptor, 1, 1)
HAMKAAS_DNN_ATTRIBUTE(1502, Y, "y", Descriptor, 1, 1)
HAMKAAS_DNN_ATTRIBUTE(1503, Dx, "dx", Descriptor, 1, 1)
HAMKAAS_DNN_ATTRIBUTE(1504, Dw, "dw", Descriptor, 1, 1)
HAMKAAS_DNN_ATTRIBUTE(1505, Dy, "dy", Descriptor, 1, 1)
HAMKAAS_DNN_ATTRIBUTE(1506, Index, "index", Descriptor, 1, 1)
HAMKAAS_DNN_ATTRIBUTE(1510, Scale, "scale", Descriptor, 1, 1)
HAMKAAS_DNN_ATTRIBUTE(1511, Bias, "bias", Descriptor, 1, 1)
HAMKAAS_DNN_ATTRIBUTE(1512, Epsilon, "epsilon", Descriptor, 1, 1)
HAMKAAS_DNN_ATTRIBUTE(1513, Mean, "mean", Descriptor, 1, 1)
HAMKAAS_DNN_ATTRIBUTE(1514, InvVariance, "inv_variance", Descriptor, 1, 1)
HAMKAAS_DNN_ATTRIBUTE(1515, Variance, "variance", Descriptor, 1, 1)
HAMKAAS_DNN_ATTRIBUTE(1516, PrevRunningMean, "prev_running_mean", Descriptor, 1,
                      1)
HAMKAAS_DNN_ATTRIBUTE(1517, PrevRunningVariance, "prev_running_variance",
                      Descriptor, 1, 1)
HAMKAAS_DNN_ATTRIBUTE(1518, Momentum, "momentum", Descriptor, 1, 1)
HAMKAAS_DNN_ATTRIBUTE(1519, NextRunningMean, "next_running_mean", Descriptor, 1,
                      1)
HAMKAAS_DNN_ATTRIBUTE(1520, NextRunningVariance, "next_running_variance",
                      Descriptor, 1, 1)
HAMKAAS_DNN_ATTRIBUTE(1521, InvRms, "inv_rms", Descriptor, 1, 1)
HAMKAAS_DNN_ATTRIBUTE(1522, Dscale, "dscale", Descriptor, 1, 1)
HAMKAAS_DNN_ATTRIBUTE(1523, Dbias, "dbias", Descriptor, 1, 1)
HAMKAAS_DNN_ATTRIBUTE(1524, PeerStats, "peer_stats", Descriptor, 1, 64)
HAMKAAS_DNN_ATTRIBUTE(1530, A, "a", Descriptor, 1, 1)
HAMKAAS_DNN_ATTRIBUTE(1531, B, "b", Descriptor, 1, 1)
HAMKAAS_DNN_ATTRIBUTE(1532, C, "c", Descriptor, 1, 1)
HAMKAAS_DNN_ATTRIBUTE(1540, Q, "q", Descriptor, 1, 1)
HAMKAAS_DNN_ATTRIBUTE(1541, K, "k", Descriptor, 1, 1)
HAMKAAS_DNN_ATTRIBUTE(1542, V, "v", Descriptor, 1, 1)
HAMKAAS_DNN_ATTRIBUTE(1543, O, "o", Descriptor, 1, 1)
HAMKAAS_DNN_ATTRIBUTE(1544, Stats, "stats", Descriptor, 1, 1)
HAMKAAS_DNN_ATTRIBUTE(1545, Do, "do", Descriptor, 1, 1)
HAMKAAS_DNN_ATTRIBUTE(1546, Dq, "dq", Descriptor, 1, 1)
HAMKAAS_DNN_ATTRIBUTE(1547, Dk, "dk", Descriptor, 1, 1)
HAMKAAS_DNN_ATTRIBUTE(1548, Dv, "dv", Descriptor, 1, 1)
HAMKAAS_DNN_ATTRIBUTE(1549, SeqLenQ, "seq_len_q", Descriptor, 1, 1)
HAMKAAS_DNN_ATTRIBUTE(1550, SeqLenKv, "seq_len_kv", Descriptor, 1, 1)
HAMKAAS_DNN_ATTRIBUTE(1551, PageTableK, "page_table_k", Descriptor, 1, 1)
HAMKAAS_DNN_ATTRIBUTE(1552, PageTableV, "page_table_v", Descriptor, 1, 1)
HAMKAAS_DNN_ATTRIBUTE(1553, BlockMask, "block_mask", Descriptor, 1, 1)
HAMKAAS_DNN_ATTRIBUTE(1554, SinkToken, "sink_token", Descriptor, 1, 1)
HAMKAAS_DNN_ATTRIBUTE(1555, DropoutMask, "dropout_mask", Descriptor, 1, 1)
HAMKAAS_DNN_ATTRIBUTE(1556, Descale, "descale", Descriptor, 1, 16)

/*===-- Rows --------------------------------------------------------------===*/

HAMKAAS_DNN_ROW(EngineHeuristic, Graph, Required)
HAMKAAS_DNN_ROW(EngineHeuristic, HeuristicMode, Required)
HAMKAAS_DNN_ROW(EngineHeuristic, Results, Read)

HAMKAAS_DNN_ROW(Engine, GraphOfEngine, Required)
HAMKAAS_DNN_ROW(Engine, EngineId, Required)
HAMKAAS_DNN_ROW(Engine, EngineName, Read)
HAMKAAS_DNN_ROW(Engine, EngineKnobs, Read)
HAMKAAS_DNN_ROW(Engine, BehaviorNotes, Read)

HAMKAAS_DNN_ROW(EngineConfig, EngineOfConfig, Required)
HAMKAAS_DNN_ROW(EngineConfig, KnobChoices, Optional)
HAMKAAS_DNN_ROW(EngineConfig, WorkspaceSize, Read)

HAMKAAS_DNN_ROW(ExecutionPlan, PlanHandle, Required)
HAMKAAS_DNN_ROW(ExecutionPlan, PlanConfig, Required)
HAMKAAS_DNN_ROW(ExecutionPlan, WorkspaceSize, Read)
HAMKAAS_DNN_ROW(ExecutionPlan, TensorUids, Read)
HAMKAAS_DNN_ROW(ExecutionPlan, EngineId, Read)
HAMKAAS_DNN_ROW(ExecutionPlan, EngineName, Read)
HAMKAAS_DNN_ROW(ExecutionPlan, Json, Read)
HAMKAAS_DNN_ROW(ExecutionPlan, Report, Read)

HAMKAAS_DNN_ROW(KnobChoice, KnobId, Required)
HAMKAAS_DNN_ROW(KnobChoice, KnobValue, Required)

HAMKAAS_DNN_ROW(KnobInfo, KnobId, Required)
HAMKAAS_DNN_ROW(KnobInfo, KnobValueType, Required)
HAMKAAS_DNN_ROW(KnobInfo, KnobDefault, Optional)
HAMKAAS_DNN_ROW(KnobInfo, KnobMinimum, Optional)
HAMKAAS_DNN_ROW(KnobInfo, KnobMaximum, Optional)
HAMKAAS_DNN_ROW(KnobInfo, KnobDescription, Optional)

HAMKAAS_DNN_ROW(OperationGraph, Nodes, Required)
HAMKAAS_DNN_ROW(OperationGraph, Name, Optional)
HAMKAAS_DNN_ROW(OperationGraph, ComputeType, Optional)
HAMKAAS_DNN_ROW(OperationGraph, IntermediateType, Optional)
HAMKAAS_DNN_ROW(OperationGraph, IoType, Optional)
HAMKAAS_DNN_ROW(OperationGraph, Tensors, Read)
HAMKAAS_DNN_ROW(OperationGraph, EngineCount, Read)
HAMKAAS_DNN_ROW(OperationGraph, Json, Read)

HAMKAAS_DNN_ROW(VariantPack, UniqueIds, Required)
HAMKAAS_DNN_ROW(VariantPack, DataPointers, Required)
HAMKAAS_DNN_ROW(VariantPack, Workspace, Optional)

HAMKAAS_DNN_ROW(Tensor, Uid, Required)
HAMKAAS_DNN_ROW(Tensor, Name, Optional)
HAMKAAS_DNN_ROW(Tensor, DataType, Optional)
HAMKAAS_DNN_ROW(Tensor, Dims, Optional)
HAMKAAS_DNN_ROW(Tensor, Strides, Optional)
HAMKAAS_DNN_ROW(Tensor, IsVirtual, Optional)
HAMKAAS_DNN_ROW(Tensor, Value, Optional)

#define HAMKAAS_DNN_NODE(kind)                                                 \
  HAMKAAS_DNN_ROW(kind, Name, Optional)                                        \
  HAMKAAS_DNN_ROW(kind, ComputeType, Optional)
#define HAMKAAS_DNN_CONVOLUTION(kind)                                          \
  HAMKAAS_DNN_NODE(kind)                                                       \
  HAMKAAS_DNN_ROW(kind, PrePadding, Required)                                  \
  HAMKAAS_DNN_ROW(kind, PostPadding, Required)                                 \
  HAMKAAS_DNN_ROW(kind, Stride, Required)                                      \
  HAMKAAS_DNN_ROW(kind, Dilation, Required)                                    \
  HAMKAAS_DNN_ROW(kind, ConvolutionMode, Optional)

HAMKAAS_DNN_CONVOLUTION(ConvForward)
HAMKAAS_DNN_ROW(ConvForward, X, Input)
HAMKAAS_DNN_ROW(ConvForward, W, Input)
HAMKAAS_DNN_ROW(ConvForward, Y, Output)

HAMKAAS_DNN_CONVOLUTION(ConvDataGradient)
HAMKAAS_DNN_ROW(ConvDataGradient, Dy, Input)
HAMKAAS_DNN_ROW(ConvDataGradient, W, Input)
HAMKAAS_DNN_ROW(ConvDataGradient, Dx, Output)

HAMKAAS_DNN_CONVOLUTION(ConvWeightGradient)
HAMKAAS_DNN_ROW(ConvWeightGradient, Dy, Input)
HAMKAAS_DNN_ROW(ConvWeightGradient, X, Input)
HAMKAAS_DNN_ROW(ConvWeightGradient, Dw, Output)

HAMKAAS_DNN_NODE(BatchNorm)
HAMKAAS_DNN_ROW(BatchNorm, X, Input)
HAMKAAS_DNN_ROW(BatchNorm, Scale, Input)
HAMKAAS_DNN_ROW(BatchNorm, Bias, Input)
HAMKAAS_DNN_ROW(BatchNorm, Epsilon, Input)
HAMKAAS_DNN_ROW(BatchNorm, PrevRunningMean, OptionalInput)
HAMKAAS_DNN_ROW(BatchNorm, PrevRunningVariance, OptionalInput)
HAMKAAS_DNN_ROW(BatchNorm, Momentum, OptionalInput)
HAMKAAS_DNN_ROW(BatchNorm, Y, Output)
HAMKAAS_DNN_ROW(BatchNorm, Mean, OptionalOutput)
HAMKAAS_DNN_ROW(BatchNorm, InvVariance, OptionalOutput)
HAMKAAS_DNN_ROW(BatchNorm, NextRunningMean, OptionalOutput)
HAMKAAS_DNN_ROW(BatchNorm, NextRunningVariance, OptionalOutput)
HAMKAAS_DNN_ROW(BatchNorm, PeerStats, Unsupported)

HAMKAAS_DNN_NODE(BatchNormInference)
HAMKAAS_DNN_ROW(BatchNormInference, X, Input)
HAMKAAS_DNN_ROW(BatchNormInference, Mean, Input)
HAMKAAS_DNN_ROW(BatchNormInference, InvVariance, OptionalInput)
HAMKAAS_DNN_ROW(BatchNormInference, Variance, OptionalInput)
HAMKAAS_DNN_ROW(BatchNormInference, Epsilon, OptionalInput)
HAMKAAS_DNN_ROW(BatchNormInference, Scale, Input)
HAMKAAS_DNN_ROW(BatchNormInference, Bias, Input)
HAMKAAS_DNN_ROW(BatchNormInference, Y, Output)

HAMKAAS_DNN_NODE(BatchNormBackward)
HAMKAAS_DNN_ROW(BatchNormBackward, Dy, Input)
HAMKAAS_DNN_ROW(BatchNormBackward, X, Input)
HAMKAAS_DNN_ROW(BatchNormBackward, Scale, Input)
HAMKAAS_DNN_ROW(BatchNormBackward, Mean, OptionalInput)
HAMKAAS_DNN_ROW(BatchNormBackward, InvVariance, OptionalInput)
HAMKAAS_DNN_ROW(BatchNormBackward, Epsilon, OptionalInput)
HAMKAAS_DNN_ROW(BatchNormBackward, Dx, Output)
HAMKAAS_DNN_ROW(BatchNormBackward, Dscale, OptionalOutput)
HAMKAAS_DNN_ROW(BatchNormBackward, Dbias, OptionalOutput)
HAMKAAS_DNN_ROW(BatchNormBackward, PeerStats, Unsupported)

HAMKAAS_DNN_NODE(LayerNorm)
HAMKAAS_DNN_ROW(LayerNorm, X, Input)
HAMKAAS_DNN_ROW(LayerNorm, Scale, Input)
HAMKAAS_DNN_ROW(LayerNorm, Bias, Input)
HAMKAAS_DNN_ROW(LayerNorm, Epsilon, Input)
HAMKAAS_DNN_ROW(LayerNorm, ForwardPhase, Required)
HAMKAAS_DNN_ROW(LayerNorm, Y, Output)
HAMKAAS_DNN_ROW(LayerNorm, Mean, OptionalOutput)
HAMKAAS_DNN_ROW(LayerNorm, InvVariance, OptionalOutput)

HAMKAAS_DNN_NODE(LayerNormBackward)
HAMKAAS_DNN_ROW(LayerNormBackward, Dy, Input)
HAMKAAS_DNN_ROW(LayerNormBackward, X, Input)
HAMKAAS_DNN_ROW(LayerNormBackward, Scale, Input)
HAMKAAS_DNN_ROW(LayerNormBackward, Mean, OptionalInput)
HAMKAAS_DNN_ROW(LayerNormBackward, InvVariance, OptionalInput)
HAMKAAS_DNN_ROW(LayerNormBackward, Epsilon, OptionalInput)
HAMKAAS_DNN_ROW(LayerNormBackward, Dx, Output)
HAMKAAS_DNN_ROW(LayerNormBackward, Dscale, OptionalOutput)
HAMKAAS_DNN_ROW(LayerNormBackward, Dbias, OptionalOutput)

HAMKAAS_DNN_NODE(RmsNorm)
HAMKAAS_DNN_ROW(RmsNorm, X, Input)
HAMKAAS_DNN_ROW(RmsNorm, Scale, Input)
HAMKAAS_DNN_ROW(RmsNorm, Bias, OptionalInput)
HAMKAAS_DNN_ROW(RmsNorm, Epsilon, Input)
HAMKAAS_DNN_ROW(RmsNorm, ForwardPhase, Required)
HAMKAAS_DNN_ROW(RmsNorm, Y, Output)
HAMKAAS_DNN_ROW(RmsNorm, InvRms, OptionalOutput)

HAMKAAS_DNN_NODE(RmsNormBackward)
HAMKAAS_DNN_ROW(RmsNormBackward, Dy, Input)
HAMKAAS_DNN_ROW(RmsNormBackward, X, Input)
HAMKAAS_DNN_ROW(RmsNormBackward, Scale, Input)
HAMKAAS_DNN_ROW(RmsNormBackward, InvRms, Input)
HAMKAAS_DNN_ROW(RmsNormBackward, Dx, Output)
HAMKAAS_DNN_ROW(RmsNormBackward, Dscale, OptionalOutput)
HAMKAAS_DNN_ROW(RmsNormBackward, Dbias, OptionalOutput)

HAMKAAS_DNN_NODE(Pointwise)
HAMKAAS_DNN_ROW(Pointwise, PointwiseMode, Required)
HAMKAAS_DNN_ROW(Pointwise, ReluLowerClip, Optional)
HAMKAAS_DNN_ROW(Pointwise, ReluUpperClip, Optional)
HAMKAAS_DNN_ROW(Pointwise, ReluLowerClipSlope, Optional)
HAMKAAS_DNN_ROW(Pointwise, SwishBeta, Optional)
HAMKAAS_DNN_ROW(Pointwise, EluAlpha, Optional)
HAMKAAS_DNN_ROW(Pointwise, SoftplusBeta, Optional)
HAMKAAS_DNN_ROW(Pointwise, Axis, Optional)
HAMKAAS_DNN_ROW(Pointwise, A, Input)
HAMKAAS_DNN_ROW(Pointwise, B, OptionalInput)
HAMKAAS_DNN_ROW(Pointwise, C, OptionalInput)
HAMKAAS_DNN_ROW(Pointwise, Y, Output)

HAMKAAS_DNN_NODE(Reduction)
HAMKAAS_DNN_ROW(Reduction, ReductionMode, Required)
HAMKAAS_DNN_ROW(Reduction, X, Input)
HAMKAAS_DNN_ROW(Reduction, Y, Output)

HAMKAAS_DNN_NODE(Matmul)
HAMKAAS_DNN_ROW(Matmul, A, Input)
HAMKAAS_DNN_ROW(Matmul, B, Input)
HAMKAAS_DNN_ROW(Matmul, C, Output)

#define HAMKAAS_DNN_ATTENTION(kind)                                            \
  HAMKAAS_DNN_NODE(kind)                                                       \
  HAMKAAS_DNN_ROW(kind, AttentionScale, Optional)                              \
  HAMKAAS_DNN_ROW(kind, CausalMask, Optional)                                  \
  HAMKAAS_DNN_ROW(kind, CausalMaskBottomRight, Optional)                       \
  HAMKAAS_DNN_ROW(kind, LeftBound, Optional)                                   \
  HAMKAAS_DNN_ROW(kind, RightBound, Optional)                                  \
  HAMKAAS_DNN_ROW(kind, DiagonalAlignment, Optional)                           \
  HAMKAAS_DNN_ROW(kind, AlibiMask, Optional)                                   \
  HAMKAAS_DNN_ROW(kind, Q, Input)                                              \
  HAMKAAS_DNN_ROW(kind, K, Input)                                              \
  HAMKAAS_DNN_ROW(kind, V, Input)                                              \
  HAMKAAS_DNN_ROW(kind, Bias, OptionalInput)                                   \
  HAMKAAS_DNN_ROW(kind, SeqLenQ, OptionalInput)                                \
  HAMKAAS_DNN_ROW(kind, SeqLenKv, OptionalInput)                               \
  HAMKAAS_DNN_ROW(kind, DropoutProbability, Unsupported)                       \
  HAMKAAS_DNN_ROW(kind, DropoutMask, Unsupported)                              \
  HAMKAAS_DNN_ROW(kind, PageTableK, Unsupported)                               \
  HAMKAAS_DNN_ROW(kind, PageTableV, Unsupported)                               \
  HAMKAAS_DNN_ROW(kind, MaxSeqLenKv, Unsupported)                              \
  HAMKAAS_DNN_ROW(kind, BlockMask, Unsupported)                                \
  HAMKAAS_DNN_ROW(kind, SinkToken, Unsupported)                                \
  HAMKAAS_DNN_ROW(kind, Descale, Unsupported)

HAMKAAS_DNN_ATTENTION(Attention)
HAMKAAS_DNN_ROW(Attention, O, Output)
HAMKAAS_DNN_ROW(Attention, Stats, OptionalOutput)

HAMKAAS_DNN_ATTENTION(AttentionBackward)
HAMKAAS_DNN_ROW(AttentionBackward, O, Input)
HAMKAAS_DNN_ROW(AttentionBackward, Do, Input)
HAMKAAS_DNN_ROW(AttentionBackward, Stats, Input)
HAMKAAS_DNN_ROW(AttentionBackward, Dq, Output)
HAMKAAS_DNN_ROW(AttentionBackward, Dk, Output)
HAMKAAS_DNN_ROW(AttentionBackward, Dv, Output)
HAMKAAS_DNN_ROW(AttentionBackward, Dbias, OptionalOutput)

#define HAMKAAS_DNN_RESAMPLING(kind)                                           \
  HAMKAAS_DNN_NODE(kind)                                                       \
  HAMKAAS_DNN_ROW(kind, ResampleMode, Required)                                \
  HAMKAAS_DNN_ROW(kind, Window, Required)                                      \
  HAMKAAS_DNN_ROW(kind, Stride, Required)                                      \
  HAMKAAS_DNN_ROW(kind, PrePadding, Required)                                  \
  HAMKAAS_DNN_ROW(kind, PostPadding, Required)                                 \
  HAMKAAS_DNN_ROW(kind, PaddingMode, Optional)

HAMKAAS_DNN_RESAMPLING(Resample)
HAMKAAS_DNN_ROW(Resample, X, Input)
HAMKAAS_DNN_ROW(Resample, Y, Output)
HAMKAAS_DNN_ROW(Resample, Index, OptionalOutput)

HAMKAAS_DNN_RESAMPLING(ResampleBackward)
HAMKAAS_DNN_ROW(ResampleBackward, Dy, Input)
HAMKAAS_DNN_ROW(ResampleBackward, X, OptionalInput)
HAMKAAS_DNN_ROW(ResampleBackward, Dx, Output)
HAMKAAS_DNN_ROW(ResampleBackward, Index, Unsupported)

#undef HAMKAAS_DNN_NODE
#undef HAMKAAS_DNN_CONVOLUTION
#undef HAMKAAS_DNN_ATTENTION
#undef HAMKAAS_DNN_RESAMPLING
#undef HAMKAAS_DNN_KIND
#undef HAMKAAS_DNN_ATTRIBUTE
#undef HAMKAAS_DNN_ROW
