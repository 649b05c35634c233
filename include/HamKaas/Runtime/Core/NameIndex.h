//===- NameIndex.h - Finding entries of tables by name ----------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HAMKAAS_RUNTIME_CORE_NAMEINDEX_H
#define HAMKAAS_RUNTIME_CORE_NAMEINDEX_H

#include <cstddef>
#include <cstdlib>
#include <cstring>

namespace hamkaas::rt {

template <typename Entry>
int compareNames(const void *left, const void *right) {
  return strcmp((*static_cast<const Entry *const *>(left))->name,
                (*static_cast<const Entry *const *>(right))->name);
}

template <typename Entry>
int compareToName(const void *name, const void *entry) {
  return strcmp(static_cast<const char *>(name),
                (*static_cast<const Entry *const *>(entry))->name);
}

/// The addresses of all entries in the order of their names, from malloc; null
/// if there is no memory.
template <typename Entry>
const Entry **createNameIndex(const Entry *entries, size_t count) {
  // malloc may return null for no entries.
  auto **index =
      static_cast<const Entry **>(malloc((count + 1) * sizeof(Entry *)));
  if (!index)
    return nullptr;
  for (size_t i = 0; i < count; ++i)
    index[i] = &entries[i];
  qsort(index, count, sizeof(index[0]), compareNames<Entry>);
  return index;
}

/// Null if there is no entry of this name.
template <typename Entry>
const Entry *findByName(const Entry *const *index, size_t count,
                        const char *name) {
  if (count == 0)
    return nullptr;
  const void *found =
      bsearch(name, index, count, sizeof(index[0]), compareToName<Entry>);
  return found ? *static_cast<const Entry *const *>(found) : nullptr;
}

} // namespace hamkaas::rt

#endif // HAMKAAS_RUNTIME_CORE_NAMEINDEX_H
