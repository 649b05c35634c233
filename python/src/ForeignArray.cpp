//===- ForeignArray.cpp - Arrays that numpy cannot show ---------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ForeignArray.h"
#include "DLPack.h"
#include "Tensors.h"
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

using namespace hamkaas::python;

std::string ForeignArray::describe() const {
  std::string text =
      elementType < 0 ? "unknown type" : elementTypeName(elementType);
  text += " " + formatShape(shape);
  return isOnHost ? text : text + " on " + device;
}

//===----------------------------------------------------------------------===//
// DLPack
//===----------------------------------------------------------------------===//

static int32_t toElementType(const dlpack::Type &type) {
  struct Known {
    uint8_t code, bits;
    HamKaasElementType type;
  };
  static constexpr Known known[] = {{dlpack::Float, 32, HamKaasFloat32},
                                    {dlpack::Float, 64, HamKaasFloat64},
                                    {dlpack::Float, 16, HamKaasFloat16},
                                    {dlpack::BFloat, 16, HamKaasBFloat16},
                                    {dlpack::Int, 64, HamKaasInt64},
                                    {dlpack::Int, 32, HamKaasInt32},
                                    {dlpack::Int, 16, HamKaasInt16},
                                    {dlpack::Int, 8, HamKaasInt8},
                                    {dlpack::UInt, 64, HamKaasUInt64},
                                    {dlpack::UInt, 32, HamKaasUInt32},
                                    {dlpack::UInt, 16, HamKaasUInt16},
                                    {dlpack::UInt, 8, HamKaasUInt8},
                                    {dlpack::Bool, 8, HamKaasBool}};
  if (type.lanes == 1)
    for (const Known &entry : known)
      if (entry.code == type.code && entry.bits == type.bits)
        return entry.type;
  return -1;
}

static bool isDense(const dlpack::Tensor &tensor) {
  int64_t expected = 1;
  for (int32_t i = tensor.rank; tensor.strides && i-- > 0;) {
    if (tensor.shape[i] == 0)
      return true;
    if (tensor.shape[i] != 1 && tensor.strides[i] != expected)
      return false;
    expected *= tensor.shape[i];
  }
  return true;
}

bool hamkaas::python::readCapsule(nb::handle value, ForeignArray &array) {
  if (!PyCapsule_IsValid(value.ptr(), dlpack::capsuleName))
    return false;
  const auto &tensor =
      static_cast<const dlpack::ManagedTensor *>(
          PyCapsule_GetPointer(value.ptr(), dlpack::capsuleName))
          ->tensor;
  array.owner = nb::borrow(value);
  array.address = static_cast<char *>(tensor.data) + tensor.byteOffset;
  array.elementType = toElementType(tensor.type);
  array.shape.assign(tensor.shape, tensor.shape + tensor.rank);
  array.isDense = isDense(tensor);
  int32_t type = tensor.device.type;
  array.isOnHost = type == dlpack::Cpu || type == dlpack::CudaHost;
  array.isOnGpu = type == dlpack::Cuda || type == dlpack::CudaManaged;
  if (!array.isOnHost)
    array.device = array.isOnGpu
                       ? "cuda:" + std::to_string(tensor.device.number)
                       : "a device of type " + std::to_string(type);
  return true;
}

//===----------------------------------------------------------------------===//
// Arrays that Python has read
//===----------------------------------------------------------------------===//

ForeignArray hamkaas::python::readGpuArray(nb::handle value) {
  ForeignArray array;
  if (readCapsule(value, array))
    return array;
  array.owner = value.attr("owner");
  array.address =
      reinterpret_cast<void *>(nb::cast<uintptr_t>(value.attr("address")));
  auto name = nb::cast<std::string>(value.attr("dtype"));
  for (int32_t type = 0; type <= HamKaasBool; ++type)
    if (name == elementTypeName(type))
      array.elementType = type;
  array.shape = nb::cast<std::vector<int64_t>>(value.attr("shape"));
  array.isDense = nb::cast<bool>(value.attr("is_dense"));
  array.isOnGpu = true;
  array.device = "a GPU";
  return array;
}
