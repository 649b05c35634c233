//===- Graph.h - Graphs of nodes, built at run time -------------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HAMKAAS_DNN_GRAPH_H
#define HAMKAAS_DNN_GRAPH_H

#include "hamkaas-dnn/Attributes.h"
#include "hamkaas-dnn/Descriptor.h"
#include <algorithm>
#include <array>
#include <set>
#include <unordered_map>

namespace hamkaas::dnn {

/// The name and number of an engine.
struct EngineInfo {
  int64_t id = 0;
  std::string name;
};

/// A setting of an engine that exists.
struct Knob {
  std::string id, description;
};

/// A setting of an engine that is chosen.
struct KnobSetting {
  KnobSetting(std::string id, int64_t value)
      : id(std::move(id)), type(HamKaasDnnTypeInt64), integer(value) {}
  KnobSetting(std::string id, double value)
      : id(std::move(id)), type(HamKaasDnnTypeDouble), real(value) {}
  KnobSetting(std::string id, std::string value)
      : id(std::move(id)), type(HamKaasDnnTypeChar), text(std::move(value)) {}

  std::string id;
  int32_t type; ///< A HamKaasDnnType.
  int64_t integer = 0;
  double real = 0;
  std::string text = {};
};

/// A graph, from its nodes to a plan that runs. Methods that add nodes return
/// tensors, and never fail: mistakes are errors of `validate`. Can be moved,
/// not copied. A graph is for one thread at a time.
class Graph {
public:
  Graph() = default;
  Graph(Graph &&) = default;
  Graph &operator=(Graph &&) = default;

  Graph &set_name(std::string value) {
    name = std::move(value);
    return *this;
  }
  /// The types of what leaves them unset: of real tensors, of virtual ones, and
  /// of computations.
  Graph &set_io_data_type(DataType type) {
    ioType = type;
    return *this;
  }
  Graph &set_intermediate_data_type(DataType type) {
    intermediateType = type;
    return *this;
  }
  Graph &set_compute_data_type(DataType type) {
    computeType = type;
    return *this;
  }
  const std::string &get_name() const { return name; }

  static TensorPointer tensor(TensorAttributes attributes) {
    return std::make_shared<TensorAttributes>(std::move(attributes));
  }
  template <typename Number> static TensorPointer scalar(Number value) {
    return tensor(TensorAttributes(value));
  }
  /// Dims, strides and type of another tensor.
  static TensorPointer tensor_like(const TensorPointer &like,
                                   std::string name = "") {
    return tensor(TensorAttributes()
                      .set_name(std::move(name))
                      .set_dim(like->get_dim())
                      .set_stride(like->get_stride())
                      .set_data_type(like->get_data_type()));
  }

  //===--------------------------------------------------------------------===//
  // Nodes
  //===--------------------------------------------------------------------===//

  TensorPointer conv_fprop(TensorPointer x, TensorPointer w,
                           const ConvFpropAttributes &attributes) {
    Node &node = add(HamKaasDnnConvForward, attributes);
    node.set(HamKaasDnnAttrX, x).set(HamKaasDnnAttrW, w);
    return node.result(HamKaasDnnAttrY, "Y");
  }
  /// The dims of the result must be given.
  TensorPointer conv_dgrad(TensorPointer dy, TensorPointer w,
                           const ConvDgradAttributes &attributes) {
    Node &node = add(HamKaasDnnConvDataGradient, attributes);
    node.set(HamKaasDnnAttrDy, dy).set(HamKaasDnnAttrW, w);
    return node.result(HamKaasDnnAttrDx, "DX");
  }
  /// The dims of the result must be given.
  TensorPointer conv_wgrad(TensorPointer dy, TensorPointer x,
                           const ConvWgradAttributes &attributes) {
    Node &node = add(HamKaasDnnConvWeightGradient, attributes);
    node.set(HamKaasDnnAttrDy, dy).set(HamKaasDnnAttrX, x);
    return node.result(HamKaasDnnAttrDw, "DW");
  }

  /// y, mean, inv_variance, next_running_mean, next_running_variance; the last
  /// two are null without the previous ones.
  std::array<TensorPointer, 5>
  batchnorm(TensorPointer x, TensorPointer scale, TensorPointer bias,
            const BatchnormAttributes &attributes) {
    Node &node = add(HamKaasDnnBatchNorm, attributes);
    node.set(HamKaasDnnAttrX, x).set(HamKaasDnnAttrScale, scale);
    node.set(HamKaasDnnAttrBias, bias);
    bool isRunning = node.has(HamKaasDnnAttrPrevRunningMean);
    auto running = [&](int32_t attribute, const char *suffix) {
      return isRunning ? node.result(attribute, suffix) : nullptr;
    };
    TensorPointer y = node.result(HamKaasDnnAttrY, "Y");
    TensorPointer mean = node.result(HamKaasDnnAttrMean, "MEAN");
    TensorPointer inverse =
        node.result(HamKaasDnnAttrInvVariance, "INV_VARIANCE");
    TensorPointer nextMean =
        running(HamKaasDnnAttrNextRunningMean, "NEXT_RUNNING_MEAN");
    TensorPointer nextVariance =
        running(HamKaasDnnAttrNextRunningVariance, "NEXT_RUNNING_VARIANCE");
    return {y, mean, inverse, nextMean, nextVariance};
  }
  TensorPointer
  batchnorm_inference(TensorPointer x, TensorPointer mean,
                      TensorPointer invVariance, TensorPointer scale,
                      TensorPointer bias,
                      const BatchnormInferenceAttributes &attributes) {
    Node &node = addInference(x, mean, scale, bias, attributes);
    node.set(HamKaasDnnAttrInvVariance, invVariance);
    return node.result(HamKaasDnnAttrY, "Y");
  }
  TensorPointer batchnorm_inference_variance_ext(
      TensorPointer x, TensorPointer mean, TensorPointer variance,
      TensorPointer scale, TensorPointer bias, TensorPointer epsilon,
      const BatchnormInferenceAttributes &attributes) {
    Node &node = addInference(x, mean, scale, bias, attributes);
    node.set(HamKaasDnnAttrVariance, variance);
    node.set(HamKaasDnnAttrEpsilon, epsilon);
    return node.result(HamKaasDnnAttrY, "Y");
  }
  /// dx, dscale, dbias.
  std::array<TensorPointer, 3>
  batchnorm_backward(TensorPointer dy, TensorPointer x, TensorPointer scale,
                     const BatchnormBackwardAttributes &attributes) {
    Node &node = add(HamKaasDnnBatchNormBackward, attributes);
    node.set(HamKaasDnnAttrDy, dy).set(HamKaasDnnAttrX, x);
    node.set(HamKaasDnnAttrScale, scale);
    return addParameterGradients(node, /*hasBias=*/true);
  }
  /// y, mean, inv_variance; the last two are null unless the phase is TRAINING.
  std::array<TensorPointer, 3>
  layernorm(TensorPointer x, TensorPointer scale, TensorPointer bias,
            const LayernormAttributes &attributes) {
    Node &node = add(HamKaasDnnLayerNorm, attributes);
    node.set(HamKaasDnnAttrX, x).set(HamKaasDnnAttrScale, scale);
    node.set(HamKaasDnnAttrBias, bias);
    TensorPointer y = node.result(HamKaasDnnAttrY, "Y");
    if (!node.isTraining())
      return {y, nullptr, nullptr};
    TensorPointer mean = node.result(HamKaasDnnAttrMean, "MEAN");
    return {y, mean, node.result(HamKaasDnnAttrInvVariance, "INV_VARIANCE")};
  }
  /// dx, dscale, dbias.
  std::array<TensorPointer, 3>
  layernorm_backward(TensorPointer dy, TensorPointer x, TensorPointer scale,
                     const LayernormBackwardAttributes &attributes) {
    Node &node = add(HamKaasDnnLayerNormBackward, attributes);
    node.set(HamKaasDnnAttrDy, dy).set(HamKaasDnnAttrX, x);
    node.set(HamKaasDnnAttrScale, scale);
    return addParameterGradients(node, /*hasBias=*/true);
  }
  /// y, inv_rms, which is null unless the phase is TRAINING.
  std::array<TensorPointer, 2> rmsnorm(TensorPointer x, TensorPointer scale,
                                       const RmsnormAttributes &attributes) {
    Node &node = add(HamKaasDnnRmsNorm, attributes);
    node.set(HamKaasDnnAttrX, x).set(HamKaasDnnAttrScale, scale);
    TensorPointer y = node.result(HamKaasDnnAttrY, "Y");
    if (!node.isTraining())
      return {y, nullptr};
    return {y, node.result(HamKaasDnnAttrInvRms, "INV_RMS")};
  }
  /// dx, dscale, dbias, which is null unless it is asked for.
  std::array<TensorPointer, 3>
  rmsnorm_backward(TensorPointer dy, TensorPointer x, TensorPointer scale,
                   TensorPointer invRms,
                   const RmsnormBackwardAttributes &attributes) {
    Node &node = add(HamKaasDnnRmsNormBackward, attributes);
    node.set(HamKaasDnnAttrDy, dy).set(HamKaasDnnAttrX, x);
    node.set(HamKaasDnnAttrScale, scale).set(HamKaasDnnAttrInvRms, invRms);
    return addParameterGradients(node, attributes.get_compute_dbias());
  }

  /// Gradients take the gradient of the result, then the operand.
  TensorPointer pointwise(TensorPointer a,
                          const PointwiseAttributes &attributes) {
    return pointwise(std::move(a), nullptr, nullptr, attributes);
  }
  TensorPointer pointwise(TensorPointer a, TensorPointer b,
                          const PointwiseAttributes &attributes) {
    return pointwise(std::move(a), std::move(b), nullptr, attributes);
  }
  TensorPointer pointwise(TensorPointer a, TensorPointer b, TensorPointer c,
                          const PointwiseAttributes &attributes) {
    Node &node = add(HamKaasDnnPointwise, attributes);
    node.set(HamKaasDnnAttrA, a).setOptional(HamKaasDnnAttrB, b);
    node.setOptional(HamKaasDnnAttrC, c);
    return node.result(HamKaasDnnAttrY, "OUT_0");
  }
  /// The dims of the result must be given.
  TensorPointer reduction(TensorPointer x,
                          const ReductionAttributes &attributes) {
    Node &node = add(HamKaasDnnReduction, attributes);
    node.set(HamKaasDnnAttrX, x);
    return node.result(HamKaasDnnAttrY, "Y");
  }
  TensorPointer matmul(TensorPointer a, TensorPointer b,
                       const MatmulAttributes &attributes) {
    Node &node = add(HamKaasDnnMatmul, attributes);
    node.set(HamKaasDnnAttrA, a).set(HamKaasDnnAttrB, b);
    return node.result(HamKaasDnnAttrC, "C");
  }

  /// o, and the statistics, which are null unless they are asked for.
  std::array<TensorPointer, 2> sdpa(TensorPointer q, TensorPointer k,
                                    TensorPointer v,
                                    const SdpaAttributes &attributes) {
    Node &node = add(HamKaasDnnAttention, attributes);
    node.set(HamKaasDnnAttrQ, q).set(HamKaasDnnAttrK, k);
    node.set(HamKaasDnnAttrV, v);
    TensorPointer o = node.result(HamKaasDnnAttrO, "O");
    if (!attributes.get_generate_stats())
      return {o, nullptr};
    return {o, node.result(HamKaasDnnAttrStats, "STATS")};
  }
  /// dq, dk, dv.
  std::array<TensorPointer, 3>
  sdpa_backward(TensorPointer q, TensorPointer k, TensorPointer v,
                TensorPointer o, TensorPointer dO, TensorPointer stats,
                const SdpaBackwardAttributes &attributes) {
    Node &node = add(HamKaasDnnAttentionBackward, attributes);
    node.set(HamKaasDnnAttrQ, q).set(HamKaasDnnAttrK, k);
    node.set(HamKaasDnnAttrV, v).set(HamKaasDnnAttrO, o);
    node.set(HamKaasDnnAttrDo, dO).set(HamKaasDnnAttrStats, stats);
    TensorPointer dq = node.result(HamKaasDnnAttrDq, "DQ");
    TensorPointer dk = node.result(HamKaasDnnAttrDk, "DK");
    return {dq, dk, node.result(HamKaasDnnAttrDv, "DV")};
  }

  /// y, and the index of the maxima, which is null unless it is asked for.
  std::array<TensorPointer, 2> resample(TensorPointer x,
                                        const ResampleAttributes &attributes) {
    Node &node = add(HamKaasDnnResample, attributes);
    node.set(HamKaasDnnAttrX, x);
    TensorPointer y = node.result(HamKaasDnnAttrY, "Y");
    if (!attributes.get_generate_index())
      return {y, nullptr};
    TensorPointer index = node.result(HamKaasDnnAttrIndex, "INDEX");
    index->set_data_type(DataType::INT32);
    return {y, index};
  }
  /// The dims of the result must be given. Means need no `x`.
  TensorPointer
  resample_backward(TensorPointer dy, TensorPointer x,
                    const ResampleBackwardAttributes &attributes) {
    Node &node = add(HamKaasDnnResampleBackward, attributes);
    node.set(HamKaasDnnAttrDy, dy).setOptional(HamKaasDnnAttrX, x);
    return node.result(HamKaasDnnAttrDx, "DX");
  }

  //===--------------------------------------------------------------------===//
  // From the nodes to a plan
  //===--------------------------------------------------------------------===//

  /// Checks the graph, infers types, dims and strides, and gives uids to the
  /// tensors that have none, the lowest that are free.
  Error validate();

  /// Remembers the handle for build_plans. It must live until the last run.
  Error build_operation_graph(HamKaasDnnHandle *handle) {
    if (!graph)
      return notYet("validate");
    if (!handle)
      return {ErrorCode::INVALID_VALUE, "expected a handle, got null"};
    session = handle;
    return {};
  }

  /// Finds the engines that compute the graph.
  Error create_execution_plans(const std::vector<HeurMode> &modes = {
                                   HeurMode::FALLBACK});
  Error check_support() const {
    return configs.empty() ? notYet("create_execution_plans") : Error();
  }
  /// Compiles for the first engine that succeeds, or for all.
  Error
  build_plans(BuildPlanPolicy policy = BuildPlanPolicy::HEURISTICS_CHOICE);
  /// All of it.
  Error build(HamKaasDnnHandle *handle,
              const std::vector<HeurMode> &modes = {HeurMode::FALLBACK},
              BuildPlanPolicy policy = BuildPlanPolicy::HEURISTICS_CHOICE);

  /// The engines that compute the graph: first this compiler, then those of
  /// engine libraries. After `validate`.
  Error get_ranked_engines(std::vector<EngineInfo> &engines) const;
  Error get_ranked_engine_ids(std::vector<int64_t> &engines) const;
  /// The settings of an engine. After `validate`.
  Error get_knobs_for_engine(int64_t engine, std::vector<Knob> &knobs) const;
  Error get_behavior_notes_for_engine(int64_t engine,
                                      std::vector<BehaviorNote> &notes) const;
  /// In place of create_execution_plans: one engine, with settings.
  Error create_execution_plan_ext(int64_t engine,
                                  const std::vector<KnobSetting> &settings);
  /// The engine must compute the graph, or create_execution_plans fails.
  Graph &set_preferred_engine_id_ext(int64_t engine) {
    preferredEngine = engine;
    return *this;
  }
  Graph &set_preferred_engine_id_ext(const std::string &name) {
    return set_preferred_engine_id_ext(getEngineId(name));
  }
  /// The number of an engine: 64-bit FNV-1a of its name.
  static int64_t getEngineId(const std::string &name) {
    uint64_t hash = 0xcbf29ce484222325;
    for (char c : name)
      hash = (hash ^ uint8_t(c)) * 0x100000001b3;
    return int64_t(hash);
  }
  Error get_execution_plan_engine_id(int64_t &id) const {
    return plans.empty() ? notYet("build_plans")
                         : plans.front().get(HamKaasDnnAttrEngineId, id);
  }
  int64_t get_execution_plan_count() const { return int64_t(plans.size()); }

  /// Plans hold the memory of their runs: 0.
  Error get_workspace_size(int64_t &bytes) const {
    return plans.empty()
               ? notYet("build_plans")
               : plans.front().get(HamKaasDnnAttrWorkspaceSize, bytes);
  }
  int64_t get_workspace_size() const {
    int64_t bytes = 0;
    return get_workspace_size(bytes).isGood() ? bytes : -1;
  }

  //===--------------------------------------------------------------------===//
  // Runs
  //===--------------------------------------------------------------------===//

  /// Runs on an address for each tensor that is neither virtual nor a constant.
  /// The workspace is not used. Allocates nothing.
  Error execute(HamKaasDnnHandle *handle,
                const std::unordered_map<int64_t, void *> &pointers,
                void * /*workspace*/ = nullptr) {
    return run(handle, pointers, [](int64_t uid) { return uid; });
  }
  Error execute(HamKaasDnnHandle *handle,
                const std::unordered_map<TensorPointer, void *> &pointers,
                void * /*workspace*/ = nullptr) {
    if (pointers.count(nullptr))
      return {ErrorCode::INVALID_VALUE, "expected tensors, got null"};
    return run(handle, pointers,
               [](const TensorPointer &tensor) { return tensor->get_uid(); });
  }

  //===--------------------------------------------------------------------===//
  // Texts and files
  //===--------------------------------------------------------------------===//

  /// The graph as text, after `validate`.
  Error to_json(std::string &text) const {
    return graph ? graph.getText(HamKaasDnnAttrJson, text) : notYet("validate");
  }
  /// Replaces this graph by one of such a text, as it is after `validate`.
  Error from_json(const std::string &text);
  /// The tensors of the graph, after `validate` or `from_json`.
  const std::vector<TensorPointer> &get_tensors() const { return tensors; }
  /// Null if there is none of that uid.
  TensorPointer query_tensor(int64_t uid) const {
    for (const TensorPointer &tensor : tensors)
      if (tensor->get_uid() == uid)
        return tensor;
    return nullptr;
  }

  /// Writes the plan as a program, to a path that ends in .so.
  Error write_plan(const std::string &path) const {
    return plans.empty() ? notYet("build_plans")
                         : detail::check(HamKaasDnnWritePlan(
                               plans.front().get(), path.c_str()));
  }
  /// Replaces this graph by the plan in such a file, which runs without the
  /// compiler.
  /// NOTE: loading a library runs its code; load only what you would run.
  Error read_plan(HamKaasDnnHandle *handle, const std::string &path);
  /// The kernels of the plan: a table for people, or JSON.
  Error get_report(std::string &text) const {
    return plans.empty() ? notYet("build_plans")
                         : plans.front().getText(HamKaasDnnAttrReport, text);
  }
  Error get_report_json(std::string &text) const {
    return plans.empty() ? notYet("build_plans")
                         : plans.front().getText(HamKaasDnnAttrJson, text);
  }

private:
  /// A node and its tensors.
  struct Node {
    int32_t kind;
    detail::NodeSettings settings;
    /// Of a tensor that is null.
    Error error = {};

    Node &set(int32_t attribute, TensorPointer tensor);
    Node &setOptional(int32_t attribute, TensorPointer tensor) {
      return tensor ? set(attribute, std::move(tensor)) : *this;
    }
    bool has(int32_t attribute) const {
      return settings.tensors.count(attribute) > 0;
    }
    bool isTraining() const {
      auto found = settings.settings.find(HamKaasDnnAttrForwardPhase);
      return found != settings.settings.end() &&
             found->second.enums.front() == HamKaasDnnTraining;
    }
    /// A new virtual tensor.
    TensorPointer result(int32_t attribute, const char *suffix);
  };

  /// Descriptors of tensors by their uids.
  using TensorDescriptors = std::map<int64_t, detail::Descriptor>;

  template <typename Attributes>
  Node &add(int32_t kind, const Attributes &attributes) {
    nodes.push_back(
        std::make_unique<Node>(Node{kind, attributes.settings(), {}}));
    Node &node = *nodes.back();
    if (node.settings.name.empty())
      node.settings.name = "node_" + std::to_string(nodes.size() - 1);
    return node;
  }
  Node &addInference(TensorPointer x, TensorPointer mean, TensorPointer scale,
                     TensorPointer bias,
                     const BatchnormInferenceAttributes &attributes) {
    Node &node = add(HamKaasDnnBatchNormInference, attributes);
    node.set(HamKaasDnnAttrX, x).set(HamKaasDnnAttrMean, mean);
    node.set(HamKaasDnnAttrScale, scale).set(HamKaasDnnAttrBias, bias);
    return node;
  }
  static std::array<TensorPointer, 3> addParameterGradients(Node &node,
                                                            bool hasBias) {
    TensorPointer dx = node.result(HamKaasDnnAttrDx, "DX");
    TensorPointer dscale = node.result(HamKaasDnnAttrDscale, "DSCALE");
    return {dx, dscale,
            hasBias ? node.result(HamKaasDnnAttrDbias, "DBIAS") : nullptr};
  }

  static Error notYet(const char *step) {
    return {ErrorCode::INVALID_VALUE,
            std::string("expected a call of ") + step + " before"};
  }
  void forget() {
    graph = {};
    configs.clear();
    heuristic = {};
    plans.clear();
  }
  Error createHeuristic(HeurMode mode, detail::Descriptor &heuristic) const;
  /// Adds the configs of the engines after the first.
  Error addOtherEngines();
  Error collectTensors();
  Error describeTensor(const TensorAttributes &tensor,
                       detail::Descriptor &descriptor) const;
  Error describeNode(const Node &node, const TensorDescriptors &tensors,
                     detail::Descriptor &descriptor) const;
  Error describeGraph(detail::Descriptor &descriptor) const;
  Error readTensors(const detail::Descriptor &from,
                    std::vector<TensorAttributes> &read) const;
  Error inferTensors();
  Error createEngine(int64_t engine, detail::Descriptor &descriptor) const;
  Error buildPlan(const detail::Descriptor &config);

  template <typename Pointers, typename GetUid>
  Error run(HamKaasDnnHandle *handle, const Pointers &pointers, GetUid getUid);

  std::string name;
  DataType ioType = DataType::NOT_SET, intermediateType = DataType::NOT_SET,
           computeType = DataType::NOT_SET;
  std::optional<int64_t> preferredEngine;
  /// By address, so that nodes stay where they are.
  std::vector<std::unique_ptr<Node>> nodes;
  /// Each once, in the order of their first use.
  std::vector<TensorPointer> tensors;

  HamKaasDnnHandle *session = nullptr;
  detail::Descriptor graph;
  /// Null, or one that was not asked yet.
  detail::Descriptor heuristic;
  std::vector<detail::Descriptor> configs, plans;
  /// Places for the arguments of a run, made by build_plans.
  std::vector<int64_t> runUids;
  std::vector<void *> runPointers;
};

} // namespace hamkaas::dnn

#include "hamkaas-dnn/GraphMethods.h"

#endif // HAMKAAS_DNN_GRAPH_H
