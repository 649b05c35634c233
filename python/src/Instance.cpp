//===- Instance.cpp - A program that runs -----------------------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Instance.h"
#include <algorithm>

using namespace hamkaas::python;

static void checkOverlap(const FunctionTables &tables, const Arguments &inputs,
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

/// `out` if it has all outputs; else a copy with new arrays for the others.
static nb::dict makeOutputs(const FunctionTables &tables,
                            const std::optional<nb::dict> &out) {
  auto isGiven = [&](const Tensor &output) {
    return out && out->contains(output.name);
  };
  if (out && std::all_of(tables.outputs.begin(), tables.outputs.end(), isGiven))
    return *out;
  nb::dict arrays;
  if (out)
    arrays.update(*out);
  for (const Tensor &output : tables.outputs)
    if (!isGiven(output))
      arrays[output.name] = makeArray(output);
  return arrays;
}

/// The arrays of the outputs in their order.
static nb::tuple listOutputs(const FunctionTables &tables,
                             const nb::dict &arrays) {
  auto count = static_cast<Py_ssize_t>(tables.outputs.size());
  auto values = nb::steal<nb::tuple>(PyTuple_New(count));
  for (Py_ssize_t i = 0; values.is_valid() && i < count; ++i) {
    nb::object array = arrays[tables.outputs[static_cast<size_t>(i)].name];
    PyTuple_SET_ITEM(values.ptr(), i, array.release().ptr());
  }
  if (!values.is_valid())
    throw nb::python_error();
  return values;
}

void RunArguments::findAddresses() {
  for (size_t i = 0; i < from.size(); ++i)
    from[i] = inputs.all()[i].address();
  for (size_t i = 0; i < to.size(); ++i)
    to[i] = outputs.all()[i].address();
}

void RunArguments::drop() {
  inputs.drop();
  outputs.drop();
}

nb::tuple Instance::runWith(RunArguments &arguments, size_t number,
                            nb::dict inputs, std::optional<nb::dict> out) {
  const FunctionTables &function = tables->functions[number];
  bool isOnGpu = device().starts_with("cuda");
  arguments.inputs.take(function.title, inputs, "input", /*areAllNeeded=*/true,
                        isOnGpu);
  nb::dict arrays = makeOutputs(function, out);
  arguments.outputs.take(function.title, arrays, "output",
                         /*areAllNeeded=*/true, isOnGpu);
  if (out)
    checkOverlap(function, arguments.inputs, arguments.outputs.all());
  nb::tuple results = listOutputs(function, arrays);
  arguments.findAddresses();
  callWithoutLock([&] {
    return HamKaasInstanceRunFunction(handle, static_cast<int32_t>(number),
                                      arguments.from.data(),
                                      arguments.to.data());
  });
  return results;
}

nb::tuple Instance::run(size_t number, nb::dict inputs,
                        std::optional<nb::dict> out) {
  if (number >= spares.size())
    throw nb::index_error("expected the number of a function");
  std::unique_ptr<RunArguments> &spare = spares[number];
  auto arguments =
      spare ? std::move(spare)
            : std::make_unique<RunArguments>(tables->functions[number]);
  // After an error they go, with the arrays that they have taken.
  nb::tuple results = runWith(*arguments, number, inputs, std::move(out));
  arguments->drop();
  spare = std::move(arguments);
  return results;
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

namespace {

/// The tensors of a file that are no states, in arrays.
class ExtraTensors {
public:
  ExtraTensors(nb::list given, bool areOutputs) {
    // NOTE: pointers into these must stay valid.
    tensors.reserve(given.size());
    elements.reserve(given.size());
    names.reserve(given.size());
    for (nb::handle entry : given)
      add(nb::cast<nb::tuple>(entry), areOutputs);
  }

  const HamKaasTensorInfo *get() const { return infos.data(); }
  void *const *addresses() const { return data.data(); }
  int32_t size() const { return static_cast<int32_t>(infos.size()); }

private:
  void add(nb::tuple entry, bool isOutput) {
    names.push_back(nb::cast<std::string>(entry[0]));
    std::vector<int64_t> shape;
    uint64_t bytes = nb::cast<uint64_t>(entry[2].attr("nbytes"));
    for (nb::handle size : entry[2].attr("shape"))
      shape.push_back(nb::cast<int64_t>(size));
    HamKaasTensorInfo info = {names.back().c_str(),
                              parseElementType(nb::cast<std::string>(entry[1])),
                              static_cast<int32_t>(shape.size()),
                              shape.data(),
                              bytes,
                              /*offset=*/0,
                              /*data=*/nullptr};
    if (info.elementType < 0)
      throw makeError("expected an array of a type that a file has, got " +
                      nb::cast<std::string>(entry[1]));
    const Tensor &tensor = tensors.emplace_back(info);
    Elements &taken = elements.emplace_back();
    std::string problem = isOutput
                              ? taken.takeOutput(entry[2], tensor)
                              : taken.takeInput(entry[2], tensor, "tensor");
    if (!problem.empty())
      throw makeError(problem);
    info.shape = tensor.shape.data();
    info.data = taken.address();
    infos.push_back(info);
    data.push_back(taken.address());
  }

  std::vector<std::string> names;
  std::vector<Tensor> tensors;
  std::vector<Elements> elements;
  std::vector<HamKaasTensorInfo> infos;
  std::vector<void *> data;
};

} // namespace

void Instance::saveState(nb::bytes path, nb::list extra) {
  std::string file = toPath(path);
  ExtraTensors tensors(extra, /*areOutputs=*/false);
  callWithoutLock([&] {
    return HamKaasInstanceSaveSnapshot(handle, file.c_str(), tensors.get(),
                                       tensors.size());
  });
}

void hamkaas::python::readExtra(nb::bytes path, nb::list extra) {
  std::string file = toPath(path);
  ExtraTensors tensors(extra, /*areOutputs=*/true);
  callWithoutLock([&] {
    return HamKaasSnapshotRead(file.c_str(), tensors.get(), tensors.addresses(),
                               tensors.size());
  });
}

void Instance::loadState(nb::bytes path) {
  std::string file = toPath(path);
  callWithoutLock(
      [&] { return HamKaasInstanceLoadState(handle, file.c_str()); });
}
