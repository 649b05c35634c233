//===- Knobs.cpp - Choices for our code generator -------------------------===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HamKaas/Dialect/HamKaas/IR/Knobs.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;
using namespace hamkaas;

static constexpr llvm::StringLiteral always = "always", never = "never";
static constexpr llvm::StringLiteral off = "off";

static std::optional<bool> readPacking(StringRef text) {
  return llvm::StringSwitch<std::optional<bool>>(text)
      .Case(always, true)
      .Case(never, false)
      .Default(std::nullopt);
}

static std::optional<int64_t> readWinograd(StringRef text) {
  return llvm::StringSwitch<std::optional<int64_t>>(text)
      .Case(off, 0)
      .Case("2", 2)
      .Case("3", 3)
      .Case("4", 4)
      .Case("6", 6)
      .Default(std::nullopt);
}

Knobs Knobs::get(Operation *op) {
  Knobs knobs;
  DictionaryAttr entries = getKnobs(op);
  if (!entries)
    return knobs;
  auto getSize = [&](StringRef name) {
    auto size = entries.getAs<IntegerAttr>(name);
    return size ? size.getInt() : 0;
  };
  knobs.rows = getSize(rowsKnob);
  knobs.vectors = getSize(vectorsKnob);
  knobs.depth = getSize(depthKnob);
  knobs.blockRows = getSize(blockRowsKnob);
  knobs.grain = getSize(grainKnob);
  if (auto packing = entries.getAs<StringAttr>(packingKnob))
    knobs.packs = readPacking(packing);
  if (auto winograd = entries.getAs<StringAttr>(winogradKnob))
    knobs.winograd = readWinograd(winograd);
  return knobs;
}

DictionaryAttr hamkaas::getKnobs(Operation *op) {
  return op->getAttrOfType<DictionaryAttr>(knobsAttrName);
}

void hamkaas::setKnobs(Operation *op, DictionaryAttr knobs) {
  if (knobs)
    op->setAttr(knobsAttrName, knobs);
  else
    op->removeAttr(knobsAttrName);
}

DictionaryAttr hamkaas::dropKnob(DictionaryAttr knobs, StringRef name) {
  if (!knobs)
    return knobs;
  SmallVector<NamedAttribute> kept(knobs.getValue());
  llvm::erase_if(kept,
                 [&](NamedAttribute entry) { return entry.getName() == name; });
  return kept.empty() ? DictionaryAttr()
                      : DictionaryAttr::get(knobs.getContext(), kept);
}

std::string hamkaas::formatKnobs(DictionaryAttr knobs) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  llvm::ListSeparator separator;
  for (NamedAttribute entry :
       knobs ? knobs.getValue() : ArrayRef<NamedAttribute>()) {
    stream << separator << entry.getName().getValue() << '=';
    if (auto size = dyn_cast<IntegerAttr>(entry.getValue()))
      stream << size.getInt();
    else
      stream << cast<StringAttr>(entry.getValue()).getValue();
  }
  return text;
}

static bool isKnob(NamedAttribute entry) {
  StringRef name = entry.getName();
  auto text = dyn_cast<StringAttr>(entry.getValue());
  if (name == packingKnob)
    return text && readPacking(text);
  if (name == winogradKnob)
    return text && readWinograd(text);
  auto size = dyn_cast<IntegerAttr>(entry.getValue());
  return llvm::is_contained(
             {rowsKnob, vectorsKnob, depthKnob, blockRowsKnob, grainKnob},
             name) &&
         size && size.getType().isSignlessInteger(64) && size.getInt() > 0;
}

bool hamkaas::areKnobs(Attribute value) {
  auto entries = dyn_cast<DictionaryAttr>(value);
  return entries && !entries.empty() &&
         llvm::all_of(entries.getValue(), isKnob);
}
