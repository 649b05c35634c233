//===- EmulatedImageBuilder.cpp - What stands in place of PTX ---*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "EmulatedImageBuilder.h"
#include "HamKaas/Emulation/EmulatedCode.h"

using namespace mlir;
using namespace hamkaas;

// The rows below are these structures, member for member.
static_assert(offsetof(emulation::EmulatedKernel, function) == 8 &&
              offsetof(emulation::EmulatedKernel, argumentBytes) == 16 &&
              offsetof(emulation::EmulatedKernel, argumentCount) == 24 &&
              offsetof(emulation::EmulatedKernel, sharedBytes) == 28 &&
              sizeof(emulation::EmulatedKernel) == 32);
static_assert(offsetof(emulation::EmulatedConstant, address) == 8 &&
              offsetof(emulation::EmulatedConstant, bytes) == 16 &&
              sizeof(emulation::EmulatedConstant) == 24);
static_assert(offsetof(emulation::EmulatedImage, kernelCount) == 8 &&
              offsetof(emulation::EmulatedImage, constants) == 16 &&
              offsetof(emulation::EmulatedImage, constantCount) == 24 &&
              sizeof(emulation::EmulatedImage) == 32);

EmulatedImageBuilder::EmulatedImageBuilder(ModuleOp module)
    : module(module), symbols(module), builder(module.getLoc(), module),
      pointer(LLVM::LLVMPointerType::get(module.getContext())) {}

StringRef EmulatedImageBuilder::addConstantGlobal(StringRef name, Type type,
                                                  Attribute value) {
  builder.setInsertionPointToStart(module.getBody());
  auto global = LLVM::GlobalOp::create(builder, type, /*isConstant=*/true,
                                       LLVM::Linkage::Internal, name, value);
  // The symbol table may rename it.
  return symbols.insert(global).getValue();
}

StringRef EmulatedImageBuilder::addText(StringRef text) {
  StringRef &known = texts[text];
  if (known.empty()) {
    std::string bytes = text.str() + '\0';
    known = addConstantGlobal(
        "emulated_text",
        LLVM::LLVMArrayType::get(builder.getI8Type(), bytes.size()),
        builder.getStringAttr(bytes));
  }
  return known;
}

void EmulatedImageBuilder::addKernel(StringRef name, StringRef function,
                                     ArrayRef<int64_t> argumentBytes,
                                     int64_t sharedBytes) {
  StringRef table;
  if (!argumentBytes.empty())
    table = addConstantGlobal(
        "emulated_arguments",
        LLVM::LLVMArrayType::get(builder.getI64Type(), argumentBytes.size()),
        builder.getI64TensorAttr(argumentBytes));
  kernels.push_back({address(addText(name)), address(function), address(table),
                     number(int64_t(argumentBytes.size()), 32),
                     number(sharedBytes, 32)});
}

void EmulatedImageBuilder::addConstant(StringRef name, StringRef global,
                                       int64_t bytes) {
  constantGlobals[name] = global;
  constants.push_back(
      {address(addText(name)), address(global), number(bytes, 64)});
}

Value EmulatedImageBuilder::makeRow(const Row &row) {
  SmallVector<Value> values;
  for (const Member &member : row) {
    if (member.bits)
      values.push_back(LLVM::ConstantOp::create(
          builder, builder.getIntegerType(member.bits), member.number));
    else if (member.symbol.empty())
      values.push_back(LLVM::ZeroOp::create(builder, pointer));
    else
      values.push_back(
          LLVM::AddressOfOp::create(builder, pointer, member.symbol));
  }
  auto type = LLVM::LLVMStructType::getLiteral(
      builder.getContext(), llvm::to_vector(TypeRange(values)));
  Value result = LLVM::UndefOp::create(builder, type);
  for (auto [i, value] : llvm::enumerate(values))
    result = LLVM::InsertValueOp::create(builder, result, value,
                                         static_cast<int64_t>(i));
  return result;
}

/// The name of an array of structures; none of an empty one.
StringRef EmulatedImageBuilder::addTable(StringRef name, ArrayRef<Row> rows) {
  if (rows.empty())
    return "";
  builder.setInsertionPointToStart(module.getBody());
  auto global = LLVM::GlobalOp::create(
      builder, LLVM::LLVMArrayType::get(builder.getI8Type(), 0),
      /*isConstant=*/true, LLVM::Linkage::Internal, name, Attribute());
  builder.createBlock(&global.getInitializer());
  SmallVector<Value> values;
  for (const Row &row : rows)
    values.push_back(makeRow(row));
  auto type = LLVM::LLVMArrayType::get(values.front().getType(), values.size());
  Value array = LLVM::UndefOp::create(builder, type);
  for (auto [i, value] : llvm::enumerate(values))
    array = LLVM::InsertValueOp::create(builder, array, value,
                                        static_cast<int64_t>(i));
  LLVM::ReturnOp::create(builder, array);
  global.setGlobalTypeAttr(TypeAttr::get(type));
  return symbols.insert(global).getValue();
}

void EmulatedImageBuilder::finish(StringRef name) {
  StringRef kernelTable = addTable("emulated_kernels", kernels);
  StringRef constantTable = addTable("emulated_constants", constants);
  addTable(name,
           {{address(kernelTable), number(int64_t(kernels.size()), 64),
             address(constantTable), number(int64_t(constants.size()), 64)}});
}
