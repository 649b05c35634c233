//===- ActivationCompositions.td - Activations -------------*- tablegen -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HAMKAAS_FRONTEND_BUILDER_ACTIVATIONCOMPOSITIONS
#define HAMKAAS_FRONTEND_BUILDER_ACTIVATIONCOMPOSITIONS

include "HamKaas/Frontend/Builder/CompositionBase.td"

/// A function of each element of a tensor of floats, perhaps with numbers as
/// attributes. `call` are the attributes of the example.
class HamKaas_Activation<string name, string what, string formula, string x,
                         string call, string y, dag attributes = (ins)>
    : HamKaas_Composition<name> {
  let summary = what;
  let description = formula;
  let example = "x: float32 [4] = " # x # "\ny = " # name # "(x" # call #
                ")\ny: float32 [4] = " # y # "\n";
  let arguments = !con((ins HamKaas_FloatTensor:$x), attributes);
  let results = (outs HamKaas_FloatTensor:$result);
}

def HamKaas_LeakyRelu : HamKaas_Activation<"leaky_relu",
    "rectified linear unit with a slope below 0",
    "`result[i] = x[i]` where `x[i] >= 0`, otherwise `negative_slope * x[i]`.\n",
    "-2 -0.5 0 3", ", negative_slope=0.1", "-0.2 -0.05 0 3",
    (ins HamKaas_Real<"0.01">:$negative_slope)>;

def HamKaas_Elu : HamKaas_Activation<"elu", "exponential linear unit",
    "`result[i] = x[i]` where `x[i] >= 0`, otherwise `alpha * (exp(x[i]) - "
    "1)`.\n", "-2 -0.5 0 3", ", alpha=1.5",
    "-1.2969971 -0.59020401 0 3", (ins HamKaas_Real<"1.0">:$alpha)>;

def HamKaas_Celu : HamKaas_Activation<"celu",
    "continuously differentiable exponential linear unit",
    "`result[i] = x[i]` where `x[i] >= 0`, otherwise `alpha * (exp(x[i] / "
    "alpha) - 1)`. `alpha` is not 0.\n", "-2 -0.5 0 3", ", alpha=2",
    "-1.2642411 -0.44239843 0 3", (ins HamKaas_Real<"1.0">:$alpha)>;

def HamKaas_Selu : HamKaas_Activation<"selu",
    "scaled exponential linear unit",
    "`result[i] = s * x[i]` where `x[i] >= 0`, otherwise `s * a * (exp(x[i]) - "
    "1)`, with `s = 1.0507009873554805` and `a = 1.6732632423543772` (Klambauer "
    "et al., Self-Normalizing Neural Networks, 2017).\n", "-2 -0.5 0 3", "",
    "-1.5201665 -0.69175819 0 3.152103">;

def HamKaas_Softplus : HamKaas_Activation<"softplus", "smooth rectifier",
    "`result[i] = log(1 + exp(beta * x[i])) / beta`, computed as `max(beta * x, "
    "0) + log1p(exp(-|beta * x|))`, which does not overflow. `beta` is not 0.\n",
    "-2 -0.5 0 3", ", beta=2", "0.0090749639 0.15663084 0.34657359 3.0012378",
    (ins HamKaas_Real<"1.0">:$beta)>;

def HamKaas_LogSigmoid : HamKaas_Activation<"log_sigmoid",
    "the logarithm of the sigmoid",
    "`result[i] = -log(1 + exp(-x[i]))`, computed as `min(x, 0) - "
    "log1p(exp(-|x|))`, which does not overflow.\n", "-2 -0.5 0 3", "",
    "-2.126928 -0.97407698 -0.69314718 -0.048587352">;

def HamKaas_Mish : HamKaas_Activation<"mish", "self-regularized activation",
    "`result[i] = x[i] * tanh(log(1 + exp(x[i])))` (Misra, Mish, 2019).\n",
    "-2 -0.5 0 3", "", "-0.25250148 -0.22074399 0 2.9865351">;

def HamKaas_HardSigmoid : HamKaas_Activation<"hard_sigmoid",
    "piecewise linear sigmoid",
    "`result[i] = min(max(alpha * x[i] + beta, 0), 1)`; `alpha` defaults to 1/6 "
    "and `beta` to 1/2.\n",
    "-4 -1.5 0 3", "", "0 0.25 0.5 1",
    (ins HamKaas_Real<"0.16666666666666666">:$alpha, HamKaas_Real<"0.5">:$beta)>;

def HamKaas_HardTanh : HamKaas_Activation<"hard_tanh",
    "limit elements to a range of numbers",
    "`result[i] = min(max(x[i], min_value), max_value)`.\n", "-2 -0.5 0 3", "",
    "-1 -0.5 0 1",
    (ins HamKaas_Real<"-1.0">:$min_value, HamKaas_Real<"1.0">:$max_value)>;

def HamKaas_Relu6 : HamKaas_Activation<"relu6",
    "rectified linear unit that ends at 6",
    "`result[i] = min(max(x[i], 0), 6)`.\n", "-2 0.5 6 8", "", "0 0.5 6 6">;

def HamKaas_Softsign : HamKaas_Activation<"softsign",
    "sigmoid with slow tails", "`result[i] = x[i] / (1 + |x[i]|)`.\n",
    "-3 -1 0 1", "", "-0.75 -0.5 0 0.5">;

def HamKaas_TanhShrink : HamKaas_Activation<"tanh_shrink",
    "what tanh takes away", "`result[i] = x[i] - tanh(x[i])`.\n",
    "-2 -0.5 0 3", "", "-1.0359724 -0.037882843 0 2.0049452">;

def HamKaas_HardShrink : HamKaas_Activation<"hard_shrink",
    "set small elements to 0",
    "`result[i] = x[i]` where `|x[i]| > lambd` or `x[i]` is NaN, otherwise 0. "
    "`lambd` is at least 0.\n",
    "-2 -0.5 0.25 3", "", "-2 0 0 3", (ins HamKaas_Real<"0.5">:$lambd)>;

def HamKaas_SoftShrink : HamKaas_Activation<"soft_shrink",
    "move elements towards 0",
    "`result[i] = x[i] - lambd` where `x[i] > lambd`, `x[i] + lambd` where `x[i] "
    "< -lambd`, otherwise 0. `lambd` is at least 0.\n", "-2 -0.5 0.75 3", "",
    "-1.5 0 0.25 2.5", (ins HamKaas_Real<"0.5">:$lambd)>;

def HamKaas_Threshold : HamKaas_Activation<"threshold",
    "replace small elements",
    "`result[i] = x[i]` where `x[i] > threshold`, otherwise `value`.\n",
    "-2 0.5 1 3", ", threshold=1, value=-1", "-1 -1 -1 3",
    (ins F64Attr:$threshold, F64Attr:$value)>;

def HamKaas_Logit : HamKaas_Activation<"logit", "the inverse of the sigmoid",
    "`result[i] = log(x[i] / (1 - x[i]))`. With `eps`, `x` is limited to `eps` "
    "to `1 - eps` before.\n",
    "0 0.25 0.5 0.75", ", eps=0.125", "-1.9459101 -1.0986123 0 1.0986123",
    (ins OptionalAttr<F64Attr>:$eps)>;

def HamKaas_Gelu : HamKaas_Activation<"gelu", "Gaussian error linear unit",
    "`result[i] = x[i] * p(x[i])` with the distribution function `p` of the "
    "normal distribution; with `approximate=tanh`, `p(x) = (1 + tanh(sqrt(2 / "
    "pi) * (x + 0.044715 * x^3))) / 2` (Hendrycks and Gimpel, Gaussian Error "
    "Linear Units, 2016). Of float32 it is one operation.\n", "-2 -0.5 0 3", "",
    "-0.045500264 -0.15426877 0 2.9959503",
    (ins DefaultValuedOptionalAttr<HamKaas_GeluApproximationAttr,
             "::hamkaas::GeluApproximation::None">:$approximate)>;

def HamKaas_HardSwish : HamKaas_Activation<"hard_swish",
    "SiLU with a piecewise linear sigmoid",
    "`result[i] = x[i] * min(max(x[i] / 6 + 0.5, 0), 1)` (Howard et al., "
    "Searching for MobileNetV3, 2019). Of float32 it is one operation.\n",
    "-4 -1.5 0 3", "", "0 -0.375 0 3">;

//===----------------------------------------------------------------------===//
// With other operands or shapes
//===----------------------------------------------------------------------===//

def HamKaas_Prelu : HamKaas_Composition<"prelu"> {
  let summary = "rectified linear unit with a slope that is learned";
  let description = [{
    `result[n, c, i] = x[n, c, i]` where it is at least 0, otherwise `weight[c] *
    x[n, c, i]`. `weight` has one element, or one for each channel, dimension 1
    of `x` (dimension 0 if there is no other).
  }];
  let example = [{
    x: float32 [1, 2, 2] = -1 2 -3 4
    w: float32 [2] = 0.1 0.5
    y = prelu(x, w)
    y: float32 [1, 2, 2] = -0.1 2 -1.5 4
  }];
  let arguments = (ins HamKaas_FloatTensor:$x, HamKaas_FloatTensor:$weight);
  let results = (outs HamKaas_FloatTensor:$result);
}

def HamKaas_Glu : HamKaas_Composition<"glu"> {
  let summary = "gated linear unit";
  let description = [{
    `a * sigmoid(b)`, where `a` and `b` are the halves of `x` along `axis`, the
    last dimension if it is left out. Its size is even.
  }];
  let example = [{
    x: float32 [1, 4] = 1 2 0 -1
    y = glu(x)
    y: float32 [1, 2] = 0.5 0.53788284
  }];
  let arguments = (ins HamKaas_FloatTensor:$x, HamKaas_Integer<"-1">:$axis);
  let results = (outs HamKaas_FloatTensor:$result);
}

#endif // HAMKAAS_FRONTEND_BUILDER_ACTIVATIONCOMPOSITIONS
