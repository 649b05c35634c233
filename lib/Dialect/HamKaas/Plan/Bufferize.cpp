//===- Bufferize.cpp - Turns tensors into buffers ---------------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "BufferizeKernels.h"
#include "HamKaas/Dialect/HamKaas/IR/ProgramOps.h"
#include "HamKaas/Dialect/HamKaas/Kernels/ProgramFunctions.h"
#include "HamKaas/Dialect/HamKaas/Plan/Passes.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/Bufferization/Transforms/FuncBufferizableOpInterfaceImpl.h"
#include "mlir/Dialect/Bufferization/Transforms/OneShotAnalysis.h"
#include "mlir/Dialect/Bufferization/Transforms/OneShotModuleBufferize.h"
#include "mlir/Dialect/Bufferization/Transforms/Passes.h"
#include "mlir/Dialect/Bufferization/Transforms/Transforms.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Transforms/Passes.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/StringExtras.h"

namespace hamkaas {
#define GEN_PASS_DEF_BUFFERIZE
#include "HamKaas/Dialect/HamKaas/Plan/Passes.h.inc"
} // namespace hamkaas

using namespace mlir;
using namespace mlir::bufferization;
using namespace hamkaas;

/// Dense layouts for functions with external callers. Kernels take any layout:
/// memory planning resolves it, and a copy at a call would be useless.
static BufferLikeType getArgumentType(TensorLikeType type, Attribute space,
                                      func::FuncOp function,
                                      const BufferizationOptions &) {
  auto tensorType = cast<TensorType>(type);
  if (function->hasAttr(HamKaasDialect::kernelAttrName))
    return cast<BufferLikeType>(
        getMemRefTypeWithFullyDynamicLayout(tensorType, space));
  return cast<BufferLikeType>(
      getMemRefTypeWithStaticIdentityLayout(tensorType, space));
}

/// Forbids writes to the arguments of `program` that are not marked writable.
/// NOTE: upstream takes every argument of a function for writable otherwise.
static void protectArguments(func::FuncOp program) {
  Builder builder(program.getContext());
  StringRef name = BufferizationDialect::kWritableAttrName;
  for (unsigned i = 0; i < program.getNumArguments(); ++i)
    if (!program.getArgAttr(i, name))
      program.setArgAttr(i, name, builder.getBoolAttr(false));
}

/// The uses of `value` by calls.
static SmallVector<OpOperand *> getCallUses(Value value) {
  SmallVector<OpOperand *> uses;
  for (OpOperand &use : value.getUses())
    if (isa<func::CallOp>(use.getOwner()))
      uses.push_back(&use);
  return uses;
}

/// Gives each call a tensor of its own for one that is never written.
static void separate(Value value) {
  OpBuilder builder(value.getContext());
  builder.setInsertionPointAfterValue(value);
  auto type = cast<RankedTensorType>(value.getType());
  SmallVector<OpOperand *> uses = getCallUses(value);
  Value buffer = ToBufferOp::create(
      builder, value.getLoc(), getMemRefTypeWithFullyDynamicLayout(type), value,
      /*read_only=*/true);
  for (OpOperand *use : uses) {
    builder.setInsertionPoint(use->getOwner());
    use->set(ToTensorOp::create(builder, value.getLoc(), type, buffer,
                                /*restrict=*/true));
  }
}

/// Separates what the analysis would take most time for: it goes through all
/// uses of a tensor at each of them. Arguments that are not writable, and other
/// shapes of them, are never written.
static void separateReads(func::FuncOp program) {
  constexpr size_t mostUses = 64; // more than networks have in use
  SmallVector<Value> values;
  for (BlockArgument argument : program.getArguments()) {
    auto isWritable = program.getArgAttrOfType<BoolAttr>(
        argument.getArgNumber(), BufferizationDialect::kWritableAttrName);
    if (!isWritable.getValue() && isa<RankedTensorType>(argument.getType()))
      values.push_back(argument);
  }
  for (size_t i = 0; i < values.size(); ++i)
    for (Operation *user : values[i].getUsers())
      if (isa<tensor::ExpandShapeOp, tensor::CollapseShapeOp>(user))
        values.push_back(user->getResult(0));
  for (Value value : values)
    if (getCallUses(value).size() > mostUses)
      separate(value);
}

/// Drops the results of `program`, each of which is an argument by now.
static void dropResults(func::FuncOp program) {
  program.setFunctionType(
      FunctionType::get(program.getContext(), program.getArgumentTypes(), {}));
  program.removeResAttrsAttr();
  program.getBody().front().getTerminator()->setOperands({});
}

/// The index of the argument that `kernel` returns, if it does.
static std::optional<unsigned> getReturnedArgument(func::FuncOp kernel) {
  if (kernel.isExternal())
    return std::nullopt;
  Operation *terminator = kernel.getBody().front().getTerminator();
  if (terminator->getNumOperands() != 1)
    return std::nullopt;
  Value value = terminator->getOperand(0);
  while (auto cast = value.getDefiningOp<memref::CastOp>())
    value = cast.getSource();
  auto argument = dyn_cast<BlockArgument>(value);
  if (!argument || argument.getOwner() != &kernel.getBody().front())
    return std::nullopt;
  return argument.getArgNumber();
}

/// Lets the users of the calls in `program` take the kernel's argument instead
/// of its equal result.
/// NOTE: not upstream's drop-equivalent-buffer-results, which makes new calls
/// without their attributes.
static void dropCallResults(func::FuncOp program, const SymbolTable &symbols) {
  for (auto call : llvm::make_early_inc_range(
           program.getBody().front().getOps<func::CallOp>())) {
    std::optional<unsigned> argument =
        getReturnedArgument(symbols.lookup<func::FuncOp>(call.getCallee()));
    if (!argument || call.getNumResults() != 1)
      continue;
    OpBuilder builder(call);
    Value value = call.getOperand(*argument);
    if (value.getType() != call.getResultTypes().front())
      value = memref::CastOp::create(builder, call.getLoc(),
                                     call.getResultTypes().front(), value);
    call.getResult(0).replaceAllUsesWith(value);
    auto newCall =
        func::CallOp::create(builder, call.getLoc(), call.getCallee(),
                             TypeRange(), call.getOperands());
    newCall->setDiscardableAttrs(call->getDiscardableAttrDictionary());
    call.erase();
  }
}

/// Makes the kernels functions without results where the callers need none.
static void dropKernelResults(ModuleOp module,
                              ArrayRef<func::FuncOp> programs) {
  SymbolTable symbols(module);
  for (func::FuncOp program : programs)
    dropCallResults(program, symbols);
  for (auto kernel : module.getOps<func::FuncOp>())
    if (kernel->hasAttr(HamKaasDialect::kernelAttrName) &&
        getReturnedArgument(kernel))
      dropResults(kernel);
}

/// Orders the constants of kernels by first use and numbers them. Upstream
/// bufferizes functions in an order that depends on their addresses, so names
/// and order, and with them the program's bytes, would differ between
/// compilations.
static void orderConstants(ModuleOp module) {
  SymbolTable symbols(module);
  llvm::MapVector<Operation *, SmallVector<memref::GetGlobalOp>> uses;
  module.walk([&](memref::GetGlobalOp use) {
    // Those of device code are in another table of symbols.
    if (Operation *constant = symbols.lookup(use.getName());
        constant && SymbolTable::getNearestSymbolTable(use) == module)
      uses[constant].push_back(use);
  });
  for (Operation *constant : llvm::reverse(llvm::make_first_range(uses))) {
    symbols.remove(constant);
    constant->moveBefore(module.getBody(), module.getBody()->begin());
  }
  for (auto &[constant, users] : uses) {
    auto [base, number] =
        SymbolTable::getSymbolName(constant).getValue().rsplit('_');
    if (!number.empty() && llvm::all_of(number, llvm::isDigit))
      SymbolTable::setSymbolName(constant, base);
    StringAttr name = symbols.insert(constant);
    for (memref::GetGlobalOp use : users)
      use.setName(name);
  }
}

/// Upstream's default canonicalization without two patterns: they turn gathers
/// and scatters of neighbours into masked accesses, and these, if all lanes are
/// set, into accesses that need the layout of the buffer, which is not known
/// yet for a kernel's argument.
static std::unique_ptr<Pass> createSafeCanonicalizer() {
  GreedyRewriteConfig config;
  config.setUseTopDownTraversal(true);
  config.setRegionSimplificationLevel(GreedySimplifyRegionLevel::Normal);
  return createCanonicalizerPass(
      config,
      ArrayRef<std::string>{"(anonymous namespace)::FoldContiguousGather",
                            "(anonymous namespace)::FoldContiguousScatter"});
}

/// Returns whether `function` is a kernel that takes its destination last.
static bool writesInPlace(func::FuncOp function) {
  FunctionType type = function.getFunctionType();
  return function->hasAttr(HamKaasDialect::kernelAttrName) &&
         !function.isExternal() && type.getNumInputs() > 0 &&
         type.getResults() == type.getInputs().take_back();
}

/// Returns whether such a kernel contains `op` or is it.
static bool isOfKernel(Operation *op) {
  auto function = dyn_cast<func::FuncOp>(op);
  if (!function)
    function = op->getParentOfType<func::FuncOp>();
  return function && writesInPlace(function);
}

/// Returns whether `function` is such a kernel that refers to no symbol.
static bool standsAlone(func::FuncOp function) {
  return writesInPlace(function) && !function.getBody()
                                         .walk([](SymbolUserOpInterface) {
                                           return WalkResult::interrupt();
                                         })
                                         .wasInterrupted();
}

#ifndef NDEBUG
/// Returns whether the analysis finds that kernels can write in place.
static bool kernelsNeedNoCopies(ModuleOp module,
                                const OneShotBufferizationOptions &options) {
  OneShotAnalysisState analysis(module, options);
  auto isCopied = [&](OpOperand &operand) {
    return isa<TensorType>(operand.get().getType()) &&
           analysis.bufferizesToMemoryWrite(operand) &&
           !analysis.isInPlace(operand);
  };
  return succeeded(analyzeModuleOp(module, analysis)) &&
         !module
              .walk([&](BufferizableOpInterface op) {
                return isOfKernel(op) &&
                               llvm::any_of(op->getOpOperands(), isCopied)
                           ? WalkResult::interrupt()
                           : WalkResult::advance();
              })
              .wasInterrupted();
}
#endif

/// Describes the kernels as the analysis would find them: each writes to its
/// last argument alone, and returns it.
static void describeKernels(ModuleOp module, OneShotAnalysisState &analysis) {
  auto &functions = analysis.addExtension<func_ext::FuncAnalysisState>();
  for (auto kernel : module.getOps<func::FuncOp>()) {
    if (!writesInPlace(kernel))
      continue;
    functions.startFunctionAnalysis(kernel);
    int64_t last = kernel.getNumArguments() - 1;
    functions.equivalentFuncArgs[kernel][0] = last;
    functions.aliasingReturnVals[kernel][last] = {0};
    functions.writtenBbArgs[kernel] = {last};
    for (int64_t i = 0; i <= last; ++i)
      functions.readBbArgs[kernel].insert(i);
    functions.analyzedFuncOps[kernel] = func_ext::FuncOpAnalysisState::Analyzed;
  }
}

namespace {

struct Bufferize : hamkaas::impl::BufferizeBase<Bufferize> {
  void runOnOperation() override {
    SmallVector<func::FuncOp> programs;
    for (auto function : getOperation().getOps<func::FuncOp>()) {
      if (isDeclaredOnly(function))
        continue;
      if (failed(verifyStraightLine(function)))
        return signalPassFailure();
      if (!function->hasAttr(HamKaasDialect::kernelAttrName))
        programs.push_back(function);
    }
    llvm::for_each(programs, protectArguments);
    llvm::for_each(programs, separateReads);

    OneShotBufferizationOptions options;
    options.bufferizeFunctionBoundaries = true;
    options.functionArgTypeConverterFn = getArgumentType;
    options.inferFunctionResultLayout = false;
    options.opFilter.denyOperation<CheckOp>();
    if (failed(bufferize(options)))
      return signalPassFailure();
    orderConstants(getOperation());

    OpPassManager cleanup(func::FuncOp::getOperationName());
    // NOTE: cse before canonicalize, or copies of a buffer onto itself survive.
    cleanup.addPass(createCSEPass());
    cleanup.addPass(createSafeCanonicalizer());
    OpPassManager module(ModuleOp::getOperationName());
    module.nest<func::FuncOp>() = cleanup;
    // Canonicalization finds that the iter arg of a loop is one buffer; only
    // then is a kernel's result recognised as its last argument.
    if (failed(runPipeline(module, getOperation())))
      return signalPassFailure();
    dropKernelResults(getOperation(), programs);
    // In kernels, only casts of dropped results are left, which LLVM removes.
    for (func::FuncOp program : programs)
      if (failed(runPipeline(cleanup, program)))
        return signalPassFailure();
    llvm::for_each(programs, dropResults);
  }

private:
  /// NOTE: upstream's analysis looks at every pair of accesses to a tensor.
  /// That took a sixth of the compilation of DenseNet-121, whose concats have
  /// many parts. Kernels write in place by construction.
  LogicalResult bufferize(const OneShotBufferizationOptions &options) {
    ModuleOp module = getOperation();
#ifndef NDEBUG
    if (!kernelsNeedNoCopies(module, options))
      return module.emitError("expected kernels that read nothing that they "
                              "have overwritten");
#endif
    OneShotBufferizationOptions programs(options);
    programs.opFilter.denyOperation(isOfKernel);
    OneShotAnalysisState analysis(module, programs);
    describeKernels(module, analysis);
    if (BufferizationState state;
        failed(analyzeModuleOp(module, analysis)) ||
        failed(insertTensorCopies(module, analysis, state)) ||
        failed(bufferizeKernels(module, options, standsAlone)))
      return failure();
    BufferizationState state;
    return bufferizeModuleOp(module, options, state);
  }
};

} // namespace
