//===- CxxOperations.cpp - Each operation, called from C++ ----------------===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In a file of its own, because the wrapper shares its namespace with the
// compiler's headers.
//
//===----------------------------------------------------------------------===//

#include "CxxOperations.h"
#include "hamkaas-cpp/Graph.h"

using namespace hamkaas;

namespace {

/// The arguments of a call.
struct Given {
  Graph &graph;
  std::vector<Value> operands;
  const std::vector<HamKaasAttribute> &attributes;

  const HamKaasAttribute *find(const std::string &name) const {
    for (const HamKaasAttribute &attribute : attributes)
      if (name == attribute.name)
        return &attribute;
    return nullptr;
  }
  bool has(const char *name) const { return find(name); }
  int64_t integer(const char *name) const { return find(name)->integer; }
  double real(const char *name) const { return find(name)->real; }
  std::string word(const char *name) const { return find(name)->word; }
  HamKaasElementType type(const char *name) const {
    return static_cast<HamKaasElementType>(find(name)->integer);
  }
  Number number(const char *name) const {
    const HamKaasAttribute *found = find(name);
    return found->kind == HamKaasRealAttribute ? Number(found->real)
                                               : Number(found->integer);
  }
  std::vector<int64_t> integers(const char *name) const {
    const HamKaasAttribute *found = find(name);
    return {found->integers, found->integers + found->count};
  }
};

struct Entry {
  std::string name;
  std::vector<Value> (*call)(const Given &given);
};

} // namespace

static std::vector<Value> list(const Value &value) { return {value}; }
template <typename Values>
static std::vector<Value> list(const Values &values) {
  return {values.begin(), values.end()};
}

static const Entry entries[] = {
#include "HamKaas/Frontend/Builder/CxxOperationCalls.inc"
};

std::string
test::callFromCxx(const std::string &operation,
                  const std::vector<const HamKaasTensorType *> &operands,
                  const std::vector<HamKaasAttribute> &attributes) {
  Graph graph;
  Given given = {graph, {}, attributes};
  int inputs = 0;
  for (const HamKaasTensorType *type : operands)
    given.operands.push_back(
        type ? graph.input("x" + std::to_string(inputs++),
                           static_cast<HamKaasElementType>(type->elementType),
                           {type->shape, type->shape + type->rank})
             : Value());
  for (const Entry &entry : entries) {
    if (entry.name != operation)
      continue;
    int outputs = 0;
    for (const Value &value : entry.call(given)) {
      graph.output(outputs ? "result" + std::to_string(outputs) : "result",
                   value);
      ++outputs;
    }
    auto text = graph.describe(HamKaasDescribeGraph);
    return text ? *text : text.error().message();
  }
  return "no function of that name";
}
