//===- Dnn.h - Graphs of nodes, from C++ ------------------------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A front end in the manner of cuDNN's and hipDNN's over hamkaas-c/Dnn.h.
// C++17, header only, needs no exceptions and no RTTI:
//
//   hamkaas::dnn::Handle handle;
//   if (handle.create().isBad())
//     ...
//   hamkaas::dnn::Graph graph;
//   graph.set_io_data_type(DataType::FLOAT)...;
//   auto x = graph.tensor(TensorAttributes().set_dim({8, 3, 32, 32}));
//   ...
//   auto y = graph.conv_fprop(x, w, ConvFpropAttributes().set_padding({1, 1})
//                                       .set_stride({1, 1})
//                                       .set_dilation({1, 1}));
//   y->set_output(true);
//   graph.build(handle);
//   graph.execute(handle, {{x, xData}, {w, wData}, {y, yData}});
//
// The manual is docs/Dnn.md.
//
//===----------------------------------------------------------------------===//

#ifndef HAMKAAS_DNN_DNN_H
#define HAMKAAS_DNN_DNN_H

#include "hamkaas-dnn/Graph.h"

namespace hamkaas::dnn {

/// A device, and how it is used.
class Handle {
public:
  Handle() = default;
  Handle(Handle &&other) : owned(std::exchange(other.owned, nullptr)) {}
  Handle &operator=(Handle &&other) {
    std::swap(owned, other.owned);
    return *this;
  }
  ~Handle() { HamKaasDnnDestroy(owned); }

  /// `device` and `threads` are those of HamKaasInstanceOptions.
  Error create(const char *device = "cpu", int32_t threads = 0) {
    HamKaasDnnHandleOptions options = {};
    options.structSize = sizeof(options);
    options.device = device;
    options.threads = threads;
    HamKaasDnnHandle *made = nullptr;
    Error error = detail::check(HamKaasDnnCreate(&made, &options));
    HamKaasDnnDestroy(std::exchange(owned, made));
    return error;
  }
  operator HamKaasDnnHandle *() const { return owned; }

private:
  HamKaasDnnHandle *owned = nullptr;
};

/// Sets where engine libraries are searched: see HamKaasDnnSetEnginePath.
inline Error set_engine_path(const std::string &path) {
  return detail::check(HamKaasDnnSetEnginePath(path.c_str()));
}

} // namespace hamkaas::dnn

#endif // HAMKAAS_DNN_DNN_H
