//===- OwnEngine.cpp - Our own code generator as an engine ----------------===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HamKaas/Engine/OwnEngine.h"
#include "HamKaas/CodeGen/Kernel/Contraction.h"
#include "HamKaas/CodeGen/Kernel/KernelStrategy.h"
#include "HamKaas/Dialect/HamKaas/IR/ContractionOps.h"
#include "HamKaas/Dialect/HamKaas/IR/Knobs.h"
#include "HamKaas/Dialect/HamKaas/IR/Winograd.h"
#include "HamKaas/Engine/EngineRules.h"
#include "HamKaas/Runtime/Engine/EngineLibrary.h"
#include "HamKaas/Runtime/Engine/EngineSettings.h"
#include "mlir/IR/Builders.h"
#include <numeric>

using namespace mlir;
using namespace hamkaas;

//===----------------------------------------------------------------------===//
// Knobs
//===----------------------------------------------------------------------===//

/// The value of a knob that leaves the choice to the cost model.
static constexpr const char *automatic = "auto";

static HamKaasEngineKnob makeSizeKnob(llvm::StringLiteral id, int64_t most,
                                      const char *description) {
  HamKaasEngineKnob knob{};
  knob.id = id.data();
  knob.description = description;
  knob.kind = HamKaasEngineInteger;
  knob.maximum = most;
  return knob;
}

static HamKaasEngineKnob makeTextKnob(llvm::StringLiteral id,
                                      ArrayRef<const char *> choices,
                                      const char *description) {
  HamKaasEngineKnob knob{};
  knob.id = id.data();
  knob.description = description;
  knob.kind = HamKaasEngineText;
  knob.text = automatic;
  knob.choices = choices.data();
  knob.choiceCount = choices.size();
  return knob;
}

const HamKaasEngine &hamkaas::getOwnEngine() {
  static constexpr const char *packings[] = {automatic, "never", "always"};
  static constexpr const char *tiles[] = {automatic, "off", "2", "3", "4", "6"};
  static constexpr int64_t most = 1 << 24;
  static const HamKaasEngineKnob knobs[] = {
      makeSizeKnob(rowsKnob, 16, "rows of a product's tile in registers"),
      makeSizeKnob(vectorsKnob, 8, "vectors of a row of that tile"),
      makeSizeKnob(depthKnob, most, "products that a tile adds up at once"),
      makeSizeKnob(blockRowsKnob, most, "rows that a thread takes at once"),
      makeTextKnob(packingKnob, packings,
                   "copies a right side that is known in a run only"),
      makeTextKnob(winogradKnob, tiles,
                   "Winograd's method for 3 x 3 convolutions"),
      makeSizeKnob(grainKnob, most,
                   "elements that a thread takes at once, elementwise and of "
                   "rows"),
  };
  static const HamKaasEngine engine = [] {
    HamKaasEngine own{};
    own.structSize = sizeof(own);
    own.id = ownEngine.data();
    own.hash = rt::hashEngineId(own.id);
    own.description = "everything: our own code";
    own.notes = HamKaasEngineBitExact;
    own.devices = HamKaasEngineCpu;
    own.elementTypes = ~uint32_t(0);
    own.knobCount = std::size(knobs);
    own.knobs = knobs;
    return own;
  }();
  return engine;
}

llvm::Expected<DictionaryAttr> hamkaas::readOwnKnobs(StringRef knobs,
                                                     MLIRContext *context) {
  const HamKaasEngine &engine = getOwnEngine();
  rt::EngineSettings settings;
  if (rt::Error error = settings.parse(engine, knobs.str().c_str()))
    return llvm::createStringError("engine '" + ownEngine +
                                   "': " + error.message());
  Builder builder(context);
  SmallVector<NamedAttribute> entries;
  for (const HamKaasEngineSetting &setting :
       ArrayRef(settings.get(), size_t(engine.knobCount))) {
    if (setting.kind == HamKaasEngineInteger && setting.integer != 0)
      entries.push_back(builder.getNamedAttr(
          setting.knob, builder.getI64IntegerAttr(setting.integer)));
    if (setting.kind == HamKaasEngineText &&
        setting.text != StringRef(automatic))
      entries.push_back(builder.getNamedAttr(
          setting.knob, builder.getStringAttr(setting.text)));
  }
  return builder.getDictionaryAttr(entries);
}

bool hamkaas::hasKnob(Operation *op, StringRef knob) {
  auto kernelOp = dyn_cast<KernelOpInterface>(op);
  if (!kernelOp)
    return false;
  KernelFamily family = kernelOp.getKernelFamily();
  if (knob == grainKnob)
    return family == KernelFamily::Elementwise || family == KernelFamily::Row;
  auto conv = dyn_cast<ConvOp>(op);
  bool isDense = conv && !conv.isDepthwise();
  return knob == winogradKnob ? isDense
                              : isDense || family == KernelFamily::Contraction;
}

//===----------------------------------------------------------------------===//
// Variants
//===----------------------------------------------------------------------===//

namespace {

/// Collects variants for a group.
class VariantList {
public:
  VariantList(const HamKaasEngineGroup &group, const TargetDescription &target,
              double winogradError)
      : group(group), costs(target), winogradError(winogradError) {}

  std::vector<std::string> collect();

private:
  void add(StringRef knob, int64_t value) {
    variants.push_back((knob + "=" + Twine(value)).str());
  }

  ArrayRef<int64_t> getShape(int32_t value) const {
    return ArrayRef(group.values[value].shape,
                    size_t(group.values[value].rank));
  }
  static ArrayRef<int64_t> getIntegers(const HamKaasEngineNode &node,
                                       StringRef name);
  void addMatMul(const HamKaasEngineNode &node);
  void addConv(const HamKaasEngineNode &node);
  bool addWinograd(ArrayRef<int64_t> positions);
  void addShapes(int64_t rows, int64_t columns, size_t count);
  void addProduct(int64_t outer, int64_t rows, int64_t columns, int64_t depth,
                  const HamKaasEngineTensor &right);

  const HamKaasEngineGroup &group;
  CostModel costs;
  double winogradError;
  std::vector<std::string> variants{""};
};

} // namespace

ArrayRef<int64_t> VariantList::getIntegers(const HamKaasEngineNode &node,
                                           StringRef name) {
  for (const HamKaasEngineAttribute &attribute :
       ArrayRef(node.attributes, size_t(node.attributeCount)))
    if (attribute.name == name && attribute.kind == HamKaasEngineIntegers)
      return ArrayRef(attribute.integers, size_t(attribute.count));
  return {};
}

void VariantList::addShapes(int64_t rows, int64_t columns, size_t count) {
  for (TileShape shape : listTileShapes(costs, rows, columns, count))
    variants.push_back((rowsKnob + "=" + Twine(shape.rows) + "," + vectorsKnob +
                        "=" + Twine(shape.vectors))
                           .str());
}

/// The least depth of a tile: each ends with a trip of the sums through memory.
static constexpr int64_t minDepth = 64;

void VariantList::addProduct(int64_t outer, int64_t rows, int64_t columns,
                             int64_t depth, const HamKaasEngineTensor &right) {
  bool isPacked = right.isConstant ||
                  (outer == 1 && costs.target.strategy->packingPays(
                                     costs, rows, /*uses=*/1, depth, columns));
  int64_t width =
      isPacked ? choosePanelWidth(costs, outer, rows, columns, depth) : 0;
  ContractionTile tile =
      chooseContractionTile(costs, outer, rows, columns, depth, width);
  addShapes(rows, columns, /*count=*/5);
  if (tile.depth / 2 >= minDepth)
    add(depthKnob, tile.depth / 2);
  if (tile.depth < depth)
    add(depthKnob, std::min(depth, 2 * tile.depth));
  if (tile.blockRows > tile.rows)
    add(blockRowsKnob,
        std::max(tile.rows, tile.blockRows / 2 / tile.rows * tile.rows));
  if (tile.blockRows < rows)
    add(blockRowsKnob, std::min(rows, 2 * tile.blockRows));
  if (!right.isConstant)
    variants.push_back(
        (packingKnob + "=" + (isPacked ? "never" : "always")).str());
}

void VariantList::addMatMul(const HamKaasEngineNode &node) {
  ArrayRef<int64_t> left = getShape(node.operands[0]);
  ArrayRef<int64_t> right = getShape(node.operands[1]);
  addProduct(left.size() > 2 ? left.front() : 1,
             left.size() > 1 ? left[left.size() - 2] : 1, right.back(),
             left.back(), group.values[node.operands[1]]);
}

static bool isAll(ArrayRef<int64_t> values, int64_t expected) {
  return llvm::all_of(values, [&](int64_t value) { return value == expected; });
}

/// `positions` are those of the result, or of the weights whose gradient it is.
/// Returns whether a tile fits.
bool VariantList::addWinograd(ArrayRef<int64_t> positions) {
  std::vector<std::string> found{(winogradKnob + "=off").str()};
  for (int64_t elements : getWinogradSizes()) {
    int64_t tile = elements - 2;
    if (getWinogradError(elements, /*isAlongBoth=*/true) <= winogradError &&
        llvm::all_of(positions, [&](int64_t size) { return size % tile == 0; }))
      found.push_back((winogradKnob + "=" + Twine(tile)).str());
  }
  if (found.size() == 1)
    return false;
  variants.insert(variants.end(), found.begin(), found.end());
  return true;
}

void VariantList::addConv(const HamKaasEngineNode &node) {
  ArrayRef<int64_t> weights = getShape(node.operands[1]);
  ArrayRef<int64_t> result = getShape(node.result);
  ArrayRef<int64_t> window = weights.drop_back(2);
  const HamKaasEngineTensor &right = group.values[node.operands[1]];
  int64_t columns = result.back(), depth = weights[weights.size() - 2];
  int64_t groups = getShape(node.operands[0]).back() / depth;
  bool isDense = groups == 1 && isAll(getIntegers(node, "strides"), 1) &&
                 isAll(getIntegers(node, "dilations"), 1);
  ArrayRef<int64_t> positions = result.slice(1, window.size());
  if (isDense && window.size() == 2 && right.elementType == HamKaasFloat32 &&
      ((isAll(window, 3) && addWinograd(positions)) ||
       (isAll(positions, 3) && addWinograd(window))))
    return;
  int64_t rows = std::accumulate(result.begin(), result.end() - 1, int64_t(1),
                                 std::multiplies<>());
  if (groups == 1 && isAll(window, 1))
    return addProduct(/*outer=*/1, rows, columns, depth, right);
  // With one channel each, nothing is shared.
  if (depth > 1)
    addShapes(result[result.size() - 2], columns / groups, /*count=*/3);
}

std::vector<std::string> VariantList::collect() {
  for (const HamKaasEngineNode &node :
       ArrayRef(group.nodes, size_t(group.nodeCount))) {
    StringRef operation = node.operation;
    if (operation == "matmul")
      addMatMul(node);
    else if (operation == "conv")
      addConv(node);
    else
      continue;
    return variants;
  }
  return variants;
}

std::vector<std::string>
hamkaas::listOwnVariants(const HamKaasEngineGroup &group,
                         const TargetDescription &target,
                         double winogradError) {
  return VariantList(group, target, winogradError).collect();
}
