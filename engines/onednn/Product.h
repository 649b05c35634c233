//===- Product.h - What oneDNN computes of a group ----------------*- C -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HAMKAAS_ENGINES_ONEDNN_PRODUCT_H
#define HAMKAAS_ENGINES_ONEDNN_PRODUCT_H

#include "hamkaas-c/Engine.h"

#include <oneapi/dnnl/dnnl.h>

enum { mostSpatial = 3, mostSteps = 8, mostInputs = 2 + mostSteps };

/* The first two have another operand. */
typedef enum StepKind { AddStep, MultiplyStep, ReluStep, EltwiseStep } StepKind;

/* What is done to each element of the product. */
typedef struct Step {
  StepKind kind;
  int32_t input; /* of sums and products with another tensor */
  int32_t isRow; /* it has one element a column, else one an element */
  dnnl_alg_kind_t algorithm; /* of an EltwiseStep */
} Step;

/* A convolution, or a product of matrices; its lists have an entry for each
   spatial dimension. */
typedef struct Product {
  int32_t spatial;        /* 0 for matrices */
  int64_t batches;        /* images, or products */
  int64_t rows;           /* of a matrix; 1 for a convolution */
  int64_t depth, columns; /* for a convolution: channels, before and after */
  int64_t groups;         /* 1 for matrices */
  int64_t in[mostSpatial], out[mostSpatial], window[mostSpatial];
  int64_t stride[mostSpatial], dilation[mostSpatial], low[mostSpatial];
  int32_t left, right; /* inputs of the group */
  int32_t isRightConstant;
  int32_t stepCount;
  Step steps[mostSteps];
} Product;

/* Returns 0 if the group is no such product. */
int matchProduct(const HamKaasEngineGroup *group, Product *product /* out */);

/* The product of all entries of a list. */
int64_t multiplyAll(const int64_t *list, int32_t count);

/* Multiplications and additions of the product. */
double countFlops(const Product *product);

#endif // HAMKAAS_ENGINES_ONEDNN_PRODUCT_H
