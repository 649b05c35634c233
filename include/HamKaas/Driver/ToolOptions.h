//===- ToolOptions.h - The options of all tools -----------------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HAMKAAS_DRIVER_TOOLOPTIONS_H
#define HAMKAAS_DRIVER_TOOLOPTIONS_H

#include "llvm/Option/OptTable.h"
#include <string>

namespace hamkaas {

/// The options of ToolOptions.td: OPT_gpu_arch is `--gpu-arch`. OPT_check_alias
/// and the like are other ways to write them, which only the parser sees.
enum ToolOption : unsigned {
  OPT_INVALID = 0,
#define OPTION(...) LLVM_MAKE_OPT_ID(__VA_ARGS__),
#include "HamKaas/Options/ToolOptionParser.inc"
#undef OPTION
};

/// The tools that ToolOptions.td knows.
enum ToolVisibility : unsigned {
  CompileTool = 1 << 1,
  RunTool = 1 << 2,
  TranslateTool = 1 << 3
};

/// "--gpu-arch", "-o"
std::string getFlag(ToolOption option);

} // namespace hamkaas

#endif // HAMKAAS_DRIVER_TOOLOPTIONS_H
