//===- Recognize.cpp - Tells ONNX models from other files -------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HamKaas/Frontend/ONNX/ONNX.h"
#include "WireFormat.h"

using namespace hamkaas;
using namespace hamkaas::onnx;

bool hamkaas::isOnnxModel(llvm::StringRef content) {
  // The version of the format comes first, and no text begins so.
  if (content.starts_with("\x08"))
    return true;
  constexpr uint64_t graphField = 7;
  bool hasGraph = false;
  WireFields fields(content);
  while (fields.next())
    hasGraph |= fields.number() == graphField && fields.is(WireFields::Bytes);
  return hasGraph && fields.isSound();
}
