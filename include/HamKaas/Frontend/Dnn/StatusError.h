//===- StatusError.h - Errors with a status of the C interface --*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HAMKAAS_FRONTEND_DNN_STATUSERROR_H
#define HAMKAAS_FRONTEND_DNN_STATUSERROR_H

#include "hamkaas-c/Dnn.h"
#include "llvm/ADT/Twine.h"
#include "llvm/Support/Error.h"

namespace hamkaas::nodes {

/// A message with the status that a caller from C gets. Other errors are
/// HamKaasDnnBadParam.
class StatusError : public llvm::ErrorInfo<StatusError> {
public:
  StatusError(HamKaasDnnStatus status, std::string message)
      : status(status), message(std::move(message)) {}

  static char ID;
  void log(llvm::raw_ostream &stream) const override { stream << message; }
  std::error_code convertToErrorCode() const override {
    return llvm::inconvertibleErrorCode();
  }

  HamKaasDnnStatus status;
  std::string message;
};

inline llvm::Error makeError(HamKaasDnnStatus status,
                             const llvm::Twine &message) {
  return llvm::make_error<StatusError>(status, message.str());
}

} // namespace hamkaas::nodes

#endif // HAMKAAS_FRONTEND_DNN_STATUSERROR_H
