//===- OperationRecords.h - Operations as users have them -------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HAMKAAS_TOOLS_TBLGEN_OPERATIONRECORDS_H
#define HAMKAAS_TOOLS_TBLGEN_OPERATIONRECORDS_H

#include "mlir/TableGen/EnumInfo.h"
#include "mlir/TableGen/Operator.h"

namespace hamkaas::tblgen {

/// An attribute as front ends see it.
struct AttributeRecord {
  explicit AttributeRecord(const mlir::tblgen::NamedAttribute &attribute);

  llvm::StringRef name;
  /// An enumerator of AttributeKind (OperationTable.h); empty for what no front
  /// end can give.
  llvm::StringRef kind;
  /// Of a word: its enumeration.
  const llvm::Record *words = nullptr;
  /// The enumeration is that of an attribute of the dialect, rather than the
  /// number of the word.
  bool isOfDialect = false;
  bool isOptional, hasDefault;
  /// The default of ODS, an expression of C++, and as users read it; empty if
  /// there is none.
  llvm::StringRef defaultCode, defaultText;

  /// The enumeration in C++.
  std::string wordType() const;
};

/// All operations and compositions, by name; an operation that a composition
/// stands for is left out.
std::vector<const llvm::Record *>
getOperationRecords(const llvm::RecordKeeper &records);

bool isComposition(const llvm::Record &record);

/// The structure of a composition in C++: "LogSoftmax" of "log_softmax".
std::string getStructName(const llvm::Record &record);

} // namespace hamkaas::tblgen

#endif // HAMKAAS_TOOLS_TBLGEN_OPERATIONRECORDS_H
