//===- Arguments.h - What comes in from C, checked --------------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HAMKAAS_LIB_CAPI_ARGUMENTS_H
#define HAMKAAS_LIB_CAPI_ARGUMENTS_H

#include "Model.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include <algorithm>
#include <cstring>

namespace hamkaas::capi {

/// Null for success, otherwise a text that HamKaasErrorFree releases. Options
/// in it have the names of `front`.
HamKaasError fromError(llvm::Error error, Front front = Front::C);

/// `text`, ended by a zero; HamKaasTextFree or HamKaasErrorFree releases it.
/// Null if there is no memory.
char *copyText(llvm::StringRef text);

/// Checks a structure's size: at least `oldest`, its size in version 1.0; bytes
/// beyond `known`, of a newer caller, must be zero.
llvm::Error checkOptionsSize(const size_t *given, size_t oldest, size_t known,
                             llvm::StringRef name);

/// The options as this library knows them; `given` may be null, or be `oldest`
/// bytes or more of them. `name` is that of the structure in the error.
template <typename Options>
llvm::Expected<Options> readOptions(const Options *given, llvm::StringRef name,
                                    size_t oldest = sizeof(Options)) {
  Options options = {};
  if (!given)
    return options;
  if (llvm::Error error =
          checkOptionsSize(&given->structSize, oldest, sizeof(options), name))
    return std::move(error);
  std::memcpy(&options, given, std::min(given->structSize, sizeof(options)));
  return options;
}

/// As readOptions.
llvm::Expected<HamKaasCompileOptions>
readCompileOptions(const HamKaasCompileOptions *given);

/// The error of a function that got null where it puts `what`.
HamKaasError noPlace(llvm::StringRef what);

/// Checks that `text` is not null and is UTF-8. `what` names it in the error.
llvm::Error checkText(const char *text, llvm::StringRef what);

/// The text of a model, without a byte order mark. The error says that there is
/// none, or that it is too long.
llvm::Expected<std::string> readSource(const char *source, uint64_t bytes);

/// Takes the options of a compilation over to `source`.
llvm::Error applyOptions(const HamKaasCompileOptions &options,
                         ModelSource &source);

/// Reads HamKaasCompileOptions::optionNames.
llvm::Expected<Front> readFront(const HamKaasCompileOptions &options);

/// Takes over the options that have one value; zero leaves what there is.
llvm::Error readSettings(const HamKaasCompileOptions &options,
                         CompileSettings &settings);
llvm::Error readSettings(const HamKaasWriteOptions &options,
                         CompileSettings &settings);

/// Checks that nothing is asked for that a compiled model could not do.
llvm::Error checkLibraryOptions(const HamKaasCompileOptions &options,
                                llvm::StringRef library);

/// CompileOptions::progress that asks the caller's function, if there is one.
void setProgress(const HamKaasCompileOptions &options,
                 CompileOptions &compileOptions);

} // namespace hamkaas::capi

#endif // HAMKAAS_LIB_CAPI_ARGUMENTS_H
