//===- PortableTargetTest.cpp - A new processor is a folder and a row -----===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PortableTarget.h"
#include "HamKaas/Driver/Compiler.h"
#include "HamKaas/Driver/Model.h"
#include "HamKaas/Program/Difference.h"
#include "HamKaas/Run/Runner.h"
#include "HamKaas/Run/Tensors.h"
#include "mlir/Dialect/MLProgram/IR/MLProgram.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

using namespace mlir;
using namespace hamkaas;
using ::testing::HasSubstr;
using ::testing::Not;

namespace {

constexpr PortableTarget portable;

class PortableTargetTest : public ::testing::Test {
protected:
  void SetUp() override {
    auto opened = ModelFile::open(HAMKAAS_EXAMPLES "/mnist/mnist.hk");
    ASSERT_TRUE(bool(opened)) << llvm::toString(opened.takeError());
    file = std::move(*opened);
    // The row of registration.
    TargetRegistry::get(&file->context()).add(portable);
    auto parsed = file->parse({});
    ASSERT_TRUE(bool(parsed)) << llvm::toString(parsed.takeError());
    graph = *parsed;
    options.target = "portable";
    options.parameters = makeParameters();
  }

  std::shared_ptr<const ParameterContents> makeParameters() {
    auto contents = std::make_shared<ParameterContents>();
    for (auto global : graph.getOps<ml_program::GlobalOp>()) {
      auto tensor = std::make_shared<Tensor>(makeRandomTensor(
          cast<RankedTensorType>(global.getType()), global.getSymName()));
      contents->add(global.getSymName(),
                    {static_cast<const char *>(std::as_const(*tensor).data()),
                     size_t(tensor->bytes())});
      contents->keep(tensor);
    }
    return contents;
  }

  /// The output of `runner` on random inputs.
  static Tensor run(llvm::Expected<std::unique_ptr<Runner>> runner) {
    if (!runner)
      llvm::report_fatal_error(runner.takeError());
    std::vector<Tensor> inputs, outputs;
    for (const TensorDeclaration &input : (*runner)->inputs())
      inputs.push_back(makeRandomTensor(input.type, input.name));
    for (const TensorDeclaration &output : (*runner)->outputs())
      outputs.emplace_back(output.type);
    if (llvm::Error error = (*runner)->run(inputs, outputs))
      llvm::report_fatal_error(std::move(error));
    return std::move(outputs.front());
  }

  std::string print(Form form) {
    OwningOpRef<ModuleOp> copy(graph.clone());
    if (llvm::Error error = lowerModel(*copy, form, options))
      return llvm::toString(std::move(error));
    std::string text;
    llvm::raw_string_ostream stream(text);
    copy->print(stream);
    return text;
  }

  std::unique_ptr<ModelFile> file;
  ModuleOp graph;
  CompileOptions options;
};

TEST_F(PortableTargetTest, RunsMnist) {
  OwningOpRef<ModuleOp> reference(graph.clone());
  auto program = compileInMemory(graph, options);
  ASSERT_TRUE(bool(program)) << llvm::toString(program.takeError());
  EXPECT_EQ(program->info.targetCpu, "x86-64");
  EXPECT_TRUE(program->info.runsOnCpu);
  Tensor actual = run(
      createProgramRunner(program->program->program(), &file->context(), {}));
  RunnerOptions interpreted;
  interpreted.parameters = options.parameters.get();
  Tensor expected = run(createReferenceRunner(*reference, interpreted));
  EXPECT_TRUE(compare(decode(actual), decode(expected)).isWithin(1e-5));
}

TEST_F(PortableTargetTest, EmitsVectorsOfItsLanes) {
  std::string planned = print(Form::Planned);
  EXPECT_THAT(planned, HasSubstr("#hamkaas.target<\"portable\", chip = "
                                 "\"generic\">"));
  EXPECT_THAT(planned, HasSubstr("vector<2xf32>"));
  EXPECT_THAT(planned, Not(HasSubstr("vector<4xf32>")));
}

TEST_F(PortableTargetTest, IsNamedInErrors) {
  options.target = "tpu";
  EXPECT_EQ(print(Form::Kernels),
            "--target: expected one or more of cpu, cuda, cuda-emulation, "
            "portable, got 'tpu'");
}

} // namespace
