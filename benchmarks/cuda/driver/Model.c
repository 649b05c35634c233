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

void *allocateOrExit(uint64_t bytes) {
  void *memory = calloc(1, bytes ? bytes : 1);
  if (!memory) {
    fprintf(stderr, "out of memory for %llu bytes\n",
            (unsigned long long)bytes);
    exit(1);
  }
  return memory;
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

void **findTensors(const HamKaasTensorInfo *tensors, int32_t count,
                   void *memory) {
  void **addresses = allocateOrExit(sizeof(void *) * (uint64_t)count);
  char *next = memory;
  for (int32_t i = 0; i < count; ++i) {
    addresses[i] = next;
    next += tensors[i].bytes;
  }
  return addresses;
}
