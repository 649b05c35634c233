//===- EngineRuns.cpp - Runs of an engine in a child process --------------===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "EngineRuns.h"
#include "GuardedBuffer.h"
#include "HamKaas/Engine/Trial.h"
#include "HamKaas/Runtime/Core/TensorType.h"
#include "llvm/ADT/STLExtras.h"
#include <algorithm>
#include <atomic>
#include <cstring>
#include <memory>
#include <sys/mman.h>
#include <thread>

using namespace llvm;
using namespace hamkaas;
using Place = GuardedBuffer::Place;

//===----------------------------------------------------------------------===//
// Memory that both processes share
//===----------------------------------------------------------------------===//

namespace {

/// A report of the child, and the results of its runs.
class SharedResults {
public:
  static constexpr size_t reportBytes = 8192;

  SharedResults(uint64_t resultBytes, uint64_t count)
      : resultBytes(resultBytes), count(count) {
    void *memory = mmap(nullptr, getBytes(), PROT_READ | PROT_WRITE,
                        MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (memory != MAP_FAILED)
      data = static_cast<char *>(memory);
  }
  SharedResults(const SharedResults &) = delete;
  SharedResults &operator=(const SharedResults &) = delete;
  ~SharedResults() {
    if (data)
      munmap(data, getBytes());
  }

  bool isThere() const { return data; }
  /// A text that ends with a zero; empty if nothing is wrong.
  char *report() const { return data; }
  char *result(uint64_t index) const {
    return data + reportBytes + index * resultBytes;
  }

private:
  uint64_t getBytes() const { return reportBytes + count * resultBytes; }

  uint64_t resultBytes, count;
  char *data = nullptr;
};

} // namespace

//===----------------------------------------------------------------------===//
// The child
//===----------------------------------------------------------------------===//

/// HamKaasEngineThreads::parallelFor; `threads` points to their number, 1 or 2.
static void runOnThreads(void *threads, HamKaasEngineBody body, void *context,
                         int64_t count) {
  if (*static_cast<int *>(threads) == 1) {
    if (count > 0)
      body(context, 0, count);
    return;
  }
  // Many parts, and not all alike.
  int64_t size = std::max<int64_t>(1, count / 7);
  std::atomic<int64_t> next = 0;
  auto work = [&] {
    for (int64_t begin; (begin = next.fetch_add(size)) < count;)
      body(context, begin, std::min(begin + size, count));
  };
  std::thread other(work);
  work();
  other.join();
}

static uint64_t countBytes(const HamKaasEngineTensor &tensor) {
  uint64_t bytes = 0;
  rt::countBytes(rt::elementTypeSize(tensor.elementType), tensor.rank,
                 tensor.shape, bytes);
  return bytes;
}

namespace {

/// The runs, in the child process.
class ChildRuns {
public:
  ChildRuns(const EngineRuns &runs, const SharedResults &shared,
            TrialStep startStep)
      : runs(runs), shared(shared), startStep(startStep) {}

  Error makeAll() {
    start("plan");
    bool isPlanned = false;
    if (rt::Error error =
            runs.engine.plan(runs.group, runs.knobs.c_str(), plan, isPlanned))
      return createStringError(error.message());
    if (!isPlanned)
      return createStringError("does not plan the group");
    if (Error error = prepare())
      return error;
    for (size_t i = 0; i < runs.inputs.size(); ++i)
      for (int time = 0; time < EngineRuns::timesEach; ++time)
        if (Error error = run(i, time))
          return error;
    start("destroy");
    runs.engine.destroy(plan);
    return Error::success();
  }

private:
  using Buffer = std::unique_ptr<GuardedBuffer>;

  void start(StringRef call) { startStep(runs.place + ": " + call.str()); }

  bool isConstant(size_t input) const {
    return runs.group.values[input].isConstant != 0;
  }

  std::string getName(size_t input) const {
    return (isConstant(input) ? "constant input " : "input ") +
           std::to_string(input);
  }

  Error makeBuffer(std::string name, uint64_t bytes, Place place,
                   unsigned char pattern, Buffer &buffer) {
    buffer =
        std::make_unique<GuardedBuffer>(std::move(name), bytes, place, pattern);
    return buffer->data()
               ? Error::success()
               : createStringError("no memory for " + buffer->getName().str());
  }

  /// Copies of the inputs that `takes` says, null for the others.
  Error makeInputs(const std::vector<TensorBytes> &contents, Place place,
                   function_ref<bool(size_t)> takes,
                   std::vector<Buffer> &buffers,
                   std::vector<const void *> &pointers) {
    for (size_t i = 0; i < contents.size(); ++i) {
      Buffer &buffer = buffers.emplace_back();
      pointers.push_back(nullptr);
      if (!takes(i))
        continue;
      if (Error error = makeBuffer(getName(i), contents[i].size(), place,
                                   /*pattern=*/0, buffer))
        return error;
      std::memcpy(buffer->data(), contents[i].data(), contents[i].size());
      pointers.back() = buffer->data();
    }
    return Error::success();
  }

  /// Checks that the engine wrote neither around nor into a buffer that it only
  /// reads.
  Error checkRead(const GuardedBuffer &buffer,
                  const std::vector<char> &contents) const {
    if (Error error = checkWritten(buffer))
      return error;
    if (std::memcmp(buffer.data(), contents.data(), contents.size()) != 0)
      return createStringError("changed " + buffer.getName().str());
    return Error::success();
  }

  Error checkWritten(const GuardedBuffer &buffer) const {
    std::string damage = buffer.findDamage();
    return damage.empty() ? Error::success() : createStringError(damage);
  }

  Error checkInputs(const std::vector<Buffer> &buffers,
                    const std::vector<TensorBytes> &contents) const {
    for (auto [buffer, content] : zip_equal(buffers, contents))
      if (Error error = buffer ? checkRead(*buffer, content) : Error::success())
        return error;
    return Error::success();
  }

  Error prepare() {
    if (plan.packedBytes == 0)
      return Error::success();
    const std::vector<TensorBytes> &contents = runs.inputs.front();
    std::vector<Buffer> buffers;
    std::vector<const void *> pointers;
    if (Error error = makeInputs(
            contents, Place::AtEnd, [&](size_t i) { return isConstant(i); },
            buffers, pointers))
      return error;
    if (Error error =
            makeBuffer("the packed inputs", plan.packedBytes, Place::Aligned,
                       EngineRuns::getPattern(0), packed))
      return error;
    start("prepare");
    if (rt::Error error =
            runs.engine.prepare(plan, pointers.data(), packed->data()))
      return createStringError(error.message());
    packedContents.assign(packed->data(), packed->data() + packed->bytes());
    if (Error error = checkWritten(*packed))
      return error;
    return checkInputs(buffers, contents);
  }

  Error run(size_t index, int time) {
    Place place = time == 0 ? Place::Aligned : Place::AtEnd;
    unsigned char pattern = EngineRuns::getPattern(time);
    const std::vector<TensorBytes> &contents = runs.inputs[index];
    std::vector<Buffer> buffers;
    std::vector<const void *> pointers;
    if (Error error = makeInputs(
            contents, place,
            [&](size_t i) { return !packed || !isConstant(i); }, buffers,
            pointers))
      return error;
    Buffer result, workspace;
    if (Error error = makeBuffer(
            "the result", countBytes(runs.group.values[runs.group.result]),
            place, pattern, result))
      return error;
    // Where it is read before it is written, floats are NaN.
    if (Error error =
            makeBuffer("the workspace", plan.workspaceBytes, Place::Aligned,
                       time == 0 ? 0xff : pattern, workspace))
      return error;
    int threads = time + 1;
    HamKaasEngineRun call = {};
    call.structSize = sizeof(call);
    call.inputs = pointers.data();
    call.result = result->data();
    call.workspace = plan.workspaceBytes > 0 ? workspace->data() : nullptr;
    call.packed = packed ? packed->data() : nullptr;
    call.threads = {runOnThreads, &threads};
    start(threads == 1 ? "run with one thread" : "run with two threads");
    if (rt::Error error = runs.engine.run(plan, call))
      return createStringError(error.message());
    std::memcpy(shared.result(index * EngineRuns::timesEach + time),
                result->data(), result->bytes());
    if (Error error = checkWritten(*result))
      return error;
    if (Error error = checkWritten(*workspace))
      return error;
    if (Error error =
            packed ? checkRead(*packed, packedContents) : Error::success())
      return error;
    return checkInputs(buffers, contents);
  }

  const EngineRuns &runs;
  const SharedResults &shared;
  TrialStep startStep;
  HamKaasEnginePlan plan = {};
  Buffer packed; ///< Null if the plan packs nothing.
  std::vector<char> packedContents;
};

} // namespace

//===----------------------------------------------------------------------===//
// The parent
//===----------------------------------------------------------------------===//

Error EngineRuns::make(std::vector<TensorBytes> &results) const {
  uint64_t bytes = countBytes(group.values[group.result]);
  uint64_t count = inputs.size() * timesEach;
  SharedResults shared(bytes, count);
  if (!shared.isThere())
    return createStringError(place + ": no memory for its results");
  Error ended = tryInChild([&](TrialStep step) {
    reportForbiddenAccess(shared.report(), SharedResults::reportBytes);
    std::string problem = toString(ChildRuns(*this, shared, step).makeAll());
    std::strncpy(shared.report(), problem.c_str(),
                 SharedResults::reportBytes - 1);
  });
  // It says more than that the process has ended.
  if (*shared.report()) {
    consumeError(std::move(ended));
    return createStringError(place + ": " + shared.report());
  }
  if (ended)
    return ended;
  for (uint64_t i = 0; i < count; ++i)
    results.emplace_back(shared.result(i), shared.result(i) + bytes);
  return Error::success();
}
