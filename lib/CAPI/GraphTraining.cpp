//===- GraphTraining.cpp - Training steps of graphs -------------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "GraphHandle.h"
#include "HamKaas/Training/TrainingStep.h"

using namespace mlir;
using namespace hamkaas;
using namespace hamkaas::capi;
using llvm::createStringError;
using llvm::Error;
using llvm::Expected;

static Error addStep(Graph &graph, const HamKaasGraphTrainingStep &given,
                     Location location) {
  auto loss = graph.find(given.loss, "the loss to be a value");
  if (!loss)
    return loss.takeError();
  if (Error error = checkText(given.optimizer, "the text of an optimizer"))
    return error;
  Expected<Optimizer> optimizer = Optimizer::parse(given.optimizer);
  if (!optimizer)
    return optimizer.takeError();
  TrainingRequest request = {*loss, *optimizer};
  if (given.learningRate) {
    auto rate =
        graph.find(given.learningRate, "the learning rate to be a value");
    if (!rate)
      return rate.takeError();
    request.learningRate = *rate;
  }
  auto states = readValues(graph, "state", given.states, given.stateCount);
  if (!states)
    return states.takeError();
  request.states = *states;
  if (given.frozen)
    request.frozen = given.frozen;
  return addTrainingStep(graph.graph, request, location);
}

HamKaasError
HamKaasGraphAddTrainingStep(HamKaasGraph *graph,
                            const HamKaasGraphTrainingStep *given) {
  if (!given)
    return fromError(createStringError("expected a training step, got null"));
  auto step = readOptions(given, "HamKaasGraphTrainingStep");
  if (!step)
    return fromError(step.takeError());
  return withGraph(graph, {step->file, step->line},
                   [&](Graph &graph, Location location) -> Error {
                     if (Error error = addStep(graph, *step, location))
                       return createStringError("'training step': " +
                                                toString(std::move(error)));
                     return Error::success();
                   });
}
