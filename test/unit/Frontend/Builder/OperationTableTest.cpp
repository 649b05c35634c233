//===- OperationTableTest.cpp - Tests of the table of operations ----------===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HamKaas/Frontend/Builder/OperationTable.h"
#include "HamKaas/Dialect/HamKaas/IR/HamKaas.h"
#include "HamKaas/Frontend/Builder/CreateOperation.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/Interfaces/InferTypeOpInterface.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

using namespace mlir;
using namespace hamkaas;
using namespace hamkaas::graph;
using testing::ElementsAre;
using testing::HasSubstr;

namespace {

class OperationTableTest : public ::testing::Test {
protected:
  OperationTableTest() { context.loadDialect<HamKaasDialect>(); }

  OperationName getName(const OperationInfo &info) {
    return OperationName(("hamkaas." + info.name).str(), &context);
  }

  MLIRContext context;
};

} // namespace

TEST_F(OperationTableTest, HasEachRegisteredOperation) {
  size_t added = 0;
  for (const OperationInfo &info : getOperations())
    added += !getName(info).isRegistered();
  auto registered = context.getRegisteredOperationsByDialect("hamkaas");
  EXPECT_EQ(getOperations().size(), registered.size() + added);
  for (OperationName name : registered)
    EXPECT_TRUE(findOperation(name.stripDialect()))
        << name.getStringRef().str();
}

// Each operation of a graph can be built by users, or has a reason why not.
TEST_F(OperationTableTest, OpensWhatAGraphIsMadeOf) {
  std::vector<std::string> closed;
  for (const OperationInfo &info : getOperations()) {
    if (info.isComposition())
      EXPECT_FALSE(info.example.empty()) << info.name.str();
    else if (info.isOpen())
      EXPECT_TRUE(getName(info).hasInterface<KernelOpInterface>())
          << info.name.str();
    else
      closed.push_back(info.name.str());
  }
  EXPECT_THAT(closed,
              ElementsAre("check", "check_nan", "constant", "dequantize_panels",
                          "dequantize_rows", "engine_call", "group",
                          "has_cpu_feature", "repeat", "scan", "yield"));
}

TEST_F(OperationTableTest, AgreesWithTheOperations) {
  for (const OperationInfo &info : getOperations()) {
    SCOPED_TRACE(info.name.str());
    EXPECT_FALSE(info.summary.empty());
    if (info.isComposition())
      continue;
    EXPECT_THAT(info.description.str(), HasSubstr("Example"));
    if (!info.isOpen())
      continue;
    OperationName name = getName(info);
    EXPECT_EQ(info.infersType, name.hasInterface<InferTypeOpInterface>());
    std::vector<std::string> own, listed;
    for (StringAttr attribute : name.getAttributeNames())
      if (attribute != segmentsAttr)
        own.push_back(attribute.str());
    for (const AttributeInfo &attribute : info.attributes)
      if (attribute.kind != AttributeKind::ResultShape &&
          attribute.kind != AttributeKind::ResultType)
        listed.push_back(attribute.name.str());
    llvm::sort(own);
    llvm::sort(listed);
    EXPECT_EQ(listed, own);
    EXPECT_EQ(info.results.size(), 1u);
  }
}

// Front ends rely on it to tell which operand is which.
TEST_F(OperationTableTest, HasOptionalOperandsLast) {
  for (const OperationInfo &info : getOperations()) {
    SCOPED_TRACE(info.name.str());
    bool isOptional = false;
    for (const ValueInfo &operand : info.operands) {
      EXPECT_TRUE(operand.count != ValueCount::Variadic || info.isVariadic());
      EXPECT_TRUE(operand.count == ValueCount::Optional || !isOptional);
      isOptional |= operand.count == ValueCount::Optional;
    }
  }
}

TEST_F(OperationTableTest, KnowsOperandsAndAttributes) {
  const OperationInfo *attention = findOperation("attention");
  ASSERT_TRUE(attention);
  ASSERT_EQ(attention->operands.size(), 5u);
  const ValueInfo &mask = attention->operands[3];
  EXPECT_EQ(mask.name, "mask");
  EXPECT_EQ(mask.count, ValueCount::Optional);
  Type boolean = IntegerType::get(&context, 1);
  EXPECT_TRUE(mask.accepts(RankedTensorType::get({2, 3, 4}, boolean)));
  EXPECT_FALSE(mask.accepts(
      RankedTensorType::get({2, 3, 4}, Float32Type::get(&context))));
  const AttributeInfo *score = attention->findAttribute("masked_score");
  ASSERT_TRUE(score);
  EXPECT_TRUE(score->isOptional);
  EXPECT_EQ(score->defaultValue, "-inf");
  EXPECT_EQ(describeKind(*score), "a number");
}

TEST_F(OperationTableTest, MakesAttributesOfWords) {
  const AttributeInfo *predicate =
      findOperation("compare")->findAttribute("predicate");
  ASSERT_TRUE(predicate);
  EXPECT_EQ(describeKind(*predicate), "one of eq, ne, lt, le, gt, ge");
  for (StringRef word : predicate->words)
    EXPECT_TRUE(predicate->makeWord(word, &context)) << word.str();
  EXPECT_FALSE(predicate->makeWord("equal", &context));
}

TEST_F(OperationTableTest, GivesTypesThatAreNotInferred) {
  const OperationInfo *iota = findOperation("iota");
  EXPECT_FALSE(iota->findAttribute("shape")->isOptional);
  const OperationInfo *cast = findOperation("cast");
  EXPECT_TRUE(cast->findAttribute("type")->isOptional);
  EXPECT_FALSE(findOperation("relu")->findAttribute("type"));
}

TEST_F(OperationTableTest, FindsNothingElse) {
  EXPECT_FALSE(findOperation(""));
  EXPECT_FALSE(findOperation("ad"));
  EXPECT_FALSE(findOperation("zzz"));
  EXPECT_FALSE(findOperation("conv")->findAttribute("stride"));
}
