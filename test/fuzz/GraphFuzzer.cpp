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
  void useWhole();

  FuzzedDataProvider input;
  HamKaasGraph *graphs[2] = {};
  std::vector<HamKaasValue> values;
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
  if (isSuccess(
          input.PickValueInArray(functions)(chooseGraph(), &tensor, &value)))
    values.push_back(value);
  else if (value != 0)
    __builtin_trap();
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
  HamKaasValue value = 0;
  if (isSuccess(HamKaasGraphAddOperation(chooseGraph(), &operation, &value, 1)))
    values.push_back(value);
  else if (value != 0)
    __builtin_trap();
}

/// Calls that read a value or a whole graph.
void Calls::useWhole() {
  HamKaasGraph *graph = chooseGraph();
  switch (input.ConsumeIntegralInRange<int>(0, 5)) {
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
    else
      useWhole();
  }
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  Calls(data, size).run();
  return 0;
}
