//===- Attributes.h - Settings of nodes -------------------------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A class for each kind of node. Setters return the object, so that calls can
// be chained. docs/Dnn.md says what the settings mean.
//
//===----------------------------------------------------------------------===//

#ifndef HAMKAAS_DNN_ATTRIBUTES_H
#define HAMKAAS_DNN_ATTRIBUTES_H

#include "hamkaas-dnn/Tensor.h"
#include <limits>
#include <map>

namespace hamkaas::dnn {

namespace detail {

/// A setting of a node that is no tensor.
struct Setting {
  int32_t type = 0; ///< A HamKaasDnnType.
  std::vector<int64_t> integers = {};
  std::vector<int32_t> enums = {};
  double real = 0;
  uint8_t flag = 0;
};

/// The settings and tensors of a node, by the numbers of their attributes.
struct NodeSettings {
  std::string name;
  std::map<int32_t, Setting> settings;
  std::map<int32_t, std::vector<TensorPointer>> tensors;
};

} // namespace detail

/// The settings of all kinds.
template <typename Derived> class NodeAttributes {
public:
  using Self = Derived;

  Self &set_name(std::string name) {
    node.name = std::move(name);
    return self();
  }
  const std::string &get_name() const { return node.name; }
  Self &set_compute_data_type(DataType type) {
    if (type == DataType::NOT_SET) {
      node.settings.erase(HamKaasDnnAttrComputeType);
      return self();
    }
    return setEnum(HamKaasDnnAttrComputeType, HamKaasDnnTypeDataType,
                   int32_t(type));
  }

  const detail::NodeSettings &settings() const { return node; }

protected:
  Self &self() { return static_cast<Self &>(*this); }
  Self &setIntegers(int32_t attribute, std::vector<int64_t> numbers) {
    detail::Setting &setting = node.settings[attribute];
    setting.type = HamKaasDnnTypeInt64;
    setting.integers = std::move(numbers);
    return self();
  }
  Self &setEnum(int32_t attribute, int32_t type, int32_t number) {
    detail::Setting &setting = node.settings[attribute];
    setting.type = type;
    setting.enums = {number};
    return self();
  }
  Self &setReal(int32_t attribute, double number) {
    detail::Setting &setting = node.settings[attribute];
    setting.type = HamKaasDnnTypeDouble;
    setting.real = number;
    return self();
  }
  Self &setFlag(int32_t attribute, bool flag) {
    detail::Setting &setting = node.settings[attribute];
    setting.type = HamKaasDnnTypeBoolean;
    setting.flag = flag;
    return self();
  }
  /// Null stands for a tensor that is left out.
  Self &setTensor(int32_t attribute, TensorPointer tensor) {
    if (tensor)
      node.tensors[attribute] = {std::move(tensor)};
    else
      node.tensors.erase(attribute);
    return self();
  }
  Self &setTensors(int32_t attribute, std::vector<TensorPointer> tensors) {
    node.tensors[attribute] = std::move(tensors);
    return self();
  }

private:
  detail::NodeSettings node;
};

//===----------------------------------------------------------------------===//
// Convolutions
//===----------------------------------------------------------------------===//

/// One number for each spatial dimension; all but the mode are required.
template <typename Derived>
class ConvolutionAttributes : public NodeAttributes<Derived> {
public:
  using Self = Derived;

  Self &set_pre_padding(std::vector<int64_t> value) {
    return this->setIntegers(HamKaasDnnAttrPrePadding, std::move(value));
  }
  Self &set_post_padding(std::vector<int64_t> value) {
    return this->setIntegers(HamKaasDnnAttrPostPadding, std::move(value));
  }
  Self &set_padding(const std::vector<int64_t> &value) {
    set_pre_padding(value);
    return set_post_padding(value);
  }
  Self &set_stride(std::vector<int64_t> value) {
    return this->setIntegers(HamKaasDnnAttrStride, std::move(value));
  }
  Self &set_dilation(std::vector<int64_t> value) {
    return this->setIntegers(HamKaasDnnAttrDilation, std::move(value));
  }
  Self &set_convolution_mode(ConvolutionMode value) {
    return this->setEnum(HamKaasDnnAttrConvolutionMode,
                         HamKaasDnnTypeConvolutionMode, int32_t(value));
  }
};

class ConvFpropAttributes : public ConvolutionAttributes<ConvFpropAttributes> {
};
using Conv_fprop_attributes = ConvFpropAttributes;
class ConvDgradAttributes : public ConvolutionAttributes<ConvDgradAttributes> {
};
using Conv_dgrad_attributes = ConvDgradAttributes;
class ConvWgradAttributes : public ConvolutionAttributes<ConvWgradAttributes> {
};
using Conv_wgrad_attributes = ConvWgradAttributes;

//===----------------------------------------------------------------------===//
// Norms
//===----------------------------------------------------------------------===//

class BatchnormAttributes : public NodeAttributes<BatchnormAttributes> {
public:
  Self &set_epsilon(TensorPointer tensor) {
    return this->setTensor(HamKaasDnnAttrEpsilon, std::move(tensor));
  }
  Self &set_prev_running_mean(TensorPointer tensor) {
    return this->setTensor(HamKaasDnnAttrPrevRunningMean, std::move(tensor));
  }
  Self &set_prev_running_variance(TensorPointer tensor) {
    return this->setTensor(HamKaasDnnAttrPrevRunningVariance,
                           std::move(tensor));
  }
  Self &set_momentum(TensorPointer tensor) {
    return this->setTensor(HamKaasDnnAttrMomentum, std::move(tensor));
  }
  Self &set_previous_running_stats(TensorPointer mean, TensorPointer variance,
                                   TensorPointer momentum) {
    set_prev_running_mean(std::move(mean));
    set_prev_running_variance(std::move(variance));
    return set_momentum(std::move(momentum));
  }
  Self &set_peer_stats(std::vector<TensorPointer> tensors) {
    return setTensors(HamKaasDnnAttrPeerStats, std::move(tensors));
  }
};
using Batchnorm_attributes = BatchnormAttributes;

class BatchnormInferenceAttributes
    : public NodeAttributes<BatchnormInferenceAttributes> {};
using Batchnorm_inference_attributes = BatchnormInferenceAttributes;

/// The saved statistics, or epsilon to compute them again.
class BatchnormBackwardAttributes
    : public NodeAttributes<BatchnormBackwardAttributes> {
public:
  Self &set_mean(TensorPointer tensor) {
    return this->setTensor(HamKaasDnnAttrMean, std::move(tensor));
  }
  Self &set_inv_variance(TensorPointer tensor) {
    return this->setTensor(HamKaasDnnAttrInvVariance, std::move(tensor));
  }
  Self &set_saved_mean_and_inv_variance(TensorPointer mean,
                                        TensorPointer inverse) {
    set_mean(std::move(mean));
    return set_inv_variance(std::move(inverse));
  }
  Self &set_epsilon(TensorPointer tensor) {
    return this->setTensor(HamKaasDnnAttrEpsilon, std::move(tensor));
  }
  Self &set_peer_stats(std::vector<TensorPointer> tensors) {
    return setTensors(HamKaasDnnAttrPeerStats, std::move(tensors));
  }
};
using Batchnorm_backward_attributes = BatchnormBackwardAttributes;

class LayernormAttributes : public NodeAttributes<LayernormAttributes> {
public:
  Self &set_forward_phase(NormFwdPhase value) {
    return this->setEnum(HamKaasDnnAttrForwardPhase,
                         HamKaasDnnTypeNormForwardPhase, int32_t(value));
  }
  Self &set_epsilon(TensorPointer tensor) {
    return this->setTensor(HamKaasDnnAttrEpsilon, std::move(tensor));
  }
};
using Layernorm_attributes = LayernormAttributes;

/// The saved statistics, or epsilon to compute them again.
class LayernormBackwardAttributes
    : public NodeAttributes<LayernormBackwardAttributes> {
public:
  Self &set_mean(TensorPointer tensor) {
    return this->setTensor(HamKaasDnnAttrMean, std::move(tensor));
  }
  Self &set_inv_variance(TensorPointer tensor) {
    return this->setTensor(HamKaasDnnAttrInvVariance, std::move(tensor));
  }
  Self &set_saved_mean_and_inv_variance(TensorPointer mean,
                                        TensorPointer inverse) {
    set_mean(std::move(mean));
    return set_inv_variance(std::move(inverse));
  }
  Self &set_epsilon(TensorPointer tensor) {
    return this->setTensor(HamKaasDnnAttrEpsilon, std::move(tensor));
  }
};
using Layernorm_backward_attributes = LayernormBackwardAttributes;

class RmsnormAttributes : public NodeAttributes<RmsnormAttributes> {
public:
  Self &set_forward_phase(NormFwdPhase value) {
    return this->setEnum(HamKaasDnnAttrForwardPhase,
                         HamKaasDnnTypeNormForwardPhase, int32_t(value));
  }
  Self &set_epsilon(TensorPointer tensor) {
    return this->setTensor(HamKaasDnnAttrEpsilon, std::move(tensor));
  }
  Self &set_bias(TensorPointer tensor) {
    return this->setTensor(HamKaasDnnAttrBias, std::move(tensor));
  }
};
using Rmsnorm_attributes = RmsnormAttributes;

class RmsnormBackwardAttributes
    : public NodeAttributes<RmsnormBackwardAttributes> {
public:
  Self &has_dbias(bool value) {
    computesDbias = value;
    return *this;
  }
  Self &set_compute_dbias(bool value) { return has_dbias(value); }
  bool get_compute_dbias() const { return computesDbias; }

private:
  bool computesDbias = false;
};
using Rmsnorm_backward_attributes = RmsnormBackwardAttributes;

//===----------------------------------------------------------------------===//
// Elements, products, reductions
//===----------------------------------------------------------------------===//

class PointwiseAttributes : public NodeAttributes<PointwiseAttributes> {
public:
  Self &set_mode(PointwiseMode value) {
    return this->setEnum(HamKaasDnnAttrPointwiseMode,
                         HamKaasDnnTypePointwiseMode, int32_t(value));
  }
  Self &set_relu_lower_clip(double value) {
    return this->setReal(HamKaasDnnAttrReluLowerClip, value);
  }
  Self &set_relu_upper_clip(double value) {
    return this->setReal(HamKaasDnnAttrReluUpperClip, value);
  }
  Self &set_relu_lower_clip_slope(double value) {
    return this->setReal(HamKaasDnnAttrReluLowerClipSlope, value);
  }
  Self &set_swish_beta(double value) {
    return this->setReal(HamKaasDnnAttrSwishBeta, value);
  }
  Self &set_elu_alpha(double value) {
    return this->setReal(HamKaasDnnAttrEluAlpha, value);
  }
  Self &set_softplus_beta(double value) {
    return this->setReal(HamKaasDnnAttrSoftplusBeta, value);
  }
  Self &set_axis(int64_t value) {
    return this->setIntegers(HamKaasDnnAttrAxis, {value});
  }
};
using Pointwise_attributes = PointwiseAttributes;

class ReductionAttributes : public NodeAttributes<ReductionAttributes> {
public:
  Self &set_mode(ReductionMode value) {
    return this->setEnum(HamKaasDnnAttrReductionMode,
                         HamKaasDnnTypeReductionMode, int32_t(value));
  }
};
using Reduction_attributes = ReductionAttributes;

class MatmulAttributes : public NodeAttributes<MatmulAttributes> {};
using Matmul_attributes = MatmulAttributes;

template <typename Derived>
class ResamplingAttributes : public NodeAttributes<Derived> {
public:
  using Self = Derived;

  Self &set_mode(ResampleMode value) {
    return this->setEnum(HamKaasDnnAttrResampleMode, HamKaasDnnTypeResampleMode,
                         int32_t(value));
  }
  Self &set_window(std::vector<int64_t> value) {
    return this->setIntegers(HamKaasDnnAttrWindow, std::move(value));
  }
  Self &set_stride(std::vector<int64_t> value) {
    return this->setIntegers(HamKaasDnnAttrStride, std::move(value));
  }
  Self &set_pre_padding(std::vector<int64_t> value) {
    return this->setIntegers(HamKaasDnnAttrPrePadding, std::move(value));
  }
  Self &set_post_padding(std::vector<int64_t> value) {
    return this->setIntegers(HamKaasDnnAttrPostPadding, std::move(value));
  }
  Self &set_padding(const std::vector<int64_t> &value) {
    set_pre_padding(value);
    return set_post_padding(value);
  }
  Self &set_padding_mode(PaddingMode value) {
    return this->setEnum(HamKaasDnnAttrPaddingMode, HamKaasDnnTypePaddingMode,
                         int32_t(value));
  }
};

class ResampleAttributes : public ResamplingAttributes<ResampleAttributes> {
public:
  Self &set_generate_index(bool value) {
    generatesIndex = value;
    return *this;
  }
  bool get_generate_index() const { return generatesIndex; }

private:
  bool generatesIndex = false;
};
using Resample_attributes = ResampleAttributes;

class ResampleBackwardAttributes
    : public ResamplingAttributes<ResampleBackwardAttributes> {};
using Resample_backward_attributes = ResampleBackwardAttributes;

//===----------------------------------------------------------------------===//
// Attention
//===----------------------------------------------------------------------===//

template <typename Derived>
class AttentionAttributes : public NodeAttributes<Derived> {
public:
  using Self = Derived;

  /// A number, or a constant. A tensor that is read at run time is an error of
  /// Graph::validate.
  Self &set_attn_scale(double value) {
    return this->setReal(HamKaasDnnAttrAttentionScale, value);
  }
  Self &set_attn_scale(const TensorPointer &scale) {
    return scale ? set_attn_scale(scale->get_value().value_or(
                       std::numeric_limits<double>::quiet_NaN()))
                 : this->self();
  }
  Self &set_bias(TensorPointer tensor) {
    return this->setTensor(HamKaasDnnAttrBias, std::move(tensor));
  }
  Self &set_causal_mask(bool value) {
    return this->setFlag(HamKaasDnnAttrCausalMask, value);
  }
  Self &set_causal_mask_bottom_right(bool value) {
    return this->setFlag(HamKaasDnnAttrCausalMaskBottomRight, value);
  }
  Self &set_diagonal_band_left_bound(int64_t value) {
    return this->setIntegers(HamKaasDnnAttrLeftBound, {value});
  }
  Self &set_diagonal_band_right_bound(int64_t value) {
    return this->setIntegers(HamKaasDnnAttrRightBound, {value});
  }
  Self &set_diagonal_alignment(DiagonalAlignment value) {
    return this->setEnum(HamKaasDnnAttrDiagonalAlignment,
                         HamKaasDnnTypeDiagonalAlignment, int32_t(value));
  }
  /// Ignored: set_seq_len_q and set_seq_len_kv alone turn the mask on.
  Self &set_padding_mask(bool) { return this->self(); }
  Self &set_seq_len_q(TensorPointer tensor) {
    return this->setTensor(HamKaasDnnAttrSeqLenQ, std::move(tensor));
  }
  Self &set_seq_len_kv(TensorPointer tensor) {
    return this->setTensor(HamKaasDnnAttrSeqLenKv, std::move(tensor));
  }
  Self &set_alibi_mask(bool value) {
    return this->setFlag(HamKaasDnnAttrAlibiMask, value);
  }

  // Not supported: Graph::validate says so.
  Self &set_dropout(double probability, const TensorPointer & = nullptr,
                    const TensorPointer & = nullptr) {
    return this->setReal(HamKaasDnnAttrDropoutProbability, probability);
  }
  Self &set_dropout_mask(TensorPointer tensor) {
    return this->setTensor(HamKaasDnnAttrDropoutMask, std::move(tensor));
  }
  Self &set_paged_attention_k_table(TensorPointer tensor) {
    return this->setTensor(HamKaasDnnAttrPageTableK, std::move(tensor));
  }
  Self &set_paged_attention_v_table(TensorPointer tensor) {
    return this->setTensor(HamKaasDnnAttrPageTableV, std::move(tensor));
  }
  Self &set_paged_attention_max_seq_len_kv(int64_t value) {
    return this->setIntegers(HamKaasDnnAttrMaxSeqLenKv, {value});
  }
  Self &set_block_mask(TensorPointer tensor) {
    return this->setTensor(HamKaasDnnAttrBlockMask, std::move(tensor));
  }
  Self &set_sink_token(TensorPointer tensor) {
    return this->setTensor(HamKaasDnnAttrSinkToken, std::move(tensor));
  }
  Self &set_descale_q(TensorPointer tensor) {
    return this->setTensor(HamKaasDnnAttrDescale, std::move(tensor));
  }
};

class SdpaAttributes : public AttentionAttributes<SdpaAttributes> {
public:
  Self &set_generate_stats(bool value) {
    generatesStats = value;
    return *this;
  }
  bool get_generate_stats() const { return generatesStats; }

private:
  bool generatesStats = false;
};
using SDPA_attributes = SdpaAttributes;

class SdpaBackwardAttributes
    : public AttentionAttributes<SdpaBackwardAttributes> {
public:
  Self &set_dbias(TensorPointer tensor) {
    return this->setTensor(HamKaasDnnAttrDbias, std::move(tensor));
  }
};
using SDPA_backward_attributes = SdpaBackwardAttributes;

} // namespace hamkaas::dnn

#endif // HAMKAAS_DNN_ATTRIBUTES_H
