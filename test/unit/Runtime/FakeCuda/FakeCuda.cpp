//===- FakeCuda.cpp - A driver of NVIDIA GPUs for tests -------------------===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "FakeCuda.h"

#include "FakeGraph.h"
#include "FakeMemory.h"
#include "FakeModule.h"
#include "HamKaas/Runtime/Gpu/CudaDriver.h"

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <unistd.h>

using namespace hamkaas::rt;
using namespace hamkaas::rt::cuda;
using namespace hamkaas::test::cuda;

//===----------------------------------------------------------------------===//
// State
//===----------------------------------------------------------------------===//

static constexpr CUresult invalidValue = 1, outOfMemory = 2, notInitialized = 3,
                          noDevice = 100, invalidDevice = 101,
                          invalidContext = 201, invalidHandle = 400,
                          notFound = 500, illegalAddress = 700;

// Nothing that the runtime asks for.
static constexpr CUdevice_attribute multiprocessorCount = 16;

// The text and the name of each result that there is here.
static const std::map<CUresult, std::pair<const char *, const char *>> results =
    {{0, {"no error", "CUDA_SUCCESS"}},
     {invalidValue, {"invalid argument", "CUDA_ERROR_INVALID_VALUE"}},
     {outOfMemory, {"out of memory", "CUDA_ERROR_OUT_OF_MEMORY"}},
     {notInitialized, {"initialization error", "CUDA_ERROR_NOT_INITIALIZED"}},
     {noDevice, {"no CUDA-capable device is detected", "CUDA_ERROR_NO_DEVICE"}},
     {invalidDevice, {"invalid device ordinal", "CUDA_ERROR_INVALID_DEVICE"}},
     {invalidContext, {"invalid device context", "CUDA_ERROR_INVALID_CONTEXT"}},
     {218, {"a PTX JIT compilation failed", "CUDA_ERROR_INVALID_PTX"}},
     {invalidHandle, {"invalid resource handle", "CUDA_ERROR_INVALID_HANDLE"}},
     {notFound, {"named symbol not found", "CUDA_ERROR_NOT_FOUND"}},
     {illegalAddress,
      {"an illegal memory access was encountered",
       "CUDA_ERROR_ILLEGAL_ADDRESS"}},
     {999, {"unknown error", "CUDA_ERROR_UNKNOWN"}}};

namespace {

struct Stream {
  int device;
  /// True if the default stream waits for it.
  bool isBlocking = true;
  /// Records the stream's work instead of doing it.
  std::unique_ptr<FakeGraph> capture;
};

struct Event {
  std::chrono::steady_clock::time_point time;
  bool isRecorded = false;
};

/// The primary context of a device.
struct Context {
  int device = 0;
  int holders = 0;
  CUresult fatal = CUDA_SUCCESS;
  std::set<Stream *> streams;
  std::set<Event *> events;
  std::map<FakeModule *, std::unique_ptr<FakeModule>> modules;
};

struct Fake {
  std::recursive_mutex mutex;
  Settings settings;
  Counts counts;
  int64_t callNumber = 0;
  std::string failedFunction;
  std::vector<Launch> launches;
  std::vector<std::string> violations, leaks;
  std::map<std::string, RegisteredKernel> kernels;
  std::map<std::string, std::vector<char>> globals;
  bool isInitialised = false;

  FakeMemory memory;
  std::map<int, Context> contexts;
  std::map<FakeGraph *, std::unique_ptr<FakeGraph>> graphs;
  std::map<FakeExec *, std::unique_ptr<FakeExec>> execs;

  CUresult enter(const char *function, bool needsContext);
  CUresult violate(const std::string &text, CUresult result) {
    violations.push_back(text);
    return result;
  }
  std::vector<std::string> heldIn(Context &context);
  void destroyContext(Context &context);
  CUresult runKernel(Context &context, const KernelNode &kernel, bool inGraph);
  CUresult runCall(const LibraryCall &call);
  CUresult copy(const CUDA_MEMCPY3D &copy);
  CUresult runNode(Context &context, const FakeNode &node);
};

} // namespace

// Never destroyed: the runtime may call until the process ends.
static Fake &fake() {
  static Fake *fake = new Fake;
  return *fake;
}

static thread_local std::vector<CUcontext> entered;

static Context *currentContext() {
  return entered.empty() ? nullptr
                         : reinterpret_cast<Context *>(entered.back());
}

using Lock = std::lock_guard<std::recursive_mutex>;

CUresult Fake::enter(const char *function, bool needsContext) {
  ++counts.calls;
  if (callNumber++ == settings.failingCall) {
    failedFunction = function;
    if (settings.isFatal)
      for (auto &[device, context] : contexts)
        context.fatal = settings.failingResult;
    return settings.failingResult;
  }
  if (!needsContext)
    return CUDA_SUCCESS;
  if (!isInitialised)
    return violate(std::string(function) + " before cuInit", notInitialized);
  Context *context = currentContext();
  if (!context || context->holders == 0)
    return violate(std::string(function) + " without a context",
                   invalidContext);
  return context->fatal;
}

#define ENTER(needsContext)                                                    \
  Lock lock(fake().mutex);                                                     \
  if (CUresult entering = fake().enter(__func__, needsContext))                \
    return entering;

//===----------------------------------------------------------------------===//
// Devices and contexts
//===----------------------------------------------------------------------===//

static CUresult cuInit(unsigned) {
  ENTER(false)
  if (fake().settings.initResult != CUDA_SUCCESS)
    return fake().settings.initResult;
  if (fake().settings.deviceCount == 0)
    return noDevice;
  fake().isInitialised = true;
  return CUDA_SUCCESS;
}

static CUresult cuGetErrorString(CUresult result, const char **text) {
  auto found = results.find(result);
  *text = found == results.end() ? nullptr : found->second.first;
  return *text ? CUDA_SUCCESS : invalidValue;
}

static CUresult cuGetErrorName(CUresult result, const char **text) {
  auto found = results.find(result);
  *text = found == results.end() ? nullptr : found->second.second;
  return *text ? CUDA_SUCCESS : invalidValue;
}

static CUresult cuDeviceGetCount(int *count) {
  ENTER(false)
  *count = fake().settings.deviceCount;
  return CUDA_SUCCESS;
}

static CUresult cuDeviceGet(CUdevice *device, int ordinal) {
  ENTER(false)
  if (ordinal < 0 || ordinal >= fake().settings.deviceCount)
    return invalidDevice;
  *device = ordinal;
  return CUDA_SUCCESS;
}

static CUresult cuDeviceGetName(char *name, int length, CUdevice) {
  ENTER(false)
  snprintf(name, static_cast<size_t>(length), "Fake GPU");
  return CUDA_SUCCESS;
}

static CUresult cuDeviceGetAttribute(int *value, CUdevice_attribute attribute,
                                     CUdevice) {
  ENTER(false)
  if (attribute == CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR)
    *value = fake().settings.capability / 10;
  else if (attribute == CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR)
    *value = fake().settings.capability % 10;
  else if (attribute == multiprocessorCount)
    *value = 2;
  else
    return invalidValue;
  return CUDA_SUCCESS;
}

static CUresult cuDevicePrimaryCtxRetain(CUcontext *handle, CUdevice device) {
  ENTER(false)
  Context &context = fake().contexts[device];
  context.device = device;
  if (context.fatal)
    return context.fatal;
  ++context.holders;
  *handle = reinterpret_cast<CUcontext>(&context);
  return CUDA_SUCCESS;
}

std::vector<std::string> Fake::heldIn(Context &context) {
  std::vector<std::string> found = memory.describe(context.device);
  found.insert(found.end(), context.streams.size(), "a stream");
  found.insert(found.end(), context.events.size(), "an event");
  found.insert(found.end(), context.modules.size(), "a module");
  for (auto &[graph, owner] : graphs)
    if (graph->device == context.device)
      found.push_back("a graph");
  for (auto &[exec, owner] : execs)
    if (exec->device == context.device)
      found.push_back("an executable graph");
  return found;
}

void Fake::destroyContext(Context &context) {
  // Memory of a lost context cannot be freed before the context.
  if (!context.fatal)
    for (const std::string &leak : heldIn(context))
      leaks.push_back(leak);
  memory.releaseAll(context.device);
  for (Stream *stream : context.streams)
    delete stream;
  for (Event *event : context.events)
    delete event;
  context.streams.clear();
  context.events.clear();
  context.modules.clear();
  std::erase_if(graphs, [&](const auto &entry) {
    return entry.first->device == context.device;
  });
  std::erase_if(execs, [&](const auto &entry) {
    return entry.first->device == context.device;
  });
  context.fatal = CUDA_SUCCESS;
}

static CUresult cuDevicePrimaryCtxRelease(CUdevice device) {
  ENTER(false)
  Context &context = fake().contexts[device];
  if (context.holders == 0)
    return fake().violate("a context is released twice", invalidContext);
  if (--context.holders == 0)
    fake().destroyContext(context);
  return CUDA_SUCCESS;
}

static CUresult cuCtxPushCurrent(CUcontext context) {
  ENTER(false)
  if (reinterpret_cast<Context *>(context)->holders == 0)
    return fake().violate("a context without a holder is entered",
                          invalidContext);
  entered.push_back(context);
  return CUDA_SUCCESS;
}

static CUresult cuCtxPopCurrent(CUcontext *context) {
  ENTER(false)
  if (entered.empty())
    return fake().violate("no context to leave", invalidContext);
  *context = entered.back();
  entered.pop_back();
  return CUDA_SUCCESS;
}

static CUresult checkNotCaptured(const char *what);

static CUresult cuCtxSynchronize() {
  ENTER(true)
  if (CUresult result = checkNotCaptured("cuCtxSynchronize"))
    return result;
  ++fake().counts.synchronisations;
  return fake().settings.synchronizeResult;
}

//===----------------------------------------------------------------------===//
// Streams and events
//===----------------------------------------------------------------------===//

static CUresult cuStreamCreate(CUstream *stream, unsigned flags) {
  ENTER(true)
  auto *created = new Stream{currentContext()->device,
                             (flags & CU_STREAM_NON_BLOCKING) == 0, nullptr};
  currentContext()->streams.insert(created);
  *stream = reinterpret_cast<CUstream>(created);
  return CUDA_SUCCESS;
}

static CUresult checkStream(CUstream stream) {
  if (currentContext()->streams.count(reinterpret_cast<Stream *>(stream)))
    return CUDA_SUCCESS;
  return fake().violate("a stream that is none", invalidHandle);
}

static CUresult cuStreamDestroy(CUstream stream) {
  ENTER(true)
  if (CUresult result = checkStream(stream))
    return result;
  currentContext()->streams.erase(reinterpret_cast<Stream *>(stream));
  delete reinterpret_cast<Stream *>(stream);
  return CUDA_SUCCESS;
}

static CUresult cuStreamBeginCapture(CUstream stream, CUstreamCaptureMode) {
  ENTER(true)
  if (CUresult result = checkStream(stream))
    return result;
  if (reinterpret_cast<Stream *>(stream)->isBlocking)
    return fake().violate("a stream is captured that others wait for",
                          invalidValue);
  auto &capture = reinterpret_cast<Stream *>(stream)->capture;
  if (capture)
    return fake().violate("a stream is captured twice", invalidValue);
  capture = std::make_unique<FakeGraph>();
  capture->device = currentContext()->device;
  return CUDA_SUCCESS;
}

static CUresult cuStreamEndCapture(CUstream stream, CUgraph *graph) {
  // Also a call that fails ends it.
  auto capture = reinterpret_cast<Stream *>(stream)
                     ? std::move(reinterpret_cast<Stream *>(stream)->capture)
                     : nullptr;
  ENTER(true)
  if (!capture)
    return fake().violate("a stream that is not captured", invalidValue);
  *graph = reinterpret_cast<CUgraph>(capture.get());
  fake().graphs[capture.get()] = std::move(capture);
  return CUDA_SUCCESS;
}

// Refuses calls that a captured stream does not allow.
static CUresult checkNotCaptured(const char *what) {
  for (Stream *stream : currentContext()->streams)
    if (stream->capture)
      return fake().violate(std::string(what) + " while a stream is captured",
                            invalidValue);
  return CUDA_SUCCESS;
}

static CUresult cuStreamSynchronize(CUstream stream) {
  ENTER(true)
  if (CUresult result = checkNotCaptured("cuStreamSynchronize"))
    return result;
  ++fake().counts.synchronisations;
  // Null is the default stream.
  return stream ? checkStream(stream) : CUresult(CUDA_SUCCESS);
}

static CUresult cuEventCreate(CUevent *event, unsigned) {
  ENTER(true)
  auto *created = new Event;
  currentContext()->events.insert(created);
  *event = reinterpret_cast<CUevent>(created);
  return CUDA_SUCCESS;
}

static CUresult cuEventDestroy(CUevent event) {
  ENTER(true)
  if (!currentContext()->events.erase(reinterpret_cast<Event *>(event)))
    return fake().violate("an event that is none", invalidHandle);
  delete reinterpret_cast<Event *>(event);
  return CUDA_SUCCESS;
}

static CUresult cuEventElapsedTime(float *milliseconds, CUevent from,
                                   CUevent to) {
  ENTER(true)
  Event &begin = *reinterpret_cast<Event *>(from);
  Event &end = *reinterpret_cast<Event *>(to);
  if (!begin.isRecorded || !end.isRecorded)
    return fake().violate("an event that was not recorded", invalidHandle);
  *milliseconds =
      std::chrono::duration<float, std::milli>(end.time - begin.time).count();
  return CUDA_SUCCESS;
}

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

static CUresult cuMemAlloc(CUdeviceptr *address, size_t bytes) {
  ENTER(true)
  if (bytes == 0)
    return fake().violate("an allocation of no bytes", invalidValue);
  int device = currentContext()->device;
  size_t limit = fake().settings.memoryBytes;
  if (bytes > limit || fake().memory.countBytes(device) > limit - bytes)
    return outOfMemory;
  void *memory =
      fake().memory.allocate(bytes, FakeMemory::Kind::Device, device);
  if (!memory)
    return outOfMemory;
  ++fake().counts.allocations;
  *address = reinterpret_cast<CUdeviceptr>(memory);
  return CUDA_SUCCESS;
}

static CUresult cuMemFree(CUdeviceptr address) {
  ENTER(true)
  ++fake().counts.frees;
  if (!fake().memory.release(reinterpret_cast<void *>(address)))
    return fake().violate("memory that is none is freed", invalidValue);
  return CUDA_SUCCESS;
}

static CUresult cuMemAllocHost(void **address, size_t bytes) {
  ENTER(true)
  if (bytes == 0)
    return fake().violate("an allocation of no bytes", invalidValue);
  *address = fake().memory.allocate(bytes, FakeMemory::Kind::Host,
                                    currentContext()->device);
  if (!*address)
    return outOfMemory;
  ++fake().counts.allocations;
  return CUDA_SUCCESS;
}

static CUresult cuMemFreeHost(void *address) {
  ENTER(true)
  ++fake().counts.frees;
  if (!fake().memory.release(address))
    return fake().violate("memory that is none is freed", invalidValue);
  return CUDA_SUCCESS;
}

static CUresult cuMemcpyAsync(CUdeviceptr to, CUdeviceptr from, size_t bytes,
                              CUstream stream) {
  ENTER(true)
  if (CUresult result = checkStream(stream))
    return result;
  ++fake().counts.copies;
  FakeMemory &memory = fake().memory;
  // Memory that is not ours is the caller's.
  for (CUdeviceptr address : {to, from})
    if (memory.find(address) && !memory.contains(address, bytes))
      return fake().violate("a copy of " + std::to_string(bytes) +
                                " bytes past the end of an allocation",
                            invalidValue);
  FakeMemory::Access access(memory);
  memmove(reinterpret_cast<void *>(to), reinterpret_cast<const void *>(from),
          bytes);
  return CUDA_SUCCESS;
}

static CUresult zero(CUdeviceptr to, size_t bytes) {
  ++fake().counts.zeroings;
  if (!fake().memory.contains(to, bytes))
    return fake().violate("zeros outside of an allocation", invalidValue);
  FakeMemory::Access access(fake().memory);
  memset(reinterpret_cast<void *>(to), 0, bytes);
  return CUDA_SUCCESS;
}

static CUresult cuMemsetD8Async(CUdeviceptr to, unsigned char, size_t bytes,
                                CUstream stream) {
  ENTER(true)
  if (CUresult result = checkStream(stream))
    return result;
  return zero(to, bytes);
}

static CUresult cuPointerGetAttributes(unsigned count,
                                       CUpointer_attribute *attributes,
                                       void **values, CUdeviceptr address) {
  ENTER(true)
  const FakeMemory::Allocation *found = fake().memory.find(address);
  using Kind = FakeMemory::Kind;
  for (unsigned i = 0; i < count; ++i) {
    int32_t value = 0;
    if (!found)
      value = attributes[i] == CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL ? -2 : 0;
    else if (attributes[i] == CU_POINTER_ATTRIBUTE_MEMORY_TYPE)
      value =
          found->kind == Kind::Host ? CU_MEMORYTYPE_HOST : CU_MEMORYTYPE_DEVICE;
    else if (attributes[i] == CU_POINTER_ATTRIBUTE_IS_MANAGED)
      value = found->kind == Kind::Managed;
    else if (attributes[i] == CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL)
      value = found->device;
    else
      return invalidValue;
    memcpy(values[i], &value, sizeof(value));
  }
  return CUDA_SUCCESS;
}

//===----------------------------------------------------------------------===//
// Modules and kernels
//===----------------------------------------------------------------------===//

// For a look at code that is made at run time.
static void keepPtx(const FakeModule &module) {
  const char *folder = getenv("HAMKAAS_FAKE_CUDA_IMAGES");
  if (!folder || module.text().empty())
    return;
  std::string path = std::string(folder) + "/" +
                     std::to_string(fake().counts.modules) + ".ptx";
  if (FILE *file = fopen(path.c_str(), "w")) {
    fputs(module.text().c_str(), file);
    fclose(file);
  }
}

static CUresult cuModuleLoadDataEx(CUmodule *module, const void *image,
                                   unsigned count, CUjit_option *options,
                                   void **values) {
  ENTER(true)
  auto loaded = std::make_unique<FakeModule>(fake().kernels, fake().globals);
  std::string problem = loaded->load(static_cast<const char *>(image),
                                     fake().settings.capability);
  if (!problem.empty()) {
    if (count == 2 && options[0] == CU_JIT_ERROR_LOG_BUFFER &&
        options[1] == CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES)
      snprintf(static_cast<char *>(values[0]),
               reinterpret_cast<size_t>(values[1]), "%s\n", problem.c_str());
    return 218;
  }
  for (FakeModule::Global &global : loaded->globals())
    global.address = fake().memory.allocate(global.contents.size(),
                                            FakeMemory::Kind::OfModule,
                                            currentContext()->device);
  FakeMemory::Access access(fake().memory);
  for (FakeModule::Global &global : loaded->globals())
    memcpy(global.address, global.contents.data(), global.contents.size());
  keepPtx(*loaded);
  ++fake().counts.modules;
  fake().counts.machineCodes += loaded->isMachineCode();
  *module = reinterpret_cast<CUmodule>(loaded.get());
  currentContext()->modules[loaded.get()] = std::move(loaded);
  return CUDA_SUCCESS;
}

static FakeModule *findModule(CUmodule module) {
  auto &modules = currentContext()->modules;
  auto found = modules.find(reinterpret_cast<FakeModule *>(module));
  return found == modules.end() ? nullptr : found->first;
}

static CUresult cuModuleUnload(CUmodule handle) {
  ENTER(true)
  FakeModule *module = findModule(handle);
  if (!module)
    return fake().violate("a module that is none", invalidHandle);
  for (FakeModule::Global &global : module->globals())
    fake().memory.release(global.address);
  currentContext()->modules.erase(module);
  return CUDA_SUCCESS;
}

static CUresult cuModuleGetFunction(CUfunction *function, CUmodule handle,
                                    const char *name) {
  ENTER(true)
  FakeModule *module = findModule(handle);
  if (!module)
    return fake().violate("a module that is none", invalidHandle);
  const FakeFunction *found = module->findFunction(name);
  if (!found)
    return notFound;
  *function = reinterpret_cast<CUfunction>(const_cast<FakeFunction *>(found));
  return CUDA_SUCCESS;
}

static CUresult cuModuleGetGlobal(CUdeviceptr *address, size_t *bytes,
                                  CUmodule handle, const char *name) {
  ENTER(true)
  FakeModule *module = findModule(handle);
  if (!module)
    return fake().violate("a module that is none", invalidHandle);
  for (FakeModule::Global &global : module->globals())
    if (global.name == name) {
      *address = reinterpret_cast<CUdeviceptr>(global.address);
      *bytes = global.contents.size();
      return CUDA_SUCCESS;
    }
  return notFound;
}

static CUresult cuFuncSetAttribute(CUfunction function,
                                   CUfunction_attribute attribute, int value) {
  ENTER(true)
  if (attribute == CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT) {
    reinterpret_cast<FakeFunction *>(function)->carveout = value;
    return value >= -1 && value <= 100 ? CUDA_SUCCESS : invalidValue;
  }
  if (attribute != CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES)
    return invalidValue;
  // An H100 has so much.
  if (value > 227 * 1024)
    return invalidValue;
  reinterpret_cast<FakeFunction *>(function)->sharedBytes = value;
  return CUDA_SUCCESS;
}

static CUresult cuFuncGetAttribute(int *value, CUfunction_attribute attribute,
                                   CUfunction function) {
  ENTER(true)
  if (attribute != CU_FUNC_ATTRIBUTE_PTX_VERSION)
    return invalidValue;
  *value = reinterpret_cast<FakeFunction *>(function)->ptxVersion;
  return CUDA_SUCCESS;
}

// Reads the arguments at the addresses that a launch gives.
static KernelNode readKernel(CUfunction handle, unsigned blocks,
                             unsigned threads, unsigned sharedBytes,
                             void **parameters) {
  auto *function = reinterpret_cast<FakeFunction *>(handle);
  KernelNode kernel = {function, blocks, threads, sharedBytes, {}};
  for (int i = 0; i < function->wordCount; ++i)
    kernel.words.push_back(*static_cast<const uint64_t *>(parameters[i]));
  return kernel;
}

static CUresult checkKernel(const KernelNode &kernel) {
  const FakeFunction &function = *kernel.function;
  if (kernel.blocks == 0 || kernel.threads == 0 || kernel.threads > 1024)
    return fake().violate("kernel '" + function.name + "' has a wrong grid",
                          invalidValue);
  if (kernel.sharedBytes > static_cast<unsigned>(function.sharedBytes))
    return fake().violate("kernel '" + function.name +
                              "' has more shared memory than it may",
                          invalidValue);
  return CUDA_SUCCESS;
}

CUresult Fake::runKernel(Context &context, const KernelNode &kernel,
                         bool inGraph) {
  const FakeFunction &function = *kernel.function;
  ++(inGraph ? counts.kernelsInGraphs : counts.kernelsLaunched);
  launches.push_back({function.name, kernel.blocks, kernel.threads,
                      kernel.sharedBytes, kernel.words, function.carveout});
  if (function.name == settings.crashingKernel) {
    context.fatal = illegalAddress;
    return CUDA_SUCCESS; // The next call says it.
  }
  while (function.name == settings.hangingKernel)
    pause();
  // The last is the number of the call. A tensor without elements may be at the
  // end of an allocation.
  for (size_t i = 0; i + 1 < kernel.words.size(); ++i)
    if (static_cast<int>(i) != function.valueIndex &&
        !memory.contains(kernel.words[i], 0))
      return violate("argument " + std::to_string(i) + " of kernel '" +
                         function.name + "' is in no allocation",
                     CUDA_SUCCESS);
  if (!function.kernel)
    return CUDA_SUCCESS;
  FakeMemory::Access access(memory);
  function.kernel(kernel.words.data());
  return CUDA_SUCCESS;
}

static CUresult cuLaunchKernel(CUfunction function, unsigned gridX,
                               unsigned gridY, unsigned gridZ, unsigned blockX,
                               unsigned blockY, unsigned blockZ,
                               unsigned sharedBytes, CUstream stream,
                               void **parameters, void **) {
  ENTER(true)
  if (CUresult result = checkStream(stream))
    return result;
  KernelNode kernel =
      readKernel(function, gridX * gridY * gridZ, blockX * blockY * blockZ,
                 sharedBytes, parameters);
  if (CUresult result = checkKernel(kernel))
    return result;
  return fake().runKernel(*currentContext(), kernel, /*inGraph=*/false);
}

//===----------------------------------------------------------------------===//
// Graphs
//===----------------------------------------------------------------------===//

static CUresult cuGraphCreate(CUgraph *graph, unsigned) {
  ENTER(true)
  auto created = std::make_unique<FakeGraph>();
  created->device = currentContext()->device;
  *graph = reinterpret_cast<CUgraph>(created.get());
  fake().graphs[created.get()] = std::move(created);
  return CUDA_SUCCESS;
}

static CUresult cuGraphDestroy(CUgraph graph) {
  ENTER(true)
  if (!fake().graphs.erase(reinterpret_cast<FakeGraph *>(graph)))
    return fake().violate("a graph that is none", invalidHandle);
  return CUDA_SUCCESS;
}

// Adds a node after the one before.
static CUresult addNode(CUgraphNode *node, CUgraph handle,
                        const CUgraphNode *after, size_t count,
                        FakeNode::Work work) {
  auto *graph = reinterpret_cast<FakeGraph *>(handle);
  if (!fake().graphs.count(graph))
    return fake().violate("a graph that is none", invalidHandle);
  const FakeNode *last =
      graph->nodes.empty() ? nullptr : graph->nodes.back().get();
  const FakeNode *given =
      count == 0 ? nullptr : reinterpret_cast<const FakeNode *>(after[0]);
  // A node without a dependency gets one later.
  if (count > 1 || (given && last != given) || (last && !last->isJoined))
    return fake().violate("a node that does not come after the one before",
                          invalidValue);
  graph->nodes.push_back(std::make_unique<FakeNode>(std::move(work)));
  graph->nodes.back()->isJoined = last == given;
  *node = reinterpret_cast<CUgraphNode>(graph->nodes.back().get());
  return CUDA_SUCCESS;
}

static bool isWaitingKernel(const FakeNode &node) {
  auto *kernel = std::get_if<KernelNode>(&node.work);
  return kernel && kernel->function->waits;
}

static CUresult cuGraphAddDependencies(CUgraph handle, const CUgraphNode *from,
                                       const CUgraphNode *to,
                                       const CUgraphEdgeData *edge,
                                       size_t count) {
  ENTER(true)
  auto *graph = reinterpret_cast<FakeGraph *>(handle);
  if (!fake().graphs.count(graph))
    return fake().violate("a graph that is none", invalidHandle);
  auto &nodes = graph->nodes;
  if (count != 1 || nodes.size() < 2 || nodes.back()->isJoined ||
      reinterpret_cast<FakeNode *>(*to) != nodes.back().get() ||
      reinterpret_cast<FakeNode *>(*from) != nodes[nodes.size() - 2].get())
    return fake().violate("an edge that does not join the last two nodes",
                          invalidValue);
  CUgraphEdgeData expected = {CU_GRAPH_KERNEL_NODE_PORT_PROGRAMMATIC,
                              0,
                              CU_GRAPH_DEPENDENCY_TYPE_PROGRAMMATIC,
                              {}};
  if (!edge || memcmp(edge, &expected, sizeof(expected)) != 0)
    return fake().violate("an edge that is not programmatic", invalidValue);
  if (!isWaitingKernel(*nodes[nodes.size() - 2]) ||
      !isWaitingKernel(*nodes.back()))
    return fake().violate("a programmatic edge between what does not wait",
                          invalidValue);
  nodes.back()->isJoined = true;
  ++fake().counts.programmaticEdges;
  return CUDA_SUCCESS;
}

static KernelNode readKernel(const CUDA_KERNEL_NODE_PARAMS &given) {
  return readKernel(given.func,
                    given.gridDimX * given.gridDimY * given.gridDimZ,
                    given.blockDimX * given.blockDimY * given.blockDimZ,
                    given.sharedMemBytes, given.kernelParams);
}

static CUresult cuGraphAddKernelNode(CUgraphNode *node, CUgraph graph,
                                     const CUgraphNode *after, size_t count,
                                     const CUDA_KERNEL_NODE_PARAMS *given) {
  ENTER(true)
  KernelNode kernel = readKernel(*given);
  if (CUresult result = checkKernel(kernel))
    return result;
  return addNode(node, graph, after, count, {std::move(kernel)});
}

static size_t countBytes(const CUDA_MEMCPY3D &copy) {
  return copy.WidthInBytes * copy.Height;
}

static CUresult checkCopy(const CUDA_MEMCPY3D &copy) {
  bool isDense = copy.Depth == 1 && copy.Height > 0 && copy.WidthInBytes > 0 &&
                 copy.srcPitch == copy.WidthInBytes &&
                 copy.dstPitch == copy.WidthInBytes;
  if (!isDense)
    return fake().violate("a copy whose rows do not follow each other",
                          invalidValue);
  // CU_DEVICE_ATTRIBUTE_MAX_PITCH of all GPUs.
  if (copy.srcPitch > INT32_MAX)
    return fake().violate("a copy with a pitch of 2 GiB or more", invalidValue);
  using Kind = FakeMemory::Kind;
  auto check = [&](CUmemorytype type, const void *host, CUdeviceptr device) {
    auto address = type == CU_MEMORYTYPE_HOST
                       ? reinterpret_cast<CUdeviceptr>(host)
                       : device;
    const FakeMemory::Allocation *found = fake().memory.find(address);
    return found && fake().memory.contains(address, countBytes(copy)) &&
           (found->kind == Kind::Host) == (type == CU_MEMORYTYPE_HOST);
  };
  if (check(copy.srcMemoryType, copy.srcHost, copy.srcDevice) &&
      check(copy.dstMemoryType, copy.dstHost, copy.dstDevice))
    return CUDA_SUCCESS;
  return fake().violate("a copy in a graph from or to what is no allocation of "
                        "that kind",
                        invalidValue);
}

static CUresult cuGraphAddMemcpyNode(CUgraphNode *node, CUgraph graph,
                                     const CUgraphNode *after, size_t count,
                                     const CUDA_MEMCPY3D *copy,
                                     CUcontext context) {
  ENTER(true)
  if (context != entered.back())
    return fake().violate("a copy in another context", invalidContext);
  if (CUresult result = checkCopy(*copy))
    return result;
  ++fake().counts.copyNodes;
  return addNode(node, graph, after, count, {*copy});
}

static CUresult cuGraphAddMemsetNode(CUgraphNode *node, CUgraph graph,
                                     const CUgraphNode *after, size_t count,
                                     const CUDA_MEMSET_NODE_PARAMS *zeros,
                                     CUcontext context) {
  ENTER(true)
  if (context != entered.back())
    return fake().violate("zeros in another context", invalidContext);
  if (zeros->value != 0 || zeros->height != 1 || zeros->elementSize != 4)
    return fake().violate("a node that sets other than zeros", invalidValue);
  return addNode(node, graph, after, count, {*zeros});
}

static CUresult readCapture(CUgraph handle, ChildNode &child) {
  auto found = fake().graphs.find(reinterpret_cast<FakeGraph *>(handle));
  if (found == fake().graphs.end() || found->first->captured.empty())
    return fake().violate("a graph that was not captured", invalidHandle);
  child.calls = found->first->captured;
  return CUDA_SUCCESS;
}

static CUresult cuGraphAddChildGraphNode(CUgraphNode *node, CUgraph graph,
                                         const CUgraphNode *after, size_t count,
                                         CUgraph given) {
  ENTER(true)
  ChildNode child;
  if (CUresult result = readCapture(given, child))
    return result;
  return addNode(node, graph, after, count, {std::move(child)});
}

static CUresult cuGraphAddEventRecordNode(CUgraphNode *node, CUgraph graph,
                                          const CUgraphNode *after,
                                          size_t count, CUevent event) {
  ENTER(true)
  if (!currentContext()->events.count(reinterpret_cast<Event *>(event)))
    return fake().violate("an event that is none", invalidHandle);
  return addNode(node, graph, after, count, {event});
}

static CUresult cuGraphInstantiateWithFlags(CUgraphExec *handle, CUgraph graph,
                                            unsigned long long flags) {
  ENTER(true)
  auto found = fake().graphs.find(reinterpret_cast<FakeGraph *>(graph));
  if (found == fake().graphs.end())
    return fake().violate("a graph that is none", invalidHandle);
  if (flags != 0)
    return invalidValue;
  if (const auto &nodes = found->first->nodes;
      !nodes.empty() && !nodes.back()->isJoined)
    return fake().violate("a node that does not come after the one before",
                          invalidValue);
  auto exec = std::make_unique<FakeExec>();
  exec->device = currentContext()->device;
  for (const auto &node : found->first->nodes)
    exec->nodes.push_back({node.get(), *node});
  ++fake().counts.graphs;
  *handle = reinterpret_cast<CUgraphExec>(exec.get());
  fake().execs[exec.get()] = std::move(exec);
  return CUDA_SUCCESS;
}

static CUresult cuGraphExecDestroy(CUgraphExec exec) {
  ENTER(true)
  if (!fake().execs.erase(reinterpret_cast<FakeExec *>(exec)))
    return fake().violate("an executable graph that is none", invalidHandle);
  return CUDA_SUCCESS;
}

// Changes what a node does.
static CUresult updateNode(CUgraphExec handle, CUgraphNode node,
                           FakeNode::Work work) {
  auto *exec = reinterpret_cast<FakeExec *>(handle);
  if (!fake().execs.count(exec))
    return fake().violate("an executable graph that is none", invalidHandle);
  if (fake().settings.refusesUpdates)
    return invalidValue;
  for (auto &[original, copy] : exec->nodes)
    if (original == reinterpret_cast<FakeNode *>(node)) {
      if (copy.work.index() != work.index())
        return fake().violate("a node of another kind", invalidValue);
      copy.work = std::move(work);
      ++fake().counts.nodeUpdates;
      return CUDA_SUCCESS;
    }
  return fake().violate("a node of another graph", invalidHandle);
}

static CUresult
cuGraphExecKernelNodeSetParams(CUgraphExec exec, CUgraphNode node,
                               const CUDA_KERNEL_NODE_PARAMS *given) {
  ENTER(true)
  KernelNode kernel = readKernel(*given);
  if (CUresult result = checkKernel(kernel))
    return result;
  return updateNode(exec, node, {std::move(kernel)});
}

static CUresult cuGraphExecMemcpyNodeSetParams(CUgraphExec exec,
                                               CUgraphNode node,
                                               const CUDA_MEMCPY3D *copy,
                                               CUcontext) {
  ENTER(true)
  if (CUresult result = checkCopy(*copy))
    return result;
  return updateNode(exec, node, {*copy});
}

static CUresult cuGraphExecChildGraphNodeSetParams(CUgraphExec exec,
                                                   CUgraphNode node,
                                                   CUgraph given) {
  ENTER(true)
  ChildNode child;
  if (CUresult result = readCapture(given, child))
    return result;
  return updateNode(exec, node, {std::move(child)});
}

static CUresult cuGraphUpload(CUgraphExec exec, CUstream stream) {
  ENTER(true)
  if (!fake().execs.count(reinterpret_cast<FakeExec *>(exec)))
    return fake().violate("an executable graph that is none", invalidHandle);
  return checkStream(stream);
}

CUresult Fake::runCall(const LibraryCall &call) {
  ++counts.libraryCalls;
  for (const Piece &piece : call.pieces)
    if (!memory.contains(reinterpret_cast<uint64_t>(piece.address),
                         piece.bytes))
      return violate(call.name + " uses what is in no allocation",
                     CUDA_SUCCESS);
  FakeMemory::Access access(memory);
  call.run();
  return CUDA_SUCCESS;
}

CUresult Fake::copy(const CUDA_MEMCPY3D &copy) {
  ++counts.copies;
  // Its memory may be gone by now.
  if (CUresult result = checkCopy(copy))
    return result;
  const void *from = copy.srcMemoryType == CU_MEMORYTYPE_HOST
                         ? copy.srcHost
                         : reinterpret_cast<const void *>(copy.srcDevice);
  void *to = copy.dstMemoryType == CU_MEMORYTYPE_HOST
                 ? copy.dstHost
                 : reinterpret_cast<void *>(copy.dstDevice);
  FakeMemory::Access access(memory);
  memmove(to, from, countBytes(copy));
  return CUDA_SUCCESS;
}

CUresult Fake::runNode(Context &context, const FakeNode &node) {
  if (auto *kernel = std::get_if<KernelNode>(&node.work))
    return runKernel(context, *kernel, /*inGraph=*/true);
  if (auto *child = std::get_if<ChildNode>(&node.work)) {
    for (const LibraryCall &call : child->calls)
      if (CUresult result = runCall(call))
        return result;
    return CUDA_SUCCESS;
  }
  if (auto *copied = std::get_if<CUDA_MEMCPY3D>(&node.work))
    return copy(*copied);
  if (auto *zeros = std::get_if<CUDA_MEMSET_NODE_PARAMS>(&node.work))
    return zero(zeros->dst, zeros->elementSize * zeros->width);
  Event &event = *reinterpret_cast<Event *>(std::get<CUevent>(node.work));
  event.isRecorded = true;
  event.time = std::chrono::steady_clock::now();
  return CUDA_SUCCESS;
}

static CUresult cuGraphLaunch(CUgraphExec handle, CUstream stream) {
  ENTER(true)
  auto *exec = reinterpret_cast<FakeExec *>(handle);
  if (!fake().execs.count(exec))
    return fake().violate("an executable graph that is none", invalidHandle);
  if (CUresult result = checkStream(stream))
    return result;
  ++fake().counts.graphLaunches;
  for (const auto &[original, node] : exec->nodes) {
    if (CUresult result = fake().runNode(*currentContext(), node))
      return result;
    if (currentContext()->fatal)
      break;
  }
  return CUDA_SUCCESS;
}

//===----------------------------------------------------------------------===//
// The library
//===----------------------------------------------------------------------===//

extern "C" __attribute__((visibility("default"))) CUresult
cuDriverGetVersion(int *version) {
  Lock lock(fake().mutex);
  *version = fake().settings.version;
  return CUDA_SUCCESS;
}

// A driver before 12.0 has a cuGetProcAddress without the status; ours is
// found, but knows no function.
extern "C" __attribute__((visibility("default"))) CUresult
cuGetProcAddress_v2(const char *symbol, void **function, int version,
                    uint64_t flags, CUdriverProcAddressQueryResult *status) {
  Lock lock(fake().mutex);
  *function = nullptr;
  CUdriverProcAddressQueryResult ignored;
  // The caller need not ask for the status.
  if (!status)
    status = &ignored;
  *status = 1;
  if (flags != 0 || version > fake().settings.version)
    return notFound;
#define HAMKAAS_FIND(name, since, parameters)                                  \
  if (strcmp(symbol, #name) == 0)                                              \
    *function = reinterpret_cast<void *>(PFN_##name(name));
  HAMKAAS_CUDA_FUNCTIONS(HAMKAAS_FIND)
#undef HAMKAAS_FIND
#define HAMKAAS_FIND(name, since, parameters)                                  \
  if (strcmp(symbol, #name) == 0 && version >= since)                          \
    *function = reinterpret_cast<void *>(PFN_##name(name));
  HAMKAAS_CUDA_NEWER_FUNCTIONS(HAMKAAS_FIND)
#undef HAMKAAS_FIND
  *status = *function ? 0 : 1;
  return *function ? CUDA_SUCCESS : notFound;
}

static int readNumber(const char *variable, int otherwise) {
  const char *text = getenv(variable);
  return text ? atoi(text) : otherwise;
}

__attribute__((constructor)) static void readEnvironment() {
  Settings &settings = fake().settings;
  settings.deviceCount = readNumber("HAMKAAS_FAKE_CUDA_DEVICES", 1);
  settings.capability = readNumber("HAMKAAS_FAKE_CUDA_CAPABILITY", 90);
  settings.version = readNumber("HAMKAAS_FAKE_CUDA_VERSION", 13000);
  settings.failingCall = readNumber("HAMKAAS_FAKE_CUDA_FAIL", -1);
  if (const char *kernel = getenv("HAMKAAS_FAKE_CUDA_CRASH"))
    settings.crashingKernel = kernel;
  if (const char *kernel = getenv("HAMKAAS_FAKE_CUDA_HANG"))
    settings.hangingKernel = kernel;
  if (int mebibytes = readNumber("HAMKAAS_FAKE_CUDA_MEMORY", 0))
    settings.memoryBytes = static_cast<size_t>(mebibytes) << 20;
}

static void print(const char *title, const std::vector<std::string> &lines) {
  fprintf(stderr, "fake-cuda: %zu %s\n", lines.size(), title);
  for (const std::string &line : lines)
    fprintf(stderr, "fake-cuda:   %s\n", line.c_str());
}

__attribute__((destructor)) static void report() {
  if (!getenv("HAMKAAS_FAKE_CUDA_REPORT"))
    return;
  Counts done = counts();
  fprintf(stderr, "fake-cuda: %lld modules, %lld graphs, %lld graph launches\n",
          static_cast<long long>(done.modules),
          static_cast<long long>(done.graphs),
          static_cast<long long>(done.graphLaunches));
  fprintf(stderr, "fake-cuda: %lld kernels launched, %lld in graphs\n",
          static_cast<long long>(done.kernelsLaunched),
          static_cast<long long>(done.kernelsInGraphs));
  if (done.libraryCalls > 0)
    fprintf(stderr, "fake-cuda: %lld calls of libraries\n",
            static_cast<long long>(done.libraryCalls));
  fprintf(stderr, "fake-cuda: %lld allocations, %lld freed\n",
          static_cast<long long>(done.allocations),
          static_cast<long long>(done.frees));
  if (done.programmaticEdges > 0)
    fprintf(stderr, "fake-cuda: %lld programmatic edges\n",
            static_cast<long long>(done.programmaticEdges));
  if (done.machineCodes > 0)
    fprintf(stderr, "fake-cuda: %lld modules of machine code\n",
            static_cast<long long>(done.machineCodes));
  print("violations", violations());
  print("leaks", leaks());
  print("not given back", held());
}

//===----------------------------------------------------------------------===//
// For tests
//===----------------------------------------------------------------------===//

// For those that load the library: addresses in the memory of a GPU.
#define EXPORTED extern "C" __attribute__((visibility("default")))

EXPORTED void *hamkaasFakeCudaAllocate(size_t bytes, int device) {
  return allocate(bytes, device);
}
EXPORTED void hamkaasFakeCudaRelease(void *memory) { release(memory); }
EXPORTED void hamkaasFakeCudaCopy(void *to, const void *from, size_t bytes) {
  write(to, from, bytes);
}
/// How many copies there were up to now.
EXPORTED int64_t hamkaasFakeCudaCopies() { return counts().copies; }
/// putOnStream, for pieces of memory of `count` addresses. Returns 0, or 1 if
/// the driver fails.
EXPORTED int hamkaasFakeCudaPutOnStream(void *stream, const char *name,
                                        const void *const *addresses,
                                        const size_t *bytes, int count,
                                        void (*run)(void *context),
                                        void *context) {
  std::vector<Piece> pieces;
  for (int i = 0; i < count; ++i)
    pieces.push_back({addresses[i], bytes[i]});
  return putOnStream(stream, name, std::move(pieces), [=] { run(context); })
             ? 0
             : 1;
}
EXPORTED size_t hamkaasFakeCudaViolations() { return violations().size(); }

namespace hamkaas::test::cuda {

void configure(const Settings &settings) {
  Lock lock(fake().mutex);
  fake().settings = settings;
  resetCounts();
}

void stopFailing() {
  Lock lock(fake().mutex);
  fake().settings.failingCall = -1;
}

void resetCounts() {
  Lock lock(fake().mutex);
  fake().counts = {};
  fake().callNumber = 0;
  fake().failedFunction.clear();
  fake().launches.clear();
  fake().violations.clear();
  fake().leaks.clear();
}

void registerKernel(const std::string &name, int wordCount, Kernel kernel) {
  Lock lock(fake().mutex);
  fake().kernels[name] = {wordCount, std::move(kernel)};
}

void registerGlobal(const std::string &name, std::vector<char> contents) {
  Lock lock(fake().mutex);
  fake().globals[name] = std::move(contents);
}

Counts counts() {
  Lock lock(fake().mutex);
  return fake().counts;
}

std::vector<Launch> launches() {
  Lock lock(fake().mutex);
  return fake().launches;
}

std::vector<std::string> violations() {
  Lock lock(fake().mutex);
  return fake().violations;
}

std::vector<std::string> leaks() {
  Lock lock(fake().mutex);
  return fake().leaks;
}

std::vector<std::string> held() {
  Lock lock(fake().mutex);
  std::vector<std::string> found;
  for (auto &[device, context] : fake().contexts) {
    std::vector<std::string> more = fake().heldIn(context);
    found.insert(found.end(), more.begin(), more.end());
    found.insert(found.end(), static_cast<size_t>(context.holders),
                 "a hold on a context");
  }
  return found;
}

std::string failedFunction() {
  Lock lock(fake().mutex);
  return fake().failedFunction;
}

void destroyContexts() {
  Lock lock(fake().mutex);
  for (auto &[device, context] : fake().contexts) {
    fake().destroyContext(context);
    context.holders = 0;
  }
  fake().leaks.clear();
  entered.clear();
}

size_t contextDepth() { return entered.size(); }

bool putOnStream(void *handle, const std::string &name,
                 std::vector<Piece> pieces, std::function<void()> run) {
  Lock lock(fake().mutex);
  if (!currentContext() || currentContext()->fatal ||
      (handle && checkStream(static_cast<CUstream>(handle))))
    return false;
  LibraryCall call = {name, std::move(pieces), std::move(run)};
  if (auto *stream = static_cast<Stream *>(handle); stream && stream->capture) {
    stream->capture->captured.push_back(std::move(call));
    return true;
  }
  return fake().runCall(call) == CUDA_SUCCESS;
}

void *allocate(size_t bytes, int device, bool isManaged) {
  Lock lock(fake().mutex);
  return fake().memory.allocate(
      bytes, isManaged ? FakeMemory::Kind::Managed : FakeMemory::Kind::OfOthers,
      device);
}

void release(void *memory) {
  Lock lock(fake().mutex);
  fake().memory.release(memory);
}

void write(void *to, const void *from, size_t bytes) {
  Lock lock(fake().mutex);
  FakeMemory::Access access(fake().memory);
  memcpy(to, from, bytes);
}

void read(void *to, const void *from, size_t bytes) { write(to, from, bytes); }

} // namespace hamkaas::test::cuda
