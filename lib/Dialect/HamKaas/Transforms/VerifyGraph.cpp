//===- VerifyGraph.cpp - Checks the form GRAPH -*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HamKaas/Dialect/HamKaas/IR/HamKaas.h"
#include "HamKaas/Dialect/HamKaas/Transforms/Passes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/MLProgram/IR/MLProgram.h"
#include "llvm/ADT/StringSet.h"

namespace hamkaas {
#define GEN_PASS_DEF_VERIFYGRAPH
#include "HamKaas/Dialect/HamKaas/Transforms/Passes.h.inc"
} // namespace hamkaas

using namespace mlir;
using namespace hamkaas;
using ml_program::GlobalLoadConstOp;
using ml_program::GlobalLoadOp;
using ml_program::GlobalOp;
using ml_program::GlobalStoreOp;

namespace {

struct VerifyGraph : hamkaas::impl::VerifyGraphBase<VerifyGraph> {
  void runOnOperation() override {
    if (failed(verifyModule()))
      signalPassFailure();
  }

private:
  LogicalResult verifyModule() {
    for (Operation &op : *getOperation().getBody()) {
      auto function = dyn_cast<func::FuncOp>(op);
      if (!isa<GlobalOp>(op) && (!function || function.getSymName() != "main"))
        return op.emitError("expected only globals and one function @main in a "
                            "model, got ")
               << op.getName();
      if (auto global = dyn_cast<GlobalOp>(op))
        if (failed(verifyTensor(global.getLoc(), global.getType())))
          return failure();
    }
    auto main = getOperation().lookupSymbol<func::FuncOp>("main");
    if (!main || main.isExternal())
      return getOperation().emitError("expected a function @main");
    if (!main.getBody().hasOneBlock())
      return main.emitError("expected @main to have one block");
    return failed(verifySignature(main)) ? failure() : verifyBody(main);
  }

  static LogicalResult verifyTensor(Location loc, Type type) {
    auto tensor = dyn_cast<RankedTensorType>(type);
    if (!tensor || !tensor.hasStaticShape() ||
        !(tensor.getElementType().isF32() ||
          tensor.getElementType().isInteger(64)))
      return emitError(loc, "expected a tensor of static shape of f32 or i64, "
                            "got ")
             << type;
    if (tensor.getNumElements() == 0)
      return emitError(loc, "expected a tensor with elements, got ") << type;
    return success();
  }

  LogicalResult verifySignature(func::FuncOp main) {
    llvm::StringSet<> names;
    if (main.getNumResults() == 0)
      return main.emitError("expected @main to have a result");
    for (unsigned i = 0; i < main.getNumArguments(); ++i)
      if (failed(verifyName(main, "argument", i,
                            main.getArgAttr(i, HamKaasDialect::nameAttrName),
                            names)) ||
          failed(verifyTensor(main.getLoc(), main.getArgumentTypes()[i])))
        return failure();
    names.clear();
    for (unsigned i = 0; i < main.getNumResults(); ++i)
      if (failed(verifyName(main, "result", i,
                            main.getResultAttr(i, HamKaasDialect::nameAttrName),
                            names)) ||
          failed(verifyTensor(main.getLoc(), main.getResultTypes()[i])))
        return failure();
    return success();
  }

  static LogicalResult verifyName(func::FuncOp main, StringRef kind, unsigned i,
                                  Attribute attribute,
                                  llvm::StringSet<> &names) {
    auto name = dyn_cast_or_null<StringAttr>(attribute);
    if (!name)
      return main.emitError("expected ")
             << kind << " " << i << " of @main to have a string attribute "
             << HamKaasDialect::nameAttrName;
    if (!names.insert(name.getValue()).second)
      return main.emitError("expected the names of each ")
             << kind << " of @main to be unique, got " << name << " twice";
    return success();
  }

  LogicalResult verifyBody(func::FuncOp main) {
    llvm::StringMap<Operation *> loads, stores;
    for (Operation &op : main.getBody().front()) {
      if (auto load = dyn_cast<GlobalLoadConstOp>(op)) {
        if (failed(verifyGlobal(load, load.getGlobal(), load.getType(), false)))
          return failure();
      } else if (auto load = dyn_cast<GlobalLoadOp>(op)) {
        if (failed(verifyState(load, load.getGlobal(), load.getType(), loads)))
          return failure();
      } else if (auto store = dyn_cast<GlobalStoreOp>(op)) {
        if (failed(verifyState(store, store.getGlobal(),
                               store.getValue().getType(), stores)))
          return failure();
      } else if (!isa<arith::ConstantOp, func::ReturnOp, KernelOpInterface>(
                     op)) {
        return op.emitError("expected an operation of a graph, got ")
               << op.getName();
      }
    }
    for (auto &entry : stores)
      if (Operation *load = loads.lookup(entry.getKey()))
        if (entry.getValue()->isBeforeInBlock(load))
          return load->emitError("expected the load of state @")
                 << entry.getKey() << " to stand before its store";
    return success();
  }

  static LogicalResult verifyGlobal(Operation *op, SymbolRefAttr symbol,
                                    Type type, bool isMutable) {
    auto module = op->getParentOfType<ModuleOp>();
    auto global = module.lookupSymbol<GlobalOp>(symbol.getRootReference());
    if (!global || global.getIsMutable() != isMutable ||
        global.getType() != type)
      return op->emitError("expected ")
             << symbol << " to be a global that is "
             << (isMutable ? "mutable" : "immutable") << ", of type " << type;
    return success();
  }

  static LogicalResult verifyState(Operation *op, SymbolRefAttr symbol,
                                   Type type,
                                   llvm::StringMap<Operation *> &seen) {
    StringRef name = symbol.getRootReference();
    if (!seen.try_emplace(name, op).second)
      return op->emitError("expected at most one ")
             << op->getName() << " of state @" << name;
    return verifyGlobal(op, symbol, type, /*isMutable=*/true);
  }
};

} // namespace
