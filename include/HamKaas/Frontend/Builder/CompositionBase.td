//===- CompositionBase.td - What compositions derive from --*- tablegen -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HAMKAAS_FRONTEND_BUILDER_COMPOSITIONBASE
#define HAMKAAS_FRONTEND_BUILDER_COMPOSITIONBASE

include "HamKaas/Dialect/HamKaas/IR/HamKaasOps.td"
include "HamKaas/Frontend/Builder/CompositionEnums.td"

/// Several operations that users call like one: an entry of the table of
/// operations, but no operation of the dialect. It has the name of an operation
/// if it takes whatever that takes, and more; then the table has the composition
/// alone.
///
/// `example` has the inputs with their elements, calls, and the elements of the
/// result, in rows of "name: type [shape] = elements" and "name = call". A test
/// runs it.
class HamKaas_Composition<string name> : HamKaas_Op<name> {
  string example = ?;
}

/// One of the names of element types.
def HamKaas_ElementTypeAttr : TypeAttrBase<"::mlir::Type", "element type">;

/// Attributes that may be left out.
def HamKaas_Axis : OptionalAttr<I64Attr>;
def HamKaas_List : OptionalAttr<DenseI64ArrayAttr>;
class HamKaas_Real<string value> : DefaultValuedOptionalAttr<F64Attr, value>;
class HamKaas_Integer<string value> : DefaultValuedOptionalAttr<I64Attr, value>;

#endif // HAMKAAS_FRONTEND_BUILDER_COMPOSITIONBASE
