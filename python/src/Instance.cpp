//===- Instance.cpp - A program that runs -----------------------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Instance.h"

using namespace hamkaas::python;

static void checkOverlap(const Tables &tables, const Arguments &inputs,
                         const std::vector<Elements> &outputs) {
  for (size_t o = 0; o < outputs.size(); ++o) {
    auto fail = [&](const char *kind, const Tensor &other) {
      throw makeError(std::string("expected output '") +
                      tables.outputs[o].name.c_str() +
                      "' to have memory of its own, it overlaps " + kind +
                      " '" + other.name.c_str() + "'");
    };
    for (size_t i = 0; i < inputs.all().size(); ++i)
      if (outputs[o].overlaps(inputs.all()[i]))
        fail("input", tables.inputs[i]);
    for (size_t i = 0; i < o; ++i)
      if (outputs[o].overlaps(outputs[i]))
        fail("output", tables.outputs[i]);
  }
}

/// The arrays of `out` by name, and new ones for the outputs that it lacks.
static nb::dict makeOutputs(const Tables &tables,
                            const std::optional<nb::dict> &out) {
  nb::dict arrays;
  if (out)
    arrays.update(*out);
  for (const Tensor &output : tables.outputs)
    if (!out || !out->contains(output.name))
      arrays[output.name] = makeArray(output);
  return arrays;
}

nb::tuple Instance::run(nb::dict inputs, std::optional<nb::dict> out) {
  bool isOnGpu = device().starts_with("cuda");
  Arguments given(*tables, tables->inputs, inputs, "input",
                  /*areAllNeeded=*/true, isOnGpu);
  nb::dict arrays = makeOutputs(*tables, out);
  Arguments results(*tables, tables->outputs, arrays, "output",
                    /*areAllNeeded=*/true, isOnGpu);
  if (out)
    checkOverlap(*tables, given, results.all());

  std::vector<const void *> from = given.addresses();
  std::vector<void *> to;
  for (const Elements &result : results.all())
    to.push_back(result.address());
  callWithoutLock(
      [&] { return HamKaasInstanceRun(handle, from.data(), to.data()); });

  nb::list values;
  for (const Tensor &output : tables->outputs)
    values.append(arrays[output.name]);
  return nb::tuple(values);
}

const Tensor &Instance::findState(nb::str name) const {
  std::string known;
  for (const Tensor &state : tables->states) {
    if (state.name.equal(name))
      return state;
    known +=
        (known.empty() ? "'" : ", '") + std::string(state.name.c_str()) + "'";
  }
  throw makeError(std::string("unknown state ") + nb::repr(name).c_str() +
                  ", model '" + tables->model + "' has " +
                  (known.empty() ? "none" : known));
}

nb::object Instance::readState(nb::str name) {
  const Tensor &state = findState(name);
  nb::object array = makeArray(state);
  Elements elements;
  elements.takeOutput(array, state);
  callWithoutLock([&] {
    return HamKaasInstanceReadState(handle, state.name.c_str(),
                                    elements.address(), state.bytes);
  });
  return array;
}

void Instance::writeState(nb::str name, nb::object value) {
  const Tensor &state = findState(name);
  Elements elements;
  std::string problem = elements.takeInput(value, state, "state");
  if (!problem.empty())
    throw makeError(problem);
  callWithoutLock([&] {
    return HamKaasInstanceWriteState(handle, state.name.c_str(),
                                     elements.address(), state.bytes);
  });
}

void Instance::resetState() {
  callWithoutLock([&] { return HamKaasInstanceResetState(handle); });
}

void Instance::saveState(nb::bytes path) {
  std::string file = toPath(path);
  callWithoutLock(
      [&] { return HamKaasInstanceSaveState(handle, file.c_str()); });
}

void Instance::loadState(nb::bytes path) {
  std::string file = toPath(path);
  callWithoutLock(
      [&] { return HamKaasInstanceLoadState(handle, file.c_str()); });
}
