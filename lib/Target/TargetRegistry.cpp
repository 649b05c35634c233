//===- TargetRegistry.cpp - What a program can be compiled for --*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HamKaas/Target/TargetRegistry.h"
#include "HamKaas/Engine/EngineHost.h"
#include "HamKaas/Engine/EngineRules.h"
#include "HamKaas/Engine/OwnEngine.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace hamkaas;

static std::string joinNames(ArrayRef<const Target *> targets) {
  auto names = llvm::map_range(
      targets, [](const Target *target) { return target->getName(); });
  return llvm::join(names, ", ");
}

static const Target *findByName(StringRef name,
                                ArrayRef<const Target *> targets) {
  auto *found = llvm::find_if(
      targets, [&](const Target *target) { return target->getName() == name; });
  return found == targets.end() ? nullptr : *found;
}

//===----------------------------------------------------------------------===//
// Defaults
//===----------------------------------------------------------------------===//

ArrayRef<Precision> Target::getPrecisions() const {
  static constexpr Precision precisions[] = {Precision::Exact};
  return precisions;
}

llvm::Expected<std::string> Target::printDeviceCode(ModuleOp,
                                                    TargetAttr) const {
  return makeOptionError(
      OptionId::target,
      "expected cuda, and an architecture of a GPU, for the form ptx");
}

//===----------------------------------------------------------------------===//
// Look-up
//===----------------------------------------------------------------------===//

TargetRegistry &TargetRegistry::get(MLIRContext *context) {
  auto *targets = context->getOrLoadDialect<HamKaasDialect>()
                      ->getRegisteredInterface<TargetsInterface>();
  assert(targets && "expected registerTargets for this context");
  // No other class implements the interface.
  return *static_cast<TargetRegistry *>(targets);
}

const Target *TargetRegistry::lookup(StringRef name) const {
  return findByName(name, targets);
}

//===----------------------------------------------------------------------===//
// Attributes
//===----------------------------------------------------------------------===//

LogicalResult
TargetRegistry::verify(TargetAttr attr,
                       function_ref<InFlightDiagnostic()> emitError) const {
  const Target *target = lookup(attr.getName());
  if (!target)
    return emitError() << "expected a target of " << joinNames(targets)
                       << ", got '" << attr.getName() << "'";
  if (!llvm::is_contained(target->getPrecisions(), attr.getPrecision())) {
    auto names = llvm::map_range(target->getPrecisions(), stringifyPrecision);
    return emitError() << "expected a precision of target '" << attr.getName()
                       << "', one of " << llvm::join(names, ", ") << ", got '"
                       << stringifyPrecision(attr.getPrecision()) << "'";
  }
  return target->verify(attr, emitError);
}

const TargetDescription *TargetRegistry::describe(TargetAttr attr) const {
  const Target *target = lookup(attr.getName());
  return target ? target->describe(attr) : nullptr;
}

LogicalResult hamkaas::attachTarget(ModuleOp module, TargetAttr target) {
  Attribute known = module->getAttr(targetAttrName);
  if (known && known != target)
    return module.emitError("expected a module for ")
           << target << ", got one for " << known;
  module->setAttr(targetAttrName, target);
  return success();
}

//===----------------------------------------------------------------------===//
// Requests
//===----------------------------------------------------------------------===//

llvm::Expected<SmallVector<const Target *>>
hamkaas::parseTargets(StringRef names, ArrayRef<const Target *> known) {
  SmallVector<StringRef> parts;
  names.split(parts, ',');
  llvm::SmallPtrSet<const Target *, 4> asked;
  for (StringRef name : parts) {
    const Target *target = findByName(name, known);
    if (!target)
      return makeOptionError(OptionId::target, "expected one or more of " +
                                                   joinNames(known) +
                                                   ", got '" + names + "'");
    if (!asked.insert(target).second)
      return makeOptionError(OptionId::target, "expected each target once, got "
                                               "'" +
                                                   names + "'");
  }
  return llvm::filter_to_vector(
      known, [&](const Target *target) { return asked.contains(target); });
}

/// An error if no target that `names` lists `fits`.
static llvm::Error checkAny(NamedOption option, StringRef names,
                            ArrayRef<const Target *> known,
                            llvm::function_ref<bool(const Target *)> fits) {
  auto targets = parseTargets(names, known);
  if (!targets)
    return targets.takeError();
  if (llvm::any_of(*targets, fits))
    return llvm::Error::success();
  return makeOptionError(std::move(option),
                         "expected a target of " +
                             joinNames(llvm::filter_to_vector(known, fits)) +
                             ", got '" + names + "'");
}

llvm::Error hamkaas::checkTargetOption(OptionId option, StringRef names,
                                       ArrayRef<const Target *> known) {
  return checkAny({option}, names, known, [&](const Target *target) {
    return llvm::is_contained(target->getOptions(), option);
  });
}

static llvm::Error checkPrecision(StringRef name, StringRef names,
                                  ArrayRef<const Target *> known) {
  std::optional<Precision> precision = symbolizePrecision(name);
  if (!precision) {
    auto all = llvm::map_range(
        llvm::seq_inclusive<uint32_t>(0, getMaxEnumValForPrecision()),
        [](uint32_t value) { return stringifyPrecision(Precision(value)); });
    return makeOptionError(OptionId::precision, "expected one of " +
                                                    llvm::join(all, ", ") +
                                                    ", got '" + name + "'");
  }
  return checkAny({OptionId::precision, name.str()}, names, known,
                  [&](const Target *target) {
                    return llvm::is_contained(target->getPrecisions(),
                                              *precision);
                  });
}

/// That the rules can be read, and their engines be found.
static llvm::Error checkEngineLibraries(const CompileSettings &settings,
                                        MLIRContext *context) {
  auto rules = parseEngineRules(settings.engine);
  if (!rules)
    return makeOptionError(OptionId::engine,
                           llvm::toString(rules.takeError()).c_str());
  const EngineHost &host = EngineHost::get(settings.enginePath);
  for (const EngineRule &rule : *rules) {
    if (rule.id == ownEngine) {
      if (llvm::Error error = readOwnKnobs(rule.knobs, context).takeError())
        return makeOptionError(OptionId::engine,
                               llvm::toString(std::move(error)).c_str());
      continue;
    }
    if (llvm::Error error = host.find(rule.id).takeError())
      return makeOptionError(OptionId::engine,
                             llvm::toString(std::move(error)).c_str());
  }
  return llvm::Error::success();
}

static bool hasOwnKnobs(StringRef engine) {
  auto rules = parseEngineRules(engine);
  if (!rules) {
    // Others say so.
    llvm::consumeError(rules.takeError());
    return false;
  }
  return llvm::any_of(*rules, [](const EngineRule &rule) {
    return rule.id == ownEngine && !rule.knobs.empty();
  });
}

static llvm::Error checkEngine(const CompileSettings &settings,
                               ArrayRef<const Target *> targets,
                               MLIRContext *context) {
  StringRef engine = settings.engine;
  auto offers = [&](const Target *target) {
    return llvm::is_contained(target->getEngines(), engine);
  };
  if (engine.empty() || llvm::any_of(targets, offers))
    return llvm::Error::success();
  // Kernels of a program for both are the same on both.
  bool isForCpu =
      targets.size() == 1 && targets.front()->takesEngineLibraries();
  if (engine != cublasLtEngine && isForCpu)
    return checkEngineLibraries(settings, context);
  if (hasOwnKnobs(engine))
    return makeOptionError(OptionId::engine,
                           OptionText("expected no knobs of engine 'hamkaas', "
                                      "which has none on a GPU, got '" +
                                      engine + "'"));
  if (engine != cublasLtEngine)
    return makeOptionError(OptionId::engine,
                           OptionText("expected " + cublasLtEngine +
                                      ", or a program for the processor alone, "
                                      "got '" +
                                      engine + "'"));
  return makeOptionError(NamedOption{OptionId::engine, engine.str()},
                         OptionText("expected a program for GPUs, of ")
                             << NamedOption{OptionId::target, "cuda"}
                             << " or the device cuda");
}

/// Choices are for engine libraries, and for knobs of kernels on processors.
static llvm::Error checkChoices(const CompileSettings &settings,
                                ArrayRef<const Target *> targets) {
  if (targets.size() == 1 && targets.front()->takesEngineLibraries())
    return llvm::Error::success();
  constexpr const char *expected = "expected a program for the processor alone";
  if (!settings.choose.empty() && settings.choose != "model")
    return makeOptionError(NamedOption{OptionId::choose, settings.choose},
                           expected);
  if (!settings.choices.empty())
    return makeOptionError(NamedOption{OptionId::choices, settings.choices},
                           expected);
  return llvm::Error::success();
}

llvm::Expected<SmallVector<TargetAttr>>
TargetRegistry::select(const CompileSettings &settings,
                       MLIRContext *context) const {
  auto asked = parseTargets(settings.target, targets);
  if (!asked)
    return asked.takeError();
  if (llvm::Error error =
          checkPrecision(settings.precision, settings.target, targets))
    return std::move(error);
  if (llvm::Error error = checkEnginePath(settings.enginePath))
    return makeOptionError(OptionId::engine_path,
                           llvm::toString(std::move(error)).c_str());
  if (llvm::Error error = checkEngine(settings, *asked, context))
    return std::move(error);
  if (llvm::Error error = checkChoices(settings, *asked))
    return std::move(error);
  SmallVector<TargetAttr> attributes;
  for (const Target *target : *asked)
    if (llvm::Error error = target->select(settings, context)
                                .moveInto(attributes.emplace_back()))
      return std::move(error);
  return attributes;
}
