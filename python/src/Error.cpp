//===- Error.cpp - How errors reach Python ----------------------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Error.h"

#include <cstring>
#include <utility>

using namespace hamkaas::python;

// Calls the options of a model what Python calls them.
static std::string translateOptions(std::string text) {
  static constexpr std::pair<const char *, const char *> names[] = {
      {"HamKaasCompileOptions::dimensions: ", "dims: "},
      {"HamKaasCompileOptions::dimensions", "dims={NAME: N}"},
      {"HamKaasCompileOptions::constantInputs: ", "const_inputs: "},
      {"HamKaasCompileOptions::constantInputs", "const_inputs={NAME: array}"},
      {"--external-data-root", "external_data_root"},
  };
  for (auto [from, to] : names)
    for (size_t at = 0; (at = text.find(from, at)) != std::string::npos;)
      text.replace(at, strlen(from), to);
  return text;
}

nb::python_error hamkaas::python::makeError(const std::string &message) {
  nb::object type = nb::module_::import_("hamkaas.errors").attr("HamKaasError");
  // A message that quotes a file or a name may not be UTF-8.
  nb::object text = nb::steal(PyUnicode_DecodeUTF8(
      message.data(), static_cast<Py_ssize_t>(message.size()),
      "backslashreplace"));
  if (text.is_valid())
    PyErr_SetObject(type.ptr(), text.ptr());
  return nb::python_error();
}

void hamkaas::python::check(HamKaasError error) {
  if (!error)
    return;
  std::string message = translateOptions(error);
  HamKaasErrorFree(error);
  throw makeError(message);
}

std::string hamkaas::python::withoutZeros(std::string text, const char *what) {
  if (text.find('\0') != std::string::npos)
    throw makeError(std::string("expected ") + what +
                    " without zero bytes, got one");
  return text;
}

std::string hamkaas::python::toPath(nb::bytes path) {
  return withoutZeros(std::string(path.c_str(), path.size()), "a path");
}
