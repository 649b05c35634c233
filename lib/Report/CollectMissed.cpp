//===- CollectMissed.cpp - What passes nearly recognised --------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HamKaas/Report/CollectMissed.h"
#include "HamKaas/Program/CollectProgramInfo.h"
#include "mlir/IR/Remarks.h"

using namespace mlir;
using namespace hamkaas;

namespace {

/// Receives the remarks of a context. Passes on a graph take whole modules, so
/// there is one at a time.
class MissedStreamer : public remark::detail::MLIRRemarkStreamerBase {
public:
  explicit MissedStreamer(std::vector<MissedInfo> &missed) : missed(missed) {}

  void streamOptimizationRemark(const remark::detail::Remark &remark) override {
    MissedInfo info;
    info.operation = remark.getRemarkName();
    info.location = formatLocation(remark.getLocation());
    for (const remark::detail::Remark::Arg &arg : remark.getArgs())
      if (arg.key == "Reason")
        info.reason = arg.val;
    if (!llvm::is_contained(missed, info))
      missed.push_back(std::move(info));
  }

private:
  std::vector<MissedInfo> &missed;
};

} // namespace

CollectMissed::CollectMissed(MLIRContext &context,
                             std::vector<MissedInfo> &missed)
    : context(context) {
  if (context.getRemarkEngine())
    return;
  remark::RemarkCategories categories;
  categories.missed = "hamkaas-.*";
  isInstalled = succeeded(remark::enableOptimizationRemarks(
      context, std::make_unique<MissedStreamer>(missed),
      std::make_unique<remark::RemarkEmittingPolicyAll>(), categories));
}

CollectMissed::~CollectMissed() {
  if (isInstalled)
    context.setRemarkEngine(nullptr);
}
