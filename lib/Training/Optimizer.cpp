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
#include "llvm/ADT/MapVector.h"
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

static Error checkPattern(StringRef option, StringRef value) {
  auto pattern = llvm::GlobPattern::create(value, Optimizer::mostPatterns);
  if (!value.empty() && pattern)
    return Error::success();
  return createStringError(
      "expected " + quote(option) + " to be a glob pattern of names, got " +
      quote(value) + (pattern ? "" : ": " + toString(pattern.takeError())));
}

/// `pattern` was checked.
static bool matchesPattern(StringRef pattern, StringRef name) {
  return llvm::cantFail(
             llvm::GlobPattern::create(pattern, Optimizer::mostPatterns))
      .match(name);
}

Error Optimizer::takePattern(StringRef value) {
  noDecay = value;
  return checkPattern("no_decay", value);
}

Error Optimizer::makeUnknownError(StringRef option, StringRef known) const {
  std::string names = known.str();
  for (const AttributeInfo &attribute : operation->attributes)
    names += ", " + attribute.name.str();
  return createStringError("unknown option " + quote(option) +
                           ", known are: " + names);
}

Error Optimizer::takeInGroup(Group &group, StringRef option,
                             StringRef value) const {
  if (option == "lr")
    return parseNumber(option, value, /*mayBeZero=*/true)
        .moveInto(group.learningRate);
  if (option == "lr_scale")
    return parseNumber(option, value, /*mayBeZero=*/true)
        .moveInto(group.rateScale);
  if (!operation->findAttribute(option))
    return makeUnknownError(option, "lr, lr_scale");
  group.attributes.emplace_back(option, value);
  return Error::success();
}

/// "{*bias:lr=0.1,weight_decay=0}"
Error Optimizer::takeGroup(StringRef value) {
  StringRef text = value;
  bool hasBraces = text.consume_front("{") && text.consume_back("}");
  auto [pattern, options] = text.rsplit(':');
  SmallVector<StringRef> parts = splitOptions(options);
  if (!hasBraces || parts.empty())
    return createStringError("expected 'group' to be {PATTERN:OPTION=N,...}, "
                             "got " +
                             quote(value));
  Group &group = groups.emplace_back(Group{pattern.str()});
  if (Error error = checkPattern("group", pattern))
    return error;
  for (StringRef part : parts) {
    auto [option, number] = part.split('=');
    if (Error error = takeInGroup(group, option, number))
      return createStringError("group " + quote(pattern) + ": " +
                               toString(std::move(error)));
  }
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
  if (option == "group")
    return takeGroup(value);
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
  std::string known = "lr, clip_norm, clip_value, name, no_decay, group";
  if (mayBeCentered)
    known += ", centered";
  return makeUnknownError(option, known);
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
        option == "group" || !llvm::is_contained(given, option)
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
// Groups
//===----------------------------------------------------------------------===//

bool Optimizer::Group::matches(StringRef parameter) const {
  return matchesPattern(pattern, parameter);
}

const Optimizer::Group *Optimizer::findGroup(StringRef parameter) const {
  auto found = llvm::find_if(
      groups, [&](const Group &group) { return group.matches(parameter); });
  return found == groups.end() ? nullptr : &*found;
}

bool Optimizer::decays(StringRef parameter) const {
  return noDecay.empty() || !matchesPattern(noDecay, parameter);
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

SmallVector<std::pair<StringRef, StringRef>>
Optimizer::getAttributes(StringRef parameter) const {
  llvm::MapVector<StringRef, StringRef> texts;
  for (const auto &[name, text] : attributes)
    texts[name] = text;
  if (const Group *group = findGroup(parameter))
    for (const auto &[name, text] : group->attributes)
      texts[name] = text;
  if (auto decay = texts.find("weight_decay");
      decay != texts.end() && !decays(parameter))
    decay->second = "0";
  return texts.takeVector();
}

Expected<SmallVector<Value, 1>>
Optimizer::addUpdate(const llvm::StringMap<Value> &operands, OpBuilder &place,
                     Location location, StringRef name) const {
  SmallVector<Value> values;
  for (const ValueInfo &operand : operation->operands)
    values.push_back(usesOperand(operand) ? operands.lookup(operand.name)
                                          : Value());
  SmallVector<graph::UserAttribute> given;
  for (auto [attribute, text] : getAttributes(name)) {
    given.push_back({attribute, graph::NumberText{text}});
    if (operation->findAttribute(attribute)->kind == AttributeKind::Word)
      given.back().value = text;
  }
  return graph::addUserOperation({operation->name, values, given}, place,
                                 location);
}
