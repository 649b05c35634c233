//===- Target.cpp - The target of a module ----------------------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HamKaas/Dialect/HamKaas/IR/Target.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/DialectImplementation.h"

using namespace mlir;
using namespace hamkaas;

LogicalResult TargetAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                                 StringRef name, StringRef chip, Precision,
                                 ArrayRef<StringAttr>) {
  if (name.empty())
    return emitError() << "expected the name of a target, got \"\"";
  if (chip.empty())
    return emitError() << "expected the chip of target '" << name
                       << "', got \"\"";
  return success();
}

/// The generated parser would print a keyword that begins with a digit twice.
static ParseResult parsePrecision(AsmParser &parser, Precision &precision) {
  SMLoc location = parser.getCurrentLocation();
  std::string name;
  if (parser.parseKeywordOrString(&name))
    return failure();
  std::optional<Precision> known = symbolizePrecision(name);
  if (!known)
    return parser.emitError(location, "expected a precision of exact, tf32, "
                                      "3xtf32 or bf16, got '")
           << name << "'";
  precision = *known;
  return success();
}

ParseResult hamkaas::parseTargetOptions(AsmParser &parser, Precision &precision,
                                        SmallVectorImpl<StringAttr> &binaries) {
  auto parseBinary = [&] {
    return parser.parseAttribute(binaries.emplace_back());
  };
  while (succeeded(parser.parseOptionalComma())) {
    SMLoc location = parser.getCurrentLocation();
    StringRef name;
    if (parser.parseKeyword(&name) || parser.parseEqual())
      return failure();
    if (name == "precision") {
      if (parsePrecision(parser, precision))
        return failure();
    } else if (name != "binaries") {
      return parser.emitError(location, "expected precision or binaries, got '")
             << name << "'";
    } else if (parser.parseCommaSeparatedList(AsmParser::Delimiter::Square,
                                              parseBinary)) {
      return failure();
    }
  }
  return success();
}

void hamkaas::printTargetOptions(AsmPrinter &printer, Precision precision,
                                 ArrayRef<StringAttr> binaries) {
  if (precision != Precision::Exact) {
    printer << ", precision = ";
    // "3xtf32" begins with a digit, so it is no keyword.
    printer.printKeywordOrString(stringifyPrecision(precision));
  }
  if (!binaries.empty())
    printer << ", binaries = [" << binaries << ']';
}

LogicalResult hamkaas::verifyTarget(Operation *op, Attribute attribute) {
  auto emitError = [&] { return op->emitOpError(); };
  if (!isa<ModuleOp>(op))
    return emitError() << "expected '" << targetAttrName << "' on a module";
  auto target = dyn_cast<TargetAttr>(attribute);
  if (!target)
    return emitError() << "expected '" << targetAttrName
                       << "' to be a #hamkaas.target, got " << attribute;
  auto *targets =
      target.getDialect().getRegisteredInterface<TargetsInterface>();
  return targets ? targets->verify(target, emitError) : success();
}

FailureOr<TargetAttr> hamkaas::getTarget(Operation *op) {
  for (Operation *parent = op; parent; parent = parent->getParentOp())
    if (auto target = parent->getAttrOfType<TargetAttr>(targetAttrName))
      return target;
  return op->emitError("expected a module with '")
         << targetAttrName << "', which hamkaas-attach-target sets";
}
