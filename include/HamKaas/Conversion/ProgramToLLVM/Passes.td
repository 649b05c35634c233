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
  let summary = "turn @main and @prepare into LLVM functions for the CPU";
  let description = [{
    Before: the form PLANNED. After: `@hamkaas_run` and `@hamkaas_prepare` with
    the signatures of HamKaasRunFunction and HamKaasPrepareFunction. A call of a
    kernel stores the addresses of its operands in an array on the stack and runs
    all tiles on the caller, or hands them to the thread pool when its work,
    counted in operations and bytes, is worth waking a thread. The checks of what
    is known when the run begins come first, before anything is written.

    A `hamkaas.repeat` becomes a loop of calls of an internal function for the body
    of the loop, with tables of addresses as for the program itself.

    The body of a kernel `@k0` becomes `@k0_body`, to be lowered by
    `hamkaas-lower-kernels`; `@k0` is declared, with the signature
    HamKaasKernelFunction, and defined by `hamkaas-link-kernels`.
  }];
  let dependentDialects = ["mlir::LLVM::LLVMDialect"];
  let options = [
    Option<"threadFlops", "thread-flops", "int64_t", /*default=*/"400000",
           "Operations from which on a kernel is run by several threads">,
    Option<"threadBytes", "thread-bytes", "int64_t", /*default=*/"131072",
           "Bytes read and written from which on a kernel is run by several "
           "threads">
  ];
}

def LowerDeviceProgram
    : Pass<"hamkaas-lower-device-program", "mlir::ModuleOp"> {
  let summary = "turn @main and @prepare into LLVM functions for a GPU";
  let description = [{
    Before: the form PLANNED, kernels outlined by
    `hamkaas-gpu-outline-device-code`. After: `@hamkaas_device_run` and
    `@hamkaas_device_prepare` with the signatures of HamKaasRunFunction and
    HamKaasPrepareFunction, which call `launch` and `copy` of the execution for
    each call and copy, in their order. They compute with addresses of the
    device and never read them. A constant is found by its name in the device
    code.

    The checks of what is known when the run begins are launched first, those of
    other calls just before the call.
  }];
  let dependentDialects = ["mlir::LLVM::LLVMDialect"];
}

def LinkKernels : Pass<"hamkaas-link-kernels", "mlir::ModuleOp"> {
  let summary = "let the lowered kernels take the place of their declarations";
  let description = [{
    Renames the LLVM function `@k0_body` to `@k0`, in place of the declaration
    that `hamkaas-lower-program` left. Fails if `@k0` is no declaration.
  }];
  let dependentDialects = ["mlir::LLVM::LLVMDialect"];
}

def VerifyTarget : Pass<"hamkaas-verify-target", "mlir::ModuleOp"> {
  let summary = "check that a module has the form TARGET";
  let description = [{
    Functions and globals of the LLVM dialect, and no operation of another one;
    in a `gpu.module` those of the NVVM dialect, too.
    Each function is defined, so that code is all that the program needs.
    `@hamkaas_run` has the type HamKaasRunFunction, `@hamkaas_prepare`, if it is
    there, HamKaasPrepareFunction, and each kernel HamKaasKernelFunction. Of a
    program for a GPU the two are `@hamkaas_device_run` and
    `@hamkaas_device_prepare`. Changes nothing.
  }];
}

#endif // HAMKAAS_CONVERSION_PROGRAMTOLLVM_PASSES
