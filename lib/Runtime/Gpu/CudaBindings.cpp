//===- CudaBindings.cpp - The caller's buffers on a GPU -------------------===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CudaBindings.h"

#include <cinttypes>
#include <cstdlib>
#include <cstring>

using namespace hamkaas::rt;
using namespace hamkaas::rt::cuda;

static constexpr uint64_t failureBytes = 5 * sizeof(int64_t);

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

static uint64_t alignUp(uint64_t bytes) {
  constexpr uint64_t mask = HAMKAAS_REGION_ALIGNMENT - 1;
  return (bytes + mask) & ~mask;
}

void CudaBindings::place(const HamKaasTensorInfo &tensor, uint64_t &end) {
  bindings[count++] = {&tensor, end, nullptr, Place::OfCaller};
  end += alignUp(tensor.bytes);
}

Error CudaBindings::layOut(const HamKaasProgram &program) {
  size_t total = static_cast<size_t>(program.inputCount) +
                 static_cast<size_t>(program.outputCount);
  // calloc may return null for zero entries.
  bindings = static_cast<Binding *>(calloc(total + 1, sizeof(Binding)));
  addresses = static_cast<void **>(calloc(total + 1, sizeof(void *)));
  order = static_cast<int32_t *>(calloc(total + 1, sizeof(int32_t)));
  if (!bindings || !addresses || !order)
    return Error::format("out of memory for a table of %zu buffers", total);
  inputCount = program.inputCount;
  for (int32_t i = 0; i < program.inputCount; ++i)
    place(program.inputs[i], bytes);
  failureOffset = bytes;
  bytes += alignUp(failureBytes);
  for (int32_t i = 0; i < program.outputCount; ++i)
    place(program.outputs[i], bytes);
  for (int32_t i = 0; i < count; ++i)
    order[i] = i;
  return Error();
}

Error CudaBindings::start(CudaContext &context, const HamKaasProgram &program,
                          bool mayFail) {
  hasChecks = mayFail;
  if (Error error = layOut(program))
    return error;
  if (Error error = allocateOnDevice(context, /*isWhole=*/false))
    return error;
  return hasChecks ? allocateOnHost(context, /*isWhole=*/false) : Error();
}

Error CudaBindings::allocateOnDevice(CudaContext &context, bool isWhole) {
  CudaMemory memory;
  if (Error error = memory.allocate(context, isWhole ? bytes : failureBytes,
                                    "its inputs and outputs"))
    return error;
  Error error =
      context.check(context.driver().cuMemsetD8Async(
                        memory.address() + (isWhole ? failureOffset : 0), 0,
                        failureBytes, context.stream()),
                    "cannot set its memory to zero");
  if (!error) {
    device.swap(memory);
    isDeviceWhole = isWhole;
  }
  memory.release(context);
  return error;
}

Error CudaBindings::allocateOnHost(CudaContext &context, bool isWhole) {
  uint64_t size = isWhole ? bytes : failureBytes;
  void *memory = nullptr;
  if (Error error = context.check(
          context.driver().cuMemAllocHost(&memory, size),
          "cannot allocate %" PRIu64 " bytes of pinned memory for its inputs "
          "and outputs",
          size))
    return error;
  if (host)
    context.driver().cuMemFreeHost(host);
  host = static_cast<char *>(memory);
  isHostWhole = isWhole;
  return Error();
}

// NOTE: no graph uses the areas after this, which changes all steps.
Error CudaBindings::provideAreas(CudaContext &context, Change &change) {
  bool needsDevice = false, needsHost = false;
  for (int32_t i = 0; i < count; ++i) {
    needsHost |= isStaged(i);
    needsDevice |= isStaged(i) || bindings[i].place == Place::Misaligned;
  }
  if ((needsDevice && !isDeviceWhole) || (needsHost && !isHostWhole))
    change = Change::Steps;
  if (needsDevice && !isDeviceWhole)
    if (Error error = allocateOnDevice(context, /*isWhole=*/true))
      return error;
  return needsHost && !isHostWhole ? allocateOnHost(context, /*isWhole=*/true)
                                   : Error();
}

void CudaBindings::release(CudaContext &context) {
  device.release(context);
  if (host)
    context.driver().cuMemFreeHost(host);
  host = nullptr;
}

CudaBindings::~CudaBindings() {
  free(bindings);
  free(addresses);
  free(order);
}

uint64_t CudaBindings::failure() const { return onDevice(failureOffset); }

const int64_t *CudaBindings::failureValues() const {
  return reinterpret_cast<const int64_t *>(onHost(failureOffset));
}

//===----------------------------------------------------------------------===//
// Where the buffers are
//===----------------------------------------------------------------------===//

Error CudaBindings::findPlace(CudaContext &context, const char *kind,
                              const Binding &binding, const void *given,
                              Place &place) const {
  place = Place::OfCaller;
  if (binding.tensor->bytes == 0)
    return Error();
  // Memory unknown to the driver is host memory; its attributes stay zero. Not
  // all attributes have the same size.
  uint64_t memoryType = 0, isManaged = 0, ordinal = 0;
  CUpointer_attribute attributes[] = {CU_POINTER_ATTRIBUTE_MEMORY_TYPE,
                                      CU_POINTER_ATTRIBUTE_IS_MANAGED,
                                      CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL};
  void *values[] = {&memoryType, &isManaged, &ordinal};
  if (Error error = context.check(
          context.driver().cuPointerGetAttributes(
              3, attributes, values, reinterpret_cast<CUdeviceptr>(given)),
          "%s '%s': cannot find out where %p is", kind, binding.tensor->name,
          given))
    return error;
  // Each GPU and the processor see managed memory.
  if (!isManaged && memoryType != CU_MEMORYTYPE_DEVICE)
    return Error();
  if (!isManaged && static_cast<int32_t>(ordinal) != context.number())
    return Error::format("%s '%s': expected memory of the caller or of device "
                         "'%s', got memory of 'cuda:%d'",
                         kind, binding.tensor->name, context.name(),
                         static_cast<int32_t>(ordinal));
  bool isAligned =
      reinterpret_cast<uintptr_t>(given) % HAMKAAS_DEVICE_TENSOR_ALIGNMENT == 0;
  place = isAligned ? Place::InPlace : Place::Misaligned;
  return Error();
}

Error CudaBindings::bindOne(CudaContext &context, const char *kind,
                            int32_t index, void *given, Change &change) {
  Binding &binding = bindings[index];
  Place place = Place::OfCaller;
  if (Error error = findPlace(context, kind, binding, given, place))
    return error;
  if (place != binding.place)
    change = Change::Steps;
  else if (place != Place::OfCaller && given != binding.given &&
           change == Change::None)
    change = Change::Addresses;
  binding.place = place;
  binding.given = given;
  return Error();
}

Error CudaBindings::bindAll(CudaContext &context, const void *const *given,
                            void *const *givenOutputs, Change &change) {
  for (int32_t i = 0; i < inputCount; ++i)
    if (Error error =
            bindOne(context, "input", i, const_cast<void *>(given[i]), change))
      return error;
  for (int32_t i = inputCount; i < count; ++i)
    if (Error error =
            bindOne(context, "output", i, givenOutputs[i - inputCount], change))
      return error;
  if (Error error = provideAreas(context, change))
    return error;
  for (int32_t i = 0; i < count; ++i)
    addresses[i] = bindings[i].place == Place::InPlace
                       ? bindings[i].given
                       : reinterpret_cast<void *>(onDevice(bindings[i].offset));
  return Error();
}

Error CudaBindings::bind(CudaContext &context, const void *const *given,
                         void *const *givenOutputs, Change &change) {
  change = Change::None;
  Error error = bindAll(context, given, givenOutputs, change);
  if (!error && change != Change::None)
    error = checkOverlaps(context);
  // The next run is to look at all of them again.
  if (error)
    forgetPlaces();
  return error;
}

void CudaBindings::copyAddresses(void **to) const {
  for (int32_t i = 0; i < count; ++i)
    to[i] = addressInSteps(i);
}

bool CudaBindings::hasAddresses(void *const *others) const {
  for (int32_t i = 0; i < count; ++i)
    if (others[i] != addressInSteps(i))
      return false;
  return true;
}

void CudaBindings::forgetPlaces() {
  for (int32_t i = 0; i < count; ++i)
    bindings[i].place = Place::OfCaller;
}

//===----------------------------------------------------------------------===//
// Overlaps
//===----------------------------------------------------------------------===//

// Insertion sort: little changes between runs.
void CudaBindings::sortByAddress() {
  for (int32_t i = 1; i < count; ++i) {
    int32_t index = order[i], at = i;
    for (; at > 0 && begin(order[at - 1]) > begin(index); --at)
      order[at] = order[at - 1];
    order[at] = index;
  }
}

Error CudaBindings::checkApart(int32_t first, int32_t second,
                               const CudaContext &context) const {
  bool isApart = first < 0 || end(first) <= begin(second);
  if (isApart)
    return Error();
  auto kind = [&](int32_t i) { return isOutput(i) ? "output" : "input"; };
  return Error::format("device '%s': expected buffers that do not overlap, got "
                       "%s '%s' from %p and %s '%s' from %p on",
                       context.name(), kind(first),
                       bindings[first].tensor->name, bindings[first].given,
                       kind(second), bindings[second].tensor->name,
                       bindings[second].given);
}

Error CudaBindings::checkOverlaps(const CudaContext &context) {
  sortByAddress();
  // Of those that begin before, the ones that end last.
  int32_t input = -1, output = -1;
  for (int32_t i = 0; i < count; ++i) {
    int32_t index = order[i];
    const Binding &binding = bindings[index];
    if (binding.place == Place::OfCaller || binding.tensor->bytes == 0)
      continue;
    if (Error error = checkApart(output, index, context))
      return error;
    if (isOutput(index))
      if (Error error = checkApart(input, index, context))
        return error;
    int32_t &last = isOutput(index) ? output : input;
    if (last < 0 || end(index) > end(last))
      last = index;
  }
  return Error();
}

//===----------------------------------------------------------------------===//
// Copies
//===----------------------------------------------------------------------===//

CUresult CudaBindings::copyStretch(CudaSequence &sequence, uint64_t begin,
                                   uint64_t end, bool isToHost) const {
  auto hosted = reinterpret_cast<uint64_t>(onHost(begin));
  uint64_t onGpu = onDevice(begin);
  CudaSequence::Copy copy = {isToHost ? hosted : onGpu,
                             isToHost ? onGpu : hosted, end - begin, isToHost,
                             !isToHost};
  return sequence.addCopy(copy);
}

CUresult CudaBindings::copyMisaligned(CudaSequence &sequence, int32_t index,
                                      bool isToCaller) const {
  const Binding &binding = bindings[index];
  if (binding.place != Place::Misaligned)
    return CUDA_SUCCESS;
  uint64_t given = reinterpret_cast<uint64_t>(binding.given);
  uint64_t staged = onDevice(binding.offset);
  CudaSequence::Copy copy = {isToCaller ? given : staged,
                             isToCaller ? staged : given, binding.tensor->bytes,
                             false, false};
  return sequence.addCopy(copy);
}

// Adjacent buffers are copied together: a copy costs more than a few bytes.
CUresult CudaBindings::addCopiesIn(CudaSequence &sequence) const {
  CUresult result = CUDA_SUCCESS;
  for (int32_t i = 0; i < inputCount && result == CUDA_SUCCESS;) {
    int32_t first = i;
    while (i < inputCount && isStaged(i))
      ++i;
    result = i > first ? copyStretch(sequence, bindings[first].offset,
                                     endOf(i - 1), /*isToHost=*/false)
                       : copyMisaligned(sequence, i++, /*isToCaller=*/false);
  }
  return result;
}

CUresult CudaBindings::addCopiesOut(CudaSequence &sequence) const {
  CUresult result = CUDA_SUCCESS;
  int32_t i = inputCount;
  if (hasChecks) {
    while (i < count && isStaged(i))
      ++i;
    result = copyStretch(sequence, failureOffset,
                         i > inputCount ? endOf(i - 1)
                                        : failureOffset + failureBytes,
                         /*isToHost=*/true);
  }
  while (i < count && result == CUDA_SUCCESS) {
    int32_t first = i;
    while (i < count && isStaged(i))
      ++i;
    result = i > first ? copyStretch(sequence, bindings[first].offset,
                                     endOf(i - 1), /*isToHost=*/true)
                       : copyMisaligned(sequence, i++, /*isToCaller=*/true);
  }
  return result;
}

void CudaBindings::readInputs() const {
  for (int32_t i = 0; i < inputCount; ++i)
    if (isStaged(i))
      memcpy(onHost(bindings[i].offset), bindings[i].given,
             bindings[i].tensor->bytes);
}

void CudaBindings::writeOutputs() const {
  for (int32_t i = inputCount; i < count; ++i)
    if (isStaged(i))
      memcpy(bindings[i].given, onHost(bindings[i].offset),
             bindings[i].tensor->bytes);
}
