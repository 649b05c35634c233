//===- CompilerDigest.cpp - Which compiler this is --------------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CachedCompilation.h"
#include "mlir/IR/Verifier.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/IR/Verifier.h"
#include "llvm/Support/BLAKE3.h"
#include "llvm/Support/MathExtras.h"
#include <link.h>

using namespace llvm;

namespace hamkaas {
namespace {

/// The object of the search: the build identifier of the object with an
/// address.
struct Search {
  uintptr_t address;
  ArrayRef<uint8_t> found;
};

/// The build identifier among the notes of a segment; empty if it is not there.
ArrayRef<uint8_t> findBuildId(ArrayRef<uint8_t> notes) {
  while (notes.size() >= sizeof(ElfW(Nhdr))) {
    const auto *note = reinterpret_cast<const ElfW(Nhdr) *>(notes.data());
    size_t nameSize = alignTo(note->n_namesz, 4);
    size_t size = sizeof(*note) + nameSize + alignTo(note->n_descsz, 4);
    if (size > notes.size())
      break;
    StringRef name(reinterpret_cast<const char *>(note + 1), note->n_namesz);
    if (note->n_type == NT_GNU_BUILD_ID && name == StringRef("GNU\0", 4))
      return notes.slice(sizeof(*note) + nameSize, note->n_descsz);
    notes = notes.drop_front(size);
  }
  return {};
}

int visitObject(dl_phdr_info *info, size_t, void *context) {
  auto *search = static_cast<Search *>(context);
  ArrayRef<ElfW(Phdr)> segments(info->dlpi_phdr, info->dlpi_phnum);
  bool isHere = any_of(segments, [&](const ElfW(Phdr) & segment) {
    return segment.p_type == PT_LOAD &&
           search->address - info->dlpi_addr - segment.p_vaddr <
               segment.p_memsz;
  });
  if (!isHere)
    return 0;
  for (const ElfW(Phdr) &segment : segments)
    if (segment.p_type == PT_NOTE && search->found.empty())
      search->found = findBuildId(
          {reinterpret_cast<const uint8_t *>(info->dlpi_addr + segment.p_vaddr),
           size_t(segment.p_memsz)});
  return 1;
}

} // namespace

std::optional<std::array<uint8_t, 32>> getCompilerDigest() {
  // NOTE: one of each library. They are one object, or three.
  const void *places[] = {reinterpret_cast<const void *>(&getCompilerDigest),
                          reinterpret_cast<const void *>(&llvm::verifyModule),
                          reinterpret_cast<const void *>(&mlir::verify)};
  BLAKE3 hasher;
  for (const void *place : places) {
    Search search = {reinterpret_cast<uintptr_t>(place), {}};
    dl_iterate_phdr(visitObject, &search);
    if (search.found.empty())
      return std::nullopt;
    hasher.update(search.found);
  }
  return hasher.final<32>();
}

} // namespace hamkaas
