//===- Operators.h - The operators of version 1 -----------------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HAMKAAS_LIB_FRONTEND_SCRIPT_OPERATORS_H
#define HAMKAAS_LIB_FRONTEND_SCRIPT_OPERATORS_H

#include "HamKaas/Frontend/Builder/CreateOperation.h"
#include "mlir/IR/Attributes.h"
#include "mlir/IR/BuiltinTypes.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"
#include <string>

namespace hamkaas::script {

/// The kinds of arguments of operators of version 1.
enum class ParameterKind {
  FloatNode,
  AnyNode,
  /// A node of type int64 and shape [1].
  PositionNode,
  Integer,
  /// A list of dimensions: the shape of the result.
  Shape,
  List,
  /// An integer, or a node as in `PositionNode`.
  Prefix,
};

struct Parameter {
  /// The operand or attribute of the op.
  llvm::StringLiteral name = "";
  ParameterKind kind = ParameterKind::AnyNode;
};

/// An operator as version 1 spells it. The language is fixed, so this is a
/// table; version 2 finds the ops of the dialect through their interfaces
/// instead.
struct Operator {
  llvm::StringLiteral spelling;
  llvm::StringLiteral opName;
  unsigned parameterCount;
  Parameter parameters[4];
  /// The largest rank of the first operand in version 1, where that is less
  /// than the largest rank of tensors.
  unsigned maxRank = 8;

  llvm::ArrayRef<Parameter> getParameters() const {
    return llvm::ArrayRef(parameters).take_front(parameterCount);
  }
};

/// All operators of version 1. Where one op has several spellings, the first is
/// the one to print.
llvm::ArrayRef<Operator> getOperators();

/// Name of a parameter in messages and attribute of the op that a literal
/// prefix becomes.
inline constexpr llvm::StringLiteral staticPrefixAttr = "static_prefix";
/// The result type of an op that does not infer it. The default is that of the
/// first operand.
inline constexpr llvm::StringLiteral shapeAttr = "shape";
inline constexpr llvm::StringLiteral typeAttr = "type";
/// Tells optional operands apart. A script does not need it: their types do.
using graph::segmentsAttr;

/// The operator that defines a tensor of a number, which is part of the
/// program. Of version 2.
inline constexpr llvm::StringLiteral numberTensor = "NumberTensor";

/// `replace_slice` becomes `ReplaceSliceNode`.
std::string getVersion2Spelling(llvm::StringRef mnemonic);

/// Where the first control character of ASCII or Latin-1 is, npos if there is
/// none. No name has one.
size_t findControl(llvm::StringRef text);

/// The element type that a script of a version calls `name`, or null.
mlir::Type parseElementType(llvm::StringRef name, unsigned version,
                            mlir::MLIRContext *context);

/// The script's name of an element type, or the empty string.
llvm::StringRef getElementTypeName(mlir::Type type);

/// The names of the element types of a version, for messages.
std::string listElementTypes(unsigned version);

/// `float32 [2, 3]`, for messages.
std::string describeType(mlir::Type tensor);

/// `[2, 3]`.
std::string formatList(llvm::ArrayRef<int64_t> list);

/// The largest ranks of tensors in the versions from 1 on.
inline constexpr unsigned maxRanks[] = {0, 3, 8, 8};

using graph::hasFewElements;

} // namespace hamkaas::script

#endif // HAMKAAS_LIB_FRONTEND_SCRIPT_OPERATORS_H
