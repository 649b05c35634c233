//===- DnnNodesTest.cpp - Each kind of node against loops -------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Plain loops in double compute what each node should, from operands that are
// rounded already, with bounds for the errors of sums.
//
//===----------------------------------------------------------------------===//

#include "DnnTest.h"
#include <algorithm>

using namespace hamkaas;
using namespace hamkaas::test;
using namespace hamkaas::dnn;
using testing::HasSubstr;

namespace {

/// Exact numbers, with bounds of their errors.
struct Expected {
  Numbers exact, bounds;

  /// Adds an element that is a sum.
  void add(const Numbers &terms) {
    double sum = 0, sizes = 0;
    for (double term : terms) {
      sum += term;
      sizes += std::fabs(term);
    }
    exact.push_back(sum);
    bounds.push_back(gamma2(int64_t(terms.size())) * sizes);
  }
};

/// Elements of a tensor by its indices.
class View {
public:
  View(const Operand &operand)
      : numbers(operand.numbers),
        strides(test::makeStrides(operand.tensor->get_dim())) {}
  View(const Numbers &numbers, const Shape &dims)
      : numbers(numbers), strides(test::makeStrides(dims)) {}

  double operator()(const Shape &index) const {
    return numbers[size_t(getOffset(index, strides))];
  }

private:
  Numbers numbers;
  Shape strides;
};

/// Three types in two layouts.
struct Variant {
  DataType type;
  bool channelsLast;
};

class DnnVariantTest : public ::testing::TestWithParam<Variant> {
protected:
  DataType type = GetParam().type;
  bool isLast = GetParam().channelsLast;
};

/// A pair of stride 2, dilation 1 and 2, padding that differs on both sides.
struct Windows {
  Shape pre = {1, 0}, post = {0, 2}, stride = {2, 1}, dilation = {1, 2};

  template <typename Attributes> Attributes make() const {
    return Attributes()
        .set_name("conv")
        .set_pre_padding(pre)
        .set_post_padding(post)
        .set_stride(stride)
        .set_dilation(dilation);
  }
  /// The position in x; false for padding.
  bool locate(int64_t dim, int64_t y, int64_t k, int64_t size,
              int64_t &x) const {
    x = y * stride[size_t(dim)] + k * dilation[size_t(dim)] - pre[size_t(dim)];
    return x >= 0 && x < size;
  }
};

/// Calls `visit` with the indices of each product of a convolution with 2
/// groups: of y, x and w.
template <typename Visit>
void forEachProduct(const Shape &x, const Shape &w, const Shape &y,
                    const Windows &windows, Visit visit) {
  int64_t groups = x[1] / w[1], filters = w[0] / groups;
  forEachIndex(y, [&](const Shape &out) {
    forEachIndex({w[1], w[2], w[3]}, [&](const Shape &k) {
      int64_t row = 0, column = 0;
      if (!windows.locate(0, out[2], k[1], x[2], row) ||
          !windows.locate(1, out[3], k[2], x[3], column))
        return;
      int64_t channel = out[1] / filters * w[1] + k[0];
      visit(out, Shape{out[0], channel, row, column},
            Shape{out[1], k[0], k[1], k[2]});
    });
  });
}

const Shape convX = {2, 4, 6, 7}, convW = {6, 2, 3, 2}, convY = {2, 6, 3, 7};

/// Sums products at the elements of a tensor.
Expected sumAt(const Shape &dims,
               const std::vector<std::pair<Shape, double>> &products) {
  std::vector<Numbers> terms(size_t(countElements(dims)));
  Shape strides = test::makeStrides(dims);
  for (const auto &[index, product] : products)
    terms[size_t(getOffset(index, strides))].push_back(product);
  Expected expected;
  for (const Numbers &each : terms)
    expected.add(each);
  return expected;
}

} // namespace

//===----------------------------------------------------------------------===//
// Convolutions
//===----------------------------------------------------------------------===//

TEST_P(DnnVariantTest, ConvForward) {
  TestGraph test;
  Operand &x = test.add(convX, type, isLast),
          &w = test.add(convW, type, isLast);
  TensorPointer y =
      test.output(test.graph.conv_fprop(x.tensor, w.tensor,
                                        Windows().make<ConvFpropAttributes>()),
                  type);
  ASSERT_EQ(test.run(), "");
  ASSERT_EQ(y->get_dim(), convY);
  EXPECT_EQ(y->get_stride(), test::makeStrides(convY, isLast));
  std::vector<std::pair<Shape, double>> products;
  forEachProduct(convX, convW, convY, {},
                 [&](const Shape &out, const Shape &in, const Shape &k) {
                   products.emplace_back(out, View(x)(in) * View(w)(k));
                 });
  Expected expected = sumAt(convY, products);
  expectNear(test.result(y), expected.exact, expected.bounds);
}

TEST_P(DnnVariantTest, ConvDataGradient) {
  TestGraph test;
  Operand &dy = test.add(convY, type, isLast);
  Operand &w = test.add(convW, type, isLast);
  TensorPointer dx =
      test.output(test.graph.conv_dgrad(dy.tensor, w.tensor,
                                        Windows().make<ConvDgradAttributes>()),
                  type);
  dx->set_dim(convX);
  ASSERT_EQ(test.run(), "");
  std::vector<std::pair<Shape, double>> products;
  forEachProduct(convX, convW, convY, {},
                 [&](const Shape &out, const Shape &in, const Shape &k) {
                   products.emplace_back(in, View(dy)(out) * View(w)(k));
                 });
  Expected expected = sumAt(convX, products);
  expectNear(test.result(dx), expected.exact, expected.bounds);
}

TEST_P(DnnVariantTest, ConvWeightGradient) {
  TestGraph test;
  Operand &dy = test.add(convY, type, isLast);
  Operand &x = test.add(convX, type, isLast);
  TensorPointer dw =
      test.output(test.graph.conv_wgrad(dy.tensor, x.tensor,
                                        Windows().make<ConvWgradAttributes>()),
                  type);
  dw->set_dim(convW);
  ASSERT_EQ(test.run(), "");
  std::vector<std::pair<Shape, double>> products;
  forEachProduct(convX, convW, convY, {},
                 [&](const Shape &out, const Shape &in, const Shape &k) {
                   products.emplace_back(k, View(dy)(out) * View(x)(in));
                 });
  Expected expected = sumAt(convW, products);
  expectNear(test.result(dw), expected.exact, expected.bounds);
}

// A mirrored filter, forward and in both gradients.
TEST(DnnNodesTest, ConvMirrored) {
  TestGraph test;
  Operand &x = test.add(convX), &w = test.add(convW), &dy = test.add(convY);
  auto mirror = [](auto attributes) {
    return attributes.set_convolution_mode(ConvolutionMode::CONVOLUTION);
  };
  Graph &graph = test.graph;
  TensorPointer y = test.output(graph.conv_fprop(
      x.tensor, w.tensor, mirror(Windows().make<ConvFpropAttributes>())));
  TensorPointer dx = test.output(graph.conv_dgrad(
      dy.tensor, w.tensor, mirror(Windows().make<ConvDgradAttributes>())));
  TensorPointer dw = test.output(graph.conv_wgrad(
      dy.tensor, x.tensor, mirror(Windows().make<ConvWgradAttributes>())));
  dx->set_dim(convX);
  dw->set_dim(convW);
  ASSERT_EQ(test.run(), "");
  std::vector<std::pair<Shape, double>> toY, toX, toW;
  forEachProduct(convX, convW, convY, {},
                 [&](const Shape &out, const Shape &in, const Shape &k) {
                   Shape mirrored = {k[0], k[1], convW[2] - 1 - k[2],
                                     convW[3] - 1 - k[3]};
                   toY.emplace_back(out, View(x)(in) * View(w)(mirrored));
                   toX.emplace_back(in, View(dy)(out) * View(w)(mirrored));
                   toW.emplace_back(mirrored, View(dy)(out) * View(x)(in));
                 });
  Expected expected = sumAt(convY, toY);
  expectNear(test.result(y), expected.exact, expected.bounds);
  expected = sumAt(convX, toX);
  expectNear(test.result(dx), expected.exact, expected.bounds);
  expected = sumAt(convW, toW);
  expectNear(test.result(dw), expected.exact, expected.bounds);
}

TEST(DnnNodesTest, ConvErrors) {
  auto fail = [](const Shape &x, const Shape &w, Windows windows) {
    TestGraph test;
    test.output(test.graph.conv_fprop(test.add(x).tensor, test.add(w).tensor,
                                      windows.make<ConvFpropAttributes>()));
    return test.run();
  };
  Windows windows;
  EXPECT_THAT(fail({2, 4, 6, 7}, {6, 3, 3, 2}, windows),
              HasSubstr("conv_fprop 'conv': expected the channels of x to be "
                        "groups of those of w"));
  EXPECT_THAT(fail({2, 4, 6, 7}, {5, 2, 3, 2}, windows),
              HasSubstr("as many in each of the 2 groups"));
  EXPECT_THAT(fail({2, 4, 6}, {6, 2, 3, 2}, windows),
              HasSubstr("one rank from 3 to 5"));
  windows.stride = {0, 1};
  EXPECT_THAT(fail({2, 4, 6, 7}, {6, 2, 3, 2}, windows),
              HasSubstr("'stride' to have 2 entries from 1"));
  windows.stride = {1};
  EXPECT_THAT(fail({2, 4, 6, 7}, {6, 2, 3, 2}, windows), HasSubstr("[1]"));
  windows = {};
  EXPECT_NE(fail({2, 4, 1, 1}, {6, 2, 5, 9}, windows), "");
  // Several dims fit one dy.
  TestGraph test;
  TensorPointer dx = test.output(
      test.graph.conv_dgrad(test.add(convY).tensor, test.add(convW).tensor,
                            Windows().make<ConvDgradAttributes>()));
  EXPECT_THAT(test.run(), HasSubstr("expected the dims of 'dx' to be given"));
  dx->set_dim({2, 4, 9, 7});
  EXPECT_THAT(test.run(), HasSubstr("as many windows as y has elements"));
}

INSTANTIATE_TEST_SUITE_P(TypesAndLayouts, DnnVariantTest,
                         ::testing::Values(Variant{DataType::FLOAT, false},
                                           Variant{DataType::FLOAT, true},
                                           Variant{DataType::HALF, false},
                                           Variant{DataType::HALF, true},
                                           Variant{DataType::BFLOAT16, false},
                                           Variant{DataType::BFLOAT16, true}));

//===----------------------------------------------------------------------===//
// Norms
//===----------------------------------------------------------------------===//

namespace {

/// The statistics of each channel, or row, of elements that lie in `rows`.
struct Statistics {
  Statistics(const std::vector<Numbers> &rows, double epsilon) {
    for (const Numbers &row : rows) {
      double sum = 0, squares = 0, powers = 0;
      for (double x : row) {
        sum += x;
        powers += x * x;
      }
      mean.push_back(sum / double(row.size()));
      for (double x : row)
        squares += (x - mean.back()) * (x - mean.back());
      variance.push_back(squares / double(row.size()));
      inverse.push_back(1 / std::sqrt(variance.back() + epsilon));
      inverseRms.push_back(1 /
                           std::sqrt(powers / double(row.size()) + epsilon));
    }
  }

  Numbers mean, variance, inverse, inverseRms;
};

const Shape normX = {3, 4, 5, 2};
constexpr double epsilon = 1e-3;

/// The elements of each channel.
std::vector<Numbers> splitChannels(const Operand &x) {
  std::vector<Numbers> rows(4);
  size_t i = 0;
  forEachIndex(normX, [&](const Shape &index) {
    rows[size_t(index[1])].push_back(x.numbers[i++]);
  });
  return rows;
}

/// The elements of each row of the last two dimensions.
std::vector<Numbers> splitRows(const Numbers &numbers) {
  std::vector<Numbers> rows;
  for (size_t i = 0; i < numbers.size(); ++i) {
    if (i % 10 == 0)
      rows.emplace_back();
    rows.back().push_back(numbers[i]);
  }
  return rows;
}

} // namespace

TEST_P(DnnVariantTest, BatchNorm) {
  TestGraph test;
  Operand &x = test.add(normX, type, isLast);
  Shape channels = {1, 4, 1, 1};
  Operand &scale = test.add(channels), &bias = test.add(channels);
  Operand &oldMean = test.add(channels), &oldVariance = test.add(channels);
  auto results = test.graph.batchnorm(
      x.tensor, scale.tensor, bias.tensor,
      BatchnormAttributes()
          .set_name("norm")
          .set_epsilon(test.number(epsilon))
          .set_previous_running_stats(oldMean.tensor, oldVariance.tensor,
                                      test.number(0.25)));
  test.output(results[0], type);
  for (int i = 1; i < 5; ++i)
    test.output(results[size_t(i)]);
  ASSERT_EQ(test.run(), "");
  Statistics exact(splitChannels(x), epsilon);
  Numbers y, nextMean, nextVariance;
  forEachIndex(normX, [&](const Shape &index) {
    size_t c = size_t(index[1]);
    y.push_back((View(x)(index) - exact.mean[c]) * exact.inverse[c] *
                    scale.numbers[c] +
                bias.numbers[c]);
  });
  // The unbiased variance of 30 elements.
  for (size_t c = 0; c < 4; ++c) {
    nextMean.push_back(0.75 * oldMean.numbers[c] + 0.25 * exact.mean[c]);
    nextVariance.push_back(0.75 * oldVariance.numbers[c] +
                           0.25 * exact.variance[c] * 30 / 29);
  }
  expectClose(test.result(results[0]), y, 1e-6);
  expectClose(test.result(results[1]), exact.mean, 1e-6);
  expectClose(test.result(results[2]), exact.inverse, 1e-6);
  expectClose(test.result(results[3]), nextMean, 1e-6);
  expectClose(test.result(results[4]), nextVariance, 1e-6);
  EXPECT_EQ(results[1]->get_dim(), channels);
}

// The variance has two passes: the mean of squares would have no digits left.
TEST(DnnNodesTest, BatchNormFarFromZero) {
  TestGraph test;
  Operand &x = test.add(normX);
  Numbers far = x.numbers;
  for (double &number : far)
    number = number / 100 + 1000;
  x.set(far);
  auto results = test.graph.batchnorm(
      x.tensor, test.add({4}).tensor, test.add({4}).tensor,
      BatchnormAttributes().set_epsilon(test.number(1e-9)));
  test.output(results[0]);
  test.output(results[2]);
  EXPECT_EQ(results[3], nullptr);
  ASSERT_EQ(test.run(), "");
  Statistics exact(splitChannels(x), 1e-9);
  // The error of the mean is 1000 * 2^-24.
  expectClose(test.result(results[2]), exact.inverse, 1e-4);
}

// One element a channel has no unbiased variance.
TEST(DnnNodesTest, BatchNormOfOneElement) {
  TestGraph test;
  Operand &x = test.add({1, 3}), &old = test.add({3});
  auto results =
      test.graph.batchnorm(x.tensor, test.add({3}).tensor, test.add({3}).tensor,
                           BatchnormAttributes()
                               .set_epsilon(test.number(1))
                               .set_previous_running_stats(
                                   old.tensor, old.tensor, test.number(0.5)));
  test.output(results[4]);
  ASSERT_EQ(test.run(), "");
  Numbers half;
  for (double number : old.numbers)
    half.push_back(number / 2);
  expectClose(test.result(results[4]), half, 1e-6);
}

TEST_P(DnnVariantTest, BatchNormInference) {
  TestGraph test;
  Operand &x = test.add(normX, type, isLast);
  Operand &mean = test.add({4}), &inverse = test.add({1, 4, 1, 1});
  Operand &scale = test.add({4}), &bias = test.add({4}),
          &variance = test.add({4});
  Numbers positive = variance.numbers;
  for (double &number : positive)
    number = std::fabs(number);
  variance.set(positive);
  TensorPointer y =
      test.output(test.graph.batchnorm_inference(
                      x.tensor, mean.tensor, inverse.tensor, scale.tensor,
                      bias.tensor, BatchnormInferenceAttributes()),
                  type);
  TensorPointer z = test.output(
      test.graph.batchnorm_inference_variance_ext(
          x.tensor, mean.tensor, variance.tensor, scale.tensor, bias.tensor,
          test.number(epsilon), BatchnormInferenceAttributes()),
      type);
  ASSERT_EQ(test.run(), "");
  Numbers exactY, exactZ;
  forEachIndex(normX, [&](const Shape &index) {
    size_t c = size_t(index[1]);
    double distance = (View(x)(index) - mean.numbers[c]) * scale.numbers[c];
    exactY.push_back(distance * inverse.numbers[c] + bias.numbers[c]);
    exactZ.push_back(distance / std::sqrt(variance.numbers[c] + epsilon) +
                     bias.numbers[c]);
  });
  expectClose(test.result(y), exactY, 1e-6);
  expectClose(test.result(z), exactZ, 1e-6);
}

namespace {

/// The gradient by x of rows of norms, and the gradients of scale and bias in
/// `toScale` and `toBias`, for each row or column of rows.
Numbers differentiateRow(const Numbers &x, const Numbers &dy,
                         const Numbers &scale, double mean, double inverse,
                         bool isCentred) {
  double n = double(x.size()), sum = 0, along = 0;
  for (size_t i = 0; i < x.size(); ++i) {
    sum += dy[i] * scale[i];
    along += dy[i] * scale[i] * (x[i] - mean) * inverse;
  }
  Numbers dx;
  for (size_t i = 0; i < x.size(); ++i)
    dx.push_back(inverse * (dy[i] * scale[i] - (isCentred ? sum / n : 0) -
                            (x[i] - mean) * inverse * along / n));
  return dx;
}

} // namespace

TEST_P(DnnVariantTest, BatchNormBackward) {
  for (bool isSaved : {false, true}) {
    TestGraph test;
    Operand &x = test.add(normX, type, isLast);
    Operand &dy = test.add(normX, type, isLast), &scale = test.add({4});
    Statistics exact(splitChannels(x), epsilon);
    BatchnormBackwardAttributes attributes;
    if (isSaved) {
      Operand &mean = test.add({4}), &inverse = test.add({4});
      mean.set(exact.mean);
      inverse.set(exact.inverse);
      attributes.set_saved_mean_and_inv_variance(mean.tensor, inverse.tensor);
    } else {
      attributes.set_epsilon(test.number(epsilon));
    }
    auto results = test.graph.batchnorm_backward(dy.tensor, x.tensor,
                                                 scale.tensor, attributes);
    test.output(results[0], type);
    test.output(results[1]);
    test.output(results[2]);
    ASSERT_EQ(test.run(), "");
    std::vector<Numbers> xs = splitChannels(x), dys = splitChannels(dy);
    Numbers dscale, dbias, dx(x.numbers.size());
    std::vector<Numbers> dxs;
    for (size_t c = 0; c < 4; ++c) {
      dxs.push_back(differentiateRow(xs[c], dys[c],
                                     Numbers(xs[c].size(), scale.numbers[c]),
                                     exact.mean[c], exact.inverse[c], true));
      dscale.push_back(0);
      dbias.push_back(0);
      for (size_t i = 0; i < xs[c].size(); ++i) {
        dscale.back() +=
            dys[c][i] * (xs[c][i] - exact.mean[c]) * exact.inverse[c];
        dbias.back() += dys[c][i];
      }
    }
    std::vector<size_t> next(4);
    size_t place = 0;
    forEachIndex(normX, [&](const Shape &index) {
      size_t c = size_t(index[1]);
      dx[place++] = dxs[c][next[c]++];
    });
    expectClose(test.result(results[0]), dx, 2e-6);
    expectClose(test.result(results[1]), dscale, 2e-6);
    expectClose(test.result(results[2]), dbias, 2e-6);
  }
}

TEST_P(DnnVariantTest, LayerNorm) {
  for (NormFwdPhase phase : {NormFwdPhase::INFERENCE, NormFwdPhase::TRAINING}) {
    TestGraph test;
    Operand &x = test.add(normX, type, isLast);
    // Of lower rank from the right, and of x's rank.
    Operand &scale = test.add({5, 2}), &bias = test.add({1, 1, 5, 2});
    auto results = test.graph.layernorm(
        x.tensor, scale.tensor, bias.tensor,
        LayernormAttributes().set_forward_phase(phase).set_epsilon(
            test.number(epsilon)));
    test.output(results[0], type);
    bool isTraining = phase == NormFwdPhase::TRAINING;
    ASSERT_EQ(results[1] != nullptr, isTraining);
    if (isTraining) {
      test.output(results[1]);
      test.output(results[2]);
    }
    ASSERT_EQ(test.run(), "");
    Statistics exact(splitRows(x.numbers), epsilon);
    Numbers y;
    for (size_t i = 0; i < x.numbers.size(); ++i)
      y.push_back((x.numbers[i] - exact.mean[i / 10]) * exact.inverse[i / 10] *
                      scale.numbers[i % 10] +
                  bias.numbers[i % 10]);
    expectClose(test.result(results[0]), y, 1e-6);
    if (!isTraining)
      continue;
    EXPECT_EQ(results[1]->get_dim(), Shape({3, 4, 1, 1}));
    expectClose(test.result(results[1]), exact.mean, 1e-6);
    expectClose(test.result(results[2]), exact.inverse, 1e-6);
  }
}

TEST_P(DnnVariantTest, RmsNorm) {
  TestGraph test;
  Operand &x = test.add(normX, type, isLast);
  Operand &scale = test.add({5, 2}), &bias = test.add({5, 2});
  auto results =
      test.graph.rmsnorm(x.tensor, scale.tensor,
                         RmsnormAttributes()
                             .set_forward_phase(NormFwdPhase::TRAINING)
                             .set_bias(bias.tensor)
                             .set_epsilon(test.number(epsilon)));
  test.output(results[0], type);
  test.output(results[1]);
  ASSERT_EQ(test.run(), "");
  Statistics exact(splitRows(x.numbers), epsilon);
  Numbers y;
  for (size_t i = 0; i < x.numbers.size(); ++i)
    y.push_back(x.numbers[i] * exact.inverseRms[i / 10] *
                    scale.numbers[i % 10] +
                bias.numbers[i % 10]);
  expectClose(test.result(results[0]), y, 1e-6);
  expectClose(test.result(results[1]), exact.inverseRms, 1e-6);
}

/// Layer norm with and without saved statistics, and RMS norm.
TEST_P(DnnVariantTest, RowNormsBackward) {
  for (int kind = 0; kind < 3; ++kind) {
    TestGraph test;
    Operand &x = test.add(normX, type, isLast);
    Operand &dy = test.add(normX, type, isLast), &scale = test.add({5, 2});
    Operand &mean = test.add({3, 4, 1, 1}), &inverse = test.add({3, 4, 1, 1});
    Statistics exact(splitRows(x.numbers), epsilon);
    mean.set(exact.mean);
    inverse.set(kind == 2 ? exact.inverseRms : exact.inverse);
    LayernormBackwardAttributes attributes;
    if (kind == 0)
      attributes.set_epsilon(test.number(epsilon));
    else
      attributes.set_saved_mean_and_inv_variance(mean.tensor, inverse.tensor);
    auto results =
        kind == 2 ? test.graph.rmsnorm_backward(
                        dy.tensor, x.tensor, scale.tensor, inverse.tensor,
                        RmsnormBackwardAttributes().set_compute_dbias(true))
                  : test.graph.layernorm_backward(dy.tensor, x.tensor,
                                                  scale.tensor, attributes);
    test.output(results[0], type);
    test.output(results[1]);
    test.output(results[2]);
    ASSERT_EQ(test.run(), "") << kind;
    std::vector<Numbers> xs = splitRows(x.numbers), dys = splitRows(dy.numbers);
    Numbers dx, dscale(10), dbias(10);
    for (size_t row = 0; row < xs.size(); ++row) {
      double centre = kind == 2 ? 0 : exact.mean[row];
      double factor = kind == 2 ? exact.inverseRms[row] : exact.inverse[row];
      Numbers part = differentiateRow(xs[row], dys[row], scale.numbers, centre,
                                      factor, kind != 2);
      dx.insert(dx.end(), part.begin(), part.end());
      for (size_t i = 0; i < 10; ++i) {
        dscale[i] += dys[row][i] * (xs[row][i] - centre) * factor;
        dbias[i] += dys[row][i];
      }
    }
    expectClose(test.result(results[0]), dx, 2e-6);
    expectClose(test.result(results[1]), dscale, 2e-6);
    expectClose(test.result(results[2]), dbias, 2e-6);
    EXPECT_EQ(results[1]->get_dim(), Shape({5, 2}));
  }
}

TEST(DnnNodesTest, NormErrors) {
  {
    TestGraph test;
    auto results = test.graph.batchnorm(
        test.add(normX).tensor, test.add({3}).tensor, test.add({4}).tensor,
        BatchnormAttributes().set_name("norm").set_epsilon(test.number(1)));
    test.output(results[0]);
    EXPECT_THAT(test.run(),
                HasSubstr("batchnorm 'norm': expected 'scale' to have 4 "
                          "elements, one for each channel, got the dims [3]"));
  }
  {
    TestGraph test;
    auto results = test.graph.batchnorm(
        test.add(normX).tensor, test.add({4}).tensor, test.add({4}).tensor,
        BatchnormAttributes().set_name("norm"));
    test.output(results[0]);
    Error error = test.graph.validate();
    EXPECT_EQ(error.code, ErrorCode::ATTRIBUTE_NOT_SET);
    EXPECT_THAT(error.message,
                HasSubstr("node 'norm': batchnorm: expected 'epsilon' to be "
                          "set"));
  }
  {
    TestGraph test;
    auto results = test.graph.layernorm(
        test.add(normX).tensor, test.add({3, 2}).tensor, test.add({2}).tensor,
        LayernormAttributes()
            .set_forward_phase(NormFwdPhase::INFERENCE)
            .set_epsilon(test.number(1)));
    test.output(results[0]);
    EXPECT_THAT(test.run(), HasSubstr("'scale' to have the size of 'x'"));
  }
  {
    TestGraph test;
    auto results = test.graph.batchnorm_backward(
        test.add(normX).tensor, test.add(normX).tensor, test.add({4}).tensor,
        BatchnormBackwardAttributes());
    test.output(results[0]);
    EXPECT_THAT(test.run(), HasSubstr("or 'epsilon' to compute them"));
  }
}
