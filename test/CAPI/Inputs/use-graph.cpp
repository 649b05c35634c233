//===- use-graph.cpp - A graph that is built in C++ ---------------*- C++
//-*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include <hamkaas-cpp/Graph.h>

#include <cstdio>
#include <cstring>

using hamkaas::Graph;
using hamkaas::Value;

#ifdef HAMKAAS_EXCEPTIONS
template <typename T> static T take(T value) { return value; }
#else
template <typename T> static T take(hamkaas::Result<T> result) {
  return std::move(*result);
}
#endif

/// 2 x + 1 for 0, 1, 2.
static void compute() {
  Graph graph;
  Value x = graph.input("x", HamKaasFloat32, {3});
  graph.output("y", 1 + x * 2);
  auto model = take(graph.compile());
  auto instance = take(model.createInstance());
  const float given[] = {0, 1, 2};
  float y[3] = {};
  const void *inputs[] = {given};
  void *outputs[] = {y};
  (void)instance.run(inputs, outputs);
  std::printf("%g %g %g\n", static_cast<double>(y[0]),
              static_cast<double>(y[1]), static_cast<double>(y[2]));
}

static void print(const std::string &error) {
  size_t file = error.find("use-graph.cpp");
  std::printf("%s\n", error.c_str() + (file < error.size() ? file : 0));
}

int main() {
  compute();
  Graph graph;
  Value x = graph.input("x", HamKaasFloat32, {3});
  Value y = graph.input("y", HamKaasFloat32, {2});
#ifdef HAMKAAS_EXCEPTIONS
  try {
    x + y;
  } catch (const hamkaas::Error &error) {
    print(error.message());
  }
#else
  graph.output("sum", x + y);
  print(graph.compile().error().message());
#endif
  return 0;
}
