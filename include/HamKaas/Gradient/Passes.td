//===- Passes.td - Passes that differentiate ---------------*- tablegen -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HAMKAAS_GRADIENT_PASSES
#define HAMKAAS_GRADIENT_PASSES

include "mlir/Pass/PassBase.td"

def DifferentiateFunction : Pass<"hamkaas-differentiate", "mlir::ModuleOp"> {
  let summary = "add gradients to the results of an entry function";
  let description = [{
    Adds the gradient of one result, a single float, with respect to each of the
    chosen arguments behind the operations of the function, and returns them
    behind its results, as `gradient.NAME`. GRAPH before and after. Fails, at
    the operation in question, where there is no gradient.
  }];
  let options = [
    Option<"function", "function", "std::string", /*default=*/"",
           "Entry function; the first one if this is empty">,
    Option<"result", "result", "std::string", /*default=*/"",
           "Name of the result to differentiate; may be left out if there is "
           "only one">,
    ListOption<"arguments", "arguments", "std::string",
               "Names of arguments; all of floats if this is empty">
  ];
  let dependentDialects = ["hamkaas::HamKaasDialect"];
}

#endif // HAMKAAS_GRADIENT_PASSES
