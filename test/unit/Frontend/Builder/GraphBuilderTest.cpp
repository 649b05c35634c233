//===- GraphBuilderTest.cpp - Operations, their types and errors *- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "BuilderTest.h"
#include "HamKaas/Dialect/HamKaas/IR/ArithmeticOps.h"
#include "HamKaas/Dialect/HamKaas/IR/ReductionOps.h"
#include "HamKaas/Frontend/Builder/CreateOperation.h"

using namespace mlir;
using namespace hamkaas;
using namespace hamkaas::graph;

namespace {

using GraphBuilderTest = BuilderTest;

TEST_F(GraphBuilderTest, InfersTheType) {
  Builder attributes(&context);
  Tensor sum = b.create<ReduceOp>(
      input({2, 3, 4}), {.combiner = CombinerAttr::get(&context, Combiner::Sum),
                         .dims = attributes.getDenseI64ArrayAttr({1})});
  EXPECT_EQ(sum.shape(), ArrayRef<int64_t>({2, 4}));
  EXPECT_EQ(b.createdCount(), 1);
  EXPECT_EQ(report(), "");
}

TEST_F(GraphBuilderTest, CountsPlacesInAType) {
  auto placesOf = [&](int64_t size) {
    Tensor x = b.addInput(
        "x", RankedTensorType::get(size, IntegerType::get(&context, 8)));
    Tensor place = b.argExtreme(Combiner::Max, x, 0, /*isLast=*/false);
    // A cast of 64 bits to themselves is left out.
    Operation *last = place.value().getDefiningOp();
    return last->getName().getStringRef() == "hamkaas.cast"
               ? last->getOperand(0).getType()
               : last->getResult(0).getType();
  };
  int64_t most = std::numeric_limits<int32_t>::max();
  EXPECT_TRUE(getElementTypeOrSelf(placesOf(most)).isInteger(32));
  EXPECT_TRUE(getElementTypeOrSelf(placesOf(most + 1)).isInteger(64));
}

TEST_F(GraphBuilderTest, EvaluatesConstants) {
  expectNear(b.add(floats({1, 2, 3, 4}, {2, 2}), floats({10, 20}, {2})), {2, 2},
             {11, 22, 13, 24});
}

TEST_F(GraphBuilderTest, TellsPositionExpectedAndGot) {
  EXPECT_FALSE(b.matmul(input({2, 3}), input({4, 5})));
  EXPECT_EQ(report(),
            "loc(\"test.hk\":3:5): expected the last dimension of lhs (3) to "
            "match the rows of rhs (4)\n");
}

TEST_F(GraphBuilderTest, TellsElementsThatAnOperationRefuses) {
  Tensor indices = b.constant({5});
  EXPECT_FALSE(b.gather(floats({1, 2}, {2}), indices, 0));
  std::string text = report();
  EXPECT_NE(text.find("5"), std::string::npos) << text;
  EXPECT_EQ(text.find("expected other"), std::string::npos) << text;
}

TEST_F(GraphBuilderTest, KeepsTheFirstFailureOfANode) {
  Tensor product = b.matmul(input({2, 3}), input({4, 5}));
  b.fail("told later");
  EXPECT_FALSE(b.exp(b.add(product, 1.0)));
  EXPECT_EQ(report().find("told later"), std::string::npos);
}

TEST_F(GraphBuilderTest, GathersNodesWithTheSameError) {
  for (const char *node : {"a", "b"}) {
    diagnostics.enterNode(node, location);
    b.fail("too large");
    diagnostics.reportFailure();
  }
  EXPECT_EQ(report(), "loc(\"test.hk\":3:5): too large (2 nodes: 'a', 'b')\n");
}

TEST_F(GraphBuilderTest, ForgetsTheErrorsOfAnAttempt) {
  diagnostics.error("stays");
  Diagnostics::Checkpoint before = diagnostics.save();
  diagnostics.error("goes");
  b.fail("goes, too");
  diagnostics.restore(before);
  EXPECT_EQ(report(), "loc(\"test.hk\":3:5): stays\n");
}

TEST_F(GraphBuilderTest, RefusesATypeThatIsNotInferred) {
  Tensor x = input({4});
  SmallVector<Value> operands = {x.value()};
  OperationResult result = createOperation(
      {OperationName("hamkaas.reshape", &context), location, operands});
  EXPECT_FALSE(result.op);
  EXPECT_EQ(result.problem, "expected the type of the result, which "
                            "hamkaas.reshape does not infer");
}

TEST_F(GraphBuilderTest, TellsOperandsFromShapes) {
  using Part = OperationResult::Part;
  Tensor x = input({4}), y = input({5});
  OperationName add(AddOp::getOperationName(), &context);
  SmallVector<Value> one = {x.value()}, two = {x.value(), y.value()};
  EXPECT_EQ(createOperation({add, location, one}).fault, Part::Signature);
  OperationResult shapes = createOperation({add, location, two});
  EXPECT_EQ(shapes.fault, Part::Shapes);
  EXPECT_NE(shapes.problem.find("4"), std::string::npos) << shapes.problem;
}

} // namespace
