//===- Outputs.cpp - What is done with outputs ------------------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Outputs.h"
#include "HamKaas/Driver/ElementTypes.h"
#include "llvm/Support/Format.h"

using namespace mlir;
using namespace hamkaas;

static void printElement(const ReferenceTensor &tensor, int64_t index) {
  Type type = tensor.type.getElementType();
  if (!tensor.f32.empty())
    llvm::outs() << llvm::format(" %.6g", tensor.f32[index]);
  else if (!tensor.f64.empty())
    llvm::outs() << llvm::format(" %.12g", tensor.f64[index]);
  else if (type.isUnsignedInteger())
    llvm::outs() << ' ' << uint64_t(tensor.i64[index]);
  else
    llvm::outs() << ' ' << tensor.i64[index];
}

/// The type and the first elements, when no file was asked for.
static void printTensor(const TensorDeclaration &declaration,
                        const Tensor &tensor) {
  constexpr int64_t shown = 8;
  llvm::outs() << declaration.name << ": " << formatType(declaration.type)
               << " =";
  ReferenceTensor decoded = decode(tensor);
  int64_t count = declaration.type.getNumElements();
  for (int64_t i = 0; i < std::min(count, shown); ++i)
    printElement(decoded, i);
  llvm::outs() << (count > shown ? " ...\n" : "\n");
}

llvm::Error hamkaas::writeOutputs(ArrayRef<TensorDeclaration> declarations,
                                  ArrayRef<Tensor> tensors,
                                  const llvm::StringMap<std::string> &files) {
  for (auto [declaration, tensor] : llvm::zip_equal(declarations, tensors)) {
    auto file = files.find(declaration.name);
    if (file != files.end()) {
      if (llvm::Error error = writeTensor(file->second, tensor))
        return error;
    } else if (files.empty()) {
      printTensor(declaration, tensor);
    }
  }
  return llvm::Error::success();
}

/// "'y': largest difference 1e-06, largest value 3"
static std::string describe(const TensorDeclaration &declaration,
                            const Difference &difference) {
  std::string text;
  llvm::raw_string_ostream os(text);
  os << "'" << declaration.name << "': ";
  if (!isa<FloatType>(declaration.type.getElementType())) {
    os << difference.special << " of " << declaration.type.getNumElements()
       << " elements differ";
    return text;
  }
  os << "largest difference " << llvm::format("%.3g", difference.largest)
     << ", largest value " << llvm::format("%.3g", difference.magnitude);
  if (difference.special)
    os << ", " << difference.special
       << " elements of another kind (NaN or infinity)";
  return text;
}

llvm::Error hamkaas::checkOutputs(ArrayRef<TensorDeclaration> declarations,
                                  ArrayRef<Tensor> actual,
                                  ArrayRef<Tensor> expected) {
  std::string failures;
  for (auto [declaration, a, e] :
       llvm::zip_equal(declarations, actual, expected)) {
    Difference difference = compare(decode(a), decode(e));
    std::string text = describe(declaration, difference);
    double tolerance = getElementType(declaration.type).tolerance;
    if (difference.isWithin(tolerance)) {
      llvm::outs() << "agrees with reference: " << text << '\n';
      continue;
    }
    llvm::raw_string_ostream os(failures);
    os << "\n  " << text;
    if (tolerance > 0)
      os << ", allowed " << llvm::format("%.0e", tolerance) << " times that";
  }
  if (!failures.empty())
    return llvm::createStringError(
        "expected outputs equal to the reference's, floats but for a share of "
        "the largest value in its row:" +
        failures);
  return llvm::Error::success();
}
