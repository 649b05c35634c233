// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/* A convolution with bias and relu by descriptors, in C: one kernel.
   Usage: conv_bias_relu [DEVICE] */
#include <hamkaas-c/Dnn.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void check(HamKaasDnnStatus status) {
  char text[512];
  if (status == HamKaasDnnSuccess)
    return;
  HamKaasDnnGetLastErrorString(text, sizeof text);
  fprintf(stderr, "%s: %s\n", HamKaasDnnGetErrorString(status), text);
  exit(1);
}

static HamKaasDnnDescriptor *create(int32_t kind) {
  HamKaasDnnDescriptor *made;
  check(HamKaasDnnCreateDescriptor(kind, &made));
  return made;
}

static void setIntegers(HamKaasDnnDescriptor *descriptor, int32_t attribute,
                        int64_t count, const int64_t *numbers) {
  check(HamKaasDnnSetAttribute(descriptor, attribute, HamKaasDnnTypeInt64,
                               count, numbers));
}

static void setDescriptor(HamKaasDnnDescriptor *descriptor, int32_t attribute,
                          HamKaasDnnDescriptor *other) {
  check(HamKaasDnnSetAttribute(descriptor, attribute, HamKaasDnnTypeDescriptor,
                               1, &other));
}

/* A tensor of float32; without dims it is a result that is virtual. */
static HamKaasDnnDescriptor *makeTensor(int64_t uid, const int64_t *dims,
                                        const int64_t *strides) {
  HamKaasDnnDescriptor *tensor = create(HamKaasDnnTensor);
  int32_t type = HamKaasFloat32;
  uint8_t isVirtual = dims == NULL;
  setIntegers(tensor, HamKaasDnnAttrUid, 1, &uid);
  check(HamKaasDnnSetAttribute(tensor, HamKaasDnnAttrDataType,
                               HamKaasDnnTypeDataType, 1, &type));
  check(HamKaasDnnSetAttribute(tensor, HamKaasDnnAttrIsVirtual,
                               HamKaasDnnTypeBoolean, 1, &isVirtual));
  if (dims) {
    setIntegers(tensor, HamKaasDnnAttrDims, 4, dims);
    setIntegers(tensor, HamKaasDnnAttrStrides, 4, strides);
  }
  check(HamKaasDnnFinalize(tensor));
  return tensor;
}

static HamKaasDnnDescriptor *makePointwise(int32_t mode,
                                           HamKaasDnnDescriptor *a,
                                           HamKaasDnnDescriptor *b,
                                           HamKaasDnnDescriptor *y) {
  HamKaasDnnDescriptor *node = create(HamKaasDnnPointwise);
  check(HamKaasDnnSetAttribute(node, HamKaasDnnAttrPointwiseMode,
                               HamKaasDnnTypePointwiseMode, 1, &mode));
  setDescriptor(node, HamKaasDnnAttrA, a);
  if (b)
    setDescriptor(node, HamKaasDnnAttrB, b);
  setDescriptor(node, HamKaasDnnAttrY, y);
  check(HamKaasDnnFinalize(node));
  return node;
}

enum { N = 2, C = 8, H = 10, W = 10, K = 16, R = 3, P = H - R + 1 };

/* Logical dims are batch, channels, height, width; channels lie last. */
static const int64_t xDims[] = {N, C, H, W},
                     xStrides[] = {H * W * C, 1, W *C, C};
/* Filters lie as the kernel reads them: height, width, channels, filters. */
static const int64_t wDims[] = {K, C, R, R},
                     wStrides[] = {1, K, R * C * K, C *K};
static const int64_t bDims[] = {1, K, 1, 1}, bStrides[] = {K, 1, K, K};
static const int64_t yDims[] = {N, K, P, P},
                     yStrides[] = {P * P * K, 1, P *K, K};

static float x[N * H * W * C], w[R * R * C * K], b[K], y[N * P * P * K];

static double compute(int n, int k, int p, int q) {
  double sum = b[k];
  for (int c = 0; c < C; ++c)
    for (int r = 0; r < R; ++r)
      for (int s = 0; s < R; ++s)
        sum += (double)x[((n * H + p + r) * W + q + s) * C + c] *
               w[((r * R + s) * C + c) * K + k];
  return sum > 0 ? sum : 0;
}

static void fill(float *numbers, int count, unsigned seed) {
  for (int i = 0; i < count; ++i) {
    seed = seed * 1664525u + 1013904223u;
    numbers[i] = (float)(seed >> 8) / (1 << 23) - 1;
  }
}

int main(int argc, char **argv) {
  HamKaasDnnHandleOptions options = {.structSize = sizeof options,
                                     .device = argc > 1 ? argv[1] : NULL};
  HamKaasDnnHandle *handle;
  check(HamKaasDnnCreate(&handle, &options));

  /* Tensors and nodes. */
  HamKaasDnnDescriptor *tensors[] = {
      makeTensor(1, xDims, xStrides), makeTensor(2, wDims, wStrides),
      makeTensor(3, bDims, bStrides), makeTensor(4, yDims, yStrides),
      makeTensor(5, NULL, NULL),      makeTensor(6, NULL, NULL)};
  const int64_t zeros[] = {0, 0}, ones[] = {1, 1};
  HamKaasDnnDescriptor *conv = create(HamKaasDnnConvForward);
  setIntegers(conv, HamKaasDnnAttrPrePadding, 2, zeros);
  setIntegers(conv, HamKaasDnnAttrPostPadding, 2, zeros);
  setIntegers(conv, HamKaasDnnAttrStride, 2, ones);
  setIntegers(conv, HamKaasDnnAttrDilation, 2, ones);
  setDescriptor(conv, HamKaasDnnAttrX, tensors[0]);
  setDescriptor(conv, HamKaasDnnAttrW, tensors[1]);
  setDescriptor(conv, HamKaasDnnAttrY, tensors[4]);
  check(HamKaasDnnFinalize(conv));
  HamKaasDnnDescriptor *nodes[] = {
      conv, makePointwise(HamKaasDnnAdd, tensors[4], tensors[2], tensors[5]),
      makePointwise(HamKaasDnnReluFwd, tensors[5], NULL, tensors[3])};
  HamKaasDnnDescriptor *graph = create(HamKaasDnnOperationGraph);
  check(HamKaasDnnSetAttribute(graph, HamKaasDnnAttrNodes,
                               HamKaasDnnTypeDescriptor, 3, nodes));
  check(HamKaasDnnFinalize(graph));

  /* An engine for the graph, and a plan. */
  HamKaasDnnDescriptor *heuristic = create(HamKaasDnnEngineHeuristic);
  HamKaasDnnDescriptor *config = create(HamKaasDnnEngineConfig);
  HamKaasDnnDescriptor *plan = create(HamKaasDnnExecutionPlan);
  int32_t mode = HamKaasDnnFallback;
  setDescriptor(heuristic, HamKaasDnnAttrGraph, graph);
  check(HamKaasDnnSetAttribute(heuristic, HamKaasDnnAttrHeuristicMode,
                               HamKaasDnnTypeHeuristicMode, 1, &mode));
  check(HamKaasDnnFinalize(heuristic));
  check(HamKaasDnnGetAttribute(heuristic, HamKaasDnnAttrResults,
                               HamKaasDnnTypeDescriptor, 1, NULL, &config));
  check(HamKaasDnnFinalize(config));
  check(HamKaasDnnSetAttribute(plan, HamKaasDnnAttrPlanHandle,
                               HamKaasDnnTypeHandle, 1, &handle));
  setDescriptor(plan, HamKaasDnnAttrPlanConfig, config);
  check(HamKaasDnnFinalize(plan));

  /* A run. */
  fill(x, N * H * W * C, 1);
  fill(w, R * R * C * K, 2);
  fill(b, K, 3);
  const int64_t uids[] = {1, 2, 3, 4};
  void *pointers[] = {x, w, b, y};
  HamKaasDnnDescriptor *pack = create(HamKaasDnnVariantPack);
  setIntegers(pack, HamKaasDnnAttrUniqueIds, 4, uids);
  check(HamKaasDnnSetAttribute(pack, HamKaasDnnAttrDataPointers,
                               HamKaasDnnTypeVoidPointer, 4, pointers));
  check(HamKaasDnnFinalize(pack));
  check(HamKaasDnnExecute(handle, plan, pack));

  double worst = 0;
  for (int n = 0; n < N; ++n)
    for (int k = 0; k < K; ++k)
      for (int p = 0; p < P; ++p)
        for (int q = 0; q < P; ++q) {
          double error =
              fabs(compute(n, k, p, q) - y[((n * P + p) * P + q) * K + k]);
          worst = error > worst ? error : worst;
        }
  /* The bound of a sum of 73 products of at most 1 in size. */
  if (!(worst <= 73 * 2 * 73 * 0x1p-24)) {
    printf("wrong by %g\n", worst);
    return 1;
  }
  static char report[65536];
  int64_t length;
  check(HamKaasDnnGetAttribute(plan, HamKaasDnnAttrReport, HamKaasDnnTypeChar,
                               sizeof report - 1, &length, report));
  printf("convolution with bias and relu: right, %s\n",
         strstr(report, "1 call of 1 kernel") ? "1 kernel" : "several kernels");

  HamKaasDnnDescriptor *others[] = {conv,      nodes[1], nodes[2], graph,
                                    heuristic, config,   plan,     pack};
  for (size_t i = 0; i < sizeof others / sizeof *others; ++i)
    check(HamKaasDnnDestroyDescriptor(others[i]));
  for (size_t i = 0; i < sizeof tensors / sizeof *tensors; ++i)
    check(HamKaasDnnDestroyDescriptor(tensors[i]));
  check(HamKaasDnnDestroy(handle));
  return 0;
}
