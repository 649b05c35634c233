//===- Describe.cpp - Models as text and drawings ---------------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Arguments.h"
#include "HamKaas/Frontend/Script/Script.h"
#include "HamKaas/Report/GraphDrawing.h"
#include "HamKaas/Report/MemoryPlanDrawing.h"
#include "HamKaas/Report/Report.h"

using namespace mlir;
using namespace hamkaas;
using namespace hamkaas::capi;

static llvm::Error drawPlan(const Model &model, llvm::raw_ostream &stream) {
  if (model.isLibrary())
    return llvm::createStringError("a compiled library does not say how its "
                                   "workspace is used, so there is no drawing");
  drawMemoryPlan(model.info, stream);
  return llvm::Error::success();
}

static llvm::Error describeGraph(const Model &model,
                                 HamKaasDescription description,
                                 llvm::raw_ostream &stream) {
  if (model.isLibrary())
    return llvm::createStringError("a compiled library has no graph any more");
  auto graph = ParsedGraph::parse(model.source, createContext());
  if (!graph)
    return graph.takeError();
  ModuleOp module = (*graph)->module();
  if (description == HamKaasDescribeGraphSvg)
    return drawGraph(module, stream);
  if (description == HamKaasDescribeUnfoldedGraphSvg)
    return drawGraph(module, stream, /*unfold=*/true);
  if (description == HamKaasDescribeScript) {
    if (succeeded(exportScript(module, stream)))
      return llvm::Error::success();
    return (*graph)->describe(llvm::make_error<ReportedError>());
  }
  if (llvm::Error error = (*graph)->describe(
          lowerModel(module, Form::Graph, getCompileOptions(model.source))))
    return error;
  module.print(stream);
  return llvm::Error::success();
}

static llvm::Error describe(HamKaasModel *handle, int32_t description,
                            llvm::raw_ostream &stream) {
  auto model = findModel(handle);
  if (!model)
    return model.takeError();
  switch (description) {
  case HamKaasDescribeReport:
    printReport((*model)->info, stream);
    return llvm::Error::success();
  case HamKaasDescribeReportJson:
    printReportJson((*model)->info, stream);
    return llvm::Error::success();
  case HamKaasDescribePlanSvg:
    return drawPlan(**model, stream);
  case HamKaasDescribeGraphSvg:
  case HamKaasDescribeGraph:
  case HamKaasDescribeScript:
  case HamKaasDescribeUnfoldedGraphSvg:
    return describeGraph(**model, HamKaasDescription(description), stream);
  }
  return llvm::createStringError("expected a description of 0 to 6, got " +
                                 llvm::Twine(description));
}

HamKaasError HamKaasModelDescribe(HamKaasModel *model, int32_t description,
                                  char **text) {
  if (!text)
    return noPlace("the text");
  *text = nullptr;
  std::string described;
  llvm::raw_string_ostream stream(described);
  if (llvm::Error error = describe(model, description, stream))
    return fromError(std::move(error));
  *text = copyText(described);
  if (!*text)
    return fromError(llvm::createStringError("out of memory for a text"));
  return nullptr;
}

void HamKaasTextFree(char *text) { std::free(text); }
