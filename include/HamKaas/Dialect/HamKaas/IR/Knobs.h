//===- Knobs.h - Choices for our code generator -----------------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HAMKAAS_DIALECT_HAMKAAS_IR_KNOBS_H
#define HAMKAAS_DIALECT_HAMKAAS_IR_KNOBS_H

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/Operation.h"
#include <optional>
#include <string>

namespace hamkaas {

/// On operations of GRAPH, then on their group, then on its kernel: a
/// dictionary of the choices that a user makes in place of the cost model, such
/// as `{rows = 4 : i64, winograd = "off"}`.
inline constexpr llvm::StringLiteral knobsAttrName = "hamkaas.knobs";

// The names of the entries. Numbers are positive; the cost model chooses what
// has no entry.
inline constexpr llvm::StringLiteral rowsKnob = "rows";
inline constexpr llvm::StringLiteral vectorsKnob = "vectors";
inline constexpr llvm::StringLiteral depthKnob = "depth";
inline constexpr llvm::StringLiteral blockRowsKnob = "block-rows";
inline constexpr llvm::StringLiteral grainKnob = "grain";
inline constexpr llvm::StringLiteral packingKnob = "packing";
inline constexpr llvm::StringLiteral winogradKnob = "winograd";

/// The choices in a dictionary.
struct Knobs {
  /// Of the tiles of a contraction; see ContractionTile. Larger ones than the
  /// product are as large as it.
  int64_t rows = 0, vectors = 0, depth = 0, blockRows = 0;
  /// Elements of a tile of an elementwise or row kernel.
  int64_t grain = 0;
  /// True to pack a right side that is known only at run time, false not to.
  std::optional<bool> packs;
  /// The tile of Winograd's method; 0 for the direct convolution.
  std::optional<int64_t> winograd;

  /// Those of `op`.
  static Knobs get(mlir::Operation *op);
};

/// The dictionary of `op`; null if it has none.
mlir::DictionaryAttr getKnobs(mlir::Operation *op);

/// Sets the dictionary of `op`; null removes it.
void setKnobs(mlir::Operation *op, mlir::DictionaryAttr knobs);

/// `knobs`, which may be null, without the entry `name`.
mlir::DictionaryAttr dropKnob(mlir::DictionaryAttr knobs, llvm::StringRef name);

/// "rows=4, vectors=3"; empty if `knobs` is null.
std::string formatKnobs(mlir::DictionaryAttr knobs);

/// Returns whether the entries have these names, and values of their kinds.
bool areKnobs(mlir::Attribute value);

} // namespace hamkaas

#endif // HAMKAAS_DIALECT_HAMKAAS_IR_KNOBS_H
