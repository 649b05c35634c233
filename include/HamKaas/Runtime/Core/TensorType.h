//===- TensorType.h - Element types, shapes and sizes -----------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HAMKAAS_RUNTIME_CORE_TENSORTYPE_H
#define HAMKAAS_RUNTIME_CORE_TENSORTYPE_H

#include "HamKaas/Runtime/Core/Error.h"
#include "hamkaas-c/Program.h"

#include <cstddef>
#include <cstdint>

namespace hamkaas::rt {

/// Facts about an element type. Texts are null where a format has no such type.
struct ElementType {
  HamKaasElementType type;
  const char *name;        // "float32"
  size_t size;             // bytes of an element, which is its alignment, too
  const char *npy;         // the descr of an npy file, "<f4"
  const char *safetensors; // the dtype of a safetensors file, "F32"
};

/// All of them: the entry of a type has its number.
constexpr int32_t elementTypeCount = HamKaasBool + 1;
extern const ElementType elementTypes[elementTypeCount];

/// "float32"; null for a number that is no HamKaasElementType.
const char *elementTypeName(int32_t elementType);

/// Bytes of one element; 0 for a number that is no HamKaasElementType.
size_t elementTypeSize(int32_t elementType);

/// That all tensors of a program have types of the table; a later compiler may
/// know more than this runtime.
Error checkElementTypes(const HamKaasProgram &program);

/// The size in bytes of a dense tensor. Returns false if a dimension is
/// negative or the size does not fit into an int64.
bool countBytes(size_t elementSize, int32_t rank, const int64_t *shape,
                uint64_t &bytes /* out */);

/// Appends a shape as "[2, 3]".
void appendShape(TextBuilder &text, int32_t rank, const int64_t *shape);

/// Appends a type as "float32 [2, 3]".
void appendType(TextBuilder &text, const HamKaasTensorInfo &info);

} // namespace hamkaas::rt

#endif // HAMKAAS_RUNTIME_CORE_TENSORTYPE_H
