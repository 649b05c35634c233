// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Causal attention of 4 heads over packed queries, keys and values.
// Usage: attention [DEVICE]
#include "sample.h"

static constexpr int B = 2, H = 4, S = 16, D = 8;

int main(int argc, char **argv) {
  Handle handle;
  check(handle.create(argc > 1 ? argv[1] : "cpu"));
  Graph graph = makeGraph("attention");
  // One product made them: batch x position x 3 x head x element. They are
  // views of it, at their offsets.
  auto make = [&](const char *name) {
    auto tensor = makeTensor(name, {B, H, S, D});
    tensor->set_stride({S * 3 * H * D, D, 3 * H * D, 1});
    return tensor;
  };
  auto q = make("q"), k = make("k"), v = make("v");
  auto [o, stats] = graph.sdpa(q, k, v,
                               SdpaAttributes()
                                   .set_name("attention")
                                   .set_causal_mask(true)
                                   .set_generate_stats(true));
  o->set_output(true);
  stats->set_output(true);
  check(graph.build(handle));

  std::vector<float> qkv = makeNumbers(B * S * 3 * H * D, 1), os(B * H * S * D),
                     logs(B * H * S);
  check(graph.execute(handle, {{q, qkv.data()},
                               {k, qkv.data() + H * D},
                               {v, qkv.data() + 2 * H * D},
                               {o, os.data()},
                               {stats, logs.data()}}));

  std::vector<double> exactO, exactLogs;
  auto at = [&](int which, int b, int h, int s, int d) {
    return double(qkv[size_t((((b * S + s) * 3 + which) * H + h) * D + d)]);
  };
  for (int b = 0; b < B; ++b)
    for (int h = 0; h < H; ++h)
      for (int i = 0; i < S; ++i) {
        double sum = 0, result[D] = {};
        for (int j = 0; j <= i; ++j) {
          double score = 0;
          for (int d = 0; d < D; ++d)
            score += at(0, b, h, i, d) * at(1, b, h, j, d);
          double weight = std::exp(score / std::sqrt(double(D)));
          sum += weight;
          for (int d = 0; d < D; ++d)
            result[d] += weight * at(2, b, h, j, d);
        }
        exactLogs.push_back(std::log(sum));
        for (double each : result)
          exactO.push_back(each / sum);
      }
  compare("o", os, exactO, 1e-5);
  compare("statistics", logs, exactLogs, 1e-5);
  std::puts("causal attention: right");
}
