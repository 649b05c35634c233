//===- DnnFinalize.cpp - What finalizing a descriptor does ------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "DnnEngines.h"
#include "HamKaas/Frontend/Builder/Diagnostics.h"

using namespace hamkaas;
using namespace hamkaas::capi;
using llvm::createStringError;
using llvm::Error;
using llvm::Expected;
using llvm::Twine;
using nodes::AttributeRow;

//===----------------------------------------------------------------------===//
// Tensors and nodes
//===----------------------------------------------------------------------===//

static nodes::TensorInfo readTensor(const DnnDescriptor &descriptor) {
  nodes::TensorInfo tensor;
  tensor.uid = descriptor.find(HamKaasDnnAttrUid)->integers.front();
  if (const DnnValue *name = descriptor.find(HamKaasDnnAttrName))
    tensor.name = name->text;
  if (const DnnValue *type = descriptor.find(HamKaasDnnAttrDataType))
    tensor.type = int32_t(type->integers.front());
  if (const DnnValue *dims = descriptor.find(HamKaasDnnAttrDims))
    tensor.dims = dims->integers;
  if (const DnnValue *strides = descriptor.find(HamKaasDnnAttrStrides))
    tensor.strides = strides->integers;
  if (const DnnValue *isVirtual = descriptor.find(HamKaasDnnAttrIsVirtual))
    tensor.isVirtual = isVirtual->integers.front() != 0;
  if (const DnnValue *value = descriptor.find(HamKaasDnnAttrValue))
    tensor.value = value->reals.front();
  return tensor;
}

static SharedDnnDescriptor describeTensor(const nodes::TensorInfo &tensor) {
  auto described = std::make_shared<DnnDescriptor>(HamKaasDnnTensor);
  described->setIntegers(HamKaasDnnAttrUid, HamKaasDnnTypeInt64, {tensor.uid});
  if (!tensor.name.empty())
    described->setText(HamKaasDnnAttrName, tensor.name);
  if (tensor.type)
    described->setIntegers(HamKaasDnnAttrDataType, HamKaasDnnTypeDataType,
                           {*tensor.type});
  described->setIntegers(HamKaasDnnAttrDims, HamKaasDnnTypeInt64, tensor.dims);
  described->setIntegers(HamKaasDnnAttrStrides, HamKaasDnnTypeInt64,
                         tensor.strides);
  described->setIntegers(HamKaasDnnAttrIsVirtual, HamKaasDnnTypeBoolean,
                         {tensor.isVirtual});
  if (tensor.value)
    described->values[HamKaasDnnAttrValue] = {
        HamKaasDnnTypeDouble, {}, {*tensor.value}, "", {}, {}, {}};
  return described;
}

static Error finalizeTensor(DnnDescriptor &descriptor) {
  nodes::TensorInfo tensor = readTensor(descriptor);
  if (Error error = nodes::checkLayout(tensor.dims, tensor.strides))
    return createStringError(tensor.describe() + ": " +
                             toString(std::move(error)));
  return Error::success();
}

//===----------------------------------------------------------------------===//
// Graphs
//===----------------------------------------------------------------------===//

namespace {

/// Collects the nodes of a graph and their tensors.
class GraphReader {
public:
  Error addNode(const DnnDescriptor &descriptor);
  nodes::NodeGraph graph;

private:
  Error addTensor(const DnnDescriptor &descriptor);

  std::map<int64_t, size_t> places;
};

} // namespace

Error GraphReader::addTensor(const DnnDescriptor &descriptor) {
  nodes::TensorInfo tensor = readTensor(descriptor);
  auto [place, isNew] = places.try_emplace(tensor.uid, graph.tensors.size());
  if (isNew)
    graph.tensors.push_back(std::move(tensor));
  else if (!(graph.tensors[place->second] == tensor))
    return createStringError("expected tensors with uids of their own, got "
                             "two different ones with " +
                             Twine(tensor.uid));
  return Error::success();
}

Error GraphReader::addNode(const DnnDescriptor &descriptor) {
  nodes::NodeInfo node{descriptor.kind, {}};
  for (const auto &[attribute, value] : descriptor.values) {
    nodes::AttributeValue &read = node.attributes[attribute];
    read.integers = value.integers;
    read.reals = value.reals;
    read.text = value.text;
    for (const SharedDnnDescriptor &tensor : value.descriptors) {
      if (Error error = addTensor(*tensor))
        return error;
      read.integers.push_back(
          tensor->find(HamKaasDnnAttrUid)->integers.front());
    }
  }
  graph.nodes.push_back(std::move(node));
  return Error::success();
}

static void describeGraph(DnnDescriptor &descriptor,
                          std::shared_ptr<const DnnGraph> graph) {
  std::vector<SharedDnnDescriptor> tensors;
  for (const nodes::TensorInfo &tensor : graph->graph.tensors)
    tensors.push_back(describeTensor(tensor));
  descriptor.setDescriptors(HamKaasDnnAttrTensors, std::move(tensors));
  descriptor.setText(HamKaasDnnAttrJson, printGraph(graph->graph));
  descriptor.graph = std::move(graph);
}

static Error finalizeGraph(DnnDescriptor &descriptor) {
  GraphReader reader;
  for (const SharedDnnDescriptor &node :
       descriptor.find(HamKaasDnnAttrNodes)->descriptors)
    if (Error error = reader.addNode(*node))
      return error;
  nodes::NodeGraph &graph = reader.graph;
  if (const DnnValue *name = descriptor.find(HamKaasDnnAttrName))
    graph.name = name->text;
  auto read = [&](int32_t attribute, std::optional<int32_t> &type) {
    if (const DnnValue *value = descriptor.find(attribute))
      type = int32_t(value->integers.front());
  };
  read(HamKaasDnnAttrComputeType, graph.computeType);
  read(HamKaasDnnAttrIntermediateType, graph.intermediateType);
  read(HamKaasDnnAttrIoType, graph.ioType);
  auto made = makeDnnGraph(std::move(graph));
  if (!made)
    return made.takeError();
  describeGraph(descriptor, std::move(*made));
  return Error::success();
}

Expected<SharedDnnDescriptor>
capi::makeGraphDescriptor(nodes::NodeGraph graph) {
  auto made = makeDnnGraph(std::move(graph));
  if (!made)
    return made.takeError();
  auto descriptor = std::make_shared<DnnDescriptor>(HamKaasDnnOperationGraph);
  describeGraph(*descriptor, std::move(*made));
  descriptor->isFinalized = true;
  return descriptor;
}

//===----------------------------------------------------------------------===//
// Engines
//===----------------------------------------------------------------------===//

static const DnnDescriptor &getGraph(const DnnDescriptor &engine) {
  return engine.descriptor(HamKaasDnnAttrGraphOfEngine);
}

static DnnValue makeKnobValue(const DnnKnob &knob, int64_t integer,
                              double real) {
  if (knob.type == HamKaasDnnKnobInt64)
    return {HamKaasDnnTypeInt64, {integer}, {}, "", {}, {}, {}};
  if (knob.type == HamKaasDnnKnobDouble)
    return {HamKaasDnnTypeDouble, {}, {real}, "", {}, {}, {}};
  return {HamKaasDnnTypeChar, {}, {}, knob.textStandard, {}, {}, {}};
}

static SharedDnnDescriptor describeKnob(const DnnKnob &knob) {
  auto described = std::make_shared<DnnDescriptor>(HamKaasDnnKnobInfo);
  described->setText(HamKaasDnnAttrKnobId, knob.id);
  described->setText(HamKaasDnnAttrKnobDescription, knob.description);
  described->setIntegers(HamKaasDnnAttrKnobValueType,
                         HamKaasDnnTypeKnobValueType, {knob.type});
  described->values[HamKaasDnnAttrKnobDefault] =
      makeKnobValue(knob, knob.standard, knob.realStandard);
  if (knob.type != HamKaasDnnKnobString) {
    described->values[HamKaasDnnAttrKnobMinimum] =
        makeKnobValue(knob, knob.least, knob.realLeast);
    described->values[HamKaasDnnAttrKnobMaximum] =
        makeKnobValue(knob, knob.most, knob.realMost);
  }
  return described;
}

static void describeEngine(DnnDescriptor &descriptor, SharedDnnEngine engine) {
  std::vector<SharedDnnDescriptor> knobs;
  for (const DnnKnob &knob : engine->knobs)
    knobs.push_back(describeKnob(knob));
  descriptor.setDescriptors(HamKaasDnnAttrEngineKnobs, std::move(knobs));
  descriptor.setText(HamKaasDnnAttrEngineName, engine->name);
  descriptor.setIntegers(HamKaasDnnAttrBehaviorNotes,
                         HamKaasDnnTypeBehaviorNote, engine->notes);
  descriptor.engine = std::move(engine);
}

static Error finalizeEngine(DnnDescriptor &descriptor) {
  auto engine =
      findDnnEngine(*getGraph(descriptor).graph,
                    descriptor.find(HamKaasDnnAttrEngineId)->integers.front());
  if (!engine)
    return engine.takeError();
  describeEngine(descriptor, std::move(*engine));
  return Error::success();
}

static Error finalizeHeuristic(DnnDescriptor &descriptor) {
  const SharedDnnDescriptor &graph =
      descriptor.find(HamKaasDnnAttrGraph)->descriptors.front();
  std::vector<SharedDnnDescriptor> configs;
  for (SharedDnnEngine &engine : findDnnEngines(*graph->graph)) {
    auto chosen = std::make_shared<DnnDescriptor>(HamKaasDnnEngine);
    chosen->setDescriptors(HamKaasDnnAttrGraphOfEngine, {graph});
    chosen->setIntegers(HamKaasDnnAttrEngineId, HamKaasDnnTypeInt64,
                        {engine->getId()});
    describeEngine(*chosen, std::move(engine));
    chosen->isFinalized = true;
    configs.push_back(std::make_shared<DnnDescriptor>(HamKaasDnnEngineConfig));
    configs.back()->setDescriptors(HamKaasDnnAttrEngineOfConfig, {chosen});
  }
  descriptor.setDescriptors(HamKaasDnnAttrResults, std::move(configs));
  return Error::success();
}

static Expected<DnnSettings> readSettings(const DnnDescriptor &config) {
  const DnnDescriptor &engine = config.descriptor(HamKaasDnnAttrEngineOfConfig);
  const DnnValue *choices = config.find(HamKaasDnnAttrKnobChoices);
  return readKnobChoices(*engine.engine,
                         choices ? choices->descriptors
                                 : std::vector<SharedDnnDescriptor>());
}

// Plans hold the memory of their runs, so that no config asks for any.
static Error finalizeConfig(DnnDescriptor &descriptor) {
  auto settings = readSettings(descriptor);
  if (!settings)
    return settings.takeError();
  const DnnDescriptor &engine =
      descriptor.descriptor(HamKaasDnnAttrEngineOfConfig);
  if (Error error =
          checkDnnSettings(*getGraph(engine).graph, *engine.engine, *settings))
    return error;
  descriptor.setIntegers(HamKaasDnnAttrWorkspaceSize, HamKaasDnnTypeInt64, {0});
  return Error::success();
}

//===----------------------------------------------------------------------===//
// Plans and variant packs
//===----------------------------------------------------------------------===//

static Error describePlan(DnnDescriptor &descriptor,
                          std::shared_ptr<DnnPlan> plan) {
  auto json = plan->describe(HamKaasDescribeReportJson);
  if (!json)
    return json.takeError();
  auto report = plan->describe(HamKaasDescribeReport);
  if (!report)
    return report.takeError();
  descriptor.setText(HamKaasDnnAttrJson, *json);
  descriptor.setText(HamKaasDnnAttrReport, *report);
  descriptor.setIntegers(HamKaasDnnAttrWorkspaceSize, HamKaasDnnTypeInt64, {0});
  descriptor.setIntegers(HamKaasDnnAttrTensorUids, HamKaasDnnTypeInt64,
                         plan->getUids());
  DnnEngine engine = {plan->getEngine(), {}, {}};
  descriptor.setIntegers(HamKaasDnnAttrEngineId, HamKaasDnnTypeInt64,
                         {engine.getId()});
  descriptor.setText(HamKaasDnnAttrEngineName, engine.name);
  descriptor.plan = std::move(plan);
  return Error::success();
}

static Error finalizePlan(DnnDescriptor &descriptor) {
  const DnnDescriptor &config = descriptor.descriptor(HamKaasDnnAttrPlanConfig);
  const DnnDescriptor &engine = config.descriptor(HamKaasDnnAttrEngineOfConfig);
  auto settings = readSettings(config);
  if (!settings)
    return settings.takeError();
  auto plan =
      DnnPlan::compile(*getGraph(engine).graph, *settings,
                       descriptor.find(HamKaasDnnAttrPlanHandle)->handle);
  if (!plan)
    return plan.takeError();
  return describePlan(descriptor, std::move(*plan));
}

Expected<SharedDnnDescriptor>
capi::makePlanDescriptor(std::shared_ptr<DnnPlan> plan,
                         const SharedDnnHandle &handle) {
  auto descriptor = std::make_shared<DnnDescriptor>(HamKaasDnnExecutionPlan);
  descriptor->values[HamKaasDnnAttrPlanHandle] = {
      HamKaasDnnTypeHandle, {}, {}, "", {}, {}, handle};
  if (Error error = describePlan(*descriptor, std::move(plan)))
    return std::move(error);
  descriptor->isFinalized = true;
  return descriptor;
}

static Error finalizePack(DnnDescriptor &descriptor) {
  const DnnValue &uids = *descriptor.find(HamKaasDnnAttrUniqueIds);
  const DnnValue &pointers = *descriptor.find(HamKaasDnnAttrDataPointers);
  if (uids.size() != pointers.size())
    return createStringError("expected as many pointers as uids, got " +
                             Twine(pointers.size()) + " and " +
                             Twine(uids.size()));
  std::vector<int64_t> sorted = uids.integers;
  llvm::sort(sorted);
  auto twice = std::adjacent_find(sorted.begin(), sorted.end());
  if (twice != sorted.end())
    return createStringError("expected each uid once, got " + Twine(*twice) +
                             " twice");
  return Error::success();
}

//===----------------------------------------------------------------------===//
// Any kind
//===----------------------------------------------------------------------===//

static Error finalizeKind(DnnDescriptor &descriptor) {
  switch (descriptor.kind) {
  case HamKaasDnnTensor:
    return finalizeTensor(descriptor);
  case HamKaasDnnOperationGraph:
    return finalizeGraph(descriptor);
  case HamKaasDnnEngineHeuristic:
    return finalizeHeuristic(descriptor);
  case HamKaasDnnEngine:
    return finalizeEngine(descriptor);
  case HamKaasDnnEngineConfig:
    return finalizeConfig(descriptor);
  case HamKaasDnnExecutionPlan:
    return finalizePlan(descriptor);
  case HamKaasDnnVariantPack:
    return finalizePack(descriptor);
  default: // Nodes, which their graph checks, and knobs.
    return Error::success();
  }
}

Error capi::finalizeDescriptor(DnnDescriptor &descriptor) {
  for (const AttributeRow &row : nodes::getRows(descriptor.kind))
    if (isRequired(row.use) && !descriptor.find(row.attribute->number))
      return createStringError(nodes::findKind(descriptor.kind)->text +
                               ": expected '" + row.attribute->text +
                               "' to be set");
  if (Error error = finalizeKind(descriptor))
    return error;
  descriptor.isFinalized = true;
  return Error::success();
}
