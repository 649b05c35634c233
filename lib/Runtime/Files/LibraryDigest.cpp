//===- LibraryDigest.cpp - The digest of a compiled library -----*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HamKaas/Runtime/Files/LibraryDigest.h"

#include "HamKaas/Runtime/Files/MappedFile.h"
#include "ProgramFile.h"
#include "hamkaas-c/Runtime.h"

#include <cstddef>
#include <elf.h>

using namespace hamkaas::rt;

namespace {

/// An ELF file of which nothing is known yet.
class LibraryReader {
public:
  LibraryReader(const void *contents, size_t size, const char *path)
      : contents(static_cast<const uint8_t *>(contents)), size(size),
        path(path) {}

  Error read(int32_t threads, LibraryDigest &result);

private:
  Error readHeader();
  Error readSegments();
  void findNote(const Elf64_Phdr &segment);
  Error compute(int32_t threads, Digest &digest) const;

  bool isInside(uint64_t offset, uint64_t bytes) const {
    return offset <= size && bytes <= size - offset;
  }

  const uint8_t *contents;
  size_t size;
  const char *path;
  Elf64_Ehdr header = {};
  size_t covered = sizeof(Elf64_Ehdr); // end of the last segment
  size_t noteOffset = 0;               // of the digest; 0 for none
};

} // namespace

Error LibraryReader::readHeader() {
  if (size >= sizeof(header))
    memcpy(&header, contents, sizeof(header));
  if (memcmp(header.e_ident, ELFMAG, SELFMAG) != 0 ||
      header.e_ident[EI_CLASS] != ELFCLASS64 ||
      header.e_ident[EI_DATA] != ELFDATA2LSB || header.e_type != ET_DYN ||
      header.e_machine != EM_X86_64 ||
      header.e_phentsize != sizeof(Elf64_Phdr) ||
      !isInside(header.e_phoff, uint64_t{header.e_phnum} * sizeof(Elf64_Phdr)))
    return Error::format("'%s' is not a compiled model: expected a shared "
                         "library for x86-64",
                         path);
  return Error();
}

// Notes are words: lengths of owner and contents, type, then both, each padded
// to a word.
void LibraryReader::findNote(const Elf64_Phdr &segment) {
  uint64_t offset = segment.p_offset;
  uint64_t end = offset + segment.p_filesz;
  while (offset <= end && end - offset >= sizeof(Elf64_Nhdr)) {
    Elf64_Nhdr note;
    memcpy(&note, contents + offset, sizeof(note));
    offset += sizeof(note);
    uint64_t owner = offset;
    offset += (uint64_t{note.n_namesz} + 3) / 4 * 4;
    uint64_t description = offset;
    offset += (uint64_t{note.n_descsz} + 3) / 4 * 4;
    if (offset > end)
      return;
    if (note.n_type == digestNoteType &&
        note.n_namesz == sizeof(digestNoteOwner) &&
        note.n_descsz == sizeof(Digest) &&
        memcmp(contents + owner, digestNoteOwner, note.n_namesz) == 0)
      noteOffset = description;
  }
}

Error LibraryReader::readSegments() {
  uint64_t noteBytes = 0;
  for (uint64_t i = 0; i < header.e_phnum; ++i) {
    Elf64_Phdr segment;
    memcpy(&segment, contents + header.e_phoff + i * sizeof(segment),
           sizeof(segment));
    if (segment.p_type != PT_LOAD && segment.p_type != PT_NOTE)
      continue;
    if (!isInside(segment.p_offset, segment.p_filesz))
      return Error::format(
          "'%s': truncated: expected %llu bytes at offset "
          "%llu, got %zu bytes in all",
          path, static_cast<unsigned long long>(segment.p_filesz),
          static_cast<unsigned long long>(segment.p_offset), size);
    // Notes that overlap would be read again and again.
    if (segment.p_type == PT_NOTE && (noteBytes += segment.p_filesz) <= size)
      findNote(segment);
    else if (segment.p_type == PT_LOAD &&
             segment.p_offset + segment.p_filesz > covered)
      covered = segment.p_offset + segment.p_filesz;
  }
  if (noteOffset >= sizeof(header) && noteOffset + sizeof(Digest) <= covered)
    return Error();
  return Error::format("'%s' has no digest: expected a library that "
                       "hamkaas-compile has linked",
                       path);
}

// The digest of the digests of what lies around the exceptions.
Error LibraryReader::compute(int32_t threads, Digest &digest) const {
  struct Range {
    size_t begin, end;
  };
  const Range ranges[] = {
      {0, offsetof(Elf64_Ehdr, e_shoff)},
      {offsetof(Elf64_Ehdr, e_flags), offsetof(Elf64_Ehdr, e_shentsize)},
      {sizeof(Elf64_Ehdr), noteOffset},
      {noteOffset + sizeof(Digest), covered}};
  Digest digests[4];
  for (size_t i = 0; i < 4; ++i)
    if (Error error =
            computeDigest(contents + ranges[i].begin,
                          ranges[i].end - ranges[i].begin, threads, digests[i]))
      return error;
  return computeDigest(digests, sizeof(digests), threads, digest);
}

Error LibraryReader::read(int32_t threads, LibraryDigest &result) {
  if (Error error = readHeader())
    return error;
  if (Error error = readSegments())
    return error;
  result.offset = noteOffset;
  memcpy(result.stored.bytes, contents + noteOffset, sizeof(Digest));
  return compute(threads, result.computed);
}

Error hamkaas::rt::readLibraryDigest(const void *contents, size_t size,
                                     const char *path, int32_t threads,
                                     LibraryDigest &result) {
  return LibraryReader(contents, size, path).read(threads, result);
}

Error hamkaas::rt::verifyLibrary(const char *path, int32_t threads) {
  MappedFile file;
  if (Error error = file.open(path))
    return error;
  LibraryDigest digest;
  if (Error error =
          readLibraryDigest(file.data(), file.size(), path, threads, digest))
    return error;
  if (digest.stored == digest.computed)
    return Error();
  return Error::format("'%s' was damaged or changed: expected digest %s, got "
                       "%s",
                       path, DigestText(digest.stored).c_str(),
                       DigestText(digest.computed).c_str());
}

//===----------------------------------------------------------------------===//
// The C interface
//===----------------------------------------------------------------------===//

HamKaasError HamKaasLibraryVerify(const char *path, int32_t threads) {
  if (!path)
    return Error::format("expected a path, got null").release();
  return verifyLibrary(path, threads).release();
}

HamKaasError HamKaasProgramVerify(const HamKaasProgram *program,
                                  int32_t threads) {
  if (!program)
    return Error::format("expected a program, got null").release();
  ProgramFile file(*program);
  if (!file.path())
    return Error::format("model '%s' was not loaded from a file", program->name)
        .release();
  return verifyLibrary(file.path(), threads).release();
}

HamKaasError HamKaasDigest(const void *data, uint64_t bytes, int32_t threads,
                           uint8_t digest[32]) {
  if ((!data && bytes > 0) || !digest)
    return Error::format("expected %s, got null",
                         digest ? "data" : "a place for the digest")
        .release();
  Digest result = {};
  Error error = computeDigest(data, bytes, threads, result);
  memcpy(digest, result.bytes, sizeof(result.bytes));
  return error.release();
}
