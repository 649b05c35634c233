//===- HamKaasOpBase.td - Classes that the ops derive from -*- tablegen -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HAMKAAS_DIALECT_HAMKAAS_IR_HAMKAASOPBASE
#define HAMKAAS_DIALECT_HAMKAAS_IR_HAMKAASOPBASE

include "HamKaas/Dialect/HamKaas/IR/HamKaasDialect.td"
include "HamKaas/Dialect/HamKaas/IR/HamKaasInterfaces.td"
include "mlir/Interfaces/InferTypeOpInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

class HamKaas_Op<string mnemonic, list<Trait> traits = []>
    : Op<HamKaas_Dialect, mnemonic, traits> {
  /// Why users cannot create the operation by its name, operands and attributes,
  /// as the table of operations lets them (OperationTable.h). Empty if they can.
  string closed = "";
}

/// An operation of GRAPH: one pure value from others. `kernelMethods` are the
/// methods of KernelOpInterface that the op defines beside those given here,
/// `definitions` C++ code of its methods.
class HamKaas_GraphOp<string mnemonic, string family, list<Trait> traits = [],
                      list<string> kernelMethods = [], string pointwise = "false",
                      string definitions = "">
    : HamKaas_Op<mnemonic, !listconcat([
        Pure,
        DeclareOpInterfaceMethods<KernelOpInterface,
            !listconcat(["getKernelFamily", "isPointwise"], kernelMethods)>
      ], traits)> {
  let extraClassDefinition = [{
    ::hamkaas::KernelFamily $cppClass::getKernelFamily() {
      return ::hamkaas::KernelFamily::}] # family # [{;
    }
    bool $cppClass::isPointwise() { return }] # pointwise # [{; }
  }] # definitions;
}

#endif // HAMKAAS_DIALECT_HAMKAAS_IR_HAMKAASOPBASE
