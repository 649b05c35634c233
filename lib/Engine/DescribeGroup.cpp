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
#include "mlir/Dialect/MLProgram/IR/MLProgram.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/IRMapping.h"
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
    bool isUnsigned =
        integer.getType().isInteger(1) || integer.getType().isUnsignedInteger();
    llvm::APInt bits = integer.getValue();
    stream << "integer "
           << (isUnsigned ? int64_t(bits.getZExtValue()) : bits.getSExtValue());
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

/// A parameter of that name in `module`, as a value at `builder`.
static Value createParameter(ModuleOp module, OpBuilder &builder,
                             Location location, Type type, StringRef name) {
  OpBuilder globals = OpBuilder::atBlockBegin(module.getBody());
  auto global = ml_program::GlobalOp::create(
      globals, location, name, type, /*is_mutable=*/false,
      ml_program::ExternAttr::get(builder.getContext(), type),
      builder.getStringAttr("private"));
  return ml_program::GlobalLoadConstOp::create(builder, location, type,
                                               FlatSymbolRefAttr::get(global));
}

OwningOpRef<ModuleOp> hamkaas::makeSliceModel(const EngineSlice &slice,
                                              bool hasParameters) {
  Operation *last = slice.ops.back();
  OwningOpRef<ModuleOp> module(ModuleOp::create(last->getLoc()));
  auto builder = OpBuilder::atBlockEnd(module->getBody());
  auto isParameter = [&](size_t i) {
    return hasParameters && slice.isConstant[i];
  };
  SmallVector<Type> types;
  SmallVector<std::string> names;
  for (auto [i, input] : llvm::enumerate(slice.inputs)) {
    names.push_back("x" + std::to_string(i));
    if (!isParameter(i))
      types.push_back(input.getType());
  }
  auto function = func::FuncOp::create(
      builder, last->getLoc(), mainName,
      builder.getFunctionType(types, last->getResultTypes()));
  function.setResultAttr(0, HamKaasDialect::nameAttrName,
                         builder.getStringAttr("result"));
  Block *entry = function.addEntryBlock();
  builder.setInsertionPointToStart(entry);
  IRMapping mapping;
  unsigned argument = 0;
  for (auto [i, input] : llvm::enumerate(slice.inputs)) {
    if (isParameter(i)) {
      mapping.map(input, createParameter(*module, builder, last->getLoc(),
                                         input.getType(), names[i]));
      continue;
    }
    function.setArgAttr(argument, HamKaasDialect::nameAttrName,
                        builder.getStringAttr(names[i]));
    mapping.map(input, entry->getArgument(argument++));
  }
  for (Operation *op : slice.ops)
    builder.clone(*op, mapping);
  func::ReturnOp::create(builder, last->getLoc(),
                         mapping.lookup(last->getResult(0)));
  return module;
}

static std::string writeScript(const EngineSlice &slice) {
  OwningOpRef<ModuleOp> module = makeSliceModel(slice, /*hasParameters=*/false);
  // Not all that the compiler makes is in the language.
  ScopedDiagnosticHandler quiet(module->getContext(),
                                [](Diagnostic &) { return success(); });
  std::string text;
  llvm::raw_string_ostream stream(text);
  ScriptExportOptions options;
  options.newest = true;
  return succeeded(exportScript(*module, stream, options)) ? text : "";
}

std::optional<std::string> hamkaas::describeSlice(const EngineSlice &slice,
                                                  const EngineTarget &target) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  stream << "hamkaas-group 1\n";
  EngineTarget usual;
  if (target.device != usual.device)
    stream << "device " << target.device << '\n';
  if (target.precision != usual.precision)
    stream << "precision " << target.precision << '\n';
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
