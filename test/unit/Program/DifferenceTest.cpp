//===- DifferenceTest.cpp - Differences of tensors --------------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HamKaas/Program/Difference.h"
#include "HamKaas/Program/ElementTypes.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/MLIRContext.h"
#include "gtest/gtest.h"
#include <cmath>

using namespace hamkaas;

namespace {

class CompareTest : public ::testing::Test {
protected:
  ReferenceTensor f32(llvm::ArrayRef<int64_t> shape,
                      std::vector<float> elements) {
    ReferenceTensor tensor(
        mlir::RankedTensorType::get(shape, mlir::Float32Type::get(&context)));
    EXPECT_EQ(tensor.f32.size(), elements.size());
    tensor.f32 = std::move(elements);
    return tensor;
  }

  mlir::MLIRContext context;
};

constexpr double tolerance = 1e-5;

} // namespace

TEST_F(CompareTest, MeasuresARowByItsLargestValue) {
  Difference difference =
      compare(f32({2, 2}, {1, 100, 2, 4}), f32({2, 2}, {2, 100, 2, 4}));
  EXPECT_EQ(difference.largest, 1);
  EXPECT_EQ(difference.magnitude, 100);
  EXPECT_TRUE(difference.isWithin(0.01));
  EXPECT_FALSE(difference.isWithin(0.009));
}

TEST_F(CompareTest, TellsTheLargestValueOfTensorsThatAreEqual) {
  ReferenceTensor tensor = f32({3, 1}, {1, -500, 3});
  Difference difference = compare(tensor, tensor);
  EXPECT_EQ(difference.largest, 0);
  EXPECT_EQ(difference.magnitude, 500);
  EXPECT_TRUE(difference.isWithin(0));
}

TEST_F(CompareTest, LetsAHugeValueHideNothingInOtherRows) {
  Difference difference = compare(f32({3, 2}, {1e38f, 1, 1, 2, 5, 4}),
                                  f32({3, 2}, {1e38f, 1, 1, 2, 3, 4}));
  EXPECT_EQ(difference.largest, 2);
  EXPECT_EQ(difference.magnitude, 4);
  EXPECT_FALSE(difference.isWithin(tolerance));
  // Nor where there are two rows, or each element is a row.
  EXPECT_FALSE(compare(f32({2, 1}, {1e38f, 2}), f32({2, 1}, {1e38f, 1}))
                   .isWithin(tolerance));
  EXPECT_FALSE(compare(f32({2, 1}, {2, 1e38f}), f32({2, 1}, {1, 1e38f}))
                   .isWithin(tolerance));
}

TEST_F(CompareTest, AllowsARowThatCancelsTheErrorOfOthers) {
  EXPECT_TRUE(compare(f32({3, 1}, {1, 1e-6f, 3}), f32({3, 1}, {1, 2e-6f, 3}))
                  .isWithin(tolerance));
}

TEST_F(CompareTest, AllowsNoDifferenceFromZeros) {
  Difference difference =
      compare(f32({3, 1}, {0, 1e-30f, 9}), f32({3, 1}, {0, 0, 9}));
  EXPECT_EQ(difference.magnitude, 0);
  EXPECT_FALSE(difference.isWithin(tolerance));
}

TEST_F(CompareTest, CountsSpecialValues) {
  Difference difference = compare(f32({4}, {NAN, INFINITY, 1, -INFINITY}),
                                  f32({4}, {NAN, INFINITY, NAN, INFINITY}));
  EXPECT_EQ(difference.special, 2);
  EXPECT_FALSE(difference.isWithin(tolerance));
}

TEST_F(CompareTest, TellsWhatIsNaNInBoth) {
  ReferenceTensor tensor = f32({3}, {NAN, 2, NAN});
  Difference difference = compare(tensor, tensor);
  EXPECT_TRUE(difference.isWithin(tolerance));
  EXPECT_EQ(describeDifference(tensor.type, difference),
            "largest difference 0, largest value 2, 2 of 3 elements NaN in "
            "both");
}

TEST_F(CompareTest, ComparesScalarsAndIntegers) {
  EXPECT_TRUE(compare(f32({}, {1}), f32({}, {1})).isWithin(tolerance));
  EXPECT_FALSE(compare(f32({}, {1}), f32({}, {2})).isWithin(tolerance));
  ReferenceTensor a(
      mlir::RankedTensorType::get({2}, mlir::IntegerType::get(&context, 64)));
  ReferenceTensor b = a;
  EXPECT_TRUE(compare(a, b).isWithin(tolerance));
  b.i64[1] = 1;
  EXPECT_EQ(compare(a, b).special, 1);
}

TEST_F(CompareTest, ComparesDoublesAsDoubles) {
  ReferenceTensor a(makeTensorType(&context, HamKaasFloat64, {2}));
  ReferenceTensor b = a;
  a.f64 = {1, 2};
  b.f64 = {1, 2 + 1e-11};
  EXPECT_TRUE(compare(a, b).isWithin(tolerance));
  EXPECT_FALSE(compare(a, b).isWithin(getElementType(a.type).tolerance));
  b.f64[1] = INFINITY;
  EXPECT_EQ(compare(a, b).special, 1);
}

TEST_F(CompareTest, FindsTheFirstWrongElement) {
  ReferenceTensor expected = f32({2, 2}, {1, 100, 2, 4});
  EXPECT_FALSE(findWrongElement(f32({2, 2}, {1.0005f, 100, 2, 4}), expected));
  auto wrong = findWrongElement(f32({2, 2}, {1, 100, 2.5, 5}), expected);
  ASSERT_TRUE(wrong);
  EXPECT_EQ(wrong->index, 2);
  EXPECT_EQ(wrong->scale, 4);
  // A NaN is wrong, too, and so is a number in its place.
  EXPECT_EQ(findWrongElement(f32({2}, {1, NAN}), f32({2}, {1, 2}))->index, 1);
  EXPECT_EQ(findWrongElement(f32({2}, {1, 2}), f32({2}, {1, NAN}))->index, 1);
  EXPECT_FALSE(findWrongElement(f32({2}, {1, NAN}), f32({2}, {1, NAN})));
}

TEST_F(CompareTest, MeasuresWrongElementsByTheLeastScale) {
  ReferenceTensor expected = f32({1}, {1e-6f}), actual = f32({1}, {2e-6f});
  EXPECT_TRUE(findWrongElement(actual, expected));
  EXPECT_FALSE(findWrongElement(actual, expected, /*leastScale=*/1));
  EXPECT_EQ(getUsualScale(f32({3, 1}, {1, -500, 3})), 3);
}

TEST_F(CompareTest, FindsAnIntegerThatIsWrong) {
  ReferenceTensor a(makeTensorType(&context, HamKaasInt32, {3}));
  ReferenceTensor b = a;
  EXPECT_FALSE(findWrongElement(a, b));
  b.i64[2] = 1;
  EXPECT_EQ(findWrongElement(a, b)->index, 2);
  EXPECT_EQ(getUsualScale(b), 0);
}
