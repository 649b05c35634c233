//===- DnnDescriptor.h - Descriptors behind handles -------------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HAMKAAS_LIB_CAPI_DNNDESCRIPTOR_H
#define HAMKAAS_LIB_CAPI_DNNDESCRIPTOR_H

#include "DnnPlan.h"
#include "HamKaas/Frontend/Dnn/StatusError.h"
#include "HamKaas/Runtime/Core/HandleTable.h"
#include <mutex>

namespace hamkaas::capi {

class DnnDescriptor;
using SharedDnnDescriptor = std::shared_ptr<DnnDescriptor>;

/// The elements of an attribute, in the list of their type: enumerations,
/// booleans and data types are integers.
struct DnnValue {
  int32_t type = 0; ///< A HamKaasDnnType.
  std::vector<int64_t> integers = {};
  std::vector<double> reals = {};
  std::string text = "";
  std::vector<void *> pointers = {};
  std::vector<SharedDnnDescriptor> descriptors = {};
  SharedDnnHandle handle = nullptr;

  size_t size() const {
    return integers.size() + reals.size() + text.size() + pointers.size() +
           descriptors.size() + (handle ? 1 : 0);
  }
};

/// A descriptor behind a handle. After it is finalized nothing in it changes,
/// so that others read it without its lock.
class DnnDescriptor {
public:
  explicit DnnDescriptor(int32_t kind) : kind(kind) {}

  const int32_t kind;
  /// Held by calls that change it.
  std::mutex mutex;
  std::atomic<bool> isFinalized{false};
  /// By the number of the attribute: what was set, and what Finalize adds.
  std::map<int32_t, DnnValue> values;
  /// Of an operation graph.
  std::shared_ptr<const DnnGraph> graph;
  /// Of an engine.
  SharedDnnEngine engine;
  /// Of an execution plan.
  std::shared_ptr<DnnPlan> plan;

  /// Null if it is not set.
  const DnnValue *find(int32_t attribute) const {
    auto found = values.find(attribute);
    return found == values.end() ? nullptr : &found->second;
  }
  /// The descriptor that an attribute is; it must be set.
  const DnnDescriptor &descriptor(int32_t attribute) const {
    return *find(attribute)->descriptors.front();
  }
  void setText(int32_t attribute, llvm::StringRef text) {
    values[attribute] = {HamKaasDnnTypeChar, {}, {}, text.str(), {}, {}, {}};
  }
  void setIntegers(int32_t attribute, int32_t type,
                   std::vector<int64_t> integers) {
    values[attribute] = {type, std::move(integers), {}, "", {}, {}, {}};
  }
  void setDescriptors(int32_t attribute,
                      std::vector<SharedDnnDescriptor> descriptors) {
    values[attribute] = {HamKaasDnnTypeDescriptor, {}, {}, "", {},
                         std::move(descriptors),   {}};
  }
};

/// Checks the attributes, and adds those that are read. After an error the
/// descriptor is as before.
llvm::Error finalizeDescriptor(DnnDescriptor &descriptor);

/// The finalized descriptor of a graph that is complete.
llvm::Expected<SharedDnnDescriptor> makeGraphDescriptor(nodes::NodeGraph graph);

/// The finalized descriptor of a plan of a loaded program.
llvm::Expected<SharedDnnDescriptor>
makePlanDescriptor(std::shared_ptr<DnnPlan> plan,
                   const SharedDnnHandle &handle);

} // namespace hamkaas::capi

#endif // HAMKAAS_LIB_CAPI_DNNDESCRIPTOR_H
