//===- DnnAttributes.cpp - Attributes of descriptors ------------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "DnnEngines.h"
#include "DnnHandles.h"
#include "DnnStatus.h"
#include "llvm/Support/JSON.h"

using namespace hamkaas;
using namespace hamkaas::capi;
using llvm::Error;
using llvm::Expected;
using llvm::StringRef;
using llvm::Twine;
using nodes::AttributeInfo;
using nodes::AttributeRow;
using nodes::makeError;
using nodes::Use;

//===----------------------------------------------------------------------===//
// Checking
//===----------------------------------------------------------------------===//

static Expected<const AttributeRow *> findRow(const DnnDescriptor &descriptor,
                                              int32_t attribute) {
  if (!nodes::findAttribute(attribute))
    return llvm::createStringError("expected a HamKaasDnnAttribute, got " +
                                   Twine(attribute));
  const AttributeRow *row = nodes::findRow(descriptor.kind, attribute);
  StringRef kind = nodes::findKind(descriptor.kind)->text;
  if (!row)
    return makeError(HamKaasDnnNotSupported,
                     kind + " has no attribute '" +
                         nodes::findAttribute(attribute)->text + "'");
  if (row->use == Use::Unsupported)
    return makeError(HamKaasDnnNotSupported, kind + ": '" +
                                                 row->attribute->text +
                                                 "' is not supported");
  return row;
}

static bool isRightType(const AttributeInfo &attribute, int32_t type) {
  if (attribute.type != HamKaasDnnTypeKnobValue)
    return type == attribute.type;
  return type == HamKaasDnnTypeInt64 || type == HamKaasDnnTypeDouble ||
         type == HamKaasDnnTypeChar;
}

static Error checkType(const AttributeInfo &attribute, int32_t type) {
  if (isRightType(attribute, type))
    return Error::success();
  const char *name = nodes::getTypeName(type);
  return llvm::createStringError("'" + attribute.text +
                                 "': expected the type " +
                                 nodes::getTypeName(attribute.type) + ", got " +
                                 (name ? Twine(name) : Twine(type)));
}

static Error checkCount(const AttributeInfo &attribute, int32_t type,
                        int64_t count) {
  bool isNumber =
      attribute.type == HamKaasDnnTypeKnobValue && type != HamKaasDnnTypeChar;
  int64_t least = isNumber ? 1 : attribute.least;
  int64_t most = isNumber ? 1 : attribute.most;
  if (count >= least && count <= most)
    return Error::success();
  return llvm::createStringError("'" + attribute.text + "': expected " +
                                 Twine(least) + " to " + Twine(most) +
                                 " elements, got " + Twine(count));
}

/// The kinds of descriptors that an attribute takes.
static bool takesKind(const AttributeRow &row, const nodes::KindInfo &kind) {
  switch (row.attribute->number) {
  case HamKaasDnnAttrGraph:
  case HamKaasDnnAttrGraphOfEngine:
    return kind.number == HamKaasDnnOperationGraph;
  case HamKaasDnnAttrEngineOfConfig:
    return kind.number == HamKaasDnnEngine;
  case HamKaasDnnAttrResults:
  case HamKaasDnnAttrPlanConfig:
    return kind.number == HamKaasDnnEngineConfig;
  case HamKaasDnnAttrKnobChoices:
    return kind.number == HamKaasDnnKnobChoice;
  case HamKaasDnnAttrEngineKnobs:
    return kind.number == HamKaasDnnKnobInfo;
  case HamKaasDnnAttrNodes:
    return kind.isNode();
  default: // Tensors of nodes and of graphs.
    return kind.number == HamKaasDnnTensor;
  }
}

//===----------------------------------------------------------------------===//
// Setting
//===----------------------------------------------------------------------===//

/// A descriptor of a kind that the attribute has.
static Expected<SharedDnnDescriptor>
readKind(const AttributeRow &row, const HamKaasDnnDescriptor *given) {
  auto found = findDescriptor(given);
  if (!found)
    return found.takeError();
  const nodes::KindInfo &kind = *nodes::findKind((*found)->kind);
  if (!takesKind(row, kind))
    return llvm::createStringError("'" + row.attribute->text +
                                   "': expected another kind of descriptor "
                                   "than " +
                                   kind.text);
  return *found;
}

static Expected<SharedDnnDescriptor>
readDescriptor(const AttributeRow &row, const HamKaasDnnDescriptor *given) {
  auto found = readKind(row, given);
  if (!found || (*found)->isFinalized)
    return found;
  return makeError(HamKaasDnnNotFinalized,
                   "'" + row.attribute->text +
                       "': expected a descriptor that is finalized, got " +
                       nodes::findKind((*found)->kind)->text);
}

static Error readEnumeration(const AttributeInfo &attribute, int32_t type,
                             int32_t number, DnnValue &value) {
  nodes::EnumRange range = nodes::getEnumRange(type);
  if (number < range.least || number > range.most)
    return makeError(HamKaasDnnOutOfBound,
                     "'" + attribute.text + "': expected a " +
                         nodes::getTypeName(type) + " from " +
                         Twine(range.least) + " to " + Twine(range.most) +
                         ", got " + Twine(number));
  value.integers.push_back(number);
  return Error::success();
}

/// Reads element `i`.
static Error readElement(const AttributeRow &row, const void *elements,
                         int64_t i, DnnValue &value) {
  const AttributeInfo &attribute = *row.attribute;
  if (nodes::isEnumeration(value.type))
    return readEnumeration(attribute, value.type,
                           static_cast<const int32_t *>(elements)[i], value);
  switch (value.type) {
  case HamKaasDnnTypeInt64:
    value.integers.push_back(static_cast<const int64_t *>(elements)[i]);
    return Error::success();
  case HamKaasDnnTypeDouble:
    value.reals.push_back(static_cast<const double *>(elements)[i]);
    return Error::success();
  case HamKaasDnnTypeVoidPointer:
    value.pointers.push_back(static_cast<void *const *>(elements)[i]);
    return Error::success();
  case HamKaasDnnTypeBoolean: {
    uint8_t flag = static_cast<const uint8_t *>(elements)[i];
    if (flag > 1)
      return makeError(HamKaasDnnOutOfBound, "'" + attribute.text +
                                                 "': expected 0 or 1, got " +
                                                 Twine(unsigned(flag)));
    value.integers.push_back(flag);
    return Error::success();
  }
  case HamKaasDnnTypeHandle: {
    auto handle = findObject<const DnnHandle>(
        static_cast<HamKaasDnnHandle *const *>(elements)[i], sessionKind);
    if (!handle)
      return handle.takeError();
    value.handle = *handle;
    return Error::success();
  }
  case HamKaasDnnTypeDescriptor: {
    auto descriptor = readDescriptor(
        row, static_cast<HamKaasDnnDescriptor *const *>(elements)[i]);
    if (!descriptor)
      return descriptor.takeError();
    value.descriptors.push_back(*descriptor);
    return Error::success();
  }
  }
  llvm_unreachable("texts are read as a whole");
}

static Expected<DnnValue> readValue(const AttributeRow &row, int32_t type,
                                    int64_t count, const void *elements) {
  const AttributeInfo &attribute = *row.attribute;
  if (Error error = checkType(attribute, type))
    return std::move(error);
  if (Error error = checkCount(attribute, type, count))
    return std::move(error);
  if (count > 0 && !elements)
    return makeError(HamKaasDnnNullPointer, "'" + attribute.text +
                                                "': expected " + Twine(count) +
                                                " elements, got null");
  DnnValue value;
  value.type = type;
  if (type == HamKaasDnnTypeChar) {
    value.text.assign(static_cast<const char *>(elements), size_t(count));
    if (!llvm::json::isUTF8(value.text))
      return llvm::createStringError("'" + attribute.text +
                                     "': expected a text in UTF-8");
    return value;
  }
  for (int64_t i = 0; i < count; ++i)
    if (Error error = readElement(row, elements, i, value))
      return std::move(error);
  return value;
}

static Error setAttribute(HamKaasDnnDescriptor *handle, int32_t attribute,
                          int32_t type, int64_t count, const void *elements) {
  auto descriptor = findDescriptor(handle);
  if (!descriptor)
    return descriptor.takeError();
  auto row = findRow(**descriptor, attribute);
  if (!row)
    return row.takeError();
  if ((*row)->use == Use::Read)
    return llvm::createStringError("'" + (*row)->attribute->text +
                                   "' can only be read");
  std::lock_guard<std::mutex> lock((*descriptor)->mutex);
  if ((*descriptor)->isFinalized)
    return makeError(HamKaasDnnNotInitialized,
                     "'" + (*row)->attribute->text +
                         "': the descriptor is finalized, and cannot be "
                         "changed");
  auto value = readValue(**row, type, count, elements);
  if (!value)
    return value.takeError();
  (*descriptor)->values[attribute] = std::move(*value);
  return Error::success();
}

HamKaasDnnStatus HamKaasDnnSetAttribute(HamKaasDnnDescriptor *descriptor,
                                        int32_t attribute, int32_t type,
                                        int64_t count, const void *elements) {
  return toStatus(setAttribute(descriptor, attribute, type, count, elements));
}

//===----------------------------------------------------------------------===//
// Getting
//===----------------------------------------------------------------------===//

/// Copies a descriptor into one that the caller has created.
static Error fillDescriptor(const AttributeRow &row, const DnnDescriptor &from,
                            HamKaasDnnDescriptor *to) {
  auto target = readKind(row, to);
  if (!target)
    return target.takeError();
  if ((*target)->kind != from.kind)
    return llvm::createStringError("'" + row.attribute->text +
                                   "': expected a descriptor of the kind " +
                                   nodes::findKind(from.kind)->text + ", got " +
                                   nodes::findKind((*target)->kind)->text);
  std::lock_guard<std::mutex> lock((*target)->mutex);
  if ((*target)->isFinalized)
    return makeError(HamKaasDnnNotInitialized,
                     "'" + row.attribute->text +
                         "': expected descriptors that are not finalized");
  (*target)->values.clear();
  for (const auto &[attribute, value] : from.values)
    if (nodes::findRow(from.kind, attribute)->use != Use::Read)
      (*target)->values[attribute] = value;
  return Error::success();
}

template <typename Element, typename List>
static void copyElements(const List &list, int64_t count, void *elements) {
  for (int64_t i = 0; i < count; ++i)
    static_cast<Element *>(elements)[i] = Element(list[i]);
}

/// Writes the first `count` elements.
static Error writeValue(const AttributeRow &row, const DnnValue &value,
                        int64_t count, void *elements) {
  switch (value.type) {
  case HamKaasDnnTypeDescriptor:
    for (int64_t i = 0; i < count; ++i)
      if (Error error =
              fillDescriptor(row, *value.descriptors[i],
                             static_cast<HamKaasDnnDescriptor **>(elements)[i]))
        return error;
    break;
  case HamKaasDnnTypeChar:
    copyElements<char>(value.text, count, elements);
    break;
  case HamKaasDnnTypeDouble:
    copyElements<double>(value.reals, count, elements);
    break;
  case HamKaasDnnTypeVoidPointer:
    copyElements<void *>(value.pointers, count, elements);
    break;
  case HamKaasDnnTypeInt64:
    copyElements<int64_t>(value.integers, count, elements);
    break;
  case HamKaasDnnTypeBoolean:
    copyElements<uint8_t>(value.integers, count, elements);
    break;
  default:
    copyElements<int32_t>(value.integers, count, elements);
  }
  return Error::success();
}

static Error getAttribute(HamKaasDnnDescriptor *handle, int32_t attribute,
                          int32_t type, int64_t room, int64_t *count,
                          void *elements) {
  auto descriptor = findDescriptor(handle);
  if (!descriptor)
    return descriptor.takeError();
  auto row = findRow(**descriptor, attribute);
  if (!row)
    return row.takeError();
  const AttributeInfo &info = *(*row)->attribute;
  if (Error error = checkType(info, type))
    return error;
  if (!(*descriptor)->isFinalized)
    return makeError(HamKaasDnnNotInitialized,
                     "'" + info.text +
                         "': the descriptor is not finalized, and cannot be "
                         "read");
  if (type == HamKaasDnnTypeHandle)
    return makeError(HamKaasDnnNotSupported,
                     "'" + info.text + "' cannot be read");
  const DnnValue *value = (*descriptor)->find(attribute);
  DnnValue engineCount = {HamKaasDnnTypeInt64};
  if (attribute == HamKaasDnnAttrEngineCount) {
    // Counted only when asked for: asking engines takes longer than finalizing
    // the graph.
    engineCount.integers.push_back(
        int64_t(findDnnEngines(*(*descriptor)->graph).size()));
    value = &engineCount;
  }
  if (value && value->type != type)
    return llvm::createStringError("'" + info.text + "' has the type " +
                                   nodes::getTypeName(value->type));
  int64_t size = value ? int64_t(value->size()) : 0;
  if (count)
    *count = size;
  if (room < 0)
    return llvm::createStringError("'" + info.text +
                                   "': expected room for 0 or more elements, "
                                   "got " +
                                   Twine(room));
  if (room == 0)
    return Error::success();
  if (!elements)
    return makeError(HamKaasDnnNullPointer,
                     "'" + info.text +
                         "': expected a place for elements, got "
                         "null");
  // Callers may have room for fewer: how many there are depends on the
  // libraries that are installed.
  if (attribute == HamKaasDnnAttrResults)
    size = std::min(size, room);
  if (room < size)
    return makeError(HamKaasDnnSizeInsufficient,
                     "'" + info.text + "': expected room for " + Twine(size) +
                         " elements, got it for " + Twine(room));
  return value ? writeValue(**row, *value, size, elements) : Error::success();
}

HamKaasDnnStatus HamKaasDnnGetAttribute(HamKaasDnnDescriptor *descriptor,
                                        int32_t attribute, int32_t type,
                                        int64_t room, int64_t *count,
                                        void *elements) {
  if (count)
    *count = 0;
  return toStatus(
      getAttribute(descriptor, attribute, type, room, count, elements));
}
