//===- AttributeTable.h - The table of hamkaas-c/DnnTable.h -----*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HAMKAAS_FRONTEND_DNN_ATTRIBUTETABLE_H
#define HAMKAAS_FRONTEND_DNN_ATTRIBUTETABLE_H

#include "hamkaas-c/Dnn.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/raw_ostream.h"

/// Graphs of nodes as cuDNN and hipDNN have them, and their translation to the
/// dialect.
namespace hamkaas::nodes {

/// A kind of descriptors.
struct KindInfo {
  int32_t number;
  llvm::StringRef text;

  bool isNode() const { return number >= HamKaasDnnFirstNode; }
};

struct AttributeInfo {
  int32_t number;
  llvm::StringRef text;
  int32_t type; ///< A HamKaasDnnType.
  int64_t least, most;
};

/// When an attribute of a kind is there.
enum class Use {
  Required,
  Optional,
  Input,
  OptionalInput,
  Output,
  OptionalOutput,
  Read,
  Unsupported
};

inline bool isInput(Use use) {
  return use == Use::Input || use == Use::OptionalInput;
}
inline bool isOutput(Use use) {
  return use == Use::Output || use == Use::OptionalOutput;
}
inline bool isRequired(Use use) {
  return use == Use::Required || use == Use::Input || use == Use::Output;
}

struct AttributeRow {
  int32_t kind;
  const AttributeInfo *attribute;
  Use use;
};

/// Null if there is none of that number.
const KindInfo *findKind(int32_t kind);
/// Null if no kind is called so.
const KindInfo *findKind(llvm::StringRef text);
const AttributeInfo *findAttribute(int32_t attribute);
/// The attributes of a kind.
llvm::ArrayRef<AttributeRow> getRows(int32_t kind);
/// Null if the kind has no such attribute.
const AttributeRow *findRow(int32_t kind, int32_t attribute);

/// "int64", for messages and the manual; null for a number that is no type.
const char *getTypeName(int32_t type);
/// Bytes of an element in the C interface.
size_t getElementSize(int32_t type);

/// The values of an enumeration, from `least` to `most`; both 0 for another
/// type.
struct EnumRange {
  int32_t least, most;
};
/// Returns whether the elements of the type are int32_t.
bool isEnumeration(int32_t type);
EnumRange getEnumRange(int32_t type);

/// The table in Markdown.
void printAttributeTable(llvm::raw_ostream &stream);

} // namespace hamkaas::nodes

#endif // HAMKAAS_FRONTEND_DNN_ATTRIBUTETABLE_H
