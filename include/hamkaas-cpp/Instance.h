//===- Instance.h - Running a model, and its state --------------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HAMKAAS_CPP_INSTANCE_H
#define HAMKAAS_CPP_INSTANCE_H

#include "hamkaas-cpp/Result.h"
#include "hamkaas-cpp/Tensor.h"

#include <initializer_list>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace hamkaas {
inline namespace HAMKAAS_CPP_VARIANT {

/// The state of an instance, kept from run to run. Refers to the instance.
class State {
public:
  State(HamKaasInstance *instance, const HamKaasProgram *program)
      : instance(instance), program(program) {}

  /// The names, types and shapes.
  Span<const HamKaasTensorInfo> tensors() const {
    return {program->states, static_cast<size_t>(program->stateCount)};
  }

  /// A copy of the elements. T is the element type of the state by
  /// ElementTypeOf, but uint8_t for bool: a vector of bool stores bits.
  template <typename T> Result<std::vector<T>> read(std::string_view name) {
    static_assert(!std::is_same_v<T, bool>, "read a state of bool as uint8_t");
    std::vector<T> elements;
    const HamKaasTensorInfo *tensor = detail::find(tensors(), name);
    if (tensor)
      elements.resize(detail::elementsOf(*tensor));
    std::string problem = check(name, typeToRead<T>(tensor), elements.size());
    if (problem.empty())
      problem = detail::takeText(
          HamKaasInstanceReadState(instance, tensor->name, elements.data(),
                                   elements.size() * sizeof(T)));
    return detail::give(std::move(problem), std::move(elements));
  }

#define HAMKAAS_CPP_WRITE(T, type)                                             \
  Result<void> write(std::string_view name, Span<const T> elements) {          \
    return writeElements(name, elements);                                      \
  }
  HAMKAAS_CPP_ELEMENT_TYPES(HAMKAAS_CPP_WRITE)
#undef HAMKAAS_CPP_WRITE

  /// Gives all states their initial contents.
  Result<void> reset() {
    return detail::check(detail::takeText(HamKaasInstanceResetState(instance)));
  }

  /// Saves to and restores from a safetensors file.
  Result<void> save(const std::string &path) {
    return detail::check(
        detail::takeText(HamKaasInstanceSaveState(instance, path.c_str())));
  }
  Result<void> load(const std::string &path) {
    return detail::check(
        detail::takeText(HamKaasInstanceLoadState(instance, path.c_str())));
  }

private:
  std::string check(std::string_view name, HamKaasElementType type,
                    size_t elements) const {
    const HamKaasTensorInfo *tensor = detail::find(tensors(), name);
    if (!tensor)
      return "the model has no state '" + std::string(name) + "'";
    return detail::checkFit("state", *tensor, type, elements);
  }

  template <typename T>
  Result<void> writeElements(std::string_view name, Span<const T> elements) {
    std::string problem = check(name, ElementTypeOf<T>::value, elements.size());
    if (problem.empty())
      problem = detail::takeText(HamKaasInstanceWriteState(
          instance, std::string(name).c_str(), elements.data(),
          elements.size() * sizeof(T)));
    return detail::check(std::move(problem));
  }

  template <typename T>
  static HamKaasElementType typeToRead(const HamKaasTensorInfo *tensor) {
    if (std::is_same_v<T, uint8_t> && tensor &&
        tensor->elementType == HamKaasBool)
      return HamKaasBool;
    return ElementTypeOf<T>::value;
  }

  HamKaasInstance *instance;
  const HamKaasProgram *program;
};

class Instance;

/// As HamKaasInstanceOptions.
struct InstanceOptions {
  std::string device = {};
  int32_t threads = 0;
  std::vector<Input> parameters = {};
  std::string weightsFile = {};
  bool profile = false;
  const Instance *constantsOf = nullptr;
  const Instance *stateOf = nullptr;
  bool unverified = false;
  bool sharedThreads = false;
};

/// An entry function of an instance. Refers to the instance.
class Function {
public:
  /// `program` has the tables of the function.
  Function(HamKaasInstance *instance, const HamKaasProgram *program,
           int32_t number)
      : instance(instance), program(program), number(number) {}

  std::string_view name() const { return HamKaasProgramFunctionName(program); }
  Span<const HamKaasTensorInfo> inputs() const {
    return {program->inputs, static_cast<size_t>(program->inputCount)};
  }
  Span<const HamKaasTensorInfo> outputs() const {
    return {program->outputs, static_cast<size_t>(program->outputCount)};
  }

  /// Like Instance::run.
  Result<void> run(Span<const Input> given, Span<const Output> results) const {
    std::vector<const void *> from;
    std::vector<void *> to;
    std::string problems =
        detail::match<const void *>("input", inputs(), given, from);
    std::string more = detail::match<void *>("output", outputs(), results, to);
    if (!problems.empty() && !more.empty())
      problems += '\n';
    problems += more;
    if (problems.empty())
      return run(from.data(), to.data());
    return detail::check(std::move(problems));
  }
  Result<void> run(std::initializer_list<Input> given,
                   std::initializer_list<Output> results) const {
    return run(Span<const Input>(given.begin(), given.size()),
               Span<const Output>(results.begin(), results.size()));
  }
  Result<void> run(const void *const *from, void *const *to) const {
    return detail::check(detail::takeText(
        HamKaasInstanceRunFunction(instance, number, from, to)));
  }

  /// Like Instance::profile.
  Span<const HamKaasCallProfile> profile() const {
    const HamKaasCallProfile *calls =
        HamKaasInstanceFunctionProfile(instance, number);
    return {calls, calls ? static_cast<size_t>(program->callCount) : 0};
  }

private:
  HamKaasInstance *instance;
  const HamKaasProgram *program;
  int32_t number;
};

/// A model with its constants, state and workspace; keeps the model's code.
class Instance {
public:
  /// Takes over an instance of a program.
  Instance(HamKaasInstance *handle, const HamKaasProgram *program)
      : owned(handle), program(program) {}

  /// Runs the model once. Every input and output is given once, in any order,
  /// with the type and number of elements that the model says.
  Result<void> run(Span<const Input> inputs, Span<const Output> outputs) {
    return firstFunction().run(inputs, outputs);
  }
  Result<void> run(std::initializer_list<Input> inputs,
                   std::initializer_list<Output> outputs) {
    return run(Span<const Input>(inputs.begin(), inputs.size()),
               Span<const Output>(outputs.begin(), outputs.size()));
  }

  /// Like HamKaasInstanceRun: by position, unchecked, and without allocation.
  Result<void> run(const void *const *inputs, void *const *outputs) {
    return detail::check(
        detail::takeText(HamKaasInstanceRun(owned.get(), inputs, outputs)));
  }

  /// The entry function of that name.
  Result<Function> function(std::string_view name) const {
    int32_t number =
        HamKaasProgramFindFunction(program, std::string(name).c_str());
    std::string problem;
    if (number < 0)
      problem = "the model has no function '" + std::string(name) + "'";
    return detail::give(std::move(problem), getFunction(number));
  }

  State state() const { return State(owned.get(), program); }

  /// "cpu", "cuda:0" or "reference".
  std::string device() const {
    const char *name = HamKaasInstanceDevice(owned.get());
    return name ? name : "";
  }

  /// One entry per call of the program; empty unless the options asked for it.
  Span<const HamKaasCallProfile> profile() const {
    const HamKaasCallProfile *calls = HamKaasInstanceProfile(owned.get());
    return {calls, calls ? static_cast<size_t>(program->callCount) : 0};
  }

  HamKaasInstance *handle() const { return owned.get(); }

private:
  Function getFunction(int32_t number) const {
    return {owned.get(), HamKaasProgramFunction(program, number), number};
  }
  Function firstFunction() const {
    return getFunction(HamKaasProgramFindFunction(
        program, HamKaasProgramFunctionName(program)));
  }

  struct Destroy {
    void operator()(HamKaasInstance *instance) const {
      HamKaasInstanceDestroy(instance);
    }
  };
  std::unique_ptr<HamKaasInstance, Destroy> owned;
  const HamKaasProgram *program;
};

} // namespace HAMKAAS_CPP_VARIANT
} // namespace hamkaas

#endif // HAMKAAS_CPP_INSTANCE_H
