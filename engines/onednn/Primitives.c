/*===- Primitives.c - Primitives of oneDNN for tiles ------------------------===
 *
 * Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 *===------------------------------------------------------------------------===
 */

#include "Plan.h"

#include <string.h>

/*===------------------------------------------------------------------------===
 * Layouts
 *===------------------------------------------------------------------------===
 */

/* Channels lie last. */
static dnnl_status_t describeImages(dnnl_memory_desc_t *desc,
                                    const Product *product, int64_t images,
                                    int64_t channels, int64_t firstRows,
                                    const int64_t *sizes) {
  dnnl_dims_t dims = {images, channels}, strides = {0, 1};
  int64_t stride = channels;
  for (int32_t i = product->spatial; i-- > 0;) {
    dims[i + 2] = i == 0 ? firstRows : sizes ? sizes[i] : 1;
    strides[i + 2] = stride;
    stride *= dims[i + 2];
  }
  strides[0] = stride;
  return dnnl_memory_desc_init_by_strides(desc, product->spatial + 2, dims,
                                          dnnl_f32, strides);
}

/* Part of a row-major matrix, or of each of a batch. */
static dnnl_status_t describeMatrices(dnnl_memory_desc_t *desc,
                                      const Product *product, int64_t images,
                                      int64_t rows, int64_t columns,
                                      int64_t allRows, int64_t allColumns) {
  dnnl_dims_t dims = {images, rows, columns};
  dnnl_dims_t strides = {allRows * allColumns, allColumns, 1};
  int skipped = product->batches == 1;
  return dnnl_memory_desc_init_by_strides(desc, 3 - skipped, dims + skipped,
                                          dnnl_f32, strides + skipped);
}

static dnnl_status_t describeLeft(const Product *product,
                                  const TileShape *shape,
                                  dnnl_memory_desc_t *desc) {
  return product->spatial > 0
             ? describeImages(desc, product, shape->images, product->depth,
                              shape->inRows, product->in)
             : describeMatrices(desc, product, shape->images, shape->outRows,
                                product->depth, product->rows, product->depth);
}

static dnnl_status_t describeResult(const Product *product,
                                    const TileShape *shape,
                                    dnnl_memory_desc_t *desc) {
  return product->spatial > 0
             ? describeImages(desc, product, shape->images, product->columns,
                              shape->outRows, product->out)
             : describeMatrices(desc, product, shape->images, shape->outRows,
                                shape->columns, product->rows,
                                product->columns);
}

/* One element a column. */
static dnnl_status_t describeRow(const Product *product, const TileShape *shape,
                                 dnnl_memory_desc_t *desc) {
  return product->spatial > 0
             ? describeImages(desc, product, 1, product->columns, 1, NULL)
             : describeMatrices(desc, product, 1, 1, shape->columns, 1,
                                shape->columns);
}

static dnnl_status_t describeBias(const Product *product,
                                  const TileShape *shape,
                                  dnnl_memory_desc_t *desc) {
  const dnnl_dims_t dims = {product->columns}, strides = {1};
  return product->spatial > 0 ? dnnl_memory_desc_init_by_strides(
                                    desc, 1, dims, dnnl_f32, strides)
                              : describeRow(product, shape, desc);
}

/* The windows, then the channels of a group, then all filters. */
static dnnl_status_t describeFilters(const Product *product,
                                     dnnl_memory_desc_t *desc) {
  int64_t filters = product->columns / product->groups;
  int64_t channels = product->depth / product->groups;
  dnnl_dims_t dims = {product->groups, filters, channels};
  dnnl_dims_t strides = {filters, 1, product->columns};
  int64_t stride = product->columns * channels;
  for (int32_t i = product->spatial; i-- > 0;) {
    dims[i + 3] = product->window[i];
    strides[i + 3] = stride;
    stride *= product->window[i];
  }
  int skipped = product->groups == 1;
  return dnnl_memory_desc_init_by_strides(desc, product->spatial + 3 - skipped,
                                          dims + skipped, dnnl_f32,
                                          strides + skipped);
}

static dnnl_status_t describeRight(const Product *product,
                                   const TileShape *shape,
                                   dnnl_memory_desc_t *desc) {
  return product->spatial > 0
             ? describeFilters(product, desc)
             : describeMatrices(desc, product, shape->images, product->depth,
                                shape->columns, product->depth,
                                product->columns);
}

/* The same tensor in any layout. */
static dnnl_status_t freeLayout(dnnl_memory_desc_t *desc) {
  dnnl_memory_desc_t given = *desc;
  return dnnl_memory_desc_init_by_tag(desc, given.ndims, given.dims, dnnl_f32,
                                      dnnl_format_tag_any);
}

/*===------------------------------------------------------------------------===
 * Primitives
 *===------------------------------------------------------------------------===
 */

static dnnl_status_t appendStep(const Plan *plan, Part *part, int32_t i,
                                dnnl_post_ops_t operations) {
  const Step *step = &plan->product.steps[i];
  if (step->kind == EltwiseStep)
    return dnnl_post_ops_append_eltwise(operations, 1, step->algorithm, 0, 0);
  dnnl_status_t status =
      step->isRow
          ? describeRow(&plan->product, &part->shape, &part->others[i])
          : describeResult(&plan->product, &part->shape, &part->others[i]);
  return status ? status
                : dnnl_post_ops_append_binary(
                      operations,
                      step->kind == AddStep ? dnnl_binary_add : dnnl_binary_mul,
                      &part->others[i]);
}

static dnnl_status_t setAttributes(const Plan *plan, Part *part,
                                   dnnl_primitive_attr_t attributes) {
  dnnl_status_t status = dnnl_primitive_attr_set_scratchpad_mode(
      attributes, dnnl_scratchpad_mode_user);
  if (!status)
    status = dnnl_primitive_attr_set_fpmath_mode(attributes,
                                                 dnnl_fpmath_mode_strict);
  dnnl_post_ops_t operations = NULL;
  if (!status)
    status = dnnl_post_ops_create(&operations);
  for (int32_t i = plan->hasBias; !status && i < plan->givenSteps; ++i)
    status = appendStep(plan, part, i, operations);
  if (!status)
    status = dnnl_primitive_attr_set_post_ops(attributes, operations);
  dnnl_post_ops_destroy(operations);
  return status;
}

static dnnl_status_t
describeConvolution(const Plan *plan, const Part *part,
                    const dnnl_memory_desc_t *right,
                    dnnl_convolution_desc_t *operation /* out */) {
  const Product *product = &plan->product;
  dnnl_dims_t strides, dilations, low, high;
  for (int32_t i = 0; i < product->spatial; ++i) {
    strides[i] = product->stride[i];
    dilations[i] = product->dilation[i] - 1;
    low[i] = i == 0 ? part->shape.low : product->low[i];
    int64_t end = (product->out[i] - 1) * product->stride[i] +
                  (product->window[i] - 1) * product->dilation[i] + 1;
    int64_t over = end - product->low[i] - product->in[i];
    high[i] = i == 0 ? part->shape.high : over > 0 ? over : 0;
  }
  return dnnl_dilated_convolution_forward_desc_init(
      operation, dnnl_forward_inference,
      plan->options.allowsWinograd ? dnnl_convolution_auto
                                   : dnnl_convolution_direct,
      &part->takenLeft, right, plan->hasBias ? &part->bias : NULL,
      &part->takenResult, strides, dilations, low, high);
}

static dnnl_status_t createDescription(const Plan *plan, Part *part,
                                       const dnnl_memory_desc_t *right,
                                       dnnl_primitive_attr_t attributes,
                                       dnnl_primitive_desc_t *made /* out */) {
  dnnl_convolution_desc_t convolution;
  dnnl_matmul_desc_t matmul;
  int isConvolution = plan->product.spatial > 0;
  dnnl_status_t status =
      isConvolution ? describeConvolution(plan, part, right, &convolution)
                    : dnnl_matmul_desc_init(&matmul, &part->takenLeft, right,
                                            plan->hasBias ? &part->bias : NULL,
                                            &part->takenResult);
  const_dnnl_op_desc_t operation =
      isConvolution ? (const void *)&convolution : (const void *)&matmul;
  return status ? status
                : dnnl_primitive_desc_create(made, operation, attributes, cpu,
                                             NULL);
}

static int hasBinary(const Plan *plan) {
  for (int32_t i = plan->hasBias; i < plan->givenSteps; ++i)
    if (plan->product.steps[i].kind <= MultiplyStep)
      return 1;
  return 0;
}

/* The reference implementation is slower than ours. NOTE: convolutions of
   oneDNN 2.6 by products of matrices read the other operand of a sum from the
   wrong place. */
static int isWanted(const Plan *plan, const_dnnl_primitive_desc_t description) {
  const char *name = NULL;
  dnnl_primitive_desc_query(description, dnnl_query_impl_info_str, 0, &name);
  return name && strncmp(name, "ref", 3) != 0 &&
         !(plan->product.spatial > 0 && strstr(name, "gemm") &&
           hasBinary(plan));
}

static dnnl_status_t createReorder(const dnnl_memory_desc_t *from,
                                   const dnnl_memory_desc_t *to,
                                   Reorder *reorder /* out */) {
  if (dnnl_memory_desc_equal(from, to))
    return dnnl_success;
  dnnl_primitive_attr_t attributes = NULL;
  dnnl_primitive_desc_t description = NULL;
  reorder->from = *from;
  reorder->to = *to;
  dnnl_status_t status = dnnl_primitive_attr_create(&attributes);
  if (!status)
    status = dnnl_primitive_attr_set_scratchpad_mode(attributes,
                                                     dnnl_scratchpad_mode_user);
  if (!status)
    status = dnnl_reorder_primitive_desc_create(&description, from, cpu, to,
                                                cpu, attributes);
  if (!status) {
    reorder->scratch =
        *dnnl_primitive_desc_query_md(description, dnnl_query_scratchpad_md, 0);
    status = dnnl_primitive_create(&reorder->primitive, description);
  }
  dnnl_primitive_desc_destroy(description);
  dnnl_primitive_attr_destroy(attributes);
  return status;
}

/* Remembers the layouts that a primitive has. */
static dnnl_status_t readLayouts(const_dnnl_primitive_desc_t description,
                                 Part *part) {
  part->takenLeft =
      *dnnl_primitive_desc_query_md(description, dnnl_query_src_md, 0);
  part->takenResult =
      *dnnl_primitive_desc_query_md(description, dnnl_query_dst_md, 0);
  part->right =
      *dnnl_primitive_desc_query_md(description, dnnl_query_weights_md, 0);
  part->scratch =
      *dnnl_primitive_desc_query_md(description, dnnl_query_scratchpad_md, 0);
  dnnl_status_t status =
      createReorder(&part->left, &part->takenLeft, &part->leftReorder);
  return status ? status
                : createReorder(&part->takenResult, &part->result,
                                &part->resultReorder);
}

static dnnl_status_t describePart(const Plan *plan, Part *part) {
  const Product *product = &plan->product;
  dnnl_status_t status = describeLeft(product, &part->shape, &part->left);
  if (!status)
    status = describeResult(product, &part->shape, &part->result);
  if (!status && plan->hasBias)
    status = describeBias(product, &part->shape, &part->bias);
  part->takenLeft = part->left;
  part->takenResult = part->result;
  if (status || !plan->options.isBlocked || product->spatial == 0)
    return status;
  status = freeLayout(&part->takenLeft);
  return status ? status : freeLayout(&part->takenResult);
}

/* A right side that changes, or one for each product, is read where it lies.
   Filters are not: no fast primitive takes their layout. */
static int mayReorder(const Product *product) {
  return product->spatial > 0 ||
         (product->isRightConstant && product->batches == 1);
}

static dnnl_status_t createPrimitive(const Plan *plan, Part *part,
                                     const dnnl_memory_desc_t *right) {
  dnnl_primitive_attr_t attributes = NULL;
  dnnl_primitive_desc_t description = NULL;
  dnnl_status_t status = dnnl_primitive_attr_create(&attributes);
  if (!status)
    status = setAttributes(plan, part, attributes);
  if (!status)
    status = createDescription(plan, part, right, attributes, &description);
  if (!status && !isWanted(plan, description))
    status = dnnl_unimplemented;
  if (!status)
    status = readLayouts(description, part);
  if (!status)
    status = dnnl_primitive_create(&part->primitive, description);
  dnnl_primitive_desc_destroy(description);
  dnnl_primitive_attr_destroy(attributes);
  return status;
}

dnnl_status_t createPart(const Plan *plan, Part *part, Block *block) {
  const Product *product = &plan->product;
  dnnl_memory_desc_t right = block->taken;
  dnnl_status_t status = describePart(plan, part);
  if (!status && !block->isKnown)
    status = describeRight(product, &part->shape, &right);
  if (status || block->isKnown || !mayReorder(product))
    return status ? status : createPrimitive(plan, part, &right);
  block->given = right;
  status = freeLayout(&right);
  if (!status)
    status = createPrimitive(plan, part, &right);
  if (status)
    return status;
  block->isKnown = 1;
  block->taken = part->right;
  return createReorder(&block->given, &block->taken, &block->reorder);
}
