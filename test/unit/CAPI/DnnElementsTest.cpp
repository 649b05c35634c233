//===- DnnElementsTest.cpp - Elements, products, windows --------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "DnnTest.h"
#include <algorithm>

using namespace hamkaas;
using namespace hamkaas::test;
using namespace hamkaas::dnn;
using testing::HasSubstr;

//===----------------------------------------------------------------------===//
// Pointwise modes
//===----------------------------------------------------------------------===//

namespace {

constexpr double pi = 3.14159265358979323846;

double sigmoid(double x) { return 1 / (1 + std::exp(-x)); }

/// A mode with its formula in double; `b` and `c` are 0 where it has none.
struct ModeCase {
  const char *name;
  PointwiseMode mode;
  int operands;
  double (*exact)(double a, double b, double c);
  /// Operands are made positive.
  bool isPositive = false;
};

const ModeCase modes[] = {
    {"abs", PointwiseMode::ABS, 1,
     [](double a, double, double) { return std::fabs(a); }},
    {"add", PointwiseMode::ADD, 2,
     [](double a, double b, double) { return a + b; }},
    {"add_square", PointwiseMode::ADD_SQUARE, 2,
     [](double a, double b, double) { return a + b * b; }},
    {"binary_select", PointwiseMode::BINARY_SELECT, 3,
     [](double a, double b, double c) { return c != 0 ? a : b; }},
    {"ceil", PointwiseMode::CEIL, 1,
     [](double a, double, double) { return std::ceil(a); }},
    {"cmp_eq", PointwiseMode::CMP_EQ, 2,
     [](double a, double b, double) { return double(a == b); }},
    {"cmp_ge", PointwiseMode::CMP_GE, 2,
     [](double a, double b, double) { return double(a >= b); }},
    {"cmp_gt", PointwiseMode::CMP_GT, 2,
     [](double a, double b, double) { return double(a > b); }},
    {"cmp_le", PointwiseMode::CMP_LE, 2,
     [](double a, double b, double) { return double(a <= b); }},
    {"cmp_lt", PointwiseMode::CMP_LT, 2,
     [](double a, double b, double) { return double(a < b); }},
    {"cmp_neq", PointwiseMode::CMP_NEQ, 2,
     [](double a, double b, double) { return double(a != b); }},
    {"div", PointwiseMode::DIV, 2,
     [](double a, double b, double) { return a / b; }, true},
    {"elu_bwd", PointwiseMode::ELU_BWD, 2,
     [](double a, double b, double) { return b > 0 ? a : a * std::exp(b); }},
    {"elu_fwd", PointwiseMode::ELU_FWD, 1,
     [](double a, double, double) { return a > 0 ? a : std::expm1(a); }},
    {"erf", PointwiseMode::ERF, 1,
     [](double a, double, double) { return std::erf(a); }},
    {"exp", PointwiseMode::EXP, 1,
     [](double a, double, double) { return std::exp(a); }},
    {"floor", PointwiseMode::FLOOR, 1,
     [](double a, double, double) { return std::floor(a); }},
    {"gelu_approx_tanh_bwd", PointwiseMode::GELU_APPROX_TANH_BWD, 2,
     [](double a, double b, double) {
       double c = std::sqrt(2 / pi);
       double t = std::tanh(c * (b + 0.044715 * b * b * b));
       return a * (0.5 * (1 + t) +
                   0.5 * b * (1 - t * t) * c * (1 + 3 * 0.044715 * b * b));
     }},
    {"gelu_approx_tanh_fwd", PointwiseMode::GELU_APPROX_TANH_FWD, 1,
     [](double a, double, double) {
       double t = std::tanh(std::sqrt(2 / pi) * (a + 0.044715 * a * a * a));
       return 0.5 * a * (1 + t);
     }},
    {"gelu_bwd", PointwiseMode::GELU_BWD, 2,
     [](double a, double b, double) {
       return a * (0.5 * (1 + std::erf(b / std::sqrt(2))) +
                   b * std::exp(-b * b / 2) / std::sqrt(2 * pi));
     }},
    {"gelu_fwd", PointwiseMode::GELU_FWD, 1,
     [](double a, double, double) {
       return 0.5 * a * (1 + std::erf(a / std::sqrt(2)));
     }},
    {"identity", PointwiseMode::IDENTITY, 1,
     [](double a, double, double) { return a; }},
    {"log", PointwiseMode::LOG, 1,
     [](double a, double, double) { return std::log(a); }, true},
    {"logical_and", PointwiseMode::LOGICAL_AND, 2,
     [](double a, double b, double) { return double(a != 0 && b != 0); }},
    {"logical_not", PointwiseMode::LOGICAL_NOT, 1,
     [](double a, double, double) { return double(a == 0); }},
    {"logical_or", PointwiseMode::LOGICAL_OR, 2,
     [](double a, double b, double) { return double(a != 0 || b != 0); }},
    {"max_op", PointwiseMode::MAX_OP, 2,
     [](double a, double b, double) { return std::max(a, b); }},
    {"min_op", PointwiseMode::MIN_OP, 2,
     [](double a, double b, double) { return std::min(a, b); }},
    {"mul", PointwiseMode::MUL, 2,
     [](double a, double b, double) { return a * b; }},
    {"neg", PointwiseMode::NEG, 1, [](double a, double, double) { return -a; }},
    {"reciprocal", PointwiseMode::RECIPROCAL, 1,
     [](double a, double, double) { return 1 / a; }, true},
    {"relu_bwd", PointwiseMode::RELU_BWD, 2,
     [](double a, double b, double) { return b > 0 ? a : 0; }},
    {"relu_fwd", PointwiseMode::RELU_FWD, 1,
     [](double a, double, double) { return std::max(a, 0.0); }},
    {"rsqrt", PointwiseMode::RSQRT, 1,
     [](double a, double, double) { return 1 / std::sqrt(a); }, true},
    {"sigmoid_bwd", PointwiseMode::SIGMOID_BWD, 2,
     [](double a, double b, double) {
       return a * sigmoid(b) * (1 - sigmoid(b));
     }},
    {"sigmoid_fwd", PointwiseMode::SIGMOID_FWD, 1,
     [](double a, double, double) { return sigmoid(a); }},
    {"sin", PointwiseMode::SIN, 1,
     [](double a, double, double) { return std::sin(a); }},
    {"softplus_bwd", PointwiseMode::SOFTPLUS_BWD, 2,
     [](double a, double b, double) { return a * sigmoid(b); }},
    {"softplus_fwd", PointwiseMode::SOFTPLUS_FWD, 1,
     [](double a, double, double) { return std::log1p(std::exp(a)); }},
    {"sqrt", PointwiseMode::SQRT, 1,
     [](double a, double, double) { return std::sqrt(a); }, true},
    {"sub", PointwiseMode::SUB, 2,
     [](double a, double b, double) { return a - b; }},
    {"swish_bwd", PointwiseMode::SWISH_BWD, 2,
     [](double a, double b, double) {
       double s = sigmoid(b);
       return a * (s + b * s * (1 - s));
     }},
    {"swish_fwd", PointwiseMode::SWISH_FWD, 1,
     [](double a, double, double) { return a * sigmoid(a); }},
    {"tan", PointwiseMode::TAN, 1,
     [](double a, double, double) { return std::tan(a / 2); }},
    {"tanh_bwd", PointwiseMode::TANH_BWD, 2,
     [](double a, double b, double) {
       return a * (1 - std::tanh(b) * std::tanh(b));
     }},
    {"tanh_fwd", PointwiseMode::TANH_FWD, 1,
     [](double a, double, double) { return std::tanh(a); }},
};

/// A node of each mode, of one type, in one graph; the second operand
/// broadcasts.
void checkModes(DataType type, bool channelsLast) {
  TestGraph test;
  Shape dims = {2, 3, 4, 5};
  Operand &a = test.add(dims, type, channelsLast);
  Operand &b = test.add({3, 1, 5}, type), &c = test.add(dims, type);
  Operand &positive = test.add(dims, type, channelsLast);
  Operand &other = test.add({3, 1, 5}, type);
  auto change = [](Operand &operand, double (*function)(double)) {
    Numbers changed = operand.numbers;
    for (double &number : changed)
      number = function(number);
    operand.set(changed);
  };
  change(positive, [](double x) { return std::fabs(x) + 0.25; });
  change(other, [](double x) { return std::fabs(x) + 0.25; });
  change(c, [](double x) { return double(x > 0); });
  // Some are equal, and some are zero.
  change(b, [](double x) { return x > 1 ? 0 : x; });
  std::vector<TensorPointer> results;
  for (const ModeCase &mode : modes) {
    TensorPointer first = mode.isPositive ? positive.tensor : a.tensor;
    TensorPointer second = mode.isPositive ? other.tensor : b.tensor;
    if (mode.mode == PointwiseMode::TAN)
      first = test.graph.pointwise(
          first, test.graph.scalar(0.5f),
          PointwiseAttributes().set_mode(PointwiseMode::MUL));
    results.push_back(test.output(
        test.graph.pointwise(
            first, mode.operands > 1 ? second : nullptr,
            mode.operands > 2 ? c.tensor : nullptr,
            PointwiseAttributes().set_name(mode.name).set_mode(mode.mode)),
        type));
  }
  ASSERT_EQ(test.run(), "");
  for (size_t i = 0; i < results.size(); ++i) {
    SCOPED_TRACE(modes[i].name);
    const Operand &first = modes[i].isPositive ? positive : a;
    const Operand &second = modes[i].isPositive ? other : b;
    Numbers exact;
    size_t place = 0;
    forEachIndex(dims, [&](const Shape &index) {
      exact.push_back(modes[i].exact(
          first.numbers[place], second.numbers[size_t(index[1] * 5 + index[3])],
          c.numbers[place]));
      ++place;
    });
    expectClose(test.result(results[i]), exact, 1e-6);
  }
}

} // namespace

TEST(DnnElementsTest, AllModes) {
  EXPECT_EQ(std::size(modes), 46u); // And GEN_INDEX.
  for (DataType type : {DataType::FLOAT, DataType::HALF, DataType::BFLOAT16})
    for (bool channelsLast : {false, true})
      checkModes(type, channelsLast);
}

TEST(DnnElementsTest, ModesWithSettings) {
  TestGraph test;
  Operand &x = test.add({40}), &dy = test.add({40});
  auto add = [&](const PointwiseAttributes &attributes, bool isBackward) {
    return test.output(
        isBackward ? test.graph.pointwise(dy.tensor, x.tensor, attributes)
                   : test.graph.pointwise(x.tensor, attributes));
  };
  auto clip = [](PointwiseMode mode) {
    return PointwiseAttributes()
        .set_mode(mode)
        .set_relu_lower_clip(-0.5)
        .set_relu_upper_clip(1)
        .set_relu_lower_clip_slope(0.25);
  };
  // An element on each edge.
  Numbers edges = x.numbers;
  edges[0] = -0.5;
  edges[1] = 1;
  x.set(edges);
  TensorPointer relu = add(clip(PointwiseMode::RELU_FWD), false);
  TensorPointer reluBack = add(clip(PointwiseMode::RELU_BWD), true);
  TensorPointer elu = add(
      PointwiseAttributes().set_mode(PointwiseMode::ELU_FWD).set_elu_alpha(2),
      false);
  TensorPointer eluBack = add(
      PointwiseAttributes().set_mode(PointwiseMode::ELU_BWD).set_elu_alpha(2),
      true);
  TensorPointer swish = add(PointwiseAttributes()
                                .set_mode(PointwiseMode::SWISH_FWD)
                                .set_swish_beta(3),
                            false);
  TensorPointer swishBack = add(PointwiseAttributes()
                                    .set_mode(PointwiseMode::SWISH_BWD)
                                    .set_swish_beta(3),
                                true);
  TensorPointer softplus = add(PointwiseAttributes()
                                   .set_mode(PointwiseMode::SOFTPLUS_FWD)
                                   .set_softplus_beta(3),
                               false);
  TensorPointer softplusBack = add(PointwiseAttributes()
                                       .set_mode(PointwiseMode::SOFTPLUS_BWD)
                                       .set_softplus_beta(3),
                                   true);
  ASSERT_EQ(test.run(), "");
  Numbers exact[8];
  for (size_t i = 0; i < 40; ++i) {
    double a = x.numbers[i], g = dy.numbers[i], s = sigmoid(3 * a);
    exact[0].push_back(a <= -0.5 ? 0.25 * (a + 0.5) - 0.5 : std::min(a, 1.0));
    exact[1].push_back(a <= -0.5 ? 0.25 * g : a > 1 ? 0 : g);
    exact[2].push_back(a > 0 ? a : 2 * std::expm1(a));
    exact[3].push_back(a > 0 ? g : 2 * g * std::exp(a));
    exact[4].push_back(a * s);
    exact[5].push_back(g * (s + 3 * a * s * (1 - s)));
    exact[6].push_back(std::log1p(std::exp(3 * a)) / 3);
    exact[7].push_back(g * s);
  }
  TensorPointer results[] = {relu,  reluBack,  elu,      eluBack,
                             swish, swishBack, softplus, softplusBack};
  for (size_t i = 0; i < 8; ++i) {
    SCOPED_TRACE(i);
    expectClose(test.result(results[i]), exact[i], 1e-6);
  }
}

TEST(DnnElementsTest, GenIndexAndIntegers) {
  TestGraph test;
  test.graph.set_compute_data_type(DataType::NOT_SET);
  Operand &x = test.add({2, 3, 4});
  Operand &a = test.add({2, 3}, DataType::INT32);
  Operand &b = test.add({3}, DataType::INT32);
  a.set({1, -2, 3, 400000007, 5, -6});
  b.set({1000, 2, -7});
  TensorPointer index = test.output(
      test.graph.pointwise(
          x.tensor,
          PointwiseAttributes().set_mode(PointwiseMode::GEN_INDEX).set_axis(1)),
      DataType::INT32);
  TensorPointer sum = test.output(
      test.graph.pointwise(a.tensor, b.tensor,
                           PointwiseAttributes().set_mode(PointwiseMode::ADD)),
      DataType::INT32);
  ASSERT_EQ(test.run(), "");
  EXPECT_EQ(test.result(index).get(),
            Numbers({0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2,
                     0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2}));
  EXPECT_EQ(test.result(sum).get(), Numbers({1001, 0, -4, 400001007, 7, -13}));
}

TEST(DnnElementsTest, PointwiseErrors) {
  auto fail = [](const Shape &a, const Shape &b, PointwiseMode mode) {
    TestGraph test;
    test.output(test.graph.pointwise(
        test.add(a).tensor, b.empty() ? nullptr : test.add(b).tensor,
        PointwiseAttributes().set_name("p").set_mode(mode)));
    return test.run();
  };
  EXPECT_THAT(fail({2, 3}, {2, 4}, PointwiseMode::ADD),
              HasSubstr("pointwise 'p': expected operands that broadcast, got "
                        "the dims [2, 3] and [2, 4]"));
  EXPECT_THAT(
      fail({2}, {}, PointwiseMode::ADD),
      HasSubstr("expected a mode of one operand, got one that takes 2"));
  EXPECT_THAT(fail({2}, {2}, PointwiseMode::EXP),
              HasSubstr("expected a mode of 2 operands, got one that takes 1"));
  EXPECT_THAT(fail({2}, {2}, PointwiseMode::BINARY_SELECT),
              HasSubstr("takes 3"));
  EXPECT_THAT(fail({2}, {}, PointwiseMode::GEN_INDEX),
              HasSubstr("an 'axis' from 0 to 0, got none"));
  EXPECT_THAT(fail({2}, {}, PointwiseMode::NOT_SET),
              HasSubstr("expected a pointwise mode from 1 to 47, got 0"));
}

//===----------------------------------------------------------------------===//
// Products and reductions
//===----------------------------------------------------------------------===//

TEST(DnnElementsTest, Matmul) {
  // Batches: equal, one for all, one that divides.
  const std::pair<Shape, Shape> cases[] = {
      {{3, 40}, {40, 5}},           {{2, 3, 7}, {2, 7, 5}},
      {{4, 3, 7}, {1, 7, 5}},       {{1, 3, 7}, {4, 7, 5}},
      {{4, 2, 3, 7}, {2, 2, 7, 5}}, {{2, 1, 3, 7}, {4, 3, 7, 5}}};
  for (DataType type :
       {DataType::FLOAT, DataType::HALF, DataType::BFLOAT16, DataType::DOUBLE})
    for (const auto &[left, right] : cases) {
      TestGraph test;
      if (type == DataType::DOUBLE)
        test.graph.set_compute_data_type(DataType::DOUBLE);
      Operand &a = test.add(left, type), &b = test.add(right, type);
      TensorPointer c = test.output(
          test.graph.matmul(a.tensor, b.tensor, MatmulAttributes()), type);
      ASSERT_EQ(test.run(), "");
      Shape dims = left;
      size_t rank = dims.size();
      dims.back() = right.back();
      for (size_t i = 0; i + 2 < rank; ++i)
        dims[i] = std::max(left[i], right[i]);
      ASSERT_EQ(c->get_dim(), dims);
      Numbers exact, bounds;
      forEachIndex(dims, [&](const Shape &index) {
        Shape x = index, y = index;
        for (size_t i = 0; i + 2 < rank; ++i) {
          x[i] /= dims[i] / left[i];
          y[i] /= dims[i] / right[i];
        }
        double sum = 0, sizes = 0;
        for (int64_t k = 0; k < left.back(); ++k) {
          x[rank - 1] = y[rank - 2] = k;
          double product =
              a.numbers[size_t(getOffset(x, test::makeStrides(left)))] *
              b.numbers[size_t(getOffset(y, test::makeStrides(right)))];
          sum += product;
          sizes += std::fabs(product);
        }
        exact.push_back(sum);
        bounds.push_back(gamma2(left.back()) * sizes *
                         (type == DataType::DOUBLE ? 0x1p-29 : 1));
      });
      expectNear(test.result(c), exact, bounds);
    }
}

TEST(DnnElementsTest, MatmulErrors) {
  auto fail = [](const Shape &a, const Shape &b) {
    TestGraph test;
    test.output(test.graph.matmul(test.add(a).tensor, test.add(b).tensor,
                                  MatmulAttributes().set_name("m")));
    return test.run();
  };
  EXPECT_THAT(fail({3, 4}, {5, 6}),
              HasSubstr("matmul 'm': expected as many columns of a as rows of "
                        "b, got the dims [3, 4] and [5, 6]"));
  EXPECT_THAT(fail({4, 3, 4}, {3, 4, 6}), HasSubstr("divide each other"));
  EXPECT_THAT(fail({3, 4}, {1, 4, 6}), HasSubstr("of one rank"));
  EXPECT_THAT(fail({3}, {3}), HasSubstr("at least 2"));
}

TEST(DnnElementsTest, Reductions) {
  using Combine = double (*)(const Numbers &);
  const std::pair<ReductionMode, Combine> cases[] = {
      {ReductionMode::ADD,
       [](const Numbers &xs) {
         double sum = 0;
         for (double x : xs)
           sum += x;
         return sum;
       }},
      {ReductionMode::MUL,
       [](const Numbers &xs) {
         double product = 1;
         for (double x : xs)
           product *= x;
         return product;
       }},
      {ReductionMode::MIN,
       [](const Numbers &xs) {
         return *std::min_element(xs.begin(), xs.end());
       }},
      {ReductionMode::MAX,
       [](const Numbers &xs) {
         return *std::max_element(xs.begin(), xs.end());
       }},
      {ReductionMode::AMAX,
       [](const Numbers &xs) {
         double most = 0;
         for (double x : xs)
           most = std::max(most, std::fabs(x));
         return most;
       }},
      {ReductionMode::AVG,
       [](const Numbers &xs) {
         double sum = 0;
         for (double x : xs)
           sum += x;
         return sum / double(xs.size());
       }},
      {ReductionMode::NORM1,
       [](const Numbers &xs) {
         double sum = 0;
         for (double x : xs)
           sum += std::fabs(x);
         return sum;
       }},
      {ReductionMode::NORM2,
       [](const Numbers &xs) {
         double sum = 0;
         for (double x : xs)
           sum += x * x;
         return std::sqrt(sum);
       }},
      {ReductionMode::MUL_NO_ZEROS, [](const Numbers &xs) {
         double product = 1;
         for (double x : xs)
           product *= x != 0 ? x : 1;
         return product;
       }}};
  for (DataType type : {DataType::FLOAT, DataType::HALF, DataType::BFLOAT16})
    for (bool channelsLast : {false, true}) {
      TestGraph test;
      Operand &x = test.add({3, 4, 5, 2}, type, channelsLast);
      Numbers some = x.numbers;
      some[7] = 0;
      x.set(some);
      std::vector<TensorPointer> results;
      for (const auto &[mode, combine] : cases) {
        results.push_back(
            test.output(test.graph.reduction(
                            x.tensor, ReductionAttributes().set_mode(mode)),
                        type));
        results.back()->set_dim({1, 4, 1, 2});
      }
      ASSERT_EQ(test.run(), "");
      for (size_t i = 0; i < results.size(); ++i) {
        SCOPED_TRACE(i);
        std::vector<Numbers> parts(8);
        size_t place = 0;
        forEachIndex({3, 4, 5, 2}, [&](const Shape &index) {
          parts[size_t(index[1] * 2 + index[3])].push_back(x.numbers[place++]);
        });
        Numbers exact;
        for (const Numbers &part : parts)
          exact.push_back(cases[i].second(part));
        expectClose(test.result(results[i]), exact, 1e-6);
      }
    }
  TestGraph test;
  TensorPointer y = test.output(test.graph.reduction(
      test.add({3, 4}).tensor,
      ReductionAttributes().set_name("r").set_mode(ReductionMode::ADD)));
  EXPECT_THAT(test.run(), HasSubstr("expected the dims of 'y' to be given"));
  y->set_dim({3, 2});
  EXPECT_THAT(test.run(),
              HasSubstr("reduction 'r': expected y to have the dims of x, and "
                        "1 where they are reduced, got [3, 2] for [3, 4]"));
}

//===----------------------------------------------------------------------===//
// Windows
//===----------------------------------------------------------------------===//

namespace {

const Shape poolX = {2, 3, 5, 6}, poolY = {2, 3, 3, 3};

template <typename Attributes> Attributes pool(ResampleMode mode) {
  return Attributes()
      .set_name("pool")
      .set_mode(mode)
      .set_window({3, 2})
      .set_stride({2, 2})
      .set_pre_padding({1, 0})
      .set_post_padding({1, 1});
}

/// Calls `visit` with the positions of a window in x, which may be outside.
template <typename Visit> void forEachElement(const Shape &y, Visit visit) {
  forEachIndex({3, 2}, [&](const Shape &k) {
    int64_t row = y[2] * 2 + k[0] - 1, column = y[3] * 2 + k[1];
    bool isInside = row >= 0 && row < 5 && column < 6;
    visit(isInside, Shape{y[0], y[1], row, column});
  });
}

} // namespace

TEST(DnnElementsTest, Pooling) {
  for (DataType type : {DataType::FLOAT, DataType::HALF, DataType::BFLOAT16})
    for (bool channelsLast : {false, true}) {
      TestGraph test;
      Operand &x = test.add(poolX, type, channelsLast);
      Operand &dy = test.add(poolY, type, channelsLast);
      Graph &graph = test.graph;
      ResampleMode modes[] = {
          ResampleMode::MAXPOOL, ResampleMode::AVGPOOL_EXCLUDE_PADDING,
          ResampleMode::AVGPOOL_INCLUDE_PADDING, ResampleMode::MAXPOOL};
      std::vector<TensorPointer> ys, dxs;
      for (size_t i = 0; i < 4; ++i) {
        auto attributes = pool<ResampleAttributes>(modes[i]);
        auto back = pool<ResampleBackwardAttributes>(modes[i]);
        if (i == 3) {
          attributes.set_padding_mode(PaddingMode::ZERO_PAD);
          back.set_padding_mode(PaddingMode::ZERO_PAD);
        }
        ys.push_back(
            test.output(graph.resample(x.tensor, attributes)[0], type));
        bool needsX = modes[i] == ResampleMode::MAXPOOL;
        dxs.push_back(
            test.output(graph.resample_backward(
                            dy.tensor, needsX ? x.tensor : nullptr, back),
                        type));
        dxs.back()->set_dim(poolX);
      }
      auto indexed = graph.resample(
          x.tensor, pool<ResampleAttributes>(ResampleMode::MAXPOOL)
                        .set_generate_index(true));
      TensorPointer index = test.output(indexed[1], DataType::INT32);
      ASSERT_EQ(test.run(), "");
      for (size_t i = 0; i < 4; ++i) {
        SCOPED_TRACE(i);
        Numbers y, dx(x.numbers.size()), places;
        size_t out = 0;
        forEachIndex(poolY, [&](const Shape &window) {
          double largest = -INFINITY, sum = 0, count = 0;
          int64_t place = -1;
          std::vector<size_t> inside;
          forEachElement(window, [&](bool isInside, const Shape &element) {
            int64_t offset = getOffset(element, {90, 30, 6, 1});
            double number = isInside ? x.numbers[size_t(offset)] : 0;
            if (isInside)
              inside.push_back(size_t(offset));
            sum += number;
            count += isInside || i == 2;
            if ((isInside || i == 3) && number > largest) {
              largest = number;
              place = isInside ? offset : -1;
            }
          });
          bool isMaximum = i == 0 || i == 3;
          y.push_back(isMaximum ? largest : sum / count);
          places.push_back(double(place % 30));
          double g = dy.numbers[out++];
          if (isMaximum && place >= 0)
            dx[size_t(place)] += g;
          for (size_t each : inside)
            dx[each] += isMaximum ? 0 : g / count;
        });
        expectClose(test.result(ys[i]), y, 1e-6);
        expectClose(test.result(dxs[i]), dx, 1e-6);
        if (i == 0)
          EXPECT_EQ(test.result(index).get(), places);
      }
    }
}

TEST(DnnElementsTest, PoolingErrors) {
  auto check = [](const ResampleAttributes &attributes) {
    TestGraph test;
    test.output(test.graph.resample(test.add(poolX).tensor, attributes)[0]);
    return test.graph.validate();
  };
  auto attributes = pool<ResampleAttributes>(ResampleMode::BILINEAR);
  Error error = check(attributes);
  EXPECT_EQ(error.code, ErrorCode::GRAPH_NOT_SUPPORTED);
  EXPECT_EQ(error.message, "resample 'pool': interpolation is not supported");
  attributes.set_mode(ResampleMode::MAXPOOL);
  error = check(attributes.set_padding_mode(PaddingMode::EDGE_VAL_PAD));
  EXPECT_EQ(error.code, ErrorCode::GRAPH_NOT_SUPPORTED);
  attributes.set_mode(ResampleMode::AVGPOOL_INCLUDE_PADDING);
  error = check(attributes.set_padding_mode(PaddingMode::NEG_INF_PAD));
  EXPECT_EQ(error.code, ErrorCode::INVALID_VALUE);
}
