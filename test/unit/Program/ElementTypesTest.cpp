//===- ElementTypesTest.cpp - Elements of programs and graphs ---*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HamKaas/Program/ElementTypes.h"
#include "HamKaas/Dialect/HamKaas/IR/FormatType.h"
#include "HamKaas/Runtime/Core/TensorType.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/MLIRContext.h"
#include "gtest/gtest.h"
#include <cmath>
#include <cstring>

using namespace hamkaas;

namespace {

class ElementTypesTest : public ::testing::Test {
protected:
  /// The interpreter's tensor of what a program has as `stored`.
  template <typename T>
  ReferenceTensor decodeAll(HamKaasElementType type, std::vector<T> stored) {
    ReferenceTensor tensor(
        makeTensorType(&context, type, {int64_t(stored.size())}));
    getElementType(type).decode(stored.data(), tensor);
    return tensor;
  }

  /// The elements of `tensor` as a program stores them.
  template <typename T>
  std::vector<T> encodeAll(const ReferenceTensor &tensor) {
    std::vector<T> stored(tensor.type.getNumElements());
    getElementType(tensor.type).encode(tensor, stored.data());
    return stored;
  }

  /// That these are the elements of an integer type, in both directions.
  template <typename T>
  void expectIntegers(HamKaasElementType type, std::vector<T> stored,
                      std::vector<int64_t> held) {
    ReferenceTensor tensor = decodeAll(type, stored);
    EXPECT_EQ(tensor.i64, held);
    EXPECT_EQ(encodeAll<T>(tensor), stored);
  }

  mlir::MLIRContext context;
};

} // namespace

TEST_F(ElementTypesTest, EachHasAnEntryAtItsNumber) {
  for (const rt::ElementType &known : rt::elementTypes) {
    const ElementTypeInfo &info = getElementType(known.type);
    EXPECT_EQ(info.type, known.type);
    EXPECT_EQ(findElementType(info.make(&context)), &info);
  }
  EXPECT_EQ(findElementType(mlir::IntegerType::get(&context, 4)), nullptr);
  EXPECT_EQ(findElementType(mlir::IndexType::get(&context)), nullptr);
}

// The name of a graph's type tells its size.
TEST_F(ElementTypesTest, SizesAreThoseOfTheGraph) {
  for (const rt::ElementType &known : rt::elementTypes) {
    unsigned width =
        getElementType(known.type).make(&context).getIntOrFloatBitWidth();
    EXPECT_EQ(known.size, (width + 7) / 8) << known.name;
  }
}

TEST_F(ElementTypesTest, IntegersKeepTheirValues) {
  expectIntegers<int8_t>(HamKaasInt8, {-128, -1, 127}, {-128, -1, 127});
  expectIntegers<int16_t>(HamKaasInt16, {INT16_MIN, 7}, {INT16_MIN, 7});
  expectIntegers<int32_t>(HamKaasInt32, {INT32_MIN, 7}, {INT32_MIN, 7});
  expectIntegers<int64_t>(HamKaasInt64, {INT64_MIN, 7}, {INT64_MIN, 7});
  expectIntegers<uint8_t>(HamKaasUInt8, {0, 255}, {0, 255});
  expectIntegers<uint16_t>(HamKaasUInt16, {0, 65535}, {0, 65535});
  expectIntegers<uint32_t>(HamKaasUInt32, {UINT32_MAX}, {UINT32_MAX});
  // The bit pattern.
  expectIntegers<uint64_t>(HamKaasUInt64, {UINT64_MAX, 1}, {-1, 1});
}

TEST_F(ElementTypesTest, AnyByteButZeroIsTrue) {
  ReferenceTensor tensor =
      decodeAll<uint8_t>(HamKaasBool, {0, 1, 2, 0x80, 0xFF});
  EXPECT_EQ(tensor.i64, (std::vector<int64_t>{0, 1, 1, 1, 1}));
  EXPECT_EQ(encodeAll<uint8_t>(tensor), (std::vector<uint8_t>{0, 1, 1, 1, 1}));
}

TEST_F(ElementTypesTest, FloatsKeepTheirValues) {
  std::vector<float> floats = {-0.0f, 1e-45f, 3.4e38f, INFINITY};
  EXPECT_EQ(decodeAll(HamKaasFloat32, floats).f32, floats);
  std::vector<double> doubles = {-0.0, 5e-324, 1.7e308, -INFINITY};
  ReferenceTensor tensor = decodeAll(HamKaasFloat64, doubles);
  EXPECT_EQ(tensor.f64, doubles);
  EXPECT_EQ(encodeAll<double>(tensor), doubles);
}

TEST_F(ElementTypesTest, EachNarrowFloatComesBack) {
  for (HamKaasElementType type : {HamKaasFloat16, HamKaasBFloat16}) {
    std::vector<uint16_t> all(65536);
    for (size_t i = 0; i < all.size(); ++i)
      all[i] = uint16_t(i);
    ReferenceTensor tensor = decodeAll(type, all);
    std::vector<uint16_t> back = encodeAll<uint16_t>(tensor);
    for (size_t i = 0; i < all.size(); ++i)
      if (!std::isnan(tensor.f32[i]))
        ASSERT_EQ(back[i], all[i]);
  }
}

TEST_F(ElementTypesTest, NarrowFloatsAreRoundedToEven) {
  EXPECT_EQ(decodeAll<uint16_t>(HamKaasFloat16, {0x3C00, 0x0001, 0xFC00}).f32,
            (std::vector<float>{1, 0x1p-24f, -INFINITY}));
  EXPECT_EQ(decodeAll<uint16_t>(HamKaasBFloat16, {0x3F80, 0xC040}).f32,
            (std::vector<float>{1, -3}));
  ReferenceTensor half(makeTensorType(&context, HamKaasFloat16, {4}));
  half.f32 = {1 + 0x1p-11f, 1 + 0x3p-11f, 65520, 0x1p-25f};
  EXPECT_EQ(encodeAll<uint16_t>(half),
            (std::vector<uint16_t>{0x3C00, 0x3C02, 0x7C00, 0}));
  ReferenceTensor brain(makeTensorType(&context, HamKaasBFloat16, {2}));
  brain.f32 = {1 + 0x1p-8f, 1 + 0x3p-8f};
  EXPECT_EQ(encodeAll<uint16_t>(brain),
            (std::vector<uint16_t>{0x3F80, 0x3F82}));
}

TEST_F(ElementTypesTest, NothingNeedsToBeAligned) {
  std::vector<char> bytes(1 + 2 * sizeof(double));
  double values[] = {1, 2};
  std::memcpy(bytes.data() + 1, values, sizeof(values));
  ReferenceTensor tensor(makeTensorType(&context, HamKaasFloat64, {2}));
  getElementType(HamKaasFloat64).decode(bytes.data() + 1, tensor);
  EXPECT_EQ(tensor.f64, (std::vector<double>{1, 2}));
}

TEST_F(ElementTypesTest, Texts) {
  EXPECT_EQ(formatType(makeTensorType(&context, HamKaasUInt8, {2, 3})),
            "uint8 [2, 3]");
  EXPECT_EQ(formatType(makeTensorType(&context, HamKaasBool, {})), "bool []");
  EXPECT_EQ(formatType(mlir::IndexType::get(&context)), "index");
  for (const rt::ElementType &known : rt::elementTypes)
    EXPECT_EQ(formatType(getElementType(known.type).make(&context)),
              known.name);
  EXPECT_EQ(formatTypesIn("got tensor<2x3xbf16> and tensor<i64>"),
            "got bfloat16 [2, 3] and int64 []");
  EXPECT_EQ(formatTypesIn("a tensor<?xf32>, a tensor<"),
            "a tensor<?xf32>, a tensor<");
}
