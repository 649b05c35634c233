//===- GraphFuzzer.cpp - Builds graphs by random calls ----------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Reads an input as calls of hamkaas-c/Graph.h, right and wrong ones. Whatever
// they are, each call gives a value or an error and no other sign; and a graph
// that has outputs can be printed, and its bytecode read.
//
//===----------------------------------------------------------------------===//

#include "HamKaas/Frontend/Builder/OperationTable.h"
#include "hamkaas-c/Graph.h"
#include "llvm/ADT/STLExtras.h"
#include <fuzzer/FuzzedDataProvider.h>
#include <list>
#include <string>
#include <vector>

using hamkaas::graph::AttributeInfo;
using hamkaas::graph::AttributeKind;
using hamkaas::graph::OperationInfo;

namespace {

/// The calls of one input, on two graphs.
class Calls {
public:
  Calls(const uint8_t *data, size_t size) : input(data, size) {}
  ~Calls();

  void run();

private:
  bool isSuccess(HamKaasError error);
  bool take(HamKaasError error, llvm::ArrayRef<HamKaasValue> results);
  bool isRare();
  int64_t chooseSize();
  std::vector<int64_t> chooseList();
  HamKaasGraph *chooseGraph();
  HamKaasValue chooseValue();
  HamKaasGraphTensor chooseTensor();
  HamKaasAttribute chooseAttribute(const AttributeInfo &wanted);
  void addFirstInputs();
  void addTensor();
  void addOperation();
  size_t countResults(const HamKaasGraphOperation &operation);
  void beginFunction();
  void beginScan();
  void endScan();
  void useLoop();
  void useWhole();

  FuzzedDataProvider input;
  HamKaasGraph *graphs[2] = {};
  std::vector<HamKaasValue> values;
  /// Of each loop that has begun its inits, and the number of `values` before.
  std::vector<std::pair<std::vector<HamKaasValue>, size_t>> loops;
  int functionCount = 0;
  /// Texts and lists that calls refer to.
  std::list<std::string> texts;
  std::list<std::vector<int64_t>> lists;
};

} // namespace

Calls::~Calls() {
  for (HamKaasGraph *graph : graphs)
    HamKaasErrorFree(HamKaasGraphDestroy(graph));
}

/// An error has a text without a new line at its end.
bool Calls::isSuccess(HamKaasError error) {
  if (!error)
    return true;
  std::string text = error;
  if (text.empty() || text.back() == '\n')
    __builtin_trap();
  HamKaasErrorFree(error);
  return false;
}

/// Keeps the results of a call; one that failed has none.
bool Calls::take(HamKaasError error, llvm::ArrayRef<HamKaasValue> results) {
  bool isTaken = isSuccess(error);
  for (HamKaasValue value : results)
    if ((value != 0) != isTaken)
      __builtin_trap();
  if (isTaken)
    llvm::append_range(values, results);
  return isTaken;
}

bool Calls::isRare() { return input.ConsumeIntegralInRange(0, 15) == 15; }

/// Mostly a small one.
int64_t Calls::chooseSize() {
  static constexpr int64_t sizes[] = {0, -1, 1 << 20, 1LL << 46, 1LL << 62, 7};
  return isRare() ? input.PickValueInArray(sizes)
                  : input.ConsumeIntegralInRange<int64_t>(0, 4);
}

std::vector<int64_t> Calls::chooseList() {
  std::vector<int64_t> list(
      input.ConsumeIntegralInRange<size_t>(0, isRare() ? 10 : 4));
  for (int64_t &entry : list)
    entry = chooseSize();
  return list;
}

/// Now and then one that is not there any more, or none.
HamKaasGraph *Calls::chooseGraph() { return graphs[isRare()]; }

HamKaasValue Calls::chooseValue() {
  if (values.empty() || isRare())
    return input.ConsumeIntegral<uint64_t>();
  // Later ones more often.
  size_t last = values.size() - 1;
  return values[last - input.ConsumeIntegralInRange<size_t>(0, last)];
}

HamKaasGraphTensor Calls::chooseTensor() {
  static const char elements[256] = {};
  HamKaasGraphTensor tensor = {};
  tensor.structSize = sizeof(tensor);
  if (!isRare())
    tensor.name = texts.emplace_back(input.ConsumeBytesAsString(2)).c_str();
  tensor.elementType = input.ConsumeIntegralInRange<int32_t>(0, 13);
  const auto &shape = lists.emplace_back(chooseList());
  tensor.rank = int32_t(shape.size());
  tensor.shape = shape.data();
  if (input.ConsumeBool()) {
    tensor.data = elements;
    tensor.bytes = input.ConsumeIntegralInRange<uint64_t>(0, sizeof(elements));
  }
  tensor.file = "fuzz.c";
  tensor.line = isRare() ? chooseSize() : 1;
  return tensor;
}

/// So that most calls have operands.
void Calls::addFirstInputs() {
  static constexpr int64_t shapes[][4] = {{2, 3}, {3, 3},       {1},
                                          {2, 3}, {2, 4, 4, 2}, {3, 3}};
  static constexpr int32_t ranks[] = {2, 2, 1, 2, 4, 2};
  static constexpr int32_t types[] = {HamKaasFloat32, HamKaasFloat32,
                                      HamKaasInt64,   HamKaasBool,
                                      HamKaasFloat32, HamKaasInt32};
  for (size_t i = 0; i < std::size(shapes); ++i) {
    HamKaasGraphTensor tensor = {};
    tensor.structSize = sizeof(tensor);
    tensor.name = texts.emplace_back("input" + std::to_string(i)).c_str();
    tensor.elementType = types[i];
    tensor.rank = ranks[i];
    tensor.shape = shapes[i];
    if (!isSuccess(
            HamKaasGraphAddInput(graphs[0], &tensor, &values.emplace_back())))
      __builtin_trap();
  }
}

void Calls::addTensor() {
  static constexpr decltype(&HamKaasGraphAddInput) functions[] = {
      HamKaasGraphAddInput, HamKaasGraphAddParameter, HamKaasGraphAddState,
      HamKaasGraphAddConstant};
  HamKaasGraphTensor tensor = chooseTensor();
  HamKaasValue value = 0;
  HamKaasError error =
      input.PickValueInArray(functions)(chooseGraph(), &tensor, &value);
  take(error, value);
}

/// Mostly of the kind that is wanted.
HamKaasAttribute Calls::chooseAttribute(const AttributeInfo &wanted) {
  HamKaasAttribute attribute = {};
  attribute.name = isRare() ? "dim" : wanted.name.data();
  attribute.kind = input.ConsumeIntegralInRange<int32_t>(0, 5);
  attribute.integer =
      isRare() ? input.ConsumeIntegral<int64_t>() : chooseSize();
  attribute.real = input.ConsumeFloatingPoint<double>();
  const auto &list = lists.emplace_back(chooseList());
  attribute.integers = list.data();
  attribute.count = int32_t(list.size());
  attribute.word = "sum";

  if (!wanted.words.empty())
    attribute.word = wanted
                         .words[input.ConsumeIntegralInRange<size_t>(
                             0, wanted.words.size() - 1)]
                         .data();
  if (isRare())
    return attribute;
  switch (wanted.kind) {
  case AttributeKind::Integer:
  case AttributeKind::Flag:
  case AttributeKind::Element:
    attribute.kind = HamKaasIntegerAttribute;
    break;
  case AttributeKind::Float32:
  case AttributeKind::Float64:
    attribute.kind = HamKaasRealAttribute;
    break;
  case AttributeKind::Integers:
  case AttributeKind::ResultShape:
    attribute.kind = HamKaasIntegersAttribute;
    break;
  case AttributeKind::Word:
    attribute.kind = HamKaasWordAttribute;
    break;
  case AttributeKind::Text:
    attribute.kind = HamKaasWordAttribute;
    attribute.word =
        texts.emplace_back(input.ConsumeRandomLengthString(12)).c_str();
    break;
  case AttributeKind::ElementType:
  case AttributeKind::ResultType:
    attribute.kind = HamKaasTypeAttribute;
    attribute.integer = input.ConsumeIntegralInRange<int64_t>(-1, 13);
    break;
  }
  return attribute;
}

void Calls::addOperation() {
  llvm::ArrayRef<OperationInfo> table = hamkaas::graph::getOperations();
  const OperationInfo &info =
      table[input.ConsumeIntegralInRange<size_t>(0, table.size() - 1)];
  std::vector<HamKaasValue> operands;
  size_t count = info.isVariadic() ? input.ConsumeIntegralInRange<size_t>(0, 4)
                                   : info.operands.size();
  if (isRare())
    count = input.ConsumeIntegralInRange<size_t>(0, 6);
  for (size_t i = 0; i < count; ++i)
    operands.push_back(isRare() ? 0 : chooseValue());
  std::vector<HamKaasAttribute> attributes;
  for (const AttributeInfo &attribute : info.attributes)
    for (int i = isRare() ? input.ConsumeIntegralInRange(0, 2) : 1; i > 0; --i)
      attributes.push_back(chooseAttribute(attribute));
  HamKaasGraphOperation operation = {};
  operation.structSize = sizeof(operation);
  operation.name = info.name.data();
  operation.operands = operands.data();
  operation.operandCount = int32_t(operands.size());
  operation.attributes = attributes.data();
  operation.attributeCount = int32_t(attributes.size());
  std::vector<HamKaasValue> results(countResults(operation));
  take(HamKaasGraphAddOperation(chooseGraph(), &operation, results.data(),
                                int32_t(results.size())),
       results);
}

/// Mostly as many as the operation has.
size_t Calls::countResults(const HamKaasGraphOperation &operation) {
  if (isRare())
    return input.ConsumeIntegralInRange<size_t>(1, 6);
  constexpr int32_t most = 8;
  std::vector<HamKaasTensorType> types(size_t(operation.operandCount));
  std::vector<const HamKaasTensorType *> operands(types.size());
  for (size_t i = 0; i < types.size(); ++i)
    if (isSuccess(
            HamKaasGraphGetType(graphs[0], operation.operands[i], &types[i])))
      operands[i] = &types[i];
  HamKaasOperationTypes asked = {};
  asked.structSize = sizeof(asked);
  asked.name = operation.name;
  asked.operands = operands.data();
  asked.operandCount = operation.operandCount;
  asked.attributes = operation.attributes;
  asked.attributeCount = operation.attributeCount;
  HamKaasTensorType results[most];
  int32_t count = 0;
  isSuccess(HamKaasInferOperation(&asked, results, most, &count));
  return size_t(std::clamp(count, 1, most));
}

/// Mostly complete ones with names of their own.
void Calls::beginFunction() {
  HamKaasGraph *graph = chooseGraph();
  if (!isRare()) {
    HamKaasGraphOutput output = {"y", chooseValue()};
    isSuccess(HamKaasGraphSetOutputs(graph, &output, 1));
  }
  std::string name = isRare() ? input.ConsumeRandomLengthString(12)
                              : "f" + std::to_string(functionCount++);
  if (isSuccess(HamKaasGraphBeginFunction(graph, name.c_str())) &&
      graph == graphs[0] && !isRare()) {
    values.clear();
    addFirstInputs();
  }
}

/// Mostly with as many steps as the inputs have rows.
void Calls::beginScan() {
  HamKaasGraphScan scan = {};
  scan.structSize = sizeof(scan);
  std::vector<HamKaasValue> inits(input.ConsumeIntegralInRange<size_t>(0, 2)),
      inputs(input.ConsumeIntegralInRange<size_t>(0, 2));
  for (HamKaasValue &value : inits)
    value = chooseValue();
  for (HamKaasValue &value : inputs)
    value = chooseValue();
  scan.inits = inits.data();
  scan.initCount = int32_t(inits.size());
  scan.inputs = inputs.data();
  scan.inputCount = int32_t(inputs.size());
  scan.steps = isRare() || inputs.empty() ? chooseSize() : 0;
  scan.reversed = isRare() ? 2 : input.ConsumeBool();
  scan.file = "fuzz.c";
  scan.line = 1;
  std::vector<HamKaasValue> arguments(inits.size() + inputs.size());
  size_t before = values.size();
  if (take(HamKaasGraphBeginScan(graphs[0], &scan, arguments.data()),
           arguments))
    loops.emplace_back(inits, before);
}

/// Hands on what the step was given, or new values of the same type.
void Calls::endScan() {
  std::vector<HamKaasValue> yielded;
  if (!loops.empty())
    for (size_t i = 0; i < loops.back().first.size(); ++i)
      yielded.push_back(input.ConsumeBool() ? values[loops.back().second + i]
                                            : chooseValue());
  for (size_t i = input.ConsumeIntegralInRange<size_t>(0, 2); i > 0; --i)
    yielded.push_back(chooseValue());
  std::vector<HamKaasValue> results(yielded.size());
  size_t before = values.size();
  HamKaasError error =
      HamKaasGraphEndScan(graphs[isRare()], yielded.data(),
                          int32_t(yielded.size()), nullptr, results.data());
  if (!take(error, results) || loops.empty())
    return;
  // Mostly without the values of the body, which are refused from now on.
  if (!isRare())
    values.erase(values.begin() + ptrdiff_t(loops.back().second),
                 values.begin() + ptrdiff_t(before));
  loops.pop_back();
}

void Calls::useLoop() {
  int kind = input.ConsumeIntegralInRange<int>(0, 7);
  if (kind < 4)
    beginScan();
  else if (kind < 7)
    endScan();
  else if (isSuccess(HamKaasGraphAbandonScan(graphs[0])) && !loops.empty())
    loops.pop_back();
}

/// Calls that read a value or a whole graph.
void Calls::useWhole() {
  HamKaasGraph *graph = chooseGraph();
  switch (input.ConsumeIntegralInRange<int>(0, 6)) {
  case 0: {
    HamKaasTensorType type;
    isSuccess(HamKaasGraphGetType(graph, chooseValue(), &type));
    return;
  }
  case 1: {
    HamKaasValue state = chooseValue();
    isSuccess(HamKaasGraphStoreState(graph, state, chooseValue(), nullptr));
    return;
  }
  case 2: {
    HamKaasGraphOutput outputs[] = {{"a", chooseValue()}, {"b", chooseValue()}};
    isSuccess(HamKaasGraphSetOutputs(
        graph, outputs, input.ConsumeIntegralInRange<int32_t>(-1, 2)));
    return;
  }
  case 6:
    return beginFunction();
  case 3: {
    HamKaasGraph **other = &graphs[!isRare()];
    isSuccess(HamKaasGraphDestroy(*other));
    // The handle stays, and is refused from now on.
    if (input.ConsumeBool())
      isSuccess(HamKaasGraphCreate(other));
    return;
  }
  case 4: {
    // Reads the bytecode, and stops before anything is compiled.
    HamKaasCompileOptions options = {};
    options.structSize = sizeof(options);
    options.noCache = 1;
    options.progress = [](void *, const char *, int32_t, int32_t) { return 1; };
    HamKaasModel *model = nullptr;
    if (isSuccess(HamKaasGraphCompile(graph, &options, &model)))
      isSuccess(HamKaasModelDestroy(model));
    return;
  }
  default: {
    char *text = nullptr;
    isSuccess(HamKaasGraphDescribe(graph,
                                   input.ConsumeBool() ? HamKaasDescribeScript
                                                       : HamKaasDescribeGraph,
                                   &text));
    HamKaasTextFree(text);
    return;
  }
  }
}

void Calls::run() {
  constexpr int mostCalls = 64;
  isSuccess(HamKaasGraphCreate(&graphs[0]));
  addFirstInputs();
  for (int i = 0; i < mostCalls && input.remaining_bytes() > 0; ++i) {
    int kind = input.ConsumeIntegralInRange<int>(0, 9);
    if (kind < 3)
      addTensor();
    else if (kind < 9)
      addOperation();
    else if (input.ConsumeBool())
      useLoop();
    else
      useWhole();
  }
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  Calls(data, size).run();
  return 0;
}
