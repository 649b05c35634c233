//===- DescribeGroup.cpp - Groups as engines see them ---------------------===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "DescribeGroup.h"
#include "HamKaas/Dialect/HamKaas/IR/ProgramSymbols.h"
#include "HamKaas/Frontend/Script/Enumerations.h"
#include "HamKaas/Frontend/Script/Script.h"
#include "HamKaas/Program/ElementTypes.h"
#include "HamKaas/Runtime/Core/TensorType.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/OwningOpRef.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace hamkaas;

/// " float32 128 784"; false for a type that is no element type.
static bool writeType(Type type, llvm::raw_ostream &stream) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  const ElementTypeInfo *element =
      tensor ? findElementType(tensor.getElementType()) : nullptr;
  // A program holds some types otherwise than GRAPH.
  if (!element || getStorageType(type) != type)
    return false;
  stream << ' ' << rt::elementTypeName(element->type);
  for (int64_t size : tensor.getShape())
    stream << ' ' << size;
  return true;
}

static void writeNumber(const llvm::APFloat &value, llvm::raw_ostream &stream) {
  llvm::APFloat number = value;
  bool losesInfo = false;
  number.convert(llvm::APFloat::IEEEdouble(),
                 llvm::APFloat::rmNearestTiesToEven, &losesInfo);
  stream << "number "
         << llvm::format_hex_no_prefix(number.bitcastToAPInt().getZExtValue(),
                                       16);
}

/// "integer 1"; false for an attribute that is none of the kinds.
static bool writeValue(Attribute value, llvm::raw_ostream &stream) {
  if (auto number = dyn_cast<FloatAttr>(value)) {
    writeNumber(number.getValue(), stream);
  } else if (auto integer = dyn_cast<IntegerAttr>(value)) {
    bool isBool = integer.getType().isInteger(1);
    llvm::APInt bits = integer.getValue();
    stream << "integer "
           << (isBool ? int64_t(bits.getZExtValue()) : bits.getSExtValue());
  } else if (isa<UnitAttr>(value)) {
    stream << "integer 1";
  } else if (StringRef word = getEnumerationName(value); !word.empty()) {
    stream << "text " << word;
  } else if (auto list = dyn_cast<DenseI64ArrayAttr>(value)) {
    stream << "integers";
    for (int64_t element : list.asArrayRef())
      stream << ' ' << element;
  } else if (auto elements = dyn_cast<DenseElementsAttr>(value);
             elements && elements.isSplat()) {
    return writeValue(elements.getSplatValue<Attribute>(), stream);
  } else {
    return false;
  }
  return true;
}

static bool writeAttributes(Operation &op, llvm::raw_ostream &stream) {
  SmallVector<StringAttr> names(op.getName().getAttributeNames());
  llvm::sort(names, [](StringAttr a, StringAttr b) {
    return a.getValue() < b.getValue();
  });
  for (StringAttr name : names) {
    Attribute value = op.getInherentAttr(name).value_or(nullptr);
    if (!value || name == "operandSegmentSizes")
      continue;
    stream << "attribute " << name.getValue() << ' ';
    if (!writeValue(value, stream))
      return false;
    stream << '\n';
  }
  return true;
}

/// The slice as a model: its inputs are those of `main`.
static std::string writeScript(const EngineSlice &slice) {
  Operation *last = slice.ops.back();
  OwningOpRef<ModuleOp> module(ModuleOp::create(last->getLoc()));
  auto builder = OpBuilder::atBlockEnd(module->getBody());
  auto function = func::FuncOp::create(
      builder, last->getLoc(), mainName,
      builder.getFunctionType(ValueRange(slice.inputs).getTypes(),
                              last->getResultTypes()));
  for (size_t i = 0; i < slice.inputs.size(); ++i)
    function.setArgAttr(i, HamKaasDialect::nameAttrName,
                        builder.getStringAttr("x" + Twine(i)));
  function.setResultAttr(0, HamKaasDialect::nameAttrName,
                         builder.getStringAttr("result"));
  Block *entry = function.addEntryBlock();
  builder.setInsertionPointToStart(entry);
  IRMapping mapping;
  mapping.map(slice.inputs, entry->getArguments());
  for (Operation *op : slice.ops)
    builder.clone(*op, mapping);
  func::ReturnOp::create(builder, last->getLoc(),
                         mapping.lookup(last->getResult(0)));
  // Not all that the compiler makes is in the language.
  ScopedDiagnosticHandler quiet(last->getContext(),
                                [](Diagnostic &) { return success(); });
  std::string text;
  llvm::raw_string_ostream stream(text);
  ScriptExportOptions options;
  options.newest = true;
  return succeeded(exportScript(*module, stream, options)) ? text : "";
}

std::optional<std::string> hamkaas::describeSlice(const EngineSlice &slice) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  stream << "hamkaas-group 1\n";
  llvm::DenseMap<Value, size_t> numbers;
  for (auto [input, constant] :
       llvm::zip_equal(slice.inputs, slice.isConstant)) {
    stream << (constant ? "constant" : "input");
    if (!writeType(input.getType(), stream))
      return std::nullopt;
    stream << '\n';
    numbers.try_emplace(input, numbers.size());
  }
  for (Operation *op : slice.ops) {
    stream << "node " << op->getName().stripDialect();
    for (Value operand : op->getOperands())
      stream << ' ' << numbers.at(operand);
    stream << " :";
    if (!writeType(op->getResult(0).getType(), stream))
      return std::nullopt;
    stream << '\n';
    numbers.try_emplace(op->getResult(0), numbers.size());
    if (!writeAttributes(*op, stream))
      return std::nullopt;
  }
  if (std::string script = writeScript(slice); !script.empty())
    stream << "script\n" << script;
  return text;
}
