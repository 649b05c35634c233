//===- Tensors.cpp - Python arrays as tensors of a program ------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Tensors.h"
#include <cstring>
#include <string_view>

using namespace hamkaas::python;

namespace {

/// The functions of numpy and of our Python code that runs use. Never freed:
/// the interpreter may end before the last array does.
struct Names {
  nb::object array, empty, dtypeOf, describe, asInput, asOutput, asGpuArray;

  Names() {
    nb::module_ numpy = nb::module_::import_("numpy");
    nb::module_ arrays = nb::module_::import_("hamkaas.arrays");
    array = numpy.attr("ndarray");
    empty = numpy.attr("empty");
    dtypeOf = arrays.attr("dtype_of");
    describe = arrays.attr("describe");
    asInput = arrays.attr("as_input");
    asOutput = arrays.attr("as_output");
    asGpuArray = arrays.attr("as_gpu_array");
  }
};

const Names &names() {
  static const Names *all = new Names;
  return *all;
}

constexpr const char *signedLetters = "bhilq", *unsignedLetters = "BHILQ";

/// An element type in Python's buffer protocol: one of these letters, and the
/// size of an element in bytes.
struct ElementType {
  const char *name;
  const char *letters;
  Py_ssize_t size;
};

/// The entry of a HamKaasElementType has its number.
constexpr ElementType elementTypes[] = {
    {"float32", "f", 4},
    {"int64", signedLetters, 8},
    {"float64", "d", 8},
    {"float16", "e", 2},
    {"bfloat16", "", 2},
    {"int32", signedLetters, 4},
    {"int16", signedLetters, 2},
    {"int8", signedLetters, 1},
    {"uint8", unsignedLetters, 1},
    {"uint16", unsignedLetters, 2},
    {"uint32", unsignedLetters, 4},
    {"uint64", unsignedLetters, 8},
    {"bool", "?", 1},
};

/// Buffers have no letter for bfloat16: arrays.py makes it a record of this
/// format, whose one field has its name.
constexpr std::string_view bfloat16Format = "T{H:bfloat16:}";

/// The element type of a buffer in Python's notation, or -1.
int32_t parseElementType(const Py_buffer &view) {
  const char *format = view.format ? view.format : "B";
  if (format == bfloat16Format)
    return HamKaasBFloat16;
  // The host is little-endian.
  if (*format == '@' || *format == '=' || *format == '<')
    ++format;
  if (!*format || format[1])
    return -1;
  for (const ElementType &type : elementTypes)
    if (std::strchr(type.letters, *format) && view.itemsize == type.size)
      return static_cast<int32_t>(&type - elementTypes);
  return -1;
}

bool hasTypeOf(const Py_buffer &view, const Tensor &tensor) {
  if (parseElementType(view) != tensor.elementType ||
      static_cast<size_t>(view.ndim) != tensor.shape.size())
    return false;
  for (int i = 0; i < view.ndim; ++i)
    if (view.shape[i] != tensor.shape[static_cast<size_t>(i)])
      return false;
  return true;
}

bool isDense(const Py_buffer &view) {
  return PyBuffer_IsContiguous(&view, 'C') &&
         reinterpret_cast<uintptr_t>(view.buf) %
                 static_cast<uintptr_t>(view.itemsize) ==
             0;
}

/// Its text as UTF-8, which need not be able to hold all that Python can.
std::string toText(nb::handle value) {
  nb::object bytes = nb::str(value).attr("encode")("utf-8", "backslashreplace");
  return nb::cast<nb::bytes>(bytes).c_str();
}

/// The text of the pending Python exception, which is then forgotten.
std::string describeException(nb::python_error &error) {
  if (!error.matches(PyExc_Exception))
    throw std::move(error);
  return toText(error.value());
}

std::string expected(const char *kind, const Tensor &tensor,
                     const std::string &found) {
  return std::string("expected ") + kind + " '" + tensor.name.c_str() +
         "' to be " + tensor.describe() + ", got " + found;
}

} // namespace

//===----------------------------------------------------------------------===//
// Tables
//===----------------------------------------------------------------------===//

const char *hamkaas::python::elementTypeName(int32_t elementType) {
  return elementTypes[elementType].name;
}

int32_t hamkaas::python::parseElementType(std::string_view name) {
  for (const ElementType &type : elementTypes)
    if (name == type.name)
      return static_cast<int32_t>(&type - elementTypes);
  return -1;
}

std::string hamkaas::python::formatShape(const std::vector<int64_t> &shape) {
  std::string text = "[";
  for (size_t i = 0; i < shape.size(); ++i)
    text += (i ? ", " : "") + std::to_string(shape[i]);
  return text + "]";
}

Tensor::Tensor(const HamKaasTensorInfo &info)
    : name(nb::str(info.name)), elementType(info.elementType),
      shape(info.shape, info.shape + info.rank), bytes(info.bytes),
      dtype(names().dtypeOf(elementTypeName(info.elementType))) {
  nb::list sizes;
  for (int64_t size : shape)
    sizes.append(size);
  shapeTuple = nb::tuple(sizes);
}

std::string Tensor::describe() const {
  return std::string(elementTypeName(elementType)) + " " + formatShape(shape);
}

FunctionTables::FunctionTables(const HamKaasProgram &function)
    : name(HamKaasProgramFunctionName(&function)),
      title(std::string("model '") + function.name + "'"),
      inputs(function.inputs, function.inputs + function.inputCount),
      outputs(function.outputs, function.outputs + function.outputCount) {
  if (HamKaasProgramFunctionCount(&function) > 1)
    title = "function '" + name + "' of " + title;
}

Tables::Tables(const HamKaasProgram &program)
    : model(program.name),
      parameters(program.parameters,
                 program.parameters + program.parameterCount),
      states(program.states, program.states + program.stateCount) {
  for (int32_t i = 0; i < HamKaasProgramFunctionCount(&program); ++i)
    functions.emplace_back(*HamKaasProgramFunction(&program, i));
}

//===----------------------------------------------------------------------===//
// Arrays
//===----------------------------------------------------------------------===//

std::string hamkaas::python::describeArray(nb::handle value) {
  return toText(names().describe(value));
}

nb::object hamkaas::python::makeArray(const Tensor &tensor) {
  if (nb::isinstance<nb::str>(tensor.dtype))
    throw makeError(std::string("expected the package ml_dtypes, which gives "
                                "numpy the type of '") +
                    tensor.name.c_str() + "', " + tensor.describe() +
                    ", or a tensor of torch to write it to, got neither");
  return names().empty(tensor.shapeTuple, tensor.dtype);
}

Elements::Elements(Elements &&other) noexcept
    : view(other.view), owner(std::move(other.owner)), foreign(other.foreign),
      foreignLength(other.foreignLength) {
  other.view = {};
}

Elements::~Elements() { drop(); }

void Elements::drop() {
  if (view.obj)
    PyBuffer_Release(&view);
  view = {};
  owner.reset();
}

bool Elements::take(nb::handle array, bool isOutput) {
  int flags = PyBUF_FORMAT | PyBUF_STRIDES | (isOutput ? PyBUF_WRITABLE : 0);
  if (PyObject_GetBuffer(array.ptr(), &view, flags) == 0)
    return true;
  // A dtype that Python's buffers do not know, or memory not to be written.
  PyErr_Clear();
  view = {};
  return false;
}

// Returns true for an array that numpy cannot represent: it is taken, or
// `problem` says why not.
bool Elements::takeForeign(nb::handle value, const Tensor &tensor,
                           const char *kind, bool mayBeOnGpu,
                           std::string &problem) {
  if (value.type().ptr() == names().array.ptr())
    return false;
  ForeignArray array;
  if (!readCapsule(value, array)) {
    if (!mayBeOnGpu)
      return false;
    try {
      nb::object found = callPython(names().asGpuArray, value,
                                    std::string_view(kind) == "output");
      if (found.is_none())
        return false;
      array = readGpuArray(found);
    } catch (nb::python_error &error) {
      problem = expected(kind, tensor, describeException(error));
      return true;
    }
  }
  bool isThere = array.isOnHost || (mayBeOnGpu && array.isOnGpu);
  auto alignment =
      static_cast<uintptr_t>(elementTypes[tensor.elementType].size);
  if (!isThere || array.elementType != tensor.elementType ||
      array.shape != tensor.shape)
    problem = expected(kind, tensor, array.describe());
  else if (!array.isDense ||
           reinterpret_cast<uintptr_t>(array.address) % alignment != 0)
    problem = expected(kind, tensor, "an array that is not contiguous");
  if (!problem.empty())
    return true;
  owner = std::move(array.owner);
  foreign = array.address;
  foreignLength = tensor.bytes;
  return true;
}

std::string Elements::takeInput(nb::handle value, const Tensor &tensor,
                                const char *kind, bool mayBeOnGpu) {
  if (std::string problem;
      takeForeign(value, tensor, kind, mayBeOnGpu, problem))
    return problem;
  nb::object array = nb::borrow(value);
  if (value.type().ptr() != names().array.ptr() ||
      tensor.elementType == HamKaasBFloat16) {
    try {
      array = callPython(names().asInput, value);
    } catch (nb::python_error &error) {
      return expected(kind, tensor, describeException(error));
    }
  }
  if (!take(array, /*isOutput=*/false) || !hasTypeOf(view, tensor)) {
    drop();
    return expected(kind, tensor, describeArray(array));
  }
  if (isDense(view))
    return "";
  drop();
  array = array.attr("copy")();
  take(array, /*isOutput=*/false);
  return "";
}

std::string Elements::takeOutput(nb::handle value, const Tensor &tensor,
                                 bool mayBeOnGpu) {
  if (std::string problem;
      takeForeign(value, tensor, "output", mayBeOnGpu, problem))
    return problem;
  nb::object array = nb::borrow(value);
  if (value.type().ptr() != names().array.ptr() ||
      tensor.elementType == HamKaasBFloat16) {
    try {
      array = callPython(names().asOutput, value);
    } catch (nb::python_error &error) {
      return expected("output", tensor, describeException(error));
    }
  }
  if (!take(array, /*isOutput=*/true) || !hasTypeOf(view, tensor)) {
    drop();
    // A microsecond, for those alone that have something to explain.
    if (!nb::cast<bool>(array.attr("flags").attr("writeable")))
      return expected("output", tensor, "an array that is read-only");
    return expected("output", tensor, describeArray(array));
  }
  if (isDense(view))
    return "";
  drop();
  return expected("output", tensor, "an array that is not contiguous");
}

bool Elements::overlaps(const Elements &other) const {
  auto begin = [](const Elements &elements) {
    return reinterpret_cast<uintptr_t>(elements.address());
  };
  auto end = [&](const Elements &elements) {
    return begin(elements) + elements.length();
  };
  return begin(*this) < end(other) && begin(other) < end(*this);
}

//===----------------------------------------------------------------------===//
// Arguments
//===----------------------------------------------------------------------===//

static void addLine(std::string &lines, const std::string &line) {
  if (!line.empty())
    lines += (lines.empty() ? "" : "\n") + line;
}

void Arguments::take(const std::string &title, nb::dict given, const char *kind,
                     bool areAllNeeded, bool mayBeOnGpu) {
  bool isOutput = std::string_view(kind) == "output";
  std::string problems;
  size_t found = 0;
  for (size_t i = 0; i < tensors.size(); ++i) {
    const Tensor &tensor = tensors[i];
    PyObject *value = PyDict_GetItemWithError(given.ptr(), tensor.name.ptr());
    if (value) {
      ++found;
      // The dictionary may change while Python code runs.
      nb::object kept = nb::borrow(value);
      addLine(problems,
              isOutput ? elements[i].takeOutput(kept, tensor, mayBeOnGpu)
                       : elements[i].takeInput(kept, tensor, kind, mayBeOnGpu));
    } else if (PyErr_Occurred()) {
      throw nb::python_error();
    } else if (areAllNeeded) {
      addLine(problems, std::string("expected ") + kind + " '" +
                            tensor.name.c_str() + "' (" + tensor.describe() +
                            "), it is missing");
    }
  }
  if (found != given.size())
    findUnknown(title, given, kind, problems);
  if (!problems.empty())
    throw makeError(problems);
}

void Arguments::findUnknown(const std::string &title, nb::dict given,
                            const char *kind, std::string &problems) const {
  std::string known;
  for (const Tensor &tensor : tensors)
    known +=
        (known.empty() ? "'" : ", '") + std::string(tensor.name.c_str()) + "'";
  for (auto [name, value] : given) {
    bool isKnown = false;
    for (const Tensor &tensor : tensors)
      isKnown |= nb::isinstance<nb::str>(name) && tensor.name.equal(name);
    if (isKnown)
      continue;
    addLine(problems, std::string("unknown ") + kind + " " +
                          nb::repr(name).c_str() + ", " + title + " has " +
                          (known.empty() ? "none" : known));
  }
}

void Arguments::drop() {
  for (Elements &element : elements)
    element.drop();
}

std::vector<HamKaasNamedData> Arguments::named() const {
  std::vector<HamKaasNamedData> result;
  for (size_t i = 0; i < tensors.size(); ++i)
    if (elements[i].address())
      result.push_back(
          {tensors[i].name.c_str(), elements[i].address(), tensors[i].bytes});
  return result;
}
