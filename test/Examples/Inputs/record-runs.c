// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/* Writes the tensors of graphs of nodes. Preloaded before libhamkaas.so: the
   last graph that was finalized goes to RECORD_FOLDER as PROGRAM.json, and
   after each run its tensors as PROGRAM.UID.bin, from the first to the last
   element in memory. */

#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <hamkaas-c/Dnn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { mostTensors = 64 };

static struct {
  int64_t uid;
  size_t bytes;
} tensors[mostTensors];
static int64_t tensorCount;

static void fail(const char *what) {
  fprintf(stderr, "record-runs: %s\n", what);
  exit(1);
}

static void *find(const char *function) {
  void *found = dlsym(RTLD_NEXT, function);
  if (!found)
    fail(function);
  return found;
}

static void writeFile(const char *suffix, const void *data, size_t bytes) {
  char path[4096];
  const char *folder = getenv("RECORD_FOLDER");
  snprintf(path, sizeof path, "%s/%s.%s", folder ? folder : ".",
           program_invocation_short_name, suffix);
  FILE *file = fopen(path, "wb");
  if (!file || fwrite(data, 1, bytes, file) != bytes || fclose(file) != 0)
    fail(path);
}

static int64_t read(HamKaasDnnDescriptor *descriptor, int32_t attribute,
                    int32_t type, int64_t room, void *elements) {
  int64_t count = 0;
  if (HamKaasDnnGetAttribute(descriptor, attribute, type, room, &count,
                             elements) != HamKaasDnnSuccess)
    return -1;
  return count;
}

static size_t countBytes(HamKaasDnnDescriptor *tensor) {
  int64_t dims[8], strides[8], last = 0;
  int32_t type = 0;
  int64_t rank = read(tensor, HamKaasDnnAttrDims, HamKaasDnnTypeInt64, 8, dims);
  read(tensor, HamKaasDnnAttrStrides, HamKaasDnnTypeInt64, 8, strides);
  read(tensor, HamKaasDnnAttrDataType, HamKaasDnnTypeDataType, 1, &type);
  if (type != HamKaasFloat32)
    fail("expected tensors of float32");
  for (int64_t i = 0; i < rank; ++i)
    last += (dims[i] - 1) * strides[i];
  return (size_t)(last + 1) * sizeof(float);
}

static void readTensors(HamKaasDnnDescriptor *graph,
                        HamKaasDnnStatus (*finalize)(HamKaasDnnDescriptor *)) {
  HamKaasDnnDescriptor *list[mostTensors];
  for (int i = 0; i < mostTensors; ++i)
    if (HamKaasDnnCreateDescriptor(HamKaasDnnTensor, &list[i]) !=
        HamKaasDnnSuccess)
      fail("cannot create tensors");
  tensorCount = read(graph, HamKaasDnnAttrTensors, HamKaasDnnTypeDescriptor,
                     mostTensors, list);
  for (int i = 0; i < mostTensors; ++i) {
    if (i < tensorCount) {
      if (finalize(list[i]) != HamKaasDnnSuccess)
        fail("cannot finalize tensors");
      read(list[i], HamKaasDnnAttrUid, HamKaasDnnTypeInt64, 1, &tensors[i].uid);
      tensors[i].bytes = countBytes(list[i]);
    }
    HamKaasDnnDestroyDescriptor(list[i]);
  }
}

HamKaasDnnStatus HamKaasDnnFinalize(HamKaasDnnDescriptor *descriptor) {
  HamKaasDnnStatus (*finalize)(HamKaasDnnDescriptor *) =
      find("HamKaasDnnFinalize");
  HamKaasDnnStatus status = finalize(descriptor);
  int64_t size;
  /* Graphs alone have tensors and JSON. */
  if (status != HamKaasDnnSuccess ||
      read(descriptor, HamKaasDnnAttrTensors, HamKaasDnnTypeDescriptor, 0,
           NULL) < 0 ||
      (size = read(descriptor, HamKaasDnnAttrJson, HamKaasDnnTypeChar, 0,
                   NULL)) < 0)
    return status;
  char *text = malloc((size_t)size);
  if (!text)
    fail("out of memory");
  read(descriptor, HamKaasDnnAttrJson, HamKaasDnnTypeChar, size, text);
  writeFile("json", text, (size_t)size);
  free(text);
  readTensors(descriptor, finalize);
  return status;
}

static void record(const int64_t *uids, void *const *pointers, int64_t count) {
  for (int64_t i = 0; i < count; ++i)
    for (int64_t k = 0; k < tensorCount; ++k) {
      char suffix[32];
      if (tensors[k].uid != uids[i])
        continue;
      snprintf(suffix, sizeof suffix, "%lld.bin", (long long)uids[i]);
      writeFile(suffix, pointers[i], tensors[k].bytes);
    }
}

HamKaasDnnStatus HamKaasDnnExecuteTensors(HamKaasDnnHandle *handle,
                                          HamKaasDnnDescriptor *plan,
                                          const int64_t *uids,
                                          void *const *pointers,
                                          int64_t count) {
  HamKaasDnnStatus (*execute)(HamKaasDnnHandle *, HamKaasDnnDescriptor *,
                              const int64_t *, void *const *, int64_t) =
      find("HamKaasDnnExecuteTensors");
  HamKaasDnnStatus status = execute(handle, plan, uids, pointers, count);
  if (status == HamKaasDnnSuccess)
    record(uids, pointers, count);
  return status;
}

HamKaasDnnStatus HamKaasDnnExecute(HamKaasDnnHandle *handle,
                                   HamKaasDnnDescriptor *plan,
                                   HamKaasDnnDescriptor *variantPack) {
  HamKaasDnnStatus (*execute)(HamKaasDnnHandle *, HamKaasDnnDescriptor *,
                              HamKaasDnnDescriptor *) =
      find("HamKaasDnnExecute");
  int64_t uids[mostTensors];
  void *pointers[mostTensors];
  HamKaasDnnStatus status = execute(handle, plan, variantPack);
  if (status != HamKaasDnnSuccess)
    return status;
  int64_t count = read(variantPack, HamKaasDnnAttrUniqueIds,
                       HamKaasDnnTypeInt64, mostTensors, uids);
  read(variantPack, HamKaasDnnAttrDataPointers, HamKaasDnnTypeVoidPointer,
       mostTensors, pointers);
  record(uids, pointers, count);
  return status;
}
