//===- DnnStatus.cpp - Statuses and the last error --------------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "DnnStatus.h"
#include "llvm/Support/JSON.h"
#include <cstring>

using namespace hamkaas;
using namespace hamkaas::capi;

/// Of this thread; empty if it was read, or nothing has failed.
static thread_local std::string lastError;

HamKaasDnnStatus capi::failWith(HamKaasDnnStatus status,
                                const llvm::Twine &text) {
  // A message may quote what is not UTF-8.
  lastError = llvm::json::fixUTF8(text.str());
  return status;
}

HamKaasDnnStatus capi::toStatus(llvm::Error error) {
  HamKaasDnnStatus status = HamKaasDnnSuccess;
  llvm::handleAllErrors(
      std::move(error),
      [&](const nodes::StatusError &inner) {
        status = failWith(inner.status, inner.message);
      },
      [&](const llvm::ErrorInfoBase &inner) {
        status = failWith(HamKaasDnnBadParam, inner.message());
      });
  return status;
}

const char *HamKaasDnnGetErrorString(int32_t status) {
  switch (status) {
  case HamKaasDnnSuccess:
    return "SUCCESS";
  case HamKaasDnnNotInitialized:
    return "NOT_INITIALIZED";
  case HamKaasDnnBadParam:
    return "BAD_PARAM";
  case HamKaasDnnNullPointer:
    return "BAD_PARAM_NULL_POINTER";
  case HamKaasDnnNotFinalized:
    return "BAD_PARAM_NOT_FINALIZED";
  case HamKaasDnnOutOfBound:
    return "BAD_PARAM_OUT_OF_BOUND";
  case HamKaasDnnSizeInsufficient:
    return "BAD_PARAM_SIZE_INSUFFICIENT";
  case HamKaasDnnNotSupported:
    return "NOT_SUPPORTED";
  case HamKaasDnnInternalError:
    return "INTERNAL_ERROR";
  case HamKaasDnnAllocFailed:
    return "ALLOC_FAILED";
  case HamKaasDnnExecutionFailed:
    return "EXECUTION_FAILED";
  }
  return "unknown status";
}

void HamKaasDnnPeekLastErrorString(char *text, size_t bytes) {
  if (!text || bytes == 0)
    return;
  size_t length = std::min(lastError.size(), bytes - 1);
  // Not within a character.
  auto continues = [](char c) { return (uint8_t(c) & 0xc0) == 0x80; };
  if (length < lastError.size())
    while (length > 0 && continues(lastError[length]))
      --length;
  std::memcpy(text, lastError.data(), length);
  text[length] = 0;
}

void HamKaasDnnGetLastErrorString(char *text, size_t bytes) {
  HamKaasDnnPeekLastErrorString(text, bytes);
  lastError.clear();
}
