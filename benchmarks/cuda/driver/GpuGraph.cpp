//===- GpuGraph.cpp - Graphs of a GPU -------------------------------------===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Gpu.h"

#include "GpuState.h"

#include <stdlib.h>

using namespace hamkaas::rt;
using namespace hamkaas::rt::cuda;

// Nodes one after the other.
struct GpuGraph {
  CUgraph graph = nullptr;
  CUgraphExec executable = nullptr;
  CUgraphNode last = nullptr;

  const CUgraphNode *dependencies() const { return last ? &last : nullptr; }
  size_t dependencyCount() const { return last ? 1 : 0; }
};

int canOverlap() {
  return gpu::driver->cuGraphAddDependencies && describeGpu().major >= 9;
}

static const char emptyCode[] = R"(
.version 7.0
.target sm_80
.address_size 64

.visible .entry empty()
{
ret;
}
)";

// Both wait for the kernel before them. Where that reads the same addresses in
// all blocks, the next one must not find them in a cache: `least` writes 1 more
// than the least of the first 8192 numbers.
static const char waitingCode[] = R"(
.version 7.8
.target sm_90
.address_size 64

.visible .entry waiting()
{
griddepcontrol.wait;
griddepcontrol.launch_dependents;
ret;
}

.visible .entry least(.param .u64 from, .param .u64 to)
{
.reg .pred %more;
.reg .b32 %thread, %block, %i, %value, %least;
.reg .b64 %from, %to, %offset;
griddepcontrol.wait;
griddepcontrol.launch_dependents;
ld.param.u64 %from, [from];
ld.param.u64 %to, [to];
cvta.to.global.u64 %from, %from;
cvta.to.global.u64 %to, %to;
mov.u32 %thread, %tid.x;
mov.u32 %block, %ctaid.x;
mul.wide.u32 %offset, %thread, 4;
add.u64 %from, %from, %offset;
mov.u32 %least, 0xffffffff;
mov.u32 %i, 0;
next:
ld.global.nc.u32 %value, [%from];
min.u32 %least, %least, %value;
add.u64 %from, %from, 1024;
add.u32 %i, %i, 1;
setp.lt.u32 %more, %i, 32;
@%more bra next;
add.u32 %least, %least, 1;
mad.lo.u32 %i, %block, 256, %thread;
mul.wide.u32 %offset, %i, 4;
add.u64 %to, %to, %offset;
st.global.u32 [%to], %least;
ret;
}
)";

static void addKernel(GpuGraph &graph, CUfunction function, unsigned blocks,
                      unsigned threads, void **arguments, bool overlaps) {
  CUDA_KERNEL_NODE_PARAMS node = {};
  node.func = function;
  node.gridDimX = blocks;
  node.blockDimX = threads;
  node.gridDimY = node.gridDimZ = node.blockDimY = node.blockDimZ = 1;
  node.kernelParams = arguments;
  CUgraphNode before = graph.last;
  bool isProgrammatic = overlaps && before;
  gpu::check("cuGraphAddKernelNode",
             gpu::driver->cuGraphAddKernelNode(
                 &graph.last, graph.graph,
                 isProgrammatic ? nullptr : graph.dependencies(),
                 isProgrammatic ? 0 : graph.dependencyCount(), &node));
  if (!isProgrammatic)
    return;
  CUgraphEdgeData edge = {};
  edge.from_port = CU_GRAPH_KERNEL_NODE_PORT_PROGRAMMATIC;
  edge.type = CU_GRAPH_DEPENDENCY_TYPE_PROGRAMMATIC;
  gpu::check("cuGraphAddDependencies",
             gpu::driver->cuGraphAddDependencies(graph.graph, &before,
                                                 &graph.last, &edge, 1));
}

static void addEmptyKernel(GpuGraph &graph) {
  static const CUfunction function = gpu::loadKernel(emptyCode, "empty");
  addKernel(graph, function, 1, 32, /*arguments=*/nullptr, /*overlaps=*/false);
}

static void addZeros(GpuGraph &graph, void *to, uint64_t bytes) {
  CUDA_MEMSET_NODE_PARAMS node = {};
  node.dst = reinterpret_cast<CUdeviceptr>(to);
  node.elementSize = 4;
  node.width = bytes / 4;
  node.height = 1;
  gpu::check("cuGraphAddMemsetNode",
             gpu::driver->cuGraphAddMemsetNode(
                 &graph.last, graph.graph, graph.dependencies(),
                 graph.dependencyCount(), &node, gpu::context));
}

// One row, or rows that have no space between them.
static void addCopy(GpuGraph &graph, void *to, bool isToHost, const void *from,
                    uint64_t bytesOfRow, uint64_t rows) {
  CUDA_MEMCPY3D node = {};
  node.srcMemoryType = CU_MEMORYTYPE_DEVICE;
  node.srcDevice = reinterpret_cast<CUdeviceptr>(from);
  node.dstMemoryType = isToHost ? CU_MEMORYTYPE_HOST : CU_MEMORYTYPE_DEVICE;
  node.dstHost = isToHost ? to : nullptr;
  node.dstDevice = isToHost ? 0 : reinterpret_cast<CUdeviceptr>(to);
  node.WidthInBytes = node.srcPitch = node.dstPitch = bytesOfRow;
  node.Height = node.srcHeight = node.dstHeight = rows;
  node.Depth = 1;
  gpu::check("cuGraphAddMemcpyNode",
             gpu::driver->cuGraphAddMemcpyNode(
                 &graph.last, graph.graph, graph.dependencies(),
                 graph.dependencyCount(), &node, gpu::context));
}

static GpuGraph *beginGraph() {
  auto *graph = static_cast<GpuGraph *>(calloc(1, sizeof(GpuGraph)));
  if (!graph)
    abort();
  gpu::check("cuGraphCreate", gpu::driver->cuGraphCreate(&graph->graph, 0));
  return graph;
}

static GpuGraph *finishGraph(GpuGraph *graph) {
  gpu::check("cuGraphInstantiate", gpu::driver->cuGraphInstantiateWithFlags(
                                       &graph->executable, graph->graph, 0));
  gpu::check("cuGraphUpload",
             gpu::driver->cuGraphUpload(graph->executable, gpu::stream));
  waitForGpu();
  return graph;
}

GpuGraph *makeKernelGraph(int kernels, void *zeros, void *copied,
                          uint64_t bytes) {
  GpuGraph *graph = beginGraph();
  if (zeros)
    addZeros(*graph, zeros, bytes);
  for (int i = 0; i < kernels; ++i)
    addEmptyKernel(*graph);
  if (zeros)
    addCopy(*graph, copied, /*isToHost=*/true, zeros, bytes, 1);
  return finishGraph(graph);
}

GpuGraph *makeOverlappingGraph(int kernels, void *const *numbers) {
  static const CUfunction waiting = gpu::loadKernel(waitingCode, "waiting");
  static const CUfunction least = gpu::loadKernel(waitingCode, "least");
  GpuGraph *graph = beginGraph();
  for (int i = 0; i < kernels; ++i) {
    if (!numbers) {
      addKernel(*graph, waiting, 1, 32, nullptr, /*overlaps=*/true);
      continue;
    }
    auto from = reinterpret_cast<CUdeviceptr>(numbers[i % 2]);
    auto to = reinterpret_cast<CUdeviceptr>(numbers[(i + 1) % 2]);
    void *arguments[] = {&from, &to};
    addKernel(*graph, least, OverlappingBlocks, 256, arguments,
              /*overlaps=*/true);
  }
  return finishGraph(graph);
}

static CUevent addEvent(GpuGraph &graph) {
  CUevent event = nullptr;
  gpu::check("cuEventCreate", gpu::driver->cuEventCreate(&event, 0));
  gpu::check("cuGraphAddEventRecordNode",
             gpu::driver->cuGraphAddEventRecordNode(
                 &graph.last, graph.graph, graph.dependencies(),
                 graph.dependencyCount(), event));
  return event;
}

static int compareTimes(const void *a, const void *b) {
  float first = *static_cast<const float *>(a);
  float second = *static_cast<const float *>(b);
  return (first > second) - (first < second);
}

// As the runtime's graph with a profile, in CudaSequence.cpp.
double measureEmptyKernel() {
  constexpr int kernels = 20, launches = 20;
  CUevent events[kernels + 1];
  GpuGraph *graph = beginGraph();
  events[0] = addEvent(*graph);
  for (int i = 1; i <= kernels; ++i) {
    addEmptyKernel(*graph);
    events[i] = addEvent(*graph);
  }
  finishGraph(graph);
  float milliseconds[kernels * launches];
  for (int launch = 0; launch < launches; ++launch) {
    beginGraphOnGpu(graph);
    waitForGpu();
    for (int i = 0; i < kernels; ++i)
      gpu::check("cuEventElapsedTime", gpu::driver->cuEventElapsedTime(
                                           &milliseconds[kernels * launch + i],
                                           events[i], events[i + 1]));
  }
  releaseGraph(graph);
  for (CUevent event : events)
    gpu::check("cuEventDestroy", gpu::driver->cuEventDestroy(event));
  qsort(milliseconds, kernels * launches, sizeof(float), compareTimes);
  return 1e-3 * static_cast<double>(milliseconds[kernels * launches / 2]);
}

GpuGraph *makeCopyGraph(void *to, const void *from, uint64_t bytesOfRow,
                        uint64_t rows) {
  GpuGraph *graph = beginGraph();
  addCopy(*graph, to, /*isToHost=*/false, from, bytesOfRow, rows);
  return finishGraph(graph);
}

void beginGraphOnGpu(GpuGraph *graph) {
  gpu::check("cuGraphLaunch",
             gpu::driver->cuGraphLaunch(graph->executable, gpu::stream));
}

void releaseGraph(GpuGraph *graph) {
  gpu::check("cuGraphExecDestroy",
             gpu::driver->cuGraphExecDestroy(graph->executable));
  gpu::check("cuGraphDestroy", gpu::driver->cuGraphDestroy(graph->graph));
  free(graph);
}
