//===- GraphOperationsTest.cpp - Each operation, called from C ------------===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Calls each operation as its documented example has it, and compares what the
// graph holds then with the example. Another test runs the examples
// (test/Integration/op-examples.py), so that the numbers are right as well.
//
//===----------------------------------------------------------------------===//

#include "CxxOperations.h"
#include "Graphs.h"
#include "HamKaas/Driver/Registration.h"
#include "HamKaas/Frontend/Builder/CreateOperation.h"
#include "HamKaas/Frontend/Builder/OperationTable.h"
#include "HamKaas/Program/ElementTypes.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/OperationSupport.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Support/DebugStringHelper.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/Regex.h"
#include <list>

using namespace mlir;
using namespace hamkaas;
using namespace hamkaas::test;
using graph::AttributeInfo;
using graph::AttributeKind;
using graph::OperationInfo;

namespace {

class GraphOperationsTest : public ::testing::TestWithParam<OperationInfo> {
protected:
  GraphOperationsTest() : context(makeRegistry()) {}

  static DialectRegistry makeRegistry() {
    DialectRegistry registry;
    registerDialects(registry);
    return registry;
  }

  Operation *parse(const std::string &text, OwningOpRef<ModuleOp> &module);

  MLIRContext context;
};

/// A parsed operation as a caller of the C interface has it.
class Call {
public:
  Call(const OperationInfo &info, Operation *op) {
    for (const AttributeInfo &attribute : info.attributes)
      addAttribute(attribute, op);
    if (auto sizes = op->getAttrOfType<DenseI32ArrayAttr>(graph::segmentsAttr))
      segments.assign(sizes.asArrayRef().begin(), sizes.asArrayRef().end());
    else
      segments.assign(op->getNumOperands(), 1);
  }

  std::vector<HamKaasAttribute> attributes;
  std::vector<int32_t> segments;

private:
  void addAttribute(const AttributeInfo &attribute, Operation *op);

  std::list<Shape> lists;
  std::list<std::string> words;
};

} // namespace

void Call::addAttribute(const AttributeInfo &attribute, Operation *op) {
  const char *name = attribute.name.data();
  auto result = cast<RankedTensorType>(op->getResult(0).getType());
  auto addList = [&](ArrayRef<int64_t> list) {
    lists.push_back(list.vec());
    attributes.push_back(integers(name, lists.back()));
  };
  if (attribute.kind == AttributeKind::ResultShape)
    return addList(result.getShape());
  if (attribute.kind == AttributeKind::ResultType)
    return attributes.push_back(type(name, getElementType(result).type));
  Attribute value = op->getAttr(attribute.name);
  if (!value) {
    EXPECT_TRUE(attribute.isOptional) << name;
    return;
  }
  if (auto list = dyn_cast<DenseI64ArrayAttr>(value))
    return addList(list.asArrayRef());
  if (auto number = dyn_cast<FloatAttr>(value))
    return attributes.push_back(real(name, number.getValueAsDouble()));
  if (auto number = dyn_cast<IntegerAttr>(value))
    return attributes.push_back(integer(name, number.getInt()));
  if (isa<UnitAttr>(value))
    return attributes.push_back(integer(name, 1));
  for (StringRef candidate : attribute.words)
    if (attribute.makeWord(candidate, op->getContext()) == value) {
      words.push_back(candidate.str());
      attributes.push_back(word(name, words.back().c_str()));
    }
}

/// The statements of the documented example.
static std::vector<std::string> getExample(const OperationInfo &info) {
  StringRef code =
      info.description.split("```mlir\n").second.split("```").first;
  std::vector<std::string> statements;
  for (StringRef line : llvm::split(code, '\n'))
    if (!line.trim().empty())
      statements.push_back(line.trim().str());
  return statements;
}

/// The statement in a function whose arguments are its operands. A position has
/// no type in the text.
static std::string makeFunction(StringRef statement) {
  StringRef right = statement.split('=').second;
  std::vector<std::string> names, types;
  llvm::Regex name("^%[a-z_0-9]+"), type("^tensor<[^>]*>");
  for (size_t i = 0; i < right.size(); ++i) {
    SmallVector<StringRef> match;
    if (name.match(right.drop_front(i), &match))
      names.push_back(match[0].str());
    else if (type.match(right.drop_front(i), &match))
      types.push_back(match[0].str());
  }
  std::string text = "func.func @main(";
  for (size_t i = 0; i < names.size(); ++i)
    text += (i ? ", " : "") + names[i] + ": " +
            (i < types.size() ? types[i] : "tensor<1xi64>");
  return text + ") {\n" + statement.str() + "\nreturn\n}\n";
}

/// The first operation of the dialect in the function @main.
Operation *GraphOperationsTest::parse(const std::string &text,
                                      OwningOpRef<ModuleOp> &module) {
  module = parseSourceString<ModuleOp>(text, &context);
  if (!module)
    return nullptr;
  Operation *found = nullptr;
  module->walk([&](Operation *op) {
    if (!found && op->getName().getDialectNamespace() == "hamkaas")
      found = op;
  });
  return found;
}

TEST_P(GraphOperationsTest, IsCalledAsInItsExample) {
  const OperationInfo &info = GetParam();
  std::vector<std::string> example = getExample(info);
  ASSERT_FALSE(example.empty());
  for (const std::string &statement : example) {
    SCOPED_TRACE(statement);
    OwningOpRef<ModuleOp> documented, built;
    Operation *expected = parse(makeFunction(statement), documented);
    ASSERT_TRUE(expected);
    Call call(info, expected);
    OwnedGraph graph = createGraph();
    std::vector<HamKaasValue> operands;
    std::list<HamKaasTensorType> types;
    std::vector<const HamKaasTensorType *> typeOperands;
    unsigned next = 0;
    for (int32_t isGiven : call.segments) {
      operands.push_back(0);
      typeOperands.push_back(nullptr);
      if (!isGiven)
        continue;
      auto type = cast<RankedTensorType>(expected->getOperand(next).getType());
      operands.back() =
          addInput(graph, ("x" + std::to_string(next)).c_str(),
                   type.getShape().vec(), getElementType(type).type);
      types.emplace_back();
      EXPECT_EQ(takeText(HamKaasGraphGetType(graph.get(), operands.back(),
                                             &types.back())),
                "");
      typeOperands.back() = &types.back();
      ++next;
    }
    HamKaasValue result =
        add(graph, info.name.data(), operands, call.attributes);
    EXPECT_EQ(setOutput(graph, result), "");
    HamKaasTensorType type;
    EXPECT_EQ(takeText(HamKaasGraphGetType(graph.get(), result, &type)), "");
    EXPECT_EQ(makeTensorType(&context, type.elementType,
                             ArrayRef(type.shape, type.rank)),
              expected->getResult(0).getType());
    Inferred inferred = infer(info.name.data(), typeOperands, call.attributes);
    EXPECT_EQ(inferred.error, "");
    ASSERT_EQ(inferred.types.size(), 1u);
    EXPECT_EQ(std::memcmp(inferred.types.data(), &type, sizeof(type)), 0);
    std::string text = hamkaas::test::describe(graph, HamKaasDescribeGraph);
    EXPECT_EQ(callFromCxx(info.name.data(), typeOperands, call.attributes),
              text);
    Operation *op = parse(text, built);
    ASSERT_TRUE(op);
    EXPECT_TRUE(OperationEquivalence::isEquivalentTo(
        op, expected, OperationEquivalence::ignoreValueEquivalence, nullptr,
        OperationEquivalence::IgnoreLocations))
        << debugString(*op);
  }
}

static std::vector<OperationInfo> listOpenOperations() {
  std::vector<OperationInfo> open;
  llvm::copy_if(graph::getOperations(), std::back_inserter(open),
                [](const OperationInfo &info) { return info.isOpen(); });
  return open;
}

/// CompositionsTest calls the others.
static std::vector<OperationInfo> listPrimitives() {
  std::vector<OperationInfo> primitives = listOpenOperations();
  llvm::erase_if(primitives, [](const OperationInfo &info) {
    return info.isComposition();
  });
  return primitives;
}

INSTANTIATE_TEST_SUITE_P(Each, GraphOperationsTest,
                         testing::ValuesIn(listPrimitives()),
                         [](const testing::TestParamInfo<OperationInfo> &info) {
                           return info.param.name.str();
                         });

// The JSON for bindings agrees with the table.
TEST(OperationsJson, DescribesEachOperation) {
  char *text = nullptr;
  ASSERT_EQ(takeText(HamKaasDescribeOperations(&text)), "");
  auto json = llvm::json::parse(text);
  HamKaasTextFree(text);
  ASSERT_TRUE(bool(json));
  const llvm::json::Object &root = *json->getAsObject();
  const llvm::json::Array &listed = *root.getArray("operations");
  const llvm::json::Array &closed = *root.getArray("closed");
  EXPECT_EQ(listed.size(), listOpenOperations().size());
  EXPECT_EQ(listed.size() + closed.size(), graph::getOperations().size());
  for (const llvm::json::Value &value : listed) {
    const llvm::json::Object &object = *value.getAsObject();
    const OperationInfo *info = graph::findOperation(*object.getString("name"));
    ASSERT_TRUE(info);
    EXPECT_EQ(object.getArray("operands")->size(), info->operands.size());
    EXPECT_EQ(object.getArray("attributes")->size(), info->attributes.size());
    EXPECT_NE(object.getString("document")->find("\n"), StringRef::npos);
    EXPECT_NE(object.getString("document")->front(), ' ');
    for (const llvm::json::Value &operand : *object.getArray("operands"))
      EXPECT_FALSE(operand.getAsObject()->getArray("types")->empty());
  }
  EXPECT_NE(takeText(HamKaasDescribeOperations(nullptr)), "");
}
