//===- CodePanels.h - Right sides of few bits -------------------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HAMKAAS_LIB_CODEGEN_KERNEL_CODEPANELS_H
#define HAMKAAS_LIB_CODEGEN_KERNEL_CODEPANELS_H

#include "HamKaas/CodeGen/Kernel/KernelBuilder.h"
#include "HamKaas/Dialect/HamKaas/IR/QuantizationOps.h"

namespace hamkaas {

/// Vectors of a panel of `hamkaas.dequantize_panels`, along its columns.
class CodePanels {
public:
  CodePanels(KernelBuilder &kernel, DequantizePanelsOp op, int64_t lanes);

  /// Columns of a panel.
  int64_t getWidth() const { return width; }
  /// The fewest rows that are whole blocks and whole spans: the depth may be
  /// cut at multiples of it.
  int64_t getUnit() const { return std::max(span, block); }

  /// Consecutive rows of which each word of codes lies as the first one does.
  int64_t getPartRows() const;

  /// Registers that constants take while codes are unpacked.
  int64_t getConstants() const { return bits == 4 ? 1 : bits == 6 ? 3 : 0; }
  /// The most vectors of a row that registers have room for at once.
  int64_t getMaxVectors() const;

  /// Where a vector begins.
  struct Place {
    mlir::Value panel;
    int64_t column;
  };

  /// Calls `body` with each row from `lower` to `upper`, in order, and the
  /// vectors at `places` of it. What it returns is carried to the next row.
  using Body = llvm::function_ref<llvm::SmallVector<mlir::Value>(
      mlir::Value row, mlir::ValueRange vectors, mlir::ValueRange carried)>;
  llvm::SmallVector<mlir::Value>
  forEachRow(mlir::Value lower, mlir::Value upper, llvm::ArrayRef<Place> places,
             mlir::ValueRange carried, Body body);

  /// The factor of a code, and the number that is added then, or null.
  struct Factors {
    mlir::Value scale, offset;
  };
  Factors loadFactors(mlir::Value block, Place place);
  /// The codes of 4 rows for each lane, as bytes: of 4 or 6 bits, or signed.
  /// `unitRow` is the first row of a unit, and they are those from `partRow +
  /// 4 * index` on, in a part from `partRow` on.
  mlir::Value loadCodes(mlir::Value unitRow, int64_t partRow, mlir::Value index,
                        Place place);
  /// From now on, codes and scales are prefetched so many vectors ahead: those
  /// of the next block. The hardware prefetcher stops at each page, and the
  /// panel of a short depth has little more than one. If `isSparse`, only
  /// every fourth word of codes is, and no scale; loadCodes then needs a
  /// constant index.
  void prefetchAhead(int64_t vectors, bool isSparse = false) {
    if (!kernel.costs().machine.prefetches)
      return;
    panelsAhead = vectors * lanes / width;
    prefetchesSparsely = isSparse;
  }
  /// The codes of a panel.
  int64_t getPanelBytes() {
    return op.getCodes().getType().getDimSize(1) * width * 4;
  }

private:
  /// Rows of a unit that have the same scale, and lie in one part.
  struct Run {
    int64_t first, rows;
  };
  /// Where a part of a unit begins: its lower 4 bits, or all, and of codes of 6
  /// bits those above.
  struct Part {
    int64_t word;
    bool isUpperHalf;
    int64_t upperWord, upperShift;
  };

  llvm::SmallVector<Run> listRuns() const;
  Part getPart(int64_t row) const;
  Factors foldZero(Factors factors);
  mlir::Value loadWords(mlir::Value word, Place place, bool prefetches = false);
  mlir::Value extractCode(mlir::Value words, int64_t byte, bool isUpperHalf);
  mlir::Value dequantize(mlir::Value code, const Factors &factors);
  mlir::Value splat(mlir::Type element, double value);
  mlir::Value integers(int64_t value);
  mlir::Value loadScale(mlir::Value tensor, int64_t level, mlir::Value block,
                        Place place);
  mlir::Value toFloat(mlir::Value vector);

  KernelBuilder &kernel;
  DequantizePanelsOp op;
  int64_t lanes, width, bits, span, block, zero;
  bool areProductsExact;
  int64_t panelsAhead = 0;
  bool prefetchesSparsely = false;
};

} // namespace hamkaas

#endif // HAMKAAS_LIB_CODEGEN_KERNEL_CODEPANELS_H
