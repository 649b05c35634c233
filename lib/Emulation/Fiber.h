//===- Fiber.h - A function on a stack of its own ---------------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HAMKAAS_LIB_EMULATION_FIBER_H
#define HAMKAAS_LIB_EMULATION_FIBER_H

#include <cstddef>
#include <cstdint>

namespace hamkaas::emulation {

/// A function that goes on where another one stops. All fibers of an emulator
/// run on one thread of the system, with its floating-point modes.
class Fiber {
public:
  /// The code that is running: it has a stack already.
  Fiber() = default;
  Fiber(const Fiber &) = delete;
  Fiber &operator=(const Fiber &) = delete;

  /// Gives it the stack [`begin`, `begin` + `bytes`), on which `function` will
  /// begin. Whatever ran there before is dropped. `function` does not return:
  /// its last act is `leaveTo`.
  void start(char *begin, size_t bytes, void (*function)(void *),
             void *argument);

  /// Switches to `next`, until something switches back to this one, the caller.
  void switchTo(Fiber &next);
  /// The same for a caller with which nothing will go on.
  [[noreturn]] void leaveTo(Fiber &next);

  bool isOnStack(const void *address) const {
    auto offset = static_cast<const char *>(address) - stack;
    return stack && offset >= 0 && static_cast<size_t>(offset) < stackBytes;
  }

private:
  static void enter(Fiber *fiber);
  void arrive(void *fakeStack);

  void *top = nullptr; ///< Where it stands, while something else runs.
  char *stack = nullptr;
  size_t stackBytes = 0;
  void (*function)(void *) = nullptr;
  void *argument = nullptr;
  /// The fiber from which control came last.
  Fiber *previous = nullptr;
};

/// Memory for the stacks of fibers, each with a page below that must not be
/// touched. `begin` is null if there is no memory.
class Stacks {
public:
  /// Emulated kernels have small frames, and so do the functions they call.
  static constexpr size_t bytes = size_t(256) << 10;

  explicit Stacks(size_t count);
  ~Stacks();
  Stacks(const Stacks &) = delete;
  Stacks &operator=(const Stacks &) = delete;

  bool isValid() const { return memory != nullptr; }
  size_t count() const { return size; }
  char *get(size_t i) const;

private:
  size_t size;
  char *memory;
};

} // namespace hamkaas::emulation

#endif // HAMKAAS_LIB_EMULATION_FIBER_H
