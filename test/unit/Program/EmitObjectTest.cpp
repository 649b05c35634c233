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
#include "llvm/Support/FormatVariadic.h"
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

/// Occurrences of `pattern` in the assembler text of `code`.
static size_t countInCode(StringRef pattern, const std::string &code) {
  LLVMContext context;
  SMDiagnostic diagnostic;
  std::unique_ptr<Module> module =
      parseAssemblyString(code, diagnostic, context);
  EXPECT_TRUE(module) << diagnostic.getMessage().str();
  auto machine = createTargetMachine(*findTargetCpu("x86-64-v3"));
  EXPECT_TRUE(bool(machine));
  auto text = emitAssembly(*module, **machine);
  EXPECT_TRUE(bool(text));
  return (*text)->getBuffer().count(pattern);
}

static size_t countMultiplications(const std::string &loops) {
  return countInCode("imul", loops);
}

TEST(EmitObject, StrengthIsReducedButInPlainModules) {
  std::string plain = ("\"" + plainAddressesAttribute + "\"").str();
  EXPECT_EQ(countMultiplications(makeLoop("f", "")), 0u);
  EXPECT_EQ(countMultiplications(makeLoop("f", plain)), 1u);
  EXPECT_EQ(countMultiplications(makeLoop("f", plain) + makeLoop("g", plain)),
            2u);
  EXPECT_EQ(countMultiplications(makeLoop("f", plain) + makeLoop("g", "")), 0u);
}

/// Powers of ten vectors, all squares before all cubes and so on: more values
/// at once than there are registers.
static std::string makePowers(StringRef attribute) {
  constexpr int vectors = 10, powers = 6;
  std::string code;
  raw_string_ostream text(code);
  text << "define void @f(ptr %x) " << attribute << " {\n";
  for (int i = 0; i < vectors; ++i)
    text << formatv("  %a{0} = getelementptr <8 x float>, ptr %x, i64 {0}\n"
                    "  %p0.{0} = load <8 x float>, ptr %a{0}\n",
                    i);
  for (int power = 1; power < powers; ++power)
    for (int i = 0; i < vectors; ++i)
      text << formatv("  %p{0}.{1} = fmul <8 x float> %p{2}.{1}, %p0.{1}\n",
                      power, i, power - 1);
  for (int i = 0; i < vectors; ++i)
    text << formatv("  store <8 x float> %p{0}.{1}, ptr %a{1}\n", powers - 1,
                    i);
  text << "  ret void\n}\n";
  return code;
}

TEST(EmitObject, OrderIsKeptWhereAskedFor) {
  std::string kept = ("\"" + keepOrderAttribute + "\"").str();
  EXPECT_EQ(countInCode("(%rsp)", makePowers("")), 0u);
  EXPECT_GT(countInCode("(%rsp)", makePowers(kept)), 0u);
}
