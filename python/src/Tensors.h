//===- Tensors.h - Python arrays as tensors of a program --------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HAMKAAS_PYTHON_TENSORS_H
#define HAMKAAS_PYTHON_TENSORS_H

#include "ForeignArray.h"
#include "hamkaas-c/Compiler.h"
#include <memory>
#include <string_view>
#include <vector>

namespace hamkaas::python {

/// An input, output, parameter or state of a program.
struct Tensor {
  explicit Tensor(const HamKaasTensorInfo &info);

  nb::str name;
  int32_t elementType;
  std::vector<int64_t> shape;
  uint64_t bytes;
  /// The shape and the dtype as numpy takes them; a name for the dtype if there
  /// is none.
  nb::tuple shapeTuple;
  nb::object dtype;

  /// E.g. "float32 [2, 3]".
  std::string describe() const;
};

/// "float32", "bool" and so on.
const char *elementTypeName(int32_t elementType);

/// The number of the element type of that name, or -1.
int32_t parseElementType(std::string_view name);

/// E.g. "[2, 3]".
std::string formatShape(const std::vector<int64_t> &shape);

/// The tensors of an entry function, in its order.
struct FunctionTables {
  explicit FunctionTables(const HamKaasProgram &function);

  std::string name;
  /// For messages: "model 'mnist'", or "function 'decode' of model 'llama'" if
  /// there are several.
  std::string title;
  std::vector<Tensor> inputs, outputs;
};

/// The tensors of a program, in its order.
struct Tables {
  explicit Tables(const HamKaasProgram &program);

  /// For messages, e.g. "model 'mnist'".
  std::string title() const { return "model '" + model + "'"; }

  std::string model;
  std::vector<FunctionTables> functions;
  std::vector<Tensor> parameters, states;
};

/// The address of an array's elements: dense, row-major, aligned. Holds the
/// array's memory as long as it lives. Needs the GIL for all it does. With
/// `mayBeOnGpu` the address may be one in the memory of a GPU.
class Elements {
public:
  Elements() = default;
  Elements(Elements &&other) noexcept;
  Elements(const Elements &) = delete;
  Elements &operator=(Elements &&) = delete;
  ~Elements();

  /// Takes the elements of `value`, any array, which must be those of a
  /// `tensor`; copies them if they are not dense. Returns what is wrong, or "".
  std::string takeInput(nb::handle value, const Tensor &tensor,
                        const char *kind, bool mayBeOnGpu = false);

  /// Takes the memory of `value`, an array to write a `tensor` to, without a
  /// copy. Returns what is wrong, or "".
  std::string takeOutput(nb::handle value, const Tensor &tensor,
                         bool mayBeOnGpu = false);

  void *address() const { return owner.is_valid() ? foreign : view.buf; }
  bool overlaps(const Elements &other) const;

  /// Gives back what was taken, if anything.
  void drop();

private:
  bool take(nb::handle array, bool isOutput);
  bool takeForeign(nb::handle value, const Tensor &tensor, const char *kind,
                   bool mayBeOnGpu, std::string &problem /* out */);
  size_t length() const {
    return owner.is_valid() ? foreignLength : static_cast<size_t>(view.len);
  }

  Py_buffer view = {};
  /// The owner and the address of elements outside of the buffer protocol.
  nb::object owner;
  void *foreign = nullptr;
  size_t foreignLength = 0;
};

/// Describes an array for a message, e.g. "float64 [2, 3]".
std::string describeArray(nb::handle value);

/// A new numpy array for `tensor`, not initialised.
nb::object makeArray(const Tensor &tensor);

/// One value of a dictionary for each tensor of a table.
class Arguments {
public:
  /// Room for one value of each of `tensors`, which outlive this.
  explicit Arguments(const std::vector<Tensor> &tensors)
      : tensors(tensors), elements(tensors.size()) {}

  /// As a new one that takes `given`.
  Arguments(const std::string &title, const std::vector<Tensor> &tensors,
            nb::dict given, const char *kind, bool areAllNeeded)
      : Arguments(tensors) {
    take(title, given, kind, areAllNeeded, /*mayBeOnGpu=*/false);
  }

  /// Takes the values of `given` by the names of the tensors; may be called
  /// once. Throws one error that lists all problems. `title` says whose the
  /// tensors are, `kind` is "input", "parameter" or "output". With
  /// `areAllNeeded` none may be missing; with `mayBeOnGpu` arrays may be in GPU
  /// memory.
  void take(const std::string &title, nb::dict given, const char *kind,
            bool areAllNeeded, bool mayBeOnGpu);

  /// Gives back what was taken.
  void drop();

  /// The given tensors with their names. Valid as long as this and the table.
  std::vector<HamKaasNamedData> named() const;

  const std::vector<Elements> &all() const { return elements; }

private:
  void findUnknown(const std::string &title, nb::dict given, const char *kind,
                   std::string &problems) const;

  const std::vector<Tensor> &tensors;
  std::vector<Elements> elements;
};

} // namespace hamkaas::python

#endif // HAMKAAS_PYTHON_TENSORS_H
