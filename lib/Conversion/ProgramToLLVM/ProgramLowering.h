//===- ProgramLowering.h - @main and @prepare to LLVM -----------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HAMKAAS_LIB_CONVERSION_PROGRAMTOLLVM_PROGRAMLOWERING_H
#define HAMKAAS_LIB_CONVERSION_PROGRAMTOLLVM_PROGRAMLOWERING_H

#include "HamKaas/Dialect/HamKaas/IR/ProgramSignature.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/IR/SymbolTable.h"

namespace hamkaas {

class RepeatOp;

/// Lowers one of the functions `@main` and `@prepare`, or the body of a loop.
/// Derived classes hold what depends on the device.
class ProgramLowering {
public:
  /// `reportsCalls` if the calls of `program` are those of the program's table.
  ProgramLowering(mlir::func::FuncOp program, mlir::SymbolTable &symbols,
                  bool reportsCalls);
  virtual ~ProgramLowering() = default;

  /// Makes the function `name`. Its arguments are the execution, then an array
  /// of addresses for each table of the program's signature, then the address
  /// of each region.
  mlir::LogicalResult lower(llvm::StringRef name);

protected:
  /// Emits a call whose operands' addresses are in the array of arguments.
  /// `wasChecked` if its checks were made when the run began.
  virtual void emitCall(mlir::func::CallOp call, bool wasChecked) = 0;
  /// Emits the checks of such a call alone.
  virtual void emitChecks(mlir::func::CallOp call) = 0;
  virtual void emitCopy(mlir::Value target, mlir::Value source,
                        mlir::Value bytes) = 0;
  /// The address of a constant.
  virtual mlir::Value emitGlobal(mlir::memref::GetGlobalOp op) = 0;
  virtual bool hasChecks(mlir::func::CallOp call) = 0;
  /// The numbers of the operands whose elements the checks of a call read.
  virtual llvm::SmallVector<int64_t> getChecked(mlir::func::CallOp call) = 0;
  /// One like this for the body of a loop.
  virtual std::unique_ptr<ProgramLowering>
  createForLoop(mlir::func::FuncOp body) = 0;

  /// Emits the call of an engine, which computes `kernel`: one of
  /// `engineKernels`, as findEngineKernels has them.
  void emitEngineCall(mlir::func::CallOp call, mlir::func::FuncOp kernel,
                      llvm::ArrayRef<mlir::func::FuncOp> engineKernels);

  /// The number of `call` in the program's table of calls.
  static int64_t getCallIndex(mlir::func::CallOp call);

  /// Leaves the number of `call` where it failed, unless the runtime has done
  /// so; then there is no call.
  void returnOnFailure(mlir::Value status, mlir::func::CallOp call = {});
  bool isLoop() const { return program->hasAttr(HamKaasDialect::loopAttrName); }

  mlir::Value constant(int64_t value) {
    return mlir::LLVM::ConstantOp::create(builder, builder.getI64Type(), value);
  }
  mlir::Value offsetAddress(mlir::Value base, int64_t bytes) {
    return bytes == 0 ? base
                      : mlir::LLVM::GEPOp::create(builder, pointer,
                                                  builder.getI8Type(), base,
                                                  constant(bytes));
  }
  mlir::Value loadPointer(mlir::Value base, int64_t bytes) {
    return mlir::LLVM::LoadOp::create(builder, pointer,
                                      offsetAddress(base, bytes));
  }

  mlir::func::FuncOp program;
  mlir::SymbolTable &symbols;
  bool reportsCalls;
  mlir::ImplicitLocOpBuilder builder;
  mlir::LLVM::LLVMPointerType pointer;
  mlir::Value execution, arguments;

private:
  bool readsFeatures() const;
  void bindArguments(mlir::LLVM::LLVMFuncOp function,
                     const ProgramSignature &signature);
  void lowerChecks();
  bool isKnownBefore(mlir::func::CallOp call, bool stateWritten);
  mlir::LogicalResult lowerOp(mlir::Operation &op);
  mlir::LogicalResult lowerView(mlir::memref::ViewOp view);
  void lowerCopy(mlir::memref::CopyOp copy);
  void lowerCall(mlir::func::CallOp call);
  mlir::LogicalResult lowerRepeat(RepeatOp repeat);
  void repeatBody(RepeatOp repeat, llvm::StringRef body);
  void callBody(RepeatOp repeat, llvm::StringRef body, mlir::Value step);
  mlir::Value getRow(RepeatOp repeat, mlir::OpOperand &operand,
                     mlir::Value row);
  void storeArgument(mlir::Value address, int64_t number) {
    mlir::LLVM::StoreOp::create(
        builder, address, offsetAddress(arguments, number * sizeof(void *)));
  }
  void storeArguments(mlir::func::CallOp call);
  mlir::Value getAddress(mlir::Value buffer);

  /// Numbers of carried operands of the loop that is lowered, each with the
  /// output whose row of the step before it is.
  llvm::SmallVector<std::pair<unsigned, mlir::OpOperand *>> forwarded;
  /// Where a buffer is: `offset` bytes from `base`, or from the address that is
  /// entry number `entry` of the table at `base`.
  struct Place {
    mlir::Value base;
    std::optional<int64_t> entry;
    int64_t offset;
  };
  llvm::DenseMap<mlir::Value, Place> places;
  /// The calls whose checks are made when the run begins.
  llvm::DenseSet<mlir::Operation *> checkedBefore;
};

} // namespace hamkaas

#endif // HAMKAAS_LIB_CONVERSION_PROGRAMTOLLVM_PROGRAMLOWERING_H
