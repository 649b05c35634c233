//===- CudaBindings.h - The caller's buffers on a GPU -----------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HAMKAAS_LIB_RUNTIME_GPU_CUDABINDINGS_H
#define HAMKAAS_LIB_RUNTIME_GPU_CUDABINDINGS_H

#include "CudaContext.h"
#include "CudaSequence.h"
#include "hamkaas-c/Program.h"

namespace hamkaas::rt {

/// The places of a run's inputs and outputs. Buffers in GPU memory are used in
/// place. Host buffers go through a staging area, which exists twice with the
/// same layout, on the GPU and as pinned host memory:
///
///     inputs | what a failed check leaves | outputs
///
/// At first both have the middle alone. The first run with a buffer that goes
/// through an area makes it whole.
class CudaBindings {
public:
  CudaBindings() = default;
  CudaBindings(const CudaBindings &) = delete;
  CudaBindings &operator=(const CudaBindings &) = delete;
  ~CudaBindings();

  /// In the scope of the context, as all the others. A program that checks
  /// nothing leaves no failure, which is zero then.
  Error start(CudaContext &context, const HamKaasProgram &program,
              bool hasChecks);
  void release(CudaContext &context);

  /// The changes of a run's buffers since the run before, as far as they matter
  /// to the GPU.
  enum class Change {
    None,
    Addresses, // other addresses in the same steps
    Steps      // other copies, too
  };

  /// Determines the places of a run's buffers, and allocates areas that are
  /// needed for the first time. Buffers that differ from the run before must
  /// not overlap in GPU memory, unless both are inputs: kernels read through a
  /// cache that does not see writes.
  Error bind(CudaContext &context, const void *const *given,
             void *const *givenOutputs, Change &change /* out */);

  /// The caller's addresses that steps use, one for each buffer, and null for
  /// those that are staged.
  void copyAddresses(void **to) const;
  bool hasAddresses(void *const *others) const;
  int32_t bufferCount() const { return count; }

  /// The kernels' arguments.
  const void *const *inputs() const { return addresses; }
  void *const *outputs() const { return addresses + inputCount; }
  /// As the kernels take it.
  uint64_t failure() const;

  /// The GPU's copies before and after the kernels, `failure` included if there
  /// may be one.
  cuda::CUresult addCopiesIn(CudaSequence &sequence) const;
  cuda::CUresult addCopiesOut(CudaSequence &sequence) const;

  /// The processor's copies before and after all that.
  void readInputs() const;
  void writeOutputs() const;
  /// After the copies out: as in HamKaasDeviceKernel.
  const int64_t *failureValues() const;

private:
  enum class Place : int32_t {
    OfCaller, // goes through both staging areas
    InPlace,
    Misaligned // in the GPU's memory; goes through its staging area
  };

  struct Binding {
    const HamKaasTensorInfo *tensor;
    uint64_t offset; // in the staging areas
    void *given;
    Place place;
  };

  Error bindAll(CudaContext &context, const void *const *given,
                void *const *givenOutputs, Change &change);
  void forgetPlaces();
  bool isOutput(int32_t index) const { return index >= inputCount; }
  uint64_t begin(int32_t index) const {
    return reinterpret_cast<uint64_t>(bindings[index].given);
  }
  uint64_t end(int32_t index) const {
    return begin(index) + bindings[index].tensor->bytes;
  }
  void sortByAddress();
  Error checkApart(int32_t first, int32_t second,
                   const CudaContext &context) const;
  Error checkOverlaps(const CudaContext &context);
  Error layOut(const HamKaasProgram &program);
  Error allocateOnDevice(CudaContext &context, bool isWhole);
  Error allocateOnHost(CudaContext &context, bool isWhole);
  Error provideAreas(CudaContext &context, Change &change);
  /// Where a place of the layout is, if the area has it.
  uint64_t onDevice(uint64_t offset) const {
    return device.address() + offset - (isDeviceWhole ? 0 : failureOffset);
  }
  char *onHost(uint64_t offset) const {
    return host + (offset - (isHostWhole ? 0 : failureOffset));
  }
  void place(const HamKaasTensorInfo &tensor, uint64_t &end);
  Error findPlace(CudaContext &context, const char *kind,
                  const Binding &binding, const void *given,
                  Place &place) const;
  Error bindOne(CudaContext &context, const char *kind, int32_t index,
                void *given, Change &change);
  void *addressInSteps(int32_t index) const {
    const Binding &binding = bindings[index];
    return binding.place == Place::OfCaller ? nullptr : binding.given;
  }
  bool isStaged(int32_t index) const {
    return bindings[index].place == Place::OfCaller &&
           bindings[index].tensor->bytes > 0;
  }
  uint64_t endOf(int32_t index) const {
    return bindings[index].offset + bindings[index].tensor->bytes;
  }
  cuda::CUresult copyStretch(CudaSequence &sequence, uint64_t begin,
                             uint64_t end, bool isToHost) const;
  cuda::CUresult copyMisaligned(CudaSequence &sequence, int32_t index,
                                bool isToCaller) const;

  int32_t inputCount = 0, count = 0;
  Binding *bindings = nullptr; // inputs, then outputs
  void **addresses = nullptr;
  /// All bindings by their addresses, as they were when that was last of
  /// interest.
  int32_t *order = nullptr;
  bool hasChecks = true;
  uint64_t failureOffset = 0, bytes = 0;
  CudaMemory device;
  char *host = nullptr; // null without checks until it is whole
  bool isDeviceWhole = false, isHostWhole = false;
};

} // namespace hamkaas::rt

#endif // HAMKAAS_LIB_RUNTIME_GPU_CUDABINDINGS_H
