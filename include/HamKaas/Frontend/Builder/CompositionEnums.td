//===- CompositionEnums.td - Words of compositions ---------*- tablegen -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HAMKAAS_FRONTEND_BUILDER_COMPOSITIONENUMS
#define HAMKAAS_FRONTEND_BUILDER_COMPOSITIONENUMS

include "mlir/IR/EnumAttr.td"

/// The attribute holds the number of the word.
class HamKaas_Words<string name, string summary, list<I64EnumAttrCase> cases>
    : I64EnumAttr<name, summary, cases> {
  let cppNamespace = "::hamkaas::graph";
}

def HamKaas_LossReduction : HamKaas_Words<
    "LossReduction", "combination of the losses of all elements", [
      I64EnumAttrCase<"None", 0, "none">,
      I64EnumAttrCase<"Mean", 1, "mean">,
      I64EnumAttrCase<"Sum", 2, "sum">,
      I64EnumAttrCase<"BatchMean", 3, "batchmean">
    ]>;

def HamKaas_MomentumRule : HamKaas_Words<
    "MomentumRule", "combination of gradients into a velocity", [
      I64EnumAttrCase<"Sum", 0, "sum">,
      I64EnumAttrCase<"Average", 1, "average">
    ]>;

def HamKaas_PadMode : HamKaas_Words<
    "PadMode", "elements around a tensor", [
      I64EnumAttrCase<"Constant", 0, "constant">,
      I64EnumAttrCase<"Reflect", 1, "reflect">,
      I64EnumAttrCase<"Replicate", 2, "replicate">,
      I64EnumAttrCase<"Circular", 3, "circular">
    ]>;

def HamKaas_InterpolateMode : HamKaas_Words<
    "InterpolateMode", "elements between those of an image", [
      I64EnumAttrCase<"Nearest", 0, "nearest">,
      I64EnumAttrCase<"NearestExact", 1, "nearest_exact">,
      I64EnumAttrCase<"Linear", 2, "linear">,
      I64EnumAttrCase<"Cubic", 3, "cubic">
    ]>;

#endif // HAMKAAS_FRONTEND_BUILDER_COMPOSITIONENUMS
