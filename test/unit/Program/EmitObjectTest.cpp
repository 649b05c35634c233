//===- EmitObjectTest.cpp - Machine code from LLVM modules ----------------===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HamKaas/Program/EmitObject.h"
#include "HamKaas/Program/TargetMachine.h"
#include "HamKaas/Target/Target.h"
#include "llvm/AsmParser/Parser.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Target/TargetMachine.h"
#include "gtest/gtest.h"

using namespace llvm;
using namespace hamkaas;

/// A loop that multiplies its counter by a number to find an address.
static constexpr StringRef loop = R"(
define void @NAME(ptr %to, i64 %stride, i64 %end) ATTRIBUTE {
entry:
  br label %body
body:
  %i = phi i64 [ 0, %entry ], [ %next, %body ]
  %offset = mul i64 %i, %stride
  %place = getelementptr float, ptr %to, i64 %offset
  store float 1.0, ptr %place
  %next = add i64 %i, 1
  %more = icmp slt i64 %next, %end
  br i1 %more, label %body, label %exit
exit:
  ret void
}
)";

static std::string makeLoop(StringRef name, StringRef attribute) {
  std::string text = loop.str();
  text.replace(text.find("NAME"), 4, name);
  text.replace(text.find("ATTRIBUTE"), 9, attribute);
  return text;
}

/// The number of multiplications in the assembler text of `loops`.
static size_t countMultiplications(const std::string &loops) {
  LLVMContext context;
  SMDiagnostic diagnostic;
  std::unique_ptr<Module> module =
      parseAssemblyString(loops, diagnostic, context);
  EXPECT_TRUE(module) << diagnostic.getMessage().str();
  auto machine = createTargetMachine(*findTargetCpu("x86-64-v3"));
  EXPECT_TRUE(bool(machine));
  auto text = emitAssembly(*module, **machine);
  EXPECT_TRUE(bool(text));
  return (*text)->getBuffer().count("imul");
}

TEST(EmitObject, StrengthIsReducedButInPlainModules) {
  std::string plain = ("\"" + plainAddressesAttribute + "\"").str();
  EXPECT_EQ(countMultiplications(makeLoop("f", "")), 0u);
  EXPECT_EQ(countMultiplications(makeLoop("f", plain)), 1u);
  EXPECT_EQ(countMultiplications(makeLoop("f", plain) + makeLoop("g", plain)),
            2u);
  EXPECT_EQ(countMultiplications(makeLoop("f", plain) + makeLoop("g", "")), 0u);
}
