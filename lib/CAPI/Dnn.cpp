//===- Dnn.cpp - Handles, descriptors and plans -----------------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Arguments.h"
#include "DnnEngines.h"
#include "DnnHandles.h"
#include "DnnStatus.h"

using namespace hamkaas;
using namespace hamkaas::capi;
using llvm::Error;
using llvm::Expected;
using llvm::StringRef;
using llvm::Twine;
using nodes::makeError;

//===----------------------------------------------------------------------===//
// Handles
//===----------------------------------------------------------------------===//

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
