//===- TensorsTest.cpp - Tensors and files ----------------------*- C++ -*-===//
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
#include <cstring>
#include <set>

using namespace hamkaas;

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
