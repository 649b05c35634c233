//===- ArrayTest.cpp - Arrays and deferred expressions ----------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "hamkaas-cpp/Array.h"
#include "../Runtime/Allocations.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include <cmath>
#include <numeric>
#include <sstream>
#include <thread>

using namespace hamkaas;
using ::testing::ElementsAre;
using ::testing::ElementsAreArray;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::StartsWith;

// Count what the headers allocate, too. AddressSanitizer has operators of its
// own, some of which only its operators may free.
#if !__has_feature(address_sanitizer)
void *operator new(size_t bytes) { return malloc(bytes); }
void operator delete(void *memory) noexcept { free(memory); }
void operator delete(void *memory, size_t) noexcept { free(memory); }
#endif

namespace {

/// The error of a result, empty on success.
template <typename T> std::string errorOf(const Result<T> &result) {
  return result ? "" : result.error().message();
}

#define EXPECT_DONE(...) EXPECT_EQ(errorOf<void>(__VA_ARGS__), "")

/// 0, 1, 2, ... in a shape.
template <typename T = float> Array<T> count(const Dims &shape) {
  Array<T> array(shape);
  std::iota(array.data(), array.data() + array.size(), T(0));
  return array;
}

template <typename E> auto valuesOf(const E &expression) {
  auto result = evaluate(expression);
  EXPECT_EQ(errorOf(result), "");
  return result ? result->toVector() : Array<typename E::Element>().toVector();
}

template <typename E> std::string print(const E &expression) {
  std::ostringstream stream;
  stream << expression;
  return stream.str();
}

} // namespace

//===----------------------------------------------------------------------===//
// Expressions
//===----------------------------------------------------------------------===//

TEST(Array, ComputesAnExpression) {
  Array<float> a({2, 3}, {-1, 0, 1, 2, 3, 4}), y;
  EXPECT_DONE(y = (clamp(a, 0, 3) - 1) * 2 + 0.5f);
  EXPECT_EQ(y.shape(), (Dims{2, 3}));
  EXPECT_EQ(reinterpret_cast<uintptr_t>(y.data()) % 256, 0u);
  EXPECT_THAT(y.toVector(), ElementsAre(-1.5, -1.5, 0.5, 2.5, 4.5, 4.5));
  EXPECT_DONE(y.device(cpu(1)) = 1 - y);
  EXPECT_THAT(y.toVector(), ElementsAre(2.5, 2.5, 0.5, -1.5, -3.5, -3.5));
}

TEST(Array, Broadcasts) {
  Array<float> a = count({2, 3}), row({3}, {10, 20, 30});
  Array<float> column({2, 1}, {100, 200});
  EXPECT_THAT(valuesOf(row - a), ElementsAre(10, 19, 28, 7, 16, 25));
  EXPECT_THAT(valuesOf(row + column),
              ElementsAre(110, 120, 130, 210, 220, 230));
  EXPECT_THAT(valuesOf(where(a > 2, row, column)),
              ElementsAre(100, 100, 100, 10, 20, 30));
}

template <typename T> class ArrayOf : public ::testing::Test {};
using Numbers =
    ::testing::Types<float, double, int8_t, int16_t, int32_t, int64_t, uint8_t,
                     uint16_t, uint32_t, uint64_t>;
TYPED_TEST_SUITE(ArrayOf, Numbers);

TYPED_TEST(ArrayOf, Arithmetic) {
  using T = TypeParam;
  Array<T> a({4}, {7, 8, 9, 100}), b({4}, {1, 2, 3, 7});
  EXPECT_THAT(
      valuesOf(a * 2 - b),
      ElementsAre(13, 14, 15,
                  193 % 256 -
                      (sizeof(T) == 1 && std::is_signed_v<T> ? 256 : 0)));
  EXPECT_THAT(valuesOf(a % b), ElementsAre(0, 0, 0, 2));
  EXPECT_THAT(valuesOf(a >= 9), ElementsAre(0, 0, 1, 1));
  EXPECT_THAT(valuesOf(cast<float>(a) / 2), ElementsAre(3.5, 4, 4.5, 50));
  EXPECT_THAT(valuesOf(cast<T>(cast<float>(b) * 2)), ElementsAre(2, 4, 6, 14));
}

TEST(Array, HalfPrecisionAndBooleans) {
  Array<float> a({3}, {1, 2, 3});
  EXPECT_THAT(valuesOf(cast<float>(cast<Float16>(a) * 0.1f)),
              ElementsAre(0.0999755859375, 0.199951171875, 0.2998046875));
  EXPECT_THAT(valuesOf(cast<float>(cast<BFloat16>(a) + 1)),
              ElementsAre(2, 3, 4));
  Array<bool> isOdd({3}, {true, false, true});
  EXPECT_THAT(valuesOf(isOdd & (a < 3)), ElementsAre(1, 0, 0));
  EXPECT_THAT(valuesOf(!isOdd), ElementsAre(0, 1, 0));
  EXPECT_TRUE(*value(any(a > 2)));
  EXPECT_FALSE(*value(allOf(a > 2)));
}

TEST(Array, Mathematics) {
  Array<double> a({3}, {0.25, 0.5, 0.75});
  auto expect = [&](const auto &expression, double (*function)(double)) {
    std::vector<double> values = valuesOf(expression);
    for (size_t i = 0; i < 3; ++i)
      EXPECT_NEAR(values[i], function(a.data()[i]), 1e-14);
  };
  expect(exp(a), std::exp);
  expect(log(a), std::log);
  expect(tanh(a), std::tanh);
  expect(asin(a), std::asin);
  expect(sqrt(a), std::sqrt);
  expect(-a, [](double x) { return -x; });
  expect(pow(a, 2), [](double x) { return x * x; });
}

TEST(Array, AlongDimensions) {
  Array<float> a = count({2, 3});
  EXPECT_EQ(*value(sum(a)), 15);
  EXPECT_THAT(valuesOf(sum(a, {0})), ElementsAre(3, 5, 7));
  EXPECT_THAT(valuesOf(max(a, {-1})), ElementsAre(2, 5));
  EXPECT_THAT(valuesOf(a - min(a, {1}, Keep::yes)),
              ElementsAre(0, 1, 2, 0, 1, 2));
  EXPECT_THAT(valuesOf(prod(a + 1, {1, 0})), ElementsAre(720));
  EXPECT_THAT(valuesOf(matmul(a, transpose(a))), ElementsAre(5, 14, 14, 50));
  EXPECT_THAT(valuesOf(transpose(a)), ElementsAre(0, 3, 1, 4, 2, 5));
  EXPECT_THAT(valuesOf(sum(reshape(a, {3, -1}), {1})), ElementsAre(1, 5, 9));
  EXPECT_THAT(valuesOf(concat(1, a, a * 10)),
              ElementsAre(0, 1, 2, 0, 10, 20, 3, 4, 5, 30, 40, 50));
  EXPECT_THAT(valuesOf(broadcastTo(sum(a, {0}), {2, 3})),
              ElementsAre(3, 5, 7, 3, 5, 7));
  std::vector<float> rows = valuesOf(sum(softmax(a), {1}));
  EXPECT_NEAR(rows[0], 1, 1e-6);
}

TEST(Array, Prints) {
  Array<int8_t> a = count<int8_t>({2, 2});
  EXPECT_EQ(print(a * 3), "[[0, 3], [6, 9]]");
  EXPECT_EQ(print(cast<Float16>(a.slice({0}))), "[0, 1]");
  EXPECT_EQ(print(a + count<int8_t>({3})),
            "expected shapes that broadcast together, got [2, 2] and "
            "[3]");
  EXPECT_EQ(print(matmul(a, count<int8_t>({3, 2}))).substr(0, 8), "'matmul'");
}

//===----------------------------------------------------------------------===//
// Views
//===----------------------------------------------------------------------===//

TEST(Array, CopiesHaveTheirOwnElements) {
  Array<float> a = count({3}), b = a;
  View<float> view = a;
  EXPECT_DONE(a = a + 1);
  EXPECT_THAT(b.toVector(), ElementsAre(0, 1, 2));
  EXPECT_THAT(view.toVector(), ElementsAre(1, 2, 3));
  // Another shape has other memory.
  EXPECT_DONE(a = concat(0, a, b));
  EXPECT_EQ(a.size(), 6);
  EXPECT_THAT(view.toVector(), ElementsAre(1, 2, 3));
  b = std::move(a);
  EXPECT_EQ(a.size(), 0);
  EXPECT_EQ(b.size(), 6);
}

TEST(Array, ViewsAreThoseOfNumpy) {
  Array<float> a = count({4, 5});
  // a[1:, ::-2], a[-1], a[:, 3]
  View<float> slice =
      a.slice({Range(1, Range::open), Range(4, Range::open, -2)});
  EXPECT_EQ(slice.shape(), (Dims{3, 3}));
  EXPECT_EQ(slice.strides(), (Dims{5, -2}));
  EXPECT_THAT(slice.toVector(), ElementsAre(9, 7, 5, 14, 12, 10, 19, 17, 15));
  EXPECT_THAT(a.slice({-1}).toVector(), ElementsAre(15, 16, 17, 18, 19));
  EXPECT_THAT(a.slice({Range::all(), 3}).toVector(), ElementsAre(3, 8, 13, 18));
  EXPECT_EQ(a.transpose()(4, 3), 19);
  EXPECT_EQ(a.reshape({2, -1}).shape(), (Dims{2, 10}));
  // Every second row: the first dimension can be split, not merged.
  View<float> rows = a.slice({Range(0, 4, 2)});
  EXPECT_EQ(rows.reshape({2, 1, 5}).strides(), (Dims{10, 0, 1}));
  EXPECT_THAT(rows.reshape({10}).problem(),
              HasSubstr("error: expected strides that allow a view"));
  EXPECT_EQ(a.slice({0}).broadcastTo({2, 5}).strides(), (Dims{0, 1}));
}

TEST(Array, ViewsAreOperandsAndTargets) {
  Array<float> a = count({4, 5});
  EXPECT_THAT(valuesOf(a.slice({Range(0, 4, 2), Range(3, 0, -2)}) * 1),
              ElementsAre(3, 1, 13, 11));
  EXPECT_THAT(valuesOf(a.transpose().slice({Range(3, 5)}) + 0.5f),
              ElementsAre(3.5, 8.5, 13.5, 18.5, 4.5, 9.5, 14.5, 19.5));
  EXPECT_DONE(a.slice({Range(1, 3), Range(0, 2)}) =
                  a.slice({0, Range(3, 5)}) * Array<float>({2, 1}, {1, 10}));
  EXPECT_THAT(a.slice({Range(1, 3)}).toVector(),
              ElementsAre(3, 4, 7, 8, 9, 30, 40, 12, 13, 14));
  EXPECT_DONE(a.slice({3}) = a.slice({0}));
  EXPECT_EQ(a(3, 4), 4);
  a.slice({Range::all(), 4}).fill(-1);
  EXPECT_EQ(*value(sum(a.slice({Range::all(), 4}))), -4);
}

// Rows of 2000 elements would reach beyond the memory, and it takes more than
// 64 shorter ones to be one step.
TEST(Array, CopiesViewsWithoutAWindow) {
  Array<float> a = count({1001, 2}), y;
  View<float> ends = a.slice({Range(0, 1001, 1000)});
  auto compute = [&] {
    EXPECT_DONE(y = ends * 2);
    EXPECT_THAT(y.toVector(), ElementsAre(0, 2, 4000, 4002));
  };
  compute();
  EXPECT_DONE(ends = ends + transpose(ends));
  EXPECT_THAT(ends.toVector(), ElementsAre(0, 2001, 2001, 4002));
  EXPECT_EQ(a(1, 0), 2);
}

TEST(Array, UsesTheCallersMemory) {
  float memory[] = {1, 2, 3, 4};
  View<float> view(memory, {2, 2});
  EXPECT_DONE(view = view * view);
  EXPECT_THAT(memory, ElementsAre(1, 4, 9, 16));
}

TEST(Array, ReadsAliasesBeforeItWrites) {
  for (int64_t n : {1, 2, 17, 64, 100}) {
    Array<float> a = count({n, n}), b = a;
    float *data = a.data();
    EXPECT_DONE(a = a + transpose(a));
    EXPECT_EQ(a.data(), data);
    for (int64_t i = 0; i < n; ++i)
      for (int64_t j = 0; j < n; ++j)
        ASSERT_EQ(a(i, j), b(i, j) + b(j, i));
  }
  // Each element moves by one.
  Array<float> a = count({1000});
  EXPECT_DONE(a.slice({Range(1, 1000)}) = a.slice({Range(0, 999)}) + 1);
  EXPECT_EQ(a(999), 999);
  EXPECT_DONE(a.slice({Range(0, 999)}) = a.slice({Range(1, 1000)}));
  EXPECT_EQ(a(0), 1);
  EXPECT_DONE(a = a.slice({Range(Range::open, Range::open, -1)}) - a);
  EXPECT_EQ(a(0), 998);
}

// Also where the results are written with nontemporal stores.
TEST(Array, WorksInPlace) {
  for (int64_t n : {1, 3, 15, 16, 17, 63, 100, 1023, 4099, 3000017})
    for (int64_t shift : {0, 1}) {
      Array<float> memory = count({n + shift});
      View<float> a = memory.slice({Range(shift, n + shift)});
      EXPECT_DONE(a.device(cpu(2)) = a * 0.5f + a);
      for (int64_t i = 0; i < n; ++i)
        ASSERT_EQ(a(i), float(i + shift) * 0.5f + float(i + shift)) << n;
    }
}

TEST(Array, WorksInPlaceOnAllTypes) {
  auto expect = [](auto zero) {
    using T = decltype(zero);
    for (int64_t n : {1, 7, 33, 127, 1000}) {
      Array<T> a({n});
      for (int64_t i = 0; i < n; ++i)
        a(i) = T(i % 50);
      EXPECT_DONE(a = a + a);
      for (int64_t i = 0; i < n; ++i)
        ASSERT_EQ(a(i), T(i % 50 * 2)) << n;
    }
  };
  expect(double());
  expect(int8_t());
  expect(uint16_t());
  expect(int32_t());
  expect(int64_t());
}

//===----------------------------------------------------------------------===//
// Programs
//===----------------------------------------------------------------------===//

TEST(Array, AllocatesNothingTheSecondTime) {
  Array<float> a = count({64, 64}), b = a, y;
  View<float> column = b.slice({Range::all(), Range(0, 64, 2)});
  float scale = 2;
  auto compute = [&] {
    EXPECT_DONE(y = (clamp(a, 1, 3) - 1) * scale + b);
    EXPECT_DONE(a = a + transpose(a));
    EXPECT_DONE(b.slice({Range::all(), Range(1, 64, 2)}) = column * scale);
    scale += 1;
  };
  int64_t first = test::allocationCount();
  compute();
  int64_t before = test::allocationCount();
  EXPECT_GT(before, first);
  compute();
  compute();
  EXPECT_EQ(test::allocationCount(), before);
}

TEST(Array, TellsShapesThatDoNotRepeat) {
  setMaxPrograms(4);
  Array<float> a = count({100});
  Result<void> done;
  int64_t n = 1;
  int line = 0;
  for (; n < 100 && done; ++n) {
    Array<float> y;
    float other = float(n);
    line = __LINE__ + 1;
    done = y = sqrt(a.slice({Range(0, n)})) * other;
  }
  setMaxPrograms(64);
  EXPECT_EQ(n, 6);
  EXPECT_THAT(errorOf(done),
              HasSubstr("ArrayTest.cpp:" + std::to_string(line) +
                        ": error: expected shapes that repeat: this expression "
                        "was compiled for 4 different shapes or strides, last "
                        "for (float32 [4]), got (float32 [5]); see "));
}

// A moving window has one shape, and one program.
TEST(Array, FindsTheProgramOfAMovingView) {
  setMaxPrograms(2);
  Array<float> a = count({40, 30}), y;
  for (int64_t i = 0; i < 30; ++i) {
    EXPECT_DONE(y = cos(a.slice({Range::all(), i})));
    EXPECT_NEAR(y(39), std::cos(float(39 * 30 + i)), 1e-4);
  }
  setMaxPrograms(64);
}

TEST(Array, ComputesOnManyThreads) {
  Array<float> a = count({500});
  std::vector<std::thread> threads;
  for (int i = 0; i < 8; ++i)
    threads.emplace_back([&, i] {
      Array<float> y;
      for (int k = 0; k < 50; ++k) {
        EXPECT_DONE(y = a * float(i) + float(k) - a);
        EXPECT_EQ(y(499), float(499 * i + k - 499));
      }
    });
  for (std::thread &thread : threads)
    thread.join();
}

//===----------------------------------------------------------------------===//
// Errors
//===----------------------------------------------------------------------===//

namespace {

std::string here(int line) {
  return "ArrayTest.cpp:" + std::to_string(line) + ": error: ";
}

} // namespace

TEST(Array, Errors) {
  Array<float> a = count({2, 3}), b = count({2}), empty, y;
  int line = __LINE__ + 1;
  Result<void> done = y = a + b;
  EXPECT_THAT(errorOf(done),
              EndsWith(here(line) + "expected shapes that broadcast together, "
                                    "got [2, 3] and [2]"));
  EXPECT_THAT(errorOf<void>(y = a * empty),
              EndsWith("expected an array with elements, got one that nothing "
                       "was assigned to"));
  EXPECT_THAT(errorOf<void>(a.slice({0}) = a * 2),
              EndsWith("expected a result of shape [3], got [2, 3]"));
  EXPECT_THAT(errorOf<void>(y = matmul(a, a)), HasSubstr("'matmul': "));
  EXPECT_THAT(errorOf<void>(y = sum(a, {2})),
              EndsWith("expected dimensions from -2 to 1, got [2]"));
  EXPECT_THAT(errorOf<void>(y = sum(a, {1, -1})),
              EndsWith("expected each dimension once, got [1, -1]"));
  EXPECT_THAT(errorOf<void>(y = reshape(a, {4, -1})),
              EndsWith("expected dimensions of at least 1, got [4, -1]"));
  EXPECT_THAT(errorOf<void>(y = permute(a, {0, 0})),
              EndsWith("expected a permutation of 2 dimensions, got [0, 0]"));
  EXPECT_THAT(errorOf(value(a)), EndsWith("expected one element, got shape "
                                          "[2, 3]"));
  EXPECT_EQ(y.size(), 0);
}

TEST(Array, ErrorsOfViews) {
  Array<float> a = count({2, 3}), y;
  auto expect = [&](const View<float> &view, const std::string &problem) {
    EXPECT_THAT(view.problem(), EndsWith(problem));
    EXPECT_EQ(view.data(), nullptr);
    EXPECT_EQ(errorOf<void>(y = view + 1), view.problem());
  };
  int line = __LINE__ + 1;
  View<float> view = a.slice({2});
  expect(view, here(line) + "dimension 0: expected a position from -2 to 1, "
                            "got 2");
  expect(a.slice({Range::all(), Range(0, 2, 0)}),
         "dimension 1: expected a step other "
         "than 0");
  expect(a.slice({Range(1, 1)}), "expected at least one element, got none of a "
                                 "dimension of size 2");
  expect(a.slice({Range::all(), Range::all(), Range::all()}),
         "expected at most 2 ranges, got 3");
  expect(a.permute({1}), "expected a permutation of 2 dimensions, got [1]");
  expect(a.broadcastTo({2, 4}),
         "expected a shape that [2, 3] broadcasts to, got [2, 4]");
  expect(a.reshape({5}), "expected a shape of 6 elements, got [5]");
  expect(View<float>(nullptr, {1}), "expected the address of the elements, got "
                                    "null");
  expect(Array<float>({2, 0}), "expected dimensions of at least 1, got [2, 0]");
  expect(Array<float>({1, 1, 1, 1, 1, 1, 1, 1, 1}),
         "expected at most 8 dimensions, got 9");
  expect(Array<float>({2}, {1, 2, 3}),
         "expected 2 elements for the shape [2], got 3");
  expect(Array<float>({int64_t(1) << 40, 1 << 20}),
         "expected fewer than 2^47 elements, got [1099511627776, 1048576]");
}

TEST(Array, NeedsItsDevice) {
  Array<float> a = count({4}), y;
  int line = __LINE__ + 1;
  Result<void> done = y.device(cuda(7)) = a + 1;
  EXPECT_THAT(errorOf(done), HasSubstr(here(line) + "device 'cuda:7': "));
}

// With a fake driver only, under which unit.test runs it: that one runs no
// kernels, but checks the addresses that they are given.
TEST(Array, DISABLED_RunsOnTheDevice) {
  Array<float> a = count({4}), y;
  for (int i = 0; i < 2; ++i)
    EXPECT_DONE(y.device(cuda()) = a + 1);
  EXPECT_EQ(y.size(), 4);
  Result<void> done = y.device(cuda(7)) = a + 1;
  EXPECT_THAT(errorOf(done), HasSubstr("device 'cuda:7': "));
}

//===----------------------------------------------------------------------===//
// Random views
//===----------------------------------------------------------------------===//

namespace {

/// Operands of random layouts whose shapes broadcast to one of rank 3.
class RandomViews {
public:
  explicit RandomViews(uint32_t seed) : state(seed) {
    for (int i = 0; i < 3; ++i)
      shape.push(1 + next(7));
  }

  uint32_t next(uint32_t bound) {
    state = state * 1664525 + 1013904223;
    return (state >> 8) % bound;
  }

  View<float> view(bool isWhole) {
    int32_t dropped = isWhole ? 0 : int32_t(next(3));
    Dims sizes;
    for (int32_t i = dropped; i < 3; ++i)
      sizes.push(!isWhole && next(4) == 0 ? 1 : shape[i]);
    return slice(sizes);
  }

  Dims shape;

private:
  /// A slice, with other steps and orders of dimensions, of a larger array.
  View<float> slice(const Dims &sizes) {
    constexpr int64_t steps[] = {1, 1, 1, 2, 3, -1, -2};
    int32_t rank = sizes.size();
    Dims order, inverse = sizes, whole;
    for (int32_t i = 0; i < rank; ++i)
      order.push(i);
    for (int32_t i = rank; i-- > 1;)
      std::swap(order[i], order[int32_t(next(uint32_t(i + 1)))]);
    Range ranges[3];
    for (int32_t i = 0; i < rank; ++i) {
      inverse[int32_t(order[i])] = i;
      int64_t size = sizes[int32_t(order[i])], step = steps[next(7)];
      int64_t low = next(3) ? 0 : next(3);
      int64_t reach = (size - 1) * std::abs(step);
      whole.push(low + reach + 1 + (next(3) ? 0 : next(3)));
      ranges[i] = step > 0
                      ? Range(low, low + reach + 1, step)
                      : Range(low + reach, low ? low - 1 : Range::open, step);
    }
    Array<float> base(whole);
    for (int64_t i = 0; i < base.size(); ++i)
      base.data()[i] = float(next(2000)) / 16 - 60;
    View<float> view = rank == 1 ? base.slice({ranges[0]})
                       : rank == 2
                           ? base.slice({ranges[0], ranges[1]})
                           : base.slice({ranges[0], ranges[1], ranges[2]});
    return view.permute(inverse);
  }

  uint32_t state;
};

float at(const View<float> &view, const int64_t (&index)[3]) {
  const float *element = view.data();
  int32_t dropped = 3 - view.rank();
  for (int32_t i = 0; i < view.rank(); ++i)
    if (view.shape()[i] != 1)
      element += index[i + dropped] * view.strides()[i];
  return *element;
}

/// Computes with views in each of some layouts, and element by element.
template <typename Expression, typename Plain>
void compare(Expression expression, Plain plain) {
  for (uint32_t seed = 0; seed < 24; ++seed) {
    RandomViews random(seed);
    View<float> a = random.view(true), b = random.view(false),
                c = random.view(false), y = random.view(true);
    // Every fourth is in place.
    View<float> target = random.next(4) ? y : a;
    std::vector<float> expected;
    for (int64_t i = 0; i < random.shape[0]; ++i)
      for (int64_t j = 0; j < random.shape[1]; ++j)
        for (int64_t k = 0; k < random.shape[2]; ++k)
          expected.push_back(
              plain(at(a, {i, j, k}), at(b, {i, j, k}), at(c, {i, j, k})));
    EXPECT_DONE(target = expression(a, b, c));
    EXPECT_THAT(target.toVector(), ElementsAreArray(expected)) << seed;
  }
}

} // namespace

TEST(Array, RandomViews) {
  compare([](auto a, auto b, auto c) { return (a - b) * c; },
          [](float a, float b, float c) { return (a - b) * c; });
  compare([](auto a, auto b,
             auto c) { return where(a < b, maximum(a, c), 2 - abs(b)); },
          [](float a, float b, float c) {
            return a < b ? std::max(a, c) : 2 - std::abs(b);
          });
}
