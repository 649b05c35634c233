//===- DotProducts.cpp - Sums of products of narrow integers ----*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "DotProducts.h"
#include "HamKaas/Dialect/HamKaas/IR/ProgramOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace hamkaas;

SmallVector<Value>
DotProducts::choose(TypeRange types, bool writes,
                    function_ref<SmallVector<Value>()> withDotProducts,
                    function_ref<SmallVector<Value>()> without) {
  if (kernel.target().lanes < 8)
    return without();
  Value has =
      HasCpuFeatureOp::create(kernel.ir(), kernel.loc(),
                              kernel.ir().getI1Type(), CpuFeature::DotProducts);
  return kernel.branch(has, types, writes, withDotProducts, without);
}

//===----------------------------------------------------------------------===//
// Instructions
//===----------------------------------------------------------------------===//

/// Assembly, because LLVM has the intrinsics only in functions all of which may
/// use them.
Value DotProducts::addInAssembly(StringRef instruction, Value sum, Value lhs,
                                 Value rhs) {
  // Programs for AVX2 find AVX-VNNI, which has an encoding of its own; those
  // for AVX-512 find AVX512-VNNI.
  bool isVex = kernel.target().lanes == 8;
  std::string text =
      ((isVex ? "{vex} " : "") + instruction + " $3, $2, $0").str();
  StringRef constraints = isVex ? "=x,0,x,x" : "=v,0,v,v";
  return LLVM::InlineAsmOp::create(kernel.ir(), kernel.loc(), sum.getType(),
                                   ValueRange{sum, lhs, rhs}, text, constraints,
                                   /*has_side_effects=*/false,
                                   /*is_align_stack=*/false,
                                   LLVM::TailCallKind::None,
                                   LLVM::AsmDialectAttr{},
                                   /*operand_attrs=*/ArrayAttr{})
      .getResult(0);
}

Value DotProducts::addBytes(Value sum, Value unsignedBytes, Value bytes) {
  return addInAssembly("vpdpbusd", sum, unsignedBytes, bytes);
}

Value DotProducts::addPairs(Value sum, Value lhs, Value rhs) {
  return addInAssembly("vpdpwssd", sum, lhs, rhs);
}

Value DotProducts::call(StringRef intrinsic, Type type, ValueRange operands) {
  return LLVM::CallIntrinsicOp::create(kernel.ir(), kernel.loc(), type,
                                       kernel.ir().getStringAttr(intrinsic),
                                       operands)
      .getResult(0);
}

Value DotProducts::multiplyPairs(Value lhs, Value rhs) {
  return call(lanes == 4   ? "llvm.x86.sse2.pmadd.wd"
              : lanes == 8 ? "llvm.x86.avx2.pmadd.wd"
                           : "llvm.x86.avx512.pmaddw.d.512",
              vectorOf(32, lanes), {lhs, rhs});
}

Value DotProducts::multiplyBytes(Value unsignedBytes, Value bytes) {
  return call(lanes == 8 ? "llvm.x86.avx2.pmadd.ub.sw"
                         : "llvm.x86.avx512.pmaddubs.w.512",
              vectorOf(16, lanes * 2),
              {toBytes(unsignedBytes), toBytes(bytes)});
}

Value DotProducts::splitPairs(Value words, bool isOdd, bool isUnsigned) {
  OpBuilder &ir = kernel.ir();
  Location loc = kernel.loc();
  VectorType type = vectorOf(16, lanes * 2);
  Value pairs = toPairs(words);
  auto number = [&](int64_t value) -> Value {
    return arith::ConstantOp::create(
        ir, loc, SplatElementsAttr::get(type, ir.getI16IntegerAttr(value)));
  };
  if (isUnsigned)
    return isOdd ? arith::ShRUIOp::create(ir, loc, pairs, number(8)).getResult()
                 : arith::AndIOp::create(ir, loc, pairs, number(255));
  if (!isOdd)
    pairs = arith::ShLIOp::create(ir, loc, pairs, number(8));
  return arith::ShRSIOp::create(ir, loc, pairs, number(8));
}

//===----------------------------------------------------------------------===//
// Types
//===----------------------------------------------------------------------===//

VectorType DotProducts::vectorOf(int64_t bits, int64_t count) {
  return VectorType::get(count, kernel.ir().getIntegerType(bits));
}

Value DotProducts::bitCast(Value vector, int64_t bits) {
  VectorType type = vectorOf(bits, lanes * 32 / bits);
  if (vector.getType() == type)
    return vector;
  return vector::BitCastOp::create(kernel.ir(), kernel.loc(), type, vector);
}

Value DotProducts::toBytes(Value vector) { return bitCast(vector, 8); }
Value DotProducts::toPairs(Value vector) { return bitCast(vector, 16); }
Value DotProducts::toWords(Value vector) { return bitCast(vector, 32); }
