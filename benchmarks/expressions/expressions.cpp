//===- expressions.cpp - The expressions of the benchmark -------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Compiled by run.py with -O3 -march=native -fopenmp. Each function computes an
// expression `runs` times and returns the seconds.
//
//===----------------------------------------------------------------------===//

#define HAMKAAS_EXCEPTIONS
#include <hamkaas-cpp/Array.h>

#include <Eigen/Core>
#include <chrono>
#include <cmath>
#include <cstdio>

namespace {

struct Operands {
  float *a, *b, *c, *y;
  int64_t size;
  float low, high, scale;
  int32_t threads;
};

template <typename Compute> double measure(int64_t runs, Compute compute) {
  using Clock = std::chrono::steady_clock;
  Clock::time_point begin = Clock::now();
  for (int64_t i = 0; i < runs; ++i)
    compute();
  return std::chrono::duration<double>(Clock::now() - begin).count();
}

/// The loop of one thread has no OpenMP around it.
template <typename Element>
double measureLoop(const Operands &x, int64_t runs, Element element) {
  float *__restrict y = x.y;
  const float *a = x.a, *b = x.b, *c = x.c;
  if (x.threads == 1)
    return measure(runs, [&] {
      for (int64_t i = 0; i < x.size; ++i)
        y[i] = element(a[i], b[i], c[i]);
      asm volatile("" ::: "memory");
    });
  return measure(runs, [&] {
#pragma omp parallel for simd num_threads(x.threads)
    for (int64_t i = 0; i < x.size; ++i)
      y[i] = element(a[i], b[i], c[i]);
  });
}

template <typename Compute>
double measureEigen(const Operands &x, int64_t runs, Compute compute) {
  using Map = Eigen::Map<Eigen::ArrayXf>;
  Map a(x.a, x.size), b(x.b, x.size), c(x.c, x.size), y(x.y, x.size);
  return measure(runs, [&] {
    compute(a, b, c, y);
    asm volatile("" ::: "memory");
  });
}

template <typename Compute>
double measureHamKaas(const Operands &x, int64_t runs, Compute compute) {
  using View = hamkaas::View<float>;
  View a(x.a, {x.size}), b(x.b, {x.size}), c(x.c, {x.size}), y(x.y, {x.size});
  try {
    return measure(runs, [&] { compute(a, b, c, y); });
  } catch (const hamkaas::Error &error) {
    fprintf(stderr, "%s\n", error.what());
    return -1;
  }
}

} // namespace

extern "C" {

double loop_clamp(const Operands *x, int64_t runs) {
  float low = x->low, high = x->high, scale = x->scale;
  return measureLoop(*x, runs, [=](float a, float, float) {
    return (std::min(std::max(a, low), high) - low) * scale + 0.5f;
  });
}
double eigen_clamp(const Operands *x, int64_t runs) {
  return measureEigen(*x, runs, [&](auto &a, auto &, auto &, auto &y) {
    y = (a.max(x->low).min(x->high) - x->low) * x->scale + 0.5f;
  });
}
double hamkaas_clamp(const Operands *x, int64_t runs) {
  return measureHamKaas(*x, runs, [&](auto &a, auto &, auto &, auto &y) {
    y.device(hamkaas::cpu(x->threads)) =
        (clamp(a, x->low, x->high) - x->low) * x->scale + 0.5f;
  });
}

double loop_muladd(const Operands *x, int64_t runs) {
  return measureLoop(*x, runs,
                     [](float a, float b, float c) { return a * b + c; });
}
double eigen_muladd(const Operands *x, int64_t runs) {
  return measureEigen(
      *x, runs, [](auto &a, auto &b, auto &c, auto &y) { y = a * b + c; });
}
double hamkaas_muladd(const Operands *x, int64_t runs) {
  return measureHamKaas(*x, runs, [&](auto &a, auto &b, auto &c, auto &y) {
    y.device(hamkaas::cpu(x->threads)) = a * b + c;
  });
}

double loop_sigmoid(const Operands *x, int64_t runs) {
  return measureLoop(
      *x, runs, [](float a, float, float) { return 1 / (1 + std::exp(-a)); });
}
double eigen_sigmoid(const Operands *x, int64_t runs) {
  return measureEigen(*x, runs, [](auto &a, auto &, auto &, auto &y) {
    y = 1 / (1 + (-a).exp());
  });
}
double hamkaas_sigmoid(const Operands *x, int64_t runs) {
  return measureHamKaas(*x, runs, [&](auto &a, auto &, auto &, auto &y) {
    y.device(hamkaas::cpu(x->threads)) = 1 / (1 + exp(-a));
  });
}
}
