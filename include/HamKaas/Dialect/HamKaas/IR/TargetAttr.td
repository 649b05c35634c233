//===- TargetAttr.td - The target of a module --------------*- tablegen -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HAMKAAS_DIALECT_HAMKAAS_IR_TARGETATTR
#define HAMKAAS_DIALECT_HAMKAAS_IR_TARGETATTR

include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/EnumAttr.td"

def HamKaas_Precision : I32EnumAttr<
    "Precision", "arithmetic of large float32 matmuls", [
      I32EnumAttrCase<"Exact", 0, "exact">,
      I32EnumAttrCase<"TF32", 1, "tf32">,
      I32EnumAttrCase<"TF32x3", 2, "3xtf32">,
      I32EnumAttrCase<"BF16", 3, "bf16">
    ]> {
  let cppNamespace = "::hamkaas";
  let genSpecializedAttr = 0;
}

def HamKaas_PrecisionParameter : EnumParameter<HamKaas_Precision> {
  let defaultValue = "::hamkaas::Precision::Exact";
}

// Upstream has three attributes for targets. `#dlti.target_system_spec` maps
// keys to values that nothing verifies. `#llvm.target` and `#nvvm.target` are
// what one code generator of LLVM is given: they know neither a precision nor
// which of our pipelines and emitters a program goes through, and passes that
// ask `#nvvm.target` make the machine code by their own pipelines.
def HamKaas_TargetAttr : AttrDef<HamKaas_Dialect, "Target"> {
  let mnemonic = "target";
  let summary = "target of a module";
  let description = [{
    Stands on the module as `hamkaas.target`, from KERNELS on. `name` is that of
    a registered target, which decides the passes. `chip` is the processor that
    the code runs on: an ISA level of x86-64, or the oldest GPU.

    `precision` is the arithmetic of float32 factors in large contractions of a
    GPU, or of the weights of a CPU's products; all sums are float32:

    | precision | factors                                          |
    |-----------|--------------------------------------------------|
    | `exact`   | float32                                          |
    | `tf32`    | rounded to 10 fraction bits                      |
    | `3xtf32`  | sums of two such numbers, multiplied three times |
    | `bf16`    | rounded to bfloat16, 7 fraction bits             |

    `binaries` are the chips that the program has machine code for, beside code
    that is assembled at load.

    Example: `#hamkaas.target<"cuda", chip = "sm_80", precision = tf32>`
  }];
  let parameters = (ins
    StringRefParameter<>:$name,
    StringRefParameter<>:$chip,
    HamKaas_PrecisionParameter:$precision,
    OptionalArrayRefParameter<"::mlir::StringAttr">:$binaries
  );
  // The declarative format cannot tell apart optional groups that begin with a
  // comma, and `struct` has no brackets for an array.
  let assemblyFormat = [{
    `<` $name `,` `chip` `=` $chip `` custom<TargetOptions>($precision,
        $binaries)
    `` `>`
  }];
  let genVerifyDecl = 1;
}

#endif // HAMKAAS_DIALECT_HAMKAAS_IR_TARGETATTR
