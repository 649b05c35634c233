//===- GraphMethods.h - From graphs to descriptors --------------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The longer methods of Graph.h, which includes this.
//
//===----------------------------------------------------------------------===//

#ifndef HAMKAAS_DNN_GRAPHMETHODS_H
#define HAMKAAS_DNN_GRAPHMETHODS_H

#include "hamkaas-dnn/Graph.h"

namespace hamkaas::dnn {

//===----------------------------------------------------------------------===//
// Nodes
//===----------------------------------------------------------------------===//

inline Graph::Node &Graph::Node::set(int32_t attribute, TensorPointer tensor) {
  if (tensor)
    settings.tensors[attribute] = {std::move(tensor)};
  else if (error.isGood())
    error = {ErrorCode::ATTRIBUTE_NOT_SET,
             "node '" + settings.name + "': expected a tensor, got null"};
  return *this;
}

inline TensorPointer Graph::Node::result(int32_t attribute,
                                         const char *suffix) {
  TensorPointer made = tensor(TensorAttributes()
                                  .set_name(settings.name + "::" + suffix)
                                  .set_is_virtual(true));
  settings.tensors[attribute] = {made};
  return made;
}

//===----------------------------------------------------------------------===//
// Descriptors
//===----------------------------------------------------------------------===//

/// Lists the tensors, and gives uids to those without.
inline Error Graph::collectTensors() {
  tensors.clear();
  std::set<const TensorAttributes *> seen;
  std::map<int64_t, const TensorAttributes *> taken;
  for (const std::unique_ptr<Node> &node : nodes) {
    if (node->error.isBad())
      return node->error;
    for (const auto &[attribute, list] : node->settings.tensors)
      for (const TensorPointer &each : list) {
        if (!each)
          return {ErrorCode::ATTRIBUTE_NOT_SET,
                  "node '" + node->settings.name +
                      "': expected tensors, got null"};
        if (!seen.insert(each.get()).second)
          continue;
        tensors.push_back(each);
        if (each->has_uid() &&
            !taken.emplace(each->get_uid(), each.get()).second)
          return {ErrorCode::INVALID_VALUE,
                  "expected tensors with uids of their own, two have " +
                      std::to_string(each->get_uid())};
      }
  }
  int64_t next = 0;
  for (const TensorPointer &each : tensors) {
    if (each->has_uid())
      continue;
    while (taken.count(next))
      ++next;
    each->set_uid(next++);
  }
  return {};
}

inline Error Graph::describeTensor(const TensorAttributes &tensor,
                                   detail::Descriptor &descriptor) const {
  if (Error error = descriptor.create(HamKaasDnnTensor); error.isBad())
    return error;
  if (Error error = descriptor.set(HamKaasDnnAttrUid, tensor.get_uid());
      error.isBad())
    return error;
  if (!tensor.get_name().empty())
    if (Error error = descriptor.set(HamKaasDnnAttrName, tensor.get_name());
        error.isBad())
      return error;
  if (tensor.get_data_type() != DataType::NOT_SET) {
    int32_t type = int32_t(tensor.get_data_type());
    if (Error error = descriptor.set(HamKaasDnnAttrDataType,
                                     HamKaasDnnTypeDataType, 1, &type);
        error.isBad())
      return error;
  }
  if (!tensor.get_dim().empty())
    if (Error error = descriptor.set(HamKaasDnnAttrDims, tensor.get_dim());
        error.isBad())
      return error;
  if (!tensor.get_stride().empty())
    if (Error error =
            descriptor.set(HamKaasDnnAttrStrides, tensor.get_stride());
        error.isBad())
      return error;
  uint8_t isVirtual = tensor.get_is_virtual();
  if (Error error = descriptor.set(HamKaasDnnAttrIsVirtual,
                                   HamKaasDnnTypeBoolean, 1, &isVirtual);
      error.isBad())
    return error;
  if (std::optional<double> value = tensor.get_value())
    if (Error error = descriptor.set(HamKaasDnnAttrValue, HamKaasDnnTypeDouble,
                                     1, &*value);
        error.isBad())
      return error;
  return descriptor.finalize();
}

inline Error Graph::describeNode(const Node &node,
                                 const TensorDescriptors &tensors,
                                 detail::Descriptor &descriptor) const {
  if (Error error = descriptor.create(node.kind); error.isBad())
    return error;
  if (Error error = descriptor.set(HamKaasDnnAttrName, node.settings.name);
      error.isBad())
    return error;
  auto set = [&](int32_t attribute, const detail::Setting &setting) -> Error {
    switch (setting.type) {
    case HamKaasDnnTypeInt64:
      return descriptor.set(attribute, setting.integers);
    case HamKaasDnnTypeDouble:
      return descriptor.set(attribute, setting.type, 1, &setting.real);
    case HamKaasDnnTypeBoolean:
      return descriptor.set(attribute, setting.type, 1, &setting.flag);
    default:
      return descriptor.set(attribute, setting.type, 1, setting.enums.data());
    }
  };
  // The messages of the library do not know the node yet.
  auto name = [&](Error error) {
    error.message = "node '" + node.settings.name + "': " + error.message;
    return error;
  };
  for (const auto &[attribute, setting] : node.settings.settings)
    if (Error error = set(attribute, setting); error.isBad())
      return name(std::move(error));
  for (const auto &[attribute, list] : node.settings.tensors) {
    std::vector<HamKaasDnnDescriptor *> handles;
    for (const TensorPointer &each : list)
      handles.push_back(tensors.at(each->get_uid()).get());
    if (Error error = descriptor.set(attribute, HamKaasDnnTypeDescriptor,
                                     int64_t(handles.size()), handles.data());
        error.isBad())
      return name(std::move(error));
  }
  Error error = descriptor.finalize();
  if (error.isBad() && error.code == ErrorCode::INVALID_VALUE)
    error.code = ErrorCode::ATTRIBUTE_NOT_SET;
  return error.isBad() ? name(std::move(error)) : error;
}

inline Error Graph::describeGraph(detail::Descriptor &descriptor) const {
  TensorDescriptors described;
  for (const TensorPointer &each : tensors)
    if (Error error = describeTensor(*each, described[each->get_uid()]);
        error.isBad())
      return error;
  std::vector<detail::Descriptor> list;
  for (const std::unique_ptr<Node> &node : nodes)
    if (Error error = describeNode(*node, described, list.emplace_back());
        error.isBad())
      return error;
  if (list.empty())
    return {ErrorCode::INVALID_VALUE, "expected a graph with nodes, got none"};
  if (Error error = descriptor.create(HamKaasDnnOperationGraph); error.isBad())
    return error;
  if (Error error = descriptor.set(HamKaasDnnAttrNodes, list); error.isBad())
    return error;
  if (Error error = descriptor.set(HamKaasDnnAttrName, name); error.isBad())
    return error;
  std::pair<int32_t, DataType> types[] = {
      {HamKaasDnnAttrIoType, ioType},
      {HamKaasDnnAttrIntermediateType, intermediateType},
      {HamKaasDnnAttrComputeType, computeType}};
  for (auto [attribute, type] : types) {
    int32_t number = int32_t(type);
    if (type == DataType::NOT_SET)
      continue;
    if (Error error =
            descriptor.set(attribute, HamKaasDnnTypeDataType, 1, &number);
        error.isBad())
      return error;
  }
  return descriptor.finalize();
}

/// The tensors of a graph as the library has inferred them.
inline Error Graph::readTensors(const detail::Descriptor &from,
                                std::vector<TensorAttributes> &read) const {
  std::vector<detail::Descriptor> list;
  if (Error error =
          from.getDescriptors(HamKaasDnnAttrTensors, HamKaasDnnTensor, list);
      error.isBad())
    return error;
  for (const detail::Descriptor &each : list) {
    int64_t uid = 0;
    std::string text;
    std::vector<int64_t> dims, strides;
    std::vector<int32_t> type;
    std::vector<uint8_t> isVirtual;
    std::vector<double> value;
    Error errors[] = {
        each.get(HamKaasDnnAttrUid, uid),
        each.getText(HamKaasDnnAttrName, text),
        each.getList(HamKaasDnnAttrDims, HamKaasDnnTypeInt64, dims),
        each.getList(HamKaasDnnAttrStrides, HamKaasDnnTypeInt64, strides),
        each.getList(HamKaasDnnAttrDataType, HamKaasDnnTypeDataType, type),
        each.getList(HamKaasDnnAttrIsVirtual, HamKaasDnnTypeBoolean, isVirtual),
        each.getList(HamKaasDnnAttrValue, HamKaasDnnTypeDouble, value)};
    for (Error &error : errors)
      if (error.isBad())
        return std::move(error);
    TensorAttributes &tensor = read.emplace_back();
    if (!value.empty())
      tensor.set_value(value.front());
    tensor.set_uid(uid).set_name(text).set_dim(dims).set_stride(strides);
    tensor.set_is_virtual(!isVirtual.empty() && isVirtual.front());
    if (!type.empty())
      tensor.set_data_type(DataType(type.front()));
  }
  return {};
}

inline Error Graph::inferTensors() {
  std::vector<TensorAttributes> inferred;
  if (Error error = readTensors(graph, inferred); error.isBad())
    return error;
  for (const TensorAttributes &each : inferred) {
    TensorAttributes &own = *query_tensor(each.get_uid());
    own.set_dim(each.get_dim()).set_stride(each.get_stride());
    own.set_data_type(each.get_data_type());
  }
  return {};
}

//===----------------------------------------------------------------------===//
// Steps
//===----------------------------------------------------------------------===//

inline Error Graph::validate() {
  // A graph from a text is validated already.
  if (nodes.empty() && graph) {
    configs.clear();
    heuristic = {};
    plans.clear();
    return {};
  }
  forget();
  if (Error error = collectTensors(); error.isBad())
    return error;
  detail::Descriptor made;
  if (Error error = describeGraph(made); error.isBad())
    return error;
  graph = std::move(made);
  return inferTensors();
}

inline Error Graph::createHeuristic(HeurMode mode,
                                    detail::Descriptor &heuristic) const {
  int32_t number = int32_t(mode);
  if (Error error = heuristic.create(HamKaasDnnEngineHeuristic); error.isBad())
    return error;
  if (Error error = heuristic.set(HamKaasDnnAttrGraph, graph); error.isBad())
    return error;
  return heuristic.set(HamKaasDnnAttrHeuristicMode, HamKaasDnnTypeHeuristicMode,
                       1, &number);
}

// This compiler comes first. Asking the others takes time, so they are asked
// only when they are needed.
inline Error Graph::create_execution_plans(const std::vector<HeurMode> &modes) {
  if (!graph)
    return notYet("validate");
  if (preferredEngine)
    return create_execution_plan_ext(*preferredEngine, {});
  if (modes.empty())
    return {ErrorCode::GRAPH_NOT_SUPPORTED, "no engine computes the graph"};
  // There is one mode.
  detail::Descriptor asked;
  if (Error error = createHeuristic(modes.front(), asked); error.isBad())
    return error;
  Error error = create_execution_plan_ext(getEngineId("hamkaas"), {});
  heuristic = std::move(asked);
  return error;
}

inline Error Graph::addOtherEngines() {
  if (!heuristic)
    return {};
  if (Error error = heuristic.finalize(); error.isBad())
    return error;
  std::vector<detail::Descriptor> found;
  if (Error error = heuristic.getDescriptors(HamKaasDnnAttrResults,
                                             HamKaasDnnEngineConfig, found);
      error.isBad())
    return error;
  for (size_t i = 1; i < found.size(); ++i)
    configs.push_back(std::move(found[i]));
  heuristic = {};
  return {};
}

inline Error Graph::createEngine(int64_t engine,
                                 detail::Descriptor &descriptor) const {
  if (!graph)
    return notYet("validate");
  if (Error error = descriptor.create(HamKaasDnnEngine); error.isBad())
    return error;
  if (Error error = descriptor.set(HamKaasDnnAttrGraphOfEngine, graph);
      error.isBad())
    return error;
  if (Error error = descriptor.set(HamKaasDnnAttrEngineId, engine);
      error.isBad())
    return error;
  return descriptor.finalize();
}

inline Error
Graph::create_execution_plan_ext(int64_t engine,
                                 const std::vector<KnobSetting> &settings) {
  configs.clear();
  heuristic = {};
  detail::Descriptor chosen, config;
  if (Error error = createEngine(engine, chosen); error.isBad())
    return error;
  std::vector<detail::Descriptor> choices;
  for (const KnobSetting &setting : settings) {
    detail::Descriptor &choice = choices.emplace_back();
    if (Error error = choice.create(HamKaasDnnKnobChoice); error.isBad())
      return error;
    if (Error error = choice.set(HamKaasDnnAttrKnobId, setting.id);
        error.isBad())
      return error;
    Error error = setting.type == HamKaasDnnTypeChar
                      ? choice.set(HamKaasDnnAttrKnobValue, setting.text)
                  : setting.type == HamKaasDnnTypeInt64
                      ? choice.set(HamKaasDnnAttrKnobValue, setting.integer)
                      : choice.set(HamKaasDnnAttrKnobValue,
                                   HamKaasDnnTypeDouble, 1, &setting.real);
    if (error.isBad())
      return error;
    if (Error error = choice.finalize(); error.isBad())
      return error;
  }
  if (Error error = config.create(HamKaasDnnEngineConfig); error.isBad())
    return error;
  if (Error error = config.set(HamKaasDnnAttrEngineOfConfig, chosen);
      error.isBad())
    return error;
  if (!choices.empty())
    if (Error error = config.set(HamKaasDnnAttrKnobChoices, choices);
        error.isBad())
      return error;
  if (Error error = config.finalize(); error.isBad())
    return error;
  configs.push_back(std::move(config));
  return {};
}

inline Error Graph::get_ranked_engines(std::vector<EngineInfo> &engines) const {
  engines.clear();
  if (!graph)
    return notYet("validate");
  detail::Descriptor heuristic;
  if (Error error = createHeuristic(HeurMode::FALLBACK, heuristic);
      error.isBad())
    return error;
  if (Error error = heuristic.finalize(); error.isBad())
    return error;
  std::vector<detail::Descriptor> found;
  if (Error error = heuristic.getDescriptors(HamKaasDnnAttrResults,
                                             HamKaasDnnEngineConfig, found);
      error.isBad())
    return error;
  for (const detail::Descriptor &config : found) {
    std::vector<detail::Descriptor> list;
    if (Error error = config.getDescriptors(HamKaasDnnAttrEngineOfConfig,
                                            HamKaasDnnEngine, list);
        error.isBad())
      return error;
    EngineInfo &info = engines.emplace_back();
    if (Error error = list.front().get(HamKaasDnnAttrEngineId, info.id);
        error.isBad())
      return error;
    if (Error error = list.front().getText(HamKaasDnnAttrEngineName, info.name);
        error.isBad())
      return error;
  }
  return {};
}

inline Error Graph::get_ranked_engine_ids(std::vector<int64_t> &engines) const {
  std::vector<EngineInfo> list;
  Error error = get_ranked_engines(list);
  engines.clear();
  for (const EngineInfo &each : list)
    engines.push_back(each.id);
  return error;
}

inline Error Graph::get_knobs_for_engine(int64_t engine,
                                         std::vector<Knob> &knobs) const {
  knobs.clear();
  detail::Descriptor chosen;
  if (Error error = createEngine(engine, chosen); error.isBad())
    return error;
  std::vector<detail::Descriptor> list;
  if (Error error = chosen.getDescriptors(HamKaasDnnAttrEngineKnobs,
                                          HamKaasDnnKnobInfo, list);
      error.isBad())
    return error;
  for (const detail::Descriptor &each : list) {
    Knob &knob = knobs.emplace_back();
    if (Error error = each.getText(HamKaasDnnAttrKnobId, knob.id);
        error.isBad())
      return error;
    if (Error error =
            each.getText(HamKaasDnnAttrKnobDescription, knob.description);
        error.isBad())
      return error;
  }
  return {};
}

inline Error
Graph::get_behavior_notes_for_engine(int64_t engine,
                                     std::vector<BehaviorNote> &notes) const {
  notes.clear();
  detail::Descriptor chosen;
  if (Error error = createEngine(engine, chosen); error.isBad())
    return error;
  std::vector<int32_t> list;
  Error error = chosen.getList(HamKaasDnnAttrBehaviorNotes,
                               HamKaasDnnTypeBehaviorNote, list);
  for (int32_t note : list)
    notes.push_back(BehaviorNote(note));
  return error;
}

inline Error Graph::buildPlan(const detail::Descriptor &config) {
  detail::Descriptor plan;
  if (Error error = plan.create(HamKaasDnnExecutionPlan); error.isBad())
    return error;
  if (Error error =
          plan.set(HamKaasDnnAttrPlanHandle, HamKaasDnnTypeHandle, 1, &session);
      error.isBad())
    return error;
  if (Error error = plan.set(HamKaasDnnAttrPlanConfig, config); error.isBad())
    return error;
  if (Error error = plan.finalize(); error.isBad())
    return error;
  plans.push_back(std::move(plan));
  return {};
}

inline Error Graph::build_plans(BuildPlanPolicy policy) {
  if (configs.empty())
    return notYet("create_execution_plans");
  if (!session)
    return notYet("build_operation_graph");
  plans.clear();
  Error first;
  size_t next = 0;
  // Returns true if there is a plan, and no other one is wanted.
  auto tryConfigs = [&] {
    for (; next < configs.size(); ++next) {
      Error error = buildPlan(configs[next]);
      if (error.isGood() && policy == BuildPlanPolicy::HEURISTICS_CHOICE)
        return true;
      if (first.isGood())
        first = std::move(error);
    }
    return false;
  };
  if (!tryConfigs()) {
    if (Error error = addOtherEngines(); error.isBad())
      return error;
    tryConfigs();
  }
  if (plans.empty())
    return first;
  runUids.reserve(tensors.size());
  runPointers.reserve(tensors.size());
  return {};
}

inline Error Graph::build(HamKaasDnnHandle *handle,
                          const std::vector<HeurMode> &modes,
                          BuildPlanPolicy policy) {
  if (Error error = validate(); error.isBad())
    return error;
  if (Error error = build_operation_graph(handle); error.isBad())
    return error;
  if (Error error = create_execution_plans(modes); error.isBad())
    return error;
  if (Error error = check_support(); error.isBad())
    return error;
  return build_plans(policy);
}

template <typename Pointers, typename GetUid>
Error Graph::run(HamKaasDnnHandle *handle, const Pointers &pointers,
                 GetUid getUid) {
  if (plans.empty())
    return notYet("build_plans");
  runUids.clear();
  runPointers.clear();
  for (const auto &[key, pointer] : pointers) {
    runUids.push_back(getUid(key));
    runPointers.push_back(pointer);
  }
  return detail::check(
      HamKaasDnnExecuteTensors(handle, plans.front().get(), runUids.data(),
                               runPointers.data(), int64_t(runUids.size())));
}

//===----------------------------------------------------------------------===//
// Texts and files
//===----------------------------------------------------------------------===//

inline Error Graph::from_json(const std::string &text) {
  *this = Graph();
  HamKaasDnnDescriptor *read = nullptr;
  if (Error error =
          detail::check(HamKaasDnnReadGraph(text.data(), text.size(), &read));
      error.isBad())
    return error;
  graph = detail::Descriptor(read);
  std::vector<TensorAttributes> list;
  if (Error error = readTensors(graph, list); error.isBad())
    return error;
  for (TensorAttributes &each : list)
    tensors.push_back(tensor(std::move(each)));
  return {};
}

inline Error Graph::read_plan(HamKaasDnnHandle *handle,
                              const std::string &path) {
  *this = Graph();
  HamKaasDnnDescriptor *read = nullptr;
  if (Error error =
          detail::check(HamKaasDnnReadPlan(handle, path.c_str(), &read));
      error.isBad())
    return error;
  plans.emplace_back(read);
  session = handle;
  std::vector<int64_t> uids;
  Error error = plans.front().getList(HamKaasDnnAttrTensorUids,
                                      HamKaasDnnTypeInt64, uids);
  runUids.reserve(uids.size());
  runPointers.reserve(uids.size());
  return error;
}

} // namespace hamkaas::dnn

#endif // HAMKAAS_DNN_GRAPHMETHODS_H
