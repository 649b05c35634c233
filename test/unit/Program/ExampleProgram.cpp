//===- ExampleProgram.cpp - A small model written by hand -------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ExampleProgram.h"
#include "HamKaas/Program/EmitObject.h"
#include "HamKaas/Target/Target.h"
#include "llvm/AsmParser/Parser.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Target/TargetMachine.h"

using namespace llvm;

namespace hamkaas::test {

static const char *const exampleText = R"(
define i32 @hamkaas_prepare(ptr %execution, ptr %parameters, ptr %constants,
                            ptr %workspace) {
  %bias = load ptr, ptr %parameters
  %value = load <4 x float>, ptr %bias, align 4
  store <4 x float> %value, ptr %constants, align 16
  ret i32 0
}

define i32 @hamkaas_run(ptr %execution, ptr %inputs, ptr %outputs,
                        ptr %constants, ptr %state, ptr %workspace) {
  %x.ptr = load ptr, ptr %inputs
  %y.slot = getelementptr ptr, ptr %inputs, i64 1
  %y.ptr = load ptr, ptr %y.slot
  %sum.ptr = load ptr, ptr %outputs
  %x = load <4 x float>, ptr %x.ptr, align 4
  %y = load <4 x float>, ptr %y.ptr, align 4
  %bias = load <4 x float>, ptr %constants, align 16
  %n = load float, ptr %state
  %n.first = insertelement <4 x float> poison, float %n, i32 0
  %n.all = shufflevector <4 x float> %n.first, <4 x float> poison,
                         <4 x i32> zeroinitializer
  %x.y = fadd <4 x float> %x, %y
  %x.y.bias = fadd <4 x float> %x.y, %bias
  %sum = fadd <4 x float> %x.y.bias, %n.all
  store <4 x float> %sum, ptr %sum.ptr, align 4
  %next = fadd float %n, 1.0
  store float %next, ptr %state
  ret i32 0
}
)";

ProgramInfo exampleInfo(StringRef name) {
  ProgramInfo info;
  info.name = name.str();
  info.targetCpu = "x86-64";
  info.digest = sourceDigest("example");
  info.inputs = {{"x", HamKaasFloat32, {2, 2}}, {"y", HamKaasFloat32, {4}}};
  info.outputs = {{"sum", HamKaasFloat32, {4}}};
  info.parameters = {{"bias", HamKaasFloat32, {1, 4}}};
  info.states = {{"n", HamKaasFloat32, {1}}};
  info.calls = {
      {"k0", "elementwise", "example.hk:1:1", "add+add", 12, 64, 1, ""}};
  info.constantsBytes = 256;
  info.stateBytes = 256;
  return info;
}

Expected<ProgramObjects> exampleObjects(const ProgramInfo &info,
                                        const DescriptorOptions &options) {
  LLVMContext context;
  SMDiagnostic diagnostic;
  std::unique_ptr<Module> module =
      parseAssemblyString(exampleText, diagnostic, context);
  if (!module)
    return createStringError(diagnostic.getMessage());
  if (Error error = addProgramDescriptor(*module, info, options))
    return std::move(error);
  Expected<TargetCpu> cpu = resolveTargetCpu("x86-64");
  if (!cpu)
    return cpu.takeError();
  Expected<std::unique_ptr<TargetMachine>> machine = createTargetMachine(*cpu);
  if (!machine)
    return machine.takeError();
  ProgramObjects objects(1);
  if (Error error = emitObject(*module, **machine).moveInto(objects.front()))
    return std::move(error);
  return objects;
}

ArrayRef<char> exampleBias() {
  static const float bias[] = {10, 20, 30, 40};
  return ArrayRef<char>(reinterpret_cast<const char *>(bias), sizeof(bias));
}

} // namespace hamkaas::test
