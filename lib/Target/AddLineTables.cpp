//===- AddLineTables.cpp - Lines of the model in machine code ---*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Why not MLIR's ensure-debug-info-scope-on-llvm-func: for a location that is
// fused from several lines, as that of most kernels is, it leaves line 0, which
// no tool shows. It also takes all operations of a function to be of one file,
// and nodes of ONNX to have no line.
//
//===----------------------------------------------------------------------===//

#include "HamKaas/Target/Pipelines.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "llvm/BinaryFormat/Dwarf.h"

namespace hamkaas {
#define GEN_PASS_DEF_ADDLINETABLES
#include "HamKaas/Target/Passes.h.inc"
} // namespace hamkaas

using namespace mlir;
using namespace hamkaas;

/// Appends what `location` consists of, the best description of it first.
static void appendParts(Location location,
                        SmallVectorImpl<Location> &worklist) {
  if (auto fused = dyn_cast<FusedLoc>(location)) {
    llvm::append_range(worklist, llvm::reverse(fused.getLocations()));
    // The root of a group; see FormGroups.
    if (auto root = dyn_cast_if_present<LocationAttr>(fused.getMetadata()))
      worklist.push_back(root);
  } else if (auto name = dyn_cast<NameLoc>(location)) {
    worklist.push_back(name.getChildLoc());
  } else if (auto call = dyn_cast<CallSiteLoc>(location)) {
    worklist.push_back(call.getCallee());
  }
}

/// The line that stands for `location`, null if it has none.
static FileLineColLoc findLine(Location location) {
  // Iterative: rewrites may nest fused locations deeply.
  SmallVector<Location> worklist{location};
  while (!worklist.empty()) {
    Location current = worklist.pop_back_val();
    auto range = dyn_cast<FileLineColRange>(current);
    if (!range) {
      appendParts(current, worklist);
      continue;
    }
    if (range.getStartLine() != 0)
      return FileLineColLoc::get(range.getFilename(), range.getStartLine(),
                                 range.getStartColumn());
    // A node of ONNX: its column is its number.
    if (range.getStartColumn() != 0)
      return FileLineColLoc::get(
          StringAttr::get(range.getContext(),
                          range.getFilename().getValue() + ".nodes"),
          range.getStartColumn(), /*column=*/0);
  }
  return {};
}

namespace {
/// Gives lines to one function.
class FunctionLines {
public:
  explicit FunctionLines(LLVM::LLVMFuncOp function)
      : function(function), line(findLine(function.getLoc())) {}

  /// Does nothing where no line is known.
  void add() {
    if (!line)
      return;
    makeSubprogram();
    // NOTE: each operation needs one: LLVM rejects calls without in a function
    // that has lines.
    function.getBody().walk([&](Operation *op) { setLine(op); });
    function->setLoc(FusedLoc::get({line}, subprogram, function.getContext()));
  }

private:
  LLVM::DIFileAttr getFile(StringAttr name) const {
    // Without a directory, for that would be one of this machine.
    return LLVM::DIFileAttr::get(name.getContext(), name.getValue(), "");
  }

  void makeSubprogram() {
    MLIRContext *context = function.getContext();
    LLVM::DIFileAttr file = getFile(line.getFilename());
    auto unit = LLVM::DICompileUnitAttr::get(
        DistinctAttr::create(UnitAttr::get(context)), llvm::dwarf::DW_LANG_C,
        file, StringAttr::get(context, "HamKaas"), /*isOptimized=*/true,
        LLVM::DIEmissionKind::LineTablesOnly, LLVM::DINameTableKind::None);
    auto type = LLVM::DISubroutineTypeAttr::get(
        context, llvm::dwarf::DW_CC_normal, /*types=*/{});
    auto name = StringAttr::get(context, function.getName());
    subprogram = LLVM::DISubprogramAttr::get(
        context, DistinctAttr::create(UnitAttr::get(context)), unit, file, name,
        name, file, line.getLine(), line.getLine(),
        LLVM::DISubprogramFlags::Definition |
            LLVM::DISubprogramFlags::Optimized,
        type, /*retainedNodes=*/{}, /*annotations=*/{});
  }

  void setLine(Operation *op) {
    FileLineColLoc own = findLine(op->getLoc());
    if (!own)
      own = line;
    if (own.getFilename() == line.getFilename())
      return op->setLoc(own);
    auto scope = LLVM::DILexicalBlockFileAttr::get(
        subprogram, getFile(own.getFilename()), /*discriminator=*/0);
    op->setLoc(FusedLoc::get({own}, scope, op->getContext()));
  }

  LLVM::LLVMFuncOp function;
  FileLineColLoc line;
  LLVM::DISubprogramAttr subprogram;
};

struct AddLineTablesPass : hamkaas::impl::AddLineTablesBase<AddLineTablesPass> {
  void runOnOperation() override {
    for (auto function : getOperation().getOps<LLVM::LLVMFuncOp>())
      if (!function.isExternal())
        FunctionLines(function).add();
  }
};
} // namespace
