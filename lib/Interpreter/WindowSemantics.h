//===- WindowSemantics.h - Elements that windows cover ----------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HAMKAAS_LIB_INTERPRETER_WINDOWSEMANTICS_H
#define HAMKAAS_LIB_INTERPRETER_WINDOWSEMANTICS_H

#include "Semantics.h"

namespace hamkaas {

/// Windows over the spatial dimensions of tensors `[n, ..., c]`.
struct ReferenceWindows {
  llvm::ArrayRef<int64_t> sizes, strides, dilations, padLow;

  /// Calls `visit` with each tap of the window at `index` of the result, with
  /// the element's index in a tensor of `shape`, whose channel is that of the
  /// result, and with whether there is such an element.
  void forEachElement(
      llvm::ArrayRef<int64_t> shape, llvm::ArrayRef<int64_t> index,
      llvm::function_ref<void(llvm::ArrayRef<int64_t> tap,
                              llvm::ArrayRef<int64_t> from, bool isInside)>
          visit) const {
    forEachIndex(sizes, [&](llvm::ArrayRef<int64_t> tap) {
      llvm::SmallVector<int64_t> from(index);
      bool isInside = true;
      for (size_t i = 0; i < tap.size(); ++i) {
        int64_t &at = from[i + 1];
        at = at * strides[i] + tap[i] * dilations[i] - padLow[i];
        isInside &= at >= 0 && at < shape[i + 1];
      }
      visit(tap, from, isInside);
    });
  }
};

} // namespace hamkaas

#endif // HAMKAAS_LIB_INTERPRETER_WINDOWSEMANTICS_H
