//===- hamkaas-example-program.cpp - Writes a small program -----*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ExampleProgram.h"
#include "HamKaas/Program/Aot.h"
#include "llvm/Support/CommandLine.h"

using namespace llvm;
using namespace hamkaas;

static cl::opt<std::string> output("o", cl::Required,
                                   cl::desc("the program file"));
static cl::opt<std::string> name("name", cl::init("example"),
                                 cl::desc("the name of the model"));
static cl::opt<bool> embed("embed", cl::init(true),
                           cl::desc("embed the parameter"));
static cl::opt<uint64_t>
    padding("parameter-megabytes", cl::init(0),
            cl::desc("embed a second parameter of this size, to measure"));

static Error run() {
  ProgramInfo info = test::exampleInfo(name);
  std::vector<char> large(padding << 20, 'x');
  ArrayRef<char> parameters[] = {test::exampleBias(), large};
  AotOptions options;
  options.output = output;
  options.descriptor.embedParameters = embed;
  if (embed)
    options.parameters = ArrayRef(parameters).take_front(padding ? 2 : 1);
  if (padding)
    info.parameters.push_back(
        {"large", HamKaasFloat32, {int64_t(large.size() / 4)}});
  Expected<ProgramObjects> objects =
      test::exampleObjects(info, options.descriptor);
  if (!objects)
    return objects.takeError();
  return writeProgram(info, *objects, options);
}

int main(int argc, char **argv) {
  cl::ParseCommandLineOptions(argc, argv, "Writes the model of the tests\n");
  ExitOnError exitOnError("error: ");
  exitOnError(run());
  return 0;
}
