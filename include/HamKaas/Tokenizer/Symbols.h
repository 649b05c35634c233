//===- Symbols.h - Joins neighbours, the best pair first --------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A text is a row of symbols, of which neighbours are joined until no rule
// applies. A heap has the pairs that a rule applies to, so that n symbols take
// n log n steps.
//
//===----------------------------------------------------------------------===//

#ifndef HAMKAAS_TOKENIZER_SYMBOLS_H
#define HAMKAAS_TOKENIZER_SYMBOLS_H

#include "HamKaas/Tokenizer/Array.h"

#include <algorithm>

namespace hamkaas::tok {

/// Part of a text that is or may become a token.
struct Symbol {
  uint32_t begin; // in the text
  uint32_t size;  // 0 when it was joined to the one before
  int32_t token;  // -1 if it is none
};

/// The symbols of one text. Used again for the next, keeps its memory.
class Symbols {
public:
  void clear() { symbols.clear(); }

  [[nodiscard]] bool push(const Symbol &symbol) { return symbols.push(symbol); }

  /// Calls `rule(left, right, priority, joined)`, which returns whether two
  /// symbols are joined; of the lowest priorities the first pair is. Returns
  /// false if there is no memory.
  template <typename Rule> [[nodiscard]] bool join(const Rule &rule);

  /// Calls `visit(symbol)`, which returns false to end, for what is left.
  template <typename Visitor> [[nodiscard]] bool visit(const Visitor &visit);

private:
  struct Pair {
    uint64_t order; // priority, then the position of the left symbol
    uint32_t size;  // of both, when they were found
    int32_t joined;

    uint32_t left() const { return static_cast<uint32_t>(order); }
    bool operator<(const Pair &other) const { return order > other.order; }
  };

  struct Links {
    uint32_t previous, next; // UINT32_MAX for none
  };

  static constexpr uint32_t none = UINT32_MAX;

  template <typename Rule>
  [[nodiscard]] bool consider(uint32_t left, const Rule &rule);

  Array<Symbol> symbols;
  Array<Links> links;
  Array<Pair> heap;
};

template <typename Rule>
bool Symbols::consider(uint32_t left, const Rule &rule) {
  uint32_t right = left == none ? none : links[left].next;
  if (right == none)
    return true;
  uint32_t priority;
  int32_t joined;
  if (!rule(symbols[left], symbols[right], priority, joined))
    return true;
  Pair pair = {uint64_t{priority} << 32 | left,
               symbols[left].size + symbols[right].size, joined};
  if (!heap.push(pair))
    return false;
  std::push_heap(heap.begin(), heap.end());
  return true;
}

template <typename Rule> bool Symbols::join(const Rule &rule) {
  uint32_t count = static_cast<uint32_t>(symbols.size());
  if (!links.assign(count, {none, none}))
    return false;
  for (uint32_t i = 0; i < count; ++i)
    links[i] = {i == 0 ? none : i - 1, i + 1 == count ? none : i + 1};
  heap.clear();
  for (uint32_t i = 0; i < count; ++i)
    if (!consider(i, rule))
      return false;
  while (!heap.empty()) {
    std::pop_heap(heap.begin(), heap.end());
    Pair pair = heap.back();
    heap.pop();
    Symbol &left = symbols[pair.left()];
    uint32_t next = links[pair.left()].next;
    // One of the two may have been joined to another meanwhile. Symbols only
    // grow, so equal sizes mean the same two.
    if (left.size == 0 || next == none ||
        left.size + symbols[next].size != pair.size)
      continue;
    left.size = pair.size;
    left.token = pair.joined;
    symbols[next].size = 0;
    uint32_t after = links[next].next;
    links[pair.left()].next = after;
    if (after != none)
      links[after].previous = pair.left();
    if (!consider(links[pair.left()].previous, rule) ||
        !consider(pair.left(), rule))
      return false;
  }
  return true;
}

template <typename Visitor> bool Symbols::visit(const Visitor &visit) {
  for (const Symbol &symbol : symbols)
    if (symbol.size != 0 && !visit(symbol))
      return false;
  return true;
}

} // namespace hamkaas::tok

#endif // HAMKAAS_TOKENIZER_SYMBOLS_H
