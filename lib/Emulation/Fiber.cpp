//===- Fiber.cpp - A function on a stack of its own -----------------------===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Switching by hand takes a few nanoseconds. swapcontext asks the kernel for
// the signal mask each time, which takes a hundred times as long, and a kernel
// switches some ten times a thread.
//
//===----------------------------------------------------------------------===//

#include "Fiber.h"

#include <cstring>
#include <sys/mman.h>
#include <unistd.h>

#if defined(__SANITIZE_ADDRESS__)
#define HAMKAAS_ASAN 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define HAMKAAS_ASAN 1
#endif
#endif
#ifdef HAMKAAS_ASAN
#include <sanitizer/asan_interface.h>
#include <sanitizer/common_interface_defs.h>
#endif

#ifndef __x86_64__
#error "the emulator of GPUs switches stacks on x86-64 only"
#endif

using namespace hamkaas::emulation;

// The registers that a function keeps, on the stack: what `begin` lays out.
asm(R"(
  .text
  .p2align 4
  .type hamkaasSwitchStack, @function
hamkaasSwitchStack:
  pushq %rbp
  pushq %rbx
  pushq %r12
  pushq %r13
  pushq %r14
  pushq %r15
  movq %rsp, (%rdi)
  movq %rsi, %rsp
  popq %r15
  popq %r14
  popq %r13
  popq %r12
  popq %rbx
  popq %rbp
  ret
  .size hamkaasSwitchStack, . - hamkaasSwitchStack

  .p2align 4
  .type hamkaasStartFiber, @function
hamkaasStartFiber:
  .cfi_startproc
  .cfi_undefined rip
  movq %rbx, %rdi
  callq *%r12
  ud2
  .cfi_endproc
  .size hamkaasStartFiber, . - hamkaasStartFiber
)");

extern "C" {
/// Stores where the caller stands to `*from`, and goes on at `to`.
[[gnu::visibility("hidden")]] void hamkaasSwitchStack(void **from, void *to);
[[gnu::visibility("hidden")]] void hamkaasStartFiber();
}

//===----------------------------------------------------------------------===//
// Fibers
//===----------------------------------------------------------------------===//

void Fiber::start(char *begin, size_t bytes, void (*function)(void *),
                  void *argument) {
#ifdef HAMKAAS_ASAN
  __asan_unpoison_memory_region(begin, bytes);
#endif
  stack = begin;
  stackBytes = bytes;
  this->function = function;
  this->argument = argument;
  // From the top: padding, so that the stack is aligned where the first
  // function is called; the return address; rbp, rbx, r12, r13, r14, r15.
  constexpr size_t words = 9;
  void *frame[words] = {};
  frame[3] = reinterpret_cast<void *>(enter);
  frame[4] = this;
  frame[6] = reinterpret_cast<void *>(hamkaasStartFiber);
  top = begin + bytes - sizeof(frame);
  memcpy(top, frame, sizeof(frame));
}

/// The first step of a fiber that is resumed.
void Fiber::arrive([[maybe_unused]] void *fakeStack) {
#ifdef HAMKAAS_ASAN
  const void *from = nullptr;
  size_t bytes = 0;
  __sanitizer_finish_switch_fiber(fakeStack, &from, &bytes);
  // That of the code which has no stack of ours is known only now.
  if (!previous->stack) {
    previous->stack = const_cast<char *>(static_cast<const char *>(from));
    previous->stackBytes = bytes;
  }
#endif
}

void Fiber::enter(Fiber *fiber) {
  fiber->arrive(nullptr);
  fiber->function(fiber->argument);
}

void Fiber::switchTo(Fiber &next) {
  void *fakeStack = nullptr;
#ifdef HAMKAAS_ASAN
  __sanitizer_start_switch_fiber(&fakeStack, next.stack, next.stackBytes);
#endif
  next.previous = this;
  hamkaasSwitchStack(&top, next.top);
  arrive(fakeStack);
}

void Fiber::leaveTo(Fiber &next) {
#ifdef HAMKAAS_ASAN
  __sanitizer_start_switch_fiber(nullptr, next.stack, next.stackBytes);
#endif
  next.previous = this;
  hamkaasSwitchStack(&top, next.top);
  __builtin_unreachable();
}

//===----------------------------------------------------------------------===//
// Stacks
//===----------------------------------------------------------------------===//

static size_t getPageBytes() {
  static const size_t bytes = static_cast<size_t>(sysconf(_SC_PAGESIZE));
  return bytes;
}

static size_t getStride() { return getPageBytes() + Stacks::bytes; }

Stacks::Stacks(size_t count) : size(count), memory(nullptr) {
  // Pages that nobody touches take no memory.
  void *mapped =
      mmap(nullptr, count * getStride(), PROT_NONE,
           MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, /*fd=*/-1, 0);
  if (mapped == MAP_FAILED)
    return;
  memory = static_cast<char *>(mapped);
  for (size_t i = 0; i < count; ++i)
    if (mprotect(get(i), bytes, PROT_READ | PROT_WRITE) != 0) {
      munmap(memory, count * getStride());
      memory = nullptr;
      return;
    }
}

Stacks::~Stacks() {
  if (memory)
    munmap(memory, size * getStride());
}

char *Stacks::get(size_t i) const {
  return memory + i * getStride() + getPageBytes();
}
