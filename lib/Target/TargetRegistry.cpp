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

/// Where engines compute kernels of a program for `targets`: not on the CPU
/// beside another one, whose kernels would be others.
static uint32_t findEngineDevices(ArrayRef<const Target *> targets) {
  uint32_t devices = 0;
  for (const Target *target : targets)
    if (std::optional<HamKaasEngineDevice> device = target->getEngineDevice())
      if (targets.size() == 1 || device != HamKaasEngineCpu)
        devices |= *device;
  return devices;
}

static llvm::Error checkDevices(const rt::EngineAccess &engine,
                                uint32_t devices) {
  if (engine.get().devices & devices)
    return llvm::Error::success();
  NamedOption option{OptionId::engine, engine.id()};
  if (engine.get().devices & HamKaasEngineCuda)
    return makeOptionError(option,
                           OptionText("expected a program for GPUs, of ")
                               << NamedOption{OptionId::target, "cuda"}
                               << " or the device cuda");
  return makeOptionError(
      option, OptionText("expected a program for the processor alone, of ")
                  << NamedOption{OptionId::target, "cpu"}
                  << " or the device cpu");
}

/// That the rules can be read, and their engines be found and used.
static llvm::Error checkEngines(const CompileSettings &settings,
                                ArrayRef<const Target *> targets, bool hasKnobs,
                                MLIRContext *context) {
  auto rules = parseEngineRules(settings.engine);
  if (!rules)
    return makeOptionError(OptionId::engine,
                           llvm::toString(rules.takeError()).c_str());
  for (const EngineRule &rule : *rules) {
    if (rule.id == ownEngine) {
      auto knobs = readOwnKnobs(rule.knobs, context);
      if (!knobs)
        return makeOptionError(OptionId::engine,
                               llvm::toString(knobs.takeError()).c_str());
      if (!knobs->empty() && !hasKnobs)
        return makeOptionError(OptionId::engine,
                               "expected no knobs of engine 'hamkaas', which "
                               "has none on a GPU, got '" +
                                   Twine(settings.engine) + "'");
      continue;
    }
    auto engine = EngineHost::get(settings.enginePath).find(rule.id);
    if (!engine)
      return makeOptionError(OptionId::engine,
                             llvm::toString(engine.takeError()).c_str());
    if (llvm::Error error = checkDevices(*engine, findEngineDevices(targets)))
      return error;
  }
  return llvm::Error::success();
}

static llvm::Error checkChoices(const CompileSettings &settings,
                                bool hasKnobs) {
  if (hasKnobs)
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
  SmallVector<TargetAttr> attributes;
  SmallVector<const Target *> selected;
  for (const Target *target : *asked) {
    if (llvm::Error error = target->select(settings, context)
                                .moveInto(attributes.emplace_back()))
      return std::move(error);
    selected.push_back(lookup(attributes.back().getName()));
  }
  // Kernels of a program for several targets are the same on all.
  bool hasKnobs =
      selected.size() == 1 && selected.front()->getHost(attributes.front());
  if (llvm::Error error = checkEngines(settings, selected, hasKnobs, context))
    return std::move(error);
  if (llvm::Error error = checkChoices(settings, hasKnobs))
    return std::move(error);
  return attributes;
}
