//===- GraphTest.cpp - Tests of graphs that are built from C --------------===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Graphs.h"
#include "HamKaas/Runtime/Core/TensorType.h"
#include <cmath>

using namespace hamkaas::test;
using testing::HasSubstr;
using testing::StartsWith;

using Floats = std::vector<float>;

/// One run of an instance with inputs of float32 and one output.
static Floats run(HamKaasInstance *instance,
                  const std::vector<const void *> &inputs, size_t count) {
  Floats result(count);
  void *outputs[] = {result.data()};
  EXPECT_EQ(takeText(HamKaasInstanceRun(instance, inputs.data(), outputs)), "");
  return result;
}

/// relu(x * w + b), with `w` a parameter.
struct Linear {
  OwnedGraph graph = createGraph();
  Floats w = {1, -1, 2, 0, 1, -3};
  HamKaasValue result = 0;

  explicit Linear(bool hasData = true) {
    HamKaasValue x = addInput(graph, "x", {2, 2});
    Shape shape = {2, 3};
    HamKaasGraphTensor weights = makeTensor("w", shape);
    weights.data = hasData ? w.data() : nullptr;
    weights.bytes = hasData ? w.size() * sizeof(float) : 0;
    HamKaasValue parameter = 0;
    EXPECT_EQ(
        takeText(HamKaasGraphAddParameter(graph.get(), &weights, &parameter)),
        "");
    HamKaasValue product = add(graph, "matmul", {x, parameter});
    HamKaasValue sum =
        add(graph, "add", {product, addNumber(graph, 1, {1, 3})});
    result = add(graph, "relu", {sum});
    EXPECT_EQ(setOutput(graph, result), "");
  }
};

static const Floats linearX = {1, 2, 3, 4};
static const Floats linearY = {2, 2, 0, 4, 2, 0};

//===----------------------------------------------------------------------===//
// From graphs to results
//===----------------------------------------------------------------------===//

TEST(Graph, CompilesAndRuns) {
  Linear linear;
  OwnedModel model = compileGraph(linear.graph);
  linear.graph.reset();
  EXPECT_EQ(run(instantiate(model).get(), {linearX.data()}, 6), linearY);
  EXPECT_EQ(run(instantiate(model, "reference").get(), {linearX.data()}, 6),
            linearY);
}

TEST(Graph, GrowsAndCompilesAgain) {
  Linear linear;
  OwnedModel first = compileGraph(linear.graph);
  HamKaasValue negative = add(linear.graph, "neg", {linear.result});
  EXPECT_EQ(setOutput(linear.graph, negative, "negative"), "");
  HamKaasCompileOptions options = compileOptions();
  options.targetCpu = "x86-64";
  options.name = "second";
  OwnedModel second = compileGraph(linear.graph, &options);
  const HamKaasProgram *program = nullptr;
  EXPECT_EQ(takeText(HamKaasModelGetProgram(second.get(), &program)), "");
  EXPECT_STREQ(program->outputs[0].name, "negative");
  EXPECT_EQ(program->isaLevel, HamKaasIsaX86_64_V1);
  EXPECT_EQ(run(instantiate(first).get(), {linearX.data()}, 6), linearY);
  Floats negated = linearY;
  for (float &y : negated)
    y = -y;
  EXPECT_EQ(run(instantiate(second).get(), {linearX.data()}, 6), negated);
}

TEST(Graph, LetsInstancesBringParameters) {
  Linear linear(/*hasData=*/false);
  OwnedModel model = compileGraph(linear.graph);
  HamKaasNamedData data = {"w", linear.w.data(),
                           linear.w.size() * sizeof(float)};
  HamKaasInstanceOptions options = {};
  options.structSize = sizeof(options);
  options.parameters = &data;
  options.parameterCount = 1;
  HamKaasInstance *instance = nullptr;
  ASSERT_EQ(
      takeText(HamKaasModelCreateInstance(model.get(), &options, &instance)),
      "");
  OwnedInstance owned(instance);
  EXPECT_EQ(run(instance, {linearX.data()}, 6), linearY);
}

TEST(Graph, IsWrittenWithItsParameters) {
  TemporaryFolder folder;
  Linear linear;
  OwnedModel model = compileGraph(linear.graph);
  std::string path = folder.path("linear.so");
  ASSERT_EQ(takeText(HamKaasModelWrite(model.get(), path.c_str(), nullptr)),
            "");
  OwnedModel loaded = load(path);
  EXPECT_EQ(run(instantiate(loaded).get(), {linearX.data()}, 6), linearY);
}

TEST(Graph, KeepsStateFromRunToRun) {
  OwnedGraph graph = createGraph();
  HamKaasValue x = addInput(graph, "x", {2});
  Shape shape = {2};
  HamKaasGraphTensor tensor = makeTensor("total", shape);
  HamKaasValue total = 0;
  ASSERT_EQ(takeText(HamKaasGraphAddState(graph.get(), &tensor, &total)), "");
  HamKaasValue sum = add(graph, "add", {total, x});
  EXPECT_EQ(takeText(HamKaasGraphStoreState(graph.get(), total, sum, nullptr)),
            "");
  EXPECT_THAT(
      takeText(HamKaasGraphStoreState(graph.get(), total, sum, nullptr)),
      HasSubstr("has it already"));
  EXPECT_EQ(setOutput(graph, sum), "");
  OwnedModel model = compileGraph(graph);
  OwnedInstance instance = instantiate(model);
  Floats step = {1, 2};
  EXPECT_EQ(run(instance.get(), {step.data()}, 2), (Floats{1, 2}));
  EXPECT_EQ(run(instance.get(), {step.data()}, 2), (Floats{2, 4}));
}

/// A state of `shape` that is an output and is then doubled. Null if it is not
/// right.
static HamKaasValue addDoubled(const OwnedGraph &graph, const char *name,
                               const Shape &shape, const void *data,
                               uint64_t bytes, std::string *error = nullptr) {
  HamKaasGraphTensor tensor = makeTensor(name, shape);
  tensor.data = data;
  tensor.bytes = bytes;
  HamKaasValue value = 0;
  std::string text =
      takeText(HamKaasGraphAddState(graph.get(), &tensor, &value));
  EXPECT_EQ(value == 0, !text.empty());
  if (error)
    *error = text;
  if (value == 0)
    return value;
  HamKaasValue doubled = add(graph, "add", {value, value});
  EXPECT_EQ(
      takeText(HamKaasGraphStoreState(graph.get(), value, doubled, nullptr)),
      "");
  return value;
}

TEST(Graph, GivesStatesTheirInitialContents) {
  TemporaryFolder folder;
  OwnedGraph graph = createGraph();
  Floats few = {1, 2, 3}, one = {7}, many(70000);
  for (size_t i = 0; i < many.size(); ++i)
    many[i] = float(i);
  auto state = [&](const char *name, const Shape &shape, const Floats &data) {
    return addDoubled(graph, name, shape, data.data(),
                      data.size() * sizeof(float));
  };
  HamKaasGraphOutput outputs[] = {
      {"few", state("few", {3}, few)},
      {"one", state("one", {1000}, one)},
      {"many", state("many", {70000}, many)},
      {"zero", addDoubled(graph, "zero", {2}, nullptr, 0)}};
  ASSERT_EQ(takeText(HamKaasGraphSetOutputs(graph.get(), outputs, 4)), "");
  // Copied, but for the large one.
  few.assign(3, 0);
  one.assign(1, 0);
  OwnedModel compiled = compileGraph(graph);
  std::string path = folder.path("doubled.so");
  ASSERT_EQ(takeText(HamKaasModelWrite(compiled.get(), path.c_str(), nullptr)),
            "");
  OwnedModel loaded = load(path);
  auto check = [&](HamKaasInstance *instance, float factor) {
    Floats a(3), b(1000), c(70000), d(2, 1);
    void *results[] = {a.data(), b.data(), c.data(), d.data()};
    EXPECT_EQ(takeText(HamKaasInstanceRun(instance, nullptr, results)), "");
    EXPECT_EQ(a, (Floats{1 * factor, 2 * factor, 3 * factor}));
    EXPECT_EQ(b, Floats(1000, 7 * factor));
    EXPECT_EQ(c[69999], 69999 * factor);
    EXPECT_EQ(d, Floats(2, 0));
  };
  OwnedInstance instances[] = {instantiate(compiled),
                               instantiate(compiled, "reference"),
                               instantiate(loaded)};
  for (const OwnedInstance &instance : instances) {
    check(instance.get(), 1);
    check(instance.get(), 2);
    EXPECT_EQ(takeText(HamKaasInstanceResetState(instance.get())), "");
    check(instance.get(), 1);
  }
}

TEST(Graph, InstancesAreGivenTheInitialContentsOfStates) {
  OwnedGraph graph = createGraph();
  std::string error;
  addDoubled(graph, "s", {2}, nullptr, 4, &error);
  EXPECT_EQ(error, "state 's': expected the bytes of all elements where they "
                   "are given later, got 4");
  HamKaasValue state = addDoubled(graph, "s", {2}, nullptr, 8);
  ASSERT_EQ(setOutput(graph, state), "");
  OwnedModel model = compileGraph(graph);
  Floats contents = {3, 4};
  HamKaasNamedData data = {"s", contents.data(), 8};
  HamKaasInstanceOptions options = {};
  options.structSize = sizeof(options);
  HamKaasInstance *raw = nullptr;
  EXPECT_THAT(takeText(HamKaasModelCreateInstance(model.get(), &options, &raw)),
              HasSubstr("'s'"));
  options.parameters = &data;
  options.parameterCount = 1;
  ASSERT_EQ(takeText(HamKaasModelCreateInstance(model.get(), &options, &raw)),
            "");
  OwnedInstance instance(raw);
  EXPECT_EQ(run(instance.get(), {}, 2), (Floats{3, 4}));
  EXPECT_EQ(run(instance.get(), {}, 2), (Floats{6, 8}));
}

TEST(GraphErrors, CheckTheContentsOfStates) {
  OwnedGraph graph = createGraph();
  Floats many(70000, 1);
  uint64_t bytes = many.size() * sizeof(float);
  std::string error;
  addDoubled(graph, "s", {3}, many.data(), 8, &error);
  EXPECT_EQ(error, "state 's': expected the 12 bytes of all elements or the 4 "
                   "of one, got 8");
  // Large contents are found by name, as parameters are.
  HamKaasGraphTensor tensor = makeTensor("p", {1});
  HamKaasValue value = 0;
  Shape shape = {1};
  tensor.shape = shape.data();
  ASSERT_EQ(takeText(HamKaasGraphAddParameter(graph.get(), &tensor, &value)),
            "");
  addDoubled(graph, "p", {70000}, many.data(), bytes, &error);
  EXPECT_EQ(error, "state 'p': expected a state with contents with a name of "
                   "its own, another one is called 'p'");
  // Nothing has changed: the name is free for a state without.
  addDoubled(graph, "p", {70000}, nullptr, 0, &error);
  EXPECT_EQ(error, "");
  HamKaasValue state = addDoubled(graph, "s", {70000}, many.data(), bytes);
  EXPECT_EQ(setOutput(graph, state), "");
  EXPECT_EQ(compileGraphError(graph, nullptr),
            "expected data for all parameters or for none, got it for 's' and "
            "not for 'p'");
}

TEST(Graph, TakesAttributesOfAllKinds) {
  OwnedGraph graph = createGraph();
  HamKaasValue x = addInput(graph, "x", {2, 3});
  Shape low = {0, 1}, none = {0, 0}, dims = {1}, shape = {2, 2};
  HamKaasValue padded = add(graph, "pad", {x},
                            {integers("low", low), integers("high", none),
                             integers("interior", none), integer("value", 7)});
  HamKaasValue greatest =
      add(graph, "reduce", {padded},
          {word("combiner", "max"), integers("dims", dims)});
  HamKaasValue count = add(graph, "iota", {},
                           {integer("dim", 0), integers("shape", shape),
                            type("type", HamKaasInt32)});
  HamKaasValue floats =
      add(graph, "cast", {count}, {type("type", HamKaasFloat32)});
  HamKaasValue sums =
      add(graph, "cumsum", {floats},
          {integer("dim", 1), integer("exclusive", 0), integer("reverse", 1)});
  HamKaasGraphOutput outputs[] = {{"greatest", greatest}, {"sums", sums}};
  ASSERT_EQ(takeText(HamKaasGraphSetOutputs(graph.get(), outputs, 2)), "");
  OwnedModel model = compileGraph(graph);
  OwnedInstance instance = instantiate(model);
  Floats in = {1, 2, 3, 4, 5, 9}, out(2), sum(4);
  const void *inputs[] = {in.data()};
  void *results[] = {out.data(), sum.data()};
  ASSERT_EQ(takeText(HamKaasInstanceRun(instance.get(), inputs, results)), "");
  EXPECT_EQ(out, (Floats{7, 9}));
  EXPECT_EQ(sum, (Floats{0, 0, 2, 1}));
}

TEST(Graph, HoldsConstantsOfEachType) {
  for (const hamkaas::rt::ElementType &type : hamkaas::rt::elementTypes) {
    SCOPED_TRACE(type.name);
    OwnedGraph graph = createGraph();
    Shape shape = {2, 2};
    HamKaasGraphTensor tensor = makeTensor(nullptr, shape, type.type);
    // Small numbers of each type, for a bool as for a float.
    const char bytes[32] = {1, 0, 1, 1};
    tensor.data = bytes;
    tensor.bytes = 4 * type.size;
    HamKaasValue all = 0, one = 0;
    EXPECT_EQ(takeText(HamKaasGraphAddConstant(graph.get(), &tensor, &all)),
              "");
    tensor.bytes = type.size;
    EXPECT_EQ(takeText(HamKaasGraphAddConstant(graph.get(), &tensor, &one)),
              "");
    HamKaasGraphOutput named[] = {{"all", all}, {"one", one}};
    EXPECT_EQ(takeText(HamKaasGraphSetOutputs(graph.get(), named, 2)), "");
    std::string first(4 * type.size, 'x'), second = first;
    void *outputs[] = {first.data(), second.data()};
    OwnedModel model = compileGraph(graph);
    EXPECT_EQ(takeText(HamKaasInstanceRun(instantiate(model).get(), nullptr,
                                          outputs)),
              "");
    EXPECT_EQ(first, std::string(bytes, first.size()));
    std::string element(bytes, type.size);
    EXPECT_EQ(second, element + element + element + element);
  }
}

//===----------------------------------------------------------------------===//
// Text
//===----------------------------------------------------------------------===//

TEST(Graph, IsDescribedAsScriptAndMlir) {
  Linear linear;
  EXPECT_THAT(hamkaas::test::describe(linear.graph, HamKaasDescribeScript),
              HasSubstr("MatMulNode($1, $2)"));
  EXPECT_THAT(hamkaas::test::describe(linear.graph, HamKaasDescribeGraph),
              HasSubstr("hamkaas.matmul %arg0"));
  EXPECT_THAT(hamkaas::test::describe(linear.graph, HamKaasDescribeReport),
              HasSubstr("expected HamKaasDescribeScript or"));
  // A model of it is described as any other.
  OwnedModel model = compileGraph(linear.graph);
  EXPECT_THAT(hamkaas::test::describe(model.get(), HamKaasDescribeScript),
              HasSubstr("MatMulNode($1, $2)"));
}

//===----------------------------------------------------------------------===//
// Errors
//===----------------------------------------------------------------------===//

TEST(GraphErrors, NamePositionOperationAndOperand) {
  OwnedGraph graph = createGraph();
  HamKaasValue x = addInput(graph, "x", {4, 8});
  HamKaasValue w = addInput(graph, "w", {7, 2});
  HamKaasValue i = addInput(graph, "i", {4, 8}, HamKaasInt64);
  EXPECT_EQ(apply(graph, "matmul", {x, w}, {}, "net.c", 12).error,
            "net.c:12: error: 'matmul': expected the last dimension of lhs (8) "
            "to match the rows of rhs (7)");
  EXPECT_EQ(apply(graph, "relu", {i}, {}, "net.c", 13).error,
            "net.c:13: error: 'relu': expected the operand 'x' to be a tensor "
            "of static shape and 1 to 2^47 - 1 elements that are floats, got "
            "int64 [4, 8]");
  EXPECT_EQ(
      apply(graph, "relu", {}, {}, "net.c", 14).error,
      "net.c:14: error: 'relu': expected the operand 'x', a tensor of "
      "static shape and 1 to 2^47 - 1 elements that are floats, got none");
  EXPECT_EQ(apply(graph, "relu", {x, x}).error,
            "'relu': expected at most 1 operands, got 2");
  EXPECT_EQ(apply(graph, "add", {x, w}).error.substr(0, 7), "'add': ");
}

TEST(GraphErrors, NameOperationsAndAttributes) {
  OwnedGraph graph = createGraph();
  HamKaasValue x = addInput(graph, "x", {4, 8});
  Shape dims = {1};
  EXPECT_EQ(apply(graph, "Relu", {x}).error,
            "unknown operation 'Relu', did you mean 'relu'?");
  EXPECT_EQ(apply(graph, "convolution", {x}).error,
            "unknown operation 'convolution'");
  EXPECT_EQ(apply(graph, "", {x}).error.substr(0, 20), "unknown operation ''");
  EXPECT_THAT(apply(graph, "scan", {x}).error,
              HasSubstr("it is built with its body"));
  EXPECT_EQ(apply(graph, "reduce", {x}, {integers("dim", dims)}).error,
            "'reduce': unknown attribute 'dim', known are: combiner, dims");
  EXPECT_EQ(apply(graph, "relu", {x}, {integers("dim", dims)}).error,
            "'relu': unknown attribute 'dim', known are: none");
  EXPECT_EQ(apply(graph, "reduce", {x}, {integers("dims", dims)}).error,
            "'reduce': expected the attribute 'combiner', one of sum, prod, "
            "max, min, got none");
  EXPECT_EQ(apply(graph, "reduce", {x},
                  {word("combiner", "mean"), integers("dims", dims)})
                .error,
            "'reduce': expected the attribute 'combiner' to be one of sum, "
            "prod, max, min, got 'mean'");
  EXPECT_EQ(
      apply(graph, "reduce", {x}, {word("combiner", "sum"), integer("dims", 1)})
          .error,
      "'reduce': expected the attribute 'dims' to be a list of integers, "
      "got 1");
  EXPECT_EQ(apply(graph, "log_sum_exp", {x}, {}).error, "");
  EXPECT_EQ(apply(graph, "reduce", {x},
                  {integers("dims", dims), integers("dims", dims)})
                .error,
            "'reduce': expected the attribute 'dims' once, got it twice");
}

TEST(GraphErrors, CheckNumbers) {
  OwnedGraph graph = createGraph();
  HamKaasValue bytes = addInput(graph, "x", {2}, HamKaasUInt8);
  Shape none = {0};
  auto pad = [&](const HamKaasAttribute &value) {
    return apply(graph, "pad", {bytes},
                 {integers("low", none), integers("high", none),
                  integers("interior", none), value})
        .error;
  };
  EXPECT_EQ(pad(integer("value", 255)), "");
  EXPECT_THAT(
      pad(integer("value", 256)),
      HasSubstr("to be a number of the elements of uint8 [2], got 256"));
  EXPECT_THAT(pad(integer("value", -1)), HasSubstr("to be a number"));
  EXPECT_THAT(pad(real("value", 1)), HasSubstr("got the real number 1"));
}

/// The message names the rank that was given, and no entry is read.
TEST(GraphErrors, RefuseHighRanks) {
  OwnedGraph graph = createGraph();
  Shape shape = {2, 3};
  HamKaasGraphTensor tensor = makeTensor("x", shape);
  HamKaasValue x = 0;
  for (int32_t rank : {9, 1000, INT32_MAX}) {
    tensor.rank = rank;
    EXPECT_THAT(takeText(HamKaasGraphAddInput(graph.get(), &tensor, &x)),
                HasSubstr("expected at most 8 dimensions, got " +
                          std::to_string(rank)));
  }
}

TEST(GraphErrors, CheckResultTypes) {
  OwnedGraph graph = createGraph();
  HamKaasValue x = addInput(graph, "x", {4, 8});
  Shape wrong = {5, 8}, negative = {-4, 8}, many(9, 1);
  Shape huge = {int64_t(1) << 62, 4};
  EXPECT_EQ(apply(graph, "reshape", {x}).error,
            "'reshape': expected the attribute 'shape' or 'type' of the "
            "result, got none");
  EXPECT_THAT(apply(graph, "reshape", {x}, {integers("shape", wrong)}).error,
              HasSubstr("to have as many elements as x (32), got 40"));
  EXPECT_THAT(apply(graph, "reshape", {x}, {integers("shape", negative)}).error,
              HasSubstr("expected sizes of at least 1, got [-4, 8]"));
  EXPECT_THAT(apply(graph, "reshape", {x}, {integers("shape", many)}).error,
              HasSubstr("expected at most 8 dimensions, got 9"));
  EXPECT_THAT(apply(graph, "broadcast", {x}, {integers("shape", huge)}).error,
              HasSubstr("expected fewer than 2^47 elements"));
  EXPECT_THAT(apply(graph, "cast", {x}, {type("type", 99)}).error,
              HasSubstr("expected a HamKaasElementType, got 99"));
}

TEST(GraphErrors, CheckTensors) {
  OwnedGraph graph = createGraph();
  auto error = [&](const HamKaasGraphTensor &tensor, auto add) {
    HamKaasValue value = 7;
    std::string text = takeText(add(graph.get(), &tensor, &value));
    EXPECT_EQ(value == 0, !text.empty());
    return text;
  };
  Shape shape = {2, 3}, zero = {0}, huge = {1 << 30, 1 << 30};
  float data[6] = {};
  HamKaasGraphTensor tensor = makeTensor("x", shape);
  EXPECT_EQ(error(tensor, HamKaasGraphAddInput), "");
  EXPECT_EQ(error(tensor, HamKaasGraphAddInput),
            "input 'x': expected an input with a name of its own, another one "
            "is called 'x'");
  EXPECT_EQ(error(makeTensor("", shape), HamKaasGraphAddInput),
            "input '': expected the name of an input to be UTF-8 text without "
            "control characters, and not empty, got ''");
  EXPECT_THAT(error(makeTensor("z", zero), HamKaasGraphAddState),
              HasSubstr("state 'z': expected sizes of at least 1, got [0]"));
  EXPECT_THAT(error(makeTensor("h", huge), HamKaasGraphAddParameter),
              HasSubstr("expected fewer than 2^47 elements"));
  EXPECT_THAT(error(makeTensor("t", shape, 13), HamKaasGraphAddInput),
              HasSubstr("expected a HamKaasElementType, got 13"));
  tensor = makeTensor("d", shape);
  tensor.data = data;
  tensor.bytes = 20;
  EXPECT_THAT(error(tensor, HamKaasGraphAddInput), HasSubstr("no data"));
  EXPECT_EQ(error(tensor, HamKaasGraphAddParameter),
            "parameter 'd': expected 24 bytes, got 20");
  tensor.name = nullptr;
  EXPECT_EQ(error(tensor, HamKaasGraphAddConstant),
            "constant: expected the 24 bytes of all elements or the 4 of one, "
            "got 20");
  tensor.data = nullptr;
  EXPECT_THAT(error(tensor, HamKaasGraphAddConstant), HasSubstr("got null"));
  tensor = makeTensor("p", shape);
  tensor.rank = -1;
  EXPECT_THAT(error(tensor, HamKaasGraphAddInput), HasSubstr("got -1"));
  tensor.rank = 2;
  tensor.shape = nullptr;
  EXPECT_THAT(error(tensor, HamKaasGraphAddInput), HasSubstr("got null"));
  tensor.structSize = 3;
  EXPECT_THAT(error(tensor, HamKaasGraphAddInput), HasSubstr("structSize"));
  tensor = makeTensor("q", shape);
  tensor.file = "net.c";
  EXPECT_EQ(error(tensor, HamKaasGraphAddInput),
            "expected a line number of 1 to 2^32 - 1, got 0");
}

TEST(GraphErrors, RefuseForeignHandlesAndValues) {
  OwnedGraph graph = createGraph(), other = createGraph();
  HamKaasValue x = addInput(graph, "x", {4});
  HamKaasValue y = addInput(other, "y", {4});
  EXPECT_THAT(apply(graph, "relu", {y}).error,
              HasSubstr("'relu': expected operand 0 to be a value of this "
                        "graph, got the value"));
  EXPECT_THAT(apply(graph, "relu", {x + 1}).error, HasSubstr("of this graph"));
  EXPECT_THAT(apply(graph, "relu", {~HamKaasValue(0)}).error,
              HasSubstr("of this graph"));
  EXPECT_THAT(setOutput(graph, y), HasSubstr("output 'result' to be a value"));
  EXPECT_THAT(setOutput(graph, 0), HasSubstr("got none"));
  EXPECT_THAT(takeText(HamKaasGraphStoreState(graph.get(), x, x, nullptr)),
              HasSubstr("expected a state, got another value"));
  HamKaasGraph *handle = other.release();
  EXPECT_EQ(takeText(HamKaasGraphDestroy(handle)), "");
  EXPECT_THAT(takeText(HamKaasGraphDestroy(handle)), HasSubstr("a graph"));
  HamKaasTensorType type;
  EXPECT_THAT(takeText(HamKaasGraphGetType(handle, y, &type)),
              HasSubstr("a graph"));
  EXPECT_EQ(takeText(HamKaasGraphDestroy(nullptr)), "");
  OwnedModel model = compile(addScript);
  auto *wrong = reinterpret_cast<HamKaasGraph *>(model.get());
  EXPECT_THAT(takeText(HamKaasGraphGetType(wrong, y, &type)),
              HasSubstr("expected a graph"));
}

TEST(GraphErrors, RefuseNull) {
  OwnedGraph graph = createGraph();
  HamKaasValue value = 0, values[2] = {};
  HamKaasModel *model = nullptr;
  HamKaasGraphOperation operation = {};
  operation.structSize = sizeof(operation);
  for (HamKaasError error :
       {HamKaasGraphCreate(nullptr),
        HamKaasGraphAddInput(graph.get(), nullptr, &value),
        HamKaasGraphAddInput(graph.get(), nullptr, nullptr),
        HamKaasGraphAddOperation(graph.get(), nullptr, &value, 1),
        HamKaasGraphAddOperation(graph.get(), &operation, nullptr, 1),
        HamKaasGraphAddOperation(graph.get(), &operation, values, 2),
        HamKaasGraphAddOperation(graph.get(), &operation, &value, 1),
        HamKaasGraphAddOperation(nullptr, &operation, &value, 1),
        HamKaasGraphGetType(graph.get(), 1, nullptr),
        HamKaasGraphSetOutputs(graph.get(), nullptr, 1),
        HamKaasGraphSetOutputs(graph.get(), nullptr, -1),
        HamKaasGraphCompile(graph.get(), nullptr, nullptr),
        HamKaasGraphCompile(nullptr, nullptr, &model),
        HamKaasGraphDescribe(graph.get(), HamKaasDescribeGraph, nullptr)})
    EXPECT_NE(takeText(error), "");
  operation.name = "concat";
  operation.operandCount = 2;
  EXPECT_THAT(
      takeText(HamKaasGraphAddOperation(graph.get(), &operation, &value, 1)),
      HasSubstr("expected 2 operands, got null"));
}

TEST(GraphErrors, SayWhatACompilationLacks) {
  OwnedGraph graph = createGraph();
  EXPECT_EQ(compileGraphError(graph, nullptr),
            "expected a graph with outputs, got none");
  Linear linear;
  Shape shape = {3};
  HamKaasGraphTensor tensor = makeTensor("late", shape);
  HamKaasValue late = 0;
  EXPECT_EQ(
      takeText(HamKaasGraphAddParameter(linear.graph.get(), &tensor, &late)),
      "");
  EXPECT_EQ(compileGraphError(linear.graph, nullptr),
            "expected data for all parameters or for none, got it for 'w' and "
            "not for 'late'");
  HamKaasCompileOptions options = compileOptions();
  options.targetCpu = "z80";
  EXPECT_THAT(compileGraphError(Linear().graph, &options), HasSubstr("z80"));
}

// The position of the statement that needs too much memory is the caller's.
TEST(GraphErrors, HavePositionsInCompilations) {
  OwnedGraph graph = createGraph();
  HamKaasValue x = addInput(graph, "x", {64, 64});
  HamKaasValue y = apply(graph, "matmul", {x, x}, {}, "net.c", 21).result;
  HamKaasValue z = apply(graph, "matmul", {y, y}, {}, "net.c", 22).result;
  EXPECT_EQ(setOutput(graph, z), "");
  HamKaasCompileOptions options = compileOptions();
  options.maxWorkspace = 1;
  EXPECT_THAT(compileGraphError(graph, &options), HasSubstr("net.c:21"));
}

//===----------------------------------------------------------------------===//
// Operations without a graph
//===----------------------------------------------------------------------===//

TEST(InferOperation, TakesTypesAlone) {
  HamKaasTensorType x = {HamKaasFloat32, 2, {2, 3}};
  HamKaasTensorType y = {HamKaasFloat32, 2, {3, 4}};
  Inferred inferred = infer("matmul", {&x, &y});
  EXPECT_EQ(inferred.error, "");
  ASSERT_EQ(inferred.types.size(), 1u);
  EXPECT_EQ(inferred.types[0].elementType, HamKaasFloat32);
  EXPECT_EQ(inferred.types[0].rank, 2);
  EXPECT_EQ(inferred.types[0].shape[0], 2);
  EXPECT_EQ(inferred.types[0].shape[1], 4);
}

// The messages are those of HamKaasGraphAddOperation.
TEST(InferOperation, SaysWhatIsWrong) {
  HamKaasTensorType x = {HamKaasFloat32, 2, {2, 3}};
  OwnedGraph graph = createGraph();
  HamKaasValue value = addInput(graph, "x", {2, 3});
  for (const char *name : {"matmul", "convolution", "scan", "not", "permute"})
    EXPECT_EQ(infer(name, {&x, &x}).error,
              apply(graph, name, {value, value}).error);
  EXPECT_EQ(infer("relu", {&x}, {integer("axis", 1)}).error,
            apply(graph, "relu", {value}, {integer("axis", 1)}).error);
  EXPECT_THAT(infer("relu", {nullptr}).error, StartsWith("'relu': expected "));
  EXPECT_EQ(infer("relu", {&x}, {}, 0).error,
            "expected room for 1 results, got it for 0");
}

TEST(InferOperation, CountsResultsThatDoNotFit) {
  HamKaasTensorType x = {HamKaasFloat32, 2, {300, 2}};
  Inferred inferred = infer("unstack", {&x}, {}, 0);
  EXPECT_EQ(inferred.error, "expected room for 300 results, got it for 0");
  EXPECT_EQ(inferred.types.size(), 300u);
  EXPECT_EQ(infer("unstack", {&x}, {}, 300).error, "");
}

TEST(InferOperation, ChecksTypes) {
  HamKaasTensorType ranks = {HamKaasFloat32, 9, {}};
  EXPECT_EQ(infer("relu", {&ranks}).error,
            "'relu': operand 0: expected 0 to 8 dimensions, got 9");
  HamKaasTensorType sizes = {HamKaasFloat32, 2, {2, 0}};
  EXPECT_EQ(infer("relu", {&sizes}).error,
            "'relu': operand 0: expected sizes of at least 1, got [2, 0]");
  HamKaasTensorType elements = {-1, 0, {}};
  EXPECT_EQ(infer("relu", {&elements}).error,
            "'relu': operand 0: expected a HamKaasElementType, got -1");
  EXPECT_NE(infer(nullptr, {}).error, "");
  int32_t count = -1;
  EXPECT_EQ(takeText(HamKaasInferOperation(nullptr, nullptr, 0, &count)),
            "expected an operation, got null");
  EXPECT_EQ(count, 0);
  EXPECT_NE(takeText(HamKaasInferOperation(nullptr, nullptr, 0, nullptr)), "");
}

//===----------------------------------------------------------------------===//
// Large graphs
//===----------------------------------------------------------------------===//

TEST(LargeGraph, DoublesSixtyTimes) {
  OwnedGraph graph = createGraph();
  HamKaasValue value = addInput(graph, "x", {4});
  for (int i = 0; i < 60; ++i)
    value = add(graph, "add", {value, value});
  EXPECT_EQ(setOutput(graph, value), "");
  OwnedModel model = compileGraph(graph);
  Floats x = {1, 2, 3, 0};
  float factor = std::ldexp(1.0f, 60);
  EXPECT_EQ(run(instantiate(model).get(), {x.data()}, 4),
            (Floats{factor, 2 * factor, 3 * factor, 0}));
}

// One node depends on the other, 100,000 deep.
TEST(LargeGraph, IsDeep) {
  OwnedGraph graph = createGraph();
  HamKaasValue value = addInput(graph, "x", {4});
  for (int i = 0; i < 100000; ++i)
    value = apply(graph, "abs", {value}, {}, "deep.c", i + 1).result;
  ASSERT_NE(value, 0u);
  EXPECT_EQ(setOutput(graph, value), "");
  OwnedModel model = compileGraph(graph);
  Floats x = {-1, 2, -3, 0};
  EXPECT_EQ(run(instantiate(model).get(), {x.data()}, 4), (Floats{1, 2, 3, 0}));
}
