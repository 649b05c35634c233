//===- Instance.h - A program that runs -------------------------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HAMKAAS_PYTHON_INSTANCE_H
#define HAMKAAS_PYTHON_INSTANCE_H

#include "Tensors.h"
#include <optional>
#include <string_view>

namespace hamkaas::python {

/// The arguments of a run, as addresses.
struct RunArguments {
  explicit RunArguments(const FunctionTables &function)
      : inputs(function.inputs), outputs(function.outputs),
        from(function.inputs.size()), to(function.outputs.size()) {}

  /// The addresses are valid as long as the arrays are taken.
  void findAddresses();
  /// Gives the arrays back.
  void drop();

  Arguments inputs, outputs;
  std::vector<const void *> from;
  std::vector<void *> to;
};

/// A HamKaasInstance and the tables of its program. All functions need the GIL,
/// which those that compute or touch files release meanwhile.
class Instance {
public:
  Instance(HamKaasInstance *handle, std::shared_ptr<const Tables> tables)
      : handle(handle), tables(std::move(tables)),
        spares(this->tables->functions.size()) {}
  Instance(const Instance &) = delete;
  Instance &operator=(const Instance &) = delete;
  ~Instance() { HamKaasInstanceDestroy(handle); }

  /// Runs entry function `number`, which must be there. The outputs, in order:
  /// new arrays, or those of `out` by name.
  nb::tuple run(size_t number, nb::dict inputs, std::optional<nb::dict> out);

  nb::object readState(nb::str name);
  void writeState(nb::str name, nb::object value);
  void resetState();
  /// `extra` as readExtra takes it.
  void saveState(nb::bytes path, nb::list extra);
  void loadState(nb::bytes path);

  /// "cpu", "cuda:0" or "reference".
  std::string_view device() const { return HamKaasInstanceDevice(handle); }

  HamKaasInstance *get() const { return handle; }

private:
  const Tensor &findState(nb::str name) const;
  nb::tuple runWith(RunArguments &arguments, size_t number, nb::dict inputs,
                    std::optional<nb::dict> out);

  HamKaasInstance *handle;
  std::shared_ptr<const Tables> tables;
  /// For each function that of its last run, for the next one. A run takes it
  /// away: arrays may be of classes whose Python code runs this once more.
  std::vector<std::unique_ptr<RunArguments>> spares;
};

/// Fills arrays from the tensors of a file that are no states. Each of `extra`
/// is a tuple of name, element type and numpy array.
void readExtra(nb::bytes path, nb::list extra);

} // namespace hamkaas::python

#endif // HAMKAAS_PYTHON_INSTANCE_H
