// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/*===- Lock.h - The lock of the interpreter -----------------------*- C -*-===*\
|*
|* Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
|*
\*===----------------------------------------------------------------------===*/

#ifndef HAMKAAS_PYTHON_LOCK_H
#define HAMKAAS_PYTHON_LOCK_H

#include <Python.h>

#ifdef __cplusplus
extern "C" {
#endif

/*
 * When a daemon thread wants the GIL of an interpreter that is ending, versions
 * of Python before 3.14 end the thread by unwinding its stack. C++ frames on
 * the way let nothing through, and the process would abort. In these functions
 * such a thread waits for the end of the process instead, as newer versions do.
 */

/* As PyEval_RestoreThread. */
void hamkaasRestoreThread(PyThreadState *state);

/* As PyGILState_Ensure. */
PyGILState_STATE hamkaasEnsureLock(void);

/* As PyObject_Call without keywords; both are borrowed. */
PyObject *hamkaasCall(PyObject *function, PyObject *arguments);

#ifdef __cplusplus
} /* extern "C" */

namespace hamkaas::python {

/// Releases the GIL while it lives.
class WithoutLock {
public:
  WithoutLock() : state(PyEval_SaveThread()) {}
  WithoutLock(const WithoutLock &) = delete;
  WithoutLock &operator=(const WithoutLock &) = delete;
  ~WithoutLock() { hamkaasRestoreThread(state); }

private:
  PyThreadState *state;
};

/// Holds the GIL while it lives.
class WithLock {
public:
  WithLock() : state(hamkaasEnsureLock()) {}
  WithLock(const WithLock &) = delete;
  WithLock &operator=(const WithLock &) = delete;
  ~WithLock() { PyGILState_Release(state); }

private:
  PyGILState_STATE state;
};

} // namespace hamkaas::python
#endif

#endif /* HAMKAAS_PYTHON_LOCK_H */
