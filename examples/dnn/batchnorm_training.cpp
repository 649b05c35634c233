// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Batch norm as a training step has it, forward and backward.
// Usage: batchnorm_training [DEVICE]
#include "sample.h"

static constexpr int N = 4, C = 3, HW = 25;
static constexpr double epsilon = 1e-5, momentum = 0.1;

int main(int argc, char **argv) {
  Handle handle;
  check(handle.create(argc > 1 ? argv[1] : "cpu"));
  Graph graph = makeGraph("batchnorm");
  auto x = makeTensor("x", {N, C, 5, 5}), dy = makeTensor("dy", {N, C, 5, 5});
  auto scale = makeTensor("scale", {1, C, 1, 1});
  auto bias = makeTensor("bias", {1, C, 1, 1});
  auto oldMean = makeTensor("running_mean", {1, C, 1, 1});
  auto oldVariance = makeTensor("running_variance", {1, C, 1, 1});
  auto [y, mean, inverse, nextMean, nextVariance] = graph.batchnorm(
      x, scale, bias,
      BatchnormAttributes()
          .set_name("norm")
          .set_epsilon(graph.scalar(float(epsilon)))
          .set_previous_running_stats(oldMean, oldVariance,
                                      graph.scalar(float(momentum))));
  auto [dx, dscale, dbias] = graph.batchnorm_backward(
      dy, x, scale,
      BatchnormBackwardAttributes()
          .set_name("back")
          .set_saved_mean_and_inv_variance(mean, inverse));
  for (const TensorPointer &result :
       {y, nextMean, nextVariance, dx, dscale, dbias})
    result->set_output(true);
  check(graph.build(handle));

  std::vector<float> xs = makeNumbers(N * C * HW, 1),
                     gs = makeNumbers(N * C * HW, 2), scales = {0.5, 1, 2},
                     biases = {1, 0, -1}, means = {0, 0.5, 1},
                     variances = {1, 2, 3}, ys(N * C * HW), dxs(N * C * HW),
                     newMeans(C), newVariances(C), dscales(C), dbiases(C);
  check(graph.execute(handle, {{x, xs.data()},
                               {dy, gs.data()},
                               {scale, scales.data()},
                               {bias, biases.data()},
                               {oldMean, means.data()},
                               {oldVariance, variances.data()},
                               {y, ys.data()},
                               {nextMean, newMeans.data()},
                               {nextVariance, newVariances.data()},
                               {dx, dxs.data()},
                               {dscale, dscales.data()},
                               {dbias, dbiases.data()}}));

  constexpr double n = N * HW;
  std::vector<double> exactY(xs.size()), exactDx(xs.size()), exactMean,
      exactVariance, exactDscale, exactDbias;
  for (int c = 0; c < C; ++c) {
    auto each = [&](auto visit) {
      for (int i = 0; i < N * HW; ++i)
        visit(size_t(((i / HW) * C + c) * HW + i % HW));
    };
    double m = 0, v = 0, sum = 0, along = 0;
    each([&](size_t i) { m += xs[i] / n; });
    each([&](size_t i) { v += (xs[i] - m) * (xs[i] - m) / n; });
    double r = 1 / std::sqrt(v + epsilon);
    each([&](size_t i) {
      exactY[i] = (xs[i] - m) * r * scales[size_t(c)] + biases[size_t(c)];
      sum += gs[i];
      along += gs[i] * (xs[i] - m) * r;
    });
    each([&](size_t i) {
      exactDx[i] = scales[size_t(c)] * r *
                   (gs[i] - sum / n - (xs[i] - m) * r * along / n);
    });
    exactDscale.push_back(along);
    exactDbias.push_back(sum);
    exactMean.push_back((1 - momentum) * means[size_t(c)] + momentum * m);
    exactVariance.push_back((1 - momentum) * variances[size_t(c)] +
                            momentum * v * n / (n - 1));
  }
  compare("y", ys, exactY, 1e-5);
  compare("dx", dxs, exactDx, 1e-5);
  compare("dscale", dscales, exactDscale, 1e-4);
  compare("dbias", dbiases, exactDbias, 1e-4);
  compare("running mean", newMeans, exactMean, 1e-6);
  compare("running variance", newVariances, exactVariance, 1e-6);
  std::puts("batch norm of a training step: right");
}
