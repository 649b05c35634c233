//===- ReportTest.cpp - Reports and drawings of made-up programs *- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HamKaas/Report/Report.h"
#include "HamKaas/Dialect/HamKaas/IR/HamKaas.h"
#include "HamKaas/Program/CollectProgramInfo.h"
#include "HamKaas/Report/MemoryPlanDrawing.h"
#include "HamKaas/Report/ThreadScaling.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/Parser/Parser.h"
#include "llvm/Support/JSON.h"
#include "gtest/gtest.h"

using namespace mlir;
using namespace hamkaas;

static std::string getReport(const ProgramInfo &info) {
  std::string text;
  llvm::raw_string_ostream os(text);
  printReport(info, os);
  return text;
}

static std::string getDrawing(const ProgramInfo &info) {
  std::string text;
  llvm::raw_string_ostream os(text);
  drawMemoryPlan(info, os);
  return text;
}

static llvm::json::Object getJson(const ProgramInfo &info) {
  std::string text;
  llvm::raw_string_ostream os(text);
  printReportJson(info, os);
  llvm::Expected<llvm::json::Value> value = llvm::json::parse(text);
  EXPECT_TRUE(bool(value)) << text;
  if (!value) {
    llvm::consumeError(value.takeError());
    return {};
  }
  return std::move(*value->getAsObject());
}

static bool contains(StringRef text, StringRef part) {
  return text.contains(part);
}

//===----------------------------------------------------------------------===//
// Reports
//===----------------------------------------------------------------------===//

TEST(Report, ProgramWithoutWork) {
  ProgramInfo info;
  info.name = "nothing";
  EXPECT_EQ(getReport(info), "nothing\n"
                             "\n"
                             "memory, all of it known before the run\n"
                             "  constants  0 bytes  parameters as the kernels "
                             "read them\n"
                             "  state      0 bytes  kept from run to run\n"
                             "  workspace  0 bytes  results between kernels; "
                             "no plan needs less than 0\n"
                             "\n"
                             "work of a run\n"
                             "  0 floating point operations (FLOPs), 0 bytes "
                             "read and written, 0 calls of 0 kernels\n");
}

TEST(Report, EqualConditionsThatFailedAreOneRow) {
  ProgramInfo info;
  info.missed = {{"attention", "something else needs the scores", "m.hk:3:1"},
                 {"gelu", "the constant factor is not 0.5", "m.hk:5:1"},
                 {"attention", "something else needs the scores", "m.hk:9:1"}};
  EXPECT_TRUE(contains(
      getReport(info),
      "not recognised, for one condition\n"
      "  operation  times  condition                        source\n"
      "  attention      2  something else needs the scores  m.hk:3:1 (first)\n"
      "  gelu           1  the constant factor is not 0.5   m.hk:5:1\n"));
  EXPECT_EQ(getJson(info).getArray("missed")->size(), 3u);
}

TEST(Report, TheSumOfOperationsDoesNotWrap) {
  ProgramInfo info;
  for (int step = 0; step < 3; ++step)
    info.calls.push_back({"k0", "contraction", "", "matmul",
                          uint64_t(std::numeric_limits<int64_t>::max()), 0, 1,
                          "", step});
  EXPECT_TRUE(contains(getReport(info),
                       "  18,446,744,073,709,551,615 floating point operations "
                       "(FLOPs), 0 bytes read and written"))
      << getReport(info);
}

TEST(Report, CallsOfAKernelAreOneLine) {
  ProgramInfo info;
  info.name = "net";
  for (int step = 0; step < 3; ++step)
    info.calls.push_back({"k0", "row", "net.hk:" + std::to_string(step + 1),
                          "rms_norm", 1000, 64, 4, "", step});
  info.calls.push_back(
      {"k1", "elementwise", "net.hk:9", "add", 0, 8, 1, "", 3});
  std::string report = getReport(info);
  EXPECT_TRUE(contains(report, "3,000 floating point operations (FLOPs), 200 "
                               "bytes read and written, 4 calls of 2 kernels"));
  EXPECT_TRUE(contains(report,
                       "  name  family       calls  FLOPs    share  "
                       "bytes  tiles  computes  source\n"
                       "  k0    row              3  3,000  100.0 %    "
                       "192      4  rms_norm  net.hk:1 (first call)\n"
                       "  k1    elementwise      1      0    0.0 %      "
                       "8      1  add       net.hk:9\n"))
      << report;
}

TEST(Report, LongListsAreCut) {
  ProgramInfo info;
  for (int i = 0; i < 1016; ++i)
    info.parameters.push_back({"w" + std::to_string(i), HamKaasFloat32, {2}});
  std::string report = getReport(info);
  EXPECT_TRUE(
      contains(report, "  w15  float32 [2]  8 bytes\n  and 1,000 more\n"));
  EXPECT_EQ(getJson(info).getArray("parameters")->size(), 1016u);
}

TEST(Report, NamesMayHoldAnything) {
  ProgramInfo info;
  info.inputs.push_back({"größe \"x\"\n", HamKaasInt64, {1}});
  info.outputs.push_back({"\xff", HamKaasFloat32, {}});
  llvm::json::Object json = getJson(info);
  EXPECT_EQ(json.getArray("inputs")->front().getAsObject()->getString("name"),
            "größe \"x\"\n");
  EXPECT_EQ(json.getArray("inputs")->front().getAsObject()->getString("type"),
            "int64");
  EXPECT_EQ(json.getArray("outputs")->front().getAsObject()->getString("name"),
            "\xef\xbf\xbd");
}

//===----------------------------------------------------------------------===//
// Drawings
//===----------------------------------------------------------------------===//

TEST(MemoryPlanDrawing, NothingToDraw) {
  EXPECT_TRUE(contains(getDrawing({}), "No result is kept."));
}

TEST(MemoryPlanDrawing, EscapesNames) {
  ProgramInfo info;
  info.name = "a<b>&\"c\"\x01\xff";
  EXPECT_TRUE(contains(getDrawing(info),
                       ">a&lt;b&gt;&amp;&quot;c&quot;\xef\xbf\xbd: plan"));
}

TEST(MemoryPlanDrawing, ManyAndHugeBuffers) {
  ProgramInfo info;
  info.workspaceBytes = info.workspaceLowerBound = uint64_t(1) << 62;
  for (int64_t i = 0; i < 5000; ++i)
    info.buffers.push_back(
        {"add", "", uint64_t(i % 2) << 61, uint64_t(1) << 61, i, i + 1});
  std::string drawing = getDrawing(info);
  EXPECT_TRUE(contains(drawing, "width=\"8120\""));
  EXPECT_TRUE(contains(drawing, ">4 EB<"));
  EXPECT_EQ(StringRef(drawing).count("<title>"), 5000u);
}

//===----------------------------------------------------------------------===//
// Facts from a module
//===----------------------------------------------------------------------===//

namespace {

class CollectProgramInfo : public ::testing::Test {
protected:
  CollectProgramInfo() {
    context.loadDialect<HamKaasDialect, arith::ArithDialect, func::FuncDialect,
                        memref::MemRefDialect>();
  }

  Location at(StringRef file, unsigned line, unsigned column) {
    return FileLineColLoc::get(&context, file, line, column);
  }

  MLIRContext context;
};

} // namespace

TEST_F(CollectProgramInfo, Locations) {
  Location unknown = UnknownLoc::get(&context);
  Location a = at("m.hk", 4, 1), b = at("m.hk", 6, 3), c = at("n.hk", 1, 2);
  Location name = NameLoc::get(StringAttr::get(&context, "node"));
  EXPECT_EQ(formatLocation(unknown), "");
  EXPECT_EQ(formatLocation(a), "m.hk:4:1");
  EXPECT_EQ(formatLocation(FusedLoc::get(&context, {a, b, a})),
            "m.hk:4:1, 6:3");
  EXPECT_EQ(formatLocation(FusedLoc::get(
                &context, {FusedLoc::get(&context, {a, c}), b, unknown})),
            "m.hk:4:1, n.hk:1:2, m.hk:6:3");
  EXPECT_EQ(formatLocation(name), "node");
  EXPECT_EQ(formatLocation(NameLoc::get(StringAttr::get(&context, "x"), a)),
            "m.hk:4:1");
  EXPECT_EQ(formatLocation(CallSiteLoc::get(b, a)), "m.hk:6:3");
}

TEST_F(CollectProgramInfo, PlannedModule) {
  OwningOpRef<ModuleOp> module = parseSourceString<ModuleOp>(R"mlir(
func.func private @k0(%a: memref<4xf32>, %b: memref<4xf32>)
    attributes {hamkaas.kernel = #hamkaas.kernel<movement>,
                hamkaas.tiles = 3 : i64} {
  %ok = arith.constant true
  %v = arith.constant 1 : i64
  hamkaas.check %ok, "expected {0}"(%v) : i64
  return
}
func.func @main(
    %x: memref<32xi8> {hamkaas.name = "x", hamkaas.region = #hamkaas.region<input>, hamkaas.type = tensor<2x2xi64>},
    %y: memref<16xi8> {hamkaas.name = "y", hamkaas.region = #hamkaas.region<output>, hamkaas.type = tensor<4xf32>},
    %constants: memref<256xi8> {hamkaas.region = #hamkaas.region<constants>},
    %state: memref<512xi8> {hamkaas.region = #hamkaas.region<state>},
    %workspace: memref<768xi8> {hamkaas.region = #hamkaas.region<workspace>})
    attributes {
      hamkaas.workspace_lower_bound = 256 : i64,
      hamkaas.states = [#hamkaas.state<"s", offset = 256, type = tensor<4xf32>>],
      hamkaas.buffers = [#hamkaas.buffer<offset = 512, bytes = 16, first = 0, last = 1>]} {
  %c0 = arith.constant 0 : index
  %c512 = arith.constant 512 : index
  %0 = memref.view %workspace[%c512][] : memref<768xi8> to memref<4xf32>
  %1 = memref.view %y[%c0][] : memref<16xi8> to memref<4xf32>
  %2 = memref.view %constants[%c0][] : memref<256xi8> to memref<4xf32>
  memref.copy %2, %0 : memref<4xf32> to memref<4xf32> loc("m.hk":2:1)
  call @k0(%0, %1) {hamkaas.call_index = 0 : i64, hamkaas.flops = 12 : i64, hamkaas.ops = "add+relu"}
    : (memref<4xf32>, memref<4xf32>) -> () loc("m.hk":7:1)
  call @k0(%1, %1) {hamkaas.call_index = 1 : i64} : (memref<4xf32>, memref<4xf32>) -> ()
  return
}
func.func @prepare(
    %w: memref<16xi8> {hamkaas.name = "w", hamkaas.region = #hamkaas.region<parameter>, hamkaas.type = tensor<4xf32>},
    %constants: memref<256xi8> {hamkaas.region = #hamkaas.region<constants>},
    %workspace: memref<1024xi8> {hamkaas.region = #hamkaas.region<workspace>})
    attributes {hamkaas.workspace_lower_bound = 0 : i64, hamkaas.buffers = []} {
  return
}
)mlir",
                                                             &context);
  ASSERT_TRUE(module);
  ProgramInfo info = collectProgramInfo(*module);

  ASSERT_EQ(info.inputs.size(), 1u);
  EXPECT_EQ(info.inputs[0].name, "x");
  EXPECT_EQ(info.inputs[0].elementType, HamKaasInt64);
  EXPECT_EQ(info.inputs[0].shape, (std::vector<int64_t>{2, 2}));
  ASSERT_EQ(info.outputs.size(), 1u);
  EXPECT_EQ(info.outputs[0].name, "y");
  ASSERT_EQ(info.parameters.size(), 1u);
  EXPECT_EQ(info.parameters[0].name, "w");
  ASSERT_EQ(info.states.size(), 1u);
  EXPECT_EQ(info.states[0].name, "s");
  EXPECT_EQ(info.states[0].offset, 256u);

  EXPECT_EQ(info.constantsBytes, 256u);
  EXPECT_EQ(info.stateBytes, 512u);
  EXPECT_EQ(info.workspaceBytes, 768u);
  EXPECT_EQ(info.workspaceLowerBound, 256u);
  EXPECT_EQ(info.prepareWorkspaceBytes, 1024u);

  ASSERT_EQ(info.calls.size(), 2u);
  EXPECT_EQ(info.calls[0].kernel, "k0");
  EXPECT_EQ(info.calls[0].family, "movement");
  EXPECT_EQ(info.calls[0].ops, "add+relu");
  EXPECT_EQ(info.calls[0].location, "m.hk:7:1");
  EXPECT_EQ(info.calls[0].flops, 12u);
  EXPECT_EQ(info.calls[0].bytes, 32u);
  EXPECT_EQ(info.calls[0].tiles, 3);
  EXPECT_EQ(info.calls[0].check, "expected {0}");
  EXPECT_EQ(info.calls[0].step, 1);
  // An operand that is passed twice counts once.
  EXPECT_EQ(info.calls[1].bytes, 16u);

  ASSERT_EQ(info.buffers.size(), 1u);
  EXPECT_EQ(info.buffers[0].ops, "copy");
  EXPECT_EQ(info.buffers[0].location, "m.hk:2:1");
  EXPECT_EQ(info.buffers[0].offset, 512u);
  EXPECT_EQ(info.buffers[0].bytes, 16u);
  EXPECT_EQ(info.buffers[0].last, 1);
}

//===----------------------------------------------------------------------===//
// Threads
//===----------------------------------------------------------------------===//

TEST(ThreadScaling, TilesThatDivideEvenly) {
  EXPECT_EQ(simulateThreads(1, 1), 1);
  EXPECT_EQ(simulateThreads(7, 1), 7);
  EXPECT_EQ(simulateThreads(8, 8), 1);
  EXPECT_EQ(simulateThreads(64, 4), 16);
  EXPECT_EQ(simulateThreads(1024, 16), 64);
}

TEST(ThreadScaling, TilesThatDoNot) {
  EXPECT_EQ(simulateThreads(1, 8), 1);
  EXPECT_EQ(simulateThreads(9, 8), 2);
  EXPECT_EQ(simulateThreads(12, 8), 2);
  EXPECT_EQ(simulateThreads(25, 8), 4);
}

// Threads are never later than with a range of whole chunks each, and never
// earlier than with equal shares.
TEST(ThreadScaling, LiesBetweenBounds) {
  for (int32_t threads : {2, 3, 8, 16})
    for (int64_t tiles = 1; tiles <= 300; ++tiles) {
      int64_t chunk = (tiles + 8 * threads - 1) / (8 * threads);
      int64_t time = simulateThreads(tiles, threads);
      EXPECT_GE(time * threads, tiles) << tiles << " on " << threads;
      EXPECT_LE(time, tiles / threads + chunk) << tiles << " on " << threads;
    }
}

static CallInfo makeCall(std::string kernel, uint64_t flops, int64_t tiles) {
  CallInfo call;
  call.kernel = std::move(kernel);
  call.flops = flops;
  call.tiles = tiles;
  return call;
}

TEST(ThreadScaling, SerialPartBoundsSpeedup) {
  FunctionInfo function;
  EXPECT_EQ(boundSpeedup(function, 8), 1);
  function.calls = {makeCall("shared", 8000000, 64),
                    makeCall("one_tile", 1000000, 1)};
  EXPECT_DOUBLE_EQ(boundSpeedup(function, 1), 1);
  EXPECT_DOUBLE_EQ(boundSpeedup(function, 8), 4.5);
  // A step of a loop is too short to share.
  function.calls.back() = makeCall("step", 1000000, 8);
  function.calls.back().repetitions = 10;
  EXPECT_DOUBLE_EQ(boundSpeedup(function, 8), 4.5);
  function.calls.back().repetitions = 2;
  EXPECT_DOUBLE_EQ(boundSpeedup(function, 8), 8);
}

TEST(ThreadScaling, NamesWhatKeepsThreadsWaiting) {
  ProgramInfo info;
  info.name = "net";
  info.calls = {makeCall("shared", 8000000, 64),
                makeCall("one_tile", 1000000, 1),
                makeCall("uneven", 12000000, 12), makeCall("small", 390000, 4)};
  std::string text = getReport(info);
  EXPECT_TRUE(contains(text, "kernels that keep 8 threads waiting")) << text;
  EXPECT_TRUE(contains(text, "it is one tile")) << text;
  EXPECT_TRUE(contains(text, "its tiles are too few")) << text;
  EXPECT_TRUE(contains(text, "a call has too little work")) << text;

  info.calls = {makeCall("shared", 8000000, 64)};
  EXPECT_FALSE(contains(getReport(info), "keep 8 threads waiting"));
  info.device.architecture = "sm_90";
  EXPECT_FALSE(contains(getReport(info), "speedup by threads"));
}
