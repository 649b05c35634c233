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

static const char emptyCode[] = R"(
.version 7.0
.target sm_80
.address_size 64

.visible .entry empty()
{
ret;
}
)";

static void addEmptyKernel(GpuGraph &graph) {
  static const CUfunction function = gpu::loadKernel(emptyCode, "empty");
  CUDA_KERNEL_NODE_PARAMS node = {};
  node.func = function;
  node.gridDimX = node.gridDimY = node.gridDimZ = 1;
  node.blockDimX = 32;
  node.blockDimY = node.blockDimZ = 1;
  gpu::check("cuGraphAddKernelNode",
             gpu::driver->cuGraphAddKernelNode(&graph.last, graph.graph,
                                               graph.dependencies(),
                                               graph.dependencyCount(), &node));
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
