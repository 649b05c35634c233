//===- DescribeTarget.cpp - Facts about the target of a module --*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HamKaas/CodeGen/Kernel/DescribeTarget.h"
#include "HamKaas/Dialect/HamKaas/IR/Target.h"

using namespace mlir;
using namespace hamkaas;

FailureOr<TargetDescription> hamkaas::describeTarget(Operation *op) {
  FailureOr<TargetAttr> target = getTarget(op);
  if (failed(target))
    return failure();
  auto *targets =
      target->getDialect().getRegisteredInterface<TargetsInterface>();
  const TargetDescription *row = targets ? targets->describe(*target) : nullptr;
  if (!row)
    return op->emitError("expected a registered target, got ") << *target;
  TargetDescription description = *row;
  description.precision = target->getPrecision();
  return description;
}
