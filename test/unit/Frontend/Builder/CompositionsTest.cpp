//===- CompositionsTest.cpp - Formulas of several operations ----*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HamKaas/Frontend/Builder/Compositions.h"
#include "BuilderTest.h"
#include <cmath>

using namespace mlir;
using namespace hamkaas;
using namespace hamkaas::graph;

namespace {

using CompositionsTest = BuilderTest;

TEST_F(CompositionsTest, Statistics) {
  Tensor x = floats({1, 3, 5, 11}, {2, 2});
  expectNear(mean(b, x, {1}), {2, 1}, {2, 8});
  expectNear(mean(b, x, {0, 1}), {1, 1}, {5});
  expectNear(mean(b, x, {0}, /*keepDims=*/false), {2}, {3, 7});
  Moments moments = getMoments(b, x, {1});
  expectNear(moments.mean, {2, 1}, {2, 8});
  expectNear(moments.distance, {2, 2}, {-1, 1, -3, 3});
  expectNear(moments.variance, {2, 1}, {1, 9});
}

TEST_F(CompositionsTest, Normalizations) {
  Tensor x = floats({1, 3, 5, 11}, {2, 2});
  expectNear(layerNorm(b, x, 1, 0), {2, 2}, {-1, 1, -1, 1});
  expectNear(rmsNorm(b, floats({3, 4}, {1, 2}), 1, 12.5), {1, 2}, {0.6, 0.8});
}

TEST_F(CompositionsTest, BatchNormOfChannels) {
  BatchNorm norm{floats({2, 1}, {2}), floats({0, 5}, {2}), floats({1, 2}, {2}),
                 floats({3, 8}, {2}), /*epsilon=*/1};
  // Batch x channels x positions.
  Tensor x = floats({1, 3, 2, 5}, {1, 2, 2});
  expectNear(batchNorm(b, x, norm), {1, 2, 2}, {0, 2, 5, 6});
}

TEST_F(CompositionsTest, SoftmaxOfAnyDimension) {
  Tensor x = floats({0, std::log(3), 0, 0}, {2, 2});
  expectNear(softmax(b, x, {1}), {2, 2}, {0.25, 0.75, 0.5, 0.5});
  expectNear(softmax(b, x, {0}), {2, 2}, {0.5, 0.75, 0.5, 0.25});
  expectNear(logSoftmax(b, x, {1}), {2, 2},
             {std::log(0.25), std::log(0.75), std::log(0.5), std::log(0.5)});
}

TEST_F(CompositionsTest, SoftmaxOverSeveralDimensions) {
  float l2 = std::log(2), l3 = std::log(3), l4 = std::log(4);
  // The first and the last dimension, in either order.
  Tensor x = floats({0, l2, 0, 0, l3, l4, 0, 0}, {2, 2, 2});
  std::vector<double> expected = {0.1, 0.2, 0.25, 0.25, 0.3, 0.4, 0.25, 0.25};
  expectNear(softmax(b, x, {0, 2}), {2, 2, 2}, expected);
  expectNear(softmax(b, x, {2, 0}), {2, 2, 2}, expected);
  for (double &element : expected)
    element = std::log(element);
  expectNear(logSoftmax(b, x, {0, 2}), {2, 2, 2}, expected);
}

TEST_F(CompositionsTest, AlongDimsGivesRows) {
  Tensor x = floats({1, 2, 3, 4, 5, 6}, {1, 2, 3});
  Shape seen;
  Tensor y = alongDims(b, x, {1}, [&](Tensor rows) {
    seen = Shape(rows.shape());
    return b.cumsum(rows, rows.rank() - 1, /*isExclusive=*/false,
                    /*isReverse=*/false);
  });
  EXPECT_EQ(seen, (Shape{1, 3, 2}));
  expectNear(y, {1, 2, 3}, {1, 2, 3, 5, 7, 9});
}

TEST_F(CompositionsTest, LogSumExpOfDimensions) {
  Tensor x = floats({0, std::log(3), 0, 0}, {2, 2});
  expectNear(logSumExp(b, x, {0}, /*keepDims=*/false), {2},
             {std::log(2), std::log(4)});
  expectNear(logSumExp(b, x, {0, 1}, /*keepDims=*/true), {1, 1}, {std::log(6)});
}

TEST_F(CompositionsTest, LinearOfRows) {
  Tensor x = floats({1, 2}, {1, 1, 2}), w = floats({1, 2, 3, 4}, {2, 2});
  expectNear(linear(b, x, w, floats({10, 20}, {2})), {1, 1, 2}, {17, 30});
  expectNear(linear(b, x, w, Tensor()), {1, 1, 2}, {7, 10});
  EXPECT_FALSE(linear(b, x, w, floats({1, 2, 3}, {3})));
  EXPECT_NE(
      report().find("expected a bias that can be broadcast to 1x1x2, got 3"),
      std::string::npos);
}

TEST_F(CompositionsTest, ProductsAsNumpyHasThem) {
  Tensor v = floats({1, 2}, {2}), m = floats({1, 2, 3, 4}, {2, 2});
  expectNear(multiplyAsNumpy(b, v, m), {2}, {7, 10});
  expectNear(multiplyAsNumpy(b, v, v), {}, {5});
}

TEST_F(CompositionsTest, Elements) {
  expectNear(clamp(b, floats({-2, 0.5, 2}, {3}), 0, 1), {3}, {0, 0.5, 1});
  expectNear(softplus(b, floats({0, 100, -100}, {3})), {3},
             {std::log(2), 100, 0});
}

} // namespace
