// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The option in C++.
#include "hamkaas-cpp/HamKaas.h"

bool hands_it_over() {
  hamkaas::CompileOptions options;
  bool hasDefault = options.probeDepth == 0;
  options.probeDepth = 3;
  hamkaas::detail::CompileRequest request(options);
  return hasDefault && request.get()->probeDepth == 3;
}
