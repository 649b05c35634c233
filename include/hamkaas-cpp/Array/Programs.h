//===- Programs.h - The compiled programs of an expression ------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An expression's type is its structure, so each type has its own programs,
// found by a key: shapes, strides, attributes and device. Scalars are inputs. A
// key is compared in some nanoseconds, and nothing is allocated for it.
//
//===----------------------------------------------------------------------===//

#ifndef HAMKAAS_CPP_ARRAY_PROGRAMS_H
#define HAMKAAS_CPP_ARRAY_PROGRAMS_H

#include "hamkaas-cpp/Array/Recorder.h"

#include <atomic>
#include <mutex>

namespace hamkaas {
inline namespace HAMKAAS_CPP_VARIANT {

/// Where an expression is computed.
struct Device {
  bool isCuda = false;
  int32_t number = 0;  // of a GPU
  int32_t threads = 0; // of the CPU
};

/// The CPU, on `threads` threads; 0 for one per core where the arrays are large
/// enough for that.
inline Device cpu(int32_t threads = 0) { return {false, 0, threads}; }

/// An NVIDIA GPU. Arrays are copied there and back.
inline Device cuda(int32_t number = 0) { return {true, number, 0}; }

namespace detail {

inline std::atomic<int32_t> mostPrograms{64};

/// An expression that is to be computed.
struct Request {
  class Programs &programs;
  const void *expression;
  void (*record)(const void *expression, Recorder &recorder, Node &result);
  Argument *operands;
  const void **addresses; // as many
  int32_t operandCount;
  int64_t *key;
  int32_t keySize;
  /// All operations work element by element.
  bool isElementwise;
  Device device;
  Position at;
};

/// An instance of a program, and memory that its runs need. One thread has it
/// at a time.
struct Session {
  HamKaasInstance *instance = nullptr;
  /// Of each copied operand, and of a result that cannot be written in place.
  std::vector<std::shared_ptr<Block>> copies;
  std::shared_ptr<Block> result;
};

struct Program {
  std::vector<int64_t> key;
  HamKaasModel *model = nullptr;
  Dims shape;
  /// Each element of the result depends on that of the operands at its
  /// position, and is written after that was read.
  bool isInPlace = false;
  size_t sessions = 0;
  std::vector<std::unique_ptr<Session>> idle;
};

/// Threads may use it at the same time.
class Programs {
public:
  std::string acquire(const Request &request, Program *&program,
                      std::unique_ptr<Session> &session) {
    std::lock_guard<std::mutex> lock(mutex);
    program = find(request);
    std::string problem = program ? "" : compile(request, program);
    if (problem.empty() && program->idle.empty())
      return createSession(request, *program, session);
    if (problem.empty()) {
      session = std::move(program->idle.back());
      program->idle.pop_back();
    }
    return problem;
  }

  void release(Program &program, std::unique_ptr<Session> session) {
    std::lock_guard<std::mutex> lock(mutex);
    program.idle.push_back(std::move(session));
  }

private:
  Program *find(const Request &request) {
    auto matches = [&](const Program &program) {
      return program.key.size() == static_cast<size_t>(request.keySize) &&
             memcmp(program.key.data(), request.key,
                    program.key.size() * sizeof(int64_t)) == 0;
    };
    if (last && matches(*last))
      return last;
    for (const std::unique_ptr<Program> &program : all)
      if (matches(*program))
        return last = program.get();
    return nullptr;
  }

  /// The arrays of the request, for messages.
  static std::string describeOperands(const Request &request) {
    std::string text;
    for (int32_t i = 0; i < request.operandCount; ++i)
      if (const Elements *elements = request.operands[i].elements)
        text +=
            (text.empty() ? "" : ", ") + ElementsAccess::describe(*elements);
    return text;
  }

  std::string compile(const Request &request, Program *&program) {
    std::string operands = describeOperands(request);
    if (static_cast<int32_t>(all.size()) >= mostPrograms.load())
      return locate(request.at,
                    "expected shapes that repeat: this expression was compiled "
                    "for " +
                        std::to_string(all.size()) +
                        " different shapes or strides, last for (" +
                        lastOperands + "), got (" + operands +
                        "); see hamkaas::setMaxPrograms");
    Recorder recorder(request.at);
    recorder.addOperands(request.operands, request.operandCount);
    Node result;
    request.record(request.expression, recorder, result);
    auto compiled = std::make_unique<Program>();
    std::string problem = recorder.compile(
        result, request.device.isCuda ? "cuda" : "cpu", &compiled->model);
    if (!problem.empty())
      return problem;
    compiled->key.assign(request.key, request.key + request.keySize);
    compiled->shape = result.shape;
    compiled->isInPlace = request.isElementwise && isOneKernel(*compiled);
    lastOperands = std::move(operands);
    last = program = compiled.get();
    all.push_back(std::move(compiled));
    return "";
  }

  /// NOTE: of kernels of this family, the compiler knows that an operand may be
  /// the result if it is read only where it is written: planned buffers of
  /// models are shared in this way. Device code assumes that there is no alias.
  static bool isOneKernel(const Program &program) {
    const HamKaasProgram *tables = nullptr;
    HamKaasErrorFree(HamKaasModelGetProgram(program.model, &tables));
    return tables && !tables->deviceCode && tables->callCount == 1 &&
           strcmp(tables->calls[0].family, "elementwise") == 0;
  }

  static std::string createSession(const Request &request, Program &program,
                                   std::unique_ptr<Session> &session) {
    session = std::make_unique<Session>();
    std::string name = request.device.isCuda
                           ? "cuda:" + std::to_string(request.device.number)
                           : "cpu";
    HamKaasInstanceOptions options = {};
    options.structSize = sizeof(options);
    options.device = name.c_str();
    options.threads = request.device.threads;
    options.sharedThreads = 1;
    std::string problem = takeText(HamKaasModelCreateInstance(
        program.model, &options, &session->instance));
    if (!problem.empty())
      return locate(request.at, problem);
    program.idle.reserve(++program.sessions);
    session->copies.resize(static_cast<size_t>(request.operandCount));
    return "";
  }

  std::mutex mutex;
  Program *last = nullptr;
  std::string lastOperands;
  std::vector<std::unique_ptr<Program>> all;
};

} // namespace detail

/// How many programs an expression may have, 64 at first: a further shape is an
/// error, because a loop whose shapes change in each step would compile in each
/// step.
inline void setMaxPrograms(int32_t count) { detail::mostPrograms = count; }

} // namespace HAMKAAS_CPP_VARIANT
} // namespace hamkaas

#endif // HAMKAAS_CPP_ARRAY_PROGRAMS_H
