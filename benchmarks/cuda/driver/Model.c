//===- Model.c - The program of a compiled model --------------------------===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Model.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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

char *readFile(const char *path, uint64_t *size) {
  FILE *file = fopen(path, "rb");
  if (!file)
    return NULL;
  char *data = NULL;
  *size = 0;
  if (fseek(file, 0, SEEK_END) == 0) {
    long end = ftell(file);
    rewind(file);
    data = allocateOrExit((uint64_t)end + 1);
    *size = fread(data, 1, (size_t)end, file);
  }
  fclose(file);
  return data;
}

int loadModel(Model *model, const char *path) {
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
