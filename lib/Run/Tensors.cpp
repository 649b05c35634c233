//===- Tensors.cpp - Tensors from and to files ------------------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HamKaas/Run/Tensors.h"
#include "HamKaas/Dialect/HamKaas/IR/FormatType.h"
#include "HamKaas/Interpreter/RandomElements.h"
#include "HamKaas/Program/ElementTypes.h"
#include "HamKaas/Program/ProgramInfo.h"
#include "HamKaas/Runtime/Files/Npy.h"
#include "HamKaas/Support/Errors.h"
#include "HamKaas/Support/OutputFile.h"
#include <cstdlib>
#include <cstring>

using namespace mlir;
using namespace hamkaas;

//===----------------------------------------------------------------------===//
// Elements
//===----------------------------------------------------------------------===//

uint64_t Tensor::getBytes(RankedTensorType type) {
  return type.getNumElements() * rt::elementTypeSize(getElementType(type).type);
}

bool Tensor::canAllocate(RankedTensorType type) {
  // NOTE: LLVM makes `new` abort, also the one that throws nothing; and an
  // optimizer removes a call of malloc whose result nobody can see.
  void *volatile probe = std::malloc(getBytes(type));
  std::free(probe);
  return probe;
}

ReferenceTensor hamkaas::decode(const Tensor &tensor) {
  ReferenceTensor decoded(tensor.type());
  getElementType(tensor.type()).decode(tensor.data(), decoded);
  return decoded;
}

Tensor hamkaas::encode(const ReferenceTensor &tensor) {
  Tensor encoded(tensor.type);
  getElementType(tensor.type).encode(tensor, encoded.data());
  return encoded;
}

Tensor hamkaas::makeRandomTensor(RankedTensorType type, StringRef name) {
  return encode(makeRandomElements(type, name));
}

//===----------------------------------------------------------------------===//
// Files
//===----------------------------------------------------------------------===//

llvm::Expected<Tensor> hamkaas::readTensor(StringRef path, StringRef name,
                                           RankedTensorType type) {
  rt::NpyFile file;
  if (rt::Error error = file.open(path.str().c_str()))
    return llvm::createStringError(
        "'" + name + "' (" + formatType(type) +
        "): " + llvm::toString(toError(std::move(error))));
  RankedTensorType found = makeTensorType(type.getContext(), file.elementType(),
                                          ArrayRef(file.shape(), file.rank()));
  if (found != type)
    return llvm::createStringError("'" + name + "': expected " +
                                   formatType(type) + ", got " +
                                   formatType(found) + " in " + path);
  Tensor tensor(type);
  std::memcpy(tensor.data(), file.data(), file.bytes());
  return tensor;
}

llvm::Expected<Tensor> hamkaas::readTensor(StringRef path,
                                           MLIRContext *context) {
  rt::NpyFile file;
  if (rt::Error error = file.open(path.str().c_str()))
    return toError(std::move(error));
  Tensor tensor(makeTensorType(context, file.elementType(),
                               ArrayRef(file.shape(), file.rank())));
  std::memcpy(tensor.data(), file.data(), file.bytes());
  return tensor;
}

llvm::Error hamkaas::writeTensor(StringRef path, const Tensor &tensor) {
  ArrayRef<int64_t> shape = tensor.type().getShape();
  auto file = OutputFile::create(path);
  if (!file)
    return file.takeError();
  if (llvm::Error error = file->write([&](rt::AtomicFile &stream) {
        return rt::writeNpy(stream, path.str().c_str(),
                            getElementType(tensor.type()).type, shape.size(),
                            shape.data(), tensor.data());
      }))
    return error;
  return file->commit();
}
