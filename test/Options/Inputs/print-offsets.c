// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/* Prints where the members of HamKaasCompileOptions are. */
#include "hamkaas-c/Compiler.h"
#include <stdio.h>

#define PRINT(member)                                                          \
  printf(#member " %zu\n", offsetof(HamKaasCompileOptions, member))

int main(void) {
  PRINT(structSize);
  PRINT(name);
  PRINT(targetCpu);
  PRINT(maxWorkspace);
  PRINT(unchecked);
  PRINT(lineCount);
  PRINT(lines);
  PRINT(progress);
  PRINT(progressContext);
  PRINT(dimensions);
  PRINT(constantInputs);
  PRINT(dimensionCount);
  PRINT(constantInputCount);
  PRINT(failure);
  PRINT(summary);
  PRINT(noCache);
  PRINT(compileThreads);
  PRINT(target);
  PRINT(gpuArch);
  PRINT(engine);
  PRINT(precision);
  PRINT(verify);
  PRINT(externalDataRoot);
  PRINT(noOptimize);
  PRINT(winogradError);
  PRINT(graphPasses);
  PRINT(checkEachPass);
  PRINT(optionNames);
  PRINT(debugInfo);
#ifdef HAS_OPTION
  HamKaasCompileOptions options = {0};
  options.probeDepth = 3;
  if (options.probeDepth == 3 && offsetof(HamKaasCompileOptions, probeDepth) >
                                     offsetof(HamKaasCompileOptions, debugInfo))
    printf("added after all others\n");
#endif
  return 0;
}
