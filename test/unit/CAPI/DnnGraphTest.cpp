//===- DnnGraphTest.cpp - Tests of graphs of nodes --------------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../Runtime/Allocations.h"
#include "DnnTest.h"
#include <fstream>

using namespace hamkaas;
using namespace hamkaas::test;
using namespace hamkaas::dnn;
using testing::HasSubstr;
using testing::Not;

// Count what the headers allocate, too. AddressSanitizer has operators of its
// own.
#if !__has_feature(address_sanitizer)
void *operator new(size_t bytes) { return malloc(bytes); }
void operator delete(void *memory) noexcept { free(memory); }
void operator delete(void *memory, size_t) noexcept { free(memory); }
#endif

namespace {

/// A convolution with bias and relu: `(1 x 1)` filters of ones.
struct ConvBiasRelu : TestGraph {
  explicit ConvBiasRelu(bool channelsLast = true) {
    x = &add({2, 4, 5, 5}, DataType::FLOAT, channelsLast);
    // The order in which the kernels read filters.
    w = &add({8, 4, 3, 3}, {1, 8, 96, 32}, DataType::FLOAT);
    b = &add({1, 8, 1, 1});
    TensorPointer product = graph.conv_fprop(x->tensor, w->tensor,
                                             ConvFpropAttributes()
                                                 .set_name("conv")
                                                 .set_padding({0, 0})
                                                 .set_stride({1, 1})
                                                 .set_dilation({1, 1}));
    TensorPointer sum = graph.pointwise(
        product, b->tensor,
        PointwiseAttributes().set_name("bias").set_mode(PointwiseMode::ADD));
    y = output(
        graph.pointwise(sum, PointwiseAttributes().set_name("relu").set_mode(
                                 PointwiseMode::RELU_FWD)));
  }

  Operand *x, *w, *b;
  TensorPointer y;
};

} // namespace

TEST(DnnGraphTest, ConvBiasReluIsOneKernel) {
  ConvBiasRelu test;
  ASSERT_EQ(test.run(), "");
  Numbers exact, bounds;
  forEachIndex({2, 8, 3, 3}, [&](const Shape &y) {
    double sum = test.b->numbers[size_t(y[1])], sizes = std::fabs(sum);
    forEachIndex({4, 3, 3}, [&](const Shape &k) {
      double product =
          test.x->numbers[size_t(getOffset(
              {y[0], k[0], y[2] + k[1], y[3] + k[2]}, {100, 25, 5, 1}))] *
          test.w->numbers[size_t(
              getOffset({y[1], k[0], k[1], k[2]}, {36, 9, 3, 1}))];
      sum += product;
      sizes += std::fabs(product);
    });
    exact.push_back(std::max(sum, 0.0));
    bounds.push_back(gamma2(37) * sizes);
  });
  expectNear(test.result(test.y), exact, bounds);
  EXPECT_EQ(test.y->get_stride(), makeStrides({2, 8, 3, 3}, true));
  std::string report;
  EXPECT_EQ(explain(test.graph.get_report(report)), "");
  EXPECT_THAT(report, HasSubstr("1 call of 1 kernel"));
  EXPECT_THAT(report, HasSubstr("conv+add+relu"));
}

TEST(DnnGraphTest, AllocatesNothingInARun) {
  ConvBiasRelu test;
  ASSERT_EQ(test.run(), "");
  std::vector<float> x(200), w(288), b(8), y(144);
  std::unordered_map<int64_t, void *> pointers = {
      {test.x->tensor->get_uid(), x.data()},
      {test.w->tensor->get_uid(), w.data()},
      {test.b->tensor->get_uid(), b.data()},
      {test.y->get_uid(), y.data()}};
  EXPECT_EQ(explain(test.graph.execute(test.handle, pointers)), "");
  int64_t before = allocationCount();
  Error error = test.graph.execute(test.handle, pointers);
  EXPECT_EQ(allocationCount(), before);
  EXPECT_EQ(error.message, "");
}
