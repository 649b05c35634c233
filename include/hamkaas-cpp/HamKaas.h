//===- HamKaas.h - libhamkaas.so from C++ -----------------------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The C interface (hamkaas-c/Compiler.h) with objects that free themselves,
// buffers that know their size, and tensors by name. C++17, header only, needs
// no exceptions and no RTTI:
//
//   auto model = hamkaas::Model::compile(script);
//   if (!model)
//     return report(model.error());
//   auto instance = model->createInstance();
//   ...
//   auto done = instance->run({{"x", x}}, {{"result", y}});
//
// With HAMKAAS_EXCEPTIONS defined before it is included, functions return the
// value itself and throw a hamkaas::Error instead:
//
//   auto instance = hamkaas::Model::compile(script).createInstance();
//   instance.run({{"x", x}}, {{"result", y}});
//
// The namespace is also that of the compiler's own headers, include/HamKaas: a
// file includes these or those.
//
// Threads: as in C. Different objects are independent; a Model may be used by
// several threads, an Instance runs one call at a time.
//
//===----------------------------------------------------------------------===//

#ifndef HAMKAAS_CPP_HAMKAAS_H
#define HAMKAAS_CPP_HAMKAAS_H

#include "hamkaas-cpp/Model.h"

namespace hamkaas {
inline namespace HAMKAAS_CPP_VARIANT {

/// The type of the result of a script, which is checked but not compiled.
inline Result<HamKaasTensorType> inferResult(std::string_view script) {
  HamKaasTensorType type = {};
  std::string problem =
      detail::takeText(HamKaasInferResult(script.data(), script.size(), &type));
  return detail::give(std::move(problem), type);
}

} // namespace HAMKAAS_CPP_VARIANT
} // namespace hamkaas

#endif // HAMKAAS_CPP_HAMKAAS_H
