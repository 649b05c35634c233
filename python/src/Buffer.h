//===- Buffer.h - The memory of a Python object -----------------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HAMKAAS_PYTHON_BUFFER_H
#define HAMKAAS_PYTHON_BUFFER_H

#include <nanobind/nanobind.h>

namespace hamkaas::python {

namespace nb = nanobind;

/// The memory of a Python object, by the buffer protocol.
class PyBuffer {
public:
  PyBuffer(nb::object object, int flags) {
    if (PyObject_GetBuffer(object.ptr(), &view, flags) != 0)
      throw nb::python_error();
  }
  PyBuffer(const PyBuffer &) = delete;
  PyBuffer &operator=(const PyBuffer &) = delete;
  ~PyBuffer() { PyBuffer_Release(&view); }

  const Py_buffer &get() const { return view; }

private:
  Py_buffer view;
};

} // namespace hamkaas::python

#endif // HAMKAAS_PYTHON_BUFFER_H
