//===- Optimizer.cpp - Optimizers by their text -----------------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HamKaas/Training/Optimizer.h"
#include "HamKaas/Dialect/HamKaas/IR/GraphRules.h"
#include "HamKaas/Frontend/Builder/Diagnostics.h"
#include "HamKaas/Frontend/Builder/UserOperation.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/GlobPattern.h"

using namespace mlir;
using namespace hamkaas;
using graph::AttributeInfo;
using graph::AttributeKind;
using graph::quote;
using graph::ValueInfo;
using llvm::createStringError;
using llvm::Error;
using llvm::Expected;

namespace {

/// An optimizer whose update is `operation`, with these attributes unless
/// others are given. The defaults are PyTorch's; Lion's are those of its
/// authors' implementation.
struct OptimizerInfo {
  StringRef name, operation;
  double learningRate;
  std::vector<std::pair<StringRef, StringRef>> attributes = {};
};

} // namespace

static ArrayRef<OptimizerInfo> getOptimizers() {
  static const std::vector<OptimizerInfo> optimizers = {
      {"adam", "adam_update", 1e-3},
      {"adamw",
       "adam_update",
       1e-3,
       {{"decoupled", "1"}, {"weight_decay", "0.01"}}},
      {"lion", "lion_update", 1e-4},
      {"rmsprop", "rmsprop_update", 1e-2},
      {"sgd", "sgd_update", 1e-3},
  };
  return optimizers;
}

static const OptimizerInfo *findOptimizer(StringRef name) {
  auto *found = llvm::find_if(getOptimizers(), [&](const OptimizerInfo &info) {
    return info.name == name;
  });
  return found == getOptimizers().end() ? nullptr : found;
}

static std::string listOptimizers() {
  return llvm::join(llvm::map_range(getOptimizers(),
                                    [](const OptimizerInfo &info) {
                                      return info.name.str();
                                    }),
                    ", ");
}

//===----------------------------------------------------------------------===//
// The text
//===----------------------------------------------------------------------===//

/// A number above 0, or at least 0.
static Expected<double> parseNumber(StringRef option, StringRef value,
                                    bool mayBeZero) {
  double number;
  if (value.getAsDouble(number) || !std::isfinite(number) || number < 0 ||
      (number == 0 && !mayBeZero))
    return createStringError("expected " + quote(option) + " to be a number " +
                             (mayBeZero ? "of at least 0" : "above 0") +
                             ", got " + quote(value));
  return number;
}

/// The options between commas that are outside of braces, in which a pattern
/// has its own.
static SmallVector<StringRef> splitOptions(StringRef text) {
  SmallVector<StringRef> parts;
  size_t begin = 0, depth = 0;
  for (size_t i = 0; i <= text.size(); ++i) {
    if (i < text.size() && (text[i] != ',' || depth > 0)) {
      depth += text[i] == '{';
      depth -= text[i] == '}' && depth > 0;
      continue;
    }
    if (i > begin)
      parts.push_back(text.slice(begin, i));
    begin = i + 1;
  }
  return parts;
}

Error Optimizer::takePattern(StringRef value) {
  auto pattern = llvm::GlobPattern::create(value, mostPatterns);
  if (value.empty() || !pattern)
    return createStringError(
        "expected 'no_decay' to be a glob pattern of names, got " +
        quote(value) + (pattern ? "" : ": " + toString(pattern.takeError())));
  noDecay = value;
  return Error::success();
}

Error Optimizer::take(StringRef option, StringRef value) {
  if (option == "lr")
    return parseNumber(option, value, /*mayBeZero=*/true)
        .moveInto(learningRate);
  if (option == "clip_norm" || option == "clip_value") {
    Expected<double> bound = parseNumber(option, value, /*mayBeZero=*/false);
    if (!bound)
      return bound.takeError();
    (option == "clip_norm" ? clipNorm : clipValue) = *bound;
    return Error::success();
  }
  if (option == "name") {
    if (!isValidName(value))
      return createStringError("expected 'name' to be UTF-8 text without "
                               "control characters, and not empty, got " +
                               quote(value));
    label = value;
    return Error::success();
  }
  if (option == "no_decay")
    return takePattern(value);
  bool mayBeCentered = operation->name == "rmsprop_update";
  if (option == "centered" && mayBeCentered) {
    if (value != "0" && value != "1")
      return createStringError("expected 'centered' to be 0 or 1, got " +
                               quote(value));
    isCentered = value == "1";
    return Error::success();
  }
  if (operation->findAttribute(option)) {
    attributes.emplace_back(option, value);
    return Error::success();
  }
  std::string known = "lr, clip_norm, clip_value, name, no_decay";
  if (mayBeCentered)
    known += ", centered";
  for (const AttributeInfo &attribute : operation->attributes)
    known += ", " + attribute.name.str();
  return createStringError("unknown option " + quote(option) +
                           ", known are: " + known);
}

Expected<Optimizer> Optimizer::parse(StringRef text) {
  auto [name, options] = text.split(':');
  const OptimizerInfo *info = findOptimizer(name);
  if (!info)
    return createStringError("unknown optimizer " + quote(name) +
                             ", known are: " + listOptimizers());
  SmallVector<StringRef> parts = splitOptions(options);
  bool hasMomentum = llvm::any_of(parts, [](StringRef part) {
    return part.split('=').first == "momentum";
  });
  Optimizer optimizer;
  optimizer.label = name;
  optimizer.learningRate = info->learningRate;
  optimizer.operation = graph::findOperation(
      name == "sgd" && hasMomentum ? "momentum_update" : info->operation);
  SmallVector<StringRef> given;
  for (StringRef part : parts) {
    auto [option, value] = part.split('=');
    Error error =
        !llvm::is_contained(given, option)
            ? optimizer.take(option, value)
            : createStringError("expected the option " + quote(option) +
                                " once, got it twice");
    given.push_back(option);
    if (error)
      return createStringError("optimizer " + quote(name) + ": " +
                               toString(std::move(error)));
  }
  for (auto [attribute, value] : info->attributes)
    if (!optimizer.isGiven(attribute))
      optimizer.attributes.emplace_back(attribute, value);
  return optimizer;
}

bool Optimizer::isGiven(StringRef attribute) const {
  return llvm::any_of(
      attributes, [&](const auto &given) { return given.first == attribute; });
}

//===----------------------------------------------------------------------===//
// The update
//===----------------------------------------------------------------------===//

/// Optional operands are moments of RMSProp.
bool Optimizer::usesOperand(const ValueInfo &operand) const {
  if (operand.count != graph::ValueCount::Optional)
    return true;
  return operand.name == "mean" ? isCentered : isGiven("momentum");
}

bool Optimizer::usesStep() const {
  return llvm::any_of(operation->operands, [](const ValueInfo &operand) {
    return operand.name == "step";
  });
}

SmallVector<StringRef> Optimizer::getMoments() const {
  SmallVector<StringRef> moments;
  for (const ValueInfo &operand : operation->operands)
    if (usesOperand(operand) &&
        !llvm::is_contained({"parameter", "gradient", "learning_rate", "step"},
                            operand.name))
      moments.push_back(operand.name);
  return moments;
}

Expected<SmallVector<Value, 1>>
Optimizer::addUpdate(const llvm::StringMap<Value> &operands, OpBuilder &place,
                     Location location, bool decays) const {
  SmallVector<Value> values;
  for (const ValueInfo &operand : operation->operands)
    values.push_back(usesOperand(operand) ? operands.lookup(operand.name)
                                          : Value());
  SmallVector<graph::UserAttribute> given;
  for (const auto &[name, value] : attributes) {
    bool isDropped = !decays && name == "weight_decay";
    graph::UserAttribute attribute{
        name, graph::NumberText{isDropped ? StringRef("0") : value}};
    if (operation->findAttribute(name)->kind == AttributeKind::Word)
      attribute.value = StringRef(value);
    given.push_back(attribute);
  }
  return graph::addUserOperation({operation->name, values, given}, place,
                                 location);
}
