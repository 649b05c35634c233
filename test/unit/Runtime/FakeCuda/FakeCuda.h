//===- FakeCuda.h - A driver of NVIDIA GPUs for tests -----------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A libcuda.so.1 without a GPU. The memory of its devices is the process's own,
// but protected: who reads a device address as if it were his own crashes.
// Kernels are functions that a test registers by name; others are recorded
// only. Whoever breaks a rule of the driver finds it in `violations`: each
// address must lie in an allocation, handles must be alive, nodes of a graph
// come one after the other, and only kernels that wait may overlap.
//
// In programs that do not link it, the environment sets what the functions here
// do:
//   HAMKAAS_FAKE_CUDA_DEVICES=N        number of GPUs (1)
//   HAMKAAS_FAKE_CUDA_CAPABILITY=NN    their compute capability (90)
//   HAMKAAS_FAKE_CUDA_VERSION=NNNNN    of the driver (13000)
//   HAMKAAS_FAKE_CUDA_FAIL=N           the call, counted from 0, that fails
//   HAMKAAS_FAKE_CUDA_CRASH=KERNEL     the kernel that makes an illegal access
//   HAMKAAS_FAKE_CUDA_HANG=KERNEL      the kernel that never ends
//   HAMKAAS_FAKE_CUDA_MEMORY=MIB       of all allocations of a GPU
//   HAMKAAS_FAKE_CUDA_IMAGES=FOLDER    keep the PTX of modules there
//   HAMKAAS_FAKE_CUDA_REPORT=1         print what happened when the process
//   ends
//
//===----------------------------------------------------------------------===//

#ifndef HAMKAAS_TEST_UNIT_RUNTIME_FAKECUDA_FAKECUDA_H
#define HAMKAAS_TEST_UNIT_RUNTIME_FAKECUDA_FAKECUDA_H

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace hamkaas::test::cuda {

struct Settings {
  int deviceCount = 1;
  int capability = 90;
  int version = 13000;
  /// CUresult of cuInit.
  int initResult = 0;
  /// The call that fails, counted from 0 since the settings were made: no
  /// effect but `failingResult`. -1 for none.
  int64_t failingCall = -1;
  int failingResult = 999;
  /// CUresult of cuCtxSynchronize, as while another thread captures a stream.
  int synchronizeResult = 0;
  /// True if all later calls fail, too, until the context is destroyed.
  bool isFatal = false;
  /// The kernel that makes an illegal access; empty for none.
  std::string crashingKernel;
  /// The kernel that never ends; empty for none.
  std::string hangingKernel;
  /// Memory of a GPU, for all allocations together.
  size_t memoryBytes = SIZE_MAX;
  /// True if changes of a graph's nodes are refused.
  bool refusesUpdates = false;
};

/// Counts since the settings were made.
struct Counts {
  int64_t calls = 0;
  int64_t allocations = 0, frees = 0; // of both kinds
  int64_t machineCodes = 0;           // modules whose PTX need not be compiled
  int64_t modules = 0, graphs = 0, nodeUpdates = 0, graphLaunches = 0;
  int64_t kernelsLaunched = 0, kernelsInGraphs = 0; // that were run
  int64_t libraryCalls = 0; // that were run, in graphs or not
  int64_t copies = 0, zeroings = 0, synchronisations = 0;
  int64_t copyNodes = 0; // that were added to graphs
  int64_t programmaticEdges = 0;
};

/// A kernel that was run.
struct Launch {
  std::string name;
  int64_t blocks, threads, sharedBytes;
  /// The arguments, `failure` and the call; empty if the number is not known.
  std::vector<uint64_t> words;
  int carveout; // percent of what could be shared memory; -1 for not given
};

/// Memory that is read or written.
struct Piece {
  const void *address;
  size_t bytes;
};

/// Runs a kernel on `words`, while device memory may be read and written.
using Kernel = std::function<void(const uint64_t *words)>;

/// Forgets counts, launches and violations, and sets what comes next.
void configure(const Settings &settings);
/// Lets no more calls fail than did.
void stopFailing();
/// Forgets counts, launches and violations only.
void resetCounts();

/// `wordCount` counts `failure` and the call. The kernel stays registered.
void registerKernel(const std::string &name, int wordCount, Kernel kernel);
/// A global variable of all modules without PTX.
void registerGlobal(const std::string &name, std::vector<char> contents);

Counts counts();
std::vector<Launch> launches();
std::vector<std::string> violations();
/// Resources that contexts still had when they were destroyed in order, and
/// those that are held now.
std::vector<std::string> leaks();
std::vector<std::string> held();
/// Name of the function that failed by the settings, or empty.
std::string failedFunction();
/// Destroys all contexts, whoever holds them, and makes the calling thread
/// leave them.
void destroyContexts();
/// How many contexts the calling thread has entered.
size_t contextDepth();

/// Puts work of another library on a stream, a CUstream, or null for the
/// default stream. When the stream gets there, `run` is called and may read and
/// write device memory. False if the driver fails.
bool putOnStream(void *stream, const std::string &name,
                 std::vector<Piece> pieces, std::function<void()> run);

/// Device memory, as another library of the process would allocate it: in the
/// primary context of the device, which it holds until then.
void *allocate(size_t bytes, int device = 0, bool isManaged = false);
void release(void *memory);
void write(void *to, const void *from, size_t bytes);
void read(void *to, const void *from, size_t bytes);

} // namespace hamkaas::test::cuda

#endif // HAMKAAS_TEST_UNIT_RUNTIME_FAKECUDA_FAKECUDA_H
