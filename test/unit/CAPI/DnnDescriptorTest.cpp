//===- DnnDescriptorTest.cpp - States and statuses --------------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "DnnTest.h"
#include <fstream>
#include <random>
#include <sstream>
#include <thread>

using namespace hamkaas;
using namespace hamkaas::test;
using dnn::detail::Descriptor;
using testing::HasSubstr;

namespace {

std::string takeError() {
  char text[4096];
  HamKaasDnnGetLastErrorString(text, sizeof(text));
  return text;
}

/// A descriptor that is expected to be created.
Descriptor create(int32_t kind) {
  HamKaasDnnDescriptor *made = nullptr;
  EXPECT_EQ(HamKaasDnnCreateDescriptor(kind, &made), HamKaasDnnSuccess);
  return Descriptor(made);
}

/// A row of the table.
struct Row {
  int32_t kind, attribute, type;
  int64_t least, most;
  std::string use;
};

/// The table, read from the header that it is in.
std::vector<Row> readRows() {
  struct Attribute {
    int32_t type;
    int64_t least, most;
  };
  static const std::map<int32_t, Attribute> attributes = {
#define HAMKAAS_DNN_ATTRIBUTE(number, name, text, type, least, most)           \
  {number, {HamKaasDnnType##type, least, most}},
#include "hamkaas-c/DnnTable.h"
  };
  std::vector<Row> rows;
#define HAMKAAS_DNN_ROW(kind, attribute, use)                                  \
  {                                                                            \
    Attribute info = attributes.at(HamKaasDnnAttr##attribute);                 \
    rows.push_back({HamKaasDnn##kind, HamKaasDnnAttr##attribute, info.type,    \
                    info.least, info.most, #use});                             \
  }
#include "hamkaas-c/DnnTable.h"
  return rows;
}

/// A tensor, finalized.
Descriptor makeTensor(int64_t uid, const Shape &dims, bool isVirtual = false) {
  Descriptor tensor = create(HamKaasDnnTensor);
  EXPECT_EQ(explain(tensor.set(HamKaasDnnAttrUid, uid)), "");
  if (!dims.empty())
    EXPECT_EQ(explain(tensor.set(HamKaasDnnAttrDims, dims)), "");
  int32_t type = HamKaasFloat32;
  EXPECT_EQ(explain(tensor.set(HamKaasDnnAttrDataType, HamKaasDnnTypeDataType,
                               1, &type)),
            "");
  uint8_t flag = isVirtual;
  EXPECT_EQ(explain(tensor.set(HamKaasDnnAttrIsVirtual, HamKaasDnnTypeBoolean,
                               1, &flag)),
            "");
  EXPECT_EQ(explain(tensor.finalize()), "");
  return tensor;
}

/// A node of one operand.
Descriptor makeRelu(const Descriptor &x, const Descriptor &y) {
  Descriptor node = create(HamKaasDnnPointwise);
  int32_t mode = HamKaasDnnReluFwd;
  EXPECT_EQ(explain(node.set(HamKaasDnnAttrPointwiseMode,
                             HamKaasDnnTypePointwiseMode, 1, &mode)),
            "");
  EXPECT_EQ(explain(node.set(HamKaasDnnAttrA, x)), "");
  EXPECT_EQ(explain(node.set(HamKaasDnnAttrY, y)), "");
  EXPECT_EQ(explain(node.set(HamKaasDnnAttrName, std::string("relu"))), "");
  EXPECT_EQ(explain(node.finalize()), "");
  return node;
}

Descriptor makeGraph(std::vector<Descriptor> nodes) {
  Descriptor graph = create(HamKaasDnnOperationGraph);
  EXPECT_EQ(explain(graph.set(HamKaasDnnAttrNodes, nodes)), "");
  return graph;
}

/// A finalized graph of one relu, from tensor 1 to tensor 2.
Descriptor makeReluGraph() {
  std::vector<Descriptor> nodes;
  nodes.push_back(makeRelu(makeTensor(1, {2, 3}), makeTensor(2, {})));
  Descriptor graph = makeGraph(std::move(nodes));
  EXPECT_EQ(explain(graph.finalize()), "");
  return graph;
}

/// Room for any one element.
union Element {
  int64_t integer;
  double real;
  void *pointer;
};

} // namespace

//===----------------------------------------------------------------------===//
// Each row of the table
//===----------------------------------------------------------------------===//

TEST(DnnDescriptorTest, EveryRowChecksItsAttribute) {
  for (const Row &row : readRows()) {
    SCOPED_TRACE("kind " + std::to_string(row.kind) + ", attribute " +
                 std::to_string(row.attribute));
    Descriptor descriptor = create(row.kind);
    Element element = {};
    auto set = [&](int32_t type, int64_t count, const void *elements) {
      return HamKaasDnnSetAttribute(descriptor.get(), row.attribute, type,
                                    count, elements);
    };
    auto get = [&] {
      return HamKaasDnnGetAttribute(descriptor.get(), row.attribute, row.type,
                                    0, nullptr, nullptr);
    };
    if (row.use == "Unsupported") {
      EXPECT_EQ(set(row.type, 1, &element), HamKaasDnnNotSupported);
      EXPECT_EQ(get(), HamKaasDnnNotSupported);
      EXPECT_THAT(takeError(), HasSubstr("is not supported"));
      continue;
    }
    // Nothing is read before it is finalized.
    if (row.type != HamKaasDnnTypeKnobValue)
      EXPECT_EQ(get(), HamKaasDnnNotInitialized);
    if (row.use == "Read") {
      EXPECT_EQ(set(row.type, 1, &element), HamKaasDnnBadParam);
      EXPECT_THAT(takeError(), HasSubstr("can only be read"));
      continue;
    }
    if (row.type == HamKaasDnnTypeKnobValue) {
      EXPECT_EQ(set(HamKaasDnnTypeBoolean, 1, &element), HamKaasDnnBadParam);
      EXPECT_EQ(set(HamKaasDnnTypeDouble, 1, &element), HamKaasDnnSuccess);
      continue;
    }
    EXPECT_EQ(set(row.type + 1000, 1, &element), HamKaasDnnBadParam);
    EXPECT_THAT(takeError(), HasSubstr("expected the type"));
    EXPECT_EQ(set(row.type, -1, &element), HamKaasDnnBadParam);
    EXPECT_EQ(set(row.type, INT64_MIN, &element), HamKaasDnnBadParam);
    if (row.most < INT64_MAX)
      EXPECT_EQ(set(row.type, row.most + 1, &element), HamKaasDnnBadParam);
    if (row.least > 0)
      EXPECT_EQ(set(row.type, row.least - 1, &element), HamKaasDnnBadParam);
    EXPECT_EQ(set(row.type, 1, nullptr), HamKaasDnnNullPointer);
    if (row.type == HamKaasDnnTypeDescriptor) {
      // Null, none, one of a wrong kind, one that is not finalized.
      void *elements[] = {nullptr};
      EXPECT_EQ(set(row.type, 1, elements), HamKaasDnnNullPointer);
      elements[0] = &element;
      EXPECT_EQ(set(row.type, 1, elements), HamKaasDnnBadParam);
      Descriptor other = create(HamKaasDnnVariantPack);
      elements[0] = other.get();
      EXPECT_EQ(set(row.type, 1, elements), HamKaasDnnBadParam);
    } else if (row.type == HamKaasDnnTypeHandle) {
      void *elements[] = {nullptr};
      EXPECT_EQ(set(row.type, 1, elements), HamKaasDnnNullPointer);
    } else if (row.type == HamKaasDnnTypeChar) {
      EXPECT_EQ(set(row.type, 1, "\xff"), HamKaasDnnBadParam);
      EXPECT_EQ(set(row.type, 1, "x"), HamKaasDnnSuccess);
    } else if (row.type != HamKaasDnnTypeInt64 &&
               row.type != HamKaasDnnTypeDouble &&
               row.type != HamKaasDnnTypeVoidPointer) {
      element.integer = 127;
      EXPECT_EQ(set(row.type, 1, &element), HamKaasDnnOutOfBound);
    } else {
      EXPECT_EQ(set(row.type, 1, &element), HamKaasDnnSuccess);
      EXPECT_EQ(set(row.type, 1, &element), HamKaasDnnSuccess);
    }
    // Something is missing in each kind, which stays as it is.
    if (row.use == "Required" || row.use == "Input" || row.use == "Output")
      EXPECT_EQ(HamKaasDnnFinalize(create(row.kind).get()), HamKaasDnnBadParam);
  }
}

TEST(DnnDescriptorTest, KindsThatDoNotExist) {
  HamKaasDnnDescriptor *made = nullptr;
  EXPECT_EQ(HamKaasDnnCreateDescriptor(-1, &made), HamKaasDnnBadParam);
  EXPECT_EQ(HamKaasDnnCreateDescriptor(1000, &made), HamKaasDnnBadParam);
  EXPECT_EQ(HamKaasDnnCreateDescriptor(HamKaasDnnTensor, nullptr),
            HamKaasDnnNullPointer);
  std::pair<int32_t, const char *> unsupported[] = {
      {HamKaasDnnBlockScaleQuantize, "block_scale_quantize"},
      {HamKaasDnnBlockScaleDequantize, "block_scale_dequantize"},
      {HamKaasDnnMoeGroupedMatmul, "moe_grouped_matmul"},
      {HamKaasDnnCustomOp, "custom_op"}};
  for (auto [kind, name] : unsupported) {
    EXPECT_EQ(HamKaasDnnCreateDescriptor(kind, &made), HamKaasDnnNotSupported);
    EXPECT_EQ(takeError(), name + std::string(" is not supported"));
    EXPECT_EQ(made, nullptr);
  }
  Descriptor tensor = create(HamKaasDnnTensor);
  int64_t one = 1;
  EXPECT_EQ(HamKaasDnnSetAttribute(tensor.get(), HamKaasDnnAttrStride,
                                   HamKaasDnnTypeInt64, 1, &one),
            HamKaasDnnNotSupported);
  EXPECT_EQ(takeError(), "tensor has no attribute 'stride'");
  EXPECT_EQ(
      HamKaasDnnSetAttribute(tensor.get(), 77, HamKaasDnnTypeInt64, 1, &one),
      HamKaasDnnBadParam);
}

//===----------------------------------------------------------------------===//
// States
//===----------------------------------------------------------------------===//

TEST(DnnDescriptorTest, FinalizedOnce) {
  Descriptor tensor = makeTensor(3, {2});
  int64_t uid = 4, count = 0;
  EXPECT_EQ(HamKaasDnnSetAttribute(tensor.get(), HamKaasDnnAttrUid,
                                   HamKaasDnnTypeInt64, 1, &uid),
            HamKaasDnnNotInitialized);
  EXPECT_EQ(HamKaasDnnFinalize(tensor.get()), HamKaasDnnBadParam);
  EXPECT_THAT(takeError(), HasSubstr("finalized already"));
  EXPECT_EQ(HamKaasDnnGetAttribute(tensor.get(), HamKaasDnnAttrUid,
                                   HamKaasDnnTypeInt64, 1, &count, &uid),
            HamKaasDnnSuccess);
  EXPECT_EQ(uid, 3);
  EXPECT_EQ(count, 1);
  // Not set: no elements.
  EXPECT_EQ(HamKaasDnnGetAttribute(tensor.get(), HamKaasDnnAttrStrides,
                                   HamKaasDnnTypeInt64, 1, &count, &uid),
            HamKaasDnnSuccess);
  EXPECT_EQ(count, 0);
  EXPECT_EQ(HamKaasDnnGetAttribute(tensor.get(), HamKaasDnnAttrUid,
                                   HamKaasDnnTypeInt64, -1, &count, &uid),
            HamKaasDnnBadParam);
  EXPECT_EQ(HamKaasDnnGetAttribute(tensor.get(), HamKaasDnnAttrUid,
                                   HamKaasDnnTypeInt64, 1, &count, nullptr),
            HamKaasDnnNullPointer);
  Descriptor longer = makeTensor(5, {2, 3});
  EXPECT_EQ(HamKaasDnnGetAttribute(longer.get(), HamKaasDnnAttrDims,
                                   HamKaasDnnTypeInt64, 1, &count, &uid),
            HamKaasDnnSizeInsufficient);
  EXPECT_EQ(count, 2);
}

TEST(DnnDescriptorTest, Handles) {
  EXPECT_EQ(HamKaasDnnFinalize(nullptr), HamKaasDnnNullPointer);
  int other = 0;
  auto *wild = reinterpret_cast<HamKaasDnnDescriptor *>(&other);
  EXPECT_EQ(HamKaasDnnFinalize(wild), HamKaasDnnBadParam);
  EXPECT_EQ(HamKaasDnnDestroyDescriptor(wild), HamKaasDnnBadParam);
  EXPECT_EQ(HamKaasDnnDestroyDescriptor(nullptr), HamKaasDnnSuccess);
  HamKaasDnnDescriptor *made = nullptr;
  EXPECT_EQ(HamKaasDnnCreateDescriptor(HamKaasDnnTensor, &made),
            HamKaasDnnSuccess);
  EXPECT_EQ(HamKaasDnnDestroyDescriptor(made), HamKaasDnnSuccess);
  EXPECT_EQ(HamKaasDnnDestroyDescriptor(made), HamKaasDnnBadParam);
  EXPECT_THAT(takeError(), HasSubstr("destroyed"));
  HamKaasDnnHandle *handle = nullptr;
  EXPECT_EQ(HamKaasDnnCreate(nullptr, nullptr), HamKaasDnnNullPointer);
  HamKaasDnnHandleOptions options = {};
  EXPECT_EQ(HamKaasDnnCreate(&handle, &options), HamKaasDnnBadParam);
  options.structSize = sizeof(options);
  options.device = "abacus";
  EXPECT_EQ(HamKaasDnnCreate(&handle, &options), HamKaasDnnBadParam);
  EXPECT_THAT(takeError(), HasSubstr("unknown device 'abacus'"));
  options.device = nullptr;
  options.threads = -1;
  EXPECT_EQ(HamKaasDnnCreate(&handle, &options), HamKaasDnnBadParam);
  EXPECT_EQ(HamKaasDnnDestroy(nullptr), HamKaasDnnSuccess);
  // A handle is no descriptor.
  EXPECT_EQ(HamKaasDnnCreate(&handle, nullptr), HamKaasDnnSuccess);
  EXPECT_EQ(
      HamKaasDnnFinalize(reinterpret_cast<HamKaasDnnDescriptor *>(handle)),
      HamKaasDnnBadParam);
  EXPECT_EQ(HamKaasDnnDestroy(handle), HamKaasDnnSuccess);
  EXPECT_EQ(HamKaasDnnDestroy(handle), HamKaasDnnBadParam);
}

TEST(DnnDescriptorTest, StatusesHaveNames) {
  EXPECT_STREQ(HamKaasDnnGetErrorString(HamKaasDnnSuccess), "SUCCESS");
  std::set<std::string> names;
  for (int32_t status : {0, 1, 2, 3, 4, 5, 6, 8, 9, 10, 13})
    names.insert(HamKaasDnnGetErrorString(status));
  EXPECT_EQ(names.size(), 11u);
  EXPECT_EQ(names.count("unknown status"), 0u);
  EXPECT_STREQ(HamKaasDnnGetErrorString(99), "unknown status");
}

TEST(DnnDescriptorTest, LastErrorIsOfTheThread) {
  takeError();
  EXPECT_EQ(HamKaasDnnFinalize(nullptr), HamKaasDnnNullPointer);
  std::thread([] { EXPECT_EQ(takeError(), ""); }).join();
  char text[8];
  HamKaasDnnPeekLastErrorString(text, sizeof(text));
  EXPECT_STREQ(text, "expecte");
  EXPECT_EQ(takeError(), "expected a descriptor, got null");
  EXPECT_EQ(takeError(), "");
  // Cut before a character, not within it.
  Descriptor choice = create(HamKaasDnnTensor);
  HamKaasDnnHandle *handle = nullptr;
  HamKaasDnnHandleOptions options = {};
  options.structSize = sizeof(options);
  options.device = "\xc3\xa4";
  EXPECT_EQ(HamKaasDnnCreate(&handle, &options), HamKaasDnnBadParam);
  char cut[18];
  HamKaasDnnPeekLastErrorString(cut, sizeof(cut));
  EXPECT_STREQ(cut, "unknown device '");
  HamKaasDnnPeekLastErrorString(nullptr, 3);
  HamKaasDnnPeekLastErrorString(cut, 0);
}

//===----------------------------------------------------------------------===//
// Graphs, plans and packs
//===----------------------------------------------------------------------===//

TEST(DnnDescriptorTest, GraphsAreChecked) {
  auto finalize = [](std::vector<Descriptor> nodes) {
    Descriptor graph = makeGraph(std::move(nodes));
    HamKaasDnnFinalize(graph.get());
    return takeError();
  };
  auto list = [](auto... nodes) {
    std::vector<Descriptor> made;
    (made.push_back(std::move(nodes)), ...);
    return made;
  };
  Descriptor x = makeTensor(1, {2}), y = makeTensor(2, {});
  // Another tensor of the same number.
  EXPECT_THAT(finalize(list(makeRelu(x, makeTensor(1, {3})))),
              HasSubstr("two different ones with 1"));
  EXPECT_THAT(finalize(list(makeRelu(x, y), makeRelu(x, y))),
              HasSubstr("tensor 2 is a result of pointwise 'relu' and of"));
  EXPECT_THAT(finalize(list(makeRelu(makeTensor(3, {2}, true), y))),
              HasSubstr("no node computes tensor 3, which is virtual"));
  EXPECT_THAT(finalize(list(makeRelu(makeTensor(4, {}), y))),
              HasSubstr("tensor 4: expected dims"));
  Descriptor a = makeTensor(5, {2}), b = makeTensor(6, {2});
  EXPECT_THAT(finalize(list(makeRelu(a, b), makeRelu(b, a))),
              HasSubstr("is in a cycle of nodes"));
  EXPECT_THAT(finalize(list(makeRelu(x, makeTensor(7, {}, true)))),
              HasSubstr("a result that is not virtual"));
  EXPECT_THAT(finalize(list(makeRelu(x, makeTensor(8, {3})))),
              HasSubstr("expected tensor 8 to have the dims [2], got [3]"));
  // A span that fits alone, but not in whole rows of the tensor.
  Descriptor wide = create(HamKaasDnnTensor);
  EXPECT_EQ(explain(wide.set(HamKaasDnnAttrUid, 10)), "");
  EXPECT_EQ(explain(wide.set(HamKaasDnnAttrDims, Shape{2})), "");
  EXPECT_EQ(
      explain(wide.set(HamKaasDnnAttrStrides, Shape{(int64_t(1) << 47) - 2})),
      "");
  EXPECT_EQ(explain(wide.finalize()), "");
  EXPECT_THAT(finalize(list(makeRelu(wide, y))), HasSubstr("tensor 10"));
  EXPECT_THAT(finalize(list(makeRelu(makeTensor(INT64_MAX, {2}), y))),
              HasSubstr("expected a uid below 2^63 - 2"));
  // Nodes in any order, and two components.
  EXPECT_EQ(finalize(list(makeRelu(b, makeTensor(9, {})), makeRelu(a, b),
                          makeRelu(x, y))),
            "");
}

TEST(DnnDescriptorTest, TensorsAreChecked) {
  auto finalize = [](const Shape &dims, const Shape &strides) {
    Descriptor tensor = create(HamKaasDnnTensor);
    EXPECT_EQ(explain(tensor.set(HamKaasDnnAttrUid, 1)), "");
    EXPECT_EQ(explain(tensor.set(HamKaasDnnAttrDims, dims)), "");
    if (!strides.empty())
      EXPECT_EQ(explain(tensor.set(HamKaasDnnAttrStrides, strides)), "");
    HamKaasDnnFinalize(tensor.get());
    return takeError();
  };
  EXPECT_THAT(finalize({2, 0}, {}), HasSubstr("dims of at least 1"));
  EXPECT_THAT(finalize({-2}, {}), HasSubstr("dims of at least 1"));
  EXPECT_THAT(finalize({2, 3}, {3}), HasSubstr("expected 2 strides"));
  EXPECT_THAT(finalize({2, 3}, {0, 1}), HasSubstr("strides of at least 1"));
  EXPECT_THAT(finalize({2, 3}, {-3, 1}), HasSubstr("strides of at least 1"));
  EXPECT_THAT(finalize({INT64_MAX, INT64_MAX}, {}), HasSubstr("2^47"));
  EXPECT_THAT(finalize({2, 2}, {INT64_MAX, 1}), HasSubstr("2^47"));
  EXPECT_EQ(finalize({2, 3}, {1, 2}), "");
}

namespace {

/// A plan of makeReluGraph, with its handle.
struct ReluPlan {
  ReluPlan() {
    EXPECT_EQ(explain(handle.create()), "");
    Descriptor graph = makeReluGraph(), engine = create(HamKaasDnnEngine);
    Descriptor heuristic = create(HamKaasDnnEngineHeuristic);
    int32_t mode = HamKaasDnnFallback;
    EXPECT_EQ(explain(heuristic.set(HamKaasDnnAttrGraph, graph)), "");
    EXPECT_EQ(explain(heuristic.set(HamKaasDnnAttrHeuristicMode,
                                    HamKaasDnnTypeHeuristicMode, 1, &mode)),
              "");
    EXPECT_EQ(explain(heuristic.finalize()), "");
    std::vector<Descriptor> configs;
    EXPECT_EQ(explain(heuristic.getDescriptors(
                  HamKaasDnnAttrResults, HamKaasDnnEngineConfig, configs)),
              "");
    plan = create(HamKaasDnnExecutionPlan);
    HamKaasDnnHandle *session = handle;
    EXPECT_EQ(explain(plan.set(HamKaasDnnAttrPlanHandle, HamKaasDnnTypeHandle,
                               1, &session)),
              "");
    EXPECT_EQ(explain(plan.set(HamKaasDnnAttrPlanConfig, configs.front())), "");
    EXPECT_EQ(explain(plan.finalize()), "");
  }

  HamKaasDnnStatus run(std::vector<int64_t> uids,
                       std::vector<void *> pointers) {
    return HamKaasDnnExecuteTensors(handle, plan.get(), uids.data(),
                                    pointers.data(), int64_t(uids.size()));
  }

  dnn::Handle handle;
  Descriptor plan;
  float x[6] = {-1, 2, -3, 4, -5, 6}, y[6] = {};
};

} // namespace

TEST(DnnDescriptorTest, PlansCheckTheirTensors) {
  ReluPlan test;
  std::vector<int64_t> uids;
  EXPECT_EQ(explain(test.plan.getList(HamKaasDnnAttrTensorUids,
                                      HamKaasDnnTypeInt64, uids)),
            "");
  EXPECT_EQ(uids, Shape({1, 2}));
  EXPECT_EQ(test.run({2, 1}, {test.y, test.x}), HamKaasDnnSuccess);
  EXPECT_EQ(test.y[1], 2);
  EXPECT_EQ(test.y[2], 0);
  EXPECT_EQ(test.run({1}, {test.x}), HamKaasDnnBadParam);
  EXPECT_EQ(takeError(), "expected an address for tensor 2, got none");
  EXPECT_EQ(test.run({1, 2, 3}, {test.x, test.y, test.x}), HamKaasDnnBadParam);
  EXPECT_THAT(takeError(), HasSubstr("has no tensor 3"));
  EXPECT_EQ(test.run({1, 1}, {test.x, test.y}), HamKaasDnnBadParam);
  EXPECT_THAT(takeError(), HasSubstr("one address for tensor 1, got two"));
  EXPECT_EQ(test.run({1, 2}, {test.x, nullptr}), HamKaasDnnNullPointer);
  EXPECT_EQ(test.run({1, 2}, {test.x, test.x + 1}), HamKaasDnnBadParam);
  EXPECT_THAT(takeError(), HasSubstr("tensor 1 not to share memory"));
  EXPECT_EQ(HamKaasDnnExecuteTensors(test.handle, test.plan.get(), nullptr,
                                     nullptr, 2),
            HamKaasDnnNullPointer);
  EXPECT_EQ(HamKaasDnnExecuteTensors(test.handle, test.plan.get(), nullptr,
                                     nullptr, -2),
            HamKaasDnnBadParam);
  dnn::Handle other;
  EXPECT_EQ(explain(other.create()), "");
  EXPECT_EQ(
      HamKaasDnnExecuteTensors(other, test.plan.get(), uids.data(), nullptr, 0),
      HamKaasDnnBadParam);
  EXPECT_EQ(HamKaasDnnExecuteTensors(nullptr, test.plan.get(), uids.data(),
                                     nullptr, 0),
            HamKaasDnnNullPointer);
  EXPECT_EQ(HamKaasDnnExecuteTensors(test.handle,
                                     create(HamKaasDnnExecutionPlan).get(),
                                     uids.data(), nullptr, 0),
            HamKaasDnnNotFinalized);
  EXPECT_EQ(HamKaasDnnExecuteTensors(test.handle, makeTensor(1, {1}).get(),
                                     uids.data(), nullptr, 0),
            HamKaasDnnBadParam);
}

TEST(DnnDescriptorTest, VariantPacks) {
  ReluPlan test;
  auto makePack = [](const Shape &uids, std::vector<void *> pointers) {
    Descriptor pack = create(HamKaasDnnVariantPack);
    EXPECT_EQ(explain(pack.set(HamKaasDnnAttrUniqueIds, uids)), "");
    EXPECT_EQ(
        explain(pack.set(HamKaasDnnAttrDataPointers, HamKaasDnnTypeVoidPointer,
                         int64_t(pointers.size()), pointers.data())),
        "");
    return pack;
  };
  Descriptor pack = makePack({1, 2}, {test.x, test.y});
  EXPECT_EQ(HamKaasDnnExecute(test.handle, test.plan.get(), pack.get()),
            HamKaasDnnNotFinalized);
  EXPECT_EQ(explain(pack.finalize()), "");
  EXPECT_EQ(HamKaasDnnExecute(test.handle, test.plan.get(), pack.get()),
            HamKaasDnnSuccess);
  EXPECT_EQ(test.y[5], 6);
  EXPECT_EQ(HamKaasDnnExecute(test.handle, test.plan.get(), test.plan.get()),
            HamKaasDnnBadParam);
  EXPECT_THAT(explain(makePack({1, 2}, {test.x}).finalize()),
              HasSubstr("as many pointers as uids"));
  EXPECT_THAT(explain(makePack({1, 1}, {test.x, test.y}).finalize()),
              HasSubstr("got 1 twice"));
}

// A plan runs one call at a time; another is refused, and changes nothing.
TEST(DnnDescriptorTest, ConcurrentRuns) {
  ReluPlan test;
  std::atomic<int> done{0};
  auto run = [&] {
    float y[6] = {};
    for (int i = 0; i < 200; ++i) {
      HamKaasDnnStatus status = test.run({1, 2}, {test.x, y});
      EXPECT_TRUE(status == HamKaasDnnSuccess ||
                  status == HamKaasDnnExecutionFailed);
      done += status == HamKaasDnnSuccess;
      if (status == HamKaasDnnSuccess)
        EXPECT_EQ(y[5], 6);
    }
  };
  std::thread first(run), second(run);
  first.join();
  second.join();
  EXPECT_GT(done, 0);
}

TEST(DnnDescriptorTest, EnginesAndKnobs) {
  Descriptor graph = makeReluGraph(), engine = create(HamKaasDnnEngine);
  EXPECT_EQ(explain(engine.set(HamKaasDnnAttrGraphOfEngine, graph)), "");
  EXPECT_EQ(explain(engine.set(HamKaasDnnAttrEngineId, 5)), "");
  EXPECT_THAT(explain(engine.finalize()),
              HasSubstr("got 5; these do: hamkaas ("));
  // After the error it can be mended: FNV-1a of "hamkaas".
  uint64_t hash = 0xcbf29ce484222325;
  for (char c : std::string("hamkaas"))
    hash = (hash ^ uint8_t(c)) * 0x100000001b3;
  EXPECT_EQ(explain(engine.set(HamKaasDnnAttrEngineId, int64_t(hash))), "");
  EXPECT_EQ(explain(engine.finalize()), "");
  std::vector<Descriptor> knobs;
  EXPECT_EQ(explain(engine.getDescriptors(HamKaasDnnAttrEngineKnobs,
                                          HamKaasDnnKnobInfo, knobs)),
            "");
  EXPECT_EQ(knobs.size(), 5u);
  auto choose = [&](const char *id, int32_t type, const void *value,
                    int64_t count = 1) {
    Descriptor choice = create(HamKaasDnnKnobChoice);
    Descriptor config = create(HamKaasDnnEngineConfig);
    EXPECT_EQ(explain(choice.set(HamKaasDnnAttrKnobId, std::string(id))), "");
    EXPECT_EQ(explain(choice.set(HamKaasDnnAttrKnobValue, type, count, value)),
              "");
    EXPECT_EQ(explain(choice.finalize()), "");
    std::vector<Descriptor> choices;
    choices.push_back(std::move(choice));
    EXPECT_EQ(explain(config.set(HamKaasDnnAttrEngineOfConfig, engine)), "");
    EXPECT_EQ(explain(config.set(HamKaasDnnAttrKnobChoices, choices)), "");
    return explain(config.finalize());
  };
  int64_t negative = -1, some = 1024;
  double large = 2;
  EXPECT_EQ(choose("hamkaas.max_workspace", HamKaasDnnTypeInt64, &some), "");
  EXPECT_THAT(choose("hamkaas.max_workspace", HamKaasDnnTypeInt64, &negative),
              HasSubstr("by default 0, got -1"));
  EXPECT_THAT(choose("hamkaas.max_workspace", HamKaasDnnTypeDouble, &large),
              HasSubstr("expected one int64"));
  EXPECT_THAT(choose("hamkaas.winograd_error", HamKaasDnnTypeDouble, &large),
              HasSubstr("a number from 0"));
  EXPECT_EQ(choose("hamkaas.target_cpu", HamKaasDnnTypeChar, "x86-64", 6), "");
  EXPECT_THAT(choose("hamkaas.max_workspac", HamKaasDnnTypeInt64, &some),
              HasSubstr("the nearest is 'hamkaas.max_workspace'"));
}

//===----------------------------------------------------------------------===//
// The manual
//===----------------------------------------------------------------------===//

TEST(DnnDescriptorTest, TableOfTheManual) {
  char *text = nullptr;
  EXPECT_EQ(HamKaasDnnDescribeAttributes(nullptr), HamKaasDnnNullPointer);
  ASSERT_EQ(HamKaasDnnDescribeAttributes(&text), HamKaasDnnSuccess);
  std::string table = text;
  HamKaasTextFree(text);
  size_t lines = size_t(std::count(table.begin(), table.end(), '\n'));
  EXPECT_EQ(lines, readRows().size() + 2 + 4); // The kinds without rows.
  // Is asked for by the test of the manual.
  if (const char *path = std::getenv("HAMKAAS_DNN_TABLE"))
    std::ofstream(path) << table;
}

//===----------------------------------------------------------------------===//
// Random calls
//===----------------------------------------------------------------------===//

namespace {

/// How often a random test is repeated: more by hand.
int64_t getCount(const char *variable, int64_t standard) {
  const char *text = std::getenv(variable);
  return text ? std::atoll(text) : standard;
}

/// Calls with arguments that are often right.
class RandomCalls {
public:
  explicit RandomCalls(unsigned seed) : random(seed), rows(readRows()) {
    for (int i = 0; i < 24; ++i)
      create();
    EXPECT_EQ(HamKaasDnnCreate(&handle, nullptr), HamKaasDnnSuccess);
  }
  ~RandomCalls() {
    for (HamKaasDnnDescriptor *descriptor : descriptors)
      HamKaasDnnDestroyDescriptor(descriptor);
    HamKaasDnnDestroy(handle);
  }

  void call();

private:
  int64_t choose(int64_t count) { return int64_t(random() % uint64_t(count)); }
  void create();
  void set();
  void get();
  HamKaasDnnDescriptor *pick();
  static void expectStatus(HamKaasDnnStatus status) {
    ASSERT_STRNE(HamKaasDnnGetErrorString(status), "unknown status");
    ASSERT_NE(status, HamKaasDnnInternalError);
  }

  std::mt19937_64 random;
  std::vector<Row> rows;
  std::vector<HamKaasDnnDescriptor *> descriptors;
  HamKaasDnnHandle *handle = nullptr;
  char memory[4096] = {};
};

} // namespace

void RandomCalls::create() {
  int32_t kind = choose(3) == 0
                     ? HamKaasDnnTensor
                     : rows[size_t(choose(int64_t(rows.size())))].kind;
  HamKaasDnnDescriptor *made = nullptr;
  expectStatus(HamKaasDnnCreateDescriptor(kind, &made));
  if (descriptors.size() < 64) {
    descriptors.push_back(made);
    return;
  }
  std::swap(descriptors[size_t(choose(64))], made);
  HamKaasDnnDestroyDescriptor(made);
}

HamKaasDnnDescriptor *RandomCalls::pick() {
  if (choose(50) == 0)
    return choose(2) ? nullptr
                     : reinterpret_cast<HamKaasDnnDescriptor *>(random());
  return descriptors[size_t(choose(int64_t(descriptors.size())))];
}

void RandomCalls::set() {
  // Attributes of tensors more often, so that some nodes are complete.
  const Row &row = rows[size_t(choose(int64_t(rows.size())))];
  std::vector<int64_t> elements;
  int64_t count = choose(8) ? std::min<int64_t>(row.least + choose(4), row.most)
                            : choose(10) - 2;
  for (int64_t i = 0; i < std::max<int64_t>(count, 1); ++i) {
    if (row.type == HamKaasDnnTypeDescriptor)
      elements.push_back(int64_t(pick()));
    else if (row.type == HamKaasDnnTypeHandle)
      elements.push_back(int64_t(handle));
    else
      elements.push_back(choose(20) ? choose(5) : int64_t(random()));
  }
  bool isNull = choose(40) == 0;
  expectStatus(HamKaasDnnSetAttribute(
      pick(), row.attribute, choose(20) ? row.type : int32_t(choose(30)), count,
      isNull ? nullptr : elements.data()));
}

void RandomCalls::get() {
  const Row &row = rows[size_t(choose(int64_t(rows.size())))];
  std::vector<HamKaasDnnDescriptor *> handles;
  for (int i = 0; i < 8; ++i)
    handles.push_back(pick());
  int64_t count = 0, room = choose(10) - 1;
  // Texts are long: as many bytes as there are, of an element each.
  void *elements = row.type == HamKaasDnnTypeDescriptor
                       ? static_cast<void *>(handles.data())
                       : memory;
  if (row.type == HamKaasDnnTypeDescriptor)
    room = std::min<int64_t>(room, 8);
  else if (room == 8)
    room = 512;
  expectStatus(HamKaasDnnGetAttribute(pick(), row.attribute, row.type, room,
                                      &count, elements));
}

void RandomCalls::call() {
  switch (choose(16)) {
  case 0:
    return create();
  case 1:
  case 2:
  case 3:
    return expectStatus(HamKaasDnnFinalize(pick()));
  case 4:
  case 5:
    return get();
  case 6: {
    int64_t uids[] = {choose(5), choose(5)};
    void *pointers[] = {memory, choose(2) ? memory + 2048 : nullptr};
    return expectStatus(HamKaasDnnExecuteTensors(handle, pick(), uids, pointers,
                                                 choose(4) - 1));
  }
  case 7:
    return expectStatus(HamKaasDnnExecute(handle, pick(), pick()));
  default:
    return set();
  }
}

// 10^6 calls by hand: HAMKAAS_DNN_CALLS=1000000.
TEST(DnnDescriptorTest, RandomCalls) {
  RandomCalls calls(1);
  for (int64_t i = getCount("HAMKAAS_DNN_CALLS", 5000); i-- > 0;)
    calls.call();
}

// Changed texts of graphs are errors, or graphs whose text comes back equal.
// 10^5 by hand: HAMKAAS_DNN_MUTANTS=100000.
TEST(DnnDescriptorTest, MutatedGraphs) {
  TestGraph test;
  TensorPointer y = test.graph.conv_fprop(test.add({1, 2, 4, 4}).tensor,
                                          test.add({2, 2, 3, 3}).tensor,
                                          dnn::ConvFpropAttributes()
                                              .set_name("conv")
                                              .set_padding({1, 1})
                                              .set_stride({1, 1})
                                              .set_dilation({1, 1}));
  y = test.graph.pointwise(y, test.number(0.5),
                           dnn::PointwiseAttributes()
                               .set_mode(dnn::PointwiseMode::RELU_BWD)
                               .set_relu_upper_clip(INFINITY));
  y = test.graph.sdpa(y, y, y, dnn::SdpaAttributes().set_causal_mask(true))[0];
  test.output(y);
  std::string text;
  ASSERT_EQ(explain(test.graph.validate()), "");
  ASSERT_EQ(explain(test.graph.to_json(text)), "");
  std::mt19937 random(1);
  static constexpr char interesting[] = "0123456789-.eE[]{},:\"\\ntf x";
  int64_t valid = 0;
  for (int64_t i = getCount("HAMKAAS_DNN_MUTANTS", 2000); i-- > 0;) {
    std::string mutant = text;
    for (unsigned edits = 1 + random() % 3; edits-- > 0;) {
      size_t place = random() % mutant.size();
      switch (random() % 4) {
      case 0:
        mutant[place] = interesting[random() % (sizeof(interesting) - 1)];
        break;
      case 1:
        mutant.insert(place, 1,
                      interesting[random() % (sizeof(interesting) - 1)]);
        break;
      case 2:
        mutant.erase(place, 1 + random() % 8);
        break;
      default: {
        size_t from = random() % mutant.size();
        mutant.insert(place, mutant.substr(from, random() % 60));
      }
      }
      if (mutant.empty())
        mutant = "x";
    }
    Graph graph;
    if (graph.from_json(mutant).isBad())
      continue;
    ++valid;
    std::string first, second;
    ASSERT_EQ(explain(graph.to_json(first)), "");
    Graph again;
    ASSERT_EQ(explain(again.from_json(first)), "") << first;
    ASSERT_EQ(explain(again.to_json(second)), "");
    ASSERT_EQ(first, second);
  }
  EXPECT_GT(valid, 0);
}
