//===- HamKaasOps.td - All operations of the dialect -------*- tablegen -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HAMKAAS_DIALECT_HAMKAAS_IR_HAMKAASOPS
#define HAMKAAS_DIALECT_HAMKAAS_IR_HAMKAASOPS

include "HamKaas/Dialect/HamKaas/IR/ArithmeticOps.td"
include "HamKaas/Dialect/HamKaas/IR/ConstantOps.td"
include "HamKaas/Dialect/HamKaas/IR/ContractionOps.td"
include "HamKaas/Dialect/HamKaas/IR/DimensionOps.td"
include "HamKaas/Dialect/HamKaas/IR/ElementwiseOps.td"
include "HamKaas/Dialect/HamKaas/IR/EngineOps.td"
include "HamKaas/Dialect/HamKaas/IR/LoopOps.td"
include "HamKaas/Dialect/HamKaas/IR/MathOps.td"
include "HamKaas/Dialect/HamKaas/IR/MovementOps.td"
include "HamKaas/Dialect/HamKaas/IR/ProgramOps.td"
include "HamKaas/Dialect/HamKaas/IR/QuantizationOps.td"
include "HamKaas/Dialect/HamKaas/IR/ReductionOps.td"
include "HamKaas/Dialect/HamKaas/IR/RegionOps.td"
include "HamKaas/Dialect/HamKaas/IR/RowOps.td"
include "HamKaas/Dialect/HamKaas/IR/ViewOps.td"

#endif // HAMKAAS_DIALECT_HAMKAAS_IR_HAMKAASOPS
