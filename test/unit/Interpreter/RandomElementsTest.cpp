//===- RandomElementsTest.cpp - Tensors to test devices with ----*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HamKaas/Interpreter/RandomElements.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/MLIRContext.h"
#include "gtest/gtest.h"
#include <set>

using namespace hamkaas;

TEST(RandomElements, SpecialOnesHaveTheirValues) {
  mlir::MLIRContext context;
  auto draw = [&](mlir::Type type, const char *name) {
    return makeSpecialElements(mlir::RankedTensorType::get({4096}, type), name);
  };
  auto f32 = mlir::Float32Type::get(&context);
  std::vector<float> floats = draw(f32, "x").f32;
  EXPECT_EQ(std::set<float>(floats.begin(), floats.end()),
            (std::set<float>{-128, -4, -2, -1, -0.5, 0, 0.5, 1, 2, 4, 128}));
  EXPECT_EQ(draw(f32, "x").f32, floats);
  EXPECT_NE(draw(f32, "y").f32, floats);
  std::vector<float> halves = draw(mlir::Float16Type::get(&context), "x").f32;
  EXPECT_EQ(*std::max_element(halves.begin(), halves.end()), 8);
  std::vector<double> doubles = draw(mlir::Float64Type::get(&context), "x").f64;
  EXPECT_EQ(*std::min_element(doubles.begin(), doubles.end()), -128);

  auto integers = [&](mlir::Type type) {
    std::vector<int64_t> elements = draw(type, "x").i64;
    return std::set<int64_t>(elements.begin(), elements.end());
  };
  EXPECT_EQ(integers(mlir::IntegerType::get(&context, 1)),
            (std::set<int64_t>{0, 1}));
  EXPECT_EQ(integers(mlir::IntegerType::get(&context, 16)),
            (std::set<int64_t>{-100, -3, -1, 0, 1, 2, 5, 100}));
  EXPECT_EQ(integers(mlir::IntegerType::get(&context, 8,
                                            mlir::IntegerType::Unsigned)),
            (std::set<int64_t>{0, 1, 2, 5, 100, 156, 253, 255}));
}
