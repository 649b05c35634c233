//===- Outputs.cpp - What is done with outputs ------------------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Outputs.h"
#include "HamKaas/Dialect/HamKaas/IR/FormatType.h"
#include "HamKaas/Program/Difference.h"
#include "HamKaas/Program/ElementTypes.h"
#include "HamKaas/Runtime/Files/Digest.h"
#include "HamKaas/Support/Errors.h"
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

llvm::Error hamkaas::printDigests(ArrayRef<TensorDeclaration> declarations,
                                  ArrayRef<Tensor> tensors, StringRef code,
                                  int threads) {
  for (auto [declaration, tensor] : llvm::zip_equal(declarations, tensors)) {
    rt::Digest digest;
    if (rt::Error error =
            rt::computeDigest(tensor.data(), tensor.bytes(), threads, digest))
      return toError(std::move(error));
    llvm::outs() << "digest of " << declaration.name << ": "
                 << formatType(declaration.type) << " on " << code << ": "
                 << rt::DigestText(digest).c_str() << '\n';
  }
  return llvm::Error::success();
}

llvm::Error hamkaas::checkOutputs(ArrayRef<TensorDeclaration> declarations,
                                  ArrayRef<Tensor> actual,
                                  ArrayRef<Tensor> expected) {
  std::string failures;
  for (auto [declaration, a, e] :
       llvm::zip_equal(declarations, actual, expected)) {
    Difference difference = compare(decode(a), decode(e));
    bool agrees =
        difference.isWithin(getElementType(declaration.type).tolerance);
    std::string text = "'" + declaration.name + "': " +
                       describeDifference(declaration.type, difference,
                                          /*showTolerance=*/!agrees);
    if (agrees)
      llvm::outs() << "agrees with reference: " << text << '\n';
    else
      failures += "\n  " + text;
  }
  if (!failures.empty())
    return llvm::createStringError(
        "expected outputs equal to the reference's, floats but for a share of "
        "the largest value in its row:" +
        failures);
  return llvm::Error::success();
}
