//===- Passes.td - From PLANNED programs to LLVM functions -*- tablegen -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HAMKAAS_CONVERSION_PROGRAMTOLLVM_PASSES
#define HAMKAAS_CONVERSION_PROGRAMTOLLVM_PASSES

include "mlir/Pass/PassBase.td"

def LowerProgram : Pass<"hamkaas-lower-program", "mlir::ModuleOp"> {
  let summary = "lower @main and @prepare to LLVM functions for the CPU";
  let description = [{
    Before: the form PLANNED. After: `@hamkaas_run` and `@hamkaas_prepare` with
    the signatures of HamKaasRunFunction and HamKaasPrepareFunction. Further
    entry functions are `@hamkaas_run_1` and so on. A kernel
    call stores the addresses of its operands in an array on the stack. It runs
    all tiles on the caller, or hands them to the thread pool when its
    operations and bytes are worth waking a thread. Checks of values that are
    known when the run begins come first, before anything is written.

    A `hamkaas.repeat` becomes a loop of calls of an internal function for its
    body, with tables of addresses as for the program itself.

    The body of a kernel `@k0` becomes `@k0_body`, to be lowered by
    `hamkaas-lower-kernels`; `@k0` is declared with the signature
    HamKaasKernelFunction, and defined by `hamkaas-link-kernels`.
  }];
  let dependentDialects = ["mlir::LLVM::LLVMDialect"];
  let options = [
    Option<"threadFlops", "thread-flops", "int64_t", /*default=*/"400000",
           "Fewest operations of a kernel that several threads run">,
    Option<"threadBytes", "thread-bytes", "int64_t", /*default=*/"131072",
           "Fewest bytes read and written by a kernel that several threads "
           "run">
  ];
}

def LowerDeviceProgram
    : Pass<"hamkaas-lower-device-program", "mlir::ModuleOp"> {
  let summary = "lower @main and @prepare to LLVM functions for a GPU";
  let description = [{
    Before: the form PLANNED, with kernels outlined by
    `hamkaas-gpu-outline-device-code`. After: `@hamkaas_device_run` and
    `@hamkaas_device_prepare` with the signatures of HamKaasRunFunction and
    HamKaasPrepareFunction, and `@hamkaas_device_run_1` and so on for further
    entry functions. For each call and copy, in order, they call `launch`
    and `copy` of the execution. They compute device addresses and never read
    them. A constant is found by its name in the device code.

    Checks of values that are known when the run begins are launched first,
    others just before their call.
  }];
  let dependentDialects = ["mlir::LLVM::LLVMDialect"];
}

def LinkKernels : Pass<"hamkaas-link-kernels", "mlir::ModuleOp"> {
  let summary = "replace declarations by the lowered kernels";
  let description = [{
    Renames the LLVM function `@k0_body` to `@k0`, in place of the declaration
    that `hamkaas-lower-program` left. Fails if `@k0` is not a declaration.
  }];
  let dependentDialects = ["mlir::LLVM::LLVMDialect"];
}

def VerifyTarget : Pass<"hamkaas-verify-target", "mlir::ModuleOp"> {
  let summary = "check that a module has the form TARGET";
  let description = [{
    * The module has only functions and globals of the LLVM dialect; in a
      `gpu.module` also of the NVVM dialect.
    * Each function is defined: the program needs no other code.
    * `@hamkaas_run` has the type HamKaasRunFunction, `@hamkaas_prepare`, if
      present, HamKaasPrepareFunction, and each kernel HamKaasKernelFunction.
      In a program for a GPU the former two are `@hamkaas_device_run` and
      `@hamkaas_device_prepare`.

    Changes nothing.
  }];
}

#endif // HAMKAAS_CONVERSION_PROGRAMTOLLVM_PASSES
