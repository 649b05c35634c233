//===- CompositionsTest.cpp - Each composition, called from C -------------===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Calls each composition as its documented example has it, runs the program and
// the reference interpreter, and compares with the numbers of the example.
//
//===----------------------------------------------------------------------===//

#include "CxxOperations.h"
#include "Graphs.h"
#include "HamKaas/Dialect/HamKaas/IR/FormatType.h"
#include "HamKaas/Frontend/Builder/OperationTable.h"
#include "HamKaas/Program/ElementTypes.h"
#include "HamKaas/Runtime/Core/TensorType.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/MLIRContext.h"
#include "llvm/ADT/StringExtras.h"
#include <cmath>
#include <list>
#include <map>

using namespace hamkaas;
using namespace hamkaas::test;
using graph::AttributeInfo;
using graph::AttributeKind;
using graph::OperationInfo;
using llvm::StringRef;

//===----------------------------------------------------------------------===//
// Examples
//===----------------------------------------------------------------------===//

static int32_t parseElementType(StringRef name) {
  for (const rt::ElementType &type : rt::elementTypes)
    if (name == type.name)
      return type.type;
  ADD_FAILURE() << "no element type: " << name.str();
  return 0;
}

static double parseNumber(StringRef text) {
  double number = 0;
  EXPECT_FALSE(text.getAsDouble(number)) << text.str();
  return number;
}

/// The texts between the separators, of which those within brackets and quotes
/// do not count.
static std::vector<StringRef> splitOutside(StringRef text, char separator) {
  std::vector<StringRef> parts;
  size_t begin = 0;
  int depth = 0;
  bool isQuoted = false;
  for (size_t i = 0; i <= text.size(); ++i) {
    if (i < text.size() && text[i] != separator) {
      depth += (text[i] == '[') - (text[i] == ']');
      isQuoted ^= text[i] == '"';
      continue;
    }
    if (i < text.size() && (depth > 0 || isQuoted))
      continue;
    if (StringRef part = text.slice(begin, i).trim(); !part.empty())
      parts.push_back(part);
    begin = i + 1;
  }
  return parts;
}

static Shape parseList(StringRef text) {
  Shape list;
  EXPECT_TRUE(text.consume_front("[") && text.consume_back("]"));
  for (StringRef entry : splitOutside(text, ','))
    list.push_back(int64_t(parseNumber(entry)));
  return list;
}

namespace {

/// "float32 [2, 3] = 1 2 3 4 5 6".
struct NamedTensor {
  int32_t type = 0;
  Shape shape;
  std::vector<double> elements;

  explicit NamedTensor(StringRef text) {
    auto [typeText, elementsText] = text.split('=');
    auto [element, shapeText] = typeText.trim().split(' ');
    type = parseElementType(element);
    shape = parseList(shapeText);
    for (StringRef number : splitOutside(elementsText, ' '))
      elements.push_back(parseNumber(number));
    size_t count = 1;
    for (int64_t size : shape)
      count *= size;
    EXPECT_EQ(elements.size(), count) << text.str();
  }
};

class CompositionsTest : public ::testing::TestWithParam<OperationInfo> {
protected:
  void runExample();
  std::vector<HamKaasAttribute>
  parseAttributes(const OperationInfo &info,
                  llvm::ArrayRef<StringRef> arguments);
  HamKaasAttribute parseAttribute(const AttributeInfo &attribute,
                                  StringRef value);
  void call(StringRef results, StringRef text);
  void callFromCpp(const OperationInfo &info,
                   llvm::ArrayRef<HamKaasValue> operands,
                   llvm::ArrayRef<StringRef> results,
                   const std::vector<HamKaasAttribute> &attributes);
  void addInput(StringRef name, const NamedTensor &tensor);
  void check(const char *device);

  ReferenceTensor toReference(const NamedTensor &tensor);

  mlir::MLIRContext context;
  OwnedGraph graph = createGraph();
  std::map<std::string, HamKaasValue> values;
  std::vector<std::vector<char>> inputs;
  std::vector<std::pair<std::string, NamedTensor>> expected;
  bool isCalled = false;
  std::list<Shape> lists;
  std::list<std::string> texts;
};

} // namespace

//===----------------------------------------------------------------------===//
// Calls
//===----------------------------------------------------------------------===//

ReferenceTensor CompositionsTest::toReference(const NamedTensor &tensor) {
  ReferenceTensor reference(
      makeTensorType(&context, tensor.type, tensor.shape));
  reference.withElements(
      [&](auto &elements) { llvm::copy(tensor.elements, elements.begin()); });
  return reference;
}

void CompositionsTest::addInput(StringRef name, const NamedTensor &tensor) {
  std::string numbered = "x" + std::to_string(inputs.size());
  values[name.str()] = hamkaas::test::addInput(graph, numbered.c_str(),
                                               tensor.shape, tensor.type);
  std::vector<char> &bytes = inputs.emplace_back(
      tensor.elements.size() * rt::elementTypeSize(tensor.type));
  getElementType(tensor.type).encode(toReference(tensor), bytes.data());
}

HamKaasAttribute
CompositionsTest::parseAttribute(const AttributeInfo &attribute,
                                 StringRef value) {
  const char *name = attribute.name.data();
  int64_t whole;
  switch (attribute.kind) {
  case AttributeKind::Integers:
    lists.push_back(parseList(value));
    return integers(name, lists.back());
  case AttributeKind::Word:
  case AttributeKind::Text:
    texts.push_back(value.trim('"').str());
    return word(name, texts.back().c_str());
  case AttributeKind::ElementType:
    return type(name, parseElementType(value));
  case AttributeKind::Float64:
    return real(name, parseNumber(value));
  default:
    return value.getAsInteger(10, whole) ? real(name, parseNumber(value))
                                         : integer(name, whole);
  }
}

std::vector<HamKaasAttribute>
CompositionsTest::parseAttributes(const OperationInfo &info,
                                  llvm::ArrayRef<StringRef> arguments) {
  std::vector<HamKaasAttribute> attributes;
  for (StringRef argument : arguments) {
    auto [name, value] = argument.split('=');
    const AttributeInfo *attribute = info.findAttribute(name);
    EXPECT_TRUE(attribute) << argument.str();
    if (attribute)
      attributes.push_back(parseAttribute(*attribute, value));
  }
  return attributes;
}

/// Adds the operation "name(x, attribute=1)" and names its results.
void CompositionsTest::call(StringRef results, StringRef text) {
  isCalled = true;
  auto [name, inner] = text.split('(');
  ASSERT_TRUE(inner.consume_back(")")) << text.str();
  const OperationInfo *info = graph::findOperation(name);
  ASSERT_TRUE(info) << name.str();
  std::vector<HamKaasValue> operands;
  std::vector<StringRef> arguments = splitOutside(inner, ',');
  size_t count = 0;
  for (; count < arguments.size() && !arguments[count].contains('='); ++count)
    operands.push_back(
        arguments[count] == "none" ? 0 : values.at(arguments[count].str()));
  std::vector<HamKaasAttribute> attributes =
      parseAttributes(*info, llvm::ArrayRef(arguments).drop_front(count));
  HamKaasGraphOperation operation = {};
  operation.structSize = sizeof(operation);
  operation.name = info->name.data();
  operation.operands = operands.data();
  operation.operandCount = int32_t(operands.size());
  operation.attributes = attributes.data();
  operation.attributeCount = int32_t(attributes.size());
  std::vector<StringRef> names = splitOutside(results, ',');
  std::vector<HamKaasValue> added(names.size());
  ASSERT_EQ(takeText(HamKaasGraphAddOperation(
                graph.get(), &operation, added.data(), int32_t(added.size()))),
            "");
  for (auto [result, value] : llvm::zip(names, added))
    values[result.str()] = value;
  callFromCpp(*info, operands, names, attributes);
}

/// Calls the function of C++, whose graph is the same.
void CompositionsTest::callFromCpp(
    const OperationInfo &info, llvm::ArrayRef<HamKaasValue> operands,
    llvm::ArrayRef<StringRef> results,
    const std::vector<HamKaasAttribute> &attributes) {
  std::list<HamKaasTensorType> types;
  std::vector<const HamKaasTensorType *> given;
  for (HamKaasValue operand : operands) {
    given.push_back(nullptr);
    if (!operand)
      continue;
    given.back() = &types.emplace_back();
    ASSERT_EQ(
        takeText(HamKaasGraphGetType(graph.get(), operand, &types.back())), "");
  }
  std::list<std::string> names;
  std::vector<HamKaasGraphOutput> outputs;
  for (auto [i, result] : llvm::enumerate(results)) {
    names.push_back(i ? "result" + std::to_string(i) : "result");
    outputs.push_back({names.back().c_str(), values[result.str()]});
  }
  ASSERT_EQ(takeText(HamKaasGraphSetOutputs(graph.get(), outputs.data(),
                                            int32_t(outputs.size()))),
            "");
  EXPECT_EQ(callFromCxx(info.name.str(), given, attributes),
            describe(graph, HamKaasDescribeGraph));
}

//===----------------------------------------------------------------------===//
// Results
//===----------------------------------------------------------------------===//

/// Runs the graph and compares its outputs with the example.
void CompositionsTest::check(const char *device) {
  SCOPED_TRACE(device ? device : "cpu");
  std::vector<HamKaasGraphOutput> outputs;
  std::vector<std::vector<char>> results;
  std::vector<void *> places;
  for (const auto &[name, tensor] : expected) {
    outputs.push_back({name.c_str(), values[name]});
    results.emplace_back(tensor.elements.size() *
                         rt::elementTypeSize(tensor.type));
    places.push_back(results.back().data());
  }
  ASSERT_EQ(takeText(HamKaasGraphSetOutputs(graph.get(), outputs.data(),
                                            int32_t(outputs.size()))),
            "");
  OwnedModel model = compileGraph(graph);
  std::vector<const void *> given;
  for (const std::vector<char> &input : inputs)
    given.push_back(input.data());
  ASSERT_EQ(takeText(HamKaasInstanceRun(instantiate(model, device).get(),
                                        given.data(), places.data())),
            "");
  for (auto [bytes, named] : llvm::zip(results, expected)) {
    ReferenceTensor got = toReference(named.second);
    getElementType(named.second.type).decode(bytes.data(), got);
    got.withElements([&](const auto &elements) {
      for (auto [i, element] : llvm::enumerate(elements)) {
        double wanted = named.second.elements[i];
        bool areNan = std::isnan(wanted) && std::isnan(double(element));
        bool areEqual = double(element) == wanted;
        if (!areNan && !areEqual)
          EXPECT_NEAR(element, wanted, 2e-6 * (1 + std::abs(wanted)))
              << named.first << "[" << i << "]";
      }
    });
  }
}

TEST_P(CompositionsTest, ComputesItsExample) {
  ASSERT_FALSE(GetParam().example.empty());
  bool isUsed = false;
  for (StringRef line : llvm::split(GetParam().example, '\n')) {
    line = line.trim();
    if (line.empty())
      continue;
    SCOPED_TRACE(line.str());
    auto [name, tensor] = line.split(": ");
    auto [results, text] = line.split(" = ");
    if (tensor.empty()) {
      isUsed |= text.starts_with((GetParam().name + "(").str());
      call(results, text);
    } else if (isCalled) {
      expected.emplace_back(name.str(), NamedTensor(tensor));
    } else {
      addInput(name, NamedTensor(tensor));
    }
    if (HasFatalFailure())
      return;
  }
  EXPECT_TRUE(isUsed);
  ASSERT_FALSE(expected.empty());
  for (const auto &[name, tensor] : expected) {
    HamKaasTensorType type;
    ASSERT_EQ(takeText(HamKaasGraphGetType(graph.get(), values[name], &type)),
              "");
    EXPECT_EQ(formatType(makeTensorType(&context, type.elementType,
                                        {type.shape, size_t(type.rank)})),
              formatType(makeTensorType(&context, tensor.type, tensor.shape)));
  }
  check(nullptr);
  check("reference");
}

static std::vector<OperationInfo> listCompositions() {
  std::vector<OperationInfo> compositions;
  llvm::copy_if(graph::getOperations(), std::back_inserter(compositions),
                [](const OperationInfo &info) { return info.isComposition(); });
  return compositions;
}

INSTANTIATE_TEST_SUITE_P(Each, CompositionsTest,
                         testing::ValuesIn(listCompositions()),
                         [](const testing::TestParamInfo<OperationInfo> &info) {
                           return info.param.name.str();
                         });

//===----------------------------------------------------------------------===//
// Errors
//===----------------------------------------------------------------------===//

namespace {

/// A call that is wrong, on `x`, float32 [2, 3], `i`, int64 [4], and `c`,
/// float32 [1, 2, 5].
struct WrongCall {
  const char *name;
  std::vector<const char *> operands;
  std::vector<HamKaasAttribute> attributes;
  const char *error;
};

} // namespace

static const Shape noAxis = {2}, twice = {0, -2}, wrongSizes = {1, 1},
                   negative = {0, -1};

static std::vector<WrongCall> listWrongCalls() {
  return {
      {"softmx",
       {"x"},
       {},
       "unknown operation 'softmx', did you mean 'softmax'"},
      {"softmax",
       {"x"},
       {integers("axes", noAxis)},
       "'softmax': expected 'axes' from -2 to 1, got 2"},
      {"mean",
       {"x"},
       {integers("axes", twice)},
       "'mean': expected 'axes' to have each dimension once, got [0, -2]"},
      {"mean", {"i"}, {}, "that are floats, got int64 [4]"},
      {"mean",
       {"x"},
       {integer("axes", 1)},
       "expected the attribute 'axes' to be a list of integers, got 1"},
      {"var", {"x"}, {real("correction", 6)}, "less than the 6 elements"},
      {"split",
       {"x"},
       {integers("sizes", wrongSizes), integer("axis", 1)},
       "'split': expected 'sizes' of at least 1 that add up to the size 3 of "
       "dimension 1, got [1, 1]"},
      {"unstack", {"x"}, {}, "'unstack': expected a resultCount of 2, got 1"},
      {"stack", {"x", "i"}, {}, "got float32 [2, 3] and int64 [4]"},
      {"stack", {}, {}, "expected at least one operand"},
      {"squeeze", {"x"}, {integers("axes", twice)}, "each dimension once"},
      {"broadcast_to", {"x"}, {integers("shape", negative)}, "sizes from 1"},
      {"tril",
       {"i"},
       {},
       "expected a tensor of rank 2 or more, got the shape [4]"},
      {"glu", {"x"}, {}, "expected an even size of dimension 1"},
      {"clip",
       {"i"},
       {real("min", 0.5)},
       "to be a number of the elements of int64 [4]"},
      {"where",
       {"x", "x", "x"},
       {},
       "expected the operand 'condition' to be a tensor"},
      {"eye",
       {},
       {integer("rows", 2)},
       "the attribute 'type', an element type"},
      {"eye",
       {},
       {integer("rows", INT64_MAX), type("type", HamKaasFloat32)},
       "fewer than 2^47 elements"},
      {"linear", {"x", "c"}, {}, "rows as long as those of 'x'"},
      {"conv2d",
       {"x", "x"},
       {},
       "'conv2d': expected 'x' of rank 4, got the shape [2, 3]"},
      {"max_pool1d",
       {"c"},
       {integers("kernel", twice)},
       "'kernel' to have 1 entries from 1"},
      {"avg_pool1d",
       {"c"},
       {integers("kernel", noAxis), integers("padding", noAxis)},
       "at most half of 'kernel'"},
      {"conv1d", {"c", "c"}, {integer("groups", 3)}, "in 3 groups"},
      {"group_norm",
       {"c"},
       {integer("groups", 3)},
       "divide the 2 channels, got 3"},
      {"batch_norm",
       {"c", "x", "x"},
       {},
       "expected 'mean' to have the shape [2]"},
      {"one_hot",
       {"i"},
       {integer("classes", 0), type("type", HamKaasBool)},
       "'classes' from 1"},
      {"topk", {"x"}, {integer("k", 4)}, "expected 'k' from 1 to 3, got 4"},
      {"cross_entropy",
       {"x", "i"},
       {},
       "'target' to have the shape [2], got [4]"},
      {"mse_loss", {"x", "c"}, {}, "of one type"},
      {"arange",
       {},
       {real("stop", -1), type("type", HamKaasFloat32)},
       "expected at least one number"},
  };
}

TEST(Compositions, SayWhatIsWrongAndChangeNothing) {
  OwnedGraph graph = createGraph();
  std::map<std::string, HamKaasValue> values = {
      {"x", addInput(graph, "x", {2, 3})},
      {"i", addInput(graph, "i", {4}, HamKaasInt64)},
      {"c", addInput(graph, "c", {1, 2, 5})}};
  EXPECT_EQ(setOutput(graph, values["x"]), "");
  std::string before = describe(graph, HamKaasDescribeGraph);
  for (const WrongCall &wrong : listWrongCalls()) {
    SCOPED_TRACE(wrong.name);
    std::vector<HamKaasValue> operands;
    for (const char *operand : wrong.operands)
      operands.push_back(values.at(operand));
    EXPECT_THAT(apply(graph, wrong.name, operands, wrong.attributes).error,
                testing::HasSubstr(wrong.error));
    EXPECT_EQ(describe(graph, HamKaasDescribeGraph), before);
  }
}

// A composition adds no operation that it does not need.
TEST(Compositions, AddNoMoreThanTheyNeed) {
  OwnedGraph graph = createGraph();
  HamKaasValue x = addInput(graph, "x", {2, 3});
  EXPECT_EQ(setOutput(graph, x), "");
  std::string before = describe(graph, HamKaasDescribeGraph);
  add(graph, "clip", {x});
  EXPECT_EQ(describe(graph, HamKaasDescribeGraph), before);
}
