//===- CudaRun.cpp - Run a program on a GPU -------------------------------===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CudaDescription.h"
#include "HamKaas/Runtime/Instance/Instance.h"
#include "HamKaas/Runtime/Instance/ProgramCheck.h"

#include <cstdlib>

using namespace hamkaas::rt;
using namespace hamkaas::rt::cuda;

// Calls the program's function, which adds its steps.
static Error describeKernels(CudaProgram &device, CudaSequence &sequence) {
  Description description = {device, sequence, /*isRun=*/true, Error()};
  HamKaasExecution execution = makeExecution(description);
  const ProgramMemory &memory = device.memory;
  int32_t failed = device.program.deviceCode->run(
      &execution, device.bindings.inputs(), device.bindings.outputs(),
      memory.constants, memory.state, memory.workspace);
  return explainReturn(failed, execution, description);
}

// All that a run does, in its order.
static Error describeRun(CudaProgram &device, CudaSequence &sequence) {
  const CudaBindings &bindings = device.bindings;
  auto check = [&](CUresult result) {
    return device.context.check(result, "model '%s': cannot make its graph",
                                device.program.name);
  };
  if (Error error = check(sequence.begin()))
    return error;
  // The record of a failed check. Without checks, skipping its two steps saves
  // a few microseconds per run.
  if (device.hasChecks)
    if (Error error = check(sequence.addZeros(bindings.failure(), 10)))
      return error;
  if (Error error = check(bindings.addCopiesIn(sequence)))
    return error;
  if (device.memory.profile)
    if (Error error = check(sequence.addTimestamp(-1, false)))
      return error;
  if (Error error = describeKernels(device, sequence))
    return error;
  if (Error error = check(bindings.addCopiesOut(sequence)))
    return error;
  return check(sequence.end());
}

// The driver may refuse an update that a new graph would allow, for example for
// memory of another kind.
static Error makeGraph(CudaProgram &device, CudaSequence &sequence) {
  bool wasComplete = sequence.isComplete();
  Error error = describeRun(device, sequence);
  if (!error)
    return Error();
  sequence.clear();
  if (!wasComplete || device.context.isLost())
    return error;
  error = describeRun(device, sequence);
  if (error)
    sequence.clear();
  return error;
}

// Makes the first graph that of the present addresses.
static Error findGraph(CudaProgram &device) {
  RunGraph *&first = device.graphs[0], *&second = device.graphs[1];
  auto fits = [&](const RunGraph &graph) {
    return graph.sequence.isComplete() &&
           device.bindings.hasAddresses(graph.addresses);
  };
  if (fits(*first))
    return Error();
  if (first->sequence.isComplete()) {
    RunGraph *older = second;
    second = first;
    first = older;
  }
  if (fits(*first))
    return Error();
  device.bindings.copyAddresses(first->addresses);
  return makeGraph(device, first->sequence);
}

static Error startGraph(CudaProgram &device, RunGraph &graph) {
  // calloc may return null for zero entries.
  size_t count = static_cast<size_t>(device.bindings.bufferCount()) + 1;
  graph.addresses = static_cast<void **>(calloc(count, sizeof(void *)));
  if (!graph.addresses)
    return Error::format("out of memory for a graph");
  using Mode = CudaSequence::Mode;
  return graph.sequence.start(device.isBlocking ? Mode::Blocking : Mode::Graph,
                              device.maximumWords);
}

Error hamkaas::rt::startOnCuda(Instance &instance) {
  CudaProgram &device = *static_cast<CudaProgram *>(instance.device.context);
  device.memory = {instance.constants->memory, instance.state->memory,
                   instance.workspace->memory, instance.profile};
  CudaScope scope(device.context);
  if (Error error = scope.enter())
    return error;
  // The first run makes its graph: its buffers decide about copies.
  for (RunGraph *graph : device.graphs)
    if (Error error = startGraph(device, *graph))
      return error;
  return Error();
}

static Error addProfile(CudaProgram &device) {
  CudaSequence &sequence = device.graphs[0]->sequence;
  for (int32_t i = 1; i < sequence.timestampCount(); ++i) {
    CudaSequence::Interval interval = {};
    if (Error error =
            device.context.check(sequence.readInterval(i, interval),
                                 "cannot read the times of its profile"))
      return error;
    if (!findCall(device.program, interval.call))
      continue;
    HamKaasCallProfile &entry = device.memory.profile[interval.call];
    entry.runs += interval.isRun;
    entry.nanoseconds += interval.nanoseconds;
  }
  return Error();
}

// The error of the first check that failed, if any.
static Error explainChecks(const CudaProgram &device) {
  const int64_t *values = device.bindings.failureValues();
  if (!device.hasChecks || values[0] == 0)
    return Error();
  HamKaasFailure failure = {values[0] - 1,
                            {values[1], values[2], values[3], values[4]}};
  return describeFailure(device.program, failure);
}

static Error launchAndWait(CudaProgram &device) {
  CudaContext &context = device.context;
  if (Error error = context.check(device.graphs[0]->sequence.launch(),
                                  "model '%s': cannot launch its graph",
                                  device.program.name))
    return error;
  return context.check(
      context.driver().cuStreamSynchronize(context.stream()),
      device.isBlocking
          ? "model '%s': the run failed"
          : "model '%s': the run failed (with CUDA_LAUNCH_BLOCKING=1 this "
            "names the kernel)",
      device.program.name);
}

Error hamkaas::rt::runOnCuda(Instance &instance, const void *const *inputs,
                             void *const *outputs) {
  CudaProgram &device = *static_cast<CudaProgram *>(instance.device.context);
  CudaScope scope(device.context);
  if (Error error = scope.enter())
    return error;
  auto change = CudaBindings::Change::None;
  Error binding = device.bindings.bind(device.context, inputs, outputs, change);
  // The present bindings, perhaps incomplete, are not in the graph.
  if (binding || change == CudaBindings::Change::Steps)
    for (RunGraph *graph : device.graphs)
      graph->sequence.clear();
  if (binding)
    return binding;
  device.bindings.readInputs();
  if (device.isBlocking) {
    if (Error error = describeRun(device, device.graphs[0]->sequence))
      return error;
  } else if (change != CudaBindings::Change::None ||
             !device.graphs[0]->sequence.isComplete()) {
    if (Error error = findGraph(device))
      return error;
  }
  if (Error error = launchAndWait(device))
    return error;
  if (Error error = explainChecks(device))
    return error;
  device.bindings.writeOutputs();
  return device.memory.profile ? addProfile(device) : Error();
}
