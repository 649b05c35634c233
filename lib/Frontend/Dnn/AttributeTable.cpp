//===- AttributeTable.cpp - The table of hamkaas-c/DnnTable.h ---*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HamKaas/Frontend/Dnn/AttributeTable.h"
#include "llvm/ADT/STLExtras.h"

using namespace hamkaas;
using namespace hamkaas::nodes;

static constexpr KindInfo kinds[] = {
#define HAMKAAS_DNN_KIND(number, name, text) {number, text},
#include "hamkaas-c/DnnTable.h"
};

static constexpr AttributeInfo attributes[] = {
#define HAMKAAS_DNN_ATTRIBUTE(number, name, text, type, least, most)           \
  {number, text, HamKaasDnnType##type, least, most},
#include "hamkaas-c/DnnTable.h"
};

/// The place of an attribute in the list above.
static constexpr const AttributeInfo *locate(int32_t number) {
  for (const AttributeInfo &attribute : attributes)
    if (attribute.number == number)
      return &attribute;
  return nullptr;
}

static constexpr AttributeRow rows[] = {
#define HAMKAAS_DNN_ROW(kind, attribute, use)                                  \
  {HamKaasDnn##kind, locate(HamKaasDnnAttr##attribute), Use::use},
#include "hamkaas-c/DnnTable.h"
};

const KindInfo *nodes::findKind(int32_t kind) {
  const KindInfo *found = llvm::find_if(
      kinds, [&](const KindInfo &info) { return info.number == kind; });
  return found == std::end(kinds) ? nullptr : found;
}

const KindInfo *nodes::findKind(llvm::StringRef text) {
  const KindInfo *found = llvm::find_if(
      kinds, [&](const KindInfo &info) { return info.text == text; });
  return found == std::end(kinds) ? nullptr : found;
}

const AttributeInfo *nodes::findAttribute(int32_t attribute) {
  return locate(attribute);
}

llvm::ArrayRef<AttributeRow> nodes::getRows(int32_t kind) {
  auto isOfKind = [&](const AttributeRow &row) { return row.kind == kind; };
  const AttributeRow *begin = llvm::find_if(rows, isOfKind);
  return {begin, std::find_if_not(begin, std::end(rows), isOfKind)};
}

const AttributeRow *nodes::findRow(int32_t kind, int32_t attribute) {
  for (const AttributeRow &row : getRows(kind))
    if (row.attribute->number == attribute)
      return &row;
  return nullptr;
}

//===----------------------------------------------------------------------===//
// Types
//===----------------------------------------------------------------------===//

const char *nodes::getTypeName(int32_t type) {
  switch (type) {
  case HamKaasDnnTypeHandle:
    return "handle";
  case HamKaasDnnTypeDataType:
    return "data type";
  case HamKaasDnnTypeBoolean:
    return "boolean";
  case HamKaasDnnTypeInt64:
    return "int64";
  case HamKaasDnnTypeDouble:
    return "double";
  case HamKaasDnnTypeVoidPointer:
    return "pointer";
  case HamKaasDnnTypeHeuristicMode:
    return "heuristic mode";
  case HamKaasDnnTypeDescriptor:
    return "descriptor";
  case HamKaasDnnTypeBehaviorNote:
    return "behavior note";
  case HamKaasDnnTypeChar:
    return "char";
  case HamKaasDnnTypeNormForwardPhase:
    return "norm forward phase";
  case HamKaasDnnTypeConvolutionMode:
    return "convolution mode";
  case HamKaasDnnTypePointwiseMode:
    return "pointwise mode";
  case HamKaasDnnTypeReductionMode:
    return "reduction mode";
  case HamKaasDnnTypeResampleMode:
    return "resample mode";
  case HamKaasDnnTypePaddingMode:
    return "padding mode";
  case HamKaasDnnTypeDiagonalAlignment:
    return "diagonal alignment";
  case HamKaasDnnTypeKnobValueType:
    return "knob value type";
  case HamKaasDnnTypeKnobValue:
    return "int64, double or char";
  }
  return nullptr;
}

size_t nodes::getElementSize(int32_t type) {
  switch (type) {
  case HamKaasDnnTypeHandle:
  case HamKaasDnnTypeVoidPointer:
  case HamKaasDnnTypeDescriptor:
    return sizeof(void *);
  case HamKaasDnnTypeBoolean:
  case HamKaasDnnTypeChar:
    return 1;
  case HamKaasDnnTypeInt64:
  case HamKaasDnnTypeDouble:
    return 8;
  default:
    return sizeof(int32_t);
  }
}

bool nodes::isEnumeration(int32_t type) {
  EnumRange range = getEnumRange(type);
  return type == HamKaasDnnTypeHeuristicMode || range.most > range.least;
}

EnumRange nodes::getEnumRange(int32_t type) {
  switch (type) {
  case HamKaasDnnTypeDataType:
    return {HamKaasFloat32, HamKaasBool};
  case HamKaasDnnTypeHeuristicMode:
    return {HamKaasDnnFallback, HamKaasDnnFallback};
  case HamKaasDnnTypeBehaviorNote:
    return {HamKaasDnnRuntimeCompilation, HamKaasDnnOwnThreads};
  case HamKaasDnnTypeNormForwardPhase:
    return {HamKaasDnnInference, HamKaasDnnTraining};
  case HamKaasDnnTypeConvolutionMode:
    return {HamKaasDnnCrossCorrelation, HamKaasDnnConvolution};
  case HamKaasDnnTypePointwiseMode:
    return {HamKaasDnnAbs, HamKaasDnnTanhFwd};
  case HamKaasDnnTypeReductionMode:
    return {HamKaasDnnReduceAdd, HamKaasDnnReduceMulNoZeros};
  case HamKaasDnnTypeResampleMode:
    return {HamKaasDnnMaxPool, HamKaasDnnNearest};
  case HamKaasDnnTypePaddingMode:
    return {HamKaasDnnZeroPad, HamKaasDnnEdgeValPad};
  case HamKaasDnnTypeDiagonalAlignment:
    return {HamKaasDnnTopLeft, HamKaasDnnBottomRight};
  case HamKaasDnnTypeKnobValueType:
    return {HamKaasDnnKnobInt64, HamKaasDnnKnobString};
  }
  return {0, 0};
}

//===----------------------------------------------------------------------===//
// The manual
//===----------------------------------------------------------------------===//

static llvm::StringRef describeUse(Use use) {
  switch (use) {
  case Use::Required:
    return "required";
  case Use::Optional:
    return "optional";
  case Use::Input:
    return "operand";
  case Use::OptionalInput:
    return "optional operand";
  case Use::Output:
    return "result";
  case Use::OptionalOutput:
    return "optional result";
  case Use::Read:
    return "read";
  case Use::Unsupported:
    return "not supported";
  }
  llvm_unreachable("a use has a text");
}

static void printCount(const AttributeInfo &attribute,
                       llvm::raw_ostream &stream) {
  stream << attribute.least;
  if (attribute.most == INT64_MAX)
    stream << " or more";
  else if (attribute.most != attribute.least)
    stream << " to " << attribute.most;
}

void nodes::printAttributeTable(llvm::raw_ostream &stream) {
  stream << "| kind | attribute | number | type | count | use |\n"
            "|---|---|---|---|---|---|\n";
  for (const KindInfo &kind : kinds) {
    llvm::ArrayRef<AttributeRow> list = getRows(kind.number);
    if (list.empty())
      stream << "| " << kind.text << " (" << kind.number
             << ") | none: not supported | | | | |\n";
    for (const AttributeRow &row : list) {
      const AttributeInfo &attribute = *row.attribute;
      stream << "| " << kind.text << " (" << kind.number << ") | "
             << attribute.text << " | " << attribute.number << " | "
             << getTypeName(attribute.type) << " | ";
      printCount(attribute, stream);
      stream << " | " << describeUse(row.use) << " |\n";
    }
  }
}
