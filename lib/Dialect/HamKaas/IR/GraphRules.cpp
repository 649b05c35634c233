//===- GraphRules.cpp - What tensors, constants and names may be *- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HamKaas/Dialect/HamKaas/IR/GraphRules.h"
#include "HamKaas/Dialect/HamKaas/IR/HamKaas.h"
#include "HamKaas/Dialect/HamKaas/IR/ProgramSymbols.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/SymbolTable.h"
#include "llvm/Support/JSON.h"

#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace hamkaas;

StringRef hamkaas::getGlobalName(Operation *global) {
  if (auto name =
          global->getAttrOfType<StringAttr>(HamKaasDialect::nameAttrName))
    return name.getValue();
  return SymbolTable::getSymbolName(global).getValue();
}

bool hamkaas::isReservedFunctionName(StringRef name) {
  if (name == prepareName || name == deviceModuleName ||
      name.starts_with("hamkaas_"))
    return true;
  bool isNumbered = name.consume_front("k") || name.consume_front("loop");
  return isNumbered && !name.empty() && llvm::all_of(name, llvm::isDigit);
}

bool hamkaas::isValidName(StringRef name) {
  auto isControl = [](unsigned char c) { return c < 0x20 || c == 0x7f; };
  return !name.empty() && llvm::none_of(name, isControl) &&
         llvm::json::isUTF8(name);
}

/// A boolean, or an integer of 8 to 64 bits, signless for signed.
static bool isIntegerElement(Type element) {
  auto integer = dyn_cast<IntegerType>(element);
  if (!integer || integer.isSigned())
    return false;
  unsigned width = integer.getWidth();
  return width == 8 || width == 16 || width == 32 || width == 64 ||
         (width == 1 && integer.isSignless());
}

LogicalResult hamkaas::verifyTensorType(Location loc, Type type) {
  if (isSupportedShape(type)) {
    Type element = cast<RankedTensorType>(type).getElementType();
    if (element.isF32() || element.isF64() || element.isF16() ||
        element.isBF16() || isIntegerElement(element))
      return success();
  }
  return emitError(loc,
                   "expected a tensor of floats, integers or i1, of static "
                   "shape and 1 to 2^47 - 1 elements, got ")
         << type;
}

LogicalResult hamkaas::verifyElements(Location loc, Attribute value,
                                      Type type) {
  auto elements = dyn_cast<DenseElementsAttr>(value);
  // Elements of another kind may be many, or lie in another file: only the kind
  // is named.
  if (!elements)
    return emitError(loc, "expected a value of dense elements, got ")
           << value.getAbstractAttribute().getName();
  if (elements.getType() != type)
    return emitError(loc, "expected a value of type ")
           << type << ", got one of type " << elements.getType();
  return success();
}

std::string hamkaas::captureErrors(MLIRContext *context,
                                   llvm::function_ref<void()> function) {
  std::string text;
  ScopedDiagnosticHandler handler(context, [&](Diagnostic &diagnostic) {
    if (text.empty())
      text = diagnostic.str();
    return success();
  });
  function();
  // "'hamkaas.add' op expected ...": the words after that are kept.
  StringRef message(text);
  size_t prefix = message.find("' op ");
  if (message.starts_with("'") && prefix != StringRef::npos)
    message = message.drop_front(prefix + 5);
  return message.str();
}
