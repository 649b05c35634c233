//===- FileKind.h - Kinds of files by their first bytes ---------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HAMKAAS_RUNTIME_FILES_FILEKIND_H
#define HAMKAAS_RUNTIME_FILES_FILEKIND_H

#include <cstddef>

namespace hamkaas::rt {

/// "an npy file" and the like, for messages about a file of another kind; null
/// for what begins as none that is known.
const char *describeFileKind(const void *contents, size_t size);

} // namespace hamkaas::rt

#endif // HAMKAAS_RUNTIME_FILES_FILEKIND_H
