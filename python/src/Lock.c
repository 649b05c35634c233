// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/*===- Lock.c - The lock of the interpreter -------------------------------===*\
|*
|* Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
|*
\*===----------------------------------------------------------------------===*/

#include "Lock.h"

#include <pthread.h>
#include <unistd.h>

/* NOTE: this is C because pthread_cleanup_push then acts before the unwinding
 * looks at our frames; in C++ it is a destructor, one of those frames. */

static void waitForExit(void *unused) {
  (void)unused;
  for (;;)
    pause();
}

void hamkaasRestoreThread(PyThreadState *state) {
  pthread_cleanup_push(waitForExit, NULL);
  PyEval_RestoreThread(state);
  pthread_cleanup_pop(0);
}

PyGILState_STATE hamkaasEnsureLock(void) {
  PyGILState_STATE state;
  pthread_cleanup_push(waitForExit, NULL);
  state = PyGILState_Ensure();
  pthread_cleanup_pop(0);
  return state;
}

PyObject *hamkaasCall(PyObject *function, PyObject *arguments) {
  PyObject *result;
  pthread_cleanup_push(waitForExit, NULL);
  result = PyObject_CallObject(function, arguments);
  pthread_cleanup_pop(0);
  return result;
}
