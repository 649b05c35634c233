//===- OptimizerCompositions.td - Updates of parameters ----*- tablegen -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HAMKAAS_FRONTEND_BUILDER_OPTIMIZERCOMPOSITIONS
#define HAMKAAS_FRONTEND_BUILDER_OPTIMIZERCOMPOSITIONS

include "HamKaas/Frontend/Builder/CompositionBase.td"

/// The update of a parameter `p` by its gradient `g`. The formulas are those of
/// the documentation of torch.optim, unless another source is given.
class HamKaas_Update<string name> : HamKaas_Composition<name> {
  string types = "All tensors have the shape of `parameter`, but for "
      "`learning_rate`, a scalar. Each result has the type of its operand. All "
      "is computed in the type of `parameter`, or in float32 if that has 16 "
      "bits.\n";
}

def HamKaas_SgdUpdate : HamKaas_Update<"sgd_update"> {
  let summary = "a step of gradient descent";
  let description = "`p - learning_rate * (g + weight_decay * p)`. " # types;
  let example = [{
    p: float32 [2] = 1 2
    g: float32 [2] = 1 -1
    r: float32 [] = 0.5
    y = sgd_update(p, g, r)
    y: float32 [2] = 0.5 2.5
  }];
  let arguments = (ins HamKaas_FloatTensor:$parameter,
                       HamKaas_FloatTensor:$gradient,
                       HamKaas_FloatTensor:$learning_rate,
                       HamKaas_Real<"0.0">:$weight_decay);
  let results = (outs HamKaas_FloatTensor:$updated);
}

def HamKaas_MomentumUpdate : HamKaas_Update<"momentum_update"> {
  let summary = "a step of gradient descent with momentum";
  let description = "With `d = g + weight_decay * p` and the velocity `u`, 0 at "
      "first, `u' = momentum * u + s * d` and `p' = p - learning_rate * u'`. The "
      "factor `s` is 1 for the rule `sum`, PyTorch's, and `1 - momentum` for "
      "`average`, where `u` is a moving average of gradients. With `nesterov`, "
      "`p' = p - learning_rate * (s * d + momentum * u')`. The results are `p'` "
      "and `u'`. " # types;
  let example = [{
    p: float32 [2] = 1 2
    g: float32 [2] = 1 -1
    u: float32 [2] = 2 0
    r: float32 [] = 0.5
    a, b = momentum_update(p, g, u, r, momentum=0.5)
    a: float32 [2] = 0 2.5
    b: float32 [2] = 2 -1
  }];
  let arguments = (ins HamKaas_FloatTensor:$parameter,
                       HamKaas_FloatTensor:$gradient,
                       HamKaas_FloatTensor:$velocity,
                       HamKaas_FloatTensor:$learning_rate,
                       HamKaas_Real<"0.9">:$momentum,
                       DefaultValuedOptionalAttr<HamKaas_MomentumRule,
                           "::hamkaas::graph::MomentumRule::Sum">:$rule,
                       UnitAttr:$nesterov, HamKaas_Real<"0.0">:$weight_decay);
  let results = (outs HamKaas_FloatTensor:$updated,
                      HamKaas_FloatTensor:$new_velocity);
}

def HamKaas_AdamUpdate : HamKaas_Update<"adam_update"> {
  let summary = "a step of Adam, or of AdamW";
  let description = "With `d = g + weight_decay * p`, or `d = g` with "
      "`decoupled`: `m' = beta1 * m + (1 - beta1) * d`, `v' = beta2 * v + "
      "(1 - beta2) * d^2`, and `p' = q - learning_rate * (m' / (1 - beta1^t)) / "
      "(sqrt(v' / (1 - beta2^t)) + epsilon)`. `q` is `p`; with `decoupled`, which "
      "is AdamW, it is `p - learning_rate * weight_decay * p`. `t` is the number "
      "of this step, from 1, a scalar. `m`, the mean, and `v`, the variance, are "
      "0 at first. The results are `p'`, `m'` and `v'`. " # types;
  let example = [{
    p: float32 [2] = 1 2
    g: float32 [2] = 1 -1
    m: float32 [2] = 0 0
    v: float32 [2] = 0 0
    t: int64 [] = 1
    r: float32 [] = 0.5
    a, b, c = adam_update(p, g, m, v, t, r, beta1=0.5, beta2=0.75)
    a: float32 [2] = 0.5 2.5
    b: float32 [2] = 0.5 -0.5
    c: float32 [2] = 0.25 0.25
  }];
  let arguments = (ins HamKaas_FloatTensor:$parameter,
                       HamKaas_FloatTensor:$gradient, HamKaas_FloatTensor:$mean,
                       HamKaas_FloatTensor:$variance,
                       HamKaas_NumericTensor:$step,
                       HamKaas_FloatTensor:$learning_rate,
                       HamKaas_Real<"0.9">:$beta1, HamKaas_Real<"0.999">:$beta2,
                       HamKaas_Real<"1e-8">:$epsilon,
                       HamKaas_Real<"0.0">:$weight_decay, UnitAttr:$decoupled);
  let results = (outs HamKaas_FloatTensor:$updated,
                      HamKaas_FloatTensor:$new_mean,
                      HamKaas_FloatTensor:$new_variance);
}

def HamKaas_RmspropUpdate : HamKaas_Update<"rmsprop_update"> {
  let summary = "a step of RMSProp";
  let description = "With `d = g + weight_decay * p`: `v' = alpha * v + "
      "(1 - alpha) * d^2` and `p' = p - learning_rate * e` with `e = d / (sqrt(v') "
      "+ epsilon)`. With `velocity`, `u' = momentum * u + e` takes the place of "
      "`e`. With `mean`, `m' = alpha * m + (1 - alpha) * d`, and `v' - m'^2` takes "
      "the place of `v'` below the root. `v`, the variance, `u` and `m` are 0 at "
      "first. The results are `p'`, `v'` and those of `u'` and `m'` whose "
      "operands are given. " # types;
  let example = [{
    p: float32 [2] = 1 2
    g: float32 [2] = 1 -1
    v: float32 [2] = 0 0
    r: float32 [] = 0.5
    a, b = rmsprop_update(p, g, v, r, alpha=0.75)
    a: float32 [2] = 0 3
    b: float32 [2] = 0.25 0.25
  }];
  let arguments = (ins HamKaas_FloatTensor:$parameter,
                       HamKaas_FloatTensor:$gradient,
                       HamKaas_FloatTensor:$variance,
                       HamKaas_FloatTensor:$learning_rate,
                       Optional<HamKaas_FloatTensor>:$velocity,
                       Optional<HamKaas_FloatTensor>:$mean,
                       HamKaas_Real<"0.99">:$alpha,
                       HamKaas_Real<"1e-8">:$epsilon,
                       HamKaas_Real<"0.0">:$momentum,
                       HamKaas_Real<"0.0">:$weight_decay);
  let results = (outs HamKaas_FloatTensor:$updated,
                      HamKaas_FloatTensor:$new_variance,
                      Variadic<HamKaas_FloatTensor>:$others);
}

def HamKaas_LionUpdate : HamKaas_Update<"lion_update"> {
  let summary = "a step of Lion";
  let description = "`p' = p - learning_rate * (sign(beta1 * m + (1 - beta1) * g) "
      "+ weight_decay * p)` and `m' = beta2 * m + (1 - beta2) * g` (Chen et al., "
      "Symbolic Discovery of Optimization Algorithms, 2023, algorithm 2). `m`, "
      "the mean, is 0 at first. The results are `p'` and `m'`. " # types;
  let example = [{
    p: float32 [2] = 1 2
    g: float32 [2] = 3 -1
    m: float32 [2] = -1 0
    r: float32 [] = 0.5
    a, b = lion_update(p, g, m, r, beta1=0.5, beta2=0.75)
    a: float32 [2] = 0.5 2.5
    b: float32 [2] = 0 -0.25
  }];
  let arguments = (ins HamKaas_FloatTensor:$parameter,
                       HamKaas_FloatTensor:$gradient, HamKaas_FloatTensor:$mean,
                       HamKaas_FloatTensor:$learning_rate,
                       HamKaas_Real<"0.9">:$beta1, HamKaas_Real<"0.99">:$beta2,
                       HamKaas_Real<"0.0">:$weight_decay);
  let results = (outs HamKaas_FloatTensor:$updated,
                      HamKaas_FloatTensor:$new_mean);
}

def HamKaas_ClipByNorm : HamKaas_Composition<"clip_by_norm"> {
  let summary = "tensors scaled such that their common norm is bounded";
  let description = [{
    The norm `n` of the elements of all tensors together, the root of the sum of
    their squares, and each tensor times `min(1, max_norm / (n + 1e-6))`, as
    PyTorch's clip_grad_norm_. `n` is a scalar, float64 if one of the tensors is,
    otherwise float32.
  }];
  let example = [{
    a: float32 [2] = 3 0
    b: float32 [] = 4
    n, c, d = clip_by_norm(a, b, max_norm=2.5)
    n: float32 [] = 5
    c: float32 [2] = 1.5 0
    d: float32 [] = 2
  }];
  let arguments = (ins Variadic<HamKaas_FloatTensor>:$operands,
                       F64Attr:$max_norm);
  let results = (outs HamKaas_FloatTensor:$norm,
                      Variadic<HamKaas_FloatTensor>:$clipped);
}

#endif // HAMKAAS_FRONTEND_BUILDER_OPTIMIZERCOMPOSITIONS
