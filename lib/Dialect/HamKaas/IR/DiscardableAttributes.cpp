//===- DiscardableAttributes.cpp - Rules of hamkaas.* attributes ----------===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The attributes by which phases communicate on operations of other dialects.
// Each has a rule here: where it may stand, and its value. A misspelt,
// misplaced or wrong attribute would be ignored in silence and cost speed or a
// check, so it is an error, in every file and after every pass.
//
//===----------------------------------------------------------------------===//

#include "HamKaas/Dialect/HamKaas/IR/FusedCalls.h"
#include "HamKaas/Dialect/HamKaas/IR/Knobs.h"
#include "HamKaas/Dialect/HamKaas/IR/OperandFacts.h"
#include "HamKaas/Dialect/HamKaas/IR/ProgramSignature.h"
#include "HamKaas/Dialect/HamKaas/IR/RegionOps.h"
#include "HamKaas/Dialect/HamKaas/IR/Target.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/Interfaces/CallInterfaces.h"
#include "mlir/Interfaces/DestinationStyleOpInterface.h"
#include "mlir/Interfaces/LoopLikeInterface.h"
#include "llvm/ADT/StringSwitch.h"

using namespace mlir;
using namespace hamkaas;

//===----------------------------------------------------------------------===//
// Values
//===----------------------------------------------------------------------===//

namespace {

/// A kind of value, with its description for messages.
struct Kind {
  StringRef description;
  bool (*includes)(Attribute value);
};

} // namespace

template <typename... Attrs> static bool isOf(Attribute value) {
  return isa<Attrs...>(value);
}

template <int64_t least> static bool isAtLeast(Attribute value) {
  auto number = dyn_cast<IntegerAttr>(value);
  return number && number.getType().isSignlessInteger(64) &&
         number.getInt() >= least;
}

template <typename Element> static bool isArrayOf(Attribute value) {
  auto array = dyn_cast<ArrayAttr>(value);
  return array && llvm::all_of(array, llvm::IsaPred<Element>);
}

static bool areCounts(Attribute value) {
  auto array = dyn_cast<DenseI64ArrayAttr>(value);
  return array && !array.empty() &&
         llvm::all_of(array.asArrayRef(), [](int64_t n) { return n > 0; });
}

static bool isTensorType(Attribute value) {
  auto type = dyn_cast<TypeAttr>(value);
  auto tensor = type ? dyn_cast<RankedTensorType>(type.getValue()) : nullptr;
  return tensor && tensor.hasStaticShape();
}

static constexpr Kind unit = {"no value", isOf<UnitAttr>};
static constexpr Kind text = {"a string", isOf<StringAttr>};
static bool isRole(Attribute value) {
  auto role = dyn_cast<StringAttr>(value);
  return role && (role == "parameter" || role == "moment");
}

static constexpr Kind role = {"\"parameter\" or \"moment\"", isRole};
static constexpr Kind count = {"an i64 of at least 0", isAtLeast<0>};
static constexpr Kind counts = {"an array of i64 of at least 1", areCounts};
static bool arePairs(Attribute value) {
  auto array = dyn_cast<DenseI64ArrayAttr>(value);
  return array && array.size() == 2 &&
         llvm::all_of(array.asArrayRef(), [](int64_t n) { return n >= 0; });
}

static constexpr Kind pair = {"an array of two i64 of at least 0", arePairs};
static constexpr Kind positive = {"an i64 of at least 1", isAtLeast<1>};
static constexpr Kind tensorType = {"the type of a tensor of static shape",
                                    isTensorType};
static constexpr Kind region = {"#hamkaas.region<...>", isOf<MemoryRegionAttr>};
static constexpr Kind kernel = {"#hamkaas.kernel<...>", isOf<KernelAttr>};
static constexpr Kind deviceKernel = {"#hamkaas.device_kernel<...>",
                                      isOf<DeviceKernelAttr>};
static constexpr Kind tileRunner = {"#hamkaas.tile_runner<...>",
                                    isOf<TileRunnerAttr>};
static constexpr Kind states = {"an array of #hamkaas.state<...>",
                                isArrayOf<StateAttr>};
static constexpr Kind buffers = {"an array of #hamkaas.buffer<...>",
                                 isArrayOf<BufferAttr>};
static constexpr Kind knobs = {
    "a dictionary of knobs such as {rows = 4 : i64, winograd = \"off\"}",
    areKnobs};

static LogicalResult verifyValue(Operation *op, NamedAttribute attribute,
                                 const Kind &kind) {
  if (kind.includes(attribute.getValue()))
    return success();
  return op->emitError("expected '")
         << attribute.getName().getValue() << "' to be " << kind.description
         << ", got " << attribute.getValue();
}

//===----------------------------------------------------------------------===//
// On operations
//===----------------------------------------------------------------------===//

namespace {

/// The operations that an attribute may stand on. Interfaces, so that it stays
/// valid when its operation is lowered to one of another dialect.
struct Holder {
  StringRef description;
  bool (*includes)(Operation *op);
};

struct Rule {
  StringRef name;
  const Holder &holder;
  const Kind &kind;
};

} // namespace

template <typename... Ops> static bool isOneOf(Operation *op) {
  return isa<Ops...>(op);
}

static bool isStore(Operation *op) {
  auto effects = dyn_cast<MemoryEffectOpInterface>(op);
  return effects && effects.hasEffect<MemoryEffects::Write>();
}

static bool isGlobal(Operation *op) {
  return isa<SymbolOpInterface>(op) && !isa<FunctionOpInterface>(op);
}

static bool isFunctionOfNumber(Operation *op) {
  return op->getNumOperands() == 1 && op->getNumResults() == 1;
}

static constexpr Holder functionOfNumber = {
    "an operation of one operand and one result", isFunctionOfNumber};
static constexpr Holder unpacking = {"an operation with a destination",
                                     isOneOf<DestinationStyleOpInterface>};
static constexpr Holder convolution = {
    "an operation of a kernel or with a destination",
    isOneOf<KernelOpInterface, DestinationStyleOpInterface>};
static constexpr Holder function = {"a function", isOneOf<FunctionOpInterface>};
static constexpr Holder call = {"a call", isOneOf<CallOpInterface>};
static constexpr Holder callOrCopy = {"a call or a copy",
                                      isOneOf<CallOpInterface, memref::CopyOp>};
static constexpr Holder callOrGroup = {"a call or a group",
                                       isOneOf<CallOpInterface, GroupOp>};
static constexpr Holder kernelOrPart = {
    "a function, a group or an operation of a kernel",
    isOneOf<FunctionOpInterface, GroupOp, KernelOpInterface>};
static constexpr Holder loop = {"a loop", isOneOf<LoopLikeOpInterface>};
static constexpr Holder store = {"a store", isStore};
static constexpr Holder global = {"a global", isGlobal};

static const Rule rules[] = {
    {HamKaasDialect::nameAttrName, global, text},
    {HamKaasDialect::typeAttrName, global, tensorType},
    {HamKaasDialect::roleAttrName, global, role},
    {HamKaasDialect::kernelAttrName, function, kernel},
    {HamKaasDialect::loopAttrName, function, unit},
    {HamKaasDialect::tilesAttrName, function, positive},
    {HamKaasDialect::runsOnceAttrName, function, unit},
    {HamKaasDialect::keepsOrderAttrName, function, unit},
    {HamKaasDialect::tileLoopAttrName, loop, unit},
    {HamKaasDialect::streamLoopAttrName, loop, unit},
    {HamKaasDialect::tileRunnerAttrName, function, tileRunner},
    {HamKaasDialect::blockWarpsAttrName, function, positive},
    {fusedCallsAttrName, function, counts},
    {knobsAttrName, kernelOrPart, knobs},
    {nonPositiveAttrName, functionOfNumber, unit},
    {freshAttrName, unpacking, unit},
    {zeroRowsAttrName, convolution, pair},
    {planarAttrName, convolution, unit},
    {HamKaasDialect::laneStoreAttrName, store, unit},
    {HamKaasDialect::deviceKernelAttrName, function, deviceKernel},
    {HamKaasDialect::sharedBytesAttrName, function, count},
    {HamKaasDialect::libraryAttrName, function, unit},
    {HamKaasDialect::opsAttrName, callOrGroup, text},
    {HamKaasDialect::flopsAttrName, callOrGroup, count},
    {HamKaasDialect::copyAttrName, callOrGroup, unit},
    {HamKaasDialect::callIndexAttrName, call, count},
    {HamKaasDialect::statesAttrName, function, states},
    {HamKaasDialect::buffersAttrName, function, buffers},
    {HamKaasDialect::lowerBoundAttrName, function, count},
    {HamKaasDialect::recomputedAttrName, callOrCopy, unit},
};

/// Each argument is one of one call.
static LogicalResult verifyFusedCalls(FunctionOpInterface kernel,
                                      NamedAttribute attribute) {
  auto counts = cast<DenseI64ArrayAttr>(attribute.getValue()).asArrayRef();
  int64_t sum = 0;
  for (int64_t count : counts)
    sum = addCounts(sum, count);
  if (sum == static_cast<int64_t>(kernel.getNumArguments()))
    return success();
  return kernel->emitError("expected '")
         << fusedCallsAttrName << "' to add up to the "
         << kernel.getNumArguments() << " arguments, got "
         << attribute.getValue();
}

LogicalResult
HamKaasDialect::verifyOperationAttribute(Operation *op,
                                         NamedAttribute attribute) {
  if (attribute.getName() == targetAttrName)
    return verifyTarget(op, attribute.getValue());
  const Rule *rule = llvm::find_if(rules, [&](const Rule &rule) {
    return rule.name == attribute.getName();
  });
  if (rule == std::end(rules))
    return op->emitError(
               "expected an attribute that operations may have, got '")
           << attribute.getName().getValue() << "'";
  if (!rule->holder.includes(op))
    return op->emitError("expected '")
           << attribute.getName().getValue() << "' on "
           << rule->holder.description << ", got " << op->getName();
  if (failed(verifyValue(op, attribute, rule->kind)))
    return failure();
  return attribute.getName() == fusedCallsAttrName
             ? verifyFusedCalls(cast<FunctionOpInterface>(op), attribute)
             : success();
}

//===----------------------------------------------------------------------===//
// On arguments and results
//===----------------------------------------------------------------------===//

/// Null if there is no such attribute on arguments or results.
static const Kind *findSlotKind(StringRef name) {
  return llvm::StringSwitch<const Kind *>(name)
      .Case(HamKaasDialect::nameAttrName, &text)
      .Case(HamKaasDialect::regionAttrName, &region)
      .Case(HamKaasDialect::indexAttrName, &count)
      .Case(HamKaasDialect::typeAttrName, &tensorType)
      .Default(nullptr);
}

/// Null if there is no such attribute on arguments.
static const Kind *findArgumentKind(StringRef name) {
  return name == HamKaasDialect::inPlaceAttrName ? &unit : findSlotKind(name);
}

/// Kernels take buffers of any region, and functions that are no part of a
/// program may be outlined from in tests of passes.
static LogicalResult verifyRegion(FunctionOpInterface function, StringRef slot,
                                  MemoryRegion region) {
  if (function->hasAttr(HamKaasDialect::kernelAttrName))
    return function.emitError("expected no '")
           << HamKaasDialect::regionAttrName << "' on " << slot
           << " of kernel @" << function.getName();
  std::optional<ProgramSignature> signature = getProgramSignature(function);
  if (!signature || signature->hasTable(region) || signature->hasRegion(region))
    return success();
  InFlightDiagnostic diagnostic = function.emitError("expected the region of ")
                                  << slot << " of @" << function.getName()
                                  << " to be one of ";
  llvm::interleaveComma(
      llvm::concat<const MemoryRegion>(signature->tables, signature->regions),
      diagnostic, [&](MemoryRegion region) {
        diagnostic << stringifyMemoryRegion(region);
      });
  return diagnostic << ", got " << stringifyMemoryRegion(region);
}

/// `slot` is "an argument" or "a result".
static LogicalResult verifySlot(Operation *op, StringRef slot,
                                NamedAttribute attribute, const Kind *kind) {
  if (!kind)
    return op->emitError("expected an attribute that ")
           << slot << " may have, got '" << attribute.getName().getValue()
           << "'";
  if (failed(verifyValue(op, attribute, *kind)))
    return failure();
  auto region = dyn_cast<MemoryRegionAttr>(attribute.getValue());
  return region ? verifyRegion(cast<FunctionOpInterface>(op), slot,
                               region.getValue())
                : success();
}

LogicalResult
HamKaasDialect::verifyRegionArgAttribute(Operation *op, unsigned /*region*/,
                                         unsigned /*argument*/,
                                         NamedAttribute attribute) {
  return verifySlot(op, "an argument", attribute,
                    findArgumentKind(attribute.getName()));
}

LogicalResult
HamKaasDialect::verifyRegionResultAttribute(Operation *op, unsigned /*region*/,
                                            unsigned /*result*/,
                                            NamedAttribute attribute) {
  return verifySlot(op, "a result", attribute,
                    findSlotKind(attribute.getName()));
}

//===----------------------------------------------------------------------===//
// Attributes of the dialect
//===----------------------------------------------------------------------===//

using Emit = llvm::function_ref<InFlightDiagnostic()>;

static LogicalResult verifyAtLeast(Emit emit, StringRef what, int64_t value,
                                   int64_t least) {
  if (value >= least)
    return success();
  return emit() << "expected " << what << " to be at least " << least
                << ", got " << value;
}

LogicalResult KernelAttr::verify(Emit emit, KernelFamily,
                                 ArrayRef<int64_t> tile) {
  for (int64_t size : tile)
    if (failed(verifyAtLeast(emit, "a size of the tile", size, 1)))
      return failure();
  return success();
}

LogicalResult EngineAttr::verify(Emit emit, StringRef id, StringRef, StringRef,
                                 StringRef, StringRef, int64_t workspace,
                                 int64_t packed, bool packs) {
  if (id.empty())
    return emit() << "expected the id of an engine";
  return success(
      succeeded(verifyAtLeast(emit, "workspace", workspace, 0)) &&
      succeeded(verifyAtLeast(emit, "packed", packed, packs ? 1 : 0)));
}

LogicalResult StateAttr::verify(Emit emit, StringRef, int64_t offset,
                                RankedTensorType type) {
  if (!type.hasStaticShape())
    return emit() << "expected a state of static shape, got " << type;
  return verifyAtLeast(emit, "offset", offset, 0);
}

LogicalResult BufferAttr::verify(Emit emit, int64_t offset, int64_t bytes,
                                 int64_t first, int64_t last) {
  return success(succeeded(verifyAtLeast(emit, "offset", offset, 0)) &&
                 succeeded(verifyAtLeast(emit, "bytes", bytes, 0)) &&
                 succeeded(verifyAtLeast(emit, "first", first, 0)) &&
                 succeeded(verifyAtLeast(emit, "last", last, first)));
}

LogicalResult DeviceKernelAttr::verify(Emit emit, int64_t function,
                                       int64_t checks,
                                       ArrayRef<int64_t> checked) {
  for (int64_t argument : checked)
    if (failed(verifyAtLeast(emit, "a checked argument", argument, 0)))
      return failure();
  return success(succeeded(verifyAtLeast(emit, "function", function, 0)) &&
                 succeeded(verifyAtLeast(emit, "checks", checks, -1)));
}
