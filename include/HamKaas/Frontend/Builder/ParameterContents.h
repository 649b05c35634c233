//===- ParameterContents.h - Contents of a model's parameters ---*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HAMKAAS_FRONTEND_BUILDER_PARAMETERCONTENTS_H
#define HAMKAAS_FRONTEND_BUILDER_PARAMETERCONTENTS_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringMap.h"
#include <memory>
#include <vector>

namespace hamkaas {

/// Contents of the parameters of a model that includes them: dense, row-major,
/// as a program stores them, by the name of the parameter.
class ParameterContents {
public:
  /// `bytes` last as long as this object, perhaps because it keeps them.
  void add(llvm::StringRef name, llvm::ArrayRef<char> bytes) {
    contents[name] = bytes;
  }
  /// Keeps `owner` as long as this object.
  void keep(std::shared_ptr<const void> owner) {
    owners.push_back(std::move(owner));
  }
  /// Empty if there is no such parameter.
  llvm::ArrayRef<char> lookup(llvm::StringRef name) const {
    return contents.lookup(name);
  }

private:
  llvm::StringMap<llvm::ArrayRef<char>> contents;
  std::vector<std::shared_ptr<const void>> owners;
};

} // namespace hamkaas

#endif // HAMKAAS_FRONTEND_BUILDER_PARAMETERCONTENTS_H
