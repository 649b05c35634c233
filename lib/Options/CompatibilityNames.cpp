//===- CompatibilityNames.cpp - Names of earlier versions -------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The only place of names that are retired but work until 1.0, which help and
// documents do not show. MLIR cannot hide a registered pass, so the names are
// replaced where users give them.
//
//===----------------------------------------------------------------------===//

#include "HamKaas/Options/CompatibilityNames.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using namespace hamkaas;
using llvm::StringRef;

namespace {
struct Renamed {
  StringRef before, now;
};
} // namespace

static constexpr Renamed renamedPasses[] = {
    {"hamkaas-convolutions-to-products", "hamkaas-pointwise-conv-to-matmul"},
    {"hamkaas-gpu-distribute-lanes", "hamkaas-gpu-distribute-to-threads"},
    {"hamkaas-merge-products", "hamkaas-fuse-horizontal-matmuls"},
    {"hamkaas-products-to-reductions", "hamkaas-matmul-to-reduction"},
};

static StringRef getCurrentName(StringRef name) {
  const auto *found = llvm::find_if(renamedPasses, [&](const Renamed &renamed) {
    return renamed.before == name;
  });
  return found == std::end(renamedPasses) ? name : found->now;
}

std::string hamkaas::updatePassNames(StringRef text) {
  auto isOfName = [](char c) { return llvm::isAlnum(c) || c == '-'; };
  std::string result;
  while (!text.empty()) {
    size_t begin = text.find("hamkaas-");
    result += text.take_front(begin);
    text = text.substr(begin);
    StringRef name = text.take_while(isOfName);
    result += getCurrentName(name);
    text = text.drop_front(name.size());
  }
  return result;
}
