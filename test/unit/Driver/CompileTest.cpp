//===- CompileTest.cpp - What compilations have in common -----------------===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HamKaas/Driver/Compiler.h"
#include "HamKaas/Driver/Model.h"
#include "HamKaas/Driver/Registration.h"
#include "mlir/IR/MLIRContext.h"
#include "gtest/gtest.h"

using namespace mlir;
using namespace hamkaas;

/// A model of `count` inputs and results, whose kernels have other sizes each.
static std::string makeModel(int count) {
  std::string arguments, results, types, named, body;
  for (int i = 0; i < count; ++i) {
    std::string type = "tensor<" + std::to_string(5 + i) + "x3xf32>";
    std::string number = std::to_string(i);
    std::string comma = i == 0 ? "" : ", ";
    arguments += comma + "%x" + number + ": " + type + " {hamkaas.name = \"x" +
                 number + "\"}";
    named += comma + type + " {hamkaas.name = \"y" + number + "\"}";
    types += comma + type;
    results += comma + "%y" + number;
    body +=
        "  %y" + number + " = hamkaas.relu %x" + number + " : " + type + "\n";
  }
  return "func.func @main(" + arguments + ") -> (" + named + ") {\n" + body +
         "  return " + results + " : " + types + "\n}\n";
}

/// The objects of a program, and what was said of the kernels meanwhile.
struct Compiled {
  ProgramObjects objects;
  size_t kernels = 0;
  std::vector<int> done;
  int total = 0;
};

static void compile(StringRef text, unsigned threads, Compiled &compiled) {
  DialectRegistry registry;
  registerDialects(registry);
  MLIRContext context(registry);
  llvm::SourceMgr sources;
  sources.AddNewSourceBuffer(llvm::MemoryBuffer::getMemBuffer(text, "model"),
                             SMLoc());
  ParsedModel model = parseModel(sources, &context, {});
  ASSERT_TRUE(model);
  CompileOptions options;
  options.noCache = true;
  options.compileThreads = threads;
  options.kernelProgress = [&](int done, int total) {
    compiled.done.push_back(done);
    compiled.total = total;
  };
  auto result = compileModel(*model, options);
  ASSERT_TRUE(bool(result)) << llvm::toString(result.takeError());
  compiled.objects = std::move(result->objects);
  compiled.kernels = result->info.calls.size();
}

TEST(Compile, SmallKernelsShareObjects) {
  constexpr int count = 20;
  Compiled compiled;
  compile(makeModel(count), /*threads=*/1, compiled);
  ASSERT_EQ(compiled.kernels, size_t(count));
  // Beside the descriptor and the calls.
  size_t objects = compiled.objects.size() - 2;
  EXPECT_GT(objects, 1u);
  EXPECT_LT(objects, size_t(count / 2));
  EXPECT_EQ(compiled.done.size(), objects);
  EXPECT_EQ(compiled.done.back(), count);
  EXPECT_EQ(compiled.total, count);
}

TEST(Compile, ObjectsDoNotDependOnThreads) {
  std::string text = makeModel(20);
  Compiled one, four;
  compile(text, /*threads=*/1, one);
  compile(text, /*threads=*/4, four);
  ASSERT_EQ(one.objects.size(), four.objects.size());
  for (auto [a, b] : llvm::zip_equal(one.objects, four.objects))
    EXPECT_EQ(a->getBuffer(), b->getBuffer());
}
