//===- Error.h - How errors reach Python ------------------------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HAMKAAS_PYTHON_ERROR_H
#define HAMKAAS_PYTHON_ERROR_H

#include "Lock.h"
#include "hamkaas-c/Runtime.h"
#include <nanobind/nanobind.h>
#include <string>

namespace hamkaas::python {

namespace nb = nanobind;

/// The Python exception hamkaas.HamKaasError with the text `message`, to be
/// thrown. Needs the GIL.
nb::python_error makeError(const std::string &message);

/// Throws hamkaas.HamKaasError if `error` is one, and frees it. Needs the GIL.
void check(HamKaasError error);

/// Calls a function of Python. For what users wrote, which may take long.
template <typename... Values>
nb::object callPython(nb::handle function, const Values &...values) {
  nb::tuple arguments = nb::make_tuple(values...);
  nb::object result = nb::steal(hamkaasCall(function.ptr(), arguments.ptr()));
  if (!result.is_valid())
    throw nb::python_error();
  return result;
}

/// Calls `function` without the GIL, throws the error that it returns.
template <typename Function> void callWithoutLock(const Function &function) {
  HamKaasError error;
  {
    WithoutLock guard;
    error = function();
  }
  check(error);
}

/// `text`, or an error when it has a zero byte within, where C would end it.
/// `what` names it in the error.
std::string withoutZeros(std::string text, const char *what);

/// The path that Python encoded as `path`.
std::string toPath(nb::bytes path);

} // namespace hamkaas::python

#endif // HAMKAAS_PYTHON_ERROR_H
