/*===- Product.c - What oneDNN computes of a group --------------------------===
 *
 * Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 *===------------------------------------------------------------------------===
 */

#include "Product.h"

#include <string.h>

int64_t multiplyAll(const int64_t *list, int32_t count) {
  int64_t product = 1;
  for (int32_t i = 0; i < count; ++i)
    product *= list[i];
  return product;
}

double countFlops(const Product *product) {
  return 2.0 * (double)product->batches * (double)product->rows *
         (double)multiplyAll(product->out, product->spatial) *
         (double)product->columns * (double)product->depth *
         (double)multiplyAll(product->window, product->spatial) /
         (double)product->groups;
}

static const HamKaasEngineAttribute *find(const HamKaasEngineNode *node,
                                          const char *name) {
  for (int32_t i = 0; i < node->attributeCount; ++i)
    if (strcmp(node->attributes[i].name, name) == 0)
      return &node->attributes[i];
  return NULL;
}

static int copyList(const HamKaasEngineNode *node, const char *name,
                    int32_t count, int64_t *list) {
  const HamKaasEngineAttribute *attribute = find(node, name);
  if (!attribute || attribute->kind != HamKaasEngineIntegers ||
      attribute->count != count)
    return 0;
  memcpy(list, attribute->integers, (size_t)count * sizeof(int64_t));
  return 1;
}

/*===------------------------------------------------------------------------===
 * Products
 *===------------------------------------------------------------------------===
 */

static void readMatrices(const HamKaasEngineTensor *left,
                         const HamKaasEngineTensor *result, Product *product) {
  product->spatial = 0;
  product->columns = result->shape[result->rank - 1];
  product->rows = result->rank > 1 ? result->shape[result->rank - 2] : 1;
  product->batches = result->rank > 2 ? result->shape[0] : 1;
  product->depth = left->shape[left->rank - 1];
  product->groups = 1;
}

static int matchConvolution(const HamKaasEngineNode *node,
                            const HamKaasEngineTensor *x,
                            const HamKaasEngineTensor *w,
                            const HamKaasEngineTensor *result,
                            Product *product) {
  int32_t spatial = x->rank - 2;
  const HamKaasEngineAttribute *groups = find(node, "groups");
  if (spatial < 1 || spatial > mostSpatial || !groups ||
      !copyList(node, "strides", spatial, product->stride) ||
      !copyList(node, "dilations", spatial, product->dilation) ||
      !copyList(node, "pad_low", spatial, product->low))
    return 0;
  product->spatial = spatial;
  product->batches = x->shape[0];
  product->rows = 1;
  product->depth = x->shape[spatial + 1];
  product->columns = result->shape[spatial + 1];
  product->groups = groups->integer;
  for (int32_t i = 0; i < spatial; ++i) {
    product->in[i] = x->shape[i + 1];
    product->out[i] = result->shape[i + 1];
    product->window[i] = w->shape[i];
  }
  return 1;
}

/*===------------------------------------------------------------------------===
 * Steps
 *===------------------------------------------------------------------------===
 */

/* NOTE: only functions of oneDNN that are exact for all numbers: exp makes NaN
   infinite, log and GELU lose digits where they are small, and SiLU of negative
   infinity is NaN. */
static const struct {
  const char *operation;
  StepKind kind;
  dnnl_alg_kind_t algorithm;
} operations[] = {
    {"add", AddStep, dnnl_alg_kind_undef},
    {"mul", MultiplyStep, dnnl_alg_kind_undef},
    {"relu", ReluStep, dnnl_alg_kind_undef},
    {"abs", EltwiseStep, dnnl_eltwise_abs},
    {"hard_swish", EltwiseStep, dnnl_eltwise_hardswish},
    {"round", EltwiseStep, dnnl_eltwise_round},
    {"sigmoid", EltwiseStep, dnnl_eltwise_logistic},
    {"sqrt", EltwiseStep, dnnl_eltwise_sqrt},
    {"tanh", EltwiseStep, dnnl_eltwise_tanh},
};

/* A sum or a product with an input of the group. */
static int addBinary(const HamKaasEngineGroup *group,
                     const HamKaasEngineNode *node, int32_t value,
                     Product *product, Step *step) {
  if ((node->operands[0] == value) == (node->operands[1] == value))
    return 0;
  step->input = node->operands[node->operands[0] == value ? 1 : 0];
  if (step->input >= group->inputCount)
    return 0;
  const HamKaasEngineTensor *other = &group->values[step->input];
  const HamKaasEngineTensor *result = &group->values[node->result];
  int64_t count = multiplyAll(other->shape, other->rank);
  step->isRow = count == product->columns && other->rank > 0 &&
                other->shape[other->rank - 1] == product->columns;
  return step->isRow || count == multiplyAll(result->shape, result->rank);
}

/* Each node takes the result of the one before. */
static int addStep(const HamKaasEngineGroup *group,
                   const HamKaasEngineNode *node, Product *product) {
  int32_t value = node->result - 1;
  if (product->stepCount == mostSteps)
    return 0;
  Step *step = &product->steps[product->stepCount++];
  for (size_t i = 0; i < sizeof operations / sizeof *operations; ++i) {
    if (strcmp(node->operation, operations[i].operation) != 0)
      continue;
    step->kind = operations[i].kind;
    step->algorithm = operations[i].algorithm;
    return step->kind <= MultiplyStep
               ? addBinary(group, node, value, product, step)
               : node->operands[0] == value;
  }
  return 0;
}

int matchProduct(const HamKaasEngineGroup *group, Product *product) {
  const HamKaasEngineNode *node = &group->nodes[0];
  int isMatrices = strcmp(node->operation, "matmul") == 0;
  if ((!isMatrices && strcmp(node->operation, "conv") != 0) ||
      group->inputCount > mostInputs)
    return 0;
  memset(product, 0, sizeof *product);
  product->left = node->operands[0];
  product->right = node->operands[1];
  const HamKaasEngineTensor *left = &group->values[product->left];
  const HamKaasEngineTensor *right = &group->values[product->right];
  const HamKaasEngineTensor *result = &group->values[node->result];
  product->isRightConstant = right->isConstant;
  if (isMatrices)
    readMatrices(left, result, product);
  else if (!matchConvolution(node, left, right, result, product))
    return 0;
  for (int32_t i = 1; i < group->nodeCount; ++i)
    if (!addStep(group, &group->nodes[i], product))
      return 0;
  return 1;
}
