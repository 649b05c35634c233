//===- LossCompositions.td - Losses ------------------------*- tablegen -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HAMKAAS_FRONTEND_BUILDER_LOSSCOMPOSITIONS
#define HAMKAAS_FRONTEND_BUILDER_LOSSCOMPOSITIONS

include "HamKaas/Frontend/Builder/CompositionBase.td"

/// An attribute: what becomes of the losses of all elements.
def HamKaas_Reduction : DefaultValuedOptionalAttr<HamKaas_LossReduction,
    "::hamkaas::graph::LossReduction::Mean">;

/// Of `none` the losses; `mean` and `sum` of all; `batchmean`, their sum divided
/// by the size of dimension 0.
class HamKaas_Loss<string name> : HamKaas_Composition<name> {
  string combined = " of each element, or combined as `reduction` says: their "
      "`mean`, their `sum`, or by `batchmean` the sum divided by the first "
      "dimension. Floats of 16 bits are computed as float32.\n";
}

/// A loss of numbers, `d = x - target`.
class HamKaas_ElementLoss<string name, string what, string formula, string y,
                          string call = "", dag attributes = (ins)>
    : HamKaas_Loss<name> {
  let summary = what;
  let description = formula # " with `d = x - target`, which have one type:" #
                    combined;
  let example = "x: float32 [2] = 1 2\nt: float32 [2] = 3 2.5\ny = " # name #
                "(x, t" # call # ")\ny: float32 [] = " # y # "\n";
  let arguments = !con((ins HamKaas_FloatTensor:$x, HamKaas_FloatTensor:$target,
                            HamKaas_Reduction:$reduction), attributes);
  let results = (outs HamKaas_FloatTensor:$result);
}
def HamKaas_MseLoss : HamKaas_ElementLoss<"mse_loss", "mean squared error",
                                          "`d^2`", "2.125">;
def HamKaas_L1Loss : HamKaas_ElementLoss<"l1_loss", "mean absolute error",
                                         "`|d|`", "1.25">;
def HamKaas_SmoothL1Loss : HamKaas_ElementLoss<"smooth_l1_loss",
    "absolute error, squared where it is small",
    "`0.5 * d^2 / beta` where `|d| < beta`, otherwise `|d| - 0.5 * beta`,",
    "0.8125", "", (ins HamKaas_Real<"1.0">:$beta)>;
def HamKaas_HuberLoss : HamKaas_ElementLoss<"huber_loss",
    "squared error, linear where it is large",
    "`0.5 * d^2` where `|d| <= delta`, otherwise `delta * (|d| - 0.5 * delta)`,",
    "1.0625", ", delta=2", (ins HamKaas_Real<"1.0">:$delta)>;

def HamKaas_KlDiv : HamKaas_Loss<"kl_div"> {
  let summary = "Kullback-Leibler divergence";
  let description = "`target * (log(target) - x)` for logarithms `x` of "
      "probabilities, 0 where the target is 0; with `log_target` `exp(target) * "
      "(target - x)`. Both operands have one type:" # combined;
  let example = [{
    x: float32 [2, 2] = 0 -1 -1 -2
    t: float32 [2, 2] = 1 0 0.5 0.5
    y = kl_div(x, t, reduction=batchmean)
    y: float32 [] = 0.40342641
  }];
  let arguments = (ins HamKaas_FloatTensor:$x, HamKaas_FloatTensor:$target,
                       HamKaas_Reduction:$reduction, UnitAttr:$log_target);
  let results = (outs HamKaas_FloatTensor:$result);
}

def HamKaas_BinaryCrossEntropy : HamKaas_Loss<"binary_cross_entropy"> {
  let summary = "cross entropy of probabilities of two classes";
  let description = "`-weight * (target * log(x) + (1 - target) * log(1 - x))` "
      "with logarithms of at least -100. `x` and `target` have one type; `weight` "
      "is broadcast to it and defaults to 1:" # combined;
  let example = [{
    x: float32 [2] = 0.5 0
    t: float32 [2] = 1 0.25
    y = binary_cross_entropy(x, t, reduction=none)
    y: float32 [2] = 0.69314718 25
  }];
  let arguments = (ins HamKaas_FloatTensor:$x, HamKaas_FloatTensor:$target,
                       Optional<HamKaas_FloatTensor>:$weight,
                       HamKaas_Reduction:$reduction);
  let results = (outs HamKaas_FloatTensor:$result);
}

def HamKaas_BinaryCrossEntropyWithLogits
    : HamKaas_Loss<"binary_cross_entropy_with_logits"> {
  let summary = "cross entropy of scores of two classes";
  let description = "`-weight * (pos_weight * target * log(s) + (1 - target) * "
      "log(1 - s))` with `s = sigmoid(x)`, computed such that nothing overflows. "
      "`x` and `target` have one type; `weight` and `pos_weight` are broadcast "
      "to it and default to 1:" # combined;
  let example = [{
    x: float32 [2] = 0 100
    t: float32 [2] = 1 0.25
    y = binary_cross_entropy_with_logits(x, t, reduction=none)
    y: float32 [2] = 0.69314718 75
  }];
  let arguments = (ins HamKaas_FloatTensor:$x, HamKaas_FloatTensor:$target,
                       Optional<HamKaas_FloatTensor>:$weight,
                       Optional<HamKaas_FloatTensor>:$pos_weight,
                       HamKaas_Reduction:$reduction);
  let results = (outs HamKaas_FloatTensor:$result);
}

//===----------------------------------------------------------------------===//
// Classes
//===----------------------------------------------------------------------===//

def HamKaas_NllLoss : HamKaas_Loss<"nll_loss"> {
  let summary = "negative log likelihood of classes";
  let description = "`-weight[c] * x[n, c, i]` with `c = target[n, i]`, for "
      "logarithms `x` of probabilities, batch x classes x others, or classes "
      "alone. `target`, batch x others, has the index of the class; `weight` has "
      "one element for each class and defaults to 1. An element whose target is "
      "`ignore_index`, if that is given, counts as 0, and not at all in the mean, "
      "which is the sum divided by that of `weight[c]`. Another target that is "
      "no class ends the run with an error. The loss is" #
      combined;
  let example = [{
    x: float32 [2, 2] = -1 -2 -3 -4
    t: int64 [2] = 1 0
    w: float32 [2] = 1 3
    y = nll_loss(x, t, w)
    y: float32 [] = 2.25
  }];
  let arguments = (ins HamKaas_FloatTensor:$x, HamKaas_IndexTensor:$target,
                       Optional<HamKaas_FloatTensor>:$weight,
                       HamKaas_Reduction:$reduction,
                       OptionalAttr<I64Attr>:$ignore_index);
  let results = (outs HamKaas_FloatTensor:$result);
}

def HamKaas_CrossEntropy : HamKaas_Loss<"cross_entropy"> {
  let summary = "cross entropy of scores and classes";
  let description = "`nll_loss` of `log_softmax(x)` along the classes, with the "
      "same operands and attributes. `target` may also have the probability of "
      "each class, of the type of `x`: then it is `-weight[c] * target[n, c, i] * "
      "log_softmax(x)[n, c, i]`, summed over the classes, and nothing is ignored. "
      "With `label_smoothing`, from 0 to 1, that much of each target is spread "
      "over all classes alike. The loss is" # combined;
  let example = [{
    x: float32 [2, 2] = 0 1 2 4
    t: int64 [2] = 1 0
    y = cross_entropy(x, t)
    y: float32 [] = 1.2200948
  }];
  let arguments = (ins HamKaas_FloatTensor:$x, HamKaas_NumericTensor:$target,
                       Optional<HamKaas_FloatTensor>:$weight,
                       HamKaas_Reduction:$reduction,
                       OptionalAttr<I64Attr>:$ignore_index,
                       HamKaas_Real<"0.0">:$label_smoothing);
  let results = (outs HamKaas_FloatTensor:$result);
}

#endif // HAMKAAS_FRONTEND_BUILDER_LOSSCOMPOSITIONS
