//===- EngineGroup.h - The text of a group ----------------------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The compiler writes a group as a text, which is a part of the program. Both
// the compiler and the runtime read that text to ask an engine, which therefore
// sees the same group. A line each:
//
//     hamkaas-group 1
//     device cuda
//     precision tf32
//     input float32 128 784
//     constant float32 784 1000
//     node matmul 0 1 : float32 128 1000
//     attribute axis integer 1
//     attribute alpha number 3fe0000000000000
//     attribute approximate text tanh
//     attribute strides integers 2 2
//     script
//     <the script language, to the end>
//
// Values are numbered from 0: inputs and constants in the order of their lines,
// then the results of nodes. The last node's result is that of the group. A
// number is written as the bits of a float64. `script` may be absent, as may be
// the device cpu and the precision exact.
//
//===----------------------------------------------------------------------===//

#ifndef HAMKAAS_RUNTIME_ENGINE_ENGINEGROUP_H
#define HAMKAAS_RUNTIME_ENGINE_ENGINEGROUP_H

#include "HamKaas/Runtime/Core/Error.h"
#include "hamkaas-c/Engine.h"

namespace hamkaas::rt {

/// A HamKaasEngineGroup and all it refers to.
class EngineGroup {
public:
  EngineGroup() = default;
  EngineGroup(const EngineGroup &) = delete;
  EngineGroup &operator=(const EngineGroup &) = delete;
  ~EngineGroup();

  /// Reads a group once. An error names the line.
  Error parse(const char *text);

  const HamKaasEngineGroup &get() const { return group; }

private:
  class Parser;

  HamKaasEngineGroup group = {};
  char *text = nullptr;
  HamKaasEngineTensor *values = nullptr;
  HamKaasEngineNode *nodes = nullptr;
  HamKaasEngineAttribute *attributes = nullptr;
  int64_t *integers = nullptr;
  int32_t *operands = nullptr;
};

} // namespace hamkaas::rt

#endif // HAMKAAS_RUNTIME_ENGINE_ENGINEGROUP_H
