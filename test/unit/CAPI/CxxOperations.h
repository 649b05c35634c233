//===- CxxOperations.h - Each operation, called from C++ --------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HAMKAAS_TEST_UNIT_CAPI_CXXOPERATIONS_H
#define HAMKAAS_TEST_UNIT_CAPI_CXXOPERATIONS_H

#include "hamkaas-c/Graph.h"

#include <string>
#include <vector>

namespace hamkaas::test {

/// A graph of one operation as MLIR, built by its function of
/// hamkaas-cpp/Operations.h: inputs x0, x1, ... of these types, null for an
/// operand that is left out, and outputs "result", "result1", ... Otherwise the
/// error.
std::string callFromCxx(const std::string &operation,
                        const std::vector<const HamKaasTensorType *> &operands,
                        const std::vector<HamKaasAttribute> &attributes);

} // namespace hamkaas::test

#endif // HAMKAAS_TEST_UNIT_CAPI_CXXOPERATIONS_H
