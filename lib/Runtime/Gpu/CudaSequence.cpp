//===- CudaSequence.cpp - What a GPU is to do, step by step ---------------===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CudaSequence.h"

#include "HamKaas/Runtime/Core/Clock.h"

#include <cstdlib>
#include <cstring>

using namespace hamkaas::rt;
using namespace hamkaas::rt::cuda;

// As cuda.h has them.
static constexpr CUresult invalidValue = 1, outOfMemory = 2, unknown = 999;

//===----------------------------------------------------------------------===//
// Storage
//===----------------------------------------------------------------------===//

template <typename T> bool CudaSequence::Array<T>::append(const T &item) {
  if (size == capacity) {
    if (capacity > INT32_MAX / 2)
      return false;
    int32_t wanted = capacity ? 2 * capacity : 64;
    void *grown = realloc(static_cast<void *>(items),
                          static_cast<size_t>(wanted) * sizeof(T));
    if (!grown)
      return false;
    items = static_cast<T *>(grown);
    capacity = wanted;
  }
  items[size++] = item;
  return true;
}

template <typename T> void CudaSequence::Array<T>::release() {
  free(items);
  *this = Array();
}

Error CudaSequence::start(Mode wanted, int32_t maximumWords) {
  mode = wanted;
  // calloc may return null for zero entries.
  parameters = static_cast<void **>(
      calloc(static_cast<size_t>(maximumWords) + 1, sizeof(void *)));
  return parameters ? Error() : Error::format("out of memory for a graph");
}

CudaSequence::~CudaSequence() {
  steps.release();
  words.release();
  timestamps.release();
  free(parameters);
}

void CudaSequence::clear() {
  const CudaDriver &driver = context.driver();
  if (executable)
    driver.cuGraphExecDestroy(executable);
  if (graph)
    driver.cuGraphDestroy(graph);
  for (int32_t i = 0; i < timestamps.size; ++i)
    if (timestamps.items[i].event)
      driver.cuEventDestroy(timestamps.items[i].event);
  if (recorder)
    driver.cuStreamDestroy(recorder);
  executable = nullptr;
  graph = nullptr;
  recorder = nullptr;
  steps.size = words.size = timestamps.size = 0;
  state = State::Empty;
}

//===----------------------------------------------------------------------===//
// Steps
//===----------------------------------------------------------------------===//

CUresult CudaSequence::begin() {
  if (mode != Mode::Graph) {
    timestamps.size = 0;
    return CUDA_SUCCESS;
  }
  nextStep = 0;
  if (isComplete()) {
    state = State::Updating;
    return CUDA_SUCCESS;
  }
  clear();
  state = State::Building;
  return context.driver().cuGraphCreate(&graph, /*flags=*/0);
}

CUresult CudaSequence::findStep(Kind kind, uint64_t first, const uint64_t *rest,
                                int32_t count, Step *&step, bool &isSame) {
  isSame = false;
  if (state == State::Building) {
    Step added = {kind, count + 1, words.size, nullptr, /*waits=*/false};
    bool fits = words.append(first);
    for (int32_t i = 0; fits && i < count; ++i)
      fits = words.append(rest[i]);
    if (!fits || !steps.append(added))
      return outOfMemory;
    step = &steps.items[steps.size - 1];
    return CUDA_SUCCESS;
  }
  if (nextStep == steps.size || steps.items[nextStep].kind != kind ||
      steps.items[nextStep].wordCount != count + 1)
    return invalidValue;
  step = &steps.items[nextStep++];
  uint64_t *known = words.items + step->firstWord;
  size_t bytes = static_cast<size_t>(count) * sizeof(uint64_t);
  isSame = known[0] == first && memcmp(known + 1, rest, bytes) == 0;
  known[0] = first;
  memcpy(known + 1, rest, bytes);
  return CUDA_SUCCESS;
}

const CUgraphNode *CudaSequence::lastNode() const {
  return steps.size > 1 ? &steps.items[steps.size - 2].node : nullptr;
}

CUresult CudaSequence::waitIfBlocking(CUresult result) {
  if (result != CUDA_SUCCESS || mode != Mode::Blocking)
    return result;
  return context.driver().cuStreamSynchronize(context.stream());
}

CUresult CudaSequence::launchNow(const Kernel &kernel) {
  const HamKaasDeviceKernel &launch = kernel.launch;
  return waitIfBlocking(context.driver().cuLaunchKernel(
      kernel.function, static_cast<unsigned>(launch.blocks), 1, 1,
      static_cast<unsigned>(launch.threads), 1, 1, launch.sharedBytes,
      context.stream(), parameters, /*extra=*/nullptr));
}

// Two kernels that wait are joined by a programmatic edge: the second one is
// launched when all blocks of the first one have begun, and waits itself for
// the end of the first. So launches cost no time between kernels.
CUresult CudaSequence::addKernelNode(const Kernel &kernel, Step &step,
                                     const CUDA_KERNEL_NODE_PARAMS &node) {
  const CudaDriver &driver = context.driver();
  step.waits = kernel.waits;
  bool overlaps = driver.cuGraphAddDependencies && kernel.waits &&
                  steps.size > 1 && steps.items[steps.size - 2].waits;
  if (!overlaps)
    return driver.cuGraphAddKernelNode(&step.node, graph, lastNode(),
                                       lastNodeCount(), &node);
  if (CUresult result = driver.cuGraphAddKernelNode(
          &step.node, graph, /*dependencies=*/nullptr, 0, &node))
    return result;
  CUgraphEdgeData edge = {};
  edge.from_port = CU_GRAPH_KERNEL_NODE_PORT_PROGRAMMATIC;
  edge.type = CU_GRAPH_DEPENDENCY_TYPE_PROGRAMMATIC;
  return driver.cuGraphAddDependencies(graph, lastNode(), &step.node, &edge, 1);
}

CUresult CudaSequence::addKernel(const Kernel &kernel,
                                 const uint64_t *arguments, int32_t count) {
  // A grid of no blocks would be an error.
  if (kernel.launch.blocks == 0)
    return CUDA_SUCCESS;
  for (int32_t i = 0; i < count; ++i)
    parameters[i] = const_cast<uint64_t *>(&arguments[i]);
  if (mode != Mode::Graph)
    return launchNow(kernel);

  Step *step = nullptr;
  bool isSame = false;
  CUresult result =
      findStep(Kind::Kernel, reinterpret_cast<uint64_t>(kernel.function),
               arguments, count, step, isSame);
  if (result != CUDA_SUCCESS || isSame)
    return result;
  CUDA_KERNEL_NODE_PARAMS node = {};
  node.func = kernel.function;
  node.gridDimX = static_cast<unsigned>(kernel.launch.blocks);
  node.blockDimX = static_cast<unsigned>(kernel.launch.threads);
  node.gridDimY = node.gridDimZ = node.blockDimY = node.blockDimZ = 1;
  node.sharedMemBytes = kernel.launch.sharedBytes;
  node.kernelParams = parameters;
  return state == State::Building
             ? addKernelNode(kernel, *step, node)
             : context.driver().cuGraphExecKernelNodeSetParams(
                   executable, step->node, &node);
}

// A pitch of 2 GiB and more is refused, and that of a single row counts, too.
static constexpr uint64_t longestRow = uint64_t(1) << 30;

// One row, or rows that follow each other.
static CUDA_MEMCPY3D describe(const CudaSequence::Copy &copy) {
  CUDA_MEMCPY3D node = {};
  node.srcMemoryType =
      copy.isFromHost ? CU_MEMORYTYPE_HOST : CU_MEMORYTYPE_DEVICE;
  node.srcHost =
      copy.isFromHost ? reinterpret_cast<const void *>(copy.from) : nullptr;
  node.srcDevice = copy.isFromHost ? 0 : copy.from;
  node.dstMemoryType =
      copy.isToHost ? CU_MEMORYTYPE_HOST : CU_MEMORYTYPE_DEVICE;
  node.dstHost = copy.isToHost ? reinterpret_cast<void *>(copy.to) : nullptr;
  node.dstDevice = copy.isToHost ? 0 : copy.to;
  uint64_t row = copy.bytes < longestRow ? copy.bytes : longestRow;
  node.WidthInBytes = node.srcPitch = node.dstPitch = row;
  node.Height = node.srcHeight = node.dstHeight = copy.bytes / row;
  node.Depth = 1;
  return node;
}

CUresult CudaSequence::addCopy(const Copy &copy) {
  if (copy.bytes == 0 || copy.to == copy.from)
    return CUDA_SUCCESS;
  const CudaDriver &driver = context.driver();
  if (mode != Mode::Graph)
    return waitIfBlocking(
        driver.cuMemcpyAsync(copy.to, copy.from, copy.bytes, context.stream()));
  // Whole rows, then what remains.
  uint64_t tail = copy.bytes > longestRow ? copy.bytes % longestRow : 0;
  if (tail > 0) {
    uint64_t rows = copy.bytes - tail;
    CUresult result =
        addCopy({copy.to, copy.from, rows, copy.isToHost, copy.isFromHost});
    return result != CUDA_SUCCESS
               ? result
               : addCopy({copy.to + rows, copy.from + rows, tail, copy.isToHost,
                          copy.isFromHost});
  }
  Step *step = nullptr;
  bool isSame = false;
  uint64_t rest[] = {copy.from, copy.bytes, copy.isToHost, copy.isFromHost};
  CUresult result = findStep(Kind::Copy, copy.to, rest, 4, step, isSame);
  if (result != CUDA_SUCCESS || isSame)
    return result;
  CUDA_MEMCPY3D node = describe(copy);
  return state == State::Building
             ? driver.cuGraphAddMemcpyNode(&step->node, graph, lastNode(),
                                           lastNodeCount(), &node,
                                           context.handle())
             : driver.cuGraphExecMemcpyNodeSetParams(executable, step->node,
                                                     &node, context.handle());
}

CUresult CudaSequence::addZeros(uint64_t to, uint64_t count) {
  const CudaDriver &driver = context.driver();
  if (mode != Mode::Graph)
    return waitIfBlocking(driver.cuMemsetD8Async(
        to, 0, count * sizeof(uint32_t), context.stream()));
  Step *step = nullptr;
  bool isSame = false;
  CUresult result = findStep(Kind::Zeros, to, &count, 1, step, isSame);
  if (result != CUDA_SUCCESS || isSame)
    return result;
  // It is always the same memory, whatever the addresses of a run.
  if (state != State::Building)
    return invalidValue;
  CUDA_MEMSET_NODE_PARAMS node = {};
  node.dst = to;
  node.elementSize = sizeof(uint32_t);
  node.width = count;
  node.height = 1;
  return driver.cuGraphAddMemsetNode(&step->node, graph, lastNode(),
                                     lastNodeCount(), &node, context.handle());
}

//===----------------------------------------------------------------------===//
// Work of libraries
//===----------------------------------------------------------------------===//

// Captures the work that `work` enqueues on a stream, instead of running it.
// The default stream does not wait for this stream, and other threads may use
// the default stream meanwhile.
CUresult CudaSequence::capture(const Work &work, CUgraph &captured) {
  const CudaDriver &driver = context.driver();
  if (!recorder)
    if (CUresult result =
            driver.cuStreamCreate(&recorder, CU_STREAM_NON_BLOCKING))
      return result;
  // The library may load its kernels now, which other modes forbid.
  CUresult result =
      driver.cuStreamBeginCapture(recorder, CU_STREAM_CAPTURE_MODE_RELAXED);
  if (result != CUDA_SUCCESS)
    return result;
  bool isIssued = work.issue(work.context, recorder);
  result = driver.cuStreamEndCapture(recorder, &captured);
  return isIssued ? result : unknown;
}

CUresult CudaSequence::addWork(const uint64_t *arguments, int32_t count,
                               const Work &work) {
  if (mode != Mode::Graph)
    return waitIfBlocking(work.issue(work.context, context.stream())
                              ? CUresult(CUDA_SUCCESS)
                              : unknown);
  Step *step = nullptr;
  bool isSame = false;
  CUresult result = findStep(Kind::Work, arguments[0], arguments + 1, count - 1,
                             step, isSame);
  if (result != CUDA_SUCCESS || isSame)
    return result;
  const CudaDriver &driver = context.driver();
  CUgraph captured = nullptr;
  result = capture(work, captured);
  if (result == CUDA_SUCCESS)
    result =
        state == State::Building
            ? driver.cuGraphAddChildGraphNode(&step->node, graph, lastNode(),
                                              lastNodeCount(), captured)
            : driver.cuGraphExecChildGraphNodeSetParams(executable, step->node,
                                                        captured);
  // The node has a copy.
  if (captured)
    driver.cuGraphDestroy(captured);
  return result;
}

//===----------------------------------------------------------------------===//
// Times
//===----------------------------------------------------------------------===//

CUresult CudaSequence::noteTimeNow(int64_t call, bool isRun) {
  Timestamp timestamp = {call, isRun, nullptr, readClock()};
  return timestamps.append(timestamp) ? CUDA_SUCCESS : outOfMemory;
}

CUresult CudaSequence::addTimestamp(int64_t call, bool isRun) {
  if (mode != Mode::Graph)
    return noteTimeNow(call, isRun);
  Step *step = nullptr;
  bool isSame = false;
  uint64_t rest = isRun;
  CUresult result = findStep(Kind::Timestamp, static_cast<uint64_t>(call),
                             &rest, 1, step, isSame);
  if (result != CUDA_SUCCESS || isSame)
    return result;
  if (state != State::Building)
    return invalidValue;
  const CudaDriver &driver = context.driver();
  Timestamp timestamp = {call, isRun, nullptr, 0};
  if (!timestamps.append(timestamp))
    return outOfMemory;
  CUevent &event = timestamps.items[timestamps.size - 1].event;
  result = driver.cuEventCreate(&event, /*flags=*/0);
  if (result != CUDA_SUCCESS)
    return result;
  return driver.cuGraphAddEventRecordNode(&step->node, graph, lastNode(),
                                          lastNodeCount(), event);
}

CUresult CudaSequence::readInterval(int32_t index, Interval &interval) {
  const Timestamp &from = timestamps.items[index - 1];
  const Timestamp &to = timestamps.items[index];
  interval = {to.call, to.isRun, to.nanoseconds - from.nanoseconds};
  if (mode != Mode::Graph)
    return CUDA_SUCCESS;
  float milliseconds = 0;
  CUresult result =
      context.driver().cuEventElapsedTime(&milliseconds, from.event, to.event);
  // The clock of the events is a coarse one.
  interval.nanoseconds =
      milliseconds > 0 ? static_cast<uint64_t>(milliseconds * 1e6F) : 0;
  return result;
}

//===----------------------------------------------------------------------===//
// The graph
//===----------------------------------------------------------------------===//

CUresult CudaSequence::createGraph() {
  const CudaDriver &driver = context.driver();
  CUresult result = driver.cuGraphInstantiateWithFlags(&executable, graph, 0);
  if (result != CUDA_SUCCESS)
    return result;
  // Otherwise the first launch would take longer.
  return driver.cuGraphUpload(executable, context.stream());
}

CUresult CudaSequence::end() {
  if (mode != Mode::Graph)
    return CUDA_SUCCESS;
  if (state == State::Updating && nextStep != steps.size)
    return invalidValue;
  CUresult result =
      state == State::Building ? createGraph() : CUresult(CUDA_SUCCESS);
  if (result == CUDA_SUCCESS)
    state = State::Complete;
  return result;
}

CUresult CudaSequence::launch() {
  if (mode != Mode::Graph)
    return CUDA_SUCCESS;
  return context.driver().cuGraphLaunch(executable, context.stream());
}
