//===- Compute.h - Running a compiled expression ----------------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HAMKAAS_CPP_ARRAY_COMPUTE_H
#define HAMKAAS_CPP_ARRAY_COMPUTE_H

#include "hamkaas-cpp/Array/Programs.h"

namespace hamkaas {
inline namespace HAMKAAS_CPP_VARIANT {
namespace detail {

/// Collects the operands and the key of an expression.
class Gatherer {
public:
  Gatherer(Argument *operands, int64_t *key) : operands(operands), key(key) {}

  void add(int64_t word) { key[keySize++] = word; }
  void add(const Dims &dims) {
    add(dims.size());
    for (int64_t entry : dims)
      add(entry);
  }
  void addScalar(const void *address, int32_t type) {
    Argument &operand = operands[count];
    operand.elements = nullptr;
    operand.address = address;
    operand.type = type;
    operand.same = count++;
  }
  void addElements(const Elements &elements) {
    Argument &operand = operands[count];
    operand.elements = &elements;
    operand.address = ElementsAccess::first(elements);
    operand.type = ElementsAccess::type(elements);
    operand.isDense = elements.isContiguous();
    operand.isCopied = false;
    operand.same = findSame(operand);
    ++count;
    add(operand.same * 2 + operand.isDense);
    if (operand.same == count - 1)
      addLayout(operand);
  }

  int32_t count = 0, keySize = 0;

private:
  int32_t findSame(const Argument &operand) const {
    for (int32_t i = 0; i < count; ++i)
      if (operands[i].elements &&
          ElementsAccess::first(*operands[i].elements) == operand.address &&
          operands[i].type == operand.type &&
          operands[i].elements->shape() == operand.elements->shape() &&
          operands[i].elements->strides() == operand.elements->strides())
        return i;
    return count;
  }

  void addLayout(Argument &operand) {
    add(operand.elements->shape());
    if (operand.isDense || !operand.address)
      return;
    Window &window = operand.window;
    window.rank = 0;
    operand.isCopied = !WindowFinder(*operand.elements, window).find();
    add(operand.isCopied ? -1 : window.rank);
    if (operand.isCopied)
      return;
    operand.address = window.first;
    for (int32_t i = 0; i < window.rank; ++i)
      for (int64_t word : {window.sizes[i], window.offsets[i], window.steps[i],
                           static_cast<int64_t>(window.dims[i])})
        add(word);
    // Which dimensions are repeated follows from `dims`.
  }

  Argument *operands;
  int64_t *key;
};

/// The words of a key for an array: two, its shape, and its window.
inline constexpr int32_t elementsKeyWords = 2 + maxRank + 1 + 4 * maxRank;

/// Small arrays are computed by the caller alone: waking a thread takes longer
/// than this many bytes.
inline constexpr int64_t serialBytes = 512 * 1024;

/// One computation of an expression.
class Computer {
public:
  Computer(Request &request, Elements &target, bool mayResize)
      : request(request), target(target), mayResize(mayResize) {}

  /// Returns a problem, or nothing.
  std::string run() {
    std::string problem = checkOperands();
    if (!problem.empty())
      return problem;
    chooseDevice();
    Program *program = nullptr;
    std::unique_ptr<Session> session;
    problem = request.programs.acquire(request, program, session);
    if (!problem.empty())
      return problem;
    problem = run(*program, *session);
    request.programs.release(*program, std::move(session));
    return problem;
  }

private:
  std::string fail(const std::string &problem) const {
    return locate(request.at, problem);
  }

  std::string checkOperands() const {
    for (int32_t i = 0; i < request.operandCount; ++i) {
      const Elements *elements = request.operands[i].elements;
      if (!elements || ElementsAccess::first(*elements))
        continue;
      return elements->problem().empty()
                 ? fail("expected an array with elements, got one that nothing "
                        "was assigned to")
                 : elements->problem();
    }
    return !target.problem().empty() && !mayResize ? target.problem() : "";
  }

  /// Part of the key, too.
  void chooseDevice() {
    Device &device = request.device;
    int64_t most = 0;
    for (int32_t i = 0; i < request.operandCount; ++i)
      if (const Elements *elements = request.operands[i].elements)
        most = std::max(most, elements->size() *
                                  ElementsAccess::elementBytes(*elements));
    if (!device.isCuda && device.threads == 0 && most < serialBytes)
      device.threads = 1;
    request.key[request.keySize++] =
        device.isCuda ? -1 - int64_t(device.number) : device.threads;
  }

  std::string run(Program &program, Session &session) {
    if (!ElementsAccess::first(target) || target.shape() != program.shape)
      return runResized(program, session);
    if (isWritable(program, target))
      return run(session, ElementsAccess::first(target));
    std::string problem = prepareBlock(session.result, program.shape, target);
    if (problem.empty())
      problem = run(session, session.result->memory);
    if (problem.empty())
      copyElements(ElementsAccess::first(target),
                   ElementsAccess::layout(target), session.result->memory,
                   Layout::dense(program.shape),
                   ElementsAccess::elementBytes(target));
    return problem;
  }

  /// NOTE: the old elements may be operands, so they live until after the run.
  std::string runResized(Program &program, Session &session) {
    if (!mayResize)
      return fail("expected a result of shape " + describe(target.shape()) +
                  ", got " + describe(program.shape));
    Elements fresh(ElementsAccess::type(target));
    std::string problem = ElementsAccess::allocate(fresh, program.shape);
    if (!problem.empty())
      return fail(problem);
    problem = run(session, ElementsAccess::first(fresh));
    if (problem.empty())
      target = fresh;
    return problem;
  }

  /// True if the program may write to the target itself.
  bool isWritable(const Program &program, const Elements &target) const {
    if (!target.isContiguous())
      return false;
    for (int32_t i = 0; i < request.operandCount; ++i) {
      const Argument &operand = request.operands[i];
      if (!operand.elements || operand.isCopied ||
          !ElementsAccess::overlap(*operand.elements, target))
        continue;
      bool isExact = operand.isDense &&
                     operand.address == ElementsAccess::first(target) &&
                     operand.type == ElementsAccess::type(target) &&
                     operand.elements->shape() == target.shape();
      if (!program.isInPlace || !isExact)
        return false;
    }
    return true;
  }

  std::string prepareBlock(std::shared_ptr<Block> &block, const Dims &shape,
                           const Elements &like) const {
    if (block)
      return "";
    uint64_t bytes = static_cast<uint64_t>(Layout::dense(shape).elements() *
                                           ElementsAccess::elementBytes(like));
    block = Block::allocate(bytes);
    return block
               ? ""
               : fail("out of memory for " + std::to_string(bytes) + " bytes");
  }

  std::string run(Session &session, char *to) {
    int32_t inputs = 0;
    for (int32_t i = 0; i < request.operandCount; ++i) {
      const Argument &operand = request.operands[i];
      if (operand.same != i)
        continue;
      const void *address = operand.address;
      if (operand.elements && operand.isCopied) {
        std::string problem = copyOperand(operand, session.copies[size_t(i)]);
        if (!problem.empty())
          return problem;
        address = session.copies[size_t(i)]->memory;
      }
      request.addresses[inputs++] = address;
    }
    void *outputs[] = {to};
    HamKaasError error =
        HamKaasInstanceRun(session.instance, request.addresses, outputs);
    return error ? fail(takeText(error)) : "";
  }

  std::string copyOperand(const Argument &operand,
                          std::shared_ptr<Block> &block) const {
    const Elements &elements = *operand.elements;
    std::string problem = prepareBlock(block, elements.shape(), elements);
    if (problem.empty())
      copyElements(block->memory, Layout::dense(elements.shape()),
                   ElementsAccess::first(elements),
                   ElementsAccess::layout(elements),
                   ElementsAccess::elementBytes(elements));
    return problem;
  }

  Request &request;
  Elements &target;
  bool mayResize;
};

} // namespace detail
} // namespace HAMKAAS_CPP_VARIANT
} // namespace hamkaas

#endif // HAMKAAS_CPP_ARRAY_COMPUTE_H
