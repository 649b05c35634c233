//===- Compat.cpp - The interface of the first HamKaas ----------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "hamkaas-c/Compat.h"
#include "Arguments.h"
#include "HamKaas/Runtime/Core/HandleTable.h"
#include "HamKaas/Support/Errors.h"
#include "llvm/ADT/BitVector.h"
#include "llvm/ADT/StringMap.h"
#include <mutex>

using namespace llvm;
using namespace hamkaas;
using namespace hamkaas::capi;

static Error checkCount(int count, const void *array, StringRef what) {
  if (count < 0)
    return createStringError("expected a count of at least 0, got " +
                             Twine(count));
  if (count > 0 && !array)
    return createStringError("expected " + Twine(count) + " " + what +
                             ", got null");
  return Error::success();
}

/// One address for each tensor of a table, in its order, from buffers by name.
/// The error lists all that is missing, unknown, null or given twice.
static Expected<std::vector<const void *>>
matchBuffers(StringRef what, ArrayRef<HamKaasTensorInfo> tensors,
             ArrayRef<HamKaasNamedBuffer> buffers) {
  std::string problems;
  raw_string_ostream stream(problems);
  StringMap<size_t> indices;
  for (auto [index, tensor] : enumerate(tensors))
    indices[tensor.name] = index;
  std::vector<const void *> found(tensors.size());
  BitVector given(tensors.size());
  for (const HamKaasNamedBuffer &buffer : buffers) {
    if (Error error = checkText(buffer.name, ("a name of " + what).str()))
      return std::move(error);
    auto tensor = indices.find(buffer.name);
    if (tensor == indices.end()) {
      stream << "\nthe model has no " << what << " '" << buffer.name << "'";
      continue;
    }
    if (given.test(tensor->second))
      stream << "\n" << what << " '" << buffer.name << "' is given twice";
    else if (!buffer.data)
      stream << "\n" << what << " '" << buffer.name << "' is null";
    given.set(tensor->second);
    found[tensor->second] = buffer.data;
  }
  for (size_t index : given.flip().set_bits())
    stream << "\n" << what << " '" << tensors[index].name << "' is missing";
  if (!problems.empty())
    return createStringError(StringRef(problems).drop_front());
  return found;
}

/// The device, which is that of the options unless there is no GPU.
static Expected<const char *> chooseDevice(HamKaasCompilationOptions options) {
  if (options.use_cudnn && !options.use_gpu)
    return createStringError("expected use_cudnn only with use_gpu");
  if (!options.use_gpu)
    return "cpu";
  if (StringRef(HamKaasDeviceTarget("best", nullptr)) == "cuda")
    return "cuda";
  static std::once_flag warned;
  std::call_once(warned, [] {
    errs()
        << "HamKaas: warning: found no NVIDIA GPU that could be used; models "
           "compiled with use_gpu run on the CPU\n";
  });
  return "cpu";
}

//===----------------------------------------------------------------------===//
// Models
//===----------------------------------------------------------------------===//

namespace {

/// A model of the first system: one instance with its constants.
struct CompatModel {
  HamKaasModel *model = nullptr;
  HamKaasInstance *instance = nullptr;

  CompatModel() = default;
  CompatModel(const CompatModel &) = delete;
  ~CompatModel() {
    HamKaasInstanceDestroy(instance);
    HamKaasErrorFree(HamKaasModelDestroy(model));
  }

  Error compile(StringRef script, const char *device,
                ArrayRef<HamKaasNamedBuffer> constants);
  Error evaluate(ArrayRef<HamKaasNamedBuffer> inputs, void *output);
};

} // namespace

Error CompatModel::compile(StringRef script, const char *device,
                           ArrayRef<HamKaasNamedBuffer> constants) {
  HamKaasCompileOptions compileOptions = {};
  compileOptions.structSize = sizeof(compileOptions);
  compileOptions.target = device;
  if (Error error = toError(HamKaasModelCompile(script.data(), script.size(),
                                                &compileOptions, &model)))
    return error;
  const HamKaasProgram *program = nullptr;
  if (Error error = toError(HamKaasModelGetProgram(model, &program)))
    return error;
  ArrayRef parameters(program->parameters, program->parameterCount);
  auto buffers = matchBuffers("constant", parameters, constants);
  if (!buffers)
    return buffers.takeError();
  std::vector<HamKaasNamedData> data;
  for (auto [parameter, address] : zip(parameters, *buffers))
    data.push_back({parameter.name, address, parameter.bytes});
  HamKaasInstanceOptions options = {};
  options.structSize = sizeof(options);
  options.device = device;
  options.parameters = data.data();
  options.parameterCount = int32_t(data.size());
  return toError(HamKaasModelCreateInstance(model, &options, &instance));
}

Error CompatModel::evaluate(ArrayRef<HamKaasNamedBuffer> inputs, void *output) {
  const HamKaasProgram *program = nullptr;
  if (Error error = toError(HamKaasModelGetProgram(model, &program)))
    return error;
  auto buffers = matchBuffers(
      "input", ArrayRef(program->inputs, program->inputCount), inputs);
  if (!buffers)
    return buffers.takeError();
  return toError(HamKaasInstanceRun(instance, buffers->data(), &output));
}

//===----------------------------------------------------------------------===//
// The C interface
//===----------------------------------------------------------------------===//

// The first handle holds nothing: it exists so that a wrong one is noticed.
static constexpr rt::HandleKind sessionKind = {3, "a handle of HamKaas"};
static constexpr rt::HandleKind compatModelKind = {4, "a model"};

static Error checkSession(const void *handle) {
  rt::PinnedObject<const char> session(handle, sessionKind);
  return session ? Error::success() : toError(session.explain());
}

static void deleteModel(void *model) {
  delete static_cast<CompatModel *>(model);
}

HamKaasInitializeResult HamKaasInitialize(void) {
  static char session;
  HamKaasInitializeResult result = {};
  result.error = fromError(toError(rt::handleTable().add(
      sessionKind, &session, [](void *) {}, result.handle)));
  return result;
}

void HamKaasFinalize(void *handle) {
  (void)rt::handleTable().remove(handle, sessionKind);
}

static Expected<void *> compileModel(void *handle,
                                     HamKaasCompilationOptions options,
                                     const char *script,
                                     const HamKaasNamedBuffer *constants,
                                     int count) {
  if (Error error = checkSession(handle))
    return std::move(error);
  auto device = chooseDevice(options);
  if (!device)
    return device.takeError();
  if (Error error = checkText(script, "a script"))
    return std::move(error);
  if (Error error = checkCount(count, constants, "constants"))
    return std::move(error);
  auto model = std::make_unique<CompatModel>();
  if (Error error = model->compile(script, *device, ArrayRef(constants, count)))
    return std::move(error);
  void *made = nullptr;
  if (Error error = toError(rt::handleTable().add(compatModelKind, model.get(),
                                                  deleteModel, made)))
    return std::move(error);
  model.release();
  return made;
}

HamKaasCompilationResult
HamKaasCompileModel(void *handle, HamKaasCompilationOptions options,
                    const char *script, const HamKaasNamedBuffer *constants,
                    int count) {
  HamKaasCompilationResult result = {};
  result.error =
      fromError(compileModel(handle, options, script, constants, count)
                    .moveInto(result.model));
  return result;
}

void HamKaasFreeModel(void *, void *model) {
  (void)rt::handleTable().remove(model, compatModelKind);
}

static Error evaluate(void *handle, void *model,
                      const HamKaasNamedBuffer *inputs, int count,
                      void *output) {
  if (Error error = checkSession(handle))
    return error;
  rt::PinnedObject<CompatModel> pinned(model, compatModelKind);
  if (!pinned)
    return toError(pinned.explain());
  if (Error error = checkCount(count, inputs, "inputs"))
    return error;
  return pinned->evaluate(ArrayRef(inputs, count), output);
}

const char *HamKaasEvaluateModel(void *handle, void *model,
                                 const HamKaasNamedBuffer *inputs, int count,
                                 void *output) {
  return fromError(evaluate(handle, model, inputs, count, output));
}

static Error invertElements(const float *input, float *output, int size) {
  if (Error error = checkCount(size, input, "elements"))
    return error;
  if (Error error = checkCount(size, output, "elements of the output"))
    return error;
  for (int i = 0; i < size; ++i) {
    if (input[i] == 0)
      return createStringError("expected no zero, got one at element " +
                               Twine(i));
    output[i] = 1 / input[i];
  }
  return Error::success();
}

const char *HamKaasInverseElements(const float *input, float *output,
                                   int size) {
  return fromError(invertElements(input, output, size));
}

void HamKaasFreeErrorMessage(const char *error) {
  HamKaasErrorFree(const_cast<char *>(error));
}
