//===- Dnn.cpp - Descriptors of graphs of nodes -----------------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Arguments.h"
#include "DnnEngines.h"
#include "DnnStatus.h"
#include "HamKaas/Support/Errors.h"
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
// Handles
//===----------------------------------------------------------------------===//

static constexpr rt::HandleKind sessionKind = {6, "a handle of HamKaasDnn"};
static constexpr rt::HandleKind descriptorKind = {7, "a descriptor"};

template <typename Object>
static HamKaasDnnStatus
addHandle(rt::HandleKind kind, std::shared_ptr<Object> object, void *&handle) {
  auto held = std::make_unique<std::shared_ptr<Object>>(std::move(object));
  if (Error error = toError(rt::handleTable().add(
          kind, held.get(),
          [](void *object) {
            delete static_cast<std::shared_ptr<Object> *>(object);
          },
          handle)))
    return failWith(HamKaasDnnAllocFailed, toString(std::move(error)));
  held.release();
  return HamKaasDnnSuccess;
}

/// The object of a handle; the error says that there is none.
template <typename Object>
static Expected<std::shared_ptr<Object>> findObject(const void *handle,
                                                    rt::HandleKind kind) {
  rt::PinnedObject<std::shared_ptr<Object>> object(handle, kind);
  if (object)
    return *object;
  return makeError(handle ? HamKaasDnnBadParam : HamKaasDnnNullPointer,
                   toString(toError(object.explain())));
}

static Expected<SharedDnnDescriptor>
findDescriptor(const HamKaasDnnDescriptor *descriptor) {
  return findObject<DnnDescriptor>(descriptor, descriptorKind);
}

static HamKaasDnnStatus removeHandle(const void *handle, rt::HandleKind kind) {
  if (!handle || rt::handleTable().remove(handle, kind))
    return HamKaasDnnSuccess;
  return toStatus(toError(rt::handleTable().explain(handle, kind)));
}

static HamKaasDnnStatus noPlaceFor(StringRef what) {
  return failWith(HamKaasDnnNullPointer,
                  "expected a place for " + what + ", got null");
}

static HamKaasDnnStatus giveDescriptor(SharedDnnDescriptor descriptor,
                                       HamKaasDnnDescriptor **result) {
  void *handle = nullptr;
  HamKaasDnnStatus status =
      addHandle(descriptorKind, std::move(descriptor), handle);
  *result = static_cast<HamKaasDnnDescriptor *>(handle);
  return status;
}

static Expected<DnnHandle> readHandle(const HamKaasDnnHandleOptions *given) {
  auto options = readOptions(given, "HamKaasDnnHandleOptions");
  if (!options)
    return options.takeError();
  DnnHandle handle;
  handle.device = options->device ? options->device : "cpu";
  handle.threads = options->threads;
  handle.noCache = options->noCache != 0;
  if (!HamKaasDeviceTarget(handle.device.c_str(), nullptr))
    return llvm::createStringError(
        "unknown device '" + handle.device +
        "', expected 'cpu', 'cuda', 'cuda:N', 'best' or 'reference'");
  if (handle.threads < 0)
    return llvm::createStringError("expected 0 or more threads, got " +
                                   Twine(handle.threads));
  return handle;
}

HamKaasDnnStatus HamKaasDnnCreate(HamKaasDnnHandle **handle,
                                  const HamKaasDnnHandleOptions *options) {
  if (!handle)
    return noPlaceFor("the handle");
  *handle = nullptr;
  auto read = readHandle(options);
  if (!read)
    return toStatus(read.takeError());
  void *added = nullptr;
  HamKaasDnnStatus status = addHandle<const DnnHandle>(
      sessionKind, std::make_shared<const DnnHandle>(std::move(*read)), added);
  *handle = static_cast<HamKaasDnnHandle *>(added);
  return status;
}

HamKaasDnnStatus HamKaasDnnSetEnginePath(const char *path) {
  return toStatus(setDnnEnginePath(path ? path : ""));
}

HamKaasDnnStatus HamKaasDnnDestroy(HamKaasDnnHandle *handle) {
  return removeHandle(handle, sessionKind);
}

HamKaasDnnStatus HamKaasDnnCreateDescriptor(int32_t kind,
                                            HamKaasDnnDescriptor **descriptor) {
  if (!descriptor)
    return noPlaceFor("the descriptor");
  *descriptor = nullptr;
  const nodes::KindInfo *info = nodes::findKind(kind);
  if (!info)
    return failWith(HamKaasDnnBadParam,
                    "expected a HamKaasDnnKind, got " + Twine(kind));
  if (nodes::getRows(kind).empty())
    return failWith(HamKaasDnnNotSupported, info->text + " is not supported");
  return giveDescriptor(std::make_shared<DnnDescriptor>(kind), descriptor);
}

HamKaasDnnStatus HamKaasDnnDestroyDescriptor(HamKaasDnnDescriptor *descriptor) {
  return removeHandle(descriptor, descriptorKind);
}

//===----------------------------------------------------------------------===//
// Attributes
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
// Reading
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

HamKaasDnnStatus HamKaasDnnFinalize(HamKaasDnnDescriptor *handle) {
  auto descriptor = findDescriptor(handle);
  if (!descriptor)
    return toStatus(descriptor.takeError());
  std::lock_guard<std::mutex> lock((*descriptor)->mutex);
  if ((*descriptor)->isFinalized)
    return failWith(HamKaasDnnBadParam, "the descriptor is finalized already");
  return toStatus(finalizeDescriptor(**descriptor));
}

//===----------------------------------------------------------------------===//
// Plans
//===----------------------------------------------------------------------===//

/// The plan of a descriptor, which belongs to the handle.
static Expected<DnnPlan *> findPlan(const DnnDescriptor &descriptor,
                                    const SharedDnnHandle &handle) {
  if (descriptor.kind != HamKaasDnnExecutionPlan)
    return llvm::createStringError("expected a plan, got " +
                                   nodes::findKind(descriptor.kind)->text);
  if (!descriptor.isFinalized)
    return makeError(HamKaasDnnNotFinalized,
                     "expected a plan that is finalized");
  if (handle && descriptor.plan->handle() != handle)
    return llvm::createStringError(
        "expected the handle that the plan was made with, got another");
  return descriptor.plan.get();
}

static Error execute(HamKaasDnnHandle *handle, HamKaasDnnDescriptor *plan,
                     llvm::function_ref<Error(DnnPlan &)> run) {
  auto session = findObject<const DnnHandle>(handle, sessionKind);
  if (!session)
    return session.takeError();
  auto descriptor = findDescriptor(plan);
  if (!descriptor)
    return descriptor.takeError();
  auto found = findPlan(**descriptor, *session);
  return found ? run(**found) : found.takeError();
}

HamKaasDnnStatus HamKaasDnnExecuteTensors(HamKaasDnnHandle *handle,
                                          HamKaasDnnDescriptor *plan,
                                          const int64_t *uids,
                                          void *const *pointers,
                                          int64_t count) {
  if (count < 0)
    return failWith(HamKaasDnnBadParam,
                    "expected 0 or more tensors, got " + Twine(count));
  if (count > 0 && (!uids || !pointers))
    return failWith(HamKaasDnnNullPointer,
                    "expected uids and pointers, got null");
  return toStatus(execute(handle, plan, [&](DnnPlan &plan) {
    return plan.run(uids, pointers, count);
  }));
}

HamKaasDnnStatus HamKaasDnnExecute(HamKaasDnnHandle *handle,
                                   HamKaasDnnDescriptor *plan,
                                   HamKaasDnnDescriptor *variantPack) {
  auto pack = findDescriptor(variantPack);
  if (!pack)
    return toStatus(pack.takeError());
  if ((*pack)->kind != HamKaasDnnVariantPack)
    return failWith(HamKaasDnnBadParam,
                    "expected a variant pack, got " +
                        nodes::findKind((*pack)->kind)->text);
  if (!(*pack)->isFinalized)
    return failWith(HamKaasDnnNotFinalized,
                    "expected a variant pack that is finalized");
  const DnnValue &uids = *(*pack)->find(HamKaasDnnAttrUniqueIds);
  const DnnValue &pointers = *(*pack)->find(HamKaasDnnAttrDataPointers);
  return toStatus(execute(handle, plan, [&](DnnPlan &plan) {
    return plan.run(uids.integers.data(), pointers.pointers.data(),
                    int64_t(uids.size()));
  }));
}

HamKaasDnnStatus HamKaasDnnWritePlan(HamKaasDnnDescriptor *plan,
                                     const char *path) {
  auto descriptor = findDescriptor(plan);
  if (!descriptor)
    return toStatus(descriptor.takeError());
  auto found = findPlan(**descriptor, nullptr);
  return toStatus(found ? (*found)->write(path) : found.takeError());
}

HamKaasDnnStatus HamKaasDnnReadPlan(HamKaasDnnHandle *handle, const char *path,
                                    HamKaasDnnDescriptor **plan) {
  if (!plan)
    return noPlaceFor("the plan");
  *plan = nullptr;
  auto session = findObject<const DnnHandle>(handle, sessionKind);
  if (!session)
    return toStatus(session.takeError());
  auto loaded = DnnPlan::load(path, *session);
  if (!loaded)
    return toStatus(loaded.takeError());
  auto descriptor = makePlanDescriptor(std::move(*loaded), *session);
  if (!descriptor)
    return toStatus(descriptor.takeError());
  return giveDescriptor(std::move(*descriptor), plan);
}

//===----------------------------------------------------------------------===//
// Texts
//===----------------------------------------------------------------------===//

HamKaasDnnStatus HamKaasDnnReadGraph(const char *text, uint64_t bytes,
                                     HamKaasDnnDescriptor **graph) {
  if (!graph)
    return noPlaceFor("the graph");
  *graph = nullptr;
  if (!text)
    return failWith(HamKaasDnnNullPointer,
                    "expected the text of a graph, got null");
  if (bytes > INT32_MAX)
    return failWith(HamKaasDnnBadParam,
                    "expected a text of fewer than 2^31 bytes, got " +
                        Twine(bytes));
  auto read = nodes::readGraph(StringRef(text, bytes));
  if (!read)
    return toStatus(read.takeError());
  auto descriptor = makeGraphDescriptor(std::move(*read));
  if (!descriptor)
    return toStatus(descriptor.takeError());
  return giveDescriptor(std::move(*descriptor), graph);
}

HamKaasDnnStatus HamKaasDnnDescribeAttributes(char **text) {
  if (!text)
    return noPlaceFor("the text");
  std::string table;
  llvm::raw_string_ostream stream(table);
  nodes::printAttributeTable(stream);
  *text = copyText(table);
  return *text ? HamKaasDnnSuccess
               : failWith(HamKaasDnnAllocFailed, "out of memory for a text");
}
