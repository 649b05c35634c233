//===- TensorsTest.cpp - Differences of tensors -----------------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HamKaas/Run/Tensors.h"
#include "HamKaas/Program/ElementTypes.h"
#include "HamKaas/Runtime/Core/TensorType.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/MLIRContext.h"
#include "gtest/gtest.h"
#include <algorithm>
#include <cmath>
#include <cstring>
#include <set>

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

TEST(TensorTest, HasTheBytesOfItsType) {
  mlir::MLIRContext context;
  for (const rt::ElementType &type : rt::elementTypes) {
    Tensor tensor(makeTensorType(&context, type.type, {3, 5}));
    EXPECT_EQ(tensor.bytes(), 15 * type.size);
    EXPECT_EQ(reinterpret_cast<uintptr_t>(tensor.data()) % type.size, 0u);
  }
}

TEST(TensorTest, FilesKeepIt) {
  mlir::MLIRContext context;
  std::string path = ::testing::TempDir() + "hamkaas-tensor-test.npy";
  for (const rt::ElementType &known : rt::elementTypes) {
    auto type = makeTensorType(&context, known.type, {2, 3});
    Tensor tensor = makeRandomTensor(type, "x");
    llvm::Error error = writeTensor(path, tensor);
    EXPECT_EQ(bool(error), known.type == HamKaasBFloat16);
    if (error) {
      llvm::consumeError(std::move(error));
      continue;
    }
    llvm::Expected<Tensor> read = readTensor(path, "x", type);
    ASSERT_TRUE(bool(read)) << llvm::toString(read.takeError());
    EXPECT_EQ(std::memcmp(read->data(), tensor.data(), tensor.bytes()), 0);
  }
  std::remove(path.c_str());
}

TEST(TensorTest, RandomElementsHaveTheirRanges) {
  mlir::MLIRContext context;
  auto draw = [&](HamKaasElementType type) {
    return decode(
        makeRandomTensor(makeTensorType(&context, type, {4096}), "x"));
  };
  for (HamKaasElementType type :
       {HamKaasFloat32, HamKaasFloat16, HamKaasBFloat16}) {
    std::vector<float> elements = draw(type).f32;
    auto [least, largest] =
        std::minmax_element(elements.begin(), elements.end());
    EXPECT_GE(*least, -1);
    EXPECT_LT(*least, -0.9);
    EXPECT_LE(*largest, 1);
    EXPECT_GT(*largest, 0.9);
  }
  std::vector<double> doubles = draw(HamKaasFloat64).f64;
  EXPECT_GE(*std::min_element(doubles.begin(), doubles.end()), -1);
  EXPECT_GT(*std::max_element(doubles.begin(), doubles.end()), 0.9);

  auto values = [&](HamKaasElementType type) {
    std::vector<int64_t> elements = draw(type).i64;
    return std::set<int64_t>(elements.begin(), elements.end());
  };
  std::set<int64_t> bytes = values(HamKaasUInt8);
  EXPECT_EQ(*bytes.begin(), 0);
  EXPECT_EQ(*bytes.rbegin(), 255);
  bytes = values(HamKaasInt8);
  EXPECT_EQ(*bytes.begin(), -128);
  EXPECT_EQ(*bytes.rbegin(), 127);
  for (HamKaasElementType type :
       {HamKaasBool, HamKaasInt16, HamKaasUInt16, HamKaasInt32, HamKaasUInt32,
        HamKaasInt64, HamKaasUInt64})
    EXPECT_EQ(values(type), (std::set<int64_t>{0, 1}));
}
