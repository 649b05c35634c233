//===- TileProducts.cpp - Products of tiles of bytes ------------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// NOTE: not by the dialect x86 (amx), whose operations need functions all of
// which may use AMX. LLVM knows nothing of these registers here, so it neither
// copies nor saves them.
//
//===----------------------------------------------------------------------===//

#include "TileProducts.h"
#include "HamKaas/Dialect/HamKaas/IR/ProgramOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace hamkaas;

static constexpr int64_t wordBytes = 4;
static constexpr int64_t maxTileRows = 16, maxTileWords = 16;
/// The two tiles of rows of a block, and the most of its columns.
static constexpr int64_t rowTiles = 2, maxColumnTiles = 2;

// Numbers of the registers.
static int64_t sumOf(int64_t row, int64_t column) {
  return row * maxColumnTiles + column;
}
static int64_t leftOf(int64_t row) { return 4 + row; }
static int64_t rightOf(int64_t column) { return 6 + column; }

std::optional<TileProducts::Shape> TileProducts::chooseShape(int64_t rows,
                                                             int64_t words) {
  // An instruction takes 16 cycles, however few rows or words it multiplies;
  // two vectors of products take one.
  constexpr int64_t leastRows = 8, leastWords = 4;
  if (rows < leastRows || words < leastWords)
    return std::nullopt;
  int64_t steps = llvm::divideCeil(words, maxTileWords);
  while (words % steps != 0)
    ++steps;
  int64_t blocks = llvm::divideCeil(rows, rowTiles * maxTileRows);
  Shape shape;
  shape.rows = llvm::divideCeil(rows, blocks);
  shape.words = words / steps;
  if (shape.words < leastWords)
    return std::nullopt;
  return shape;
}

TileProducts::TileProducts(KernelBuilder &kernel, Shape shape)
    : kernel(kernel), shape(shape),
      sums(kernel.allocate(shape.rows, maxColumnTiles * lanes,
                           kernel.ir().getI32Type())) {}

void TileProducts::choose(bool writes, function_ref<void()> withTiles,
                          function_ref<void()> without) {
  Value has = HasCpuFeatureOp::create(kernel.ir(), kernel.loc(),
                                      kernel.ir().getI1Type(),
                                      CpuFeature::TileProducts);
  if (writes)
    return kernel.writingBranch(has, withTiles, without);
  kernel.branch(
      has, {}, /*writes=*/false,
      [&] {
        withTiles();
        return SmallVector<Value>();
      },
      [&] {
        without();
        return SmallVector<Value>();
      });
}

//===----------------------------------------------------------------------===//
// Instructions
//===----------------------------------------------------------------------===//

void TileProducts::emit(StringRef text, ValueRange operands) {
  SmallVector<Value> words;
  std::string constraints;
  for (Value operand : operands) {
    words.push_back(arith::IndexCastOp::create(
        kernel.ir(), kernel.loc(), kernel.ir().getI64Type(), operand));
    constraints += "r,";
  }
  LLVM::InlineAsmOp::create(kernel.ir(), kernel.loc(), TypeRange(), words, text,
                            constraints + "~{memory}",
                            /*has_side_effects=*/true,
                            /*is_align_stack=*/false, LLVM::TailCallKind::None,
                            LLVM::AsmDialectAttr{},
                            /*operand_attrs=*/ArrayAttr{});
}

Value TileProducts::getAddress(Value buffer) {
  return memref::ExtractAlignedPointerAsIndexOp::create(kernel.ir(),
                                                        kernel.loc(), buffer);
}

/// The operand of LDTILECFG: the palette, and for each register the bytes of a
/// row, in 16 bits, and the number of rows.
static std::array<int8_t, 64> getConfiguration(TileProducts::Shape shape) {
  constexpr int64_t rowBytesAt = 16, rowsAt = 48;
  std::array<int8_t, 64> bytes = {/*palette=*/1};
  auto set = [&](int64_t tile, int64_t rows, int64_t words) {
    bytes[rowBytesAt + 2 * tile] = static_cast<int8_t>(words * wordBytes);
    bytes[rowsAt + tile] = static_cast<int8_t>(rows);
  };
  for (int64_t row = 0; row < rowTiles; ++row) {
    set(leftOf(row), shape.tileRows(), shape.words);
    for (int64_t column = 0; column < maxColumnTiles; ++column)
      set(sumOf(row, column), shape.tileRows(), TileProducts::lanes);
  }
  for (int64_t column = 0; column < maxColumnTiles; ++column)
    set(rightOf(column), shape.words, TileProducts::lanes);
  return bytes;
}

void TileProducts::configure() {
  OpBuilder &ir = kernel.ir();
  std::array<int8_t, 64> bytes = getConfiguration(shape);
  auto type = VectorType::get(bytes.size(), ir.getI8Type());
  Value buffer = kernel.allocate(1, bytes.size(), ir.getI8Type());
  Value value = arith::ConstantOp::create(
      ir, kernel.loc(),
      DenseElementsAttr::get<int8_t>(type, ArrayRef<int8_t>(bytes)));
  vector::StoreOp::create(ir, kernel.loc(), value, buffer,
                          ValueRange{kernel.constant(0), kernel.constant(0)});
  emit("ldtilecfg ($0)", getAddress(buffer));
}

void TileProducts::release() { emit("tilerelease", {}); }

void TileProducts::clear(int64_t vectors) {
  std::string text;
  for (int64_t row = 0; row < rowTiles; ++row)
    for (int64_t column = 0; column < vectors; ++column)
      text += llvm::formatv("tilezero %tmm{0}\n", sumOf(row, column));
  emit(text, {});
}

void TileProducts::add(Value left, int64_t leftStride, Value right,
                       int64_t rightStride, int64_t vectors) {
  std::string text;
  auto load = [&](StringRef address, int64_t tile) {
    text += llvm::formatv("tileloadd {0}, %tmm{1}\n", address, tile);
  };
  for (int64_t column = 0; column < vectors; ++column)
    load(column ? "64($3,$4,1)" : "($3,$4,1)", rightOf(column));
  for (int64_t row = 0; row < rowTiles; ++row) {
    load(row ? "($1,$2,1)" : "($0,$2,1)", leftOf(row));
    for (int64_t column = 0; column < vectors; ++column)
      text += llvm::formatv("tdpbusd %tmm{0}, %tmm{1}, %tmm{2}\n",
                            rightOf(column), leftOf(row), sumOf(row, column));
  }
  Value second = kernel.add(left, shape.secondRow() * leftStride);
  emit(text, {left, second, kernel.constant(leftStride), right,
              kernel.constant(rightStride)});
}

//===----------------------------------------------------------------------===//
// Sums
//===----------------------------------------------------------------------===//

void TileProducts::store(int64_t vectors) {
  constexpr int64_t stride = maxColumnTiles * lanes * wordBytes;
  std::string text;
  for (int64_t row = 0; row < rowTiles; ++row)
    for (int64_t column = 0; column < vectors; ++column)
      text += llvm::formatv("tilestored %tmm{0}, {1}({2},$2,1)\n",
                            sumOf(row, column), column * lanes * wordBytes,
                            row ? "$1" : "$0");
  Value first = getAddress(sums);
  emit(text, {first, kernel.add(first, shape.secondRow() * stride),
              kernel.constant(stride)});
}

SmallVector<Value> TileProducts::load(Value row, int64_t vectors) {
  auto type = VectorType::get(lanes, kernel.ir().getI32Type());
  SmallVector<Value> loaded;
  for (int64_t v = 0; v < vectors; ++v)
    loaded.push_back(
        vector::LoadOp::create(kernel.ir(), kernel.loc(), type, sums,
                               ValueRange{row, kernel.constant(v * lanes)}));
  return loaded;
}
