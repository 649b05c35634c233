//===- Module.cpp - The module hamkaas._native ------------------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Buffer.h"
#include "Graph.h"
#include "Tokenizer.h"
#include "hamkaas-c/Compat.h"
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/unique_ptr.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <tuple>

using namespace hamkaas::python;
using namespace nb::literals;

namespace {

/// Name, element type and shape of each tensor.
nb::tuple describeTensors(const std::vector<Tensor> &tensors) {
  nb::list result;
  for (const Tensor &tensor : tensors)
    result.append(nb::make_tuple(tensor.name, tensor.dtype, tensor.shapeTuple));
  return nb::tuple(result);
}

/// Name, inputs and outputs of each entry function.
nb::tuple describeFunctions(const Model &model) {
  nb::list result;
  for (const FunctionTables &function : model.getTables().functions)
    result.append(nb::make_tuple(function.name,
                                 describeTensors(function.inputs),
                                 describeTensors(function.outputs)));
  return nb::tuple(result);
}

/// Name, element type, shape and elements.
using ConstantInputTuple =
    std::tuple<std::string, std::string, std::vector<int64_t>, nb::bytes>;

CompileArguments makeArguments(
    std::string name, std::vector<std::pair<std::string, int64_t>> lines,
    nb::object progress, std::vector<std::pair<std::string, int64_t>> dims,
    std::vector<ConstantInputTuple> constantInputs, nb::dict options) {
  CompileArguments arguments;
  arguments.name = withoutZeros(std::move(name), "a name");
  arguments.options = std::move(options);
  arguments.lines = std::move(lines);
  arguments.progress = std::move(progress);
  for (auto &[name, size] : dims)
    arguments.dims.emplace_back(
        withoutZeros(std::move(name), "the name of a dimension"), size);
  for (auto &[name, type, shape, elements] : constantInputs)
    arguments.constantInputs.push_back(
        {withoutZeros(std::move(name), "the name of an input"), std::move(type),
         std::move(shape), elements});
  return arguments;
}

/// Writes the inverse of each element of `input` to `output`; both are dense
/// float32 arrays of one size. For hamkaas.compat alone, which has checked
/// that.
void invert(nb::object input, nb::object output) {
  PyBuffer from(input, PyBUF_SIMPLE), to(output, PyBUF_WRITABLE);
  auto *source = static_cast<const float *>(from.get().buf);
  auto *target = static_cast<float *>(to.get().buf);
  size_t count = static_cast<size_t>(from.get().len) / sizeof(float);
  // The function counts with an int.
  constexpr size_t most = 1 << 30;
  for (size_t begin = 0; begin < count; begin += most) {
    int size = static_cast<int>(std::min(most, count - begin));
    const char *error =
        HamKaasInverseElements(source + begin, target + begin, size);
    if (!error)
      continue;
    std::string message = error;
    HamKaasFreeErrorMessage(error);
    throw makeError(message);
  }
}

/// The digest of the bytes of a dense object, as text.
std::string digest(nb::object object) {
  PyBuffer buffer(object, PyBUF_C_CONTIGUOUS);
  uint8_t bytes[32];
  callWithoutLock([&] {
    return HamKaasDigest(buffer.get().buf,
                         static_cast<uint64_t>(buffer.get().len),
                         /*threads=*/0, bytes);
  });
  std::string text;
  for (uint8_t byte : bytes)
    for (int digit : {byte >> 4, byte & 15})
      text += "0123456789abcdef"[digit];
  return text;
}

void bindModel(nb::module_ &module) {
  nb::class_<CompileArguments>(module, "CompileArguments")
      .def(nb::new_(&makeArguments), "name"_a, "lines"_a, "progress"_a.none(),
           "dims"_a, "constant_inputs"_a, "options"_a)
      .def_prop_ro(
          "failure",
          [](const CompileArguments &arguments) { return arguments.failure; })
      .def_prop_ro("summary", [](const CompileArguments &arguments) {
        return arguments.summary;
      });
  auto table = [](std::vector<Tensor> Tables::*tensors) {
    return [tensors](const Model &model) {
      return describeTensors(model.getTables().*tensors);
    };
  };
  nb::class_<Model>(module, "Model")
      .def_static("compile", &Model::compile, "source"_a, "arguments"_a)
      .def_static(
          "compile",
          [](nb::bytes source, const CompileArguments &arguments) {
            return Model::compile({source.c_str(), source.size()}, arguments);
          },
          "source"_a, "arguments"_a)
      .def_static("load", &Model::load, "path"_a, "arguments"_a, "verify"_a)
      .def("create_instance", &Model::createInstance, "device"_a, "threads"_a,
           "parameters"_a, "weights"_a.none(), "constants_of"_a.none(),
           "state_of"_a.none(), "unverified"_a, "share_threads"_a)
      .def("describe", &Model::describe, "description"_a)
      .def("write", &Model::write, "path"_a, "parameters"_a, "weights"_a.none(),
           "options"_a)
      .def_prop_ro("name",
                   [](const Model &model) { return model.getTables().model; })
      .def_prop_ro("functions", &describeFunctions)
      .def_prop_ro("parameters", table(&Tables::parameters))
      .def_prop_ro("states", table(&Tables::states));
}

void bindInstance(nb::module_ &module) {
  nb::class_<Instance>(module, "Instance")
      .def("run", &Instance::run, "number"_a, "inputs"_a, "out"_a.none())
      .def_prop_ro("device",
                   [](const Instance &instance) {
                     return std::string(instance.device());
                   })
      .def("read_state", &Instance::readState, "name"_a)
      .def("write_state", &Instance::writeState, "name"_a, "value"_a)
      .def("reset_state", &Instance::resetState)
      .def("save_state", &Instance::saveState, "path"_a, "extra"_a)
      .def("load_state", &Instance::loadState, "path"_a);
}

void bindGraph(nb::module_ &module) {
  nb::class_<Graph>(module, "Graph")
      .def(nb::init<>())
      .def("begin_function", &Graph::beginFunction, "name"_a)
      .def("add_input", &Graph::addInput, "name"_a, "type"_a, "position"_a)
      .def("add_parameter", &Graph::addParameter, "name"_a, "type"_a,
           "position"_a)
      .def("add_state", &Graph::addState, "name"_a, "type"_a,
           "elements"_a.none(), "position"_a)
      .def("add_constant", &Graph::addConstant, "type"_a, "elements"_a,
           "position"_a)
      .def("add_operation", &Graph::addOperation, "name"_a, "operands"_a,
           "attributes"_a, "position"_a, "result_count"_a)
      .def("begin_scan", &Graph::beginScan, "inits"_a, "inputs"_a, "steps"_a,
           "reversed"_a, "position"_a)
      .def("add_gradient", &Graph::addGradient, "y"_a, "seed"_a, "xs"_a,
           "position"_a)
      .def("add_training_step", &Graph::addTrainingStep, "loss"_a,
           "optimizer"_a, "learning_rate"_a, "states"_a, "frozen"_a,
           "position"_a)
      .def("end_scan", &Graph::endScan, "yielded"_a, "position"_a)
      .def("store_state", &Graph::storeState, "state"_a, "value"_a,
           "position"_a)
      .def("set_outputs", &Graph::setOutputs, "outputs"_a)
      .def("compile", &Graph::compile, "arguments"_a)
      .def("describe", &Graph::describe);
  module.def("infer_operation", &inferOperation, "name"_a, "operands"_a,
             "attributes"_a);
  module.def("describe_operations", &describeOperations);
}

void bindTokenizer(nb::module_ &module) {
  nb::class_<Tokenizer>(module, "Tokenizer")
      .def(nb::init<nb::bytes>(), "path"_a)
      .def("encode", &Tokenizer::encode, "text"_a, "encoding"_a)
      .def("encode_chat", &Tokenizer::encodeChat, "messages"_a, "form"_a.none(),
           "reply"_a)
      .def("decode", &Tokenizer::decode, "token"_a, "controls"_a)
      .def("is_end",
           [](const Tokenizer &tokenizer, int64_t token) {
             return HamKaasTokenizerIsEnd(tokenizer.get(), token) != 0;
           })
      .def("find",
           [](const Tokenizer &tokenizer, nb::bytes name) {
             return HamKaasTokenizerFind(tokenizer.get(), name.c_str());
           })
      .def_prop_ro("size",
                   [](const Tokenizer &tokenizer) {
                     return HamKaasTokenizerSize(tokenizer.get());
                   })
      .def_prop_ro("context",
                   [](const Tokenizer &tokenizer) {
                     return HamKaasTokenizerContext(tokenizer.get());
                   })
      .def_prop_ro("special",
                   [](const Tokenizer &tokenizer) {
                     return nb::make_tuple(
                         HamKaasTokenizerBos(tokenizer.get()),
                         HamKaasTokenizerEos(tokenizer.get()),
                         HamKaasTokenizerEot(tokenizer.get()));
                   })
      .def_prop_ro("adds_space",
                   [](const Tokenizer &tokenizer) {
                     return HamKaasTokenizerAddsSpace(tokenizer.get()) != 0;
                   })
      .def_prop_ro("chat_template", &Tokenizer::chatTemplate);
  nb::class_<Sampler>(module, "Sampler")
      .def(nb::init<float, int32_t, float, float, float, int32_t, uint64_t>(),
           "temperature"_a, "top_k"_a, "top_p"_a, "min_p"_a, "repeat_penalty"_a,
           "repeat_last"_a, "seed"_a)
      .def("accept", &Sampler::accept, "tokens"_a)
      .def("choose", &Sampler::choose, "scores"_a)
      .def("reset", &Sampler::reset);
}

} // namespace

NB_MODULE(_native, module) {
  module.doc() = "The C interface of HamKaas, for the package hamkaas alone.";
  // Models that live until the interpreter ends are no leak.
  nb::set_leak_warnings(false);
  bindModel(module);
  bindInstance(module);
  bindGraph(module);
  bindTokenizer(module);
  module.def("infer_result", &inferResult, "source"_a);
  module.def("read_extra", &readExtra, "path"_a, "extra"_a);
  module.def("digest", &digest, "array"_a);
  module.def("inverse_elements", &invert, "array"_a, "out"_a);
  module.def("compiler_version", &HamKaasCompilerVersion);
  module.def(
      "device_target",
      [](const std::string &device, const std::string &gpuArch) {
        std::string name = withoutZeros(device, "a device");
        const char *target = HamKaasDeviceTarget(name.c_str(), gpuArch.c_str());
        return target ? nb::object(nb::str(target)) : nb::none();
      },
      "device"_a, "gpu_arch"_a);
}
