//===- ElementwiseBase.td - Classes of elementwise ops -----*- tablegen -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HAMKAAS_DIALECT_HAMKAAS_IR_ELEMENTWISEBASE
#define HAMKAAS_DIALECT_HAMKAAS_IR_ELEMENTWISEBASE

include "HamKaas/Dialect/HamKaas/IR/HamKaasOpBase.td"

/// An operation on two tensors of one element type, of which the second is
/// repeated where its size is 1.
class HamKaas_BinaryOp<string mnemonic, TypeConstraint type,
                       list<string> kernelMethods = []>
    : HamKaas_GraphOp<mnemonic, "Elementwise", [
        DeclareOpInterfaceMethods<InferTypeOpInterface>], kernelMethods, "true",
        [{
          ::llvm::LogicalResult $cppClass::inferReturnTypes(
              ::mlir::MLIRContext *, std::optional<::mlir::Location> loc,
              ::mlir::ValueRange operands, ::mlir::DictionaryAttr,
              ::mlir::OpaqueProperties, ::mlir::RegionRange,
              ::llvm::SmallVectorImpl<::mlir::Type> &types) {
            return ::hamkaas::inferBroadcast(loc, operands, types);
          }
        }]> {
  let arguments = (ins type:$lhs, type:$rhs);
  let results = (outs type:$result);
  // One builder in place of MLIR's seven, which took half the compile time of
  // these operations.
  let skipDefaultBuilders = 1;
  let builders = [OpBuilder<(ins "::mlir::Value":$lhs, "::mlir::Value":$rhs), [{
    $_state.addOperands({lhs, rhs});
    $_state.addTypes(lhs.getType());
  }]>];
  let assemblyFormat = "$lhs `,` $rhs attr-dict `:` type($lhs) `,` type($rhs)";
}

/// A binary operation described by its formula on elements `l` and `r`.
class HamKaas_FormulaOp<string mnemonic, TypeConstraint type, string what,
                        string formula, string note, string gradient,
                        string element = "f32",
                        list<string> kernelMethods = []>
    : HamKaas_BinaryOp<mnemonic, type, kernelMethods> {
  let summary = what;
  let description = "`result[i] = " # formula # "` with `l = lhs[i]` and `r = "
      "rhs[i]`. " # note # " Shapes and constraints are those of "
      "`hamkaas.add`.\n\nGradient: " # gradient # ".\n\nExample:\n\n```mlir\n%y = hamkaas." # mnemonic #
      " %x, %b : tensor<2x3x" # element # ">, tensor<1x3x" # element #
      ">\n```\n";
}

class HamKaas_UnaryOp<string mnemonic, TypeConstraint type,
                      list<string> kernelMethods = [], string definitions = "">
    : HamKaas_GraphOp<mnemonic, "Elementwise", [SameOperandsAndResultType],
                      kernelMethods, "true", definitions> {
  let arguments = (ins type:$x);
  let results = (outs type:$result);
  let skipDefaultBuilders = 1;
  let builders = [OpBuilder<(ins "::mlir::Value":$x), [{
    $_state.addOperands(x);
    $_state.addTypes(x.getType());
  }]>];
  let assemblyFormat = "$x attr-dict `:` type($x)";
}

#endif // HAMKAAS_DIALECT_HAMKAAS_IR_ELEMENTWISEBASE
