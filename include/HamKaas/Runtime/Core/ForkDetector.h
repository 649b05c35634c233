//===- ForkDetector.h - Whether this is a forked child ----------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HAMKAAS_RUNTIME_CORE_FORKDETECTOR_H
#define HAMKAAS_RUNTIME_CORE_FORKDETECTOR_H

#include <sys/types.h>

namespace hamkaas::rt {

/// Notices a fork without pthread_atfork, which is not in the C library that
/// compiled models need: a page that the kernel wipes in a child says so at the
/// cost of reading it.
class ForkDetector {
public:
  enum class Method {
    Page,      // costs some 1 ns a question
    ProcessId, // costs a system call; what Page falls back to
  };

  ForkDetector() = default;
  ForkDetector(const ForkDetector &) = delete;
  ForkDetector &operator=(const ForkDetector &) = delete;
  ~ForkDetector();

  /// Takes this process for the parent. Once for each object.
  void start(Method method = Method::Page);

  /// Returns whether this is a child of the process that called `start`, or a
  /// child of such a child.
  bool isChild() const;

private:
  /// 1 in the process that called `start`, 0 in its children.
  volatile char *page = nullptr;
  pid_t process = 0;
};

} // namespace hamkaas::rt

#endif // HAMKAAS_RUNTIME_CORE_FORKDETECTOR_H
