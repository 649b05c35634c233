//===- Tensors.h - Tensors of the file --------------------------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HAMKAAS_LIB_FRONTEND_ONNX_TENSORS_H
#define HAMKAAS_LIB_FRONTEND_ONNX_TENSORS_H

#include "ExternalData.h"
#include "GraphNames.h"
#include "HamKaas/Frontend/ONNX/ONNX.h"
#include "Proto.h"

namespace hamkaas::onnx {

/// Reads the tensors of a model. Sizes are compared with what the file holds
/// before anything is allocated.
class TensorReader {
public:
  /// `parameters` keeps what has to be converted or mapped.
  TensorReader(mlir::MLIRContext *context, DataPlaces places,
               ParameterContents &parameters, Diagnostics &diagnostics)
      : context(context), parameters(parameters), diagnostics(diagnostics),
        external(std::make_shared<ExternalData>(std::move(places))) {
    parameters.keep(external);
  }

  /// Null after a failure.
  Tensor read(const TensorProto &tensor);

  /// The bytes of a tensor that was read and has several elements each, as the
  /// file has them. Null for another tensor, and if rows share a byte.
  Tensor findPacked(const Tensor &tensor) const {
    return packed.lookup(tensor.bytes().data());
  }

  /// The type of a tensor of such elements and sizes; null after a failure. It
  /// may have no elements.
  mlir::RankedTensorType makeType(DataType dataType,
                                  llvm::ArrayRef<int64_t> dims);

  /// Fails unless a tensor may have this shape, perhaps without elements.
  bool checkShape(llvm::ArrayRef<int64_t> dims);

private:
  llvm::ArrayRef<char> unpackElements(const TensorProto &tensor,
                                      mlir::RankedTensorType type,
                                      llvm::ArrayRef<char> bytes);
  std::optional<llvm::ArrayRef<char>> getBytes(const TensorProto &tensor,
                                               mlir::RankedTensorType type);
  std::optional<llvm::ArrayRef<char>> convertField(const TensorProto &tensor,
                                                   mlir::RankedTensorType type,
                                                   int64_t count,
                                                   bool isPacked);

  mlir::MLIRContext *context;
  ParameterContents &parameters;
  Diagnostics &diagnostics;
  std::shared_ptr<ExternalData> external;
  /// Those that were read: a function or a loop may do so many times.
  llvm::DenseMap<const TensorProto *, Tensor> known;
  /// By the bytes that they were unpacked to.
  llvm::DenseMap<const char *, Tensor> packed;
};

} // namespace hamkaas::onnx

#endif // HAMKAAS_LIB_FRONTEND_ONNX_TENSORS_H
