// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Shared by the samples in C++: errors, numbers, comparisons.
#ifndef SAMPLE_H
#define SAMPLE_H

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <hamkaas-dnn/Dnn.h>
#include <string>
#include <vector>

using namespace hamkaas::dnn;

inline void check(const Error &error) {
  if (error.isGood())
    return;
  std::fprintf(stderr, "%s\n", error.message.c_str());
  std::exit(1);
}

/// Numbers from -1 to 1.
inline std::vector<float> makeNumbers(size_t count, unsigned seed) {
  std::vector<float> numbers(count);
  for (float &number : numbers) {
    seed = seed * 1664525u + 1013904223u;
    number = float(seed >> 8) / (1 << 23) - 1;
  }
  return numbers;
}

/// Ends the program unless the numbers are near to the exact ones.
inline void compare(const char *what, const std::vector<float> &numbers,
                    const std::vector<double> &exact, double tolerance) {
  for (size_t i = 0; i < exact.size(); ++i)
    if (!(std::fabs(numbers[i] - exact[i]) <= tolerance)) {
      std::printf("%s: expected %g, got %g\n", what, exact[i], numbers[i]);
      std::exit(1);
    }
}

/// A graph of float32.
inline Graph makeGraph(const char *name) {
  Graph graph;
  graph.set_name(name)
      .set_io_data_type(DataType::FLOAT)
      .set_intermediate_data_type(DataType::FLOAT)
      .set_compute_data_type(DataType::FLOAT);
  return graph;
}

inline TensorPointer makeTensor(const char *name, std::vector<int64_t> dims) {
  return Graph::tensor(
      TensorAttributes().set_name(name).set_dim(std::move(dims)));
}

#endif
