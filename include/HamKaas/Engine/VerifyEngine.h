//===- VerifyEngine.h - Engines against the interpreter ---------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HAMKAAS_ENGINE_VERIFYENGINE_H
#define HAMKAAS_ENGINE_VERIFYENGINE_H

#include "HamKaas/Runtime/Engine/EngineLibrary.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

namespace hamkaas {

/// Runs an engine on a group in a child process and compares with the
/// interpreter: on random inputs and on special values, with one thread and
/// with two. `group` is the text of a group, `knobs` are as in
/// HamKaasEngineCall. `place` names the group in messages: "matmul+add at
/// net.hk:4:6".
///
/// An error if the engine fails, crashes, or takes too long; writes where it
/// must not, or leaves elements out; if a result differs by more than the
/// tolerance of its type, which is that of `--check-against=reference`, times
/// the scale of its row or of the values on the way to it; or if an engine that
/// notes BitExact has two results. It costs several interpretations of the
/// group.
llvm::Error verifyEngine(const rt::EngineAccess &engine, llvm::StringRef group,
                         llvm::StringRef knobs, llvm::StringRef place);

} // namespace hamkaas

#endif // HAMKAAS_ENGINE_VERIFYENGINE_H
