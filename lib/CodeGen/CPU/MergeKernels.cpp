//===- MergeKernels.cpp - Code that kernels share ---------------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Why not LLVM's GlobalMergeFunctions: it merges functions that call others
// with different constants, and runs after the optimizations. Merging here
// saves their time.
//
//===----------------------------------------------------------------------===//

#include "HamKaas/CodeGen/CPU/Passes.h"
#include "HamKaas/Dialect/HamKaas/IR/HamKaas.h"
#include "HamKaas/Dialect/HamKaas/IR/KernelFamily.h"
#include "HamKaas/Dialect/HamKaas/IR/ProgramSymbols.h"
#include "mlir/Analysis/CFGLoopInfo.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/Dominance.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/MapVector.h"

namespace hamkaas {
#define GEN_PASS_DEF_MERGEKERNELS
#include "HamKaas/CodeGen/CPU/Passes.h.inc"
} // namespace hamkaas

using namespace mlir;
using namespace hamkaas;

static bool isConstant(Operation *op) {
  return op && op->hasTrait<OpTrait::ConstantLike>();
}

static Attribute getConstant(Value value) {
  Attribute attribute;
  return matchPattern(value, m_Constant(&attribute)) ? attribute : Attribute();
}

/// The operands by which addresses change from one iteration of an innermost
/// loop to the next. As constants they are encoded in the addressing modes.
static llvm::DenseSet<OpOperand *> findStrides(LLVM::LLVMFuncOp kernel) {
  llvm::DenseSet<OpOperand *> strides;
  if (kernel.getBody().hasOneBlock())
    return strides;
  DominanceInfo dominance(kernel);
  CFGLoopInfo loops(dominance.getDomTree(&kernel.getBody()));
  llvm::DenseSet<Value> varying;
  auto varies = [&](Value value) { return varying.contains(value); };
  for (Block &block : kernel.getBody()) {
    CFGLoop *loop = loops.getLoopFor(&block);
    if (!loop || !loop->isInnermost())
      continue;
    varying.insert_range(block.getArguments());
    for (Operation &op : block) {
      if (isMemoryEffectFree(&op) && llvm::none_of(op.getOperands(), varies))
        continue;
      varying.insert_range(op.getResults());
      // A bound of the loop may be in a register.
      if (!isa<LLVM::ICmpOp>(op))
        for (OpOperand &operand : op.getOpOperands())
          strides.insert(&operand);
    }
  }
  return strides;
}

namespace {
/// The operations of a kernel in their order, without constants, which are part
/// of their operands.
class KernelCode {
public:
  explicit KernelCode(LLVM::LLVMFuncOp kernel)
      : kernel(kernel), type(kernel.getFunctionType()),
        runsOnce(kernel->hasAttr(HamKaasDialect::runsOnceAttrName)) {
    if (!runsOnce)
      strides = findStrides(kernel);
    auto number = [&](Value value) {
      values.try_emplace(value, values.size());
    };
    for (Block &block : kernel.getBody()) {
      blocks.try_emplace(&block, blocks.size());
      llvm::for_each(block.getArguments(), number);
      for (Operation &op : block) {
        if (isConstant(&op))
          continue;
        operations.push_back(&op);
        llvm::for_each(op.getResults(), number);
        for (OpOperand &operand : op.getOpOperands())
          if (isSize(operand))
            sizes.push_back(&operand);
      }
    }
  }

  llvm::hash_code getHash() const {
    constexpr auto ignore = OperationEquivalence::ignoreHashValue;
    llvm::hash_code hash = llvm::hash_combine(blocks.size(), sizes.size());
    for (Operation *op : operations)
      hash = llvm::hash_combine(
          hash, OperationEquivalence::computeHash(
                    op, ignore, ignore, OperationEquivalence::IgnoreLocations));
    return hash;
  }

  /// Returns whether the two differ in sizes only.
  bool isLike(const KernelCode &other) const {
    return type == other.type &&
           getKernelFamily(kernel) == getKernelFamily(other.kernel) &&
           runsOnce == other.runsOnce && blocks.size() == other.blocks.size() &&
           sizes.size() == other.sizes.size() &&
           llvm::equal(operations, other.operations,
                       [&](Operation *a, Operation *b) {
                         return areAlike(a, b, other);
                       });
  }

  SmallVector<int64_t> getSizes() const {
    return llvm::map_to_vector(sizes, [](OpOperand *operand) {
      return cast<IntegerAttr>(getConstant(operand->get())).getInt();
    });
  }

  LLVM::LLVMFuncOp kernel;
  SmallVector<Operation *> operations;
  SmallVector<OpOperand *> sizes;

private:
  /// Returns whether `operand` may be another number in a kernel of the same
  /// body.
  bool isSize(OpOperand &operand) const {
    // Storage on the stack has a fixed size.
    return operand.get().getType().isInteger(64) &&
           isa_and_present<IntegerAttr>(getConstant(operand.get())) &&
           !isa<LLVM::AllocaOp>(operand.getOwner()) &&
           !strides.contains(&operand);
  }

  bool areAlike(Operation *a, Operation *b, const KernelCode &other) const {
    return a->getName() == b->getName() && a->getNumRegions() == 0 &&
           a->getDiscardableAttrDictionary() ==
               b->getDiscardableAttrDictionary() &&
           a->getName().compareOpProperties(a->getPropertiesStorage(),
                                            b->getPropertiesStorage()) &&
           a->getResultTypes() == b->getResultTypes() &&
           llvm::equal(a->getOpOperands(), b->getOpOperands(),
                       [&](OpOperand &x, OpOperand &y) {
                         return areAlike(x, y, other);
                       }) &&
           llvm::equal(a->getSuccessors(), b->getSuccessors(),
                       [&](Block *x, Block *y) {
                         return blocks.at(x) == other.blocks.at(y);
                       });
  }

  bool areAlike(OpOperand &a, OpOperand &b, const KernelCode &other) const {
    if (a.get().getType() != b.get().getType())
      return false;
    if (isSize(a) || other.isSize(b))
      return isSize(a) && other.isSize(b);
    if (isConstant(a.get().getDefiningOp()))
      return isConstant(b.get().getDefiningOp()) &&
             getConstant(a.get()) == getConstant(b.get());
    auto number = other.values.find(b.get());
    return number != other.values.end() && values.at(a.get()) == number->second;
  }

  LLVM::LLVMFunctionType type;
  bool runsOnce;
  llvm::DenseSet<OpOperand *> strides;
  llvm::DenseMap<Value, unsigned> values;
  llvm::DenseMap<Block *, unsigned> blocks;
};

/// Makes one body of kernels that are alike.
class Merger {
public:
  Merger(ArrayRef<KernelCode> kernels)
      : kernels(kernels), first(kernels.front().kernel), loc(first.getLoc()),
        builder(first.getContext()) {}

  void merge() {
    findParameters();
    Type pointer = LLVM::LLVMPointerType::get(first.getContext());
    SmallVector<Type> types(first.getFunctionType().getParams());
    types.push_back(pointer);
    builder.setInsertionPoint(first);
    auto shared = cast<LLVM::LLVMFuncOp>(builder.cloneWithoutRegions(first));
    shared.setSymName(name(first, "_shared"));
    shared.setFunctionType(LLVM::LLVMFunctionType::get(
        first.getFunctionType().getReturnType(), types));
    shared.getBody().takeBody(first.getBody());
    readSizes(shared.getBody().front().addArgument(pointer, loc));
    for (auto [i, code] : llvm::enumerate(kernels))
      callShared(code.kernel, shared, i);
  }

private:
  static std::string name(LLVM::LLVMFuncOp body, StringRef suffix) {
    StringRef kernel = body.getSymName();
    kernel.consume_back(kernelBodySuffix);
    return (kernel + suffix).str();
  }

  /// Operands that are alike in each kernel are one parameter, those that are
  /// the same number in all of them none.
  void findParameters() {
    for (const KernelCode &code : kernels)
      sizes.push_back(code.getSizes());
    for (size_t i = 0; i < sizes.front().size(); ++i) {
      auto numbers = llvm::map_to_vector(
          sizes, [&](ArrayRef<int64_t> given) { return given[i]; });
      if (!llvm::all_equal(numbers))
        parameters[numbers].push_back(kernels.front().sizes[i]);
    }
  }

  void readSizes(Value table) {
    builder.setInsertionPointToStart(table.getParentBlock());
    Type i64 = builder.getI64Type();
    for (auto [i, parameter] : llvm::enumerate(parameters)) {
      Value place =
          LLVM::GEPOp::create(builder, loc, table.getType(), i64, table,
                              ArrayRef<LLVM::GEPArg>(static_cast<int32_t>(i)));
      auto load = LLVM::LoadOp::create(builder, loc, i64, place);
      load.setInvariant(true);
      for (OpOperand *operand : parameter.second)
        operand->set(load);
    }
  }

  void callShared(LLVM::LLVMFuncOp kernel, LLVM::LLVMFuncOp shared, size_t i) {
    SmallVector<int64_t> values = llvm::map_to_vector(
        parameters, [&](auto &parameter) { return parameter.first[i]; });
    builder.setInsertionPoint(kernel);
    auto type = LLVM::LLVMArrayType::get(builder.getI64Type(), values.size());
    auto table = LLVM::GlobalOp::create(
        builder, loc, type, /*isConstant=*/true, LLVM::Linkage::Internal,
        name(kernel, "_sizes"), builder.getI64TensorAttr(values));
    kernel->removeAttr(HamKaasDialect::kernelAttrName);
    kernel.removePassthroughAttr();
    kernel.eraseBody();
    Block *entry = kernel.addEntryBlock(builder);
    builder.setInsertionPointToStart(entry);
    SmallVector<Value> operands(entry->getArguments());
    operands.push_back(LLVM::AddressOfOp::create(builder, loc, table));
    auto call = LLVM::CallOp::create(builder, loc, shared, operands);
    call.setTailCallKind(LLVM::tailcallkind::TailCallKind::Tail);
    LLVM::ReturnOp::create(builder, loc, call.getResults());
  }

  ArrayRef<KernelCode> kernels;
  LLVM::LLVMFuncOp first;
  Location loc;
  OpBuilder builder;
  SmallVector<SmallVector<int64_t>> sizes;
  /// Of each kernel its number, and the operands of the first one.
  llvm::MapVector<SmallVector<int64_t>, SmallVector<OpOperand *>,
                  std::map<SmallVector<int64_t>, unsigned>>
      parameters;
};

struct MergeKernels : hamkaas::impl::MergeKernelsBase<MergeKernels> {
  void runOnOperation() override {
    // Below that, compiling the call costs as much as the kernel.
    constexpr size_t least = 40;
    llvm::MapVector<size_t, SmallVector<SmallVector<KernelCode>>> groups;
    for (auto kernel : getOperation().getOps<LLVM::LLVMFuncOp>()) {
      std::optional<KernelFamily> family = getKernelFamily(kernel);
      // LLVM unrolls row kernels, which needs constant bounds.
      if (kernel.isExternal() || !family || family == KernelFamily::Row)
        continue;
      // The addresses of up to 36 rows would need a register each: merged
      // transforms took 1.1 to 1.2 times as long (AMD Zen 3).
      if (family == KernelFamily::Transform &&
          !kernel->hasAttr(HamKaasDialect::runsOnceAttrName))
        continue;
      KernelCode code(kernel);
      if (code.operations.size() < least)
        continue;
      auto &alike = groups[code.getHash()];
      auto *group = llvm::find_if(alike, [&](ArrayRef<KernelCode> others) {
        return others.front().isLike(code);
      });
      if (group == alike.end())
        alike.emplace_back().push_back(std::move(code));
      else
        group->push_back(std::move(code));
    }
    for (auto &[hash, alike] : groups)
      for (ArrayRef<KernelCode> group : alike)
        if (group.size() > 1)
          Merger(group).merge();
  }
};
} // namespace
