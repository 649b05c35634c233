//===- CudaSequence.h - What a GPU is to do, step by step -------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HAMKAAS_LIB_RUNTIME_GPU_CUDASEQUENCE_H
#define HAMKAAS_LIB_RUNTIME_GPU_CUDASEQUENCE_H

#include "CudaContext.h"
#include "hamkaas-c/Program.h"

namespace hamkaas::rt {

/// A sequence of GPU steps. It becomes a CUDA graph, which one call launches
/// any number of times; or the steps run immediately.
///
/// The same calls of `add...` between `begin` and `end` describe the sequence
/// each time. If only addresses have changed, the graph is updated in place,
/// without allocation.
///
/// The functions that return a CUresult report the host's lack of memory as the
/// driver does. All are called in the scope of the context.
class CudaSequence {
public:
  explicit CudaSequence(CudaContext &context) : context(context) {}
  CudaSequence(const CudaSequence &) = delete;
  CudaSequence &operator=(const CudaSequence &) = delete;
  /// `clear` was called before, unless the process was forked.
  ~CudaSequence();

  enum class Mode {
    Graph,   // becomes a graph
    AtOnce,  // each step is done after the one before; nobody waits for it
    Blocking // each step is done when its `add...` returns
  };

  /// Once, before all other functions. `maximumWords` is the most that a kernel
  /// takes.
  Error start(Mode mode, int32_t maximumWords);

  /// Forgets the steps and the graph.
  void clear();

  /// Returns whether there is a graph that `launch` can do.
  bool isComplete() const { return executable && state == State::Complete; }

  cuda::CUresult begin();
  struct Kernel {
    cuda::CUfunction function;
    const HamKaasDeviceKernel &launch;
    /// True if it begins with a wait for those before it. After a kernel of the
    /// kind, it starts while that one still runs.
    bool waits;
  };
  /// The kernel's arguments, 8 bytes each; `count` of them.
  cuda::CUresult addKernel(const Kernel &kernel, const uint64_t *words,
                           int32_t count);
  struct Copy {
    uint64_t to, from;
    uint64_t bytes;
    bool isToHost = false, isFromHost = false; // memory of cuMemAllocHost
  };
  cuda::CUresult addCopy(const Copy &copy);
  /// Sets 32-bit words to zero.
  cuda::CUresult addZeros(uint64_t to, uint64_t count);
  /// Work of a library, which the words decide.
  struct Work {
    /// Puts it on the stream; false if that failed.
    bool (*issue)(void *context, cuda::CUstream stream);
    void *context;
  };
  /// If `issue` fails, so does this; the caller knows why.
  cuda::CUresult addWork(const uint64_t *words, int32_t count,
                         const Work &work);
  /// Notes the time; `call` and `isRun` are the caller's.
  cuda::CUresult addTimestamp(int64_t call, bool isRun);
  /// After this the graph is ready. Fails if steps are missing.
  cuda::CUresult end();

  /// Does nothing unless the mode is Graph.
  cuda::CUresult launch();

  /// A time that was noted, relative to the one before.
  struct Interval {
    int64_t call;
    bool isRun;
    uint64_t nanoseconds;
  };
  int32_t timestampCount() const { return timestamps.size; }
  /// `index` is at least 1. When all steps are done.
  cuda::CUresult readInterval(int32_t index, Interval &interval /* out */);

private:
  enum class Kind : int32_t { Kernel, Copy, Zeros, Work, Timestamp };
  enum class State {
    Empty,    // there is no graph
    Building, // steps are added to the graph
    Updating, // steps are compared with those there are
    Complete
  };

  struct Step {
    Kind kind;
    int32_t wordCount;
    int32_t firstWord; // in `words`
    cuda::CUgraphNode node;
    bool waits; // of a kernel
  };

  struct Timestamp {
    int64_t call;
    bool isRun;
    cuda::CUevent event;  // of a graph
    uint64_t nanoseconds; // of the caller's clock, otherwise
  };

  /// Grows by realloc. Plain data.
  template <typename T> struct Array {
    T *items = nullptr;
    int32_t size = 0;
    int32_t capacity = 0;

    bool append(const T &item);
    void release();
  };

  /// Finds the step that is described, or makes a new one without a node.
  /// `isSame` says that it is there with these words.
  cuda::CUresult findStep(Kind kind, uint64_t first, const uint64_t *words,
                          int32_t count, Step *&step, bool &isSame);
  /// The last node before a new step, which waits for it.
  const cuda::CUgraphNode *lastNode() const;
  int32_t lastNodeCount() const { return steps.size > 1 ? 1 : 0; }
  cuda::CUresult launchNow(const Kernel &kernel);
  cuda::CUresult addKernelNode(const Kernel &kernel, Step &step,
                               const cuda::CUDA_KERNEL_NODE_PARAMS &node);
  cuda::CUresult capture(const Work &work, cuda::CUgraph &captured);
  cuda::CUresult waitIfBlocking(cuda::CUresult result);
  cuda::CUresult noteTimeNow(int64_t call, bool isRun);
  cuda::CUresult createGraph();

  CudaContext &context;
  Mode mode = Mode::Graph;
  State state = State::Empty;
  cuda::CUgraph graph = nullptr;
  cuda::CUgraphExec executable = nullptr;
  cuda::CUstream recorder = nullptr; // takes what libraries do
  Array<Step> steps;
  Array<uint64_t> words;
  Array<Timestamp> timestamps;
  int32_t nextStep = 0;        // when updating
  void **parameters = nullptr; // addresses of a kernel's words
};

} // namespace hamkaas::rt

#endif // HAMKAAS_LIB_RUNTIME_GPU_CUDASEQUENCE_H
