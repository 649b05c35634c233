// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A product of matrices with bias, GELU and a residual, built, written as a
// program, read and run. Usage: fused_chain [DEVICE [PLAN.so]]
#include "sample.h"

static constexpr int M = 32, K = 24, N = 40;

int main(int argc, char **argv) {
  Handle handle;
  check(handle.create(argc > 1 ? argv[1] : "cpu"));
  Graph graph = makeGraph("chain");
  auto a = makeTensor("a", {M, K}), b = makeTensor("b", {K, N});
  auto bias = makeTensor("bias", {1, N}), residual = makeTensor("r", {M, N});
  auto point = [](PointwiseMode mode) {
    return PointwiseAttributes().set_mode(mode);
  };
  auto product = graph.matmul(a, b, MatmulAttributes().set_name("product"));
  auto sum = graph.pointwise(product, bias, point(PointwiseMode::ADD));
  auto active = graph.pointwise(sum, point(PointwiseMode::GELU_FWD));
  auto y = graph.pointwise(active, residual, point(PointwiseMode::ADD));
  y->set_output(true);
  check(graph.build(handle));
  std::string text, report;
  check(graph.to_json(text));
  check(graph.get_report(report));
  bool isOne = report.find("1 call of 1 kernel") != std::string::npos;
  if (argc > 2) {
    check(graph.write_plan(argv[2]));
    check(graph.read_plan(handle, argv[2]));
  }

  std::vector<float> as = makeNumbers(M * K, 1), bs = makeNumbers(K * N, 2),
                     biases = makeNumbers(N, 3),
                     residuals = makeNumbers(M * N, 4), ys(M * N);
  check(graph.execute(handle, {{a->get_uid(), as.data()},
                               {b->get_uid(), bs.data()},
                               {bias->get_uid(), biases.data()},
                               {residual->get_uid(), residuals.data()},
                               {y->get_uid(), ys.data()}}));
  std::vector<double> exact;
  for (int i = 0; i < M; ++i)
    for (int j = 0; j < N; ++j) {
      double x = biases[size_t(j)];
      for (int l = 0; l < K; ++l)
        x += double(as[size_t(i * K + l)]) * bs[size_t(l * N + j)];
      exact.push_back(0.5 * x * (1 + std::erf(x / std::sqrt(2.0))) +
                      residuals[size_t(i * N + j)]);
    }
  compare("y", ys, exact, 1e-5);
  std::printf("product, bias, GELU and residual: right, %s\n",
              isOne ? "1 kernel" : "several kernels");
}
