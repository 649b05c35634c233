//===- use-library.cpp - Compiles and runs a model from C++ -----*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "hamkaas-cpp/HamKaas.h"

#include <array>
#include <cstdio>
#ifdef HAMKAAS_EXCEPTIONS
#include <stdexcept>
#endif

static const char script[] = "$1 = BufferTensor(float32, [4]);\n"
                             "$2 = InputTensor(x, float32, [2]);\n"
                             "$3 = InputTensor(start, int64, [1]);\n"
                             "$4 = InputTensor(end, int64, [1]);\n"
                             "$5 = ReplaceSliceNode($1, $2, $3, $4);\n"
                             "result = $5;\n";

static void print(const std::vector<float> &values) {
  for (float value : values)
    std::printf("%g ", value);
  std::printf("\n");
}

#ifdef HAMKAAS_EXCEPTIONS

static void useLibrary() {
  auto instance = hamkaas::Model::compile(script).createInstance();
  std::array<float, 2> x = {1, 2};
  const std::vector<int64_t> start = {1}, end = {3};
  std::vector<float> y(4);
  instance.run({{"x", x}, {"start", start}, {"end", end}}, {{"result", y}});
  print(y);
  std::string name = instance.state().tensors()[0].name;
  instance.state().write(name, std::vector<float>{5, 6, 7, 8});
  print(instance.state().read<float>(name));
  try {
    instance.run({{"x", x}}, {{"result", y}});
  } catch (const hamkaas::Error &error) {
    std::printf("error: %s\n", error.what());
  }
  // A callback's exception leaves the call, and does not pass the library.
  hamkaas::CompileOptions options;
  options.progress = [](std::string_view, int, int) -> bool {
    throw std::runtime_error("thrown by a callback");
  };
  try {
    hamkaas::Model::compile(script, options);
  } catch (const std::runtime_error &error) {
    std::printf("error: %s\n", error.what());
  }
}

#else

static void useLibrary() {
  auto model = hamkaas::Model::compile(script);
  if (!model)
    return;
  auto instance = model->createInstance();
  if (!instance)
    return;
  std::array<float, 2> x = {1, 2};
  const std::vector<int64_t> start = {1}, end = {3};
  float y[4];
  if (instance->run({{"x", x}, {"start", start}, {"end", end}},
                    {{"result", y}}))
    print({y, y + 4});
  std::string name = instance->state().tensors()[0].name;
  if (instance->state().write(name, std::vector<float>{5, 6, 7, 8}))
    print(*instance->state().read<float>(name));
  auto failed = instance->run({{"x", x}}, {{"result", y}});
  std::printf("error: %s\n", failed.error().what());
  hamkaas::CompileOptions options;
  options.progress = [](std::string_view, int, int) { return false; };
  auto stopped = hamkaas::Model::compile(script, options);
  std::printf("error: %s\n", stopped.error().what());
}

#endif

// Both variants may be in one program: another file calls this.
#ifdef SECOND_FILE
void second();
void second() { useLibrary(); }
#else
#ifdef TWO_FILES
void second();
#endif
int main() {
  useLibrary();
#ifdef TWO_FILES
  second();
#endif
  return 0;
}
#endif
