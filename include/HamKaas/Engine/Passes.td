//===- Passes.td - Groups for engine libraries -------------*- tablegen -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HAMKAAS_ENGINE_PASSES
#define HAMKAAS_ENGINE_PASSES

include "mlir/Pass/PassBase.td"

def UseEngines : Pass<"hamkaas-use-engines", "mlir::ModuleOp"> {
  let summary = "give groups to engine libraries";
  let description = [{
    Before and after: GRAPH. After, what an engine of `engines` computes stands
    in groups, each of one `hamkaas.engine_call`.

    * Engines are offered the groups that `hamkaas-form-groups` makes, whole and
      in parts, larger ones first: the operations that one of them needs, and
      each by itself.
    * `engines` is a list of rules as in `--engine`. A part goes to the first
      rule whose place it is at and whose engine applies, on `device` and with
      `precision`.
    * A group with an entry in `choices` goes by that, not by the rules. Its
      digest identifies what a group computes, wherever it stands.
    * Engine `hamkaas`, our own, takes all. Its operations stay what they are,
      with the knobs of the rule that they have as `hamkaas.knobs`.
    * An engine that packs constant inputs has a group for that, too, which
      `hamkaas-hoist-parameters` moves to `@prepare`.
    * Engines are asked in a child process first, so that one that crashes or
      hangs ends in an error that names it.
    * `verify` compares what an engine computes with the interpreter, in a child
      process, too. A difference is an error.
    * Groups that change an operand in place, groups of constants alone, and
      operations that check values in a run are not offered.
  }];
  let options = [
    Option<"engines", "engines", "std::string", /*default=*/"",
           "Rules: ID[:KNOB=VALUE]...[@PLACE], separated by commas">,
    Option<"path", "path", "std::string", /*default=*/"",
           "Folders and files with engine libraries, separated by colons">,
    Option<"choices", "choices", "std::string", /*default=*/"",
           "Engines of groups: DIGEST=ID[:KNOB=VALUE]..., separated by commas">,
    Option<"verify", "verify", "bool", /*default=*/"false",
           "Compare what engines compute with the interpreter">,
    Option<"device", "device", "std::string", /*default=*/"\"cpu\"",
           "Where the engines run: cpu or cuda">,
    Option<"precision", "precision", "std::string", /*default=*/"\"exact\"",
           "How factors of large products may be rounded">,
  ];
  let dependentDialects = [
    "hamkaas::HamKaasDialect", "mlir::tensor::TensorDialect"];
}

#endif // HAMKAAS_ENGINE_PASSES
