//===- Compositions.td - All compositions ------------------*- tablegen -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HAMKAAS_FRONTEND_BUILDER_COMPOSITIONS
#define HAMKAAS_FRONTEND_BUILDER_COMPOSITIONS

include "HamKaas/Frontend/Builder/ActivationCompositions.td"
include "HamKaas/Frontend/Builder/ArithmeticCompositions.td"
include "HamKaas/Frontend/Builder/IndexCompositions.td"
include "HamKaas/Frontend/Builder/LossCompositions.td"
include "HamKaas/Frontend/Builder/NormalizationCompositions.td"
include "HamKaas/Frontend/Builder/OptimizerCompositions.td"
include "HamKaas/Frontend/Builder/ProductCompositions.td"
include "HamKaas/Frontend/Builder/RandomCompositions.td"
include "HamKaas/Frontend/Builder/ReductionCompositions.td"
include "HamKaas/Frontend/Builder/ShapeCompositions.td"
include "HamKaas/Frontend/Builder/WindowCompositions.td"

#endif // HAMKAAS_FRONTEND_BUILDER_COMPOSITIONS
