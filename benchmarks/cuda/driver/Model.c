//===- Model.c - The program of a compiled model --------------------------===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Model.h"

#include <dlfcn.h>
#include <elf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

void *allocateOrExit(uint64_t bytes) {
  void *memory = NULL;
  if (posix_memalign(&memory, HAMKAAS_REGION_ALIGNMENT, bytes + 1) == 0)
    memset(memory, 0, bytes + 1);
  if (!memory) {
    fprintf(stderr, "out of memory for %llu bytes\n",
            (unsigned long long)bytes);
    exit(1);
  }
  return memory;
}

/// Opens a file and finds its size; null if it is none, but a folder, say.
static FILE *openFile(const char *path, uint64_t *size) {
  FILE *file = fopen(path, "rb");
  struct stat status;
  if (file && (fstat(fileno(file), &status) != 0 || !S_ISREG(status.st_mode))) {
    fclose(file);
    file = NULL;
  }
  if (file)
    *size = (uint64_t)status.st_size;
  return file;
}

char *readFile(const char *path, uint64_t *size) {
  FILE *file = openFile(path, size);
  if (!file)
    return NULL;
  char *data = allocateOrExit(*size);
  *size = fread(data, 1, *size, file);
  fclose(file);
  return data;
}

/// True if a library ends before its segments do. NOTE: dlopen does not look,
/// and any access behind the end is a SIGBUS.
static int isTruncated(const char *path) {
  uint64_t size = 0;
  FILE *file = openFile(path, &size);
  Elf64_Ehdr header;
  int isCut = 0;
  if (file && fread(&header, sizeof(header), 1, file) == 1 &&
      memcmp(header.e_ident, ELFMAG, SELFMAG) == 0) {
    isCut = fseek(file, (long)header.e_phoff, SEEK_SET) != 0;
    for (int i = 0; i < header.e_phnum && !isCut; ++i) {
      Elf64_Phdr segment;
      isCut = fread(&segment, sizeof(segment), 1, file) != 1 ||
              segment.p_offset > size ||
              segment.p_filesz > size - segment.p_offset;
    }
  }
  if (file)
    fclose(file);
  return isCut;
}

int loadModel(Model *model, const char *path) {
  model->library = NULL;
  if (isTruncated(path)) {
    fprintf(stderr, "%s: truncated\n", path);
    return 0;
  }
  model->library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  if (!model->library) {
    fprintf(stderr, "%s\n", dlerror());
    return 0;
  }
  model->program = dlsym(model->library, HAMKAAS_PROGRAM_SYMBOL);
  if (model->program)
    return 1;
  fprintf(stderr, "%s: expected a compiled model\n", path);
  unloadModel(model);
  return 0;
}

void unloadModel(Model *model) {
  if (model->library)
    dlclose(model->library);
  model->library = NULL;
}

uint64_t sumBytes(const HamKaasTensorInfo *tensors, int32_t count) {
  uint64_t bytes = 0;
  for (int32_t i = 0; i < count; ++i)
    bytes += tensors[i].bytes;
  return bytes;
}

/// Bytes from the begin of a tensor to that of the next.
static uint64_t getStride(const HamKaasTensorInfo *tensor) {
  const uint64_t alignment = HAMKAAS_REGION_ALIGNMENT;
  return (tensor->bytes + alignment - 1) / alignment * alignment;
}

uint64_t getSpace(const HamKaasTensorInfo *tensors, int32_t count) {
  uint64_t bytes = 0;
  for (int32_t i = 0; i < count; ++i)
    bytes += getStride(&tensors[i]);
  return bytes;
}

void **findTensors(const HamKaasTensorInfo *tensors, int32_t count,
                   void *memory) {
  void **addresses = allocateOrExit(sizeof(void *) * (uint64_t)count);
  char *next = memory;
  for (int32_t i = 0; i < count; ++i) {
    addresses[i] = next;
    next += getStride(&tensors[i]);
  }
  return addresses;
}
